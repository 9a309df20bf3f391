/* SPDX-License-Identifier: Apache-2.0 */
/* The noise model of accepted runs (see accepted_noise.h). */
#include "gate/cli/accepted_noise.h"

#include "gate/cli/load_sides.h"
#include "gate/compare/hot_path.h"

/* One model on its way. */
struct making {
    const struct gate_comparison *comparison;
    const struct gate_accepted *accepted;
    struct gate_pair_options pairing;
    struct gate_run_input *runs;
    uint32_t count;
    struct gate_cli *cli;
    bool is_told;
    struct gate_error *err;
};

static void tell(const struct making *making, struct gate_str text) {
    if (making->is_told && text.ptr != NULL)
        gate_cli_note(making->cli, text);
}

static bool has_type(const struct gate_profile *profile, const struct gate_value_type *type) {
    for (uint32_t i = 0; i < profile->sample_type_count; i++)
        if (gate_str_equal(profile->sample_types[i].type, type->type))
            return true;
    return false;
}

/* Earlier looks at the change may have brought in runs of another baseline: those are compared, too. */
static bool is_compared(const struct making *making, const struct gate_run_input *run) {
    for (int side = 0; side < GATE_SIDES; side++)
        for (uint32_t i = 0; i < making->comparison->pair.sides[side].run_count; i++)
            if (gate_load_sides_is_same(&making->comparison->pair.sides[side].runs[i].input, run))
                return true;
    return false;
}

/* The runs that hold the comparison's type, and are not compared. */
static bool load(struct making *making, const struct gate_paths *files, const struct gate_limits *limits) {
    struct gate_side_runs side;
    struct gate_arena *arena = making->cli->arena;
    if (!gate_load_sides_one(&side, making->cli, files, limits, false, making->err))
        return false;
    making->runs = GATE_NEW_ARRAY(arena, struct gate_run_input, (size_t)side.count + 1);
    if (making->runs == NULL)
        return gate_arena_error(arena, making->err);
    for (uint32_t i = 0; i < side.count; i++)
        if (has_type(side.items[i].profile, &making->comparison->pair.type) && !is_compared(making, &side.items[i]))
            making->runs[making->count++] = side.items[i];
    return true;
}

static bool fold(struct gate_pair *pair, struct gate_delta_list *deltas, const struct making *making) {
    const struct gate_run_input *const sides[GATE_SIDES] = {making->runs, making->runs};
    const uint32_t counts[GATE_SIDES] = {making->count, 1};
    return gate_hot_path_costs(pair, deltas, sides, counts, &making->pairing, making->cli->arena, making->err);
}

/* `*is_split`: there is no telling the good runs. */
static bool leave_out(struct making *making, bool *is_split) {
    struct gate_pair pair;
    struct gate_delta_list deltas;
    struct gate_odd_run_list odd;
    uint32_t count = 0, next = 0;
    if (!fold(&pair, &deltas, making) || !gate_odd_run_find(&odd, &pair, &deltas, making->cli->arena, making->err))
        return false;
    *is_split = odd.is_split;
    for (uint32_t i = 0; i < making->count && !odd.is_split; i++) {
        if (next < odd.count && odd.items[next].run == i) {
            tell(making, gate_str_format(making->cli->arena, "left out of the noise model, by %.*s: %.*s",
                                         GATE_STR_ARG(pair.frames[odd.items[next].frame].name),
                                         GATE_STR_ARG(gate_accepted_title(making->accepted, making->runs[i].path))));
            next++;
            continue;
        }
        making->runs[count++] = making->runs[i];
    }
    making->count = odd.is_split ? making->count : count;
    return true;
}

/* `*out`: the model, or NULL. */
static bool make(const struct gate_noise **out, struct making *making) {
    struct gate_pair pair;
    struct gate_delta_list deltas;
    struct gate_arena *arena = making->cli->arena;
    bool is_split = false;
    *out = NULL;
    if (making->count < GATE_ACCEPTED_NOISE_LEAST)
        return true;
    if (!leave_out(making, &is_split))
        return false;
    if (is_split || making->count < GATE_ACCEPTED_NOISE_LEAST) {
        tell(making, GATE_STR("no noise model is made of the accepted runs: too few of them are alike"));
        return true;
    }
    struct gate_noise *noise = GATE_NEW_ARRAY(arena, struct gate_noise, 1);
    if (noise == NULL)
        return gate_arena_error(arena, making->err);
    if (!fold(&pair, &deltas, making) || !gate_noise_estimate(noise, &pair, &deltas, arena, making->err))
        return false;
    if (gate_noise_coverage(noise, &making->comparison->pair, &making->comparison->deltas) <
        GATE_NOISE_COVERAGE_LEAST) {
        tell(making, GATE_STR("no noise model is made of the accepted runs: they hold too little of this profile"));
        return true;
    }
    tell(making, gate_str_format(arena, "the noise model is of %u other accepted runs", (unsigned)making->count));
    *out = noise;
    return true;
}

/* The accepted runs that are of the kind of a comparison: its pair's, or those of the sole kind. */
static const struct gate_paths *others_of(const struct gate_accepted *accepted,
                                          const struct gate_comparison *comparison) {
    if (accepted->kind_count == 1)
        return &accepted->others[0].files;
    for (uint32_t i = 0; i < accepted->kind_count; i++)
        for (uint32_t t = 0; t < comparison->pair.sides[GATE_BASELINE].runs[0].input.profile->sample_type_count; t++)
            if (gate_str_equal(accepted->others[i].kind,
                               comparison->pair.sides[GATE_BASELINE].runs[0].input.profile->sample_types[t].type))
                return &accepted->others[i].files;
    return NULL;
}

bool gate_accepted_noise_apply(struct gate_comparison *comparisons, uint32_t count,
                               const struct gate_accepted *accepted, const struct gate_pair_options *pairing,
                               const struct gate_limits *limits, struct gate_cli *told, struct gate_arena *arena,
                               struct gate_error *err) {
    struct gate_cli quiet = {.arena = arena};
    for (uint32_t i = 0; i < count; i++) {
        struct gate_comparison *comparison = &comparisons[i];
        const struct gate_paths *files = others_of(accepted, comparison);
        struct making making = {.comparison = comparison,
                                .accepted = accepted,
                                .pairing = *pairing,
                                .cli = told == NULL ? &quiet : told,
                                .is_told = told != NULL,
                                .err = err};
        if (comparison->noise != NULL || comparison->is_filtered || comparison->same_input || files == NULL ||
            files->count < GATE_ACCEPTED_NOISE_LEAST)
            continue;
        making.pairing.sample_type = comparison->pair.type.type;
        if (!load(&making, files, limits) || !make(&comparison->noise, &making))
            return false;
    }
    return true;
}
