/* SPDX-License-Identifier: Apache-2.0 */
/* The SARIF 2.1.0 report, for code scanning on GitHub and for editors. */
#include "gate/base/escape.h"
#include "gate/base/json_io.h"
#include "gate/base/own_mark.h"
#include "gate/base/table.h"
#include "gate/report/issue.h"
#include "gate/report/report.h"

/* A level of results. */
static const char *const levels[] = {
    [GATE_OUTCOME_PROVEN] = "none",       [GATE_OUTCOME_PASS] = "none",  [GATE_OUTCOME_WARN] = "warning",
    [GATE_OUTCOME_INCONCLUSIVE] = "note", [GATE_OUTCOME_FAIL] = "error",
};

struct sarif {
    struct gate_json json;
    const struct gate_verdict *verdict;
    const struct gate_checkout *checkout;
};

/* ---- text -------------------------------------------------------------------------------------------------------- */

/* Write the key `text`. In a SARIF message "[a](b)" is a link and "{0}" a placeholder. Names from a profile must be
 * neither, so a word joiner, which has no width, is put between these characters. */
static void sarif_text(struct gate_json *json, const char *key, struct gate_str text) {
    static const char joiner[] = "\xE2\x81\xA0";
    struct gate_buf plain = {0};
    for (size_t i = 0; i < text.len; i++) {
        char here = text.ptr[i], next = i + 1 < text.len ? text.ptr[i + 1] : '\0';
        gate_buf_char(&plain, here);
        if ((here == ']' && next == '(') || (here == '{' && gate_is_digit(next)))
            gate_buf_text(&plain, joiner);
    }
    gate_json_put_open_flat(json, key, '{');
    gate_json_put_string(json, "text", gate_buf_view(&plain));
    gate_json_close(json, '}');
    gate_buf_free_part(json->out, &plain);
}

/* ---- rules ------------------------------------------------------------------------------------------------------- */

/* Append "Measure: charged, of each function. Limit: +5 pp. Defined in .pprofgate.yml, line 4." and what to do. */
static void put_help(struct gate_buf *out, const struct gate_budget *budget) {
    const struct gate_budget_measure_row *row = gate_budget_measure_row(budget->measure);
    gate_buf_printf(out, "Measure: %s, of %s. Limit:", gate_budget_measure_name(budget->measure),
                    row->is_total      ? "the whole profile"
                    : budget->as_group ? "the selected functions together"
                                       : "each function");
    for (uint32_t i = 0; i < budget->limit_count; i++) {
        gate_buf_text(out, i == 0 ? " " : ", ");
        gate_limit_print(out, &budget->limits[i]);
        if (budget->limits[i].severity != GATE_SEVERITY_ERROR || budget->severity != GATE_SEVERITY_ERROR)
            gate_buf_text(out, " (warning)");
    }
    gate_buf_text(out, ". Defined in ");
    gate_buf_str(out, budget->source);
    if (budget->line > 0)
        gate_buf_printf(out, ", line %u", budget->line);
    gate_buf_text(out, ". Look at what the function does more often or at higher cost. If the growth is intended, "
                       "raise the limit and give a reason.");
    struct gate_buf people = {0};
    gate_sentence_people(&people, budget);
    if (people.len > 0)
        gate_buf_char(out, ' ');
    gate_buf_str(out, gate_buf_view(&people));
    gate_buf_free_part(out, &people);
}

static void sarif_rule(struct gate_json *json, const struct gate_budget *budget) {
    struct gate_buf help = {0};
    gate_json_open(json, '{');
    gate_json_put_string(json, "id", budget->name);
    sarif_text(json, "shortDescription", budget->name);
    put_help(&help, budget);
    sarif_text(json, "fullDescription", gate_buf_view(&help));
    sarif_text(json, "help", gate_buf_view(&help));
    gate_json_put_open_flat(json, "defaultConfiguration", '{');
    gate_json_put_text(json, "level", budget->severity == GATE_SEVERITY_ERROR ? "error" : "warning");
    gate_json_close(json, '}');
    gate_json_put_open_flat(json, "properties", '{');
    gate_json_put_open(json, "tags", '[');
    gate_json_text(json, "performance");
    gate_json_close_all(json, "]}}");
    gate_buf_free_part(json->out, &help);
}

/* Write a rule for each budget. Returns false if the arena is full. */
static bool sarif_rules(struct gate_json *json, const struct gate_verdict *verdict, struct gate_arena *arena) {
    struct gate_table names;
    bool ok = true;
    gate_table_init(&names, arena);
    gate_json_put_open(json, "rules", '[');
    for (uint32_t i = 0; ok && i < verdict->budget_count; i++) {
        uint32_t known = names.count;
        ok = gate_table_intern(&names, verdict->budgets[i].budget->name) != GATE_TABLE_NONE;
        if (names.count > known)
            sarif_rule(json, verdict->budgets[i].budget);
    }
    gate_json_close(json, ']');
    return ok;
}

/* ---- results ----------------------------------------------------------------------------------------------------- */

static void sarif_place(struct sarif *report, const struct gate_issue *issue) {
    struct gate_json *json = &report->json;
    struct gate_buf path = {0}, uri = {0};
    int64_t line = gate_issue_place(&path, issue, report->verdict, report->checkout);
    gate_escape_percent(&uri, gate_buf_view(&path), "-_.~/"); /* a relative reference of RFC 3986 */
    gate_json_put_open(json, "locations", '[');
    gate_json_open_flat(json, '{');
    gate_json_put_open(json, "physicalLocation", '{');
    gate_json_put_open(json, "artifactLocation", '{');
    gate_json_put_string(json, "uri", gate_buf_view(&uri));
    gate_json_put_text(json, "uriBaseId", "%SRCROOT%");
    gate_json_close(json, '}');
    gate_json_put_open(json, "region", '{');
    gate_json_put_integer(json, "startLine", line);
    gate_json_close_all(json, "}}}]");
    gate_buf_free_part(json->out, &path);
    gate_buf_free_part(json->out, &uri);
}

