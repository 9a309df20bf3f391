/* SPDX-License-Identifier: Apache-2.0 */
/* `pprofgate check`: load both sides, compare, judge by the rules, report. The command that everything is for. */
#include "gate/cli/command.h"
#include "gate/cli/exit_code.h"
#include "gate/cli/judge.h"
#include "gate/cli/option_value.h"
#include "gate/cli/progress.h"
#include "gate/cli/reports.h"
#include "gate/cli/rulefile.h"

/* A command line of check, parsed. */
struct check {
    struct gate_profile_options profiles;
    struct gate_judge_options judging;
    struct gate_reports reports;
    const char *rules;
    int on_inconclusive; /* enum gate_on_inconclusive, or -1: the rules' */
};

#define AT(field) offsetof(struct check, field)

static const struct gate_option rules_rows[] = {
    {"rules", 'r', "FILE",
     "the budgets: a file, or a preset such as recommended or strict (default: .pprofgate.yml, else recommended)",
     gate_option_value_text, AT(rules), NULL},
    {0},
};
static const struct gate_option_group rules_group = {.rows = rules_rows};

static const struct gate_option inconclusive_rows[] = {
    {"on-inconclusive", 0, "WHAT",
     "end an inconclusive run as pass, warn, fail or inconclusive (default: as the rules say)", gate_option_value_word,
     AT(on_inconclusive), gate_on_inconclusive_words},
    {0},
};
static const struct gate_option_group inconclusive_group = {.rows = inconclusive_rows};

static const struct gate_option_binding options[] = {
    {&rules_group, 0},
    {&gate_profile_options_sides, AT(profiles)},
    {&gate_profile_options_pair, AT(profiles)},
    {&gate_judge_options_group, AT(judging)},
    {&inconclusive_group, 0},
    {&gate_reports_files, AT(reports)},
    {&gate_reports_details, AT(reports)},
    {&gate_profile_options_read, AT(profiles)},
    {&gate_profile_options_limits, AT(profiles)},
    {NULL, 0},
};

static const char usage[] = "Usage: pprofgate check [options] BASELINE CANARY\n"
                            "\n"
                            "Compares a canary with a baseline and decides by the budgets of a rules file.\n"
                            "Growth means more in the canary. A side is a file, - for standard input, or a\n"
                            "directory: every profile in it is one run of that side.\n"
                            "\n"
                            "Options:\n";

static const char tail[] = "\nExit status: 0 pass, 1 a failing budget is broken, 2 usage, configuration or\n"
                           "input error, 3 inconclusive. With 2, reports of an earlier run are removed.\n";

static void check_begin(void *wanted) {
    struct check *check = wanted;
    gate_profile_options_begin(&check->profiles);
    gate_reports_begin(&check->reports);
    check->on_inconclusive = -1;
}

/* Everything that is read. */
static bool check_note(struct gate_file_roles *roles, const struct check *check, struct gate_arena *arena,
                       struct gate_error *err) {
    return gate_file_roles_read(roles, "the rules", check->rules == NULL ? GATE_RULEFILE_DEFAULT : check->rules, arena,
                                err) &&
           gate_profile_options_note(&check->profiles, NULL, roles, arena, err) &&
           gate_judge_options_note(&check->judging, roles, arena, err);
}

