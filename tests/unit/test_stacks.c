/* SPDX-License-Identifier: Apache-2.0 */
/* model/stacks.h: joining equal stacks: sums, order, label filters, and what is counted before joining. */
#include "gate/base/hash.h"
#include "gate/model/stacks.h"
#include "profile_fixture.h"

#include <math.h>

static struct gate_counts_model value_model(uint32_t column) {
    return (struct gate_counts_model){.kind = GATE_COUNTS_COLUMN,
                                      .value_column = column,
                                      .count_column = 0,
                                      .size_column = GATE_NO_INDEX,
                                      .fraction = 1};
}

static void collect(struct gate_stacks *out, const struct gate_buf *bytes, const struct gate_label_filter *where,
                    struct gate_arena *arena) {
    struct gate_profile profile;
    struct gate_counts_model model = value_model(1);
    expect_load(&profile, bytes, arena);
    if (!gate_stacks_collect(out, &profile, &model, where, NULL, NULL, arena, &err))
        fail_msg("%s", err.message);
}

TEST(equal_stacks_become_one_in_order_of_appearance) {
    struct gate_buf bytes = {0}, unpacked = {0};
    struct gate_stacks stacks;
    put_types(&bytes);
    put_sample(&bytes, 2, 1, 2, 20);
    put_sample(&bytes, 1, 1, 1, 10);
    put_sample(&bytes, 2, 1, 3, 60);
    put_unpacked(&unpacked, 1, 2); /* the same stack in another encoding */
    put_unpacked(&unpacked, 1, 1);
    PACKED(&unpacked, 2, 1, 5);
    put_message(&bytes, 2, &unpacked);
    put_tables(&bytes);
    collect(&stacks, &bytes, NULL, &arena);
    assert_int_equal(stacks.count, 2);
    assert_int_equal(stacks.record_count, 4);
    assert_int_equal(stacks.total, 95);
    assert_int_equal(gate_stacks_at(&stacks, 0).value, 85);
    assert_int_equal(gate_stacks_at(&stacks, 1).value, 10);
    /* q = v^2 / c of each record: 200 + 1200 + 25, and not 85^2 / 6. */
    assert_true(gate_stacks_at(&stacks, 0).weight_sq == 200 + 1200 + 25);
    assert_true(stacks.weight_sq == 1425 + 100 && stacks.events == 7);
    assert_false(stacks.has_negative);
    gate_buf_free(&bytes);
}

TEST(many_stacks_are_all_kept_apart) {
    enum { LOCATIONS = 300, ROUNDS = 2 };
    AT_END(gate_buf_free) struct gate_buf bytes = {0};
    struct gate_stacks stacks;
    put_types(&bytes);
    for (uint64_t id = 3; id <= LOCATIONS; id++)
        put_location(&bytes, id, 1);
    for (int round = 0; round < ROUNDS; round++)
        for (uint64_t a = 1; a <= LOCATIONS; a++)
            for (uint64_t b = 1; b <= 20; b++)
                put_sample(&bytes, a, b, 1, a * 1000 + b);
    put_tables(&bytes);
    collect(&stacks, &bytes, NULL, &arena);
    assert_int_equal(stacks.count, LOCATIONS * 20);
    for (uint32_t i = 0; i < stacks.count; i++) {
        uint64_t a = i / 20 + 1, b = i % 20 + 1, id = 0;
        uint32_t at = 0;
        assert_int_equal(gate_stacks_at(&stacks, i).value, ROUNDS * (int64_t)(a * 1000 + b));
        assert_true(gate_stack_next(gate_stacks_at(&stacks, i).ref, &at, &id) && id == a);
        assert_true(gate_stack_next(gate_stacks_at(&stacks, i).ref, &at, &id) && id == b);
        assert_false(gate_stack_next(gate_stacks_at(&stacks, i).ref, &at, &id));
    }
}

/* A record of the slow reference. `ids` has the ids as digits to the base of 4, leaf first; 0 ends them. */
struct plain_stack {
    uint64_t ids;
    int64_t value;
    double weight_sq;
};

/* Append the stack of a record in one of its encodings: packed, one by one, or in two pieces. */
static void put_spelled(struct gate_buf *out, uint64_t ids, uint64_t spelling, uint64_t count, uint64_t value) {
    struct gate_buf message = {0}, packed = {0};
    bool is_first = true;
    for (; ids != 0; ids /= 4, is_first = false) {
        if (spelling == 1 || (spelling == 2 && is_first))
            put_unpacked(&message, 1, ids % 4);
        else
            gate_wire_put_varint(&packed, ids % 4);
    }
    if (packed.len != 0)
        put_message(&message, 1, &packed);
    PACKED(&message, 2, count, value);
    put_message(out, 2, &message);
}

