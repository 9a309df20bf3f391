/* SPDX-License-Identifier: Apache-2.0 */
/* A slow reference for the charged measure: frames are names, and each sample is walked from its leaf.
 * It reads the samples itself. With compare/ it shares only the rules for own code (names/own_code.h). */
#ifndef GATE_TESTS_CHARGED_REFERENCE_H
#define GATE_TESTS_CHARGED_REFERENCE_H

#include "pair_fixture.h"

#include "gate/base/table.h"
#include "gate/model/location.h"
#include "gate/model/sample.h"

#include <string.h>

enum { DEPTH_MAX = 4096 };

struct reference {
    struct gate_arena arena;
    struct gate_table names;
    bool *is_own; /* one entry per name */
    int64_t (*charged)[GATE_SIDES];
    int64_t with_stack[GATE_SIDES];
    enum gate_language language; /* of the profile being read */
    uint32_t room;
    const char *under; /* count only samples charged to a frame at or below one whose name contains this; NULL: all */
};

static inline void reference_begin(struct reference *r, uint32_t room) {
    *r = (struct reference){.room = room};
    gate_table_init(&r->names, &r->arena);
    r->is_own = GATE_NEW_ARRAY(&r->arena, bool, room);
    r->charged = gate_arena_calloc(&r->arena, room, sizeof *r->charged);
    assert_true(r->is_own != NULL && r->charged != NULL);
}

static inline void reference_end(struct reference *r) {
    gate_arena_free(&r->arena);
}

/* Return the name of one line as with --names exact. If several places have this name, it is own code if one of them
 * is. */
static inline uint32_t reference_name(struct reference *r, const struct gate_profile *profile,
                                      const struct gate_location *location, const struct gate_line *line) {
    struct gate_code_place place = {.is_main_mapping = location->mapping == 0};
    struct gate_str name = GATE_STR("");
    if (location->mapping != GATE_NO_INDEX)
        place.mapping = profile->mappings[location->mapping].file;
    if (line != NULL && line->function != GATE_NO_INDEX) {
        place.function = profile->functions[line->function].name;
        place.file = profile->functions[line->function].file;
        if (!gate_address_name_is(place.function))
            name = place.function;
    }
    if (name.len == 0)
        name = place.mapping.len == 0
                   ? GATE_STR("<unknown>")
                   : gate_str_format(&r->arena, "[%.*s]", GATE_STR_ARG(gate_str_basename(place.mapping)));
    uint32_t index = gate_table_intern(&r->names, name);
    assert_true(index < r->room);
    if (gate_own_code_is_own(r->language, gate_own_code_of(r->language, &place)))
        r->is_own[index] = true;
    return index;
}

static inline uint32_t reference_location(struct reference *r, const struct gate_profile *profile, uint32_t index,
                                          uint32_t *out) {
    const struct gate_location location = gate_location_at(profile, index);
    struct gate_line_walk lines = gate_location_lines(profile, &location);
    struct gate_line line;
    if (location.line_count == 0) {
        out[0] = reference_name(r, profile, &location, NULL);
        return 1;
    }
    for (uint32_t i = 0; gate_line_next(&lines, &line); i++)
        out[i] = reference_name(r, profile, &location, &line);
    return location.line_count;
}

static inline bool reference_is_under(const struct reference *r, uint32_t name) {
    return gate_str_find(r->names.keys[name], gate_str_from(r->under), 0) != SIZE_MAX;
}

static inline void reference_sample(struct reference *r, enum gate_side_name side, const uint32_t *frames,
                                    uint32_t count, int64_t value) {
    if (count == 0)
        return;
    uint32_t charged = 0, outermost = count;
    while (charged + 1 < count && !r->is_own[frames[charged]])
        charged++;
    for (uint32_t i = 0; r->under != NULL && i < count; i++)
        if (reference_is_under(r, frames[i]))
            outermost = i;
    bool is_meant = r->under == NULL || (outermost < count && charged <= outermost);
    r->with_stack[side] += value;
    if (is_meant)
        r->charged[frames[charged]][side] += value;
}

/* Collect every name of `profile`. Call it for all profiles before the first sample is charged. */
static inline void reference_names(struct reference *r, const struct gate_profile *profile) {
    static uint32_t frames[DEPTH_MAX];
    r->language = gate_own_code_language(profile);
    for (uint32_t i = 0; i < profile->location_count; i++)
        (void)reference_location(r, profile, i, frames);
}

/* If no frame is own code, treat all frames as own code, so that each is charged its self cost. */
static inline void reference_own(struct reference *r) {
    bool any = false;
    for (uint32_t i = 0; i < r->names.count; i++)
        any = any || r->is_own[i];
    for (uint32_t i = 0; i < r->names.count && !any; i++)
        r->is_own[i] = true;
}

static inline void reference_add(struct reference *r, enum gate_side_name side, const struct gate_profile *profile,
                                 uint32_t column) {
    static uint32_t frames[DEPTH_MAX];
    AT_END(gate_sample_end) struct gate_sample_cursor cursor;
    struct gate_sample sample;
    struct gate_error err = {0};
    gate_sample_begin(&cursor, profile);
    while (gate_sample_next(&cursor, &sample, &err)) {
        uint32_t at = 0, count = 0;
        uint64_t id = 0;
        while (gate_stack_next(sample.stack, &at, &id)) {
            count += reference_location(r, profile, gate_location_find(profile, id), frames + count);
            assert_true(count < DEPTH_MAX / 2);
        }
        reference_sample(r, side, frames, count, sample.values[column]);
    }
    assert_int_equal(err.code, GATE_OK);
}

#endif
