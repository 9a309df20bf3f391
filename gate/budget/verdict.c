/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/budget/verdict.h"

#include "gate/base/figures.h"
#include "gate/base/parallel.h"
#include "gate/base/sort.h"
#include "gate/budget/call_trees.h"
#include "gate/budget/cause.h"
#include "gate/budget/decide.h"
#include "gate/budget/exemplars.h"
#include "gate/budget/families.h"
#include "gate/budget/finding.h"
#include "gate/budget/hypotheses.h"
#include "gate/budget/leak.h"
#include "gate/budget/moved_cost.h"
#include "gate/budget/off_cpu.h"
#include "gate/budget/readings.h"
#include "gate/budget/samples_needed.h"
#include "gate/compare/comparison.h"
#include "gate/compare/cost.h"
#include "gate/compare/error_spending.h"
#include "gate/guards/guard_check.h"
#include "gate/guards/guards.h"
#include "gate/guards/guards_frames.h"
#include "gate/rules/rules.h"

#include <math.h>

/* ---- K of the last N runs ---------------------------------------------------------------------------------------- */

static bool agrees(const struct gate_sustain_run *earlier, const struct gate_hypothesis *h) {
    for (size_t i = 0; i < earlier->count; i++) {
        const struct gate_hypothesis *other = &earlier->hypotheses[i];
        if (other->budget == h->budget && other->outcome == GATE_OUTCOME_FAIL && gate_str_equal(other->name, h->name))
            return true;
    }
    return false;
}

void gate_sustain_apply(struct gate_hypothesis_list *list, const struct gate_rules *rules,
                        const struct gate_sustain_run *history, uint32_t history_count) {
    for (size_t i = 0; i < list->count; i++) {
        struct gate_hypothesis *h = &list->items[i];
        const struct gate_budget *budget = &rules->budgets[h->budget];
        if (h->outcome != GATE_OUTCOME_FAIL || budget->sustain_k == 0)
            continue;
        uint32_t counted = budget->sustain_n - 1 < history_count ? budget->sustain_n - 1 : history_count;
        uint32_t agreeing = 1; /* this run */
        for (uint32_t e = history_count - counted; e < history_count; e++)
            agreeing += agrees(&history[e], h);
        if (agreeing >= budget->sustain_k)
            continue;
        h->outcome = GATE_OUTCOME_WARN;
        h->reason = GATE_REASON_NOT_SUSTAINED;
    }
}

/* ---- repeated looks ---------------------------------------------------------------------------------------------- */

void gate_verdict_looks_fill(struct gate_verdict_looks *out, const struct gate_looks *looks,
                             const struct gate_looks_now *now, const struct gate_rules *rules,
                             const struct gate_comparison *comparisons, uint32_t comparison_count) {
    *out = (struct gate_verdict_looks){0};
    if (!gate_looks_are_several(looks))
        return;
    out->count = looks->count;
    out->planned = looks->planned > looks->count ? looks->planned : looks->planned > 0 ? looks->count : 0;
    out->fraction = looks->fractions[looks->count - 1];
    out->fail_total = rules->alpha;
    out->fail_spent = gate_looks_spent(now, rules->alpha);
    out->held_total = GATE_LOOKS_PROOF;
    out->held_spent = gate_looks_spent(now, GATE_LOOKS_PROOF);
    out->margin = now->margin;
    out->proof = now->proof;
    for (uint32_t i = 0; i < comparison_count; i++)
        for (int side = 0; side < GATE_SIDES; side++)
            if (comparisons[i].pair.sides[side].run_count > out->runs)
                out->runs = comparisons[i].pair.sides[side].run_count;
    out->one_look_runs = (uint32_t)ceil(out->runs / out->fraction - 1e-9);
    out->one_look_runs = out->one_look_runs > out->runs ? out->one_look_runs : out->runs;
}

/* ---- outcome of a run -------------------------------------------------------------------------------------------- */

static bool has_expired(const struct gate_budget_result *budgets, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t f = 0; f < budgets[i].finding_count; f++)
            if (budgets[i].findings[f].reason == GATE_REASON_EXPIRED)
                return true;
    return false;
}

enum gate_outcome gate_verdict_outcome(const struct gate_budget_result *budgets, uint32_t count,
                                       enum gate_on_inconclusive on_inconclusive, bool is_raised) {
    enum gate_outcome worst = is_raised ? GATE_OUTCOME_INCONCLUSIVE : GATE_OUTCOME_PASS;
    for (uint32_t i = 0; i < count; i++)
        if (budgets[i].outcome > worst && budgets[i].outcome != GATE_OUTCOME_WARN)
            worst = budgets[i].outcome;
    if (worst != GATE_OUTCOME_INCONCLUSIVE)
        return worst;
    /* on_inconclusive is about too few samples. It does not turn sides that cannot be compared, or an expired waiver,
     * into a pass. */
    if ((is_raised || has_expired(budgets, count)) && on_inconclusive != GATE_ON_INCONCLUSIVE_FAIL)
        return GATE_OUTCOME_INCONCLUSIVE;
    switch (on_inconclusive) {
    case GATE_ON_INCONCLUSIVE_FAIL:
        return GATE_OUTCOME_FAIL;
    case GATE_ON_INCONCLUSIVE_INCONCLUSIVE:
        return GATE_OUTCOME_INCONCLUSIVE;
    default:
        return GATE_OUTCOME_PASS;
    }
}

/* ---- decisions of one budget ------------------------------------------------------------------------------------- */

/* Two threads decide the hypotheses of a budget. */

/* A decision takes a few hundred nanoseconds, and a search for the runs that would decide takes 100 times as long. */
enum { DECIDED_WORTH_A_THREAD = 2048, SEARCHES_WORTH_A_THREAD = 16 };

/* The level of "the growth is below min_growth". */
static const double SMALL_LEVEL = 0.05;

/* Growth of a share that confirms growth of values over an unknown time. */
static const double UNTIMED_LEAST_SHARE = 0.10;

