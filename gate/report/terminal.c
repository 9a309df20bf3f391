/* SPDX-License-Identifier: Apache-2.0 */
/* The verdict for a person at a terminal: what, why, what else moved, how sure. Colour repeats what the words say. */
#include "gate/report/report.h"

#include "gate/base/escape.h"
#include "gate/base/figures.h"
#include "gate/base/wrap.h"
#include "gate/profile/unit.h"
#include "gate/report/headline.h"
#include "gate/report/listing.h"
#include "gate/report/shorten.h"
#include "gate/report/terminal_tree.h"

#include <math.h>

struct terminal {
    struct gate_buf *out;
    const struct gate_verdict *verdict;
    const struct gate_report_options *options;
    struct gate_arena *arena;
};

enum {
    NUMBER_COLUMNS = 46, /* of a movers row, behind the name */
    FINDINGS_SHOWN = 3,  /* of a budget, in full */
    MOVERS_SHOWN = 10
};

static const char *terminal_paint(enum gate_outcome outcome) {
    static const char *const codes[] = {
        [GATE_OUTCOME_PROVEN] = "32",       [GATE_OUTCOME_PASS] = "32", [GATE_OUTCOME_WARN] = "33",
        [GATE_OUTCOME_INCONCLUSIVE] = "33", [GATE_OUTCOME_FAIL] = "31",
    };
    return codes[outcome];
}

static void terminal_coloured(const struct terminal *t, const char *code, const char *text) {
    if (t->options->colour)
        gate_buf_printf(t->out, "\033[1;%sm%s\033[0m", code, text);
    else
        gate_buf_text(t->out, text);
}

static void terminal_dim(const struct terminal *t, bool on) {
    if (t->options->colour)
        gate_buf_text(t->out, on ? "\033[2m" : "\033[0m");
}

/* `text`, escaped, broken at the terminal's width; every line starts `indent` columns in. */
static void terminal_wrap(const struct terminal *t, struct gate_str text, size_t indent) {
    size_t line = t->out->len;
    gate_buf_repeat(t->out, ' ', indent);
    gate_escape_terminal(t->out, text);
    gate_wrap_since(t->out, line, indent, t->options->columns);
    gate_buf_char(t->out, '\n');
}

/* `text` at the right of `columns`. */
static void terminal_right(const struct terminal *t, const struct gate_buf *text, size_t columns) {
    size_t used = gate_str_columns(gate_buf_view(text));
    gate_buf_repeat(t->out, ' ', used < columns ? columns - used : 0);
    gate_buf_str(t->out, gate_buf_view(text));
    if (text->failed)
        t->out->failed = true;
}

static void terminal_verdict(const struct terminal *t) {
    terminal_coloured(t, terminal_paint(t->verdict->outcome), gate_outcome_capitals(t->verdict->outcome));
    gate_buf_text(t->out, "  ");
    gate_headline_print(t->out, t->verdict);
    gate_buf_char(t->out, '\n');
}

static void terminal_finding(const struct terminal *t, const struct gate_finding *finding) {
    terminal_wrap(t, finding->text, 4);
    if (finding->advice.len == 0)
        return;
    struct gate_str advice = gate_str_concat(t->arena, (const struct gate_str[]){GATE_STR("next: "), finding->advice}, 2);
    terminal_wrap(t, advice.ptr == NULL ? finding->advice : advice, 6);
}

static void terminal_rest(const struct terminal *t, uint32_t count, const char *what) {
    if (count > 0)
        gate_buf_printf(t->out, "    and %u more function%s %s; --json lists %s\n", count, count == 1 ? "" : "s", what,
                        count == 1 ? "it" : "them");
}

