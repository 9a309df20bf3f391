/* SPDX-License-Identifier: Apache-2.0 */
/* Causes: findings grouped by the growth that explains them. */
#include "gate/budget/cause.h"

#include "gate/budget/call_trees.h"
#include "gate/budget/finding.h"
#include "gate/compare/allocator.h"
#include "gate/compare/comparison.h"
#include "gate/compare/cost.h"
#include "gate/compare/tree.h"
#include "gate/compare/tree_judge.h"

#include <math.h>
#include <stdlib.h>

static const double MOST = 0.5, MOST_OUTSIDE = 0.8;

/* New functions of a caller are added code, and no replacements, if the functions that are gone from it had at most
 * this fraction of their cost. */
static const double GONE_MOST = 0.1;

struct search {
    const struct gate_comparison *comparison;
    uint32_t index;
    struct gate_charge_tree charge;
    double grown;              /* sum over all frames that grew, per unit of work */
    struct gate_cause *causes; /* of all comparisons */
    uint32_t count, first;     /* number of causes; index of this comparison's first cause */
    struct gate_arena *arena;
    struct gate_error *err;
};

/* Frames that are within their limit, and undecided only for lack of samples, have no cause. */
bool gate_cause_includes(const struct gate_finding *finding) {
    if (finding->limit == NULL || finding->outcome < GATE_OUTCOME_WARN)
        return false;
    return finding->reason != GATE_REASON_TOO_FEW_SAMPLES && finding->reason != GATE_REASON_NOT_COMPARABLE;
}

static bool is_of_growth(const struct gate_finding *finding) {
    return gate_limit_bounds_growth(finding->limit->kind) && finding->evidence.delta > 0.0;
}

static double all_growth(const struct gate_comparison *comparison) {
    double sum = 0.0;
    for (uint32_t i = 0; i < comparison->deltas.count; i++)
        if (!comparison->pair.frames[i].is_folded)
            sum += fmax(0.0, gate_comparison_growth(comparison, i));
    return sum;
}

/* Return the growth of the share of a finding's frame. Evidence on costs is a fraction of the baseline's total, and its
 * growth can be many times that of the share. */
static double growth_of_share(const struct gate_comparison *comparison, const struct gate_finding *finding) {
    double grown = finding->evidence.delta;
    if (finding->frame == GATE_NO_INDEX)
        return grown;
    double share = comparison->frames[finding->frame].evidence[finding->measure]->delta;
    return share > 0.0 ? fmin(share, grown) : grown;
}

/* Return whether a frame's charged cost explains a finding: it grew by at least half as much. A library can grow
 * beneath one caller at the expense of another, and a path can grow a little everywhere. The root of a thread without
 * own code must have nearly all of the growth, because the function that grew is a more useful name. */
static bool explains(const struct gate_comparison *comparison, uint32_t frame, const struct gate_finding *finding) {
    double most = comparison->pair.frames[frame].is_own || frame == finding->frame ? MOST : MOST_OUTSIDE;
    return comparison->frames[frame].evidence[GATE_CHARGED]->delta >= most * finding->evidence.delta;
}

static uint32_t owner_of(const struct search *search, const struct gate_finding *finding) {
    const struct gate_frame *frames = search->comparison->pair.frames;
    if (finding->frame == GATE_NO_INDEX || !is_of_growth(finding) ||
        (finding->measure == GATE_CHARGED && frames[finding->frame].is_own))
        return finding->frame;
    uint32_t owner = gate_charge_tree_owner(&search->charge, finding->frame, finding->measure);
    return explains(search->comparison, owner, finding) ? owner : finding->frame;
}

/* Return the function on the path of `frame` that only the canary has, if it explains the finding and replaced nothing.
 * It is then the cause, not its caller. GATE_NO_INDEX if there is none. */
static uint32_t only_new(const struct search *search, const struct gate_finding *finding, uint32_t frame) {
    const struct gate_comparison *comparison = search->comparison;
    const struct gate_side *sides = comparison->pair.sides;
    const int64_t *folded = comparison->deltas.items[frame].folded;
    uint32_t path[GATE_CHARGE_PATH_MAX], best = GATE_NO_INDEX;
    double gone = gate_share(folded[GATE_BASELINE], sides[GATE_BASELINE].total),
           fresh = gate_share(folded[GATE_CANARY], sides[GATE_CANARY].total);
    if (!(fresh > 0.0) || gone > GONE_MOST * fresh)
        return GATE_NO_INDEX;
    uint32_t count = gate_charge_tree_path(path, &search->charge, frame);
    for (uint32_t i = count; i > 0 && path[i - 1] != frame; i--)
        if (comparison->pair.frames[path[i - 1]].is_folded &&
            comparison->frames[path[i - 1]].evidence[GATE_CHARGED]->delta >=
                MOST * growth_of_share(comparison, finding) &&
            (best == GATE_NO_INDEX || comparison->frames[path[i - 1]].evidence[GATE_CHARGED]->delta >
                                          comparison->frames[best].evidence[GATE_CHARGED]->delta))
            best = path[i - 1];
    return best;
}

/* Return whether a new function replaced hardly any others. In the callers that it is charged to, the code that is gone
 * must cost at most a tenth of the new code. */
