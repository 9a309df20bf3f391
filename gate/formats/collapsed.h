/* SPDX-License-Identifier: Apache-2.0 */
/* The process and thread in front of a collapsed stack. The readers are in formats/reader.h. */
#ifndef GATE_FORMATS_COLLAPSED_H
#define GATE_FORMATS_COLLAPSED_H

#include "gate/model/sample.h"

/* ---- origin ---------------------------------------------------------------------------------------------------------
 *
 * The process and thread that profilers put before a collapsed stack. Their numbers differ from run to run, so they
 * become labels instead of frames. */

enum { GATE_COLLAPSED_ORIGINS_MAX = 2 };

/** The process and thread of a stack, as labels. */
struct gate_collapsed_origin {
    struct gate_label labels[GATE_COLLAPSED_ORIGINS_MAX]; /* "process" and "thread"; the texts point into the stack */
    uint32_t label_count;
    bool is_cpython; /* frames have the form FILE:FUNCTION:LINE */
};

/**
 * Remove the origin from the front of `stack`, if there is one:
 *
 * - py-spy --subprocesses: process 12:"python shop.py". Label process, without the number.
 * - py-spy --threads: thread (7): Name, or thread (7). Label thread: the name, else the number. A name may contain
 *   ';': it ends before the first frame, which ends with ')'.
 * - async-profiler with threads: [Name tid=7]. Label thread: the name, which may contain ';'.
 * - CPython's profiling.sampling: tid:7. Label thread: the number.
 *
 * O(length of the stack).
 */
struct gate_collapsed_origin gate_collapsed_origin_cut(struct gate_str *stack);

/** Split a CPython frame such as "shop.py:encode_reply:40". Returns false for other frames: "<GC>", "<native>". */
bool gate_collapsed_origin_frame(struct gate_str *function, struct gate_str *file, int64_t *line,
                                 struct gate_str frame);

#endif
