/* SPDX-License-Identifier: Apache-2.0 */
/* Records of both sides joined by stack (see pair_collect.h). */
#include "gate/compare/pair_collect.h"

#include "gate/base/parallel.h"
#include "gate/compare/other_type.h"
#include "gate/profile/unit.h"

/* Of a run's cost: with less of it labelled, its traffic's mix is still unknown. */
static const double MIXED_LEAST = 0.5;

struct pair_collect {
    struct gate_side *side;
    const struct gate_pair *pair;
    const struct gate_pair_collecting *how;
    struct gate_arena arena;
    struct gate_error err;
    bool ok;
};

static bool pair_has_stacks(const struct gate_stacks *stacks) {
    for (uint32_t i = 0; i < stacks->count; i++)
        if (gate_stacks_ref_at(stacks, i).len != 0)
            return true;
    return false;
}

static bool pair_refuse_absent(const struct gate_run *run, const struct gate_label_filter *where,
                               struct gate_error *err) {
    struct gate_error why = {0};
    (void)gate_where_absent(run->input.profile, where, &why);
    return gate_error_set(err, why.code, "%.*s: %s", GATE_STR_ARG(run->input.path), why.message);
}

/* What is wrong with the values of the sample type, and which other one has none of it. */
static bool pair_refuse_values(const struct pair_collect *work, struct gate_str path, const char *what,
                               const char *otherwise, struct gate_error *err) {
    struct gate_str type = work->pair->type.type;
    struct gate_str other = gate_other_type_find(work->pair, &work->how->where);
    if (other.len == 0)
        return gate_error_set(err, GATE_ERR_INPUT, "%.*s: the values of '%.*s' %s%s", GATE_STR_ARG(path),
                              GATE_STR_ARG(type), what, otherwise);
    return gate_error_set(err, GATE_ERR_INPUT,
                          "%.*s: the values of '%.*s' %s%s, or compare '%.*s', whose values can be (--sample-type, or "
                          "'sample_type' of the budgets)",
                          GATE_STR_ARG(path), GATE_STR_ARG(type), what, otherwise, GATE_STR_ARG(other));
}

static bool pair_check_run(const struct gate_run *run, const struct pair_collect *work, struct gate_error *err) {
    const struct gate_stacks *stacks = &run->stacks;
    const struct gate_label_filter *where = &work->how->where;
    struct gate_str path = run->input.path;
    if (stacks->record_count == 0 && work->how->is_part)
        return true;
    if (stacks->record_count == 0 && where->count != 0 && run->input.profile->sample_count != 0)
        return pair_refuse_absent(run, where, err);
    if (stacks->record_count == 0)
        return gate_error_set(err, GATE_ERR_INPUT,
                              "%.*s: it holds no samples; was the program idle, or the profile taken too early?",
                              GATE_STR_ARG(path));
    if (run->input.profile->is_saved_diff)
        return gate_error_set(err, GATE_ERR_INPUT,
                              "%.*s: it is a saved diff (its samples are labelled pprof::base); give the two profiles "
                              "that it was made from",
                              GATE_STR_ARG(path));
    if (stacks->has_negative)
        return pair_refuse_values(work, path,
                                  "are negative in places, as those of a saved diff or a delta profile (?seconds=) are",
                                  "; give the two profiles that it was made from", err);
    if (!pair_has_stacks(stacks))
        return gate_error_set(err, GATE_ERR_INPUT,
                              "%.*s: none of its samples has a stack, so there are no frames to compare",
                              GATE_STR_ARG(path));
    return true;
}

static bool pair_collect_run(struct gate_run *run, struct pair_collect *work) {
    struct gate_error why = {0};
    if (!gate_stacks_collect(&run->stacks, run->input.profile, &run->counts, &work->how->where, run->input.mix,
                             run->input.resample, &work->arena, &why))
        return gate_error_set(&work->err, why.code, "%.*s: %s", GATE_STR_ARG(run->input.path), why.message);
    if (!pair_check_run(run, work, &work->err))
        return false;
    struct gate_str unit = run->input.profile->sample_types[run->counts.value_column].unit;
    run->unit_ratio = gate_unit_ratio(unit, work->pair->type.unit);
    GATE_ASSERT(run->unit_ratio > 0);
    if (__builtin_mul_overflow(run->stacks.total, run->unit_ratio, &run->total))
        return gate_error_set(&work->err, GATE_ERR_OVERFLOW, "%.*s: its total does not fit in 64 bits",
                              GATE_STR_ARG(run->input.path));
    double total = (double)run->stacks.total;
    run->events = run->stacks.weight_sq > 0 ? total * total / run->stacks.weight_sq : 0;
    return true;
}

