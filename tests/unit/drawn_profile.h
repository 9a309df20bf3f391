/* SPDX-License-Identifier: Apache-2.0 */
/* For tests: random pprof profiles, written in the many encodings that the format allows. Profiles drawn with the same
 * parameters have frames in common, so their call trees overlap. */
#ifndef GATE_TESTS_DRAWN_PROFILE_H
#define GATE_TESTS_DRAWN_PROFILE_H

#include "gate/base/hash.h"
#include "tests/unit/profile_fixture.h"

enum { DRAWN_LOCATIONS_MOST = 6000, DRAWN_NAMES = 60, DRAWN_FILES = 9, DRAWN_MAPPINGS = 3, DRAWN_KINDS = 4 };

struct drawn_profile {
    uint64_t state; /* of the random number generator */
    uint32_t types, samples, stacks, depth_most, locations, functions;
    unsigned id_bits;            /* approximate width of the largest id; 0: ids count from 1 */
    uint32_t inlined;            /* one location in `inlined` has several lines */
    bool is_shuffled, is_coarse; /* ids in random order; CPU time in microseconds, not nanoseconds */
    bool is_usual;               /* encode samples as nearly all writers do */
    bool drops;                  /* write drop_frames and sometimes keep_frames */
    uint32_t negative;           /* one value in `negative` of the last type is negative; 0: none */
    uint64_t location_ids[DRAWN_LOCATIONS_MOST], function_ids[DRAWN_LOCATIONS_MOST], mapping_ids[DRAWN_MAPPINGS];
};

/* The string table of every profile: sample types and units, then labels, files, mappings and function names. */
enum { DRAWN_LABEL = 10, DRAWN_LABEL_VALUES = 3 };
enum { DRAWN_FILE = DRAWN_LABEL + 1 + DRAWN_LABEL_VALUES, DRAWN_MAPPING = DRAWN_FILE + DRAWN_FILES };
enum { DRAWN_NAME = DRAWN_MAPPING + DRAWN_MAPPINGS };
enum { DRAWN_DROP = DRAWN_NAME + DRAWN_NAMES, DRAWN_KEEP, DRAWN_STRINGS };

static inline uint64_t drawn_next(struct drawn_profile *d, uint64_t below) {
    d->state += UINT64_C(0x9E3779B97F4A7C15);
    return gate_hash_mix(d->state) % below;
}

static inline bool drawn_once_of(struct drawn_profile *d, uint64_t many) {
    return drawn_next(d, many) == 0;
}

/* Append a varint; one in 400 is a byte longer than necessary. */
static inline void drawn_varint(struct drawn_profile *d, struct gate_buf *out, uint64_t value) {
    bool is_long = drawn_once_of(d, 400) && value < UINT64_C(1) << 49;
    for (; value >= 0x80 || is_long; value >>= 7) {
        gate_buf_char(out, (char)(0x80 | (value & 0x7F)));
        is_long = is_long && value >= 0x80;
    }
    gate_buf_char(out, (char)value);
}

static inline void drawn_ids(struct drawn_profile *d, uint64_t *ids, uint32_t count) {
    uint64_t step = d->id_bits == 0 ? 1 : (UINT64_C(1) << d->id_bits) / count + 1;
    for (uint32_t i = 0; i < count; i++)
        ids[i] = 1 + i * step + drawn_next(d, step);
    for (uint32_t i = count; d->is_shuffled && i > 1; i--) {
        uint32_t other = (uint32_t)drawn_next(d, i);
        uint64_t id = ids[i - 1];
        ids[i - 1] = ids[other];
        ids[other] = id;
    }
}

/* ---- tables ------------------------------------------------------------------------------------------------------ */

