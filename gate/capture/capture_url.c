/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses of live endpoints. */
#include "gate/capture/capture_url.h"

#include "gate/base/buf.h"
#include "gate/capture/capture_kind.h"

#include <stdlib.h>

enum { SECONDS_BYTES = 24 };

static const struct gate_str debug_pprof = {"/debug/pprof", 12}, debug_fgprof = {"/debug/fgprof", 13};

/* ---- reading ----------------------------------------------------------------------------------------------------- */

static size_t find_or_end(struct gate_str text, const char *needle, size_t from) {
    size_t at = gate_str_find(text, gate_str_from(needle), from);
    return at == SIZE_MAX ? text.len : at;
}

static bool has_bad_bytes(struct gate_str text) {
    for (size_t i = 0; i < text.len; i++)
        if ((unsigned char)text.ptr[i] <= ' ' || text.ptr[i] == 127 || text.ptr[i] == '\\' || text.ptr[i] == '"')
            return true;
    return false;
}

/* Read "/run/app.sock:/debug/pprof"; the last ":/" separates socket and path. */
static bool read_socket(struct gate_capture_url *out, struct gate_str rest, struct gate_error *err) {
    size_t colon = rest.len;
    for (size_t at = gate_str_find(rest, GATE_STR(":/"), 0); at != SIZE_MAX;
         at = gate_str_find(rest, GATE_STR(":/"), at + 1))
        colon = at;
    out->socket = gate_str_slice(rest, 0, colon);
    out->path = gate_str_slice(rest, colon + 1, rest.len);
    if (out->socket.len > 1 && out->socket.ptr[0] == '/')
        return true;
    return gate_error_set(err, GATE_ERR_USAGE,
                          "expected the absolute path of a socket in an address such as "
                          "unix:///run/app.sock:/debug/pprof");
}

static bool read_host(struct gate_capture_url *out, struct gate_str rest, struct gate_error *err) {
    size_t slash = find_or_end(rest, "/", 0);
    struct gate_str authority = gate_str_slice(rest, 0, slash);
    size_t at = gate_str_behind_last(authority, '@');
    out->user = gate_str_slice(authority, 0, at > 0 ? at - 1 : 0);
    out->host = gate_str_slice(authority, at, authority.len);
    out->path = gate_str_slice(rest, slash, rest.len);
    if (out->user.len > 0 && gate_str_find(out->path, GATE_STR("@"), 0) != SIZE_MAX)
        return gate_error_set(err, GATE_ERR_USAGE,
                              "the address has more than one '@'; in a password write '@' as %%40 and '/' as %%2F");
    return out->host.len > 0 || gate_error_set(err, GATE_ERR_USAGE, "expected a host in the address");
}

bool gate_capture_url_read(struct gate_capture_url *out, struct gate_str text, struct gate_error *err) {
    size_t scheme = gate_str_find(text, GATE_STR("://"), 0);
    struct gate_str word = gate_str_slice(text, 0, scheme == SIZE_MAX ? 0 : scheme);
    *out = (struct gate_capture_url){.is_tls = gate_str_equal(word, GATE_STR("https"))};
    bool is_socket = gate_str_equal(word, GATE_STR("unix"));
    if (!is_socket && !out->is_tls && !gate_str_equal(word, GATE_STR("http")))
        return gate_error_set(err, GATE_ERR_USAGE,
                              "expected an address that begins with http://, https:// or unix://, such as "
                              "http://127.0.0.1:6060");
    if (has_bad_bytes(text))
        return gate_error_set(
            err, GATE_ERR_USAGE,
            "the address has a blank, a quote or a control character; write it as %%20, %%22 or such");
    struct gate_str rest = gate_str_slice(text, scheme + 3, find_or_end(text, "#", 0));
    size_t question = find_or_end(rest, "?", 0);
    out->query = gate_str_slice(rest, question + 1, rest.len);
    rest = gate_str_slice(rest, 0, question);
    return is_socket ? read_socket(out, rest, err) : read_host(out, rest, err);
}

/* ---- the address of a kind --------------------------------------------------------------------------------------- */

static struct gate_str without_slash(struct gate_str path) {
    return gate_str_slice(path, 0, gate_str_ends(path, GATE_STR("/")) ? path.len - 1 : path.len);
}

bool gate_capture_url_is_base(const struct gate_capture_url *url) {
    struct gate_str path = without_slash(url->path);
    return path.len == 0 || gate_str_ends(path, debug_pprof);
}

/* Return the value of a parameter, given as "seconds=", in a query; empty if there is none. */
static struct gate_str query_value(struct gate_str query, struct gate_str name) {
    for (size_t from = 0; from < query.len;) {
        size_t end = find_or_end(query, "&", from);
        struct gate_str part = gate_str_slice(query, from, end);
        if (gate_str_starts(part, name))
            return gate_str_slice(part, name.len, part.len);
        from = end + 1;
    }
    return GATE_STR("");
}

