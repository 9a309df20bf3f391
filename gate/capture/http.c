/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/capture/http.h"

#include "gate/base/buf.h"
#include "gate/base/json_io.h"
#include "gate/base/str.h"
#include "gate/base/system.h"
#include "gate/capture/credentials.h"
#include "gate/capture/libcurl.h"

enum { GATE_FETCH_GRPC_BYTES = 4096 };

/* ---- judging an answer ------------------------------------------------------------------------------------------- */

enum {
    STATUS_OK = 200,
    STATUS_PROXY = 407,
    STATUS_TIMEOUT = 408,
    STATUS_MANY = 429,
    STATUS_ERROR = 500,
    SAID_BYTES = 160
};

/* A CPU profile takes up to 30 s. So if another one blocks the request, more and longer retries are needed than after
 * an error. */
static const double wait_most_s = 15, retry_after_most_s = 120, busy_factor = 4;

static const uint32_t busy_retries = 4;

static bool is_busy(const struct gate_answer *answer) {
    return answer->failure == GATE_ANSWER_CAME && answer->status >= STATUS_ERROR &&
           gate_str_find(answer->body, GATE_STR("profiling already in use"), 0) != SIZE_MAX;
}

static bool may_retry(const struct gate_answer *answer) {
    static const long statuses[] = {STATUS_TIMEOUT, STATUS_MANY, STATUS_ERROR, 502, 503, 504};
    if (answer->failure == GATE_ANSWER_NO_CONNECTION || answer->failure == GATE_ANSWER_CUT)
        return true;
    for (size_t i = 0; answer->failure == GATE_ANSWER_CAME && i < sizeof statuses / sizeof *statuses; i++)
        if (answer->status == statuses[i])
            return true;
    return false;
}

/* Return the first line of the server's message if it is plain text and not a web page. A line that was cut is not
 * shown: it may end with a part of a secret, which could not be hidden. */
static struct gate_str first_line(const struct gate_answer *answer) {
    size_t end = gate_str_find(answer->said, GATE_STR("\n"), 0);
    struct gate_str line = gate_str_trim(gate_str_slice(answer->said, 0, end));
    if (end == SIZE_MAX && answer->is_cut)
        return GATE_STR("");
    for (size_t i = 0; i < line.len; i++)
        if ((unsigned char)line.ptr[i] < ' ' || line.ptr[0] == '<')
            return GATE_STR("");
    return gate_str_slice(line, 0, SAID_BYTES);
}

static const char *next_step_of_store(const struct gate_answer *answer) {
    switch (answer->status) {
    case 401:
        return answer->has_credentials ? "; the token or password is not the right one, or --tenant ID is missing"
                                       : "; authentication required: give --token-env, --token-file or --user-file, "
                                         "and --tenant for a store of several tenants";
    case 403:
        return answer->has_credentials ? "; these credentials lack permission"
                                       : "; it may want a token: --token-env NAME";
    case 404:
        return "; is the address that of the store itself, and its path right?";
    default:
        return "";
    }
}

static const char *next_step(const struct gate_answer *answer) {
    if (answer->status == STATUS_PROXY)
        return "; the proxy wants credentials: http_proxy=http://USER:PASSWORD@HOST:PORT";
    if (answer->is_of_store)
        return next_step_of_store(answer);
    switch (answer->status) {
    case 401:
        return answer->has_credentials ? "; the token or password is not the right one"
                                       : "; authentication required: give --token-env, --token-file or --user-file";
    case 403:
        return answer->has_credentials ? "; these credentials lack permission"
                                       : "; it may want a token: --token-env NAME";
    case 404:
        return answer->is_fgprof ? "; net/http/pprof has no wall profile: the program has to serve fgprof.Handler() at "
                                   "/debug/fgprof"
                                 : "; is the path right, and does the program import net/http/pprof?";
    default:
        return "";
    }
}

/* Return whether `text` has escapes other than \". A secret that is written with escapes would not have been hidden. */
static bool has_escapes(struct gate_str text) {
    for (size_t i = 0; i + 1 < text.len; i++)
        if (text.ptr[i] == '\\' && text.ptr[++i] != '"')
            return true;
    return false;
}

/* Return the message in an API's error: {"message": "..."} (Connect, Kubernetes) or {"error": "..."} (Prometheus).
 * Returns NULL if `said` has another form. The caller frees `*tree`. */
static const char *json_message(json_t **tree, const struct gate_answer *answer) {
    struct gate_str text = gate_str_trim(answer->said);
    struct gate_json_fault fault;
    *tree = NULL;
    if (answer->is_cut || text.len == 0 || text.ptr[0] != '{' || has_escapes(text))
        return NULL;
    *tree = gate_json_text_read(&fault, text, 0);
    const json_t *message = json_object_get(*tree, "message");
    message = message == NULL ? json_object_get(*tree, "error") : message;
    const char *words = json_string_value(message);
    for (size_t i = 0; words != NULL && words[i] != '\0'; i++)
        if ((unsigned char)words[i] < ' ')
            return NULL;
    return words;
}

