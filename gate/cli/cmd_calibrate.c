/* SPDX-License-Identifier: Apache-2.0 */
/* `pprofgate calibrate`: from known-good runs of one build to a noise model, checked on those runs themselves. */
#include "gate/base/figures.h"
#include "gate/base/wrap.h"
#include "gate/budget/plan.h"
#include "gate/budget/verdict.h"
#include "gate/cli/command.h"
#include "gate/cli/load_sides.h"
#include "gate/cli/option_value.h"
#include "gate/cli/outfile.h"
#include "gate/cli/profile_options.h"
#include "gate/cli/progress.h"
#include "gate/cli/rulefile.h"
#include "gate/rules/noise_file.h"

enum { RUNS_WANTED = 10, CHECKS_MAX = 200 };

/* A command line of calibrate, parsed, and what is loaded. */
struct calibrate {
    struct gate_profile_options profiles;
    const char *output;
    const char *rules_path;
    struct gate_side_runs runs;
    struct gate_pair_options options;
};

#define AT(field) offsetof(struct calibrate, field)

static const struct gate_option calibrate_rows[] = {
    {"output", 'o', "FILE", "where the noise model goes (- is standard output); required", gate_option_value_text,
     AT(output), NULL},
    {"rules", 'r', "FILE", "the budgets of the self-check (default: as for check)", gate_option_value_text,
     AT(rules_path), NULL},
    {0},
};
static const struct gate_option_group calibrate_group = {.rows = calibrate_rows};

static const struct gate_option_binding options[] = {
    {&calibrate_group, 0},
    {&gate_profile_options_read, AT(profiles)},
    {&gate_profile_options_limits, AT(profiles)},
    {NULL, 0},
};

static const char usage[] =
    "Usage: pprofgate calibrate -o FILE GOOD...\n"
    "\n"
    "Learns how much runs of one build differ from 10 or more known-good runs, so\n"
    "that `check --noise FILE` can tell a change from noise with a single pair of\n"
    "runs. Then checks the runs against each other, each pair with a model of the\n"
    "others, and says how often that failed. A GOOD may be a directory.\n"
    "\n"
    "Options:\n";

static void calibrate_begin(void *wanted) {
    gate_profile_options_begin(&((struct calibrate *)wanted)->profiles);
}

/* How the runs judge each other. */
struct self_check {
    uint32_t pairs, failed, inconclusive;
};

static bool calibrate_model(struct gate_noise *noise, const struct calibrate *wanted, const struct gate_run_input *runs,
                            uint32_t count, struct gate_arena *arena, struct gate_error *err) {
    struct gate_pair pair;
    struct gate_delta_list deltas;
    const struct gate_run_input *const sides[GATE_SIDES] = {runs, runs}; /* a pair has two sides; the model looks at one */
    const uint32_t counts[GATE_SIDES] = {count, 1};
    return gate_pair_make(&pair, sides, counts, &wanted->options, arena, err) &&
           gate_delta_fold(&deltas, &pair, NULL, arena, err) && gate_noise_estimate(noise, &pair, &deltas, arena, err);
}

/* Runs `one` and `two` against each other, with a model of all the others. */
static bool calibrate_check_pair(struct self_check *result, const struct calibrate *wanted, const struct gate_rules *rules,
                                 uint32_t one, uint32_t two, struct gate_error *err) {
    struct gate_arena arena;
    struct gate_noise noise;
    struct gate_plan plan;
    struct gate_verdict verdict;
    gate_arena_init(&arena, wanted->profiles.limits.memory_bytes);
    struct gate_run_input *others = GATE_NEW_ARRAY(&arena, struct gate_run_input, wanted->runs.count);
    uint32_t count = 0;
    for (uint32_t i = 0; others != NULL && i < wanted->runs.count; i++)
        if (i != one && i != two)
            others[count++] = wanted->runs.items[i];
    const struct gate_plan_input input = {.runs = {&wanted->runs.items[one], &wanted->runs.items[two]}, .counts = {1, 1}};
    const struct gate_plan_options plan_options = {.sample_type = wanted->options.sample_type,
                                                   .where = wanted->options.where,
                                                   .frames = wanted->options.frames,
                                                   .counts = wanted->options.counts};
    const struct gate_verdict_options verdict_options = {.command = GATE_STR("")};
    bool ok = (others != NULL || gate_arena_error(&arena, err)) &&
              calibrate_model(&noise, wanted, others, count, &arena, err) &&
              gate_plan_make(&plan, rules, &input, 1, &plan_options, &arena, err);
    for (uint32_t i = 0; ok && i < plan.comparison_count; i++)
        if (!plan.comparisons[i].is_filtered && gate_str_equal(plan.comparisons[i].pair.type.type, noise.type.type))
            plan.comparisons[i].noise = &noise;
    ok = ok && gate_verdict_reach(&verdict, rules, plan.comparisons, plan.comparison_count, &verdict_options, &arena, err);
    if (ok) {
        result->pairs++;
        result->failed += verdict.outcome == GATE_OUTCOME_FAIL;
        result->inconclusive += verdict.outcome == GATE_OUTCOME_INCONCLUSIVE;
    }
    gate_arena_free(&arena);
    return ok;
}