static struct gate_str query_seconds(struct gate_str query) {
    return query_value(query, GATE_STR("seconds="));
}

double gate_capture_url_seconds(const struct gate_capture_url *url, double otherwise) {
    struct gate_str value = query_seconds(url->query);
    char text[SECONDS_BYTES] = {0};
    if (value.len == 0 || value.len >= sizeof text)
        return otherwise;
    memcpy(text, value.ptr, value.len);
    double seconds = strtod(text, NULL);
    return seconds > 0 && seconds < 1e6 ? seconds : otherwise;
}

/* Replace "{seconds}" by the number. */
static struct gate_str substitute(struct gate_str text, uint32_t seconds, struct gate_arena *arena) {
    static const struct gate_str mark = {"{seconds}", 9};
    size_t at = gate_str_find(text, mark, 0);
    if (at == SIZE_MAX)
        return text;
    struct gate_str number = gate_str_format(arena, "%u", (unsigned)seconds);
    const struct gate_str parts[] = {gate_str_slice(text, 0, at), number,
                                     gate_str_slice(text, at + mark.len, text.len)};
    return number.ptr == NULL ? number : gate_str_concat(arena, parts, 3);
}

/* Return the kind whose path in net/http/pprof or fgprof this is; GATE_CAPTURE_KINDS if none. */
static enum gate_capture_kind kind_of_path(struct gate_str path) {
    path = without_slash(path);
    if (gate_str_ends(path, debug_fgprof))
        return GATE_CAPTURE_WALL;
    struct gate_str endpoint = gate_str_slice(path, path.len - gate_str_basename(path).len, path.len);
    struct gate_str folder = gate_str_slice(path, 0, path.len - endpoint.len);
    if (endpoint.len == 0 || !gate_str_ends(without_slash(folder), debug_pprof))
        return GATE_CAPTURE_KINDS;
    endpoint = (struct gate_str){endpoint.ptr - 1, endpoint.len + 1};
    for (int kind = 0; kind < GATE_CAPTURE_KINDS; kind++)
        if (gate_str_equal(endpoint, gate_str_from(gate_capture_kind_row((enum gate_capture_kind)kind)->endpoint)))
            return (enum gate_capture_kind)kind;
    return GATE_CAPTURE_KINDS;
}

static bool check_kind(const struct gate_capture_url *url, enum gate_capture_kind kind, struct gate_error *err) {
    enum gate_capture_kind found = kind_of_path(url->path);
    if (found != GATE_CAPTURE_KINDS && found != kind)
        return gate_error_set(err, GATE_ERR_USAGE,
                              "this is the address of the kind '%s', but the kind to capture is '%s'; add --kind %s, "
                              "or give only the server's address",
                              gate_capture_kind_words[found], gate_capture_kind_words[kind],
                              gate_capture_kind_words[found]);
    if (kind == GATE_CAPTURE_HEAP && query_seconds(url->query).len > 0)
        return gate_error_set(err, GATE_ERR_USAGE,
                              "a heap with 'seconds' is a difference, which may be negative, and cannot be compared; "
                              "leave out 'seconds' to compare what is in use, or take the kind 'allocs', which is what "
                              "was allocated in that time");
    return true;
}

/* Return the path of a kind below a base path, such as "/debug/pprof/profile". */
static struct gate_str kind_path(struct gate_str path, enum gate_capture_kind kind, struct gate_arena *arena) {
    const struct gate_capture_kind_row *row = gate_capture_kind_row(kind);
    path = without_slash(path);
    if (gate_str_ends(path, debug_pprof))
        path = gate_str_slice(path, 0, path.len - debug_pprof.len);
    const struct gate_str parts[] = {path, GATE_STR("/debug/"), gate_str_from(row->folder),
                                     gate_str_from(row->endpoint)};
    return gate_str_concat(arena, parts, 4);
}

/* Return the parameter that a request of `kind` needs besides `query`; empty if it needs none or the query has it. */
static struct gate_str added_query(struct gate_str query, enum gate_capture_kind kind, uint32_t seconds,
                                   struct gate_arena *arena) {
    const struct gate_capture_kind_row *row = gate_capture_kind_row(kind);
    if (row->takes_time)
        return query_seconds(query).len > 0 ? GATE_STR("") : gate_str_format(arena, "seconds=%u", (unsigned)seconds);
    if (row->query == NULL || query_value(query, GATE_STR("gc=")).len > 0)
        return GATE_STR("");
    return gate_str_from(row->query);
}

