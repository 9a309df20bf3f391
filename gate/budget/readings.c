/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/budget/readings.h"

#include "gate/budget/cut_stacks.h"
#include "gate/budget/inlining.h"
#include "gate/budget/machine.h"
#include "gate/budget/new_code.h"
#include "gate/budget/start_up.h"
#include "gate/budget/trend.h"
#include "gate/budget/upgraded.h"
#include "gate/compare/cost.h"
#include "gate/compare/minified.h"
#include "gate/compare/student.h"
#include "gate/names/frame_name.h"

#include <math.h>

/* Level of each one-sided test here. */
static const double LEVEL = 0.05;

/* A1: maximum excess of chi-square for the reading "another function became cheaper" over "this function grew". */
static const double FIT_MOST = 4.0;

/* A1: maximum ratio of work per second that the other reading may assume, if both sides were profiled at once, and
 * otherwise. */
static const double WORK_MOST_AT_ONCE = 3.0;
static const double WORK_MOST = 10.0;

/* Maximum relative difference of run lengths (A2), or of amounts of work, that still count as equal. */
static const double SAME_MOST = 0.05;

/* A path with at least this share of the baseline contains nearly all of the program. */
static const double PATH_OF_ALL = 0.8;

/* A2: if the total per second fell to this fraction or less, less work was done, or everything became cheaper. */
static const double TOTAL_FELL = 1.0 / 1.5;

/* A4: with fewer samples outside of start-up code, the baseline's profile may end before the first request. */
static const double BESIDE_COUNT = 10.0;

/* A3: a name is new, or vanished, if it has less than this part of its cost on the other side. */
static const double NAME_GONE = 0.02;

/* Maximum growth of the total for names to count as only replaced (A3), and for functions of a path to count as only
 * called in another way. It is the presets' limit on the total. */
static const double TOTAL_MOST = 1.2;

/* Minimum runs per side for new code beneath own functions to fail. With fewer, one busy host may explain it. */
enum { CALLERS_RUNS_LEAST = 3 };

/* Minimum growth of the work, if one function became cheaper, that explains growth of the runtime's own work. */
static const double RUNTIME_WORK_LEAST = 1.2;

/* Maximum fraction of a path's growth that one of its functions may have; otherwise the function is judged, not the
 * path. */
static const double SPREAD_MOST = 0.5;

/* Minimum share beneath a caller of functions that only one side has, for them to count as renamed. Smaller ones are
 * not listed as replaced (budget/replaced.h), so growth in the same caller counts as new code. */
static const double OTHER_NAMES_LEAST = 0.005;

/* Minimum fraction of a function's growth that minified functions must have lost, so that the function may be one of
 * them. */
static const double MINIFIED_LEAST = 0.5;

/* ---- limits by another ratio ------------------------------------------------------------------------------------- */

static bool is_new(const struct gate_hypothesis *h) {
    return h->evidence->share[GATE_BASELINE] < NAME_GONE * h->evidence->share[GATE_CANARY];
}

/* Return whether a hypothesis is about runtime or library work that is not known to be caused by an own function. */
static bool has_no_own_cause(const struct gate_hypothesis *h) {
    return (h->is_runtime || h->is_bystander) && !h->is_named && h->measure == GATE_CHARGED;
}

/* ---- A1: one other function became cheaper ----------------------------------------------------------------------- */

/* Return the misfit of "a function grew": the chi-square of all own functions except `frame`, which grew. If `frame` is
 * not an own function, leave out the function without which the others fit best. */
static double misfit_of_growth(const struct gate_reading_state *r, uint32_t frame) {
    uint32_t self = gate_own_growth_find(&r->own, frame);
    double best = gate_own_growth_factor(&r->own, self).q;
    for (uint32_t i = 0; self == GATE_NO_INDEX && i < r->own.count; i++) {
        struct gate_common_factor others = gate_own_growth_factor(&r->own, i);
        if (r->own.items[i].x > others.m)
            best = fmin(best, others.q);
    }
    return best;
}

/*
 * Return whether a hypothesis is significantly over its limit (one-sided, 5%) if the canary did the work that `others`
 * give. The test uses the counts of both sides and the precision of that factor.
 */
static bool is_significantly_over(const struct gate_reading_state *r, const struct gate_hypothesis *h,
                                  const struct gate_common_factor *others) {
    const struct gate_counts2 *counts = &h->own->counts;
    double one = h->own->share[GATE_BASELINE];
    double two = h->own->share[GATE_CANARY] * r->comparison->work_ratio / exp(others->m);
    if (!(one > 0.0) || !(two > 0.0))
        return true;
    double variance = 1.0 / (counts->k1 + 0.5) + 1.0 / (counts->k2 + 0.5) + 1.0 / others->weight;
    double least = two / one * exp(-gate_normal_z(LEVEL) * sqrt(variance));
    return gate_limit_quantity(h->limit->kind) == GATE_QUANTITY_GROWTH ? one * (least - 1.0) > h->limit_value
                                                                       : least > h->limit_value;
}

/* Return whether the function that is left out of `others` explains growth of the runtime's own work, on stacks without
 * own code, if it became cheaper. If more work is done, the scheduler and the collector do more as well, but not by a
 * fixed factor. `work` is the logarithm of the known work, or 0. */
static bool is_explained_of_runtime(const struct gate_common_factor *others, double work, double misfit) {
    return others->m - work >= log(RUNTIME_WORK_LEAST) && others->q <= misfit + FIT_MOST;
}

/* Return whether the growth is explained if the function that is left out of `others` became cheaper. If `h` is within
 * its limit at the factor of `others`, their chi-square may exceed `misfit` by FIT_MOST. Otherwise it must be smaller
 * by FIT_MOST, and `h` must not be significantly over its limit. */
static bool is_explained(const struct gate_reading_state *r, const struct gate_hypothesis *h,
                         const struct gate_common_factor *others, double misfit) {
    if (gate_reading_is_within_at(r, h, exp(others->m)))
        return others->q <= misfit + FIT_MOST;
    return others->q + FIT_MOST <= misfit && !is_significantly_over(r, h, others);
}

/* Return whether the canary can have done `ratio` times the work of the baseline in the time that was profiled. */
static bool is_plausible_work(const struct gate_pair *pair, double ratio) {
    static const double no_work[GATE_SIDES] = {0.0, 0.0};
    double seconds = 1.0;
    if (!gate_equal_ratio(&seconds, pair, GATE_EQUAL_TIME, no_work))
        return true;
    return ratio / seconds <= (gate_pair_is_simultaneous(pair) ? WORK_MOST_AT_ONCE : WORK_MOST);
}

/* Find a function that explains the growth if it became cheaper. Returns false if there is none. If the work is known,
 * all other functions have to cost more per unit of it. */
