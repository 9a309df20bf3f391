/* SPDX-License-Identifier: Apache-2.0 */
/* Exemplars of causes: identifiers of traces and spans that samples carry as labels. */
#ifndef GATE_BUDGET_EXEMPLARS_H
#define GATE_BUDGET_EXEMPLARS_H

#include "gate/budget/cause.h"

/**
 * Fill the exemplars of all causes that have a frame: for each side the newest samples with the frame in their
 * stack and a label that names a trace or a span. Each trace (or span, if there is no trace) occurs once.
 *
 * A sample's time is its own (`end_timestamp_ns`, `timestamp_ns`), else its profile's. At equal times the heavier
 * sample comes first, then the smaller identifier. Accepted labels, in any case and with any separators: trace id, span
 * id, local root span id, profile id, also with the prefix "otel" or "dd".
 *
 * Texts are views into the profiles, cut at 64 bytes and not escaped; numbers are formatted in `arena`.
 *
 * O(bytes of the samples of comparisons with causes); nothing if no profile has labels.
 */
GATE_MUST_CHECK
bool gate_exemplars_find(struct gate_cause_list *causes, const struct gate_comparison *comparisons, uint32_t count,
                         struct gate_arena *arena, struct gate_error *err);

/** Append "canary trace 4bf9 (span 00f0), trace 12ab; baseline trace 77aa"; nothing if there are none. Not escaped. */
void gate_exemplars_sentence(struct gate_buf *out, const struct gate_cause *cause);

#endif