/* Every ordered pair of runs, or an even choice of CHECKS_MAX of them. Needs 4 runs: two to compare, two to learn from. */
static bool calibrate_check(struct self_check *result, const struct calibrate *wanted, const struct gate_rules *rules,
                            struct gate_error *err) {
    uint64_t n = wanted->runs.count;
    uint64_t all = n * (n - 1);
    uint64_t stride = all <= CHECKS_MAX ? 1 : (all + CHECKS_MAX - 1) / CHECKS_MAX;
    if (n < 4)
        return true;
    for (uint64_t k = 0; k < all; k += stride) {
        uint32_t one = (uint32_t)(k / (n - 1));
        uint32_t two = (uint32_t)(k % (n - 1));
        two += two >= one;
        if (!calibrate_check_pair(result, wanted, rules, one, two, err))
            return false;
    }
    return true;
}

static void calibrate_tell(struct gate_buf *out, const struct gate_noise *noise, const struct self_check *check,
                           const struct gate_rules *rules) {
    double low = 0;
    double high = 1;
    gate_buf_printf(out, "learnt from %u runs of %.*s, %s effective samples a run; runs vary %s as much as samples "
                         "(self), %s (cumulative)\n",
                    (unsigned)noise->run_count, GATE_STR_ARG(noise->type.type),
                    gate_figures_count_text(noise->mean_events).text, gate_figures_times_text(noise->s0[GATE_SELF]).text,
                    gate_figures_times_text(noise->s0[GATE_CUMULATIVE]).text);
    if (check->pairs > 0) {
        gate_wilson_interval(check->failed, check->pairs, 1.959963984540054, &low, &high);
        gate_buf_printf(out,
                        "self-check by %.*s, each pair with a model of the other %u: %u of %u pairs of these runs failed "
                        "(%s, 95 %% CI %s … %s; nominal %s), %u inconclusive\n",
                        GATE_STR_ARG(rules->source), (unsigned)noise->run_count - 2, (unsigned)check->failed, (unsigned)check->pairs,
                        gate_figures_share_text((double)check->failed / check->pairs).text, gate_figures_share_text(low).text,
                        gate_figures_share_text(high).text, gate_figures_share_text(rules->alpha).text,
                        (unsigned)check->inconclusive);
    }
    gate_wrap_since(out, 0, 0, GATE_WRAP_COLUMNS);
    if (noise->run_count >= RUNS_WANTED)
        return;
    size_t warning = out->len;
    gate_buf_printf(out, "warning: %u runs are few: with %d or more the false-fail rate is held at %s; here expect up to ",
                    (unsigned)noise->run_count, RUNS_WANTED, gate_figures_share_text(rules->alpha).text);
    if (check->pairs > 0)
        gate_buf_printf(out, "%s, the upper bound of the self-check\n", gate_figures_share_text(high).text);
    else
        gate_buf_text(out, "what one pair without a model gives; 4 runs are the least for a self-check\n");
    gate_wrap_since(out, warning, 0, GATE_WRAP_COLUMNS);
}

static bool calibrate_work(const struct calibrate *wanted, const struct gate_rules *rules, struct gate_cli *cli,
                           struct gate_error *err) {
    struct gate_noise noise;
    struct self_check check = {0};
    struct gate_buf file = {0};
    struct gate_buf text = {0};
    const struct gate_noise_naming naming = {wanted->options.frames.granularity, wanted->options.frames.exact_names};
    struct gate_progress progress;
    gate_progress_begin(&progress, cli, "checking the runs against each other");
    bool ok = calibrate_model(&noise, wanted, wanted->runs.items, wanted->runs.count, cli->arena, err) &&
              calibrate_check(&check, wanted, rules, err) && gate_noise_write(&file, &noise, &naming, cli->arena, err) &&
              gate_outfile_write(cli, wanted->output, gate_buf_view(&file), err);
    gate_progress_end(&progress);
    if (ok) {
        calibrate_tell(&text, &noise, &check, rules);
        FILE *stream = gate_paths_is_stream(wanted->output) ? cli->err : cli->out;
        ok = gate_cli_write(stream, gate_buf_view(&text)) || gate_error_set(err, GATE_ERR_IO, "cannot write the self-check");
    }
    gate_buf_free(&file);
    gate_buf_free(&text);
    return ok;
}

static bool calibrate_finish(const struct calibrate *wanted, struct gate_arena *arena, struct gate_error *err) {
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
           gate_profile_options_note(&wanted->profiles, "a good run", &roles, arena, err) &&
           gate_file_roles_check(&roles, err) && gate_file_roles_write(&roles, wanted->output, arena, err);
}

static bool calibrate_run(void *context, struct gate_cli *cli, struct gate_error *err) {
    struct calibrate *wanted = context;
    struct gate_rules rules = {0};
    bool ok = calibrate_finish(wanted, cli->arena, err) && gate_rulefile_load(&rules, cli, wanted->rules_path, err);
    if (ok)
        wanted->options = gate_profile_options_pairing(&wanted->profiles, rules.frames, rules.counts);
    ok = ok &&
         gate_load_sides_one(&wanted->runs, cli, &wanted->profiles.arguments, &wanted->profiles.limits, true, err) &&
         calibrate_work(wanted, &rules, cli, err);
    gate_rules_free(&rules);
    return ok;
}

const struct gate_command gate_command_calibrate = {
    .name = "calibrate",
    .summary = "learn from known-good runs how much runs differ",
    .usage = usage,
    .options = options,
    .size = sizeof(struct calibrate),
    .arguments = AT(profiles.arguments),
    .begin = calibrate_begin,
    .run = calibrate_run,
};