/* Join stacks by comparing each record with all entries: slow, but obviously right. */
static size_t join_slowly(struct plain_stack *out, size_t count, const struct plain_stack *record) {
    size_t at = 0;
    while (at < count && out[at].ids != record->ids)
        at++;
    if (at == count)
        out[count++] = (struct plain_stack){.ids = record->ids};
    out[at].value += record->value;
    out[at].weight_sq += record->weight_sq;
    return count;
}

TEST(joining_agrees_with_a_slow_join) {
    enum { TRIES = 60, RECORDS = 300 };
    for (uint64_t seed = 0; seed < TRIES; seed++) {
        AT_END(gate_buf_free) struct gate_buf bytes = {0};
        struct gate_stacks stacks;
        struct plain_stack slow[RECORDS];
        size_t count = 0;
        put_types(&bytes);
        put_location(&bytes, 3, 1);
        for (uint64_t i = 0; i < RECORDS; i++) {
            uint64_t draw = gate_hash_mix(seed << 16 | i), ids = 0, depth = draw % (2 + seed % 4);
            for (uint64_t d = 0; d < depth; d++)
                ids = ids * 4 + 1 + (draw >> (8 + 2 * d)) % 3;
            uint64_t c = 1 + (draw >> 32) % 3, value = (draw >> 40) % 1000;
            put_spelled(&bytes, ids, (draw >> 60) % (1 + seed % 3), c, value);
            const struct plain_stack record = {ids, (int64_t)value, (double)value / (double)c * (double)value};
            count = join_slowly(slow, count, &record);
        }
        put_tables(&bytes);
        collect(&stacks, &bytes, NULL, &arena);
        assert_int_equal(stacks.record_count, RECORDS);
        assert_int_equal(stacks.count, count);
        for (uint32_t i = 0; i < stacks.count; i++) {
            uint64_t ids = slow[i].ids, id = 0;
            for (uint32_t at = 0; gate_stack_next(gate_stacks_at(&stacks, i).ref, &at, &id); ids /= 4)
                assert_int_equal(id, ids % 4);
            assert_int_equal(ids, 0);
            assert_int_equal(gate_stacks_at(&stacks, i).value, slow[i].value);
            assert_true(gate_stacks_at(&stacks, i).weight_sq == slow[i].weight_sq);
        }
    }
}

/* Records of a few stacks, each with one to three times `unit`. The record with index `odd` has one less. */
static void check_units(uint64_t seed, uint64_t unit, uint64_t odd, bool is_small) {
    enum { RECORDS = 200 };
    AT_END(gate_arena_free) struct gate_arena arena = {0};
    AT_END(gate_buf_free) struct gate_buf bytes = {0};
    struct gate_stacks stacks;
    struct plain_stack slow[RECORDS];
    size_t count = 0;
    put_types(&bytes);
    put_location(&bytes, 3, 1);
    for (uint64_t i = 0; i < RECORDS; i++) {
        uint64_t draw = gate_hash_mix(seed << 16 | i), ids = 0, c = draw % 4;
        for (uint64_t d = 0; d < 2 + (draw >> 4) % 3; d++)
            ids = ids * 4 + 1 + (draw >> (8 + 2 * d)) % 3;
        uint64_t value = c * unit - (i == odd);
        put_spelled(&bytes, ids, 0, c, value);
        double weight_sq = value == 0 ? 0.0 : (double)value / (double)(c == 0 ? 1 : c) * (double)value;
        const struct plain_stack record = {ids, (int64_t)value, weight_sq};
        count = join_slowly(slow, count, &record);
    }
    put_tables(&bytes);
    collect(&stacks, &bytes, NULL, &arena);
    assert_int_equal(stacks.count, count);
    assert_int_equal(stacks.small != NULL, is_small);
    assert_int_equal(stacks.items == NULL, is_small);
    for (uint32_t i = 0; i < stacks.count; i++) {
        const struct gate_stack stack = gate_stacks_at(&stacks, i);
        assert_int_equal(stack.value, slow[i].value);
        assert_true(stack.weight_sq == slow[i].weight_sq);
    }
}

