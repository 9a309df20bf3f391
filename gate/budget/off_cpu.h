/* SPDX-License-Identifier: Apache-2.0 */
/* Computing or waiting: compares a growth of wall time with the CPU time of the same runs. */
#ifndef GATE_BUDGET_OFF_CPU_H
#define GATE_BUDGET_OFF_CPU_H

#include "gate/budget/cause.h"

/**
 * Fill on_cpu of every cause of grown wall time. It is the growth of the CPU time that another comparison charges to
 * the same function, divided by the growth of wall time. Both are per unit of work or per second. The 95% confidence
 * interval covers the CPU time only. A cause in a waiting comparison gets 0. NAN if the comparisons lack durations, or
 * if no comparison measures CPU time.
 *
 * O(causes * frames).
 */
void gate_off_cpu_find(struct gate_cause_list *causes, const struct gate_comparison *comparisons, uint32_t count);

enum gate_off_cpu_where {
    GATE_OFF_CPU_NOT_APPLICABLE, /* no growth, or of CPU time or no time; the output name "not_asked" is kept for
                                    compatibility */
    GATE_OFF_CPU_NO_PROFILE,     /* wall time without CPU profiles of the same runs */
    GATE_OFF_CPU_OPEN,           /* the interval contains 1/2 */
    GATE_OFF_CPU_ON,
    GATE_OFF_CPU_OFF
};

enum gate_off_cpu_where gate_off_cpu_where(const struct gate_cause *cause, const struct gate_comparison *comparison);

/** Return which profile to take next, for the language of the comparison; empty: none. Static text. */
struct gate_str gate_off_cpu_next(const struct gate_cause *cause, const struct gate_comparison *comparison);

#endif
