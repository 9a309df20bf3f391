/* SPDX-License-Identifier: Apache-2.0 */
/* Whether somebody answers: HOST:PORT takes a connection, or a URL answers well.
 * Pipeline: trial/try_plan.h -> trial/reachable.h -> trial/server_run.h */
#ifndef GATE_TRIAL_REACHABLE_H
#define GATE_TRIAL_REACHABLE_H

#include "gate/base/str.h"

/**
 * Try once.
 *
 * place  "HOST:PORT", "[::1]:6060", or a URL
 * err    GATE_ERR_USAGE it is not such a place; else why nobody answers
 */
GATE_MUST_CHECK bool gate_reachable_try(const char *place, struct gate_arena *arena, struct gate_error *err);

#endif
