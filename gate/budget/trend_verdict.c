/* SPDX-License-Identifier: Apache-2.0 */
/* The verdict of `trend`. */
#include "gate/budget/trend_verdict.h"

#include "gate/budget/hypotheses.h"
#include "gate/budget/outcome.h"
#include "gate/budget/plan.h"
#include "gate/compare/holm.h"
#include "gate/compare/trend.h"
#include "gate/model/unit.h"
#include "gate/rules/rules.h"

#include <math.h>
#include <stdlib.h>

/* ---- one series under a limit ------------------------------------------------------------------------------------ */

/** Minimum number of points for a decision, and the maximum that is recommended. */
enum { GATE_TREND_DECIDE_LEAST = 5, GATE_TREND_DECIDE_MOST_NEEDED = 200 };

const char *gate_trend_decide_reason(enum gate_trend_reason reason) {
    static const char *const names[] = {[GATE_TREND_WITHIN] = "within",
                                        [GATE_TREND_UNSEEN] = "below_max_mde",
                                        [GATE_TREND_OVER] = "over_budget",
                                        [GATE_TREND_SEVERITY_WARN] = "severity_warn",
                                        [GATE_TREND_STEP] = "step",
                                        [GATE_TREND_STEP_OR_SLOPE] = "step_or_slope",
                                        [GATE_TREND_TOO_FEW_POINTS] = "too_few_points",
                                        [GATE_TREND_UNCERTAIN] = "uncertain",
                                        [GATE_TREND_NOT_COMPARABLE] = "not_comparable",
                                        [GATE_TREND_NO_MATCH] = "no_match",
                                        [GATE_TREND_EXPIRED] = "expired"};
    return names[reason];
}

/** Return whether the series can be significant in some order; else it is in no family. Needs fit and alpha. */
static bool trend_decide_is_testable(const struct gate_trend_case *one) {
    return one->fit.count >= GATE_TREND_DECIDE_LEAST && one->fit.log_p_least <= log(one->alpha);
}

static void end(struct gate_trend_case *one, enum gate_outcome outcome, enum gate_trend_reason reason) {
    one->outcome = outcome;
    one->reason = reason;
}

/* Return how many points would put the limit outside the interval, whose width shrinks with n^1.5. 0: unknown or too
 * many. */
static uint32_t needed_for(const struct gate_trend_case *one) {
    const struct gate_trend_slope *slope = isfinite(one->fit.within.low) ? &one->fit.within : &one->fit.whole;
    uint32_t least = gate_trend_points_needed(one->family > 0 ? one->family : 1, one->alpha);
    /* The pairs within the two segments must show it, at the level of the interval. */
    double half = fmax(slope->slope - slope->low, slope->high - slope->slope);
    double distance = fabs(slope->slope - one->limit);
    double points = one->fit.count + 1.0;
    if (isfinite(half) && distance > 0.0)
        points = fmax(points, ceil(one->fit.count * pow(half / distance, 2.0 / 3.0)));
    else if (isfinite(half) || one->fit.inflation > 1.0)
        return 0; /* unknown */
    points = fmax(points, fmax(least, GATE_TREND_DECIDE_LEAST + 1));
    return points > GATE_TREND_DECIDE_MOST_NEEDED ? 0 : (uint32_t)points;
}

/* A large step: 5 times the residuals from the two levels, which use 2 degrees of freedom. Noise rarely reaches it. */
static bool is_large_step(const struct gate_trend_fit *fit) {
    return fit->step * (fit->count - 2.0) > 5.0 * fit->step_residual;
}

