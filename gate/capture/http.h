/* SPDX-License-Identifier: Apache-2.0 */
/* HTTP requests: many at once, with timeouts, retries, redirects and limits. */
#ifndef GATE_CAPTURE_HTTP_H
#define GATE_CAPTURE_HTTP_H

#include "gate/base/buf.h"
#include "gate/base/str.h"
#include "gate/capture/credentials.h"
#include "gate/capture/retried.h"

/* ---- requests and their options ---------------------------------------------------------------------------------- */

/** Callbacks for the user; either may be NULL. */
struct gate_capture_listener {
    void *context;
    void (*progress)(void *context, const char *text); /* `text` describes what the program waits for; valid during the
                                                          call */
    void (*note)(void *context, struct gate_str text); /* information for the user */
};

/** One request. The caller sets the first part and zeroes the rest; free `body` and `grpc_lines` with gate_buf_free. */
struct gate_fetch {
    struct gate_capture_url url;
    struct gate_str sent;       /* body to POST; `.ptr` NULL: send a GET */
    const char *const *headers; /* lines such as "Content-Type: text/plain", NULL-terminated; or NULL */
    bool is_of_store;           /* the server is a store or Prometheus, not a program: messages give other advice */
    const struct gate_credentials *credentials; /* NULL or empty: use the user of the address, if any */
    double seconds;                             /* time that the server takes before it answers */
    double delay_seconds;                       /* if above 0: sent that much later than the others, not retried, and
                                                   cancelled once all others have ended */
    size_t max_bytes;
    struct gate_fetch *before; /* sent right before each attempt, to read a counter; or NULL */
    struct gate_fetch *after;  /* sent after this one has succeeded; or NULL. `before` and `after` have at most one
                                  retry */

    bool is_well;
    long status; /* HTTP status of the last attempt; 0: no complete answer */
    struct gate_buf body;
    struct gate_buf grpc_lines; /* grpc-status and grpc-message in the answer's headers, at most
                                   GATE_FETCH_GRPC_BYTES */
    int64_t start_ms, end_ms;   /* of the last attempt, Unix time */
    uint32_t attempts;
    enum gate_retried retried; /* why the first attempt was repeated */
    bool is_over;              /* failed because of the deadline */
    struct gate_error err;     /* reason of a failure, without the address and without secrets */
};

struct gate_fetch_options {
    double connect_seconds;
    double slack_seconds; /* added to `seconds` of a request for its timeout */
    uint32_t retries;
    double backoff_seconds;
    double deadline;                            /* CLOCK_MONOTONIC, in seconds, at which requests fail; 0: none */
    const char *ca_file;                        /* file of certificate authorities; NULL: the system's */
    struct gate_str ca_pem;                     /* the authorities themselves, instead of `ca_file`; may be empty */
    struct gate_str client_pem, client_key_pem; /* client certificate and its key, not sent after a redirect to
                                                   another server; may be empty */
    bool is_insecure;                           /* do not verify certificates */
    bool follows_any;                           /* follow redirects to other servers too, without credentials */
    const char *what;                           /* used in progress, such as "round 2 of cpu"; or NULL */
    struct gate_capture_listener listener;
};

/* ---- judging an answer: success, retry after a wait, or failure with a reason ------------------------------------ */

enum gate_answer_failure {
    GATE_ANSWER_CAME, /* a complete answer, with a status */
    GATE_ANSWER_NO_HOST,
    GATE_ANSWER_NO_CONNECTION,
    GATE_ANSWER_CUT,
    GATE_ANSWER_TIMEOUT,
    GATE_ANSWER_TLS,
    GATE_ANSWER_PROXY, /* a proxy refused CONNECT */
    GATE_ANSWER_TOO_LARGE,
    GATE_ANSWER_REFUSED_REDIRECT, /* `reason` is the address that it redirects to */
    GATE_ANSWER_OTHER
};

struct gate_answer {
    enum gate_answer_failure failure;
    const char *reason; /* of a failure: the message of the transport */
    long status;
    struct gate_str body;
    struct gate_str said; /* printable form of `body`, without secrets */
    bool is_cut;          /* `body` and `said` contain only the beginning of the answer */
    double retry_after_s; /* the server's Retry-After; 0: none */
    double waited_s;      /* time waited until a timeout */
    bool is_short;        /* the deadline made its timeout shorter than usual */
    size_t max_bytes;
    uint32_t attempt; /* from 1 */
    bool has_credentials;
    bool is_of_store;
    bool is_fgprof; /* the path ends with /fgprof */
};

struct gate_answer_policy {
    uint32_t retries;
    double backoff_s; /* before the first retry; doubled for each further one */
    bool has_deadline;
    double left_s; /* until the deadline; negative: it has passed */
};

struct gate_answer_step {
    bool is_well;
    bool is_busy; /* the program is taking another CPU profile */
    bool again;
    bool is_over; /* failed because the deadline passed, or would pass before a retry */
    double wait_s;
};

/**
 * Judge an answer. These are retried: no connection, a cut answer, the statuses 408, 429, 500, 502, 503 and 504, and a
 * CPU profile while another one is taken. The wait doubles each time, up to 15 s. `jitter` (0 to 1) makes it up to 50%
 * shorter, but never shorter than Retry-After. A retry that would begin after the deadline is not made.
 *
 * why   set if the answer is not a success, without the address: GATE_ERR_INPUT a status, GATE_ERR_IO a transport
 *       failure, GATE_ERR_LIMIT too large
 */
void gate_answer_judge(struct gate_answer_step *out, const struct gate_answer *answer,
                       const struct gate_answer_policy *policy, double jitter, struct gate_error *why);

/* ---- all requests: sent at the same time, with retries; without libcurl they fail with a message ----------------- */

/** Return whether this program was built with libcurl. */
bool gate_fetch_is_built(void);

/** Check that libcurl is built in and can be loaded. err: GATE_ERR_USAGE. */
GATE_MUST_CHECK bool gate_fetch_check(struct gate_error *err);

/** Send all `requests` at the same time, started in their order, and wait until each has succeeded or failed. A failed
 * one has its `err` set. Certificates are verified unless `is_insecure`. Redirects are followed only to the same server
 * unless `follows_any`, and credentials are sent to no other. err: GATE_ERR_USAGE as gate_fetch_check;
 * GATE_ERR_MEMORY. */
GATE_MUST_CHECK
bool gate_fetch_all(struct gate_fetch *const *requests, uint32_t count, const struct gate_fetch_options *options,
                    struct gate_arena *arena, struct gate_error *err);

#endif
