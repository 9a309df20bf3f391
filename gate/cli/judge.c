/* SPDX-License-Identifier: Apache-2.0 */
/* From loaded profiles and rules to a verdict (see judge.h). */
#include "gate/cli/judge.h"

#include "gate/budget/default_rules.h"
#include "gate/cli/input.h"
#include "gate/cli/load_sides.h"
#include "gate/cli/rulefile.h"
#include "gate/guards/guards.h"
#include "gate/rules/noise_file.h"

/* A model that knows less of a profile than this was made from something else. */
static const double NOISE_COVERAGE = 0.6;

/* A noise model of the command line, read. */
struct judge_noise {
    struct gate_noise noise;
    struct gate_noise_naming naming;
    const char *name; /* of its file */
};

/* All that does not change between the canary and earlier ones. */
struct judge {
    struct gate_cli *cli;
    const struct gate_profile_options *profiles;
    const struct gate_rules *rules;
    const struct gate_judge_options *options;
    struct gate_judge_inputs inputs;
    struct judge_noise *noise;
};

/* ---- loading ----------------------------------------------------------------------------------------------------- */

static void input_fill(struct gate_plan_input *input, const struct gate_side_runs sides[GATE_SIDES], bool is_same) {
    input->same = is_same;
    for (int side = 0; side < GATE_SIDES; side++) {
        input->runs[side] = sides[side].items;
        input->counts[side] = sides[side].count;
    }
}

bool gate_judge_load(struct gate_judge_inputs *out, struct gate_cli *cli, const struct gate_profile_options *profiles,
                     struct gate_error *err) {
    bool named = profiles->pairs.count != 0;
    out->count = named ? profiles->pairs.count : 1;
    out->items = GATE_NEW_ARRAY(cli->arena, struct gate_plan_input, out->count);
    if (out->items == NULL)
        return gate_arena_error(cli->arena, err);
    for (uint32_t i = 0; i < out->count; i++) {
        struct gate_side_runs sides[GATE_SIDES];
        bool is_same = false;
        const struct gate_paths *paths = named ? profiles->pairs.items[i].paths : profiles->paths;
        if (!gate_load_sides(sides, &is_same, cli, paths, &profiles->limits, err))
            return false;
        out->items[i].label = named ? profiles->pairs.items[i].label : GATE_STR("");
        input_fill(&out->items[i], sides, is_same);
    }
    return true;
}

/* ---- comparing --------------------------------------------------------------------------------------------------- */

static bool comparisons_have(const struct gate_judge_comparisons *made, const struct gate_warning *warning) {
    for (uint32_t i = 0; i < made->warning_count; i++)
        if (gate_str_equal(made->warnings[i].code, warning->code) &&
            gate_str_equal(made->warnings[i].message, warning->message))
            return true;
    return false;
}

/* Warnings of all comparisons, each once: comparisons of the same files repeat what is said about the files. */
static bool comparisons_guard(struct gate_judge_comparisons *made, const struct gate_rules *rules,
                              struct gate_arena *arena, struct gate_error *err) {
    size_t capacity = 0;
    for (uint32_t c = 0; c < made->plan.comparison_count; c++) {
        struct gate_warning *found = NULL;
        uint32_t count = 0;
        if (made->plan.comparisons[c].same_input)
            continue;
        if (!gate_guards_check(&found, &count, &made->plan.comparisons[c], rules, arena, err))
            return false;
        for (uint32_t i = 0; i < count; i++) {
            if (comparisons_have(made, &found[i]))
                continue;
            struct gate_warning *all =
                gate_arena_grow(arena, made->warnings, made->warning_count, &capacity, sizeof *all);
            if (all == NULL)
                return gate_arena_error(arena, err);
            made->warnings = all;
            made->warnings[made->warning_count++] = found[i];
        }
    }
    return true;
}

bool gate_judge_compare(struct gate_judge_comparisons *out, const struct gate_judge_inputs *inputs,
                        const struct gate_profile_options *profiles, const struct gate_rules *rules,
                        struct gate_arena *arena, struct gate_error *err) {
    const struct gate_pair_options pairing = gate_profile_options_pairing(profiles, rules->frames, rules->counts);
    const struct gate_plan_options options = {
        .sample_type = pairing.sample_type, .where = pairing.where, .frames = pairing.frames, .counts = pairing.counts};
    *out = (struct gate_judge_comparisons){0};
    struct gate_rules *spread = GATE_NEW_ARRAY(arena, struct gate_rules, 1);
    if (spread == NULL)
        return gate_arena_error(arena, err);
    out->rules = spread;
    return gate_plan_spread(spread, rules, inputs->items, inputs->count, arena, err) &&
           gate_plan_make(&out->plan, spread, inputs->items, inputs->count, &options, arena, err) &&
           comparisons_guard(out, spread, arena, err);
}

