/* SPDX-License-Identifier: Apache-2.0 */
/* Second thoughts on broken budgets (see moves.h). */
#include "gate/budget/moves.h"

#include "gate/budget/shift.h"

static const double TREE_MIN_SHARE = 0.002;
static const double RENAME_MIN_SHARE = 0.005;

static bool may_have_moved(const struct gate_hypothesis *h, const struct gate_rules *rules, uint32_t comparison) {
    const struct gate_budget *budget = &rules->budgets[h->budget];
    bool is_broken = h->outcome == GATE_OUTCOME_FAIL ||
                     (h->outcome == GATE_OUTCOME_WARN && h->reason == GATE_REASON_SEVERITY_WARN);
    return h->comparison == comparison && is_broken && h->frame != GATE_NO_INDEX &&
           budget->shift != GATE_SEVERITY_OFF && budget->select.under.regex == NULL && h->own.dilution > 0.0;
}

/* Own cost tells a shift from a growth that only dilutes the others, so the work has to be known or well estimated. */
static bool has_work(const struct gate_comparison *comparison) {
    return comparison->work_is_known || comparison->work_is_estimated;
}

/* Whether a frame of weight is on the baseline alone, and another on the canary alone. */
static bool may_be_renamed(const struct gate_comparison *comparison) {
    bool only[GATE_SIDES] = {false, false};
    for (uint32_t i = 0; i < comparison->deltas.count; i++) {
        const int64_t *value = comparison->deltas.items[i].value[GATE_CUMULATIVE];
        for (int side = 0; side < GATE_SIDES; side++)
            only[side] = only[side] || (value[1 - side] == 0 && gate_share(value[side], comparison->pair.sides[side].total) >=
                                                                    RENAME_MIN_SHARE);
    }
    return only[GATE_BASELINE] && only[GATE_CANARY];
}

static void find_shifts(struct gate_hypothesis_list *list, const struct gate_rules *rules,
                        const struct gate_shift_search *search, uint32_t index) {
    for (size_t i = 0; i < list->count; i++) {
        struct gate_hypothesis *h = &list->items[i];
        if (!may_have_moved(h, rules, index) || !gate_shift_find(&h->shift, search, h))
            continue;
        h->reason = GATE_REASON_SHIFT;
        if (rules->budgets[h->budget].shift == GATE_SEVERITY_WARN)
            h->outcome = GATE_OUTCOME_WARN;
    }
}

static bool warn_of_renames(struct gate_warning_list *warnings, bool *raised, const struct gate_rules *rules,
                            const struct gate_comparison *comparison, const struct gate_tree *tree,
                            struct gate_arena *arena, struct gate_error *err) {
    struct gate_rename_hint *hints = NULL;
    uint32_t count = 0;
    if (!gate_rename_hints(&hints, &count, comparison, tree, arena, err))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        struct gate_warning hint = {
            GATE_STR("renamed"),
            gate_str_format(arena,
                            "%.*s: '%.*s' is gone and '%.*s' stands in its place at about the same cost: if it was "
                            "renamed, say so under 'frames.rename' in the rules",
                            GATE_STR_ARG(comparison->name), GATE_STR_ARG(comparison->pair.frames[hints[i].gone].name),
                            GATE_STR_ARG(comparison->pair.frames[hints[i].fresh].name))};
        if (!gate_warning_add(warnings, rules, hint, raised, arena, err))
            return false;
    }
    return true;
}

bool gate_moves_find(struct gate_hypothesis_list *list, struct gate_warning_list *warnings, bool *raised,
                     const struct gate_rules *rules, const struct gate_comparison *comparison, uint32_t index,
                     struct gate_arena *arena, struct gate_error *err) {
    bool wants_shift = false, wants_rename = may_be_renamed(comparison);
    for (size_t i = 0; i < list->count && has_work(comparison); i++)
        wants_shift = wants_shift || may_have_moved(&list->items[i], rules, index);
    if (!wants_shift && !wants_rename)
        return true;
    const struct gate_tree_options options = {.min_share = TREE_MIN_SHARE};
    struct gate_tree tree;
    if (!gate_tree_merge(&tree, &comparison->pair, &comparison->deltas, &options, arena, err))
        return false;
    if (wants_shift) {
        struct gate_shift_search search = {.comparison = comparison, .tree = &tree};
        search.options = (struct gate_evidence_options){.noise = comparison->noise, .work_ratio = comparison->work_ratio};
        search.marks = GATE_NEW_ARRAY(arena, uint8_t, (size_t)comparison->pair.frame_count + 1);
        if (search.marks == NULL)
            return gate_arena_error(arena, err);
        gate_evidence_prior(&search.options, &comparison->pair, &comparison->deltas);
        find_shifts(list, rules, &search, index);
    }
    return !wants_rename || warn_of_renames(warnings, raised, rules, comparison, &tree, arena, err);
}