/* One budget's hypotheses. Their family is known, so they are decided independently. */
struct deciding {
    const struct gate_decision_rules *how;
    struct gate_hypothesis *hypotheses;
    const uint32_t *runs; /* of each side */
    bool same_input;
    size_t settled; /* number of hypotheses, from the first, that get such a search */
};

static void decide_hypotheses(void *context, size_t from, size_t to) {
    const struct deciding *deciding = context;
    for (size_t i = from; i < to; i++)
        gate_hypothesis_decide(&deciding->hypotheses[i], deciding->how);
}

static void settle_hypotheses(void *context, size_t from, size_t to) {
    const struct deciding *deciding = context;
    for (size_t i = from; i < to; i++) {
        struct gate_hypothesis *hypothesis = &deciding->hypotheses[i];
        if (i < deciding->settled && gate_samples_needed_applies(hypothesis))
            gate_samples_needed_find(hypothesis, deciding->how, deciding->runs);
        if (deciding->same_input && gate_hypothesis_bounds_growth(hypothesis)) { /* equal inputs cannot have grown */
            hypothesis->outcome = GATE_OUTCOME_PROVEN;
            hypothesis->reason = GATE_REASON_WITHIN;
        }
    }
}

static struct gate_decision_rules decision_rules(const struct gate_budget_scope *scope) {
    const struct gate_rules *rules = scope->rules;
    const struct gate_side *sides = scope->comparison->pair.sides;
    /* If the total grew significantly, an estimate of the work may have counted that growth as work. */
    bool is_estimate = scope->comparison->work_is_estimated && gate_total_cost_may_be_same(&scope->comparison->pair);
    return (struct gate_decision_rules){.alpha = rules->alpha,
                                        .alpha_margin = rules->alpha_margin,
                                        .margin = scope->now.margin,
                                        .proof = scope->now.proof,
                                        .turn = scope->now.turn,
                                        .margin_own =
                                            gate_own_cost_margin(scope->now.margin, scope->comparison->work_is_known),
                                        .work_is_known = scope->comparison->work_is_known,
                                        .min_samples = rules->min_samples,
                                        .max_mde = rules->budgets[scope->budget].max_mde,
                                        .excuses_unconfirmed = is_estimate,
                                        .needs_samples = gate_decision_needs_samples(scope->comparison),
                                        .is_early = gate_looks_are_early(&scope->now),
                                        .may_idle = gate_decision_may_idle(scope->comparison),
                                        .counts_preempted = gate_pair_counts_preempted(&scope->comparison->pair),
                                        .rho_of_fail = gate_evidence_rho_of_fail(&scope->comparison->pair),
                                        .samples = {sides[GATE_BASELINE].events, sides[GATE_CANARY].events}};
}

/* Return the growth of the amount per second or per profile: as measured, or its upper bound. */
static double growth_of_amount(const struct gate_hypothesis *h, const struct gate_budget_scope *scope, bool is_bound) {
    const struct gate_evidence *e = h->evidence;
    const struct gate_side *sides = scope->comparison->pair.sides;
    const double *units = scope->amount_units;
    double whole[GATE_SIDES], uncertain = 0.0;
    for (int side = 0; side < GATE_SIDES; side++)
        whole[side] = (double)sides[side].total / units[side];
    if (is_bound)
        uncertain = gate_evidence_upper(e, SMALL_LEVEL) - e->delta;
    if (h->is_cost) /* shares are fractions of the baseline's total */
        return (e->delta + uncertain) * whole[GATE_BASELINE];
    return (e->share[GATE_CANARY] + uncertain) * whole[GATE_CANARY] - e->share[GATE_BASELINE] * whole[GATE_BASELINE];
}

/* Pass growth below the budget's min_growth. For a broken limit, the measured growth must be below min_growth; for an
 * undecided one, the upper bound of the growth, or the canary's whole amount. `is_vacuous`: an undecided one stays
 * open. */
static void excuse_small(struct gate_hypothesis *hypotheses, size_t count, const struct gate_budget_scope *scope,
                         bool is_vacuous) {
    double canary = (double)scope->comparison->pair.sides[GATE_CANARY].total / scope->amount_units[GATE_CANARY];
    for (size_t i = 0; i < count; i++) {
        struct gate_hypothesis *h = &hypotheses[i];
        bool is_open = h->outcome == GATE_OUTCOME_INCONCLUSIVE;
        if (h->outcome < GATE_OUTCOME_WARN || !gate_hypothesis_bounds_growth(h) || (is_open && is_vacuous) ||
            !gate_evidence_is_counted(h->evidence) ||
            (canary >= scope->min_growth && growth_of_amount(h, scope, is_open) >= scope->min_growth))
            continue;
        h->outcome = GATE_OUTCOME_PASS;
        h->reason = GATE_REASON_SMALL;
    }
}

/* Return whether the share of a single frame grew significantly too. A profile that covers more time has larger values,
 * but about equal shares. */
static bool share_grew_too(const struct gate_hypothesis *h, const struct gate_budget_scope *scope) {
    const struct gate_comparison *comparison = scope->comparison;
    if (h->frame == GATE_NO_INDEX || comparison->frames == NULL)
        return false;
    const struct gate_evidence *share = comparison->frames[h->frame].evidence[h->measure];
    return share->delta >= UNTIMED_LEAST_SHARE && share->log_p <= log(scope->rules->alpha);
}

/* Make failures inconclusive if costs per second could only be compared per profile, unless shares confirm them. */
static void doubt_untimed(struct gate_hypothesis *hypotheses, size_t count, const struct gate_budget_scope *scope) {
    for (struct gate_hypothesis *h = hypotheses, *end = h + count; h < end; h++)
        if (h->outcome == GATE_OUTCOME_FAIL && !share_grew_too(h, scope)) {
            h->outcome = GATE_OUTCOME_INCONCLUSIVE;
            h->reason = GATE_REASON_UNTIMED;
        }
}

/**
 * Decide hypotheses of the scope's budget, whose families are known.
 *
 * is_intolerant  see struct gate_decision_rules
 * settle_left    number of searches left for the runs that would decide; reduced by those made
 */
