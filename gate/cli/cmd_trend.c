/* SPDX-License-Identifier: Apache-2.0 */
/* The command `trend`: finds costs that grow slowly over many builds. */
#include "gate/base/file.h"
#include "gate/budget/outcome.h"
#include "gate/budget/replaced.h"
#include "gate/budget/trend.h"
#include "gate/cli/command.h"
#include "gate/cli/option_groups.h"
#include "gate/cli/options.h"
#include "gate/report/trend_report.h"
#include "gate/rules/rules_parse.h"
#include "gate/session/debuginfod.h"
#include "gate/session/reports.h"
#include "gate/session/rules_in_force.h"
#include "gate/session/session.h"
#include "gate/session/trend_runs.h"

#include <errno.h>

/* Options of `trend`, and the loaded runs. */
struct trend {
    struct gate_profile_options profiles;
    struct gate_store_options where;
    uint32_t last;
    const char *rules_path, *folder;
    const char *paths[GATE_TREND_REPORTS];
    const char *places[GATE_TREND_REPORTS]; /* paths in the folder of --report, or NULL */
    int on_inconclusive;
    bool quiet;
    struct gate_trend_runs runs;
};

#define AT(field) .at = offsetof(struct trend, field)

static const struct gate_option trend_rows[] = {
    {"rules", 'r', "FILE",
     "the budgets of measure 'trend': a file or a preset (default: .pprofgate.yml; without such budgets, the preset "
     "trend)",
     gate_option_value_text, AT(rules_path)},
    {"last", 0, "N", "only the newest N builds", gate_option_value_count32, AT(last)},
    {"on-inconclusive", 0, "WHAT",
     "outcome of an inconclusive run: pass, warn, fail or inconclusive (default: as in the rules)",
     gate_option_value_word, AT(on_inconclusive), gate_on_inconclusive_words},
    {"quiet", 'q', NULL, "only the verdict and what is broken", gate_option_value_flag, AT(quiet)},
    {"report", 0, "DIR", "all of these in a folder: trend.html, trend.json, trend.md, trend-junit.xml",
     gate_option_value_text, AT(folder), .output = GATE_OPTION_FOLDER},
    {0},
};

static const struct gate_option_group trend_group = {.rows = trend_rows};

static bool format_row(struct gate_option *out, size_t index, struct gate_arena *arena) {
    (void)arena;
    *out = (struct gate_option){0};
    if (index < GATE_TREND_REPORTS)
        *out = gate_option_of_file(gate_trend_reports[index].name, gate_trend_reports[index].help,
                                   offsetof(struct trend, paths) + index * sizeof(const char *));
    return true;
}

static const struct gate_option_group format_group = {.row = format_row};

static const struct gate_option_binding options[] = {
    {&trend_group, 0},
    {&format_group, 0},
    {&gate_store_options_place, AT(where)},
    {&gate_store_options_reading, AT(where)},
    {&gate_profile_options_read, AT(profiles)},
    {&gate_symbol_options_group, AT(profiles.symbols)},
    {&gate_profile_options_limits, AT(profiles)},
    {NULL, 0},
};

static const char usage[] = "Usage: pprofgate trend [options] --store DIR --service NAME\n"
                            "       pprofgate trend [options] PROFILE...\n"
                            "       pprofgate trend [options] DIR\n"
                            "\n"
                            "Fits a slope to each function and to the whole, over the builds that were\n"
                            "accepted (or profiles in their order), and decides by the rules' budgets of\n"
                            "measure 'trend': a leak, or cost that creeps up a little with every build. One\n"
                            "step is not a slope: it is named, and 'check' judges it. Of profiles, each is a\n"
                            "point, and so is a folder of runs; a folder alone holds the points.\n"
                            "\n"
                            "Options:\n";

static const char tail[] = "\nExit status: 0 pass, 1 fail: a budget is broken, 2 usage, configuration or\n"
                           "input error, 3 inconclusive. At least 5 builds are needed to decide anything.\n";

