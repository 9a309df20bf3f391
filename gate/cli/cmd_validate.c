/* SPDX-License-Identifier: Apache-2.0 */
/* `pprofgate validate`: check rules files without profiles. */
#include "gate/base/escape.h"
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
    gate_buf_wrap(out, line, 6);
}

int gate_validate_run(struct gate_cli *cli, int argc, const char *const *argv) {
    struct gate_option_walk walk = {.options = options, .argv = argv, .argc = argc};
    struct gate_error err = {0};
    struct gate_buf out = {0};
    int status = GATE_EXIT_PASS;
    int files = 0;
    for (int id; (id = gate_option_next(&walk, &err)) != GATE_OPTION_END;) {
        if (id == GATE_OPTION_HELP)
            return gate_cli_help(cli, usage, options, "");
        if (id == GATE_OPTION_ERROR)
            return gate_cli_fail(cli, &err);
        struct gate_rules rules = {0};
        files++;
        out.len = 0;
        if (!gate_rulefile_load(&rules, cli, walk.value)) {
            status = GATE_EXIT_ERROR;
            continue;
        }
        validate_tell(&out, &rules);
        for (uint32_t i = 0; i < rules.budget_count; i++)
            validate_tell_budget(&out, &rules.budgets[i]);
        gate_rules_free(&rules);
        if (!gate_cli_write(cli->out, gate_buf_view(&out)))
            status = GATE_EXIT_ERROR;
    }
    gate_buf_free(&out);
    if (files > 0)
        return status;
    (void)gate_error_set(&err, GATE_ERR_USAGE, "expected a rules FILE to validate");
    return gate_cli_fail(cli, &err);
}