TEST(stacks_of_one_unit_are_small_and_no_others) {
    for (uint64_t seed = 0; seed < 20; seed++) {
        check_units(seed, 10000000, UINT64_MAX, true);
        check_units(seed, 10101010, UINT64_MAX, true);
        check_units(seed, 1, UINT64_MAX, true);
        check_units(seed, 94906265, UINT64_MAX, false); /* the square takes all bits of a double, so sums are rounded */
        for (uint64_t i = 0; i < 200; i += 1 + seed * 3) {
            bool has_value = gate_hash_mix(seed << 16 | i) % 4 != 0;
            if (has_value)
                check_units(seed, 10000000, i, false);
        }
    }
}

static void put_labelled(struct gate_buf *out, uint64_t value, uint64_t text, uint64_t number, uint64_t unit) {
    struct gate_buf message = {0};
    PACKED(&message, 1, 1);
    PACKED(&message, 2, 1, value);
    PUT(&message, 3, {1, S_KEY}, {2, text}, {3, number}, {4, unit});
    PUT(&message, 3, {1, S_CPU}, {3, 7});
    put_message(out, 2, &message);
}

TEST(labels_filter_texts_numbers_and_units) {
    static const struct {
        const char *key, *value;
        int64_t total;
    } rows[] = {{"key", "value", 1},      {"key", "valu", 0}, {"key", "4096", 10 + 1000}, {"key", "4kB", 10},
                {"key", "4096bytes", 10}, {"key", "-3", 100}, {"cpu", "7", 1111},         {"cpu", "8", 0},
                {"nothing", "value", 0},  {"key", "", 0}};
    AT_END(gate_buf_free) struct gate_buf bytes = {0};
    put_types(&bytes);
    put_labelled(&bytes, 1, S_VALUE, 0, 0);
    put_labelled(&bytes, 10, 0, 4096, S_BYTES);
    put_labelled(&bytes, 100, 0, (uint64_t)-3, 0);
    put_labelled(&bytes, 1000, 0, 4096, 0);
    put_tables(&bytes);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct gate_stacks stacks;
        struct gate_label_match match = {gate_str_from(rows[i].key), gate_str_from(rows[i].value)};
        struct gate_label_filter where = {&match, 1};
        collect(&stacks, &bytes, &where, &arena);
        if (stacks.total != rows[i].total)
            fail_msg("%s=%s: %lld", rows[i].key, rows[i].value, (long long)stacks.total);
    }
    struct gate_stacks stacks;
    struct gate_label_match both[] = {{GATE_STR("key"), GATE_STR("value")}, {GATE_STR("cpu"), GATE_STR("7")}};
    collect(&stacks, &bytes, &(struct gate_label_filter){both, 2}, &arena);
    assert_int_equal(stacks.total, 1);
}

/* The runtime of Go writes the size of a block as bytes:65536, without a unit. */
TEST(a_number_without_unit_has_the_unit_of_its_key) {
    static const struct {
        const char *key, *value;
        int64_t total;
    } rows[] = {{"bytes", "64kB", 1}, {"bytes", "65536", 1}, {"bytes", "65536bytes", 1},
                {"bytes", "64ms", 0}, {"key", "64kB", 0},    {"key", "65536", 1}};
    AT_END(gate_buf_free) struct gate_buf bytes = {0};
    struct gate_buf message = {0};
    put_types(&bytes);
    PACKED(&message, 1, 1);
    PACKED(&message, 2, 1, 1);
    PUT(&message, 3, {1, S_BYTES}, {3, 65536});
    PUT(&message, 3, {1, S_KEY}, {3, 65536});
    put_message(&bytes, 2, &message);
    put_tables(&bytes);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct gate_stacks stacks;
        struct gate_label_match match = {gate_str_from(rows[i].key), gate_str_from(rows[i].value)};
        collect(&stacks, &bytes, &(struct gate_label_filter){&match, 1}, &arena);
        if (stacks.total != rows[i].total)
            fail_msg("%s=%s: %lld", rows[i].key, rows[i].value, (long long)stacks.total);
    }
}

TEST(sums_that_leave_64_bits_are_refused) {
    AT_END(gate_buf_free) struct gate_buf bytes = {0};
    struct gate_profile profile;
    struct gate_stacks stacks;
    struct gate_counts_model model = value_model(1);
    put_types(&bytes);
    put_sample(&bytes, 1, 1, 1, INT64_MAX);
    put_sample(&bytes, 2, 1, 1, 1);
    put_tables(&bytes);
    expect_load(&profile, &bytes, &arena);
    assert_false(gate_stacks_collect(&stacks, &profile, &model, NULL, NULL, NULL, &arena, &err));
    assert_int_equal(err.code, GATE_ERR_OVERFLOW);
    assert_non_null(strstr(err.message, "'cpu'"));
}