static bool replaced_nothing(const struct search *search, uint32_t fresh) {
    const struct gate_comparison *comparison = search->comparison;
    const struct gate_frame *frames = comparison->pair.frames;
    const struct gate_tree_node *nodes = search->charge.tree->nodes;
    double *is_caller = search->charge.scratch /* 1: yes */, cost[GATE_SIDES] = {0.0, 0.0};
    for (uint32_t node = 1; node < search->charge.tree->count; node++) {
        uint32_t at = nodes[node].frame == fresh ? nodes[node].parent : 0;
        while (at != 0 && !gate_frame_is_charged(&frames[nodes[at].frame]))
            at = nodes[at].parent;
        if (nodes[node].frame == fresh)
            is_caller[at != 0 ? nodes[at].frame : comparison->pair.one_sided] = 1.0;
    }
    for (uint32_t i = 0; i < comparison->deltas.count; i++) {
        for (int side = 0; side < GATE_SIDES && is_caller[i] > 0.0; side++)
            cost[side] += gate_share(comparison->deltas.items[i].folded[side], comparison->pair.sides[side].total);
        is_caller[i] = 0.0;
    }
    return cost[GATE_CANARY] > 0.0 && cost[GATE_BASELINE] <= GONE_MOST * cost[GATE_CANARY];
}

/* Return the growth of the share of `inner` beneath `outer`, including the library and runtime code that `inner`
 * calls. */
static double charged_beneath(const struct search *search, uint32_t inner, uint32_t outer) {
    const struct gate_tree_node *nodes = search->charge.tree->nodes;
    double growth = 0.0;
    for (uint32_t node = 1; node < search->charge.tree->count; node++) {
        uint32_t at = node;
        while (at != 0 && !search->comparison->pair.frames[nodes[at].frame].is_own)
            at = nodes[at].parent;
        if (at != 0 && nodes[at].frame == inner && gate_tree_is_beneath(search->charge.tree, at, outer))
            growth += search->charge.growth[node];
    }
    return growth;
}

/* Return the new function beneath a grown path that has most of the path's growth by charged cost and replaced nothing.
 * Several functions can call it, and each of them is charged with a part. GATE_NO_INDEX: there is none. */
static uint32_t new_beneath(const struct search *search, const struct gate_finding *finding) {
    const struct gate_comparison *comparison = search->comparison;
    double most = MOST * growth_of_share(comparison, finding), least = most;
    uint32_t best = GATE_NO_INDEX;
    for (uint32_t i = 0; i < comparison->deltas.count; i++) {
        double charged = comparison->frames[i].evidence[GATE_CHARGED]->delta;
        if (!comparison->pair.frames[i].is_folded || charged < most ||
            charged_beneath(search, i, finding->frame) < least)
            continue;
        most = charged;
        best = i;
    }
    return best != GATE_NO_INDEX && replaced_nothing(search, best) ? best : GATE_NO_INDEX;
}

static uint32_t frame_of(const struct search *search, const struct gate_finding *finding) {
    uint32_t owner = owner_of(search, finding);
    if (owner == GATE_NO_INDEX || !is_of_growth(finding))
        return owner;
    uint32_t fresh = only_new(search, finding, owner);
    if (fresh == GATE_NO_INDEX && finding->measure == GATE_CUMULATIVE && owner == finding->frame &&
        !explains(search->comparison, owner, finding))
        fresh = new_beneath(search, finding);
    return fresh != GATE_NO_INDEX ? fresh : owner;
}

uint32_t gate_cause_largest_new(const struct gate_comparison *comparison) {
    double most = 0.0;
    uint32_t best = GATE_NO_INDEX;
    for (uint32_t i = 0; i < comparison->deltas.count; i++) {
        double delta = comparison->frames[i].evidence[GATE_CHARGED]->delta;
        if (!comparison->pair.frames[i].is_folded || !(delta > most))
            continue;
        most = delta;
        best = i;
    }
    return best;
}

/* Return how much a function of both sides grew by the functions of one side that it is charged with, scaled as by
 * gate_comparison_growth. The result is at most its whole growth, since its own code may have got other names. Sets
 * `*is_most` if this is most of its growth, and if its cumulative cost grew, too. */
static double growth_by_new(bool *is_most, const struct gate_comparison *comparison, uint32_t frame) {
    const int64_t *folded = comparison->deltas.items[frame].folded;
    double gain = (double)folded[GATE_CANARY] / comparison->work_ratio - (double)folded[GATE_BASELINE];
    double growth = gate_comparison_growth(comparison, frame);
    *is_most = gain >= MOST * growth && comparison->frames[frame].evidence[GATE_CUMULATIVE]->delta >=
                                            MOST * comparison->frames[frame].evidence[GATE_CHARGED]->delta;
    return frame == comparison->pair.one_sided ? fmax(gain, 0.0) : fmax(fmin(gain, growth), 0.0);
}

/* Return the function of both sides that grew most by functions of one side, if it has most of the growth by all of
 * these; else GATE_NO_INDEX. */
static uint32_t caller_of_new(const struct gate_comparison *comparison) {
    double most = 0.0, all = 0.0;
    uint32_t best = GATE_NO_INDEX;
    for (uint32_t i = 0; i < comparison->deltas.count; i++) {
        bool is_most = false;
        double growth = growth_by_new(&is_most, comparison, i);
        all += growth;
        if (!is_most || i == comparison->pair.one_sided || !(growth > most))
            continue;
        most = growth;
        best = i;
    }
    return most >= MOST * all ? best : GATE_NO_INDEX;
}

