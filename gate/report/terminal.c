/* SPDX-License-Identifier: Apache-2.0 */
/* The terminal report. */
#include "gate/base/buf.h"
#include "gate/base/escape.h"
#include "gate/base/figures.h"
#include "gate/budget/finding.h"
#include "gate/model/unit.h"
#include "gate/report/cause_sentence.h"
#include "gate/report/headline.h"
#include "gate/report/listing.h"
#include "gate/report/report.h"
#include "gate/report/shorten.h"
#include "gate/report/terminal_tree.h"

#include <math.h>

/* ---- lines ------------------------------------------------------------------------------------------------------- */

/** State that all parts share. */
struct gate_terminal {
    struct gate_buf *out;
    const struct gate_verdict *verdict;
    const struct gate_report_options *options;
    struct gate_arena *arena;
    const struct gate_cause *drawn; /* cause whose callers the picture shows, or NULL */
};

static void terminal_lines_hang(const struct gate_terminal *t, struct gate_str text, size_t indent, size_t hang);

/** Append `text` wrapped, with the same indent for all lines. */
static inline void terminal_lines_wrap(const struct gate_terminal *t, struct gate_str text, size_t indent) {
    terminal_lines_hang(t, text, indent, 0);
}

/** Append `text` in bold and in the colour of `outcome`, if the options enable colour. */
static void terminal_lines_paint(const struct gate_terminal *t, enum gate_outcome outcome, const char *text) {
    static const char *const codes[] = {
        [GATE_OUTCOME_PROVEN] = "32",       [GATE_OUTCOME_PASS] = "32", [GATE_OUTCOME_WARN] = "33",
        [GATE_OUTCOME_INCONCLUSIVE] = "33", [GATE_OUTCOME_FAIL] = "31",
    };
    if (t->options->colour)
        gate_buf_printf(t->out, "\033[1;%sm%s\033[0m", codes[outcome], text);
    else
        gate_buf_text(t->out, text);
}

/**
 * Append `text`, escaped and wrapped at the terminal's width. Lines are indented by `indent` columns; wrapped ones by
 * `hang` more. Names with many type arguments, which would fill lines, are shortened in the short report.
 */
static void terminal_lines_hang(const struct gate_terminal *t, struct gate_str text, size_t indent, size_t hang) {
    enum { NAMED_COLUMNS = 48 };
    struct gate_buf shorter = {0};
    size_t line = t->out->len, columns = t->options->columns;
    gate_buf_repeat(t->out, ' ', indent);
    if (t->options->verbose || columns == 0)
        gate_buf_str(&shorter, text);
    else
        gate_shorten_in_text(&shorter, t->arena, text,
                             columns * 3 / 4 > NAMED_COLUMNS ? columns * 3 / 4 : NAMED_COLUMNS);
    gate_escape_terminal(t->out, gate_buf_view(&shorter));
    gate_buf_free_part(t->out, &shorter);
    gate_wrap_since(t->out, line, indent + hang, t->options->columns);
    gate_buf_char(t->out, '\n');
}

/** Append the text of a buffer with a hang of 2 and free it; nothing if it is empty. */
static void terminal_lines_take(const struct gate_terminal *t, struct gate_buf *text, size_t indent) {
    if (text->len > 0)
        terminal_lines_hang(t, gate_buf_view(text), indent, 2);
    gate_buf_free_part(t->out, text);
}

/* ---- values of a label (--by) ------------------------------------------------------------------------------------ */

enum { ROWS_SHOWN = 10, VALUE_COLUMNS = 60 };

static void by_row(const struct gate_terminal *t, const struct gate_by_row *row) {
    struct gate_buf line = {0};
    gate_buf_str(&line, gate_shorten_name(t->arena, row->value->of.match.value, VALUE_COLUMNS));
    gate_buf_printf(&line, "  %s: ", gate_by_rows_word(row));
    gate_by_rows_text(&line, row, t->verdict);
    terminal_lines_take(t, &line, 2);
}

