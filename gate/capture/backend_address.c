/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses of profile stores (see backend_address.h). */
#include "gate/capture/backend_address.h"

#include "gate/base/buf.h"

enum { NUMBER_DIGITS = 7, HEX_DIGITS = 16, TYPE_PARTS_MIN = 5, TYPE_PARTS_MAX = 6 };

static const struct {
    const char *scheme, *name;
} stores[GATE_BACKENDS] = {
    [GATE_BACKEND_NONE] = {"", ""},
    [GATE_BACKEND_PYROSCOPE] = {"pyroscope+", "Pyroscope"},
    [GATE_BACKEND_PARCA] = {"parca+", "Parca"},
};

const char *gate_backend_name(enum gate_backend store) {
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

static int hex_value(char c) {
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

static bool decode(struct gate_str *out, struct gate_str value, struct gate_arena *arena, struct gate_error *err) {
    char *bytes = gate_arena_alloc(arena, value.len + 1);
    size_t len = 0;
    if (bytes == NULL)
        return gate_arena_error(arena, err);
    for (size_t i = 0; i < value.len; i++) {
        char c = value.ptr[i];
        if (c == '%') {
            int high = i + 2 < value.len ? hex_value(value.ptr[i + 1]) : -1;
            int low = high >= 0 ? hex_value(value.ptr[i + 2]) : -1;
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
        ok = value.ptr[i] >= '0' && value.ptr[i] <= '9';
        number = number * 10 + (uint32_t)(value.ptr[i] - '0');
    }
    *out = number;
    return (ok && number > 0) ||
           gate_error_set(err, GATE_ERR_USAGE, "'%s' in the address: expected a whole number above zero, found '%.*s'",
                          key, GATE_STR_ARG(gate_str_slice(value, 0, 40)));
}

/* "TYPE{LABELS}" */
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
    if (!is_from && !gate_str_equal(key, GATE_STR("to"))) /* it may be a token: only options send those */
        return gate_error_set(err, GATE_ERR_USAGE,
                              "expected query, from, to, runs and max_nodes behind the '?' of a store's address, found "
                              "another key; a token is sent by --token-env NAME");
    *(is_from ? &out->from : &out->to) = plain;
    return true;
}

/* Parts of a query; an & within quotes is part of a label's value. */
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
    return out->selector.len > 0 ||
           gate_error_set(err, GATE_ERR_USAGE,
                          "the address does not say whose profiles: expected ?query={...} with labels, such as "
                          "?query={service_name=\"shop\"}");
}

bool gate_backend_address_type(struct gate_str *out, const struct gate_backend_address *address,
                               enum gate_capture_kind kind, struct gate_error *err) {
    const struct gate_capture_kind_row *row = gate_capture_kind_row(kind);
    const char *type = address->store == GATE_BACKEND_PARCA ? row->parca_type : row->pyroscope_type;
    *out = address->type.len > 0 || type == NULL ? address->type : gate_str_from(type);
    return out->len > 0 || gate_error_set(err, GATE_ERR_USAGE,
                                          "%s has no type of its own for the kind '%s'; write the type before the "
                                          "labels, as in query=TYPE{...}",
                                          gate_backend_name(address->store), row->name);
}

/* ---- which build ------------------------------------------------------------------------------------------------- */

static bool is_label_char(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* The value of KEY="VALUE"; empty: the labels do not ask for it, or by another operator, or it is escaped. */
static struct gate_str label_value(struct gate_str selector, const char *key) {
    const size_t len = strlen(key);
    for (size_t at = 1; at < selector.len; at++) {
        struct gate_str rest = gate_str_slice(selector, at, selector.len);
        if (selector.ptr[at] == '"') { /* another label's value */
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

/* ---- showing ----------------------------------------------------------------------------------------------------- */

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
    struct gate_str server = gate_capture_url_show(&address->server, arena), shown = {NULL, 0};
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
    if (!out.failed && server.ptr != NULL)
        shown = gate_str_copy(arena, gate_buf_view(&out));
    gate_buf_free(&out);
    return shown;
}
