/* SPDX-License-Identifier: Apache-2.0 */
/* From loaded profiles and rules to a verdict (see judge.h). */
#include "gate/cli/judge.h"

#include "gate/base/figures.h"
#include "gate/budget/default_rules.h"
#include "gate/cli/accepted.h"
#include "gate/cli/accepted_noise.h"
#include "gate/cli/accepted_warnings.h"
#include "gate/cli/input.h"
#include "gate/cli/judge_noise.h"
#include "gate/cli/load_sides.h"
#include "gate/cli/progress.h"
#include "gate/cli/rulefile.h"
#include "gate/cli/rules_from.h"
#include "gate/cli/work_option.h"
#include "gate/guards/guards.h"
#include "gate/rules/toothless.h"

/* All that does not change between the canary and earlier ones. */
struct judge {
    struct gate_cli *cli;
    const struct gate_profile_options *profiles;
    const struct gate_rules *rules;
    const struct gate_judge_options *options;
    struct gate_judge_inputs inputs;
    struct gate_judge_noise *noise;
    const struct gate_work *work; /* or NULL */
};

/* ---- loading ----------------------------------------------------------------------------------------------------- */

static void input_fill(struct gate_plan_input *input, const struct gate_side_runs sides[GATE_SIDES], bool is_same) {
    input->same = is_same;
    for (int side = 0; side < GATE_SIDES; side++) {
        input->runs[side] = sides[side].items;
        input->counts[side] = sides[side].count;
    }
}

