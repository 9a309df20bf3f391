/* SPDX-License-Identifier: Apache-2.0 */
/* Work done by each run, as given with --work, and the mix of its traffic. */
#include "gate/compare/work.h"

#include "gate/compare/pair.h"

static bool is_whole(const struct gate_work_count *count) {
    return count->key.len == 0;
}

bool gate_work_add(struct gate_work *work, const struct gate_work_count *count, struct gate_arena *arena,
                   struct gate_error *err) {
    for (uint32_t i = 0; i < work->count; i++) {
        struct gate_work_count *at = &work->items[i];
        if (at->side == count->side && gate_str_equal(at->key, count->key) && gate_str_equal(at->value, count->value)) {
            *at = *count;
            return true;
        }
    }
    if (!GATE_GROW(arena, work->items, work->count, work->capacity))
        return gate_arena_error(arena, err);
    work->items[work->count++] = *count;
    return true;
}

static double sum(const struct gate_work_count *count) {
    double all = 0.0;
    for (uint32_t i = 0; i < count->count; i++)
        all += count->runs[i];
    return all;
}

/* Return the sum of a side's work given as a whole, or by label. */
static double work_given(const struct gate_work *work, enum gate_side_name side, bool as_whole) {
    double found = 0.0;
    for (uint32_t i = 0; i < work->count; i++)
        if (work->items[i].side == side && is_whole(&work->items[i]) == as_whole)
            found += sum(&work->items[i]);
    return found;
}

double gate_work_total(const struct gate_work *work, enum gate_side_name side) {
    enum gate_side_name other = side == GATE_BASELINE ? GATE_CANARY : GATE_BASELINE;
    double whole = work_given(work, side, true), labelled = work_given(work, side, false);
    /* If the other side has work by label only, sum the labels here too, so that both sides count the same thing. */
    bool other_has_labels_alone = work_given(work, other, true) <= 0.0 && work_given(work, other, false) > 0.0;
    return whole > 0.0 && !(labelled > 0.0 && other_has_labels_alone) ? whole : labelled;
}

const struct gate_work_count *gate_work_one_sided(const struct gate_work *work) {
    bool both = work_given(work, GATE_BASELINE, false) > 0.0 && work_given(work, GATE_CANARY, false) > 0.0;
    for (uint32_t i = 0; both && i < work->count; i++) {
        const struct gate_work_count *at = &work->items[i];
        bool is_paired = is_whole(at) || !(sum(at) > 0.0);
        for (uint32_t j = 0; !is_paired && j < work->count; j++) {
            const struct gate_work_count *other = &work->items[j];
            is_paired = other->side != at->side && gate_str_equal(other->value, at->value) && sum(other) > 0.0;
        }
        if (!is_paired)
            return at;
    }
    return NULL;
}

double gate_work_of_value(const struct gate_work *work, enum gate_side_name side, const struct gate_label_match *match,
                          uint32_t run, uint32_t runs) {
    double found = 0.0;
    for (uint32_t i = 0; i < work->count; i++) {
        const struct gate_work_count *at = &work->items[i];
        if (at->side != side || is_whole(at) || !gate_str_equal(at->key, match->key) ||
            !gate_str_equal(at->value, match->value))
            continue;
        if (run == GATE_NO_INDEX)
            found += sum(at);
        else if (at->count == runs)
            found += at->runs[run];
    }
    return found;
}

/* Return the work of a run. A single number is the work of the whole side, so each run gets an equal part. */
static double of_run(const struct gate_work_count *count, uint32_t run, uint32_t runs) {
    return count->count == 1 ? count->runs[0] / runs : count->runs[run];
}

static bool check_counts(const struct gate_work *work, const uint32_t counts[GATE_SIDES], struct gate_error *err) {
    for (uint32_t i = 0; i < work->count; i++) {
        const struct gate_work_count *at = &work->items[i];
        if (counts[GATE_CANARY] == 0 && at->side == GATE_CANARY)
            return gate_error_set(err, GATE_ERR_USAGE, "the work names a canary, but these runs have no sides");
        if (counts[GATE_CANARY] == 0 && at->count != counts[GATE_BASELINE])
            return gate_error_set(err, GATE_ERR_USAGE, "the work has %u number%s for %u runs: give one per run",
                                  (unsigned)at->count, at->count == 1 ? "" : "s", (unsigned)counts[GATE_BASELINE]);
        if (at->count != 1 && at->count != counts[at->side])
            return gate_error_set(
                err, GATE_ERR_USAGE,
                "the work of the %s has %u numbers, but there %s %u run%s: give one number, or one per run",
                gate_side_word(at->side), (unsigned)at->count, counts[at->side] == 1 ? "is" : "are",
                (unsigned)counts[at->side], counts[at->side] == 1 ? "" : "s");
    }
    return true;
}

