/* SPDX-License-Identifier: Apache-2.0 */
/* Cost of each frame on both sides. One thread per side, which writes only its own runs' tallies and sums. */
#include "gate/compare/delta.h"

#include "gate/base/hash.h"
#include "gate/base/parallel.h"
#include "gate/compare/frames.h"
#include "gate/compare/pair.h"
#include "gate/compare/walk.h"
#include "gate/names/own_code.h"

#include <math.h>

enum { EXACT_BITS = 53 }; /* precision of a double */

const char *gate_measure_name(enum gate_measure measure) {
    static const char *const names[GATE_MEASURES] = {
        [GATE_SELF] = "self", [GATE_CUMULATIVE] = "cumulative", [GATE_CHARGED] = "charged"};
    return names[measure];
}

/* Sums of one frame in one run. 32 bytes, half a cache line, because frames are accessed in random order. */
struct delta_sum {
    int64_t value;
    double weight_sq;
    uint64_t id;
    uint32_t stamp; /* last counted stack + 1, so that a recursive frame counts once per stack */
};

/* Like struct delta_sum, with half the size, for runs in which all stacks are small (model/stacks.h). */
struct delta_times {
    uint64_t id;
    uint32_t times;
    uint32_t stamp;
};

/* The fold of one side. */
struct delta_fold {
    const struct gate_pair *pair;
    const struct gate_delta_filter *filter; /* or NULL */
    const uint8_t *group;                   /* or NULL: every frame is an item */
    uint8_t *own; /* an enum own per frame, because struct gate_frame is too large for random access */
    struct gate_delta_list *list;
    const struct gate_arena *arena;           /* scratch memory is a fork of it */
    struct delta_sum *sums[GATE_MEASURES];    /* of the current run, one per item; NULL: not needed so far */
    struct delta_times *times[GATE_MEASURES]; /* used instead of `sums` for runs of small stacks */
    uint64_t *set_ids[GATE_MEASURES];         /* of this side, one per item */
    int64_t *folded;                          /* of this side, one per item */
    enum gate_side_name side;
    struct gate_error err;
    bool ok;
};

/* Whether cost is charged to a frame. */
enum own { OWN_NO, OWN_FOLDED, OWN_YES };

/* Contribution of one stack to each item it counts for. */
struct delta_weight {
    int64_t value;
    double weight_sq;
    uint64_t id;
};

static void delta_add(struct delta_sum *sum, const struct delta_weight *weight) {
    sum->value += weight->value; /* cannot overflow: values are >= 0 and the run's total fits */
    sum->weight_sq += weight->weight_sq;
    sum->id += weight->id;
}

/* Return how many frames of a stack count, from the leaf: all, or those up to the outermost `under` frame. */
static uint32_t delta_reach(const struct delta_fold *fold, const uint32_t *frames, uint32_t count) {
    if (fold->filter == NULL || fold->filter->under == NULL)
        return count;
    for (uint32_t i = count; i > 0; i--)
        if (fold->filter->under[frames[i - 1]])
            return i;
    return 0;
}

uint32_t gate_delta_charged(const struct gate_pair *pair, const uint32_t *frames, uint32_t count) {
    for (uint32_t i = 0; i + 1 < count; i++)
        if (pair->frames[frames[i]].is_own)
            return i;
    return count - 1;
}

/* The frames that a stack is charged to, as indices in the stack. */
struct delta_charge {
    uint32_t leafmost; /* own frame, else the root */
    uint32_t at;       /* own frame that both sides have, else the outermost own frame, else the root */
    uint32_t frame;    /* of `at`; pair->one_sided if no own frame is on both sides */
};

