/* SPDX-License-Identifier: Apache-2.0 */
/* GitLab's code quality report, which marks lines of a merge request (GitHub's annotations: annotations.c). */
#include "gate/report/report.h"

#include "gate/base/json_writer.h"
#include "gate/base/sha256.h"
#include "gate/budget/cause_sentence.h"
#include "gate/report/listing.h"

/* GitLab's words, of which it shows the colour and the order. */
static const char *const severities[] = {
    [GATE_OUTCOME_PROVEN] = "info",        [GATE_OUTCOME_PASS] = "info",     [GATE_OUTCOME_WARN] = "info",
    [GATE_OUTCOME_INCONCLUSIVE] = "minor", [GATE_OUTCOME_FAIL] = "critical",
};

/* One issue, whatever it is about. */
struct codequality_issue {
    struct gate_str text;
    struct gate_str key[3]; /* what it is known by in the next pipeline */
    enum gate_outcome outcome;
    const struct gate_budget *budget; /* the worst of a cause's */
    const struct gate_limit *limit;   /* may be NULL */
    const struct gate_frame *frame;   /* may be NULL */
};

/* The same cause has the same fingerprint in every pipeline: GitLab compares by it. */
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

/* The line of the function where its file can be in a checkout, else that of the limit in the rules. */
static int64_t codequality_line(const struct codequality_issue *issue, bool is_placed) {
    if (is_placed)
        return issue->frame->start_line > 0 ? issue->frame->start_line : 1;
    return issue->limit != NULL && issue->limit->line > 0 ? issue->limit->line : 1;
}

static void codequality_write(struct gate_json *json, const struct gate_verdict *verdict,
                              const struct codequality_issue *issue) {
    bool is_placed = gate_listing_is_in_checkout(issue->frame);
    gate_json_open(json, '{');
    gate_json_key(json, "description");
    gate_json_string(json, issue->text);
    gate_json_key(json, "check_name");
    gate_json_string(json, issue->budget->name);
    codequality_fingerprint(json, issue);
    gate_json_key(json, "severity");
    gate_json_text(json, severities[issue->outcome]);
    gate_json_key(json, "location");
    gate_json_open_flat(json, '{');
    gate_json_key(json, "path");
    gate_json_string(json, is_placed ? issue->frame->file : verdict->rules->source);
    gate_json_key(json, "lines");
    gate_json_open_flat(json, '{');
    gate_json_key(json, "begin");
    gate_json_integer(json, codequality_line(issue, is_placed));
    gate_json_close(json, '}');
    gate_json_close(json, '}');
    gate_json_close(json, '}');
}

static void codequality_cause(struct gate_json *json, const struct gate_verdict *verdict,
                              const struct gate_cause *cause) {
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
    codequality_write(json, verdict, &issue);
    json->out->failed = json->out->failed || text.failed;
    gate_buf_free(&text);
}

static void codequality_findings(struct gate_json *json, const struct gate_verdict *verdict,
                                 enum gate_outcome outcome) {
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
        if (gate_listing_has(result, at - 1))
            codequality_write(json, verdict, &issue);
    }
}

bool gate_report_codequality(struct gate_buf *out, const struct gate_verdict *verdict,
                             const struct gate_report_options *options, struct gate_arena *arena,
                             struct gate_error *err) {
    (void)options;
    (void)arena;
    struct gate_json json = {.out = out, .indent = 2};
    gate_json_open(&json, '[');
    for (size_t o = 0; o < GATE_LISTING_OUTCOMES; o++) {
        for (uint32_t i = 0; i < verdict->causes.count; i++)
            if (verdict->causes.items[i].outcome == gate_listing_outcomes[o])
                codequality_cause(&json, verdict, &verdict->causes.items[i]);
        codequality_findings(&json, verdict, gate_listing_outcomes[o]);
    }
    gate_json_close(&json, ']');
    return gate_buf_check(out, err);
}
