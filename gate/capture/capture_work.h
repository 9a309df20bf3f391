/* SPDX-License-Identifier: Apache-2.0 */
/* The work of a run from two answers of its metrics endpoint.
 * Pipeline: capture/fetch.h -> capture/capture_work.h -> capture/manifest.h */
#ifndef GATE_CAPTURE_CAPTURE_WORK_H
#define GATE_CAPTURE_CAPTURE_WORK_H

#include "gate/capture/capture_plan.h"

/**
 * Set work and by of `run` from what was read before and after its profile, or leave them and note why they are not
 * known: an answer that failed, a counter that is not there, restarted, did not move or was read much earlier or later
 * than the profile was taken. err: the arena is full.
 */
GATE_MUST_CHECK
bool gate_capture_work(struct gate_manifest_run *run, const struct gate_capture_plan *plan,
                       const struct gate_fetch *profile, struct gate_arena *arena, struct gate_error *err);

/**
 * The same of a slice of a store: from what the plan's query was answered, or noted why that is not known. Nothing
 * where none is asked. err: the arena is full.
 */
GATE_MUST_CHECK
bool gate_capture_work_slice(struct gate_manifest_run *run, const struct gate_capture_plan *plan,
                             const struct gate_fetch *answer, struct gate_arena *arena, struct gate_error *err);

/**
 * Ask every metrics endpoint once before the first profile is taken, and note where the counter cannot be read or is
 * not there: whoever misspelt it learns so at once. Nothing where no work is asked for. err: the arena is full.
 */
GATE_MUST_CHECK
bool gate_capture_work_look(const struct gate_capture_plan *plan, struct gate_arena *arena, struct gate_error *err);

#endif