static bool find_cheaper(struct gate_reading *out, const struct gate_reading_state *r,
                         const struct gate_hypothesis *h) {
    double misfit = misfit_of_growth(r, h->frame), best = INFINITY;
    bool has_work_ratio = r->comparison->work_is_known;
    double work = has_work_ratio ? log(r->comparison->work_ratio) : 0.0;
    bool is_of_runtime = h->is_runtime && has_no_own_cause(h);
    if (is_new(h) && !is_of_runtime) /* new code cannot be explained by another function that became cheaper */
        return false;
    for (uint32_t i = 0; i < r->own.count; i++) {
        struct gate_common_factor others = gate_own_growth_factor(&r->own, i);
        if (r->own.items[i].frame == h->frame || others.count == 0 || r->own.items[i].x >= others.m ||
            others.q >= best || (has_work_ratio && others.m <= work) ||
            !(is_of_runtime ? is_explained_of_runtime(&others, work, misfit) : is_explained(r, h, &others, misfit)) ||
            !is_plausible_work(&r->comparison->pair, exp(others.m)))
            continue;
        best = others.q;
        *out = (struct gate_reading){
            .frame = r->own.items[i].frame, .ratio = exp(others.m), .equal = r->comparison->equal};
    }
    return isfinite(best);
}

/* ---- A2: the total fell ------------------------------------------------------------------------------------------ */

/* Return whether both sides have durations, and runs of the same length on average. */
static bool has_same_window(double *ratio, const struct gate_pair *pair) {
    static const double no_work[GATE_SIDES] = {0.0, 0.0};
    double by_run = 1.0;
    if (!gate_equal_ratio(ratio, pair, GATE_EQUAL_TIME, no_work) ||
        !gate_equal_ratio(&by_run, pair, GATE_EQUAL_RUN, no_work))
        return false;
    return fabs(log(*ratio / by_run)) <= log1p(SAME_MOST);
}

/* Return whether a function may be within its limit if the canary did `ratio` times the work (one-sided, 5%). */
static bool may_be_within_at(const struct gate_reading_state *r, const struct gate_hypothesis *h, double ratio) {
    const struct gate_common_factor exact = {.m = log(ratio), .weight = INFINITY};
    return gate_reading_is_within_at(r, h, ratio) ||
           (!h->is_new_code && (!is_new(h) || has_no_own_cause(h)) && !is_significantly_over(r, h, &exact));
}

static bool find_fallen_total(struct gate_reading *out, const struct gate_reading_state *r,
                              const struct gate_hypothesis *h) {
    const struct gate_side *sides = r->comparison->pair.sides;
    *out = (struct gate_reading){.frame = GATE_NO_INDEX, .equal = GATE_EQUAL_TIME};
    bool is_timed = has_same_window(&out->ratio, &r->comparison->pair);
    if (!is_timed) {
        out->equal = GATE_EQUAL_RUN;
        out->ratio = (double)sides[GATE_CANARY].run_count / sides[GATE_BASELINE].run_count;
    }
    if (gate_reading_total_at(r, out->ratio) <= TOTAL_FELL)
        return may_be_within_at(r, h, out->ratio);
    return !is_timed && gate_reading_is_within_at(r, h, out->ratio);
}

static bool judge_fallen_total(struct gate_hypothesis *h, const struct gate_reading_state *r) {
    struct gate_reading found = {.frame = GATE_NO_INDEX};
    return !find_fallen_total(&found, r, h) ||
           gate_reading_contradict(h, r, GATE_OUTCOME_INCONCLUSIVE, GATE_REASON_TOTAL_FELL, found);
}

/* ---- the total grew ---------------------------------------------------------------------------------------------- */

/* Check growth that the estimated work excuses. If the total per second grew significantly, the estimate may count that
 * growth as work. For example, the functions of one path, if all grew, agree on such an estimate. */
static bool judge_grown_total(struct gate_hypothesis *h, const struct gate_reading_state *r) {
    static const double no_work[GATE_SIDES] = {0.0, 0.0};
    const struct gate_comparison *c = r->comparison;
    struct gate_total_cost total;
    struct gate_reading reading = {.frame = GATE_NO_INDEX, .equal = GATE_EQUAL_TIME};
    if (h->severity < GATE_SEVERITY_ERROR || h->is_runtime || h->is_bystander || !c->work_is_estimated ||
        !gate_total_cost_measure(&total, &c->pair, GATE_EQUAL_TIME, no_work) || total.ratio_bounds[0] <= 1.0)
        return true;
    reading.ratio = gate_reading_total_at(r, 1.0) / total.ratio;
    return gate_reading_contradict(h, r, GATE_OUTCOME_INCONCLUSIVE, GATE_REASON_TOTAL_GREW, reading);
}

/* ---- waiting that moved ------------------------------------------------------------------------------------------ */

/* Check a fail of one function's delays. If all delays together fell to TOTAL_FELL or less, by work, runs or time,
 * threads that waited elsewhere before may now wait here, for the next lock or message. */
static bool judge_moved_waiting(struct gate_hypothesis *h, const struct gate_reading_state *r) {
    const struct gate_comparison *c = r->comparison;
    enum gate_equal equal = gate_equal_is_of_cost(c->equal) ? c->equal : GATE_EQUAL_TIME;
    struct gate_total_cost total;
    struct gate_reading reading = {.frame = GATE_NO_INDEX, .equal = equal};
    if (!gate_pair_has_delays(&c->pair) || h->is_total || !gate_hypothesis_bounds_growth(h) ||
        !gate_total_cost_measure(&total, &c->pair, equal, c->work_in_force) || total.ratio > TOTAL_FELL)
        return true;
    reading.ratio = gate_reading_total_at(r, 1.0) / total.ratio;
    return gate_reading_contradict(h, r, GATE_OUTCOME_INCONCLUSIVE, GATE_REASON_WAITING_MOVED, reading);
}

/* ---- A4: allocations since the start ----------------------------------------------------------------------------- */

/* Return whether both sides count allocations since the start of their processes, and not those of a window. The share
 * of start-up code then shrinks as the process does more work. */
static bool counts_since_start(const struct gate_comparison *comparison) {
    const struct gate_pair *pair = &comparison->pair;
    bool is_since_start = gate_str_starts(pair->type.type, GATE_STR("alloc"));
    for (int side = 0; side < GATE_SIDES; side++)
        for (uint32_t i = 0; i < pair->sides[side].run_count; i++)
            is_since_start = is_since_start && pair->sides[side].runs[i].input.profile->duration_ns <= 0;
    return is_since_start;
}

/* Return the topmost node above a node: the function that a goroutine, a thread or the event loop began with. */
static uint32_t entry_of(const struct gate_tree *tree, uint32_t node) {
    while (tree->nodes[node].parent != 0)
        node = tree->nodes[node].parent;
    return node;
}

/* Mark the entry nodes above the nodes that a hypothesis is about: a byte per node. NULL if the arena is full. */
static const uint8_t *mark_entries(const struct gate_reading_state *r, const struct gate_hypothesis *h) {
    const struct gate_tree_node *nodes = r->tree->nodes;
    uint8_t *marks = GATE_NEW_ARRAY(r->arena, uint8_t, r->tree->count);
    if (marks == NULL)
        return NULL;
    for (uint32_t node = 1; node < r->tree->count; node++)
        if (gate_reading_is_about(h, r, nodes[node].frame))
            marks[entry_of(r->tree, node)] = 1;
    return marks;
}

/* Return whether growth is not significantly over the limit among the stacks that are not beneath `entry`. Shares are
 * compared, because an estimate of the work may come from start-up code. */
