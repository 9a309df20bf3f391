/* SPDX-License-Identifier: Apache-2.0 */
/* Traces and spans in whose samples a cause costs, so that somebody can look one up.
 * Pipeline: budget/cause.h + profile/sample.h -> budget/exemplars.h -> budget/verdict.h, report/ */
#ifndef GATE_BUDGET_EXEMPLARS_H
#define GATE_BUDGET_EXEMPLARS_H

#include "gate/base/buf.h"
#include "gate/budget/cause.h"

/** Causes that get exemplars, in their order: the rest is seldom read, and each run is walked once for all of them. */
enum { GATE_EXEMPLARS_CAUSES = 32 };

/**
 * Fill the exemplars of the first causes that have a frame: of each side the newest samples with the frame in their
 * stack and a label that names a trace or a span, one a trace (or a span, where no trace is named). A sample's time is
 * its own (`end_timestamp_ns`, `timestamp_ns`), else that of its profile; among equals the heavier sample stands first,
 * then the smaller identifier. Labels that count, whatever their case and separators: trace id, span id, local root
 * span id, profile id, also with "otel" or "dd" in front.
 *
 * Texts are views of the profiles, cut at 64 bytes, and not escaped; numbers are written into `arena`.
 *
 * err   GATE_ERR_LIMIT the arena is full
 *
 * O(bytes of the samples of comparisons with causes), nothing where no profile has labels.
 */
GATE_MUST_CHECK
bool gate_exemplars_find(struct gate_cause_list *causes, const struct gate_comparison *comparisons, uint32_t count,
                         struct gate_arena *arena, struct gate_error *err);

/** "canary trace 4bf9 (span 00f0), trace 12ab; baseline trace 77aa"; nothing where there are none. Not escaped. */
void gate_exemplars_sentence(struct gate_buf *out, const struct gate_cause *cause);

#endif