/* Find the label key of both sides' work; empty: none. */
static bool find_key(struct gate_str *key, const struct gate_work *work, bool has_canary, struct gate_error *err) {
    bool has_labels[GATE_SIDES] = {false, false};
    *key = GATE_STR("");
    for (uint32_t i = 0; i < work->count; i++) {
        const struct gate_work_count *at = &work->items[i];
        if (is_whole(at))
            continue;
        if (key->len != 0 && !gate_str_equal(*key, at->key))
            return gate_error_set(
                err, GATE_ERR_USAGE,
                "the work is given by the labels '%.*s' and '%.*s'; choose the one that identifies a kind of request",
                GATE_STR_ARG(*key), GATE_STR_ARG(at->key));
        *key = at->key;
        has_labels[at->side] = true;
    }
    if (!has_canary || has_labels[GATE_BASELINE] == has_labels[GATE_CANARY])
        return true;
    return gate_error_set(err, GATE_ERR_USAGE, "the work by '%.*s' is given for the %s only; give it for both sides",
                          GATE_STR_ARG(*key), gate_side_word(has_labels[GATE_BASELINE] ? GATE_BASELINE : GATE_CANARY));
}

/* Return the work of a side's run (GATE_NO_INDEX: all runs) for a label value (`value` NULL: all values). */
static double labelled(const struct gate_work *work, enum gate_side_name side, const struct gate_str *value,
                       uint32_t run, uint32_t runs) {
    double found = 0.0;
    for (uint32_t i = 0; i < work->count; i++) {
        const struct gate_work_count *at = &work->items[i];
        if (at->side == side && !is_whole(at) && (value == NULL || gate_str_equal(at->value, *value)))
            found += run == GATE_NO_INDEX ? sum(at) : of_run(at, run, runs);
    }
    return found;
}

/* Return the mix of a run; NULL if the arena is full. A value without work in the run or in the baseline gets no
 * part, so its samples keep their weight. */
static struct gate_mix *make_mix(const struct gate_work *work, struct gate_str key, enum gate_side_name side,
                                 uint32_t run, uint32_t runs, struct gate_arena *arena) {
    struct gate_mix *mix = GATE_NEW_ARRAY(arena, struct gate_mix, 1);
    struct gate_mix_part *parts = GATE_NEW_ARRAY(arena, struct gate_mix_part, work->count);
    if (mix == NULL || parts == NULL)
        return NULL;
    *mix = (struct gate_mix){.key = key, .parts = parts};
    double whole = labelled(work, GATE_BASELINE, NULL, GATE_NO_INDEX, 0), own = labelled(work, side, NULL, run, runs);
    for (uint32_t i = 0; i < work->count; i++) {
        const struct gate_work_count *at = &work->items[i];
        if (at->side != side || is_whole(at))
            continue;
        double wanted = labelled(work, GATE_BASELINE, &at->value, GATE_NO_INDEX, 0), did = of_run(at, run, runs);
        if (wanted > 0.0 && did > 0.0)
            parts[mix->count++] = (struct gate_mix_part){at->value, wanted / whole / (did / own)};
    }
    return mix;
}

/* Return whether all work of a kind (whole or by label) is given run by run. */
static bool is_by_run(const struct gate_work *work, enum gate_side_name side, bool as_whole, uint32_t runs) {
    bool any = false;
    for (uint32_t i = 0; i < work->count; i++) {
        const struct gate_work_count *at = &work->items[i];
        if (at->side != side || is_whole(at) != as_whole)
            continue;
        any = true;
        if (at->count != runs)
            return false;
    }
    return any;
}

/* Set each run's work, from the same kind on both sides, because they are compared. */
static void apply_runs(const struct gate_work *work, struct gate_run_input *const runs[GATE_SIDES],
                       const uint32_t counts[GATE_SIDES]) {
    for (int side = 0; side < GATE_SIDES; side++) {
        enum gate_side_name name = (enum gate_side_name)side;
        bool as_whole =
            work_given(work, name, true) > 0.0 && gate_work_total(work, name) == work_given(work, name, true);
        if (!is_by_run(work, name, as_whole, counts[side]))
            continue;
        for (uint32_t i = 0; i < work->count; i++)
            for (uint32_t r = 0;
                 work->items[i].side == name && is_whole(&work->items[i]) == as_whole && r < counts[side]; r++)
                runs[side][r].work += work->items[i].runs[r];
    }
}

/* Check that work by label does not add up to 0, which gives no traffic mix. */
static bool check_traffic(const struct gate_work *work, const uint32_t counts[GATE_SIDES], struct gate_error *err) {
    for (int side = 0; side < GATE_SIDES; side++)
        for (uint32_t r = 0; r < counts[side]; r++)
            if (!(labelled(work, (enum gate_side_name)side, NULL, r, counts[side]) > 0.0))
                return gate_error_set(err, GATE_ERR_USAGE, "the work by label adds up to zero in run %u of the %s",
                                      (unsigned)r + 1, gate_side_word((enum gate_side_name)side));
    return true;
}

bool gate_work_apply(const struct gate_work *work, struct gate_run_input *const runs[GATE_SIDES],
                     const uint32_t counts[GATE_SIDES], struct gate_arena *arena, struct gate_error *err) {
    struct gate_str key;
    if (!check_counts(work, counts, err) || !find_key(&key, work, counts[GATE_CANARY] > 0, err))
        return false;
    if (key.len != 0 && !check_traffic(work, counts, err))
        return false;
    apply_runs(work, runs, counts);
    for (int side = 0; key.len != 0 && side < GATE_SIDES; side++)
        for (uint32_t r = 0; r < counts[side]; r++) {
            runs[side][r].mix = make_mix(work, key, (enum gate_side_name)side, r, counts[side], arena);
            if (runs[side][r].mix == NULL)
                return gate_arena_error(arena, err);
        }
    return true;
}