static void pair_collect_side(void *context) {
    struct pair_collect *work = context;
    struct gate_side *side = work->side;
    for (uint32_t i = 0; i < side->run_count; i++) {
        struct gate_run *run = &side->runs[i];
        if (!pair_collect_run(run, work))
            return;
        side->duration_ns = gate_profile_add_saturated(side->duration_ns, run->input.profile->duration_ns);
        if (__builtin_add_overflow(side->total, run->total, &side->total)) {
            (void)gate_error_set(&work->err, GATE_ERR_OVERFLOW, "%.*s: the sum of its side does not fit in 64 bits",
                                 GATE_STR_ARG(run->input.path));
            return;
        }
        side->events += run->events;
        side->record_count += run->stacks.record_count;
    }
    if (side->total == 0) {
        (void)pair_refuse_values(work, side->runs[0].input.path, "add up to zero, so there are no shares to compare",
                                 "; take a profile while the program works", &work->err);
        return;
    }
    work->ok = true;
}

static bool pair_collect(struct gate_pair *pair, const struct gate_pair_collecting *how, struct gate_arena *arena,
                         struct gate_error *err) {
    struct pair_collect work[GATE_SIDES];
    for (int side = 0; side < GATE_SIDES; side++) {
        work[side] = (struct pair_collect){.side = &pair->sides[side], .pair = pair, .how = how};
        gate_arena_fork(&work[side].arena, arena);
    }
    gate_parallel_both_if(how->in_threads, pair_collect_side, &work[GATE_BASELINE], &work[GATE_CANARY]);
    bool ok = true;
    for (int side = GATE_SIDES; side-- > 0;) {
        gate_arena_absorb(arena, &work[side].arena);
        if (!work[side].ok)
            *err = work[side].err; /* the baseline's, when both failed */
        ok = ok && work[side].ok;
    }
    return ok;
}

/* ---- traffic ------------------------------------------------------------------------------------------------------
 */

/* The label that the work of every run was told by; empty: not of every run. */
static struct gate_str pair_mix_told(const struct gate_pair *pair) {
    struct gate_str key = GATE_STR("");
    for (int side = 0; side < GATE_SIDES; side++)
        for (uint32_t i = 0; i < pair->sides[side].run_count; i++) {
            const struct gate_mix *mix = pair->sides[side].runs[i].input.mix;
            if (mix == NULL)
                return GATE_STR("");
            key = mix->key;
        }
    return key;
}

/* The part of the cost that the mix has a part for, in the run where that is least. */
static double pair_mix_share(const struct gate_pair *pair) {
    double least = 1.0;
    for (int side = 0; side < GATE_SIDES; side++)
        for (uint32_t i = 0; i < pair->sides[side].run_count; i++) {
            const struct gate_stacks *stacks = &pair->sides[side].runs[i].stacks;
            double share = stacks->total > 0 ? stacks->mixed / (double)stacks->total : 0.0;
            least = share < least ? share : least;
        }
    return least;
}

static void pair_forget_mix(struct gate_pair *pair) {
    for (int side = 0; side < GATE_SIDES; side++) {
        struct gate_side *from = &pair->sides[side]; /* whose runs are looked at beside */
        from->total = from->duration_ns = 0;
        from->record_count = 0;
        from->events = 0.0;
        for (uint32_t i = 0; i < from->run_count; i++)
            from->runs[i].input.mix = NULL;
    }
}

bool gate_pair_collect(struct gate_pair *pair, const struct gate_pair_collecting *how, struct gate_arena *arena,
                       struct gate_error *err) {
    struct gate_str told = pair_mix_told(pair);
    bool is_part = how->where.count > 0;
    if (told.len == 0 || is_part)
        pair_forget_mix(pair);
    if (!pair_collect(pair, how, arena, err))
        return false;
    if (told.len == 0)
        return true;
    pair->mix_share = is_part ? 0.0 : pair_mix_share(pair);
    if (pair->mix_share >= MIXED_LEAST) {
        pair->mix_key = told;
        return true;
    }
    pair->mix_told = told;
    if (is_part)
        return true;
    pair_forget_mix(pair);
    return pair_collect(pair, how, arena, err);
}
