/* SPDX-License-Identifier: Apache-2.0 */
/* The verdict for a person at a terminal: what, why, what else moved, how sure. Colour repeats what the words say. */
#include "gate/report/report.h"

#include "gate/base/escape.h"
#include "gate/base/figures.h"
#include "gate/base/wrap.h"
#include "gate/budget/sentence.h"
#include "gate/profile/unit.h"
#include "gate/report/headline.h"
#include "gate/report/listing.h"
#include "gate/report/looks_line.h"
#include "gate/report/shorten.h"
#include "gate/report/terminal_by.h"
#include "gate/report/terminal_causes.h"
#include "gate/report/terminal_tree.h"

#include <math.h>

enum {
    NUMBER_COLUMNS = 55,   /* of a movers row, behind the name */
    INTERVAL_COLUMNS = 17, /* of them, which a narrow terminal has no room for */
    NAME_LEAST = 15,
    MOVERS_SHOWN = 10
};

static void terminal_dim(const struct gate_terminal *t, bool on) {
    if (t->options->colour)
        gate_buf_text(t->out, on ? "\033[2m" : "\033[0m");
}

static bool terminal_is_narrow(const struct gate_terminal *t) {
    return t->options->columns > 0 && t->options->columns < 2 + NAME_LEAST + NUMBER_COLUMNS;
}

/* `text` at the right of `columns`. */
static void terminal_right(const struct gate_terminal *t, const struct gate_buf *text, size_t columns) {
    size_t used = gate_str_columns(gate_buf_view(text));
    gate_buf_repeat(t->out, ' ', used < columns ? columns - used : 0);
    gate_buf_str(t->out, gate_buf_view(text));
    if (text->failed)
        t->out->failed = true;
}

static bool terminal_verdict(const struct gate_terminal *t, struct gate_error *err) {
    struct gate_headline headline;
    if (!gate_headline_make(&headline, t->verdict, t->arena, err))
        return false;
    struct gate_buf line = {0};
    gate_buf_text(&line, headline.word);
    gate_buf_text(&line, headline.tone == GATE_OUTCOME_WARN ? ": " : "  ");
    gate_escape_terminal(&line, headline.text);
    gate_wrap_since(&line, 0, 2, t->options->columns);
    gate_terminal_lines_paint(t, headline.tone, headline.word);
    gate_buf_str(t->out, gate_str_slice(gate_buf_view(&line), strlen(headline.word), line.len));
    gate_buf_char(t->out, '\n');
    t->out->failed = t->out->failed || line.failed;
    gate_buf_free(&line);
    return true;
}

/* The figure that is in `text` at the right of its column; `text` is emptied. */
static void terminal_column(const struct gate_terminal *t, struct gate_buf *text, size_t columns) {
    terminal_right(t, text, columns);
    text->len = 0;
}

static void terminal_mover(const struct gate_terminal *t, const struct gate_comparison *comparison, uint32_t frame,
                           size_t name_columns) {
    const struct gate_frame_judgement *judged = &comparison->frames[frame];
    const struct gate_evidence *charged = judged->evidence[GATE_CHARGED];
    struct gate_buf text = {0};
    gate_escape_terminal(&text, comparison->pair.frames[frame].name);
    struct gate_str name = gate_shorten_name(t->arena, gate_buf_view(&text), name_columns);
    gate_buf_text(t->out, "  ");
    terminal_dim(t, !judged->is_suspect[GATE_CHARGED]);
    gate_buf_str(t->out, name);
    gate_buf_repeat(t->out, ' ', name_columns - gate_str_columns(name));
    text.len = 0;
    gate_figures_share(&text, charged->share[GATE_BASELINE]);
    terminal_column(t, &text, 8);
    gate_figures_share(&text, charged->share[GATE_CANARY]);
    terminal_column(t, &text, 8);
    gate_figures_points(&text, charged->delta);
    terminal_column(t, &text, 10);
    if (!terminal_is_narrow(t)) {
        gate_figures_interval(&text, charged->delta, gate_evidence_ci95(charged).bounds);
        terminal_column(t, &text, INTERVAL_COLUMNS);
    }
    gate_buf_text(t->out, judged->is_suspect[GATE_CHARGED] ? " *" : "  ");
    gate_figures_points(&text, judged->evidence[GATE_SELF]->delta);
    terminal_column(t, &text, 10);
    terminal_dim(t, false);
    gate_buf_char(t->out, '\n');
    gate_buf_free_part(t->out, &text);
}