static void set_status_error(const struct gate_answer *answer, bool busy, struct gate_error *why) {
    json_t *tree = NULL;
    const char *words = json_message(&tree, answer);
    struct gate_str text = words == NULL ? first_line(answer) : gate_str_slice(gate_str_from(words), 0, SAID_BYTES);
    bool has_text = text.len > 0;
    if (busy) {
        (void)gate_error_set(why, GATE_ERR_INPUT,
                             "the program takes another CPU profile, and can take only one at a time (HTTP %ld); stop "
                             "what else takes profiles of it, or try again later",
                             answer->status);
    } else {
        (void)gate_error_set(why, GATE_ERR_INPUT, "HTTP %ld%s%.*s%s%s", answer->status, has_text ? ", \"" : "",
                             GATE_STR_ARG(text), has_text ? "\"" : "", next_step(answer));
    }
    json_decref(tree);
}

static void set_failure(const struct gate_answer *answer, bool is_over, struct gate_error *why) {
    const char *reason = answer->reason == NULL ? "" : answer->reason;
    switch (answer->failure) {
    case GATE_ANSWER_NO_HOST:
        (void)gate_error_set(why, GATE_ERR_IO, "the host is not known: %s", reason);
        break;
    case GATE_ANSWER_NO_CONNECTION:
        (void)gate_error_set(why, GATE_ERR_IO, "no connection: %s; is the program up, and is the port right?", reason);
        break;
    case GATE_ANSWER_CUT:
        (void)gate_error_set(why, GATE_ERR_IO, "the answer was cut: %s", reason);
        break;
    case GATE_ANSWER_TIMEOUT:
        (void)gate_error_set(why, GATE_ERR_IO, "no whole answer within %.3g s%s", answer->waited_s,
                             is_over ? "" : "; --timeout gives it longer");
        break;
    case GATE_ANSWER_TLS:
        (void)gate_error_set(why, GATE_ERR_IO,
                             "the connection is not safe: %s; --ca-file FILE names the authority that signed the "
                             "server's certificate",
                             reason);
        break;
    case GATE_ANSWER_PROXY:
        (void)gate_error_set(why, GATE_ERR_IO,
                             "the proxy does not connect to the server: %s; check https_proxy and no_proxy", reason);
        break;
    case GATE_ANSWER_TOO_LARGE:
        (void)gate_error_set(why, GATE_ERR_LIMIT, "the answer is larger than %zu bytes; raise --max-bytes",
                             answer->max_bytes);
        break;
    case GATE_ANSWER_REFUSED_REDIRECT:
        (void)gate_error_set(why, GATE_ERR_INPUT,
                             "it redirects to %s, which is another server; name that one, or allow it with "
                             "--follow-redirects any",
                             reason);
        break;
    default:
        (void)gate_error_set(why, GATE_ERR_IO, "%s", reason);
        break;
    }
}

static double wait_of(const struct gate_answer *answer, const struct gate_answer_policy *policy, bool busy,
                      double jitter) {
    double wait = policy->backoff_s * (busy ? busy_factor : 1);
    for (uint32_t i = 1; i < answer->attempt && wait < wait_most_s; i++)
        wait *= 2;
    wait = wait < wait_most_s ? wait : wait_most_s;
    wait *= 1 - jitter / 2;
    return wait > answer->retry_after_s ? wait : answer->retry_after_s;
}

void gate_answer_judge(struct gate_answer_step *out, const struct gate_answer *answer,
                       const struct gate_answer_policy *policy, double jitter, struct gate_error *why) {
    *out = (struct gate_answer_step){.is_busy = is_busy(answer)};
    out->is_well = answer->failure == GATE_ANSWER_CAME && answer->status == STATUS_OK;
    if (out->is_well)
        return;
    out->is_over =
        policy->has_deadline && (policy->left_s <= 0 || answer->is_short) && answer->failure == GATE_ANSWER_TIMEOUT;
    if (answer->failure == GATE_ANSWER_CAME)
        set_status_error(answer, out->is_busy, why);
    else
        set_failure(answer, out->is_over, why);
    if (!may_retry(answer)) {
        if (out->is_over)
            (void)gate_error_set(why, why->code, "the time is over: %s", why->message);
        return;
    }
    uint32_t most = policy->retries + (out->is_busy && policy->retries > 0 ? busy_retries : 0);
    bool is_too_long = answer->retry_after_s > retry_after_most_s;
    out->again = answer->attempt <= most && !is_too_long;
    out->wait_s = wait_of(answer, policy, out->is_busy, jitter);
    out->is_over = out->again && policy->has_deadline && out->wait_s >= policy->left_s;
    out->again = out->again && !out->is_over;
    if (out->again)
        return;
    if (out->is_over)
        (void)gate_error_set(why, why->code, "timeout: %s, and the next retry would be in %.1fs", why->message,
                             out->wait_s);
    else if (is_too_long)
        (void)gate_error_set(why, why->code, "%s; the server wants a retry after %.0fs", why->message,
                             answer->retry_after_s);
    else if (answer->attempt > 1)
        (void)gate_error_set(why, why->code, "%s; %u attempts", why->message, (unsigned)answer->attempt);
}

