/* SPDX-License-Identifier: Apache-2.0 */
/* What to make of an answer, or of none: keep it, ask again after a while, or give up with a reason.
 * Pipeline: capture/fetch.h -> capture/answer.h */
#ifndef GATE_CAPTURE_ANSWER_H
#define GATE_CAPTURE_ANSWER_H

#include "gate/base/str.h"

enum gate_answer_failure {
    GATE_ANSWER_CAME, /* whole, with a status */
    GATE_ANSWER_NO_HOST,
    GATE_ANSWER_NO_CONNECTION,
    GATE_ANSWER_CUT,
    GATE_ANSWER_TIMEOUT,
    GATE_ANSWER_TLS,
    GATE_ANSWER_TOO_LARGE,
    GATE_ANSWER_REFUSED_REDIRECT, /* `reason` says where to */
    GATE_ANSWER_OTHER
};

struct gate_answer {
    enum gate_answer_failure failure;
    const char *reason; /* of a failure: the transport's words */
    long status;
    struct gate_str body;
    struct gate_str said; /* the same for people to read, without what is secret */
    bool is_cut;          /* of both only the beginning is here */
    double retry_after_s; /* what the server asks for; 0: nothing */
    double waited_s;      /* until a timeout */
    bool is_short;        /* it was given less time than others get, since there was no more until the deadline */
    size_t max_bytes;
    uint32_t attempt; /* from 1 */
    bool has_credentials;
    bool is_of_store;
    bool is_fgprof; /* of /debug/fgprof */
};

struct gate_answer_policy {
    uint32_t retries;
    double backoff_s; /* before the first retry; doubled for each one after */
    bool has_deadline;
    double left_s; /* until then; negative: it is over */
};

struct gate_answer_step {
    bool is_well;
    bool is_busy; /* the program takes another profile */
    bool again;
    bool is_over; /* the deadline came, or comes before it may be asked again */
    double wait_s;
};

/**
 * Judge an answer. Asked again are: no connection, a cut answer, 408, 429, 500, 502, 503 and 504, and a CPU profile
 * that another one is in the way of. The wait is doubled from time to time, at most 15 s, by `jitter` (0 to 1) up to a
 * half shorter, and never shorter than the server asks for. Nobody waits past a deadline.
 *
 * why   set where it is not well: GATE_ERR_INPUT a status, GATE_ERR_IO a failure, GATE_ERR_LIMIT too large; without the
 *       address
 */
void gate_answer_judge(struct gate_answer_step *out, const struct gate_answer *answer,
                       const struct gate_answer_policy *policy, double jitter, struct gate_error *why);

#endif