static bool by_one(const struct gate_terminal *t, const struct gate_by *by, struct gate_error *err) {
    struct gate_by_row *rows = GATE_NEW_ARRAY(t->arena, struct gate_by_row, by->count);
    struct gate_buf rest = {0};
    if (rows == NULL)
        return gate_arena_error(t->arena, err);
    gate_by_rows_make(rows, by, t->verdict);
    gate_buf_text(t->out, "\nBy ");
    gate_escape_terminal(t->out, by->key);
    if (by->pair.len > 0) {
        gate_buf_text(t->out, " of ");
        gate_escape_terminal(t->out, by->pair);
    }
    gate_buf_text(t->out, ", worst first\n");
    for (uint32_t i = 0; i < by->count && i < ROWS_SHOWN; i++)
        by_row(t, &rows[i]);
    if (by->count > ROWS_SHOWN)
        gate_buf_printf(t->out, "  %u more values: the HTML and JSON reports list them\n", by->count - ROWS_SHOWN);
    gate_by_rows_rest(&rest, by);
    terminal_lines_take(t, &rest, 2);
    return true;
}

/** Append a line per value, worst first; nothing if --by was not given. */
static bool terminal_by(const struct gate_terminal *t, struct gate_error *err) {
    for (uint32_t i = 0; i < t->verdict->by.count; i++)
        if (!by_one(t, &t->verdict->by.items[i], err))
            return false;
    return true;
}

/* ---- causes and findings ----------------------------------------------------------------------------------------- */

enum { STEP_COLUMNS = 40 };

/* Return how many causes of an outcome are shown in full. The others have one line each. */
static uint32_t causes_shown(const struct gate_terminal *t, enum gate_outcome outcome) {
    bool is_beside = outcome == GATE_OUTCOME_WARN && t->verdict->outcome != GATE_OUTCOME_PASS;
    if (t->options->verbose)
        return outcome == GATE_OUTCOME_FAIL ? 10 : 3;
    return outcome == GATE_OUTCOME_FAIL ? 3 : is_beside ? 0 : 1;
}

/* Return how many further causes of an outcome have one line each. */
static uint32_t causes_listed(const struct gate_terminal *t, enum gate_outcome outcome) {
    return outcome == GATE_OUTCOME_FAIL ? 10 : t->options->verbose ? 0 : 2;
}

/* Append "entry → … → frame → leaf" with shortened names, unless the picture shows this cause. */
static void causes_path(const struct gate_terminal *t, const struct gate_cause *cause) {
    const struct gate_frame *frames = t->verdict->comparisons[cause->comparison].pair.frames;
    uint32_t steps[GATE_CAUSE_STEPS_MAX];
    uint32_t count = cause == t->drawn ? 0 : gate_cause_steps(steps, cause);
    struct gate_buf line = {0};
    for (uint32_t i = 0; count > 1 && i < count; i++) {
        struct gate_str name = GATE_STR("\xE2\x80\xA6");
        if (steps[i] != GATE_NO_INDEX)
            name = gate_shorten_name(t->arena, frames[steps[i]].name, STEP_COLUMNS);
        gate_buf_text(&line, i == 0 ? "" : " \xE2\x86\x92 ");
        gate_buf_str(&line, name);
    }
    terminal_lines_take(t, &line, 4);
}

static void causes_budgets(const struct gate_terminal *t, const struct gate_cause *cause) {
    for (size_t o = 0; o < GATE_LISTING_OUTCOMES; o++) {
        struct gate_buf budgets = {0}, line = {0};
        bool is_brief = !t->options->verbose && gate_listing_outcomes[o] == GATE_OUTCOME_WARN &&
                        cause->outcome != GATE_OUTCOME_WARN; /* failures come first and have their numbers */
        if (is_brief)
            gate_cause_sentence_budget_names(&budgets, cause, gate_listing_outcomes[o]);
        else
            gate_cause_sentence_budgets(&budgets, cause, gate_listing_outcomes[o]);
        if (budgets.len > 0) {
            gate_buf_printf(&line, "%s ", gate_cause_sentence_verb(gate_listing_outcomes[o]));
            gate_buf_str(&line, gate_buf_view(&budgets));
        }
        gate_buf_free_part(&line, &budgets);
        terminal_lines_take(t, &line, 4);
    }
}

