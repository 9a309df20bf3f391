/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/budget/decide.h"

#include "gate/compare/evidence.h"

#include <math.h>

/* ---- tests against a limit --------------------------------------------------------------------------------------- */

/* Return whether z is at most minus the critical z. */
static bool is_low(const struct gate_evidence *e, double z, double level) {
    return z <= -gate_evidence_critical_z(e, level);
}

bool gate_within_growth(const struct gate_evidence *evidence, double limit, double level) {
    double b = limit / evidence->dilution;
    if (!gate_evidence_is_counted(evidence) || b <= -1.0 || b >= 1.0)
        return gate_evidence_upper(evidence, level) <= limit;
    return is_low(evidence, gate_score_z(evidence->counts, b), level);
}

bool gate_within_ratio(const struct gate_evidence *evidence, double limit, double level) {
    if (!gate_evidence_is_counted(evidence) || !(evidence->counts.k1 > 0.0) || !(limit > 0.0))
        return gate_evidence_ratio_upper(evidence, level) <= limit;
    return is_low(evidence, gate_ratio_z(evidence->counts, limit), level);
}

bool gate_within_share(const struct gate_evidence *evidence, double limit, double level) {
    double p0 = limit / evidence->dilution;
    if (!gate_evidence_is_counted(evidence) || p0 <= 0.0 || p0 >= 1.0)
        return gate_evidence_share_upper(evidence, level) <= limit;
    return is_low(evidence, gate_one_sample_z(evidence->counts.k2, evidence->counts.n2, p0), level);
}

/* ---- decision ---------------------------------------------------------------------------------------------------- */

/* Procedure and reasons: docs/statistics.md, "When a budget is broken". */

/* Minimum canary count for a ratio limit: ratios of small numbers are uncertain. */
static const double RATIO_MIN_COUNT = 10.0;

/* Maximum factor by which host load alone changes the runtime's own cost. */
static const double LOAD_RATIO = 2.0;

static const double OWN_ESTIMATED = 0.25;

/* Minimum detectable growth that a pass requires, in share points and as a ratio: twice a limit of 0 would be 0. */
static const double MDE_FLOOR_SHARE = 0.01;

static const double MDE_FLOOR_RATIO = 0.10;

/* Precision of the mildest split that breaks a limit, as a fraction of the counts. */
static const double SPLIT_PRECISION = 1e-4;

enum { SPLIT_HALVINGS = 30 };

double gate_quantity_of(const struct gate_evidence *evidence, enum gate_quantity quantity) {
    double one = evidence->share[GATE_BASELINE], two = evidence->share[GATE_CANARY];
    switch (quantity) {
    case GATE_QUANTITY_GROWTH:
        return evidence->delta;
    case GATE_QUANTITY_RATIO:
        return one > 0.0 ? two / one : two > 0.0 ? INFINITY : 1.0;
    default:
        return two;
    }
}

bool gate_hypothesis_bounds_growth(const struct gate_hypothesis *h) {
    return gate_limit_bounds_growth(h->limit->kind);
}

/* Return z of H0: the value is within the limit. */
static double margin_z(const struct gate_hypothesis *h, const struct gate_evidence *evidence) {
    const struct gate_counts2 *c = &evidence->counts;
    switch (gate_limit_quantity(h->limit->kind)) {
    case GATE_QUANTITY_GROWTH:
        return gate_score_z(*c, h->limit_value / evidence->dilution);
    case GATE_QUANTITY_RATIO:
        return gate_ratio_z(*c, h->limit_value);
    default:
        if (h->limit_value >= evidence->dilution)
            return -INFINITY;
        if (h->limit_value <= 0.0)
            return c->k2 > 0.0 ? INFINITY : -INFINITY;
        return gate_one_sample_z(c->k2, c->n2, h->limit_value / evidence->dilution);
    }
}

double gate_hypothesis_margin_log_p(const struct gate_hypothesis *h, const struct gate_evidence *evidence) {
    return gate_evidence_log_p(evidence, margin_z(h, evidence));
}

/* Return the z value, of share or of own cost, whose p value (gate_evidence_log_p) Holm's procedure corrects. */
double gate_hypothesis_family_z(const struct gate_hypothesis *h, const struct gate_evidence *evidence) {
    return gate_hypothesis_bounds_growth(h) ? gate_score_z(evidence->counts, 0.0) : margin_z(h, evidence);
}