static void budget_decide(struct gate_hypothesis *hypotheses, size_t count, const struct gate_budget_scope *scope,
                          bool is_intolerant, size_t *settle_left) {
    struct gate_decision_rules how = decision_rules(scope);
    how.is_intolerant = is_intolerant;
    const struct gate_side *sides = scope->comparison->pair.sides;
    const uint32_t runs[] = {sides[GATE_BASELINE].run_count, sides[GATE_CANARY].run_count};
    struct deciding deciding = {&how, hypotheses, runs, scope->comparison->same_input, 0};
    gate_parallel(decide_hypotheses, &deciding, count, DECIDED_WORTH_A_THREAD);
    if (scope->min_growth > 0.0)
        excuse_small(hypotheses, count, scope, gate_decision_is_vacuous(&how));
    if (scope->is_untimed)
        doubt_untimed(hypotheses, count, scope);
    size_t before = *settle_left;
    deciding.settled = gate_samples_needed_limit(hypotheses, count, settle_left);
    gate_parallel(settle_hypotheses, &deciding, count, before - *settle_left < SEARCHES_WORTH_A_THREAD ? SIZE_MAX : 0);
}

/* ---- decidability ------------------------------------------------------------------------------------------------ */

/* The level of "growth above max_mde is ruled out" (budget/decide.c). */
static const double HELD_LEVEL = 0.05;

/* Summary of the undecided hypotheses of one budget in one pair: the needs of the one that is hardest to decide. */
struct undecided_group {
    bool any;
    enum gate_reason reason;
    double mde, factor, longer; /* INFINITY: does not help */
};

bool gate_decidability_begin(struct gate_decidability **out, const struct gate_rules *rules, struct gate_arena *arena,
                             struct gate_error *err) {
    struct gate_decidability *list = GATE_NEW_ARRAY(arena, struct gate_decidability, rules->budget_count);
    for (uint32_t i = 0; list != NULL && i < rules->budget_count; i++) {
        list[i].mde = GATE_NEW_ARRAY(arena, double, GATE_DECIDABILITY_PAIRS_MAX);
        list[i].factor = GATE_NEW_ARRAY(arena, double, GATE_DECIDABILITY_PAIRS_MAX);
        list[i].longer = GATE_NEW_ARRAY(arena, double, GATE_DECIDABILITY_PAIRS_MAX);
        if (list[i].mde == NULL || list[i].factor == NULL || list[i].longer == NULL)
            return gate_arena_error(arena, err);
    }
    *out = list;
    return list != NULL || gate_arena_error(arena, err);
}

static bool is_open(const struct gate_hypothesis *h) {
    return !h->is_bystander && h->outcome != GATE_OUTCOME_FAIL && gate_reason_row(h->reason)->is_open;
}

/* Return the max_mde that would decide a hypothesis left open for lack of samples: its upper bound. */
static double mde_of(const struct gate_hypothesis *h) {
    bool is_held_up = h->reason == GATE_REASON_TOO_FEW_SAMPLES || h->reason == GATE_REASON_UNCONFIRMED;
    double upper = is_held_up ? gate_evidence_upper(h->evidence, HELD_LEVEL) : INFINITY;
    return upper < 1.0 ? upper : INFINITY;
}

static void open_add(struct undecided_group *undecided_group, const struct gate_hypothesis *h) {
    double mde = mde_of(h), factor = h->settle_factor > 0.0 ? h->settle_factor : INFINITY;
    double longer = h->longer_factor > 0.0 ? h->longer_factor : INFINITY;
    bool is_first = !undecided_group->any;
    if (is_first || factor > undecided_group->factor) {
        undecided_group->factor = factor;
        undecided_group->reason = h->reason;
    }
    undecided_group->longer = is_first || longer > undecided_group->longer ? longer : undecided_group->longer;
    undecided_group->mde = is_first || mde > undecided_group->mde ? mde : undecided_group->mde;
    undecided_group->any = true;
}

static void decidable_add(struct gate_decidability *at, const struct undecided_group *undecided_group) {
    at->undecided++;
    at->reason = undecided_group->reason;
    if (isfinite(undecided_group->mde))
        at->mde[at->mde_count++] = undecided_group->mde;
    if (isfinite(undecided_group->factor))
        at->factor[at->factor_count++] = undecided_group->factor;
    if (isfinite(undecided_group->longer))
        at->longer[at->longer_count++] = undecided_group->longer;
}

void gate_decidability_note(struct gate_decidability *list, const struct gate_verdict *verdict) {
    for (uint32_t i = 0; i < verdict->budget_count; i++) {
        const struct gate_budget_result *result = &verdict->budgets[i];
        uint32_t budget = (uint32_t)(result->budget - verdict->rules->budgets);
        struct gate_decidability *at = &list[budget];
        struct undecided_group undecided_group = {
            .reason = GATE_REASON_NOT_COMPARABLE, .mde = INFINITY, .factor = INFINITY, .longer = INFINITY};
        for (size_t h = 0; h < verdict->hypothesis_count; h++)
            if (verdict->hypotheses[h].budget == budget && is_open(&verdict->hypotheses[h]))
                open_add(&undecided_group, &verdict->hypotheses[h]);
        at->lacks_type = at->lacks_type || result->comparison == GATE_NO_INDEX;
        if (result->comparison == GATE_NO_INDEX || gate_budget_measure_row(result->budget->measure)->is_leak)
            continue;
        at->pairs++;
        at->has_model = verdict->comparisons[result->comparison].noise != NULL;
        bool has_nothing = result->finding_count > 0 && result->findings[0].reason == GATE_REASON_NOT_COMPARABLE;
        if (undecided_group.any || has_nothing)
            decidable_add(at, &undecided_group);
    }
}

double gate_decidability_most(double *values, uint32_t count) {
    if (count == 0)
        return 0.0;
    gate_doubles_sort(values, count);
    return values[(uint32_t)ceil(0.9 * count) - 1];
}

/* ---- verdict ----------------------------------------------------------------------------------------------------- */

/* State of one budget between the passes. */
struct budget_state {
    struct gate_budget_scope scope;
    const char *problem; /* why there is nothing to decide, or NULL */
    size_t first, count; /* range of its hypotheses in the list */
};

