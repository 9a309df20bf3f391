/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a profile's bytes from a file or standard input. */
#ifndef GATE_FORMATS_SOURCE_H
#define GATE_FORMATS_SOURCE_H

#include "gate/base/str.h"
#include "gate/model/limits.h"

/**
 * Read a whole file, or standard input if `path` is "-". The bytes are allocated from `arena`.
 *
 * err   GATE_ERR_IO: missing, a directory, or unreadable; GATE_ERR_LIMIT: larger than limits->compressed_bytes, or
 *       `arena` is full
 */
GATE_MUST_CHECK
bool gate_source_read(struct gate_str *bytes, struct gate_str path, const struct gate_limits *limits,
                      struct gate_arena *arena, struct gate_error *err);

#endif
