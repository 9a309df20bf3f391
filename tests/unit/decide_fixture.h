/* SPDX-License-Identifier: Apache-2.0 */
/* For tests of decisions: makes a hypothesis from counts alone, without a pair. A table row contains the input and the
 * expected outcome. */
#ifndef GATE_TESTS_DECIDE_FIXTURE_H
#define GATE_TESTS_DECIDE_FIXTURE_H

#include "gate/budget/decide.h"
#include "tests/unit/unit.h"

#include <math.h>

/**
 * Dilution of a cost per unit of work (compare/cost.h): with this many trials per sample, the binomial approximates a
 * rate.
 */
#define RATES 1e4

/** One row: a hypothesis, the settings of the decision, and the expected outcome. Zero is the default of each field. */
struct decide_row {
    const char *name; /* the rule that the row tests */
    enum gate_limit_kind kind;
    double limit;
    struct gate_counts2 counts;
    double dilution;         /* 0: 1 */
    struct gate_counts2 own; /* of the own cost; n1 is 0 if own cost does not apply */
    bool own_is_uncounted;
    double own_margin; /* level of the own cost; 0: `margin` */
    bool excuses_unconfirmed, work_is_known, counts_preempted;
    double margin;    /* level of "growth exceeds the limit"; 0: .05 */
    double family;    /* number of equally strong hypotheses in the Holm family; 0: 1 */
    bool is_advisory; /* severity warn */
    bool is_restrained, is_bystander;
    bool is_load;      /* charged cost of a runtime frame */
    bool is_root;      /* charged cost of a library's root, whose stacks contain no own code */
    bool is_hopeless;  /* no split of its counts could break the limit */
    bool is_uncounted; /* the number of samples behind the values is not known */
    double max_mde;
    double min_samples, samples[GATE_SIDES];
    bool may_idle;
    double rho, rho_of_fail; /* assumed run-to-run variation, and the larger one at which a fail must hold, too */
    enum gate_outcome outcome;
    enum gate_reason reason;
};

static inline struct gate_evidence decide_evidence(struct gate_counts2 counts, double dilution, bool is_counted) {
    struct gate_evidence e = {.counts = counts, .dilution = dilution, .phi = 1.0, .df = INFINITY, .is_tested = true};
    const double k[] = {counts.k1, counts.k2}, n[] = {counts.n1, counts.n2};
    for (int side = 0; side < GATE_SIDES; side++) {
        e.share[side] = k[side] / n[side] * dilution;
        e.sample_n[side] = is_counted ? n[side] / dilution : 0.0;
        e.value[side] = (int64_t)k[side];
    }
    e.delta = e.share[GATE_CANARY] - e.share[GATE_BASELINE];
    gate_evidence_judge(&e);
    return e;
}

static inline struct gate_decision_rules decide_rules(const struct decide_row *row) {
    double margin = row->margin > 0.0 ? row->margin : 0.05;
    return (struct gate_decision_rules){.alpha = 0.01,
                                        .alpha_margin = margin,
                                        .margin = margin,
                                        .proof = 0.05,
                                        .margin_own = row->own_margin > 0.0 ? row->own_margin : margin,
                                        .excuses_unconfirmed = row->excuses_unconfirmed,
                                        .work_is_known = row->work_is_known,
                                        .counts_preempted = row->counts_preempted,
                                        .min_samples = row->min_samples,
                                        .may_idle = row->may_idle,
                                        .max_mde = row->max_mde,
                                        .rho_of_fail = row->rho_of_fail,
                                        .samples = {row->samples[0], row->samples[1]}};
}

/** The storage that a hypothesis points to; it must outlive the hypothesis. */
struct decide_room {
    struct gate_limit limit;
    struct gate_evidence evidence, own;
};

/** Return the hypothesis of a row, tested and corrected for its family. */
static inline struct gate_hypothesis decide_hypothesis(const struct decide_row *row, struct decide_room *room) {
    double dilution = row->dilution > 0.0 ? row->dilution : 1.0, family = row->family > 0.0 ? row->family : 1.0;
    room->limit = (struct gate_limit){.kind = row->kind, .value = row->limit};
    room->evidence = decide_evidence(row->counts, dilution, !row->is_uncounted);
    room->evidence.rho = row->rho;
    if (row->own.n1 > 0.0)
        room->own = decide_evidence(row->own, dilution, !row->own_is_uncounted);
    struct gate_hypothesis h = {.limit = &room->limit,
                                .limit_value = row->limit,
                                .severity = row->is_advisory ? GATE_SEVERITY_WARN : GATE_SEVERITY_ERROR,
                                .is_restrained = row->is_restrained,
                                .is_bystander = row->is_bystander || row->is_load || row->is_root,
                                .is_runtime = row->is_load,
                                .measure = row->is_load || row->is_root ? GATE_CHARGED : GATE_SELF,
                                .evidence = &room->evidence,
                                .own = row->own.n1 > 0.0 ? &room->own : NULL};
    gate_hypothesis_test(&h, row->margin > 0.0 ? row->margin : 0.05);
    h.family = (uint32_t)family;
    h.log_p_adjusted = fmin(0.0, h.log_p + log(family));
    h.log_level = log(0.01 / family);
    if (row->is_hopeless)
        h.is_in_family = false;
    return h;
}

static inline void decide_assert_near(double found, double expected, double tolerance) {
    if (found == expected)
        return;
    if (!(fabs(found - expected) <= tolerance * fmax(1e-3, fabs(expected))))
        fail_msg("found %.12g, expected %.12g", found, expected);
}

static inline struct gate_hypothesis decide_make(struct decide_room *room, enum gate_limit_kind kind, double value,
                                                 struct gate_counts2 counts) {
    struct decide_row row = {.kind = kind, .limit = value, .counts = counts};
    return decide_hypothesis(&row, room);
}

#endif