TEST(negative_values_and_empty_stacks_are_reported) {
    struct gate_buf bytes = {0}, empty = {0};
    struct gate_stacks stacks;
    put_types(&bytes);
    PACKED(&empty, 2, 1, (uint64_t)-4);
    put_message(&bytes, 2, &empty);
    put_sample(&bytes, 1, 1, 1, 10);
    put_tables(&bytes);
    collect(&stacks, &bytes, NULL, &arena);
    assert_true(stacks.has_negative);
    assert_int_equal(stacks.total, 6);
    assert_int_equal(gate_stacks_at(&stacks, 0).ref.len, 0);
    gate_buf_free(&bytes);
}

TEST(no_samples_are_no_stacks) {
    AT_END(gate_buf_free) struct gate_buf bytes = {0};
    struct gate_stacks stacks;
    put_types(&bytes);
    put_tables(&bytes);
    collect(&stacks, &bytes, NULL, &arena);
    assert_int_equal(stacks.count, 0);
    assert_int_equal(stacks.total, 0);
}

/* The mix weights the values of one label. Samples with other values keep their weight. */
TEST(a_mix_weighs_labels) {
    AT_END(gate_buf_free) struct gate_buf bytes = {0};
    struct gate_stacks stacks;
    struct gate_profile profile;
    struct gate_counts_model model = value_model(1);
    const struct gate_mix_part part = {gate_str_from(fixture_strings[S_VALUE]), 1.25};
    struct gate_mix mix = {gate_str_from(fixture_strings[S_KEY]), &part, 1};
    put_types(&bytes);
    put_labelled(&bytes, 8, S_VALUE, 0, 0);   /* 10: whole */
    put_labelled(&bytes, 100, S_BYTES, 0, 0); /* another value */
    put_labelled(&bytes, 1000, 0, 7, 0);      /* a number */
    put_tables(&bytes);
    expect_load(&profile, &bytes, &arena);
    assert_true(gate_stacks_collect(&stacks, &profile, &model, NULL, &mix, NULL, &arena, &err));
    assert_int_equal(stacks.total, 1110);
    assert_true(stacks.mixed == 10.0);
    struct gate_stacks without;
    assert_true(gate_stacks_collect(&without, &profile, &model, NULL, NULL, NULL, &arena, &err));
    double plain = without.weight_sq;
    assert_int_equal(without.total, 1108);
    assert_true(without.mixed == 0.0);
    assert_true(fabs(stacks.weight_sq - (plain - 64 + 100)) < 1e-9);
    mix.key = GATE_STR("another");
    assert_true(gate_stacks_collect(&stacks, &profile, &model, NULL, &mix, NULL, &arena, &err));
    assert_true(stacks.total == 1108 && stacks.mixed == 0.0 && stacks.weight_sq == plain);
}

/* A sequence of samples of count 1: half of each remains, in any order of the records. Rounding at random adds
 * variance. */
TEST(small_values_are_rounded_without_bias) {
    enum { RECORDS = 4000 };
    AT_END(gate_buf_free) struct gate_buf bytes = {0};
    struct gate_stacks stacks;
    struct gate_profile profile;
    struct gate_counts_model model = value_model(1);
    const struct gate_mix_part part = {gate_str_from(fixture_strings[S_VALUE]), 0.5};
    const struct gate_mix mix = {gate_str_from(fixture_strings[S_KEY]), &part, 1};
    put_types(&bytes);
    for (uint64_t i = 0; i < RECORDS; i++) {
        struct gate_buf message = {0};
        PACKED(&message, 1, 1 + i % 2);
        PACKED(&message, 2, 1, 1);
        PUT(&message, 3, {1, S_KEY}, {2, S_VALUE});
        put_message(&bytes, 2, &message);
    }
    put_tables(&bytes);
    expect_load(&profile, &bytes, &arena);
    assert_true(gate_stacks_collect(&stacks, &profile, &model, NULL, &mix, NULL, &arena, &err));
    assert_int_equal(stacks.count, 2);
    for (uint32_t i = 0; i < 2; i++) /* 1000 of each, with a standard deviation of 22 */
        assert_true(llabs((long long)gate_stacks_at(&stacks, i).value - 1000) < 110);
    assert_true(fabs(stacks.weight_sq - RECORDS * (0.25 + 0.25)) < 1e-9);
}
