/* SPDX-License-Identifier: Apache-2.0 */
/* `pprofgate diff`: what changed between two sides, without rules and without a verdict. */
#include "gate/compare/comparison.h"
#include "gate/cli/cli.h"
#include "gate/cli/inputs.h"
#include "gate/cli/outfile.h"
#include "gate/cli/overwrite.h"
#include "gate/cli/request.h"
#include "gate/report/report.h"

typedef bool diff_write(struct gate_buf *out, const struct gate_verdict *verdict,
                        const struct gate_report_options *options, struct gate_arena *arena, struct gate_error *err);

enum diff_output { DIFF_JSON, DIFF_PPROF, DIFF_FOLDED, DIFF_OUTPUTS };
static diff_write *const writers[DIFF_OUTPUTS] = {gate_report_diff_json, gate_report_pprof_diff, gate_report_folded};

enum diff_option { DIFF_OUTPUT = GATE_REQUEST_OPTIONS_END, DIFF_FRAMES = DIFF_OUTPUT + DIFF_OUTPUTS };

static const struct gate_option options[] = {
    GATE_REQUEST_SIDE_OPTIONS,
    {DIFF_OUTPUT + DIFF_JSON, "json", 0, "FILE", "every frame's numbers (- is standard output, for each of these)"},
    {DIFF_OUTPUT + DIFF_PPROF, "pprof-diff", 0, "FILE", "a pprof profile that `go tool pprof` opens as a diff"},
    {DIFF_OUTPUT + DIFF_FOLDED, "folded", 0, "FILE", "collapsed stacks with a baseline and a canary column"},
    {DIFF_FRAMES, "frames", 0, "N|all", "rows of the tables (default 30 as text, all as JSON)"},
    GATE_REQUEST_READ_OPTIONS,
    GATE_REQUEST_LIMIT_OPTIONS,
    {0, NULL, 0, NULL, NULL},
};

static const char usage[] =
    "Usage: pprofgate diff [options] BASELINE CANARY\n"
    "\n"
    "Shows what changed between two sides. No rules apply and nothing is decided: the\n"
    "exit status is 0 unless an input cannot be read or compared.\n"
    "\n"
    "Options:\n";

/* A command line of diff, parsed. */
struct diff {
    struct gate_request request;
    const char *paths[DIFF_OUTPUTS];
    bool has_frames;
    uint32_t frames; /* 0: all */
};

static bool diff_take(void *context, int id, const char *value, struct gate_cli *cli, struct gate_error *err) {
    struct diff *diff = context;
    size_t number = 0;
    if (id >= DIFF_OUTPUT && id < DIFF_OUTPUT + DIFF_OUTPUTS) {
        diff->paths[id - DIFF_OUTPUT] = value;
        return true;
    }
    if (id != DIFF_FRAMES)
        return gate_request_take(&diff->request, id, value, cli->arena, err);
    if (strcmp(value, "all") != 0 && !gate_option_size(&number, value, "frames", err))
        return false;
    diff->has_frames = true;
    diff->frames = number > UINT32_MAX ? UINT32_MAX : (uint32_t)number;
    return true;
}

static bool diff_compare(struct gate_verdict *verdict, const struct diff *diff, const struct gate_rules *rules,
                         struct gate_cli *cli, struct gate_error *err) {
    static const double no_work[GATE_SIDES] = {0, 0};
    struct gate_inputs inputs;
    if (!gate_inputs_make(&inputs, cli, &diff->request, rules, err) ||
        !gate_comparison_judge(&inputs.plan.comparisons[0], no_work, cli->arena, err))
        return false;
    *verdict = (struct gate_verdict){.rules = rules,
                                     .comparisons = inputs.plan.comparisons,
                                     .comparison_count = 1,
                                     .warnings = inputs.warnings,
                                     .warning_count = inputs.warning_count};
    return true;
}

static bool diff_output(const struct diff *diff, const struct gate_verdict *verdict, struct gate_cli *cli,
                        struct gate_error *err) {
    struct gate_buf out = {0};
    bool ok = true;
    bool stdout_taken = false;
    for (int i = 0; ok && i < DIFF_OUTPUTS; i++) {
        const struct gate_report_options report = {.frame_limit = diff->frames};
        if (diff->paths[i] == NULL)
            continue;
        stdout_taken = stdout_taken || strcmp(diff->paths[i], "-") == 0;
        out.len = 0;
        ok = writers[i](&out, verdict, &report, cli->arena, err) &&
             gate_outfile_write(cli, diff->paths[i], gate_buf_view(&out), err);
    }
    out.len = 0;
    const struct gate_report_options text = {.frame_limit = diff->has_frames ? diff->frames : 30};
    ok = ok && (stdout_taken || (gate_report_diff_text(&out, verdict, &text, cli->arena, err) &&
                                 gate_outfile_write(cli, "-", gate_buf_view(&out), err)));
    gate_buf_free(&out);
    return ok;
}

static bool diff_finish(struct diff *diff, struct gate_arena *arena, struct gate_error *err) {
    struct gate_overwrite places = {0};
    bool ok = gate_request_finish(&diff->request, arena, err) &&
              gate_overwrite_read_request(&places, &diff->request, arena, err);
    for (int i = 0; ok && i < DIFF_OUTPUTS; i++)
        ok = gate_overwrite_write(&places, diff->paths[i], arena, err);
    return ok;
}

static const struct gate_syntax syntax = {.usage = usage, .options = options, .take = diff_take};

int gate_diff_run(struct gate_cli *cli, int argc, const char *const *argv) {
    struct diff diff = {0};
    struct gate_error err = {0};
    int status = GATE_EXIT_PASS;
    gate_request_init(&diff.request);
    if (!gate_cli_read(&status, cli, &syntax, &diff, argc, argv))
        return status;
    const struct gate_rules rules = {.source = GATE_STR("none")};
    struct gate_verdict verdict;
    bool ok = diff_finish(&diff, cli->arena, &err) && diff_compare(&verdict, &diff, &rules, cli, &err) &&
              diff_output(&diff, &verdict, cli, &err);
    return ok ? GATE_EXIT_PASS : gate_cli_fail(cli, &err);
}