/* ---- one attempt, by libcurl ------------------------------------------------------------------------------------- */

#if GATE_HAS_CURL

enum {
    REDIRECTS_MAX = 5,
    TRANSFER_SAID_BYTES = 65536,
    TRANSFER_STATUS_OK = 200,
    STATUS_SAME_METHOD = 307,
    STATUS_SAME_FOR_EVER = 308
};

/* One attempt. The caller sets request, options, curl and url. `url` is the request's until a redirect changes it. */
struct gate_transfer {
    struct gate_fetch *request;
    const struct gate_fetch_options *options;
    const struct gate_libcurl *curl;
    struct gate_capture_url url;
    bool is_elsewhere; /* redirected to another server: send no credentials */
    uint32_t redirects;
    double seconds_most; /* timeout of the attempt */
    size_t received;
    bool is_too_large;
    CURLM *multi;
    CURL *easy; /* NULL: not running */
    struct curl_slist *headers;
    char reason[CURL_ERROR_SIZE];
};

/* ---- options of an attempt --------------------------------------------------------------------------------------- */

static size_t take_bytes(char *bytes, size_t size, size_t count, void *context) {
    struct gate_transfer *transfer = context;
    struct gate_fetch *request = transfer->request;
    size_t len = size * count, wanted = len;
    long status = 0;
    (void)transfer->curl->easy_getinfo(transfer->easy, CURLINFO_RESPONSE_CODE, &status);
    transfer->received += len;
    transfer->is_too_large = transfer->received > request->max_bytes;
    if (transfer->is_too_large)
        return 0;
    if (status != TRANSFER_STATUS_OK) /* the body of an error is only needed for its message */
        wanted = len < TRANSFER_SAID_BYTES - request->body.len ? len : TRANSFER_SAID_BYTES - request->body.len;
    gate_buf_bytes(&request->body, bytes, wanted);
    return request->body.failed ? 0 : len;
}

/* Append "Authorization: ..." for this server; nothing if there are no credentials. */
static void put_authorization(struct gate_buf *out, const struct gate_transfer *transfer) {
    struct gate_buf value = {0};
    if (transfer->is_elsewhere)
        return;
    gate_credentials_put(&value, transfer->request->credentials, &transfer->request->url);
    if (value.len > 0) {
        gate_buf_text(out, "Authorization: ");
        gate_buf_str(out, gate_buf_view(&value));
        gate_buf_char(out, '\0');
    }
    gate_buf_free_part(out, &value);
}

/* Keep the headers grpc-…: a gRPC server reports an error in the headers if the answer has no body. */
static size_t take_header(char *bytes, size_t size, size_t count, void *context) {
    const struct gate_transfer *transfer = context;
    struct gate_buf *lines = &transfer->request->grpc_lines;
    struct gate_str line = {bytes, size * count};
    static const struct gate_str prefix = {"grpc-", 5};
    bool is_grpc = line.len > prefix.len;
    for (size_t i = 0; is_grpc && i < prefix.len; i++) /* names of headers are case-insensitive */
        is_grpc = (line.ptr[i] | 0x20) == (prefix.ptr[i] | 0x20);
    if (!is_grpc || lines->len + line.len > GATE_FETCH_GRPC_BYTES)
        return line.len;
    bool is_name = true;
    for (size_t i = 0; i < line.len; i++) {
        is_name = is_name && line.ptr[i] != ':';
        gate_buf_char(lines, is_name ? gate_lower(line.ptr[i]) : line.ptr[i]);
    }
    return lines->failed ? 0 : line.len;
}

/* curl_easy_setopt is variadic, so the compiler does not check a value's type: one function for each type. */
static void set_number(const struct gate_transfer *transfer, CURLoption option, long value) {
    (void)transfer->curl->easy_setopt(transfer->easy, option, value);
}

static void set_size(const struct gate_transfer *transfer, CURLoption option, size_t bytes) {
    (void)transfer->curl->easy_setopt(transfer->easy, option, (curl_off_t)bytes);
}

static void set_pointer(const struct gate_transfer *transfer, CURLoption option, const void *value) {
    (void)transfer->curl->easy_setopt(transfer->easy, option, value);
}

static void set_taker(const struct gate_transfer *transfer, CURLoption option, curl_write_callback taker) {
    (void)transfer->curl->easy_setopt(transfer->easy, option, taker);
}

