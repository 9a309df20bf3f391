/* SPDX-License-Identifier: Apache-2.0 */
/* For tests of hypotheses: budgets written in YAML, applied to a comparison made from counts. */
#ifndef GATE_TESTS_HYPOTHESES_FIXTURE_H
#define GATE_TESTS_HYPOTHESES_FIXTURE_H

#include "tests/unit/counts_fixture.h"

#include "gate/budget/hypotheses.h"
#include "gate/rules/rules_parse.h"

/** Set the rules from `budgets`, items of a YAML flow sequence. Free them with gate_rules_free. */
static inline void hypotheses_rules(struct counts_fixture *f, const char *budgets) {
    struct gate_str text = gate_str_format(&f->arena, "version: 1\nbudgets: [%s]\n", budgets);
    if (!gate_rules_parse(&f->rules, text, GATE_STR("rules.yml"), NULL, &f->arena, &f->err))
        fail_msg("%s: %s", budgets, f->err.message);
}

/** Judge the comparison. A work of 0 means that it is not known. */
static inline void hypotheses_judge(struct counts_fixture *f, double baseline_work, double canary_work) {
    const double work[GATE_SIDES] = {baseline_work, canary_work};
    if (!gate_comparison_judge(&f->comparison, work, &f->arena, &f->err))
        fail_msg("%s", f->err.message);
}

/** Collect the hypotheses of budget `budget`. Return the number of frames that it selects. */
static inline uint32_t hypotheses_collect(struct counts_fixture *f, struct gate_hypothesis_list *list, uint32_t budget,
                                          const struct gate_budget_scope *like) {
    struct gate_budget_scope scope = *like;
    uint32_t matched = 0;
    scope.rules = &f->rules;
    scope.budget = budget;
    scope.comparison = &f->comparison;
    scope.now.margin = f->rules.alpha_margin;
    if (!gate_hypotheses_collect(list, &matched, &scope, &f->arena, &f->err))
        fail_msg("%s", f->err.message);
    return matched;
}

/** Return the hypothesis on the frame `name`, or NULL. */
static inline const struct gate_hypothesis *hypotheses_of(const struct gate_hypothesis *items, size_t count,
                                                          const char *name) {
    for (size_t i = 0; i < count; i++)
        if (gate_str_equal(items[i].name, gate_str_from(name)))
            return &items[i];
    return NULL;
}

#endif
