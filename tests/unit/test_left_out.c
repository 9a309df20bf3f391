/* SPDX-License-Identifier: Apache-2.0 */
/* Rounds without profiles to compare: how they are counted and reported. */

#include "gate/session/manifest_dir.h"
#include "tests/unit/unit.h"

enum { RUNS_MAX = 64 };

/* Return the skipped rounds of kind "cpu". `baseline` and `canary` are the rounds in which the side has a run; they end
 * with 0. */
static struct gate_skipped_rounds told(const uint32_t *baseline, const uint32_t *canary, uint32_t last,
                                       struct gate_arena *arena) {
    static struct gate_manifest_run runs[GATE_SIDES][RUNS_MAX];
    static const struct gate_manifest_run *places[GATE_SIDES][RUNS_MAX];
    const uint32_t *rounds[GATE_SIDES] = {baseline, canary};
    struct gate_skipped_rounds_kind of = {.kind = GATE_STR("cpu")};
    struct gate_skipped_rounds out = {0};
    for (int side = 0; side < GATE_SIDES; side++) {
        of.runs[side] = places[side];
        for (const uint32_t *round = rounds[side]; *round != 0; round++) {
            assert_true(of.counts[side] < RUNS_MAX);
            runs[side][of.counts[side]].round = *round;
            places[side][of.counts[side]] = &runs[side][of.counts[side]];
            of.counts[side]++;
        }
    }
    assert_true(gate_skipped_rounds_add(&out, &of, last, arena, &err));
    return out;
}

static void assert_begins(const struct gate_skipped_rounds *told, uint32_t at, const char *expected) {
    assert_true(at < told->count);
    assert_true(told->items[at].len > strlen(expected));
    assert_memory_equal(told->items[at].ptr, expected, strlen(expected));
}

#define ROUNDS(...) ((const uint32_t[]){__VA_ARGS__, 0})

TEST(rounds_with_both_sides_are_not_reported) {
    gate_arena_init(&arena, 1 << 20);
    assert_int_equal(told(ROUNDS(1, 2, 3), ROUNDS(1, 2, 2, 3), 3, &arena).count, 0);
    assert_int_equal(told(ROUNDS(0), ROUNDS(0), 0, &arena).count, 0);
}

TEST(rounds_that_lack_a_side_are_reported_per_side) {
    gate_arena_init(&arena, 1 << 20);
    struct gate_skipped_rounds found = told(ROUNDS(1, 2, 3, 5, 6, 7), ROUNDS(2, 4, 8), 9, &arena);
    assert_int_equal(found.count, 3);
    assert_begins(&found, 0, "rounds 4, 8 of 9 have no cpu profiles of the baseline and are left out; ");
    assert_begins(&found, 1, "rounds 1, 3, 5 to 7 of 9 have no cpu profiles of the canary and are left out; ");
    assert_begins(&found, 2, "round 9 of 9 has no cpu profile of either side and is left out; ");
}

/* Anyone may edit a manifest: a round number of 4,294,967,295 must not take longer. */
TEST(consecutive_missing_rounds_are_one_range) {
    gate_arena_init(&arena, 1 << 20);
    struct gate_skipped_rounds found = told(ROUNDS(4, UINT32_MAX), ROUNDS(4, UINT32_MAX), UINT32_MAX, &arena);
    assert_int_equal(found.count, 1);
    assert_begins(&found, 0, "rounds 1 to 3, 5 to 4294967294 of 4294967295 have no cpu profiles of either side");
    found = told(ROUNDS(UINT32_MAX), ROUNDS(1), UINT32_MAX, &arena);
    assert_int_equal(found.count, 3);
    assert_begins(&found, 2, "rounds 2 to 4294967294 of");
}

TEST(at_most_eight_ranges_of_rounds_are_listed) {
    gate_arena_init(&arena, 1 << 20);
    struct gate_skipped_rounds found = told(ROUNDS(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19),
                                            ROUNDS(2, 4, 6, 8, 10, 12, 14, 16, 18), 19, &arena);
    assert_int_equal(found.count, 1);
    assert_begins(&found, 0, "rounds 1, 3, 5, 7, 9, 11, 13, 15, ... of 19 have no cpu profiles of the canary");
}