/* Return the frame that explains a finding on all functions of the canary alone. It is the largest of them, or the
 * function of both sides that is charged with most of them. If neither has most of the growth, it is the frame that
 * represents all. */
static uint32_t frame_of_new(const struct search *search, const struct gate_finding *finding) {
    const uint32_t candidates[] = {gate_cause_largest_new(search->comparison), caller_of_new(search->comparison)};
    for (size_t i = 0; i < sizeof candidates / sizeof *candidates; i++)
        if (candidates[i] != GATE_NO_INDEX && explains(search->comparison, candidates[i], finding))
            return candidates[i];
    return search->comparison->pair.one_sided;
}

static struct gate_cause *known_cause(const struct search *search, uint32_t frame, struct gate_str name) {
    for (uint32_t i = search->first; i < search->count; i++)
        if (search->causes[i].frame == frame && gate_str_equal(search->causes[i].function, name))
            return &search->causes[i];
    return NULL;
}

/* Return the last function of the cause's path that only the canary has and that contains most of the growth. The
 * functions that only the baseline has in the cause's function are subtracted, because the new one may have replaced
 * them. For all code of one side, return the largest function. */
static uint32_t new_frame_of(const struct gate_cause *cause, const struct gate_comparison *comparison) {
    const struct gate_frame_judgement *frames = comparison->frames;
    if (cause->frame == comparison->pair.one_sided)
        return gate_cause_largest_new(comparison);
    double gone = gate_share(comparison->deltas.items[cause->frame].folded[GATE_BASELINE],
                             comparison->pair.sides[GATE_BASELINE].total);
    double least = MOST * frames[cause->frame].evidence[GATE_CHARGED]->delta;
    for (uint32_t i = cause->path_count; least > 0.0 && i > 0 && cause->path[i - 1] != cause->frame; i--)
        if (comparison->pair.frames[cause->path[i - 1]].is_folded &&
            frames[cause->path[i - 1]].evidence[GATE_CUMULATIVE]->delta - gone >= least)
            return cause->path[i - 1];
    return GATE_NO_INDEX;
}

/* Least z of a callee whose self cost grew. */
static const double GROWN_Z = 3.0;

/* Return the only own function called by `frame` whose self cost grew significantly; GATE_NO_INDEX if none or several
 * did. A function that calls a library more often has a higher self cost, too. If its frame is missing from the stacks,
 * it is not charged with the library's cost. */
static uint32_t only_grown_callee(const struct search *search, uint32_t frame) {
    const struct gate_comparison *comparison = search->comparison;
    const struct gate_tree_node *nodes = search->charge.tree->nodes;
    uint32_t found = GATE_NO_INDEX;
    for (uint32_t i = 1; i < search->charge.tree->count; i++) {
        uint32_t callee = nodes[i].frame;
        if (nodes[i].parent == 0 || nodes[nodes[i].parent].frame != frame || callee == frame || callee == found ||
            !comparison->pair.frames[callee].is_own)
            continue;
        const struct gate_evidence *evidence = comparison->frames[callee].evidence[GATE_SELF];
        if (!evidence->is_tested || !(evidence->delta > 0.0) || evidence->z < GROWN_Z)
            continue;
        if (found != GATE_NO_INDEX)
            return GATE_NO_INDEX;
        found = callee;
    }
    return found;
}

static bool fill_frame(struct gate_cause *cause, const struct search *search) {
    const struct gate_comparison *comparison = search->comparison;
    const int64_t *value = comparison->deltas.items[cause->frame].value[GATE_CHARGED];
    bool is_all_new = gate_str_equal(comparison->pair.frames[cause->frame].name, GATE_STR(GATE_ONE_SIDED_NAME));
    bool has_work =
        gate_comparison_shows_work(comparison) && !is_all_new; /* the sum contains code of the baseline, too */
    cause->is_own = comparison->pair.frames[cause->frame].is_own;
    if (has_work && value[GATE_CANARY] > 0)
        cause->cost_ratio = (double)value[GATE_CANARY] / comparison->work_ratio / (double)value[GATE_BASELINE];
    if (search->grown > 0.0 && !comparison->work_is_contested)
        cause->explains = fmax(0.0, gate_comparison_growth(comparison, cause->frame)) / search->grown;
    cause->path = GATE_NEW_ARRAY(search->arena, uint32_t, GATE_CHARGE_PATH_MAX);
    if (cause->path == NULL)
        return gate_arena_error(search->arena, search->err);
    cause->path_count = gate_charge_tree_path(cause->path, &search->charge, cause->frame);
    cause->new_frame = new_frame_of(cause, comparison);
    cause->library = gate_charge_tree_lost_caller(&search->charge, cause->frame);
    if (cause->library != GATE_NO_INDEX)
        cause->callee = only_grown_callee(search, cause->frame);
    return true;
}

/* Set the evidence of a cause to the charged cost of its frame for growth of the total: per unit of work, second or
 * run, as the comparison counts it. */
static void take_cost(struct gate_cause *cause, const struct gate_comparison *comparison) {
    const struct gate_exposure exposure = {comparison->work_ratio, comparison->noise, comparison->equal};
    cause->measure = GATE_MEASURE_CHARGED_COST;
    cause->evidence =
        gate_cost_evidence_of(&comparison->pair, &comparison->deltas, cause->frame, GATE_CHARGED, &exposure);
}

