/* SPDX-License-Identifier: Apache-2.0 */
/* Requests to stores and their answers (see backend_query.h). */
#include "gate/capture/backend_query.h"

#include "gate/profile/inflate.h"
#include "gate/profile/wire.h"

enum {
    STATUS_NOT_FOUND = 404,
    STATUS_NOT_IMPLEMENTED = 501,
    MAX_NODES = 65536, /* without it Pyroscope cuts a merged profile at 8192 nodes of its tree */
    FORMAT_PPROF = 4,
    MODE_MERGE = 2,
    REPORT_TYPE_PPROF = 1,
    FRAME_HEAD_BYTES = 5, /* of gRPC-Web: flags, and the length in four bytes, the highest first */
    FRAME_IS_PACKED = 0x01,
    FRAME_IS_TRAILER = 0x80
};

/* Numbers of fields. */
enum {
    SELECT_TYPE = 1,
    SELECT_LABELS = 2,
    SELECT_START = 3,
    SELECT_END = 4,
    SELECT_MAX_NODES = 5,
    SELECT_FORMAT = 6,
    STACKTRACES_PPROF = 5,
    PPROF_PROFILE = 1,
    PROFILE_SAMPLE = 2,
    QUERY_MODE = 1,
    QUERY_MERGE = 3,
    QUERY_REPORT_TYPE = 5,
    MERGE_QUERY = 1,
    MERGE_START = 2,
    MERGE_END = 3,
    TIMESTAMP_SECONDS = 1,
    TIMESTAMP_NANOS = 2,
    RESPONSE_PPROF = 6
};

/* Codes of gRPC that asking again may help with. */
enum { EMPTY_BYTES_MAX = 1024 }; /* no profile with a stack is smaller, packed and not */
enum { GRPC_DEADLINE_EXCEEDED = 4, GRPC_NOT_FOUND = 5, GRPC_RESOURCE_EXHAUSTED = 8, GRPC_UNAVAILABLE = 14 };

static const char *const connect_headers[] = {"Content-Type: application/proto", "Connect-Protocol-Version: 1", NULL};
static const char *const grpc_web_headers[] = {"Content-Type: application/grpc-web+proto",
                                               "Accept: application/grpc-web+proto", "X-Grpc-Web: 1", NULL};

/* ---- requests ---------------------------------------------------------------------------------------------------- */

/* Both ends belong to what these servers are asked for: the last millisecond is the next slice's first. */
static int64_t last_ms(const struct gate_window *window) {
    return window->to_ms - 1;
}

static void put_select(struct gate_buf *out, const struct gate_backend_query *query) {
    const struct gate_backend_address *address = query->address;
    gate_wire_put_bytes(out, SELECT_TYPE, query->type);
    gate_wire_put_bytes(out, SELECT_LABELS, address->selector);
    gate_wire_put_number(out, SELECT_START, (uint64_t)query->window.from_ms);
    gate_wire_put_number(out, SELECT_END, (uint64_t)last_ms(&query->window));
    gate_wire_put_number(out, SELECT_MAX_NODES, address->max_nodes > 0 ? address->max_nodes : MAX_NODES);
    if (!query->is_older)
        gate_wire_put_number(out, SELECT_FORMAT, FORMAT_PPROF);
}

static void put_timestamp(struct gate_buf *out, uint32_t field, int64_t moment_ms) {
    struct gate_buf inner = {0};
    gate_wire_put_number(&inner, TIMESTAMP_SECONDS, (uint64_t)moment_ms / 1000);
    gate_wire_put_number(&inner, TIMESTAMP_NANOS, (uint64_t)moment_ms % 1000 * 1000000);
    gate_wire_put_bytes(out, field, gate_buf_view(&inner));
    out->failed = out->failed || inner.failed;
    gate_buf_free(&inner);
}

/* A QueryRequest in one frame. */
static void put_parca(struct gate_buf *out, const struct gate_backend_query *query) {
    struct gate_buf text = {0}, merge = {0}, message = {0};
    gate_buf_str(&text, query->type);
    gate_buf_str(&text, query->address->selector);
    gate_wire_put_bytes(&merge, MERGE_QUERY, gate_buf_view(&text));
    put_timestamp(&merge, MERGE_START, query->window.from_ms);
    put_timestamp(&merge, MERGE_END, last_ms(&query->window));
    gate_wire_put_number(&message, QUERY_MODE, MODE_MERGE);
    gate_wire_put_bytes(&message, QUERY_MERGE, gate_buf_view(&merge));
    gate_wire_put_number(&message, QUERY_REPORT_TYPE, REPORT_TYPE_PPROF);
    gate_buf_char(out, '\0');
    for (unsigned shift = 32; shift > 0; shift -= 8)
        gate_buf_char(out, (char)(message.len >> (shift - 8) & 0xFF));
    gate_buf_str(out, gate_buf_view(&message));
    out->failed = out->failed || text.failed || merge.failed || message.failed;
    gate_buf_free(&text);
    gate_buf_free(&merge);
    gate_buf_free(&message);
}

