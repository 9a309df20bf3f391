/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the parser of an untrusted binary in a child process with limits. */
#ifndef GATE_SYMBOLS_SUBPROCESS_H
#define GATE_SYMBOLS_SUBPROCESS_H

#include "gate/base/buf.h"

/** Work of the child process: write the result for `question` to `out`. Returns false and sets `err` on failure. */
typedef bool gate_subprocess_work(struct gate_buf *out, const void *question, struct gate_error *err);

/** Limits of the child process. */
struct gate_subprocess_caps {
    uint32_t cpu_seconds;
    uint32_t wall_seconds; /* timeout; 0: none */
    size_t memory_bytes;   /* in addition to what this process uses */
    size_t answer_bytes;
};

/**
 * Run `work` on `question` in a child process and wait for it. Call it while no other thread runs, because it forks.
 *
 * out   result; malloc'ed, the caller frees it
 * err   the error of `work`; GATE_ERR_LIMIT if a limit was exceeded; GATE_ERR_FORMAT if the child crashed; GATE_ERR_IO
 *       if it could not be started or read from; GATE_ERR_MEMORY
 */
GATE_MUST_CHECK
bool gate_subprocess_do(struct gate_buf *out, gate_subprocess_work *work, const void *question,
                        const struct gate_subprocess_caps *caps, struct gate_error *err);

#endif