static bool is_of_total(const struct gate_cause_finding *item) {
    return gate_budget_measure_row(item->result->budget->measure)->is_total && is_of_growth(item->finding);
}

/* Set the evidence of a cause: the charged cost of its frame if that explains a growth, else the evidence of its worst
 * finding (a level, or a decrease that must stay). */
static void take_evidence(struct gate_cause *cause, const struct gate_comparison *comparison) {
    const struct gate_cause_finding *worst = &cause->findings[0];
    bool is_charged = false;
    for (uint32_t i = 0; i < cause->finding_count && cause->frame != GATE_NO_INDEX; i++)
        is_charged = is_charged || (is_of_growth(cause->findings[i].finding) &&
                                    explains(comparison, cause->frame, cause->findings[i].finding));
    if (!is_charged && cause->frame != GATE_NO_INDEX && comparison->work_is_known && is_of_total(worst)) {
        take_cost(cause, comparison);
        return;
    }
    cause->measure = is_charged ? GATE_MEASURE_CHARGED : worst->result->budget->measure;
    cause->evidence = is_charged ? *comparison->frames[cause->frame].evidence[GATE_CHARGED] : worst->finding->evidence;
}

/* Insert a finding behind those of its outcome and worse ones. */
static bool insert(struct gate_cause *cause, const struct gate_cause_finding *item, struct search *search) {
    if (!GATE_GROW(search->arena, cause->findings, cause->finding_count, cause->finding_capacity))
        return gate_arena_error(search->arena, search->err);
    struct gate_cause_finding *all = cause->findings;
    uint32_t at = cause->finding_count;
    for (; at > 0 && all[at - 1].finding->outcome < item->finding->outcome; at--)
        all[at] = all[at - 1];
    all[at] = *item;
    cause->finding_count++;
    return true;
}

static bool join(struct gate_cause *cause, const struct gate_cause_finding *item, struct search *search) {
    if (!insert(cause, item, search))
        return false;
    cause->outcome = cause->findings[0].finding->outcome;
    cause->reason = cause->findings[0].finding->reason;
    take_evidence(cause, search->comparison);
    return true;
}

static bool add(struct search *search, const struct gate_cause_finding *item, uint32_t frame) {
    struct gate_str name =
        frame == GATE_NO_INDEX ? item->finding->function : search->comparison->pair.frames[frame].name;
    struct gate_cause *cause = known_cause(search, frame, name);
    if (cause == NULL) {
        cause = &search->causes[search->count++];
        *cause = (struct gate_cause){.comparison = search->index,
                                     .frame = frame,
                                     .function = name,
                                     .new_frame = GATE_NO_INDEX,
                                     .library = GATE_NO_INDEX,
                                     .callee = GATE_NO_INDEX};
        cause->cost_ratio = cause->explains = NAN;
        if (frame != GATE_NO_INDEX && !fill_frame(cause, search))
            return false;
    }
    return join(cause, item, search);
}

/* Return the cause whose frame grew most; a cause of own code comes before any other. It explains growth of groups.
 * NULL: none. */
static struct gate_cause *largest_cause(const struct search *search) {
    const struct gate_frame *frames = search->comparison->pair.frames;
    struct gate_cause *best = NULL;
    for (uint32_t i = search->first; i < search->count; i++) {
        struct gate_cause *cause = &search->causes[i];
        if (cause->frame == GATE_NO_INDEX || !(cause->evidence.delta > 0.0))
            continue;
        bool is_own = frames[cause->frame].is_own, is_best_own = best != NULL && frames[best->frame].is_own;
        if (best == NULL || (is_own && !is_best_own) ||
            (is_own == is_best_own && cause->evidence.delta > best->evidence.delta))
            best = cause;
    }
    return best;
}

/* Return the cause that is a new function charged to `frame`, and that already has a finding on `frame`; NULL: none. */
static struct gate_cause *cause_of_new_within(const struct search *search, uint32_t frame) {
    for (uint32_t i = search->first; i < search->count; i++) {
        struct gate_cause *cause = &search->causes[i];
        for (uint32_t f = 0; f < cause->finding_count; f++)
            if (cause->frame != frame && cause->frame != GATE_NO_INDEX &&
                search->comparison->pair.frames[cause->frame].is_folded && cause->findings[f].finding->frame == frame &&
                cause->findings[f].finding->measure == GATE_CHARGED)
                return cause;
    }
    return NULL;
}

/* Return whether the 95% interval of a cause's growth contains zero. Without counts there is no interval. Cumulative
 * cost includes that of callees, so the charged cost is used instead. */
static bool may_be_unchanged(const struct search *search, const struct gate_cause *cause) {
    const struct gate_evidence *growth = &cause->evidence;
    if (cause->frame != GATE_NO_INDEX && !cause->is_own && cause->outcome <= GATE_OUTCOME_WARN &&
        !(search->comparison->frames[cause->frame].evidence[GATE_CHARGED]->share[GATE_CANARY] > 0.0))
        return true; /* library code that only warns, and whose cost is charged to its callers */
    if (cause->frame != GATE_NO_INDEX && cause->is_own &&
        gate_budget_measure_row(cause->measure)->of == GATE_CUMULATIVE)
        growth = search->comparison->frames[cause->frame].evidence[GATE_CHARGED];
    return gate_evidence_is_counted(growth) && gate_evidence_ci95(growth).bounds[0] <= 0.0;
}