static void trend_begin(void *wanted) {
    ((struct trend *)wanted)->on_inconclusive = -1;
}

/* ---- rules ------------------------------------------------------------------------------------------------------- */

/* Loads the rules. If they have no trend budget, uses those of the preset; the rules for frames are kept. */
static bool trend_rules(struct gate_rules *rules, struct trend *trend, struct gate_session *session,
                        struct gate_error *err) {
    struct gate_rules preset = {0};
    if (!gate_rulefile_load(rules, session, trend->rules_path, err))
        return false;
    if (trend->on_inconclusive >= 0)
        rules->on_inconclusive = (enum gate_on_inconclusive)trend->on_inconclusive;
    bool has_own;
    uint32_t others = gate_trend_verdict_set_aside(rules, &has_own);
    if (has_own && others > 0)
        return gate_trend_runs_note(&trend->runs,
                                    gate_str_format(session->arena,
                                                    "%u budget%s of other measures %s not looked at: 'pprofgate check' "
                                                    "judges %s",
                                                    (unsigned)others, others == 1 ? "" : "s",
                                                    others == 1 ? "is" : "are", others == 1 ? "it" : "them"),
                                    session->arena, err);
    if (has_own)
        return true;
    bool is_told = !rules->is_default;
    struct gate_str source = rules->source;
    bool ok = gate_rules_parse_preset(&preset, "trend", session->arena, err);
    rules->budgets = preset.budgets;
    rules->budget_count = ok ? preset.budget_count : 0;
    if (ok && !is_told) {
        rules->source = preset.source;
        rules->digest = preset.digest;
    }
    /* The preset has no patterns, so it need not be freed. */
    GATE_ASSERT(preset.regex_count == 0);
    return ok && (!is_told ||
                  gate_trend_runs_note(&trend->runs,
                                       gate_str_format(session->arena,
                                                       "%.*s has no budget of measure 'trend': those of the preset "
                                                       "'trend' apply",
                                                       GATE_STR_ARG(source)),
                                       session->arena, err));
}

/* ---- inputs and outputs ------------------------------------------------------------------------------------------ */

static bool trend_check(const struct trend *trend, struct gate_error *err) {
    if (trend->where.store == NULL && (trend->where.service != NULL || trend->where.environment != NULL))
        return gate_error_set(err, GATE_ERR_USAGE, "'--service' is for builds of a store; add --store DIR");
    if (trend->where.store != NULL && trend->profiles.arguments.count > 0)
        return gate_error_set(err, GATE_ERR_USAGE, "unexpected '%s': with '--store' the store has the profiles",
                              trend->profiles.arguments.items[0]);
    if (trend->where.store != NULL)
        return gate_store_options_check(&trend->where, true, err);
    if (trend->profiles.arguments.count == 0)
        return gate_error_set(err, GATE_ERR_USAGE,
                              "there is nothing to look at: expected --store DIR --service NAME, or profiles in their "
                              "order");
    return true;
}

/* Records all inputs and outputs, so that no output overwrites an input. */
static bool trend_note(struct trend *trend, struct gate_file_roles *roles, struct gate_session *session,
                       struct gate_error *err) {
    const char *rules = trend->rules_path == NULL ? GATE_RULEFILE_DEFAULT : trend->rules_path;
    if (!gate_file_roles_read(roles, "the rules", rules, session->arena, err) ||
        !gate_profile_options_note(&trend->profiles, "a profile", roles, session->arena, err) ||
        !gate_file_roles_check(roles, err))
        return false;
    for (int i = 0; trend->folder != NULL && i < GATE_TREND_REPORTS; i++) {
        trend->places[i] = gate_str_format(session->arena, "%s/%s", trend->folder, gate_trend_reports[i].file).ptr;
        if (trend->places[i] == NULL)
            return gate_arena_error(session->arena, err);
    }
    for (int i = 0; i < GATE_TREND_REPORTS; i++)
        if (!gate_file_roles_write(roles, trend->paths[i], gate_trend_reports[i].mark, session, err) ||
            !gate_file_roles_write(roles, trend->places[i], gate_trend_reports[i].mark, session, err))
            return false;
    return gate_file_roles_end(roles);
}

