/* SPDX-License-Identifier: Apache-2.0 */
/* One attempt at a request, by libcurl (see transfer.h). */
#include "gate/capture/transfer.h"

#if GATE_HAS_CURL

#include "gate/capture/authorities.h"

enum { REDIRECTS_MAX = 5, SAID_BYTES = 65536, STATUS_OK = 200, STATUS_SAME_METHOD = 307, STATUS_SAME_FOR_EVER = 308 };

/* ---- one attempt ------------------------------------------------------------------------------------------------- */

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
    if (status != STATUS_OK) /* what is said is wanted, and no more */
        wanted = len < SAID_BYTES - request->body.len ? len : SAID_BYTES - request->body.len;
    gate_buf_bytes(&request->body, bytes, wanted);
    return request->body.failed ? 0 : len;
}

/* "Authorization: ..." for this server; empty: none. */
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
    out->failed = out->failed || value.failed;
    gate_buf_free(&value);
}

/* What a gRPC server says in the head of an answer that has nothing else. */
static size_t take_header(char *bytes, size_t size, size_t count, void *context) {
    const struct gate_transfer *transfer = context;
    struct gate_buf *lines = &transfer->request->grpc_lines;
    struct gate_str line = {bytes, size * count};
    static const struct gate_str prefix = {"grpc-", 5};
    bool is_grpc = line.len > prefix.len;
    for (size_t i = 0; is_grpc && i < prefix.len; i++) /* names of headers are of either case */
        is_grpc = (line.ptr[i] | 0x20) == (prefix.ptr[i] | 0x20);
    if (!is_grpc || lines->len + line.len > GATE_FETCH_GRPC_BYTES)
        return line.len;
    bool is_name = true;
    for (size_t i = 0; i < line.len; i++) {
        is_name = is_name && line.ptr[i] != ':';
        gate_buf_char(lines,
                      is_name && line.ptr[i] >= 'A' && line.ptr[i] <= 'Z' ? (char)(line.ptr[i] | 0x20) : line.ptr[i]);
    }
    return lines->failed ? 0 : line.len;
}

/* An option's value is of its own type, which no compiler sees: of each type one function. */
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

/* Who asks is told to nobody else than the server that was named. */
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
    ok = ok && (request->sent.ptr == NULL || header_add(transfer, "Expect:")); /* no round trip before the body */
    gate_buf_free(&line);
    gate_buf_free(&tenant);
    set_pointer(transfer, CURLOPT_HTTPHEADER, transfer->headers);
    set_number(transfer, CURLOPT_HEADEROPT, CURLHEADER_SEPARATE);
    return ok;
}

/* Authorities and our certificate that are no files. */
static void set_certificates(const struct gate_transfer *transfer) {
    const struct gate_fetch_options *options = transfer->options;
    set_blob(transfer, CURLOPT_CAINFO_BLOB, options->ca_pem);
    if (transfer->is_elsewhere)
        return;
    set_blob(transfer, CURLOPT_SSLCERT_BLOB, options->client_pem);
    set_blob(transfer, CURLOPT_SSLKEY_BLOB, options->client_key_pem);
}

/* Who may answer, and what is taken for who it says it is. */
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
    if (authorities == NULL && GATE_IS_STATIC && options->ca_pem.len == 0) /* else the distribution's libcurl knows */
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
    if (request->is_of_store) /* what is unpacked counts for max_bytes */
        set_pointer(transfer, CURLOPT_ACCEPT_ENCODING, "");
    if (request->sent.ptr != NULL) {
        set_size(transfer, CURLOPT_POSTFIELDSIZE_LARGE, request->sent.len);
        set_pointer(transfer, CURLOPT_POSTFIELDS, request->sent.ptr);
    }
    /* On a connection that was used before, libcurl asks again by itself where it breaks: what takes time would be
     * asked for twice, and the work between its readings be that of both. */
    set_number(transfer, CURLOPT_FRESH_CONNECT, request->seconds > 0 ? 1 : 0);
    set_pointer(transfer, CURLOPT_PRIVATE, transfer);
}

bool gate_transfer_begin(struct gate_transfer *transfer, CURLM *multi, struct gate_arena *arena,
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

void gate_transfer_end(struct gate_transfer *transfer) {
    if (transfer->easy == NULL)
        return;
    (void)transfer->curl->multi_remove_handle(transfer->multi, transfer->easy);
    transfer->curl->easy_cleanup(transfer->easy);
    transfer->curl->slist_free_all(transfer->headers);
    transfer->easy = NULL;
    transfer->headers = NULL;
}

/* ---- what came --------------------------------------------------------------------------------------------------- */

enum gate_answer_failure gate_transfer_failure(const struct gate_transfer *transfer, CURLcode code, long status) {
    double connected = 0;
    (void)transfer->curl->easy_getinfo(transfer->easy, CURLINFO_CONNECT_TIME, &connected);
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
        return status != STATUS_OK      ? GATE_ANSWER_CAME
               : transfer->is_too_large ? GATE_ANSWER_TOO_LARGE
                                        : GATE_ANSWER_OTHER;
    default:
        return GATE_ANSWER_OTHER;
    }
}

/* Without the port that goes without saying. */
static struct gate_str host_of(const struct gate_capture_url *url) {
    struct gate_str port = url->is_tls ? GATE_STR(":443") : GATE_STR(":80");
    return gate_str_slice(url->host, 0, url->host.len - (gate_str_ends(url->host, port) ? port.len : 0));
}

static bool is_same_server(const struct gate_capture_url *from, const struct gate_capture_url *to) {
    struct gate_str host = from->socket.len > 0 ? GATE_STR("localhost") : host_of(from);
    return from->is_tls == to->is_tls && to->socket.len == 0 && gate_str_equal(host, host_of(to));
}

bool gate_transfer_redirect(struct gate_transfer *transfer, struct gate_answer *answer, struct gate_arena *arena) {
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
