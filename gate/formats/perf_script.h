/* SPDX-License-Identifier: Apache-2.0 */
/* Reader of the text that `perf script` prints. */
#ifndef GATE_FORMATS_PERF_SCRIPT_H
#define GATE_FORMATS_PERF_SCRIPT_H

#include "gate/base/str.h"

/* ---- lines of `perf script`: the header of a sample, and one frame ----------------------------------------------- */

/** Header of a sample: "shop 13768/13770 [001]  2100.095570:  5000000 cpu-clock:". Texts point into the line. */
struct gate_perf_head {
    struct gate_str comm;  /* thread name, may contain white space */
    struct gate_str event; /* without its modifiers; empty if the line has no event */
    struct gate_str rest;  /* text after the event: a frame if no stacks were recorded, or a tracepoint's fields */
    int64_t time_ns;       /* -1: missing */
    int64_t period;        /* 0: missing */
};

/** A frame: "  7f8b3e452f52 isalnum+0x12 (/usr/lib/libc.so.6)"; with --inline, "(inlined)" replaces the file. */
struct gate_perf_frame {
    struct gate_str name; /* without "+0x12"; empty for [unknown] */
    struct gate_str file; /* empty: missing, inlined or unknown */
    uint64_t address;
};

/** Parse the header of a sample: a name followed by a time or an event, or an event alone. Returns false for other
 * lines. O(length). */
bool gate_perf_head_read(struct gate_perf_head *out, struct gate_str line);

/** Parse a frame: an address and its symbol. Returns false for other lines. O(length). */
bool gate_perf_frame_read(struct gate_perf_frame *out, struct gate_str line);

#endif
