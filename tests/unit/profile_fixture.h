/* SPDX-License-Identifier: Apache-2.0 */
/* Small pprof profiles written field by field, so that tests choose every byte. */
#ifndef TESTS_PROFILE_FIXTURE_H
#define TESTS_PROFILE_FIXTURE_H

#include "gate/formats/format.h"
#include "gate/model/wire.h"
#include "sweep.h"
#include "tests/unit/unit.h"

/* Indices in the string table of every profile; index 0 is "". */
enum {
    S_EMPTY,
    S_SAMPLES,
    S_COUNT,
    S_CPU,
    S_NANOSECONDS,
    S_MAIN,
    S_LEAF,
    S_FILE,
    S_KEY,
    S_VALUE,
    S_BYTES,
    S_BASE,
    S_TRUE,
    S_STRINGS
};

static const char *const fixture_strings[S_STRINGS] = {"",          "samples",     "count", "cpu", "nanoseconds",
                                                       "main.main", "main.leaf",   "a.go",  "key", "value",
                                                       "bytes",     "pprof::base", "true"};

static inline void put_message(struct gate_buf *out, uint32_t field, struct gate_buf *message) {
    gate_wire_put_bytes(out, field, gate_buf_view(message));
    gate_buf_free(message);
}

/* Append a message of `count` pairs of field number and value, all of them varints. */
static inline void put_numbers(struct gate_buf *out, uint32_t field, const uint64_t (*pairs)[2], size_t count) {
    struct gate_buf message = {0};
    for (size_t i = 0; i < count; i++)
        gate_wire_put_number(&message, (uint32_t)pairs[i][0], pairs[i][1]);
    put_message(out, field, &message);
}
#define PUT(out, field, ...)                                                                                           \
    put_numbers(out, field, (const uint64_t[][2]){__VA_ARGS__}, sizeof((uint64_t[][2]){__VA_ARGS__}) / 16)

static inline void put_packed(struct gate_buf *out, uint32_t field, const uint64_t *values, size_t count) {
    struct gate_buf packed = {0};
    for (size_t i = 0; i < count; i++)
        gate_wire_put_varint(&packed, values[i]);
    put_message(out, field, &packed);
}
#define PACKED(out, field, ...)                                                                                        \
    put_packed(out, field, (const uint64_t[]){__VA_ARGS__}, sizeof((uint64_t[]){__VA_ARGS__}) / 8)

static inline void put_unpacked(struct gate_buf *out, uint32_t field, uint64_t value) {
    gate_wire_put_varint(out, (uint64_t)field << 3);
    gate_wire_put_varint(out, value);
}

static inline void put_strings(struct gate_buf *out) {
    for (size_t i = 0; i < S_STRINGS; i++)
        gate_wire_put_bytes(out, 6, gate_str_from(fixture_strings[i]));
}

static inline void put_types(struct gate_buf *out) {
    PUT(out, 1, {1, S_SAMPLES}, {2, S_COUNT});
    PUT(out, 1, {1, S_CPU}, {2, S_NANOSECONDS});
}

static inline void put_location(struct gate_buf *out, uint64_t id, uint64_t function) {
    struct gate_buf message = {0};
    gate_wire_put_number(&message, 1, id);
    PUT(&message, 4, {1, function}, {2, 10});
    put_message(out, 4, &message);
}

static inline void put_function(struct gate_buf *out, uint64_t id, uint64_t name) {
    PUT(out, 5, {1, id}, {2, name}, {3, name}, {4, S_FILE}, {5, 7});
}

/* Functions and locations 1 (main.main) and 2 (main.leaf). */
static inline void put_tables(struct gate_buf *out) {
    put_location(out, 1, 1);
    put_location(out, 2, 2);
    put_function(out, 1, S_MAIN);
    put_function(out, 2, S_LEAF);
    put_strings(out);
}

static inline void put_sample(struct gate_buf *out, uint64_t leaf, uint64_t root, uint64_t count, uint64_t value) {
    struct gate_buf message = {0};
    PACKED(&message, 1, leaf, root);
    PACKED(&message, 2, count, value);
    put_message(out, 2, &message);
}

/* A complete profile with two samples. */
static inline void put_profile(struct gate_buf *out) {
    put_types(out);
    put_sample(out, 2, 1, 3, 30);
    put_sample(out, 1, 1, 1, 10);
    put_tables(out);
    put_unpacked(out, 12, 10);
    PUT(out, 11, {1, S_CPU}, {2, S_NANOSECONDS});
}

static inline void expect_load(struct gate_profile *out, const struct gate_buf *bytes, struct gate_arena *arena) {
    struct gate_error err = {0};
    if (!gate_profile_load(out, gate_buf_view(bytes), NULL, arena, &err))
        fail_msg("not read: %s", err.message);
}

static inline void expect_error(struct gate_str bytes, const struct gate_limits *limits, enum gate_error_code code,
                                const char *part) {
    AT_END(gate_arena_free) struct gate_arena arena = {0};
    struct gate_error err = {0};
    struct gate_profile profile;
    if (gate_profile_load(&profile, bytes, limits, &arena, &err))
        fail_msg("was read, expected '%s'", part);
    if (strstr(err.message, part) == NULL)
        fail_msg("said '%s', expected '%s'", err.message, part);
    assert_int_equal(err.code, code);
}

/* A reader ends with GATE_ERR_LIMIT, or reads the file, whatever memory it may use. */
static inline void expect_clean_errors_within_memory(struct gate_str bytes) {
    struct gate_profile profile;
    for (struct sweep s = {0}; sweep_next(&s, 512);)
        s.done = gate_profile_load(&profile, bytes, NULL, &s.arena, &s.err);
}

#endif
