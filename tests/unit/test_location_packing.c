/* SPDX-License-Identifier: Apache-2.0 */
/* model/location.h: about half of a profile's bytes, which contained its locations, are released in whole pages. The
 * rest is still a profile whose other fields can be read. test_location.c tests the locations. */
#include "gate/model/location.h"
#include "profile_fixture.h"

#include "gate/model/sample.h"

enum { LOCATIONS = 60000, PAGE = 4096 };

/* Write a profile whose locations have the usual fields: an id, a mapping, an address, a line. */
static void put_usual(struct gate_buf *bytes) {
    put_types(bytes);
    PUT(bytes, 3, {1, 1}, {2, 0x400000});
    for (uint64_t i = 1; i <= LOCATIONS; i++) {
        struct gate_buf message = {0};
        gate_wire_put_number(&message, 1, i);
        gate_wire_put_number(&message, 2, 1);
        gate_wire_put_number(&message, 3, 0x400000 + i * 16);
        PUT(&message, 4, {1, 1}, {2, i % 500 + 1});
        put_message(bytes, 4, &message);
    }
    put_sample(bytes, LOCATIONS, 1, 3, 30);
    put_function(bytes, 1, S_MAIN);
    put_strings(bytes);
}

static void half_of_the_bytes_are_given_back(void **state) {
    struct gate_buf bytes = {0};
    struct gate_arena arena = {0};
    struct gate_error err = {0};
    struct gate_limits limits = gate_limits_default();
    struct gate_profile own;
    struct gate_sample_cursor cursor;
    struct gate_sample sample;
    size_t zero = 0, run = 0;
    (void)state;
    put_usual(&bytes);
    uint8_t *copy = gate_arena_alloc(&arena, bytes.len);
    assert_non_null(copy);
    memcpy(copy, bytes.ptr, bytes.len);
    assert_true(gate_profile_load_own(&own, copy, bytes.len, &limits, &arena, &err));
    for (size_t i = 0; i < bytes.len; i++) {
        run = copy[i] == 0 ? run + 1 : 0;
        zero += run == PAGE ? PAGE : run > PAGE;
    }
    assert_in_range(zero, bytes.len * 35 / 100, bytes.len * 60 / 100);
    gate_sample_begin(&cursor, &own);
    assert_true(gate_sample_next(&cursor, &sample, &err));
    assert_int_equal(sample.values[1], 30);
    assert_false(gate_sample_next(&cursor, &sample, &err));
    gate_sample_end(&cursor);
    assert_int_equal(err.code, GATE_OK);
    gate_buf_free(&bytes);
    gate_arena_free(&arena);
}

static void a_gap_is_one_field_of_any_size(void **state) {
    static const size_t sizes[] = {6, 7, 133, 134, 20000};
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        uint8_t *bytes = malloc(sizes[i] + 2);
        struct gate_wire_field field;
        assert_non_null(bytes);
        memset(bytes, 0xFF, sizes[i]);
        bytes[sizes[i]] = 0x48; /* a number field after the gap */
        bytes[sizes[i] + 1] = 5;
        gate_byte_gap_make(bytes, bytes + sizes[i], bytes + GATE_BYTE_GAP_LEAST);
        struct gate_wire wire = {bytes, bytes + sizes[i] + 2};
        assert_true(gate_wire_next(&wire, &field));
        assert_int_equal(field.type, GATE_WIRE_BYTES);
        assert_true(gate_wire_next(&wire, &field));
        assert_int_equal(field.value, 5);
        assert_ptr_equal(wire.at, wire.end);
        free(bytes);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(half_of_the_bytes_are_given_back),
        cmocka_unit_test(a_gap_is_one_field_of_any_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
