/* SPDX-License-Identifier: Apache-2.0 */
/* The GitLab code quality report. */
#include "gate/base/hash.h"
#include "gate/base/json_io.h"
#include "gate/base/own_mark.h"
#include "gate/report/cause_sentence.h"
#include "gate/report/listing.h"
#include "gate/report/report.h"

/* GitLab's severities, which determine colour and order. */
static const char *const severities[] = {
    [GATE_OUTCOME_PROVEN] = "info",        [GATE_OUTCOME_PASS] = "info",     [GATE_OUTCOME_WARN] = "info",
    [GATE_OUTCOME_INCONCLUSIVE] = "minor", [GATE_OUTCOME_FAIL] = "critical",
};

struct codequality {
    const struct gate_verdict *verdict;
    const struct gate_checkout *checkout;
};

/* One issue, about a cause or a finding. */
struct codequality_issue {
    struct gate_str text;
    struct gate_str key[3]; /* identifies the issue across pipelines */
    enum gate_outcome outcome;
    const struct gate_budget *budget; /* the cause's worst budget */
    const struct gate_limit *limit;   /* may be NULL */
    const struct gate_frame *frame;   /* may be NULL */
};

/* Append the fingerprint, by which GitLab compares pipelines: it is the same for the same cause in every pipeline. */
static void codequality_fingerprint(struct gate_json *json, const struct codequality_issue *issue) {
    struct gate_buf key = {0};
    for (size_t i = 0; i < sizeof issue->key / sizeof *issue->key; i++) {
        gate_buf_str(&key, issue->key[i]);
        gate_buf_char(&key, '\0');
    }
    uint8_t digest[GATE_SHA256_BYTES];
    gate_sha256(digest, gate_buf_view(&key));
    key.len = 0;
    for (size_t i = 0; i < sizeof digest; i++)
        gate_buf_printf(&key, "%02x", digest[i]);
    gate_json_key(json, "fingerprint");
    gate_json_string(json, gate_buf_view(&key));
    json->out->failed = json->out->failed || key.failed;
    gate_buf_free(&key);
}

/* Return the line in the rules file that defines the limit: its own, that of the budget, or, for an inherited budget,
 * that of `extends`. */
static int64_t codequality_rules_line(const struct gate_rules *rules, const struct codequality_issue *issue) {
    if (issue->limit != NULL && issue->limit->line > 0 && gate_str_equal(issue->limit->source, rules->source))
        return issue->limit->line;
    int64_t line = issue->budget->extends_line > 0 ? issue->budget->extends_line : issue->budget->line;
    return line > 0 ? line : 1;
}

/* Append the place of the function if its file can be in the checkout, else that of the limit in the rules. */
static void codequality_place(struct gate_json *json, const struct codequality *report,
                              const struct codequality_issue *issue) {
    struct gate_buf path = {0};
    bool is_placed = issue->frame != NULL && gate_checkout_put(&path, report->checkout, issue->frame->file);
    int64_t line = codequality_rules_line(report->verdict->rules, issue);
    if (is_placed)
        line = issue->frame->start_line > 0 ? issue->frame->start_line : 1;
    else
        gate_checkout_put_own(&path, report->checkout, report->verdict->rules->source);
    gate_json_key(json, "location");
    gate_json_open_flat(json, '{');
    gate_json_key(json, "path");
    gate_json_string(json, gate_buf_view(&path));
    gate_json_key(json, "lines");
    gate_json_open_flat(json, '{');
    gate_json_key(json, "begin");
    gate_json_integer(json, line);
    gate_json_close(json, '}');
    gate_json_close(json, '}');
    json->out->failed = json->out->failed || path.failed;
    gate_buf_free(&path);
}

static void codequality_write(struct gate_json *json, const struct codequality *report,
                              const struct codequality_issue *issue) {
    gate_json_open(json, '{');
    gate_json_key(json, "engine_name");
    gate_json_text(json, GATE_OWN_MARK_ENGINE);
    gate_json_key(json, "description");
    gate_json_string(json, issue->text);
    gate_json_key(json, "check_name");
    gate_json_string(json, issue->budget->name);
    codequality_fingerprint(json, issue);
    gate_json_key(json, "severity");
    gate_json_text(json, severities[issue->outcome]);
    codequality_place(json, report, issue);
    gate_json_close(json, '}');
}

static void codequality_cause(struct gate_json *json, const struct codequality *report,
                              const struct gate_cause *cause) {
    const struct gate_verdict *verdict = report->verdict;
    struct gate_buf text = {0};
    gate_cause_sentence_text(&text, verdict, cause);
    const struct codequality_issue issue = {
        .text = gate_buf_view(&text),
        .key = {cause->frame == GATE_NO_INDEX ? GATE_STR("a whole") : GATE_STR("a function"),
                verdict->comparisons[cause->comparison].name, cause->function},
        .outcome = cause->outcome,
        .budget = cause->findings[0].result->budget,
        .limit = cause->findings[0].finding->limit,
        .frame = gate_listing_cause_frame(verdict, cause),
    };
    codequality_write(json, report, &issue);
    json->out->failed = json->out->failed || text.failed;
    gate_buf_free(&text);
}

static void codequality_findings(struct gate_json *json, const struct codequality *report, enum gate_outcome outcome) {
    const struct gate_verdict *verdict = report->verdict;
    uint32_t budget = 0, at = 0;
    const struct gate_finding *finding;
    while ((finding = gate_listing_next(verdict, outcome, &budget, &at)) != NULL) {
        const struct gate_budget_result *result = &verdict->budgets[budget];
        const struct codequality_issue issue = {
            .text = finding->text,
            .key = {result->budget->name, finding->function,
                    gate_str_from(gate_budget_measure_name(result->budget->measure))},
            .outcome = outcome,
            .budget = result->budget,
            .limit = finding->limit,
            .frame = gate_listing_frame(verdict, result, finding),
        };
        if (gate_listing_has(result, at - 1) && !gate_listing_is_blind(finding))
            codequality_write(json, report, &issue);
    }
}

bool gate_report_codequality(struct gate_buf *out, const struct gate_verdict *verdict,
                             const struct gate_report_options *options, struct gate_arena *arena,
                             struct gate_error *err) {
    (void)arena;
    const struct codequality report = {verdict, options->checkout};
    struct gate_json json = {.out = out, .indent = 2};
    gate_json_open(&json, '[');
    for (size_t o = 0; o < GATE_LISTING_OUTCOMES; o++) {
        for (uint32_t i = 0; i < verdict->causes.count; i++)
            if (verdict->causes.items[i].outcome == gate_listing_outcomes[o])
                codequality_cause(&json, &report, &verdict->causes.items[i]);
        codequality_findings(&json, &report, gate_listing_outcomes[o]);
    }
    gate_json_close(&json, ']');
    return gate_buf_check(out, err);
}