static bool is_open_beside(const struct gate_reading_state *r, const struct gate_hypothesis *h, uint32_t entry) {
    const struct gate_side *sides = r->comparison->pair.sides;
    struct gate_evidence beside = *h->evidence;
    double *n[GATE_SIDES] = {&beside.counts.n1, &beside.counts.n2};
    for (int side = 0; side < GATE_SIDES; side++)
        *n[side] *= 1.0 - gate_share(r->tree->nodes[entry].total[side], sides[side].total);
    beside.counts.n1 = fmax(beside.counts.n1, beside.counts.k1);
    beside.counts.n2 = fmax(beside.counts.n2, beside.counts.k2);
    if (beside.counts.n1 < BESIDE_COUNT)
        return true;
    return !r->comparison->work_is_known && gate_hypothesis_margin_log_p(h, &beside) > log(LEVEL);
}

/* Find an entry node, such as that of start-up code. Without its stacks, the growth may be within its limit, or the
 * baseline has too few samples. `marks`: see mark_entries. */
static bool find_beside(struct gate_reading *out, const struct gate_reading_state *r, const struct gate_hypothesis *h,
                        const uint8_t *marks) {
    const struct gate_tree *tree = r->tree;
    for (uint32_t node = tree->nodes[0].first_child; node != GATE_NO_INDEX; node = tree->nodes[node].next_sibling)
        if (!marks[node] && tree->nodes[node].total[GATE_BASELINE] > 0 && is_open_beside(r, h, node)) {
            *out = (struct gate_reading){
                .frame = tree->nodes[node].frame, .ratio = r->comparison->work_ratio, .equal = r->comparison->equal};
            return true;
        }
    return false;
}

/* Check a fail on allocations since the start: the processes may only have run for different times, or under different
 * loads. */
static bool judge_since_start(struct gate_hypothesis *h, const struct gate_reading_state *r) {
    const struct gate_side *sides = r->comparison->pair.sides;
    struct gate_reading found = {.frame = GATE_NO_INDEX,
                                 .equal = GATE_EQUAL_RUN,
                                 .ratio = (double)sides[GATE_CANARY].run_count / sides[GATE_BASELINE].run_count};
    if (!counts_since_start(r->comparison) || !gate_hypothesis_bounds_growth(h))
        return true;
    bool is_within = h->is_total ? gate_reading_total_at(r, found.ratio) <= h->limit_value
                                 : h->own != NULL && gate_reading_is_within_at(r, h, found.ratio);
    if (!is_within && (h->is_total || r->tree == NULL))
        return true;
    const uint8_t *marks = is_within ? NULL : mark_entries(r, h);
    if (!is_within && marks == NULL)
        return gate_arena_error(r->arena, r->err);
    return (!is_within && !find_beside(&found, r, h, marks)) ||
           gate_reading_contradict(h, r, GATE_OUTCOME_INCONCLUSIVE, GATE_REASON_SINCE_START, found);
}

/* Make r->folded, the owners of the tree's nodes. */
static bool fold(struct gate_reading_state *r) {
    r->folded = GATE_NEW_ARRAY(r->arena, struct gate_folded, 1);
    return r->folded != NULL ? gate_folded_make(r->folded, r->comparison, r->tree, r->arena, r->err)
                             : gate_arena_error(r->arena, r->err);
}

/* Collect the own functions that are not start-up code: start-up code costs the same however much work is done. */
static bool collect_own(struct gate_reading_state *r) {
    const struct gate_comparison *c = r->comparison;
    if (!gate_own_growth_collect(&r->own, &c->pair, &c->deltas, GATE_OWN_GROWTH_COUNTS, 0.0, true, r->arena, r->err))
        return false;
    if (r->tree == NULL)
        return true;
    if (!gate_start_up_mark(r))
        return false;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < r->own.count; i++) {
        const struct gate_hypothesis about = {.frame = r->own.items[i].frame};
        if (!gate_start_up_has(r, &about))
            r->own.items[kept++] = r->own.items[i];
    }
    r->own.count = kept;
    return true;
}

/* Check growth that depends on how long the processes ran. More samples do not decide it, so this also applies if
 * samples are missing. */
static bool judge_uptime(struct gate_hypothesis *h, struct gate_reading_state *r) {
    enum gate_equal equal = r->comparison->equal;
    bool is_load_unknown = equal == GATE_EQUAL_UNKNOWN || equal == GATE_EQUAL_WORK;
    if (h->outcome == GATE_OUTCOME_FAIL && is_load_unknown && !judge_since_start(h, r))
        return false;
    return !gate_start_up_is_wanted(h, r) || ((r->folded != NULL || fold(r)) && gate_start_up_judge(h, r));
}

/* ---- A3: replaced names ------------------------------------------------------------------------------------------ */

/* Return the cost of the functions that only `side` has, as a share of that side; `*largest` is the largest of them.
 * They are own functions with their charged cost, or if `is_outside`, library and runtime functions with their self
 * cost. */
static double only_on(uint32_t *largest, const struct gate_reading_state *r, bool is_outside, int side) {
    const struct gate_comparison *c = r->comparison;
    double sum = 0.0, most = 0.0;
    *largest = GATE_NO_INDEX;
    for (uint32_t i = 0; i < c->pair.frame_count; i++) {
        const int64_t *value = c->deltas.items[i].value[is_outside ? GATE_SELF : GATE_CHARGED];
        double here = gate_share(value[side], c->pair.sides[side].total);
        double there = gate_share(value[1 - side], c->pair.sides[1 - side].total);
        bool is_sum = i == c->pair.one_sided; /* the sum of functions that are counted one by one */
        if (is_sum || c->pair.frames[i].is_own == is_outside || !(here > 0.0) || there >= NAME_GONE * here)
            continue;
        sum += here;
        if (here > most) {
            most = here;
            *largest = i;
        }
    }
    return sum;
}

/* Return the growth of minified library code as a share of the baseline. All names of a file are added up, since other
 * functions of the file may have been minified only in the canary. */
static double won_by_minified(const struct gate_reading_state *r, double total) {
    const struct gate_comparison *c = r->comparison;
    double won = 0.0;
    for (uint32_t i = 0; i < c->pair.frame_count; i++) {
        const int64_t *self = c->deltas.items[i].value[GATE_SELF];
        double before = gate_share(self[GATE_BASELINE], c->pair.sides[GATE_BASELINE].total);
        double after = gate_share(self[GATE_CANARY], c->pair.sides[GATE_CANARY].total);
        bool is_one = !c->pair.frames[i].is_own && gate_minified_name_is(c->pair.frames[i].name);
        if (is_one && before >= NAME_GONE * after) /* otherwise it counts as a new name */
            won += fmax(0.0, after * total - before);
    }
    return won;
}

/* Find functions of the baseline that new functions may have replaced (A3): the new ones must be within the limit
 * beyond those that are gone. Costs are compared per unit of work, second or run, whichever is known; else as shares,
 * and the reading gives the total per run. */