static void causes_one(const struct gate_terminal *t, const struct gate_cause *cause) {
    struct gate_buf line = {0}, advice = {0};
    gate_buf_char(t->out, '\n');
    gate_buf_str(&line, cause->function);
    gate_buf_text(&line, ": ");
    gate_cause_sentence_change(&line, t->verdict, cause);
    terminal_lines_take(t, &line, 2);
    gate_cause_sentence_cost(&line, t->verdict, cause);
    terminal_lines_take(t, &line, 4);
    gate_cause_sentence_clock(&line, t->verdict, cause);
    terminal_lines_take(t, &line, 4);
    causes_path(t, cause);
    if (gate_cause_sentence_not_own(cause).len > 0)
        terminal_lines_wrap(t, gate_cause_sentence_not_own(cause), 4);
    causes_budgets(t, cause);
    if (gate_cause_sentence_why(cause).len > 0)
        terminal_lines_hang(t, gate_cause_sentence_why(cause), 4, 2);
    gate_cause_sentence_excuses(&line, cause);
    terminal_lines_take(t, &line, 4);
    gate_cause_sentence_advice(&advice, cause);
    if (advice.len > 0)
        gate_buf_text(&line, "next: ");
    gate_buf_str(&line, gate_buf_view(&advice));
    gate_buf_free_part(&line, &advice);
    terminal_lines_take(t, &line, 4);
}

/* Append `breaks "B": why` for a fail, `undecided "B": why` for a function that is gone, else `over "B": why`. B is the
 * first budget of the cause. `: why` is left out if the cause has no reason. */
static void cause_brief(struct gate_buf *out, const struct gate_cause *cause) {
    struct gate_str why = gate_cause_sentence_why(cause);
    const bool is_gone = cause->findings[0].finding->reason == GATE_REASON_GONE;
    gate_buf_text(out, cause->outcome == GATE_OUTCOME_FAIL ? "breaks \"" : is_gone ? "undecided \"" : "over \"");
    gate_buf_str(out, cause->findings[0].result->budget->name);
    gate_buf_text(out, why.len > 0 ? "\": " : "\"");
    gate_buf_str(out, why);
}

/* Append one line on a cause: its function, its change, and its budget with the reason. */
static void causes_brief(const struct gate_terminal *t, const struct gate_cause *cause) {
    struct gate_buf line = {0};
    gate_buf_str(&line, cause->function);
    gate_buf_text(&line, ": ");
    gate_cause_sentence_change(&line, t->verdict, cause);
    gate_buf_text(&line, "; ");
    cause_brief(&line, cause);
    terminal_lines_take(t, &line, 2);
}

/* Append the heading of a group of causes. Failures follow the verdict and have none. */
static void causes_heading(const struct gate_terminal *t, enum gate_outcome outcome) {
    if (outcome == GATE_OUTCOME_FAIL)
        return;
    gate_buf_char(t->out, '\n');
    terminal_lines_paint(t, outcome, outcome == GATE_OUTCOME_WARN ? "warnings" : "undecided");
    gate_buf_char(t->out, '\n');
}

static void causes_of(const struct gate_terminal *t, enum gate_outcome outcome) {
    uint32_t count = 0, full = causes_shown(t, outcome), most = full + causes_listed(t, outcome);
    for (uint32_t i = 0; i < t->verdict->causes.count; i++) {
        const struct gate_cause *cause = &t->verdict->causes.items[i];
        if (cause->outcome != outcome || (!t->options->verbose && gate_cause_is_share_only(cause)))
            continue;
        if (count == 0)
            causes_heading(t, outcome);
        if (count == full)
            gate_buf_char(t->out, '\n');
        if (count < full)
            causes_one(t, cause);
        else if (count < most)
            causes_brief(t, cause);
        count++;
    }
    if (count > most)
        gate_buf_printf(t->out, "%s  and %u more; --json lists %s\n", most > full ? "" : "\n", count - most,
                        count - most == 1 ? "it" : "them");
}