/* The command line as a shell would take it. */
static bool check_command(struct check *check, const struct gate_cli *cli, struct gate_error *err) {
    static const char plain_bytes[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./,=:+@%";
    struct gate_buf text = {0};
    gate_buf_text(&text, "pprofgate check");
    for (int i = 0; i < cli->argc; i++) {
        const char *word = cli->argv[i];
        bool plain = word[0] != '\0' && strspn(word, plain_bytes) == strlen(word);
        gate_buf_text(&text, plain ? " " : " '");
        for (const char *c = word; *c != '\0'; c++)
            gate_buf_text(&text, *c == '\'' ? "'\\''" : (const char[]){*c, '\0'});
        gate_buf_text(&text, plain ? "" : "'");
    }
    check->judging.command = gate_str_copy(cli->arena, gate_buf_view(&text));
    gate_buf_free(&text);
    return check->judging.command.ptr != NULL || gate_arena_error(cli->arena, err);
}

static bool check_finish(struct check *check, struct gate_file_roles *roles, struct gate_cli *cli,
                         struct gate_error *err) {
    return gate_judge_options_finish(&check->judging, cli->arena, err) &&
           gate_profile_options_deal(&check->profiles, cli->arena, err) && gate_file_roles_check(roles, err) &&
           gate_reports_note(&check->reports, roles, cli, err) && check_command(check, cli, err);
}

/* A budget that asks for more runs than are known cannot do what its author thinks it does. */
static void check_tell_sustain(const struct gate_rules *rules, uint32_t known, struct gate_cli *cli) {
    const struct gate_budget *first = NULL;
    uint32_t count = 0;
    for (uint32_t i = 0; i < rules->budget_count; i++) {
        const struct gate_budget *budget = &rules->budgets[i];
        if (budget->severity != GATE_SEVERITY_ERROR || budget->sustain_n <= known)
            continue;
        first = count++ == 0 ? budget : first;
    }
    if (first == NULL)
        return;
    struct gate_buf text = {0};
    gate_buf_printf(&text, "budget '%.*s'", GATE_STR_ARG(first->name));
    if (count > 1)
        gate_buf_printf(&text, " and %u more", (unsigned)count - 1);
    gate_buf_printf(&text, " %s to fail only when %u of %u runs agree, and %u %s known", count > 1 ? "ask" : "asks",
                    (unsigned)first->sustain_k, (unsigned)first->sustain_n, (unsigned)known, known == 1 ? "is" : "are");
    if (known < first->sustain_k)
        gate_buf_text(&text, ", so it can only warn");
    gate_buf_text(&text, "; --history names earlier canaries");
    gate_cli_note(cli, gate_buf_view(&text));
    gate_buf_free(&text);
}

static bool check_judge(struct check *check, struct gate_rules *rules, struct gate_cli *cli, struct gate_error *err) {
    struct gate_verdict verdict = {0};
    struct gate_progress progress;
    if (check->on_inconclusive >= 0)
        rules->on_inconclusive = (enum gate_on_inconclusive)check->on_inconclusive;
    cli->progress = &progress;
    gate_progress_begin(&progress, cli, "reading and comparing profiles");
    bool ok = gate_judge_reach(&verdict, cli, &check->profiles, rules, &check->judging, err);
    gate_progress_stage(&progress, "writing reports");
    ok = ok && gate_reports_write(&check->reports, &verdict, cli, err);
    gate_progress_end(&progress);
    cli->progress = NULL;
    if (!ok)
        return false;
    check_tell_sustain(rules, check->judging.history.count + 1, cli);
    cli->status = gate_exit_code_of(verdict.outcome);
    return true;
}

static bool check_run(void *wanted, struct gate_cli *cli, struct gate_error *err) {
    struct check *check = wanted;
    struct gate_rules rules = {0};
    struct gate_file_roles roles = {0};
    if (!check_note(&roles, check, cli->arena, err))
        return false; /* and what may be removed is not known */
    bool ok = check_finish(check, &roles, cli, err) && gate_rulefile_load(&rules, cli, check->rules, err) &&
              check_judge(check, &rules, cli, err);
    if (!ok)
        gate_reports_remove(&check->reports, &roles, cli);
    gate_rules_free(&rules);
    return ok;
}

const struct gate_command gate_command_check = {
    .name = "check",
    .summary = "compare canary and baseline and decide: pass, fail or inconclusive",
    .usage = usage,
    .tail = tail,
    .options = options,
    .size = sizeof(struct check),
    .arguments = AT(profiles.arguments),
    .begin = check_begin,
    .run = check_run,
};
