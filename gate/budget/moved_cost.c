/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/budget/moved_cost.h"

#include "gate/budget/hypotheses.h"
#include "gate/budget/reading_state.h"
#include "gate/compare/comparison.h"
#include "gate/compare/tree.h"
#include "gate/compare/tree_judge.h"
#include "gate/guards/guard_check.h"
#include "gate/names/own_code.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

/* ---- shifts ------------------------------------------------------------------------------------------------------ */

/* Mode of a search: which decreases are searched for, and the effect of finding one. */
enum shift_search_mode {
    EXCUSES, /* a growth becomes a warning */
    OPENS,   /* a fail becomes undecided: a run-time compiler may inline in some runs only */
    PARTLY,  /* a fail becomes undecided: part of the growth came from a neighbour, and both together are not
                significantly over the limit */
    PAUSES, /* a fail becomes undecided: garbage collections may have run in one function before, and in another one now
             */
    LACKS_CALLER, /* growth becomes undecided: the function that called the library may be missing from the stacks, and
                     a callee costs less */
    OTHER_CALLER, /* a fail becomes a warning, or undecided with few runs: calls of a system library are charged to
                     another function of the same stacks */
};

struct shift_growth {
    double sum, variance;
};

/** State of the search, made once per comparison. */
struct gate_shift_search {
    const struct gate_hypothesis_list *list; /* of every comparison */
    const struct gate_budget *budgets;       /* of the rules */
    const struct gate_comparison *comparison;
    const struct gate_tree *tree;
    struct gate_evidence_options options;         /* for own cost: work_ratio is set */
    uint8_t *marks;                               /* one byte per frame, scratch */
    struct shift_growth *in_function, *in_holder; /* one per frame, scratch: in the grown function, and in its holder */
    int64_t *weights;                             /* one per frame, scratch */
    enum shift_search_mode mode;
    bool is_by_shares; /* costs are shares, because the work is neither known nor estimated */
};

static const double HOLDER_GROWTH = 0.25; /* maximum growth of the holder, as a fraction of the frame's growth */

/* If the holder's decrease exceeds this multiple of the frame's growth, the decrease does not excuse undecided growth:
 * functions within the holder lost more than three times as much as the frame gained. */
static const double HOLDER_FELL = 2.0;

static const double HOLDER_LEVEL = 0.05;

/* Maximum z of a decrease. If the caller of the growth is missing from the stacks, the growth belongs to a callee in
 * any case, so little evidence is needed. */
static const double SOURCE_Z[] = {
    [EXCUSES] = -3.0, [OPENS] = -1.645, [PARTLY] = -1.645, [PAUSES] = -3.0, [LACKS_CALLER] = -1.0};

/* Minimum decrease of the sources, as a fraction of the frame's growth. In shares, the growth itself causes a part of
 * the decrease. */
static const double MATCHED = 0.5, MATCHED_BY_SHARES = 0.75, MATCHED_PARTLY = 1.0 / 3;

/* Maximum part of its cost that a source may keep and still count as renamed: callers of its old signature may
 * remain. */
static const double SOURCE_GONE = 0.1;

/* Maximum share of a holder. In a larger one an unrelated saving would excuse any growth. */
static const double HOLDER_MAX_SHARE = 0.5;

/* Without an estimate of the work, shares are compared, and the share of the whole program never changes. So the share
 * of a holder must show at least this part of the frame's growth, if nothing else changed, for a growth to be
 * undecided. */
static const double HOLDER_SHOWS = 0.3;

/* A function in which garbage collections run: minimum part of its cumulative cost that is self cost, and maximum part
 * that is left if they run elsewhere. */
static const double PAUSE_SELF = 0.8, PAUSE_LEFT = 0.2;

/* Minimum runs per side for calls with another caller to excuse a fail. With fewer, it becomes undecided. */
enum { OTHER_CALLER_RUNS = 3 };

enum { HOLDER_MAX_LEVELS = 3 }; /* the frame itself, its caller, and the caller's caller */

static struct gate_evidence own_cost(const struct gate_shift_search *search, uint32_t frame,
                                     enum gate_measure measure) {
    const struct gate_pair *pair = &search->comparison->pair;
    return gate_evidence_of(pair, &search->comparison->deltas, frame, measure, pair->frames[frame].name,
                            &search->options);
}

/* Return the weight of a node by a measure. Charged: without the subtrees of own code that it calls directly. */
static int64_t weight_of(const struct gate_shift_search *search, uint32_t node, enum gate_measure measure) {
    const struct gate_tree_node *nodes = search->tree->nodes;
    int64_t weight = measure == GATE_SELF ? nodes[node].self[GATE_CANARY] : nodes[node].total[GATE_CANARY];
    if (measure == GATE_CHARGED)
        for (uint32_t c = nodes[node].first_child; c != GATE_NO_INDEX; c = nodes[c].next_sibling)
            if (search->comparison->pair.frames[nodes[c].frame].is_own &&
                !search->comparison->pair.frames[nodes[c].frame].is_folded)
                weight -= nodes[c].total[GATE_CANARY];
    return weight;
}

