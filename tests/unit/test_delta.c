/* SPDX-License-Identifier: Apache-2.0 */
/* Self and cumulative costs: recursion counts once per stack, sums, groups, filters, and equal sets of samples. */
#include "gate/base/buf.h"
#include "gate/base/hash.h"
#include "tests/unit/pair_fixture.h"

static const struct gate_pair_options plain = {0};

static void begin(struct pair_fixture *f, const char *baseline, const char *canary) {
    fixture_begin(f);
    fixture_add(f, GATE_BASELINE, baseline);
    fixture_add(f, GATE_CANARY, canary);
    fixture_make(f, &plain);
}

TEST(recursion_counts_once) {
    AT_END(fixture_end) struct pair_fixture f;
    begin(&f, "main;f;f;g;f 5\nmain;f 2\n", "main;f 1\n");
    assert_int_equal(fixture_value(&f, "f", GATE_CUMULATIVE, GATE_BASELINE), 7);
    assert_int_equal(fixture_value(&f, "f", GATE_SELF, GATE_BASELINE), 7);
    assert_int_equal(fixture_value(&f, "g", GATE_CUMULATIVE, GATE_BASELINE), 5);
    assert_int_equal(fixture_value(&f, "g", GATE_SELF, GATE_BASELINE), 0);
}

TEST(self_costs_add_up_to_the_total) {
    AT_END(fixture_end) struct pair_fixture f;
    begin(&f, "a;b 3\na;c;b 4\nd 5\n", "a;b 1\nd;d;d 9\n");
    for (int side = 0; side < GATE_SIDES; side++) {
        int64_t sum = 0;
        for (uint32_t i = 0; i < f.deltas.count; i++) {
            const struct gate_delta *delta = &f.deltas.items[i];
            sum += delta->value[GATE_SELF][side];
            assert_true(delta->value[GATE_SELF][side] <= delta->value[GATE_CUMULATIVE][side]);
            assert_true(delta->value[GATE_CUMULATIVE][side] <= f.pair.sides[side].total);
        }
        assert_int_equal(sum, f.pair.sides[side].total);
    }
}

TEST(swapping_sides_swaps_every_number) {
    AT_END(fixture_end) struct pair_fixture f, g;
    begin(&f, "a;b 3\na;c;b 4\n", "a;b 1\nd;d 9\n");
    begin(&g, "a;b 1\nd;d 9\n", "a;b 3\na;c;b 4\n");
    for (uint32_t i = 0; i < f.deltas.count; i++) {
        char name[32];
        (void)snprintf(name, sizeof name, "%.*s", GATE_STR_ARG(f.pair.frames[i].name));
        for (int measure = 0; measure < GATE_MEASURES; measure++)
            for (int side = 0; side < GATE_SIDES; side++)
                assert_int_equal(f.deltas.items[i].value[measure][side],
                                 fixture_value(&g, name, (enum gate_measure)measure, (enum gate_side_name)(1 - side)));
    }
}

/* Return the cost of a name in collapsed stacks, read line by line and name by name. This is the slow reference for the
 * whole way from bytes through joined stacks and frames to the fold. */
static int64_t cost_in_text(const char *text, const char *name, enum gate_measure measure) {
    int64_t sum = 0;
    for (const char *line = text; *line != '\0'; line = strchr(line, '\n') + 1) {
        const char *end = strchr(line, '\n');
        while (*end != ' ')
            end--;
        bool is_there = false, is_leaf = false;
        for (const char *at = line; at < end;) {
            size_t len = strcspn(at, "; ");
            is_leaf = len == strlen(name) && memcmp(at, name, len) == 0;
            is_there = is_there || is_leaf;
            at += len + 1;
        }
        if (measure == GATE_SELF ? is_leaf : is_there)
            sum += strtoll(end + 1, NULL, 10);
    }
    return sum;
}

enum { NAMES = 7 };

/* Append random stacks of few names, with equal stacks, recursion, and a name that only the baseline has. */
static void put_random(struct gate_buf *out, uint64_t seed, int side) {
    for (uint64_t i = 0; i < 40; i++) {
        uint64_t draw = gate_hash_mix(seed << 20 | (uint64_t)side << 16 | i), depth = 1 + draw % 6;
        for (uint64_t d = 0; d < depth; d++)
            gate_buf_printf(out, "%sn%u", d == 0 ? "" : ";", (unsigned)((draw >> (8 + 5 * d)) % 32 % (NAMES - side)));
        gate_buf_printf(out, " %u\n", 1 + (unsigned)(draw >> 50) % 9);
    }
    gate_buf_char(out, '\0');
}

TEST(deltas_agree_with_sums_of_the_text) {
    for (uint64_t seed = 0; seed < 100; seed++) {
        struct pair_fixture f;
        struct gate_buf texts[GATE_SIDES] = {{0}};
        for (int side = 0; side < GATE_SIDES; side++)
            put_random(&texts[side], seed, side);
        begin(&f, texts[GATE_BASELINE].ptr, texts[GATE_CANARY].ptr);
        for (uint32_t i = 0; i < f.pair.frame_count; i++) {
            char name[8];
            (void)snprintf(name, sizeof name, "%.*s", GATE_STR_ARG(f.pair.frames[i].name));
            for (int side = 0; side < GATE_SIDES; side++)
                for (int measure = GATE_SELF; measure <= GATE_CUMULATIVE; measure++)
                    assert_int_equal(f.deltas.items[i].value[measure][side],
                                     cost_in_text(texts[side].ptr, name, (enum gate_measure)measure));
        }
        fixture_end(&f);
        for (int side = 0; side < GATE_SIDES; side++)
            gate_buf_free(&texts[side]);
    }
}

