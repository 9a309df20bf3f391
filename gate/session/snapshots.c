/* SPDX-License-Identifier: Apache-2.0 */
/* Rounds of heap snapshots of one process: computes the allocations between them. */
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

/* What was allocated between two snapshots. */
enum between { NOTHING, SOMETHING, LESS /* something fell: the snapshots are of several processes */ };

static bool find_between(enum between *out, const struct gate_profile *between, struct gate_error *err) {
    struct gate_sample_cursor cursor;
    struct gate_sample sample;
    struct gate_error none = {0};
    *out = NOTHING;
    gate_sample_begin(&cursor, between);
    while (gate_sample_next(&cursor, &sample, &none))
        for (uint32_t column = 0; column < between->sample_type_count; column++) {
            int64_t value = sample.values[column];
            if (value == 0 || !gate_str_starts(between->sample_types[column].type, GATE_STR("alloc_")))
                continue;
            *out = value < 0 || *out == LESS ? LESS : SOMETHING;
        }
    gate_sample_end(&cursor);
    if (none.code != GATE_OK)
        *err = none;
    return none.code == GATE_OK;
}

/* State of making the runs between snapshots. */
struct splitting {
    const struct gate_plan_input *heap;
    struct gate_run_input *runs[GATE_SIDES];
    uint32_t count, last; /* runs made; snapshot that the last of them ends with */
    const struct gate_limits *limits;
    struct gate_arena *arena;
    struct gate_error *err;
};

/* Make the runs from the last snapshot to snapshot `at` on both sides. Nothing between them on a side, because the
 * collector did not run, leaves that time to the next run. */
static bool round_between(struct splitting *s, uint32_t at, bool *falls) {
    enum between found[GATE_SIDES];
    for (int side = 0; side < GATE_SIDES; side++) {
        const struct gate_run_input *runs = s->heap->runs[side];
        struct gate_run_input *out = &s->runs[side][s->count];
        struct gate_error why = {0};
        if (!run_between(out, &runs[s->last], &runs[at], s->limits, s->arena, &why) ||
            !find_between(&found[side], out->profile, &why))
            return gate_error_set(s->err, why.code, "%.*s: %s", GATE_STR_ARG(runs[at].path), why.message);
        for (uint32_t i = s->last + 1; out->work > 0.0 && i < at; i++)
            out->work += runs[i].work;
        *falls = *falls || found[side] == LESS;
    }
    if (found[GATE_BASELINE] == SOMETHING && found[GATE_CANARY] == SOMETHING) {
        s->count++;
        s->last = at;
    }
    return true;
}

/* Fill the runs of `allocs` from those of its heap. `*falls`: the snapshots are of several processes. */
static bool rounds_between(struct gate_plan_input *allocs, bool *falls, struct splitting *s) {
    uint32_t snapshots = s->heap->counts[GATE_BASELINE];
    for (int side = 0; side < GATE_SIDES; side++) {
        s->runs[side] = GATE_NEW_ARRAY(s->arena, struct gate_run_input, (size_t)snapshots + 1);
        if (s->runs[side] == NULL)
            return gate_arena_error(s->arena, s->err);
    }
    for (uint32_t at = 1; at < snapshots && !*falls; at++)
        if (!round_between(s, at, falls))
            return false;
    for (int side = 0; side < GATE_SIDES; side++) {
        allocs->runs[side] = s->runs[side];
        allocs->counts[side] = s->count;
        allocs->work[side] = 0.0;
        for (uint32_t i = 0; i < s->count; i++)
            allocs->work[side] += s->runs[side][i].work;
    }
    return true;
}

static bool is_of_kind(const struct gate_plan_input *input, const char *kind) {
    return gate_str_equal(input->kind, gate_str_from(kind));
}

/* Return whether each side has one run a round, so that they may be snapshots of one process. */
static bool is_one_a_round(const struct gate_plan_input *input) {
    for (uint32_t i = 0; i < input->counts[GATE_BASELINE]; i++)
        for (int side = 0; side < GATE_SIDES; side++)
            if (i > 0 && input->runs[side][i].round <= input->runs[side][i - 1].round)
                return false;
    return true;
}

/* Return whether the input has snapshots of heaps whose allocations are known. */
static bool is_series(const struct gate_plan_input *input) {
    struct gate_plan_input all = *input;
    all.void_types = GATE_STR("");
    return is_of_kind(input, "heap") && input->void_types.len > 0 && gate_plan_holds(&all, GATE_STR("alloc_space"));
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
        bool falls = items[i].counts[GATE_BASELINE] != items[i].counts[GATE_CANARY] || !is_one_a_round(&items[i]);
        struct gate_plan_input allocs = items[i];
        struct splitting splitting = {.heap = &items[i], .limits = limits, .arena = arena, .err = err};
        if (!falls && !rounds_between(&allocs, &falls, &splitting))
            return false;
        if (falls) {
            items[i].void_types = GATE_STR("");
            continue;
        }
        if (splitting.count == 0)
            continue;
        items[i].label = GATE_STR("heap");
        allocs.label = allocs.kind = GATE_STR("allocs");
        allocs.void_types = GATE_STR("inuse_");
        items[count++] = allocs;
    }
    *inputs = items;
    *input_count = count;
    return true;
}
