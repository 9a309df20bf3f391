/* SPDX-License-Identifier: Apache-2.0 */
/* Locations of a profile: addresses, inlined lines, and names that are addresses. */
#ifndef GATE_MODEL_LOCATION_H
#define GATE_MODEL_LOCATION_H

#include "gate/base/str.h"
#include "gate/model/profile.h"
#include "gate/model/wire.h"

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

/** A location with the file's ids, and its last line. */
struct gate_location_numbers {
    uint64_t id, mapping, address;
    uint32_t lines;
    uint64_t function, line, column;
};

/** Size of the buffer for location_pack. */
enum { GATE_LOCATION_PACKED_MOST = 128 };

/**
 * Return true if a location with `lines` lines and a message of `len` bytes can be read in place. Others belong in
 * the table, so that they are decoded once.
 */
bool gate_location_is_short(const struct gate_profile *profile, uint32_t lines, size_t len);

/**
 * Record the offset `place` of the short location `index` in the profile's bytes. There is its message with the
 * length in front or, if `is_packed`, a packed location. All its functions must exist.
 */
void gate_location_put(struct gate_profile *profile, uint32_t index, uint64_t place, uint32_t lines, bool is_packed);

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

/** Start at the innermost line of a location of the profile. */
struct gate_line_walk gate_location_lines(const struct gate_profile *profile, const struct gate_location *location);

/** Read the next outer line. Returns false after the last. O(1) for a location of gate_location_at. */
bool gate_line_next(struct gate_line_walk *walk, struct gate_line *line);

/** Return line `index` of a location; `index` < line_count. O(1). */
struct gate_line gate_location_line(const struct gate_profile *profile, const struct gate_location *location,
                                    uint32_t index);

/** Return the function of the innermost line, or GATE_NO_INDEX if there is none. O(1). */
uint32_t gate_location_leaf(const struct gate_profile *profile, const struct gate_location *location);

/* ---- names that are addresses: written by profilers that found no symbol, and different in the next build -------- */

/**
 * Return true if `name` is an address such as "0x55d1", "00007f12a4b0c8d0" or "sub_4A2F10". A name without prefix is
 * an address if it has at least 8 digits, all hexadecimal and at least one of them 0 to 9. Words of the letters a to
 * f are thus no addresses. O(length).
 */
bool gate_address_name_is(struct gate_str name);

/** Return true if the innermost line has a function name that is not an address. O(length of the name). */
bool gate_location_name_is_known(const struct gate_profile *profile, const struct gate_location *location);

/* ---- gaps: bytes that are no longer used, turned into one protobuf field that readers skip ----------------------- */

enum { GATE_BYTE_GAP_LEAST = 6 };

/**
 * Turn the bytes from `from` to `end` into one field that readers skip. The field's tag and length take
 * GATE_BYTE_GAP_LEAST bytes, so the range has at least that size. Bytes between the head and `unused` keep their
 * contents. Whole pages between `unused` and `end` are returned to the system.
 */
void gate_byte_gap_make(uint8_t *from, uint8_t *end, uint8_t *unused);

/* ---- locations ------------------------------------------------------------------------------------------------------
 *
 * Packed in place while a profile is read, which halves their bytes; the rest is returned to the system. Readers see
 * no difference (model/location.h). */

/** State of packing the locations of one profile. */
struct gate_location_packing {
    struct gate_profile *profile; /* NULL: the bytes have another owner, nothing is rewritten */
    uint8_t *bytes;
    uint8_t *region; /* start of the current run of adjacent locations; NULL: no run yet */
    uint8_t *region_end;
    uint8_t *to; /* end of the bytes written so far */
};

/** Start packing. `own` is the bytes of `profile`, which are rewritten; NULL disables packing. */
void gate_location_packing_begin(struct gate_location_packing *packing, struct gate_profile *profile, uint8_t *own);

/**
 * Rewrite location `index`, which was checked and is short (gate_location_is_short). Its field starts at `from` and
 * ends with `message`. Bytes before the end of `message` may move. Returns false if the location is left unchanged:
 * there is no room, or packing is disabled.
 */
bool gate_location_packing_add(struct gate_location_packing *packing, uint32_t index, const uint8_t *from,
                               struct gate_wire message, const struct gate_location_numbers *numbers);

/**
 * Release a field that is not read again, such as a function or a location stored outside the bytes
 * (gate_location_put_held). Its bytes stay valid until the next field is added.
 */
void gate_location_packing_drop(struct gate_location_packing *packing, const uint8_t *from, struct gate_wire message);

/** Finish packing after the last location. */
void gate_location_packing_end(struct gate_location_packing *packing);

#endif