double gate_hypothesis_family_log_p(const struct gate_hypothesis *h, const struct gate_evidence *evidence) {
    return gate_evidence_log_p(evidence, gate_hypothesis_family_z(h, evidence));
}

/* Return the evidence of `h` with k2 of its counts in the canary. */
static struct gate_evidence split(const struct gate_hypothesis *h, double k2) {
    struct gate_evidence evidence = *h->evidence;
    struct gate_counts2 *c = &evidence.counts;
    c->k1 = fmax(0.0, c->k1 + c->k2 - k2);
    c->k2 = k2;
    return evidence;
}

/* Return the canary count below which the limit does not apply, as k2 of the evidence counts. It comes from least_share
 * and, for a limit on a ratio, from RATIO_MIN_COUNT. */
static double least_count(const struct gate_hypothesis *h) {
    double share = h->least_share;
    if (gate_limit_quantity(h->limit->kind) == GATE_QUANTITY_RATIO)
        share = fmax(share, RATIO_MIN_COUNT / h->evidence->sample_n[GATE_CANARY]);
    return share / h->evidence->dilution * h->evidence->counts.n2;
}

/* Return whether the limit is broken with k2 of the counts in the canary, at the level whose log is `log_margin`. */
static bool breaks(const struct gate_hypothesis *h, double k2, double log_margin) {
    struct gate_evidence evidence = split(h, k2);
    double log_p = 0.0;
    if (gate_limit_quantity(h->limit->kind) == GATE_QUANTITY_GROWTH)
        (void)gate_evidence_increase(&evidence, h->limit_value, &log_p);
    else
        (void)gate_evidence_ratio(&evidence, h->limit_value, &log_p);
    return log_p <= log_margin;
}

/* Return the largest canary count between `kept` and `broken` that keeps the limit. The limit is broken by
 * more counts in the canary, never by fewer. */
static double mildest_split(const struct gate_hypothesis *h, double kept, double broken, double log_margin) {
    const struct gate_counts2 *c = &h->evidence->counts;
    double precision = SPLIT_PRECISION * (c->k1 + c->k2);
    for (int i = 0; i < SPLIT_HALVINGS && broken - kept > precision; i++) {
        double middle = (kept + broken) / 2.0;
        *(breaks(h, middle, log_margin) ? &broken : &kept) = middle;
    }
    return kept;
}

/* Return the largest log p of growth with which the limit is broken too, given the sum of the counts. It belongs to the
 * mildest split that breaks the limit; -INFINITY if even all counts in the canary do not break it. */
static double attainable_log_p(const struct gate_hypothesis *h, double margin) {
    const struct gate_counts2 *c = &h->evidence->counts;
    if (!gate_hypothesis_bounds_growth(h))
        return 0.0;
    double all = c->k1 + c->k2, broken = fmin(all, c->n2), kept = all * c->n2 / (c->n1 + c->n2);
    double least = least_count(h);
    if (least > broken)
        return -INFINITY;
    /* Most frames are so small that no test is needed. */
    bool is_small = gate_limit_quantity(h->limit->kind) == GATE_QUANTITY_GROWTH &&
                    broken / c->n2 * h->evidence->dilution <= h->limit_value;
    if (is_small)
        return -INFINITY;
    double log_margin = log(margin);
    if (!breaks(h, broken, log_margin))
        return -INFINITY;
    /* A new-frame limit applies only with all counts in the canary. */
    bool is_new = h->limit->kind == GATE_LIMIT_NEW_FRAME;
    struct gate_evidence evidence = split(h, is_new ? broken : fmax(mildest_split(h, kept, broken, log_margin), least));
    return gate_hypothesis_family_log_p(h, &evidence);
}

void gate_hypothesis_test(struct gate_hypothesis *hypothesis, double margin) {
    const struct gate_evidence *evidence = hypothesis->evidence;
    bool is_countable = evidence->is_tested && gate_evidence_is_counted(evidence);
    hypothesis->log_p = 0.0;
    hypothesis->is_tested = is_countable;
    double k2 = evidence->sample_n[GATE_CANARY] * evidence->share[GATE_CANARY];
    if (gate_limit_quantity(hypothesis->limit->kind) == GATE_QUANTITY_RATIO && k2 < RATIO_MIN_COUNT)
        hypothesis->is_tested = false;
    bool may_be_broken = gate_hypothesis_bounds_growth(hypothesis) ? is_countable : hypothesis->is_tested;
    hypothesis->log_attainable = may_be_broken ? attainable_log_p(hypothesis, margin) : -INFINITY;
    hypothesis->is_in_family = hypothesis->log_attainable > -INFINITY;
    if (hypothesis->is_tested)
        hypothesis->log_p = gate_hypothesis_family_log_p(hypothesis, evidence);
}

