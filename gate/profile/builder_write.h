/* SPDX-License-Identifier: Apache-2.0 */
/* The pprof bytes of a built profile.
 * Pipeline: profile/builder.h -> profile/builder_write.h -> profile/container.h, or the decoder */
#ifndef GATE_PROFILE_BUILDER_WRITE_H
#define GATE_PROFILE_BUILDER_WRITE_H

#include "gate/profile/builder.h"

/** Append the pprof bytes to `out`; samples whose values are all zero are left out. Fails when something had no room.
 */
GATE_MUST_CHECK
bool gate_builder_write(struct gate_buf *out, const struct gate_builder *builder, struct gate_error *err);

#endif
