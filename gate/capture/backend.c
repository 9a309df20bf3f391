/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/capture/backend.h"

#include "gate/base/buf.h"
#include "gate/base/system.h"
#include "gate/capture/capture_url.h"
#include "gate/capture/http.h"
#include "gate/capture/window.h"
#include "gate/formats/inflate.h"
#include "gate/model/wire.h"

#include <time.h>

/* ---- addresses --------------------------------------------------------------------------------------------------- */

enum { NUMBER_DIGITS = 7, HEX_DIGITS = 16, TYPE_PARTS_MIN = 5, TYPE_PARTS_MAX = 6 };

static const struct {
    const char *scheme, *name;
} stores[GATE_BACKENDS] = {
    [GATE_BACKEND_NONE] = {"", ""},
    [GATE_BACKEND_PYROSCOPE] = {"pyroscope+", "Pyroscope"},
    [GATE_BACKEND_PARCA] = {"parca+", "Parca"},
};

/** Return the store's name for messages, such as "Pyroscope". */
static const char *backend_name(enum gate_backend store) {
    return stores[store].name;
}

static enum gate_backend store_of(struct gate_str text) {
    int store = GATE_BACKENDS - 1;
    while (store > GATE_BACKEND_NONE && !gate_str_starts(text, gate_str_from(stores[store].scheme)))
        store--;
    return (enum gate_backend)store;
}

bool gate_backend_address_is(struct gate_str text) {
    enum gate_backend store = store_of(text);
    struct gate_str rest = gate_str_slice(text, strlen(stores[store].scheme), text.len);
    return store != GATE_BACKEND_NONE &&
           (gate_str_starts(rest, GATE_STR("http://")) || gate_str_starts(rest, GATE_STR("https://")));
}

/* ---- values of the query ----------------------------------------------------------------------------------------- */

static bool decode(struct gate_str *out, struct gate_str value, struct gate_arena *arena, struct gate_error *err) {
    char *bytes = gate_arena_alloc(arena, value.len + 1);
    size_t len = 0;
    if (bytes == NULL)
        return gate_arena_error(arena, err);
    for (size_t i = 0; i < value.len; i++) {
        char c = value.ptr[i];
        if (c == '%') {
            int high = i + 2 < value.len ? gate_hex_value(value.ptr[i + 1]) : -1;
            int low = high >= 0 ? gate_hex_value(value.ptr[i + 2]) : -1;
            if (low < 0)
                return gate_error_set(err, GATE_ERR_USAGE,
                                      "the query of the address has a '%%' without two hexadecimal digits; write '%%' "
                                      "itself as %%25");
            c = (char)(high * HEX_DIGITS + low);
            i += 2;
        }
        if ((unsigned char)c < ' ' || c == 127)
            return gate_error_set(err, GATE_ERR_USAGE, "the query of the address has a control character");
        bytes[len++] = c;
    }
    bytes[len] = '\0';
    *out = (struct gate_str){bytes, len};
    return true;
}

static bool number_read(uint32_t *out, const char *key, struct gate_str value, struct gate_error *err) {
    uint32_t number = 0;
    bool ok = value.len > 0 && value.len <= NUMBER_DIGITS;
    for (size_t i = 0; ok && i < value.len; i++) {
        ok = gate_is_digit(value.ptr[i]);
        number = number * 10 + (uint32_t)(value.ptr[i] - '0');
    }
    *out = number;
    return (ok && number > 0) ||
           gate_error_set(err, GATE_ERR_USAGE, "'%s' in the address: expected a whole number above zero, found '%.*s'",
                          key, GATE_STR_ARG(gate_str_slice(value, 0, 40)));
}

/* Read "TYPE{LABELS}". */
static bool query_read(struct gate_backend_address *out, struct gate_str value, struct gate_error *err) {
    size_t brace = gate_str_find(value, GATE_STR("{"), 0), parts = 1;
    if (brace == SIZE_MAX || !gate_str_ends(value, GATE_STR("}")))
        return gate_error_set(err, GATE_ERR_USAGE,
                              "'query' in the address: expected labels in braces such as "
                              "{service_name=\"shop\",version=\"1.4\"}, found '%.*s'",
                              GATE_STR_ARG(gate_str_slice(value, 0, 200)));
    out->type = gate_str_trim(gate_str_slice(value, 0, brace));
    out->selector = gate_str_slice(value, brace, value.len);
    for (size_t i = 0; i < out->type.len; i++)
        parts += out->type.ptr[i] == ':';
    return out->type.len == 0 || (parts >= TYPE_PARTS_MIN && parts <= TYPE_PARTS_MAX) ||
           gate_error_set(err, GATE_ERR_USAGE,
                          "'query' in the address: expected a type such as process_cpu:cpu:nanoseconds:cpu:nanoseconds "
                          "before the labels, found '%.*s'",
                          GATE_STR_ARG(gate_str_slice(out->type, 0, 200)));
}