static double upper_bound(const struct gate_hypothesis *h, const struct gate_evidence *evidence, double level) {
    switch (gate_limit_quantity(h->limit->kind)) {
    case GATE_QUANTITY_GROWTH:
        return gate_evidence_upper(evidence, level);
    case GATE_QUANTITY_RATIO:
        return gate_evidence_ratio_upper(evidence, level);
    default:
        return gate_evidence_share_upper(evidence, level);
    }
}

/* Return whether the upper bound of the evidence at this level is within the limit. */
static bool is_proven(const struct gate_hypothesis *h, const struct gate_evidence *evidence, double level) {
    switch (gate_limit_quantity(h->limit->kind)) {
    case GATE_QUANTITY_GROWTH:
        return gate_within_growth(evidence, h->limit_value, level);
    case GATE_QUANTITY_RATIO:
        return gate_within_ratio(evidence, h->limit_value, level);
    default:
        return gate_within_share(evidence, h->limit_value, level);
    }
}

/* Return the limit as growth in share points, the unit of detectable effects. */
static double limit_growth(const struct gate_hypothesis *h) {
    switch (gate_limit_quantity(h->limit->kind)) {
    case GATE_QUANTITY_GROWTH:
        return h->limit_value;
    case GATE_QUANTITY_RATIO:
        return (h->limit_value - 1.0) * h->evidence->share[GATE_BASELINE];
    default:
        return h->limit_value - h->evidence->share[GATE_BASELINE];
    }
}

double gate_hypothesis_mde_ceiling(const struct gate_hypothesis *h, double max_mde) {
    double value = h->limit_value, base = h->evidence->share[GATE_BASELINE];
    bool is_ratio = gate_limit_quantity(h->limit->kind) == GATE_QUANTITY_RATIO;
    if (max_mde > 0.0 && !is_ratio)
        return max_mde;
    switch (gate_limit_quantity(h->limit->kind)) {
    case GATE_QUANTITY_GROWTH:
        return 2.0 * value > MDE_FLOOR_SHARE ? 2.0 * value : MDE_FLOOR_SHARE;
    case GATE_QUANTITY_RATIO:
        /* A decrease limit of .9 is as far from 1 as an increase limit of 1.1: twice that distance must be
         * detectable. */
        value = 2.0 * fabs(value - 1.0);
        value = value > MDE_FLOOR_RATIO ? value : MDE_FLOOR_RATIO;
        value = (h->limit_value < 1.0 ? value + h->limit_value - 1.0 : value) * base;
        /* Share points do not scale with the frame. For a ratio limit max_mde only sets what is too small to matter. */
        return value > max_mde ? value : max_mde;
    default:
        return 2.0 * value - base;
    }
}

double gate_hypothesis_detectable(const struct gate_hypothesis *h) {
    if (h->detectable > 0.0)
        return h->detectable;
    return gate_detectable_growth(h->evidence, limit_growth(h), exp(h->log_level), h->level_margin);
}

bool gate_hypothesis_detects(const struct gate_hypothesis *h, double growth) {
    if (h->detectable > 0.0)
        return h->detectable <= growth;
    return gate_detectable_is_within(h->evidence, limit_growth(h), exp(h->log_level), h->level_margin, growth);
}

/* Return whether this evidence (of other counts, or of own cost) exceeds the limit at the levels of this family. */
static bool is_confirmed(const struct gate_hypothesis *h, const struct gate_evidence *evidence, double margin) {
    return gate_evidence_is_unlikely(evidence, gate_hypothesis_family_z(h, evidence), h->log_level) &&
           gate_evidence_is_unlikely(evidence, margin_z(h, evidence), log(margin));
}

/* Return whether growth above max_mde is ruled out, by the upper bound of the growth and not by the power of the test.
 */
static bool is_ruled_out(const struct gate_hypothesis *h, const struct gate_evidence *evidence,
                         const struct gate_decision_rules *rules) {
    return gate_evidence_is_counted(evidence) &&
           gate_within_growth(evidence, gate_hypothesis_mde_ceiling(h, rules->max_mde), rules->proof);
}

