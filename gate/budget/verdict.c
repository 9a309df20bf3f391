/* SPDX-License-Identifier: Apache-2.0 */
/* From hypotheses to findings, budgets and one verdict (see verdict.h). */
#include "gate/budget/verdict.h"

#include "gate/budget/causes.h"
#include "gate/budget/deciding.h"
#include "gate/budget/families.h"
#include "gate/budget/hypotheses.h"
#include "gate/budget/scope.h"
#include "gate/budget/second_look.h"
#include "gate/budget/sentence.h"
#include "gate/budget/settle.h"
#include "gate/budget/sustain.h"
#include "gate/budget/tree_ahead.h"
#include "gate/budget/verdict_outcome.h"
#include "gate/guards/guards.h"
#include "gate/guards/guards_trends.h"
#include "gate/rules/waiver.h"

#include <math.h>

/* One budget on its way through the passes. */
struct looked_at {
    struct gate_budget_scope scope;
    const char *problem; /* why there is nothing to decide; NULL: nothing is wrong */
    size_t first, count; /* its hypotheses in the list */
};

/* One run of the decision. */
struct reach {
    const struct gate_rules *rules;
    const struct gate_verdict_options *options;
    struct gate_verdict *verdict;
    struct looked_at *all; /* budgets of the verdict */
    struct gate_hypothesis_list hypotheses;
    struct gate_warning_list warnings;
    bool raised;                    /* a guard turned a warning into an error */
    struct gate_looks_now now;      /* the levels of this look */
    size_t settle_left;             /* hypotheses that may still be asked what would settle them */
    const struct gate_tree **trees; /* a comparison: the call tree, where second thoughts took one */
    struct gate_arena *arena;
    struct gate_error *err;
};

/* What the runs of a comparison did, GATE_NO_INDEX: of none. */
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

/* A budget that cannot be decided holds up the run only where it could have failed it. */
static enum gate_outcome undecided(const struct gate_budget *budget) {
    return budget->severity == GATE_SEVERITY_ERROR ? GATE_OUTCOME_INCONCLUSIVE : GATE_OUTCOME_WARN;
}

/* Somebody promised to be done by that day. The run is held up however mild the budget is, or nobody would notice. */
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

static bool add_plain_findings(struct gate_budget_result *result, const struct reach *reach, const char *problem) {
    const struct gate_budget *budget = result->budget;
    enum gate_outcome outcome = undecided(budget);
    if (budget->severity == GATE_SEVERITY_OFF)
        return add_expired(result, reach);
    if (problem != NULL &&
        !gate_finding_add_plain(result, outcome, GATE_REASON_NOT_COMPARABLE, problem,
                                result->comparison == GATE_NO_INDEX
                                    ? "give profiles that hold this sample type, or take the budget out"
                                    : "tell --work baseline=N --work canary=N",
                                reach->arena, reach->err))
        return false;
    /* A rule that looks at nothing would pass whatever happens, so this is no question of samples; but while more are
     * to come, who is missing may be among them. */
    enum gate_outcome missing = gate_looks_are_early(&reach->now) ? GATE_OUTCOME_INCONCLUSIVE : GATE_OUTCOME_FAIL;
    enum gate_outcome unmatched = budget->severity == GATE_SEVERITY_ERROR ? missing : GATE_OUTCOME_WARN;
    if (problem == NULL && budget->must_match && result->matched == 0 &&
        !gate_finding_add_plain(result, unmatched, GATE_REASON_NO_MATCH, "no frame matches, and one must",
                                "look at the frame names with 'pprofgate diff --frames all'", reach->arena, reach->err))
        return false;
    return add_expired(result, reach);
}

static bool look_again(struct reach *reach) {
    uint32_t count = reach->verdict->comparison_count;
    reach->trees = gate_arena_calloc(reach->arena, (size_t)count + 1, sizeof *reach->trees);
    if (reach->trees == NULL)
        return gate_arena_error(reach->arena, reach->err);
    for (uint32_t i = 0; i < count; i++)
        if (!gate_second_look(&reach->trees[i], &reach->hypotheses, &reach->warnings, &reach->raised, reach->rules,
                              &reach->verdict->comparisons[i], i, reach->arena, reach->err))
            return false;
    return true;
}

/* What a budget found broken is no noise in any table or picture, whatever the list of suspects would say of it. */
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