static bool part_read(struct gate_backend_address *out, struct gate_str key, struct gate_str value,
                      struct gate_arena *arena, struct gate_error *err) {
    struct gate_str plain = {NULL, 0};
    if (!decode(&plain, value, arena, err))
        return false;
    if (gate_str_equal(key, GATE_STR("query")))
        return query_read(out, plain, err);
    if (gate_str_equal(key, GATE_STR("runs")))
        return number_read(&out->runs, "runs", plain, err);
    if (gate_str_equal(key, GATE_STR("max_nodes")))
        return number_read(&out->max_nodes, "max_nodes", plain, err);
    bool is_from = gate_str_equal(key, GATE_STR("from"));
    if (!is_from && !gate_str_equal(key, GATE_STR("to"))) /* not shown, because a token may be written here by
                                                             mistake */
        return gate_error_set(err, GATE_ERR_USAGE,
                              "expected query, from, to, runs and max_nodes behind the '?' of a store's address, found "
                              "another key; a token is sent by --token-env NAME");
    *(is_from ? &out->from : &out->to) = plain;
    return true;
}

/* Return the end of the part of `query` that begins at `from`. An '&' in quotes belongs to a label's value. */
static size_t part_end(struct gate_str query, size_t from) {
    bool is_quoted = false;
    size_t at = from;
    for (; at < query.len && (is_quoted || query.ptr[at] != '&'); at++) {
        if (query.ptr[at] == '\\' && is_quoted)
            at++;
        else if (query.ptr[at] == '"')
            is_quoted = !is_quoted;
    }
    return at < query.len ? at : query.len;
}

bool gate_backend_address_read(struct gate_backend_address *out, struct gate_str text, struct gate_arena *arena,
                               struct gate_error *err) {
    size_t question = gate_str_find(text, GATE_STR("?"), 0);
    *out = (struct gate_backend_address){.store = store_of(text)};
    if (!gate_backend_address_is(text))
        return gate_error_set(err, GATE_ERR_USAGE,
                              "expected the address of a store, such as pyroscope+https://HOST?query={...}");
    struct gate_str query = gate_str_slice(text, question == SIZE_MAX ? text.len : question + 1, text.len);
    if (!gate_capture_url_read(&out->server, gate_str_slice(text, strlen(stores[out->store].scheme), question), err))
        return false;
    while (gate_str_ends(out->server.path, GATE_STR("/")))
        out->server.path.len--;
    for (size_t from = 0; from < query.len;) {
        size_t end = part_end(query, from);
        struct gate_str part = gate_str_slice(query, from, end);
        size_t equals = gate_str_find(part, GATE_STR("="), 0);
        struct gate_str key = gate_str_slice(part, 0, equals);
        struct gate_str value = gate_str_slice(part, equals == SIZE_MAX ? part.len : equals + 1, part.len);
        if (!part_read(out, key, value, arena, err))
            return false;
        from = end + 1;
    }
    return out->selector.len > 0 || gate_error_set(err, GATE_ERR_USAGE,
                                                   "the address selects no profiles: expected ?query={...} with "
                                                   "labels, such as ?query={service_name=\"shop\"}");
}

bool gate_backend_address_type(struct gate_str *out, const struct gate_backend_address *address,
                               enum gate_capture_kind kind, struct gate_error *err) {
    const struct gate_capture_kind_row *row = gate_capture_kind_row(kind);
    const char *type = address->store == GATE_BACKEND_PARCA ? row->parca_type : row->pyroscope_type;
    *out = address->type.len > 0 || type == NULL ? address->type : gate_str_from(type);
    return out->len > 0 || gate_error_set(err, GATE_ERR_USAGE,
                                          "%s has no type of its own for the kind '%s'; write the type before the "
                                          "labels, as in query=TYPE{...}",
                                          backend_name(address->store), row->name);
}

/* ---- the selected build ------------------------------------------------------------------------------------------ */

static bool is_label_char(char c) {
    return gate_is_letter(c) || gate_is_digit(c) || c == '_';
}

/* Return the value of KEY="VALUE" in the selector. Empty if the label is missing, has another operator, or has escapes
 * in its value. */
