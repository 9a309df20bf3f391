/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes from and to open streams, whatever interrupts them. Next to it: base/outfile.h, for files by their names. */
#ifndef GATE_BASE_STREAM_H
#define GATE_BASE_STREAM_H

#include "gate/base/error.h"
#include "gate/base/str.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/**
 * fread of bytes. Fewer than `len`: the end, or an error, and then ferror(file) with errno.
 *
 * A signal of the host's that comes between ends nothing, and a pipe that does not block is waited for.
 */
size_t gate_stream_read(void *bytes, size_t len, FILE *file);

/**
 * pread of bytes: fewer than `len` where the file ends, or cannot be read; then errno is set, else 0.
 */
size_t gate_stream_read_at(void *bytes, size_t len, int descriptor, uint64_t at);

/**
 * All of `text`, handed to the system; false with errno set. What of it went out before is not known then.
 *
 * A pipe that does not block is waited for: one is left so by whoever shares it. Never by way of the stream's buffer,
 * which forgets on such a pipe what it could not write. O(len).
 */
GATE_MUST_CHECK
bool gate_stream_write(FILE *file, struct gate_str text);

#endif
