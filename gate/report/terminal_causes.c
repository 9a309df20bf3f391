/* SPDX-License-Identifier: Apache-2.0 */
/* Causes and findings at a terminal (see terminal_causes.h). */
#include "gate/report/terminal_causes.h"

#include "gate/base/escape.h"
#include "gate/budget/cause_sentence.h"
#include "gate/report/listing.h"
#include "gate/report/shorten.h"

enum { STEP_COLUMNS = 40 };

/* How many causes of an outcome are told in full: what fails nobody may miss. */
static uint32_t causes_shown(enum gate_outcome outcome) {
    return outcome == GATE_OUTCOME_FAIL ? 10 : 3;
}

/* "entry → … → frame → leaf", with names that leave room for each other. */
static void causes_path(const struct gate_terminal *t, const struct gate_cause *cause) {
    const struct gate_frame *frames = t->verdict->comparisons[cause->comparison].pair.frames;
    uint32_t steps[GATE_CAUSE_STEPS_MAX];
    uint32_t count = gate_cause_steps(steps, cause);
    struct gate_buf line = {0};
    for (uint32_t i = 0; count > 1 && i < count; i++) {
        struct gate_str name = GATE_STR("\xE2\x80\xA6");
        if (steps[i] != GATE_NO_INDEX)
            name = gate_shorten_name(t->arena, frames[steps[i]].name, STEP_COLUMNS);
        gate_buf_text(&line, i == 0 ? "" : " \xE2\x86\x92 ");
        gate_buf_str(&line, name);
    }
    gate_terminal_lines_take(t, &line, 4);
}

static void causes_budgets(const struct gate_terminal *t, const struct gate_cause *cause) {
    for (size_t o = 0; o < GATE_LISTING_OUTCOMES; o++) {
        struct gate_buf budgets = {0}, line = {0};
        gate_cause_sentence_budgets(&budgets, cause, gate_listing_outcomes[o]);
        if (budgets.len > 0) {
            gate_buf_printf(&line, "%s ", gate_cause_sentence_verb(gate_listing_outcomes[o]));
            gate_buf_str(&line, gate_buf_view(&budgets));
        }
        line.failed = line.failed || budgets.failed;
        gate_buf_free(&budgets);
        gate_terminal_lines_take(t, &line, 4);
    }
}

static void causes_one(const struct gate_terminal *t, const struct gate_cause *cause) {
    struct gate_buf line = {0}, advice = {0};
    gate_buf_char(t->out, '\n');
    gate_buf_str(&line, cause->function);
    gate_buf_text(&line, ": ");
    gate_cause_sentence_change(&line, t->verdict, cause);
    gate_terminal_lines_take(t, &line, 2);
    gate_cause_sentence_cost(&line, t->verdict, cause);
    gate_terminal_lines_take(t, &line, 4);
    gate_cause_sentence_clock(&line, t->verdict, cause);
    gate_terminal_lines_take(t, &line, 4);
    causes_path(t, cause);
    if (gate_cause_sentence_not_own(cause).len > 0)
        gate_terminal_lines_wrap(t, gate_cause_sentence_not_own(cause), 4);
    causes_budgets(t, cause);
    if (gate_cause_sentence_why(cause).len > 0)
        gate_terminal_lines_hang(t, gate_cause_sentence_why(cause), 4, 2);
    gate_cause_sentence_advice(&advice, cause);
    if (advice.len > 0)
        gate_buf_text(&line, "next: ");
    gate_buf_str(&line, gate_buf_view(&advice));
    gate_buf_free_part(&line, &advice);
    gate_terminal_lines_take(t, &line, 4);
}

/* The word that a group of causes stands under. What fails stands right beneath the verdict and needs none. */
static void causes_heading(const struct gate_terminal *t, enum gate_outcome outcome) {
    if (outcome == GATE_OUTCOME_FAIL)
        return;
    gate_buf_char(t->out, '\n');
    gate_terminal_lines_paint(t, outcome, outcome == GATE_OUTCOME_WARN ? "warnings" : "undecided");
    gate_buf_char(t->out, '\n');
}

static void causes_of(const struct gate_terminal *t, enum gate_outcome outcome) {
    uint32_t count = 0, most = causes_shown(outcome);
    for (uint32_t i = 0; i < t->verdict->causes.count; i++) {
        const struct gate_cause *cause = &t->verdict->causes.items[i];
        if (cause->outcome != outcome)
            continue;
        if (count == 0)
            causes_heading(t, outcome);
        if (count++ < most)
            causes_one(t, cause);
    }
    if (count > most)
        gate_buf_printf(t->out, "\n  and %u more; --json lists %s\n", count - most, count - most == 1 ? "it" : "them");
}

static void findings_one(const struct gate_terminal *t, const struct gate_finding *finding) {
    gate_terminal_lines_wrap(t, finding->text, 4);
    if (finding->advice.len == 0)
        return;
    struct gate_str advice =
        gate_str_concat(t->arena, (const struct gate_str[]){GATE_STR("next: "), finding->advice}, 2);
    gate_terminal_lines_wrap(t, advice.ptr == NULL ? finding->advice : advice, 6);
}

/* What a budget has to say that is part of no cause: its worst findings in full, the others as a count. */
static void findings_budget(const struct gate_terminal *t, const struct gate_budget_result *result) {
    uint32_t shown = 0, left = 0;
    for (uint32_t f = 0; f < result->finding_count; f++) {
        bool is_told = result->findings[f].outcome < GATE_OUTCOME_WARN || gate_cause_tells(&result->findings[f]);
        shown += gate_listing_has(result, f);
        left += !is_told && !gate_listing_has(result, f);
    }
    if (shown == 0 && (left == 0 || result->outcome != GATE_OUTCOME_INCONCLUSIVE))
        return;
    gate_buf_text(t->out, "\n  ");
    bool is_blind = shown > 0 && gate_listing_is_blind(&result->findings[0]);
    gate_terminal_lines_paint(t, result->outcome,
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

void gate_terminal_causes(const struct gate_terminal *t) {
    for (size_t o = 0; o < GATE_LISTING_OUTCOMES; o++) {
        enum gate_outcome outcome = gate_listing_outcomes[o];
        if (t->options->quiet && outcome != GATE_OUTCOME_FAIL)
            return;
        causes_of(t, outcome);
        for (uint32_t b = 0; b < t->verdict->budget_count; b++)
            if (t->verdict->budgets[b].outcome == outcome)
                findings_budget(t, &t->verdict->budgets[b]);
    }
}