void gate_trend_decide(struct gate_trend_case *one) {
    const struct gate_trend_fit *fit = &one->fit;
    const struct gate_trend_slope *whole = &fit->whole, *within = &fit->within;
    one->points_needed = 0;
    if (fit->count >= GATE_TREND_DECIDE_LEAST && whole->high <= one->limit) {
        end(one, GATE_OUTCOME_PROVEN, GATE_TREND_WITHIN);
        return;
    }
    if (fit->count >= GATE_TREND_DECIDE_LEAST && one->unseen > 0.0 && whole->high <= one->unseen) {
        end(one, GATE_OUTCOME_PASS, GATE_TREND_UNSEEN);
        return;
    }
    bool rises = trend_decide_is_testable(one) && one->log_p_adjusted <= log(one->alpha);
    bool is_over = rises && whole->low > one->limit;
    if (is_over && within->low > one->limit) {
        end(one, one->warns_only ? GATE_OUTCOME_WARN : GATE_OUTCOME_FAIL,
            one->warns_only ? GATE_TREND_SEVERITY_WARN : GATE_TREND_OVER);
        return;
    }
    bool is_flat_beside = fit->count >= GATE_TREND_DECIDE_LEAST && is_large_step(fit) &&
                          fit->step_residual < fit->residual &&
                          (within->high <= one->limit || (one->unseen > 0.0 && within->high <= one->unseen));
    if (is_flat_beside) {
        end(one, GATE_OUTCOME_WARN, GATE_TREND_STEP);
        return;
    }
    one->points_needed = needed_for(one);
    bool too_few = fit->count < GATE_TREND_DECIDE_LEAST ||
                   fit->count < gate_trend_points_needed(one->family > 0 ? one->family : 1, one->alpha);
    end(one, one->warns_only ? GATE_OUTCOME_WARN : GATE_OUTCOME_INCONCLUSIVE,
        too_few   ? GATE_TREND_TOO_FEW_POINTS
        : is_over ? GATE_TREND_STEP_OR_SLOPE
                  : GATE_TREND_UNCERTAIN);
}

/* ---- trend budgets ----------------------------------------------------------------------------------------------- */

struct reach {
    const struct gate_trend_verdict_input *input;
    struct gate_trend_verdict *verdict;
    struct gate_arena *arena;
    struct gate_error *err;
    size_t capacity; /* of the findings of the current result */
};

static bool is_trend(const struct gate_budget *budget) {
    return gate_budget_measure_row(budget->measure)->is_trend;
}

uint32_t gate_trend_verdict_set_aside(struct gate_rules *rules) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < rules->budget_count; i++)
        if (!is_trend(&rules->budgets[i])) {
            count += rules->budgets[i].severity != GATE_SEVERITY_OFF;
            rules->budgets[i].severity = GATE_SEVERITY_OFF;
        }
    return count;
}

bool gate_trend_verdict_has(const struct gate_rules *rules) {
    for (uint32_t i = 0; i < rules->budget_count; i++)
        if (is_trend(&rules->budgets[i]) && rules->budgets[i].severity != GATE_SEVERITY_OFF)
            return true;
    return false;
}

/* ---- one budget -------------------------------------------------------------------------------------------------- */

static struct gate_trend_finding *add(struct gate_trend_result *result, struct reach *reach) {
    struct gate_trend_finding *items =
        gate_arena_grow(reach->arena, result->findings, result->finding_count, &reach->capacity, sizeof *items);
    if (items == NULL) {
        (void)gate_arena_error(reach->arena, reach->err);
        return NULL;
    }
    result->findings = items;
    struct gate_trend_finding *finding = &items[result->finding_count++];
    memset(finding, 0, sizeof *finding);
    return finding;
}

static bool add_plain(struct gate_trend_result *result, enum gate_outcome outcome, enum gate_trend_reason reason,
                      struct gate_str why, struct reach *reach) {
    struct gate_trend_finding *finding = add(result, reach);
    if (finding == NULL)
        return false;
    if (why.ptr == NULL)
        return gate_arena_error(reach->arena, reach->err);
    finding->name = result->budget->name;
    finding->why = why;
    finding->judged.outcome = outcome;
    finding->judged.reason = reason;
    return true;
}

/* Compute the x of each point. `x` stays NULL if times are unknown or do not ascend. */
static bool find_x(struct gate_trend_result *result, struct reach *reach) {
    const struct gate_series_point *points = reach->input->points;
    uint32_t count = reach->input->point_count;
    double unit = gate_per_ns(result->budget->per);
    double *x = GATE_NEW_ARRAY(reach->arena, double, (size_t)count + 1);
    if (x == NULL)
        return gate_arena_error(reach->arena, reach->err);
    for (uint32_t i = 0; i < count; i++) {
        if (unit > 0.0 && (points[i].time_ns <= 0 || (i > 0 && points[i].time_ns <= points[i - 1].time_ns)))
            return true;
        x[i] = unit > 0.0 ? ((double)points[i].time_ns - (double)points[0].time_ns) / unit : i;
    }
    result->x = x;
    return true;
}

