/* SPDX-License-Identifier: Apache-2.0 */
/* The JUnit report. */
#include "gate/base/escape.h"
#include "gate/report/cause_sentence.h"
#include "gate/report/headline.h"
#include "gate/report/listing.h"
#include "gate/report/report.h"

static void junit_attribute(struct gate_buf *out, const char *name, struct gate_str value) {
    gate_buf_printf(out, " %s=\"", name);
    gate_escape_xml(out, value);
    gate_buf_char(out, '"');
}

/* A cause of a budget, or a finding that belongs to no cause. */
struct junit_item {
    const struct gate_cause *cause;
    const struct gate_finding *finding;
};

/* Set `out` to the next cause or finding of a budget with this outcome: its causes, worst first, then findings without
 * a cause. Start with `*at` 0. With --by, a cause is that in the budget's value. Returns false at the end. */
static bool junit_next(struct junit_item *out, const struct gate_verdict *verdict,
                       const struct gate_budget_result *result, enum gate_outcome outcome, uint32_t *at) {
    *out = (struct junit_item){0};
    for (; *at < verdict->causes.count; (*at)++)
        if (gate_cause_is_of(&verdict->causes.items[*at], result, outcome)) {
            out->cause = gate_cause_in(&verdict->causes.items[(*at)++], result->comparison);
            return true;
        }
    for (; *at - verdict->causes.count < result->finding_count; (*at)++) {
        const struct gate_finding *finding = &result->findings[*at - verdict->causes.count];
        if (finding->outcome == outcome && !gate_cause_includes(finding)) {
            out->finding = finding;
            (*at)++;
            return true;
        }
    }
    return false;
}

static void junit_text(struct gate_buf *out, const struct gate_verdict *verdict, const struct junit_item *item) {
    if (item->cause != NULL)
        gate_cause_sentence_text(out, verdict, item->cause);
    else if (item->finding != NULL)
        gate_buf_str(out, item->finding->text);
}

static void junit_escaped(struct gate_buf *out, struct gate_buf *text) {
    gate_escape_xml(out, gate_buf_view(text));
    out->failed = out->failed || text->failed;
    text->len = 0;
}

/* Append a line for each cause and finding of one outcome, with its advice. */
static void junit_sentences(struct gate_buf *out, const struct gate_verdict *verdict,
                            const struct gate_budget_result *result, enum gate_outcome outcome) {
    struct junit_item item;
    struct gate_buf text = {0};
    uint32_t at = 0;
    while (junit_next(&item, verdict, result, outcome, &at)) {
        junit_text(&text, verdict, &item);
        junit_escaped(out, &text);
        gate_buf_char(out, '\n');
        if (item.cause != NULL)
            gate_cause_sentence_advice(&text, item.cause);
        else if (item.finding != NULL)
            gate_buf_str(&text, item.finding->advice);
        bool has_advice = text.len > 0;
        junit_escaped(out, &text);
        gate_buf_text(out, has_advice ? "\n" : "");
    }
    gate_buf_free(&text);
}

static void junit_message(struct gate_buf *out, const struct gate_verdict *verdict,
                          const struct gate_budget_result *result, enum gate_outcome outcome) {
    struct junit_item item;
    struct gate_buf text = {0};
    uint32_t more = 0, at = 0;
    while (junit_next(&item, verdict, result, outcome, &at))
        if (more++ == 0)
            junit_text(&text, verdict, &item);
    if (more == 0)
        gate_buf_str(&text, result->budget->name);
    junit_escaped(out, &text);
    gate_buf_free(&text);
    if (more > 1)
        gate_buf_printf(out, " (and %u more)", more - 1);
}

/* Result of a test case. Many readers support only failures and errors, and count a skipped case as a success. */
enum junit_state { JUNIT_HELD, JUNIT_SKIPPED, JUNIT_ERROR, JUNIT_FAILURE, JUNIT_STATES };

struct junit {
    struct gate_buf *out;
    const struct gate_verdict *verdict;
    const struct gate_report_options *options;
};

/* Return the result for an outcome. If the growth was accepted, cases that would fail are skipped, with their message.
 * An inconclusive case fails if the rules' on_inconclusive is fail. Otherwise the option decides. Without it, the case
 * is skipped if the rules let the run pass, and is an error if not. */
