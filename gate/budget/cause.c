/* SPDX-License-Identifier: Apache-2.0 */
/* From findings to causes (see cause.h). */
#include "gate/budget/cause.h"

#include "gate/budget/second_look.h"
#include "gate/compare/charge_tree.h"
#include "gate/compare/hot_path.h"
#include "gate/compare/tree_prune.h"

#include <math.h>
#include <stdlib.h>

static const double MOST = 0.5;

struct search {
    const struct gate_comparison *comparison;
    uint32_t index;
    struct gate_charge_tree charge;
    double grown;              /* of all frames that grew, per unit of work */
    struct gate_cause *causes; /* of all comparisons */
    uint32_t count, first;     /* first: of this comparison */
    struct gate_arena *arena;
    struct gate_error *err;
};

/* Frames that merely could not be seen well enough are nobody's cause. */
bool gate_cause_tells(const struct gate_finding *finding) {
    if (finding->limit == NULL || finding->outcome < GATE_OUTCOME_WARN)
        return false;
    return finding->reason != GATE_REASON_TOO_FEW_SAMPLES && finding->reason != GATE_REASON_NOT_COMPARABLE;
}

static bool bounds_growth(const struct gate_finding *finding) {
    return gate_limit_quantity(finding->limit->kind) != GATE_QUANTITY_LEVEL &&
           finding->limit->kind != GATE_LIMIT_DECREASE && finding->evidence.delta > 0.0;
}

/* Growth per unit of work, in the baseline's own values. */
static double cost_growth(const struct gate_comparison *comparison, uint32_t frame) {
    const int64_t *value = comparison->deltas.items[frame].value[GATE_CHARGED];
    return (double)value[GATE_CANARY] / comparison->work_ratio - (double)value[GATE_BASELINE];
}

static double all_growth(const struct gate_comparison *comparison) {
    double sum = 0.0;
    for (uint32_t i = 0; i < comparison->deltas.count; i++)
        sum += fmax(0.0, cost_growth(comparison, i));
    return sum;
}

/* What is charged to a frame explains a growth only where it grew by as much, nearly: a library can grow at another's
 * expense beneath one caller, and a path by a little everywhere. */
static bool explains(const struct gate_comparison *comparison, uint32_t frame, const struct gate_finding *finding) {
    return comparison->frames[frame].evidence[GATE_CHARGED]->delta >= MOST * finding->evidence.delta;
}

static uint32_t frame_of(const struct search *search, const struct gate_finding *finding) {
    const struct gate_frame *frames = search->comparison->pair.frames;
    if (finding->frame == GATE_NO_INDEX || !bounds_growth(finding) ||
        (finding->measure == GATE_CHARGED && frames[finding->frame].is_own))
        return finding->frame;
    uint32_t owner = gate_charge_tree_owner(&search->charge, finding->frame, finding->measure);
    return explains(search->comparison, owner, finding) ? owner : finding->frame;
}

static struct gate_cause *known_cause(const struct search *search, uint32_t frame, struct gate_str name) {
    for (uint32_t i = search->first; i < search->count; i++)
        if (search->causes[i].frame == frame && gate_str_equal(search->causes[i].function, name))
            return &search->causes[i];
    return NULL;
}

static bool fill_frame(struct gate_cause *cause, const struct search *search) {
    const struct gate_comparison *comparison = search->comparison;
    const int64_t *value = comparison->deltas.items[cause->frame].value[GATE_CHARGED];
    bool has_work = comparison->work_is_known || comparison->work_is_estimated;
    cause->is_own = comparison->pair.frames[cause->frame].is_own;
    if (has_work && value[GATE_CANARY] > 0)
        cause->cost_ratio = (double)value[GATE_CANARY] / comparison->work_ratio / (double)value[GATE_BASELINE];
    if (search->grown > 0.0)
        cause->explains = fmax(0.0, cost_growth(comparison, cause->frame)) / search->grown;
    cause->path = GATE_NEW_ARRAY(search->arena, uint32_t, GATE_CAUSE_PATH_MAX);
    if (cause->path == NULL)
        return gate_arena_error(search->arena, search->err);
    cause->path_count = gate_charge_tree_path(cause->path, GATE_CAUSE_PATH_MAX, &search->charge, cause->frame);
    return true;
}