/* Return whether is_ruled_out holds, and if more looks can follow, whether they are unlikely to break the limit. */
static bool is_held(const struct gate_hypothesis *h, const struct gate_evidence *evidence,
                    const struct gate_decision_rules *rules) {
    return is_ruled_out(h, evidence, rules) &&
           (rules->turn <= 0.0 || gate_hypothesis_margin_log_p(h, evidence) >= log(rules->turn));
}

static void set(struct gate_hypothesis *h, enum gate_outcome outcome, enum gate_reason reason) {
    h->outcome = outcome;
    h->reason = reason;
}

static bool has_own(const struct gate_hypothesis *h) {
    return h->own != NULL && gate_evidence_is_counted(h->own);
}

double gate_own_cost_margin(double margin, bool work_is_known) {
    return work_is_known || margin > OWN_ESTIMATED ? margin : OWN_ESTIMATED;
}

/* Return whether a growth of the share is excused because other frames shrank. The own cost must be proven within the
 * limit, or be within it as measured and not have grown significantly. If the work is known, own cost that grew is
 * judged as a share is. Its measured growth must be within the limit, and its upper bound within max_mde. */
static bool is_excused(const struct gate_hypothesis *h, const struct gate_decision_rules *rules) {
    if (is_proven(h, h->own, rules->proof))
        return true;
    bool is_within = gate_quantity_of(h->own, gate_limit_quantity(h->limit->kind)) <= h->limit_value;
    if (is_within && rules->work_is_known && !rules->counts_preempted && is_held(h, h->own, rules))
        return true;
    return is_within && !gate_evidence_is_unlikely(h->own, gate_hypothesis_family_z(h, h->own), h->log_level);
}

/* Return whether host load can explain the growth. The cost of the scheduler and the collector follows the load of the
 * host. So does the cost of a root whose stacks contain no own code, such as a thread pool or an event loop. Growth by
 * up to a factor of 2 is not a regression of the program, unless the budget names the function. */
static bool is_explained_by_load(const struct gate_hypothesis *h, const struct gate_decision_rules *rules) {
    bool is_outside = h->is_runtime || (h->is_bystander && h->measure == GATE_CHARGED);
    if (!is_outside || h->is_named || h->is_cost || (h->measure != GATE_CHARGED && !h->is_callerless))
        return false;
    if (gate_limit_quantity(h->limit->kind) != GATE_QUANTITY_GROWTH)
        return true;
    return !gate_evidence_is_unlikely(h->evidence, gate_ratio_z(h->evidence->counts, LOAD_RATIO), log(rules->margin));
}

static double most_samples(const struct gate_decision_rules *rules) {
    return fmax(rules->samples[GATE_BASELINE], rules->samples[GATE_CANARY]);
}

bool gate_decision_needs_samples(const struct gate_comparison *comparison) {
    return comparison->part != NULL || !gate_pair_is_of_amounts(&comparison->pair);
}

bool gate_decision_may_idle(const struct gate_comparison *comparison) {
    struct gate_str type = comparison->pair.type.type;
    bool is_cpu = gate_str_find(type, GATE_STR("cpu"), 0) != SIZE_MAX || gate_str_equal(type, GATE_STR("samples"));
    return gate_pair_is_memory_held(&comparison->pair) || (is_cpu && !comparison->work_is_known);
}

/* Return whether there are too few samples for a fail: both sides have fewer than `min_samples`, or one has fewer than
 * a fifth of that and may have been idle (gate_decision_may_idle). */
static bool has_few_samples(const double samples[GATE_SIDES], double min_samples, bool may_idle) {
    return fmax(samples[GATE_BASELINE], samples[GATE_CANARY]) < min_samples ||
           (may_idle && fmin(samples[GATE_BASELINE], samples[GATE_CANARY]) < min_samples * GATE_SAMPLES_OF_ONE_SIDE);
}

/* Return whether a profiler whose samples come in clumps may explain the fail: with one run per side, the variation of
 * such samples can exceed the growth. */
static bool is_explained_by_clumps(const struct gate_hypothesis *h, const struct gate_decision_rules *rules) {
    if (!(h->evidence->rho > 0.0) || h->evidence->rho >= rules->rho_of_fail)
        return false;
    const struct gate_evidence clumped = gate_evidence_at_rho(h->evidence, rules->rho_of_fail);
    return !is_confirmed(h, &clumped, rules->margin);
}