/* State of gate_verdict_reach. */
struct reach {
    const struct gate_rules *rules;
    const struct gate_verdict_options *options;
    struct gate_verdict *verdict;
    struct budget_state *all; /* one per budget of the verdict */
    struct gate_hypothesis_list hypotheses;
    struct gate_warning_list warnings;
    bool raised;                    /* the rules raised a warning to an error */
    struct gate_looks_now now;      /* the levels of this look */
    size_t settle_left;             /* searches left for the runs that would decide */
    const struct gate_tree **trees; /* per comparison: the call tree of the second look, or NULL */
    struct gate_arena *arena;
    struct gate_error *err;
};

/* Return the work of a side of a comparison; of all comparisons if `index` is GATE_NO_INDEX. */
static double work_of(const struct reach *reach, uint32_t index, int side) {
    const struct gate_comparison *comparison = index == GATE_NO_INDEX ? NULL : &reach->verdict->comparisons[index];
    if (comparison != NULL && (comparison->part != NULL || comparison->work[side] > 0.0))
        return comparison->work[side];
    return reach->options->work[side] > 0.0 ? reach->options->work[side] : reach->rules->work[side];
}

static uint32_t find_comparison(const struct reach *reach, uint32_t budget) {
    const struct gate_verdict *verdict = reach->verdict;
    struct gate_str wanted = reach->rules->budgets[budget].sample_type;
    if (reach->options->comparison_of != NULL)
        return reach->options->comparison_of[budget];
    if (wanted.len == 0)
        return verdict->comparison_count > 0 ? 0 : GATE_NO_INDEX;
    for (uint32_t i = 0; i < verdict->comparison_count; i++)
        if (gate_str_equal(verdict->comparisons[i].name, wanted) ||
            gate_str_equal(verdict->comparisons[i].pair.type.type, wanted))
            return i;
    return GATE_NO_INDEX;
}

/* Return the outcome of an undecided budget: inconclusive only if it could have failed the run. */
static enum gate_outcome undecided_outcome(const struct gate_budget *budget) {
    return budget->severity == GATE_SEVERITY_ERROR ? GATE_OUTCOME_INCONCLUSIVE : GATE_OUTCOME_WARN;
}

/* Add a finding on an expired waiver, which makes the run inconclusive for every severity, so that it is noticed. */
static bool add_expired(struct gate_budget_result *result, const struct reach *reach) {
    if (!gate_waiver_is_expired(result->budget, reach->options->today))
        return true;
    struct gate_str text = gate_waiver_sentence(result->budget, reach->arena);
    struct gate_str advice = gate_waiver_advice(result->budget, reach->arena);
    if (text.ptr == NULL || advice.ptr == NULL)
        return gate_arena_error(reach->arena, reach->err);
    return gate_finding_add_plain(result, GATE_OUTCOME_INCONCLUSIVE, GATE_REASON_EXPIRED, text.ptr, advice.ptr,
                                  reach->arena, reach->err);
}

/* Add that a budget cannot be compared, and what would make it possible. */
static bool add_problem(struct gate_budget_result *result, enum gate_outcome outcome, const struct reach *reach,
                        const char *problem) {
    struct gate_str advice = GATE_STR("give profiles with this sample type, or remove the budget");
    bool may_come = reach->options->awaits_types;
    if (result->comparison != GATE_NO_INDEX) {
        const struct gate_comparison *comparison = &reach->verdict->comparisons[result->comparison];
        bool is_of_time = comparison->equal_given == GATE_EQUAL_TIME;
        advice = gate_str_format(reach->arena, "%sgive %s",
                                 is_of_time ? "use --equal run if every profile covers the same time, or " : "",
                                 gate_pair_work_option(&comparison->pair));
        may_come = gate_comparison_no_waits(comparison) != NULL;
        if (may_come)
            advice =
                GATE_STR("if nothing waited, take longer profiles, or some under more load; if its profiler may be "
                         "off, turn it on (in Go runtime.SetMutexProfileFraction, SetBlockProfileRate)");
    }
    if (advice.ptr == NULL)
        return gate_arena_error(reach->arena, reach->err);
    if (!gate_finding_add_plain(result, outcome, GATE_REASON_NOT_COMPARABLE, problem, advice.ptr, reach->arena,
                                reach->err))
        return false;
    result->findings[0].may_come = may_come;
    return true;
}

static bool add_plain_findings(struct gate_budget_result *result, const struct reach *reach, const char *problem) {
    const struct gate_budget *budget = result->budget;
    enum gate_outcome outcome = undecided_outcome(budget);
    if (budget->severity == GATE_SEVERITY_OFF)
        return add_expired(result, reach);
    if (problem != NULL && !add_problem(result, outcome, reach, problem))
        return false;
    /* A rule without frames would always pass, so it fails and is not inconclusive. Before the last look it is
     * inconclusive, because later samples may contain the frames. */
    enum gate_outcome missing = gate_looks_are_early(&reach->now) ? GATE_OUTCOME_INCONCLUSIVE : GATE_OUTCOME_FAIL;
    enum gate_outcome unmatched = budget->severity == GATE_SEVERITY_ERROR ? missing : GATE_OUTCOME_WARN;
    if (problem == NULL && budget->must_match && result->matched == 0 &&
        !gate_finding_add_plain(result, unmatched, GATE_REASON_NO_MATCH, "no frame matches, and one must",
                                "look at the frame names with 'pprofgate diff --frames all'", reach->arena, reach->err))
        return false;
    return add_expired(result, reach);
}

/* Add the warning of a guard; an empty text is none. Returns false if the arena is full. */
static bool add_guard_warning(struct reach *reach, enum gate_guard guard, struct gate_str text) {
    struct gate_warning warning = {.guard = guard, .message = text};
    if (text.ptr == NULL)
        return gate_arena_error(reach->arena, reach->err);
    return text.len == 0 ||
           gate_warning_add(&reach->warnings, reach->rules, warning, &reach->raised, reach->arena, reach->err);
}

/* Warn of the functions of a comparison that are gone or new: own functions by caller, functions of libraries with
 * another version, and own functions that replaced nothing. */