static void set_blob(const struct gate_transfer *transfer, CURLoption option, struct gate_str pem) {
    struct curl_blob blob = {.data = (void *)(uintptr_t)pem.ptr, .len = pem.len, .flags = CURL_BLOB_NOCOPY};
    if (pem.len > 0)
        set_pointer(transfer, option, &blob);
}

static bool header_add(struct gate_transfer *transfer, const char *line) {
    struct curl_slist *more = transfer->curl->slist_append(transfer->headers, line);
    transfer->headers = more == NULL ? transfer->headers : more;
    return more != NULL;
}

/* Set the headers. Credentials and tenant go only to the server that the request names. */
static bool set_headers(struct gate_transfer *transfer) {
    const struct gate_fetch *request = transfer->request;
    struct gate_buf line = {0}, tenant = {0};
    put_authorization(&line, transfer);
    if (!transfer->is_elsewhere)
        gate_credentials_put_tenant(&tenant, request->credentials);
    transfer->headers = NULL;
    bool ok = !line.failed && !tenant.failed && (line.len == 0 || header_add(transfer, line.ptr)) &&
              (tenant.len == 0 || header_add(transfer, tenant.ptr));
    for (size_t i = 0; ok && request->headers != NULL && request->headers[i] != NULL; i++)
        ok = header_add(transfer, request->headers[i]);
    ok = ok && (request->sent.ptr == NULL || header_add(transfer, "Expect:")); /* avoid the extra round trip of
                                                                                  "Expect: 100-continue" */
    gate_buf_free(&line);
    gate_buf_free(&tenant);
    set_pointer(transfer, CURLOPT_HTTPHEADER, transfer->headers);
    set_number(transfer, CURLOPT_HEADEROPT, CURLHEADER_SEPARATE);
    return ok;
}

/* Set authorities and client certificate that are given as text, not as files. */
static void set_certificates(const struct gate_transfer *transfer) {
    const struct gate_fetch_options *options = transfer->options;
    set_blob(transfer, CURLOPT_CAINFO_BLOB, options->ca_pem);
    if (transfer->is_elsewhere)
        return;
    set_blob(transfer, CURLOPT_SSLCERT_BLOB, options->client_pem);
    set_blob(transfer, CURLOPT_SSLKEY_BLOB, options->client_key_pem);
}

/* Set the address, and how the server's certificate is verified. */
static void set_server(const struct gate_transfer *transfer, const char *wire, const char *socket) {
    const struct gate_fetch_options *options = transfer->options;
    set_pointer(transfer, CURLOPT_URL, wire);
    set_pointer(transfer, CURLOPT_UNIX_SOCKET_PATH, socket);
#if CURL_AT_LEAST_VERSION(7, 85, 0)
    set_pointer(transfer, CURLOPT_PROTOCOLS_STR, "http,https");
#else
    set_number(transfer, CURLOPT_PROTOCOLS, CURLPROTO_HTTP | CURLPROTO_HTTPS);
#endif
    set_number(transfer, CURLOPT_FOLLOWLOCATION, 0);
    set_number(transfer, CURLOPT_SSL_VERIFYPEER, options->is_insecure ? 0 : 1);
    set_number(transfer, CURLOPT_SSL_VERIFYHOST, options->is_insecure ? 0 : 2);
    const char *authorities = options->ca_file;
    if (authorities == NULL && GATE_IS_STATIC && options->ca_pem.len == 0) /* else the distribution's libcurl has a
                                                                              default */
        authorities = gate_authorities_file();
    if (authorities != NULL)
        set_pointer(transfer, CURLOPT_CAINFO, authorities);
    set_certificates(transfer);
}

static void set_options(struct gate_transfer *transfer) {
    const struct gate_fetch *request = transfer->request;
    set_number(transfer, CURLOPT_NOSIGNAL, 1);
    set_pointer(transfer, CURLOPT_USERAGENT, "pprofgate/" GATE_VERSION);
    set_number(transfer, CURLOPT_CONNECTTIMEOUT_MS, (long)(transfer->options->connect_seconds * 1e3));
    set_number(transfer, CURLOPT_TIMEOUT_MS, (long)(transfer->seconds_most * 1e3) + 1);
    set_size(transfer, CURLOPT_MAXFILESIZE_LARGE, request->max_bytes);
    set_pointer(transfer, CURLOPT_ERRORBUFFER, transfer->reason);
    set_taker(transfer, CURLOPT_WRITEFUNCTION, take_bytes);
    set_pointer(transfer, CURLOPT_WRITEDATA, transfer);
    set_taker(transfer, CURLOPT_HEADERFUNCTION, take_header);
    set_pointer(transfer, CURLOPT_HEADERDATA, transfer);
    if (request->is_of_store) /* max_bytes limits the uncompressed size */
        set_pointer(transfer, CURLOPT_ACCEPT_ENCODING, "");
    if (request->sent.ptr != NULL) {
        set_size(transfer, CURLOPT_POSTFIELDSIZE_LARGE, request->sent.len);
        set_pointer(transfer, CURLOPT_POSTFIELDS, request->sent.ptr);
    }
    /* libcurl repeats a request by itself if a reused connection breaks. A profile would then be taken twice, and its
     * counter readings would cover both. */
    set_number(transfer, CURLOPT_FRESH_CONNECT, request->seconds > 0 ? 1 : 0);
    set_pointer(transfer, CURLOPT_PRIVATE, transfer);
}

