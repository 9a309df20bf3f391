/* SPDX-License-Identifier: Apache-2.0 */
/* Questions to stores, all at the same time, each asked again by the older method where the newer one is not known, and
 * where the store says in its answer that it cannot now.
 * Pipeline: capture/backend_query.h + capture/fetch.h -> capture/backend_asking.h -> capture/capture.h */
#ifndef GATE_CAPTURE_BACKEND_ASKING_H
#define GATE_CAPTURE_BACKEND_ASKING_H

#include "gate/capture/backend_query.h"

/** One question and its answer. Zeroed but for `query`; free with gate_backend_asking_free. */
struct gate_backend_asking {
    struct gate_backend_query query; /* `is_older` is set once that is known */
    struct gate_fetch fetch;
    bool is_well;
    bool is_empty;           /* not well, for the store has no samples of it */
    struct gate_str profile; /* a view of the answer */
    struct gate_error err;   /* why it is not well; without the address and without secrets */
};

/**
 * Ask all, and wait until each is answered or given up.
 *
 * err   what gate_fetch_all says; a question that fails is none
 */
GATE_MUST_CHECK
bool gate_backend_asking_all(struct gate_backend_asking *const *askings, uint32_t count,
                             const struct gate_fetch_options *options, const struct gate_credentials *credentials,
                             size_t max_bytes, struct gate_arena *arena, struct gate_error *err);

void gate_backend_asking_free(struct gate_backend_asking *asking);

#endif
