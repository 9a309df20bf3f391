/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of the HTML report, in the order of the page: html.c puts them together.
 * Pipeline: budget/verdict.h + report/layout.h -> report/page.h -> report/html.c */
#ifndef GATE_REPORT_PAGE_H
#define GATE_REPORT_PAGE_H

#include "gate/base/escape.h"
#include "gate/base/json_writer.h"
#include "gate/report/headline.h"
#include "gate/report/layout.h"
#include "gate/report/report.h"

/** What every part is given. */
struct gate_page {
    struct gate_buf *out;
    const struct gate_verdict *verdict;
    const struct gate_report_options *options;
    struct gate_arena *arena;
    struct gate_headline headline;
};

/** Call trees of one comparison, all views. */
struct gate_page_graph {
    const struct gate_tree *trees[GATE_VIEWS];
};

/** "<td>" of text, escaped; `class_name` may be NULL. */
void gate_page_cell(const struct gate_page *page, const char *class_name, struct gate_str text);

/** A small drawing of the interval of a change, with zero and the limit's line; nothing when not tested. `limit` or
 * NULL. Of an `outcome` that is not decided it is not drawn in the colours of growth. */
void gate_page_interval(struct gate_buf *out, const struct gate_evidence *evidence, const struct gate_limit *limit,
                        enum gate_outcome outcome);

/** File and line of a function as a paragraph, a link where the options say how and it is the program's own code;
 * nothing where the file is not known. */
void gate_page_source(const struct gate_page *page, const struct gate_frame *frame);

/** The change, as a fraction of the total, at which `evidence` reaches `limit`; NAN when it has no such line. */
double gate_page_limit_line(const struct gate_evidence *evidence, const struct gate_limit *limit);

/** Broken, undecided and warning causes, a line each that unfolds. */
void gate_page_causes(const struct gate_page *page);

/** Causes, then findings that are part of none; a sentence when there is nothing. */
void gate_page_findings(const struct gate_page *page);

/** Functions at most in the list of what changed most. */
enum { GATE_PAGE_MOVERS = 5 };

/** Functions of a comparison whose cost changed most, beyond noise: the charged one, or where none did, their own. */
struct gate_page_movers {
    enum gate_measure measure;
    uint32_t frames[GATE_PAGE_MOVERS];
    uint32_t count;
};

struct gate_page_movers gate_page_movers_pick(const struct gate_comparison *comparison);

/** What --by found, a table an input; nothing where it was not asked for. */
GATE_MUST_CHECK bool gate_page_by(const struct gate_page *page, struct gate_error *err);

/** In place of findings, where there are no budgets. */
void gate_page_movers(const struct gate_page *page);

/** Frames of each comparison by change: what a reader without script sees. */
GATE_MUST_CHECK bool gate_page_frames(const struct gate_page *page, struct gate_error *err);

/** Inputs, rules, what could have been seen, warnings, how to reproduce. */
void gate_page_facts(const struct gate_page *page);

/** Keys of the page's JSON block that all comparisons share: the gate's constants and words. The script has no copy. */
void gate_page_constants(struct gate_json *json, const struct gate_page *page);

/** A call tree as an object of columns. `rows`: of a frame, its row in the page; every value is a multiple of `scale`.
 */
void gate_page_tree(struct gate_json *json, const struct gate_tree *tree, const uint32_t *rows, int64_t scale);

/** One comparison as an object of the page's JSON block: what the script draws. O(frames + nodes). */
GATE_MUST_CHECK
bool gate_page_payload(struct gate_json *json, const struct gate_page *page, uint32_t index,
                       const struct gate_page_graph *graph, struct gate_error *err);

#endif
