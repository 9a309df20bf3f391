/* SPDX-License-Identifier: Apache-2.0 */
/* Counters from which the work of a run is read: queries to Prometheus, and endpoints in Prometheus' text format. */
#ifndef GATE_CAPTURE_METRICS_H
#define GATE_CAPTURE_METRICS_H

#include "gate/base/regex.h"
#include "gate/base/str.h"
#include "gate/capture/http.h"
#include "gate/capture/manifest.h"
#include "gate/capture/window.h"

/** One condition on a label: `code="200"`, or with `!=`, `=~` or `!~`. Patterns match the whole value. */
struct gate_metrics_matcher {
    struct gate_str label, value;
    const struct gate_regex *pattern; /* NULL: compare with `value` */
    bool is_negative;
};

/** Selects series: `http_requests_total{code="200"}`. Free with gate_metrics_selector_free. */
struct gate_metrics_selector {
    struct gate_str name;
    struct gate_metrics_matcher *matchers;
    uint32_t count;
};

/** Read a selector. err: GATE_ERR_USAGE. */
GATE_MUST_CHECK
bool gate_metrics_selector_read(struct gate_metrics_selector *out, struct gate_str text, struct gate_arena *arena,
                                struct gate_error *err);

/** Free the patterns of a selector. */
void gate_metrics_selector_free(struct gate_metrics_selector *selector);

/** One series that matches the selector. */
struct gate_metrics_series {
    uint64_t key;         /* hash of its labels */
    struct gate_str part; /* value of the label that divides the work; empty: the series lacks it */
    double value;
};

/** The series of an endpoint at one moment, in an arena. */
struct gate_metrics {
    struct gate_metrics_series *series;
    uint32_t count;
    size_t capacity;
    double process_start; /* process_start_time_seconds; 0: not given */
};

/**
 * Read the series that match `selector`. A counter may be named with or without `_total`.
 *
 * by   label that divides the work; empty: none
 * err  GATE_ERR_FORMAT not such a text, with the line; GATE_ERR_INPUT the metric is not a counter. A metric that is
 *      missing is not an error, because a counter with labels appears with its first event.
 *
 * O(bytes).
 */
GATE_MUST_CHECK
bool gate_metrics_read(struct gate_metrics *out, struct gate_str text, const struct gate_metrics_selector *selector,
                       struct gate_str by, struct gate_arena *arena, struct gate_error *err);

enum gate_metrics_growth {
    GATE_METRICS_GREW,
    GATE_METRICS_STUCK,    /* no work was done, or the counter counts something else */
    GATE_METRICS_RESTARTED /* a series has decreased or is gone, or the process is another one */
};

/** Set work of `run` to the growth from `start` to `end`, and `by` per value of the label if every series has it. */
GATE_MUST_CHECK
bool gate_metrics_grow(enum gate_metrics_growth *growth, struct gate_manifest_run *run, struct gate_str by,
                       const struct gate_metrics *start, const struct gate_metrics *end, struct gate_arena *arena,
                       struct gate_error *err);

/* ---- work of a run, from a query to Prometheus ------------------------------------------------------------------- */

/** Limit for an answer: its tree in memory is many times as large. */
enum { GATE_WORK_QUERY_BYTES_MAX = 4 * 1024 * 1024 };

/** A query per side. Zeroed: none. */
struct gate_work_query {
    struct gate_capture_url url;       /* of the server, or of its /api/v1/query */
    struct gate_str texts[GATE_SIDES]; /* PromQL; {window} is replaced by the slice's length, such as 30s */
};

/** Check both queries. err: GATE_ERR_USAGE a query lacks {window}, so that it would not count the work of the slice. */
GATE_MUST_CHECK bool gate_work_query_check(const struct gate_work_query *query, struct gate_error *err);

/** Set address, body and headers of a request, and `is_of_store`; leave the other fields. Texts are in `arena`. */
GATE_MUST_CHECK
bool gate_work_query_request(struct gate_fetch *out, const struct gate_work_query *query, enum gate_side_name side,
                             const struct gate_window *window, struct gate_arena *arena, struct gate_error *err);

/**
 * Set work of `run` to the sum of the answer's series. If the label `by` is not empty and every series has it, set the
 * work of each of its values, too.
 *
 * err  GATE_ERR_FORMAT not an answer of Prometheus; GATE_ERR_INPUT the server's error, no series, a value that is not a
 *      number, or work that is not above 0; GATE_ERR_LIMIT
 */
GATE_MUST_CHECK
bool gate_work_query_read(struct gate_manifest_run *run, struct gate_str body, struct gate_str by,
                          struct gate_arena *arena, struct gate_error *err);

#endif
