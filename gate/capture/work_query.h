/* SPDX-License-Identifier: Apache-2.0 */
/* The work of a slice of time from Prometheus' HTTP API, or that of a server that speaks as it does: a query over the
 * slice, evaluated at its end (POST /api/v1/query).
 * Pipeline: --work-query -> capture/work_query.h -> capture/fetch.h -> capture/work_query.h -> capture/manifest.h */
#ifndef GATE_CAPTURE_WORK_QUERY_H
#define GATE_CAPTURE_WORK_QUERY_H

#include "gate/capture/fetch_types.h"
#include "gate/capture/manifest.h"
#include "gate/capture/window.h"

/** No answer that is read is larger: as a tree in memory it takes many times as much. */
enum { GATE_WORK_QUERY_BYTES_MAX = 4 * 1024 * 1024 };

/** Zeroed: nothing is asked. */
struct gate_work_query {
    struct gate_capture_url url;       /* of the server, or its /api/v1/query */
    struct gate_str texts[GATE_SIDES]; /* PromQL, with {window} for the length of the slice */
};

/** err: GATE_ERR_USAGE a query without {window} would count something else than what happened in the slice. */
GATE_MUST_CHECK bool gate_work_query_check(const struct gate_work_query *query, struct gate_error *err);

/** Set address, body and headers of a request; nothing else of it. Texts are arena memory. */
GATE_MUST_CHECK
bool gate_work_query_ask(struct gate_fetch *out, const struct gate_work_query *query, enum gate_side_name side,
                         const struct gate_window *window, struct gate_arena *arena, struct gate_error *err);

/**
 * Set work of `run` from an answer: the sum of its series, and by the values of the label `by` where it is not empty
 * and every series has it.
 *
 * err  GATE_ERR_FORMAT it is no such answer; GATE_ERR_INPUT the server's error, no series, a value that is not a
 *      number, or work that is not above zero; GATE_ERR_LIMIT
 */
GATE_MUST_CHECK
bool gate_work_query_read(struct gate_manifest_run *run, struct gate_str body, struct gate_str by,
                          struct gate_arena *arena, struct gate_error *err);

#endif