static bool warn_replaced(struct reach *reach, uint32_t index, uint32_t first) {
    const struct gate_comparison *comparison = &reach->verdict->comparisons[index];
    const struct gate_replaced_list *replaced = &reach->verdict->replaced;
    double least = gate_guard_limit(reach->rules, GATE_GUARD_NEW_FUNCTIONS);
    if (gate_guards_names_are_missing(comparison, reach->rules))
        return true;
    for (uint32_t i = first; i < replaced->count;
         i++) { /* the advice is the same for all, so only the first warning, on the largest group, has it */
        struct gate_str text = gate_replaced_sentence(&replaced->items[i], comparison, i == first, reach->arena);
        if (!add_guard_warning(reach, GATE_GUARD_RENAMED, text))
            return false;
    }
    return add_guard_warning(reach, GATE_GUARD_RENAMED, gate_replaced_files(comparison, "the canary", reach->arena)) &&
           add_guard_warning(reach, GATE_GUARD_RENAMED, gate_replaced_versions(comparison, reach->arena)) &&
           add_guard_warning(reach, GATE_GUARD_NEW_FUNCTIONS,
                             gate_replaced_new_functions(replaced, comparison, index, least, reach->arena));
}

/* Return whether a budget that can fail judges shares of a comparison. */
static bool is_judged_by_shares(const struct reach *reach, uint32_t index) {
    for (size_t i = 0; i < reach->hypotheses.count; i++) {
        const struct gate_hypothesis *h = &reach->hypotheses.items[i];
        if (h->comparison == index && h->severity == GATE_SEVERITY_ERROR && !h->is_cost)
            return true;
    }
    return false;
}

/* Return whether the functions that only one side has would pass as one function by the known work. Their growth must
 * be within the strictest limit on a function's share. At the upper end of the total's interval (one-sided, 5%), it
 * must be within the smallest max_mde of these budgets (twice the limit where none is given). `share` is their share on
 * each side. */
static bool is_held_by_cost(const struct reach *reach, uint32_t index, const double share[GATE_SIDES]) {
    const struct gate_comparison *comparison = &reach->verdict->comparisons[index];
    struct gate_total_cost total;
    double limit = INFINITY, most = INFINITY;
    if (!comparison->work_is_known ||
        !gate_total_cost_measure(&total, &comparison->pair, comparison->equal, comparison->work_in_force))
        return false;
    for (size_t i = 0; i < reach->hypotheses.count; i++) {
        const struct gate_hypothesis *h = &reach->hypotheses.items[i];
        if (h->comparison != index || h->severity != GATE_SEVERITY_ERROR || h->is_cost ||
            gate_limit_quantity(h->limit->kind) != GATE_QUANTITY_GROWTH)
            continue;
        limit = fmin(limit, h->limit_value);
        most = fmin(most, gate_hypothesis_mde_ceiling(h, reach->rules->budgets[h->budget].max_mde));
    }
    return isfinite(limit) && share[GATE_CANARY] * total.ratio - share[GATE_BASELINE] <= limit &&
           share[GATE_CANARY] * total.ratio_bounds[1] - share[GATE_BASELINE] <= most;
}

/* Return whether over twice `limit` of both sides has other names, and a budget for new code can fail. Each caller may
 * be too small to show growth that is spread over many. Sets `share`. */
static bool is_mostly_replaced(double share[GATE_SIDES], const struct reach *reach, uint32_t index, double limit) {
    for (size_t i = 0; i < reach->hypotheses.count; i++) {
        const struct gate_hypothesis *h = &reach->hypotheses.items[i];
        if (h->comparison != index || !h->is_new_code || h->is_cost || h->severity != GATE_SEVERITY_ERROR ||
            fmin(h->evidence->share[GATE_BASELINE], h->evidence->share[GATE_CANARY]) <= 2.0 * limit)
            continue;
        share[GATE_BASELINE] = h->evidence->share[GATE_BASELINE];
        share[GATE_CANARY] = h->evidence->share[GATE_CANARY];
        return true;
    }
    return false;
}

/* Return the warning about code with other names, `share` of each side. `where` is "in callers so large ...". */
static struct gate_str replaced_code_text(const struct reach *reach, const struct gate_comparison *comparison,
                                          const double share[GATE_SIDES], struct gate_str where) {
    bool may_be_inlined =
        comparison->pair.sides[GATE_BASELINE].run_count == 1 && gate_pair_inlines_at_run_time(&comparison->pair);
    return gate_str_format(
        reach->arena,
        "%.*s: functions that only one side has cost %s of the baseline and %s of the canary, %.*s; %s%s%s%s, "
        "or raise the limit of this guard",
        GATE_STR_ARG(comparison->name), gate_figures_share_text(share[GATE_BASELINE]).text,
        gate_figures_share_text(share[GATE_CANARY]).text, GATE_STR_ARG(where),
        may_be_inlined ? "the compiler at run time may have inlined them in one run: compare three runs per side"
                       : "join functions that have another name (frames.rename)",
        comparison->work_is_known ? "" : ", give the work (",
        comparison->work_is_known ? "" : gate_pair_work_option(&comparison->pair),
        comparison->work_is_known ? "" : ")");
}

/* If code has other names on each side, growth can hide in it. Where its only common caller is most of the program, the
 * share of that caller hardly changes. Where such code is most of the program, names show hardly anything. A pass
 * becomes inconclusive, unless the known work shows that the code did not grow. */