/* Note that a cause has growth of the total that no function explains. */
static void take_total(struct gate_cause *cause, const struct gate_comparison *comparison) {
    cause->has_total = true;
    if (!gate_allocator_go_collector(cause->collector, comparison))
        cause->collector[GATE_BASELINE] = cause->collector[GATE_CANARY] = 0.0;
}

static bool add_all(struct search *search, const struct gate_budget_result *results, uint32_t count, bool wholes) {
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t f = 0; results[i].comparison == search->index && f < results[i].finding_count; f++) {
            struct gate_cause_finding item = {&results[i], &results[i].findings[f]};
            bool is_whole = item.finding->frame == GATE_NO_INDEX;
            if (!gate_cause_includes(item.finding) || is_whole != wholes)
                continue;
            bool is_total = is_whole && is_of_total(&item) && search->comparison->work_is_known;
            bool is_new_code = results[i].budget->select.one_sided;
            uint32_t frame = is_total      ? gate_comparison_most_grown(search->comparison)
                             : is_new_code ? GATE_NO_INDEX
                                           : frame_of(search, item.finding);
            struct gate_cause *target =
                is_whole && frame == GATE_NO_INDEX && is_of_growth(item.finding) ? largest_cause(search) : NULL;
            /* A runtime frame that grew together with new code is not the new code. */
            if (is_new_code && (target == NULL || !target->is_own || target->outcome < item.finding->outcome)) {
                target = NULL;
                frame = frame_of_new(search, item.finding);
            }
            /* Growth of the total does not belong to a function that may not have grown. */
            if (target != NULL && is_total && may_be_unchanged(search, target))
                target = NULL;
            if (target != NULL && is_total)
                take_total(target, search->comparison);
            if (target == NULL && is_total && frame != GATE_NO_INDEX)
                target = cause_of_new_within(search, frame);
            if (!(target != NULL ? join(target, &item, search) : add(search, &item, frame)))
                return false;
        }
    return true;
}

/* Return whether a cause has findings on paths only: all are cumulative costs that grew, and the charged cost of its
 * own function does not explain them. */
static bool has_only_paths(const struct gate_cause *cause) {
    bool is_path = cause->frame != GATE_NO_INDEX && cause->measure != GATE_MEASURE_CHARGED;
    for (uint32_t i = 0; i < cause->finding_count; i++)
        is_path = is_path && cause->findings[i].finding->frame != GATE_NO_INDEX &&
                  cause->findings[i].finding->measure == GATE_CUMULATIVE && is_of_growth(cause->findings[i].finding);
    return is_path;
}

/* Return the growth of the share of `inner` beneath `outer`; recursive calls count once. */
static double growth_beneath(const struct search *search, uint32_t inner, uint32_t outer) {
    const struct gate_side *sides = search->comparison->pair.sides;
    const struct gate_tree_node *nodes = search->charge.tree->nodes;
    double growth = 0.0;
    for (uint32_t node = 1; node < search->charge.tree->count; node++)
        if (nodes[node].frame == inner && gate_tree_is_beneath(search->charge.tree, node, outer) &&
            !gate_tree_is_beneath(search->charge.tree, node, inner))
            growth += gate_share(nodes[node].total[GATE_CANARY], sides[GATE_CANARY].total) -
                      gate_share(nodes[node].total[GATE_BASELINE], sides[GATE_BASELINE].total);
    return growth;
}

/* Return the cause of a path that is part of the path of `outer`, and has most of its growth; NULL: none. */
static struct gate_cause *path_within(const struct search *search, const struct gate_cause *outer) {
    double least = MOST * search->comparison->frames[outer->frame].evidence[GATE_CUMULATIVE]->delta;
    for (uint32_t i = search->first; i < search->count; i++) {
        struct gate_cause *inner = &search->causes[i];
        if (inner != outer && inner->outcome >= outer->outcome && has_only_paths(inner) &&
            (inner->is_own || !outer->is_own) && growth_beneath(search, inner->frame, outer->frame) >= least)
            return inner;
    }
    return NULL;
}

/* Move the findings of a path to the cause of a path within it, because both show the same growth. */
static bool join_paths(struct search *search) {
    for (uint32_t i = search->first; i < search->count;) {
        struct gate_cause outer = search->causes[i];
        struct gate_cause *inner = has_only_paths(&outer) ? path_within(search, &search->causes[i]) : NULL;
        if (inner == NULL) {
            i++;
            continue;
        }
        for (uint32_t f = 0; f < outer.finding_count; f++)
            if (!join(inner, &outer.findings[f], search))
                return false;
        memmove(&search->causes[i], &search->causes[i + 1], (search->count - i - 1) * sizeof *search->causes);
        search->count--;
    }
    return true;
}