static void terminal_movers_head(const struct gate_terminal *t, const struct gate_comparison *comparison,
                                 size_t name_columns) {
    gate_buf_text(t->out, "\nTop movers, charged ");
    gate_escape_terminal(t->out, comparison->name);
    size_t used = strlen("Top movers, charged ") + gate_str_columns(comparison->name);
    if (used > name_columns + 1)
        gate_buf_char(t->out, '\n');
    used = used > name_columns + 1 ? 0 : used;
    gate_buf_repeat(t->out, ' ', name_columns + 2 - used);
    gate_buf_text(t->out, terminal_is_narrow(t) ? "baseline  canary    change        self\n"
                                                : "baseline  canary    change    95 % interval        self\n");
}

static bool terminal_movers(const struct gate_terminal *t, const struct gate_comparison *comparison,
                            struct gate_error *err) {
    size_t width = t->options->columns == 0 ? GATE_WRAP_COLUMNS : t->options->columns;
    size_t numbers = terminal_is_narrow(t) ? NUMBER_COLUMNS - INTERVAL_COLUMNS : NUMBER_COLUMNS;
    size_t name_columns = width < numbers + 2 + NAME_LEAST ? NAME_LEAST : width - 2 - numbers;
    uint32_t *frames = GATE_NEW_ARRAY(t->arena, uint32_t, (size_t)comparison->pair.frame_count + 1);
    if (frames == NULL)
        return gate_arena_error(t->arena, err);
    gate_listing_frames(frames, comparison);
    uint32_t count = 0;
    for (; count < comparison->pair.frame_count && count < MOVERS_SHOWN; count++) {
        if (comparison->frames[frames[count]].evidence[GATE_CHARGED]->delta == 0)
            break;
        if (count == 0)
            terminal_movers_head(t, comparison, name_columns);
        terminal_mover(t, comparison, frames[count], name_columns);
    }
    if (count > 0) {
        gate_terminal_lines_wrap(t, gate_str_from(gate_sentence_charged()), 2);
        gate_terminal_lines_wrap(t, GATE_STR("* significant: not explained by noise (false discoveries held to 1 %)"),
                                 2);
    } else {
        gate_buf_text(t->out, "\nNo function's charged share moved\n");
    }
    return true;
}

/* Where growth would have been seen. */
static void terminal_tested(struct gate_buf *out, const struct gate_budget_result *result) {
    const struct gate_budget *budget = result->budget;
    if (gate_budget_measure_row(budget->measure)->is_total)
        gate_buf_text(out, " in the total");
    else if (budget->as_group)
        gate_buf_text(out, " in the group");
    else if (result->tested == 1)
        gate_buf_text(out, " in the only function");
    else
        gate_buf_printf(out, " in any of %u functions", result->tested);
}

/* What this run could have seen, so that a pass says how much it is worth. */
static void terminal_detectable(const struct gate_terminal *t) {
    bool any = false;
    for (uint32_t b = 0; b < t->verdict->budget_count; b++) {
        const struct gate_budget_result *result = &t->verdict->budgets[b];
        if ((isnan(result->detectable) && result->hindrance == GATE_REASON_WITHIN) || result->budget->part != NULL)
            continue;
        if (!any)
            gate_buf_text(t->out, "\nGrowth that this run would have detected (80 % power)\n");
        any = true;
        struct gate_buf line = {0};
        if (isnan(result->detectable)) {
            gate_buf_text(&line, "none");
        } else {
            gate_figures_growth(&line, result->detectable, gate_budget_measure_row(result->budget->measure)->is_cost);
            terminal_tested(&line, result);
        }
        gate_buf_printf(&line, " of \"%.*s\"", GATE_STR_ARG(result->budget->name));
        if (isnan(result->detectable)) {
            gate_buf_text(&line, ": ");
            gate_sentence_put_hindrance(&line, t->verdict->rules, result->hindrance);
        }
        gate_terminal_lines_wrap(t, gate_buf_view(&line), 2);
        gate_buf_free_part(t->out, &line);
    }
}

