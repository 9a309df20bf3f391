/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of reports: which findings, frames, values of --by and replaced functions are listed, in which order, with what
 * certainty and interval. */
#ifndef GATE_REPORT_LISTING_H
#define GATE_REPORT_LISTING_H

#include "gate/base/json_io.h"
#include "gate/budget/trend.h"
#include "gate/budget/verdict.h"
#include "gate/compare/comparison.h"

/* ---- rows of --by ------------------------------------------------------------------------------------------------ */

/* A row for each value of a label, worst first. All reports have the same rows and texts. */

struct gate_by_row {
    const struct gate_by_value *value;
    uint32_t comparison;              /* comparison of the worst budget; GATE_NO_INDEX: the value was not compared */
    enum gate_outcome outcome;        /* worst outcome of its budgets; GATE_OUTCOME_PROVEN if it has none */
    const struct gate_finding *worst; /* the finding that grew most among those with the worst outcome; NULL: none */
};

/**
 * Make the rows of one entry of verdict->by. They are sorted by outcome (worst first), then growth, then weight; values
 * that were not compared come last.
 *
 * rows  has room for by->count
 *
 * O(values * findings).
 */
void gate_by_rows_make(struct gate_by_row *rows, const struct gate_by *by, const struct gate_verdict *verdict);

/** Return "broken", "undecided", "warns", "holds", or for a value that was not compared "new", "gone" or "unasked". */
const char *gate_by_rows_word(const struct gate_by_row *row);

/** Append "8.1% → 16.7% of the cost, … effective samples; main.round +35.3 pp". Names are not escaped. */
void gate_by_rows_text(struct gate_buf *out, const struct gate_by_row *row, const struct gate_verdict *verdict);

/** Append a sentence, without full stop, about the cost that is in no compared value; nothing if there is none. */
void gate_by_rows_rest(struct gate_buf *out, const struct gate_by *by);

/* ---- findings and frames ----------------------------------------------------------------------------------------- */

/** The outcomes that reports list, worst first. */
enum { GATE_LISTING_OUTCOMES = 3 };

extern const enum gate_outcome gate_listing_outcomes[GATE_LISTING_OUTCOMES];

/**
 * Return whether a report for people lists finding `at` of a budget: of the first 3, those over a limit, and the first
 * one of a budget that is undecided or only warns. Findings of a cause (budget/cause.h) are not listed. The many others
 * with too few samples, or without event counts, are only counted.
 */
bool gate_listing_has(const struct gate_budget_result *result, uint32_t at);

/** Append the name of a hypothesis. For own code of one side only, it is the new function that has most of it, if any.
 * O(frames) for that, else O(1). */
void gate_listing_put_name(struct gate_buf *out, const struct gate_verdict *verdict,
                           const struct gate_hypothesis *hypothesis);

/** Return how many passing budgets were not judged: no growth, however large, could have failed them. */
uint32_t gate_listing_unjudged(const struct gate_verdict *verdict);

/** Append " (too few samples, one run per side)": why passing budgets were not judged. Nothing if all were. */
void gate_listing_put_hindrances(struct gate_buf *out, const struct gate_verdict *verdict);

/** Return how many warning, undecided and broken findings neither belong to a cause nor are listed by
 * gate_listing_has. */
uint32_t gate_listing_left_out(const struct gate_verdict *verdict);

/**
 * Return the next finding of `outcome`, listed or not, from budget `*budget` and finding `*at` on, in the order of the
 * rules; NULL if there is none. Start both at 0; they are advanced past the result.
 */
const struct gate_finding *gate_listing_next(const struct gate_verdict *verdict, enum gate_outcome outcome,
                                             uint32_t *budget, uint32_t *at);

/**
 * Return whether a finding is over its limit as measured. False if it is within the limit, if the samples are too few,
 * or if the profile has no event counts.
 */
bool gate_listing_is_over(const struct gate_finding *finding);

/**
 * Return whether a finding only warns because there are too few samples. It shows no fault in the code, so reports mark
 * no line.
 */
bool gate_listing_is_blind(const struct gate_finding *finding);

/** Return the frame of a cause; NULL for a group or the total. */
const struct gate_frame *gate_listing_cause_frame(const struct gate_verdict *verdict, const struct gate_cause *cause);

/** The measures in the order of tables: charged first. */
extern const enum gate_measure gate_listing_measures[GATE_MEASURES];

/**
 * List the frames in the order of tables: those whose charged cost changed, by size, then the others by the change of
 * self share. `out` has room for every frame of the comparison's pair. O(frames).
 */
void gate_listing_frames(uint32_t *out, const struct gate_comparison *comparison);

/** Return the frame of a finding; NULL for a group or the total. */
const struct gate_frame *gate_listing_frame(const struct gate_verdict *verdict, const struct gate_budget_result *result,
                                            const struct gate_finding *finding);

/* ---- what a pass could have detected ----------------------------------------------------------------------------- */

/** A row about the growth that a budget could detect. */
struct gate_listing_detectable {
    struct gate_str name; /* "no function doubles (heap)"; of several pairs in one row "no function doubles" */
    const struct gate_budget_result *least, *most; /* the pairs with the least and the largest growth; equal if the row
                                                      has one pair */
};

