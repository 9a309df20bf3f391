/* SPDX-License-Identifier: Apache-2.0 */
/* What profilers put before a collapsed stack to say where it ran: a process, a thread. Their numbers differ from run
 * to run, so they are labels and no frames. Neighbour: profile/collapsed.h, whose reader asks. */
#ifndef GATE_PROFILE_COLLAPSED_ORIGIN_H
#define GATE_PROFILE_COLLAPSED_ORIGIN_H

#include "gate/profile/sample.h"

enum { GATE_COLLAPSED_ORIGINS_MAX = 2 };

struct gate_collapsed_origin {
    struct gate_label labels[GATE_COLLAPSED_ORIGINS_MAX]; /* "process", "thread": views of the stack */
    uint32_t label_count;
    bool is_cpython; /* its frames are spelled FILE:FUNCTION:LINE */
};

/**
 * Cut the origin off the front of `stack`, as far as there is one:
 *
 * process 12:"python shop.py"    py-spy --subprocesses; label process, without the number
 * thread (7): Name, thread (7)   py-spy --threads; label thread: its name, else its number. A name may hold ';': it
 * ends before the first frame, which ends in ')' [Name tid=7]                   async-profiler with threads; label
 * thread: its name, which may hold ';' tid:7                          CPython's profiling.sampling; label thread: the
 * number
 *
 * O(stack).
 */
struct gate_collapsed_origin gate_collapsed_origin_cut(struct gate_str *stack);

/** "shop.py:encode_reply:40", as CPython writes a frame, in its parts. False where it is none: "<GC>", "<native>". */
bool gate_collapsed_origin_frame(struct gate_str *function, struct gate_str *file, int64_t *line,
                                 struct gate_str frame);

#endif
