/* SPDX-License-Identifier: Apache-2.0 */
/* Warnings as data (see warnings.h). */
#include "gate/guards/warnings.h"

#include "gate/base/figures.h"

static const double TOTAL_HIGH = 1.2; /* run to run, good totals differ by a tenth */
static const double TOTAL_ODD = 20.0;

bool gate_warning_add(struct gate_warning_list *list, const struct gate_rules *rules, struct gate_warning warning,
                      bool *raised, struct gate_arena *arena, struct gate_error *err) {
    if (warning.code.ptr == NULL || warning.message.ptr == NULL)
        return gate_arena_error(arena, err);
    for (uint32_t i = 0; i < rules->guard_count; i++) {
        if (!gate_str_equal(rules->guards[i].name, warning.code))
            continue;
        if (rules->guards[i].severity == GATE_SEVERITY_OFF)
            return true;
        *raised = *raised || rules->guards[i].severity == GATE_SEVERITY_ERROR;
    }
    struct gate_warning *items = gate_arena_grow(arena, list->items, list->count, &list->capacity, sizeof *items);
    if (items == NULL)
        return gate_arena_error(arena, err);
    list->items = items;
    list->items[list->count++] = warning;
    return true;
}

static bool uncounted(const struct gate_pair *pair) {
    for (int side = 0; side < GATE_SIDES; side++)
        for (uint32_t r = 0; r < pair->sides[side].run_count; r++)
            if (pair->sides[side].runs[r].counts.kind == GATE_COUNTS_UNKNOWN)
                return true;
    return false;
}

static struct gate_str few_samples(const struct gate_rules *rules, const struct gate_comparison *comparison,
                                   struct gate_arena *arena) {
    const struct gate_side *sides = comparison->pair.sides;
    return gate_str_format(arena,
                           "%.*s: %s effective samples in the baseline, %s in the canary: fewer than %s on a side "
                           "never fail a run; measure longer",
                           GATE_STR_ARG(comparison->name), gate_figures_count_text(sides[GATE_BASELINE].events).text,
                           gate_figures_count_text(sides[GATE_CANARY].events).text,
                           gate_figures_count_text(rules->min_samples).text);
}

/* With the work known the profile tells more than shares do, and somebody should hear it. */
static bool warn_of_total(struct gate_warning_list *list, const struct gate_rules *rules,
                          const struct gate_comparison *comparison, bool *raised, struct gate_arena *arena,
                          struct gate_error *err) {
    const struct gate_side *sides = comparison->pair.sides;
    double ratio = (double)sides[GATE_CANARY].total / (double)sides[GATE_BASELINE].total / comparison->work_ratio;
    for (uint32_t i = 0; i < rules->budget_count; i++)
        if (rules->budgets[i].measure == GATE_MEASURE_TOTAL_COST && rules->budgets[i].severity != GATE_SEVERITY_OFF)
            return true;
    if (!comparison->work_is_known || comparison->is_filtered || (ratio <= TOTAL_HIGH && ratio >= 1.0 / TOTAL_ODD))
        return true;
    bool is_odd = ratio > TOTAL_ODD || ratio < 1.0 / TOTAL_ODD;
    struct gate_warning total = {
        GATE_STR("total_cost"),
        gate_str_format(arena, "%.*s: the whole program costs %s as much per unit of work as the baseline: %s",
                        GATE_STR_ARG(comparison->name), gate_figures_times_text(ratio).text,
                        is_odd ? "are the numbers of --work right?"
                               : "no budget looks at that; one with 'measure: total_cost' would")};
    return gate_warning_add(list, rules, total, raised, arena, err);
}

bool gate_warnings_of(struct gate_warning_list *list, const struct gate_rules *rules,
                      const struct gate_comparison *comparison, bool *raised, struct gate_arena *arena,
                      struct gate_error *err) {
    const struct gate_side *sides = comparison->pair.sides;
    struct gate_str name = comparison->name;
    if (comparison->same_input) {
        struct gate_warning same = {GATE_STR("same_file"),
                                    gate_str_format(arena, "%.*s: both sides are the same capture: nothing was compared",
                                                    GATE_STR_ARG(name))};
        return gate_warning_add(list, rules, same, raised, arena, err);
    }
    if (uncounted(&comparison->pair)) {
        struct gate_warning unknown = {
            GATE_STR("uncounted_events"),
            gate_str_format(arena, "%.*s: the profile does not say how many events it holds: nothing can be tested",
                            GATE_STR_ARG(name))};
        return gate_warning_add(list, rules, unknown, raised, arena, err);
    }
    if (sides[GATE_BASELINE].events < rules->min_samples || sides[GATE_CANARY].events < rules->min_samples) {
        struct gate_warning few = {GATE_STR("few_samples"), few_samples(rules, comparison, arena)};
        if (!gate_warning_add(list, rules, few, raised, arena, err))
            return false;
    }
    if (!warn_of_total(list, rules, comparison, raised, arena, err))
        return false;
    if (comparison->noise != NULL || sides[GATE_BASELINE].run_count + sides[GATE_CANARY].run_count > GATE_SIDES)
        return true;
    struct gate_warning one_pair = {
        GATE_STR("one_pair"),
        gate_str_format(arena, "%.*s: one run a side and no noise model: run-to-run variation is assumed, and cumulative "
                               "and runtime budgets can only warn; compare more runs or use 'pprofgate calibrate'",
                        GATE_STR_ARG(name))};
    return gate_warning_add(list, rules, one_pair, raised, arena, err);
}
