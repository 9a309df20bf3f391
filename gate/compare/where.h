/* SPDX-License-Identifier: Apache-2.0 */
/* Why a label filter leaves nothing of a profile. Used by compare/pair.c, on its error path alone. */
#ifndef GATE_COMPARE_WHERE_H
#define GATE_COMPARE_WHERE_H

#include "gate/compare/pair.h"

/**
 * Say which label of `where` no sample of the run has, with the values or the labels that there are.
 *
 * err   always GATE_ERR_INPUT; returns false, as gate_error_set does
 *
 * O(samples * labels).
 */
bool gate_where_absent(const struct gate_run_input *input, const struct gate_label_filter *where, struct gate_error *err);

#endif
