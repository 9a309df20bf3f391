/* SPDX-License-Identifier: Apache-2.0 */
/* Types, mappings, functions and locations of a pprof profile.
 * Pipeline: profile/pprof.h (strings and numbers) -> profile/decoder_tables.h -> profile/decoder_samples.h */
#ifndef GATE_PROFILE_DECODER_TABLES_H
#define GATE_PROFILE_DECODER_TABLES_H

#include "gate/profile/decoder.h"

/** Types, mappings and functions; strings are read already. */
GATE_MUST_CHECK bool gate_decoder_tables_read(struct gate_decoder *decoder, struct gate_error *err);

/** Locations, which refer to mappings and functions. */
GATE_MUST_CHECK bool gate_decoder_tables_locations(struct gate_decoder *decoder, struct gate_error *err);

#endif