/* One growth is told by what is charged to its frame, where that grew; a level, or a decrease that must stay, by its
 * finding. */
static void take_evidence(struct gate_cause *cause, const struct gate_comparison *comparison) {
    const struct gate_cause_finding *worst = &cause->findings[0];
    bool is_charged = false;
    for (uint32_t i = 0; i < cause->finding_count && cause->frame != GATE_NO_INDEX; i++)
        is_charged = is_charged || (bounds_growth(cause->findings[i].finding) &&
                                    explains(comparison, cause->frame, cause->findings[i].finding));
    cause->measure = is_charged ? GATE_MEASURE_CHARGED : worst->result->budget->measure;
    cause->evidence = is_charged ? *comparison->frames[cause->frame].evidence[GATE_CHARGED] : worst->finding->evidence;
}

static bool join(struct gate_cause *cause, const struct gate_cause_finding *told, struct search *search) {
    struct gate_cause_finding *all =
        gate_arena_grow(search->arena, cause->findings, cause->finding_count, &cause->finding_capacity, sizeof *all);
    if (all == NULL)
        return gate_arena_error(search->arena, search->err);
    uint32_t at = cause->finding_count;
    for (; at > 0 && all[at - 1].finding->outcome < told->finding->outcome; at--)
        all[at] = all[at - 1];
    all[at] = *told;
    cause->findings = all;
    cause->finding_count++;
    cause->outcome = all[0].finding->outcome;
    cause->reason = all[0].finding->reason;
    take_evidence(cause, search->comparison);
    return true;
}

static bool add(struct search *search, const struct gate_cause_finding *told) {
    uint32_t frame = frame_of(search, told->finding);
    struct gate_str name =
        frame == GATE_NO_INDEX ? told->finding->function : search->comparison->pair.frames[frame].name;
    struct gate_cause *cause = known_cause(search, frame, name);
    if (cause == NULL) {
        cause = &search->causes[search->count++];
        *cause = (struct gate_cause){.comparison = search->index, .frame = frame, .function = name};
        cause->cost_ratio = cause->explains = NAN;
        if (frame != GATE_NO_INDEX && !fill_frame(cause, search))
            return false;
    }
    return join(cause, told, search);
}

/* The whole, or a group, grew because something in it did: the largest frame's cause answers for it. */
static struct gate_cause *largest(const struct search *search) {
    struct gate_cause *best = NULL;
    for (uint32_t i = search->first; i < search->count; i++) {
        struct gate_cause *cause = &search->causes[i];
        if (cause->frame != GATE_NO_INDEX && cause->evidence.delta > 0.0 &&
            (best == NULL || cause->evidence.delta > best->evidence.delta))
            best = cause;
    }
    return best;
}

static bool add_all(struct search *search, const struct gate_budget_result *results, uint32_t count, bool wholes) {
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t f = 0; results[i].comparison == search->index && f < results[i].finding_count; f++) {
            struct gate_cause_finding told = {&results[i], &results[i].findings[f]};
            bool is_whole = told.finding->frame == GATE_NO_INDEX;
            if (!gate_cause_tells(told.finding) || is_whole != wholes)
                continue;
            struct gate_cause *answers = is_whole && bounds_growth(told.finding) ? largest(search) : NULL;
            if (!(answers != NULL ? join(answers, &told, search) : add(search, &told)))
                return false;
        }
    return true;
}

/* The tree that was made before, else one of that which is kept, else a new one. */
static bool search_tree(struct search *search, const struct gate_tree *known) {
    const struct gate_comparison *comparison = search->comparison;
    const struct gate_tree_options options = {.min_share = GATE_SECOND_LOOK_MIN_SHARE};
    if (known == NULL) {
        struct gate_tree *made = GATE_NEW_ARRAY(search->arena, struct gate_tree, 1);
        if (made == NULL)
            return gate_arena_error(search->arena, search->err);
        bool ok = comparison->tree != NULL ? gate_tree_prune(made, comparison->tree, &comparison->pair,
                                                             GATE_SECOND_LOOK_MIN_SHARE, search->arena, search->err)
                                           : gate_hot_path_tree(made, &comparison->pair, &comparison->deltas, &options,
                                                                search->arena, search->err);
        if (!ok)
            return false;
        known = made;
    }
    return gate_charge_tree_make(&search->charge, known, &comparison->pair, search->arena, search->err);
}