bool gate_capture_url_of_kind(struct gate_capture_url *out, const struct gate_capture_url *url,
                              enum gate_capture_kind kind, uint32_t seconds, struct gate_arena *arena,
                              struct gate_error *err) {
    *out = *url;
    bool is_base = gate_capture_url_is_base(url), is_known = is_base || kind_of_path(url->path) != GATE_CAPTURE_KINDS;
    if (!is_base && !check_kind(url, kind, err))
        return false;
    if (is_base && kind == GATE_CAPTURE_HEAP && !check_kind(url, kind, err))
        return false;
    out->path = is_base ? kind_path(url->path, kind, arena) : substitute(url->path, seconds, arena);
    out->query = substitute(url->query, seconds, arena);
    if (out->path.ptr == NULL || out->query.ptr == NULL)
        return gate_arena_error(arena, err);
    struct gate_str more = is_known ? added_query(out->query, kind, seconds, arena) : GATE_STR("");
    if (more.ptr == NULL)
        return gate_arena_error(arena, err);
    if (more.len == 0)
        return true;
    out->query = gate_str_format(arena, "%.*s%s%.*s", GATE_STR_ARG(out->query), out->query.len > 0 ? "&" : "",
                                 GATE_STR_ARG(more));
    return out->query.ptr != NULL || gate_arena_error(arena, err);
}

bool gate_capture_url_collecting(struct gate_capture_url *out, const struct gate_capture_url *url,
                                 enum gate_capture_kind kind, struct gate_arena *arena) {
    const struct gate_capture_kind_row *row = gate_capture_kind_row(kind);
    if (row->collecting == NULL || kind_of_path(url->path) != kind ||
        gate_str_equal(query_value(url->query, GATE_STR("gc=")), GATE_STR("0")))
        return false;
    struct gate_str folder = without_slash(url->path);
    folder.len -= strlen(row->endpoint);
    *out = *url;
    out->path = gate_str_format(arena, "%.*s%s", GATE_STR_ARG(folder), row->collecting);
    out->query = GATE_STR("gc=1");
    return out->path.ptr != NULL;
}

struct gate_capture_url gate_capture_url_metrics(const struct gate_capture_url *url) {
    struct gate_capture_url out = *url;
    out.path = GATE_STR("/metrics");
    out.query = GATE_STR("");
    return out;
}

/* ---- addresses as text ------------------------------------------------------------------------------------------- */

const char *gate_capture_url_wire(const struct gate_capture_url *url, struct gate_arena *arena) {
    const struct gate_str parts[] = {url->is_tls ? GATE_STR("https://") : GATE_STR("http://"),
                                     url->socket.len > 0 ? GATE_STR("localhost") : url->host, url->path,
                                     url->query.len > 0 ? GATE_STR("?") : GATE_STR(""), url->query};
    return gate_str_concat(arena, parts, 5).ptr;
}

/* The values of only these keys are shown. Other values may be tokens. */
static bool is_harmless(struct gate_str key) {
    static const char *const keys[] = {"seconds", "gc", "debug", "rate", "format", "hz"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (gate_str_equal(key, gate_str_from(keys[i])))
            return true;
    }
    return false;
}

static void show_query(struct gate_buf *out, struct gate_str query) {
    for (size_t from = 0; from < query.len;) {
        size_t end = find_or_end(query, "&", from);
        struct gate_str part = gate_str_slice(query, from, end);
        size_t equals = gate_str_find(part, GATE_STR("="), 0);
        struct gate_str key = gate_str_slice(part, 0, equals == SIZE_MAX ? 0 : equals);
        gate_buf_char(out, from == 0 ? '?' : '&');
        if (is_harmless(key)) {
            gate_buf_str(out, part);
        } else {
            gate_buf_str(out, key);
            gate_buf_text(out, key.len > 0 ? "=***" : "***");
        }
        from = end + 1;
    }
}

struct gate_str gate_capture_url_show(const struct gate_capture_url *url, struct gate_arena *arena) {
    struct gate_buf out = {0};
    gate_buf_text(&out, url->socket.len > 0 ? "unix://" : url->is_tls ? "https://" : "http://");
    gate_buf_str(&out, url->socket.len > 0 ? url->socket : url->host);
    gate_buf_text(&out, url->socket.len > 0 && url->path.len > 0 ? ":" : "");
    gate_buf_str(&out, url->path);
    show_query(&out, url->query);
    return gate_buf_keep(&out, arena);
}

struct gate_str gate_capture_url_show_text(struct gate_str text, struct gate_arena *arena) {
    struct gate_capture_url url;
    struct gate_error ignored = {0};
    if (gate_capture_url_read(&url, text, &ignored))
        return gate_capture_url_show(&url, arena);
    /* Not an address. Drop the parts that may be a password: everything up to the last '@' and after '?'. */
    size_t from = gate_str_behind_last(text, '@');
    return gate_str_copy(arena, gate_str_slice(text, from, find_or_end(text, "?", 0)));
}
