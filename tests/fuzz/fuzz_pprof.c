/* SPDX-License-Identifier: Apache-2.0 */
/* A profile that decodes can also be walked, joined, merged and written. The written profile has the same sums, and
 * so has one whose bytes may be rewritten in place. */
#include "fuzz.h"

#include "gate/formats/merge.h"
#include "gate/formats/pprof.h"
#include "gate/model/location.h"
#include "gate/model/stacks.h"

/* Set `out` to the total of each column, modulo 2^64, and check the stacks and labels on the way. */
static void totals(uint64_t *out, const struct gate_profile *profile) {
    struct gate_sample_cursor cursor;
    struct gate_sample sample;
    struct gate_error err = {0};
    memset(out, 0, GATE_VALUES_MAX * sizeof *out);
    gate_sample_begin(&cursor, profile);
    while (gate_sample_next(&cursor, &sample, &err)) {
        uint32_t depth = 0;
        uint64_t id = 0;
        for (uint32_t at = 0; gate_stack_next(sample.stack, &at, &id); depth++)
            FUZZ_CHECK(gate_location_find(profile, id) != GATE_NO_INDEX);
        FUZZ_CHECK(depth == gate_stack_depth(sample.stack) && sample.value_count == profile->sample_type_count);
        struct gate_label_walk walk = gate_labels_of(&cursor);
        struct gate_label label;
        uint32_t labels = 0;
        while (gate_labels_next(&walk, &label))
            labels++;
        FUZZ_CHECK(labels == sample.label_count);
        for (uint32_t i = 0; i < sample.value_count; i++)
            out[i] += (uint64_t)sample.values[i];
    }
    FUZZ_CHECK(err.code == GATE_OK);
    gate_sample_end(&cursor);
}

static void join(const struct gate_profile *profile, struct gate_arena *arena) {
    struct gate_error err = {0};
    uint64_t sums[GATE_VALUES_MAX];
    totals(sums, profile);
    for (uint32_t i = 0; i < profile->sample_type_count; i++) {
        struct gate_counts_model model = gate_counts_choose(profile, i, NULL);
        struct gate_stacks stacks;
        if (!gate_stacks_collect(&stacks, profile, &model, NULL, NULL, NULL, arena, &err))
            continue;
        FUZZ_CHECK((uint64_t)stacks.total == sums[i] && stacks.record_count == profile->sample_count);
    }
}

static void merge_again(const struct gate_profile *profile, struct gate_arena *arena) {
    struct gate_merge merge;
    struct gate_error err = {0};
    struct gate_buf out = {0};
    struct gate_profile again;
    uint64_t before[GATE_VALUES_MAX], after[GATE_VALUES_MAX];
    gate_merge_begin(&merge, arena);
    if (gate_merge_add(&merge, profile, arena, &err) && gate_merge_write(&out, &merge, GATE_CONTAINER_RAW, &err) &&
        out.len != 0) {
        FUZZ_CHECK(gate_pprof_decode(&again, gate_buf_view(&out), &fuzz_limits, arena, &err) ||
                   err.code != GATE_ERR_FORMAT);
        if (err.code == GATE_OK) {
            totals(before, profile);
            totals(after, &again);
            FUZZ_CHECK(memcmp(before, after, sizeof before) == 0);
        }
    }
    gate_merge_end(&merge);
    gate_buf_free(&out);
}

static bool is_same_location(const struct gate_profile *a, const struct gate_profile *b, uint32_t index) {
    const struct gate_location at[2] = {gate_location_at(a, index), gate_location_at(b, index)};
    struct gate_line_walk walks[2] = {gate_location_lines(a, &at[0]), gate_location_lines(b, &at[1])};
    struct gate_line lines[2];
    bool is_same = at[0].id == at[1].id && at[0].address == at[1].address && at[0].mapping == at[1].mapping &&
                   at[0].line_count == at[1].line_count;
    while (is_same && gate_line_next(&walks[0], &lines[0])) {
        bool has_line = gate_line_next(&walks[1], &lines[1]);
        is_same = has_line && lines[0].function < a->function_count && lines[0].function == lines[1].function &&
                  lines[0].line == lines[1].line && lines[0].column == lines[1].column;
    }
    return is_same && gate_location_frames(a, index) == gate_location_frames(b, index);
}

/* Decode a copy whose bytes may be rewritten. It has the same samples and locations, and joins to as many stacks. */
static void decode_own(const struct gate_profile *profile, struct gate_arena *arena) {
    struct gate_error err = {0};
    struct gate_profile own;
    struct gate_stacks stacks[2];
    uint64_t sums[2][GATE_VALUES_MAX];
    uint8_t *copy = gate_arena_alloc(arena, profile->bytes.len);
    if (copy == NULL)
        return;
    memcpy(copy, profile->bytes.ptr, profile->bytes.len);
    if (!gate_pprof_decode_own(&own, copy, profile->bytes.len, &fuzz_limits, arena, &err)) {
        FUZZ_CHECK(err.code != GATE_ERR_FORMAT);
        return;
    }
    totals(sums[0], profile);
    totals(sums[1], &own);
    FUZZ_CHECK(own.sample_count == profile->sample_count && memcmp(sums[0], sums[1], sizeof sums[0]) == 0);
    for (uint32_t i = 0; i < profile->location_count; i++)
        FUZZ_CHECK(is_same_location(profile, &own, i));
    if (profile->sample_type_count == 0)
        return;
    struct gate_counts_model model = gate_counts_choose(profile, 0, NULL);
    if (gate_stacks_collect(&stacks[0], profile, &model, NULL, NULL, NULL, arena, &err) &&
        gate_stacks_collect(&stacks[1], &own, &model, NULL, NULL, NULL, arena, &err))
        FUZZ_CHECK(stacks[0].count == stacks[1].count && stacks[0].total == stacks[1].total);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len) {
    struct gate_arena arena;
    struct gate_error err = {0};
    struct gate_profile profile;
    gate_arena_init(&arena, fuzz_limits.memory_bytes);
    if (gate_pprof_decode(&profile, fuzz_view(bytes, len), &fuzz_limits, &arena, &err)) {
        join(&profile, &arena);
        decode_own(&profile, &arena);
        merge_again(&profile, &arena);
    } else {
        FUZZ_CHECK(err.code != GATE_OK && err.message[0] != '\0');
    }
    gate_arena_free(&arena);
    return 0;
}