TEST(equal_sample_sets_have_equal_ids) {
    AT_END(fixture_end) struct pair_fixture f;
    begin(&f, "main;serve;leaf 3\nmain;other 1\n", "main;serve;leaf 4\nmain;other 2\n");
    const struct gate_delta *serve = &f.deltas.items[fixture_frame(&f, "serve")];
    const struct gate_delta *leaf = &f.deltas.items[fixture_frame(&f, "leaf")];
    const struct gate_delta *root = &f.deltas.items[fixture_frame(&f, "main")];
    assert_true(serve->set_id[GATE_CUMULATIVE] == leaf->set_id[GATE_CUMULATIVE]);
    assert_true(leaf->set_id[GATE_SELF] == leaf->set_id[GATE_CUMULATIVE]);
    assert_true(root->set_id[GATE_CUMULATIVE] != leaf->set_id[GATE_CUMULATIVE]);
}

TEST(a_group_counts_a_stack_once) {
    AT_END(fixture_end) struct pair_fixture f;
    struct gate_delta_list group;
    begin(&f, "main;a;b 3\nmain;b;c 4\nmain;c 5\n", "main;a 1\n");
    uint8_t *marks = GATE_NEW_ARRAY(&f.arena, uint8_t, f.pair.frame_count);
    marks[fixture_frame(&f, "a")] = marks[fixture_frame(&f, "b")] = 1;
    assert_true(gate_delta_group(&group, &f.pair, marks, NULL, &f.arena, &f.err));
    assert_int_equal(group.count, 1);
    assert_int_equal(group.items[0].value[GATE_CUMULATIVE][GATE_BASELINE], 7);
    assert_int_equal(group.items[0].value[GATE_SELF][GATE_BASELINE], 3);
    assert_int_equal(group.items[0].value[GATE_SELF][GATE_CANARY], 1);
}

TEST(under_counts_from_the_named_frame_to_the_leaf) {
    AT_END(fixture_end) struct pair_fixture f;
    struct gate_delta_list under;
    begin(&f, "main;serve;a 3\nmain;batch;a 4\n", "main;serve;a 1\n");
    uint8_t *marks = GATE_NEW_ARRAY(&f.arena, uint8_t, f.pair.frame_count);
    marks[fixture_frame(&f, "serve")] = 1;
    const struct gate_delta_filter filter = {.under = marks};
    assert_true(gate_delta_fold(&under, &f.pair, &filter, &f.arena, &f.err));
    assert_int_equal(under.items[fixture_frame(&f, "a")].value[GATE_SELF][GATE_BASELINE], 3);
    assert_int_equal(under.items[fixture_frame(&f, "serve")].value[GATE_CUMULATIVE][GATE_BASELINE], 3);
    assert_int_equal(under.items[fixture_frame(&f, "main")].value[GATE_CUMULATIVE][GATE_BASELINE], 0);
}

/* Assert that all numbers of two folds of the same pair are equal to the last bit. */
static void assert_same_fold(const struct gate_delta_list *a, const struct gate_delta_list *b) {
    for (uint32_t i = 0; i < a->count; i++)
        for (int measure = 0; measure < GATE_MEASURES; measure++) {
            assert_true(a->items[i].set_id[measure] == b->items[i].set_id[measure]);
            for (int side = 0; side < GATE_SIDES; side++)
                assert_true(a->items[i].value[measure][side] == b->items[i].value[measure][side]);
            for (uint32_t run = 0; run < a->run_count; run++) {
                const struct gate_tally *one = gate_tally_at(a, (enum gate_measure)measure, run, i);
                const struct gate_tally *two = gate_tally_at(b, (enum gate_measure)measure, run, i);
                assert_true(one->value == two->value && one->weight_sq == two->weight_sq);
            }
        }
}

/* Small stacks may be summed in multiples of a unit, if that is exact. They must give the same bits as wide stacks. */
TEST(sums_of_small_and_wide_stacks_are_identical) {
    static const struct {
        double unit_sq;
        int64_t unit_ratio;
    } rows[] = {{1.0, 1},
                {1e14, 1},
                {6.25, 1000},
                {1.0 / 3.0, 1},
                {1e14, 1000003},
                {375299968947541.0, 1}, /* 24 times this is just below 2^53 */
                {375299968947543.0, 1}};
    for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
        AT_END(fixture_end) struct pair_fixture f;
        struct gate_delta_list small, wide;
        begin(&f, "main;f;f;g;f 5\nmain;f 7\nmain;g;f 11\nmain 1\n", "main;f 13\nmain;g 3\nmain;g;f 1\n");
        for (int side = 0; side < GATE_SIDES; side++) {
            struct gate_run *run = &f.pair.sides[side].runs[0];
            assert_true(run->stacks.items == NULL);
            run->stacks.unit_sq = rows[row].unit_sq;
            run->unit_ratio = rows[row].unit_ratio;
        }
        assert_true(gate_delta_fold(&small, &f.pair, NULL, &f.arena, &f.err));
        for (int side = 0; side < GATE_SIDES; side++) {
            struct gate_stacks *stacks = &f.pair.sides[side].runs[0].stacks;
            struct gate_stack *items = GATE_NEW_ARRAY(&f.arena, struct gate_stack, stacks->count);
            for (uint32_t i = 0; i < stacks->count; i++)
                items[i] = gate_stacks_at(stacks, i);
            stacks->items = items;
        }
        assert_true(gate_delta_fold(&wide, &f.pair, NULL, &f.arena, &f.err));
        assert_same_fold(&small, &wide);
    }
}
