/* SPDX-License-Identifier: Apache-2.0 */
/* What a request over HTTP is, and how requests are asked. Types alone; capture/fetch.h asks.
 * Used by capture/transfer.h, capture/fetch.h and capture/capture_plan.h */
#ifndef GATE_CAPTURE_FETCH_TYPES_H
#define GATE_CAPTURE_FETCH_TYPES_H

#include "gate/base/buf.h"
#include "gate/capture/credentials.h"

/** Who is told what goes on; either may be NULL. */
struct gate_capture_listener {
    void *context;
    void (*progress)(void *context, const char *text); /* what is waited for; not kept */
    void (*note)(void *context, struct gate_str text); /* what the user should know */
};

enum { GATE_FETCH_GRPC_BYTES = 4096 };

/** One request. Zeroed but for what is asked; free `body` and `grpc_lines` with gate_buf_free. */
struct gate_fetch {
    struct gate_capture_url url;
    struct gate_str sent;       /* a body, which is posted; `.ptr` NULL: none, it is a GET */
    const char *const *headers; /* lines such as "Content-Type: text/plain", NULL-terminated; or NULL */
    bool is_of_store;           /* asked of a store and not of a program: what to do next is another thing */
    const struct gate_credentials *credentials; /* NULL, or none in it: the user of the address, if any */
    double seconds;                             /* that the server takes before it answers */
    size_t max_bytes;
    struct gate_fetch *before; /* asked right before each attempt, as a reading that belongs to it; or NULL */
    struct gate_fetch *after;  /* asked when this one is well; or NULL. Of both there is one retry */

    bool is_well;
    long status; /* of HTTP, of the last attempt; 0: none came */
    struct gate_buf body;
    struct gate_buf grpc_lines; /* of the answer's head: grpc-status and grpc-message, at most GATE_FETCH_GRPC_BYTES */
    int64_t start_ms, end_ms;   /* of the last attempt, Unix time */
    uint32_t attempts;
    bool is_over;          /* given up since the deadline came */
    struct gate_error err; /* why it is not well; without the address and without secrets */
};

struct gate_fetch_options {
    double connect_seconds;
    double slack_seconds; /* above what the server takes */
    uint32_t retries;
    double backoff_seconds;
    double deadline;        /* CLOCK_MONOTONIC, seconds: nothing is waited for after that; 0: none */
    const char *ca_file;    /* or NULL: the system's authorities */
    struct gate_str ca_pem; /* or those themselves; empty: not so */
    struct gate_str client_pem, client_key_pem; /* who we are, for the servers that are named alone; empty: nobody */
    bool is_insecure;                           /* no certificate is checked */
    bool follows_any;                           /* redirects to other servers too, without credentials */
    const char *what;                           /* of which the progress tells, such as "round 2 of cpu"; or NULL */
    struct gate_capture_listener listener;
};

#endif
