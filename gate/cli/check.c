/* SPDX-License-Identifier: Apache-2.0 */
/* `pprofgate check`: load both sides, compare, judge by the rules, report. The command that everything is for. */
#include "gate/base/escape.h"
#include "gate/budget/plan.h"
#include "gate/cli/cli.h"
#include "gate/cli/options.h"
#include "gate/cli/output.h"
#include "gate/cli/request.h"
#include "gate/cli/rulefile.h"
#include "gate/cli/sides.h"
#include "gate/report/report.h"

#include <stdlib.h>
#include <time.h>

typedef bool report_write(struct gate_buf *out, const struct gate_verdict *verdict,
                          const struct gate_report_options *options, struct gate_arena *arena, struct gate_error *err);

/* Reports, in the order in which they are written. */
enum check_report { REPORT_JSON, REPORT_JUNIT, REPORT_HTML, REPORT_SVG, REPORT_COUNT };

static report_write *const report_writers[REPORT_COUNT] = {
    [REPORT_JSON] = gate_report_json,
    [REPORT_JUNIT] = gate_report_junit,
    [REPORT_HTML] = gate_report_html,
    [REPORT_SVG] = gate_report_svg,
};

enum check_option {
    CHECK_REPORT = GATE_REQUEST_OPTIONS_END, /* + enum check_report */
    CHECK_RULES = CHECK_REPORT + REPORT_COUNT,
    CHECK_FRAMES,
    CHECK_QUIET
};

static const struct gate_option options[] = {
    {CHECK_RULES, "rules", 'r', "FILE",
     "the budgets: a file, or a preset such as recommended or strict (default: .pprofgate.yml, else recommended)"},
    GATE_REQUEST_SIDE_OPTIONS,
    GATE_REQUEST_PAIR_OPTION,
    {0, "", 0, NULL, "Reports (FILE may be -, standard output):"},
    {CHECK_REPORT + REPORT_JSON, "json", 0, "FILE", "the verdict and every number behind it"},
    {CHECK_REPORT + REPORT_JUNIT, "junit", 0, "FILE", "a test case per budget, for CI systems"},
    {CHECK_REPORT + REPORT_HTML, "html", 0, "FILE", "the page to look at: findings, table, diff flame graph"},
    {CHECK_REPORT + REPORT_SVG, "svg", 0, "FILE", "the diff flame graph alone"},
    {CHECK_FRAMES, "frames", 0, "N|all", "rows of the frame tables (default 100)"},
    {CHECK_QUIET, "quiet", 'q', NULL, "only the verdict and the broken budgets"},
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
    const char *rules;
    const char *reports[REPORT_COUNT]; /* paths, or NULL */
    struct gate_report_options report;
    struct gate_str command; /* how to run it again */
};

static bool check_frames(uint32_t *out, const char *value, struct gate_error *err) {
    size_t number = 0;
    *out = 0;
    if (strcmp(value, "all") == 0)
        return true;
    if (!gate_option_size(&number, value, "frames", err))
        return false;
    if (number == 0 || number > UINT32_MAX)
        return gate_error_set(err, GATE_ERR_USAGE, "option '--frames': expected a number above zero or 'all', found '%s'",
                              value);
    *out = (uint32_t)number;
    return true;
}

static bool check_take(struct check *check, int id, const char *value, struct gate_cli *cli, struct gate_error *err) {
    if (id >= CHECK_REPORT && id < CHECK_REPORT + REPORT_COUNT) {
        if (check->reports[id - CHECK_REPORT] != NULL)
            return gate_error_set(err, GATE_ERR_USAGE, "'%s' and '%s' ask for one report twice",
                                  check->reports[id - CHECK_REPORT], value);
        check->reports[id - CHECK_REPORT] = value;
        return true;
    }
    switch (id) {
    case CHECK_RULES: check->rules = value; return true;
    case CHECK_FRAMES: return check_frames(&check->report.frame_limit, value, err);
    case CHECK_QUIET: check->report.quiet = true; return true;
    default: return gate_request_take(&check->request, id, value, cli->arena, err);
    }
}

