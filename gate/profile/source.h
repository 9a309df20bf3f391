/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes of a file or of standard input, whole and under a cap.
 * Pipeline: the command line -> profile/source.h -> profile/load.h */
#ifndef GATE_PROFILE_SOURCE_H
#define GATE_PROFILE_SOURCE_H

#include "gate/base/str.h"
#include "gate/profile/limits.h"

/**
 * Read a file, or standard input for "-", whole. The bytes are arena memory.
 *
 * err   GATE_ERR_IO missing, a directory, unreadable; GATE_ERR_LIMIT larger than limits->compressed_bytes, or than
 *       the arena holds
 */
GATE_MUST_CHECK
bool gate_source_read(struct gate_str *bytes, struct gate_str path, const struct gate_limits *limits,
                      struct gate_arena *arena, struct gate_error *err);

#endif
