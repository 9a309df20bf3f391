/* SPDX-License-Identifier: Apache-2.0 */
/* The GitLab code quality report. */
#include "gate/base/json_io.h"
#include "gate/base/own_mark.h"
#include "gate/report/issue.h"
#include "gate/report/report.h"

/* GitLab's severities, which determine colour and order. */
static const char *const severities[] = {
    [GATE_OUTCOME_PROVEN] = "info",        [GATE_OUTCOME_PASS] = "info",     [GATE_OUTCOME_WARN] = "info",
    [GATE_OUTCOME_INCONCLUSIVE] = "minor", [GATE_OUTCOME_FAIL] = "critical",
};

struct codequality {
    struct gate_json json;
    const struct gate_verdict *verdict;
    const struct gate_checkout *checkout;
};

static void codequality_place(struct codequality *report, const struct gate_issue *issue) {
    struct gate_json *json = &report->json;
    struct gate_buf path = {0};
    int64_t line = gate_issue_place(&path, issue, report->verdict, report->checkout);
    gate_json_put_open_flat(json, "location", '{');
    gate_json_put_string(json, "path", gate_buf_view(&path));
    gate_json_put_open_flat(json, "lines", '{');
    gate_json_put_integer(json, "begin", line);
    gate_json_close_all(json, "}}");
    gate_buf_free_part(json->out, &path);
}

static void codequality_write(void *context, const struct gate_issue *issue) {
    struct codequality *report = context;
    struct gate_json *json = &report->json;
    struct gate_buf fingerprint = {0};
    gate_issue_fingerprint(&fingerprint, issue);
    gate_json_open(json, '{');
    gate_json_put_text(json, "engine_name", GATE_OWN_MARK_ENGINE);
    gate_json_put_string(json, "description", issue->text);
    gate_json_put_string(json, "check_name", issue->budget->name);
    gate_json_put_string(json, "fingerprint", gate_buf_view(&fingerprint));
    gate_json_put_text(json, "severity", severities[issue->outcome]);
    codequality_place(report, issue);
    gate_json_close(json, '}');
    gate_buf_free_part(json->out, &fingerprint);
}

static bool report_codequality(struct gate_buf *out, const struct gate_verdict *verdict,
                               const struct gate_report_options *options, struct gate_arena *arena,
                               struct gate_error *err) {
    (void)arena;
    struct codequality report = {.json = {.out = out, .indent = 2}, .verdict = verdict, .checkout = options->checkout};
    gate_json_open(&report.json, '[');
    if (!gate_issues_each(verdict, codequality_write, &report))
        out->failed = true;
    gate_json_close(&report.json, ']');
    return gate_buf_check(out, err);
}

const struct gate_report_format gate_report_codequality = {
    .name = "gitlab-codequality",
    .is_rare = true,
    .mark = GATE_OWN_CODEQUALITY,
    .help = "findings for GitLab's code quality",
    .write = report_codequality,
    .marks_lines = true,
};