/* Start the attempt on `multi`. err: GATE_ERR_MEMORY, GATE_ERR_LIMIT. */
static bool transfer_begin(struct gate_transfer *transfer, CURLM *multi, struct gate_arena *arena,
                           struct gate_error *err) {
    const char *wire = gate_capture_url_wire(&transfer->url, arena);
    struct gate_str socket = gate_str_copy(arena, transfer->url.socket);
    if (wire == NULL || socket.ptr == NULL)
        return gate_arena_error(arena, err);
    gate_buf_free(&transfer->request->body);
    gate_buf_free(&transfer->request->grpc_lines);
    transfer->received = 0;
    transfer->is_too_large = false;
    transfer->reason[0] = '\0';
    transfer->easy = transfer->curl->easy_init();
    if (transfer->easy == NULL)
        return gate_error_set(err, GATE_ERR_MEMORY, "no memory for a request");
    set_server(transfer, wire, socket.len > 0 ? socket.ptr : NULL);
    set_options(transfer);
    if (!set_headers(transfer) || transfer->curl->multi_add_handle(multi, transfer->easy) != CURLM_OK)
        return gate_error_set(err, GATE_ERR_MEMORY, "no memory for a request");
    transfer->multi = multi;
    return true;
}

/* Remove the attempt from `multi` and free it; does nothing if it is not running. */
static void transfer_end(struct gate_transfer *transfer) {
    if (transfer->easy == NULL)
        return;
    (void)transfer->curl->multi_remove_handle(transfer->multi, transfer->easy);
    transfer->curl->easy_cleanup(transfer->easy);
    transfer->curl->slist_free_all(transfer->headers);
    transfer->easy = NULL;
    transfer->headers = NULL;
}

/* ---- the result of an attempt ------------------------------------------------------------------------------------ */

/* Classify the result of libcurl. Call it before transfer_end. */
static enum gate_answer_failure transfer_failure(const struct gate_transfer *transfer, CURLcode code, long status) {
    double connected = 0;
    long tunnel = 0; /* status of the proxy's answer to CONNECT; 0: no such request */
    (void)transfer->curl->easy_getinfo(transfer->easy, CURLINFO_CONNECT_TIME, &connected);
    (void)transfer->curl->easy_getinfo(transfer->easy, CURLINFO_HTTP_CONNECTCODE, &tunnel);
    if (code != CURLE_OK && tunnel != 0 && tunnel != TRANSFER_STATUS_OK)
        return GATE_ANSWER_PROXY;
    switch (code) {
    case CURLE_OK:
        return GATE_ANSWER_CAME;
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY:
        return GATE_ANSWER_NO_HOST;
    case CURLE_COULDNT_CONNECT:
        return GATE_ANSWER_NO_CONNECTION;
    case CURLE_OPERATION_TIMEDOUT:
        return connected > 0 ? GATE_ANSWER_TIMEOUT : GATE_ANSWER_NO_CONNECTION;
    case CURLE_PARTIAL_FILE:
    case CURLE_GOT_NOTHING:
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR:
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM:
        return GATE_ANSWER_CUT;
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_ISSUER_ERROR:
        return GATE_ANSWER_TLS;
    case CURLE_FILESIZE_EXCEEDED:
        return GATE_ANSWER_TOO_LARGE;
    case CURLE_WRITE_ERROR:
        return status != TRANSFER_STATUS_OK ? GATE_ANSWER_CAME
               : transfer->is_too_large     ? GATE_ANSWER_TOO_LARGE
                                            : GATE_ANSWER_OTHER;
    default:
        return GATE_ANSWER_OTHER;
    }
}

/* Return the host without a default port. */
static struct gate_str host_of(const struct gate_capture_url *url) {
    struct gate_str port = url->is_tls ? GATE_STR(":443") : GATE_STR(":80");
    return gate_str_slice(url->host, 0, url->host.len - (gate_str_ends(url->host, port) ? port.len : 0));
}

static bool is_same_server(const struct gate_capture_url *from, const struct gate_capture_url *to) {
    struct gate_str host = from->socket.len > 0 ? GATE_STR("localhost") : host_of(from);
    return from->is_tls == to->is_tls && to->socket.len == 0 && gate_str_equal(host, host_of(to));
}