static enum junit_state junit_state_of(const struct junit *junit, enum gate_outcome outcome) {
    enum gate_on_inconclusive how = junit->verdict->rules->on_inconclusive;
    enum gate_junit_inconclusive wanted = junit->options->junit_inconclusive;
    if (junit->verdict->accepted.commit.len > 0 && outcome >= GATE_OUTCOME_INCONCLUSIVE)
        return JUNIT_SKIPPED;
    if (outcome == GATE_OUTCOME_FAIL)
        return JUNIT_FAILURE;
    if (outcome != GATE_OUTCOME_INCONCLUSIVE)
        return JUNIT_HELD;
    if (how == GATE_ON_INCONCLUSIVE_FAIL)
        return JUNIT_FAILURE;
    if (wanted != GATE_JUNIT_BY_RULES)
        return wanted == GATE_JUNIT_ERROR ? JUNIT_ERROR : JUNIT_SKIPPED;
    bool is_passed = how != GATE_ON_INCONCLUSIVE_INCONCLUSIVE && junit->verdict->outcome != GATE_OUTCOME_INCONCLUSIVE;
    return is_passed ? JUNIT_SKIPPED : JUNIT_ERROR;
}

/* Return the result of a budget's case. A budget that could not fail is skipped, whatever on_inconclusive is. */
static enum junit_state junit_state_of_budget(const struct junit *junit, const struct gate_budget_result *result) {
    return gate_budget_is_unjudged(result) ? JUNIT_SKIPPED : junit_state_of(junit, result->outcome);
}

/* Append the element for a case that is not a success. `message` and `body` are escaped; both are freed. */
static void junit_element(struct gate_buf *out, enum junit_state state, const char *type, struct gate_buf *message,
                          struct gate_buf *body) {
    const char *name = state == JUNIT_FAILURE ? "failure" : "error";
    if (state == JUNIT_SKIPPED) {
        gate_buf_text(out, "      <skipped message=\"");
        gate_buf_str(out, gate_buf_view(message));
        gate_buf_text(out, "\"/>\n");
    } else if (state != JUNIT_HELD) {
        gate_buf_printf(out, "      <%s type=\"%s\" message=\"", name, type);
        gate_buf_str(out, gate_buf_view(message));
        gate_buf_text(out, "\">");
        gate_buf_str(out, gate_buf_view(body));
        gate_buf_printf(out, "</%s>\n", name);
    }
    gate_buf_free_part(out, message);
    gate_buf_free_part(out, body);
}

static void junit_outcome(const struct junit *junit, const struct gate_budget_result *result) {
    enum junit_state state = junit_state_of_budget(junit, result);
    bool exceeded = result->outcome == GATE_OUTCOME_FAIL;
    struct gate_buf message = {0}, body = {0};
    if (state == JUNIT_HELD)
        return;
    if (gate_budget_is_unjudged(result)) {
        gate_buf_text(&message, "not judged: ");
        gate_sentence_put_hindrance(&message, junit->verdict->rules, result->hindrance);
        junit_element(junit->out, state, "", &message, &body);
        return;
    }
    gate_buf_text(&message, exceeded ? "" : "inconclusive: ");
    junit_message(&message, junit->verdict, result, result->outcome);
    junit_sentences(&body, junit->verdict, result, result->outcome);
    junit_element(junit->out, state, exceeded ? "BudgetExceeded" : "Inconclusive", &message, &body);
}