static bool guard_replaced_code(struct reach *reach) {
    double limit = gate_guard_limit(reach->rules, GATE_GUARD_REPLACED_CODE);
    for (size_t i = 0; i < reach->hypotheses.count; i++)
        if (reach->hypotheses.items[i].outcome == GATE_OUTCOME_FAIL)
            return true;
    for (uint32_t c = 0; c < reach->verdict->comparison_count; c++) {
        const struct gate_comparison *comparison = &reach->verdict->comparisons[c];
        double share[GATE_SIDES];
        gate_replaced_hidden(share, comparison);
        bool is_hidden = fmax(share[GATE_BASELINE], share[GATE_CANARY]) > limit &&
                         fmin(share[GATE_BASELINE], share[GATE_CANARY]) > limit / 2.0;
        if (comparison->part != NULL || (!is_hidden && !is_mostly_replaced(share, reach, c, limit)) ||
            !is_judged_by_shares(reach, c) || is_held_by_cost(reach, c, share) ||
            gate_guards_names_are_missing(comparison, reach->rules))
            continue;
        struct gate_str where =
            is_hidden ? gate_str_format(reach->arena,
                                        "in callers so large that their share does not show growth (over %.3g%% of one "
                                        "side, and %.3g%% of the other)",
                                        limit * 100, limit * 50)
                      : gate_str_format(reach->arena, "so much that names do not show growth (over %.3g%% of both)",
                                        limit * 200);
        if (where.ptr == NULL)
            return gate_arena_error(reach->arena, reach->err);
        if (!add_guard_warning(reach, GATE_GUARD_REPLACED_CODE, replaced_code_text(reach, comparison, share, where)))
            return false;
    }
    return true;
}

/* Look at one comparison again with its call tree: cost that moved, replaced names, other readings. */
static bool look_again_at(struct reach *reach, uint32_t index) {
    struct gate_comparison *comparison = &reach->verdict->comparisons[index];
    struct gate_replaced_list *replaced = &reach->verdict->replaced;
    uint32_t before = replaced->count;
    if (!gate_second_look_tree(&reach->trees[index], &reach->hypotheses, reach->rules, comparison, index, reach->arena,
                               reach->err))
        return false;
    const struct gate_tree *tree = reach->trees[index];
    if (gate_shift_is_wanted(&reach->hypotheses, reach->rules, index) &&
        !gate_shift_apply(&reach->hypotheses, reach->rules, comparison, index, tree, reach->arena, reach->err))
        return false;
    if (tree != NULL && comparison->part == NULL &&
        !gate_replaced_find(replaced, comparison, index, tree, reach->arena, reach->err))
        return false;
    if (comparison->part == NULL && !warn_replaced(reach, index, before))
        return false;
    return gate_readings_apply(&reach->hypotheses, comparison, index, tree, reach->arena, reach->err);
}

static bool look_again(struct reach *reach) {
    uint32_t count = reach->verdict->comparison_count;
    reach->trees = gate_arena_calloc(reach->arena, (size_t)count + 1, sizeof *reach->trees);
    if (reach->trees == NULL)
        return gate_arena_error(reach->arena, reach->err);
    for (uint32_t i = 0; i < count; i++)
        if (!look_again_at(reach, i))
            return false;
    return true;
}

/* Mark the frames on which a budget is broken, for tables and flame graphs, whatever their Benjamini-Hochberg result
 * is. */
static void mark_broken(struct reach *reach) {
    for (size_t i = 0; i < reach->hypotheses.count; i++) {
        const struct gate_hypothesis *h = &reach->hypotheses.items[i];
        bool is_broken = h->outcome == GATE_OUTCOME_FAIL ||
                         (h->outcome == GATE_OUTCOME_WARN && h->reason == GATE_REASON_SEVERITY_WARN);
        if (!is_broken || h->frame == GATE_NO_INDEX || h->is_cost || !gate_hypothesis_bounds_growth(h))
            continue;
        struct gate_frame_judgement *frame = &reach->verdict->comparisons[h->comparison].frames[h->frame];
        frame->is_suspect[h->measure] = true;
        frame->is_broken = true;
    }
}

/* Minimum runs per side to judge paths: with fewer, growth that is spread over a path cannot be distinguished from a
 * change in the mix of requests. */
enum { PATH_RUNS_LEAST = 3 };

static bool has_replicates(const struct reach *reach, uint32_t index) {
    bool are_enough = index != GATE_NO_INDEX;
    for (int side = 0; are_enough && side < GATE_SIDES; side++)
        are_enough = reach->verdict->comparisons[index].pair.sides[side].run_count >= PATH_RUNS_LEAST;
    return are_enough;
}

/* Return whether a budget is included. One that is off is included only if it is an expired waiver. */
static bool is_included(const struct reach *reach, uint32_t index) {
    const struct gate_budget *budget = &reach->rules->budgets[index];
    uint32_t of = find_comparison(reach, index);
    if (budget->severity == GATE_SEVERITY_OFF)
        return gate_waiver_is_expired(budget, reach->options->today);
    if (gate_budget_measure_row(budget->measure)->is_trend)
        return false; /* trend budgets compare several builds: budget/trend.h */
    if (gate_budget_measure_row(budget->measure)->is_path && !has_replicates(reach, of))
        return false;
    bool has_work = work_of(reach, of, GATE_BASELINE) > 0.0 && work_of(reach, of, GATE_CANARY) > 0.0;
    switch (budget->requires) {
    case GATE_REQUIRES_WORK:
        return has_work;
    case GATE_REQUIRES_EQUAL: /* if the budget requires a fact that is unknown, it is undecided */
        return reach->rules->equal != GATE_EQUAL_SHARE && (has_work || gate_equal_is_of_cost(reach->rules->equal));
    default:
        return true;
    }
}

/* Return the hypotheses of a budget; NULL if it has none, because the list may not exist. */
static struct gate_hypothesis *hypotheses_of(const struct reach *reach, const struct budget_state *at) {
    return at->count == 0 ? NULL : &reach->hypotheses.items[at->first];
}

/* First pass: collect the hypotheses of a budget. */
static bool collect(struct budget_state *at, struct gate_budget_result *result, uint32_t budget, struct reach *reach) {
    bool is_off = reach->rules->budgets[budget].severity == GATE_SEVERITY_OFF;
    at->scope = (struct gate_budget_scope){.rules = reach->rules, .budget = budget, .now = reach->now};
    at->scope.comparison_index = is_off ? GATE_NO_INDEX : find_comparison(reach, budget);
    for (int side = 0; side < GATE_SIDES; side++)
        at->scope.work[side] = work_of(reach, at->scope.comparison_index, side);
    at->problem = is_off ? "it is off" : gate_budget_scope_fill(&at->scope, reach->verdict->comparisons);
    *result = (struct gate_budget_result){
        .budget = &reach->rules->budgets[budget], .comparison = at->scope.comparison_index, .detectable = NAN};
    at->first = reach->hypotheses.count;
    if (gate_budget_measure_row(result->budget->measure)->is_leak)
        return true; /* it has no hypotheses: budget/leak.h */
    if (at->problem == NULL &&
        !gate_hypotheses_collect(&reach->hypotheses, &result->matched, &at->scope, reach->arena, reach->err))
        return false;
    at->count = reach->hypotheses.count - at->first;
    return true;
}

