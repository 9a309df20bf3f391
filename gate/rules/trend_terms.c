/* SPDX-License-Identifier: Apache-2.0 */
/* Words of budgets on trends (see trend_terms.h). */
#include "gate/rules/trend_terms.h"

const char *const gate_trend_terms_of_words[] = {"charged", "self", "cumulative", "total", NULL};
const char *const gate_trend_terms_per_words[] = {"accept", "hour", "day", "week", NULL};

const char *gate_trend_terms_of_name(enum gate_trend_of of) {
    return gate_trend_terms_of_words[of == GATE_TREND_OF_UNTOLD ? 0 : of - GATE_TREND_OF_CHARGED];
}

const char *gate_trend_terms_per_name(enum gate_trend_per per) {
    return gate_trend_terms_per_words[per == GATE_TREND_PER_UNTOLD ? 0 : per - GATE_TREND_PER_ACCEPT];
}

enum gate_measure gate_trend_terms_measure(enum gate_trend_of of) {
    switch (of) {
    case GATE_TREND_OF_SELF:
        return GATE_SELF;
    case GATE_TREND_OF_CUMULATIVE:
    case GATE_TREND_OF_TOTAL:
        return GATE_CUMULATIVE;
    default:
        return GATE_CHARGED;
    }
}

double gate_trend_terms_ns(enum gate_trend_per per) {
    switch (per) {
    case GATE_TREND_PER_HOUR:
        return 3600e9;
    case GATE_TREND_PER_DAY:
        return 86400e9;
    case GATE_TREND_PER_WEEK:
        return 604800e9;
    default:
        return 0.0;
    }
}