/* Use the tree made before, else prune comparison->tree, else build a new one. */
static bool search_tree(struct search *search, const struct gate_tree *known) {
    const struct gate_comparison *comparison = search->comparison;
    const struct gate_tree_options options = {.min_share = GATE_SECOND_LOOK_MIN_SHARE};
    if (known == NULL) {
        struct gate_tree *made = GATE_NEW_ARRAY(search->arena, struct gate_tree, 1);
        if (made == NULL)
            return gate_arena_error(search->arena, search->err);
        bool ok = comparison->tree != NULL ? gate_tree_prune(made, comparison->tree, &comparison->pair,
                                                             GATE_SECOND_LOOK_MIN_SHARE, search->arena, search->err)
                                           : gate_tree_merge(made, &comparison->pair, &comparison->deltas, &options,
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
    return search_tree(search, known) && add_all(search, results, count, false) && join_paths(search) &&
           add_all(search, results, count, true);
}

bool gate_cause_is_share_only(const struct gate_cause *cause) {
    for (uint32_t i = 0; i < cause->finding_count; i++)
        if (cause->findings[i].finding->reason != GATE_REASON_OTHERS_SHRANK)
            return false;
    return true;
}

static int compare(const void *left, const void *right) {
    const struct gate_cause *a = left, *b = right;
    bool share_only_a = gate_cause_is_share_only(a), share_only_b = gate_cause_is_share_only(b);
    if (share_only_a != share_only_b)
        return share_only_a ? 1 : -1;
    if (a->outcome != b->outcome)
        return a->outcome > b->outcome ? -1 : 1;
    bool own_a = a->is_own || a->frame == GATE_NO_INDEX, own_b = b->is_own || b->frame == GATE_NO_INDEX;
    if (own_a != own_b)
        return own_a ? -1 : 1;
    /* A cause that explains more of the growth comes first. If that fraction is unknown, the larger change comes
     * first. */
    double part_a = isnan(a->explains) ? 0.0 : a->explains, part_b = isnan(b->explains) ? 0.0 : b->explains;
    if (part_a != part_b)
        return part_a > part_b ? -1 : 1;
    if (a->evidence.delta != b->evidence.delta)
        return a->evidence.delta > b->evidence.delta ? -1 : 1;
    if (a->comparison != b->comparison)
        return a->comparison < b->comparison ? -1 : 1;
    int names = gate_str_compare(a->function, b->function);
    return names != 0 ? names : a->frame < b->frame ? -1 : a->frame > b->frame;
}

/* A path comes before the first function if its growth is at least this many times the function's growth. */
static const double PATH_LEAST = 2.0;

/* Put a path first if it grew much more than the first function, because many of its functions then grew a little. */
static void put_path_first(struct search *search) {
    struct gate_cause *causes = search->causes;
    uint32_t path = 1;
    while (path < search->count && !(has_only_paths(&causes[path]) && causes[path].outcome == causes[0].outcome &&
                                     causes[path].comparison == causes[0].comparison &&
                                     causes[path].evidence.delta >= PATH_LEAST * causes[0].evidence.delta))
        path++;
    if (path >= search->count || has_only_paths(&causes[0]) || causes[0].frame == GATE_NO_INDEX ||
        !causes[path].is_own || !(causes[0].evidence.delta > 0.0))
        return;
    struct gate_cause first = causes[path];
    memmove(&causes[1], &causes[0], path * sizeof *causes);
    causes[0] = first;
}

/* A runtime frame whose growth is below this many times that of the program's own function is not a separate cause. A
 * function that allocates often costs less itself than the garbage collections that it causes. */
static const double RUNTIME_MOST = 2.0;

/* Return whether `inner` is a function within `outer`: a closure of Go or Rust, a nested function of Python, or a
 * JavaScript function without a name. */
static bool is_within(struct gate_str inner, struct gate_str outer) {
    static const char *const marks[] = {".func", ".(anonymous)", ".<locals>", "::{{closure}}"};
    size_t end = gate_str_find(outer, GATE_STR(" ("), 0); /* Python's "find (handlers.py)" */
    struct gate_str name = gate_str_slice(outer, 0, end);
    if (name.len == 0 || !gate_str_starts(inner, name))
        return false;
    struct gate_str rest = gate_str_slice(inner, name.len, inner.len);
    bool is_marked = false;
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        is_marked = is_marked || gate_str_starts(rest, gate_str_from(marks[i]));
    return is_marked && (end == SIZE_MAX || gate_str_ends(inner, gate_str_slice(outer, end, outer.len)));
}

/* Return the first cause if it fails and its function contains, or is contained in, the function of `cause`; else
 * NULL. */
static struct gate_cause *cause_of_same_function(const struct search *search, const struct gate_cause *cause) {
    struct gate_cause *first = &search->causes[0];
    bool is_same = is_within(cause->function, first->function) || is_within(first->function, cause->function);
    return is_same && first->outcome == GATE_OUTCOME_FAIL && first->comparison == cause->comparison ? first : NULL;
}

/* Return the failing cause of own code together with which a runtime frame grew; NULL: none. The scheduler and the
 * collector grow with the program's work, so they are not a second cause. */
static struct gate_cause *own_cause_of_runtime(const struct search *search, const struct gate_comparison *comparisons,
                                               const struct gate_cause *cause) {
    const struct gate_cause *first = &search->causes[0];
    if (cause->frame == GATE_NO_INDEX || !comparisons[cause->comparison].pair.frames[cause->frame].is_runtime ||
        !(cause->explains < RUNTIME_MOST * first->explains) || first->comparison != cause->comparison)
        return NULL;
    return first->outcome == GATE_OUTCOME_FAIL && first->is_own ? &search->causes[0] : NULL;
}

/* Move to the first cause the findings of causes with the same function, and of runtime frames that grew with it. */
static bool join_first(struct search *search, const struct gate_comparison *comparisons) {
    uint32_t kept = 1;
    for (uint32_t i = 1; i < search->count; i++) {
        struct gate_cause *with = cause_of_same_function(search, &search->causes[i]);
        if (with == NULL)
            with = own_cause_of_runtime(search, comparisons, &search->causes[i]);
        if (with == NULL) {
            search->causes[kept++] = search->causes[i];
            continue;
        }
        search->comparison = &comparisons[with->comparison];
        for (uint32_t f = 0; f < search->causes[i].finding_count; f++)
            if (!join(with, &search->causes[i].findings[f], search))
                return false;
    }
    search->count = search->count == 0 ? 0 : kept;
    return true;
}

/* Return whether two comparisons are of one sample type and differ only in their values of --by. */
static bool differ_by_value(const struct gate_comparison *a, const struct gate_comparison *b) {
    const struct gate_label_filter *one = &a->pair.where, *two = &b->pair.where;
    const uint32_t count = one->count - (a->part != NULL); /* the value is the last filter */
    bool is_same = (a->part != NULL || b->part != NULL) && two->count - (b->part != NULL) == count &&
                   gate_str_equal(gate_str_slice(a->name, 0, gate_str_find(a->name, GATE_STR("{"), 0)),
                                  gate_str_slice(b->name, 0, gate_str_find(b->name, GATE_STR("{"), 0)));
    for (uint32_t i = 0; is_same && i < count; i++)
        is_same = gate_str_equal(one->items[i].key, two->items[i].key) &&
                  gate_str_equal(one->items[i].value, two->items[i].value);
    return is_same;
}

/* Return the cause before `cause` with the same function in another value of --by, or in all samples; NULL: none. */
static struct gate_cause *cause_of_other_value(const struct search *search, const struct gate_comparison *comparisons,
                                               uint32_t kept, const struct gate_cause *cause) {
    for (uint32_t i = 0; i < kept && cause->frame != GATE_NO_INDEX; i++) {
        struct gate_cause *before = &search->causes[i];
        if (before->frame != GATE_NO_INDEX && gate_str_equal(before->function, cause->function) &&
            before->outcome >= cause->outcome && gate_cause_is_share_only(before) == gate_cause_is_share_only(cause) &&
            differ_by_value(&comparisons[before->comparison], &comparisons[cause->comparison]))
            return before;
    }
    return NULL;
}

/* Move causes to the first one with the same function, if they differ only in the value of --by. */
static bool join_values(struct search *search, const struct gate_comparison *comparisons) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < search->count; i++) {
        const struct gate_cause cause = search->causes[i];
        struct gate_cause *with = cause_of_other_value(search, comparisons, kept, &cause);
        if (with == NULL) {
            search->causes[kept++] = cause;
            continue;
        }
        if (!GATE_APPEND(search->arena, with->others, with->other_count, with->other_capacity, search->err, cause))
            return false;
        for (uint32_t f = 0; f < cause.finding_count; f++)
            if (!insert(with, &cause.findings[f], search))
                return false;
    }
    search->count = kept;
    return true;
}

