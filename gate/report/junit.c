/* SPDX-License-Identifier: Apache-2.0 */
/* The verdict as JUnit XML: a test case per budget. Readers differ in what they show, so a failure says the same in its
 * message and its body, the suite has a name, and no two cases of a suite share theirs. */
#include "gate/report/report.h"

#include "gate/base/escape.h"
#include "gate/budget/cause_sentence.h"
#include "gate/report/headline.h"
#include "gate/report/listing.h"

static void junit_attribute(struct gate_buf *out, const char *name, struct gate_str value) {
    gate_buf_printf(out, " %s=\"", name);
    gate_escape_xml(out, value);
    gate_buf_char(out, '"');
}

/* A cause of a budget, or a finding that is part of none. */
struct junit_told {
    const struct gate_cause *cause;
    const struct gate_finding *finding;
};

/* What a budget has to say of `outcome`, one after the other: its causes, worst first, then findings without one. Start
 * with `*at` 0. */
static bool junit_next(struct junit_told *out, const struct gate_verdict *verdict,
                       const struct gate_budget_result *result, enum gate_outcome outcome, uint32_t *at) {
    *out = (struct junit_told){0};
    for (; *at < verdict->causes.count; (*at)++)
        if (gate_cause_is_of(&verdict->causes.items[*at], result, outcome)) {
            out->cause = &verdict->causes.items[(*at)++];
            return true;
        }
    for (; *at - verdict->causes.count < result->finding_count; (*at)++) {
        const struct gate_finding *finding = &result->findings[*at - verdict->causes.count];
        if (finding->outcome == outcome && !gate_cause_tells(finding)) {
            out->finding = finding;
            (*at)++;
            return true;
        }
    }
    return false;
}

static void junit_text(struct gate_buf *out, const struct gate_verdict *verdict, const struct junit_told *told) {
    if (told->cause != NULL)
        gate_cause_sentence_text(out, verdict, told->cause);
    else if (told->finding != NULL)
        gate_buf_str(out, told->finding->text);
}

static void junit_escaped(struct gate_buf *out, struct gate_buf *text) {
    gate_escape_xml(out, gate_buf_view(text));
    out->failed = out->failed || text->failed;
    text->len = 0;
}

/* All of one outcome, a line each with its advice. */
static void junit_sentences(struct gate_buf *out, const struct gate_verdict *verdict,
                            const struct gate_budget_result *result, enum gate_outcome outcome) {
    struct junit_told told;
    struct gate_buf text = {0};
    uint32_t at = 0;
    while (junit_next(&told, verdict, result, outcome, &at)) {
        junit_text(&text, verdict, &told);
        junit_escaped(out, &text);
        gate_buf_char(out, '\n');
        if (told.cause != NULL)
            gate_cause_sentence_advice(&text, told.cause);
        else if (told.finding != NULL)
            gate_buf_str(&text, told.finding->advice);
        bool has_advice = text.len > 0;
        junit_escaped(out, &text);
        gate_buf_text(out, has_advice ? "\n" : "");
    }
    gate_buf_free(&text);
}

static void junit_message(struct gate_buf *out, const struct gate_verdict *verdict,
                          const struct gate_budget_result *result, enum gate_outcome outcome) {
    struct junit_told told;
    struct gate_buf text = {0};
    uint32_t more = 0, at = 0;
    while (junit_next(&told, verdict, result, outcome, &at))
        if (more++ == 0)
            junit_text(&text, verdict, &told);
    if (more == 0)
        gate_buf_str(&text, result->budget->name);
    junit_escaped(out, &text);
    gate_buf_free(&text);
    if (more > 1)
        gate_buf_printf(out, " (and %u more)", more - 1);
}

/* Who makes an open question fail the gate wants to see a failed test, too. */
static bool junit_is_failure(const struct gate_verdict *verdict, const struct gate_budget_result *result) {
    return result->outcome == GATE_OUTCOME_FAIL || (result->outcome == GATE_OUTCOME_INCONCLUSIVE &&
                                                    verdict->rules->on_inconclusive == GATE_ON_INCONCLUSIVE_FAIL);
}

