/* SPDX-License-Identifier: Apache-2.0 */
/* Locations of a profile and their lines: read in the bytes that the decoder checked, as a table of them would take as
 * much again. Kept beside the bytes are those few that are long, so that nobody reads them again and again, and those
 * that were given names.
 * Pipeline: profile/decoder_tables.h -> profile/location.h -> who asks what stands at an address */
#ifndef GATE_PROFILE_LOCATION_H
#define GATE_PROFILE_LOCATION_H

#include "gate/profile/profile.h"

/** Numbers of the fields of a location and of a line (pprof.proto). */
enum { GATE_LOCATION_ID = 1, GATE_LOCATION_MAPPING, GATE_LOCATION_ADDRESS, GATE_LOCATION_LINE };
enum { GATE_LINE_FUNCTION = 1, GATE_LINE_NUMBER, GATE_LINE_COLUMN };

/** What a location takes in gate_profile.location_places. */
enum { GATE_LOCATION_PLACE_BYTES = 5 };

/** What is left of a location's lines; the location has to stay where it is. */
struct gate_line_walk {
    const struct gate_profile *profile;
    const struct gate_location *location;
    const uint8_t *at;    /* of its message */
    uint32_t next, count; /* of the profile's lines, and how many are left */
};

/** A location as the file writes it, with ids, and the last one of its lines. */
struct gate_location_numbers {
    uint64_t id, mapping, address;
    uint32_t lines;
    uint64_t function, line, column;
};

/** Room for what gate_location_pack writes. */
enum { GATE_LOCATION_PACKED_MOST = 128 };

/** Whether a location of so many lines, whose message has `len` bytes, can be read in place. Others are to be held, so
 * that nobody reads long ones again and again. */
bool gate_location_is_short(const struct gate_profile *profile, uint32_t lines, size_t len);

/**
 * Note where location `index`, a short one, stands among the profile's bytes: its message, with its length in front, or
 * what gate_location_pack wrote. All its functions are there.
 */
void gate_location_put(struct gate_profile *profile, uint32_t index, uint64_t place, uint32_t lines, bool is_packed);

/** Note that location `index` is profile->locations[held]. */
void gate_location_put_held(struct gate_profile *profile, uint32_t index, uint32_t held);

/** Write location `index`, a short one, in fewer bytes than its field had; returns how many. */
size_t gate_location_pack(uint8_t *to, uint32_t index, const struct gate_location_numbers *numbers,
                          const uint8_t *message, size_t len);

/** The location whose message is from `at` to `end`, wherever it stands. O(its bytes). */
struct gate_location gate_location_read(const struct gate_profile *profile, const uint8_t *at, const uint8_t *end);

/** The location at `index`, which is one of the profile's. O(1). */
struct gate_location gate_location_at(const struct gate_profile *profile, uint32_t index);

/**
 * The mapping and the line of location `index`, where it has one line and is not held; else false, and
 * gate_location_at tells. O(its bytes), faster than that.
 */
GATE_MUST_CHECK bool gate_location_one(uint32_t *mapping, struct gate_line *line, const struct gate_profile *profile,
                                       uint32_t index);

/** How many frames it is: one where it has no line. O(1), and faster. */
uint32_t gate_location_frames(const struct gate_profile *profile, uint32_t index);

/** Begin with the innermost line of a location of the profile. */
struct gate_line_walk gate_location_lines(const struct gate_profile *profile, const struct gate_location *location);

/** The next line outward; false behind the last. O(1) for a location of gate_location_at. */
bool gate_line_next(struct gate_line_walk *walk, struct gate_line *line);

/** Line `index` of a location, which has so many. O(1). */
struct gate_line gate_location_line(const struct gate_profile *profile, const struct gate_location *location,
                                    uint32_t index);

/** Function of the innermost line; GATE_NO_INDEX: it has none. O(1). */
uint32_t gate_location_leaf(const struct gate_profile *profile, const struct gate_location *location);

#endif
