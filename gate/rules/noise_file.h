/* SPDX-License-Identifier: Apache-2.0 */
/* Reads and writes noise models as YAML files. */
#ifndef GATE_RULES_NOISE_FILE_H
#define GATE_RULES_NOISE_FILE_H

#include "gate/base/buf.h"
#include "gate/compare/noise.h"

/** How the frames of the model were named. The model applies to comparisons that name frames the same way. */
struct gate_noise_naming {
    enum gate_granularity granularity;
    bool exact_names;
};

/**
 * Append the model as YAML, with frames sorted by name.
 *
 * Frames with a mean cumulative share below 0.02% are left out, and so are the smallest ones that do not fit in
 * 160 KiB (nearly 2,000). Like frames that the runs did not contain, they use rho.
 */
GATE_MUST_CHECK
bool gate_noise_write(struct gate_buf *out, const struct gate_noise *noise, const struct gate_noise_naming *naming,
                      struct gate_arena *arena, struct gate_error *err);

/** Read a model that gate_noise_write wrote. err: GATE_ERR_CONFIG with line and column: another version, a missing or
 * unknown key, a number out of range. */
GATE_MUST_CHECK
bool gate_noise_read(struct gate_noise *out, struct gate_noise_naming *naming, struct gate_str text,
                     struct gate_arena *arena, struct gate_error *err);

#endif
