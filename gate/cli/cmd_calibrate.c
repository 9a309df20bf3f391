/* SPDX-License-Identifier: Apache-2.0 */
/* The command `calibrate`: makes a noise model from runs of one build. */
#include "gate/base/buf.h"
#include "gate/base/file.h"
#include "gate/budget/default_rules.h"
#include "gate/cli/command.h"
#include "gate/cli/option_groups.h"
#include "gate/cli/options.h"
#include "gate/compare/hot_path.h"
#include "gate/report/calibration.h"
#include "gate/rules/noise_file.h"
#include "gate/session/comparison_limit.h"
#include "gate/session/debuginfod.h"
#include "gate/session/judge_options.h"
#include "gate/session/load_sides.h"
#include "gate/session/profile_options.h"
#include "gate/session/reports.h"
#include "gate/session/rules_in_force.h"
#include "gate/session/session.h"

#include <errno.h>

/* Options of `calibrate`, and the loaded runs. */
struct calibrate {
    struct gate_profile_options profiles;
    const char *output;
    const char *rules_path;
    struct gate_work work;
    const char *work_file;
    bool keep_odd;
    uint64_t checks; /* maximum number of pairs of runs to compare */
    struct gate_side_runs runs;
    struct gate_pair_options options;
};

#define AT(field) .at = offsetof(struct calibrate, field)

static const struct gate_option calibrate_rows[] = {
    {"output", 'o', "FILE", "file of the noise model (- is standard output); required", gate_option_value_text,
     AT(output), .output = GATE_OPTION_FILE},
    {"rules", 'r', "FILE", "the budgets of the self-check (default: as for check)", gate_option_value_text,
     AT(rules_path)},
    {"work", 0, "N1,N2,...",
     "work done in each run, in the order of the runs; endpoint=/search:N1,N2,... gives it for one value of a label of "
     "the samples",
     gate_work_option_runs, AT(work)},
    {"work-file", 0, "FILE", "the same as YAML or JSON: {runs: {endpoint: {/search: [N1, N2]}}}",
     gate_option_value_text, AT(work_file)},
    {"keep-odd", 0, NULL, "also learn from a run that differs from the others", gate_option_value_flag, AT(keep_odd)},
    {0},
};

static const struct gate_option_group calibrate_group = {.rows = calibrate_rows};

static const struct gate_option_binding options[] = {
    {&calibrate_group, 0},
    {&gate_profile_options_read, AT(profiles)},
    {&gate_symbol_options_group, AT(profiles.symbols)},
    {&gate_profile_options_limits, AT(profiles)},
    {NULL, 0},
};

static const char usage[] = "Usage: pprofgate calibrate -o FILE GOOD...\n"
                            "\n"
                            "Learns how much runs of one build differ from 10 or more known-good runs, so\n"
                            "that `check --noise FILE` can tell a change from noise with a single pair of\n"
                            "runs. Then checks the runs against each other, each pair with a model of the\n"
                            "others, and prints how often that failed and which budgets such runs decide.\n"
                            "If there are five runs or more, a run that differs from the others is named and\n"
                            "left out.\n"
                            "A GOOD may be a directory.\n"
                            "\n"
                            "Options:\n";

static const struct gate_example examples[] = {
    {"learn from a folder of good runs", "pprofgate calibrate -o noise.yml good-runs/"},
    {"and use what was learnt", "pprofgate check --noise noise.yml baseline.pb.gz canary.pb.gz"},
    {NULL, NULL}};

static bool calibrate_model(struct gate_noise *noise, const struct calibrate *wanted, const struct gate_run_input *runs,
                            uint32_t count, struct gate_arena *arena, struct gate_error *err) {
    struct gate_pair pair;
    struct gate_delta_list deltas;
    /* A pair needs two sides; the model uses the first one. */
    const struct gate_run_input *const sides[GATE_SIDES] = {runs, runs};
    const uint32_t counts[GATE_SIDES] = {count, 1};
    return gate_hot_path_costs(&pair, &deltas, sides, counts, &wanted->options, arena, err) &&
           gate_noise_estimate(noise, &pair, &deltas, NULL, arena, err);
}