/*
 * If the answer is a redirect that may be followed, set `url` to its target and return true. Otherwise return false; if
 * the redirect is refused, set the failure in `answer`.
 */
static bool transfer_redirect(struct gate_transfer *transfer, struct gate_answer *answer, struct gate_arena *arena) {
    struct gate_capture_url to;
    struct gate_error why = {0};
    char *where = NULL;
    (void)transfer->curl->easy_getinfo(transfer->easy, CURLINFO_REDIRECT_URL, &where);
    if (answer->failure != GATE_ANSWER_CAME || answer->status < 300 || answer->status > 399 || where == NULL)
        return false;
    struct gate_str copy = gate_str_copy(arena, gate_str_from(where));
    bool keeps_method = answer->status == STATUS_SAME_METHOD || answer->status == STATUS_SAME_FOR_EVER;
    answer->failure = GATE_ANSWER_OTHER;
    answer->reason = "it redirects to what is not an address over HTTP";
    if (copy.ptr == NULL || !gate_capture_url_read(&to, copy, &why) || to.socket.len > 0)
        return false;
    answer->reason = "it redirects to where nothing can be posted; is a login in between, or a proxy?";
    if (transfer->request->sent.ptr != NULL && !keeps_method)
        return false;
    bool is_same = is_same_server(&transfer->url, &to);
    answer->failure = GATE_ANSWER_REFUSED_REDIRECT;
    answer->reason = gate_capture_url_show(&to, arena).ptr;
    if (!is_same && !transfer->options->follows_any)
        return false;
    answer->failure = GATE_ANSWER_OTHER;
    answer->reason = "it redirects more than 5 times";
    if (++transfer->redirects > REDIRECTS_MAX)
        return false;
    transfer->is_elsewhere = transfer->is_elsewhere || !is_same;
    to.socket = is_same ? transfer->url.socket : to.socket;
    transfer->url = to;
    return true;
}

#endif

/* ---- all requests ------------------------------------------------------------------------------------------------ */

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
#include "gate/capture/http.h"

enum { POLL_MS = 200, FETCH_STATUS_OK = 200 };

enum request_state { REQUEST_IDLE, REQUEST_HELD, REQUEST_DUE, REQUEST_RUNNING, REQUEST_DONE };

/* The state of one request. */
struct pending {
    struct gate_transfer transfer;
    struct pending *before, *after, *owner; /* requests before and after this one; the request that has this one as
                                               `before` and waits for it */
    enum request_state state;
    double due_s, begun_s;
    bool before_is_fresh;
    bool is_reading; /* this is `before` or `after` of another request, so a late reading is useless */
};

struct batch {
    struct pending *items;
    uint32_t count;
    const struct gate_fetch_options *options;
    struct gate_libcurl curl;
    CURLM *multi;
    uint64_t random;
    double begun_s;   /* CLOCK_MONOTONIC */
    int64_t begun_ms; /* Unix time of `begun_s` */
    struct gate_arena *arena;
};

bool gate_fetch_is_built(void) {
    return true;
}

bool gate_fetch_check(struct gate_error *err) {
    struct gate_libcurl curl;
    return gate_libcurl_load(&curl, err);
}

/* Return the Unix time, without changes of the system's clock since the batch began: they would change the measured
 * durations. */
static int64_t now_ms(const struct batch *batch) {
    return batch->begun_ms + (int64_t)((gate_clock_s(CLOCK_MONOTONIC) - batch->begun_s) * 1e3);
}

/* ---- the end of an attempt --------------------------------------------------------------------------------------- */

static void note_retry(const struct batch *batch, const struct gate_fetch *request, double wait_s) {
    const struct gate_capture_listener *listener = &batch->options->listener;
    struct gate_str shown = gate_capture_url_show(&request->url, batch->arena);
    struct gate_buf text = {0};
    gate_buf_printf(&text, "%.*s: %s; retry in %.1fs", GATE_STR_ARG(shown), request->err.message, wait_s);
    if (listener->note != NULL && request->attempts == 1)
        listener->note(listener->context, gate_buf_view(&text));
    gate_buf_free(&text);
}

static void pending_finish(struct pending *pending, bool is_well) {
    pending->state = REQUEST_DONE;
    pending->transfer.request->is_well = is_well;
    if (pending->owner != NULL) {
        pending->owner->before_is_fresh = true;
        pending->owner->state = REQUEST_DUE;
        pending->owner->due_s = 0;
    }
    if (is_well && pending->after != NULL)
        pending->after->state = REQUEST_DUE;
}

static void pending_retry(struct pending *pending, double wait_s) {
    struct gate_transfer *transfer = &pending->transfer;
    pending->state = REQUEST_DUE;
    pending->due_s = gate_clock_s(CLOCK_MONOTONIC) + wait_s;
    transfer->url = transfer->request->url;
    transfer->is_elsewhere = false;
    transfer->redirects = 0;
}