/* Return whether the callers of a node are `chain`, from the node's own frame on. */
static bool has_callers(const struct gate_tree *tree, uint32_t node, const uint32_t *chain, int levels) {
    for (int i = 0; i < levels; i++) {
        if (node == GATE_NO_INDEX || tree->nodes[node].frame != chain[i])
            return false;
        node = tree->nodes[node].parent;
    }
    return true;
}

/*
 * Return the frame that calls `chain`, whose last frame is the outermost one, with the largest weight of chain[0] in
 * the canary. GATE_NO_INDEX if the chain has no caller, or if the largest weight is below `least`. A recursive function
 * has many nodes with the same callers, which are added up.
 */
static uint32_t heaviest_caller(const struct gate_shift_search *search, const uint32_t *chain, int levels,
                                enum gate_measure measure, int64_t least) {
    const struct gate_tree *tree = search->tree;
    memset(search->weights, 0, sizeof *search->weights * search->comparison->pair.frame_count);
    uint32_t best = GATE_NO_INDEX;
    for (uint32_t i = 1; i < tree->count; i++) {
        if (!has_callers(tree, i, chain, levels) ||
            (measure == GATE_CUMULATIVE && gate_tree_is_beneath(tree, i, tree->nodes[i].frame)))
            continue;
        uint32_t at = i;
        for (int level = 0; level < levels; level++)
            at = tree->nodes[at].parent;
        if (at == 0 || at == GATE_NO_INDEX)
            continue;
        uint32_t caller = tree->nodes[at].frame;
        search->weights[caller] += weight_of(search, i, measure);
        best = best == GATE_NO_INDEX || search->weights[caller] > search->weights[best] ? caller : best;
    }
    return best != GATE_NO_INDEX && search->weights[best] >= least ? best : GATE_NO_INDEX;
}

static bool has_work(const struct gate_shift_search *search) {
    return !search->is_by_shares && (search->comparison->work_is_known || search->comparison->work_is_estimated);
}

/* Return whether the possible holder did not grow itself. If this only makes a fail undecided, the holder's share may
 * be used instead. An estimate of the work can be wrong by a few percent, which looks like growth of a holder that has
 * most of the profile. */
static bool has_not_grown(const struct gate_shift_search *search, uint32_t holder, const struct gate_evidence *grown) {
    struct gate_evidence e = own_cost(search, holder, GATE_CUMULATIVE);
    double log_p = 0.0, most = HOLDER_GROWTH * grown->delta;
    double larger = fmax(e.share[GATE_BASELINE], e.share[GATE_CANARY]);
    bool is_large = search->mode == EXCUSES
                        ? e.share[GATE_CANARY] > HOLDER_MAX_SHARE
                        : !has_work(search) && 1.0 - larger < HOLDER_SHOWS * (1.0 - grown->share[GATE_BASELINE]);
    bool may_be_share = search->mode != EXCUSES;
    if (!gate_evidence_is_counted(&e) || is_large)
        return false;
    if (e.delta > most &&
        !(may_be_share && search->comparison->frames[holder].evidence[GATE_CUMULATIVE]->delta <= most))
        return false;
    if (!search->comparison->work_is_known || search->mode != EXCUSES) /* a uniform change may be noise of the host */
        return true;
    (void)gate_evidence_increase(&e, 0.0, &log_p);
    return log_p > log(HOLDER_LEVEL);
}

/* Mark the frames beneath every node of `holder`. For cumulative cost, frames beneath `grown` are left out. `grown`
 * itself is never marked. */
static void mark_beneath(const struct gate_shift_search *search, uint32_t holder, uint32_t grown,
                         enum gate_measure measure) {
    const struct gate_tree *tree = search->tree;
    memset(search->marks, 0, search->comparison->pair.frame_count);
    for (uint32_t i = 1; i < tree->count; i++) {
        bool inside = false, through = false;
        for (uint32_t at = i; at != 0; at = tree->nodes[at].parent) {
            inside = inside || (tree->nodes[at].frame == holder);
            through = through || (tree->nodes[at].frame == grown && measure == GATE_CUMULATIVE);
        }
        if (inside && !through)
            search->marks[tree->nodes[i].frame] = 1;
    }
    search->marks[grown] = 0;
}

/* Mark the frames that `grown` can exchange cost with by inlining: its callers, a few levels up, and its callees; its
 * callees alone in the other modes. Its cumulative cost contains that of its callees already. */
static void mark_neighbours(const struct gate_shift_search *search, uint32_t grown, enum gate_measure measure) {
    const struct gate_tree *tree = search->tree;
    memset(search->marks, 0, search->comparison->pair.frame_count);
    for (uint32_t i = 1; i < tree->count; i++) {
        int level = 0;
        bool is_beneath = false;
        for (uint32_t at = tree->nodes[i].parent; at != 0; at = tree->nodes[at].parent) {
            is_beneath = is_beneath || tree->nodes[at].frame == grown;
            if (search->mode == OPENS && tree->nodes[i].frame == grown && level++ < HOLDER_MAX_LEVELS)
                search->marks[tree->nodes[at].frame] = 1;
        }
        if (is_beneath && measure != GATE_CUMULATIVE)
            search->marks[tree->nodes[i].frame] = 1;
    }
    search->marks[grown] = 0;
}