/* Convert a limit to a slope of this series; NAN if it does not apply. */
static bool scale_limit(double *out, const struct gate_limit *limit, const struct gate_trend_finding *finding,
                        const struct gate_trend_result *result, struct gate_error *err) {
    struct gate_str unit = result->comparison->pair.type.unit;
    *out = NAN;
    if (limit->kind == GATE_LIMIT_INCREASE)
        *out = (limit->value - 1.0) * finding->level;
    else if (limit->kind == GATE_LIMIT_SHARE_INCREASE)
        *out = limit->value * result->whole;
    else if (result->scale != GATE_SERIES_SHARE &&
             !gate_unit_parse(out, gate_str_slice(limit->text, 1, limit->text.len), unit))
        return gate_error_set_at(err, GATE_ERR_CONFIG, limit->line, limit->column,
                                 "'%.*s' cannot be compared with '%.*s': give a unit that converts to '%.*s'",
                                 GATE_STR_ARG(limit->text), GATE_STR_ARG(result->comparison->name), GATE_STR_ARG(unit));
    return true;
}

static double mean(const struct gate_series *series) {
    double sum = 0.0;
    for (uint32_t i = 0; i < series->count; i++)
        sum += series->y[i] / series->count;
    return sum;
}

static bool judge_limits(struct gate_trend_result *result, const struct gate_trend_finding *base, struct reach *reach) {
    const struct gate_budget *budget = result->budget;
    const double span = result->x[reach->input->point_count - 1];
    for (uint32_t i = 0; i < budget->limit_count; i++) {
        const struct gate_limit *limit = &budget->limits[i];
        enum gate_severity severity = limit->severity < budget->severity ? limit->severity : budget->severity;
        if (severity == GATE_SEVERITY_OFF)
            continue;
        struct gate_trend_finding *finding = add(result, reach);
        if (finding == NULL)
            return false;
        *finding = *base;
        finding->limit = limit;
        finding->judged.warns_only = severity == GATE_SEVERITY_WARN;
        finding->judged.alpha = reach->input->rules->alpha;
        finding->judged.unseen = span > 0.0 ? budget->max_mde * result->whole / span : 0.0;
        if (!scale_limit(&finding->judged.limit, limit, finding, result, reach->err))
            return false;
    }
    return true;
}

/* Judge the series of one item, unless it is always below min_share. */
static bool judge_item(struct gate_trend_result *result, const struct gate_delta_list *deltas, uint32_t item,
                       struct gate_trend_finding base, struct reach *reach) {
    const struct gate_trend_verdict_input *input = reach->input;
    const struct gate_pair *pair = &result->comparison->pair;
    enum gate_measure measure = gate_trend_terms_measure(result->budget->of);
    double most = 0.0;
    for (uint32_t r = 0; item != GATE_NO_INDEX && r < pair->sides[GATE_BASELINE].run_count; r++)
        most = fmax(
            most, gate_share(gate_tally_at(deltas, measure, r, item)->value, pair->sides[GATE_BASELINE].runs[r].total));
    if (item != GATE_NO_INDEX && (!(most > 0.0) || most < result->budget->min_share))
        return true;
    if (!gate_series_make(&base.series, pair, deltas, measure, item, result->scale, input->points, input->point_count,
                          reach->arena, reach->err))
        return false;
    base.level = base.series.median > 0.0 ? base.series.median : mean(&base.series);
    if (input->point_count >= 2 && !gate_trend_fit(&base.judged.fit, result->x, base.series.y, input->point_count,
                                                   input->rules->alpha_margin, reach->arena, reach->err))
        return false;
    return judge_limits(result, &base, reach);
}

static bool judge_frames(struct gate_trend_result *result, struct reach *reach) {
    const struct gate_budget *budget = result->budget;
    const struct gate_pair *pair = &result->comparison->pair;
    const struct gate_delta_list *deltas = &result->comparison->deltas;
    struct gate_delta_list own;
    struct gate_delta_filter filter = {0};
    uint8_t *marks = NULL, *under = NULL;
    if (!gate_select_frames(&marks, &result->matched, &budget->select, pair, reach->arena, reach->err) ||
        !gate_select_under(&under, &budget->select, pair, reach->arena, reach->err))
        return false;
    filter.under = under;
    if (budget->as_group) {
        deltas = &own;
        return result->matched == 0 ||
               (gate_delta_group(&own, pair, marks, &filter, reach->arena, reach->err) &&
                judge_item(result, deltas, 0, (struct gate_trend_finding){.name = budget->name}, reach));
    }
    if (under != NULL) {
        deltas = &own;
        if (!gate_delta_fold(&own, pair, &filter, reach->arena, reach->err))
            return false;
    }
    for (uint32_t i = 0; i < pair->frame_count; i++)
        if (marks[i] &&
            !judge_item(result, deltas, i,
                        (struct gate_trend_finding){.name = pair->frames[i].name, .frame = &pair->frames[i]}, reach))
            return false;
    return true;
}

