/* SPDX-License-Identifier: Apache-2.0 */
/* Send queries to profile stores, all at once, with retries and, for Pyroscope, the older method. */
#ifndef GATE_CAPTURE_BACKEND_REQUESTS_H
#define GATE_CAPTURE_BACKEND_REQUESTS_H

#include "gate/capture/backend.h"

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
