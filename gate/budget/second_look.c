/* SPDX-License-Identifier: Apache-2.0 */
/* Shifts and renames (see second_look.h). */
#include "gate/budget/second_look.h"

#include "gate/budget/renamed.h"
#include "gate/budget/shift.h"
#include "gate/budget/tree_ahead.h"
#include "gate/compare/tree_prune.h"

bool gate_second_look(const struct gate_tree **tree, struct gate_hypothesis_list *list,
                      struct gate_warning_list *warnings, bool *raised, const struct gate_rules *rules,
                      struct gate_comparison *comparison, uint32_t index, struct gate_arena *arena,
                      struct gate_error *err) {
    bool shifts = gate_shift_is_wanted(list, rules, index);
    bool renames = comparison->part == NULL && gate_renamed_is_wanted(comparison); /* the whole tells them */
    *tree = NULL;
    if (!shifts && !renames)
        return true;
    struct gate_tree *made = GATE_NEW_ARRAY(arena, struct gate_tree, 1);
    if (made == NULL)
        return gate_arena_error(arena, err);
    if (!gate_tree_ahead_make(comparison, arena, err) ||
        !gate_tree_prune(made, comparison->tree, &comparison->pair, GATE_SECOND_LOOK_MIN_SHARE, arena, err))
        return false;
    *tree = made;
    if (shifts && !gate_shift_apply(list, rules, comparison, index, made, arena, err))
        return false;
    return !renames || gate_renamed_warn(warnings, raised, rules, comparison, made, arena, err);
}