/* Return why there is nothing to judge, or NULL. */
static const char *problem_of(const struct gate_trend_result *result) {
    if (result->comparison == NULL)
        return "the profiles do not have its sample type; give profiles that do, or remove the budget";
    if (result->scale == GATE_SERIES_NONE)
        return "totals of runs of unknown length cannot be compared; give the work of every run when it is accepted";
    if (result->x == NULL)
        return "the times of the profiles are not known or do not ascend; use 'per: accept'";
    for (uint32_t i = 0; i < result->budget->limit_count; i++)
        if (result->scale == GATE_SERIES_SHARE && result->budget->limits[i].kind == GATE_LIMIT_GROWTH)
            return "a limit of 'growth' needs levels, and these are shares; give the work of every run when it is "
                   "accepted, or use 'share_increase'";
    return NULL;
}

static enum gate_outcome undecided(const struct gate_budget *budget) {
    return budget->severity == GATE_SEVERITY_ERROR ? GATE_OUTCOME_INCONCLUSIVE : GATE_OUTCOME_WARN;
}

static bool judge_budget(struct gate_trend_result *result, struct reach *reach) {
    const struct gate_budget *budget = result->budget;
    const bool is_total = budget->of == GATE_TREND_OF_TOTAL;
    struct gate_series totals;
    reach->capacity = 0;
    if (gate_waiver_is_expired(budget, reach->input->today) &&
        !add_plain(result, GATE_OUTCOME_INCONCLUSIVE, GATE_TREND_EXPIRED, gate_waiver_sentence(budget, reach->arena),
                   reach))
        return false;
    if (budget->severity == GATE_SEVERITY_OFF)
        return true;
    if (result->comparison != NULL) {
        result->scale = gate_series_scale_of(&result->comparison->pair, is_total);
        if (!find_x(result, reach))
            return false;
    }
    const char *problem = problem_of(result);
    if (problem != NULL)
        return add_plain(result, undecided(budget), GATE_TREND_NOT_COMPARABLE, gate_str_from(problem), reach);
    result->whole = 1.0;
    if (result->scale != GATE_SERIES_SHARE) {
        if (!gate_series_make(&totals, &result->comparison->pair, NULL, GATE_CUMULATIVE, GATE_NO_INDEX, result->scale,
                              reach->input->points, reach->input->point_count, reach->arena, reach->err))
            return false;
        result->whole = totals.median;
    }
    if (is_total)
        return judge_item(result, NULL, GATE_NO_INDEX,
                          (struct gate_trend_finding){.name = GATE_STR("the whole profile")}, reach);
    return judge_frames(result, reach) &&
           (result->matched > 0 || !budget->must_match ||
            add_plain(result, budget->severity == GATE_SEVERITY_ERROR ? GATE_OUTCOME_FAIL : GATE_OUTCOME_WARN,
                      GATE_TREND_NO_MATCH, GATE_STR("no frame matches, and one must"), reach));
}

/* ---- all budgets ------------------------------------------------------------------------------------------------- */

/* Correct by Holm over all series that can be significant. */
static bool adjust(struct reach *reach) {
    struct gate_trend_verdict *verdict = reach->verdict;
    size_t all = 1;
    for (uint32_t i = 0; i < verdict->result_count; i++)
        all += verdict->results[i].finding_count;
    struct gate_trend_case **family = gate_arena_calloc(reach->arena, all, sizeof *family);
    double *log_p = GATE_NEW_ARRAY(reach->arena, double, all), *adjusted = GATE_NEW_ARRAY(reach->arena, double, all);
    double *attainable = GATE_NEW_ARRAY(reach->arena, double, all);
    uint32_t *scratch = GATE_NEW_ARRAY(reach->arena, uint32_t, 2 * all);
    if (family == NULL || log_p == NULL || adjusted == NULL || attainable == NULL || scratch == NULL)
        return gate_arena_error(reach->arena, reach->err);
    for (uint32_t i = 0; i < verdict->result_count; i++)
        for (uint32_t f = 0; f < verdict->results[i].finding_count; f++) {
            struct gate_trend_finding *finding = &verdict->results[i].findings[f];
            if (finding->limit == NULL || !trend_decide_is_testable(&finding->judged))
                continue;
            log_p[verdict->family] = finding->judged.fit.log_p;
            family[verdict->family++] = &finding->judged;
        }
    gate_holm_adjust(log_p, attainable, adjusted, scratch, verdict->family);
    for (uint32_t i = 0; i < verdict->family; i++)
        family[i]->log_p_adjusted = adjusted[i];
    return true;
}

