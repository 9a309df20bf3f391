/* SPDX-License-Identifier: Apache-2.0 */
/* budget/hypotheses.h with so many frames that two threads collect them: each frame is collected once, in order. */
#include "tests/unit/generated_fixture.h"
#include "tests/unit/hypotheses_fixture.h"

#include "gate/formats/format.h"

enum { FUNCTIONS = 4000, SAMPLES = 2000 };

/* Two profiles of one call graph, compared and judged. */
static void begin(struct counts_fixture *f, struct gate_profile profiles[GATE_SIDES]) {
    const struct gate_pair_options options = {.sample_type = GATE_STR("cpu")};
    const uint32_t counts[GATE_SIDES] = {1, 1};
    struct gate_run_input inputs[GATE_SIDES];
    struct gate_comparison *comparison = &f->comparison;
    *f = (struct counts_fixture){0};
    gate_arena_init(&f->arena, 0);
    for (uint64_t side = 0; side < GATE_SIDES; side++) {
        AT_END(gate_buf_free) struct gate_buf bytes = {0};
        generated_put(&bytes, &(struct generated){SAMPLES, FUNCTIONS, 0, 1 + side});
        struct gate_str copy = gate_str_copy(&f->arena, gate_buf_view(&bytes));
        if (!gate_profile_load(&profiles[side], copy, NULL, &f->arena, &f->err))
            fail_msg("%s", f->err.message);
        inputs[side] = (struct gate_run_input){.path = GATE_STR("a"), .profile = &profiles[side]};
    }
    const struct gate_run_input *const of[GATE_SIDES] = {&inputs[0], &inputs[1]};
    if (!gate_pair_make(&comparison->pair, of, counts, &options, &f->arena, &f->err) ||
        !gate_delta_fold(&comparison->deltas, &comparison->pair, NULL, &f->arena, &f->err))
        fail_msg("%s", f->err.message);
    hypotheses_judge(f, 0, 0);
}

/* Check that the frames of a list ascend, are not marked yet, and have their own evidence and name. Mark them. */
static void mark_all(uint8_t *marks, const struct gate_hypothesis *items, size_t count,
                     const struct counts_fixture *f) {
    for (size_t i = 0; i < count; i++) {
        assert_true(i == 0 || items[i].frame > items[i - 1].frame);
        assert_int_equal(marks[items[i].frame], 0);
        assert_ptr_equal(items[i].evidence, f->comparison.frames[items[i].frame].evidence[items[i].measure]);
        assert_true(gate_str_equal(items[i].name, f->comparison.pair.frames[items[i].frame].name));
        marks[items[i].frame] = 1;
    }
}

TEST(each_frame_has_one_hypothesis_in_order) {
    static const struct gate_budget_scope plain = {0};
    struct counts_fixture f;
    struct gate_profile profiles[GATE_SIDES];
    begin(&f, profiles);
    uint32_t frames = f.comparison.pair.frame_count;
    uint8_t *marks = gate_arena_calloc(&f.arena, frames, 1);
    assert_non_null(marks);
    assert_in_range(frames, 2048, FUNCTIONS);
    hypotheses_rules(
        &f, "{name: x, measure: self, limit: +0pp}, {name: y, measure: cumulative, min_share: 60%, limit: +0pp}");
    struct gate_hypothesis_list list = {0};
    assert_int_equal(hypotheses_collect(&f, &list, 0, &plain), frames);
    size_t first = list.count, seen = 0;
    mark_all(marks, list.items, first, &f);
    for (uint32_t i = 0; i < frames; i++) {
        const int64_t *value = f.comparison.deltas.items[i].value[GATE_SELF];
        assert_int_equal(marks[i], value[GATE_BASELINE] != 0 || value[GATE_CANARY] != 0);
    }
    /* The second budget's hypotheses follow those of the first. Many frames are below its min_share and thus unseen. */
    memset(marks, 0, frames);
    assert_int_equal(list.unseen_count, 0);
    assert_int_equal(hypotheses_collect(&f, &list, 1, &plain), frames);
    mark_all(marks, &list.items[first], list.count - first, &f);
    mark_all(marks, list.unseen, list.unseen_count, &f);
    for (size_t i = 0; i < first; i++)
        seen += list.items[i].budget == 0;
    for (size_t i = first; i < list.count; i++)
        seen += list.items[i].budget == 1;
    assert_int_equal(seen, list.count);
    assert_true(list.count > first);
    assert_true(list.unseen_count > 0);
    gate_rules_free(&f.rules);
    gate_arena_free(&f.arena);
}
