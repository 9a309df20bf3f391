/* SPDX-License-Identifier: Apache-2.0 */
/* compare/walk.h: a walk that stops early writes a part of what the whole walk writes, from either end. */
#include "tests/unit/pair_fixture.h"

#include "gate/compare/walk.h"

static const char stacks[] = "main;serve;parse;alloc 3\nmain;serve;serve;encode;alloc 4\nmain 2\nmain;idle 5\n"
                             "main;a/x.f;a/x.g;b/y.h 2\nmain;serve;parse 1\n";

/* Written are the leading frames that enter: all of them, or at least one more than the limit. */
static void check_stack(const struct pair_fixture *f, const struct gate_run *run, const struct gate_stack *stack,
                        const struct gate_walk *walk) {
    uint32_t frames[16], found[16], entering = 0;
    bool is_whole = false;
    uint32_t count = gate_walk_frames(run, stack, frames);
    assert_true(count <= f->pair.max_frames && count <= 16);
    uint32_t written = gate_walk_stack(&is_whole, walk, run, stack, found);
    bool begins = !walk->from_leaf || count == 0 || (walk->marks[frames[0]] & GATE_WALK_BEGINS) != 0;
    while (begins && entering < count &&
           (walk->marks[frames[walk->from_leaf ? entering : count - 1 - entering]] & GATE_WALK_ENTERS) != 0)
        entering++;
    assert_true(written <= entering && (written == entering || written > walk->limit));
    for (uint32_t i = 0; i < written; i++)
        assert_int_equal(found[i], frames[walk->from_leaf ? i : count - 1 - i]);
    if (is_whole || (count <= walk->limit && begins))
        assert_int_equal(is_whole, written == count);
}

/* Every set of frames that enter, most of which begin, every limit, both ends; with the table of ids and without. */
static void check_all(struct pair_fixture *f, const struct gate_run *run) {
    uint8_t marks[16];
    assert_true(f->pair.frame_count <= 16);
    for (uint32_t set = 0; set < 1u << f->pair.frame_count; set += 1 + set / 7) {
        for (uint32_t i = 0; i < f->pair.frame_count; i++)
            marks[i] = ((set >> i & 1) != 0 ? GATE_WALK_ENTERS : 0) | ((i ^ set) % 3 != 0 ? GATE_WALK_BEGINS : 0);
        for (uint32_t limit = 0; limit < 6; limit++)
            for (int from_leaf = 0; from_leaf < 2; from_leaf++)
                for (uint32_t s = 0; s < run->stacks.count; s++) {
                    const struct gate_walk walk = {marks, from_leaf, limit};
                    const struct gate_stack stack = gate_stacks_at(&run->stacks, s);
                    check_stack(f, run, &stack, &walk);
                }
    }
}

static void a_walk_is_a_part_of_the_whole(void **state) {
    (void)state;
    static const enum gate_granularity granularities[] = {GATE_BY_FUNCTION, GATE_BY_PACKAGE};
    for (size_t i = 0; i < 2; i++) {
        struct pair_fixture f;
        struct gate_pair_options options = {.frames.granularity = granularities[i]};
        fixture_begin(&f);
        fixture_add(&f, GATE_BASELINE, stacks);
        fixture_add(&f, GATE_CANARY, stacks);
        fixture_make(&f, &options);
        struct gate_run run = f.pair.sides[GATE_BASELINE].runs[0];
        assert_int_equal(run.joins_equal, granularities[i] == GATE_BY_PACKAGE);
        check_all(&f, &run);
        run.frame_of_id = NULL; /* slower and no less right */
        check_all(&f, &run);
        fixture_end(&f);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_walk_is_a_part_of_the_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