static bool find_replaced(struct gate_reading *out, const struct gate_reading_state *r,
                          const struct gate_hypothesis *h) {
    const struct gate_comparison *comparison = r->comparison;
    const struct gate_side *sides = comparison->pair.sides;
    uint32_t gone = GATE_NO_INDEX, fresh = GATE_NO_INDEX;
    bool is_minified =
        h->is_callerless && h->frame != GATE_NO_INDEX && gate_minified_name_is(comparison->pair.frames[h->frame].name);
    if (!is_new(h) && !is_minified)
        return false;
    double lost = only_on(&gone, r, h->is_callerless, GATE_BASELINE);
    double total = comparison->work_is_known ? gate_reading_total_at(r, comparison->work_ratio) : 1.0;
    double won = only_on(&fresh, r, h->is_callerless, GATE_CANARY) * total;
    if (is_minified)
        won += won_by_minified(r, total);
    if (!h->is_callerless)
        lost += gate_reading_lost_by_unnamed(&gone, r, total);
    bool is_within = gate_limit_quantity(h->limit->kind) == GATE_QUANTITY_GROWTH ? won - lost <= h->limit_value
                                                                                 : won <= h->limit_value * lost;
    if (gone == GATE_NO_INDEX || !is_within)
        return false;
    *out = (struct gate_reading){.frame = gone, .ratio = comparison->work_ratio, .equal = comparison->equal};
    if (!comparison->work_is_known) {
        out->ratio = (double)sides[GATE_CANARY].run_count / sides[GATE_BASELINE].run_count;
        out->equal = GATE_EQUAL_RUN;
    }
    return true;
}

/* ---- growth without a caller of one's own ------------------------------------------------------------------------ */

/* Return the share of a frame's self cost on stacks without own code. The tree lacks small nodes; they are assumed to
 * be distributed like the others. */
static double callerless_share(const struct gate_reading_state *r, uint32_t frame, int side) {
    const struct gate_comparison *c = r->comparison;
    double cost[2] = {0.0, 0.0}; /* on stacks without own code, on others */
    for (uint32_t node = 1; node < r->tree->count; node++)
        if (r->tree->nodes[node].frame == frame)
            cost[r->folded->charged[node] != GATE_NO_INDEX] += gate_tree_own_cost(r->tree, node, side);
    double share = gate_share(c->deltas.items[frame].value[GATE_SELF][side], c->pair.sides[side].total);
    return cost[0] + cost[1] > 0.0 ? share * cost[0] / (cost[0] + cost[1]) : share;
}

/* Charged cost of all own functions that call a frame, as shares. The cost of a new callee may be spread over so many
 * callers that each is within its limit. */
struct callers {
    double share[GATE_SIDES];
    double growth; /* of those that grew */
};

static struct callers callers_of(const struct gate_reading_state *r, uint32_t frame, bool *seen) {
    struct callers sum = {0};
    for (uint32_t node = 1; node < r->tree->count; node++) {
        uint32_t caller = r->folded->charged[node];
        if (r->tree->nodes[node].frame != frame || caller == GATE_NO_INDEX || seen[caller])
            continue;
        seen[caller] = true;
        double before = gate_reading_charged_share(r, caller, GATE_BASELINE),
               after = gate_reading_charged_share(r, caller, GATE_CANARY);
        sum.share[GATE_BASELINE] += before;
        sum.share[GATE_CANARY] += after;
        sum.growth += fmax(0.0, after - before);
    }
    return sum;
}

/* Return whether the callers of a frame, including those that became cheaper, grew significantly by more than the
 * limit. Their standard deviation is that of the frame, scaled by the root of the shares as for counts. */
static bool have_callers_grown(const struct gate_reading_state *r, const struct gate_hypothesis *h,
                               const struct callers *callers) {
    const struct gate_side *sides = r->comparison->pair.sides;
    const struct gate_evidence *own = h->evidence;
    double both = own->share[GATE_BASELINE] + own->share[GATE_CANARY];
    double half = (own->delta - gate_evidence_lower(own, LEVEL)) *
                  sqrt((callers->share[GATE_BASELINE] + callers->share[GATE_CANARY]) / both);
    return sides[GATE_BASELINE].run_count >= CALLERS_RUNS_LEAST && sides[GATE_CANARY].run_count >= CALLERS_RUNS_LEAST &&
           callers->share[GATE_CANARY] - callers->share[GATE_BASELINE] - half > h->limit_value;
}

/* Pass a frame whose growth is on stacks of own functions, because it is charged to them. It does not pass if it is new
 * and these functions grew together by more than the limit: each of many may be within its limit. A fail then stays if
 * that growth is significant. Otherwise it becomes inconclusive. */
static bool judge_callerless(struct gate_hypothesis *h, struct gate_reading_state *r) {
    bool is_open =
        h->outcome == GATE_OUTCOME_FAIL || h->outcome == GATE_OUTCOME_INCONCLUSIVE || h->reason == GATE_REASON_SHIFT;
    if (!h->is_callerless || !is_open || r->tree == NULL || h->frame == GATE_NO_INDEX)
        return true;
    if (r->folded == NULL && !fold(r))
        return false;
    double one = callerless_share(r, h->frame, GATE_BASELINE), two = callerless_share(r, h->frame, GATE_CANARY);
    bool is_growth = gate_limit_quantity(h->limit->kind) == GATE_QUANTITY_GROWTH;
    if (two - one > (is_growth ? h->limit_value : (h->limit_value - 1.0) * one))
        return true;
    bool *seen = GATE_NEW_ARRAY(r->arena, bool, r->comparison->pair.frame_count);
    if (seen == NULL)
        return gate_arena_error(r->arena, r->err);
    struct gate_reading replaced;
    struct callers callers = callers_of(r, h->frame, seen);
    bool is_spread = is_growth && is_new(h) && callers.growth > h->limit_value && !find_replaced(&replaced, r, h);
    bool is_sure = is_spread && h->outcome == GATE_OUTCOME_FAIL && have_callers_grown(r, h, &callers);
    h->outcome = is_sure ? GATE_OUTCOME_FAIL : is_spread ? GATE_OUTCOME_INCONCLUSIVE : GATE_OUTCOME_PASS;
    h->reason = GATE_REASON_OWN_CALLERS;
    return true;
}

/* ---- paths ------------------------------------------------------------------------------------------------------- */

/* Mark the own functions that both sides have on stacks beneath a frame, and the frame itself: a byte per frame. NULL:
 * the arena is full. */
static uint8_t *mark_path(const struct gate_reading_state *r, uint32_t frame) {
    const struct gate_tree_node *nodes = r->tree->nodes;
    const struct gate_pair *pair = &r->comparison->pair;
    uint8_t *marks = GATE_NEW_ARRAY(r->arena, uint8_t, pair->frame_count);
    uint8_t *is_beneath = GATE_NEW_ARRAY(r->arena, uint8_t, r->tree->count); /* per node */
    if (marks == NULL || is_beneath == NULL)
        return NULL;
    for (uint32_t node = 1; node < r->tree->count; node++) {
        uint32_t parent = nodes[node].parent;
        is_beneath[node] = nodes[node].frame == frame || (parent != GATE_NO_INDEX && is_beneath[parent] != 0);
        uint32_t owner = is_beneath[node] ? r->folded->owner[node] : GATE_NO_INDEX;
        if (owner != GATE_NO_INDEX)
            marks[owner] = 1;
    }
    return marks;
}

/* Return by how much the marked functions grew together, on all stacks, if the total grew by `factor`. `*largest` is
 * the one that grew most, by `*most`. */