static struct gate_str label_value(struct gate_str selector, const char *key) {
    const size_t len = strlen(key);
    for (size_t at = 1; at < selector.len; at++) {
        struct gate_str rest = gate_str_slice(selector, at, selector.len);
        if (selector.ptr[at] == '"') { /* skip another label's value */
            for (at++; at < selector.len && selector.ptr[at] != '"'; at++)
                at += selector.ptr[at] == '\\';
            continue;
        }
        if (is_label_char(selector.ptr[at - 1]) || !gate_str_starts(rest, (struct gate_str){key, len}))
            continue;
        rest = gate_str_trim(gate_str_slice(rest, len, rest.len));
        if (!gate_str_starts(rest, GATE_STR("=")))
            continue;
        rest = gate_str_trim(gate_str_slice(rest, 1, rest.len));
        size_t end = gate_str_find(rest, GATE_STR("\""), 1);
        struct gate_str value = gate_str_slice(rest, 1, end);
        if (gate_str_starts(rest, GATE_STR("\"")) && end != SIZE_MAX &&
            gate_str_find(value, GATE_STR("\\"), 0) == SIZE_MAX)
            return value;
    }
    return GATE_STR("");
}

struct gate_str gate_backend_address_version(const struct gate_backend_address *address) {
    static const char *const keys[] = {"service_git_ref", "git_ref", "commit",
                                       "service_version", "version", "build_id"};
    struct gate_str value = GATE_STR("");
    for (size_t i = 0; value.len == 0 && i < sizeof keys / sizeof *keys; i++)
        value = label_value(address->selector, keys[i]);
    return value;
}

/* ---- addresses as text ------------------------------------------------------------------------------------------- */

static void put_encoded(struct gate_buf *out, struct gate_str value) {
    for (size_t i = 0; i < value.len; i++)
        if (memchr("%&# ", value.ptr[i], 4) != NULL)
            gate_buf_printf(out, "%%%02X", (unsigned)(unsigned char)value.ptr[i]);
        else
            gate_buf_char(out, value.ptr[i]);
}

struct gate_str gate_backend_address_show(const struct gate_backend_address *address, struct gate_str type,
                                          const struct gate_window *window, struct gate_arena *arena) {
    struct gate_buf out = {0};
    struct gate_str server = gate_capture_url_show(&address->server, arena);
    gate_buf_text(&out, stores[address->store].scheme);
    gate_buf_str(&out, server);
    gate_buf_text(&out, "?query=");
    put_encoded(&out, type);
    put_encoded(&out, address->selector);
    if (address->max_nodes > 0)
        gate_buf_printf(&out, "&max_nodes=%u", (unsigned)address->max_nodes);
    if (window != NULL) {
        struct gate_str from = gate_window_show(window->from_ms, arena), to = gate_window_show(window->to_ms, arena);
        gate_buf_printf(&out, "&from=%.*s&to=%.*s", GATE_STR_ARG(from), GATE_STR_ARG(to));
        out.failed = out.failed || from.ptr == NULL || to.ptr == NULL;
    }
    out.failed = out.failed || server.ptr == NULL;
    return gate_buf_keep(&out, arena);
}

/* ---- queries ----------------------------------------------------------------------------------------------------- */

enum {
    STATUS_NOT_FOUND = 404,
    STATUS_NOT_IMPLEMENTED = 501,
    MAX_NODES = 65536, /* Pyroscope's default cuts a merged profile at 8192 nodes */
    FORMAT_PPROF = 4,
    MODE_MERGE = 2,
    REPORT_TYPE_PPROF = 1,
    FRAME_HEAD_BYTES = 5, /* of gRPC-Web: flags, then the length in 4 bytes, big-endian */
    FRAME_IS_PACKED = 0x01,
    FRAME_IS_TRAILER = 0x80
};

/* Field numbers of the protobuf messages. */
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

enum { EMPTY_BYTES_MAX = 1024 }; /* a profile without samples is smaller, compressed and not */

enum { GRPC_DEADLINE_EXCEEDED = 4, GRPC_NOT_FOUND = 5, GRPC_RESOURCE_EXHAUSTED = 8, GRPC_UNAVAILABLE = 14 };

static const char *const connect_headers[] = {"Content-Type: application/proto", "Connect-Protocol-Version: 1", NULL};

static const char *const grpc_web_headers[] = {"Content-Type: application/grpc-web+proto",
                                               "Accept: application/grpc-web+proto", "X-Grpc-Web: 1", NULL};

/* ---- requests ---------------------------------------------------------------------------------------------------- */

/* Return the last millisecond of a window. The servers include both ends of a range, and `to_ms` belongs to the next
 * slice. */
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
    gate_buf_free_part(out, &inner);
}