static bool search_comparison(struct search *search, const struct gate_tree *known,
                              const struct gate_budget_result *results, uint32_t count) {
    search->first = search->count;
    search->grown = all_growth(search->comparison);
    return search_tree(search, known) && add_all(search, results, count, false) &&
           add_all(search, results, count, true);
}

static int compare(const void *left, const void *right) {
    const struct gate_cause *a = left, *b = right;
    if (a->outcome != b->outcome)
        return a->outcome > b->outcome ? -1 : 1;
    bool own_a = a->is_own || a->frame == GATE_NO_INDEX, own_b = b->is_own || b->frame == GATE_NO_INDEX;
    if (own_a != own_b)
        return own_a ? -1 : 1;
    if (a->evidence.delta != b->evidence.delta)
        return a->evidence.delta > b->evidence.delta ? -1 : 1;
    if (a->comparison != b->comparison)
        return a->comparison < b->comparison ? -1 : 1;
    int names = gate_str_compare(a->function, b->function);
    return names != 0 ? names : a->frame < b->frame ? -1 : a->frame > b->frame;
}

static uint32_t told_about(const struct gate_budget_result *results, uint32_t count, uint32_t comparison) {
    uint32_t told = 0;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t f = 0; results[i].comparison == comparison && f < results[i].finding_count; f++)
            told += gate_cause_tells(&results[i].findings[f]);
    return told;
}

bool gate_cause_find(struct gate_cause_list *out, const struct gate_tree *const *trees,
                     const struct gate_budget_result *results, uint32_t result_count,
                     const struct gate_comparison *comparisons, uint32_t comparison_count, struct gate_arena *arena,
                     struct gate_error *err) {
    struct search search = {.arena = arena, .err = err};
    size_t room = 1;
    for (uint32_t i = 0; i < comparison_count; i++)
        room += told_about(results, result_count, i);
    search.causes = GATE_NEW_ARRAY(arena, struct gate_cause, room);
    if (search.causes == NULL)
        return gate_arena_error(arena, err);
    for (uint32_t i = 0; i < comparison_count; i++) {
        search.comparison = &comparisons[i];
        search.index = i;
        const struct gate_tree *known = trees == NULL ? NULL : trees[i];
        if (told_about(results, result_count, i) > 0 && !search_comparison(&search, known, results, result_count))
            return false;
    }
    qsort(search.causes, search.count, sizeof *search.causes, compare);
    *out = (struct gate_cause_list){search.causes, search.count};
    return true;
}

bool gate_cause_is_of(const struct gate_cause *cause, const struct gate_budget_result *result,
                      enum gate_outcome outcome) {
    for (uint32_t i = 0; i < cause->finding_count; i++)
        if (cause->findings[i].result == result && cause->findings[i].finding->outcome == outcome)
            return true;
    return false;
}

/* Steps [from, to) of the path, at most `room` of them: the first, a gap, and the last. Returns how many were written.
 */
static uint32_t steps_of(uint32_t *out, const struct gate_cause *cause, uint32_t from, uint32_t to, uint32_t room) {
    uint32_t count = to - from, kept = 0;
    bool has_gap = count > room;
    for (uint32_t i = 0; i < (has_gap ? 1 : count); i++)
        out[kept++] = cause->path[from + i];
    if (!has_gap)
        return kept;
    out[kept++] = GATE_NO_INDEX;
    for (uint32_t i = room - 2; i > 0; i--)
        out[kept++] = cause->path[to - i];
    return kept;
}

uint32_t gate_cause_steps(uint32_t *out, const struct gate_cause *cause) {
    enum { HALF = GATE_CAUSE_STEPS_MAX / 2 };
    uint32_t own = 0;
    for (uint32_t i = 0; i < cause->path_count; i++)
        if (cause->path[i] == cause->frame)
            own = i + 1;
    uint32_t count = steps_of(out, cause, 0, own, HALF);
    return count + steps_of(out + count, cause, own, cause->path_count, HALF);
}