static void findings_one(const struct gate_terminal *t, const struct gate_finding *finding) {
    terminal_lines_wrap(t, finding->text, 4);
    if (finding->advice.len == 0)
        return;
    struct gate_str advice =
        gate_str_concat(t->arena, (const struct gate_str[]){GATE_STR("next: "), finding->advice}, 2);
    terminal_lines_wrap(t, advice.ptr == NULL ? finding->advice : advice, 6);
}

/* Append the findings of a budget that belong to no cause: the listed ones in full, the others as a count. */
static void findings_budget(const struct gate_terminal *t, const struct gate_budget_result *result) {
    uint32_t shown = 0, left = 0;
    for (uint32_t f = 0; f < result->finding_count; f++) {
        bool is_printed = result->findings[f].outcome < GATE_OUTCOME_WARN || gate_cause_includes(&result->findings[f]);
        shown += gate_listing_has(result, f);
        left += !is_printed && !gate_listing_has(result, f);
    }
    if (shown == 0 && (left == 0 || result->outcome != GATE_OUTCOME_INCONCLUSIVE))
        return;
    gate_buf_text(t->out, "\n  ");
    bool is_blind = shown > 0 && gate_listing_is_blind(&result->findings[0]);
    terminal_lines_paint(t, result->outcome,
                         gate_outcome_of_budget(is_blind ? GATE_OUTCOME_INCONCLUSIVE : result->outcome));
    gate_buf_text(t->out, "  ");
    gate_escape_terminal(t->out, result->budget->name);
    gate_buf_char(t->out, '\n');
    for (uint32_t f = 0; f < result->finding_count; f++)
        if (gate_listing_has(result, f))
            findings_one(t, &result->findings[f]);
    if (left > 0)
        gate_buf_printf(t->out, "    %s%u %sfunction%s undecided; --json lists %s\n", shown > 0 ? "and " : "", left,
                        shown > 0 ? "more " : "", left == 1 ? "" : "s", left == 1 ? "it" : "them");
}

/* Append what "charged" means, if a cause has a charged cost and the table of --verbose does not explain it. */
static void causes_legend(const struct gate_terminal *t) {
    bool any = false;
    uint32_t shown = t->verdict->causes.count - gate_share_only_count(t->verdict);
    for (uint32_t i = 0; i < shown; i++)
        any = any || t->verdict->causes.items[i].measure == GATE_MEASURE_CHARGED;
    if (any && !t->options->verbose)
        terminal_lines_hang(t, gate_str_from(gate_sentence_charged()), 2, 2);
}

/** Append causes and findings, worst first; with options->quiet only failures. */
static void terminal_causes(const struct gate_terminal *t) {
    for (size_t o = 0; o < GATE_LISTING_OUTCOMES; o++) {
        enum gate_outcome outcome = gate_listing_outcomes[o];
        if (t->options->quiet && outcome != GATE_OUTCOME_FAIL)
            return;
        causes_of(t, outcome);
        for (uint32_t b = 0; b < t->verdict->budget_count; b++)
            if (t->verdict->budgets[b].outcome == outcome)
                findings_budget(t, &t->verdict->budgets[b]);
    }
    causes_legend(t);
}

/* ---- the report: verdict, causes, what else changed, and how certain that is; colour only repeats the text ------- */

enum {
    TERMINAL_NUMBER_COLUMNS = 55, /* of a row of the table, after the name */
    INTERVAL_COLUMNS = 17,        /* part of it, which a narrow terminal leaves out */
    NAME_LEAST = 15,
    MOVERS_SHOWN = 10
};

static void terminal_dim(const struct gate_terminal *t, bool on) {
    if (t->options->colour)
        gate_buf_text(t->out, on ? "\033[2m" : "\033[0m");
}

static bool terminal_is_narrow(const struct gate_terminal *t) {
    return t->options->columns > 0 && t->options->columns < 2 + NAME_LEAST + TERMINAL_NUMBER_COLUMNS;
}

/* Append `text` right-aligned in `columns`. */
static void terminal_right(const struct gate_terminal *t, const struct gate_buf *text, size_t columns) {
    size_t used = gate_str_columns(gate_buf_view(text));
    gate_buf_repeat(t->out, ' ', used < columns ? columns - used : 0);
    gate_buf_str(t->out, gate_buf_view(text));
    if (text->failed)
        t->out->failed = true;
}