const struct gate_cause *gate_cause_in(const struct gate_cause *cause, uint32_t comparison) {
    if (cause->comparison == comparison)
        return cause;
    for (uint32_t i = 0; i < cause->other_count; i++)
        if (cause->others[i].comparison == comparison)
            return &cause->others[i];
    return NULL;
}

static uint32_t count_included(const struct gate_budget_result *results, uint32_t count, uint32_t comparison) {
    uint32_t sum = 0;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t f = 0; results[i].comparison == comparison && f < results[i].finding_count; f++)
            sum += gate_cause_includes(&results[i].findings[f]);
    return sum;
}

bool gate_cause_find(struct gate_cause_list *out, const struct gate_tree *const *trees,
                     const struct gate_budget_result *results, uint32_t result_count,
                     const struct gate_comparison *comparisons, uint32_t comparison_count, struct gate_arena *arena,
                     struct gate_error *err) {
    struct search search = {.arena = arena, .err = err};
    size_t room = 1;
    for (uint32_t i = 0; i < comparison_count; i++)
        room += count_included(results, result_count, i);
    search.causes = GATE_NEW_ARRAY(arena, struct gate_cause, room);
    if (search.causes == NULL)
        return gate_arena_error(arena, err);
    for (uint32_t i = 0; i < comparison_count; i++) {
        search.comparison = &comparisons[i];
        search.index = i;
        const struct gate_tree *known = trees == NULL ? NULL : trees[i];
        if (count_included(results, result_count, i) > 0 && !search_comparison(&search, known, results, result_count))
            return false;
    }
    qsort(search.causes, search.count, sizeof *search.causes, compare);
    if (!join_first(&search, comparisons))
        return false;
    put_path_first(&search);
    if (!join_values(&search, comparisons))
        return false;
    *out = (struct gate_cause_list){search.causes, search.count};
    return true;
}

/* Functions of one caller that replaced others, and the names that renames give them. */
struct replacement {
    const struct gate_replaced *of;
    const struct gate_frame *frames;
    const struct gate_renames *renames;
};

