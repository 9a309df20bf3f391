/* SPDX-License-Identifier: Apache-2.0 */
/* The data of the HTML report's script, and definitions that the page shares with it. */
#ifndef GATE_REPORT_PAGE_DATA_H
#define GATE_REPORT_PAGE_DATA_H

#include "gate/report/headline.h"
#include "gate/report/report.h"

/** State that all sections share. */
struct gate_page {
    struct gate_buf *out;
    const struct gate_verdict *verdict;
    const struct gate_report_options *options;
    struct gate_arena *arena;
    struct gate_headline headline;
};

/** Call trees of one comparison, one per view. */
struct gate_page_graph {
    const struct gate_tree *trees[GATE_VIEWS];
};

/** Maximum number of functions listed per comparison in a page without budgets. */
enum { GATE_PAGE_MOVERS = 5 };

/**
 * The functions of a comparison whose cost changed most, significantly: by charged cost, or if none is significant, by
 * self cost.
 */
struct gate_page_movers {
    enum gate_measure measure;
    uint32_t frames[GATE_PAGE_MOVERS];
    uint32_t count;
};

/** Select the functions of a comparison that changed most. */
struct gate_page_movers gate_page_movers_pick(const struct gate_comparison *comparison);

/** Append the block of JSON with all comparisons, for assets/report_model.js. `graphs` has one item per comparison. */
GATE_MUST_CHECK
bool gate_page_data(const struct gate_page *page, const struct gate_page_graph *graphs, struct gate_error *err);

#endif
