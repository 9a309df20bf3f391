/* SPDX-License-Identifier: Apache-2.0 */
/* Rounds without profiles to compare: how they are counted and reported. */

#include "gate/session/manifest_dir.h"
#include "tests/unit/sweep.h"
#include "tests/unit/unit.h"

enum { RUNS_MAX = 64 };

/* Return the skipped rounds of kind "cpu". `baseline` and `canary` are the rounds in which the side has a run; they end
 * with 0. */
static struct gate_skipped_rounds told(const uint32_t *baseline, const uint32_t *canary, uint32_t last,
                                       struct gate_arena *arena) {
    static struct gate_manifest_run runs[GATE_SIDES][RUNS_MAX];
    static const struct gate_manifest_run *places[GATE_SIDES][RUNS_MAX];
    const uint32_t *rounds[GATE_SIDES] = {baseline, canary};
    struct gate_taken_kind of = {.kind = GATE_STR("cpu")};
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

/* So many that their work needs more memory than a file does while its digest is computed. */
enum { VALUES = 300 };

/* Add a run whose work is known by label only. Round 3 has no work, and round 4 has no canary. */
static void take(struct gate_manifest *manifest, const char *dir, const char *kind, uint32_t round, int side) {
    static struct gate_manifest_work by[VALUES];
    for (uint32_t i = 0; i < VALUES; i++)
        by[i] = (struct gate_manifest_work){GATE_STR("endpoint"), gate_str_format(&arena, "/%u", (unsigned)i), i + 1};
    struct gate_str file = gate_str_format(&arena, "%s-%u-%d", kind, (unsigned)round, side);
    const struct gate_manifest_run run = {.round = round,
                                          .side = (enum gate_side_name)side,
                                          .kind = gate_str_from(kind),
                                          .file = file,
                                          .start_ms = 1,
                                          .end_ms = 2,
                                          .by = by,
                                          .by_count = round == 3 ? 0 : VALUES};
    if (round < 4 || side == GATE_BASELINE)
        assert_true(gate_manifest_file_take(manifest, dir, &run, file, &arena, &err));
}

/* A folder with one kind gives the two sides, one with two kinds gives a pair for each. */
TEST(a_folder_without_memory_is_a_clean_error) {
    static const char *const kinds[] = {"cpu", "heap"};
    for (uint32_t count = 1; count <= 2; count++) {
        char dir[] = "/tmp/left_out.XXXXXX";
        struct gate_manifest manifest;
        struct gate_profile_options profiles;
        struct gate_judge_options judging;
        struct gate_buf notes = {0};
        assert_non_null(mkdtemp(dir));
        assert_true(gate_manifest_file_begin(&manifest, dir, false, &arena, &err));
        for (uint32_t at = 0; at < count * 4 * GATE_SIDES; at++)
            take(&manifest, dir, kinds[at / 8], 1 + at / GATE_SIDES % 4, at % GATE_SIDES);
        gate_manifest_file_end(&manifest);
        for (struct sweep s = {0}; sweep_next(&s, 4096);) {
            judging = (struct gate_judge_options){0};
            gate_profile_options_begin(&profiles);
            s.done = gate_manifest_dir_fill(&profiles, &judging, &notes, dir, &s.arena, &s.err);
            if (!s.done)
                continue;
            assert_int_equal(judging.left_out_count, 2 * count);
            assert_int_equal(profiles.pairs.count, count == 1 ? 0 : 2);
            assert_int_equal((count == 1 ? profiles.rounds : profiles.pairs.items[0].rounds)[GATE_CANARY]->start_ms, 1);
            for (uint32_t k = 0; k < count; k++) {
                const struct gate_work *work = count == 1 ? &judging.work : &profiles.pairs.items[k].work;
                assert_int_equal(work->count, GATE_SIDES * VALUES);
                assert_true(gate_work_total(work, GATE_BASELINE) == 2.0 * VALUES * (VALUES + 1) / 2);
                assert_true(gate_work_total(work, GATE_CANARY) == 2.0 * VALUES * (VALUES + 1) / 2);
            }
        }
        gate_buf_free(&notes);
        for (uint32_t i = 0; i < manifest.count; i++)
            (void)unlink(gate_path_join(dir, manifest.runs[i].file, &arena));
        (void)unlink(gate_path_join(dir, GATE_STR(GATE_MANIFEST_FILE), &arena));
        assert_int_equal(rmdir(dir), 0);
    }
}