/* Append the headline's text. If the line does not fit, the place, "  service/checkout.go:121", begins a new one,
 * because it is hard to find in a wrapped sentence. */
static void terminal_verdict_text(const struct gate_terminal *t, struct gate_buf *line, struct gate_str text) {
    size_t start = line->len, columns = t->options->columns;
    gate_escape_terminal(line, text);
    size_t place = gate_str_find(gate_buf_view(line), GATE_STR("  "), start);
    if (line->failed || place == SIZE_MAX || columns == 0 || gate_str_columns(gate_buf_view(line)) <= columns)
        return;
    struct gate_buf rest = {0};
    gate_buf_str(&rest, gate_str_slice(gate_buf_view(line), place, line->len));
    line->len = place;
    gate_buf_char(line, '\n');
    gate_buf_str(line, gate_buf_view(&rest));
    gate_buf_free_part(line, &rest);
}

static bool terminal_verdict(const struct gate_terminal *t, struct gate_error *err) {
    struct gate_headline headline;
    if (!gate_headline_make(&headline, t->verdict, t->arena, err))
        return false;
    struct gate_buf line = {0};
    gate_buf_text(&line, headline.word);
    gate_buf_text(&line, t->verdict->accepted.commit.len > 0 ? " " : headline.tone == GATE_OUTCOME_WARN ? ": " : "  ");
    terminal_verdict_text(t, &line, headline.text);
    gate_wrap_since(&line, 0, 2, t->options->columns);
    terminal_lines_paint(t, headline.tone, headline.word);
    gate_buf_str(t->out, gate_str_slice(gate_buf_view(&line), strlen(headline.word), line.len));
    gate_buf_char(t->out, '\n');
    gate_buf_free_part(t->out, &line);
    return true;
}

/* Append `text` right-aligned in its column; `text` is emptied. */
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
                                                : "baseline  canary    change    95% interval        self\n");
}

static bool terminal_movers(const struct gate_terminal *t, const struct gate_comparison *comparison,
                            struct gate_error *err) {
    size_t width = t->options->columns == 0 ? GATE_WRAP_COLUMNS : t->options->columns;
    size_t numbers = terminal_is_narrow(t) ? TERMINAL_NUMBER_COLUMNS - INTERVAL_COLUMNS : TERMINAL_NUMBER_COLUMNS;
    size_t name_columns = width < numbers + 2 + NAME_LEAST ? NAME_LEAST : width - 2 - numbers;
    uint32_t *frames = GATE_NEW_ARRAY(t->arena, uint32_t, comparison->pair.frame_count);
    if (frames == NULL)
        return gate_arena_error(t->arena, err);
    gate_listing_frames(frames, comparison);
    uint32_t count = 0;
    size_t widest = NAME_LEAST;
    for (; count < comparison->pair.frame_count && count < MOVERS_SHOWN; count++) {
        if (comparison->frames[frames[count]].evidence[GATE_CHARGED]->delta == 0)
            break;
        size_t used = gate_str_columns(comparison->pair.frames[frames[count]].name);
        widest = used > widest ? used : widest;
    }
    name_columns = widest < name_columns ? widest : name_columns;
    for (uint32_t i = 0; i < count; i++) {
        if (i == 0)
            terminal_movers_head(t, comparison, name_columns);
        terminal_mover(t, comparison, frames[i], name_columns);
    }
    if (count > 0) {
        terminal_lines_wrap(t, gate_str_from(gate_sentence_charged()), 2);
        terminal_lines_wrap(t, GATE_STR("* significant: not explained by noise (false discovery rate 1%)"), 2);
    } else {
        gate_buf_text(t->out, "\nThe charged share of no function changed\n");
    }
    return true;
}

/* Append where the detectable growth would be: in the total, the group, or any function. */
static void terminal_tested(struct gate_buf *out, const struct gate_budget_result *result) {
    const struct gate_budget *budget = result->budget;
    if (gate_budget_measure_row(budget->measure)->is_leak)
        gate_buf_text(out, " of what is held, over all rounds; less in a function that holds a part of it");
    else if (gate_budget_measure_row(budget->measure)->is_total)
        gate_buf_text(out, " in the total");
    else if (budget->as_group)
        gate_buf_text(out, " in the group");
    else if (result->tested == 1)
        gate_buf_text(out, " in the only function");
    else
        gate_buf_printf(out, " in any of %u functions", result->tested);
}