static inline struct delta_charge delta_charge_of(const struct delta_fold *fold, const uint32_t *frames,
                                                  uint32_t count) {
    const uint8_t *own = fold->own;
    uint32_t first = 0;
    while (first + 1 < count && own[frames[first]] == OWN_NO)
        first++;
    struct delta_charge charge = {first, first, frames[first]};
    if (own[frames[first]] != OWN_FOLDED)
        return charge;
    charge.frame = fold->pair->one_sided;
    for (uint32_t i = first + 1; i < count; i++) {
        if (own[frames[i]] != OWN_NO)
            charge.at = i;
        if (own[frames[i]] != OWN_YES)
            continue;
        charge.frame = frames[i];
        break;
    }
    return charge;
}

static void delta_stack(struct delta_fold *fold, const uint32_t *frames, uint32_t count, uint32_t stamp,
                        const struct delta_weight *weight) {
    uint32_t reach = delta_reach(fold, frames, count);
    struct delta_sum *cumulative = fold->sums[GATE_CUMULATIVE];
    if (reach == 0)
        return;
    struct delta_charge charge = delta_charge_of(fold, frames, count);
    if (fold->group == NULL) {
        delta_add(&fold->sums[GATE_SELF][frames[0]], weight);
        if (charge.at < reach)
            delta_add(&fold->sums[GATE_CHARGED][charge.frame], weight);
        if (charge.frame != frames[charge.leafmost] && charge.leafmost < reach)
            delta_add(&fold->sums[GATE_CHARGED][frames[charge.leafmost]], weight);
        if (charge.frame != frames[charge.leafmost] && charge.at < reach)
            fold->folded[charge.frame] += weight->value;
        for (uint32_t i = 0; i < reach; i++) {
            struct delta_sum *sum = &cumulative[frames[i]];
            if (sum->stamp == stamp)
                continue;
            sum->stamp = stamp;
            delta_add(sum, weight);
        }
        return;
    }
    if (fold->group[frames[0]])
        delta_add(&fold->sums[GATE_SELF][0], weight);
    if (charge.leafmost < reach && fold->group[frames[charge.leafmost]])
        delta_add(&fold->sums[GATE_CHARGED][0], weight);
    for (uint32_t i = 0; i < reach; i++)
        if (fold->group[frames[i]]) {
            delta_add(&cumulative[0], weight);
            return;
        }
}

/* Write the sums of a run to its tallies. Both sides add to `items`, which is touched only here, in frame order. */
static void delta_run_end(struct delta_fold *fold, uint32_t run_index) {
    struct gate_delta_list *list = fold->list;
    for (int measure = 0; measure < GATE_MEASURES; measure++) {
        struct gate_tally *tallies = &list->tallies[measure][(size_t)run_index * list->count];
        for (uint32_t item = 0; item < list->count; item++) {
            const struct delta_sum *sum = &fold->sums[measure][item];
            tallies[item] = (struct gate_tally){sum->value, sum->weight_sq};
            list->items[item].value[measure][fold->side] += sum->value;
            fold->set_ids[measure][item] += sum->id;
        }
    }
}

static void delta_run(struct delta_fold *fold, const struct gate_run *run, uint32_t run_index, uint32_t *scratch) {
    double ratio_sq = (double)run->unit_ratio * (double)run->unit_ratio;
    for (int measure = 0; measure < GATE_MEASURES; measure++)
        memset(fold->sums[measure], 0, ((size_t)fold->list->count + 1) * sizeof *fold->sums[measure]);
    struct gate_stacks_walk walk = gate_stacks_begin(&run->stacks);
    struct gate_stack stack;
    for (uint32_t i = 0; gate_stacks_next(&stack, &walk); i++) {
        uint32_t count = gate_walk_frames(run, &stack, scratch);
        if (count == 0)
            continue;
        struct delta_weight weight = {
            .value = stack.value * run->unit_ratio,
            .weight_sq = stack.weight_sq * ratio_sq,
            .id = gate_hash_mix((uint64_t)run_index << 32 | i),
        };
        delta_stack(fold, scratch, count, i + 1, &weight);
    }
    delta_run_end(fold, run_index);
}