/* Insert a frame into the list of the largest decreases. */
static void add_source(struct gate_shift *out, double losses[GATE_SHIFT_SOURCES], uint32_t frame, double loss) {
    uint32_t at = out->source_count;
    while (at > 0 && losses[at - 1] < loss)
        at--;
    if (at == GATE_SHIFT_SOURCES)
        return;
    uint32_t last = out->source_count < GATE_SHIFT_SOURCES ? out->source_count++ : GATE_SHIFT_SOURCES - 1;
    for (uint32_t i = last; i > at; i--) {
        losses[i] = losses[i - 1];
        out->sources[i] = out->sources[i - 1];
    }
    losses[at] = loss;
    out->sources[at] = frame;
}

/* Find the marked frames whose cost decreased. Decreases are added up; cumulative costs are nested, so there only the
 * largest counts. */
static bool find_sources(struct gate_shift *out, const struct gate_shift_search *search, enum gate_measure measure,
                         double growth) {
    double losses[GATE_SHIFT_SOURCES] = {0};
    out->source_count = 0;
    out->moved = 0.0;
    for (uint32_t frame = 0; frame < search->comparison->pair.frame_count; frame++) {
        if (!search->marks[frame] ||
            (measure == GATE_CHARGED && search->comparison->pair.frames[frame].is_folded)) /* charged to its caller */
            continue;
        struct gate_evidence e = own_cost(search, frame, measure);
        if (!e.is_tested || e.delta >= 0.0 || e.z > SOURCE_Z[search->mode])
            continue;
        out->moved = measure == GATE_CUMULATIVE ? fmax(out->moved, -e.delta) : out->moved - e.delta;
        add_source(out, losses, frame, -e.delta);
    }
    double least = search->mode == PARTLY ? MATCHED_PARTLY : search->is_by_shares ? MATCHED_BY_SHARES : MATCHED;
    return out->moved >= least * growth;
}

/* Find the decreases that match a growth. Charged cost can only come from another frame's charged cost. For other
 * measures, search for decreases of self cost first. A function that was renamed or split loses all its cumulative cost
 * without a decrease of self cost elsewhere. */
static bool find_any_sources(struct gate_shift *out, const struct gate_shift_search *search, enum gate_measure measure,
                             double growth) {
    if (measure == GATE_CHARGED)
        return find_sources(out, search, GATE_CHARGED, growth);
    return find_sources(out, search, GATE_SELF, growth) ||
           (measure == GATE_CUMULATIVE && find_sources(out, search, GATE_CUMULATIVE, growth));
}

/**
 * Return whether the growth of `hypothesis` (a single frame, a growth limit) is matched by decreases around it. Costs
 * are compared per unit of work, known or estimated, because in shares everything else shrinks if one frame grows.
 * Shares can be used, too. A holder with share h grows by at least (1 - h) / (1 - f) of the growth of a frame with
 * share f: more than a quarter for h <= 1/2.
 *
 * A shift needs a holder, searched over three levels from the frame itself upwards (from its caller for cumulative
 * cost). A caller is looked at if the frame has at least half of its canary cost beneath it. The holder has at most
 * half of the profile. Its growth is below a quarter of the frame's and, if the work is known, not significant. Within
 * the holder, frames must have shrunk significantly (z < -3) by at least half of the growth together.
 *
 * O(nodes * children + frames * runs of the frames looked at).
 */
static bool shift_find(struct gate_shift *out, const struct gate_shift_search *search,
                       const struct gate_hypothesis *hypothesis) {
    if (hypothesis->frame == GATE_NO_INDEX || hypothesis->own == NULL)
        return false;
    struct gate_evidence grown = own_cost(search, hypothesis->frame, hypothesis->measure);
    double growth = grown.delta;
    if (growth <= 0.0)
        return false;
    /* An undecided growth of own cost can be almost zero, so any saving would match it. */
    if (hypothesis->reason == GATE_REASON_OWN_COST_OPEN)
        growth = fmax(growth, hypothesis->evidence->delta);
    /* Self and charged cost may come from the frame's own callees; the frame itself is then the first possible
     * holder. */
    bool from_caller = hypothesis->measure == GATE_CUMULATIVE;
    int levels = HOLDER_MAX_LEVELS + (from_caller ? 1 : 0);
    uint32_t chain[HOLDER_MAX_LEVELS + 1] = {hypothesis->frame};
    for (int level = 0; level < levels; level++) {
        if (level > 0)
            chain[level] = heaviest_caller(search, chain, level, hypothesis->measure,
                                           hypothesis->evidence->value[GATE_CANARY] / 2);
        if (chain[level] == GATE_NO_INDEX) /* no caller, or the growth is spread over too many callers */
            return false;
        if ((level == 0 && from_caller) || !has_not_grown(search, chain[level], &grown))
            continue;
        out->within = chain[level];
        if (search->mode != EXCUSES)
            mark_neighbours(search, hypothesis->frame, hypothesis->measure);
        else
            mark_beneath(search, chain[level], hypothesis->frame, hypothesis->measure);
        return find_any_sources(out, search, hypothesis->measure, growth);
    }
    return false;
}

