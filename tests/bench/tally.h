/* SPDX-License-Identifier: Apache-2.0 */
/* What became of the comparisons of one setting of rates.c, and how it is printed. */
#ifndef GATE_TESTS_TALLY_H
#define GATE_TESTS_TALLY_H

#include "gate/rules/rules.h"

enum { BUDGETS_MAX = 16 };
enum { CLASS_OWN, CLASS_LIBRARY, CLASS_RUNTIME, CLASSES };

/* What became of the draws of one setting; per budget, and for the run as a whole. */
struct tally {
    uint32_t draws, fail, inconclusive, naive_delta, naive_ratio;
    uint32_t budget_fail[BUDGETS_MAX];     /* a frame failed: any frame without a plant, else the planted one */
    uint32_t budget_innocent[BUDGETS_MAX]; /* a frame that nobody touched failed beside a plant, by its own or charged
                                              cost */
    uint32_t budget_open[BUDGETS_MAX];
    uint32_t innocent;                              /* of any budget */
    double advice;                                  /* runs a side that the last draw asks for; 0: none */
    uint32_t advised, unadvised, followed, decided; /* of inconclusive draws */
    double wanted;                                  /* sum of what those followed asked for */
    uint32_t intervals[CLASSES], covered[CLASSES];  /* of good runs: how many hold 0, which is the truth */
};

/** Head and one row of a Markdown table. */
void tally_head(void);
void tally_row(const struct tally *tally, const char *variant, const char *planted, uint32_t runs, bool has_model);

/** Every rate on a line, with its Wilson interval; budget by budget. */
void tally_text(const struct tally *tally, const struct gate_rules *rules, bool planted);

#endif
