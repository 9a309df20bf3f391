/* SPDX-License-Identifier: Apache-2.0 */
/* A profile that decodes can also be walked, joined, merged and written. The written profile has the same sums, and
 * so has one whose bytes may be rewritten in place. */
#include "fuzz.h"

#include "gate/formats/merge.h"
#include "gate/formats/pprof.h"
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

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len) {
    struct gate_arena arena;
    struct gate_error err = {0};
    struct gate_profile profile;
    gate_arena_init(&arena, fuzz_limits.memory_bytes);
    if (gate_pprof_decode(&profile, fuzz_view(bytes, len), &fuzz_limits, &arena, &err)) {
        join(&profile, &arena);
        merge_again(&profile, &arena);
    } else {
        FUZZ_CHECK(err.code != GATE_OK && err.message[0] != '\0');
    }
    gate_arena_free(&arena);
    return 0;
}