/* One budget: its worst findings in full, the others as a count, so that the cause stays in sight. */
static void terminal_budget(const struct terminal *t, const struct gate_budget_result *result) {
    bool undecided = result->outcome == GATE_OUTCOME_INCONCLUSIVE;
    uint32_t shown = 0;
    uint32_t left_over = 0;
    uint32_t left_undecided = 0;
    gate_buf_text(t->out, "\n  ");
    terminal_coloured(t, terminal_paint(result->outcome), gate_outcome_of_budget(result->outcome));
    gate_buf_text(t->out, "  ");
    gate_escape_terminal(t->out, result->budget->name);
    gate_buf_char(t->out, '\n');
    for (uint32_t f = 0; f < result->finding_count; f++) {
        const struct gate_finding *finding = &result->findings[f];
        bool over = gate_listing_is_over(finding);
        bool belongs = finding->outcome == result->outcome && (over || undecided);
        if (belongs && shown < FINDINGS_SHOWN) {
            terminal_finding(t, finding);
            shown++;
        } else if (over && finding->outcome >= GATE_OUTCOME_WARN) {
            left_over++;
        } else if (finding->outcome >= GATE_OUTCOME_WARN) {
            left_undecided++;
        }
    }
    terminal_rest(t, left_over, "over the limit");
    terminal_rest(t, left_undecided, "undecided");
}

static bool terminal_has_something_over(const struct gate_budget_result *result) {
    for (uint32_t f = 0; f < result->finding_count; f++)
        if (result->findings[f].outcome >= GATE_OUTCOME_WARN && gate_listing_is_over(&result->findings[f]))
            return true;
    return false;
}

/* Broken budgets first, then what is undecided, then warnings that say something. */
static void terminal_findings(const struct terminal *t) {
    for (size_t o = 0; o < GATE_LISTING_OUTCOMES; o++) {
        enum gate_outcome wanted = gate_listing_outcomes[o];
        for (uint32_t b = 0; b < t->verdict->budget_count; b++) {
            const struct gate_budget_result *result = &t->verdict->budgets[b];
            bool silent = wanted == GATE_OUTCOME_WARN && (t->options->quiet || !terminal_has_something_over(result));
            if (result->outcome == wanted && !silent)
                terminal_budget(t, result);
        }
    }
}

static void terminal_mover(const struct terminal *t, const struct gate_comparison *comparison, uint32_t frame,
                           size_t name_columns) {
    const struct gate_evidence *evidence = &comparison->frames[frame].evidence[GATE_SELF];
    bool significant = comparison->frames[frame].is_suspect[GATE_SELF];
    struct gate_buf text = {0};
    gate_escape_terminal(&text, comparison->pair.frames[frame].name);
    struct gate_str name = gate_shorten_name(t->arena, gate_buf_view(&text), name_columns);
    gate_buf_text(t->out, "  ");
    terminal_dim(t, !significant);
    gate_buf_str(t->out, name);
    gate_buf_repeat(t->out, ' ', name_columns - gate_str_columns(name));
    for (size_t side = 0; side < GATE_SIDES; side++) {
        text.len = 0;
        gate_figures_share(&text, evidence->share[side]);
        terminal_right(t, &text, 9);
    }
    text.len = 0;
    gate_figures_points(&text, evidence->delta);
    terminal_right(t, &text, 10);
    text.len = 0;
    gate_figures_interval(&text, evidence->delta, gate_evidence_ci95(evidence).bounds);
    terminal_right(t, &text, 16);
    gate_buf_text(t->out, significant ? " *" : "");
    terminal_dim(t, false);
    gate_buf_char(t->out, '\n');
    gate_buf_free(&text);
}