/* Append a QueryRequest in one gRPC-Web frame. */
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
    gate_buf_free_part(out, &text);
    gate_buf_free_part(out, &merge);
    gate_buf_free_part(out, &message);
}

static const char *method_path(const struct gate_backend_query *query) {
    if (query->address->store == GATE_BACKEND_PARCA)
        return "/parca.query.v1alpha1.QueryService/Query";
    return query->is_older ? "/querier.v1.QuerierService/SelectMergeProfile"
                           : "/querier.v1.QuerierService/SelectMergeStacktraces";
}

bool gate_backend_query_request(struct gate_fetch *out, const struct gate_backend_query *query,
                                struct gate_arena *arena, struct gate_error *err) {
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
    out->sent = gate_buf_keep(&body, arena);
    out->headers = is_parca ? grpc_web_headers : connect_headers;
    out->is_of_store = true;
    return (out->url.path.ptr != NULL && out->sent.ptr != NULL) || gate_arena_error(arena, err);
}

/* ---- answers ----------------------------------------------------------------------------------------------------- */

/* Find the last field with this number, as protobuf requires. Returns false if the message is malformed. */
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
                         backend_name(query->address->store));
    return GATE_BACKEND_REFUSED;
}

static enum gate_backend_outcome refuse_empty(struct gate_error *err) {
    (void)gate_error_set(err, GATE_ERR_INPUT,
                         "the store has no samples of this type, with these labels, in this window; are they as the "
                         "store has them, and was anything sent then?");
    return GATE_BACKEND_EMPTY;
}

/* Take a Profile message. Pyroscope returns a profile without samples if it has no data. */
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
    if (!is_there) { /* a server that does not know the format returns a flame graph, or an empty message */
        (void)gate_error_set(err, GATE_ERR_INPUT, "the server does not support the format pprof");
        return GATE_BACKEND_OLDER;
    }
    if (!field_find(&inner, &is_there, pprof, PPROF_PROFILE))
        return refuse_format(query, err);
    return profile_take(profile, inner, query, err);
}

/* ---- gRPC-Web ---------------------------------------------------------------------------------------------------- */

/* Return the value of "name: value" in `lines`; empty if it is missing. Proxies write names in either case. */
static struct gate_str line_value(struct gate_str lines, struct gate_str name) {
    struct gate_str line;
    while (gate_str_line_next(&lines, &line))
        if (gate_str_starts_nocase(line, name))
            return gate_str_trim(gate_str_slice(line, name.len, line.len));
    return GATE_STR("");
}

static enum gate_backend_outcome grpc_outcome(unsigned code) {
    if (code == GRPC_NOT_FOUND)
        return GATE_BACKEND_EMPTY;
    return code == GRPC_DEADLINE_EXCEEDED || code == GRPC_RESOURCE_EXHAUSTED || code == GRPC_UNAVAILABLE
               ? GATE_BACKEND_BUSY
               : GATE_BACKEND_REFUSED;
}

/* Read the gRPC status from the trailer, or from the headers of an answer without a body. Returns false if the status
 * is OK or missing. */
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

/* Return whether the store or a proxy wrote a status. An answer without one was cut short (gRPC over HTTP/2,
 * "Status"). */
static bool has_grpc_status(struct gate_str lines) {
    return line_value(lines, GATE_STR("grpc-status:")).len > 0;
}

/* Read the frame at `*at`. Returns false if it is cut off or compressed. The request did not accept compression. */
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

/* Return whether this compressed profile has no samples. Parca sends one with types only, of about 40 bytes, if it has
 * no data. */
static bool is_packed_empty(struct gate_str packed) {
    char head[EMPTY_BYTES_MAX];
    struct gate_str sample;
    bool is_there = false;
    size_t len = packed.len > EMPTY_BYTES_MAX ? 0 : gate_inflate_head(head, sizeof head, packed);
    if (len == 0 || len == sizeof head)
        return packed.len == 0; /* large or damaged; damage is reported when the profile is read */
    return field_find(&sample, &is_there, (struct gate_str){head, len}, PROFILE_SAMPLE) && !is_there;
}

