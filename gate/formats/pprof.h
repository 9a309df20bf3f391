/* SPDX-License-Identifier: Apache-2.0 */
/* Reads and writes pprof protobuf files. */
#ifndef GATE_FORMATS_PPROF_H
#define GATE_FORMATS_PPROF_H

#include "gate/base/buf.h"
#include "gate/formats/builder.h"
#include "gate/model/limits.h"
#include "gate/model/profile.h"

#include <protobuf-c/protobuf-c.h>

/**
 * Decode `bytes`, which contain the samples and must outlive the profile.
 *
 * out   written on success; the caller sets `container` and `format`
 * err   GATE_ERR_FORMAT: malformed or truncated bytes (with the offset); ids that are 0, duplicate or undefined
 *       (with kind and id); a number of values that differs from the types; string indices out of range; two
 *       concatenated profiles. GATE_ERR_LIMIT: a limit of `limits` is exceeded, or `arena` is full
 *
 * O(bytes). Memory: tables in `arena`, nothing per sample.
 */
GATE_MUST_CHECK
bool gate_pprof_decode(struct gate_profile *out, struct gate_str bytes, const struct gate_limits *limits,
                       struct gate_arena *arena, struct gate_error *err);

/* ---- write ------------------------------------------------------------------------------------------------------- */

/**
 * Append the pprof bytes to `out`. Samples whose values are all 0 are left out. Returns false if memory is
 * exhausted, now or while building.
 */
GATE_MUST_CHECK
bool gate_builder_write(struct gate_buf *out, const struct gate_builder *builder, struct gate_error *err);

/** As gate_builder_write, but write compressed parts to `to`. Errors of the sink are returned, too. */
GATE_MUST_CHECK
bool gate_builder_pack(struct gate_sink to, const struct gate_builder *builder, enum gate_container container,
                       struct gate_error *err);

#endif
