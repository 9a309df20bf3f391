/* SPDX-License-Identifier: Apache-2.0 */
/* `pprofgate validate`: check rules files without profiles. */
#include "gate/base/escape.h"
#include "gate/base/wrap.h"
#include "gate/cli/cli.h"
#include "gate/cli/rulefile.h"

static const struct gate_option options[] = {{0, NULL, 0, NULL, NULL}};

static const char usage[] =
    "Usage: pprofgate validate FILE...\n"
    "\n"
    "Checks rules files as `check` would read them, and says what each allows: its\n"
    "budgets with their severity, measure and limits. A FILE may also be the name of\n"
    "a preset.\n";

/* "rules.yml: 3 budgets: 2 error, 1 warn" */
static void validate_tell(struct gate_buf *out, const struct gate_rules *rules) {
    uint32_t counts[3] = {0, 0, 0};
    for (uint32_t i = 0; i < rules->budget_count; i++)
        counts[rules->budgets[i].severity]++;
    gate_escape_terminal(out, rules->source);
    gate_buf_printf(out, ": valid, %u budget%s", (unsigned)rules->budget_count, rules->budget_count == 1 ? "" : "s");
    bool first = true;
    for (int severity = GATE_SEVERITY_ERROR; severity >= GATE_SEVERITY_OFF; severity--) {
        if (counts[severity] == 0)
            continue;
        gate_buf_printf(out, "%s%u %s", first ? " (" : ", ", (unsigned)counts[severity],
                        gate_severity_name((enum gate_severity)severity));
        first = false;
    }
    gate_buf_text(out, first ? "\n" : ")\n");
}

/* "  no code path grows (warn, cumulative): share_increase +5pp" */
static void validate_tell_budget(struct gate_buf *out, const struct gate_budget *budget) {
    size_t line = out->len;
    gate_buf_text(out, "  ");
    gate_escape_terminal(out, budget->name);
    gate_buf_printf(out, " (%s, %s)", gate_severity_name(budget->severity), gate_budget_measure_name(budget->measure));
    for (uint32_t i = 0; i < budget->limit_count; i++) {
        const struct gate_limit *limit = &budget->limits[i];
        gate_buf_printf(out, "%s %s ", i == 0 ? ":" : ",", gate_limit_kind_name(limit->kind));
        gate_escape_terminal(out, limit->text);
        if (limit->severity < budget->severity) /* the lower of both counts */
            gate_buf_printf(out, " (%s)", gate_severity_name(limit->severity));
    }
    gate_buf_char(out, '\n');
    gate_wrap_since(out, line, 6, GATE_WRAP_COLUMNS);
}

/* A run of validate so far. */
struct validate {
    int status;
    int files;
};

/* Every file, also those behind one that is not valid. */
static bool validate_take(void *context, int id, const char *value, struct gate_cli *cli, struct gate_error *err) {
    struct validate *validate = context;
    struct gate_rules rules = {0};
    struct gate_buf out = {0};
    (void)id, (void)err; /* there is nothing but files */
    validate->files++;
    bool ok = gate_rulefile_load(&rules, cli, value);
    if (ok) {
        validate_tell(&out, &rules);
        for (uint32_t i = 0; i < rules.budget_count; i++)
            validate_tell_budget(&out, &rules.budgets[i]);
        gate_rules_free(&rules);
        ok = gate_cli_write(cli->out, gate_buf_view(&out));
    }
    gate_buf_free(&out);
    validate->status = ok ? validate->status : GATE_EXIT_ERROR;
    return true;
}

static const struct gate_syntax syntax = {.usage = usage, .options = options, .take = validate_take};

int gate_validate_run(struct gate_cli *cli, int argc, const char *const *argv) {
    struct validate validate = {.status = GATE_EXIT_PASS};
    struct gate_error err = {0};
    int status = GATE_EXIT_PASS;
    if (!gate_cli_read(&status, cli, &syntax, &validate, argc, argv))
        return status;
    if (validate.files > 0)
        return validate.status;
    (void)gate_error_set(&err, GATE_ERR_USAGE, "expected a rules FILE to validate");
    return gate_cli_fail(cli, &err);
}