/* ---- small stacks ------------------------------------------------------------------------------------------------ */

/* Return whether the run can be counted in units of its stacks. Requires that sums of squared weights are exact in a
 * double for every order of addition. */
static bool delta_is_small(const struct delta_fold *fold, const struct gate_run *run) {
    const struct gate_stacks *stacks = &run->stacks;
    bool is_plain = fold->group == NULL && (fold->filter == NULL || fold->filter->under == NULL);
    int ignored = 0;
    if (!is_plain || !gate_stacks_are_small(stacks) || stacks->unit <= 0 || !(stacks->unit_sq > 0.0))
        return false;
    uint64_t digits = (uint64_t)ldexp(frexp(stacks->unit_sq, &ignored), EXACT_BITS);
    digits >>= __builtin_ctzll(digits);
    uint64_t times = (uint64_t)(stacks->total / stacks->unit);
    double ratio = (double)run->unit_ratio;
    return times < UINT32_MAX && (double)digits * (double)times * ratio * ratio < ldexp(1.0, EXACT_BITS);
}

static inline void times_add(struct delta_times *sum, uint32_t times, uint64_t id) {
    sum->times += times;
    sum->id += id;
}

static void times_run_end(struct delta_fold *fold, const struct gate_run *run, uint32_t run_index) {
    struct gate_delta_list *list = fold->list;
    double weight_sq = run->stacks.unit_sq * ((double)run->unit_ratio * (double)run->unit_ratio);
    int64_t value = run->stacks.unit * run->unit_ratio;
    for (int measure = 0; measure < GATE_MEASURES; measure++) {
        struct gate_tally *tallies = &list->tallies[measure][(size_t)run_index * list->count];
        for (uint32_t item = 0; item < list->count; item++) {
            const struct delta_times *sum = &fold->times[measure][item];
            tallies[item] = (struct gate_tally){value * sum->times, weight_sq * sum->times};
            list->items[item].value[measure][fold->side] += tallies[item].value;
            fold->set_ids[measure][item] += sum->id;
        }
    }
}

static void times_run(struct delta_fold *fold, const struct gate_run *run, uint32_t run_index, uint32_t *scratch) {
    struct delta_times *self = fold->times[GATE_SELF], *cumulative = fold->times[GATE_CUMULATIVE];
    for (int measure = 0; measure < GATE_MEASURES; measure++)
        memset(fold->times[measure], 0, ((size_t)fold->list->count + 1) * sizeof *fold->times[measure]);
    struct gate_stacks_walk walk = gate_stacks_begin(&run->stacks);
    struct gate_stack stack = {0};
    uint32_t times = 0;
    for (uint32_t i = 0; gate_stacks_next_small(&stack.ref, &times, &walk); i++) {
        uint32_t count = gate_walk_frames(run, &stack, scratch);
        uint64_t id = gate_hash_mix((uint64_t)run_index << 32 | i);
        if (count == 0)
            continue;
        times_add(&self[scratch[0]], times, id);
        struct delta_charge charge = delta_charge_of(fold, scratch, count);
        times_add(&fold->times[GATE_CHARGED][charge.frame], times, id);
        if (charge.frame != scratch[charge.leafmost]) {
            times_add(&fold->times[GATE_CHARGED][scratch[charge.leafmost]], times, id);
            fold->folded[charge.frame] += run->stacks.unit * run->unit_ratio * times;
        }
        for (uint32_t f = 0; f < count; f++) {
            struct delta_times *sum = &cumulative[scratch[f]];
            if (sum->stamp == i + 1)
                continue;
            sum->stamp = i + 1;
            times_add(sum, times, id);
        }
    }
    times_run_end(fold, run, run_index);
}

/* ---- one side ---------------------------------------------------------------------------------------------------- */

