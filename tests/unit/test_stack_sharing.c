/* SPDX-License-Identifier: Apache-2.0 */
/* Rewriting samples in place: whoever walks them sees what they were, however they are written, and equal stacks that
 * are long enough stand at one place. */
#include "gate/model/in_place.h"
#include "profile_fixture.h"

#include "gate/base/hash.h"
#include "gate/formats/pprof.h"
#include "gate/model/stacks.h"

enum { LOCATIONS = 300 };

/* How a sample is written: ids first and packed, as nearly all writers do; or in another way. */
enum spelling { PLAIN, VALUES_FIRST, ONE_BY_ONE, IN_TWO_PIECES, LONG_LENGTH, SPELLINGS };

static void put_ids(struct gate_buf *message, const uint64_t *ids, size_t count, enum spelling spelling) {
    struct gate_buf packed = {0};
    size_t first = spelling == IN_TWO_PIECES ? count / 2 : 0;
    for (size_t i = 0; i < count && spelling == ONE_BY_ONE; i++)
        put_unpacked(message, 1, ids[i]);
    if (spelling == ONE_BY_ONE)
        return;
    if (first > 0)
        put_packed(message, 1, ids, first);
    for (size_t i = first; i < count; i++)
        gate_wire_put_varint(&packed, ids[i]);
    if (spelling == LONG_LENGTH && packed.len < 128) {
        gate_buf_char(message, 0x0A);
        gate_buf_char(message, (char)(0x80 | packed.len));
        gate_buf_char(message, 0);
        gate_buf_str(message, gate_buf_view(&packed));
        gate_buf_free(&packed);
        return;
    }
    put_message(message, 1, &packed);
}

/* One of a few stacks, from none to `depth_most` locations deep, with values and at times a label and a field that
 * nobody knows. */
static void put_drawn(struct gate_buf *out, uint64_t draw, uint64_t stacks, size_t depth_most, enum spelling spelling) {
    struct gate_buf message = {0};
    uint64_t ids[128], stack = gate_hash_mix(draw) % stacks;
    size_t depth = gate_hash_mix(stack << 8) % (depth_most + 1);
    for (size_t i = 0; i < depth; i++)
        ids[i] = 1 + gate_hash_mix(stack << 8 | i) % LOCATIONS;
    if (spelling == VALUES_FIRST)
        PACKED(&message, 2, 1, draw % 1000);
    put_ids(&message, ids, depth, spelling);
    if (spelling != VALUES_FIRST)
        PACKED(&message, 2, 1, draw % 1000);
    if (draw >> 20 & 1)
        PUT(&message, 3, {1, S_KEY}, {2, S_VALUE});
    if (draw >> 21 & 1)
        put_unpacked(&message, 9, draw);
    if (draw >> 22 & 1)
        PUT(&message, 3, {1, S_CPU}, {3, draw % 77}, {4, S_BYTES});
    put_message(out, 2, &message);
}

static void expect_same_labels(const struct gate_sample_cursor *a, const struct gate_sample_cursor *b) {
    struct gate_label_walk walks[2] = {gate_labels_of(a), gate_labels_of(b)};
    struct gate_label labels[2];
    while (gate_labels_next(&walks[0], &labels[0])) {
        assert_true(gate_labels_next(&walks[1], &labels[1]));
        assert_true(gate_str_equal(labels[0].key, labels[1].key) && gate_str_equal(labels[0].text, labels[1].text));
        assert_true(labels[0].number == labels[1].number);
    }
    assert_false(gate_labels_next(&walks[1], &labels[1]));
}

/* Both walks see the same, twice: the first one changes nothing. */
static void expect_same_samples(const struct gate_profile *a, const struct gate_profile *b) {
    for (int round = 0; round < 2; round++) {
        struct gate_sample_cursor cursors[2];
        struct gate_sample samples[2];
        struct gate_error err = {0};
        gate_sample_begin(&cursors[0], a);
        gate_sample_begin(&cursors[1], b);
        while (gate_sample_next(&cursors[0], &samples[0], &err)) {
            assert_true(gate_sample_next(&cursors[1], &samples[1], &err));
            assert_int_equal(samples[0].stack.len, samples[1].stack.len);
            assert_memory_equal(samples[0].stack.ids, samples[1].stack.ids, samples[0].stack.len);
            assert_int_equal(samples[0].value_count, samples[1].value_count);
            assert_memory_equal(samples[0].values, samples[1].values, samples[0].value_count * sizeof(int64_t));
            assert_int_equal(samples[0].label_count, samples[1].label_count);
            expect_same_labels(&cursors[0], &cursors[1]);
        }
        assert_false(gate_sample_next(&cursors[1], &samples[1], &err));
        assert_int_equal(err.code, GATE_OK);
        gate_sample_end(&cursors[0]);
        gate_sample_end(&cursors[1]);
    }
}