static void decide_broken(struct gate_hypothesis *h, const struct gate_decision_rules *rules) {
    bool is_own_open = has_own(h) && !is_confirmed(h, h->own, rules->margin_own);
    if (is_own_open && is_excused(h, rules) && is_ruled_out(h, h->own, rules)) {
        set(h, GATE_OUTCOME_WARN, GATE_REASON_OTHERS_SHRANK);
        return;
    }
    if (h->severity < GATE_SEVERITY_ERROR) {
        set(h, GATE_OUTCOME_WARN, GATE_REASON_SEVERITY_WARN);
        return;
    }
    if (is_explained_by_load(h, rules)) {
        set(h, GATE_OUTCOME_WARN, GATE_REASON_RUNTIME);
        return;
    }
    if (is_own_open) {
        set(h, h->is_path ? GATE_OUTCOME_WARN : GATE_OUTCOME_INCONCLUSIVE, GATE_REASON_OWN_COST_OPEN);
        return;
    }
    if (h->is_restrained) {
        set(h, GATE_OUTCOME_INCONCLUSIVE, GATE_REASON_DELAY_REPLICATES);
        return;
    }
    /* Few samples on one side make every test less powerful, which is safe. With few samples on both sides the tests'
     * assumptions are doubtful. Almost no samples on one side may mean that the program did no work. */
    double most = most_samples(rules);
    if (has_few_samples(rules->samples, rules->min_samples, rules->may_idle)) {
        set(h, GATE_OUTCOME_INCONCLUSIVE, GATE_REASON_MIN_SAMPLES);
        h->settle_factor = most > 0.0 && most < rules->min_samples ? rules->min_samples / most : 0.0;
        return;
    }
    if (is_explained_by_clumps(h, rules)) {
        set(h, GATE_OUTCOME_INCONCLUSIVE, GATE_REASON_PREEMPTED);
        return;
    }
    set(h, GATE_OUTCOME_FAIL, GATE_REASON_OVER);
}

bool gate_decision_is_vacuous(const struct gate_decision_rules *rules) {
    return rules->is_early && most_samples(rules) < rules->min_samples;
}

/* Return whether the comparison has too few samples to fail, and does not pass for that reason. */
static bool is_blind(const struct gate_decision_rules *rules) {
    return (rules->needs_samples || rules->is_early) && most_samples(rules) < rules->min_samples;
}

/* Return whether the cost per unit of known work shows that the growth is within the limit: as measured, not
 * significant, and by no more than max_mde. The share alone cannot show this, because it also depends on the cost of
 * all other functions. */
static bool own_is_held(const struct gate_hypothesis *h, const struct gate_decision_rules *rules) {
    return !is_blind(rules) && rules->work_is_known && has_own(h) && gate_hypothesis_bounds_growth(h) &&
           is_excused(h, rules) && is_held(h, h->own, rules);
}

static bool is_over_by(const struct gate_hypothesis *h, const struct gate_evidence *evidence) {
    return gate_quantity_of(evidence, gate_limit_quantity(h->limit->kind)) > h->limit_value;
}

/* Return whether a path grew significantly and is over its limit as measured, both by its share and by its cost per
 * unit of work, second or run. */
static bool is_path_grown(const struct gate_hypothesis *h, const struct gate_decision_rules *rules) {
    return h->is_in_family && h->log_p_adjusted <= log(rules->alpha) && has_own(h) && rules->work_is_known &&
           is_over_by(h, h->evidence) && is_over_by(h, h->own) &&
           gate_hypothesis_family_log_p(h, h->own) <= log(rules->alpha);
}