/* Search for a decrease that makes a fail undecided. If the profiler counts time without a processor, a busy machine
 * makes all costs larger and nothing seems to have become cheaper. Shares are then compared as well. */
static bool find_open(struct gate_shift *out, struct gate_shift_search *search,
                      const struct gate_hypothesis *hypothesis) {
    const struct gate_pair *pair = &search->comparison->pair;
    double known = search->options.work_ratio;
    if (shift_find(out, search, hypothesis))
        return true;
    if (!search->comparison->work_is_known || !gate_pair_counts_preempted(pair))
        return false;
    search->is_by_shares = true;
    search->options.work_ratio =
        (double)pair->sides[GATE_CANARY].total / fmax(1.0, (double)pair->sides[GATE_BASELINE].total);
    bool is_found = shift_find(out, search, hypothesis);
    search->is_by_shares = false;
    search->options.work_ratio = known;
    return is_found;
}

/* Return whether the cumulative cost of a function is significantly over a limit, by its share and by its cost per unit
 * of work. The share of a function that contains most of the program hardly changes. So without an estimate of the
 * work, such a function counts as over the limit, because nothing can show that it is not. */
static bool is_whole_over(const struct gate_shift_search *search, const struct gate_hypothesis *hypothesis,
                          uint32_t frame) {
    struct gate_evidence whole = own_cost(search, frame, GATE_CUMULATIVE);
    if (!gate_evidence_is_counted(&whole) || (!has_work(search) && whole.share[GATE_CANARY] > HOLDER_MAX_SHARE))
        return true;
    double level = log(HOLDER_LEVEL);
    return gate_hypothesis_margin_log_p(hypothesis, &whole) <= level &&
           gate_hypothesis_margin_log_p(hypothesis, search->comparison->frames[frame].evidence[GATE_CUMULATIVE]) <=
               level;
}

/* Search for callees of a function, or callers up to two levels above, that lost what the function gained in charged
 * cost. */
static bool find_neighbours(struct gate_shift *out, struct gate_shift_search *search,
                            const struct gate_hypothesis *hypothesis) {
    double growth = own_cost(search, hypothesis->frame, GATE_CHARGED).delta;
    uint32_t chain[HOLDER_MAX_LEVELS] = {hypothesis->frame};
    out->within = GATE_NO_INDEX;
    mark_neighbours(search, hypothesis->frame, GATE_CHARGED);
    for (int level = 0; growth > 0.0 && level < HOLDER_MAX_LEVELS; level++) {
        if (level > 0) {
            chain[level] =
                heaviest_caller(search, chain, level, GATE_CHARGED, hypothesis->evidence->value[GATE_CANARY] / 2);
            if (chain[level] == GATE_NO_INDEX)
                return false;
            search->marks[chain[level]] = chain[level] != hypothesis->frame;
        }
        if (!is_whole_over(search, hypothesis, chain[level]) && find_sources(out, search, GATE_CHARGED, growth))
            return true;
    }
    return false;
}

/* Return whether neighbours of a function lost a part of the growth of its charged cost: a compiler may have inlined
 * them. The cumulative cost that contains both must not be significantly over the limit. Growth of one function lowers
 * the shares of all others. So without an estimate of the work, costs are compared with all cost that is not charged to
 * the function. */
static bool find_part(struct gate_shift *out, struct gate_shift_search *search,
                      const struct gate_hypothesis *hypothesis) {
    const struct gate_pair *pair = &search->comparison->pair;
    if (hypothesis->measure != GATE_CHARGED || hypothesis->frame == GATE_NO_INDEX || hypothesis->own == NULL ||
        gate_language_is_interpreted(pair->language)) /* nothing is inlined */
        return false;
    double known = search->options.work_ratio, beside[GATE_SIDES];
    for (int side = 0; side < GATE_SIDES; side++)
        beside[side] = (double)(pair->sides[side].total - hypothesis->evidence->value[side]);
    if (!has_work(search) && beside[GATE_BASELINE] > 0.0 && beside[GATE_CANARY] > 0.0)
        search->options.work_ratio = beside[GATE_CANARY] / beside[GATE_BASELINE];
    bool is_found = find_neighbours(out, search, hypothesis);
    search->options.work_ratio = known;
    return is_found;
}

/* Return whether nearly all cost of a function may be garbage collections that ran in it on `side` and not on the other
 * side. */
