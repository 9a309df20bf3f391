/* SPDX-License-Identifier: Apache-2.0 */
/* Take rounds of profiles of both sides from live endpoints or profile stores, into a folder with a manifest. */
#ifndef GATE_CAPTURE_CAPTURE_H
#define GATE_CAPTURE_CAPTURE_H

#include "gate/capture/backend.h"
#include "gate/capture/capture_kind.h"
#include "gate/capture/capture_plan.h"
#include "gate/capture/manifest.h"
#include "gate/formats/format.h"

/* ---- arrivals: check that an answer is the requested profile, complete, of the right kind, with samples ---------- */

struct gate_arrival {
    struct gate_str build; /* build id, or version from the profile's labels; empty: neither */
    const char *extension; /* of its file name: ".pb.gz" */
};

/**
 * Parse the profile as `check` does and verify its kind.
 *
 * out   `build` is in `arena`
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
    bool told_same_build;
    bool is_empty;     /* the last round failed only because a store has no samples */
    bool *is_left_out; /* per slice of the stores' windows */
    bool *is_older;    /* per source: its store knows only the older method */
    double deadline;   /* CLOCK_MONOTONIC, in seconds: no round waits longer; 0: none. May be set before each round */
    bool is_over;      /* a round failed because of the deadline, or because too few slices have samples */
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

/**
 * Take one round: the kinds one after another, and for each kind all addresses of both sides at the same time. The
 * canary starts first in every other round. With stores, a round is the first incomplete slice, and only its missing
 * profiles are taken. A slice that is not over yet is waited for. If slices are still to come, a slice without samples
 * in some store is skipped with a note; a canary that starts up, or gets no requests for a minute, has such slices.
 * The third in a row is an error, and so is the last slice. Each valid profile is in the folder and its manifest at
 * once, and stays there if another one fails.
 *
 * err   the first failure, with its address; if the deadline caused it, the message says so
 */
GATE_MUST_CHECK bool gate_capture_round(struct gate_capture *capture, struct gate_error *err);

/** Release the lock on the folder. May be called after gate_capture_begin failed. */
void gate_capture_end(struct gate_capture *capture);

/**
 * Return the number of rounds that gate_capture_round can still take: with stores the incomplete slices, else
 * UINT32_MAX.
 */
uint32_t gate_capture_rounds_left(const struct gate_capture *capture);

/** Return the number of rounds in the folder that have a run of every kind and address. */
uint32_t gate_capture_whole_rounds(const struct gate_capture *capture);

/* ---- queries to profile stores, all sent at once ----------------------------------------------------------------- */

/** One query and its answer. Zeroed except `query`; free with gate_backend_requests_free. */
struct gate_backend_requests {
    struct gate_backend_query query; /* `is_older` is set once the server is known to be older */
    struct gate_fetch fetch;
    bool is_well;
    bool is_empty;           /* not well, because the store has no samples for it */
    struct gate_str profile; /* a view of the answer */
    struct gate_error err;   /* why it is not well; without the address and without secrets */
};

/**
 * Send all queries, and wait until each has its answer or has failed.
 *
 * err   as gate_fetch_all; a query that fails sets its own `err` instead
 */
GATE_MUST_CHECK
bool gate_backend_requests_all(struct gate_backend_requests *const *askings, uint32_t count,
                               const struct gate_fetch_options *options, const struct gate_credentials *credentials,
                               size_t max_bytes, struct gate_arena *arena, struct gate_error *err);

/** Free the answer of one query, and with it `profile`. */
void gate_backend_requests_free(struct gate_backend_requests *asking);

#endif