/**
 * Make the row of budget `at`. Three or more pairs, such as benchmarks, share the row of the first one, unless
 * `is_verbose`. Returns false if the budget has no row: it could detect nothing and nothing hinders it, it only warns
 * (unless `is_verbose`), or its row is that of another pair. O(budgets).
 */
bool gate_listing_detectable(struct gate_listing_detectable *out, const struct gate_verdict *verdict, uint32_t at,
                             bool is_verbose);

/** Append the growth that a budget could detect: "+8.2 pp", or "+12%" for a cost or an amount held. */
void gate_listing_put_detectable(struct gate_buf *out, const struct gate_budget_result *result);

/**
 * Return whether a warning of a failed or undecided run comes before its causes: the sides were built or captured in
 * different ways, which alone may be the reason. A warning that the rules raise to an error is in the headline instead.
 */
bool gate_listing_leads(const struct gate_verdict *verdict, const struct gate_warning *warning);

/**
 * Append "x" and 2 more: not judged without --equal or --work, if budgets were left out because no known fact makes
 * costs comparable (their `requires`). Appends nothing with `equal: share`, because the rules then only use shares.
 * O(budgets squared).
 */
void gate_listing_put_without_fact(struct gate_buf *out, const struct gate_verdict *verdict);

/* ---- how certain the change of a frame is, in one word ----------------------------------------------------------- */

/** Certainty, increasing. Budgets set the last two, which take precedence over the table's own test. */
enum gate_frame_state {
    GATE_FRAME_NOT_TESTED,
    GATE_FRAME_WITHIN_NOISE,
    GATE_FRAME_SIGNIFICANT,
    GATE_FRAME_UNDECIDED,
    GATE_FRAME_BROKEN,
    GATE_FRAME_STATES
};

/** State by budgets for each measure and frame: an enum gate_frame_state, or 0 if no budget sets one. */
struct gate_frame_words {
    uint8_t *of[GATE_MEASURES];
};

/** Collect the states of the frames of one comparison. O(frames + findings). */
GATE_MUST_CHECK
bool gate_frame_state_words(struct gate_frame_words *out, const struct gate_verdict *verdict, uint32_t comparison,
                            struct gate_arena *arena, struct gate_error *err);

/**
 * Return the state of one measure of a frame: that of `words`, else by the table's test. With too few samples it is
 * GATE_FRAME_NOT_TESTED, unless it breaks a budget, as a leak does.
 */
enum gate_frame_state gate_frame_state_shown(const struct gate_frame_words *words,
                                             const struct gate_comparison *comparison, uint32_t frame,
                                             enum gate_measure measure);

/** Return the state of one measure by the table's test alone. */
enum gate_frame_state gate_frame_state_of(const struct gate_frame_judgement *frame, enum gate_measure measure);

/** Return "too few samples", "within noise", "significant", ...; static text. The page's script gets the same texts. */
const char *gate_frame_state_name(enum gate_frame_state state);

/* ---- 95% confidence intervals for the rows of a table of frames -------------------------------------------------- */

struct gate_row_intervals {
    struct gate_interval of[GATE_MEASURES];
};

/**
 * Compute the intervals of `frames[rows[i]]` into `out[i]`. Equal evidence is computed once. Many rows are divided
 * between two threads.
 */
void gate_row_intervals_fill(struct gate_row_intervals *out, const struct gate_frame_judgement *frames,
                             const uint32_t *rows, uint32_t count);

/* ---- functions that are gone and new ----------------------------------------------------------------------------- */

/**
 * Append the table as text for a fixed-width font, at most 78 columns wide, and a `frames.rename` block for the rules.
 * Nothing if no names were replaced. Control characters are escaped as for a terminal; markup is not.
 *
 * O(replaced names²).
 */
void gate_replaced_table(struct gate_buf *out, const struct gate_verdict *verdict, struct gate_arena *arena);

/** Append that table to Markdown, as code that can be unfolded. Nothing if a name in it would end the code. */
void gate_replaced_markdown(struct gate_buf *out, struct gate_str table);

/** Append that table to a page, beneath a heading of `level` (3: <h3>). */
void gate_replaced_html(struct gate_buf *out, uint32_t level, struct gate_str table);

/** Append the keys of a group to an open object. `share_keys`: names of the keys for the shares of the gone and of the
 * new functions. O(names * renames). */
void gate_replaced_json(struct gate_json *json, const struct gate_replaced *group,
                        const struct gate_comparison *comparisons, const struct gate_renames *renames,
                        const char *const share_keys[GATE_SIDES]);

/* ---- functions that replaced others in a series ------------------------------------------------------------------ */

/* Append the names that were replaced in a series of builds, and the build that first has the new ones; nothing if
 * there are none. `out` fails if verdict->arena is full. */

/** Unless `verbose`, append nothing for a pass, whose notes name the first replaced name. */
void gate_trend_replaced_text(struct gate_buf *out, const struct gate_trend_verdict *verdict, bool verbose);

void gate_trend_replaced_markdown(struct gate_buf *out, const struct gate_trend_verdict *verdict);
void gate_trend_replaced_html(struct gate_buf *out, const struct gate_trend_verdict *verdict);

/** Append the key "replaced". */
void gate_trend_replaced_json(struct gate_json *json, const struct gate_trend_verdict *verdict);

#endif
