/* SPDX-License-Identifier: Apache-2.0 */
/* `pprofgate check`: load both sides, compare, judge by the rules, report. The command that everything is for. */
#include "gate/cli/cli.h"
#include "gate/cli/inputs.h"
#include "gate/cli/reports.h"
#include "gate/cli/progress.h"
#include "gate/cli/request.h"
#include "gate/cli/rulefile.h"

enum check_option {
    CHECK_RULES = GATE_REQUEST_OPTIONS_END,
    CHECK_ON_INCONCLUSIVE
};

static const struct gate_option options[] = {
    {CHECK_RULES, "rules", 'r', "FILE",
     "the budgets: a file, or a preset such as recommended or strict (default: .pprofgate.yml, else recommended)"},
    GATE_REQUEST_SIDE_OPTIONS,
    GATE_REQUEST_PAIR_OPTION,
    GATE_JUDGING_OPTIONS,
    {CHECK_ON_INCONCLUSIVE, "on-inconclusive", 0, "WHAT",
     "end an inconclusive run as pass, warn, fail or inconclusive (default: as the rules say)"},
    GATE_REPORTS_OPTIONS,
    GATE_REQUEST_READ_OPTIONS,
    GATE_REQUEST_LIMIT_OPTIONS,
    {0, NULL, 0, NULL, NULL},
};

static const char usage[] =
    "Usage: pprofgate check [options] BASELINE CANARY\n"
    "\n"
    "Compares a canary with a baseline and decides by the budgets of a rules file.\n"
    "Growth means more in the canary. A side is a file, - for standard input, or a\n"
    "directory: every profile in it is one run of that side.\n"
    "\n"
    "Options:\n";

/* A command line of check, parsed. */
struct check {
    struct gate_request request;
    struct gate_reports outputs;
    const char *rules;
    int on_inconclusive; /* enum gate_on_inconclusive, or -1: the rules' */
    struct gate_judging judging;
};

static bool check_take(void *context, int id, const char *value, struct gate_cli *cli, struct gate_error *err) {
    struct check *check = context;
    static const char *const words[] = {"inconclusive", "pass", "warn", "fail", NULL};
    switch (id) {
    case CHECK_RULES:
        check->rules = value;
        return true;
    case CHECK_ON_INCONCLUSIVE:
        return gate_option_word(&check->on_inconclusive, value, "on-inconclusive", words, err);
    default:
        if (id >= GATE_JUDGING_FIRST)
            return gate_judging_take(&check->judging, id, value, cli->arena, err);
        if (id >= GATE_REPORTS_FIRST)
            return gate_reports_take(&check->outputs, id, value, err);
        return gate_request_take(&check->request, id, value, cli->arena, err);
    }
}

/* Everything that is read. */
static bool check_reads(struct gate_overwrite *places, const struct check *check, struct gate_arena *arena,
                        struct gate_error *err) {
    bool ok = gate_overwrite_read(places, check->rules == NULL ? GATE_RULEFILE_DEFAULT : check->rules, arena, err) &&
              gate_overwrite_read_request(places, &check->request, arena, err);
    for (uint32_t i = 0; ok && i < check->judging.noise_count; i++)
        ok = gate_overwrite_read(places, check->judging.noise[i], arena, err);
    for (uint32_t i = 0; ok && i < check->judging.history.count; i++)
        ok = gate_overwrite_read(places, check->judging.history.items[i], arena, err);
    return ok;
}

static bool check_finish(struct check *check, struct gate_cli *cli, struct gate_error *err) {
    struct gate_overwrite places = {0};
    return gate_judging_finish(&check->judging, err) && gate_request_finish(&check->request, cli->arena, err) &&
           check_reads(&places, check, cli->arena, err) &&
           gate_reports_finish(&check->outputs, &places, cli->arena, err);
}

/* The command line as a shell would take it. */
static bool check_command(struct check *check, struct gate_arena *arena, int argc, const char *const *argv) {
    static const char plain_bytes[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./,=:+@%";
    struct gate_buf text = {0};
    gate_buf_text(&text, "pprofgate check");
    for (int i = 0; i < argc; i++) {
        bool plain = argv[i][0] != '\0' && strspn(argv[i], plain_bytes) == strlen(argv[i]);
        gate_buf_text(&text, plain ? " " : " '");
        for (const char *c = argv[i]; *c != '\0'; c++)
            gate_buf_text(&text, *c == '\'' ? "'\\''" : (const char[]){*c, '\0'});
        gate_buf_text(&text, plain ? "" : "'");
    }
    check->judging.command = gate_str_copy(arena, gate_buf_view(&text));
    gate_buf_free(&text);
    return check->judging.command.ptr != NULL;
}

static int check_status(const struct gate_verdict *verdict) {
    switch (verdict->outcome) {
    case GATE_OUTCOME_FAIL: return GATE_EXIT_FAIL;
    case GATE_OUTCOME_INCONCLUSIVE: return GATE_EXIT_INCONCLUSIVE;
    case GATE_OUTCOME_PROVEN:
    case GATE_OUTCOME_PASS:
    case GATE_OUTCOME_WARN: return GATE_EXIT_PASS;
    }
    return GATE_EXIT_BUG;
}

static int check_run(const struct check *check, struct gate_cli *cli) {
    struct gate_error err = {0};
    struct gate_rules rules = {0};
    struct gate_verdict verdict = {0};
    if (!gate_rulefile_load(&rules, cli, check->rules))
        return GATE_EXIT_ERROR;
    if (check->on_inconclusive >= 0)
        rules.on_inconclusive = (enum gate_on_inconclusive)check->on_inconclusive;
    struct gate_progress progress;
    cli->progress = &progress;
    gate_progress_begin(&progress, cli, "reading and comparing profiles");
    bool ok = gate_inputs_judge(&verdict, cli, &check->request, &rules, &check->judging, &err);
    gate_progress_stage(&progress, "writing reports");
    ok = ok && gate_reports_write(&check->outputs, &verdict, cli, &err);
    gate_progress_end(&progress);
    cli->progress = NULL;
    int status = ok ? check_status(&verdict) : gate_cli_fail(cli, &err);
    gate_rules_free(&rules);
    return status;
}

static const char tail[] = "\nExit status: 0 pass, 1 a failing budget is broken, 2 usage, configuration or\n"
                           "input error, 3 inconclusive.\n";
static const struct gate_syntax syntax = {.usage = usage, .options = options, .take = check_take, .tail = tail};

int gate_check_run(struct gate_cli *cli, int argc, const char *const *argv) {
    struct check check = {.on_inconclusive = -1};
    struct gate_error err = {0};
    int status = GATE_EXIT_PASS;
    gate_request_init(&check.request);
    gate_reports_init(&check.outputs);
    if (!gate_cli_read(&status, cli, &syntax, &check, argc, argv))
        return status;
    if (!check_finish(&check, cli, &err) ||
        (!check_command(&check, cli->arena, argc, argv) && !gate_arena_error(cli->arena, &err)))
        return gate_cli_fail(cli, &err);
    return check_run(&check, cli);
}