static void terminal_movers(const struct terminal *t, const struct gate_comparison *comparison) {
    size_t width = t->options->columns < 72 ? 80 : t->options->columns > 120 ? 120 : t->options->columns;
    size_t name_columns = width - 2 - NUMBER_COLUMNS;
    uint32_t count = 0;
    for (uint32_t i = 0; i < comparison->pair.frame_count && count < MOVERS_SHOWN; i++) {
        uint32_t frame = comparison->by_self[i];
        if (comparison->frames[frame].evidence[GATE_SELF].delta == 0)
            break;
        if (count++ == 0) {
            gate_buf_text(t->out, "\nTop movers, self ");
            gate_escape_terminal(t->out, comparison->name);
            size_t used = strlen("Top movers, self ") + gate_str_columns(comparison->name);
            gate_buf_repeat(t->out, ' ', used < name_columns + 2 ? name_columns + 2 - used : 0);
            gate_buf_text(t->out, " baseline   canary    change   95 % interval\n");
        }
        terminal_mover(t, comparison, frame, name_columns);
    }
    if (count > 0)
        gate_buf_text(t->out, "  * significant: not explained by noise (false discoveries held to 1 %)\n");
    else
        gate_buf_printf(t->out, "\nNo function's self share moved\n");
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
static void terminal_detectable(const struct terminal *t) {
    bool any = false;
    for (uint32_t b = 0; b < t->verdict->budget_count; b++) {
        const struct gate_budget_result *result = &t->verdict->budgets[b];
        if (isnan(result->detectable))
            continue;
        if (!any)
            gate_buf_text(t->out, "\nGrowth that this run would have detected (80 % power)\n");
        any = true;
        struct gate_buf line = {0};
        gate_figures_points(&line, result->detectable);
        terminal_tested(&line, result);
        gate_buf_printf(&line, " of \"%.*s\"", GATE_STR_ARG(result->budget->name));
        terminal_wrap(t, gate_buf_view(&line), 2);
        gate_buf_free(&line);
    }
}

static void terminal_warnings(const struct terminal *t) {
    for (uint32_t i = 0; i < t->verdict->warning_count; i++) {
        const struct gate_warning *warning = &t->verdict->warnings[i];
        struct gate_str line = gate_str_format(t->arena, "%.*s (%.*s)", GATE_STR_ARG(warning->message),
                                               GATE_STR_ARG(warning->code));
        gate_buf_char(t->out, '\n');
        terminal_coloured(t, terminal_paint(GATE_OUTCOME_WARN), "warning");
        gate_buf_char(t->out, '\n');
        terminal_wrap(t, line.ptr == NULL ? warning->message : line, 2);
    }
}

static void terminal_run(const struct terminal *t, enum gate_side_name side, const struct gate_pair *pair,
                         const struct gate_run *run) {
    struct gate_buf line = {0};
    gate_buf_printf(&line, "%-8s %.*s: ", gate_side_word(side), GATE_STR_ARG(run->input.path));
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
    terminal_wrap(t, gate_buf_view(&line), 2);
    gate_buf_free(&line);
}

static void terminal_inputs(const struct terminal *t) {
    gate_buf_text(t->out, "\nCompared\n");
    for (uint32_t c = 0; c < t->verdict->comparison_count; c++) {
        const struct gate_pair *pair = &t->verdict->comparisons[c].pair;
        for (size_t side = 0; side < GATE_SIDES; side++)
            for (uint32_t r = 0; r < pair->sides[side].run_count; r++)
                terminal_run(t, (enum gate_side_name)side, pair, &pair->sides[side].runs[r]);
        const struct gate_noise *noise = t->verdict->comparisons[c].noise;
        if (noise != NULL)
            terminal_wrap(t, gate_str_format(t->arena, "noise    a model of %u runs", (unsigned)noise->run_count), 2);
    }
    struct gate_str rules = gate_str_format(t->arena, "rules    %.*s", GATE_STR_ARG(t->verdict->rules->source));
    terminal_wrap(t, rules, 2);
}

bool gate_report_terminal(struct gate_buf *out, const struct gate_verdict *verdict,
                          const struct gate_report_options *options, struct gate_arena *arena,
                          struct gate_error *err) {
    struct terminal t = {.out = out, .verdict = verdict, .options = options, .arena = arena};
    terminal_verdict(&t);
    terminal_findings(&t);
    if (!options->quiet) {
        if (!gate_terminal_tree(out, verdict, options, arena, err))
            return false;
        for (uint32_t i = 0; i < verdict->comparison_count; i++)
            terminal_movers(&t, &verdict->comparisons[i]);
        terminal_detectable(&t);
        terminal_warnings(&t);
        terminal_inputs(&t);
    }
    return gate_buf_check(out, err);
}
