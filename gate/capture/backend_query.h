/* SPDX-License-Identifier: Apache-2.0 */
/* What a store is asked over HTTP, and the profile in what it answers.
 *   Pyroscope   querier.v1.QuerierService/SelectMergeStacktraces with PROFILE_FORMAT_PPROF, and SelectMergeProfile
 * where that is not known, by the Connect protocol with protobuf: github.com/grafana/pyroscope/api Parca
 * parca.query.v1alpha1.QueryService/Query with REPORT_TYPE_PPROF, by gRPC-Web: github.com/parca-dev/parca Pipeline:
 * capture/backend_address.h -> capture/backend_query.h -> capture/fetch.h -> capture/backend_query.h */
#ifndef GATE_CAPTURE_BACKEND_QUERY_H
#define GATE_CAPTURE_BACKEND_QUERY_H

#include "gate/capture/backend_address.h"
#include "gate/capture/fetch_types.h"

/** What is asked of a store at once. */
struct gate_backend_query {
    const struct gate_backend_address *address;
    struct gate_str type;
    struct gate_window window;
    bool is_older; /* the server knows only the older one of Pyroscope's methods */
};

/**
 * Set address, body and headers of a request; nothing else of it.
 *
 * out  texts are arena memory
 */
GATE_MUST_CHECK
bool gate_backend_query_ask(struct gate_fetch *out, const struct gate_backend_query *query, struct gate_arena *arena,
                            struct gate_error *err);

enum gate_backend_outcome {
    GATE_BACKEND_CAME,
    GATE_BACKEND_OLDER,  /* the server does not know the method: ask again with `is_older` */
    GATE_BACKEND_BUSY,   /* it cannot now: asking again may help */
    GATE_BACKEND_EMPTY,  /* it has no samples, which may be told as an error */
    GATE_BACKEND_REFUSED /* it will not */
};

/**
 * The profile in an answer; nothing in it is trusted.
 *
 * profile  on GATE_BACKEND_CAME: pprof, packed or not; a view of the answer
 * err      else: GATE_ERR_INPUT what the store says, or that it has no samples; GATE_ERR_FORMAT it is not its answer;
 *          what the request failed by
 */
enum gate_backend_outcome gate_backend_query_answer(struct gate_str *profile, const struct gate_backend_query *query,
                                                    const struct gate_fetch *answer, struct gate_error *err);

#endif