static double growth_of(uint32_t *largest, double *most, const struct gate_reading_state *r, const uint8_t *marks,
                        double factor) {
    double sum = 0.0;
    *largest = GATE_NO_INDEX;
    *most = 0.0;
    for (uint32_t i = 0; i < r->comparison->pair.frame_count; i++) {
        double growth = marks[i] ? gate_reading_charged_share(r, i, GATE_CANARY) * factor -
                                       gate_reading_charged_share(r, i, GATE_BASELINE)
                                 : 0.0;
        sum += growth;
        if (growth > *most) {
            *most = growth;
            *largest = i;
        }
    }
    return sum;
}

/* Find a function that calls, directly or not, all own functions outside of a path, and does not call the path. All
 * functions of that other path may have become cheaper by one factor. The function must be on a stack of the first of
 * these own functions. Sets `*out` to GATE_NO_INDEX if there is none. */
static bool find_other_path(uint32_t *out, const struct gate_reading_state *r, uint32_t head, const uint8_t *marks) {
    const struct gate_pair *pair = &r->comparison->pair;
    uint8_t *is_left_out = GATE_NEW_ARRAY(r->arena, uint8_t, pair->frame_count);
    uint8_t *is_candidate = GATE_NEW_ARRAY(r->arena, uint8_t, pair->frame_count);
    uint32_t first = 0;
    *out = GATE_NO_INDEX;
    if (is_left_out == NULL || is_candidate == NULL)
        return gate_arena_error(r->arena, r->err);
    memcpy(is_left_out, marks, pair->frame_count);
    gate_reading_mark_above(is_left_out, r, head);
    while (first < r->own.count && is_left_out[r->own.items[first].frame])
        first++;
    if (first == r->own.count)
        return true;
    gate_reading_mark_above(is_candidate, r, r->own.items[first].frame);
    is_candidate[r->own.items[first].frame] = 1;
    for (uint32_t frame = 0; frame < pair->frame_count && *out == GATE_NO_INDEX; frame++) {
        if (!is_candidate[frame] || !pair->frames[frame].is_own || is_left_out[frame])
            continue;
        const uint8_t *beneath = mark_path(r, frame);
        if (beneath == NULL)
            return gate_arena_error(r->arena, r->err);
        *out = frame;
        for (uint32_t i = first; i < r->own.count; i++)
            if (!is_left_out[r->own.items[i].frame] && !beneath[r->own.items[i].frame])
                *out = GATE_NO_INDEX;
    }
    return true;
}

/* Return whether a path that the estimated work excuses is significantly over its limit by the work estimated from all
 * other functions. If all functions of the path grew, they agree on a wrong estimate. The estimate without them counts
 * only if the other functions agree with each other. */
static bool is_over_by_others(const struct gate_reading_state *r, const struct gate_hypothesis *h,
                              const uint8_t *marks) {
    struct gate_common_factor others;
    return gate_reading_factor_outside(&others, r, marks) && others.q <= gate_chi_square_95(others.count - 1.0) &&
           !gate_reading_is_within_at(r, h, exp(others.m)) && is_significantly_over(r, h, &others);
}

/* Return whether the estimated work alone excuses a broken path budget. The path's own growth may have raised that
 * estimate. */
static bool is_excused_path(const struct gate_hypothesis *h, const struct gate_reading_state *r) {
    return h->is_path && h->is_broken && h->own != NULL && h->severity == GATE_SEVERITY_ERROR &&
           r->comparison->work_is_estimated &&
           (h->reason == GATE_REASON_OTHERS_SHRANK || h->reason == GATE_REASON_OWN_COST_OPEN);
}

/* Return whether a path is inconclusive because it grew significantly and may be over its limit. */
static bool is_open_path(const struct gate_hypothesis *h) {
    return h->is_path && h->outcome == GATE_OUTCOME_INCONCLUSIVE && h->reason == GATE_REASON_UNCONFIRMED;
}

/* Return whether the functions of a path are over the limit if every run did the same work. The total per run must have
 * grown significantly, because a path that is only called in another way does not change it. */
static bool is_over_per_run(const struct gate_reading_state *r, const uint8_t *marks, double most) {
    struct gate_total_cost total;
    uint32_t largest = GATE_NO_INDEX;
    double alone = 0.0;
    const double none[GATE_SIDES] = {0.0, 0.0};
    return gate_total_cost_measure(&total, &r->comparison->pair, GATE_EQUAL_RUN, none) &&
           total.ratio_bounds[0] > TOTAL_MOST && growth_of(&largest, &alone, r, marks, total.ratio_bounds[0]) > most;
}

/* Return whether some budget on a function's charged cost has this outcome and reason, and none fails. */
static bool has_budget_outcome(const struct gate_reading_state *r, uint32_t frame, enum gate_outcome outcome,
                               enum gate_reason reason) {
    bool is_so = false;
    for (size_t i = 0; i < r->all->count; i++) {
        const struct gate_hypothesis *h = &r->all->items[i];
        if (h->comparison != r->index || h->frame != frame || h->measure != GATE_CHARGED || h->is_path)
            continue;
        if (h->outcome == GATE_OUTCOME_FAIL)
            return false;
        is_so = is_so || (h->outcome == outcome && h->reason == reason);
    }
    return is_so;
}

/* Return the growth of a function's charged share, which the budgets on functions judge. */
static double share_growth(const struct gate_reading_state *r, uint32_t frame) {
    return gate_reading_charged_share(r, frame, GATE_CANARY) - gate_reading_charged_share(r, frame, GATE_BASELINE);
}

/* Check a path that only the estimated work excuses. It fails if it is significantly over its limit by all other
 * functions, or becomes inconclusive if another path may have become cheaper. */
static bool judge_excused_path(struct gate_hypothesis *h, const struct gate_reading_state *r, const uint8_t *marks) {
    struct gate_reading other = {.ratio = r->comparison->work_ratio};
    if (!is_over_by_others(r, h, marks))
        return true;
    if (!find_other_path(&other.frame, r, h->frame, marks))
        return false;
    h->outcome = GATE_OUTCOME_FAIL;
    h->reason = GATE_REASON_OVER;
    return other.frame == GATE_NO_INDEX ||
           gate_reading_contradict(h, r, GATE_OUTCOME_INCONCLUSIVE, GATE_REASON_OTHERS_CHEAPER, other);
}

/* Check a path that fails, is inconclusive, or is excused by the estimated work although it is over its limit by all
 * other functions. Five cases contradict a fail, and (1) and (2) also an inconclusive path. (3) and (4) need unknown
 * work. (1) Its functions together grew by no more than the limit: they are only called in another way, for example
 * through a wrapper. If they grew by less than half of the path's growth, what their callers lost counts, too. (2) One
 * of its functions has most of the growth, and more than the limit as cost and as share: the budgets on functions judge
 * it. If these need more runs, the path is judged, unless a run-time compiler inlines, because its paths vary as its
 * functions do. (3) One function outside of it became cheaper. The path's functions count as one here, because all of
 * them may have grown. (4) Per run, or per second, it is within its limit. (5) It contains nearly all of the program,
 * the work is known, and all functions cost more by one factor. The total has its own limit, and its variation may be
 * that of the machine. */