/* Append the undecided findings of a skipped case, and the warnings of any case. */
static void junit_output(const struct junit *junit, const struct gate_budget_result *result) {
    struct gate_buf *out = junit->out;
    struct gate_buf text = {0};
    if (junit_state_of_budget(junit, result) == JUNIT_SKIPPED)
        junit_sentences(&text, junit->verdict, result, GATE_OUTCOME_INCONCLUSIVE);
    junit_sentences(&text, junit->verdict, result, GATE_OUTCOME_WARN);
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

/* Append file and line of the worst cause's function, for readers that annotate a diff. */
static void junit_place(struct gate_buf *out, const struct gate_verdict *verdict,
                        const struct gate_budget_result *result, const struct gate_checkout *checkout) {
    struct junit_item item;
    uint32_t at = 0;
    struct gate_buf path = {0};
    const struct gate_frame *frame = NULL;
    if (junit_next(&item, verdict, result, result->outcome, &at) && item.cause != NULL)
        frame = gate_listing_cause_frame(verdict, item.cause);
    else if (result->finding_count > 0)
        frame = gate_listing_frame(verdict, result, &result->findings[0]);
    if (frame == NULL || frame->file.len == 0)
        return;
    bool is_placed = gate_checkout_put(&path, checkout, frame->file);
    junit_attribute(out, "file", is_placed ? gate_buf_view(&path) : frame->file);
    gate_buf_free_part(out, &path);
    if (frame->start_line > 0)
        gate_buf_printf(out, " line=\"%lld\"", (long long)frame->start_line);
}

static void junit_case(const struct junit *junit, const struct gate_budget_result *result, uint32_t namesakes) {
    struct gate_buf *out = junit->out;
    const struct gate_verdict *verdict = junit->verdict;
    bool rich = junit->options->junit_flavor == GATE_JUNIT_RICH;
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
        junit_place(out, verdict, result, junit->options->checkout);
    gate_buf_text(out, ">\n");
    if (rich)
        junit_properties(out, result);
    junit_outcome(junit, result);
    junit_output(junit, result);
    gate_buf_text(out, "    </testcase>\n");
}

/* Return the number of cases before `at` with the same name and class. GitLab drops the second of two equal ones. */
static uint32_t junit_namesakes(const struct gate_verdict *verdict, uint32_t at) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < at; i++)
        count += verdict->budgets[i].comparison == verdict->budgets[at].comparison &&
                 gate_str_equal(verdict->budgets[i].budget->name, verdict->budgets[at].budget->name);
    return count;
}

/* Append the headline and the warnings of the run as the output of the suite. */
static void junit_suite_output(struct gate_buf *out, const struct gate_verdict *verdict,
                               const struct gate_headline *headline) {
    gate_buf_printf(out, "    <system-out>%s: ", headline->word);
    gate_escape_xml(out, headline->text);
    gate_buf_char(out, '\n');
    for (uint32_t i = 0; i < verdict->comparison_count; i++) {
        if (verdict->comparisons[i].part != NULL)
            continue;
        gate_escape_xml(out, verdict->comparisons[i].name);
        gate_buf_char(out, ' ');
        gate_totals_print(out, &verdict->comparisons[i], verdict->rules->work_unit);
        gate_buf_char(out, '\n');
    }
    gate_looks_line(out, &verdict->looks);
    gate_buf_text(out, verdict->looks.count > 0 ? "\n" : "");
    for (uint32_t i = 0; i < verdict->warning_count; i++) {
        gate_buf_text(out, "warning: ");
        gate_escape_xml(out, verdict->warnings[i].message);
        gate_buf_printf(out, " (%s)\n", gate_guard_name(verdict->warnings[i].guard));
    }
    gate_buf_text(out, "</system-out>\n");
}

/* Append a case for a guard that the rules raise to an error. It decides the run without a budget, so that without this
 * case all cases could be successes. */
static void junit_guard(const struct junit *junit) {
    struct gate_buf *out = junit->out;
    enum junit_state state = junit_state_of(junit, junit->verdict->outcome);
    struct gate_buf text = {0}, message = {0}, body = {0};
    if (!junit->verdict->guard_raised)
        return;
    gate_buf_text(out, "    <testcase name=\"the sides are comparable\" classname=\"pprofgate\" time=\"0\">\n");
    gate_buf_text(&text, "the sides are not comparable: ");
    gate_headline_guard(&text, junit->verdict);
    gate_buf_text(&message, junit->verdict->outcome == GATE_OUTCOME_FAIL ? "" : "inconclusive: ");
    gate_escape_xml(&message, gate_buf_view(&text));
    gate_escape_xml(&body, gate_buf_view(&text));
    gate_buf_free_part(out, &text);
    junit_element(out, state, "NotComparable", &message, &body);
    gate_buf_text(out, "    </testcase>\n");
}