/* Return whether a budget that only warns found growth in the comparison. */
static bool has_grown(const struct reach *reach, uint32_t comparison) {
    for (size_t i = 0; i < reach->hypotheses.count; i++) {
        const struct gate_hypothesis *h = &reach->hypotheses.items[i];
        if (h->comparison == comparison && h->outcome == GATE_OUTCOME_WARN && h->reason == GATE_REASON_SEVERITY_WARN &&
            gate_hypothesis_bounds_growth(h))
            return true;
    }
    return false;
}

/* If a budget that only warns found growth in a comparison, tolerated hypotheses become undecided. Otherwise a
 * regression in a library could pass, as a warning in the library and as noise in its caller. */
static void withdraw_tolerance(struct reach *reach, const struct budget_state *at) {
    if (at->problem != NULL || at->count == 0 || !has_grown(reach, at->scope.comparison_index))
        return;
    for (struct gate_hypothesis *h = hypotheses_of(reach, at), *end = h + at->count; h < end; h++)
        if (h->outcome == GATE_OUTCOME_PASS && h->reason == GATE_REASON_TOLERATED)
            budget_decide(h, 1, &at->scope, true, &reach->settle_left);
}

/* Give tolerated growth that is below min_growth as measured the reason GATE_REASON_SMALL: it passes as too small, and
 * not as noise. */
static void excuse_tolerated(const struct reach *reach, const struct budget_state *at) {
    if (at->problem != NULL || at->count == 0 || !(at->scope.min_growth > 0.0))
        return;
    for (size_t i = at->first; i < at->first + at->count; i++) {
        struct gate_hypothesis *h = &reach->hypotheses.items[i];
        if (h->outcome == GATE_OUTCOME_PASS && h->reason == GATE_REASON_TOLERATED &&
            growth_of_amount(h, &at->scope, false) < at->scope.min_growth)
            h->reason = GATE_REASON_SMALL;
    }
}

static bool sustain(struct reach *reach) {
    uint32_t count = reach->options->history_count;
    struct gate_sustain_run *runs = GATE_NEW_ARRAY(reach->arena, struct gate_sustain_run, count + 1u);
    if (runs == NULL)
        return gate_arena_error(reach->arena, reach->err);
    for (uint32_t i = 0; i < count; i++)
        runs[i] = (struct gate_sustain_run){reach->options->history[i]->hypotheses,
                                            reach->options->history[i]->hypothesis_count};
    gate_sustain_apply(&reach->hypotheses, reach->rules, runs, count);
    return true;
}

/* Last pass: write the findings of a budget. */
static bool add_findings(const struct budget_state *at, struct gate_budget_result *result, const struct reach *reach) {
    const struct gate_budget_scope *scope = &at->scope;
    const struct gate_leak_question leak = {reach->rules, result->budget, scope->comparison, &reach->now};
    bool is_leak = gate_budget_measure_row(result->budget->measure)->is_leak;
    if (is_leak && at->problem == NULL)
        return gate_leak_judge(result, &leak, reach->arena, reach->err) && add_plain_findings(result, reach, NULL);
    struct gate_sentence wording = {
        reach->rules,     result->budget, scope->comparison, scope->exposure.equal, reach->verdict->settle_runs,
        reach->now.margin};
    if (at->problem == NULL &&
        !gate_finding_make(result, hypotheses_of(reach, at), at->count, &wording, reach->arena, reach->err))
        return false;
    return add_plain_findings(result, reach, at->problem);
}

/* Collect all hypotheses, correct them together by Holm, and decide them. */
static bool decide_all(struct reach *reach) {
    const struct gate_rules *rules = reach->rules;
    struct gate_verdict *verdict = reach->verdict;
    struct budget_state *all = GATE_NEW_ARRAY(reach->arena, struct budget_state, rules->budget_count + 1u);
    verdict->budgets = GATE_NEW_ARRAY(reach->arena, struct gate_budget_result, rules->budget_count + 1u);
    if (all == NULL || verdict->budgets == NULL)
        return gate_arena_error(reach->arena, reach->err);
    reach->all = all;
    for (uint32_t i = 0; i < rules->budget_count; i++) {
        if (!is_included(reach, i))
            continue;
        uint32_t at = verdict->budget_count++;
        if (!collect(&all[at], &verdict->budgets[at], i, reach))
            return false;
    }
    if (!gate_families_adjust(&reach->hypotheses, rules->alpha, &reach->now.spending, reach->arena, reach->err))
        return false;
    for (uint32_t at = 0; at < verdict->budget_count; at++)
        if (all[at].problem == NULL)
            budget_decide(hypotheses_of(reach, &all[at]), all[at].count, &all[at].scope, false, &reach->settle_left);
    mark_broken(reach);
    return true;
}

/* Look at all comparisons again, then write the findings. */
static bool recheck_and_add_findings(struct reach *reach) {
    struct gate_verdict *verdict = reach->verdict;
    if (!look_again(reach))
        return false;
    for (uint32_t at = 0; at < verdict->budget_count; at++)
        withdraw_tolerance(reach, &reach->all[at]);
    for (uint32_t at = 0; at < verdict->budget_count; at++)
        excuse_tolerated(reach, &reach->all[at]);
    if (!reach->options->is_history && !sustain(reach))
        return false;
    if (!guard_replaced_code(reach))
        return false;
    verdict->settle_runs =
        gate_samples_needed_verdict_runs(reach->hypotheses.items, reach->hypotheses.count, verdict->comparisons);
    for (uint32_t at = 0; at < verdict->budget_count; at++)
        if (!add_findings(&reach->all[at], &verdict->budgets[at], reach))
            return false;
    return true;
}