static bool has_credentials(const struct gate_fetch *request) {
    return (request->credentials != NULL && request->credentials->authorization != NULL) || request->url.user.len > 0;
}

/* Append the body without the secrets that it repeats: those of the request, and those of the redirect's target. */
static void put_body_without_secrets(struct gate_buf *out, const struct gate_transfer *transfer) {
    const struct gate_fetch *request = transfer->request;
    struct gate_buf half = {0};
    gate_credentials_hide_text(&half, gate_buf_view(&request->body), request->credentials, &request->url);
    gate_credentials_hide_text(out, gate_buf_view(&half), NULL, &transfer->url);
    if (half.failed || out->failed)
        gate_buf_free(out);
    gate_buf_free(&half);
}

static void judge_answer(struct gate_answer_step *out, struct gate_answer *answer,
                         const struct gate_answer_policy *policy, const struct pending *pending, struct batch *batch) {
    const struct gate_transfer *transfer = &pending->transfer;
    struct gate_fetch *request = transfer->request;
    double jitter = (double)(gate_hash_mix(batch->random++) >> 11) * 0x1p-53;
    struct gate_buf said = {0};
    bool is_telling = answer->failure == GATE_ANSWER_CAME && answer->status != FETCH_STATUS_OK;
    if (is_telling)
        put_body_without_secrets(&said, transfer);
    answer->said = gate_buf_view(&said);
    answer->is_cut = is_telling && transfer->received != request->body.len;
    gate_answer_judge(out, answer, policy, jitter, &request->err);
    gate_credentials_hide(&request->err, request->credentials, &request->url);
    gate_buf_free(&said);
}

/* Return why an attempt with this answer is repeated. */
static enum gate_retried retried_of(const struct gate_answer *answer, bool is_busy) {
    static const long no_program[] = {502, 503, 504};
    bool is_down = answer->failure == GATE_ANSWER_NO_CONNECTION;
    for (size_t i = 0; i < sizeof no_program / sizeof *no_program; i++)
        is_down = is_down || (answer->failure == GATE_ANSWER_CAME && answer->status == no_program[i]);
    return is_busy                              ? GATE_RETRIED_BUSY
           : answer->failure == GATE_ANSWER_CUT ? GATE_RETRIED_CUT
           : is_down                            ? GATE_RETRIED_DOWN
                                                : GATE_RETRIED_NOT;
}

/* Judge the end of an attempt: follow a redirect, retry, or finish the request. */
static void pending_judge(struct pending *pending, struct batch *batch, CURLcode code) {
    struct gate_transfer *transfer = &pending->transfer;
    struct gate_fetch *request = transfer->request;
    const uint32_t most_of_kind = request->delay_seconds > 0 ? 0 : pending->is_reading ? 1 : UINT32_MAX;
    const uint32_t most = batch->options->retries < most_of_kind ? batch->options->retries : most_of_kind;
    const struct gate_answer_policy policy = {.retries = most,
                                              .backoff_s = batch->options->backoff_seconds,
                                              .has_deadline = batch->options->deadline > 0,
                                              .left_s = batch->options->deadline - gate_clock_s(CLOCK_MONOTONIC)};
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
    request->end_ms = now_ms(batch);
    (void)batch->curl.easy_getinfo(transfer->easy, CURLINFO_RESPONSE_CODE, &answer.status);
    (void)batch->curl.easy_getinfo(transfer->easy, CURLINFO_RETRY_AFTER, &retry_after);
    answer.retry_after_s = (double)retry_after;
    answer.failure = transfer_failure(transfer, code, answer.status);
    if (transfer_redirect(transfer, &answer, batch->arena)) {
        pending->state = REQUEST_DUE;
        pending->before_is_fresh = true; /* the `before` reading is done already */
        transfer_end(transfer);
        return;
    }
    request->attempts++;
    request->status = answer.failure == GATE_ANSWER_CAME ? answer.status : 0;
    judge_answer(&step, &answer, &policy, pending, batch);
    transfer_end(transfer);
    request->is_over = step.is_over;
    if (!step.again) {
        pending_finish(pending, step.is_well);
        return;
    }
    if (request->attempts == 1)
        request->retried = retried_of(&answer, step.is_busy);
    note_retry(batch, request, step.wait_s);
    pending_retry(pending, step.wait_s);
}

/* ---- running all requests ---------------------------------------------------------------------------------------- */

/* Set the timeout of an attempt that starts now. If it cannot end before the deadline, fail the request and return
 * false. */
static bool pending_fits_deadline(struct pending *pending, const struct batch *batch, double now) {
    const struct gate_fetch_options *options = batch->options;
    struct gate_fetch *request = pending->transfer.request;
    double left = options->deadline - now, *most = &pending->transfer.seconds_most;
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
        (void)gate_error_set(&request->err, GATE_ERR_IO, "timeout before the request was sent%s%s", before,
                             request->err.message);
    pending_finish(pending, false);
    return false;
}

