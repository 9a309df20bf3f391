/* SPDX-License-Identifier: Apache-2.0 */
/* What CI systems show beside the code: GitHub's workflow commands and GitLab's code quality report. */
#include "gate/report/report.h"

#include "gate/base/escape.h"
#include "gate/base/sha256.h"
#include "gate/report/phrase.h"
#include "gate/report/write_json.h"

/* GitHub shows ten of a kind a step and drops the rest without a word. */
enum { GITHUB_LIMIT = 10 };

/* A path that a checkout can hold. Build machines write absolute ones, which name no file of the repository. */
static bool annotation_is_placed(const struct gate_frame *frame) {
    return frame != NULL && frame->file.len > 0 && frame->file.ptr[0] != '/' &&
           gate_str_find(frame->file, GATE_STR(".."), 0) == SIZE_MAX;
}

static void github_command(struct gate_buf *out, const char *level, const struct gate_verdict *verdict,
                           const struct gate_budget_result *result, const struct gate_finding *finding) {
    gate_buf_printf(out, "::%s title=pprofgate%%3A ", level);
    gate_escape_github(out, result->budget->name, true);
    const struct gate_frame *frame = gate_phrase_frame(verdict, result, finding);
    if (annotation_is_placed(frame)) {
        gate_buf_text(out, ",file=");
        gate_escape_github(out, frame->file, true);
        if (frame->start_line > 0)
            gate_buf_printf(out, ",line=%lld", (long long)frame->start_line);
    }
    gate_buf_text(out, "::");
    gate_escape_github(out, finding->text, false);
    if (finding->advice.len > 0) {
        gate_buf_text(out, "%0A");
        gate_escape_github(out, finding->advice, false);
    }
    gate_buf_char(out, '\n');
}

/* Findings of `outcome` as `level`; `*room` is how many more of this level are shown. Returns how many were not. */
static uint32_t github_findings(struct gate_buf *out, const struct gate_verdict *verdict, enum gate_outcome outcome,
                                const char *level, uint32_t *room) {
    uint32_t dropped = 0;
    uint32_t budget = 0;
    uint32_t at = 0;
    const struct gate_finding *finding;
    while ((finding = gate_phrase_next(verdict, outcome, &budget, &at)) != NULL) {
        if (!gate_phrase_is_shown(&verdict->budgets[budget], at - 1))
            continue;
        if (*room == 0) {
            dropped++;
            continue;
        }
        (*room)--;
        github_command(out, level, verdict, &verdict->budgets[budget], finding);
    }
    return dropped;
}

bool gate_report_github(struct gate_buf *out, const struct gate_verdict *verdict,
                        const struct gate_report_options *options, struct gate_arena *arena, struct gate_error *err) {
    (void)options;
    (void)arena;
    uint32_t errors = GITHUB_LIMIT;
    uint32_t warnings = GITHUB_LIMIT;
    uint32_t dropped = github_findings(out, verdict, GATE_OUTCOME_FAIL, "error", &errors);
    dropped += github_findings(out, verdict, GATE_OUTCOME_INCONCLUSIVE, "warning", &warnings);
    dropped += github_findings(out, verdict, GATE_OUTCOME_WARN, "warning", &warnings);
    dropped += gate_phrase_left_out(verdict);
    if (dropped > 0)
        gate_buf_printf(out, "::notice title=pprofgate::%u more finding%s in the reports\n", dropped,
                        dropped == 1 ? "" : "s");
    return gate_buf_check(out, err);
}

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
    const struct gate_frame *frame = gate_phrase_frame(verdict, result, finding);
    bool placed = annotation_is_placed(frame);
    gate_json_open(json, '{');
    gate_json_key(json, "description");
    gate_json_string(json, finding->text);
    gate_json_key(json, "check_name");
    gate_json_string(json, result->budget->name);
    codequality_fingerprint(json, result, finding);
    gate_json_key(json, "severity");
    gate_json_text(json, finding->outcome == GATE_OUTCOME_FAIL           ? "critical"
                         : finding->outcome == GATE_OUTCOME_INCONCLUSIVE ? "minor"
                                                                         : "info");
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
    static const enum gate_outcome order[] = {GATE_OUTCOME_FAIL, GATE_OUTCOME_INCONCLUSIVE, GATE_OUTCOME_WARN};
    (void)options;
    (void)arena;
    struct gate_json json = {.out = out, .indent = 2};
    gate_json_open(&json, '[');
    for (size_t o = 0; o < sizeof order / sizeof *order; o++) {
        uint32_t budget = 0;
        uint32_t at = 0;
        const struct gate_finding *finding;
        while ((finding = gate_phrase_next(verdict, order[o], &budget, &at)) != NULL)
            if (gate_phrase_is_shown(&verdict->budgets[budget], at - 1))
                codequality_issue(&json, verdict, &verdict->budgets[budget], finding);
    }
    gate_json_close(&json, ']');
    return gate_buf_check(out, err);
}
