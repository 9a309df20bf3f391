/* SPDX-License-Identifier: Apache-2.0 */
/* model/location.h: locations are read back as written, whether they are read in place or kept in a list. They have any
 * number of lines, fields in any order, unknown fields, and ids in order or not. */
#include "gate/model/location.h"
#include "profile_fixture.h"

#include "gate/base/hash.h"

enum { LOCATIONS = 300, FUNCTIONS = 5, MAPPINGS = 3, LINES_MOST = 40, STRAY_FIELD = 9 };

/* A random location. The id of a function or mapping is its index + 1. */
struct drawn {
    uint64_t id, address;
    uint64_t mapping; /* 0: none; above MAPPINGS: a mapping that does not exist */
    uint32_t line_count;
    uint64_t functions[LINES_MOST], numbers[LINES_MOST], columns[LINES_MOST];
};

static uint64_t draw(uint64_t *seed, uint64_t below) {
    return gate_hash_mix((*seed)++) % below;
}

static struct drawn location_draw(uint32_t index, uint64_t seed, bool in_order) {
    struct drawn d = {.id = in_order ? index + 1 : (uint64_t)(index * 2 + 1) << seed % 40};
    seed = gate_hash_mix(seed << 20 | index) << 8;
    d.address = draw(&seed, 3) == 0 ? 0 : gate_hash_mix(seed++) >> draw(&seed, 64);
    d.mapping = draw(&seed, MAPPINGS + 2);
    d.line_count = (uint32_t)(draw(&seed, 4) == 0 ? draw(&seed, LINES_MOST) : draw(&seed, 4));
    for (uint32_t i = 0; i < d.line_count; i++) {
        d.functions[i] = 1 + draw(&seed, FUNCTIONS);
        d.numbers[i] = gate_hash_mix(seed++) >> (1 + draw(&seed, 63));
        d.columns[i] = draw(&seed, 200);
    }
    return d;
}

static void put_drawn(struct gate_buf *out, const struct drawn *d, uint64_t seed) {
    struct gate_buf message = {0};
    uint64_t first = draw(&seed, 4), strays = draw(&seed, 3);
    for (uint64_t step = 0; step < 4; step++) {
        uint64_t field = 1 + (first + step) % 4;
        if (strays == 0)
            gate_wire_put_bytes(&message, STRAY_FIELD, gate_str_from("a field that is not told of"));
        if (field == 1)
            gate_wire_put_number(&message, 1, d->id);
        else if (field == 2)
            gate_wire_put_number(&message, 2, d->mapping);
        else if (field == 3)
            gate_wire_put_number(&message, 3, d->address);
        for (uint32_t i = 0; field == 4 && i < d->line_count; i++)
            PUT(&message, 4, {2, d->numbers[i]}, {1, d->functions[i]}, {3, d->columns[i]});
    }
    put_message(out, 4, &message);
}

static void expect_line(const struct drawn *d, uint32_t index, const struct gate_line *line) {
    assert_int_equal(line->function + 1, d->functions[index]);
    assert_true(line->line == (int64_t)d->numbers[index]);
    assert_int_equal(line->column, d->columns[index]);
}

static void expect_drawn(const struct gate_profile *profile, const struct drawn *d) {
    uint32_t index = gate_location_find(profile, d->id), lines = 0;
    assert_int_not_equal(index, GATE_NO_INDEX);
    struct gate_location location = gate_location_at(profile, index);
    struct gate_line_walk walk = gate_location_lines(profile, &location);
    assert_true(location.address == d->address);
    assert_int_equal(location.mapping, d->mapping == 0 || d->mapping > MAPPINGS ? GATE_NO_INDEX : d->mapping - 1);
    assert_int_equal(location.line_count, d->line_count);
    assert_int_equal(gate_location_frames(profile, index), d->line_count == 0 ? 1 : d->line_count);
    assert_int_equal(gate_location_leaf(profile, &location), d->line_count == 0 ? GATE_NO_INDEX : d->functions[0] - 1);
    for (struct gate_line line; gate_line_next(&walk, &line); lines++) {
        struct gate_line same = gate_location_line(profile, &location, lines);
        expect_line(d, lines, &line);
        expect_line(d, lines, &same);
    }
    assert_int_equal(lines, d->line_count);
    struct gate_line one;
    uint32_t mapping = 0;
    if (gate_location_one(&mapping, &one, profile, index)) {
        assert_int_equal(d->line_count, 1);
        assert_int_equal(mapping, location.mapping);
        expect_line(d, 0, &one);
    } else {
        assert_true(d->line_count != 1 || location.lines_in == GATE_LINES_KEPT);
    }
}