static void junit_outcome(struct gate_buf *out, const struct gate_verdict *verdict,
                          const struct gate_budget_result *result) {
    if (junit_is_failure(verdict, result)) {
        bool exceeded = result->outcome == GATE_OUTCOME_FAIL;
        gate_buf_printf(out, "      <failure type=\"%s\" message=\"%s", exceeded ? "BudgetExceeded" : "Inconclusive",
                        exceeded ? "" : "inconclusive: ");
        junit_message(out, verdict, result, result->outcome);
        gate_buf_text(out, "\">");
        junit_sentences(out, verdict, result, result->outcome);
        gate_buf_text(out, "</failure>\n");
    } else if (result->outcome == GATE_OUTCOME_INCONCLUSIVE) {
        gate_buf_text(out, "      <skipped message=\"inconclusive: ");
        junit_message(out, verdict, result, GATE_OUTCOME_INCONCLUSIVE);
        gate_buf_text(out, "\"/>\n");
    }
}

/* What a passing or skipped case still has to say. */
static void junit_output(struct gate_buf *out, const struct gate_verdict *verdict,
                         const struct gate_budget_result *result) {
    struct gate_buf text = {0};
    if (result->outcome == GATE_OUTCOME_INCONCLUSIVE && !junit_is_failure(verdict, result))
        junit_sentences(&text, verdict, result, GATE_OUTCOME_INCONCLUSIVE);
    junit_sentences(&text, verdict, result, GATE_OUTCOME_WARN);
    if (text.failed)
        out->failed = true;
    if (text.len > 0) {
        gate_buf_text(out, "      <system-out>");
        gate_buf_str(out, gate_buf_view(&text));
        gate_buf_text(out, "</system-out>\n");
    }
    gate_buf_free(&text);
}

static void junit_property(struct gate_buf *out, const char *name, struct gate_str value) {
    if (value.len == 0)
        return;
    gate_buf_printf(out, "        <property name=\"%s\"", name);
    junit_attribute(out, "value", value);
    gate_buf_text(out, "/>\n");
}

static void junit_properties(struct gate_buf *out, const struct gate_budget_result *result) {
    const struct gate_budget *budget = result->budget;
    gate_buf_text(out, "      <properties>\n");
    junit_property(out, "outcome", gate_str_from(gate_outcome_name(result->outcome)));
    junit_property(out, "severity", gate_str_from(gate_severity_name(budget->severity)));
    junit_property(out, "measure", gate_str_from(gate_budget_measure_name(budget->measure)));
    junit_property(out, "owner", budget->owner);
    gate_buf_text(out, "      </properties>\n");
}

/* Where the worst cause's function lies, for readers that annotate a diff. */
static void junit_place(struct gate_buf *out, const struct gate_verdict *verdict,
                        const struct gate_budget_result *result) {
    struct junit_told told;
    uint32_t at = 0;
    const struct gate_frame *frame = NULL;
    if (junit_next(&told, verdict, result, result->outcome, &at) && told.cause != NULL)
        frame = gate_listing_cause_frame(verdict, told.cause);
    else if (result->finding_count > 0)
        frame = gate_listing_frame(verdict, result, &result->findings[0]);
    if (frame == NULL || frame->file.len == 0)
        return;
    junit_attribute(out, "file", frame->file);
    if (frame->start_line > 0)
        gate_buf_printf(out, " line=\"%lld\"", (long long)frame->start_line);
}

static void junit_case(struct gate_buf *out, const struct gate_verdict *verdict,
                       const struct gate_budget_result *result, uint32_t namesakes, bool rich) {
    gate_buf_text(out, "    <testcase name=\"");
    gate_escape_xml(out, result->budget->name);
    if (namesakes > 0)
        gate_buf_printf(out, " (%u)", namesakes + 1);
    gate_buf_text(out, "\" classname=\"pprofgate");
    if (result->comparison < verdict->comparison_count) {
        gate_buf_char(out, '.');
        gate_escape_xml(out, verdict->comparisons[result->comparison].name);
    }
    gate_buf_text(out, "\" time=\"0\"");
    if (rich)
        junit_place(out, verdict, result);
    gate_buf_text(out, ">\n");
    if (rich)
        junit_properties(out, result);
    junit_outcome(out, verdict, result);
    junit_output(out, verdict, result);
    gate_buf_text(out, "    </testcase>\n");
}

