/* SPDX-License-Identifier: Apache-2.0 */
/* Work on a file that may be damaged or hostile, in a process of its own: it may crash, run for long or want all memory
 * there is, and what comes back is an error. Pipeline: symbols/binary_names.h -> symbols/asking.h ->
 * symbols/symbolise.h
 */
#ifndef GATE_SYMBOLS_ASKING_H
#define GATE_SYMBOLS_ASKING_H

#include "gate/base/buf.h"

/** What is asked: writes its answer to `out`. False with `err` when it has none. Runs in the other process. */
typedef bool gate_asking_work(struct gate_buf *out, const void *question, struct gate_error *err);

/** What it may take. */
struct gate_asking_caps {
    uint32_t cpu_seconds;
    uint32_t wall_seconds; /* 0: as long as it takes */
    size_t memory_bytes;   /* above what this process has */
    size_t answer_bytes;
};

/**
 * Run `work` on `question` in a child process and wait for it. To be called where no other thread runs.
 *
 * out   malloc'ed, the caller's
 * err   what `work` said; GATE_ERR_LIMIT a cap was met; GATE_ERR_FORMAT it crashed; GATE_ERR_IO no process could be
 * made, or not be read from; GATE_ERR_MEMORY
 */
GATE_MUST_CHECK
bool gate_asking_do(struct gate_buf *out, gate_asking_work *work, const void *question,
                    const struct gate_asking_caps *caps, struct gate_error *err);

#endif
