/* SPDX-License-Identifier: Apache-2.0 */
/* The plan of a capture: addresses, kinds, durations and limits. */
#ifndef GATE_CAPTURE_CAPTURE_PLAN_H
#define GATE_CAPTURE_CAPTURE_PLAN_H

#include "gate/capture/backend.h"
#include "gate/capture/credentials.h"
#include "gate/capture/http.h"
#include "gate/capture/metrics.h"
#include "gate/model/limits.h"

/** One address of a side. Several addresses are replicas, and each gives a run in every round. */
struct gate_capture_source {
    enum gate_side_name side;
    struct gate_capture_url url;
    struct gate_capture_url metrics;   /* address of its work counter */
    struct gate_backend_address store; /* for a store, whose server is `url`; else GATE_BACKEND_NONE */
    struct gate_window window;         /* for a store: the time window, which the plan divides into slices */
};

/** The plan of a capture. */
struct gate_capture_plan {
    const char *dir;
    bool is_forced;      /* `dir` may have other files and no manifest */
    bool goes_on_judged; /* may continue a folder that was judged while it was taken. Only a caller that judges by
                            the same plan may do so: more rounds than planned would invalidate its significance
                            levels. */
    struct gate_capture_source *sources; /* at least one per side */
    uint32_t source_count;
    enum gate_capture_kind kinds[GATE_CAPTURE_KINDS]; /* taken one after another */
    uint32_t kind_count;
    uint32_t seconds;
    double warm_up_seconds;
    double pause_seconds; /* before each round but the first */
    size_t max_bytes;     /* limit for one answer */
    struct gate_limits limits;
    struct gate_fetch_options fetch;
    struct gate_credentials credentials;
    struct gate_metrics_selector *work; /* counter of work; NULL: none is read */
    struct gate_str work_by;            /* label to divide the work by; empty: none */
    struct gate_work_query work_query;  /* for slices of a store; zeroed: none */
    uint32_t slices;       /* per source's window: round N is slice N, and there are no more rounds; 0: live
                              endpoints */
    double settle_seconds; /* wait between the end of a slice and the query, because agents send with a delay; then a
                              slice without samples is skipped. 0: the window is in the past */
};

/**
 * Check before the first request that every address fits its kinds and none is named twice. Note what is not safe.
 *
 * err   GATE_ERR_USAGE
 */
GATE_MUST_CHECK
bool gate_capture_plan_check(const struct gate_capture_plan *plan, struct gate_arena *arena, struct gate_error *err);

/**
 * Set `*out` to the address of a source for a kind, and `*shown` to that address without secrets. `shown->ptr` is not
 * NULL on success.
 */
GATE_MUST_CHECK
bool gate_capture_plan_address(struct gate_capture_url *out, struct gate_str *shown,
                               const struct gate_capture_plan *plan, const struct gate_capture_source *source,
                               enum gate_capture_kind kind, struct gate_arena *arena, struct gate_error *err);

/** Set `*out` to the query that round `round` sends to a store, and `*shown` to its address without secrets. */
GATE_MUST_CHECK
bool gate_capture_plan_query(struct gate_backend_query *out, struct gate_str *shown,
                             const struct gate_capture_plan *plan, const struct gate_capture_source *source,
                             enum gate_capture_kind kind, uint32_t round, struct gate_arena *arena,
                             struct gate_error *err);

/** Set `*has` if a run of the manifest came from an address, kind and slice of the plan. */
GATE_MUST_CHECK
bool gate_capture_plan_has(bool *has, const struct gate_capture_plan *plan, const struct gate_manifest_run *run,
                           struct gate_arena *arena, struct gate_error *err);

/** Put the address in front of the message in `err`, and hide all secrets. Returns false. */
bool gate_capture_plan_blame(const struct gate_capture_plan *plan, const struct gate_capture_url *url,
                             struct gate_str shown, struct gate_error *err);

/** Pass a note for the user to the listener. */
void gate_capture_plan_note(const struct gate_capture_plan *plan, const char *text);

#endif
