/* SPDX-License-Identifier: Apache-2.0 */
/* Query the work of a time slice from Prometheus. */
#include "gate/capture/work_query.h"

#include "gate/capture/http.h"
#include "gate/capture/manifest.h"
#include "gate/capture/window.h"
#include "gate/formats/json_tree.h"

#include <math.h>
#include <stdlib.h>

enum { SERIES_MAX = 4096 };

static const struct gate_str mark = {"{window}", 8}, api = {"/api/v1/query", 13};

static const char *const form_headers[] = {"Content-Type: application/x-www-form-urlencoded", NULL};

bool gate_work_query_check(const struct gate_work_query *query, struct gate_error *err) {
    for (int side = 0; side < GATE_SIDES; side++)
        if (gate_str_find(query->texts[side], mark, 0) == SIZE_MAX)
            return gate_error_set(err, GATE_ERR_USAGE,
                                  "expected {window} in the query, which stands for the length of a run's slice, such "
                                  "as 'sum(increase(http_requests_total[{window}]))', found '%.*s'",
                                  GATE_STR_ARG(gate_str_slice(query->texts[side], 0, 200)));
    return true;
}

/* ---- requests ---------------------------------------------------------------------------------------------------- */

static void put_form(struct gate_buf *out, struct gate_str value) {
    for (size_t i = 0; i < value.len; i++) {
        unsigned char c = (unsigned char)value.ptr[i];
        bool is_plain = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
        if (is_plain)
            gate_buf_char(out, (char)c);
        else
            gate_buf_printf(out, "%%%02X", (unsigned)c);
    }
}

/* Append the query with the slice's length in place of each {window}. */
static void put_text(struct gate_buf *out, struct gate_str text, const struct gate_window *window) {
    long long length_ms = (long long)(window->to_ms - window->from_ms);
    for (size_t at = 0; at <= text.len;) {
        size_t found = gate_str_find(text, mark, at);
        gate_buf_str(out, gate_str_slice(text, at, found));
        if (found == SIZE_MAX)
            break;
        if (length_ms % 1000 == 0)
            gate_buf_printf(out, "%llds", length_ms / 1000);
        else
            gate_buf_printf(out, "%lldms", length_ms);
        at = found + mark.len;
    }
}

bool gate_work_query_request(struct gate_fetch *out, const struct gate_work_query *query, enum gate_side_name side,
                             const struct gate_window *window, struct gate_arena *arena, struct gate_error *err) {
    struct gate_buf text = {0}, body = {0};
    struct gate_str path = query->url.path;
    while (gate_str_ends(path, GATE_STR("/")))
        path.len--;
    const struct gate_str parts[] = {path, gate_str_ends(path, api) ? GATE_STR("") : api};
    put_text(&text, query->texts[side], window);
    gate_buf_text(&body, "query=");
    put_form(&body, gate_buf_view(&text));
    gate_buf_printf(&body, "&time=%lld.%03lld", (long long)(window->to_ms / 1000), (long long)(window->to_ms % 1000));
    out->url = query->url;
    out->url.path = gate_str_concat(arena, parts, 2);
    out->sent = body.failed || text.failed ? (struct gate_str){NULL, 0} : gate_str_copy(arena, gate_buf_view(&body));
    out->headers = form_headers;
    out->is_of_store = true;
    gate_buf_free(&text);
    gate_buf_free(&body);
    return (out->url.path.ptr != NULL && out->sent.ptr != NULL) || gate_arena_error(arena, err);
}

/* ---- answers ----------------------------------------------------------------------------------------------------- */

/* Read a value [moment, "123.5"]. */
static bool value_read(double *out, const json_t *pair, struct gate_error *err) {
    const char *text = json_string_value(json_array_get(pair, 1));
    char *end = NULL;
    *out = text == NULL ? 0 : strtod(text, &end);
    if (text == NULL || end == text || *end != '\0')
        return gate_error_set(err, GATE_ERR_FORMAT,
                              "this is not an answer of Prometheus' API; is the address that of its server?");
    return (isfinite(*out) && *out >= 0) ||
           gate_error_set(err, GATE_ERR_INPUT, "the query gave %s; expected how much was done",
                          *out < 0 ? "less than zero" : "what is not a number");
}