/* Append the smallest growth that each budget could detect: a pass does not exclude less. For three or more pairs,
 * append the smallest and the largest of these. */
static void terminal_detectable(const struct gate_terminal *t) {
    bool any = false;
    if (!t->options->verbose && t->verdict->outcome == GATE_OUTCOME_FAIL)
        return;
    for (uint32_t b = 0; b < t->verdict->budget_count; b++) {
        const struct gate_budget_result *result = &t->verdict->budgets[b];
        struct gate_listing_detectable all;
        if (!gate_listing_detectable(&all, t->verdict, b, t->options->verbose))
            continue;
        if (!any)
            gate_buf_text(t->out, "\nSmallest growth this comparison could detect (80% power)\n");
        any = true;
        struct gate_buf line = {0};
        gate_buf_printf(&line, "\"%.*s\": ", GATE_STR_ARG(all.name));
        if (all.least != all.most) {
            gate_listing_put_detectable(&line, all.least);
            gate_buf_printf(&line, " (%.*s) to ", GATE_STR_ARG(all.least->budget->pair));
            gate_listing_put_detectable(&line, all.most);
            gate_buf_printf(&line, " (%.*s)", GATE_STR_ARG(all.most->budget->pair));
        } else if (isnan(result->detectable)) {
            gate_buf_text(&line, "none; ");
            gate_sentence_put_hindrance(&line, t->verdict->rules, result->hindrance);
        } else {
            gate_listing_put_detectable(&line, result);
            terminal_tested(&line, result);
        }
        terminal_lines_wrap(t, gate_buf_view(&line), 2);
        gate_buf_free_part(t->out, &line);
    }
    struct gate_buf line = {0};
    gate_listing_put_without_fact(&line, t->verdict);
    if (any && line.len > 0)
        terminal_lines_wrap(t, gate_buf_view(&line), 2);
    gate_buf_free_part(t->out, &line);
}

/* Append the warnings that come before the causes, or all others. */
static void terminal_warnings(const struct gate_terminal *t, bool leading) {
    bool any = false;
    for (uint32_t i = 0; i < t->verdict->warning_count; i++) {
        const struct gate_warning *warning = &t->verdict->warnings[i];
        struct gate_buf line = {0};
        if (gate_listing_leads(t->verdict, warning) != leading)
            continue;
        gate_buf_printf(&line, "warning: %.*s (%s)", GATE_STR_ARG(warning->message), gate_guard_name(warning->guard));
        gate_buf_text(t->out, any ? "" : "\n");
        terminal_lines_take(t, &line, 0);
        any = true;
    }
}

/* Append the table of replaced names without wrapping, so that it can be copied. Nothing for a pass, whose warnings
 * name them. */
static void terminal_replaced(const struct gate_terminal *t) {
    bool has_passed = t->verdict->outcome != GATE_OUTCOME_FAIL && t->verdict->outcome != GATE_OUTCOME_INCONCLUSIVE;
    if (t->verdict->replaced.count == 0 || (has_passed && !t->options->verbose))
        return;
    gate_buf_text(t->out, "\nReplaced names, charged\n");
    gate_replaced_table(t->out, t->verdict, t->arena);
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
    terminal_lines_wrap(t, gate_buf_view(&line), 2);
    gate_buf_free_part(t->out, &line);
}

/* Append which look this is and what is spent, if there are several. */
static void terminal_looks(const struct gate_terminal *t, const char *lead, size_t indent) {
    struct gate_buf looks = {0};
    gate_buf_text(&looks, t->verdict->looks.count > 0 ? lead : "");
    gate_looks_line(&looks, &t->verdict->looks);
    terminal_lines_take(t, &looks, indent);
}