static bool judge_path(struct gate_hypothesis *h, struct gate_reading_state *r, bool is_unknown) {
    struct gate_reading found = {.frame = GATE_NO_INDEX};
    if (r->tree == NULL || h->frame == GATE_NO_INDEX)
        return true;
    if (r->folded == NULL && !fold(r))
        return false;
    const uint8_t *marks = mark_path(r, h->frame);
    if (marks == NULL)
        return gate_arena_error(r->arena, r->err);
    bool is_open = is_open_path(h);
    if (!is_open && h->outcome != GATE_OUTCOME_FAIL && !judge_excused_path(h, r, marks))
        return false;
    if (!is_open && h->outcome != GATE_OUTCOME_FAIL)
        return true;
    bool is_growth = gate_limit_quantity(h->limit->kind) == GATE_QUANTITY_GROWTH;
    double most = is_growth ? h->limit_value : (h->limit_value - 1.0) * h->evidence->share[GATE_BASELINE];
    struct gate_reading way = {.ratio = r->comparison->work_ratio};
    uint32_t ignored = GATE_NO_INDEX;
    double alone = 0.0, least_alone = 0.0,
           growth = growth_of(&way.frame, &alone, r, marks, gate_reading_total_growth(r, false));
    /* If its functions grew by less than half of the path's growth, their growth must be significant. */
    bool is_other_way = growth < SPREAD_MOST * h->evidence->delta;
    double lost = 0.0;
    if (is_other_way && growth > most &&
        !gate_reading_lost_above(&ignored, &lost, r, h->frame, marks, gate_reading_total_growth(r, false)))
        return false;
    if (growth - lost <= most ||
        (is_other_way && growth_of(&ignored, &least_alone, r, marks, gate_reading_total_growth(r, true)) <= most))
        return gate_reading_contradict(h, r,
                                       is_unknown && !r->comparison->work_is_known && is_over_per_run(r, marks, most)
                                           ? GATE_OUTCOME_INCONCLUSIVE
                                           : GATE_OUTCOME_PASS,
                                       GATE_REASON_OTHER_WAY, way);
    h->has_one_function = alone > SPREAD_MOST * growth && alone > most && share_growth(r, way.frame) > most;
    bool needs_runs = has_budget_outcome(r, way.frame, GATE_OUTCOME_INCONCLUSIVE, GATE_REASON_UNCONFIRMED);
    if (h->has_one_function && (!needs_runs || is_open || gate_pair_inlines_at_run_time(&r->comparison->pair))) {
        /* If the growth of that function may be noise, its own budget passes. Then the path's growth may be noise,
         * too. */
        bool is_noise = has_budget_outcome(r, way.frame, GATE_OUTCOME_PASS, GATE_REASON_TOLERATED);
        return gate_reading_contradict(h, r, is_noise ? GATE_OUTCOME_INCONCLUSIVE : GATE_OUTCOME_PASS,
                                       GATE_REASON_ONE_FUNCTION, way);
    }
    if (!is_open && !gate_reading_judge_inlined_path(h, r, marks, growth, most))
        return false;
    if (h->outcome != GATE_OUTCOME_FAIL)
        return true;
    if (r->comparison->work_is_known && h->evidence->share[GATE_BASELINE] >= PATH_OF_ALL)
        return gate_machine_judge_slower(h, r);
    if (!is_unknown || r->comparison->work_is_known)
        return true;
    struct gate_reading_state at = *r;
    if (!gate_own_growth_merge(&at.own, &r->own, &r->comparison->pair, marks, h->frame, r->arena, r->err))
        return false;
    if (find_cheaper(&found, &at, h))
        return gate_reading_contradict(h, r, GATE_OUTCOME_WARN, GATE_REASON_OTHERS_CHEAPER, found);
    return !find_fallen_total(&found, r, h) ||
           gate_reading_contradict(h, r, GATE_OUTCOME_WARN, GATE_REASON_TOTAL_FELL, found);
}

/* Check growth that the estimated work excuses. The growth of the function and of the functions beneath it may itself
 * have raised the estimate. It becomes inconclusive if the other functions agree on a ratio by which it is
 * significantly over its limit. */
static bool judge_own_witness(struct gate_hypothesis *h, struct gate_reading_state *r) {
    if (h->severity < GATE_SEVERITY_ERROR || h->measure != GATE_CHARGED || h->frame == GATE_NO_INDEX ||
        h->own == NULL || r->tree == NULL || !r->comparison->work_is_estimated || !gate_hypothesis_bounds_growth(h))
        return true;
    if ((r->own.items == NULL && !collect_own(r)) || (r->folded == NULL && !fold(r)))
        return false;
    const uint8_t *marks = mark_path(r, h->frame);
    if (marks == NULL)
        return gate_arena_error(r->arena, r->err);
    if (is_over_by_others(r, h, marks)) {
        h->outcome = GATE_OUTCOME_INCONCLUSIVE;
        h->reason = GATE_REASON_OWN_COST_OPEN;
    }
    return true;
}

/* ---- B1: moved, or slowed ---------------------------------------------------------------------------------------- */

/* Return whether a function beneath the holder vanished: it was inlined or renamed, not slowed. */
static bool has_vanished(const struct gate_reading_state *r, const struct gate_hypothesis *h) {
    const struct gate_pair *pair = &r->comparison->pair;
    for (uint32_t i = 0; i < pair->frame_count; i++) {
        double before = gate_reading_charged_share(r, i, GATE_BASELINE);
        if (h->shift->beneath[i] && pair->frames[i].is_own &&
            gate_reading_charged_share(r, i, GATE_CANARY) < NAME_GONE * before &&
            before * pair->sides[GATE_BASELINE].events >= GATE_OWN_GROWTH_COUNTS)
            return true;
    }
    return false;
}

/* Return whether the other functions beneath the holder fell by one factor, and more than the rest of the program. A
 * worker that is always busy looks like this if one of its functions became slower. Code that moved comes from one
 * function instead. */
static bool is_slowed(const struct gate_reading_state *r, const struct gate_hypothesis *h) {
    if (has_vanished(r, h))
        return false;
    uint32_t self = gate_own_growth_find(&r->own, h->frame);
    struct gate_common_factor parts = gate_own_growth_factor_of(&r->own, h->shift->beneath, true, self);
    struct gate_common_factor rest = gate_own_growth_factor_of(&r->own, h->shift->beneath, false, self);
    if (parts.count < 2)
        return true;
    if (parts.q > gate_chi_square_95(parts.count - 1.0))
        return false;
    double z = (rest.m - parts.m) / sqrt(1.0 / parts.weight + 1.0 / rest.weight);
    return rest.count == 0 || z > gate_normal_z(LEVEL);
}

/* ---- threads that a sampler reads from outside ------------------------------------------------------------------- */

/* Return the factor by which the canary's cost of the hypothesis changes if each thread gets its share of the
 * baseline's samples. Threads with too few samples in the baseline count as absent. `about`: room for one value per
 * node, all 0. */