/* Return whether a budget matches a frame of some comparison. A function of the CPU profile need not allocate. The
 * copies of a budget for several kinds of profile (budget/default_rules.h) have one place in the rules. */
static bool matches_any(const struct reach *reach, const struct gate_budget *budget) {
    bool matches = false;
    for (uint32_t i = 0; i < reach->verdict->budget_count && !matches; i++) {
        const struct gate_budget *other = reach->verdict->budgets[i].budget;
        matches = reach->verdict->budgets[i].matched != 0 && other->line == budget->line &&
                  other->column == budget->column && gate_str_equal(other->source, budget->source);
    }
    return matches;
}

/* Warn of a budget that matches no frame, unless it is a preset's, which need not match one. */
static bool warn_unmatched(struct reach *reach, const struct gate_budget_result *result) {
    const struct gate_budget *budget = result->budget;
    bool is_preset = gate_str_ends(budget->source, GATE_STR("(built in)"));
    if (result->matched != 0 || budget->must_match || is_preset || result->comparison == GATE_NO_INDEX ||
        budget->part != NULL || gate_budget_measure_row(budget->measure)->is_total ||
        budget->measure == GATE_MEASURE_LEAK || matches_any(reach, budget))
        return true;
    return add_guard_warning(
        reach, GATE_GUARD_NO_MATCH,
        gate_str_format(reach->arena,
                        "budget '%.*s' selects no frame on either side: check its pattern, or whether the "
                        "function was renamed",
                        GATE_STR_ARG(budget->name)));
}

static bool collect_warnings(struct reach *reach) {
    const struct gate_verdict_options *options = reach->options;
    for (uint32_t i = 0; i < options->warning_count; i++)
        if (!gate_warning_add(&reach->warnings, reach->rules, options->warnings[i], &reach->raised, reach->arena,
                              reach->err))
            return false;
    for (uint32_t c = 0; c < reach->verdict->comparison_count; c++) {
        struct gate_warning *found = NULL;
        uint32_t count = 0;
        if (!gate_guards_check(&found, &count, GATE_GUARDS_AS_JUDGED, &reach->verdict->comparisons[c], reach->rules,
                               reach->arena, reach->err))
            return false;
        for (uint32_t i = 0; i < count; i++)
            if (!gate_warning_add(&reach->warnings, reach->rules, found[i], &reach->raised, reach->arena, reach->err))
                return false;
    }
    return gate_guards_trends_check(&reach->warnings, reach->rules, &reach->raised, reach->arena, reach->err);
}

/* Runs before the trees are ready, because guards may walk the stacks. */
static bool weigh_and_warn(void *context) {
    struct reach *reach = context;
    struct gate_verdict *verdict = reach->verdict;
    for (uint32_t i = 0; i < verdict->comparison_count; i++) {
        const double work[GATE_SIDES] = {work_of(reach, i, GATE_BASELINE), work_of(reach, i, GATE_CANARY)};
        verdict->comparisons[i].equal_given = reach->rules->equal;
        if (!gate_comparison_weigh(&verdict->comparisons[i], work, reach->arena, reach->err))
            return false;
    }
    return gate_looks_begin(&reach->now, &reach->options->looks, reach->rules->alpha_margin, reach->err) &&
           collect_warnings(reach);
}

/* Run the steps that need no call tree. */
static bool judge_and_decide(void *context) {
    struct reach *reach = context;
    struct gate_verdict *verdict = reach->verdict;
    for (uint32_t i = 0; i < verdict->comparison_count; i++)
        if (!gate_comparison_judge_frames(&verdict->comparisons[i], reach->arena, reach->err))
            return false;
    return decide_all(reach);
}

bool gate_verdict_reach(struct gate_verdict *out, const struct gate_rules *rules, struct gate_comparison *comparisons,
                        uint32_t comparison_count, const struct gate_verdict_options *options, struct gate_arena *arena,
                        struct gate_error *err) {
    struct gate_verdict verdict = {
        .rules = rules, .comparisons = comparisons, .comparison_count = comparison_count, .command = options->command};
    struct reach reach = {.rules = rules, .options = options, .verdict = &verdict, .arena = arena, .err = err};
    verdict.by = options->by;
    reach.settle_left = GATE_SAMPLES_NEEDED_MOST;
    const struct gate_tree_ahead_options ahead = {
        rules, options->draws_trees, options->is_last_walk, weigh_and_warn, judge_and_decide, &reach, options->task};
    if (!gate_tree_ahead(comparisons, comparison_count, &ahead, arena) || !recheck_and_add_findings(&reach))
        return false;
    gate_verdict_looks_fill(&verdict.looks, &options->looks, &reach.now, rules, comparisons, comparison_count);
    for (uint32_t i = 0; i < verdict.budget_count; i++)
        if (!warn_unmatched(&reach, &verdict.budgets[i]))
            return false;
    if (!gate_cause_find(&verdict.causes, reach.trees, verdict.budgets, verdict.budget_count, comparisons,
                         comparison_count, arena, err) ||
        !gate_cause_name_new(&verdict.causes, &verdict.replaced, comparisons, arena, err) ||
        !gate_exemplars_find(&verdict.causes, comparisons, comparison_count, arena, err))
        return false;
    gate_off_cpu_find(&verdict.causes, comparisons, comparison_count);
    verdict.guard_raised = reach.raised;
    verdict.warnings = reach.warnings.items;
    verdict.warning_count = (uint32_t)reach.warnings.count;
    verdict.outcome = gate_verdict_outcome(verdict.budgets, verdict.budget_count, rules->on_inconclusive, reach.raised);
    if (verdict.outcome != GATE_OUTCOME_INCONCLUSIVE || reach.raised ||
        !gate_finding_lacks_only_samples(verdict.budgets, verdict.budget_count))
        verdict.settle_runs = 0.0;
    verdict.hypotheses = reach.hypotheses.items;
    verdict.hypothesis_count = reach.hypotheses.count;
    *out = verdict;
    return true;
}