static void sarif_result(void *context, const struct gate_issue *issue) {
    struct sarif *report = context;
    struct gate_json *json = &report->json;
    struct gate_buf fingerprint = {0};
    gate_issue_fingerprint(&fingerprint, issue);
    gate_json_open(json, '{');
    gate_json_put_string(json, "ruleId", issue->budget->name);
    gate_json_put_text(json, "level", levels[issue->outcome]);
    sarif_text(json, "message", issue->text);
    sarif_place(report, issue);
    gate_json_put_open_flat(json, "partialFingerprints", '{');
    gate_json_put_string(json, "pprofgateCause/v1", gate_buf_view(&fingerprint));
    gate_json_close_all(json, "}}");
    gate_buf_free_part(json->out, &fingerprint);
}

/* ---- the run ----------------------------------------------------------------------------------------------------- */

/* Write the beginning, which is the mark GATE_OWN_SARIF, and leave the object "driver" open for the rules. */
static void sarif_begin(struct gate_json *json) {
    gate_json_open(json, '{');
    gate_json_put_text(json, "$schema", GATE_OWN_MARK_SARIF);
    gate_json_put_text(json, "version", "2.1.0");
    gate_json_put_open(json, "runs", '[');
    gate_json_open(json, '{');
    gate_json_put_open(json, "tool", '{');
    gate_json_put_open(json, "driver", '{');
    gate_json_put_text(json, "name", "pprofgate");
    gate_json_put_text(json, "version", GATE_VERSION);
}

/* Close "driver" and "tool", and write the keys before the results. */
static void sarif_after_tool(struct gate_json *json, const char *verdict) {
    gate_json_close_all(json, "}}");
    gate_json_put_text(json, "columnKind", "unicodeCodePoints");
    gate_json_put_open_flat(json, "originalUriBaseIds", '{');
    gate_json_put_open(json, "%SRCROOT%", '{');
    sarif_text(json, "description", GATE_STR("the top of the checkout"));
    gate_json_close_all(json, "}}");
    gate_json_put_open_flat(json, "properties", '{');
    gate_json_put_text(json, "verdict", verdict);
    gate_json_close(json, '}');
}

/* Write a warning about the comparison, which belongs to no line of code. */
static void sarif_notification(struct gate_json *json, enum gate_guard guard, const char *level,
                               struct gate_str message) {
    gate_json_open(json, '{');
    gate_json_put_open_flat(json, "descriptor", '{');
    gate_json_put_text(json, "id", gate_guard_name(guard));
    gate_json_close(json, '}');
    gate_json_put_text(json, "level", level);
    sarif_text(json, "message", message);
    gate_json_close(json, '}');
}

/* Open "invocations", its only item, and the notifications of that. */
static void sarif_open_invocation(struct gate_json *json) {
    gate_json_put_open(json, "invocations", '[');
    gate_json_open(json, '{');
    gate_json_put_bool(json, "executionSuccessful", true);
    gate_json_put_open(json, "toolExecutionNotifications", '[');
}

static void sarif_warnings(struct gate_json *json, const struct gate_verdict *verdict) {
    sarif_open_invocation(json);
    for (uint32_t i = 0; i < verdict->warning_count; i++) {
        const struct gate_warning *warning = &verdict->warnings[i];
        bool is_error = gate_guard_severity(verdict->rules, warning->guard) == GATE_SEVERITY_ERROR;
        sarif_notification(json, warning->guard, is_error ? "error" : "warning", warning->message);
    }
    gate_json_close_all(json, "]}]"); /* the invocations */
}

static bool report_sarif(struct gate_buf *out, const struct gate_verdict *verdict,
                         const struct gate_report_options *options, struct gate_arena *arena, struct gate_error *err) {
    struct sarif report = {.json = {.out = out, .indent = 2}, .verdict = verdict, .checkout = options->checkout};
    sarif_begin(&report.json);
    if (!sarif_rules(&report.json, verdict, arena))
        return gate_arena_error(arena, err);
    sarif_after_tool(&report.json, gate_outcome_name(verdict->outcome));
    sarif_warnings(&report.json, verdict);
    gate_json_put_open(&report.json, "results", '[');
    if (!gate_issues_each(verdict, sarif_result, &report))
        out->failed = true;
    gate_json_close_all(&report.json, "]}]}");
    return gate_buf_check(out, err);
}

static bool nothing_compared(struct gate_buf *out, const struct gate_nothing_compared *nothing) {
    struct gate_json json = {.out = out, .indent = 2};
    sarif_begin(&json);
    sarif_after_tool(&json, nothing->word);
    sarif_open_invocation(&json);
    sarif_notification(&json, GATE_GUARD_BASELINE_MISSING, nothing->state == GATE_NOTHING_SKIPPED ? "warning" : "error",
                       nothing->message);
    gate_json_close_all(&json, "]}]");
    gate_json_put_open(&json, "results", '[');
    gate_json_close_all(&json, "]}]}");
    return !out->failed;
}

const struct gate_report_format gate_report_sarif = {
    .name = "sarif",
    .is_rare = true,
    .mark = GATE_OWN_SARIF,
    .help = "findings for GitHub code scanning, as SARIF 2.1.0",
    .write = report_sarif,
    .write_nothing = nothing_compared,
    .marks_lines = true,
};
