/* SPDX-License-Identifier: Apache-2.0 */
/* Locations take half of their bytes: while a profile is read, its own bytes are rewritten in place, and what is left
 * over is given back. Who reads locations sees no difference (profile/location.h).
 * Pipeline: profile/decoder_tables.h -> profile/location_packing.h -> profile/location.h */
#ifndef GATE_PROFILE_LOCATION_PACKING_H
#define GATE_PROFILE_LOCATION_PACKING_H

#include "gate/profile/location.h"
#include "gate/profile/wire.h"

struct gate_location_packing {
    struct gate_profile *profile; /* NULL: its bytes are somebody else's, and nothing is rewritten */
    uint8_t *bytes;
    uint8_t *region; /* locations from there on stood one behind the other; NULL: none yet */
    uint8_t *region_end;
    uint8_t *to; /* behind what is written */
};

/** `own`: the bytes of `profile`, to be rewritten, or NULL. */
void gate_location_packing_begin(struct gate_location_packing *packing, struct gate_profile *profile, uint8_t *own);

/**
 * Rewrite location `index`, a short one that was checked: its field begins at `from` and ends with its `message`.
 * Whatever stands before its end may be moved. False: it stays as it is, for want of room or because the bytes are
 * somebody else's.
 */
bool gate_location_packing_add(struct gate_location_packing *packing, uint32_t index, const uint8_t *from,
                               struct gate_wire message, const struct gate_location_numbers *numbers);

/** The same of a field whose bytes nobody reads again, such as that of a location that is held beside them
 * (gate_location_put_held) or of a function. They stay until the next field is added. */
void gate_location_packing_drop(struct gate_location_packing *packing, const uint8_t *from, struct gate_wire message);

/** After the last location. */
void gate_location_packing_end(struct gate_location_packing *packing);

#endif