/* Each run gets the round that a manifest says it was taken in; the runs are copied, since they are read only once. */
static bool rounds_apply(struct gate_side_runs sides[GATE_SIDES], const uint32_t *const *rounds,
                         struct gate_arena *arena, struct gate_error *err) {
    for (int side = 0; side < GATE_SIDES; side++) {
        if (rounds[side] == NULL)
            continue;
        struct gate_run_input *runs = GATE_NEW_ARRAY(arena, struct gate_run_input, (size_t)sides[side].count + 1);
        if (runs == NULL)
            return gate_arena_error(arena, err);
        memcpy(runs, sides[side].items, sides[side].count * sizeof *runs);
        for (uint32_t i = 0; i < sides[side].count; i++)
            runs[i].round = rounds[side][i];
        sides[side].items = runs;
    }
    return true;
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
        const uint32_t *const *rounds = named ? profiles->pairs.items[i].rounds : profiles->rounds;
        out->items[i].label = named ? profiles->pairs.items[i].label : GATE_STR("");
        if (!rounds_apply(sides, rounds, cli->arena, err))
            return false;
        input_fill(&out->items[i], sides, is_same);
        out->items[i].is_growth = named ? profiles->pairs.items[i].is_growth : profiles->is_growth;
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

static bool comparisons_warn(struct gate_judge_comparisons *made, size_t *capacity, const struct gate_warning *warning,
                             struct gate_arena *arena, struct gate_error *err) {
    if (comparisons_have(made, warning))
        return true;
    struct gate_warning *all = gate_arena_grow(arena, made->warnings, made->warning_count, capacity, sizeof *all);
    if (all == NULL)
        return gate_arena_error(arena, err);
    made->warnings = all;
    made->warnings[made->warning_count++] = *warning;
    return true;
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
        for (uint32_t i = 0; i < count; i++)
            if (!comparisons_warn(made, &capacity, &found[i], arena, err))
                return false;
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
    const struct gate_by_options by = {profiles->by, profiles->by_values, options.sample_type, &options.where};
    struct gate_judge_inputs all = *inputs;
    struct gate_rules *spread = GATE_NEW_ARRAY(arena, struct gate_rules, 1);
    if (spread == NULL)
        return gate_arena_error(arena, err);
    out->rules = spread;
    return gate_plan_spread(spread, rules, inputs->items, inputs->count, arena, err) &&
           (by.key.len == 0 || gate_by_spread(&out->by, spread, &all.items, &all.count, &by, arena, err)) &&
           gate_plan_make(&out->plan, spread, all.items, all.count, &options, arena, err) &&
           comparisons_guard(out, spread, arena, err);
}

/* ---- deciding ---------------------------------------------------------------------------------------------------- */

/* A value of the label that one side alone has is new, gone, or misspelt: only who told it knows. */
static bool work_warn(struct gate_judge_comparisons *made, const struct judge *judge, struct gate_error *err) {
    const struct gate_work_count *told = judge->work == NULL ? NULL : gate_work_one_sided(judge->work);
    size_t capacity = made->warning_count; /* grows into a block of its own */
    if (told == NULL)
        return true;
    const struct gate_warning warning = {
        gate_str_from(gate_guard_name(GATE_GUARD_MIX)),
        gate_str_format(judge->cli->arena,
                        "the work by '%.*s' tells '%.*s' of the %s alone: its samples keep their weight; if it is "
                        "misspelt, put it right",
                        GATE_STR_ARG(told->key), GATE_STR_ARG(told->value), gate_side_word(told->side))};
    return comparisons_warn(made, &capacity, &warning, judge->cli->arena, err);
}

/* Who reads a report is to know that the change would have other rules, and that rules leave nothing to fail. */
static bool rules_warn(struct gate_judge_comparisons *made, const struct judge *judge, struct gate_error *err) {
    size_t capacity = made->warning_count; /* grows into a block of its own */
    const struct gate_warning warning = {gate_str_from(gate_guard_name(GATE_GUARD_RULES_EDITED)),
                                         gate_rules_from_sentence(judge->options->from, judge->cli->arena)};
    if (warning.message.ptr == NULL)
        return gate_arena_error(judge->cli->arena, err);
    if (warning.message.len != 0 && !comparisons_warn(made, &capacity, &warning, judge->cli->arena, err))
        return false;
    const struct gate_warning toothless = {gate_str_from(gate_guard_name(GATE_GUARD_TOOTHLESS)),
                                           gate_toothless_rules(judge->rules, judge->cli->arena)};
    if (toothless.message.ptr == NULL)
        return gate_arena_error(judge->cli->arena, err);
    return toothless.message.len == 0 || comparisons_warn(made, &capacity, &toothless, judge->cli->arena, err);
}

/* A canary that was down for a while is not one that was well all the time. */
static bool rounds_warn(struct gate_judge_comparisons *made, const struct judge *judge, struct gate_error *err) {
    size_t capacity = made->warning_count; /* grows into a block of its own */
    for (uint32_t i = 0; i < judge->options->left_out_count; i++) {
        const struct gate_warning warning = {gate_str_from(gate_guard_name(GATE_GUARD_ROUNDS_LEFT_OUT)),
                                             judge->options->left_out[i]};
        if (!comparisons_warn(made, &capacity, &warning, judge->cli->arena, err))
            return false;
    }
    return true;
}

/* Who asked for the values of a label is to know how little of the program has one. */
static bool by_warn(struct gate_judge_comparisons *made, const struct judge *judge, struct gate_error *err) {
    const struct gate_by *worst = NULL;
    double open = gate_by_uncovered(&made->by, &worst);
    size_t capacity = made->warning_count; /* grows into a block of its own */
    if (worst == NULL || open <= gate_guard_limit(judge->rules, GATE_GUARD_BY_VALUES))
        return true;
    const struct gate_warning warning = {
        gate_str_from(gate_guard_name(GATE_GUARD_BY_VALUES)),
        gate_str_format(judge->cli->arena,
                        "%s of the cost is in no value of '%.*s' that was compared and is judged as part of the whole "
                        "alone; label more of the program, or raise --by-values",
                        gate_figures_share_text(open).text, GATE_STR_ARG(worst->key))};
    return comparisons_warn(made, &capacity, &warning, judge->cli->arena, err);
}

/* People read titles, not digests. */
static void accepted_name(struct gate_comparison *comparison, const struct gate_accepted *accepted) {
    struct gate_side *baseline = &comparison->pair.sides[GATE_BASELINE];
    for (uint32_t i = 0; i < baseline->run_count; i++)
        baseline->runs[i].input.title = gate_accepted_title(accepted, baseline->runs[i].input.path);
}

/* What speaks against a baseline from a store, and the noise model of what else was accepted there. */
static bool accepted_apply(struct gate_judge_comparisons *made, const struct judge *judge, bool is_history,
                           struct gate_error *err) {
    const struct gate_accepted *accepted = judge->options->accepted;
    struct gate_warning_list found = {0};
    size_t capacity = made->warning_count; /* grows into a block of its own */
    const struct gate_pair_options pairing =
        gate_profile_options_pairing(judge->profiles, judge->rules->frames, judge->rules->counts);
    if (accepted == NULL || accepted->where.store == NULL)
        return true;
    for (uint32_t i = 0; i < made->plan.comparison_count; i++)
        accepted_name(&made->plan.comparisons[i], accepted);
    if (!is_history && !gate_accepted_warnings_add(&found, accepted, judge->rules, judge->cli, err))
        return false;
    for (size_t i = 0; i < found.count; i++)
        if (!comparisons_warn(made, &capacity, &found.items[i], judge->cli->arena, err))
            return false;
    return gate_accepted_noise_apply(made->plan.comparisons, made->plan.comparison_count, accepted, &pairing,
                                     &judge->profiles->limits, is_history ? NULL : judge->cli, judge->cli->arena, err);
}

/* The verdict on one canary; earlier ones are judged the same way, but for what only the whole row of runs tells. */
static bool judge_one(struct gate_verdict *out, const struct judge *judge, const struct gate_judge_inputs *inputs,
                      struct gate_verdict_options options, struct gate_error *err) {
    struct gate_judge_comparisons made;
    struct gate_arena *arena = judge->cli->arena;
    const struct gate_rules *rules = judge->rules;
    const struct gate_frame_options frames =
        gate_profile_options_pairing(judge->profiles, rules->frames, rules->counts).frames;
    gate_progress_stage(judge->cli->progress, "comparing profiles");
    if (!gate_judge_compare(&made, inputs, judge->profiles, rules, arena, err))
        return false;
    for (uint32_t i = 0; i < judge->options->noise.count; i++)
        if (!gate_judge_noise_apply(&made.plan, &judge->noise[i], &frames, options.is_history, err))
            return false;
    if ((!options.is_history && (!rules_warn(&made, judge, err) || !work_warn(&made, judge, err) ||
                                 !rounds_warn(&made, judge, err) || !by_warn(&made, judge, err))) ||
        !accepted_apply(&made, judge, options.is_history, err))
        return false;
    options.by = made.by;
    options.comparison_of = made.plan.budget_comparison;
    options.warnings = made.warnings;
    options.warning_count = made.warning_count;
    options.today = gate_rulefile_today(arena);
    options.command = judge->options->command;
    gate_progress_stage(judge->cli->progress, "deciding");
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
    if (paths->count != 0 && judge->profiles->by.len != 0)
        return gate_error_set(err, GATE_ERR_USAGE,
                              "'--history' cannot be combined with '--by': the values of earlier canaries are others");
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

/* ---- work -------------------------------------------------------------------------------------------------------- */

static bool work_read(struct gate_work *work, const struct judge *judge, struct gate_error *err) {
    const char *path = judge->options->work_file;
    *work = judge->options->work;
    if (path == NULL)
        return true;
    if (!gate_work_option_file(work, judge->cli, path, err))
        return false;
    if ((gate_work_total(work, GATE_BASELINE) > 0) == (gate_work_total(work, GATE_CANARY) > 0))
        return true;
    return gate_error_set(err, GATE_ERR_CONFIG, "%s: it tells the work of one side alone; tell that of both",
                          gate_input_name(path));
}

/* Each run gets what was told of it; the runs are copied, since they are read only once. */
static bool work_apply_one(struct gate_plan_input *input, const struct gate_work *work, struct gate_arena *arena,
                           struct gate_error *err) {
    struct gate_run_input *runs[GATE_SIDES];
    for (int side = 0; side < GATE_SIDES; side++) {
        runs[side] = GATE_NEW_ARRAY(arena, struct gate_run_input, (size_t)input->counts[side] + 1);
        if (runs[side] == NULL)
            return gate_arena_error(arena, err);
        memcpy(runs[side], input->runs[side], input->counts[side] * sizeof *runs[side]);
        input->runs[side] = runs[side];
    }
    return gate_work_apply(work, runs, input->counts, arena, err);
}

/* A pair's own work, which a manifest tells, goes before what is told of all. */
static bool work_apply(struct judge *judge, struct gate_error *err) {
    const struct gate_profile_pairs *pairs = &judge->profiles->pairs;
    for (uint32_t i = 0; i < judge->inputs.count; i++) {
        struct gate_plan_input *input = &judge->inputs.items[i];
        const struct gate_work *own = pairs->count != 0 ? &pairs->items[i].work : NULL;
        bool has_own = own != NULL && own->count > 0 && judge->work->count == 0;
        for (int side = 0; has_own && side < GATE_SIDES; side++)
            input->work[side] = gate_work_total(own, (enum gate_side_name)side);
        const struct gate_work *work = has_own ? own : judge->work;
        input->told = work;
        if (work->count > 0 && !work_apply_one(input, work, judge->cli->arena, err))
            return false;
    }
    return true;
}

bool gate_judge_reach(struct gate_verdict *out, struct gate_cli *cli, const struct gate_profile_options *profiles,
                      struct gate_rules *rules, const struct gate_judge_options *options, struct gate_error *err) {
    struct judge judge = {.cli = cli, .profiles = profiles, .rules = rules, .options = options};
    struct gate_verdict_options now = {.history_count = options->history.count,
                                       .looks = options->looks,
                                       .draws_trees = options->draws_trees,
                                       .is_last_walk = options->draws_trees && !options->walks_stacks,
                                       .errand = options->errand};
    struct gate_work work;
    judge.work = &work;
    if (!gate_judge_load(&judge.inputs, cli, profiles, err) || !work_read(&work, &judge, err) ||
        !work_apply(&judge, err))
        return false;
    now.work[GATE_BASELINE] = gate_work_total(&work, GATE_BASELINE);
    now.work[GATE_CANARY] = gate_work_total(&work, GATE_CANARY);
    /* Who asks for a type gets it, whatever it is. */
    if (rules->is_default && profiles->sample_type.len == 0 &&
        !gate_default_rules_choose(rules, judge.inputs.items, judge.inputs.count, cli->arena, err))
        return false;
    if (rules->is_default)
        gate_cli_tell(cli, "rules: by the type of these profiles it is %.*s", GATE_STR_ARG(rules->source));
    return gate_judge_noise_read(&judge.noise, options, cli, err) && history_judge_all(&now.history, &judge, err) &&
           judge_one(out, &judge, &judge.inputs, now, err);
}