static bool may_be_pause(const struct gate_shift_search *search, uint32_t frame, int side) {
    struct gate_evidence self = own_cost(search, frame, GATE_SELF), whole = own_cost(search, frame, GATE_CUMULATIVE);
    return self.share[!side] > 0.0 && self.share[!side] <= PAUSE_LEFT * self.share[side] &&
           self.share[side] >= PAUSE_SELF * whole.share[side];
}

/* Python collects garbage when a count of allocations is reached, in the function that allocates then, and no frame
 * shows it. One allocation more or less per request moves a full collection from one function to another. Return
 * whether the growth may have come in this way from functions that the canary hardly has. */
static bool find_pause(struct gate_shift *out, struct gate_shift_search *search,
                       const struct gate_hypothesis *hypothesis) {
    const struct gate_pair *pair = &search->comparison->pair;
    if (pair->language != GATE_LANGUAGE_PYTHON || hypothesis->frame == GATE_NO_INDEX || hypothesis->own == NULL ||
        !may_be_pause(search, hypothesis->frame, GATE_CANARY))
        return false;
    for (uint32_t frame = 0; frame < pair->frame_count; frame++)
        search->marks[frame] = frame != hypothesis->frame && may_be_pause(search, frame, GATE_BASELINE);
    out->within = GATE_NO_INDEX;
    out->is_pause = true;
    return find_sources(out, search, GATE_SELF, own_cost(search, hypothesis->frame, GATE_SELF).delta);
}

/* For growth over a limit on a ratio, return the worst outcome of the limits in share points on the same cost. The
 * holder must have fallen by more than the function gained. GATE_OUTCOME_PROVEN: all are proven to hold.
 * GATE_OUTCOME_PASS: the measured growth is within all. GATE_OUTCOME_FAIL: otherwise, or if there are none. Only
 * budgets that can fail count. All limits must be of presets, so that other budgets do not weaken a limit on a ratio
 * that the user wrote. */
static enum gate_outcome limit_in_points(const struct gate_shift *shift, const struct gate_shift_search *search,
                                         const struct gate_hypothesis *hypothesis) {
    double grown = own_cost(search, hypothesis->frame, hypothesis->measure).delta;
    if (gate_limit_quantity(hypothesis->limit->kind) != GATE_QUANTITY_RATIO || hypothesis->is_cost ||
        !search->budgets[hypothesis->budget].is_of_preset ||
        own_cost(search, shift->within, GATE_CUMULATIVE).delta >= -grown)
        return GATE_OUTCOME_FAIL;
    bool is_bounded = false;
    enum gate_outcome worst = GATE_OUTCOME_PROVEN;
    for (size_t i = 0; i < search->list->count; i++) {
        const struct gate_hypothesis *other = &search->list->items[i];
        if (other->comparison != hypothesis->comparison || other->frame != hypothesis->frame ||
            other->measure != hypothesis->measure || other->is_path != hypothesis->is_path || other->is_cost ||
            other->severity < GATE_SEVERITY_ERROR || !search->budgets[other->budget].is_of_preset ||
            gate_limit_quantity(other->limit->kind) != GATE_QUANTITY_GROWTH)
            continue;
        enum gate_outcome outcome = other->reason == GATE_REASON_WITHIN ? other->outcome : GATE_OUTCOME_FAIL;
        worst = outcome > worst ? outcome : worst;
        is_bounded = true;
    }
    return is_bounded ? worst : GATE_OUTCOME_FAIL;
}

/* Return whether the holder of a shift became cheaper while the function that lost most still exists. That function
 * then became cheaper itself, which does not explain the growth. (If it is nearly gone, it may have been renamed.) For
 * a fail, the holder must have fallen by more than HOLDER_GROWTH of the growth, and only limit_in_points can then
 * excuse it. For inconclusive growth, the work must be known, and the holder must have fallen by more than HOLDER_FELL
 * times the growth. */
static bool has_fallen(const struct gate_shift *shift, const struct gate_shift_search *search,
                       const struct gate_hypothesis *hypothesis) {
    struct gate_evidence grown = own_cost(search, hypothesis->frame, hypothesis->measure);
    struct gate_evidence holder = own_cost(search, shift->within, GATE_CUMULATIVE);
    struct gate_evidence source = own_cost(search, shift->sources[0], GATE_CUMULATIVE);
    bool is_fail = hypothesis->outcome == GATE_OUTCOME_FAIL;
    bool has_ratio = is_fail ? has_work(search) : search->comparison->work_is_known;
    double least = (is_fail ? HOLDER_GROWTH : HOLDER_FELL) * grown.delta;
    return has_ratio && holder.delta < -least && holder.z < SOURCE_Z[OPENS] &&
           source.share[GATE_CANARY] > SOURCE_GONE * source.share[GATE_BASELINE];
}

/* Return whether the stacks contain all library functions that were called, even inlined ones: Go records inlined
 * calls, and Python and Ruby do not inline. Excimer does not record PHP's functions in C. */
