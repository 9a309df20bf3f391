/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/report/prove_report.h"

#include "gate/base/buf.h"
#include "gate/base/escape.h"
#include "gate/base/figures.h"
#include "gate/base/json_io.h"
#include "gate/base/own_mark.h"
#include "gate/budget/prove.h"
#include "gate/compare/evidence.h"
#include "gate/report/report.h"
#include "gate/report/shorten.h"

#include <math.h>

/* ---- text and Markdown ------------------------------------------------------------------------------------------- */

static const double Z95 = 1.959963984540054;

/* Width of the columns after the name: share, growth found in 80% and in 50% of draws, growth that passes. */
enum { NUMBERS_WIDTH = 46, NAME_LEAST = 12 };

static const char *variation_text(enum gate_variation variation) {
    switch (variation) {
    case GATE_VARIATION_MODEL:
        return "the noise model";
    case GATE_VARIATION_REPLICATES:
        return "these runs";
    default:
        return "what is assumed of one pair; give several runs, or --noise, to measure it";
    }
}

/* Append "+5 pp", or "-" if `cell` is NULL. */
static void put_size(struct gate_buf *out, const struct gate_prove_cell *cell) {
    if (cell == NULL)
        gate_buf_text(out, "-");
    else if (cell->growth == 0.0)
        gate_buf_text(out, "0 pp");
    else {
        gate_buf_text(out, "+");
        gate_figures_given(out, cell->growth * 100.0);
        gate_buf_text(out, " pp");
    }
}

/* Append the result for a frame if no planted size was found in 80% of the draws. */
static void put_never(struct gate_buf *out, const struct gate_prove_frame *frame) {
    const struct gate_prove_cell *last = frame->cell_count > 0 ? &frame->cells[frame->cell_count - 1] : NULL;
    if (last == NULL || last->failed == 0)
        gate_buf_text(out, "never");
    else {
        gate_buf_text(out, "> ");
        put_size(out, last);
    }
}

static void put_padded(struct gate_buf *out, struct gate_buf *cell, size_t width) {
    size_t len = cell->len;
    gate_buf_repeat(out, ' ', len < width ? width - len : 1);
    gate_buf_str(out, gate_buf_view(cell));
    cell->len = 0;
}

static void put_name(struct gate_buf *out, const struct gate_prove_frame *frame, size_t width,
                     struct gate_arena *arena) {
    static const char new_mark[] = " (new)";
    size_t room = width - (frame->plant.is_new ? sizeof new_mark - 1 : 0);
    struct gate_buf safe = {0};
    gate_escape_terminal(&safe, frame->name);
    struct gate_str name = gate_shorten_name(arena, gate_buf_view(&safe), room);
    if (name.ptr == NULL)
        name = gate_buf_view(&safe);
    size_t columns = gate_str_columns(name);
    gate_buf_str(out, name);
    gate_buf_free_part(out, &safe);
    gate_buf_text(out, frame->plant.is_new ? new_mark : "");
    gate_buf_repeat(out, ' ', room > columns ? room - columns : 0);
}

static void put_row(struct gate_buf *out, const struct gate_prove_frame *frame, size_t width,
                    struct gate_arena *arena) {
    struct gate_buf cell = {0};
    const struct gate_prove_cell *found = gate_prove_found(frame, GATE_PROVE_FOUND);
    gate_buf_text(out, "  ");
    put_name(out, frame, width, arena);
    gate_figures_share(&cell, frame->plant.is_new ? 0.0 : frame->share);
    put_padded(out, &cell, 9);
    if (found != NULL)
        put_size(&cell, found);
    else
        put_never(&cell, frame);
    put_padded(out, &cell, 13);
    put_size(&cell, gate_prove_found(frame, GATE_PROVE_HALF));
    put_padded(out, &cell, 11);
    put_size(&cell, gate_prove_unseen(frame));
    put_padded(out, &cell, 13);
    gate_buf_char(out, '\n');
    gate_buf_free_part(out, &cell);
}

static void put_none(struct gate_buf *out, const struct gate_prove *proof) {
    double low = 0.0, high = 1.0, draws = (double)proof->none.failed + proof->none.open + proof->none.passed;
    gate_wilson_interval(proof->none.failed, draws, Z95, &low, &high);
    gate_buf_printf(out, "without growth %u of %u failed (95%% CI [%s, %s]), and %u were inconclusive",
                    (unsigned)proof->none.failed, (unsigned)draws, gate_figures_share_text(low).text,
                    gate_figures_share_text(high).text, (unsigned)proof->none.open);
}