/* Return the length of the folder, with its slash, that the first runs of both sides are in. */
static size_t common_folder(const struct gate_pair *pair) {
    struct gate_str a = gate_run_input_title(&pair->sides[GATE_BASELINE].runs[0].input);
    struct gate_str b = gate_run_input_title(&pair->sides[GATE_CANARY].runs[0].input);
    size_t len = 0;
    for (size_t i = 0; i < a.len && i < b.len && a.ptr[i] == b.ptr[i]; i++)
        len = a.ptr[i] == '/' ? i + 1 : len;
    return len;
}

/* Append the name of a side's first run without the first `skip` bytes, and how many more there are. */
static void put_first_run(struct gate_buf *out, const struct gate_side *side, size_t skip) {
    struct gate_str title = gate_run_input_title(&side->runs[0].input);
    gate_buf_str(out, gate_str_slice(title, skip, title.len));
    if (side->run_count > 1)
        gate_buf_printf(out, " and %u more", (unsigned)(side->run_count - 1));
}

/* Append the options and commands that show more. A command that would be wrapped within quotes has its own line, so
 * that it can be copied to a shell. `line`: empty scratch text. */
static void terminal_more(const struct gate_terminal *t, struct gate_buf *line) {
    const struct gate_cause_list *causes = &t->verdict->causes;
    bool is_named = causes->count > gate_share_only_count(t->verdict) && causes->items[0].frame != GATE_NO_INDEX;
    struct gate_str name = is_named ? causes->items[0].function : GATE_STR("FUNCTION");
    if (t->verdict->comparisons[0].pair.sides[GATE_BASELINE].runs[0].input.title.len > 0) {
        gate_buf_text(line, "more: --verbose, --html FILE"); /* `explain` takes no runs of a store */
        terminal_lines_take(t, line, 0);
        return;
    }
    gate_buf_text(line, "more: --verbose, --html FILE, pprofgate explain ");
    size_t command = line->len - strlen("pprofgate explain ");
    gate_escape_shell(line, name);
    gate_buf_text(line, " \xE2\x80\xA6");
    struct gate_str text = gate_buf_view(line);
    bool has_blank = gate_str_find(name, GATE_STR(" "), 0) != SIZE_MAX;
    if (!has_blank || t->options->columns == 0 || gate_str_columns(text) <= t->options->columns) {
        terminal_lines_take(t, line, 0);
        return;
    }
    gate_buf_str(t->out, gate_str_slice(text, 0, command));
    gate_buf_text(t->out, "and\n  ");
    gate_escape_terminal(t->out, gate_str_slice(text, command, text.len));
    gate_buf_char(t->out, '\n');
    gate_buf_free_part(t->out, line);
}

/* Append a short summary of the compared inputs and the rules, and how to see more. Sample types of the same files,
 * such as the allocations and the memory in use of a heap, are listed as one comparison. */
static void terminal_brief(const struct gate_terminal *t) {
    struct gate_buf line = {0}, files = {0}, before = {0};
    for (uint32_t c = 0; c < t->verdict->comparison_count; c++) {
        const struct gate_pair *pair = &t->verdict->comparisons[c].pair;
        if (t->verdict->comparisons[c].part != NULL)
            continue;
        files.len = 0;
        put_first_run(&files, &pair->sides[GATE_BASELINE], common_folder(pair));
        gate_buf_text(&files, " with ");
        put_first_run(&files, &pair->sides[GATE_CANARY], common_folder(pair));
        if (gate_str_equal(gate_buf_view(&files), gate_buf_view(&before)))
            continue;
        gate_buf_text(&line, line.len == 0 ? "compared: " : "; ");
        gate_buf_str(&line, gate_buf_view(&files));
        before.len = 0;
        gate_buf_str(&before, gate_buf_view(&files));
    }
    gate_buf_free_part(&line, &files);
    gate_buf_free_part(&line, &before);
    gate_buf_printf(&line, "%srules: %.*s", line.len > 0 ? "; " : "", GATE_STR_ARG(t->verdict->rules->source));
    gate_buf_char(t->out, '\n');
    terminal_lines_take(t, &line, 0);
    terminal_looks(t, "", 0);
    terminal_more(t, &line);
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
            terminal_lines_wrap(t, gate_str_format(t->arena, "noise    model of %u runs", (unsigned)noise->run_count),
                                2);
        if (pair->mix_key.len > 0)
            terminal_lines_wrap(t,
                                gate_str_format(t->arena, "mix      weighted to the baseline's traffic, by '%.*s'",
                                                GATE_STR_ARG(pair->mix_key)),
                                2);
    }
    terminal_looks(t, "looks    ", 2);
    struct gate_str rules = gate_str_format(t->arena, "rules    %.*s", GATE_STR_ARG(t->verdict->rules->source));
    terminal_lines_wrap(t, rules, 2);
}

