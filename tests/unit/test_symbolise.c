/* SPDX-License-Identifier: Apache-2.0 */
/* symbols/symbolise.h: adding names to a profile without names: what changes and what stays. tests/symbols tests
 * binaries. */
#include "profile_fixture.h"

#include "gate/model/incomplete_stacks.h"
#include "gate/model/location.h"
#include "gate/model/sample.h"
#include "gate/names/inspection.h"
#include "gate/symbols/demangle.h"
#include "gate/symbols/symbolise.h"

/* Location 1 is main.main, 3 a bare address, 4 a function with its address as name, and 5 is in no mapping. */
static void put_bare(struct gate_buf *out) {
    put_types(out);
    put_sample(out, 3, 1, 3, 30);
    put_sample(out, 4, 3, 1, 10);
    put_sample(out, 3, 5, 1, 10);
    PUT(out, 3, {1, 1}, {2, 0x1000}, {3, 0x2000}, {5, S_STRINGS + 1});
    put_location(out, 1, 1);
    PUT(out, 4, {1, 3}, {2, 1}, {3, 0x1010});
    struct gate_buf message = {0};
    gate_wire_put_number(&message, 1, 4);
    gate_wire_put_number(&message, 2, 1);
    gate_wire_put_number(&message, 3, 0x1020);
    PUT(&message, 4, {1, 3});
    put_message(out, 4, &message);
    PUT(out, 4, {1, 5}, {3, 0x9000});
    put_function(out, 1, S_MAIN);
    PUT(out, 5, {1, 3}, {2, S_STRINGS});
    PUT(out, 5, {1, 4}, {2, S_STRINGS + 2});
    put_strings(out);
    gate_wire_put_bytes(out, 6, GATE_STR("0x1020"));
    gate_wire_put_bytes(out, 6, GATE_STR("//anon"));
    gate_wire_put_bytes(out, 6, GATE_STR("_ZN4shop5orderEm"));
}

static struct gate_str name_of(const struct gate_profile *profile, uint64_t id) {
    const struct gate_location location = gate_location_at(profile, gate_location_find(profile, id));
    uint32_t function = gate_location_leaf(profile, &location);
    return function == GATE_NO_INDEX ? GATE_STR("") : profile->functions[function].name;
}

struct world {
    struct gate_arena arena;
    struct gate_buf bytes;
    struct gate_profile profile;
    struct gate_symbol_source source;
};

static void world_open(struct world *world) {
    *world = (struct world){0};
    put_bare(&world->bytes);
    expect_load(&world->profile, &world->bytes, &world->arena);
    gate_symbol_source_init(&world->source, &world->arena);
}

static void world_close(struct world *world) {
    gate_buf_free(&world->bytes);
    gate_arena_free(&world->arena);
}

TEST(without_symbol_files_names_are_only_demangled) {
    struct world world;
    struct gate_profile out;
    world_open(&world);
    assert_true(gate_symbolise(&out, &world.profile, &world.source, &world.arena, &err));
    assert_ptr_equal(out.location_places, world.profile.location_places);
    assert_int_equal(out.function_count, 3);
    if (gate_demangle_is_built()) {
        assert_true(gate_str_equal(out.functions[2].name, GATE_STR("shop::order")));
        assert_true(gate_str_equal(out.functions[2].system_name, GATE_STR("_ZN4shop5orderEm")));
    }
    assert_true(gate_str_equal(world.profile.functions[2].name, GATE_STR("_ZN4shop5orderEm")));
    world_close(&world);
}

TEST(addresses_get_names) {
    struct world world;
    struct gate_profile out;
    world_open(&world);
    assert_true(gate_perf_map_read(&world.source.map, GATE_STR("1010 20 order\n0 1000 none\n"), &world.arena, &err));
    assert_true(gate_symbolise(&out, &world.profile, &world.source, &world.arena, &err));
    assert_true(gate_str_equal(name_of(&out, 1), GATE_STR("main.main"))); /* which has a name keeps it */
    assert_true(gate_str_equal(name_of(&out, 3), GATE_STR("order")));
    assert_true(gate_str_equal(name_of(&out, 4), GATE_STR("order")));
    assert_int_equal(name_of(&out, 5).len, 0);
    assert_int_equal(out.function_count, world.profile.function_count + 1); /* one function for all its locations */
    assert_int_equal(name_of(&world.profile, 3).len, 0);
    assert_int_equal(out.sample_count, 3);
    world_close(&world);
}

TEST(every_arena_limit_is_an_error) {
    struct world world;
    bool was_full = false, was_whole = false;
    world_open(&world);
    for (size_t limit = 8; limit < 16384; limit += 64) {
        AT_END(gate_arena_free) struct gate_arena arena;
        struct gate_symbol_source source;
        struct gate_profile out;
        struct gate_error err = {0};
        gate_arena_init(&arena, limit);
        gate_symbol_source_init(&source, &arena);
        bool ok = gate_perf_map_read(&source.map, GATE_STR("1010 20 order\n"), &arena, &err) &&
                  gate_symbolise(&out, &world.profile, &source, &arena, &err);
        assert_true(ok || err.code == GATE_ERR_LIMIT);
        was_full |= !ok;
        was_whole |= ok;
    }
    assert_true(was_full && was_whole);
    world_close(&world);
}

TEST(mappings_list_what_is_missing) {
    struct world world;
    struct gate_mapping_names names;
    world_open(&world);
    assert_true(gate_mapping_names_look(&names, &world.profile, 0, &world.arena, &err));
    assert_true(names.has_unnamed);
    assert_int_equal(names.count, 2); /* and main.main has no address */
    assert_true(gate_str_equal(names.items[0].file, GATE_STR("//anon")));
    assert_int_equal(names.items[0].locations, 2);
    assert_int_equal(names.items[0].unnamed, 2);
    assert_true(names.items[0].share > 0.999 && names.items[0].named == 0.0);
    assert_int_equal(names.items[1].file.len, 0);
    world_close(&world);
}

TEST(kinds_of_broken_stacks_are_distinguished) {
    struct world world;
    struct gate_sample_cursor cursor;
    struct gate_sample sample;
    enum gate_unwinding found[3];
    world_open(&world);
    gate_sample_begin(&cursor, &world.profile);
    for (int i = 0; i < 3; i++) {
        assert_true(gate_sample_next(&cursor, &sample, &err));
        found[i] = gate_unwinding_look(&world.profile, sample.stack);
    }
    gate_sample_end(&cursor);
    assert_int_equal(found[0], GATE_UNWINDING_WHOLE);
    assert_int_equal(found[1], GATE_UNWINDING_WHOLE); /* no name, but a mapping with a file: symbols are missing */
    assert_int_equal(found[2], GATE_UNWINDING_LOST);
    const uint8_t alone[] = {3};
    assert_int_equal(gate_unwinding_look(&world.profile, (struct gate_stack_ref){alone, 1}), GATE_UNWINDING_ALONE);
    assert_int_equal(gate_unwinding_look(&world.profile, (struct gate_stack_ref){alone, 0}), GATE_UNWINDING_WHOLE);
    world_close(&world);
}
