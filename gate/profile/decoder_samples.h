/* SPDX-License-Identifier: Apache-2.0 */
/* The one check of every sample of a pprof profile, so that later walks need none.
 * Pipeline: profile/decoder_tables.h -> profile/decoder_samples.h -> profile/sample.h, which walks them */
#ifndef GATE_PROFILE_DECODER_SAMPLES_H
#define GATE_PROFILE_DECODER_SAMPLES_H

#include "gate/profile/decoder.h"

/** Walk every sample once: values, stacks, labels; fills the counters of the profile. */
GATE_MUST_CHECK bool gate_decoder_samples_check(struct gate_decoder *decoder, struct gate_error *err);

#endif