/* ---- noise models ------------------------------------------------------------------------------------------------ */

static bool noise_read(struct judge *judge, struct gate_error *err) {
    struct gate_arena *arena = judge->cli->arena;
    uint32_t count = judge->options->noise.count;
    judge->noise = GATE_NEW_ARRAY(arena, struct judge_noise, (size_t)count + 1);
    if (judge->noise == NULL)
        return gate_arena_error(arena, err);
    for (uint32_t i = 0; i < count; i++) {
        struct judge_noise *model = &judge->noise[i];
        const char *path = judge->options->noise.items[i];
        struct gate_error why = {0};
        struct gate_str text;
        model->name = gate_input_name(path);
        if (!gate_input_read_small(&text, judge->cli, path, arena, &why))
            return gate_error_set(err, why.code, "%s: %s", model->name, why.message);
        if (!gate_noise_read(&model->noise, &model->naming, text, arena, &why))
            return gate_error_set(err, why.code, "%s:%u:%u: %s", model->name, (unsigned)why.line, (unsigned)why.column,
                                  why.message);
    }
    return true;
}

/* Share of the baseline's self cost in frames that the model knows. */
static double noise_coverage(const struct gate_noise *noise, const struct gate_comparison *comparison) {
    int64_t known = 0;
    for (uint32_t i = 0; i < comparison->pair.frame_count; i++)
        if (gate_table_find(&noise->index, comparison->pair.frames[i].name) != GATE_TABLE_NONE)
            known += comparison->deltas.items[i].value[GATE_SELF][GATE_BASELINE];
    return gate_share(known, comparison->pair.sides[GATE_BASELINE].total);
}

/* Give a model to the comparisons that it is about; a model about none of them is a mistake. */
static bool noise_apply(struct gate_judge_comparisons *made, const struct judge_noise *model,
                        const struct gate_frame_options *frames, struct gate_error *err) {
    const struct gate_noise *noise = &model->noise;
    const char *path = model->name;
    uint32_t used = 0;
    GATE_ASSERT(made->plan.comparison_count > 0);
    if (model->naming.granularity != frames->granularity || model->naming.exact_names != frames->exact_names)
        return gate_error_set(err, GATE_ERR_CONFIG,
                              "%s: this noise model was made with another --granularity or --names; calibrate again "
                              "with those of this run",
                              path);
    for (uint32_t i = 0; i < made->plan.comparison_count; i++) {
        struct gate_comparison *comparison = &made->plan.comparisons[i];
        if (comparison->is_filtered || !gate_str_equal(comparison->pair.type.type, noise->type.type) ||
            !gate_str_equal(comparison->pair.type.unit, noise->type.unit))
            continue;
        double coverage = noise_coverage(noise, comparison);
        if (coverage < NOISE_COVERAGE)
            return gate_error_set(
                err, GATE_ERR_CONFIG,
                "%s: this noise model covers %.0f %% of the baseline's self cost and should cover %.0f %%; if it "
                "was made from another program, calibrate again on runs of this one",
                path, 100 * coverage, 100 * NOISE_COVERAGE);
        comparison->noise = noise;
        used++;
    }
    if (used != 0)
        return true;
    if (made->plan.comparisons[0].is_filtered)
        return gate_error_set(
            err, GATE_ERR_CONFIG,
            "%s: a noise model describes whole profiles, but 'where' compares a part; leave out one of them", path);
    const struct gate_value_type *type = &made->plan.comparisons[0].pair.type;
    return gate_error_set(
        err, GATE_ERR_CONFIG,
        "%s: this noise model is for %.*s/%.*s, but this run compares %.*s/%.*s; calibrate on such profiles", path,
        GATE_STR_ARG(noise->type.type), GATE_STR_ARG(noise->type.unit), GATE_STR_ARG(type->type),
        GATE_STR_ARG(type->unit));
}

/* ---- deciding ---------------------------------------------------------------------------------------------------- */

