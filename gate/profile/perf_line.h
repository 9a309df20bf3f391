/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of `perf script`, taken apart: who was sampled, and one frame. Neighbours: profile/perf_script.h */
#ifndef GATE_PROFILE_PERF_LINE_H
#define GATE_PROFILE_PERF_LINE_H

#include "gate/base/str.h"

/** "shop 13768/13770 [001]  2100.095570:  5000000 cpu-clock:": views of the line, or numbers of it. */
struct gate_perf_head {
    struct gate_str comm;  /* may hold white space */
    struct gate_str event; /* without the letters of its modifiers; empty where the fields lack it */
    struct gate_str rest;  /* behind the event: a frame where no stacks were recorded, a tracepoint's fields */
    int64_t time_ns;       /* -1: not told */
    int64_t period;        /* 0: not told */
};

/** "  7f8b3e452f52 isalnum+0x12 (/usr/lib/libc.so.6)", and with --inline "(inlined)" in the place of the file. */
struct gate_perf_frame {
    struct gate_str name; /* without "+0x12"; empty for [unknown] */
    struct gate_str file; /* empty: not told, inlined or unknown */
    uint64_t address;
};

/** Whether the line names who was sampled: it has a time or an event behind a name. O(length). */
bool gate_perf_head_read(struct gate_perf_head *out, struct gate_str line);

/** Whether the line is a frame: an address and what is there. O(length). */
bool gate_perf_frame_read(struct gate_perf_frame *out, struct gate_str line);

#endif