static void expect_same_joined(const struct gate_profile *a, const struct gate_profile *b,
                               const struct gate_label_filter *where, const struct gate_resample *resample,
                               struct gate_arena *arena) {
    const struct gate_counts_model model = {
        .kind = GATE_COUNTS_COLUMN, .value_column = 1, .size_column = GATE_NO_INDEX, .fraction = 1};
    struct gate_stacks stacks[2];
    struct gate_error err = {0};
    assert_true(gate_stacks_collect(&stacks[0], a, &model, where, NULL, resample, arena, &err));
    assert_true(gate_stacks_collect(&stacks[1], b, &model, where, NULL, resample, arena, &err));
    assert_int_equal(stacks[0].count, stacks[1].count);
    for (uint32_t i = 0; i < stacks[0].count; i++) {
        const struct gate_stack one = gate_stacks_at(&stacks[0], i), other = gate_stacks_at(&stacks[1], i);
        assert_int_equal(one.ref.len, other.ref.len);
        assert_memory_equal(one.ref.ids, other.ref.ids, one.ref.len);
        assert_true(one.value == other.value && one.weight_sq == other.weight_sq);
    }
}

/* Of all samples; and where some are left out, among them the first of their stack. */
static void expect_same_stacks(const struct gate_profile *a, const struct gate_profile *b, struct gate_arena *arena) {
    const struct gate_label_match match = {GATE_STR("key"), GATE_STR("value")};
    const struct gate_label_filter where = {&match, 1};
    float *factors = gate_arena_alloc(arena, (a->sample_count + 1) * sizeof *factors);
    assert_non_null(factors);
    for (uint64_t i = 0; i < a->sample_count; i++)
        factors[i] = 0.5F;
    const struct gate_resample resample = {factors, a->sample_count, 7};
    expect_same_joined(a, b, NULL, NULL, arena);
    expect_same_joined(a, b, &where, NULL, arena);
    expect_same_joined(a, b, NULL, &resample, arena);
}

struct drawing {
    size_t samples, depth_most;
    uint64_t stacks;
    uint32_t spellings; /* the first so many */
    size_t gap;         /* samples between tables, which stand among them; 0: none does */
};

static void profile_draw(struct gate_buf *out, const struct drawing *drawing, uint64_t seed) {
    put_types(out);
    for (size_t i = 0; i < drawing->samples; i++) {
        uint64_t draw = gate_hash_mix(seed << 32 | i);
        put_drawn(out, draw, drawing->stacks, drawing->depth_most, (enum spelling)((draw >> 30) % drawing->spellings));
        if (drawing->gap != 0 && i % drawing->gap == 0)
            put_location(out, LOCATIONS + 1 + i, 1);
    }
    for (uint64_t id = 3; id <= LOCATIONS; id++)
        put_location(out, id, 1);
    put_tables(out);
}

enum sharing { REFUSED, APART, UNIQUE };

