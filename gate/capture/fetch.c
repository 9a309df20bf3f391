/* SPDX-License-Identifier: Apache-2.0 */
/* Requests over HTTP (see fetch.h). */
#include "gate/capture/fetch.h"

#if !GATE_HAS_CURL

bool gate_fetch_is_built(void) {
    return false;
}

bool gate_fetch_check(struct gate_error *err) {
    return gate_error_set(
        err, GATE_ERR_USAGE,
        "this pprofgate was built without libcurl and takes no profiles; take them otherwise and name "
        "them, or build it where libcurl's development files are installed");
}

bool gate_fetch_all(struct gate_fetch *const *requests, uint32_t count, const struct gate_fetch_options *options,
                    struct gate_arena *arena, struct gate_error *err) {
    (void)requests, (void)count, (void)options, (void)arena;
    return gate_fetch_check(err);
}

#else

#include "gate/base/hash.h"
#include "gate/capture/transfer.h"

#include <time.h>

enum { POLL_MS = 200, STATUS_OK = 200 };

enum request_state { REQUEST_IDLE, REQUEST_HELD, REQUEST_DUE, REQUEST_RUNNING, REQUEST_DONE };

/* A request on its way. */
struct asked {
    struct gate_transfer transfer;
    struct asked *before, *after, *owner; /* `owner` waits for this one, which is its `before` */
    enum request_state state;
    double due_s, begun_s;
    bool before_is_fresh;
    bool is_reading; /* some request's `before` or `after`: late, it is worth nothing */
};

struct batch {
    struct asked *items;
    uint32_t count;
    const struct gate_fetch_options *options;
    struct gate_libcurl curl;
    CURLM *multi;
    uint64_t random;
    struct gate_arena *arena;
};

bool gate_fetch_is_built(void) {
    return true;
}

bool gate_fetch_check(struct gate_error *err) {
    struct gate_libcurl curl;
    return gate_libcurl_load(&curl, err);
}

