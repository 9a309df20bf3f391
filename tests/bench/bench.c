/* SPDX-License-Identifier: Apache-2.0 */
/* Compares captures (see bench.h). */
#include "bench.h"

#include "gate/compare/work.h"
#include "gate/formats/format.h"
#include "gate/rules/rules_parse.h"

static void inputs_of(const struct bench *bench, struct gate_run_input *out, const uint32_t *which, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        const struct capture *capture = &bench->captures.items[which[i]];
        out[i] = (struct gate_run_input){
            .path = capture->path, .profile = &capture->profile, .round = bench->settings.tells_rounds ? i + 1 : 0};
    }
}

/* Set the number of requests per endpoint of each run. */
static bool tell_mix(struct gate_run_input runs[GATE_SIDES][RUNS_MAX], const struct bench *bench,
                     const uint32_t *const which[GATE_SIDES], const uint32_t counts[GATE_SIDES],
                     struct gate_arena *arena, struct gate_error *err) {
    const struct captures *captures = &bench->captures;
    struct gate_work work = {0};
    struct gate_run_input *const sides[GATE_SIDES] = {runs[0], runs[1]};
    for (int side = 0; side < GATE_SIDES; side++)
        for (uint32_t part = 0; part < captures->part_count; part++) {
            double *told = GATE_NEW_ARRAY(arena, double, counts[side]);
            for (uint32_t r = 0; told != NULL && r < counts[side]; r++)
                told[r] = captures->items[which[side][r]].parts[part];
            const struct gate_work_count count = {.side = (enum gate_side_name)side,
                                                  .key = GATE_STR("endpoint"),
                                                  .value = gate_str_from(captures->part_names[part]),
                                                  .runs = told,
                                                  .count = counts[side]};
            if (told == NULL || !gate_work_add(&work, &count, arena, err))
                return false;
        }
    return gate_work_apply(&work, sides, counts, arena, err);
}

bool bench_compare(struct gate_comparison *out, const struct bench *bench, const uint32_t *one, uint32_t one_count,
                   const uint32_t *two, uint32_t two_count, struct gate_arena *arena, struct gate_error *err) {
    static struct gate_run_input runs[GATE_SIDES][RUNS_MAX];
    const struct gate_run_input *const inputs[GATE_SIDES] = {runs[0], runs[1]};
    const uint32_t counts[GATE_SIDES] = {one_count, two_count};
    struct gate_pair_options options = {.frames = bench->rules.frames, .counts = bench->rules.counts};
    options.sample_type = gate_str_from(bench->settings.type);
    inputs_of(bench, runs[0], one, one_count);
    inputs_of(bench, runs[1], two, two_count);
    *out = (struct gate_comparison){.name = gate_str_from(bench->settings.kind)};
    const uint32_t *const which[GATE_SIDES] = {one, two};
    for (int side = 0; side < GATE_SIDES && bench->settings.use_work; side++)
        for (uint32_t r = 0; r < counts[side]; r++)
            runs[side][r].work = bench->captures.items[which[side][r]].requests;
    if (bench->settings.use_mix && !tell_mix(runs, bench, which, counts, arena, err))
        return false;
    if (!gate_pair_make(&out->pair, inputs, counts, &options, arena, err))
        return false;
    out->pair.is_interleaved = out->pair.is_interleaved && !bench->settings.hides_pairs;
    return gate_delta_fold(&out->deltas, &out->pair, NULL, arena, err);
}

bool bench_calibrate(struct gate_noise *out, const struct bench *bench, const uint32_t *runs, uint32_t count,
                     struct gate_arena *arena, struct gate_error *err) {
    struct gate_comparison comparison;
    return bench_compare(&comparison, bench, runs, count, runs, 1, arena, err) &&
           gate_noise_estimate(out, &comparison.pair, &comparison.deltas, NULL, arena, err);
}

double bench_work_of(const struct bench *bench, const uint32_t *runs, uint32_t count) {
    double work = 0.0;
    for (uint32_t i = 0; i < count; i++)
        work += bench->captures.items[runs[i]].requests;
    return bench->settings.use_work ? work : 0.0;
}

bool bench_read_rules(struct gate_rules *out, const char *path, struct gate_arena *arena, struct gate_error *err) {
    const struct gate_limits limits = gate_limits_default();
    const struct gate_rules_reader reader = {0};
    struct gate_str bytes;
    return gate_source_read(&bytes, gate_str_from(path), &limits, arena, err) &&
           gate_rules_parse(out, bytes, gate_str_from(path), &reader, arena, err);
}