/* Append a case for the verdict of an earlier look that is kept. Without it, too, all cases could be successes. */
static void junit_kept_verdict(const struct junit *junit) {
    struct gate_str stands = junit->verdict->looks.stands;
    enum junit_state state = junit_state_of(junit, junit->verdict->outcome);
    struct gate_buf message = {0}, body = {0};
    if (stands.len == 0)
        return;
    gate_buf_text(junit->out, "    <testcase name=\"looks before this one\" classname=\"pprofgate\" time=\"0\">\n");
    gate_escape_xml(&message, stands);
    gate_escape_xml(&body, stands);
    junit_element(junit->out, state, "LookStands", &message, &body);
    gate_buf_text(junit->out, "    </testcase>\n");
}

static bool report_junit(struct gate_buf *out, const struct gate_verdict *verdict,
                         const struct gate_report_options *options, struct gate_arena *arena, struct gate_error *err) {
    const struct junit junit = {.out = out, .verdict = verdict, .options = options};
    uint32_t counts[JUNIT_STATES] = {0};
    struct gate_headline headline;
    if (!gate_headline_make(&headline, verdict, arena, err))
        return false;
    for (uint32_t i = 0; i < verdict->budget_count; i++)
        counts[junit_state_of_budget(&junit, &verdict->budgets[i])]++;
    uint32_t others = (uint32_t)verdict->guard_raised + (verdict->looks.stands.len > 0);
    counts[junit_state_of(&junit, verdict->outcome)] += others;
    gate_buf_text(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    struct gate_str totals =
        gate_str_format(arena, "name=\"pprofgate\" tests=\"%u\" failures=\"%u\" errors=\"%u\"",
                        verdict->budget_count + others, counts[JUNIT_FAILURE], counts[JUNIT_ERROR]);
    if (totals.ptr == NULL)
        return gate_arena_error(arena, err);
    gate_buf_printf(out, "<testsuites %s time=\"0\">\n", totals.ptr);
    gate_buf_printf(out, "  <testsuite %s skipped=\"%u\" time=\"0\">\n", totals.ptr, counts[JUNIT_SKIPPED]);
    for (uint32_t i = 0; i < verdict->budget_count; i++)
        junit_case(&junit, &verdict->budgets[i], junit_namesakes(verdict, i));
    junit_guard(&junit);
    junit_kept_verdict(&junit);
    junit_suite_output(out, verdict, &headline);
    gate_buf_text(out, "  </testsuite>\n</testsuites>\n");
    return gate_buf_check(out, err);
}

static bool nothing_compared(struct gate_buf *out, const struct gate_nothing_compared *nothing) {
    static const char *const elements[] = {"skipped", "error", "failure"};
    bool is_error = nothing->state == GATE_NOTHING_ERROR, is_failure = nothing->state == GATE_NOTHING_FAILURE;
    gate_buf_printf(
        out,
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<testsuites name=\"pprofgate\" tests=\"1\" failures=\"%d\" errors=\"%d\" time=\"0\">\n"
        "  <testsuite name=\"pprofgate\" tests=\"1\" failures=\"%d\" errors=\"%d\" skipped=\"%d\" time=\"0\">\n"
        "    <testcase name=\"there is a baseline\" classname=\"pprofgate\" time=\"0\">\n"
        "      <%s%s message=\"",
        is_failure, is_error, is_failure, is_error, nothing->state == GATE_NOTHING_SKIPPED, elements[nothing->state],
        nothing->state == GATE_NOTHING_SKIPPED ? "" : " type=\"NoBaseline\"");
    gate_escape_xml(out, nothing->message);
    gate_buf_text(out, "\"/>\n    </testcase>\n");
    gate_buf_printf(out, "    <system-out>%s: ", nothing->capitals);
    gate_escape_xml(out, nothing->message);
    gate_buf_text(out, "</system-out>\n  </testsuite>\n</testsuites>\n");
    return !out->failed;
}

const struct gate_report_format gate_report_junit = {
    .name = "junit",
    .mark = GATE_OWN_JUNIT,
    .file = "junit.xml",
    .help = "a test case per budget, for CI systems",
    .write = report_junit,
    .write_nothing = nothing_compared,
    .marks_lines = true,
};
