/* SPDX-License-Identifier: Apache-2.0 */
/* Take rounds of profiles of both sides from live endpoints or profile stores, into a folder with a manifest. */
#ifndef GATE_CAPTURE_CAPTURE_H
#define GATE_CAPTURE_CAPTURE_H

#include "gate/capture/backend.h"
#include "gate/capture/capture_kind.h"
#include "gate/capture/credentials.h"
#include "gate/capture/http.h"
#include "gate/capture/manifest.h"
#include "gate/capture/metrics.h"
#include "gate/formats/format.h"
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
    bool resumes_judged; /* may continue a folder that was judged while it was taken. Only a caller that judges by
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
    uint32_t slices;       /* slices of each source's window; round N takes slice N, and there are no more rounds. 0:
                              live endpoints */
    bool leaves_out_empty; /* live endpoints: if a window has no samples and its kind allows that (window_may_be_empty),
                              gate_capture_round still takes the other kinds, then fails and sets `is_empty` */
    double settle_seconds; /* time from the end of a slice to its query, because agents send late; if it is above 0,
                              slices without samples are skipped. 0: the window is in the past */
};

/** Check all addresses before the first request: each must fit its kinds, and none may be given twice. Note unsafe
 * options. err: GATE_ERR_USAGE. */
GATE_MUST_CHECK
bool gate_capture_plan_check(const struct gate_capture_plan *plan, struct gate_arena *arena, struct gate_error *err);

/** Set `*out` to the query that round `round` sends to a store, and `*shown` to its address without secrets. */
GATE_MUST_CHECK
bool gate_capture_plan_query(struct gate_backend_query *out, struct gate_str *shown,
                             const struct gate_capture_plan *plan, const struct gate_capture_source *source,
                             enum gate_capture_kind kind, uint32_t round, struct gate_arena *arena,
                             struct gate_error *err);

/** Put the address in front of the message in `err`, and hide all secrets. Returns false. */
bool gate_capture_plan_blame(const struct gate_capture_plan *plan, const struct gate_capture_url *url,
                             struct gate_str shown, struct gate_error *err);

/* ---- arrivals: check that an answer is the requested profile, complete, of the right kind, with samples ---------- */

struct gate_arrival {
    struct gate_str build; /* build id, or version from the profile's labels; empty: neither */
    const char *extension; /* of its file name: ".pb.gz" */
    bool is_empty;         /* it has no samples; an error unless gate_capture_kind_row.may_be_empty */
};

/**
 * Parse the profile as `check` does and verify its kind.
 *
 * out   `build` is in `arena`; after an error only `is_empty` is valid: true if the error is that there are no samples
 * err   GATE_ERR_FORMAT not a profile; GATE_ERR_INPUT another kind, no samples, or a difference of two profiles;
 *       GATE_ERR_LIMIT
 */
GATE_MUST_CHECK
bool gate_arrival_check(struct gate_arrival *out, struct gate_str bytes, enum gate_capture_kind kind,
                        const struct gate_limits *limits, struct gate_arena *arena, struct gate_error *err);

/**
 * Check that a store's answer is a pprof profile with the sample type of the query, and that reading it stays within
 * the limits.
 *
 * type  the type of the query, such as "process_cpu:cpu:nanoseconds:cpu:nanoseconds"
 * err   GATE_ERR_FORMAT not a pprof profile; GATE_ERR_INPUT the sample type is missing; GATE_ERR_LIMIT
 */
GATE_MUST_CHECK
bool gate_arrival_check_type(struct gate_str bytes, struct gate_str type, const struct gate_limits *limits,
                             struct gate_arena *arena, struct gate_error *err);

/* ---- rounds ------------------------------------------------------------------------------------------------------ */

/** State of a capture into a folder. */
struct gate_capture {
    const struct gate_capture_plan *plan;
    struct gate_manifest manifest;
    struct gate_str builds[GATE_SIDES]; /* empty: not known so far */
    bool has_noted_build;
    bool is_other_build; /* a profile was refused, because its side has another build in the folder */
    bool is_uncollected; /* a program refused to run its collector for a profile of allocations */
    bool is_empty;       /* the last round failed only because a profile has no samples: of a store, or see
                            plan.leaves_out_empty */
    uint32_t tried;      /* number of the last round that failed by plan.leaves_out_empty; the next one is higher */
    bool *is_left_out;   /* per slice of the stores' windows */
    bool *is_older;      /* per source: its store has only the older method */
    double deadline; /* CLOCK_MONOTONIC, in seconds, at which a round fails; 0: none. May be set before each round */
    bool is_over;    /* a round failed because of the deadline, or because too few slices have samples */
    struct gate_arena *arena;
};

/**
 * Check the plan, create the folder or continue in one with runs of the same sources, and warm up. Sends no request for
 * a profile yet; the metrics endpoints are read once.
 *
 * err   GATE_ERR_USAGE an address that does not fit its kind, or is named twice; GATE_ERR_INPUT the folder has other
 *       sources, or was judged while it was taken; or as gate_manifest_file_begin
 */
GATE_MUST_CHECK
bool gate_capture_begin(struct gate_capture *out, const struct gate_capture_plan *plan, struct gate_arena *arena,
                        struct gate_error *err);

/** Take one round: the kinds one after another, and for each kind all addresses of both sides at the same time. The
 * canary starts first in every other round. With stores, a round is the first incomplete slice, and only its missing
 * profiles are taken, after the slice is over. With plan.settle_seconds, a slice without samples in some store is
 * skipped with a note: a canary that starts, or has no requests for a minute, has such slices. The third in a row is an
 * error, and so is the last slice. Each valid profile is in the folder and its manifest at once, and stays there if
 * another one fails. err: the first failure, or one after a skipped window, with its address; the message states if the
 * deadline caused it. */
GATE_MUST_CHECK bool gate_capture_round(struct gate_capture *capture, struct gate_error *err);

/** Release the lock on the folder. May be called after gate_capture_begin failed. */
void gate_capture_end(struct gate_capture *capture);

/** Return the number of rounds that are left: with stores the slices that are not complete, else UINT32_MAX. */
uint32_t gate_capture_rounds_left(const struct gate_capture *capture);

/** Return the number of rounds in the folder that have a run of every kind and address. */
uint32_t gate_capture_whole_rounds(const struct gate_capture *capture);

#endif