/* The profile that is read from bytes of its own is the same as the usual one. `arena_limit` 0: none. */
static enum sharing check(const struct drawing *drawing, uint64_t seed, size_t arena_limit) {
    struct gate_arena arena = {0}, limited = {.limit_bytes = arena_limit};
    struct gate_error err = {0};
    struct gate_buf bytes = {0};
    struct gate_profile usual, own;
    profile_draw(&bytes, drawing, seed);
    expect_load(&usual, &bytes, &arena);
    uint8_t *copy = gate_arena_alloc(&arena, bytes.len);
    assert_non_null(copy);
    memcpy(copy, bytes.ptr, bytes.len);
    bool ok = gate_pprof_decode_own(
        &own, copy, bytes.len,
        &(struct gate_limits){.samples = 1 << 20, .depth = 1 << 14, .lines = 99, .labels = 99, .strings = 99}, &limited,
        &err);
    if (!ok && err.code == GATE_ERR_LIMIT) {
        gate_buf_free(&bytes);
        gate_arena_free(&limited);
        gate_arena_free(&arena);
        return REFUSED;
    }
    if (!ok)
        fail_msg("%s", err.message);
    assert_true(own.has_shared_stacks && !usual.has_shared_stacks);
    assert_int_equal(own.sample_count, drawing->samples);
    expect_same_samples(&usual, &own);
    expect_same_stacks(&usual, &own, &arena);
    enum sharing sharing = own.has_unique_stacks ? UNIQUE : APART;
    gate_buf_free(&bytes);
    gate_arena_free(&limited);
    gate_arena_free(&arena);
    return sharing;
}

static void samples_are_seen_as_they_were(void **state) {
    static const struct drawing drawings[] = {
        {0, 1, 1, 1, 0},     {1, 60, 1, 1, 0},      {2, 60, 1, 1, 0},       {33, 60, 2, 1, 0},
        {500, 40, 20, 1, 0}, {500, 100, 90, 1, 70}, {4000, 20, 3000, 1, 0}, {500, 30, 5, 1, 1},
    };
    (void)state;
    for (size_t i = 0; i < sizeof drawings / sizeof *drawings; i++)
        for (uint64_t seed = 0; seed < 20; seed++)
            assert_int_equal(check(&drawings[i], seed, 0), UNIQUE);
}

/* Without memory for the table of stacks the profile is read all the same. */
static void without_memory_stacks_stay_apart(void **state) {
    const struct drawing drawing = {4000, 60, 3000, 1, 0};
    uint32_t seen[UNIQUE + 1] = {0};
    (void)state;
    for (size_t limit = 1024; limit < 128 * 1024; limit += 1024)
        seen[check(&drawing, 3, limit)]++;
    assert_true(seen[REFUSED] > 0 && seen[APART] > 0 && seen[UNIQUE] > 0);
}

static void other_spellings_are_left_and_stacks_not_unique_then(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 60; seed++) {
        const struct drawing drawing = {300, 60, 1 + seed, SPELLINGS, seed % 3 * 50};
        enum sharing sharing = check(&drawing, seed, 0);
        assert_true(sharing == APART || seed == 0); /* of one stack, which may be a short one */
    }
}

static void equal_stacks_stand_at_one_place_and_what_is_left_over_is_not_read(void **state) {
    enum { SAMPLES = 60000 };
    const struct drawing drawing = {SAMPLES, 120, 10, 1, 0};
    struct gate_arena arena = {0};
    struct gate_error err = {0};
    struct gate_buf bytes = {0};
    struct gate_profile profile;
    struct gate_sample_cursor cursor;
    struct gate_sample sample;
    size_t walked = 0;
    (void)state;
    profile_draw(&bytes, &drawing, 1);
    uint8_t *copy = gate_arena_resize(&arena, NULL, 0, bytes.len);
    assert_non_null(copy);
    memcpy(copy, bytes.ptr, bytes.len);
    assert_true(gate_profile_load_own(&profile, copy, bytes.len, NULL, &arena, &err));
    assert_true(profile.has_unique_stacks);
    gate_sample_begin(&cursor, &profile);
    while (gate_sample_next(&cursor, &sample, &err)) {
        walked = cursor.at;
        assert_in_range((uintptr_t)sample.stack.ids, (uintptr_t)copy, (uintptr_t)copy + bytes.len / 10);
    }
    gate_sample_end(&cursor);
    assert_true(walked < bytes.len / 3);
    for (size_t at = walked + 8192; at < bytes.len / 2; at += 4096) /* nothing is read there */
        copy[at] = 0xFF;
    struct gate_profile usual;
    expect_load(&usual, &bytes, &arena);
    expect_same_samples(&usual, &profile);
    gate_buf_free(&bytes);
    gate_arena_free(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_are_seen_as_they_were),
        cmocka_unit_test(without_memory_stacks_stay_apart),
        cmocka_unit_test(other_spellings_are_left_and_stacks_not_unique_then),
        cmocka_unit_test(equal_stacks_stand_at_one_place_and_what_is_left_over_is_not_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