/* Cases before `at` with the same name and class: GitLab drops the second of two equal ones. */
static uint32_t junit_namesakes(const struct gate_verdict *verdict, uint32_t at) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < at; i++)
        count += verdict->budgets[i].comparison == verdict->budgets[at].comparison &&
                 gate_str_equal(verdict->budgets[i].budget->name, verdict->budgets[at].budget->name);
    return count;
}

/* Warnings of the run as the suite's output, and the verdict in front. */
static void junit_suite_output(struct gate_buf *out, const struct gate_verdict *verdict,
                               const struct gate_headline *headline) {
    gate_buf_printf(out, "    <system-out>%s: ", headline->word);
    gate_escape_xml(out, headline->text);
    gate_buf_char(out, '\n');
    for (uint32_t i = 0; i < verdict->warning_count; i++) {
        gate_buf_text(out, "warning: ");
        gate_escape_xml(out, verdict->warnings[i].message);
        gate_buf_text(out, " (");
        gate_escape_xml(out, verdict->warnings[i].code);
        gate_buf_text(out, ")\n");
    }
    gate_buf_text(out, "</system-out>\n");
}

/* A guard that the rules raise decides with no budget's help: without a case of its own the file would be green. */
static void junit_guard(struct gate_buf *out, const struct gate_verdict *verdict) {
    struct gate_buf message = {0};
    if (!verdict->guard_raised)
        return;
    gate_buf_text(out, "    <testcase name=\"the sides are comparable\" classname=\"pprofgate\" time=\"0\">\n");
    gate_buf_text(&message, "the sides are not comparable: ");
    gate_headline_guard(&message, verdict);
    if (verdict->outcome == GATE_OUTCOME_FAIL) {
        gate_buf_text(out, "      <failure type=\"NotComparable\" message=\"");
        gate_escape_xml(out, gate_buf_view(&message));
        gate_buf_text(out, "\">");
        gate_escape_xml(out, gate_buf_view(&message));
        gate_buf_text(out, "</failure>\n");
    } else if (verdict->outcome == GATE_OUTCOME_INCONCLUSIVE) {
        gate_buf_text(out, "      <skipped message=\"inconclusive: ");
        gate_escape_xml(out, gate_buf_view(&message));
        gate_buf_text(out, "\"/>\n");
    }
    out->failed = out->failed || message.failed;
    gate_buf_free(&message);
    gate_buf_text(out, "    </testcase>\n");
}

bool gate_report_junit(struct gate_buf *out, const struct gate_verdict *verdict,
                       const struct gate_report_options *options, struct gate_arena *arena, struct gate_error *err) {
    struct gate_headline headline;
    if (!gate_headline_make(&headline, verdict, arena, err))
        return false;
    uint32_t failures = 0;
    for (uint32_t i = 0; i < verdict->budget_count; i++)
        failures += junit_is_failure(verdict, &verdict->budgets[i]);
    uint32_t skipped = gate_headline_tally(verdict, GATE_OUTCOME_INCONCLUSIVE) +
                       gate_headline_tally(verdict, GATE_OUTCOME_FAIL) - failures;
    uint32_t tests = verdict->budget_count + verdict->guard_raised;
    failures += verdict->guard_raised && verdict->outcome == GATE_OUTCOME_FAIL;
    skipped += verdict->guard_raised && verdict->outcome == GATE_OUTCOME_INCONCLUSIVE;
    gate_buf_text(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    gate_buf_printf(out, "<testsuites name=\"pprofgate\" tests=\"%u\" failures=\"%u\" errors=\"0\" time=\"0\">\n",
                    tests, failures);
    gate_buf_printf(
        out, "  <testsuite name=\"pprofgate\" tests=\"%u\" failures=\"%u\" errors=\"0\" skipped=\"%u\" time=\"0\">\n",
        tests, failures, skipped);
    for (uint32_t i = 0; i < verdict->budget_count; i++)
        junit_case(out, verdict, &verdict->budgets[i], junit_namesakes(verdict, i),
                   options->junit_flavor == GATE_JUNIT_RICH);
    junit_guard(out, verdict);
    junit_suite_output(out, verdict, &headline);
    gate_buf_text(out, "  </testsuite>\n</testsuites>\n");
    return gate_buf_check(out, err);
}