/* Leaves out outlier runs, because with one regressed run the model would treat regressions as noise. */
static bool calibrate_leave_out(struct gate_odd_report *report, struct calibrate *wanted, struct gate_arena *arena,
                                struct gate_error *err) {
    struct gate_pair *pair = GATE_NEW_ARRAY(arena, struct gate_pair, 1);
    struct gate_delta_list deltas;
    const struct gate_run_input *const sides[GATE_SIDES] = {wanted->runs.items, wanted->runs.items};
    const uint32_t counts[GATE_SIDES] = {wanted->runs.count, 1};
    struct gate_run_input *kept = GATE_NEW_ARRAY(arena, struct gate_run_input, wanted->runs.count);
    *report = (struct gate_odd_report){.pair = pair, .is_kept = wanted->keep_odd};
    if (pair == NULL || kept == NULL)
        return gate_arena_error(arena, err);
    if (!gate_hot_path_costs(pair, &deltas, sides, counts, &wanted->options, arena, err) ||
        !gate_odd_run_find(&report->list, pair, &deltas, arena, err))
        return false;
    if (!gate_calibration_leaves_out(report))
        return true;
    uint32_t count = 0, odd = 0;
    for (uint32_t i = 0; i < wanted->runs.count; i++)
        if (odd < report->list.count && report->list.items[odd].run == i)
            odd++;
        else
            kept[count++] = wanted->runs.items[i];
    wanted->runs.items = kept;
    wanted->runs.count = count;
    return true;
}

/* Compares runs `one` and `two`, with a noise model made from all other runs. */
static bool calibrate_check_pair(struct gate_self_check *result, const struct calibrate *wanted,
                                 const struct gate_rules *rules, uint32_t one, uint32_t two,
                                 const struct gate_arena *parent, struct gate_error *err) {
    struct gate_arena arena;
    struct gate_noise noise;
    struct gate_plan plan;
    struct gate_verdict verdict;
    gate_arena_fork(&arena, parent);
    struct gate_run_input *others = GATE_NEW_ARRAY(&arena, struct gate_run_input, wanted->runs.count);
    uint32_t count = 0;
    for (uint32_t i = 0; others != NULL && i < wanted->runs.count; i++)
        if (i != one && i != two)
            others[count++] = wanted->runs.items[i];
    const struct gate_plan_input input = {.runs = {&wanted->runs.items[one], &wanted->runs.items[two]},
                                          .counts = {1, 1}};
    const struct gate_plan_options plan_options = {.sample_type = wanted->options.sample_type,
                                                   .where = wanted->options.where,
                                                   .frames = wanted->options.frames,
                                                   .counts = wanted->options.counts};
    struct gate_verdict_options verdict_options = {.work = {wanted->runs.items[one].work, wanted->runs.items[two].work},
                                                   .command = GATE_STR("")};
    bool ok = (others != NULL || gate_arena_error(&arena, err)) &&
              calibrate_model(&noise, wanted, others, count, &arena, err) &&
              gate_plan_make(&plan, rules, &input, 1, &plan_options, &arena, err);
    for (uint32_t i = 0; ok && i < plan.comparison_count; i++)
        if (!plan.comparisons[i].is_filtered && gate_str_equal(plan.comparisons[i].pair.type.type, noise.type.type))
            plan.comparisons[i].noise = &noise;
    verdict_options.comparison_of = ok ? plan.budget_comparison : NULL;
    ok = ok &&
         gate_verdict_reach(&verdict, rules, plan.comparisons, plan.comparison_count, &verdict_options, &arena, err);
    if (ok) {
        result->pairs++;
        result->failed += verdict.outcome == GATE_OUTCOME_FAIL;
        result->inconclusive += verdict.outcome == GATE_OUTCOME_INCONCLUSIVE;
        gate_decidability_note(result->budgets, &verdict);
    }
    gate_arena_free(&arena);
    return ok;
}

/* Compares every ordered pair of runs, or at most `checks` of them at even distances. Needs two runs besides the
 * pair. */
static bool calibrate_check(struct gate_self_check *result, const struct calibrate *wanted,
                            const struct gate_rules *rules, struct gate_arena *arena, struct gate_error *err) {
    uint64_t n = wanted->runs.count;
    uint64_t all = n * (n - 1);
    uint64_t stride = all <= wanted->checks ? 1 : (all + wanted->checks - 1) / wanted->checks;
    if (n < GATE_CALIBRATION_RUNS_TO_CHECK)
        return true;
    if (!gate_decidability_begin(&result->budgets, rules, arena, err))
        return false;
    for (uint64_t k = 0; k < all; k += stride) {
        uint32_t one = (uint32_t)(k / (n - 1));
        uint32_t two = (uint32_t)(k % (n - 1));
        two += two >= one;
        if (!calibrate_check_pair(result, wanted, rules, one, two, arena, err))
            return false;
    }
    return true;
}