static double as_seen_before(const struct gate_reading_state *r, const struct gate_hypothesis *h, double *about) {
    const struct gate_tree_node *nodes = r->tree->nodes;
    const struct gate_side *sides = r->comparison->pair.sides;
    double all = 0.0, seen = 0.0;
    for (uint32_t node = 1; node < r->tree->count; node++)
        if (gate_reading_is_about(h, r, nodes[node].frame))
            about[entry_of(r->tree, node)] += (double)nodes[node].total[GATE_CANARY];
    for (uint32_t node = 1; node < r->tree->count; node++) {
        double before = gate_share(nodes[node].total[GATE_BASELINE], sides[GATE_BASELINE].total);
        all += about[node];
        if (about[node] > 0.0 && before * sides[GATE_BASELINE].events >= BESIDE_COUNT)
            seen += about[node] * before / gate_share(nodes[node].total[GATE_CANARY], sides[GATE_CANARY].total);
    }
    return all > 0.0 ? seen / all : 1.0;
}

/* Check a fail with one run of Python per side. py-spy and austin read the stacks from outside. If other programs use
 * the processors, the number of samples of a thread varies from run to run. */
static bool judge_threads(struct gate_hypothesis *h, const struct gate_reading_state *r) {
    const struct gate_comparison *c = r->comparison;
    if (r->tree == NULL || h->is_total || c->pair.language != GATE_LANGUAGE_PYTHON ||
        !gate_hypothesis_bounds_growth(h) || !gate_pair_is_blind_to_preemption(&c->pair))
        return true;
    double *about = GATE_NEW_ARRAY(r->arena, double, r->tree->count);
    if (about == NULL)
        return gate_arena_error(r->arena, r->err);
    double canary = h->evidence->share[GATE_CANARY] * as_seen_before(r, h, about);
    bool is_within =
        canary < h->least_share || gate_reading_are_shares_within(h, h->evidence->share[GATE_BASELINE], canary);
    return !is_within || gate_reading_open(h, r, GATE_REASON_THREADS);
}

/* Check a fail if there are minified functions of two builds (compare/minified.h): any of them may be the function that
 * grew, under another name. It becomes inconclusive if they lost half of the growth, per unit of work if the work is
 * known. */
static bool judge_minified(struct gate_hypothesis *h, const struct gate_reading_state *r) {
    const struct gate_comparison *c = r->comparison;
    if (c->pair.minified.len == 0 || h->is_total || !gate_hypothesis_bounds_growth(h))
        return true;
    const struct gate_side *sides = c->pair.sides;
    double totals[GATE_SIDES] = {(double)sides[GATE_BASELINE].total, (double)sides[GATE_CANARY].total};
    double ratio = c->work_is_known ? c->work_ratio : totals[GATE_CANARY] / totals[GATE_BASELINE];
    double lost = 0.0;
    for (uint32_t i = 0; i < c->pair.frame_count; i++) {
        const int64_t *charged = c->deltas.items[i].value[GATE_CHARGED];
        if (gate_minified_name_is(c->pair.frames[i].name))
            lost += (double)charged[GATE_BASELINE] - (double)charged[GATE_CANARY] / ratio;
    }
    double won = h->evidence->share[GATE_CANARY] * totals[GATE_CANARY] / ratio -
                 h->evidence->share[GATE_BASELINE] * totals[GATE_BASELINE];
    const struct gate_reading reading = {.frame = GATE_NO_INDEX, .ratio = ratio, .equal = c->equal};
    return lost < MINIFIED_LEAST * won ||
           gate_reading_contradict(h, r, GATE_OUTCOME_INCONCLUSIVE, GATE_REASON_MINIFIED, reading);
}

/* Check a pass by max_mde: growth over a limit that the samples do not confirm, but that is small enough to be
 * tolerated. It becomes inconclusive if functions with another name on each side caused it, because none of them was
 * compared with its own limit. */
static bool judge_other_names(struct gate_hypothesis *h, const struct gate_reading_state *r) {
    const struct gate_comparison *c = r->comparison;
    double rest[GATE_SIDES];
    if (h->outcome != GATE_OUTCOME_PASS || h->reason != GATE_REASON_TOLERATED || h->frame == GATE_NO_INDEX ||
        h->severity < GATE_SEVERITY_ERROR || h->measure != GATE_CHARGED || h->is_path)
        return true;
    for (int side = 0; side < GATE_SIDES; side++) {
        double folded = gate_share(c->deltas.items[h->frame].folded[side], c->pair.sides[side].total);
        if (folded < OTHER_NAMES_LEAST)
            return true;
        rest[side] = h->evidence->share[side] - folded;
    }
    return !gate_reading_are_shares_within(h, rest[GATE_BASELINE], rest[GATE_CANARY]) ||
           gate_reading_open(h, r, GATE_REASON_OTHER_NAMES);
}

/* Check a pass of a function that the budget names and the canary does not have. */
static bool judge_gone(struct gate_hypothesis *h, struct gate_reading_state *r) {
    const struct gate_frame *frame = h->frame == GATE_NO_INDEX ? NULL : &r->comparison->pair.frames[h->frame];
    if (frame == NULL || !h->is_named || !frame->is_folded || h->outcome >= GATE_OUTCOME_WARN || r->tree == NULL ||
        h->severity < GATE_SEVERITY_ERROR || !gate_hypothesis_bounds_growth(h) ||
        r->comparison->deltas.items[h->frame].value[GATE_CUMULATIVE][GATE_CANARY] != 0)
        return true;
    return (r->folded != NULL || fold(r)) && gate_new_code_judge_gone(h, r);
}

/* ---- all of them ------------------------------------------------------------------------------------------------- */

static bool judge_fail(struct gate_hypothesis *h, const struct gate_reading_state *r) {
    struct gate_reading found = {.frame = GATE_NO_INDEX};
    if (h->own == NULL || !gate_hypothesis_bounds_growth(h))
        return true;
    if (find_replaced(&found, r, h)) {
        bool has_grown = gate_reading_total_at(r, found.ratio) > TOTAL_MOST;
        return gate_reading_contradict(h, r, has_grown ? GATE_OUTCOME_INCONCLUSIVE : GATE_OUTCOME_WARN,
                                       GATE_REASON_REPLACED, found);
    }
    /* Except for gate_machine_judge_slower, the other readings need unknown work, or a busy machine, which makes costs
     * per unit of work uncertain. */
    bool has_work_ratio = r->comparison->work_is_known;
    if ((!has_work_ratio || gate_machine_may_be_busy(&r->comparison->pair)) && find_cheaper(&found, r, h))
        return gate_reading_contradict(h, r, GATE_OUTCOME_INCONCLUSIVE,
                                       has_work_ratio ? GATE_REASON_SLOWER_MACHINE : GATE_REASON_OTHERS_CHEAPER, found);
    return has_work_ratio ? gate_machine_judge_slower(h, r) : judge_fallen_total(h, r);
}

/* Check a fail of new code, without the reading "one other function became cheaper": functions that call new code also
 * grow by one factor. */
static bool judge_new_code(struct gate_hypothesis *h, const struct gate_reading_state *r, bool is_unknown) {
    if (!gate_new_code_judge(h, r))
        return false;
    return h->outcome != GATE_OUTCOME_FAIL || !is_unknown || r->comparison->work_is_known ||
           !gate_hypothesis_bounds_growth(h) || judge_fallen_total(h, r);
}