static const char *method_path(const struct gate_backend_query *query) {
    if (query->address->store == GATE_BACKEND_PARCA)
        return "/parca.query.v1alpha1.QueryService/Query";
    return query->is_older ? "/querier.v1.QuerierService/SelectMergeProfile"
                           : "/querier.v1.QuerierService/SelectMergeStacktraces";
}

bool gate_backend_query_ask(struct gate_fetch *out, const struct gate_backend_query *query, struct gate_arena *arena,
                            struct gate_error *err) {
    const struct gate_backend_address *address = query->address;
    const struct gate_str parts[] = {address->server.path, gate_str_from(method_path(query))};
    struct gate_buf body = {0};
    bool is_parca = address->store == GATE_BACKEND_PARCA;
    if (is_parca)
        put_parca(&body, query);
    else
        put_select(&body, query);
    out->url = address->server;
    out->url.path = gate_str_concat(arena, parts, 2);
    out->sent = body.failed ? (struct gate_str){NULL, 0} : gate_str_copy(arena, gate_buf_view(&body));
    out->headers = is_parca ? grpc_web_headers : connect_headers;
    out->is_of_store = true;
    gate_buf_free(&body);
    return (out->url.path.ptr != NULL && out->sent.ptr != NULL) || gate_arena_error(arena, err);
}

/* ---- answers ----------------------------------------------------------------------------------------------------- */

/* The last field of that number in a message, as protobuf has it; false: the message is malformed. */
static bool field_find(struct gate_str *out, bool *is_there, struct gate_str message, uint32_t number) {
    struct gate_wire wire = gate_wire_of(message);
    *is_there = false;
    while (gate_wire_left(&wire) > 0) {
        struct gate_wire_field field;
        if (!gate_wire_next(&wire, &field))
            return false;
        if (field.number != number || field.type != GATE_WIRE_BYTES)
            continue;
        *out = gate_wire_view(field.bytes);
        *is_there = true;
    }
    return true;
}

static enum gate_backend_outcome refuse_format(const struct gate_backend_query *query, struct gate_error *err) {
    (void)gate_error_set(err, GATE_ERR_FORMAT, "this is not an answer of %s; is the address that of its server?",
                         gate_backend_name(query->address->store));
    return GATE_BACKEND_REFUSED;
}

static enum gate_backend_outcome refuse_empty(struct gate_error *err) {
    (void)gate_error_set(err, GATE_ERR_INPUT,
                         "the store has no samples of this type, with these labels, in this window; are they as the "
                         "store has them, and was anything sent then?");
    return GATE_BACKEND_EMPTY;
}

/* A Profile as it stands in a message: what has no sample is the store's word for nothing. */
static enum gate_backend_outcome profile_take(struct gate_str *profile, struct gate_str bytes,
                                              const struct gate_backend_query *query, struct gate_error *err) {
    struct gate_str sample;
    bool is_there = false;
    if (!field_find(&sample, &is_there, bytes, PROFILE_SAMPLE))
        return refuse_format(query, err);
    if (!is_there)
        return refuse_empty(err);
    *profile = bytes;
    return GATE_BACKEND_CAME;
}

static enum gate_backend_outcome pyroscope_answer(struct gate_str *profile, const struct gate_backend_query *query,
                                                  struct gate_str body, struct gate_error *err) {
    struct gate_str pprof = {NULL, 0}, inner = {"", 0};
    bool is_there = false;
    if (query->is_older)
        return profile_take(profile, body, query, err);
    if (!field_find(&pprof, &is_there, body, STACKTRACES_PPROF))
        return refuse_format(query, err);
    if (!is_there) { /* a server that does not know the format answers with a flame graph, or nothing of it */
        (void)gate_error_set(err, GATE_ERR_INPUT, "the server does not know the format pprof");
        return GATE_BACKEND_OLDER;
    }
    if (!field_find(&inner, &is_there, pprof, PPROF_PROFILE))
        return refuse_format(query, err);
    return profile_take(profile, inner, query, err);
}

/* ---- gRPC-Web ---------------------------------------------------------------------------------------------------- */

/* The value of "name: value" among lines; empty: it is not there. */
static struct gate_str line_value(struct gate_str lines, struct gate_str name) {
    for (size_t from = 0; from < lines.len;) {
        size_t end = gate_str_find(lines, GATE_STR("\n"), from);
        struct gate_str line = gate_str_slice(lines, from, end);
        if (gate_str_starts(line, name))
            return gate_str_trim(gate_str_slice(line, name.len, line.len));
        from = end == SIZE_MAX ? lines.len : end + 1;
    }
    return GATE_STR("");
}