static void expect_all(const struct gate_profile *profile, uint64_t seed, bool in_order) {
    uint32_t most = 1;
    assert_int_equal(profile->location_count, LOCATIONS);
    assert_int_equal(profile->location_index.in_order, in_order ? LOCATIONS : 0);
    assert_in_range(profile->held_count, LOCATIONS / 10, LOCATIONS - LOCATIONS / 10);
    for (uint32_t i = 0; i < LOCATIONS; i++) {
        struct drawn d = location_draw(i, seed, in_order);
        most = d.line_count > most ? d.line_count : most;
        expect_drawn(profile, &d);
    }
    assert_int_equal(profile->most_lines, most);
}

/* Write random locations and check that they are read back. Before `apart` percent of them a function is written. */
static void check(uint64_t seed, bool in_order, uint32_t apart) {
    AT_END(gate_buf_free) struct gate_buf bytes = {0};
    AT_END(gate_arena_free) struct gate_arena arena = {0};
    struct gate_profile profile;
    put_types(&bytes);
    for (uint64_t i = 1; i <= MAPPINGS; i++)
        PUT(&bytes, 3, {1, i}, {2, i << 12});
    for (uint64_t i = 1; i <= FUNCTIONS; i++)
        put_function(&bytes, i, S_MAIN);
    for (uint32_t i = 0; i < LOCATIONS; i++) {
        struct drawn d = location_draw(i, seed, in_order);
        if (gate_hash_mix(seed << 32 | i) % 100 < apart)
            put_function(&bytes, FUNCTIONS + i + 1, S_MAIN);
        put_drawn(&bytes, &d, seed + i);
    }
    put_strings(&bytes);
    expect_load(&profile, &bytes, &arena);
    expect_all(&profile, seed, in_order);
}

TEST(locations_are_read_as_written) {
    for (uint64_t seed = 0; seed < 40; seed++)
        check(seed, seed % 2 == 0, seed % 3 * 20);
}

/* Varints of tags and lengths may be longer than necessary. */
TEST(a_length_of_any_spelling_is_found) {
    static const char long_location[] = "\xA2\x80\x00\x88\x80\x00\x08\x03\x18\x07\x22\x02\x08\x02";
    AT_END(gate_buf_free) struct gate_buf bytes = {0};
    struct gate_profile profile;
    put_profile(&bytes);
    gate_buf_bytes(&bytes, long_location, sizeof long_location - 1);
    expect_load(&profile, &bytes, &arena);
    struct gate_location location = gate_location_at(&profile, 2);
    assert_true(location.address == 7 && location.line_count == 1);
    assert_int_equal(gate_location_leaf(&profile, &location), 1);
}

/* Locations that do not fit into the bits of a place are kept in the list `locations`. */
TEST(locations_too_long_for_a_place_are_kept_in_a_list) {
    uint8_t places[2 * GATE_LOCATION_PLACE_BYTES] = {0};
    struct gate_location held = {.address = 77, .line_count = 3};
    struct gate_profile profile = {.location_places = places, .locations = &held, .location_count = 2};
    profile.bytes.len = (size_t)1 << 34;
    assert_true(gate_location_is_short(&profile, 15, 96));
    assert_false(gate_location_is_short(&profile, 16, 96));
    assert_false(gate_location_is_short(&profile, 15, 97));
    gate_location_put(&profile, 0, (UINT64_C(1) << 34) - 1, 15);
    gate_location_put_held(&profile, 1, 0);
    assert_int_equal(gate_location_frames(&profile, 0), 15);
    assert_int_equal(gate_location_at(&profile, 1).address, 77);
    assert_int_equal(gate_location_frames(&profile, 1), 3);
    profile.bytes.len++;
    assert_false(gate_location_is_short(&profile, 15, 96));
}
