/* SPDX-License-Identifier: Apache-2.0 */
/* Requests over HTTP, all at the same time, each asked again as long as that may help. The one place that knows
 * libcurl; where the program was built without it, it says so. Pipeline: capture/capture_url.h -> capture/fetch.h ->
 * capture/answer.h -> capture/capture.h */
#ifndef GATE_CAPTURE_FETCH_H
#define GATE_CAPTURE_FETCH_H

#include "gate/capture/fetch_types.h"

/** Whether this program was built with what it takes to ask over HTTP. */
bool gate_fetch_is_built(void);

/** Whether it can ask: built with that, and it is installed where the program runs. err: GATE_ERR_USAGE. */
GATE_MUST_CHECK bool gate_fetch_check(struct gate_error *err);

/**
 * Ask all `requests` at the same time, begun in their order, and wait until each is well or given up: then its `err` is
 * set. Certificates are checked, redirects are followed to the same server alone, and credentials go nowhere else.
 *
 * err   GATE_ERR_USAGE what gate_fetch_check says; GATE_ERR_MEMORY
 */
GATE_MUST_CHECK
bool gate_fetch_all(struct gate_fetch *const *requests, uint32_t count, const struct gate_fetch_options *options,
                    struct gate_arena *arena, struct gate_error *err);

#endif