/* After a run without a decision, removes the reports of an earlier run. */
static void trend_remove(const struct trend *trend, const struct gate_file_roles *roles, struct gate_session *session) {
    for (int i = 0; i < GATE_TREND_REPORTS; i++)
        for (int k = 0; k < 2; k++)
            gate_reports_remove_file(k == 0 ? trend->paths[i] : trend->places[i], gate_trend_reports[i].mark, roles,
                                     session);
}

static bool trend_write(const struct trend *trend, const struct gate_trend_verdict *verdict,
                        struct gate_session *session, struct gate_error *err) {
    struct gate_buf made[GATE_TREND_REPORTS] = {{0}}, text = {0}, summary = {0};
    bool ok = trend->folder == NULL || gate_folders_make(trend->folder, err), is_taken = false;
    for (int i = 0; ok && i < GATE_TREND_REPORTS; i++) {
        if (trend->paths[i] == NULL && trend->places[i] == NULL)
            continue;
        is_taken = is_taken || (trend->paths[i] != NULL && gate_paths_is_stream(trend->paths[i]));
        gate_trend_reports[i].write(&made[i], verdict);
        ok = gate_buf_check(&made[i], err);
    }
    FILE *stream = is_taken ? session->err : session->out;
    gate_trend_markdown(&summary, verdict);
    const struct gate_trend_text_options terminal = {.columns = gate_session_columns(stream, 80),
                                                     .quiet = trend->quiet,
                                                     .verbose = session->is_verbose,
                                                     .colour = gate_session_wants_colour(session, stream)};
    gate_trend_text(&text, verdict, &terminal);
    ok = ok && gate_buf_check(&summary, err) && gate_buf_check(&text, err) && gate_arena_check(session->arena, err);
    for (int i = 0; ok && i < GATE_TREND_REPORTS; i++)
        ok = (trend->paths[i] == NULL || gate_output_write(session, trend->paths[i], gate_buf_view(&made[i]), err)) &&
             (trend->places[i] == NULL || gate_output_write(session, trend->places[i], gate_buf_view(&made[i]), err));
    gate_progress_end(session->progress);
    ok = ok && gate_reports_append_summary(gate_buf_view(&summary), err);
    if (ok && !gate_stream_write(stream, gate_buf_view(&text)))
        ok = gate_error_set(err, GATE_ERR_IO, "cannot write the verdict to standard output: %s", strerror(errno));
    for (int i = 0; i < GATE_TREND_REPORTS; i++)
        gate_buf_free(&made[i]);
    gate_buf_free(&text);
    gate_buf_free(&summary);
    return ok;
}

/* ---- the command ------------------------------------------------------------------------------------------------- */

static bool trend_load(struct trend *trend, struct gate_session *session, struct gate_error *err) {
    const struct gate_trend_runs_options how = {.where = trend->where,
                                                .paths = &trend->profiles.arguments,
                                                .sample_type = trend->profiles.sample_type,
                                                .last = trend->last,
                                                .limits = &trend->profiles.limits,
                                                .needs = gate_symbol_options_needs(&trend->profiles.symbols)};
    return gate_trend_runs_load(&trend->runs, &how, session, err);
}

/* Adds a note on files that have another path in the newest profiles. */
static bool trend_moved(struct gate_trend_runs *runs, const struct gate_plan *plan, struct gate_arena *arena,
                        struct gate_error *err) {
    for (uint32_t i = 0; i < plan->comparison_count; i++) {
        struct gate_str note = gate_replaced_files(&plan->comparisons[i], "the newest profiles", arena);
        if ((note.ptr == NULL || note.len > 0) && !gate_trend_runs_note(runs, note, arena, err))
            return false;
    }
    return true;
}