/* Append a line about a function whose growth the rules do not detect, with the reason. */
static void put_blind(struct gate_buf *out, const struct gate_prove *proof, const struct gate_prove_frame *frame,
                      void (*escape)(struct gate_buf *, struct gate_str)) {
    uint32_t warns = gate_prove_budget(frame->warned);
    const struct gate_prove_cell *last = frame->cell_count > 0 ? &frame->cells[frame->cell_count - 1] : NULL;
    bool has_requirement = proof->at_least > 0.0; /* put_required lists those that are not found */
    if (last == NULL || last->failed > 0 || (has_requirement && frame->is_looked_at))
        return;
    if (frame->is_looked_at && last->open > 0) {
        escape(out, frame->name);
        gate_buf_text(out, ": no growth up to ");
        put_size(out, last);
        gate_buf_text(out, " is decided; compare more or longer runs\n");
        return;
    }
    if (warns != GATE_NO_INDEX && warns < proof->rules->budget_count) {
        escape(out, frame->name);
        gate_buf_text(out, ": growth would only warn, by \"");
        escape(out, proof->rules->budgets[warns].name);
        gate_buf_text(out, "\"\n");
        return;
    }
    gate_buf_text(out, frame->is_looked_at ? "no budget that looks at " : "nothing you wrote looks at ");
    escape(out, frame->name);
    if (!frame->is_looked_at) {
        gate_buf_text(out, ": its growth passes\n");
        return;
    }
    gate_buf_text(out, " fails at ");
    put_size(out, last);
    gate_buf_text(out, ": its limits are wider\n");
}

static void put_caught(struct gate_buf *out, const struct gate_prove *proof,
                       void (*escape)(struct gate_buf *, struct gate_str)) {
    uint32_t counts[GATE_PROVE_BUDGETS_MAX] = {0};
    for (uint32_t i = 0; i < proof->frame_count; i++)
        for (uint32_t b = 0; b < GATE_PROVE_BUDGETS_MAX; b++)
            counts[b] += proof->frames[i].caught[b];
    uint32_t first = gate_prove_budget(counts), next = 0;
    if (first == GATE_NO_INDEX || first >= proof->rules->budget_count)
        return;
    gate_buf_text(out, "found by ");
    for (bool more = false; first != GATE_NO_INDEX && next < 4; more = true, next++) {
        gate_buf_text(out, more ? ", \"" : "\"");
        escape(out, proof->rules->budgets[first].name);
        gate_buf_text(out, "\"");
        counts[first] = 0;
        first = gate_prove_budget(counts);
    }
    gate_buf_text(out, first == GATE_NO_INDEX ? "\n" : " and others\n");
}

/* Append the result of --at-least. */
static void put_required(struct gate_buf *out, const struct gate_prove *proof,
                         void (*escape)(struct gate_buf *, struct gate_str)) {
    enum gate_outcome outcome = gate_prove_outcome(proof);
    uint32_t count[3] = {0};
    for (uint32_t i = 0; i < proof->frame_count; i++) {
        const struct gate_prove_frame *frame = &proof->frames[i];
        if (frame->cell_count == 0)
            continue;
        enum gate_outcome one = gate_prove_outcome_of(&frame->cells[0]);
        count[one == GATE_OUTCOME_FAIL ? 0 : one == GATE_OUTCOME_INCONCLUSIVE ? 1 : 2]++;
        if (one == GATE_OUTCOME_PASS)
            continue;
        gate_buf_text(out, one == GATE_OUTCOME_FAIL ? "not found: " : "not sure: ");
        escape(out, frame->name);
        gate_buf_printf(out, ", %u of %u draws failed\n", (unsigned)frame->cells[0].failed, (unsigned)proof->draws);
    }
    gate_buf_printf(out, "%s: of %u function%s of at least %s, +", gate_outcome_capitals(outcome),
                    (unsigned)(count[0] + count[1] + count[2]), count[0] + count[1] + count[2] == 1 ? "" : "s",
                    gate_figures_share_text(proof->least_share).text);
    gate_figures_given(out, proof->at_least * 100.0);
    gate_buf_printf(out, " pp is found in 80%% of draws in %u, not in %u, and it is undecided in %u",
                    (unsigned)count[2], (unsigned)count[0], (unsigned)count[1]);
    gate_buf_text(out, count[1] > 0 ? "; --draws takes more of them\n" : "\n");
}

