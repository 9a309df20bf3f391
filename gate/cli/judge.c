/* SPDX-License-Identifier: Apache-2.0 */
/* From a request and rules to comparisons (see inputs.h). */
#include "gate/cli/inputs.h"

#include "gate/guards/guards.h"
#include "gate/rules/noise_file.h"
#include "gate/cli/rulefile.h"

#include <stdlib.h>

/* A model that knows less of a profile than this was made from something else. */
static const double NOISE_COVERAGE = 0.6;

static bool inputs_load(struct gate_plan_input **out, uint32_t *count, struct gate_cli *cli,
                        const struct gate_request *request, struct gate_error *err) {
    bool named = request->pair_count != 0;
    *count = named ? request->pair_count : 1;
    *out = GATE_NEW_ARRAY(cli->arena, struct gate_plan_input, *count);
    if (*out == NULL)
        return gate_arena_error(cli->arena, err);
    for (uint32_t i = 0; i < *count; i++) {
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

static bool inputs_has_warning(const struct gate_inputs *inputs, const struct gate_warning *warning) {
    for (uint32_t i = 0; i < inputs->warning_count; i++)
        if (gate_str_equal(inputs->warnings[i].code, warning->code) &&
            gate_str_equal(inputs->warnings[i].message, warning->message))
            return true;
    return false;
}

/* Warnings of all comparisons, each once: comparisons of the same files repeat what is said about the files. */
static bool inputs_guard(struct gate_inputs *inputs, const struct gate_rules *rules, struct gate_arena *arena,
                         struct gate_error *err) {
    size_t capacity = 0;
    for (uint32_t c = 0; c < inputs->plan.comparison_count; c++) {
        struct gate_warning *found = NULL;
        uint32_t count = 0;
        if (inputs->plan.comparisons[c].same_input)
            continue;
        if (!gate_guards_check(&found, &count, &inputs->plan.comparisons[c], rules, arena, err))
            return false;
        for (uint32_t i = 0; i < count; i++) {
            if (inputs_has_warning(inputs, &found[i]))
                continue;
            struct gate_warning *all =
                gate_arena_grow(arena, inputs->warnings, inputs->warning_count, &capacity, sizeof *all);
            if (all == NULL)
                return gate_arena_error(arena, err);
            inputs->warnings = all;
            inputs->warnings[inputs->warning_count++] = found[i];
        }
    }
    return true;
}

bool gate_inputs_make(struct gate_inputs *out, struct gate_cli *cli, const struct gate_request *request,
                      const struct gate_rules *rules, struct gate_error *err) {
    struct gate_plan_input *inputs = NULL;
    uint32_t count = 0;
    const struct gate_plan_options options = {
        .sample_type = request->sample_type,
        .where = {request->where, request->where_count},
        .frames = gate_request_frames(request, rules->frames),
        .counts = gate_request_counts(request, rules->counts),
    };
    *out = (struct gate_inputs){0};
    struct gate_rules *spread = GATE_NEW_ARRAY(cli->arena, struct gate_rules, 1);
    if (spread == NULL)
        return gate_arena_error(cli->arena, err);
    out->rules = spread;
    return inputs_load(&inputs, &count, cli, request, err) &&
           gate_plan_spread(spread, rules, inputs, count, cli->arena, err) &&
           gate_plan_make(&out->plan, spread, inputs, count, &options, cli->arena, err) &&
           inputs_guard(out, spread, cli->arena, err);
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
static bool inputs_apply_noise(struct gate_inputs *inputs, const struct gate_noise *noise,
                               const struct gate_noise_naming *naming, const struct gate_frame_options *frames,
                               const char *path, struct gate_error *err) {
    uint32_t used = 0;
    GATE_ASSERT(inputs->plan.comparison_count > 0);
    if (naming->granularity != frames->granularity || naming->exact_names != frames->exact_names)
        return gate_error_set(err, GATE_ERR_CONFIG,
                              "%s: this noise model names frames another way (granularity or names); calibrate again", path);
    for (uint32_t i = 0; i < inputs->plan.comparison_count; i++) {
        struct gate_comparison *comparison = &inputs->plan.comparisons[i];
        if (comparison->is_filtered || !gate_str_equal(comparison->pair.type.type, noise->type.type) ||
            !gate_str_equal(comparison->pair.type.unit, noise->type.unit))
            continue;
        double coverage = noise_coverage(noise, comparison);
        if (coverage < NOISE_COVERAGE)
            return gate_error_set(err, GATE_ERR_CONFIG,
                                  "%s: this noise model knows %.0f %% of the baseline's self cost, and should know %.0f %%: is "
                                  "it of another program? calibrate again on runs of this one",
                                  path, 100 * coverage, 100 * NOISE_COVERAGE);
        comparison->noise = noise;
        used++;
    }
    if (used != 0)
        return true;
    if (inputs->plan.comparisons[0].is_filtered)
        return gate_error_set(err, GATE_ERR_CONFIG, "%s: a noise model is of whole profiles, and 'where' compares a part", path);
    const struct gate_value_type *type = &inputs->plan.comparisons[0].pair.type;
    return gate_error_set(err, GATE_ERR_CONFIG, "%s: this noise model is for %.*s/%.*s, but the run compares %.*s/%.*s",
                          path, GATE_STR_ARG(noise->type.type), GATE_STR_ARG(noise->type.unit),
                          GATE_STR_ARG(type->type), GATE_STR_ARG(type->unit));
}

static bool inputs_noise(struct gate_inputs *inputs, const struct gate_judging *judging,
                         const struct gate_frame_options *frames, struct gate_cli *cli, struct gate_error *err) {
    for (uint32_t i = 0; i < judging->noise_count; i++) {
        const char *path = judging->noise[i];
        struct gate_noise *noise = GATE_NEW_ARRAY(cli->arena, struct gate_noise, 1);
        struct gate_noise_naming naming;
        struct gate_error why = {0};
        struct gate_str text;
        if (noise == NULL)
            return gate_arena_error(cli->arena, err);
        if (!gate_rulefile_read(&text, gate_str_from(path), cli->arena, &why))
            return gate_error_set(err, why.code, "%s: %s", path, why.message);
        if (!gate_noise_read(noise, &naming, text, cli->arena, &why))
            return gate_error_set(err, why.code, "%s:%u:%u: %s", path, (unsigned)why.line, (unsigned)why.column,
                                  why.message);
        if (!inputs_apply_noise(inputs, noise, &naming, frames, path, err))
            return false;
    }
    return true;
}

/* The verdict on one canary; earlier ones are judged the same way, but for what only the whole row of runs tells. */
static bool inputs_judge_one(struct gate_verdict *out, struct gate_cli *cli, const struct gate_request *request,
                             const struct gate_rules *rules, const struct gate_judging *judging,
                             struct gate_verdict_options options, struct gate_error *err) {
    struct gate_inputs inputs;
    const struct gate_frame_options frames = gate_request_frames(request, rules->frames);
    if (!gate_inputs_make(&inputs, cli, request, rules, err) || !inputs_noise(&inputs, judging, &frames, cli, err))
        return false;
    options.comparison_of = inputs.plan.budget_comparison;
    options.warnings = inputs.warnings;
    options.warning_count = inputs.warning_count;
    options.today = gate_rulefile_today(cli->arena);
    options.command = judging->command;
    return gate_verdict_reach(out, inputs.rules, inputs.plan.comparisons, inputs.plan.comparison_count, &options,
                              cli->arena, err);
}

/* Judge each earlier canary against the same baseline. Work is not known of them, so their own cost is estimated. */
static bool inputs_judge_history(const struct gate_verdict ***out, uint32_t *count, struct gate_cli *cli,
                                 const struct gate_request *request, const struct gate_rules *rules,
                                 const struct gate_judging *judging, struct gate_error *err) {
    struct gate_paths paths;
    if (judging->history.count != 0 && request->pair_count != 0)
        return gate_error_set(err, GATE_ERR_USAGE, "'--history' goes with one baseline and one canary, not with '--pair'");
    if (!gate_paths_expand(&paths, &judging->history, cli->arena, err))
        return false;
    struct gate_verdict *verdicts = GATE_NEW_ARRAY(cli->arena, struct gate_verdict, (size_t)paths.count + 1);
    const struct gate_verdict **list = gate_arena_calloc(cli->arena, (size_t)paths.count + 1, sizeof *list);
    if (verdicts == NULL || list == NULL)
        return gate_arena_error(cli->arena, err);
    for (uint32_t i = 0; i < paths.count; i++) {
        struct gate_request earlier = *request;
        const struct gate_verdict_options options = {.is_history = true};
        earlier.paths[GATE_CANARY] = (struct gate_paths){.items = &paths.items[i], .count = 1};
        if (!inputs_judge_one(&verdicts[i], cli, &earlier, rules, judging, options, err))
            return false;
        list[i] = &verdicts[i];
    }
    *out = list;
    *count = paths.count;
    return true;
}

/* A folder of canaries may have been given this one too: it must not agree with itself. */
static bool inputs_check_history(const struct gate_verdict *verdict, const struct gate_verdict *const *history,
                                 uint32_t count, struct gate_error *err) {
    const struct gate_side *now = &verdict->comparisons[0].pair.sides[GATE_CANARY];
    for (uint32_t i = 0; i < count; i++) {
        const struct gate_run *earlier = &history[i]->comparisons[0].pair.sides[GATE_CANARY].runs[0];
        for (uint32_t r = 0; r < now->run_count; r++)
            if (now->runs[r].input.content[0] == earlier->input.content[0] &&
                now->runs[r].input.content[1] == earlier->input.content[1])
                return gate_error_set(err, GATE_ERR_INPUT,
                                      "%.*s: it is this canary itself, not an earlier one; take it out of the history",
                                      GATE_STR_ARG(earlier->input.path));
    }
    return true;
}

bool gate_inputs_judge(struct gate_verdict *out, struct gate_cli *cli, const struct gate_request *request,
                       const struct gate_rules *rules, const struct gate_judging *judging, struct gate_error *err) {
    const struct gate_verdict **history = NULL;
    struct gate_verdict_options options = {.work = {judging->work[GATE_BASELINE], judging->work[GATE_CANARY]}};
    if (!inputs_judge_history(&history, &options.history_count, cli, request, rules, judging, err))
        return false;
    options.history = history;
    return inputs_judge_one(out, cli, request, rules, judging, options, err) &&
           inputs_check_history(out, history, options.history_count, err);
}

static bool judging_work(struct gate_judging *judging, const char *value, struct gate_error *err) {
    static const char *const sides[GATE_SIDES] = {"baseline=", "canary="};
    for (int side = 0; side < GATE_SIDES; side++)
        if (gate_str_starts(gate_str_from(value), gate_str_from(sides[side])))
            return gate_option_positive(&judging->work[side], value + strlen(sides[side]), "work", err);
    return gate_error_set(err, GATE_ERR_USAGE, "option '--work': expected baseline=N or canary=N, found '%s'", value);
}

static bool judging_history(struct gate_judging *judging, const char *value, struct gate_arena *arena,
                            struct gate_error *err) {
    const char **items = gate_arena_grow(arena, (void *)judging->history.items, judging->history.count,
                                         &judging->history_capacity, sizeof *items);
    if (items == NULL)
        return gate_arena_error(arena, err);
    judging->history.items = items;
    judging->history.items[judging->history.count++] = value;
    return true;
}

bool gate_judging_take(struct gate_judging *judging, int id, const char *value, struct gate_arena *arena,
                       struct gate_error *err) {
    switch (id) {
    case GATE_JUDGING_HISTORY:
        return judging_history(judging, value, arena, err);
    case GATE_JUDGING_WORK_BASELINE:
        return gate_option_positive(&judging->work[GATE_BASELINE], value, "work-baseline", err);
    case GATE_JUDGING_WORK_CANARY:
        return gate_option_positive(&judging->work[GATE_CANARY], value, "work-canary", err);
    case GATE_JUDGING_NOISE:
        if (judging->noise_count == GATE_NOISE_MAX)
            return gate_error_set(err, GATE_ERR_USAGE, "option '--noise' can be given %d times", GATE_NOISE_MAX);
        judging->noise[judging->noise_count++] = value;
        return true;
    default:
        GATE_ASSERT(id == GATE_JUDGING_WORK);
        return judging_work(judging, value, err);
    }
}

static const char *const work_variables[GATE_SIDES] = {"PPROFGATE_WORK_BASELINE", "PPROFGATE_WORK_CANARY"};

/* Numbers that an earlier CI step left in the environment; an empty variable counts as unset, as CI systems make them. */
static bool judging_environment(struct gate_judging *judging, struct gate_error *err) {
    for (int side = 0; side < GATE_SIDES; side++) {
        const char *value = getenv(work_variables[side]);
        struct gate_error why = {0};
        if (value != NULL && value[0] != '\0' && !gate_option_positive(&judging->work[side], value, "work", &why))
            return gate_error_set(err, GATE_ERR_USAGE, "%s: expected a number above zero, found '%s'",
                                  work_variables[side], value);
    }
    return true;
}

bool gate_judging_finish(struct gate_judging *judging, struct gate_error *err) {
    bool told = judging->work[GATE_BASELINE] > 0 || judging->work[GATE_CANARY] > 0;
    if (!told && !judging_environment(judging, err))
        return false;
    if ((judging->work[GATE_BASELINE] > 0) == (judging->work[GATE_CANARY] > 0))
        return true;
    int missing = judging->work[GATE_BASELINE] > 0 ? GATE_CANARY : GATE_BASELINE;
    static const char *const sides[GATE_SIDES] = {"baseline", "canary"};
    if (!told)
        return gate_error_set(err, GATE_ERR_USAGE, "the work of the %s is missing: set %s beside %s, or neither",
                              sides[missing], work_variables[missing], work_variables[1 - missing]);
    return gate_error_set(err, GATE_ERR_USAGE,
                          "the work of the %s is missing: a ratio needs '--work baseline=N' and '--work canary=N'",
                          sides[missing]);
}