static double now_s(clockid_t clock) {
    struct timespec now = {0};
    (void)clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static int64_t now_ms(void) {
    return (int64_t)(now_s(CLOCK_REALTIME) * 1e3);
}

/* ---- what came --------------------------------------------------------------------------------------------------- */

static void tell_retry(const struct batch *batch, const struct gate_fetch *request, double wait_s) {
    const struct gate_capture_listener *listener = &batch->options->listener;
    struct gate_str shown = gate_capture_url_show(&request->url, batch->arena);
    struct gate_buf text = {0};
    gate_buf_printf(&text, "%.*s: %s; asked again in %.1f s", GATE_STR_ARG(shown), request->err.message, wait_s);
    if (listener->note != NULL && request->attempts == 1)
        listener->note(listener->context, gate_buf_view(&text));
    gate_buf_free(&text);
}

static void asked_finish(struct asked *asked, bool is_well) {
    asked->state = REQUEST_DONE;
    asked->transfer.request->is_well = is_well;
    if (asked->owner != NULL) {
        asked->owner->before_is_fresh = true;
        asked->owner->state = REQUEST_DUE;
        asked->owner->due_s = 0;
    }
    if (is_well && asked->after != NULL)
        asked->after->state = REQUEST_DUE;
}

static void asked_again(struct asked *asked, double wait_s) {
    struct gate_transfer *transfer = &asked->transfer;
    asked->state = REQUEST_DUE;
    asked->due_s = now_s(CLOCK_MONOTONIC) + wait_s;
    transfer->url = transfer->request->url;
    transfer->is_elsewhere = false;
    transfer->redirects = 0;
}

static bool has_credentials(const struct gate_fetch *request) {
    return (request->credentials != NULL && request->credentials->authorization != NULL) || request->url.user.len > 0;
}

/* Without what the server repeats of secrets: those that it was told, and those of where it redirected to. */
static void put_said(struct gate_buf *out, const struct gate_transfer *transfer) {
    const struct gate_fetch *request = transfer->request;
    struct gate_buf half = {0};
    gate_credentials_hide_text(&half, gate_buf_view(&request->body), request->credentials, &request->url);
    gate_credentials_hide_text(out, gate_buf_view(&half), NULL, &transfer->url);
    if (half.failed || out->failed)
        gate_buf_free(out);
    gate_buf_free(&half);
}

static void judge_answer(struct gate_answer_step *out, struct gate_answer *answer,
                         const struct gate_answer_policy *policy, const struct asked *asked, struct batch *batch) {
    const struct gate_transfer *transfer = &asked->transfer;
    struct gate_fetch *request = transfer->request;
    double jitter = (double)(gate_hash_mix(batch->random++) >> 11) * 0x1p-53;
    struct gate_buf said = {0};
    bool is_telling = answer->failure == GATE_ANSWER_CAME && answer->status != STATUS_OK;
    if (is_telling)
        put_said(&said, transfer);
    answer->said = gate_buf_view(&said);
    answer->is_cut = is_telling && transfer->received != request->body.len;
    gate_answer_judge(out, answer, policy, jitter, &request->err);
    gate_credentials_hide(&request->err, request->credentials, &request->url);
    gate_buf_free(&said);
}

/* What the end of an attempt means for its request. */
static void asked_judge(struct asked *asked, struct batch *batch, CURLcode code) {
    struct gate_transfer *transfer = &asked->transfer;
    struct gate_fetch *request = transfer->request;
    const uint32_t most = asked->is_reading && batch->options->retries > 1 ? 1 : batch->options->retries;
    const struct gate_answer_policy policy = {.retries = most,
                                              .backoff_s = batch->options->backoff_seconds,
                                              .has_deadline = batch->options->deadline > 0,
                                              .left_s = batch->options->deadline - now_s(CLOCK_MONOTONIC)};
    struct gate_answer answer = {.reason =
                                     transfer->reason[0] != '\0' ? transfer->reason : batch->curl.easy_strerror(code),
                                 .body = gate_buf_view(&request->body),
                                 .waited_s = transfer->seconds_most,
                                 .is_short = transfer->seconds_most < request->seconds + batch->options->slack_seconds,
                                 .max_bytes = request->max_bytes,
                                 .attempt = request->attempts + 1,
                                 .has_credentials = has_credentials(request),
                                 .is_of_store = request->is_of_store,
                                 .is_fgprof = gate_str_ends(request->url.path, GATE_STR("/fgprof"))};
    struct gate_answer_step step;
    curl_off_t retry_after = 0;
    request->end_ms = now_ms();
    (void)batch->curl.easy_getinfo(transfer->easy, CURLINFO_RESPONSE_CODE, &answer.status);
    (void)batch->curl.easy_getinfo(transfer->easy, CURLINFO_RETRY_AFTER, &retry_after);
    answer.retry_after_s = (double)retry_after;
    answer.failure = gate_transfer_failure(transfer, code, answer.status);
    if (gate_transfer_redirect(transfer, &answer, batch->arena)) {
        asked->state = REQUEST_DUE;
        asked->before_is_fresh = true; /* what belongs before was read already */
        gate_transfer_end(transfer);
        return;
    }
    request->attempts++;
    request->status = answer.failure == GATE_ANSWER_CAME ? answer.status : 0;
    judge_answer(&step, &answer, &policy, asked, batch);
    gate_transfer_end(transfer);
    request->is_over = step.is_over;
    if (!step.again) {
        asked_finish(asked, step.is_well);
        return;
    }
    tell_retry(batch, request, step.wait_s);
    asked_again(asked, step.wait_s);
}

/* ---- all of them ------------------------------------------------------------------------------------------------- */

/* How long an attempt may take that begins now. False: it would end after the deadline, so that there is no use in it;
 * its request is given up. */
static bool asked_fits(struct asked *asked, const struct batch *batch, double now) {
    const struct gate_fetch_options *options = batch->options;
    struct gate_fetch *request = asked->transfer.request;
    double left = options->deadline - now, *most = &asked->transfer.seconds_most;
    *most = request->seconds + options->slack_seconds;
    if (options->deadline <= 0 || *most <= left)
        return true;
    *most = left;
    if (left > request->seconds)
        return true;
    request->is_over = true;
    const char *before = request->err.message[0] != '\0' ? "; before that: " : "";
    if (left > 0)
        (void)gate_error_set(&request->err, GATE_ERR_IO,
                             "the time is over: an answer takes %.3g s, and %.3g s are left%s%s", request->seconds,
                             left, before, request->err.message);
    else
        (void)gate_error_set(&request->err, GATE_ERR_IO, "the time is over, and it was not asked%s%s", before,
                             request->err.message);
    asked_finish(asked, false);
    return false;
}

/* Begin what is due; a reading that belongs before goes first. */
static bool batch_launch(struct batch *batch, struct gate_error *err) {
    double now = now_s(CLOCK_MONOTONIC);
    for (uint32_t i = 0; i < batch->count; i++) {
        struct asked *asked = &batch->items[i];
        if (asked->state != REQUEST_DUE || asked->due_s > now)
            continue;
        if (!asked_fits(asked, batch, now))
            continue;
        if (asked->before != NULL && !asked->before_is_fresh) {
            asked->state = REQUEST_HELD;
            asked = asked->before;
            asked->transfer.request->attempts = 0;
            if (!asked_fits(asked, batch, now))
                continue;
        }
        asked->before_is_fresh = false;
        asked->begun_s = now;
        asked->transfer.request->start_ms = now_ms();
        asked->state = REQUEST_RUNNING;
        if (!gate_transfer_begin(&asked->transfer, batch->multi, batch->arena, err))
            return false;
    }
    return true;
}

static void batch_progress(const struct batch *batch) {
    const struct gate_capture_listener *listener = &batch->options->listener;
    double now = now_s(CLOCK_MONOTONIC), left = 0;
    uint32_t running = 0;
    char text[96];
    if (listener->progress == NULL)
        return;
    for (uint32_t i = 0; i < batch->count; i++) {
        const struct asked *asked = &batch->items[i];
        if (asked->state != REQUEST_RUNNING)
            continue;
        double rest = asked->begun_s + asked->transfer.request->seconds - now;
        left = rest > left ? rest : left;
        running++;
    }
    const char *what = batch->options->what == NULL ? "profiles" : batch->options->what;
    if (running > 0)
        (void)snprintf(text, sizeof text, "%s: %u under way, %.0f s left", what, (unsigned)running, left);
    else
        (void)snprintf(text, sizeof text, "%s: waiting to ask again", what);
    listener->progress(listener->context, text);
}

static bool batch_is_over(const struct batch *batch) {
    for (uint32_t i = 0; i < batch->count; i++)
        if (batch->items[i].state != REQUEST_DONE && batch->items[i].state != REQUEST_IDLE)
            return false;
    return true;
}

static bool batch_run(struct batch *batch, struct gate_error *err) {
    while (!batch_is_over(batch)) {
        int running = 0, left = 0;
        if (!batch_launch(batch, err))
            return false;
        if (batch->curl.multi_perform(batch->multi, &running) != CURLM_OK)
            return gate_error_set(err, GATE_ERR_IO, "the requests cannot go on");
        for (CURLMsg *message; (message = batch->curl.multi_info_read(batch->multi, &left)) != NULL;) {
            CURLcode code = message->data.result;
            uint32_t at = 0;
            while (batch->items[at].transfer.easy != message->easy_handle)
                at++;
            asked_judge(&batch->items[at], batch, code);
        }
        batch_progress(batch);
        if (!batch_is_over(batch) && batch->curl.multi_poll(batch->multi, NULL, 0, POLL_MS, NULL) != CURLM_OK)
            return gate_error_set(err, GATE_ERR_IO, "the requests cannot go on");
    }
    return true;
}

/* ---- from requests ----------------------------------------------------------------------------------------------- */

static struct asked *batch_add(struct batch *batch, struct gate_fetch *request, enum request_state state) {
    struct asked *asked = &batch->items[batch->count++];
    *asked = (struct asked){.state = state};
    asked->transfer.request = request;
    asked->transfer.options = batch->options;
    asked->transfer.curl = &batch->curl;
    asked->transfer.url = request->url;
    return asked;
}

static bool batch_make(struct batch *batch, struct gate_fetch *const *requests, uint32_t count,
                       struct gate_error *err) {
    batch->items = GATE_NEW_ARRAY(batch->arena, struct asked, (size_t)count * 3 + 1);
    if (batch->items == NULL)
        return gate_arena_error(batch->arena, err);
    for (uint32_t i = 0; i < count; i++) {
        struct asked *asked = batch_add(batch, requests[i], REQUEST_DUE);
        if (requests[i]->before != NULL) {
            asked->before = batch_add(batch, requests[i]->before, REQUEST_IDLE);
            asked->before->owner = asked;
            asked->before->is_reading = true;
        }
        if (requests[i]->after != NULL) {
            asked->after = batch_add(batch, requests[i]->after, REQUEST_IDLE);
            asked->after->is_reading = true;
        }
    }
    return true;
}

bool gate_fetch_all(struct gate_fetch *const *requests, uint32_t count, const struct gate_fetch_options *options,
                    struct gate_arena *arena, struct gate_error *err) {
    struct batch batch = {.options = options, .random = gate_hash_secret(), .arena = arena};
    if (!gate_libcurl_load(&batch.curl, err) || !batch_make(&batch, requests, count, err))
        return false;
    if (batch.curl.global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
        return gate_error_set(err, GATE_ERR_MEMORY, "libcurl cannot begin");
    batch.multi = batch.curl.multi_init();
    bool ok = batch.multi != NULL ? batch_run(&batch, err) : gate_error_set(err, GATE_ERR_MEMORY, "no memory to ask");
    for (uint32_t i = 0; i < batch.count; i++)
        gate_transfer_end(&batch.items[i].transfer);
    (void)batch.curl.multi_cleanup(batch.multi);
    batch.curl.global_cleanup();
    return ok;
}

#endif
