/* SPDX-License-Identifier: Apache-2.0 */
/* Issues for reports that mark lines of code. */
#include "gate/report/issue.h"

#include "gate/base/hash.h"
#include "gate/budget/cause.h"
#include "gate/report/cause_sentence.h"
#include "gate/report/checkout.h"
#include "gate/report/listing.h"

/* ---- the list ---------------------------------------------------------------------------------------------------- */

static bool issue_cause(const struct gate_verdict *verdict, const struct gate_cause *cause, gate_issue_write *write,
                        void *context) {
    struct gate_buf text = {0};
    gate_cause_sentence_text(&text, verdict, cause);
    const struct gate_issue issue = {
        .text = gate_buf_view(&text),
        .key = {cause->frame == GATE_NO_INDEX ? GATE_STR("a whole") : GATE_STR("a function"),
                verdict->comparisons[cause->comparison].name, cause->function},
        .outcome = cause->outcome,
        .budget = cause->findings[0].result->budget,
        .limit = cause->findings[0].finding->limit,
        .frame = gate_listing_cause_frame(verdict, cause),
        .cause = cause,
        .comparison = cause->comparison,
    };
    write(context, &issue);
    bool ok = !text.failed;
    gate_buf_free(&text);
    return ok;
}

static void issue_findings(const struct gate_verdict *verdict, enum gate_outcome outcome, gate_issue_write *write,
                           void *context) {
    uint32_t budget = 0, at = 0;
    const struct gate_finding *finding;
    while ((finding = gate_listing_next(verdict, outcome, &budget, &at)) != NULL) {
        const struct gate_budget_result *result = &verdict->budgets[budget];
        const struct gate_issue issue = {
            .text = finding->text,
            .key = {result->budget->name, finding->function,
                    gate_str_from(gate_budget_measure_name(result->budget->measure))},
            .outcome = outcome,
            .budget = result->budget,
            .limit = finding->limit,
            .frame = gate_listing_frame(verdict, result, finding),
            .comparison = result->comparison,
        };
        if (gate_listing_has(result, at - 1) && !gate_listing_is_blind(finding))
            write(context, &issue);
    }
}

bool gate_issues_each(const struct gate_verdict *verdict, gate_issue_write *write, void *context) {
    bool ok = true;
    for (size_t o = 0; o < GATE_LISTING_OUTCOMES; o++) {
        for (uint32_t i = 0; i < verdict->causes.count; i++)
            if (verdict->causes.items[i].outcome == gate_listing_outcomes[o])
                ok = issue_cause(verdict, &verdict->causes.items[i], write, context) && ok;
        issue_findings(verdict, gate_listing_outcomes[o], write, context);
    }
    return ok;
}

void gate_issue_fingerprint(struct gate_buf *out, const struct gate_issue *issue) {
    struct gate_buf key = {0};
    for (size_t i = 0; i < sizeof issue->key / sizeof *issue->key; i++) {
        gate_buf_str(&key, issue->key[i]);
        gate_buf_char(&key, '\0');
    }
    uint8_t digest[GATE_SHA256_BYTES];
    char digits[2 * GATE_SHA256_BYTES + 1];
    gate_sha256(digest, gate_buf_view(&key));
    gate_str_hex(digits, digest, sizeof digest);
    gate_buf_text(out, digits);
    gate_buf_free_part(out, &key);
}

/* ---- the line ---------------------------------------------------------------------------------------------------- */

/* Return the frame's line, or 0 if its file cannot be in the checkout. */
static int64_t place_frame(struct gate_buf *out, const struct gate_frame *frame, const struct gate_checkout *checkout) {
    if (!gate_checkout_put(out, checkout, frame->file))
        return 0;
    return frame->start_line > 0 ? frame->start_line : 1;
}

/* Return the line of the own function on the cause's path that is nearest to its frame. Callers have precedence over
 * callees. */
static int64_t place_path(struct gate_buf *out, const struct gate_cause *cause, const struct gate_frame *frames,
                          const struct gate_checkout *checkout) {
    uint32_t own = 0;
    int64_t line = 0;
    while (own < cause->path_count && cause->path[own] != cause->frame)
        own++;
    for (uint32_t i = own; line == 0 && i-- > 0;)
        if (frames[cause->path[i]].is_own)
            line = place_frame(out, &frames[cause->path[i]], checkout);
    for (uint32_t i = own + 1; line == 0 && i < cause->path_count; i++)
        if (frames[cause->path[i]].is_own)
            line = place_frame(out, &frames[cause->path[i]], checkout);
    return line;
}

/* Return the line of the own function that grew most, among those with a file in the checkout. */
static int64_t place_largest(struct gate_buf *out, const struct gate_comparison *comparison,
                             const struct gate_checkout *checkout) {
    const struct gate_frame *frames = comparison->pair.frames;
    struct gate_buf unused = {0};
    uint32_t best = GATE_NO_INDEX;
    double most = 0;
    for (uint32_t i = 0; i < comparison->pair.frame_count; i++) {
        double delta = comparison->frames[i].evidence[GATE_CHARGED]->delta;
        if (!frames[i].is_own || !(delta > most) || !gate_checkout_put(&unused, checkout, frames[i].file))
            continue;
        most = delta;
        best = i;
    }
    gate_buf_free_part(out, &unused);
    return best == GATE_NO_INDEX ? 0 : place_frame(out, &frames[best], checkout);
}

/* Append the rules file and return the line that defines the limit: its own, that of the budget, or, if the budget is
 * inherited, that of `extends`. Returns 0 and appends nothing if the rules are not in the checkout. */
static int64_t place_rules(struct gate_buf *out, const struct gate_issue *issue, const struct gate_rules *rules,
                           const struct gate_checkout *checkout) {
    if (!gate_checkout_put_own(out, checkout, rules->source))
        return 0;
    if (issue->limit != NULL && issue->limit->line > 0 && gate_str_equal(issue->limit->source, rules->source))
        return issue->limit->line;
    int64_t line = issue->budget->extends_line > 0 ? issue->budget->extends_line : issue->budget->line;
    return line > 0 ? line : 1;
}

int64_t gate_issue_place(struct gate_buf *out, const struct gate_issue *issue, const struct gate_verdict *verdict,
                         const struct gate_checkout *checkout) {
    const struct gate_comparison *comparison =
        issue->comparison == GATE_NO_INDEX ? NULL : &verdict->comparisons[issue->comparison];
    int64_t line = issue->frame == NULL ? 0 : place_frame(out, issue->frame, checkout);
    if (line == 0 && issue->cause != NULL && comparison != NULL)
        line = place_path(out, issue->cause, comparison->pair.frames, checkout);
    if (line == 0)
        line = place_rules(out, issue, verdict->rules, checkout);
    if (line == 0 && issue->frame == NULL && comparison != NULL)
        line = place_largest(out, comparison, checkout);
    if (line == 0 && gate_checkout_put_own(out, checkout, GATE_STR(".pprofgate.yml")))
        line = 1;
    return line;
}
