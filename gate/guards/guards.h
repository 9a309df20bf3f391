/* SPDX-License-Identifier: Apache-2.0 */
/* Guards against comparing what cannot be compared: each a named warning that the rules can raise to an error.
 * Pipeline: compare/comparison.h + rules/guard_rules.h -> guards/guards.h -> warnings of the verdict */
#ifndef GATE_GUARDS_GUARDS_H
#define GATE_GUARDS_GUARDS_H

#include "gate/compare/comparison.h"
#include "gate/guards/warnings.h"
#include "gate/rules/guard_rules.h"

/**
 * Check both sides of a comparison, whose pair and deltas are filled.
 *
 * out    arena memory, in the order of enum gate_guard; guards whose severity is off are left out. A message names
 *        the numbers and the next step. Comparisons made of the same files repeat those about the files.
 * err    GATE_ERR_OVERFLOW, GATE_ERR_LIMIT
 *
 * O(stack slots + frames).
 */
GATE_MUST_CHECK
bool gate_guards_check(struct gate_warning **out, uint32_t *count, const struct gate_comparison *comparison,
                       const struct gate_rules *rules, struct gate_arena *arena, struct gate_error *err);

/**
 * The same once the comparison is judged: same_file, uncounted_events, few_samples, total_cost, mix, one_pair. They ask
 * for its work and its noise model too, and name the comparison.
 */
GATE_MUST_CHECK
bool gate_guards_check_judged(struct gate_warning **out, uint32_t *count, const struct gate_comparison *comparison,
                              const struct gate_rules *rules, struct gate_arena *arena, struct gate_error *err);

#endif
