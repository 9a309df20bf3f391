/* SPDX-License-Identifier: Apache-2.0 */
/* Choosing a sample type: as google/pprof does, and with a suggestion if the name is wrong. */
#include "gate/model/profile.h"
#include "tests/unit/unit.h"

static struct gate_value_type heap[] = {{{"alloc_objects", 13}, {"count", 5}},
                                        {{"alloc_space", 11}, {"bytes", 5}},
                                        {{"inuse_objects", 13}, {"count", 5}},
                                        {{"inuse_space", 11}, {"bytes", 5}}};
static struct gate_value_type plain[] = {{{"objects", 7}, {"count", 5}}, {{"space", 5}, {"bytes", 5}}};

TEST(names_indices_and_units_are_accepted) {
    static const struct {
        const char *wanted;
        uint32_t column;
    } rows[] = {{"", 3},      {"0", 0},           {"2", 2},       {"alloc_space", 1}, {"alloc_space/bytes", 1},
                {"space", 3}, {"space/bytes", 3}, {"objects", 2}, {"+1", 1}};
    struct gate_profile profile = {.sample_types = heap, .sample_type_count = 4};
    uint32_t column = 99;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (!gate_sample_type_find(&column, &profile, gate_str_from(rows[i].wanted), &err))
            fail_msg("'%s': %s", rows[i].wanted, err.message);
        assert_int_equal(column, rows[i].column);
    }
    struct gate_profile old = {.sample_types = plain, .sample_type_count = 2};
    assert_true(gate_sample_type_find(&column, &old, GATE_STR("inuse_objects"), &err));
    assert_int_equal(column, 0);
}

TEST(the_default_type_wins_if_it_exists) {
    struct gate_profile profile = {
        .sample_types = heap, .sample_type_count = 4, .default_sample_type = GATE_STR("alloc_space")};
    uint32_t column = 99;
    assert_true(gate_sample_type_find(&column, &profile, GATE_STR(""), &err));
    assert_int_equal(column, 1);
    profile.default_sample_type = GATE_STR("gone");
    assert_true(gate_sample_type_find(&column, &profile, GATE_STR(""), &err));
    assert_int_equal(column, 3);
}

TEST(the_first_mapping_has_the_build_id) {
    struct gate_mapping mappings[2] = {{.build_id = GATE_STR("4f2a")}, {.build_id = GATE_STR("b1b1")}};
    struct gate_profile profile = {.mappings = mappings, .mapping_count = 1};
    assert_true(gate_str_equal(gate_profile_build_id(&profile), GATE_STR("4f2a")));
    profile.mapping_count = 2;
    assert_true(gate_str_equal(gate_profile_build_id(&profile), GATE_STR("4f2a")));
    profile.mapping_count = 0;
    assert_int_equal(gate_profile_build_id(&profile).len, 0);
}

TEST(a_wrong_name_gets_the_list_and_the_nearest) {
    struct gate_profile profile = {.sample_types = heap, .sample_type_count = 4};
    uint32_t column = 99;
    assert_false(gate_sample_type_find(&column, &profile, GATE_STR("aloc_space"), &err));
    assert_int_equal(err.code, GATE_ERR_INPUT);
    assert_non_null(strstr(err.message, "alloc_objects/count, alloc_space/bytes"));
    assert_non_null(strstr(err.message, "did you mean 'alloc_space'?"));
    assert_false(gate_sample_type_find(&column, &profile, GATE_STR("alloc_space/seconds"), &err));
    assert_false(gate_sample_type_find(&column, &profile, GATE_STR("4"), &err));
    assert_non_null(strstr(err.message, "0 to 3"));
    assert_false(gate_sample_type_find(&column, &profile, GATE_STR("-1"), &err));
    profile.sample_type_count = 0;
    assert_false(gate_sample_type_find(&column, &profile, GATE_STR(""), &err));
}

TEST(memory_in_use_and_goroutines_are_levels) {
    static const char *const levels[] = {"inuse_space", "inuse_objects", "goroutine",      "goroutines", "space",
                                         "objects",     "threadcreate",  "heap-live-size", "peak_space"};
    static const char *const flows[] = {"cpu",   "alloc_space", "alloc_objects", "samples", "contentions",
                                        "delay", "wall",        "inuse",         "spaces",  ""};
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++)
        assert_true(gate_sample_type_is_level(gate_str_from(levels[i])));
    for (size_t i = 0; i < sizeof flows / sizeof *flows; i++)
        assert_false(gate_sample_type_is_level(gate_str_from(flows[i])));
}
