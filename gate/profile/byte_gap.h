/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes of a profile that are of no use any more: a field that readers skip, whose memory is the system's again.
 * Used by profile/stack_sharing.h and profile/location_packing.h, which rewrite a profile's own bytes. */
#ifndef GATE_PROFILE_BYTE_GAP_H
#define GATE_PROFILE_BYTE_GAP_H

#include <stdint.h>

enum { GATE_BYTE_GAP_LEAST = 6 };

/**
 * Make one field of what is between `from` and `end`, GATE_BYTE_GAP_LEAST bytes at least, of which those take the
 * first. What follows up to `unused` stays as it is, inside the field; behind that whole pages are given back.
 */
void gate_byte_gap_make(uint8_t *from, uint8_t *end, uint8_t *unused);

#endif
