/* SPDX-License-Identifier: Apache-2.0 */
/* Reader of the text that `perf script` prints. */
#ifndef GATE_FORMATS_PERF_SCRIPT_H
#define GATE_FORMATS_PERF_SCRIPT_H

#include "gate/base/buf.h"
#include "gate/base/str.h"
#include "gate/model/limits.h"

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

/* ---- reader: samples with their stacks --------------------------------------------------------------------------- */

/**
 * Return true if `text` contains the header of a sample and a frame. The header has a time or an event. The frame is
 * an address with a symbol, in the same or the next line. Comments may come first. O(first 64 KiB).
 */
bool gate_perf_script_sniff(struct gate_str text);

/**
 * Convert to pprof bytes. cpu-clock and task-clock become samples/count and cpu/nanoseconds. Any other event NAME
 * becomes NAME_sample/count and, if periods are printed, their sum NAME_event/count. The default is the clock, else
 * cycles, else the event with most samples; its periods if it has them. The thread's name becomes the label "comm";
 * a frame's file becomes its mapping. `limits` has no zeros (gate_limits_fill).
 *
 * err   GATE_ERR_FORMAT: with the line, what was expected and what was found; GATE_ERR_LIMIT; GATE_ERR_OVERFLOW
 *
 * O(bytes).
 */
GATE_MUST_CHECK
bool gate_perf_script_convert(struct gate_buf *out, struct gate_str bytes, const struct gate_limits *limits,
                              struct gate_arena *scratch, struct gate_error *err);

#endif