/* Add one series to the sum, and to the work of its label value. `by` has a NUL at the end. */
static bool series_add(struct gate_manifest_run *run, bool *has_label, const json_t *series, struct gate_str by,
                       struct gate_arena *arena, struct gate_error *err) {
    double value = 0;
    if (!value_read(&value, json_object_get(series, "value"), err))
        return false;
    run->work += value;
    const json_t *label = by.len == 0 ? NULL : json_object_get(json_object_get(series, "metric"), by.ptr);
    *has_label = *has_label && json_string_length(label) > 0;
    if (!*has_label || run->by == NULL)
        return true;
    struct gate_str part = {json_string_value(label), json_string_length(label)};
    for (uint32_t i = 0; i < run->by_count; i++)
        if (gate_str_equal(run->by[i].value, part)) {
            run->by[i].number += value;
            return true;
        }
    struct gate_str copy = gate_str_copy(arena, part);
    run->by[run->by_count++] = (struct gate_manifest_work){by, copy, value};
    return copy.ptr != NULL || gate_arena_error(arena, err);
}

static bool series_read(struct gate_manifest_run *run, const json_t *list, struct gate_str by, struct gate_arena *arena,
                        struct gate_error *err) {
    bool has_label = by.len > 0;
    const size_t count = json_array_size(list);
    if (count > SERIES_MAX)
        return gate_error_set(err, GATE_ERR_LIMIT, "the query has %zu series, more than %d; sum it, or by one label",
                              count, SERIES_MAX);
    run->by = by.len == 0 ? NULL : GATE_NEW_ARRAY(arena, struct gate_manifest_work, count + 1);
    if (by.len > 0 && run->by == NULL)
        return gate_arena_error(arena, err);
    if (count == 0)
        return gate_error_set(err, GATE_ERR_INPUT,
                              "the query has no series in this window; are its metric and labels right?");
    for (size_t i = 0; i < count; i++)
        if (!series_add(run, &has_label, json_array_get(list, i), by, arena, err))
            return false;
    if (!has_label)
        run->by_count = 0;
    return true;
}

static bool answer_read(struct gate_manifest_run *run, const json_t *root, struct gate_str by, struct gate_arena *arena,
                        struct gate_error *err) {
    const json_t *data = json_object_get(root, "data"), *result = json_object_get(data, "result");
    const char *type = json_string_value(json_object_get(data, "resultType"));
    const char *error = json_string_value(json_object_get(root, "error"));
    double value = 0;
    if (error != NULL)
        return gate_error_set(err, GATE_ERR_INPUT, "Prometheus answered: %.*s",
                              GATE_STR_ARG(gate_str_slice(gate_str_from(error), 0, 160)));
    if (type != NULL && strcmp(type, "scalar") == 0) {
        if (!value_read(&value, result, err))
            return false;
        run->work = value;
    } else if (type != NULL && strcmp(type, "vector") == 0 && json_is_array(result)) {
        if (!series_read(run, result, by, arena, err))
            return false;
    } else {
        return gate_error_set(err, GATE_ERR_FORMAT,
                              "expected one number, or one for each series (a scalar or a vector of Prometheus), found "
                              "another answer; does the query end in a range?");
    }
    return (isfinite(run->work) && run->work > 0) ||
           gate_error_set(err, GATE_ERR_INPUT, "nothing was done in this window, by the query");
}

bool gate_work_query_read(struct gate_manifest_run *run, struct gate_str body, struct gate_str by,
                          struct gate_arena *arena, struct gate_error *err) {
    struct gate_json_tree tree;
    const struct gate_manifest_run before = *run;
    struct gate_str label = gate_str_copy(arena, by);
    if (label.ptr == NULL)
        return gate_arena_error(arena, err);
    run->work = 0;
    run->by_count = 0;
    if (!gate_json_tree_load(&tree, body, arena, err)) {
        *run = before;
        return err->code == GATE_ERR_FORMAT
                   ? gate_error_set(err, GATE_ERR_FORMAT,
                                    "this is not an answer of Prometheus' API; is the address that of its server?")
                   : false;
    }
    bool ok = answer_read(run, tree.root, label, arena, err);
    gate_json_tree_free(&tree, arena);
    if (!ok)
        *run = before;
    return ok;
}