/* The verdict on one canary; earlier ones are judged the same way, but for what only the whole row of runs tells. */
static bool judge_one(struct gate_verdict *out, const struct judge *judge, const struct gate_judge_inputs *inputs,
                      struct gate_verdict_options options, struct gate_error *err) {
    struct gate_judge_comparisons made;
    struct gate_arena *arena = judge->cli->arena;
    const struct gate_rules *rules = judge->rules;
    const struct gate_frame_options frames =
        gate_profile_options_pairing(judge->profiles, rules->frames, rules->counts).frames;
    if (!gate_judge_compare(&made, inputs, judge->profiles, rules, arena, err))
        return false;
    for (uint32_t i = 0; i < judge->options->noise.count; i++)
        if (!noise_apply(&made, &judge->noise[i], &frames, err))
            return false;
    options.comparison_of = made.plan.budget_comparison;
    options.warnings = made.warnings;
    options.warning_count = made.warning_count;
    options.today = gate_rulefile_today(arena);
    options.command = judge->options->command;
    return gate_verdict_reach(out, made.rules, made.plan.comparisons, made.plan.comparison_count, &options, arena, err);
}

/* A folder of canaries may have been given this one too: it must not agree with itself. */
static bool history_check(const struct judge *judge, const struct gate_run_input *earlier, struct gate_error *err) {
    const struct gate_plan_input *now = &judge->inputs.items[0];
    for (uint32_t i = 0; i < now->counts[GATE_CANARY]; i++)
        if (gate_load_sides_is_same(&now->runs[GATE_CANARY][i], earlier))
            return gate_error_set(err, GATE_ERR_INPUT,
                                  "%.*s: this is the canary itself, not an earlier one; take it out of the history",
                                  GATE_STR_ARG(earlier->path));
    return true;
}

/* Judge one earlier canary against the baseline that is loaded already. */
static bool history_judge(struct gate_verdict *out, const struct judge *judge, const char *path,
                          struct gate_error *err) {
    const struct gate_plan_input *now = &judge->inputs.items[0];
    const struct gate_paths one = {.items = &path, .count = 1};
    const struct gate_verdict_options options = {.is_history = true};
    struct gate_side_runs sides[GATE_SIDES] = {
        [GATE_BASELINE] = {now->runs[GATE_BASELINE], now->counts[GATE_BASELINE]}};
    bool is_same = false;
    if (!gate_load_sides_one(&sides[GATE_CANARY], judge->cli, &one, &judge->profiles->limits, true, err) ||
        !history_check(judge, &sides[GATE_CANARY].items[0], err) || !gate_load_sides_check(&is_same, sides, err))
        return false;
    struct gate_plan_input *input = GATE_NEW_ARRAY(judge->cli->arena, struct gate_plan_input, 1);
    if (input == NULL)
        return gate_arena_error(judge->cli->arena, err);
    input->label = now->label;
    input_fill(input, sides, is_same);
    return judge_one(out, judge, &(struct gate_judge_inputs){input, 1}, options, err);
}

static bool history_judge_all(const struct gate_verdict *const **out, const struct judge *judge,
                              struct gate_error *err) {
    const struct gate_paths *paths = &judge->options->history;
    struct gate_arena *arena = judge->cli->arena;
    if (paths->count != 0 && judge->profiles->pairs.count != 0)
        return gate_error_set(err, GATE_ERR_USAGE,
                              "'--history' cannot be combined with '--pair'; it needs one baseline and one canary");
    struct gate_verdict *verdicts = GATE_NEW_ARRAY(arena, struct gate_verdict, (size_t)paths->count + 1);
    const struct gate_verdict **list = gate_arena_calloc(arena, (size_t)paths->count + 1, sizeof *list);
    if (verdicts == NULL || list == NULL)
        return gate_arena_error(arena, err);
    for (uint32_t i = 0; i < paths->count; i++) {
        if (!history_judge(&verdicts[i], judge, paths->items[i], err))
            return false;
        list[i] = &verdicts[i];
    }
    *out = list;
    return true;
}

bool gate_judge_reach(struct gate_verdict *out, struct gate_cli *cli, const struct gate_profile_options *profiles,
                      struct gate_rules *rules, const struct gate_judge_options *options, struct gate_error *err) {
    struct judge judge = {.cli = cli, .profiles = profiles, .rules = rules, .options = options};
    struct gate_verdict_options now = {.work = {options->work[GATE_BASELINE], options->work[GATE_CANARY]},
                                       .history_count = options->history.count};
    if (!gate_judge_load(&judge.inputs, cli, profiles, err))
        return false;
    /* Who asks for a type gets it, whatever it is. */
    if (rules->is_default && profiles->sample_type.len == 0 &&
        !gate_default_rules_choose(rules, judge.inputs.items, judge.inputs.count, cli->arena, err))
        return false;
    return noise_read(&judge, err) && history_judge_all(&now.history, &judge, err) &&
           judge_one(out, &judge, &judge.inputs, now, err);
}
