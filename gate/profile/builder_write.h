/* SPDX-License-Identifier: Apache-2.0 */
/* The pprof bytes of a built profile.
 * Pipeline: profile/builder.h -> profile/builder_write.h -> profile/packing.h, or the decoder */
#ifndef GATE_PROFILE_BUILDER_WRITE_H
#define GATE_PROFILE_BUILDER_WRITE_H

#include "gate/base/sink.h"
#include "gate/profile/builder.h"

/** Append the pprof bytes to `out`; samples whose values are all zero are left out. Fails when something had no room.
 */
GATE_MUST_CHECK
bool gate_builder_write(struct gate_buf *out, const struct gate_builder *builder, struct gate_error *err);

/** The same packed, and a part at a time: nothing holds all of it. err: also the sink's. */
GATE_MUST_CHECK
bool gate_builder_pack(struct gate_sink to, const struct gate_builder *builder, enum gate_container container,
                       struct gate_error *err);

#endif
