/* SPDX-License-Identifier: Apache-2.0 */
/* What a budget of measure `trend` says besides its limit: which cost is followed, and per what it may grow.
 * Part of rules/rules.h; its words are those of the rules file and of every report. */
#ifndef GATE_RULES_TREND_TERMS_H
#define GATE_RULES_TREND_TERMS_H

#include "gate/compare/delta.h"

/** `of:`. Not told is charged. */
enum gate_trend_of {
    GATE_TREND_OF_UNTOLD,
    GATE_TREND_OF_CHARGED,
    GATE_TREND_OF_SELF,
    GATE_TREND_OF_CUMULATIVE,
    GATE_TREND_OF_TOTAL
};

/** `per:`. Not told is an accepted revision (or a profile of a list), whatever the time between two of them. */
enum gate_trend_per {
    GATE_TREND_PER_UNTOLD,
    GATE_TREND_PER_ACCEPT,
    GATE_TREND_PER_HOUR,
    GATE_TREND_PER_DAY,
    GATE_TREND_PER_WEEK
};

/** "charged", "self", "cumulative", "total", in the order of the enum from GATE_TREND_OF_CHARGED on; NULL-terminated.
 */
extern const char *const gate_trend_terms_of_words[];

/** "accept", "hour", "day", "week", in the order of the enum from GATE_TREND_PER_ACCEPT on; NULL-terminated. */
extern const char *const gate_trend_terms_per_words[];

const char *gate_trend_terms_of_name(enum gate_trend_of of);
const char *gate_trend_terms_per_name(enum gate_trend_per per);

/** The cost of a frame that is followed; of the total GATE_CUMULATIVE. */
enum gate_measure gate_trend_terms_measure(enum gate_trend_of of);

/** Nanoseconds of a unit of time; 0 for an accepted revision. */
double gate_trend_terms_ns(enum gate_trend_per per);

#endif