/* Fold one run, by the faster method if possible. Returns false if the arena is full. */
static bool delta_run_any(struct delta_fold *fold, uint32_t index, uint32_t run_index, uint32_t *scratch,
                          struct gate_arena *arena) {
    const struct gate_run *run = &fold->pair->sides[fold->side].runs[index];
    size_t count = (size_t)fold->list->count + 1;
    bool is_small = delta_is_small(fold, run), ok = true;
    for (int measure = 0; measure < GATE_MEASURES; measure++) {
        if (is_small && fold->times[measure] == NULL)
            fold->times[measure] = gate_arena_alloc(arena, count * sizeof *fold->times[measure]);
        if (!is_small && fold->sums[measure] == NULL)
            fold->sums[measure] = gate_arena_alloc(arena, count * sizeof *fold->sums[measure]);
        ok = ok && (is_small ? fold->times[measure] != NULL : fold->sums[measure] != NULL);
    }
    if (ok && is_small)
        times_run(fold, run, run_index, scratch);
    else if (ok)
        delta_run(fold, run, run_index, scratch);
    return ok;
}

static void delta_side(void *context) {
    struct delta_fold *fold = context;
    const struct gate_pair *pair = fold->pair;
    struct gate_arena scratch_arena;
    gate_arena_fork(&scratch_arena, fold->arena);
    uint32_t *scratch = GATE_NEW_ARRAY(&scratch_arena, uint32_t, pair->max_frames);
    fold->own = gate_arena_alloc(&scratch_arena, (size_t)pair->frame_count + 1);
    fold->ok = scratch != NULL && fold->own != NULL;
    for (uint32_t i = 0; fold->ok && i < pair->frame_count; i++)
        fold->own[i] = !pair->frames[i].is_own ? OWN_NO : pair->frames[i].is_folded ? OWN_FOLDED : OWN_YES;
    uint32_t first = fold->side == GATE_BASELINE ? 0 : pair->sides[GATE_BASELINE].run_count;
    for (uint32_t i = 0; fold->ok && i < pair->sides[fold->side].run_count; i++)
        fold->ok = delta_run_any(fold, i, first + i, scratch, &scratch_arena);
    if (!fold->ok)
        (void)gate_arena_error(&scratch_arena, &fold->err);
    gate_arena_free(&scratch_arena);
}

/* Allocate the lists of both folds. `scratch` holds the set ids of each side. */
static bool delta_allocate(struct gate_delta_list *list, struct delta_fold *folds, const struct gate_pair *pair,
                           uint32_t count, struct gate_arena *arena, struct gate_arena *scratch) {
    list->count = count;
    list->run_count = pair->sides[GATE_BASELINE].run_count + pair->sides[GATE_CANARY].run_count;
    list->items = GATE_NEW_ARRAY(arena, struct gate_delta, count);
    bool ok = list->items != NULL;
    for (int side = 0; side < GATE_SIDES; side++) {
        folds[side].folded = GATE_NEW_ARRAY(scratch, int64_t, count);
        ok = ok && folds[side].folded != NULL;
    }
    for (int measure = 0; measure < GATE_MEASURES; measure++) {
        /* Not cleared: the thread of each side writes all tallies of its runs. */
        list->tallies[measure] =
            gate_arena_alloc(arena, ((size_t)count * list->run_count + 1) * sizeof *list->tallies[measure]);
        ok = ok && list->tallies[measure] != NULL;
        for (int side = 0; side < GATE_SIDES; side++) {
            folds[side].set_ids[measure] = GATE_NEW_ARRAY(scratch, uint64_t, count);
            ok = ok && folds[side].set_ids[measure] != NULL;
        }
    }
    return ok;
}