static bool trend_judge(struct trend *trend, struct gate_rules *rules, struct gate_session *session,
                        struct gate_error *err) {
    struct gate_plan plan;
    struct gate_trend_verdict verdict;
    const struct gate_pair_options pairing =
        gate_profile_options_pairing(&trend->profiles, rules->frames, rules->counts);
    const struct gate_plan_options how = {.sample_type = pairing.sample_type,
                                          .where = pairing.where,
                                          .frames = pairing.frames,
                                          .counts = pairing.counts,
                                          .is_series = true};
    const struct gate_run_input *runs = trend->runs.runs;
    if (!gate_plan_count_cpu(&runs, &trend->runs.run_count, 1, &trend->profiles.limits, session->arena, err))
        return false;
    /* A pair needs two sides; all builds are the first one. */
    const struct gate_plan_input input = {.runs = {runs, runs}, .counts = {trend->runs.run_count, 1}};
    const struct gate_str today = gate_rulefile_today(session->arena);
    if (today.ptr == NULL) /* without a date no waiver would be expired */
        return gate_arena_error(session->arena, err);
    const struct gate_trend_verdict_input judged = {.rules = rules,
                                                    .plan = &plan,
                                                    .points = trend->runs.points,
                                                    .point_count = trend->runs.point_count,
                                                    .today = today};
    gate_progress_stage(session->progress, "comparing builds");
    if (!gate_plan_make(&plan, rules, &input, 1, &how, session->arena, err) ||
        !gate_trend_verdict_reach(&verdict, &judged, session->arena, err) ||
        !trend_moved(&trend->runs, &plan, session->arena, err))
        return false;
    verdict.from = trend->runs.from;
    verdict.notes = trend->runs.notes;
    verdict.note_count = trend->runs.note_count;
    if (!trend_write(trend, &verdict, session, err))
        return false;
    for (uint32_t i = 0; i < verdict.result_count; i++) {
        session->told.failed += verdict.results[i].outcome == GATE_OUTCOME_FAIL;
        session->told.inconclusive += verdict.results[i].outcome == GATE_OUTCOME_INCONCLUSIVE;
        session->told.warned += verdict.results[i].outcome == GATE_OUTCOME_WARN;
        session->told.causes += verdict.results[i].failed;
    }
    session->told.report = trend->folder;
    session->status = gate_exit_code_of(verdict.outcome);
    return true;
}

static bool trend_run(void *wanted, struct gate_session *session, struct gate_error *err) {
    struct trend *trend = wanted;
    struct gate_rules rules = {0};
    struct gate_file_roles roles = {0};
    bool ok = trend_check(trend, err) && trend_note(trend, &roles, session, err) &&
              gate_debuginfod_open(&trend->profiles.symbols, session, err) && trend_load(trend, session, err) &&
              trend_rules(&rules, trend, session, err) && trend_judge(trend, &rules, session, err);
    if (!ok && gate_file_roles_are_certain(&roles, err))
        trend_remove(trend, &roles, session);
    gate_rules_free(&rules);
    return ok;
}

static const struct gate_example examples[] = {
    {"what creeps up over the profiles of eight builds, oldest first", "pprofgate trend leak-*.pb.gz"},
    {"of the accepted builds of a service", "pprofgate trend --store baselines --service shop"},
    {NULL, NULL}};

const struct gate_command gate_command_trend = {
    .name = "trend",
    .summary = "show what grows from one accepted build to the next",
    .usage = usage,
    .tail = tail,
    .examples = examples,
    .writes = true,
    .options = options,
    .decides = true,
    .size = sizeof(struct trend),
    .arguments = offsetof(struct trend, profiles.arguments),
    .begin = trend_begin,
    .run = trend_run,
};