static void put_head(struct gate_buf *out, const struct gate_prove *proof,
                     void (*escape)(struct gate_buf *, struct gate_str)) {
    gate_buf_text(out, "growth of ");
    escape(out, proof->sample_type);
    gate_buf_printf(out, " that ");
    escape(out, proof->rules->source);
    gate_buf_printf(out,
                    " finds with %u run%s per side: %u synthetic comparisons each, drawn from %u run%s, which vary "
                    "by %s\n",
                    (unsigned)proof->runs, proof->runs == 1 ? "" : "s", (unsigned)proof->draws,
                    (unsigned)proof->baseline_runs, proof->baseline_runs == 1 ? "" : "s",
                    variation_text(proof->variation));
}

void gate_prove_report_text(struct gate_buf *out, const struct gate_prove *proof, uint32_t columns,
                            struct gate_arena *arena) {
    size_t from = out->len, width = columns > NUMBERS_WIDTH + NAME_LEAST + 2 ? columns - NUMBERS_WIDTH - 2 : NAME_LEAST;
    put_head(out, proof, gate_escape_terminal);
    gate_wrap_since(out, from, 0, columns);
    gate_buf_char(out, '\n');
    if (proof->at_least == 0.0) {
        gate_buf_text(out, "  function");
        gate_buf_repeat(out, ' ', width - 8);
        gate_buf_printf(out, "%9s%13s%11s%13s\n", "share", "found: 80%", "50%", "passes: 50%");
        for (uint32_t i = 0; i < proof->frame_count; i++)
            put_row(out, &proof->frames[i], width, arena);
        gate_buf_char(out, '\n');
    }
    from = out->len;
    put_none(out, proof);
    gate_buf_char(out, '\n');
    gate_wrap_since(out, from, 0, columns);
    from = out->len;
    put_caught(out, proof, gate_escape_terminal);
    gate_wrap_since(out, from, 2, columns);
    for (uint32_t i = 0; i < proof->frame_count; i++) {
        from = out->len;
        put_blind(out, proof, &proof->frames[i], gate_escape_terminal);
        gate_wrap_since(out, from, 2, columns);
    }
    from = out->len;
    if (proof->at_least > 0.0)
        put_required(out, proof, gate_escape_terminal);
    gate_wrap_since(out, from, 2, columns);
}

