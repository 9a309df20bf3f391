/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the file of --work-file: the work of each run. */
#ifndef GATE_RULES_WORK_FILE_H
#define GATE_RULES_WORK_FILE_H

#include "gate/compare/work.h"

/**
 * Read a YAML or JSON map with the keys `baseline` and `canary`, or `runs` for runs without sides. Each value is a
 * number, a list of one number per run, or a map. A map has `total` (a number or list) and a label whose values map to
 * numbers or lists:
 *
 *     baseline: {total: [39752, 40120], endpoint: {/search: [12000, 11800], /cart: [900, 950]}}
 *
 * New counts replace those in `work` for the same side and label. O(bytes).
 *
 * err   GATE_ERR_CONFIG with line and column
 */
GATE_MUST_CHECK
bool gate_work_file_read(struct gate_work *work, struct gate_str text, struct gate_arena *arena,
                         struct gate_error *err);

#endif