/* Append the functions that became cheaper, those with a larger share because of that, and those that may be over a
 * limit because of noise. */
static void terminal_cheaper(const struct gate_terminal *t) {
    void (*const parts[])(struct gate_buf *, const struct gate_verdict *) = {gate_cheaper_print, gate_share_only_print,
                                                                             gate_tolerated_print};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        struct gate_buf line = {0};
        if (t->options->verbose && parts[i] == gate_share_only_print) /* they are listed in full */
            continue;
        parts[i](&line, t->verdict);
        if (line.len > 0)
            gate_buf_char(t->out, '\n');
        terminal_lines_take(t, &line, 0);
    }
}

/* Append the totals of each comparison, because shares do not show that everything became slower. */
static void terminal_totals(const struct gate_terminal *t) {
    for (uint32_t i = 0; i < t->verdict->comparison_count; i++) {
        const struct gate_comparison *comparison = &t->verdict->comparisons[i];
        struct gate_buf line = {0};
        if (comparison->part != NULL)
            continue;
        gate_buf_str(&line, comparison->name);
        gate_buf_char(&line, ' ');
        gate_totals_print(&line, comparison, t->verdict->rules->work_unit);
        terminal_lines_take(t, &line, 2);
    }
}

static bool report_terminal(struct gate_buf *out, const struct gate_verdict *verdict,
                            const struct gate_report_options *options, struct gate_arena *arena,
                            struct gate_error *err) {
    struct gate_terminal t = {.out = out, .verdict = verdict, .options = options, .arena = arena};
    struct gate_buf tree = {0};
    bool ok = terminal_verdict(&t, err) && (options->quiet || gate_terminal_tree(&tree, verdict, options, arena, err));
    t.drawn = tree.len > 0 ? gate_terminal_tree_cause(verdict) : NULL;
    if (ok) {
        terminal_totals(&t);
        if (!options->quiet)
            terminal_warnings(&t, true);
        terminal_causes(&t);
        ok = options->quiet || terminal_by(&t, err);
        gate_buf_str(out, gate_buf_view(&tree));
    }
    gate_buf_free_part(out, &tree);
    if (!ok)
        return false;
    if (options->quiet)
        return gate_buf_check(out, err);
    terminal_cheaper(&t);
    for (uint32_t i = 0; options->verbose && i < verdict->comparison_count; i++)
        if (verdict->comparisons[i].part == NULL && !terminal_movers(&t, &verdict->comparisons[i], err))
            return false;
    terminal_detectable(&t);
    terminal_warnings(&t, false);
    terminal_replaced(&t);
    if (options->verbose)
        terminal_inputs(&t);
    else
        terminal_brief(&t);
    return gate_buf_check(out, err);
}

enum { NOTHING_INDENT = 4 };

static bool nothing_compared(struct gate_buf *out, const struct gate_nothing_compared *nothing) {
    size_t line = out->len;
    gate_buf_printf(out, "%s  ", nothing->capitals);
    gate_escape_terminal(out, nothing->message);
    gate_buf_char(out, '\n');
    gate_wrap_since(out, line, NOTHING_INDENT, GATE_WRAP_COLUMNS);
    if (nothing->next.len == 0)
        return !out->failed;
    line = out->len;
    gate_buf_text(out, "  next: ");
    gate_escape_terminal(out, nothing->next);
    gate_buf_char(out, '\n');
    gate_wrap_since(out, line, NOTHING_INDENT, GATE_WRAP_COLUMNS);
    return !out->failed;
}

const struct gate_report_format gate_report_terminal = {
    .write = report_terminal,
    .write_nothing = nothing_compared,
};
