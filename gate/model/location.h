/* SPDX-License-Identifier: Apache-2.0 */
/* Locations of a profile: addresses, inlined lines, and names that are addresses. */
#ifndef GATE_MODEL_LOCATION_H
#define GATE_MODEL_LOCATION_H

#include "gate/base/str.h"
#include "gate/model/profile.h"
#include "gate/model/sample.h"

/* ---- reading --------------------------------------------------------------------------------------------------------
 *
 * Locations are read in place from the bytes that the decoder checked, as a table would double their size. Only long
 * locations and those that were symbolised are stored in a table, so that long ones are decoded once. */

/** Field numbers of Location and Line in pprof.proto. */
enum { GATE_LOCATION_ID = 1, GATE_LOCATION_MAPPING, GATE_LOCATION_ADDRESS, GATE_LOCATION_LINE };

enum { GATE_LINE_FUNCTION = 1, GATE_LINE_NUMBER, GATE_LINE_COLUMN };

/** Iterator over the lines of a location. `location` must not move during the walk. */
struct gate_line_walk {
    const struct gate_profile *profile;
    const struct gate_location *location;
    const uint8_t *at;    /* position in the location's message */
    uint32_t next, count; /* index into the profile's lines; lines left */
};

/**
 * Return true if a location with `lines` lines and a message of `len` bytes can be read in place. Others belong in
 * the table, so that they are decoded once.
 */
bool gate_location_is_short(const struct gate_profile *profile, uint32_t lines, size_t len);

/**
 * Record the offset `place` of the short location `index` in the profile's bytes. At this offset is the length of its
 * message, and then the message. All its functions must exist.
 */
void gate_location_put(struct gate_profile *profile, uint32_t index, uint64_t place, uint32_t lines);

/** Record that location `index` is stored as profile->locations[held]. */
void gate_location_put_held(struct gate_profile *profile, uint32_t index, uint32_t held);

/** Decode the location whose message is from `at` to `end`, in any buffer. O(bytes of the message). */
struct gate_location gate_location_read(const struct gate_profile *profile, const uint8_t *at, const uint8_t *end);

/** Return location `index` of the profile. O(1). */
struct gate_location gate_location_at(const struct gate_profile *profile, uint32_t index);

/**
 * Set the mapping and the line of location `index`. Returns false if it does not have exactly one line or is stored
 * in the table; then use gate_location_at. O(bytes of the message), faster than gate_location_at.
 */
GATE_MUST_CHECK bool gate_location_one(uint32_t *mapping, struct gate_line *line, const struct gate_profile *profile,
                                       uint32_t index);

/**
 * Return the number of frames of location `index`: its lines, or 1 if it has none. O(1), faster than
 * gate_location_at.
 */
uint32_t gate_location_frames(const struct gate_profile *profile, uint32_t index);

/** Return the number of frames of a stack, including inlined calls. O(locations of the stack). */
uint64_t gate_location_stack_frames(const struct gate_profile *profile, struct gate_stack_ref stack);

/** Start at the innermost line of a location of the profile. */
struct gate_line_walk gate_location_lines(const struct gate_profile *profile, const struct gate_location *location);

/** Read the next outer line. Returns false after the last. O(1) for a location of gate_location_at. */
bool gate_line_next(struct gate_line_walk *walk, struct gate_line *line);

/** Return line `index` of a location; `index` < line_count. O(1). */
struct gate_line gate_location_line(const struct gate_profile *profile, const struct gate_location *location,
                                    uint32_t index);

/** Return the function of the innermost line, or GATE_NO_INDEX if there is none. O(1). */
uint32_t gate_location_leaf(const struct gate_profile *profile, const struct gate_location *location);

/* ---- replacing lines ------------------------------------------------------------------------------------------------
 *
 * In a copy of a profile, whose tables are its own then; those of the profile that was copied stay as they are. */

struct gate_location_edit {
    struct gate_profile *profile;
    struct gate_arena *arena;
    struct gate_location *locations;
    uint32_t location; /* whose lines are added */
    size_t function_capacity, line_capacity;
};

/** Begin to edit `profile`, a copy. Returns false if the arena is full. O(bytes of locations). */
GATE_MUST_CHECK
bool gate_location_edit_init(struct gate_location_edit *edit, struct gate_profile *profile, struct gate_arena *arena);

/** Return the index of a new function, or GATE_NO_INDEX if the arena is full. */
uint32_t gate_location_edit_function(struct gate_location_edit *edit, const struct gate_function *function);

/** Remove the lines of location `index`; those that are added next are its lines. */
void gate_location_edit_begin(struct gate_location_edit *edit, uint32_t index);

/** Add a line, which is the caller of the line before it. Returns false if the arena is full. */
GATE_MUST_CHECK
bool gate_location_edit_line(struct gate_location_edit *edit, const struct gate_line *line);

/* ---- names that are addresses: written by profilers that found no symbol, and different in the next build -------- */

/**
 * Return true if `name` is an address such as "0x55d1", "00007f12a4b0c8d0" or "sub_4A2F10". A name without prefix is
 * an address if it has at least 8 digits, all hexadecimal and at least one of them 0 to 9. Words of the letters a to
 * f are thus no addresses. O(length).
 */
bool gate_address_name_is(struct gate_str name);

/** Return true if the innermost line has a function name that is not an address. O(length of the name). */
bool gate_location_name_is_known(const struct gate_profile *profile, const struct gate_location *location);

/* ---- waiting of the profiler itself, which is in the profile that it takes --------------------------------------- */

/**
 * Find the locations in which the profiler itself waits while it takes the profile. The handlers of net/http/pprof wait
 * one second per second, which can be most of a block profile.
 *
 * waits  a flag per location, arena memory; NULL: there are none
 *
 * O(lines of locations).
 */
GATE_MUST_CHECK
bool gate_location_find_waits(const bool **waits, const struct gate_profile *profile, struct gate_arena *arena,
                              struct gate_error *err);

#endif
