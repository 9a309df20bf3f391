/* SPDX-License-Identifier: Apache-2.0 */
/* Query the work of a time slice from Prometheus. */
#ifndef GATE_CAPTURE_WORK_QUERY_H
#define GATE_CAPTURE_WORK_QUERY_H

#include "gate/capture/http.h"
#include "gate/capture/manifest.h"
#include "gate/capture/window.h"

/** Limit for an answer: its tree in memory is many times as large. */
enum { GATE_WORK_QUERY_BYTES_MAX = 4 * 1024 * 1024 };

/** A query for each side. Zeroed: none. */
struct gate_work_query {
    struct gate_capture_url url;       /* of the server, or of its /api/v1/query */
    struct gate_str texts[GATE_SIDES]; /* PromQL; {window} stands for the length of the slice */
};

/** Check both queries. err: GATE_ERR_USAGE a query lacks {window}, so that it would not count the work of the slice. */
GATE_MUST_CHECK bool gate_work_query_check(const struct gate_work_query *query, struct gate_error *err);

/** Set address, body and headers of a request, and `is_of_store`; leave the other fields. Texts are in `arena`. */
GATE_MUST_CHECK
bool gate_work_query_request(struct gate_fetch *out, const struct gate_work_query *query, enum gate_side_name side,
                             const struct gate_window *window, struct gate_arena *arena, struct gate_error *err);

/**
 * Set work of `run` to the sum of the answer's series, and `by` per value of the label `by`, if that is not empty and
 * every series has it.
 *
 * err  GATE_ERR_FORMAT not an answer of Prometheus; GATE_ERR_INPUT the server's error, no series, a value that is not a
 *      number, or work that is not above 0; GATE_ERR_LIMIT
 */
GATE_MUST_CHECK
bool gate_work_query_read(struct gate_manifest_run *run, struct gate_str body, struct gate_str by,
                          struct gate_arena *arena, struct gate_error *err);

#endif