/* Worst first; then further over its limit; then by name. */
static int finding_compare(const void *left, const void *right) {
    const struct gate_trend_finding *a = left, *b = right;
    if (a->judged.outcome != b->judged.outcome)
        return a->judged.outcome > b->judged.outcome ? -1 : 1;
    double over_a = a->judged.fit.whole.slope - a->judged.limit, over_b = b->judged.fit.whole.slope - b->judged.limit;
    if (over_a != over_b)
        return over_a > over_b ? -1 : 1;
    int order = gate_str_compare(a->name, b->name);
    return order != 0 ? order : (a->limit > b->limit) - (a->limit < b->limit);
}

static void settle(struct gate_trend_result *result, uint32_t family) {
    for (uint32_t f = 0; f < result->finding_count; f++) {
        struct gate_trend_finding *finding = &result->findings[f];
        if (finding->limit != NULL) {
            finding->judged.family = family;
            gate_trend_decide(&finding->judged);
        }
        enum gate_outcome outcome = finding->judged.outcome;
        result->failed += outcome == GATE_OUTCOME_FAIL;
        result->open += outcome == GATE_OUTCOME_INCONCLUSIVE;
        result->warned += outcome == GATE_OUTCOME_WARN;
        result->held += outcome <= GATE_OUTCOME_PASS;
        result->outcome = outcome > result->outcome ? outcome : result->outcome;
    }
    if (result->finding_count > 1)
        qsort(result->findings, result->finding_count, sizeof *result->findings, finding_compare);
}

static enum gate_outcome overall(const struct gate_trend_verdict *verdict) {
    enum gate_outcome worst = GATE_OUTCOME_PASS;
    bool has_expired = false;
    for (uint32_t i = 0; i < verdict->result_count; i++) {
        const struct gate_trend_result *result = &verdict->results[i];
        if (result->outcome > worst && result->outcome != GATE_OUTCOME_WARN)
            worst = result->outcome;
        for (uint32_t f = 0; f < result->finding_count; f++)
            has_expired = has_expired || result->findings[f].judged.reason == GATE_TREND_EXPIRED;
    }
    if (worst != GATE_OUTCOME_INCONCLUSIVE)
        return worst;
    enum gate_on_inconclusive how = verdict->rules->on_inconclusive;
    if (how == GATE_ON_INCONCLUSIVE_FAIL)
        return GATE_OUTCOME_FAIL;
    return has_expired || how == GATE_ON_INCONCLUSIVE_INCONCLUSIVE ? GATE_OUTCOME_INCONCLUSIVE : GATE_OUTCOME_PASS;
}

bool gate_trend_verdict_reach(struct gate_trend_verdict *out, const struct gate_trend_verdict_input *input,
                              struct gate_arena *arena, struct gate_error *err) {
    const struct gate_rules *rules = input->rules;
    struct gate_trend_verdict verdict = {
        .rules = rules,
        .points = input->points,
        .point_count = input->point_count,
        .type = input->plan->comparisons[0].pair.type,
        .results = GATE_NEW_ARRAY(arena, struct gate_trend_result, (size_t)rules->budget_count + 1)};
    struct reach reach = {.input = input, .verdict = &verdict, .arena = arena, .err = err};
    if (verdict.results == NULL)
        return gate_arena_error(arena, err);
    for (uint32_t i = 0; i < rules->budget_count; i++) {
        const struct gate_budget *budget = &rules->budgets[i];
        uint32_t of = input->plan->budget_comparison[i];
        if (!is_trend(budget) ||
            (budget->severity == GATE_SEVERITY_OFF && !gate_waiver_is_expired(budget, input->today)))
            continue;
        struct gate_trend_result *result = &verdict.results[verdict.result_count];
        result->budget = budget;
        result->comparison = of == GATE_NO_INDEX ? NULL : &input->plan->comparisons[of];
        if (budget->requires != GATE_REQUIRES_NOTHING && result->comparison != NULL &&
            !(result->comparison->pair.sides[GATE_BASELINE].runs[0].input.work > 0.0))
            continue;
        verdict.result_count++;
        if (!judge_budget(result, &reach))
            return false;
    }
    if (!adjust(&reach))
        return false;
    for (uint32_t i = 0; i < verdict.result_count; i++)
        settle(&verdict.results[i], verdict.family);
    verdict.outcome = overall(&verdict);
    *out = verdict;
    return true;
}