static bool delta_fold_into(struct gate_delta_list *out, const struct gate_pair *pair, const uint8_t *group,
                            const struct gate_delta_filter *filter, struct gate_arena *arena,
                            struct gate_arena *scratch, struct gate_error *err) {
    struct gate_delta_list list = {0};
    struct delta_fold folds[GATE_SIDES] = {{0}};
    if (!delta_allocate(&list, folds, pair, group == NULL ? pair->frame_count : 1, arena, scratch))
        return gate_arena_error(scratch->is_refused ? scratch : arena, err);
    for (int side = 0; side < GATE_SIDES; side++) {
        folds[side].pair = pair;
        folds[side].filter = filter;
        folds[side].group = group;
        folds[side].list = &list;
        folds[side].arena = arena;
        folds[side].side = (enum gate_side_name)side;
    }
    gate_parallel_both_if(gate_pair_is_large(pair), delta_side, &folds[GATE_BASELINE], &folds[GATE_CANARY]);
    for (int side = 0; side < GATE_SIDES; side++)
        if (!folds[side].ok) {
            *err = folds[side].err;
            return false;
        }
    for (uint32_t i = 0; i < list.count; i++)
        for (int side = 0; side < GATE_SIDES; side++)
            list.items[i].folded[side] = folds[side].folded[i];
    for (uint32_t i = 0; i < list.count; i++)
        for (int measure = 0; measure < GATE_MEASURES; measure++)
            list.items[i].set_id[measure] =
                folds[GATE_BASELINE].set_ids[measure][i] + folds[GATE_CANARY].set_ids[measure][i];
    *out = list;
    return true;
}

bool gate_delta_group(struct gate_delta_list *out, const struct gate_pair *pair, const uint8_t *group,
                      const struct gate_delta_filter *filter, struct gate_arena *arena, struct gate_error *err) {
    struct gate_arena scratch;
    GATE_ASSERT(!pair->is_spent);
    gate_arena_fork(&scratch, arena);
    bool ok = delta_fold_into(out, pair, group, filter, arena, &scratch, err);
    gate_arena_free(&scratch);
    return ok;
}

bool gate_delta_fold(struct gate_delta_list *out, const struct gate_pair *pair, const struct gate_delta_filter *filter,
                     struct gate_arena *arena, struct gate_error *err) {
    return gate_delta_group(out, pair, NULL, filter, arena, err);
}

/* ---- frames without a name --------------------------------------------------------------------------------------- */

/* Return whether a frame without a name hides functions that should be compared. The kernel and shared libraries of the
 * system do not, because they are compared as one frame each, and their cost is charged to own code. If the profile has
 * no own code, every frame without a name hides functions. */
static bool is_hidden(const struct gate_pair *pair, const struct gate_frame *frame) {
    if (!gate_unsymbolised_is_frame(pair, frame))
        return false;
    bool is_kernel = gate_str_starts(frame->mapping, GATE_STR("[kernel"));
    if (pair->has_no_own || !(is_kernel || gate_is_shared_library(frame->mapping)))
        return true;
    const struct gate_code_place place = {
        .function = GATE_STR(""), .file = GATE_STR(""), .mapping = frame->mapping, .is_main_mapping = false};
    return gate_own_code_of(GATE_LANGUAGE_NATIVE, &place) != GATE_CODE_LIBRARY;
}

static void add_self(double share[GATE_SIDES], const struct gate_pair *pair, const struct gate_delta_list *deltas,
                     bool (*is_counted)(const struct gate_pair *, const struct gate_frame *)) {
    for (uint32_t side = 0; side < GATE_SIDES; side++) {
        int64_t sum = 0;
        for (uint32_t i = 0; i < pair->frame_count; i++)
            if (is_counted(pair, &pair->frames[i]))
                sum += deltas->items[i].value[GATE_SELF][side];
        share[side] = gate_share(sum, pair->sides[side].total);
    }
}

void gate_delta_unnamed(double share[GATE_SIDES], const struct gate_pair *pair, const struct gate_delta_list *deltas) {
    add_self(share, pair, deltas, gate_unsymbolised_is_frame);
}

void gate_delta_hidden(double share[GATE_SIDES], const struct gate_pair *pair, const struct gate_delta_list *deltas) {
    add_self(share, pair, deltas, is_hidden);
}
