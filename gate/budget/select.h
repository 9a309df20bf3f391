/* SPDX-License-Identifier: Apache-2.0 */
/* Which frames a rule means.
 * Pipeline: rules/rules.h + compare/pair.h -> budget/select.h -> budget/verdict.h */
#ifndef GATE_BUDGET_SELECT_H
#define GATE_BUDGET_SELECT_H

#include "gate/rules/rules.h"

/**
 * Mark the frames of `pair` that `select` means: a byte each, 1 for meant. `*matched` counts them.
 *
 * err   GATE_ERR_CONFIG a pattern reached its match limit (names the pattern and the frame); GATE_ERR_LIMIT
 *
 * O(frames * patterns).
 */
GATE_MUST_CHECK
bool gate_select_frames(uint8_t **marks, uint32_t *matched, const struct gate_select *select,
                        const struct gate_pair *pair, struct gate_arena *arena, struct gate_error *err);

/** Mark the frames whose name matches `select->under`; NULL in `*marks` when it is not given. */
GATE_MUST_CHECK
bool gate_select_under(uint8_t **marks, const struct gate_select *select, const struct gate_pair *pair,
                       struct gate_arena *arena, struct gate_error *err);

#endif