static inline void drawn_strings(struct gate_buf *out) {
    static const char *const words[DRAWN_LABEL] = {"",      "samples",      "count", "cpu",   "nanoseconds",
                                                   "space", "microseconds", "bytes", "delay", "other"};
    char text[32];
    static const char *const special[] = {"", "0x401a2b", "runtime.asyncPreempt"}; /* names with a special meaning */
    for (int i = 0; i < DRAWN_STRINGS; i++) {
        if (i < DRAWN_LABEL)
            (void)snprintf(text, sizeof text, "%s", words[i]);
        else if (i < DRAWN_FILE)
            (void)snprintf(text, sizeof text, "label%d", i - DRAWN_LABEL);
        else if (i >= DRAWN_DROP)
            (void)snprintf(text, sizeof text, "%s", i == DRAWN_DROP ? "n5|n6|n17" : "n6");
        else if (i < DRAWN_NAME)
            (void)snprintf(text, sizeof text, i < DRAWN_MAPPING ? "f%d.go" : "/lib/m%d.so", i);
        else
            (void)snprintf(text, sizeof text, "n%d", i - DRAWN_NAME);
        bool is_special = i >= DRAWN_NAME && i < DRAWN_NAME + 3;
        gate_wire_put_bytes(out, 6, gate_str_from(is_special ? special[i - DRAWN_NAME] : text));
    }
}

static inline void drawn_types(struct gate_buf *out, const struct drawn_profile *d) {
    const uint64_t types[DRAWN_KINDS][2] = {{1, 2}, {3, d->is_coarse ? 6 : 4}, {5, 7}, {8, 4}};
    for (uint32_t i = 0; i < d->types; i++)
        PUT(out, 1, {1, types[i][0]}, {2, types[i][1]});
}

static inline void drawn_function(struct drawn_profile *d, struct gate_buf *out, uint32_t i) {
    uint64_t name = drawn_once_of(d, 20) ? drawn_next(d, DRAWN_NAMES) : i % DRAWN_NAMES;
    uint64_t file = drawn_once_of(d, 8) ? 0 : DRAWN_FILE + drawn_next(d, 4) % 3 + i % (DRAWN_FILES - 2);
    PUT(out, 5, {1, d->function_ids[i]}, {2, DRAWN_NAME + name}, {3, drawn_next(d, 9)}, {4, file}, {5, i});
}

static inline uint32_t drawn_line_count(struct drawn_profile *d) {
    if (drawn_once_of(d, 12))
        return 0;
    if (!drawn_once_of(d, d->inlined))
        return 1;
    return drawn_once_of(d, 10) ? 20 : 2 + (uint32_t)drawn_next(d, 3);
}

static inline void drawn_location(struct drawn_profile *d, struct gate_buf *out, uint32_t i) {
    struct gate_buf message = {0};
    bool is_late = drawn_once_of(d, 6); /* the id is written after the lines */
    uint64_t mapping = drawn_next(d, DRAWN_MAPPINGS + 1);
    if (!is_late)
        gate_wire_put_number(&message, 1, d->location_ids[i]);
    gate_wire_put_number(&message, 2, mapping == 0 ? 0 : d->mapping_ids[mapping - 1]);
    gate_wire_put_number(&message, 3, drawn_next(d, UINT64_C(1) << 40));
    for (uint32_t lines = drawn_line_count(d), line = 0; line < lines; line++) {
        uint64_t function = line == 0 ? i % d->functions : drawn_next(d, d->functions);
        PUT(&message, 4, {1, d->function_ids[function]}, {2, drawn_next(d, 5)}, {3, drawn_next(d, 3)});
    }
    if (is_late)
        gate_wire_put_number(&message, 1, d->location_ids[i]);
    if (drawn_once_of(d, 9))
        put_unpacked(&message, 7, i);
    put_message(out, 4, &message);
}

static inline void drawn_tables(struct drawn_profile *d, struct gate_buf *out) {
    bool functions_first = drawn_once_of(d, 2);
    for (uint32_t i = 0; i < DRAWN_MAPPINGS; i++) /* the first has no file */
        PUT(out, 3, {1, d->mapping_ids[i]}, {5, i == 0 ? 0 : DRAWN_MAPPING + (uint64_t)i});
    for (uint32_t i = 0; functions_first && i < d->functions; i++)
        drawn_function(d, out, i);
    for (uint32_t i = 0; i < d->locations; i++)
        drawn_location(d, out, i);
    for (uint32_t i = 0; !functions_first && i < d->functions; i++)
        drawn_function(d, out, i);
}

/* ---- samples ----------------------------------------------------------------------------------------------------- */

/* Draw a stack from the root. The next location mostly follows from the one before, so stacks share prefixes. */
static inline uint32_t drawn_stack(struct drawn_profile *d, uint64_t *ids) {
    struct drawn_profile of = {.state = gate_hash_mix(drawn_next(d, d->stacks) + 1)}; /* seed: stacks repeat */
    uint32_t depth = (uint32_t)drawn_next(&of, d->depth_most + 1), location = (uint32_t)drawn_next(&of, 4);
    for (uint32_t i = depth; i > 0; i--) {
        ids[i - 1] = d->location_ids[location % d->locations];
        location = drawn_once_of(&of, 5) ? (uint32_t)drawn_next(&of, d->locations) : location * 7 + 3;
    }
    return depth;
}

