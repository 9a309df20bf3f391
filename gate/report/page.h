/* SPDX-License-Identifier: Apache-2.0 */
/* Sections of the HTML report: causes, findings, functions, --by. */
#ifndef GATE_REPORT_PAGE_H
#define GATE_REPORT_PAGE_H

#include "gate/base/escape.h"
#include "gate/base/json_io.h"
#include "gate/report/flame_layout.h"
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

/** Append a "<td>" with escaped text; `class_name` may be NULL. */
void gate_page_cell(const struct gate_page *page, const char *class_name, struct gate_str text);

/** Append the causes, then findings that belong to no cause; a sentence if there are none. */
void gate_page_findings(const struct gate_page *page);

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

/** Select these functions of a comparison, at most GATE_PAGE_MOVERS. */
struct gate_page_movers gate_page_movers_pick(const struct gate_comparison *comparison);

/** Append the tables of --by, one per input; nothing if --by was not given. */
GATE_MUST_CHECK bool gate_page_by(const struct gate_page *page, struct gate_error *err);

/** Append the functions that changed most, in place of findings, for a page without budgets. */
void gate_page_movers(const struct gate_page *page);

/** Append the frames of each comparison by change: the table for readers without script. */
GATE_MUST_CHECK bool gate_page_frames(const struct gate_page *page, struct gate_error *err);

#endif
