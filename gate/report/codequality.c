/* SPDX-License-Identifier: Apache-2.0 */
/* GitLab's code quality report, which marks lines of a merge request (GitHub's annotations: annotations.c). */
#include "gate/report/report.h"

#include "gate/base/json_writer.h"
#include "gate/base/sha256.h"
#include "gate/report/listing.h"

/* GitLab's words, of which it shows the colour and the order. */
static const char *const severities[] = {
    [GATE_OUTCOME_PROVEN] = "info",        [GATE_OUTCOME_PASS] = "info",     [GATE_OUTCOME_WARN] = "info",
    [GATE_OUTCOME_INCONCLUSIVE] = "minor", [GATE_OUTCOME_FAIL] = "critical",
};

/* The same finding has the same fingerprint in every pipeline: GitLab compares by it. */
static void codequality_fingerprint(struct gate_json *json, const struct gate_budget_result *result,
                                    const struct gate_finding *finding) {
    struct gate_buf key = {0};
    struct gate_str parts[] = {result->budget->name, finding->function,
                               gate_str_from(gate_budget_measure_name(result->budget->measure))};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        gate_buf_str(&key, parts[i]);
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

static void codequality_issue(struct gate_json *json, const struct gate_verdict *verdict,
                              const struct gate_budget_result *result, const struct gate_finding *finding) {
    const struct gate_frame *frame = gate_listing_frame(verdict, result, finding);
    bool placed = gate_listing_is_in_checkout(frame);
    gate_json_open(json, '{');
    gate_json_key(json, "description");
    gate_json_string(json, finding->text);
    gate_json_key(json, "check_name");
    gate_json_string(json, result->budget->name);
    codequality_fingerprint(json, result, finding);
    gate_json_key(json, "severity");
    gate_json_text(json, severities[finding->outcome]);
    gate_json_key(json, "location");
    gate_json_open_flat(json, '{');
    gate_json_key(json, "path");
    gate_json_string(json, placed ? frame->file : verdict->rules->source);
    gate_json_key(json, "lines");
    gate_json_open_flat(json, '{');
    gate_json_key(json, "begin");
    gate_json_integer(json, placed && frame->start_line > 0                           ? frame->start_line
                            : !placed && finding->limit != NULL && finding->limit->line > 0 ? finding->limit->line
                                                                                            : 1);
    gate_json_close(json, '}');
    gate_json_close(json, '}');
    gate_json_close(json, '}');
}

bool gate_report_codequality(struct gate_buf *out, const struct gate_verdict *verdict,
                             const struct gate_report_options *options, struct gate_arena *arena,
                             struct gate_error *err) {
    (void)options;
    (void)arena;
    struct gate_json json = {.out = out, .indent = 2};
    gate_json_open(&json, '[');
    for (size_t o = 0; o < GATE_LISTING_OUTCOMES; o++) {
        uint32_t budget = 0;
        uint32_t at = 0;
        const struct gate_finding *finding;
        while ((finding = gate_listing_next(verdict, gate_listing_outcomes[o], &budget, &at)) != NULL)
            if (gate_listing_has(&verdict->budgets[budget], at - 1))
                codequality_issue(&json, verdict, &verdict->budgets[budget], finding);
    }
    gate_json_close(&json, ']');
    return gate_buf_check(out, err);
}