static bool has_all_callees(const struct gate_pair *pair) {
    return pair->language == GATE_LANGUAGE_GO || pair->language == GATE_LANGUAGE_PYTHON ||
           pair->language == GATE_LANGUAGE_RUBY;
}

/* Add the growth of a node per unit of work, as a share of the baseline's total, and its variance by the samples. */
static void growth_add(struct shift_growth *growth, const struct gate_shift_search *search, uint32_t node) {
    const struct gate_side *sides = search->comparison->pair.sides;
    double baseline = (double)sides[GATE_BASELINE].total;
    for (int side = 0; side < GATE_SIDES; side++) {
        double scale = side == GATE_CANARY ? 1.0 / search->options.work_ratio : 1.0;
        double share = (double)search->tree->nodes[node].self[side] / baseline * scale;
        growth->sum += side == GATE_CANARY ? share : -share;
        growth->variance += share * scale * (double)sides[side].total / baseline / sides[side].events;
    }
}

/* Return whether a node is part of a frame's charged or cumulative cost. */
static bool is_part_of(const struct gate_shift_search *search, uint32_t node, uint32_t frame,
                       enum gate_measure measure) {
    const struct gate_tree *tree = search->tree;
    const struct gate_frame *frames = search->comparison->pair.frames;
    for (; node != 0; node = tree->nodes[node].parent) {
        uint32_t at = tree->nodes[node].frame;
        if (at == frame)
            return true;
        if (measure == GATE_CHARGED && gate_frame_is_charged(&frames[at]))
            return false;
    }
    return false;
}

/* Return whether most of the growth comes from library functions that became more expensive in the whole holder. Code
 * that moved takes its library calls along, so these calls are new work, and the decrease has another reason. Library
 * cost that replaced the function's own code is subtracted. The test uses the samples of these functions. */
static bool is_other_work(const struct gate_shift *shift, const struct gate_shift_search *search,
                          const struct gate_hypothesis *hypothesis) {
    const struct gate_tree *tree = search->tree;
    const struct gate_pair *pair = &search->comparison->pair;
    struct shift_growth all = {0};
    double callees = 0.0, more = 0.0, variance = 0.0;
    if (!has_all_callees(pair) || !has_work(search) || shift->within == hypothesis->frame ||
        hypothesis->measure == GATE_SELF)
        return false;
    memset(search->in_function, 0, sizeof *search->in_function * pair->frame_count);
    memset(search->in_holder, 0, sizeof *search->in_holder * pair->frame_count);
    for (uint32_t i = 1; i < tree->count; i++) {
        uint32_t frame = tree->nodes[i].frame;
        if (!gate_tree_is_beneath(tree, i, shift->within))
            continue;
        growth_add(&search->in_holder[frame], search, i);
        if (!is_part_of(search, i, hypothesis->frame, hypothesis->measure))
            continue;
        growth_add(&all, search, i);
        growth_add(&search->in_function[frame], search, i);
    }
    for (uint32_t frame = 0; frame < pair->frame_count; frame++) {
        double grown = search->in_function[frame].sum;
        if (pair->frames[frame].is_own || grown <= 0.0)
            continue;
        callees += grown;
        more += fmax(fmin(grown, search->in_holder[frame].sum), 0.0);
        variance += search->in_holder[frame].variance;
    }
    double replaced = fmax(callees - all.sum, 0.0);
    return more - replaced - MATCHED * all.sum > -SOURCE_Z[OPENS] * sqrt(variance);
}

/* ---- calls of a library with another caller on each side --------------------------------------------------------- */

/* Mark the own functions that are on stacks with `frame`, above or beneath it. */
static void mark_relatives(const struct gate_shift_search *search, uint32_t frame) {
    const struct gate_tree *tree = search->tree;
    const struct gate_frame *frames = search->comparison->pair.frames;
    memset(search->marks, 0, search->comparison->pair.frame_count);
    for (uint32_t i = 1; i < tree->count; i++)
        for (uint32_t at = tree->nodes[i].parent; at != 0; at = tree->nodes[at].parent) {
            uint32_t one = tree->nodes[i].frame, above = tree->nodes[at].frame;
            if (one == frame && frames[above].is_own)
                search->marks[above] = 1;
            if (above == frame && frames[one].is_own)
                search->marks[one] = 1;
        }
    search->marks[frame] = 0;
}

/* Return the function of a system library that own code called, for a node of that function or beneath it;
 * GATE_NO_INDEX: the node is not one. `*owner` is the frame that its cost is charged to, or GATE_NO_INDEX. */
static uint32_t called_library(uint32_t *owner, const struct gate_shift_search *search, uint32_t node) {
    const struct gate_frame *frames = search->comparison->pair.frames;
    const struct gate_tree_node *nodes = search->tree->nodes;
    uint32_t called = GATE_NO_INDEX;
    *owner = GATE_NO_INDEX;
    for (; node != 0 && !frames[nodes[node].frame].is_own; node = nodes[node].parent)
        called = nodes[node].frame;
    for (; node != 0 && *owner == GATE_NO_INDEX; node = nodes[node].parent)
        if (gate_frame_is_charged(&frames[nodes[node].frame]))
            *owner = nodes[node].frame;
    return called != GATE_NO_INDEX && gate_is_system_library(frames[called].mapping) ? called : GATE_NO_INDEX;
}

