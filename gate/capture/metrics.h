/* SPDX-License-Identifier: Apache-2.0 */
/* A counter in the text of a metrics endpoint (Prometheus 0.0.4, OpenMetrics 1.0), read twice: its growth is the work
 * of a run.
 * Pipeline: capture/fetch.h -> capture/metrics.h -> capture/manifest.h */
#ifndef GATE_CAPTURE_METRICS_H
#define GATE_CAPTURE_METRICS_H

#include "gate/base/regex.h"
#include "gate/capture/manifest.h"

/** `code="200"`, `!=`, `=~`, `!~`; patterns match the whole value. */
struct gate_metrics_matcher {
    struct gate_str label, value;
    const struct gate_regex *pattern; /* NULL: `value` itself */
    bool is_negative;
};

/** `http_requests_total{code="200"}`. Free with gate_metrics_selector_free. */
struct gate_metrics_selector {
    struct gate_str name;
    struct gate_metrics_matcher *matchers;
    uint32_t count;
};

/** err: GATE_ERR_USAGE. */
GATE_MUST_CHECK
bool gate_metrics_selector_read(struct gate_metrics_selector *out, struct gate_str text, struct gate_arena *arena,
                                struct gate_error *err);

void gate_metrics_selector_free(struct gate_metrics_selector *selector);

/** One series that the selector means. */
struct gate_metrics_series {
    uint64_t key;         /* of its labels */
    struct gate_str part; /* the value of the label that the work is told by; empty: it has none */
    double value;
};

/** What an endpoint said at one moment. Arena memory. */
struct gate_metrics {
    struct gate_metrics_series *series;
    uint32_t count;
    size_t capacity;
    double process_start; /* process_start_time_seconds; 0: not told */
};

/**
 * Read the series that `selector` means. A family of counters may be named with or without `_total`.
 *
 * by   a label; empty: none
 * err  GATE_ERR_FORMAT not such a text, with the line; GATE_ERR_INPUT it is not a counter. No such metric is not an
 *      error: a counter with labels comes into being with its first event.
 *
 * O(bytes).
 */
GATE_MUST_CHECK
bool gate_metrics_read(struct gate_metrics *out, struct gate_str text, const struct gate_metrics_selector *selector,
                       struct gate_str by, struct gate_arena *arena, struct gate_error *err);

enum gate_metrics_growth {
    GATE_METRICS_GREW,
    GATE_METRICS_STUCK,    /* nothing was done, or something else is counted */
    GATE_METRICS_RESTARTED /* some series is less than it was or gone, or the process is another one */
};

/** From `start` to `end`: how much, and by the label where every series has it. err: the arena is full. */
GATE_MUST_CHECK
bool gate_metrics_grow(enum gate_metrics_growth *growth, struct gate_manifest_run *run, struct gate_str by,
                       const struct gate_metrics *start, const struct gate_metrics *end, struct gate_arena *arena,
                       struct gate_error *err);

#endif
