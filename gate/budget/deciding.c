/* SPDX-License-Identifier: Apache-2.0 */
/* All hypotheses of a budget, in two threads (see deciding.h). */
#include "gate/budget/deciding.h"

#include "gate/base/parallel.h"
#include "gate/budget/known.h"
#include "gate/budget/settle.h"

/* To decide one takes some hundred nanoseconds, to search for what would settle it a hundred times as long. */
enum { DECIDED_WORTH_A_THREAD = 2048, SEARCHES_WORTH_A_THREAD = 16 };

/* One budget's hypotheses; their family is known, so none needs another any more. */
struct deciding {
    const struct gate_decision_rules *how;
    struct gate_hypothesis *hypotheses;
    const uint32_t *runs; /* of both sides */
    bool same_input;
    size_t settled; /* so many, from the first on, are asked what would settle them */
};

static void decide_hypotheses(void *context, size_t from, size_t to) {
    const struct deciding *deciding = context;
    struct gate_known known = {{NULL}};
    for (size_t i = from; i < to; i++)
        gate_known_decide(&known, &deciding->hypotheses[i], deciding->how);
}

static void settle_hypotheses(void *context, size_t from, size_t to) {
    const struct deciding *deciding = context;
    for (size_t i = from; i < to; i++) {
        struct gate_hypothesis *hypothesis = &deciding->hypotheses[i];
        if (i < deciding->settled && gate_settle_is_asked(hypothesis))
            gate_settle_find(hypothesis, deciding->how, deciding->runs);
        if (deciding->same_input && gate_hypothesis_bounds_growth(hypothesis)) { /* cannot have grown */
            hypothesis->outcome = GATE_OUTCOME_PROVEN;
            hypothesis->reason = GATE_REASON_WITHIN;
        }
    }
}

static struct gate_decision_rules decision_rules(const struct gate_budget_scope *scope) {
    const struct gate_rules *rules = scope->rules;
    const struct gate_side *sides = scope->comparison->pair.sides;
    return (struct gate_decision_rules){.alpha = rules->alpha,
                                        .alpha_margin = rules->alpha_margin,
                                        .margin = scope->now.margin,
                                        .proof = scope->now.proof,
                                        .turn = scope->now.turn,
                                        .margin_own =
                                            gate_own_cost_margin(scope->now.margin, scope->comparison->work_is_known),
                                        .min_samples = rules->min_samples,
                                        .max_mde = rules->budgets[scope->budget].max_mde,
                                        .is_part = scope->comparison->part != NULL,
                                        .samples = {sides[GATE_BASELINE].events, sides[GATE_CANARY].events}};
}

void gate_deciding_run(struct gate_hypothesis *hypotheses, size_t count, const struct gate_budget_scope *scope,
                       bool is_intolerant, size_t *settle_left) {
    struct gate_decision_rules how = decision_rules(scope);
    how.is_intolerant = is_intolerant;
    const struct gate_side *sides = scope->comparison->pair.sides;
    const uint32_t runs[] = {sides[GATE_BASELINE].run_count, sides[GATE_CANARY].run_count};
    struct deciding deciding = {&how, hypotheses, runs, scope->comparison->same_input, 0};
    gate_parallel(decide_hypotheses, &deciding, count, DECIDED_WORTH_A_THREAD);
    size_t before = *settle_left;
    deciding.settled = gate_settle_ration(hypotheses, count, settle_left);
    gate_parallel(settle_hypotheses, &deciding, count, before - *settle_left < SEARCHES_WORTH_A_THREAD ? SIZE_MAX : 0);
}
