/* SPDX-License-Identifier: Apache-2.0 */
/* Whether what grew computes or waits: a growth of time is held against the CPU time of the same runs.
 * Pipeline: compare/comparison.h + budget/cause.h -> budget/off_cpu.h -> budget/verdict.h, budget/cause_sentence.h */
#ifndef GATE_BUDGET_OFF_CPU_H
#define GATE_BUDGET_OFF_CPU_H

#include "gate/budget/cause.h"

/** What the values of a comparison count. */
enum gate_clock {
    GATE_CLOCK_OTHER, /* bytes, objects, ... */
    GATE_CLOCK_CPU,   /* time on a processor */
    GATE_CLOCK_WALL,  /* time on one and waiting */
    GATE_CLOCK_WAIT   /* waiting alone: blocked, contended, off the CPU */
};

/** By the sample type, or where that says nothing ("samples", "time") by the pair's name. O(length). */
enum gate_clock gate_off_cpu_clock(const struct gate_comparison *comparison);

/**
 * Fill on_cpu of every cause of a growth of wall time, from the CPU time that is charged to the same function in
 * another comparison: growth of CPU time per unit of work, or per second, over growth of wall time likewise, with the
 * 95 % interval of the first. A cause of waiting has 0.
 *
 * Where work or durations are not told of both comparisons alike, or nothing counts CPU time: NAN.
 *
 * O(causes * frames).
 */
void gate_off_cpu_find(struct gate_cause_list *causes, const struct gate_comparison *comparisons, uint32_t count);

enum gate_off_cpu_where {
    GATE_OFF_CPU_NOT_ASKED,  /* not of time, CPU time by its type, or no growth */
    GATE_OFF_CPU_NO_PROFILE, /* of wall time, and nothing tells how much of it was CPU time */
    GATE_OFF_CPU_OPEN,       /* the interval holds a half */
    GATE_OFF_CPU_ON,
    GATE_OFF_CPU_OFF
};

enum gate_off_cpu_where gate_off_cpu_where(const struct gate_cause *cause, const struct gate_comparison *comparison);

/** "not_asked", "no_profile", "open", "on", "off": stable in JSON. Static text. */
const char *gate_off_cpu_where_name(enum gate_off_cpu_where where);

/** "off the CPU: of what grew, 3 % is CPU time (95 % CI 0 … 9)"; nothing where nothing is to be said. */
void gate_off_cpu_sentence(struct gate_buf *out, const struct gate_cause *cause,
                           const struct gate_comparison *comparison);

/** Which profile to take next, for the language of the comparison; empty: none. Static text. */
struct gate_str gate_off_cpu_next(const struct gate_cause *cause, const struct gate_comparison *comparison);

#endif