/* Warns if work was given by label and the model could not use it. */
static void calibrate_put_mix(struct gate_buf *out, const struct calibrate *wanted, const struct gate_noise *noise) {
    size_t line = out->len;
    bool by_label = false;
    for (uint32_t i = 0; i < wanted->work.count; i++)
        by_label = by_label || wanted->work.items[i].key.len > 0;
    if (!by_label || noise->mix_key.len > 0)
        return;
    gate_buf_text(out, "warning: the label of the work is on less than half of the cost, or its values do not occur: "
                       "the model ignores the work\n");
    gate_wrap_since(out, line, 0, GATE_WRAP_COLUMNS);
}

/* Parses the model that was made, so that no model is written that `check` would reject. */
static bool calibrate_reread(const struct gate_buf *file, struct gate_arena *arena, struct gate_error *err) {
    struct gate_noise noise;
    struct gate_noise_naming naming;
    struct gate_error why = {0};
    if (!gate_buf_check(file, err))
        return false;
    if (gate_noise_read(&noise, &naming, gate_buf_view(file), arena, &why)) {
        double coverage = 0;
        for (uint32_t i = 0; i < noise.frame_count; i++)
            coverage += noise.frames[i].share[GATE_SELF];
        return coverage >= GATE_NOISE_COVERAGE_LEAST ||
               gate_error_set(err, GATE_ERR_INPUT,
                              "a model of these runs would cover %.0f%% of their self cost and has to cover %.0f%%: it "
                              "is spread over more functions, or longer names, than a model holds",
                              100.0 * coverage, 100.0 * GATE_NOISE_COVERAGE_LEAST);
    }
    return gate_error_set(err, why.code == GATE_ERR_MEMORY ? why.code : GATE_ERR_LIMIT,
                          "the model of these runs could not be read again: %s; give fewer runs, or shorter paths",
                          why.message);
}

/* Return how often a command may compare all loaded profiles within the step limit (model/limits.h). For usual profiles
 * it is at least 1,000. */
static uint64_t passes_most(const struct gate_session *session, const struct gate_limits *limits) {
    return 2 * (gate_steps_most(&session->steps, limits) / (session->steps.needed + 1));
}

/* Limits the comparisons. Profiles with very many stacks or functions for their size are compared fewer than 200
 * times. */
static void calibrate_limit_pairs(struct calibrate *wanted, const struct gate_pair *pair,
                                  struct gate_session *session) {
    const uint64_t passes = passes_most(session, &wanted->profiles.limits), n = wanted->runs.count;
    uint64_t pairs = n * (n - 1), records = 0;
    pairs = pairs < GATE_DECIDABILITY_PAIRS_MAX ? pairs : GATE_DECIDABILITY_PAIRS_MAX;
    if (passes < pairs)
        pairs = passes < GATE_COMPARISON_LIMIT_PAIRS_LEAST ? GATE_COMPARISON_LIMIT_PAIRS_LEAST : passes;
    for (uint32_t i = 0; i < wanted->runs.count; i++)
        records += wanted->runs.items[i].profile->sample_count;
    wanted->checks = gate_comparison_limit_pairs(pairs, gate_comparison_limit_steps(records, pair->frame_count),
                                                 &wanted->profiles.limits, session);
}

static bool calibrate_work(struct calibrate *wanted, const struct gate_rules *rules, struct gate_session *session,
                           struct gate_error *err) {
    struct gate_noise noise;
    struct gate_self_check check = {0};
    struct gate_odd_report odd = {0};
    struct gate_buf file = {0};
    struct gate_buf text = {0};
    const struct gate_noise_naming naming = {wanted->options.frames.granularity, wanted->options.frames.exact_names};
    gate_progress_stage(session->progress, "checking the runs against each other");
    bool ok = calibrate_leave_out(&odd, wanted, session->arena, err);
    if (ok)
        calibrate_limit_pairs(wanted, odd.pair, session);
    ok = ok && calibrate_model(&noise, wanted, wanted->runs.items, wanted->runs.count, session->arena, err) &&
         calibrate_check(&check, wanted, rules, session->arena, err);
    if (ok) {
        gate_calibration_odd_comment(&file, &odd);
        gate_calibration_odd_text(&text, &odd);
        calibrate_put_mix(&text, wanted, &noise);
        gate_calibration_text(&text, &noise, &check, rules);
    }
    ok = ok && gate_noise_write(&file, &noise, &naming, session->arena, err) &&
         calibrate_reread(&file, session->arena, err) && gate_buf_check(&text, err) &&
         gate_output_keep(session, wanted->output, gate_buf_view(&file), err);
    gate_progress_end(session->progress);
    if (ok) {
        FILE *stream = gate_paths_is_stream(wanted->output) ? session->err : session->out;
        ok = gate_stream_write(stream, gate_buf_view(&text)) ||
             gate_error_set(err, GATE_ERR_IO, "cannot write the self-check: %s", strerror(errno));
    }
    gate_buf_free(&file);
    gate_buf_free(&text);
    return ok;
}

