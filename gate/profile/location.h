/* SPDX-License-Identifier: Apache-2.0 */
/* Locations of a profile and their lines: read in the bytes that the decoder checked, as a table of them would take as
 * much again. Kept beside the bytes are those few that are long, so that nobody reads them again and again, and those
 * that were given names.
 * Pipeline: profile/decoder_tables.h -> profile/location.h -> who asks what stands at an address */
#ifndef GATE_PROFILE_LOCATION_H
#define GATE_PROFILE_LOCATION_H

#include "gate/profile/profile.h"

/** What a location takes in gate_profile.location_places. */
enum { GATE_LOCATION_PLACE_BYTES = 5 };

/** What is left of a location's lines. */
struct gate_line_walk {
    const struct gate_profile *profile;
    const uint8_t *at, *end; /* of its message; NULL: lines are the profile's */
    uint32_t next, count;
};

/**
 * Note that the message of location `index` stands `place` bytes into the profile's, with its length in front, and has
 * `lines` lines; `len` is that length. False: it cannot be read there, and is to be held. The message is well-formed,
 * and its functions are there.
 */
bool gate_location_put(struct gate_profile *profile, uint32_t index, uint64_t place, uint32_t lines, size_t len);

/** Note that location `index` is profile->locations[held]. */
void gate_location_put_held(struct gate_profile *profile, uint32_t index, uint32_t held);

/** The location whose message is from `at` to `end`, wherever it stands. O(its bytes). */
struct gate_location gate_location_read(const struct gate_profile *profile, const uint8_t *at, const uint8_t *end);

/** The location at `index`, which is one of the profile's. O(1). */
struct gate_location gate_location_at(const struct gate_profile *profile, uint32_t index);

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