/* Start the requests that are due; a `before` reading goes first. */
static bool batch_launch(struct batch *batch, struct gate_error *err) {
    double now = gate_clock_s(CLOCK_MONOTONIC);
    for (uint32_t i = 0; i < batch->count; i++) {
        struct pending *pending = &batch->items[i];
        if (pending->state != REQUEST_DUE || pending->due_s > now)
            continue;
        if (!pending_fits_deadline(pending, batch, now))
            continue;
        if (pending->before != NULL && !pending->before_is_fresh) {
            pending->state = REQUEST_HELD;
            pending = pending->before;
            pending->transfer.request->attempts = 0;
            if (!pending_fits_deadline(pending, batch, now))
                continue;
        }
        pending->before_is_fresh = false;
        pending->begun_s = now;
        pending->transfer.request->start_ms = now_ms(batch);
        pending->state = REQUEST_RUNNING;
        if (!transfer_begin(&pending->transfer, batch->multi, batch->arena, err))
            return false;
    }
    return true;
}

static void batch_progress(const struct batch *batch) {
    const struct gate_capture_listener *listener = &batch->options->listener;
    double now = gate_clock_s(CLOCK_MONOTONIC), left = 0;
    uint32_t running = 0;
    char text[96];
    if (listener->progress == NULL)
        return;
    for (uint32_t i = 0; i < batch->count; i++) {
        const struct pending *pending = &batch->items[i];
        if (pending->state != REQUEST_RUNNING)
            continue;
        double rest = pending->begun_s + pending->transfer.request->seconds - now;
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

/* Return whether all requests have ended. Delayed ones do not count: they only serve the others. */
static bool batch_is_over(const struct batch *batch) {
    for (uint32_t i = 0; i < batch->count; i++)
        if (!(batch->items[i].transfer.request->delay_seconds > 0) && batch->items[i].state != REQUEST_DONE &&
            batch->items[i].state != REQUEST_IDLE)
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
            pending_judge(&batch->items[at], batch, code);
        }
        batch_progress(batch);
        if (!batch_is_over(batch) && batch->curl.multi_poll(batch->multi, NULL, 0, POLL_MS, NULL) != CURLM_OK)
            return gate_error_set(err, GATE_ERR_IO, "the requests cannot go on");
    }
    return true;
}

/* ---- setup ------------------------------------------------------------------------------------------------------- */

static struct pending *batch_add(struct batch *batch, struct gate_fetch *request, enum request_state state) {
    struct pending *pending = &batch->items[batch->count++];
    *pending = (struct pending){.state = state};
    pending->transfer.request = request;
    pending->transfer.options = batch->options;
    pending->transfer.curl = &batch->curl;
    pending->transfer.url = request->url;
    return pending;
}

static bool batch_make(struct batch *batch, struct gate_fetch *const *requests, uint32_t count,
                       struct gate_error *err) {
    batch->items = GATE_NEW_ARRAY(batch->arena, struct pending, (size_t)count * 3);
    if (batch->items == NULL)
        return gate_arena_error(batch->arena, err);
    for (uint32_t i = 0; i < count; i++) {
        struct pending *pending = batch_add(batch, requests[i], REQUEST_DUE);
        pending->due_s = batch->begun_s + requests[i]->delay_seconds;
        if (requests[i]->before != NULL) {
            pending->before = batch_add(batch, requests[i]->before, REQUEST_IDLE);
            pending->before->owner = pending;
            pending->before->is_reading = true;
        }
        if (requests[i]->after != NULL) {
            pending->after = batch_add(batch, requests[i]->after, REQUEST_IDLE);
            pending->after->is_reading = true;
        }
    }
    return true;
}

bool gate_fetch_all(struct gate_fetch *const *requests, uint32_t count, const struct gate_fetch_options *options,
                    struct gate_arena *arena, struct gate_error *err) {
    struct batch batch = {.options = options,
                          .random = gate_hash_secret(),
                          .begun_s = gate_clock_s(CLOCK_MONOTONIC),
                          .begun_ms = (int64_t)(gate_clock_s(CLOCK_REALTIME) * 1e3),
                          .arena = arena};
    if (!gate_libcurl_load(&batch.curl, err) || !batch_make(&batch, requests, count, err))
        return false;
    if (batch.curl.global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
        return gate_error_set(err, GATE_ERR_MEMORY, "libcurl cannot begin");
    batch.multi = batch.curl.multi_init();
    bool ok = batch.multi != NULL ? batch_run(&batch, err) : gate_error_set(err, GATE_ERR_MEMORY, "no memory to ask");
    for (uint32_t i = 0; i < batch.count; i++)
        transfer_end(&batch.items[i].transfer);
    (void)batch.curl.multi_cleanup(batch.multi);
    batch.curl.global_cleanup();
    return ok;
}

#endif