/* Add up growth of shares. For each function of system libraries: its growth in `frame` (in_function) and in marked
 * functions (in_holder). For each marked function: the growth of all of these libraries in it (in_function). If a
 * function grows, the shares of all others shrink by the factor `shrunk`. */
static void add_up_libraries(const struct gate_shift_search *search, uint32_t frame, double shrunk) {
    const struct gate_pair *pair = &search->comparison->pair;
    memset(search->in_function, 0, sizeof *search->in_function * pair->frame_count);
    memset(search->in_holder, 0, sizeof *search->in_holder * pair->frame_count);
    for (uint32_t i = 1; i < search->tree->count; i++) {
        uint32_t owner, called = called_library(&owner, search, i);
        if (called == GATE_NO_INDEX || owner == GATE_NO_INDEX || (owner != frame && !search->marks[owner]))
            continue;
        const int64_t *self = search->tree->nodes[i].self;
        double growth =
            gate_share(self[GATE_CANARY], pair->sides[GATE_CANARY].total) -
            gate_share(self[GATE_BASELINE], pair->sides[GATE_BASELINE].total) * (owner == frame ? 1.0 : shrunk);
        if (owner == frame) {
            search->in_function[called].sum += growth;
            continue;
        }
        search->in_holder[called].sum += growth;
        search->in_function[owner].sum += growth;
    }
}

/* Return whether calls of system libraries explain a fail. Stacks by frame pointers lack the caller of a leaf function,
 * and all stacks lack a function that ended in a tail call. So the compiler decides which function of a stack such a
 * call is charged to. The growth must be within the limit without the calls that other functions of the same stacks
 * lost. Calls of a library function count up to the amount that the others lost of this function. */
static bool find_other_caller(struct gate_shift *out, struct gate_shift_search *search,
                              const struct gate_hypothesis *hypothesis) {
    const struct gate_pair *pair = &search->comparison->pair;
    const double *share = hypothesis->evidence->share;
    double losses[GATE_SHIFT_SOURCES] = {0}, most = 0.0;
    *out = (struct gate_shift){.within = GATE_NO_INDEX, .library = GATE_NO_INDEX};
    if ((pair->language != GATE_LANGUAGE_NATIVE && pair->language != GATE_LANGUAGE_RUST) ||
        hypothesis->measure != GATE_CHARGED || hypothesis->is_path || hypothesis->frame == pair->one_sided)
        return false;
    mark_relatives(search, hypothesis->frame);
    add_up_libraries(search, hypothesis->frame,
                     fmin(1.0, (1.0 - share[GATE_CANARY]) / fmax(1.0 - share[GATE_BASELINE], DBL_MIN)));
    for (uint32_t i = 0; i < pair->frame_count; i++) {
        if (search->marks[i] && search->in_function[i].sum < 0.0)
            add_source(out, losses, i, -search->in_function[i].sum);
        double moved = pair->frames[i].is_own ? 0.0 : fmin(search->in_function[i].sum, -search->in_holder[i].sum);
        out->moved += fmax(moved, 0.0);
        if (moved > most) {
            most = moved;
            out->library = i;
        }
    }
    double rest = share[GATE_CANARY] - out->moved;
    return out->library != GATE_NO_INDEX && out->source_count > 0 &&
           (rest < hypothesis->least_share || gate_reading_are_shares_within(hypothesis, share[GATE_BASELINE], rest));
}

/* ---- all shifts -------------------------------------------------------------------------------------------------- */

/* Search first for a decrease that excuses the growth, then for one that makes it undecided. The mode of the search is
 * then that of the decrease found. */
static bool search_in_turn(struct gate_shift *out, struct gate_shift_search *search,
                           const struct gate_hypothesis *hypothesis, bool may_lack_caller) {
    bool is_fail = hypothesis->outcome == GATE_OUTCOME_FAIL;
    search->mode = EXCUSES;
    if (shift_find(out, search, hypothesis)) {
        bool is_other = is_other_work(out, search, hypothesis), is_beside = has_fallen(out, search, hypothesis);
        enum gate_outcome excuse = is_beside ? limit_in_points(out, search, hypothesis) : GATE_OUTCOME_PROVEN;
        if (excuse == GATE_OUTCOME_PROVEN && !is_other && !(is_fail && is_beside))
            return true;
        /* If the function that lost most is gone, the growth may be that function under another name. */
        bool is_gone = own_cost(search, out->sources[0], GATE_CUMULATIVE).share[GATE_CANARY] == 0.0;
        if (is_fail && excuse < GATE_OUTCOME_FAIL && (is_gone || !is_other)) {
            search->mode = OPENS;
            return true;
        }
    }
    search->mode = OTHER_CALLER;
    if (is_fail && find_other_caller(out, search, hypothesis))
        return true;
    *out = (struct gate_shift){0};
    search->mode = OPENS;
    if (is_fail && find_open(out, search, hypothesis))
        return true;
    search->mode = PARTLY;
    if (is_fail && find_part(out, search, hypothesis))
        return true;
    search->mode = PAUSES;
    if (is_fail && find_pause(out, search, hypothesis))
        return true;
    *out = (struct gate_shift){0};
    search->mode = LACKS_CALLER;
    return has_work(search) && may_lack_caller && (is_fail || hypothesis->outcome == GATE_OUTCOME_INCONCLUSIVE) &&
           shift_find(out, search, hypothesis);
}

