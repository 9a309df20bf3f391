/* SPDX-License-Identifier: Apache-2.0 */
/* Noise models of the command line (see judge_noise.h). */
#include "gate/cli/judge_noise.h"

#include "gate/cli/input.h"
#include "gate/cli/rules_from.h"

bool gate_judge_noise_read(struct gate_judge_noise **out, const struct gate_judge_options *options,
                           const struct gate_cli *cli, struct gate_error *err) {
    struct gate_arena *arena = cli->arena;
    uint32_t count = options->noise.count;
    *out = GATE_NEW_ARRAY(arena, struct gate_judge_noise, (size_t)count + 1);
    if (*out == NULL)
        return gate_arena_error(arena, err);
    for (uint32_t i = 0; i < count; i++) {
        struct gate_judge_noise *model = &(*out)[i];
        const char *path = options->noise.items[i];
        struct gate_error why = {0};
        struct gate_str text;
        model->name = gate_input_name(path);
        if (!gate_rules_from_read(&text, options->from, cli, path, arena, &why))
            return gate_error_set(err, why.code, "%s: %s", model->name, why.message);
        if (options->from != NULL && !gate_rules_from_compare(options->from, cli, "noise model", path, text, err))
            return false;
        if (!gate_noise_read(&model->noise, &model->naming, text, arena, &why))
            return gate_error_set(err, why.code, "%s:%u:%u: %s", model->name, (unsigned)why.line, (unsigned)why.column,
                                  why.message);
    }
    return true;
}

/* Give a model to the comparisons that it is about; a model about none of them is a mistake. */
bool gate_judge_noise_apply(struct gate_plan *plan, const struct gate_judge_noise *model,
                            const struct gate_frame_options *frames, bool is_history, struct gate_error *err) {
    const struct gate_noise *noise = &model->noise;
    const char *path = model->name;
    uint32_t used = 0;
    GATE_ASSERT(plan->comparison_count > 0);
    if (model->naming.granularity != frames->granularity || model->naming.exact_names != frames->exact_names)
        return gate_error_set(err, GATE_ERR_CONFIG,
                              "%s: this noise model was made with another --granularity or --names; calibrate again "
                              "with those of this run",
                              path);
    for (uint32_t i = 0; i < plan->comparison_count; i++) {
        struct gate_comparison *comparison = &plan->comparisons[i];
        if (comparison->is_filtered || !gate_str_equal(comparison->pair.type.type, noise->type.type) ||
            !gate_str_equal(comparison->pair.type.unit, noise->type.unit))
            continue;
        bool is_same_mix = noise->mix_key.len == 0 || gate_str_equal(noise->mix_key, comparison->pair.mix_key);
        used += !is_same_mix && is_history; /* nobody can tell what an earlier canary served */
        if (!is_same_mix && is_history)
            continue;
        if (!is_same_mix)
            return gate_error_set(
                err, GATE_ERR_CONFIG,
                "%s: this noise model was made of runs whose work was told by '%.*s', so it knows "
                "nothing of how traffic varies; tell the work of these runs by it too, for the values "
                "that their samples have",
                path, GATE_STR_ARG(noise->mix_key));
        double coverage = gate_noise_coverage(noise, &comparison->pair, &comparison->deltas);
        if (coverage < GATE_NOISE_COVERAGE_LEAST)
            return gate_error_set(
                err, GATE_ERR_CONFIG,
                "%s: this noise model covers %.0f %% of the baseline's self cost and should cover %.0f %%; if it "
                "was made from another program, calibrate again on runs of this one",
                path, 100 * coverage, 100 * GATE_NOISE_COVERAGE_LEAST);
        comparison->noise = noise;
        used++;
    }
    if (used != 0)
        return true;
    if (plan->comparisons[0].is_filtered)
        return gate_error_set(
            err, GATE_ERR_CONFIG,
            "%s: a noise model describes whole profiles, but 'where' compares a part; leave out one of them", path);
    const struct gate_value_type *type = &plan->comparisons[0].pair.type;
    return gate_error_set(
        err, GATE_ERR_CONFIG,
        "%s: this noise model is for %.*s/%.*s, but this run compares %.*s/%.*s; calibrate on such profiles", path,
        GATE_STR_ARG(noise->type.type), GATE_STR_ARG(noise->type.unit), GATE_STR_ARG(type->type),
        GATE_STR_ARG(type->unit));
}
