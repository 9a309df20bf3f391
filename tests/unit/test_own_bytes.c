/* SPDX-License-Identifier: Apache-2.0 */
/* gate_own_bytes_spend frees all of a profile's bytes but the strings, wherever in the profile those are. */
#include "gate/model/profile.h"
#include "gate/model/sample.h"
#include "tests/unit/profile_fixture.h"

enum { SAMPLES = 40000, MORE_LOCATIONS = 10000 };

/* Load a profile with strings before or after many samples, from bytes that the profile owns or does not own. */
static void load(struct gate_profile *out, struct gate_buf *bytes, bool are_first, bool is_own,
                 struct gate_arena *arena) {
    struct gate_error err = {0};
    put_types(bytes);
    if (are_first)
        put_tables(bytes);
    for (uint64_t i = 0; i < MORE_LOCATIONS; i++)
        put_location(bytes, 3 + i, 2);
    for (uint64_t i = 0; i < SAMPLES; i++)
        put_sample(bytes, 2, 1, 1 + i % 3, 10 + i % 3 * 10);
    if (!are_first)
        put_tables(bytes);
    if (!is_own) {
        expect_load(out, bytes, arena);
        return;
    }
    uint8_t *copy = gate_arena_alloc(arena, bytes->len);
    assert_non_null(copy);
    memcpy(copy, bytes->ptr, bytes->len);
    if (!gate_profile_load(out, (struct gate_str){(const char *)copy, bytes->len}, NULL, arena, &err))
        fail_msg("%s", err.message);
    assert_true(gate_own_bytes_note(out, copy, arena));
}

/* Count the bytes in whole pages of zeros. */
static size_t zeros(const void *block, size_t len) {
    const uint8_t *bytes = block;
    size_t page = (size_t)sysconf(_SC_PAGESIZE), run = 0, all = 0;
    for (size_t i = 0; i < len; i++) {
        run = bytes[i] == 0 ? run + 1 : 0;
        all += run == page ? page : run > page;
    }
    return all;
}

static void all_but_strings_is_given_back(void **state) {
    const bool *are_first = *state;
    AT_END(gate_buf_free) struct gate_buf bytes = {0};
    AT_END(gate_arena_free) struct gate_arena arena = {0};
    struct gate_profile profile;
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    load(&profile, &bytes, *are_first, true, &arena);
    const size_t places = (size_t)profile.location_count * GATE_LOCATION_PLACE_BYTES;
    assert_int_equal(zeros(profile.location_places, places), 0);
    assert_false(gate_profile_is_spent(&profile));
    const struct gate_profile copy = profile; /* a second holder of the same bytes */
    for (int time = 0; time < 2; time++)
        gate_own_bytes_spend(&profile);
    assert_true(gate_profile_is_spent(&profile));
    assert_true(gate_profile_is_spent(&copy));
    assert_in_range(zeros(profile.bytes.ptr, bytes.len), bytes.len - 3 * page, bytes.len);
    assert_in_range(zeros(profile.location_places, places), places - 2 * page, places);
    assert_true(gate_str_equal(profile.functions[0].name, GATE_STR("main.main")));
    assert_true(gate_str_equal(profile.functions[1].file, GATE_STR("a.go")));
    assert_true(gate_str_equal(profile.sample_types[1].unit, GATE_STR("nanoseconds")));
}

static void the_bytes_of_others_stay(void **state) {
    AT_END(gate_buf_free) struct gate_buf bytes = {0};
    AT_END(gate_arena_free) struct gate_arena arena = {0};
    struct gate_profile profile;
    AT_END(gate_sample_end) struct gate_sample_cursor cursor;
    struct gate_sample sample;
    struct gate_error err = {0};
    load(&profile, &bytes, false, false, &arena);
    gate_own_bytes_spend(&profile);
    assert_false(gate_profile_is_spent(&profile));
    assert_int_equal(zeros(profile.bytes.ptr, bytes.len), 0);
    gate_sample_begin(&cursor, &profile);
    for (int i = 0; i < SAMPLES; i++)
        assert_true(gate_sample_next(&cursor, &sample, &err));
}

int main(void) {
    static bool first = true, last = false;
    const struct CMUnitTest tests[] = {
        {"all but strings behind samples is given back", all_but_strings_is_given_back, NULL, NULL, &last},
        {"all but strings before samples is given back", all_but_strings_is_given_back, NULL, NULL, &first},
        cmocka_unit_test(the_bytes_of_others_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