static inline void drawn_put_ids(struct drawn_profile *d, struct gate_buf *message, const uint64_t *ids,
                                 uint32_t count) {
    struct gate_buf packed = {0};
    uint32_t way = d->is_usual ? 11 : (uint32_t)drawn_next(d, 12), first = way == 0 ? count : way == 1 ? count / 2 : 0;
    for (uint32_t i = 0; i < first; i++)
        put_unpacked(message, 1, ids[i]);
    for (uint32_t i = first; i < count; i++) {
        drawn_varint(d, &packed, ids[i]);
        if (way == 2 && i == count / 3) /* split the packed ids into two fields */
            put_message(message, 1, &packed);
    }
    if (packed.len > 0 || way == 3)
        put_message(message, 1, &packed);
    gate_buf_free(&packed);
}

static inline uint64_t drawn_value(struct drawn_profile *d, uint32_t type) {
    uint64_t count = drawn_once_of(d, 8) ? 0 : 1 + drawn_next(d, 4);
    if (d->negative != 0 && type + 1 == d->types && drawn_once_of(d, d->negative))
        return (uint64_t)-1 - count;
    if (drawn_once_of(d, 60))
        return drawn_next(d, UINT64_C(1) << 40);
    return type == 0 ? count : count * (d->is_coarse ? 10000 : 10000000) + (drawn_once_of(d, 90) ? 7 : 0);
}

static inline void drawn_put_values(struct drawn_profile *d, struct gate_buf *message) {
    bool is_packed = d->is_usual || !drawn_once_of(d, 10);
    struct gate_buf values = {0};
    for (uint32_t i = 0; i < d->types; i++) {
        uint64_t value = drawn_value(d, i);
        if (is_packed)
            gate_wire_put_varint(&values, value);
        else
            put_unpacked(message, 2, value);
    }
    if (is_packed)
        put_message(message, 2, &values);
}

static inline void drawn_sample(struct drawn_profile *d, struct gate_buf *out, uint64_t *ids) {
    struct gate_buf message = {0};
    uint32_t depth = drawn_stack(d, ids);
    bool values_first = !d->is_usual && drawn_once_of(d, 10);
    if (values_first)
        drawn_put_values(d, &message);
    drawn_put_ids(d, &message, ids, depth);
    if (!values_first)
        drawn_put_values(d, &message);
    if (drawn_once_of(d, 3))
        PUT(&message, 3, {1, DRAWN_LABEL}, {2, DRAWN_LABEL + 1 + drawn_next(d, DRAWN_LABEL_VALUES)});
    if (drawn_once_of(d, 20))
        put_unpacked(&message, 9, depth);
    put_message(out, 2, &message);
}

/** Append a raw profile: samples in one or two parts, the tables before, between or after them. */
static inline void drawn_put(struct gate_buf *out, struct drawn_profile *d) {
    uint64_t ids[256];
    uint64_t parts = 1 + drawn_next(d, 2), tables_behind = drawn_next(d, parts + 1);
    bool strings_first = drawn_once_of(d, 2);
    assert_true(d->depth_most <= 256 && d->locations <= DRAWN_LOCATIONS_MOST && d->functions <= d->locations);
    drawn_ids(d, d->location_ids, d->locations);
    drawn_ids(d, d->function_ids, d->functions);
    drawn_ids(d, d->mapping_ids, DRAWN_MAPPINGS);
    if (strings_first)
        drawn_strings(out);
    if (d->drops)
        put_unpacked(out, 7, DRAWN_DROP);
    if (d->drops && drawn_once_of(d, 2))
        put_unpacked(out, 8, DRAWN_KEEP);
    drawn_types(out, d);
    for (uint64_t part = 0; part <= parts; part++) {
        if (part == tables_behind)
            drawn_tables(d, out);
        for (uint64_t i = part * d->samples / parts; part < parts && i < (part + 1) * d->samples / parts; i++)
            drawn_sample(d, out, ids);
    }
    if (!strings_first)
        drawn_strings(out);
}

#endif