/* A budget that is off is one that nobody misses, until it was a waiver and its day has passed. */
static bool is_looked_at(const struct reach *reach, uint32_t index) {
    const struct gate_budget *budget = &reach->rules->budgets[index];
    uint32_t of = find_comparison(reach, index);
    if (budget->severity == GATE_SEVERITY_OFF)
        return gate_waiver_is_expired(budget, reach->options->today);
    if (gate_budget_measure_row(budget->measure)->is_trend)
        return false; /* it is about builds one after the other: budget/trend_verdict.h */
    return !budget->requires_work || (work_of(reach, of, GATE_BASELINE) > 0.0 && work_of(reach, of, GATE_CANARY) > 0.0);
}

/* Its hypotheses; NULL: it has none, and there may be no list then. */
static struct gate_hypothesis *hypotheses_of(const struct reach *reach, const struct looked_at *at) {
    return at->count == 0 ? NULL : &reach->hypotheses.items[at->first];
}

/* The first pass: every hypothesis of a budget. */
static bool collect(struct looked_at *at, struct gate_budget_result *result, uint32_t budget, struct reach *reach) {
    bool is_off = reach->rules->budgets[budget].severity == GATE_SEVERITY_OFF;
    at->scope = (struct gate_budget_scope){.rules = reach->rules, .budget = budget, .now = reach->now};
    at->scope.comparison_index = is_off ? GATE_NO_INDEX : find_comparison(reach, budget);
    for (int side = 0; side < GATE_SIDES; side++)
        at->scope.work[side] = work_of(reach, at->scope.comparison_index, side);
    at->problem = is_off ? "it is off" : gate_budget_scope_fill(&at->scope, reach->verdict->comparisons);
    *result = (struct gate_budget_result){
        .budget = &reach->rules->budgets[budget], .comparison = at->scope.comparison_index, .detectable = NAN};
    at->first = reach->hypotheses.count;
    if (at->problem == NULL &&
        !gate_hypotheses_collect(&reach->hypotheses, &result->matched, &at->scope, reach->arena, reach->err))
        return false;
    at->count = reach->hypotheses.count - at->first;
    return true;
}

/* Whether an advisory budget found that something of the comparison grew. */
static bool has_grown(const struct reach *reach, uint32_t comparison) {
    for (size_t i = 0; i < reach->hypotheses.count; i++) {
        const struct gate_hypothesis *h = &reach->hypotheses.items[i];
        if (h->comparison == comparison && h->outcome == GATE_OUTCOME_WARN && h->reason == GATE_REASON_SEVERITY_WARN &&
            gate_hypothesis_bounds_growth(h))
            return true;
    }
    return false;
}

/* What is over its limit may pass for noise while nothing speaks against it. Known growth that may only warn does: then
 * it is open, or a regression that shows in a library would pass for being a warning there and noise in its caller. */