void gate_prove_report_markdown(struct gate_buf *out, const struct gate_prove *proof) {
    gate_buf_text(out, "## What the rules find\n" GATE_OWN_MARK_MARKDOWN "\n");
    put_head(out, proof, gate_escape_markdown);
    gate_buf_text(out, "\n| function | share | found in 80% | in 50% | passes in 50% up to |\n"
                       "| --- | ---: | ---: | ---: | ---: |\n");
    for (uint32_t i = 0; i < proof->frame_count; i++) {
        const struct gate_prove_frame *frame = &proof->frames[i];
        const struct gate_prove_cell *found = gate_prove_found(frame, GATE_PROVE_FOUND);
        gate_buf_text(out, "| ");
        gate_escape_markdown(out, frame->name);
        gate_buf_text(out, frame->plant.is_new ? " (new) | " : " | ");
        gate_figures_share(out, frame->plant.is_new ? 0.0 : frame->share);
        gate_buf_text(out, " | ");
        if (found != NULL)
            put_size(out, found);
        else
            put_never(out, frame);
        gate_buf_text(out, " | ");
        put_size(out, gate_prove_found(frame, GATE_PROVE_HALF));
        gate_buf_text(out, " | ");
        put_size(out, gate_prove_unseen(frame));
        gate_buf_text(out, " |\n");
    }
    gate_buf_char(out, '\n');
    put_none(out, proof);
    gate_buf_text(out, "\n\n");
    put_caught(out, proof, gate_escape_markdown);
    for (uint32_t i = 0; i < proof->frame_count; i++) {
        size_t from = out->len;
        gate_buf_char(out, '\n');
        put_blind(out, proof, &proof->frames[i], gate_escape_markdown);
        if (out->len == from + 1)
            out->len = from;
    }
    if (proof->at_least > 0.0) {
        gate_buf_char(out, '\n');
        put_required(out, proof, gate_escape_markdown);
    }
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

static const double PROOF_JSON_Z95 = 1.959963984540054;

static void put_cell(struct gate_json *json, const struct gate_prove_cell *cell, double times) {
    double low, high;
    gate_wilson_interval(cell->failed, (double)cell->failed + cell->open + cell->passed, PROOF_JSON_Z95, &low, &high);
    gate_json_open_flat(json, '{');
    gate_json_put_number(json, "growth_pp", cell->growth * 100.0);
    gate_json_put_number(json, "times", times);
    gate_json_put_integer(json, "fail", cell->failed);
    gate_json_put_integer(json, "inconclusive", cell->open);
    gate_json_put_integer(json, "pass", cell->passed);
    gate_json_put_integer(json, "named_first", cell->named);
    gate_json_put_number(json, "fail_low", low);
    gate_json_put_number(json, "fail_high", high);
    gate_json_close(json, '}');
}

static void proof_json_put_size(struct gate_json *json, const char *key, const struct gate_prove_cell *cell) {
    gate_json_put_number(json, key, cell == NULL ? NAN : cell->growth * 100.0);
}

static void put_budgets(struct gate_json *json, const char *key, const uint32_t counts[GATE_PROVE_BUDGETS_MAX],
                        const struct gate_rules *rules) {
    gate_json_put_open(json, key, '[');
    for (uint32_t i = 0; i < GATE_PROVE_BUDGETS_MAX && i < rules->budget_count; i++) {
        if (counts[i] == 0)
            continue;
        gate_json_open_flat(json, '{');
        gate_json_put_string(json, "budget", rules->budgets[i].name);
        gate_json_put_integer(json, "draws", counts[i]);
        gate_json_close(json, '}');
    }
    gate_json_close(json, ']');
}

static void put_frame(struct gate_json *json, const struct gate_prove_frame *frame, const struct gate_rules *rules) {
    gate_json_open(json, '{');
    gate_json_put_string(json, "function", frame->name);
    gate_json_put_number(json, "share", frame->share);
    gate_json_put_bool(json, "is_new", frame->plant.is_new);
    gate_json_put_bool(json, "is_looked_at", frame->is_looked_at);
    proof_json_put_size(json, "found_80_pp", gate_prove_found(frame, GATE_PROVE_FOUND));
    proof_json_put_size(json, "found_50_pp", gate_prove_found(frame, GATE_PROVE_HALF));
    proof_json_put_size(json, "unseen_pp", gate_prove_unseen(frame));
    put_budgets(json, "caught_by", frame->caught, rules);
    put_budgets(json, "warned_by", frame->warned, rules);
    gate_json_put_open(json, "sizes", '[');
    for (uint32_t i = 0; i < frame->cell_count; i++)
        put_cell(json, &frame->cells[i], gate_plant_times(frame->share, frame->cells[i].growth, frame->plant.is_new));
    gate_json_close_all(json, "]}");
}

void gate_prove_report_json(struct gate_buf *out, const struct gate_prove *proof) {
    static const char *const sources[] = {[GATE_VARIATION_ASSUMED] = "assumed",
                                          [GATE_VARIATION_MODEL] = "model",
                                          [GATE_VARIATION_REPLICATES] = "runs",
                                          [GATE_VARIATION_BOTH] = "model"};
    struct gate_json json = {.out = out, .indent = 2};
    gate_json_open(&json, '{');
    gate_json_put_integer(&json, "schema_version", 1);
    gate_generator_json(&json);
    gate_json_put_string(&json, "rules", proof->rules->source);
    gate_json_put_string(&json, "sample_type", proof->sample_type);
    gate_json_put_integer(&json, "runs", proof->runs);
    gate_json_put_integer(&json, "draws", proof->draws);
    gate_json_put_integer(&json, "baseline_runs", proof->baseline_runs);
    gate_json_put_integer(&json, "seed", (int64_t)proof->seed);
    gate_json_put_text(&json, "variation", sources[proof->variation]);
    gate_json_put_number(&json, "largest_sd", proof->sd);
    gate_json_put_text(&json, "outcome", proof->at_least > 0.0 ? gate_outcome_name(gate_prove_outcome(proof)) : "none");
    gate_json_put_number(&json, "at_least_pp", proof->at_least > 0.0 ? proof->at_least * 100.0 : NAN);
    gate_json_key(&json, "no_growth");
    put_cell(&json, &proof->none, 1.0);
    gate_json_put_open(&json, "functions", '[');
    for (uint32_t i = 0; i < proof->frame_count; i++)
        put_frame(&json, &proof->frames[i], proof->rules);
    gate_json_close_all(&json, "]}");
    gate_buf_char(out, '\n');
}