static bool judge_shift(struct gate_hypothesis *h, const struct gate_reading_state *r) {
    if (h->severity < GATE_SEVERITY_ERROR || h->is_path || h->shift == NULL || h->shift->within == GATE_NO_INDEX ||
        !is_slowed(r, h))
        return true;
    const struct gate_reading reading = {.frame = h->shift->within, .ratio = 1.0};
    return gate_reading_contradict(h, r, GATE_OUTCOME_INCONCLUSIVE, GATE_REASON_SLOWED, reading);
}

/* Check growth of a share that the known work excuses. */
static bool judge_excused_by_work(struct gate_hypothesis *h, struct gate_reading_state *r) {
    if (h->severity < GATE_SEVERITY_ERROR || !gate_pair_counts_preempted(&r->comparison->pair))
        return true;
    return (r->own.items != NULL || collect_own(r)) && gate_machine_judge_busier(h, r);
}

/* Check a hypothesis against the readings that its kind has. */
static bool judge_hypothesis(struct gate_hypothesis *h, struct gate_reading_state *r, bool is_unknown) {
    const struct gate_comparison *c = r->comparison;
    bool is_path =
        h->is_path && (h->outcome == GATE_OUTCOME_FAIL || is_open_path(h) || (is_unknown && is_excused_path(h, r)));
    bool is_fail = h->outcome == GATE_OUTCOME_FAIL, is_shift = h->reason == GATE_REASON_SHIFT;
    bool is_open_growth = h->reason == GATE_REASON_UNCONFIRMED || h->reason == GATE_REASON_OWN_COST_OPEN;
    if (h->is_new_code && h->outcome == GATE_OUTCOME_INCONCLUSIVE && is_open_growth)
        return gate_new_code_excuse(h, r);
    if (is_unknown && !h->is_path && h->reason == GATE_REASON_OTHERS_SHRANK)
        return (!h->is_broken || judge_grown_total(h, r)) &&
               (h->outcome != GATE_OUTCOME_WARN || judge_own_witness(h, r));
    if (c->work_is_known && !h->is_path && h->outcome == GATE_OUTCOME_WARN && h->reason == GATE_REASON_OTHERS_SHRANK)
        return judge_excused_by_work(h, r);
    if (!is_fail && !is_shift && !is_path)
        return true;
    bool needs_own = is_unknown || gate_pair_is_blind_to_inlining(&c->pair) || gate_machine_may_be_busy(&c->pair);
    if (needs_own && r->own.items == NULL && !collect_own(r))
        return false;
    bool ok = true;
    if (is_fail && h->is_new_code)
        ok = judge_new_code(h, r, is_unknown);
    else if (is_path)
        ok = judge_path(h, r, is_unknown);
    else if (is_fail && h->is_total)
        ok = gate_machine_judge_total(h, r);
    else if (is_fail && (is_unknown || c->work_is_known))
        ok = judge_fail(h, r);
    else if (is_unknown && h->outcome == GATE_OUTCOME_WARN)
        ok = judge_shift(h, r);
    if (ok && h->outcome == GATE_OUTCOME_FAIL)
        ok = gate_reading_judge_cut(h, r);
    if (ok && h->outcome == GATE_OUTCOME_FAIL)
        ok = judge_moved_waiting(h, r);
    if (ok && h->outcome == GATE_OUTCOME_FAIL)
        ok = gate_machine_judge_runtime(h, r) && gate_machine_judge_waits(h, r);
    if (ok && h->outcome == GATE_OUTCOME_FAIL)
        ok = gate_reading_judge_interpreted(h, r);
    if (ok && h->outcome == GATE_OUTCOME_FAIL)
        ok = judge_threads(h, r);
    if (ok && h->outcome == GATE_OUTCOME_FAIL)
        ok = gate_reading_judge_misplaced(h, r);
    if (ok && h->outcome == GATE_OUTCOME_FAIL)
        ok = gate_reading_judge_inlined_names(h, r);
    if (ok && h->outcome == GATE_OUTCOME_FAIL)
        ok = judge_minified(h, r);
    if (ok && h->outcome == GATE_OUTCOME_FAIL)
        ok = gate_new_code_judge_nameless(h, r);
    return ok && (h->outcome != GATE_OUTCOME_FAIL || gate_reading_judge_inlined(h, r));
}

/* Return whether the cost of the code around a function can change a decision: it failed, or is inconclusive because of
 * growth. */
static bool is_over_or_open(const struct gate_hypothesis *h) {
    bool is_open_growth = h->reason == GATE_REASON_UNCONFIRMED || h->reason == GATE_REASON_OWN_COST_OPEN ||
                          h->reason == GATE_REASON_SHIFT || h->reason == GATE_REASON_OTHERS_CHEAPER ||
                          h->reason == GATE_REASON_TOTAL_FELL || h->reason == GATE_REASON_REPLACED;
    return h->outcome == GATE_OUTCOME_FAIL || (h->outcome == GATE_OUTCOME_INCONCLUSIVE && is_open_growth);
}

static bool judge_inlined_together(struct gate_hypothesis *h, struct gate_reading_state *r) {
    bool is_wanted = is_over_or_open(h) || (h->outcome == GATE_OUTCOME_INCONCLUSIVE &&
                                            (h->reason == GATE_REASON_INLINED || h->reason == GATE_REASON_MISPLACED));
    if (!is_wanted || !gate_pair_inlines_at_run_time(&r->comparison->pair))
        return true;
    return (r->own.items != NULL || collect_own(r)) && gate_reading_judge_inlined_together(h, r);
}

static bool judge_all(struct gate_hypothesis *h, struct gate_reading_state *r, bool is_unknown) {
    return judge_gone(h, r) && judge_other_names(h, r) && judge_callerless(h, r) &&
           judge_hypothesis(h, r, is_unknown) && gate_new_code_judge_caller(h, r) && judge_uptime(h, r) &&
           gate_machine_judge_windows(h, r) && (!is_over_or_open(h) || gate_reading_judge_upgraded(h, r)) &&
           judge_inlined_together(h, r) && gate_machine_judge_stalled(h, r) && gate_machine_judge_moment(h, r);
}

bool gate_readings_apply(struct gate_hypothesis_list *list, const struct gate_comparison *comparison, uint32_t index,
                         const struct gate_tree *tree, struct gate_arena *arena, struct gate_error *err) {
    struct gate_reading_state r = {
        .all = list, .comparison = comparison, .index = index, .tree = tree, .arena = arena, .err = err};
    /* Delays, and memory held at one moment, do not depend on the other work of the program in that time. */
    bool is_amount = gate_pair_has_delays(&comparison->pair) || gate_sample_type_is_level(comparison->pair.type.type);
    bool is_unknown = comparison->equal == GATE_EQUAL_UNKNOWN && !is_amount;
    /* Judge new code after the functions that it is charged to. */
    for (int is_new_code = 0; is_new_code < 2; is_new_code++)
        for (size_t i = 0; i < list->count; i++) {
            struct gate_hypothesis *h = &list->items[i];
            if (h->comparison == index && h->is_new_code == (is_new_code == 1) && !judge_all(h, &r, is_unknown))
                return false;
        }
    return gate_start_up_excuse(list, &r);
}
