/* SPDX-License-Identifier: Apache-2.0 */
/* Profile stores (Pyroscope, Parca): addresses, queries, and the profile in an answer. */
#ifndef GATE_CAPTURE_BACKEND_H
#define GATE_CAPTURE_BACKEND_H

#include "gate/capture/capture_url.h"
#include "gate/capture/http.h"
#include "gate/capture/window.h"

/* ---- addresses --------------------------------------------------------------------------------------------------- */

/* Address of a profile store: the server, the labels that select profiles, and the time window. Names say "backend"
 * because gate/store is the store of baselines. */

enum gate_backend {
    GATE_BACKEND_NONE, /* no store: the address of a running program */
    GATE_BACKEND_PYROSCOPE,
    GATE_BACKEND_PARCA,
    GATE_BACKENDS
};

/** "pyroscope+https://USER:PASSWORD@HOST/PATH?query=TYPE{LABELS}&from=MOMENT&to=MOMENT&runs=N", or "parca+…". */
struct gate_backend_address {
    enum gate_backend store;
    struct gate_capture_url server; /* without a query */
    struct gate_str type;           /* "process_cpu:cpu:nanoseconds:cpu:nanoseconds"; empty: the default of the kind */
    struct gate_str selector;       /* "{service_name=\"shop\"}" */
    struct gate_str from, to;       /* as written; empty: not given */
    uint32_t runs;                  /* number of slices of the window; 0: not given */
    uint32_t max_nodes;             /* limit for nodes of a merged Pyroscope profile; 0: not given */
};

/** Return whether `text` begins with a store's scheme, such as "pyroscope+http://". */
bool gate_backend_address_is(struct gate_str text);

/**
 * Read an address. Values of the query are percent-decoded ('+' stays '+'); quotes and blanks need no encoding.
 *
 * out  texts are views of `text`, or in `arena`
 * err  GATE_ERR_USAGE what is expected; never contains the user or the password
 */
GATE_MUST_CHECK
bool gate_backend_address_read(struct gate_backend_address *out, struct gate_str text, struct gate_arena *arena,
                               struct gate_error *err);

/** Set `*out` to the profile type in the address, else the store's type for `kind`. err: GATE_ERR_USAGE the store has
 * none for this kind. */
GATE_MUST_CHECK
bool gate_backend_address_type(struct gate_str *out, const struct gate_backend_address *address,
                               enum gate_capture_kind kind, struct gate_error *err);

/**
 * Return the address for people and manifests, without user and password but with `type` and `window`. It can be read
 * again. `window` NULL: leave it out. `.ptr` is NULL if `arena` is full.
 */
struct gate_str gate_backend_address_show(const struct gate_backend_address *address, struct gate_str type,
                                          const struct gate_window *window, struct gate_arena *arena);

/**
 * Return the build that the labels select: the value of the first of service_git_ref, git_ref, commit, service_version,
 * version and build_id that the selector compares with '='. Empty: none. A view of the selector.
 */
struct gate_str gate_backend_address_version(const struct gate_backend_address *address);

/* ---- queries ----------------------------------------------------------------------------------------------------- */

/*
 * Requests to a store over HTTP, and the profile in the answer.
 *
 *   Pyroscope   querier.v1.QuerierService/SelectMergeStacktraces with PROFILE_FORMAT_PPROF, or SelectMergeProfile if
 *               the server does not know that format; Connect protocol with protobuf: github.com/grafana/pyroscope/api
 *   Parca       parca.query.v1alpha1.QueryService/Query with REPORT_TYPE_PPROF; gRPC-Web: github.com/parca-dev/parca
 */

/** One query to a store. */
struct gate_backend_query {
    const struct gate_backend_address *address;
    struct gate_str type;
    struct gate_window window;
    bool is_older; /* Pyroscope: the server knows only the older method, SelectMergeProfile */
};

/**
 * Set address, body and headers of a request, and `is_of_store`; leave the other fields.
 *
 * out  texts are in `arena`
 */
GATE_MUST_CHECK
bool gate_backend_query_request(struct gate_fetch *out, const struct gate_backend_query *query,
                                struct gate_arena *arena, struct gate_error *err);

enum gate_backend_outcome {
    GATE_BACKEND_CAME,
    GATE_BACKEND_OLDER,  /* the server does not know the method: query again with `is_older` */
    GATE_BACKEND_BUSY,   /* temporarily unavailable: a retry may help */
    GATE_BACKEND_EMPTY,  /* the profile has no samples; some stores report that as an error */
    GATE_BACKEND_REFUSED /* the store refused the query */
};

/**
 * Extract the profile from an answer. The answer is not trusted.
 *
 * profile  on GATE_BACKEND_CAME: the pprof profile, compressed or not; a view of the answer
 * err      on any other outcome: GATE_ERR_INPUT the store's message, or it has no samples; GATE_ERR_FORMAT not an
 *          answer of this store; or the error of the request
 */
enum gate_backend_outcome gate_backend_query_answer(struct gate_str *profile, const struct gate_backend_query *query,
                                                    const struct gate_fetch *answer, struct gate_error *err);

/* ---- queries to profile stores, all sent at once ----------------------------------------------------------------- */

/** One query and its answer. Zeroed except `query`; free with gate_backend_request_free. */
struct gate_backend_request {
    struct gate_backend_query query; /* `is_older` is set once the server is known to be older */
    struct gate_fetch fetch;
    bool is_well;
    bool is_empty;           /* `is_well` is false because the store has no samples for the query */
    struct gate_str profile; /* a view of the answer */
    struct gate_error err;   /* if `is_well` is false: the reason, without the address and without secrets */
};

/** Send all queries, and wait until each has its answer or has failed. A query that fails sets its own `err`. err: as
 * gate_fetch_all. */
GATE_MUST_CHECK
bool gate_backend_send_all(struct gate_backend_request *const *requests, uint32_t count,
                           const struct gate_fetch_options *options, const struct gate_credentials *credentials,
                           size_t max_bytes, struct gate_arena *arena, struct gate_error *err);

/** Free the answer of one query, and with it `profile`. */
void gate_backend_request_free(struct gate_backend_request *request);

#endif
