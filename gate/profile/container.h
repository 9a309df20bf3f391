/* SPDX-License-Identifier: Apache-2.0 */
/* What a profile is packed in: told by its first bytes, named, and written. Unpacking is profile/inflate.h.
 * Used by profile/load.h, by profile/merge.h and whoever writes a profile. */
#ifndef GATE_PROFILE_CONTAINER_H
#define GATE_PROFILE_CONTAINER_H

#include "gate/base/buf.h"
#include "gate/profile/profile.h"

/** By the first bytes alone: 1f 8b is gzip, 28 b5 2f fd or a skippable frame is zstd, all else is raw. */
enum gate_container gate_container_sniff(struct gate_str bytes);

/** "raw", "gzip", "zstd": static text. */
const char *gate_container_name(enum gate_container container);

/** Append `bytes` to `out` as a file of that container; deterministic. */
GATE_MUST_CHECK
bool gate_container_write(struct gate_buf *out, struct gate_str bytes, enum gate_container container,
                          struct gate_error *err);

#endif
