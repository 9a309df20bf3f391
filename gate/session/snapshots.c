/* SPDX-License-Identifier: Apache-2.0 */
/* Rounds of heap snapshots of one process: what was allocated between them. */
#include "gate/session/snapshots.h"

#include "gate/base/hash.h"
#include "gate/formats/format.h"
#include "gate/formats/merge.h"

/* Write `later` minus `earlier` to `bytes`, over the time between them. */
static bool subtract(struct gate_buf *bytes, const struct gate_profile *later, const struct gate_profile *earlier,
                     struct gate_arena *arena, struct gate_error *err) {
    struct gate_merge merge;
    struct gate_arena scratch;
    gate_arena_fork(&scratch, arena);
    gate_merge_begin(&merge, &scratch);
    bool ok = gate_merge_add_scaled(&merge, later, 1, NULL, &scratch, err) &&
              gate_merge_add_scaled(&merge, earlier, -1, NULL, &scratch, err);
    if (ok) {
        int64_t between = later->time_ns - earlier->time_ns;
        merge.builder.header.time_ns = earlier->time_ns;
        merge.builder.header.duration_ns = earlier->time_ns > 0 && between > 0 ? between : 0;
        ok = gate_merge_write(bytes, &merge, GATE_CONTAINER_RAW, err);
    }
    gate_merge_end(&merge);
    gate_arena_free(&scratch);
    return ok;
}

/* Make the run between two rounds. */
static bool run_between(struct gate_run_input *out, const struct gate_run_input *earlier,
                        const struct gate_run_input *later, const struct gate_limits *limits, struct gate_arena *arena,
                        struct gate_error *err) {
    struct gate_buf bytes = {0};
    struct gate_profile *profile = GATE_NEW_ARRAY(arena, struct gate_profile, 1);
    *out = *later;
    bool ok = profile != NULL || gate_arena_error(arena, err);
    ok = ok && subtract(&bytes, later->profile, earlier->profile, arena, err);
    struct gate_str kept = ok ? gate_str_copy(arena, gate_buf_view(&bytes)) : GATE_STR("");
    gate_buf_free(&bytes);
    if (!ok)
        return false;
    if (kept.ptr == NULL)
        return gate_arena_error(arena, err);
    gate_hash_wide(out->content, kept.ptr, kept.len);
    out->profile = profile;
    return gate_profile_load(profile, kept, limits, arena, err);
}

/* Set `*falls` if something allocated less in total by the later round: then the rounds are of several processes. */
static bool find_falling(bool *falls, const struct gate_profile *between, struct gate_error *err) {
    struct gate_sample_cursor cursor;
    struct gate_sample sample;
    struct gate_error none = {0};
    gate_sample_begin(&cursor, between);
    while (gate_sample_next(&cursor, &sample, &none))
        for (uint32_t column = 0; column < between->sample_type_count; column++)
            *falls = *falls || (sample.values[column] < 0 &&
                                gate_str_starts(between->sample_types[column].type, GATE_STR("alloc_")));
    gate_sample_end(&cursor);
    if (none.code != GATE_OK)
        *err = none;
    return none.code == GATE_OK;
}

static bool side_between(bool *falls, struct gate_plan_input *out, const struct gate_plan_input *heap,
                         enum gate_side_name side, const struct gate_limits *limits, struct gate_arena *arena,
                         struct gate_error *err) {
    uint32_t count = heap->counts[side] - 1;
    struct gate_run_input *runs = GATE_NEW_ARRAY(arena, struct gate_run_input, (size_t)count + 1);
    if (runs == NULL)
        return gate_arena_error(arena, err);
    out->work[side] = 0.0;
    for (uint32_t i = 0; i < count; i++) {
        struct gate_error why = {0};
        if (!run_between(&runs[i], &heap->runs[side][i], &heap->runs[side][i + 1], limits, arena, &why) ||
            !find_falling(falls, runs[i].profile, &why))
            return gate_error_set(err, why.code, "%.*s: %s", GATE_STR_ARG(heap->runs[side][i + 1].path), why.message);
        out->work[side] += runs[i].work;
    }
    out->runs[side] = runs;
    out->counts[side] = count;
    return true;
}

static bool is_of_kind(const struct gate_plan_input *input, const char *kind) {
    return gate_str_equal(input->kind, gate_str_from(kind));
}

/* Return whether the rounds are snapshots of a process whose allocations are known. */
static bool is_series(const struct gate_plan_input *input) {
    struct gate_plan_input all = *input;
    all.void_types = GATE_STR("");
    return is_of_kind(input, "heap") && input->void_types.len > 0 && input->counts[GATE_BASELINE] > 1 &&
           input->counts[GATE_CANARY] > 1 && gate_plan_holds(&all, GATE_STR("alloc_space"));
}

bool gate_snapshots_split(struct gate_plan_input **inputs, uint32_t *input_count, const struct gate_limits *limits,
                          struct gate_session *session, struct gate_error *err) {
    struct gate_arena *arena = session->arena;
    uint32_t count = *input_count;
    for (uint32_t i = 0; i < count; i++)
        if (is_of_kind(&(*inputs)[i], "allocs"))
            return true;
    struct gate_plan_input *items = GATE_NEW_ARRAY(arena, struct gate_plan_input, 2 * (size_t)count + 1);
    if (items == NULL)
        return gate_arena_error(arena, err);
    memcpy(items, *inputs, count * sizeof *items);
    for (uint32_t i = 0; i < *input_count; i++) {
        if (!is_series(&items[i]))
            continue;
        bool falls = false;
        struct gate_plan_input allocs = items[i];
        allocs.label = allocs.kind = GATE_STR("allocs");
        allocs.void_types = GATE_STR("inuse_");
        for (int side = 0; side < GATE_SIDES; side++)
            if (!side_between(&falls, &allocs, &items[i], (enum gate_side_name)side, limits, arena, err))
                return false;
        if (falls) {
            items[i].void_types = GATE_STR("");
            continue;
        }
        items[i].label = GATE_STR("heap");
        items[count++] = allocs;
    }
    *inputs = items;
    *input_count = count;
    return true;
}