static enum gate_backend_outcome parca_answer(struct gate_str *profile, const struct gate_backend_query *query,
                                              const struct gate_fetch *answer, struct gate_error *err) {
    struct gate_str body = gate_buf_view(&answer->body), message = {NULL, 0};
    enum gate_backend_outcome outcome = GATE_BACKEND_REFUSED;
    bool is_there = false, has_trailer = false;
    bool has_status = has_grpc_status(gate_buf_view(&answer->grpc_lines));
    if (grpc_refusal(&outcome, gate_buf_view(&answer->grpc_lines), err))
        return outcome;
    for (size_t at = 0; at < body.len;) {
        struct gate_str frame;
        if (has_trailer || !frame_next(&frame, &has_trailer, body, &at))
            return refuse_format(query, err); /* the trailer ends the answer */
        if (has_trailer && grpc_refusal(&outcome, frame, err))
            return outcome;
        if (!has_trailer && message.ptr != NULL)
            return refuse_format(query, err); /* a second message for one request */
        message = has_trailer ? message : frame;
        has_status = has_status || (has_trailer && has_grpc_status(frame));
    }
    if (message.ptr == NULL || !has_trailer || !has_status || !field_find(profile, &is_there, message, RESPONSE_PPROF))
        return refuse_format(query, err);
    return is_there && !is_packed_empty(*profile) ? GATE_BACKEND_CAME : refuse_empty(err);
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

/* ---- queries to profile stores, all sent at once ----------------------------------------------------------------- */

/* Queries that have no final answer yet. */
struct query_batch {
    struct gate_backend_request **items;
    struct gate_fetch **fetches;
    uint32_t count;
};

static bool send_batch(struct query_batch *batch, const struct gate_fetch_options *options,
                       const struct gate_credentials *credentials, size_t max_bytes, struct gate_arena *arena,
                       struct gate_error *err) {
    for (uint32_t i = 0; i < batch->count; i++) {
        struct gate_backend_request *request = batch->items[i];
        gate_backend_request_free(request);
        request->fetch = (struct gate_fetch){.credentials = credentials, .max_bytes = max_bytes};
        if (!gate_backend_query_request(&request->fetch, &request->query, arena, err))
            return false;
        batch->fetches[i] = &request->fetch;
    }
    return gate_fetch_all(batch->fetches, batch->count, options, arena, err);
}

/* Keep only the queries that must be sent again: with the older method, or, if `may_wait`, to a busy store. Returns the
 * number of the latter. */
static uint32_t keep_unanswered(struct query_batch *batch, bool may_wait) {
    uint32_t kept = 0, busy = 0;
    for (uint32_t i = 0; i < batch->count; i++) {
        struct gate_backend_request *request = batch->items[i];
        enum gate_backend_outcome outcome =
            gate_backend_query_answer(&request->profile, &request->query, &request->fetch, &request->err);
        request->is_well = outcome == GATE_BACKEND_CAME;
        request->is_empty = outcome == GATE_BACKEND_EMPTY;
        if (outcome != GATE_BACKEND_OLDER && (outcome != GATE_BACKEND_BUSY || !may_wait))
            continue;
        request->query.is_older = request->query.is_older || outcome == GATE_BACKEND_OLDER;
        busy += outcome == GATE_BACKEND_BUSY;
        batch->items[kept++] = request;
    }
    batch->count = kept;
    return busy;
}

bool gate_backend_send_all(struct gate_backend_request *const *requests, uint32_t count,
                           const struct gate_fetch_options *options, const struct gate_credentials *credentials,
                           size_t max_bytes, struct gate_arena *arena, struct gate_error *err) {
    struct query_batch batch = {.items = gate_arena_calloc(arena, (size_t)count + 1, sizeof *batch.items),
                                .fetches = gate_arena_calloc(arena, (size_t)count + 1, sizeof *batch.fetches),
                                .count = count};
    uint32_t waits = 0;
    if (batch.items == NULL || batch.fetches == NULL)
        return gate_arena_error(arena, err);
    for (uint32_t i = 0; i < count; i++)
        batch.items[i] = requests[i];
    while (batch.count > 0) {
        double wait_s = options->backoff_seconds * (double)(1U << (waits < 5 ? waits : 5));
        bool may_wait = waits < options->retries &&
                        (options->deadline <= 0 || gate_clock_s(CLOCK_MONOTONIC) + wait_s < options->deadline);
        if (!send_batch(&batch, options, credentials, max_bytes, arena, err))
            return false;
        if (keep_unanswered(&batch, may_wait) == 0)
            continue;
        const struct timespec wait = {(time_t)wait_s, (long)((wait_s - (double)(time_t)wait_s) * 1e9)};
        (void)nanosleep(&wait, NULL);
        waits++;
    }
    return true;
}

void gate_backend_request_free(struct gate_backend_request *request) {
    gate_buf_free(&request->fetch.body);
    gate_buf_free(&request->fetch.grpc_lines);
}
