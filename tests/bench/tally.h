/* SPDX-License-Identifier: Apache-2.0 */
/* Results of the comparisons of one setting of rates.c, and how they are printed. */
#ifndef GATE_TESTS_TALLY_H
#define GATE_TESTS_TALLY_H

#include "gate/rules/rules.h"

enum { BUDGETS_MAX = 16 };
enum { CLASS_OWN, CLASS_LIBRARY, CLASS_RUNTIME, CLASSES };

/* Numbers of draws with each result, for each budget and for the whole run. */
struct tally {
    uint32_t draws, fail, inconclusive, naive_delta, naive_ratio;
    uint32_t budget_fail[BUDGETS_MAX]; /* a frame failed: the planted one, or any frame if none is planted */
    /* a frame without a planted change failed by self or charged cost, while another one had a planted change */
    uint32_t budget_innocent[BUDGETS_MAX];
    uint32_t budget_open[BUDGETS_MAX];
    uint32_t innocent;                              /* the same for any budget */
    double advice;                                  /* runs per side that the last draw advises; 0: none */
    uint32_t advised, unadvised, followed, decided; /* inconclusive draws */
    double wanted;                                  /* sum of the runs that followed draws advise */
    /* between good runs: confidence intervals, and those that contain 0, the true value */
    uint32_t intervals[CLASSES], covered[CLASSES];
};

/** Print the heading, or one row, of a Markdown table. */
void tally_head(void);
void tally_row(const struct tally *tally, const char *variant, const char *planted, uint32_t runs, bool has_model);

/** Print each rate on a line, with its Wilson interval, budget by budget. */
void tally_text(const struct tally *tally, const struct gate_rules *rules, bool planted);

#endif