static void decide_open(struct gate_hypothesis *h, const struct gate_decision_rules *rules) {
    /* A hypothesis that cannot fail only warns, and does not make the run inconclusive, unless it can fail at a later
     * look. */
    bool holds_up = h->severity == GATE_SEVERITY_ERROR && (!h->is_restrained || rules->turn > 0.0);
    enum gate_outcome outcome = holds_up ? GATE_OUTCOME_INCONCLUSIVE : GATE_OUTCOME_WARN;
    if (!gate_evidence_is_counted(h->evidence)) {
        set(h, outcome, GATE_REASON_NOT_COMPARABLE);
        return;
    }
    bool is_over = is_over_by(h, h->evidence);
    if (is_over && has_own(h) &&
        (is_proven(h, h->own, rules->proof) ||
         (rules->excuses_unconfirmed && is_excused(h, rules) && is_ruled_out(h, h->own, rules)))) {
        set(h, GATE_OUTCOME_WARN, GATE_REASON_OTHERS_SHRANK);
        return;
    }
    /* The functions of a path are judged themselves, so an undecided path makes the run inconclusive only if it grew
     * significantly. An undecided limit that only warns passes; the report gives the detectable growth. Library and
     * runtime frames that the budget does not name pass too, unless there is a hint of growth; then they warn. */
    bool is_silent = !is_over || h->log_p > log(rules->alpha_margin);
    if (h->severity < GATE_SEVERITY_ERROR || (h->is_path && !is_path_grown(h, rules)) || (h->is_bystander && is_silent))
        outcome = GATE_OUTCOME_PASS;
    else if (h->is_bystander)
        outcome = GATE_OUTCOME_WARN;
    if (outcome == GATE_OUTCOME_INCONCLUSIVE && own_is_held(h, rules)) {
        set(h, is_over ? GATE_OUTCOME_WARN : GATE_OUTCOME_PASS,
            is_over ? GATE_REASON_OTHERS_SHRANK : GATE_REASON_WITHIN);
        return;
    }
    set(h, outcome, is_over ? GATE_REASON_UNCONFIRMED : GATE_REASON_TOO_FEW_SAMPLES);
}

double gate_hypothesis_tolerance(const struct gate_hypothesis *h, double alpha, double alpha_margin) {
    if (h->is_total)
        return alpha_margin;
    return h->evidence->variation == GATE_VARIATION_ASSUMED ? alpha : alpha / 2.0;
}

/* Return whether growth over the limit may pass: it is not significant even without correction for other frames and
 * looks, and no further look can follow. The caller also requires an upper bound of at most max_mde. */
static bool is_tolerated(const struct gate_hypothesis *h, const struct gate_decision_rules *rules) {
    return !rules->is_intolerant && rules->turn <= 0.0 && gate_hypothesis_bounds_growth(h) &&
           h->log_p > log(gate_hypothesis_tolerance(h, rules->alpha, rules->alpha_margin));
}

void gate_hypothesis_outcome(struct gate_hypothesis *hypothesis, const struct gate_decision_rules *rules) {
    struct gate_hypothesis *h = hypothesis;
    h->settle_factor = 0.0;
    bool is_over = gate_quantity_of(h->evidence, gate_limit_quantity(h->limit->kind)) > h->limit_value;
    h->is_broken = is_over && h->is_in_family && h->log_p_adjusted <= log(rules->alpha) &&
                   gate_evidence_is_unlikely(h->evidence, margin_z(h, h->evidence), log(rules->margin));
    if (h->is_broken) {
        decide_broken(h, rules);
        return;
    }
    if (!gate_decision_is_vacuous(rules) && is_proven(h, h->evidence, rules->proof)) {
        set(h, GATE_OUTCOME_PROVEN, GATE_REASON_WITHIN);
        return;
    }
    bool is_within = !is_over || is_tolerated(h, rules);
    if (is_within && !is_blind(rules) && is_held(h, h->evidence, rules)) {
        set(h, GATE_OUTCOME_PASS, is_over ? GATE_REASON_TOLERATED : GATE_REASON_WITHIN);
        return;
    }
    decide_open(h, rules);
}

void gate_hypothesis_decide(struct gate_hypothesis *hypothesis, const struct gate_decision_rules *rules) {
    /* If the hypothesis is that the limit holds, the test of the limit needs the level that is corrected for the
     * family. */
    hypothesis->level_margin = gate_hypothesis_bounds_growth(hypothesis) ? rules->margin : exp(hypothesis->log_level);
    hypothesis->has_next_look = rules->turn > 0.0;
    gate_hypothesis_outcome(hypothesis, rules);
    hypothesis->detectable = 0.0;
    if (hypothesis->outcome >= GATE_OUTCOME_WARN) /* it will be reported */
        hypothesis->detectable = gate_hypothesis_detectable(hypothesis);
}

double gate_hypothesis_upper(const struct gate_hypothesis *hypothesis, double level) {
    return upper_bound(hypothesis, hypothesis->evidence, level);
}
