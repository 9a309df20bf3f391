/* SPDX-License-Identifier: Apache-2.0 */
/* The command `validate`: checks rules files. */
#include "gate/base/buf.h"
#include "gate/base/escape.h"
#include "gate/budget/outcome.h"
#include "gate/cli/command.h"
#include "gate/cli/option_groups.h"
#include "gate/rules/rules.h"
#include "gate/session/file_roles.h"
#include "gate/session/rules_in_force.h"

#include <unistd.h>

/* Options of `validate`. */
struct validate {
    struct gate_paths files;
    struct gate_rules_from from;
};

static const struct gate_option_binding options[] = {{&gate_rules_from_options, offsetof(struct validate, from)},
                                                     {NULL, 0}};

static const char usage[] = "Usage: pprofgate validate [FILE...]\n"
                            "\n"
                            "Checks rules files as `check` would read them, and prints what each contains: its\n"
                            "budgets with their severity, measure and limits. A FILE may also be the name of\n"
                            "a preset, or - for standard input (default: .pprofgate.yml). Warns of rules by\n"
                            "which almost nothing can fail.\n"
                            "\n"
                            "Exit status: 0 valid, 2 not valid, 3 a waiver has expired: no run by these rules\n"
                            "passes until it is renewed or removed.\n"
                            "\n"
                            "Options:\n";

static const struct gate_example examples[] = {{"your own rules", "pprofgate validate rules.yml"},
                                               {"what a preset allows", "pprofgate validate recommended"},
                                               {NULL, NULL}};

/* Append "rules.yml: 3 budgets: 2 error, 1 warn". */
static void print_summary(struct gate_buf *out, const struct gate_rules *rules, uint32_t expired) {
    uint32_t counts[3] = {0, 0, 0};
    for (uint32_t i = 0; i < rules->budget_count; i++)
        counts[rules->budgets[i].severity]++;
    gate_escape_terminal(out, rules->source);
    if (expired != 0)
        gate_buf_printf(out, ": %u expired waiver%s", (unsigned)expired, expired == 1 ? "" : "s");
    else
        gate_buf_text(out, ": valid");
    gate_buf_printf(out, ", %u budget%s", (unsigned)rules->budget_count, rules->budget_count == 1 ? "" : "s");
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

/* Append "  no code path grows (warn, cumulative): share_increase +5pp". */
static void print_budget(struct gate_buf *out, const struct gate_budget *budget) {
    size_t line = out->len;
    gate_buf_text(out, "  ");
    gate_escape_terminal(out, budget->name);
    gate_buf_printf(out, " (%s, %s)", gate_severity_name(budget->severity), gate_budget_measure_name(budget->measure));
    for (uint32_t i = 0; i < budget->limit_count; i++) {
        const struct gate_limit *limit = &budget->limits[i];
        gate_buf_printf(out, "%s %s ", i == 0 ? ":" : ",", gate_limit_kind_name(limit->kind));
        gate_escape_terminal(out, limit->text);
        if (limit->severity < budget->severity) /* the lower severity applies */
            gate_buf_printf(out, " (%s)", gate_severity_name(limit->severity));
    }
    gate_buf_char(out, '\n');
    gate_wrap_since(out, line, 6, GATE_WRAP_COLUMNS);
}

/* Append "      this waiver expired on 2026-06-30 (ISSUE-12): renew it with a reason, or remove it". */
static void print_expired(struct gate_buf *out, const struct gate_budget *budget, struct gate_arena *arena) {
    size_t line = out->len;
    gate_buf_text(out, "      ");
    gate_escape_terminal(out, gate_waiver_sentence(budget, arena));
    gate_buf_text(out, ": ");
    gate_escape_terminal(out, gate_waiver_advice(budget, arena));
    gate_buf_char(out, '\n');
    gate_wrap_since(out, line, 6, GATE_WRAP_COLUMNS);
}

/* Prints what valid rules allow. Returns the number of expired waivers. */
static uint32_t print_rules(struct gate_buf *out, const struct gate_rules *rules, struct gate_str today,
                            struct gate_arena *arena) {
    uint32_t expired = 0;
    for (uint32_t i = 0; i < rules->budget_count; i++)
        expired += gate_waiver_is_expired(&rules->budgets[i], today);
    print_summary(out, rules, expired);
    for (uint32_t i = 0; i < rules->budget_count; i++) {
        print_budget(out, &rules->budgets[i]);
        if (gate_waiver_is_expired(&rules->budgets[i], today))
            print_expired(out, &rules->budgets[i], arena);
    }
    return expired;
}

/* Append "  warning: by these rules no run can fail: every budget only warns". */
static void validate_warn(struct gate_buf *out, struct gate_str text) {
    size_t line = out->len;
    if (text.len == 0)
        return;
    gate_buf_text(out, "  warning: ");
    gate_escape_terminal(out, text);
    gate_buf_char(out, '\n');
    gate_wrap_since(out, line, 6, GATE_WRAP_COLUMNS);
}

/* Validates one file, and prints what it allows or what is wrong with it. */
static bool validate_file(const char *path, struct gate_rules_from *from, struct gate_session *session) {
    struct gate_rules rules = {0};
    struct gate_buf out = {0};
    struct gate_error err = {0};
    session->blamed_path = session->blamed_text = (struct gate_str){NULL, 0};
    bool ok = gate_rulefile_load_from(&rules, from, session, path, &err);
    struct gate_str today = gate_rulefile_today(session->arena);
    if (ok && today.ptr == NULL) /* without a date no waiver would be expired */
        ok = gate_arena_error(session->arena, &err);
    if (ok) {
        if (print_rules(&out, &rules, today, session->arena) != 0)
            session->status = GATE_EXIT_INCONCLUSIVE;
        struct gate_str toothless = gate_toothless_rules(&rules, NULL, session->arena);
        struct gate_str loosened = gate_rules_from_sentence(from, session->arena);
        validate_warn(&out, toothless);
        validate_warn(&out, loosened);
        ok = toothless.ptr != NULL && loosened.ptr != NULL ? gate_session_print(session, &out, &err)
                                                           : gate_arena_error(session->arena, &err);
    }
    if (!ok)
        gate_session_fail(session, &err);
    gate_rules_free(&rules);
    gate_buf_free(&out);
    return ok;
}

/* Validates every file, also after an invalid one. */
static bool validate_run(void *wanted, struct gate_session *session, struct gate_error *err) {
    struct validate *validate = wanted;
    const struct gate_paths *files = &validate->files;
    struct gate_file_roles roles = {0};
    bool ok = true;
    static const char *usual[] = {GATE_RULEFILE_DEFAULT};
    bool is_usual = files->count == 0 && (access(usual[0], F_OK) == 0 || validate->from.revision != NULL);
    if (is_usual)
        validate->files = (struct gate_paths){.items = usual, .count = 1};
    if (files->count == 0)
        return gate_error_set(err, GATE_ERR_USAGE,
                              "expected a rules FILE to validate: there is no " GATE_RULEFILE_DEFAULT " here");
    if (!gate_file_roles_read_all(&roles, "a rules file", files, session->arena, err) ||
        !gate_file_roles_check(&roles, err))
        return false;
    for (uint32_t i = 0; i < files->count; i++)
        ok = validate_file(files->items[i], &validate->from, session) && ok;
    return ok;
}

const struct gate_command gate_command_validate = {
    .name = "validate",
    .summary = "check a rules file",
    .usage = usage,
    .examples = examples,
    .takes = GATE_TAKES_RULES,
    .options = options,
    .size = sizeof(struct validate),
    .arguments = offsetof(struct validate, files),
    .run = validate_run,
};