static enum gate_backend_outcome grpc_outcome(unsigned code) {
    if (code == GRPC_NOT_FOUND)
        return GATE_BACKEND_EMPTY;
    return code == GRPC_DEADLINE_EXCEEDED || code == GRPC_RESOURCE_EXHAUSTED || code == GRPC_UNAVAILABLE
               ? GATE_BACKEND_BUSY
               : GATE_BACKEND_REFUSED;
}

/* What the trailer, or the head of an answer without a body, says. False: it says that all is well, or nothing. */
static bool grpc_refusal(enum gate_backend_outcome *outcome, struct gate_str lines, struct gate_error *err) {
    struct gate_str status = line_value(lines, GATE_STR("grpc-status:"));
    struct gate_str message = line_value(lines, GATE_STR("grpc-message:"));
    unsigned code = 0;
    for (size_t i = 0; i < status.len && i < 3; i++)
        code = code * 10 + (unsigned)(status.ptr[i] - '0');
    if (status.len == 0 || gate_str_equal(status, GATE_STR("0")))
        return false;
    *outcome = grpc_outcome(code);
    (void)gate_error_set(err, GATE_ERR_INPUT, "the store refuses (gRPC status %.*s)%s%.*s%s",
                         GATE_STR_ARG(gate_str_slice(status, 0, 8)), message.len > 0 ? ": \"" : "",
                         GATE_STR_ARG(gate_str_slice(message, 0, 160)), message.len > 0 ? "\"" : "");
    return true;
}

/* A frame from `*at` on; false: cut, or packed, which nobody asked for. */
static bool frame_next(struct gate_str *out, bool *is_trailer, struct gate_str body, size_t *at) {
    size_t len = 0, left = body.len - *at;
    const unsigned char *head = (const unsigned char *)body.ptr + *at;
    if (left < FRAME_HEAD_BYTES || (head[0] & FRAME_IS_PACKED) != 0)
        return false;
    for (int i = 1; i < FRAME_HEAD_BYTES; i++)
        len = len << 8 | head[i];
    if (len > left - FRAME_HEAD_BYTES)
        return false;
    *is_trailer = (head[0] & FRAME_IS_TRAILER) != 0;
    *out = (struct gate_str){body.ptr + *at + FRAME_HEAD_BYTES, len};
    *at += FRAME_HEAD_BYTES + len;
    return true;
}

/* Parca packs a profile without samples where it has nothing: types alone, in some forty bytes. */
static bool is_packed_nothing(struct gate_str packed) {
    char head[EMPTY_BYTES_MAX];
    struct gate_str sample;
    bool is_there = false;
    size_t len = packed.len > EMPTY_BYTES_MAX ? 0 : gate_inflate_head(head, sizeof head, packed);
    if (len == 0 || len == sizeof head)
        return packed.len == 0; /* large, or damaged, which is told where it is read */
    return field_find(&sample, &is_there, (struct gate_str){head, len}, PROFILE_SAMPLE) && !is_there;
}

static enum gate_backend_outcome parca_answer(struct gate_str *profile, const struct gate_backend_query *query,
                                              const struct gate_fetch *answer, struct gate_error *err) {
    struct gate_str body = gate_buf_view(&answer->body), message = {NULL, 0};
    enum gate_backend_outcome outcome = GATE_BACKEND_REFUSED;
    bool is_there = false, has_trailer = false;
    if (grpc_refusal(&outcome, gate_buf_view(&answer->grpc_lines), err))
        return outcome;
    for (size_t at = 0; at < body.len && !has_trailer;) {
        struct gate_str frame;
        if (!frame_next(&frame, &has_trailer, body, &at))
            return refuse_format(query, err);
        if (has_trailer && grpc_refusal(&outcome, frame, err))
            return outcome;
        if (!has_trailer && message.ptr != NULL)
            return refuse_format(query, err); /* a second message to one question */
        message = has_trailer ? message : frame;
    }
    if (message.ptr == NULL || !has_trailer || !field_find(profile, &is_there, message, RESPONSE_PPROF))
        return refuse_format(query, err);
    return is_there && !is_packed_nothing(*profile) ? GATE_BACKEND_CAME : refuse_empty(err);
}

enum gate_backend_outcome gate_backend_query_answer(struct gate_str *profile, const struct gate_backend_query *query,
                                                    const struct gate_fetch *answer, struct gate_error *err) {
    bool is_pyroscope = query->address->store == GATE_BACKEND_PYROSCOPE;
    if (!answer->is_well) {
        *err = answer->err;
        bool is_unknown = answer->status == STATUS_NOT_FOUND || answer->status == STATUS_NOT_IMPLEMENTED;
        return is_pyroscope && is_unknown && !query->is_older ? GATE_BACKEND_OLDER : GATE_BACKEND_REFUSED;
    }
    return is_pyroscope ? pyroscope_answer(profile, query, gate_buf_view(&answer->body), err)
                        : parca_answer(profile, query, answer, err);
}
