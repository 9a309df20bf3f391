/* SPDX-License-Identifier: Apache-2.0 */
/* Send queries to profile stores. */
#include "gate/capture/backend_requests.h"

#include "gate/capture/backend.h"
#include "gate/capture/http.h"

#include <time.h>

/* The queries that have no final answer yet. */
struct asked {
    struct gate_backend_requests **items;
    struct gate_fetch **requests;
    uint32_t count;
};

static bool ask_once(struct asked *asked, const struct gate_fetch_options *options,
                     const struct gate_credentials *credentials, size_t max_bytes, struct gate_arena *arena,
                     struct gate_error *err) {
    for (uint32_t i = 0; i < asked->count; i++) {
        struct gate_backend_requests *asking = asked->items[i];
        gate_backend_requests_free(asking);
        asking->fetch = (struct gate_fetch){.credentials = credentials, .max_bytes = max_bytes};
        if (!gate_backend_query_request(&asking->fetch, &asking->query, arena, err))
            return false;
        asked->requests[i] = &asking->fetch;
    }
    return gate_fetch_all(asked->requests, asked->count, options, arena, err);
}

/* Keep the queries that must be sent again. Return how many of them wait for a busy store. */
static uint32_t sort_out(struct asked *asked, bool may_wait) {
    uint32_t kept = 0, busy = 0;
    for (uint32_t i = 0; i < asked->count; i++) {
        struct gate_backend_requests *asking = asked->items[i];
        enum gate_backend_outcome outcome =
            gate_backend_query_answer(&asking->profile, &asking->query, &asking->fetch, &asking->err);
        asking->is_well = outcome == GATE_BACKEND_CAME;
        asking->is_empty = outcome == GATE_BACKEND_EMPTY;
        if (outcome != GATE_BACKEND_OLDER && (outcome != GATE_BACKEND_BUSY || !may_wait))
            continue;
        asking->query.is_older = asking->query.is_older || outcome == GATE_BACKEND_OLDER;
        busy += outcome == GATE_BACKEND_BUSY;
        asked->items[kept++] = asking;
    }
    asked->count = kept;
    return busy;
}

static double now_s(void) {
    struct timespec now = {0};
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

bool gate_backend_requests_all(struct gate_backend_requests *const *askings, uint32_t count,
                               const struct gate_fetch_options *options, const struct gate_credentials *credentials,
                               size_t max_bytes, struct gate_arena *arena, struct gate_error *err) {
    struct asked asked = {.items = gate_arena_calloc(arena, (size_t)count + 1, sizeof *asked.items),
                          .requests = gate_arena_calloc(arena, (size_t)count + 1, sizeof *asked.requests),
                          .count = count};
    uint32_t waits = 0;
    if (asked.items == NULL || asked.requests == NULL)
        return gate_arena_error(arena, err);
    for (uint32_t i = 0; i < count; i++)
        asked.items[i] = askings[i];
    while (asked.count > 0) {
        double wait_s = options->backoff_seconds * (double)(1U << (waits < 5 ? waits : 5));
        bool may_wait = waits < options->retries && (options->deadline <= 0 || now_s() + wait_s < options->deadline);
        if (!ask_once(&asked, options, credentials, max_bytes, arena, err))
            return false;
        if (sort_out(&asked, may_wait) == 0)
            continue;
        const struct timespec wait = {(time_t)wait_s, (long)((wait_s - (double)(time_t)wait_s) * 1e9)};
        (void)nanosleep(&wait, NULL);
        waits++;
    }
    return true;
}

void gate_backend_requests_free(struct gate_backend_requests *asking) {
    gate_buf_free(&asking->fetch.body);
    gate_buf_free(&asking->fetch.grpc_lines);
}
