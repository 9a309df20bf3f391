/* SPDX-License-Identifier: Apache-2.0 */
/* budget/call_trees.h: which trees exist when the budgets are decided, and that stacks are freed before that only if
 * nothing else needs them. */
#include "gate/budget/call_trees.h"
#include "gate/compare/tree.h"
#include "tests/unit/generated_fixture.h"
#include "tests/unit/pair_fixture.h"

enum { MANY = 4200, FEW = 300, LOCATIONS = 500 };

struct row {
    const char *name;
    uint32_t samples, labels;
    bool are_drawn, is_last_walk, has_group, has_under, is_refused;
    bool is_spent;
};

static struct row rows[] = {
    {.name = "many samples", .samples = MANY, .are_drawn = true, .is_last_walk = true, .is_spent = true},
    {.name = "few samples", .samples = FEW, .are_drawn = true, .is_last_walk = true},
    {.name = "no report draws trees", .samples = MANY, .is_last_walk = true},
    {.name = "a report walks the stacks", .samples = MANY, .are_drawn = true},
    {.name = "labels", .samples = MANY, .labels = 3, .are_drawn = true, .is_last_walk = true},
    {.name = "a group", .samples = MANY, .are_drawn = true, .is_last_walk = true, .has_group = true},
    {.name = "beneath a frame", .samples = MANY, .are_drawn = true, .is_last_walk = true, .has_under = true},
    {.name = "no room", .samples = MANY, .are_drawn = true, .is_last_walk = true, .is_refused = true},
};

struct ahead {
    struct gate_comparison comparison;
    struct gate_arena arena;
    struct gate_profile profiles[GATE_SIDES];
    bool is_spent_at_walk, is_spent_at_work, has_trees_at_work;
    int walks, works, errands;
};

static bool walk(void *context) {
    struct ahead *ahead = context;
    ahead->is_spent_at_walk = ahead->comparison.pair.is_spent;
    ahead->walks++;
    return ahead->works == 0;
}

static bool work(void *context) {
    struct ahead *ahead = context;
    ahead->is_spent_at_work = ahead->comparison.pair.is_spent;
    ahead->works++;
    return ahead->walks == 1;
}

static void run_errand(void *context, const struct gate_comparison *comparisons, uint32_t count) {
    struct ahead *ahead = context;
    assert_ptr_equal(comparisons, &ahead->comparison);
    ahead->errands += (int)count;
}

static void load(struct ahead *ahead, const struct row *row) {
    const struct gate_pair_options options = {.sample_type = GATE_STR("cpu")};
    struct gate_run_input inputs[GATE_SIDES];
    struct gate_error err = {0};
    for (uint64_t side = 0; side < GATE_SIDES; side++) {
        AT_END(gate_buf_free) struct gate_buf bytes = {0};
        generated_put(&bytes, &(struct generated){row->samples, LOCATIONS, row->labels, 1 + side});
        uint8_t *own = gate_arena_alloc(&ahead->arena, bytes.len);
        assert_non_null(own);
        memcpy(own, bytes.ptr, bytes.len);
        struct gate_str view = {(const char *)own, bytes.len};
        if (!gate_profile_load(&ahead->profiles[side], view, NULL, &ahead->arena, &err))
            fail_msg("%s", err.message);
        assert_true(gate_own_bytes_note(&ahead->profiles[side], own, &ahead->arena));
        inputs[side] = (struct gate_run_input){.path = GATE_STR("a"), .profile = &ahead->profiles[side]};
    }
    const struct gate_run_input *const of[GATE_SIDES] = {&inputs[0], &inputs[1]};
    const uint32_t counts[GATE_SIDES] = {1, 1};
    struct gate_comparison *comparison = &ahead->comparison;
    if (!gate_pair_make(&comparison->pair, of, counts, &options, &ahead->arena, &err) ||
        !gate_delta_fold(&comparison->deltas, &comparison->pair, NULL, &ahead->arena, &err))
        fail_msg("%s", err.message);
}

static void expect_same_tree(const struct gate_tree *a, const struct gate_tree *b) {
    assert_int_equal(a->count, b->count);
    for (uint32_t i = 0; i < a->count; i++) {
        assert_int_equal(a->nodes[i].frame, b->nodes[i].frame);
        assert_int_equal(a->nodes[i].parent, b->nodes[i].parent);
        assert_memory_equal(a->nodes[i].total, b->nodes[i].total, sizeof a->nodes[i].total);
    }
}

static void stacks_go_where_nobody_needs_them(void **state) {
    const struct row *row = *state;
    struct ahead ahead = {.walks = 0};
    struct gate_error err = {0};
    struct gate_tree callers, callees;
    const struct gate_tree_options by_caller = {.min_share = GATE_COMPARISON_TREE_SHARE};
    const struct gate_tree_options by_callee = {.min_share = GATE_COMPARISON_TREE_SHARE, .inverted = true};
    struct gate_budget budget = {.as_group = row->has_group};
    budget.select.under.regex = row->has_under ? (struct gate_regex *)&budget : NULL; /* that there is one matters */
    const struct gate_rules rules = {.budgets = &budget, .budget_count = 1};
    const struct gate_tree_ahead_options options = {&rules, row->are_drawn, row->is_last_walk,   walk,
                                                    work,   &ahead,         {run_errand, &ahead}};
    load(&ahead, row);
    struct gate_comparison *comparison = &ahead.comparison;
    assert_true(gate_tree_merge(&callers, &comparison->pair, &comparison->deltas, &by_caller, &ahead.arena, &err));
    assert_true(gate_tree_merge(&callees, &comparison->pair, &comparison->deltas, &by_callee, &ahead.arena, &err));
    if (row->is_refused)
        ahead.arena.limit_bytes = ahead.arena.used_bytes + 1024;
    assert_true(gate_tree_ahead(comparison, 1, &options, &ahead.arena));
    assert_int_equal(ahead.walks, 1);
    assert_int_equal(ahead.works, 1);
    assert_int_equal(ahead.errands, row->are_drawn);
    assert_false(ahead.is_spent_at_walk);
    assert_int_equal(ahead.is_spent_at_work, row->is_spent);
    assert_int_equal(comparison->tree != NULL, row->are_drawn && !row->is_refused);
    assert_int_equal(comparison->callees != NULL, row->are_drawn && !row->is_refused);
    for (int side = 0; side < GATE_SIDES; side++)
        assert_int_equal(gate_profile_is_spent(&ahead.profiles[side]), row->is_spent);
    if (comparison->tree != NULL) {
        expect_same_tree(comparison->tree, &callers);
        expect_same_tree(comparison->callees, &callees);
    }
    gate_arena_free(&ahead.arena);
}

int main(void) {
    struct CMUnitTest tests[sizeof rows / sizeof *rows];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        tests[i] = (struct CMUnitTest){rows[i].name, stacks_go_where_nobody_needs_them, NULL, NULL, &rows[i]};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