static void withdraw_tolerance(struct reach *reach, const struct looked_at *at) {
    if (at->problem != NULL || at->count == 0 || !has_grown(reach, at->scope.comparison_index))
        return;
    for (struct gate_hypothesis *h = hypotheses_of(reach, at), *end = h + at->count; h < end; h++)
        if (h->outcome == GATE_OUTCOME_PASS && h->reason == GATE_REASON_TOLERATED)
            gate_deciding_run(h, 1, &at->scope, true, &reach->settle_left);
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

/* The last pass: what is said of a budget. */
static bool tell(const struct looked_at *at, struct gate_budget_result *result, const struct reach *reach) {
    const struct gate_budget_scope *scope = &at->scope;
    struct gate_sentence wording = {
        reach->rules,     result->budget, scope->comparison, scope->exposure.is_per_second, reach->verdict->settle_runs,
        reach->now.margin};
    if (at->problem == NULL &&
        !gate_finding_make(result, hypotheses_of(reach, at), at->count, &wording, reach->arena, reach->err))
        return false;
    return add_plain_findings(result, reach, at->problem);
}

/* All hypotheses, then, with Holm's correction over all of them, all decisions. */
static bool decide_all(struct reach *reach) {
    const struct gate_rules *rules = reach->rules;
    struct gate_verdict *verdict = reach->verdict;
    struct looked_at *all = GATE_NEW_ARRAY(reach->arena, struct looked_at, rules->budget_count + 1u);
    verdict->budgets = GATE_NEW_ARRAY(reach->arena, struct gate_budget_result, rules->budget_count + 1u);
    if (all == NULL || verdict->budgets == NULL)
        return gate_arena_error(reach->arena, reach->err);
    reach->all = all;
    for (uint32_t i = 0; i < rules->budget_count; i++) {
        if (!is_looked_at(reach, i))
            continue;
        uint32_t at = verdict->budget_count++;
        if (!collect(&all[at], &verdict->budgets[at], i, reach))
            return false;
    }
    if (!gate_families_adjust(&reach->hypotheses, rules->alpha, &reach->now.spending, reach->arena, reach->err))
        return false;
    for (uint32_t at = 0; at < verdict->budget_count; at++)
        if (all[at].problem == NULL)
            gate_deciding_run(hypotheses_of(reach, &all[at]), all[at].count, &all[at].scope, false,
                              &reach->settle_left);
    mark_broken(reach);
    return true;
}

/* Second thoughts, then words. */
static bool tell_all(struct reach *reach) {
    struct gate_verdict *verdict = reach->verdict;
    if (!look_again(reach))
        return false;
    for (uint32_t at = 0; at < verdict->budget_count; at++)
        withdraw_tolerance(reach, &reach->all[at]);
    if (!reach->options->is_history && !sustain(reach))
        return false;
    verdict->settle_runs =
        gate_settle_verdict_runs(reach->hypotheses.items, reach->hypotheses.count, verdict->comparisons);
    for (uint32_t at = 0; at < verdict->budget_count; at++)
        if (!tell(&reach->all[at], &verdict->budgets[at], reach))
            return false;
    return true;
}

/* A budget of a preset may find nothing in a program that has no such frames; one that somebody wrote should. */
static bool warn_unmatched(struct reach *reach, const struct gate_budget_result *result) {
    const struct gate_budget *budget = result->budget;
    bool is_preset = gate_str_ends(budget->source, GATE_STR("(built in)"));
    if (result->matched != 0 || budget->must_match || is_preset || result->comparison == GATE_NO_INDEX ||
        budget->part != NULL || gate_budget_measure_row(budget->measure)->is_total)
        return true;
    struct gate_warning warning = {
        GATE_STR("no_match"),
        gate_str_format(
            reach->arena,
            "budget '%.*s' selects no frame on either side: is its pattern right, or was the function renamed?",
            GATE_STR_ARG(budget->name))};
    return gate_warning_add(&reach->warnings, reach->rules, warning, &reach->raised, reach->arena, reach->err);
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
        if (!gate_guards_check_judged(&found, &count, &reach->verdict->comparisons[c], reach->rules, reach->arena,
                                      reach->err))
            return false;
        for (uint32_t i = 0; i < count; i++)
            if (!gate_warning_add(&reach->warnings, reach->rules, found[i], &reach->raised, reach->arena, reach->err))
                return false;
    }
    return gate_guards_trends_check(&reach->warnings, reach->rules, &reach->raised, reach->arena, reach->err);
}

/* What guards have to say may take a walk over the stacks. */
static bool weigh_and_warn(void *context) {
    struct reach *reach = context;
    struct gate_verdict *verdict = reach->verdict;
    for (uint32_t i = 0; i < verdict->comparison_count; i++) {
        const double work[GATE_SIDES] = {work_of(reach, i, GATE_BASELINE), work_of(reach, i, GATE_CANARY)};
        if (!gate_comparison_weigh(&verdict->comparisons[i], work, reach->arena, reach->err))
            return false;
    }
    return gate_looks_begin(&reach->now, &reach->options->looks, reach->rules->alpha_margin, reach->err) &&
           collect_warnings(reach);
}

/* What needs no call tree. */
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
    reach.settle_left = GATE_SETTLE_MOST;
    const struct gate_tree_ahead_options ahead = {
        rules, options->draws_trees, options->is_last_walk, weigh_and_warn, judge_and_decide, &reach, options->errand};
    if (!gate_tree_ahead(comparisons, comparison_count, &ahead, arena) || !tell_all(&reach))
        return false;
    gate_verdict_looks_fill(&verdict.looks, &options->looks, &reach.now, rules, comparisons, comparison_count);
    for (uint32_t i = 0; i < verdict.budget_count; i++)
        if (!warn_unmatched(&reach, &verdict.budgets[i]))
            return false;
    if (!gate_causes_find(&verdict.causes, reach.trees, verdict.budgets, verdict.budget_count, comparisons,
                          comparison_count, arena, err))
        return false;
    verdict.guard_raised = reach.raised;
    verdict.warnings = reach.warnings.items;
    verdict.warning_count = (uint32_t)reach.warnings.count;
    verdict.outcome = gate_verdict_outcome(verdict.budgets, verdict.budget_count, rules->on_inconclusive, reach.raised);
    if (verdict.outcome != GATE_OUTCOME_INCONCLUSIVE || reach.raised ||
        !gate_finding_wants_samples(verdict.budgets, verdict.budget_count))
        verdict.settle_runs = 0.0;
    verdict.hypotheses = reach.hypotheses.items;
    verdict.hypothesis_count = reach.hypotheses.count;
    *out = verdict;
    return true;
}
