/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a profile as a pprof file, raw or compressed. */
#ifndef GATE_FORMATS_PPROF_WRITE_H
#define GATE_FORMATS_PPROF_WRITE_H

#include "gate/base/buf.h"
#include "gate/formats/builder.h"
#include "gate/model/profile.h"

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