/* Two reports on standard output would run into each other. */
static bool check_one_on_stdout(const struct check *check, bool *taken, struct gate_error *err) {
    for (int i = 0; i < REPORT_COUNT; i++) {
        if (check->reports[i] == NULL || strcmp(check->reports[i], "-") != 0)
            continue;
        if (*taken)
            return gate_error_set(err, GATE_ERR_USAGE, "only one report can go to standard output ('-')");
        *taken = true;
    }
    return true;
}

/* The command line as a shell would take it. */
static bool check_command(struct check *check, struct gate_arena *arena, int argc, const char *const *argv) {
    struct gate_buf text = {0};
    gate_buf_text(&text, "pprofgate check");
    for (int i = 0; i < argc; i++) {
        bool plain = argv[i][0] != '\0' && strspn(argv[i], "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                                           "-_./,=:+@%") == strlen(argv[i]);
        gate_buf_text(&text, plain ? " " : " '");
        for (const char *c = argv[i]; *c != '\0'; c++)
            gate_buf_text(&text, *c == '\'' ? "'\\''" : (const char[]){*c, '\0'});
        gate_buf_text(&text, plain ? "" : "'");
    }
    check->command = gate_str_copy(arena, gate_buf_view(&text));
    gate_buf_free(&text);
    return check->command.ptr != NULL;
}

/* ---- inputs to verdict ------------------------------------------------------------------------------------------- */

static bool check_load(struct gate_plan_input **out, uint32_t *count, struct check *check, struct gate_cli *cli,
                       struct gate_error *err) {
    struct gate_request *request = &check->request;
    *count = request->pair_count == 0 ? 1 : request->pair_count;
    *out = GATE_NEW_ARRAY(cli->arena, struct gate_plan_input, *count);
    if (*out == NULL)
        return gate_arena_error(cli->arena, err);
    for (uint32_t i = 0; i < *count; i++) {
        bool named = request->pair_count != 0;
        struct gate_sides sides;
        if (!gate_sides_load(&sides, cli, named ? request->pairs[i].paths : request->paths, &request->limits, err))
            return false;
        struct gate_plan_input *input = &(*out)[i];
        input->label = named ? request->pairs[i].label : GATE_STR("");
        input->same = sides.same;
        for (int side = 0; side < GATE_SIDES; side++) {
            input->runs[side] = sides.runs[side];
            input->counts[side] = sides.counts[side];
        }
    }
    return true;
}

/* YYYY-MM-DD, from SOURCE_DATE_EPOCH where a build asks for repeatable output, else the clock. */
static struct gate_str check_today(struct gate_arena *arena) {
    const char *epoch = getenv("SOURCE_DATE_EPOCH");
    time_t now = epoch == NULL ? time(NULL) : (time_t)strtoll(epoch, NULL, 10);
    struct tm day;
    char text[16] = "";
    if (gmtime_r(&now, &day) == NULL || strftime(text, sizeof text, "%Y-%m-%d", &day) == 0)
        return GATE_STR("");
    return gate_str_copy(arena, gate_str_from(text));
}

static bool check_decide(struct gate_verdict *out, struct check *check, const struct gate_rules *rules,
                         struct gate_cli *cli, struct gate_error *err) {
    struct gate_plan_input *inputs = NULL;
    uint32_t input_count = 0;
    struct gate_plan plan;
    const struct gate_plan_options plan_options = {
        .sample_type = check->request.sample_type,
        .where = {check->request.where, check->request.where_count},
        .frames = gate_request_frames(&check->request, rules->frames),
        .counts = gate_request_counts(&check->request, rules->counts),
    };
    if (!check_load(&inputs, &input_count, check, cli, err) ||
        !gate_plan_make(&plan, rules, inputs, input_count, &plan_options, cli->arena, err))
        return false;
    const struct gate_verdict_options options_of_verdict = {
        .comparison_of = plan.budget_comparison,
        .today = check_today(cli->arena),
        .command = check->command,
    };
    return gate_verdict_reach(out, rules, plan.comparisons, plan.comparison_count, &options_of_verdict, cli->arena, err);
}

/* ---- reports ----------------------------------------------------------------------------------------------------- */

/* All reports are made before the first is written: an error leaves no report behind. */
static bool check_report(struct check *check, const struct gate_verdict *verdict, struct gate_cli *cli,
                         struct gate_error *err) {
    struct gate_buf made[REPORT_COUNT] = {{0}};
    bool ok = true;
    for (int i = 0; ok && i < REPORT_COUNT; i++)
        if (check->reports[i] != NULL)
            ok = report_writers[i](&made[i], verdict, &check->report, cli->arena, err) && gate_buf_check(&made[i], err);
    for (int i = 0; ok && i < REPORT_COUNT; i++)
        if (check->reports[i] != NULL)
            ok = gate_output_write(cli, check->reports[i], gate_buf_view(&made[i]), err);
    for (int i = 0; i < REPORT_COUNT; i++)
        gate_buf_free(&made[i]);
    return ok;
}

/* The text for people goes to standard output, or beside a report that went there. */
static bool check_tell(struct check *check, const struct gate_verdict *verdict, bool stdout_taken, struct gate_cli *cli,
                       struct gate_error *err) {
    FILE *stream = stdout_taken ? cli->err : cli->out;
    struct gate_buf text = {0};
    struct gate_report_options terminal = check->report;
    terminal.colour = gate_cli_wants_colour(stream);
    bool ok = gate_report_terminal(&text, verdict, &terminal, cli->arena, err) && gate_buf_check(&text, err);
    if (ok && !gate_cli_write(stream, gate_buf_view(&text)))
        ok = gate_error_set(err, GATE_ERR_IO, "cannot write the verdict to standard output");
    gate_buf_free(&text);
    return ok;
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

static int check_help(struct gate_cli *cli) {
    struct gate_buf out = {0};
    gate_buf_text(&out, usage);
    gate_option_help(&out, options);
    gate_buf_text(&out, "\nExit status: 0 pass, 1 a failing budget is broken, 2 usage, configuration or\n"
                        "input error, 3 inconclusive.\n");
    bool ok = gate_cli_write(cli->out, gate_buf_view(&out));
    gate_buf_free(&out);
    return ok ? GATE_EXIT_PASS : GATE_EXIT_ERROR;
}

static int check_with_rules(struct check *check, const struct gate_rules *rules, bool stdout_taken,
                            struct gate_cli *cli) {
    struct gate_error err = {0};
    struct gate_verdict verdict = {0};
    if (!check_decide(&verdict, check, rules, cli, &err) || !check_report(check, &verdict, cli, &err) ||
        !check_tell(check, &verdict, stdout_taken, cli, &err))
        return gate_cli_fail(cli, &err);
    return check_status(&verdict);
}

int gate_check_run(struct gate_cli *cli, int argc, const char *const *argv) {
    struct check check = {.report = {.frame_limit = 100, .min_share = 0.001, .columns = 80}};
    struct gate_error err = {0};
    struct gate_option_walk walk = {.options = options, .argv = argv, .argc = argc};
    bool stdout_taken = false;
    gate_request_init(&check.request);
    for (int id; (id = gate_option_next(&walk, &err)) != GATE_OPTION_END;) {
        if (id == GATE_OPTION_HELP)
            return check_help(cli);
        if (id == GATE_OPTION_ERROR || !check_take(&check, id, walk.value, cli, &err))
            return gate_cli_fail(cli, &err);
    }
    if (!gate_request_finish(&check.request, cli->arena, &err) || !check_one_on_stdout(&check, &stdout_taken, &err) ||
        (!check_command(&check, cli->arena, argc, argv) && !gate_arena_error(cli->arena, &err)))
        return gate_cli_fail(cli, &err);
    struct gate_rules rules = {0};
    if (!gate_rulefile_load(&rules, cli, check.rules))
        return GATE_EXIT_ERROR;
    int status = check_with_rules(&check, &rules, stdout_taken, cli);
    gate_rules_free(&rules);
    return status;
}
