/* SPDX-License-Identifier: Apache-2.0 */
/* --work-file: what runs did while they were captured, as a file that a load generator or a script writes.
 * Pipeline: rules/yaml.h -> rules/work_file.h -> compare/work.h */
#ifndef GATE_RULES_WORK_FILE_H
#define GATE_RULES_WORK_FILE_H

#include "gate/compare/work.h"

/**
 * Read a YAML (or JSON) map of `baseline` and `canary`, or of `runs` alone for runs that have no sides. Each is a
 * number, a list of one a run, or a map of `total` (the same) and of one label to its values:
 *
 *     baseline: {total: [39752, 40120], endpoint: {/search: [12000, 11800], /cart: [900, 950]}}
 *
 * err   GATE_ERR_CONFIG with line and column
 *
 * What is added replaces what `work` has of the same side and label. O(bytes).
 */
GATE_MUST_CHECK
bool gate_work_file_read(struct gate_work *work, struct gate_str text, struct gate_arena *arena,
                         struct gate_error *err);

#endif