static void terminal_warnings(const struct gate_terminal *t) {
    for (uint32_t i = 0; i < t->verdict->warning_count; i++) {
        const struct gate_warning *warning = &t->verdict->warnings[i];
        struct gate_str line =
            gate_str_format(t->arena, "%.*s (%.*s)", GATE_STR_ARG(warning->message), GATE_STR_ARG(warning->code));
        gate_buf_char(t->out, '\n');
        gate_terminal_lines_paint(t, GATE_OUTCOME_WARN, "warning");
        gate_buf_char(t->out, '\n');
        gate_terminal_lines_wrap(t, line.ptr == NULL ? warning->message : line, 2);
    }
}

static void terminal_run(const struct gate_terminal *t, enum gate_side_name side, const struct gate_pair *pair,
                         const struct gate_run *run) {
    struct gate_buf line = {0};
    gate_buf_printf(&line, "%-8s %.*s: ", gate_side_word(side), GATE_STR_ARG(gate_run_input_title(&run->input)));
    gate_unit_print(&line, run->total, pair->type.unit);
    gate_buf_text(&line, " of ");
    gate_buf_str(&line, pair->type.type);
    if (run->input.profile != NULL && run->input.profile->duration_ns > 0) {
        gate_buf_text(&line, " over ");
        gate_unit_print(&line, run->input.profile->duration_ns, GATE_STR("nanoseconds"));
    }
    gate_buf_text(&line, ", ");
    gate_figures_count(&line, run->events);
    gate_buf_text(&line, " effective samples");
    gate_terminal_lines_wrap(t, gate_buf_view(&line), 2);
    gate_buf_free_part(t->out, &line);
}

static void terminal_inputs(const struct gate_terminal *t) {
    gate_buf_text(t->out, "\nCompared\n");
    for (uint32_t c = 0; c < t->verdict->comparison_count; c++) {
        if (t->verdict->comparisons[c].part != NULL)
            continue;
        const struct gate_pair *pair = &t->verdict->comparisons[c].pair;
        for (size_t side = 0; side < GATE_SIDES; side++)
            for (uint32_t r = 0; r < pair->sides[side].run_count; r++)
                terminal_run(t, (enum gate_side_name)side, pair, &pair->sides[side].runs[r]);
        const struct gate_noise *noise = t->verdict->comparisons[c].noise;
        if (noise != NULL)
            gate_terminal_lines_wrap(
                t, gate_str_format(t->arena, "noise    a model of %u runs", (unsigned)noise->run_count), 2);
        if (pair->mix_key.len > 0)
            gate_terminal_lines_wrap(t,
                                     gate_str_format(t->arena, "mix      weighed as the baseline's traffic, by '%.*s'",
                                                     GATE_STR_ARG(pair->mix_key)),
                                     2);
    }
    struct gate_buf looks = {0};
    gate_buf_text(&looks, t->verdict->looks.count > 0 ? "looks    " : "");
    gate_looks_line(&looks, &t->verdict->looks);
    gate_terminal_lines_take(t, &looks, 2);
    struct gate_str rules = gate_str_format(t->arena, "rules    %.*s", GATE_STR_ARG(t->verdict->rules->source));
    gate_terminal_lines_wrap(t, rules, 2);
}

bool gate_report_terminal(struct gate_buf *out, const struct gate_verdict *verdict,
                          const struct gate_report_options *options, struct gate_arena *arena, struct gate_error *err) {
    struct gate_terminal t = {.out = out, .verdict = verdict, .options = options, .arena = arena};
    if (!terminal_verdict(&t, err))
        return false;
    gate_terminal_causes(&t);
    if (!options->quiet) {
        if (!gate_terminal_by(&t, err) || !gate_terminal_tree(out, verdict, options, arena, err))
            return false;
        for (uint32_t i = 0; i < verdict->comparison_count; i++)
            if (verdict->comparisons[i].part == NULL && !terminal_movers(&t, &verdict->comparisons[i], err))
                return false;
        terminal_detectable(&t);
        terminal_warnings(&t);
        terminal_inputs(&t);
    }
    return gate_buf_check(out, err);
}