static bool have_one_name(const struct replacement *r, uint32_t one, uint32_t other) {
    return gate_str_equal(gate_renamed(r->renames, r->frames[r->of->names[one].frame].name),
                          gate_renamed(r->renames, r->frames[r->of->names[other].frame].name));
}

/* Return whether a name of the other list is the same function by the renames. */
static bool has_partner(const struct replacement *r, uint32_t name) {
    bool is_gone = name < r->of->gone_count;
    uint32_t from = is_gone ? r->of->gone_count : 0, to = is_gone ? from + r->of->new_count : r->of->gone_count;
    for (uint32_t i = from; i < to; i++)
        if (have_one_name(r, i, name))
            return true;
    return false;
}

/* Return the cost of all functions in [from, to) that have the name of `name`. */
static double cost_of_name(const struct replacement *r, uint32_t name, uint32_t from, uint32_t to) {
    double sum = 0.0;
    for (uint32_t i = from; i < to; i++)
        sum += have_one_name(r, i, name) ? r->of->names[i].share : 0.0;
    return sum;
}

/* Return the new function whose cost exceeds that of what it replaced by most, if that is at least `least`; else
 * GATE_NO_INDEX. */
static uint32_t largest_excess(const struct replacement *r, double least) {
    uint32_t gone = r->of->gone_count, count = gone + r->of->new_count, next = 0, best = GATE_NO_INDEX;
    for (uint32_t i = gone; i < count; i++) {
        double excess = r->of->names[i].share;
        if (has_partner(r, i)) {
            excess = cost_of_name(r, i, gone, count) - cost_of_name(r, i, 0, gone);
        } else { /* the next one that is gone without a partner */
            while (next < gone && has_partner(r, next))
                next++;
            excess -= next < gone ? r->of->names[next++].share : 0.0;
        }
        if (excess < least || (best != GATE_NO_INDEX && excess <= least))
            continue;
        least = excess;
        best = r->of->names[i].frame;
    }
    return best;
}

bool gate_cause_name_new(struct gate_cause_list *causes, const struct gate_replaced_list *replaced,
                         const struct gate_comparison *comparisons, struct gate_arena *arena, struct gate_error *err) {
    struct gate_renames renames;
    if (causes->count == 0 || replaced->count == 0)
        return true;
    if (!gate_replaced_renames(&renames, replaced, comparisons, arena))
        return gate_arena_error(arena, err);
    for (uint32_t i = 0; i < causes->count; i++) {
        struct gate_cause *cause = &causes->items[i];
        const struct gate_comparison *comparison = &comparisons[cause->comparison];
        for (uint32_t k = 0; cause->frame != GATE_NO_INDEX && k < replaced->count; k++) {
            const struct replacement r = {&replaced->items[k], comparison->pair.frames, &renames};
            double growth = comparison->frames[cause->frame].evidence[GATE_CHARGED]->delta;
            if (r.of->comparison == cause->comparison && r.of->caller == cause->frame)
                cause->new_frame = growth > 0.0 ? largest_excess(&r, MOST * growth) : GATE_NO_INDEX;
        }
    }
    return true;
}

bool gate_cause_is_of(const struct gate_cause *cause, const struct gate_budget_result *result,
                      enum gate_outcome outcome) {
    for (uint32_t i = 0; i < cause->finding_count; i++)
        if (cause->findings[i].result == result && cause->findings[i].finding->outcome == outcome)
            return true;
    return false;
}

bool gate_cause_is_decided_by_total(const struct gate_cause *cause) {
    return cause->has_total && cause->findings[0].finding->reason == GATE_REASON_OVER &&
           gate_budget_measure_row(cause->findings[0].result->budget->measure)->is_total;
}

const struct gate_evidence *gate_cause_grown_total(const struct gate_cause *cause) {
    if (cause->frame == GATE_NO_INDEX)
        return NULL;
    if (gate_budget_measure_row(cause->measure)->is_total)
        return &cause->evidence;
    return !cause->is_own && gate_cause_is_decided_by_total(cause) ? &cause->findings[0].finding->evidence : NULL;
}

/* Write the `count` steps of `path`, at most half of all: the first, a gap, and the last ones. Returns how many were
 * written. */
static uint32_t steps_of(uint32_t *out, const uint32_t *path, uint32_t count) {
    enum { HALF = GATE_CAUSE_STEPS_MAX / 2 };
    uint32_t kept = 0;
    bool has_gap = count > HALF;
    for (uint32_t i = 0; i < (has_gap ? 1 : count); i++)
        out[kept++] = path[i];
    if (!has_gap)
        return kept;
    out[kept++] = GATE_NO_INDEX;
    for (uint32_t i = HALF - 2; i > 0; i--)
        out[kept++] = path[count - i];
    return kept;
}

uint32_t gate_cause_steps(uint32_t *out, const struct gate_cause *cause) {
    uint32_t path[GATE_CHARGE_PATH_MAX], length = 0, own = 0;
    for (uint32_t i = 0; i < cause->path_count; i++) {
        if (i == 0 || cause->path[i] != cause->path[i - 1])
            path[length++] = cause->path[i];
        if (cause->path[i] == cause->frame)
            own = length;
    }
    uint32_t count = steps_of(out, path, own);
    return count + steps_of(out + count, path + own, length - own);
}
