/* SPDX-License-Identifier: Apache-2.0 */
/* The command `diff`: shows what changed between two sides, without rules. */
#include "gate/cli/command.h"
#include "gate/cli/option_groups.h"
#include "gate/cli/options.h"
#include "gate/report/diff_text.h"
#include "gate/report/report.h"
#include "gate/session/debuginfod.h"
#include "gate/session/judge.h"
#include "gate/session/reports.h"

enum { DIFF_FORMATS = 4, TEXT_FRAMES = 30 };

/* The reports of a diff. */
static const struct {
    const struct gate_report_format *report;
    const char *help;
} formats[DIFF_FORMATS] = {
    {&gate_report_diff_json, "every frame's numbers (- is standard output, for each of these)"},
    {&gate_report_html, "a page to look at: what changed most, table, diff flame graph"},
    {&gate_report_pprof_diff, "a pprof profile that `go tool pprof` opens as a diff"},
    {&gate_report_folded, "collapsed stacks with a baseline and a canary column"},
};

/* Options of `diff`. */
struct diff {
    struct gate_profile_options profiles;
    const char *paths[DIFF_FORMATS];
    struct gate_row_limit frames;
    double min_share;
    const char *source_url;
};

#define AT(field) .at = offsetof(struct diff, field)

static bool format_row(struct gate_option *out, size_t index, struct gate_arena *arena) {
    (void)arena;
    *out = (struct gate_option){0};
    if (index < DIFF_FORMATS)
        *out = gate_option_of_file(formats[index].report->name, formats[index].help,
                                   offsetof(struct diff, paths) + index * sizeof(const char *));
    return true;
}

static const struct gate_option_group format_group = {.row = format_row};

static const struct gate_option frames_rows[] = {
    {"frames", 0, "N|all", "rows of the tables (default 30 as text, all as JSON; 0: none)", gate_reports_read_row_limit,
     AT(frames)},
    {"min-share", 0, "PERCENT", "smallest box of the page's flame graph (default 0.1; 0: all)",
     gate_option_value_percent, AT(min_share)},
    {"source-url", 0, "URL", "where sources are, for links of the page: https://HOST/.../{path}#L{line}",
     gate_reports_read_source_url, AT(source_url)},
    {0},
};

static const struct gate_option_group frames_group = {.rows = frames_rows};

static const struct gate_option_binding options[] = {
    {&gate_profile_options_sides, AT(profiles)},
    {&format_group, 0},
    {&frames_group, 0},
    {&gate_profile_options_read, AT(profiles)},
    {&gate_symbol_options_group, AT(profiles.symbols)},
    {&gate_profile_options_limits, AT(profiles)},
    {NULL, 0},
};

static const char usage[] = "Usage: pprofgate diff [options] BASELINE CANARY\n"
                            "\n"
                            "Shows what changed between two sides. No rules apply and nothing is decided: the\n"
                            "exit status is 0 unless an input cannot be read or compared.\n"
                            "\n"
                            "Options:\n";

static const struct gate_example examples[] = {
    {"what changed most", "pprofgate diff baseline.pb.gz canary.pb.gz"},
    {"drawn, as one page", "pprofgate diff --html diff.html baseline.pb.gz canary.pb.gz"},
    {"by package", "pprofgate diff --granularity package baseline.pb.gz canary.pb.gz"},
    {NULL, NULL}};

static void diff_begin(void *wanted) {
    ((struct diff *)wanted)->min_share = 0.001;
}

/* Makes every report, and the text unless a report uses standard output. All are made before the first is written. */
static bool diff_make(struct gate_buf made[DIFF_FORMATS + 1], const struct diff *diff,
                      const struct gate_verdict *verdict, struct gate_session *session, struct gate_error *err) {
    struct gate_trees trees = {0};
    const struct gate_report_options report = {.frame_limit = diff->frames.rows,
                                               .min_share = diff->min_share,
                                               .without_verdict = true,
                                               .source_url = diff->source_url,
                                               .trees = &trees};
    const struct gate_report_options text = {.frame_limit = diff->frames.is_given ? diff->frames.rows : TEXT_FRAMES,
                                             .columns = gate_session_columns(session->out, 0)};
    bool stdout_taken = false;
    for (int i = 0; i < DIFF_FORMATS; i++) {
        if (diff->paths[i] == NULL)
            continue;
        stdout_taken = stdout_taken || gate_paths_is_stream(diff->paths[i]);
        if (!formats[i].report->write(&made[i], verdict, &report, session->arena, err) ||
            !gate_buf_check(&made[i], err))
            return false;
    }
    return stdout_taken || (gate_report_diff_text(&made[DIFF_FORMATS], verdict, &text, session->arena, err) &&
                            gate_buf_check(&made[DIFF_FORMATS], err));
}

static bool diff_output(const struct diff *diff, const struct gate_verdict *verdict, struct gate_session *session,
                        struct gate_error *err) {
    struct gate_buf made[DIFF_FORMATS + 1] = {{0}};
    bool ok = diff_make(made, diff, verdict, session, err) && gate_arena_check(session->arena, err);
    struct gate_output_file files[DIFF_FORMATS];
    for (int i = 0; i < DIFF_FORMATS; i++)
        files[i] = (struct gate_output_file){diff->paths[i], gate_buf_view(&made[i])};
    ok = ok && gate_output_write_all(session, files, DIFF_FORMATS, err) &&
         (made[DIFF_FORMATS].len == 0 || gate_session_print(session, &made[DIFF_FORMATS], err));
    for (int i = 0; i <= DIFF_FORMATS; i++)
        gate_buf_free(&made[i]);
    return ok;
}

static bool diff_finish(struct diff *diff, struct gate_session *session, struct gate_error *err) {
    struct gate_arena *arena = session->arena;
    struct gate_file_roles roles = {0};
    bool ok = gate_profile_options_note(&diff->profiles, NULL, &roles, arena, err) &&
              gate_profile_options_deal(&diff->profiles, arena, err) && gate_file_roles_check(&roles, err);
    for (int i = 0; ok && i < DIFF_FORMATS; i++)
        ok = (!formats[i].report->is_binary ||
              gate_output_spare_terminal(session, diff->paths[i], formats[i].report->name, err)) &&
             gate_file_roles_write(&roles, diff->paths[i], formats[i].report->mark, session, err);
    return ok;
}

static bool diff_run(void *wanted, struct gate_session *session, struct gate_error *err) {
    struct diff *diff = wanted;
    const struct gate_rules rules = {.source = GATE_STR("none")};
    struct gate_verdict verdict;
    return diff_finish(diff, session, err) && gate_debuginfod_open(&diff->profiles.symbols, session, err) &&
           gate_judge_diff(&verdict, session, &diff->profiles, &rules, err) &&
           diff_output(diff, &verdict, session, err);
}

const struct gate_command gate_command_diff = {
    .name = "diff",
    .summary = "show what changed between two sides, without rules",
    .usage = usage,
    .examples = examples,
    .writes = true,
    .options = options,
    .size = sizeof(struct diff),
    .arguments = offsetof(struct diff, profiles.arguments),
    .begin = diff_begin,
    .run = diff_run,
};
