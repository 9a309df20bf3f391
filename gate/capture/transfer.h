/* SPDX-License-Identifier: Apache-2.0 */
/* One attempt at a request, by libcurl: begun, ended, and what its end means. Empty where there is no libcurl.
 * Pipeline: capture/fetch.h -> capture/transfer.h -> capture/libcurl.h */
#ifndef GATE_CAPTURE_TRANSFER_H
#define GATE_CAPTURE_TRANSFER_H

#include "gate/capture/answer.h"
#include "gate/capture/fetch_types.h"
#include "gate/capture/libcurl.h"

#if GATE_HAS_CURL

/** Begin with request, options, curl and url, which is the request's until a redirect leads on. */
struct gate_transfer {
    struct gate_fetch *request;
    const struct gate_fetch_options *options;
    const struct gate_libcurl *curl;
    struct gate_capture_url url;
    bool is_elsewhere; /* redirected to another server: no credentials */
    uint32_t redirects;
    double seconds_most; /* that an attempt may take */
    size_t received;
    bool is_too_large;
    CURLM *multi;
    CURL *easy; /* NULL: not under way */
    struct curl_slist *headers;
    char reason[CURL_ERROR_SIZE];
};

/** Hand it to `multi`. err: GATE_ERR_MEMORY, GATE_ERR_LIMIT. */
GATE_MUST_CHECK
bool gate_transfer_begin(struct gate_transfer *transfer, CURLM *multi, struct gate_arena *arena,
                         struct gate_error *err);

/** Take it back from `multi`, if it is there. */
void gate_transfer_end(struct gate_transfer *transfer);

/** What libcurl's result means; before gate_transfer_end. */
enum gate_answer_failure gate_transfer_failure(const struct gate_transfer *transfer, CURLcode code, long status);

/** Where a redirect leads, if the answer is one. True: `url` is set, to begin again. Else `answer` says why not. */
bool gate_transfer_redirect(struct gate_transfer *transfer, struct gate_answer *answer, struct gate_arena *arena);

#endif
#endif
