/* SPDX-License-Identifier: Apache-2.0 */
/* The noise model as a file: readable YAML, written by `pprofgate calibrate`, read by `pprofgate check --noise`.
 * Pipeline: compare/noise.h -> rules/noise_file.h -> compare/evidence.h. It stands here for the YAML reader's sake. */
#ifndef GATE_RULES_NOISE_FILE_H
#define GATE_RULES_NOISE_FILE_H

#include "gate/base/buf.h"
#include "gate/compare/noise.h"

/** How the frames of the model were named: it applies to comparisons that name them the same way. */
struct gate_noise_naming {
    enum gate_granularity granularity;
    bool exact_names;
};

/**
 * Append the model as YAML, frames by name. Frames below 0.02 % cumulative in the mean are left out, and above 2 000
 * the smallest ones: they fall back on rho, as frames that the runs never held do.
 *
 * err   GATE_ERR_LIMIT, GATE_ERR_MEMORY
 */
GATE_MUST_CHECK
bool gate_noise_write(struct gate_buf *out, const struct gate_noise *noise, const struct gate_noise_naming *naming,
                      struct gate_arena *arena, struct gate_error *err);

/**
 * Read what gate_noise_write wrote.
 *
 * err   GATE_ERR_CONFIG with line and column: another version, a missing or unknown key, a number out of range
 */
GATE_MUST_CHECK
bool gate_noise_read(struct gate_noise *out, struct gate_noise_naming *naming, struct gate_str text,
                     struct gate_arena *arena, struct gate_error *err);

#endif