static bool calibrate_finish(const struct calibrate *wanted, struct gate_session *session, struct gate_error *err) {
    struct gate_arena *arena = session->arena;
    struct gate_file_roles roles = {0};
    const char *rules = wanted->rules_path == NULL ? GATE_RULEFILE_DEFAULT : wanted->rules_path;
    if (wanted->output == NULL)
        return gate_error_set(err, GATE_ERR_USAGE,
                              "no output is named; add --output FILE, or --output - for standard output");
    if (wanted->profiles.arguments.count == 0)
        return gate_error_set(err, GATE_ERR_USAGE,
                              "expected GOOD profiles to learn from, such as a directory of known-good runs");
    if (wanted->profiles.where.count != 0)
        return gate_error_set(err, GATE_ERR_USAGE,
                              "'--where' cannot be used here: a noise model describes whole profiles; leave it out");
    return gate_file_roles_read(&roles, "the rules", rules, arena, err) &&
           (wanted->work_file == NULL || gate_file_roles_read(&roles, "the work", wanted->work_file, arena, err)) &&
           gate_profile_options_note(&wanted->profiles, "a good run", &roles, arena, err) &&
           gate_file_roles_check(&roles, err) &&
           gate_file_roles_write(&roles, wanted->output, GATE_OWN_NOISE, session, err);
}

/* Chooses the default rules as `check` would for these runs. */
static bool calibrate_choose(struct gate_rules *rules, const struct calibrate *wanted, struct gate_arena *arena,
                             struct gate_error *err) {
    const struct gate_run_input *runs = wanted->runs.items;
    const struct gate_plan_input input = {.runs = {runs, runs}, .counts = {1, 1}};
    return !rules->is_default || gate_default_rules_choose(rules, &input, 1, wanted->options.sample_type, arena, err);
}

/* Sets the work of each run, from the options. */
static bool calibrate_set_work(struct calibrate *wanted, struct gate_session *session, struct gate_error *err) {
    const uint32_t counts[GATE_SIDES] = {wanted->runs.count, 0};
    struct gate_run_input *runs = GATE_NEW_ARRAY(session->arena, struct gate_run_input, counts[0]);
    struct gate_run_input *const sides[GATE_SIDES] = {runs, runs};
    if (runs == NULL)
        return gate_arena_error(session->arena, err);
    if (wanted->work_file != NULL && !gate_work_option_file(&wanted->work, session, wanted->work_file, err))
        return false;
    memcpy(runs, wanted->runs.items, counts[0] * sizeof *runs);
    wanted->runs.items = runs;
    return gate_work_apply(&wanted->work, sides, counts, session->arena, err);
}

static bool calibrate_run(void *context, struct gate_session *session, struct gate_error *err) {
    struct calibrate *wanted = context;
    struct gate_rules rules = {0};
    bool ok = calibrate_finish(wanted, session, err) && gate_rulefile_load(&rules, session, wanted->rules_path, err);
    if (ok)
        wanted->options = gate_profile_options_pairing(&wanted->profiles, rules.frames, rules.counts);
    ok =
        ok && gate_debuginfod_open(&wanted->profiles.symbols, session, err) &&
        gate_load_sides_one(&wanted->runs, session, &wanted->profiles.arguments, &wanted->profiles.limits, true, err) &&
        gate_plan_count_cpu(&wanted->runs.items, &wanted->runs.count, 1, &wanted->profiles.limits, session->arena, err);
    ok = ok && calibrate_set_work(wanted, session, err) && calibrate_choose(&rules, wanted, session->arena, err) &&
         calibrate_work(wanted, &rules, session, err);
    gate_rules_free(&rules);
    return ok;
}

const struct gate_command gate_command_calibrate = {
    .name = "calibrate",
    .summary = "learn from known-good runs how much runs differ",
    .usage = usage,
    .examples = examples,
    .writes = true,
    .options = options,
    .size = sizeof(struct calibrate),
    .arguments = offsetof(struct calibrate, profiles.arguments),
    .run = calibrate_run,
};