static bool may_have_moved(const struct gate_hypothesis *h, const struct gate_rules *rules, uint32_t comparison) {
    const struct gate_budget *budget = &rules->budgets[h->budget];
    /* A decrease that would excuse the growth if more runs confirmed that growth excuses it already. */
    bool is_broken = h->outcome == GATE_OUTCOME_FAIL ||
                     (h->outcome == GATE_OUTCOME_WARN && h->reason == GATE_REASON_SEVERITY_WARN) ||
                     (h->outcome == GATE_OUTCOME_INCONCLUSIVE &&
                      (h->reason == GATE_REASON_UNCONFIRMED || h->reason == GATE_REASON_OWN_COST_OPEN) &&
                      budget->shift == GATE_SEVERITY_WARN);
    return h->comparison == comparison && is_broken && h->frame != GATE_NO_INDEX &&
           budget->shift != GATE_SEVERITY_OFF && budget->select.under.regex == NULL && h->own != NULL;
}

/* Return whether the decrease that was found makes a growth a warning. */
static bool is_excuse(const struct gate_shift_search *search) {
    const struct gate_side *sides = search->comparison->pair.sides;
    return search->mode == EXCUSES ||
           (search->mode == OTHER_CALLER && sides[GATE_BASELINE].run_count >= OTHER_CALLER_RUNS &&
            sides[GATE_CANARY].run_count >= OTHER_CALLER_RUNS);
}

bool gate_shift_is_wanted(const struct gate_hypothesis_list *list, const struct gate_rules *rules, uint32_t index) {
    bool wanted = false;
    for (size_t i = 0; i < list->count; i++)
        wanted = wanted || may_have_moved(&list->items[i], rules, index);
    return wanted;
}

bool gate_shift_apply(struct gate_hypothesis_list *list, const struct gate_rules *rules,
                      const struct gate_comparison *comparison, uint32_t index, const struct gate_tree *tree,
                      struct gate_arena *arena, struct gate_error *err) {
    struct gate_shift_search search = {.list = list, .budgets = rules->budgets, .comparison = comparison, .tree = tree};
    struct gate_charge_tree charge;
    search.options = (struct gate_evidence_options){.noise = comparison->noise, .work_ratio = comparison->work_ratio};
    search.marks = GATE_NEW_ARRAY(arena, uint8_t, comparison->pair.frame_count);
    search.in_function = GATE_NEW_ARRAY(arena, struct shift_growth, comparison->pair.frame_count);
    search.in_holder = GATE_NEW_ARRAY(arena, struct shift_growth, comparison->pair.frame_count);
    search.weights = GATE_NEW_ARRAY(arena, int64_t, comparison->pair.frame_count);
    if (search.marks == NULL || search.in_function == NULL || search.in_holder == NULL || search.weights == NULL)
        return gate_arena_error(arena, err);
    if (!gate_evidence_prior(&search.options, &comparison->pair, &comparison->deltas, arena, err) ||
        !gate_charge_tree_make(&charge, tree, &comparison->pair, arena, err))
        return false;
    for (size_t i = 0; i < list->count; i++) {
        struct gate_hypothesis *h = &list->items[i];
        struct gate_shift found = {0};
        if (!may_have_moved(h, rules, index))
            continue;
        uint32_t library = gate_charge_tree_lost_caller(&charge, h->frame);
        if (!search_in_turn(&found, &search, h, library != GATE_NO_INDEX))
            continue;
        struct gate_shift *shift = gate_arena_alloc(arena, sizeof *shift);
        if (shift == NULL)
            return gate_arena_error(arena, err);
        *shift = found;
        shift->library = search.mode == OTHER_CALLER ? found.library : library;
        uint8_t *beneath = GATE_NEW_ARRAY(arena, uint8_t, comparison->pair.frame_count);
        if (beneath == NULL)
            return gate_arena_error(arena, err);
        memcpy(beneath, search.marks, comparison->pair.frame_count);
        shift->beneath = beneath;
        h->shift = shift;
        h->reason = GATE_REASON_SHIFT;
        if (rules->budgets[h->budget].shift == GATE_SEVERITY_WARN)
            h->outcome = is_excuse(&search) ? GATE_OUTCOME_WARN : GATE_OUTCOME_INCONCLUSIVE;
    }
    return true;
}
