/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/capture/metrics.h"

#include "gate/base/escape.h"
#include "gate/base/hash.h"
#include "gate/capture/http.h"
#include "gate/capture/window.h"
#include "gate/formats/json_tree.h"
#include "gate/formats/text_line.h"

#include <math.h>
#include <stdlib.h>

/* ---- work of a run, from a query to Prometheus ------------------------------------------------------------------- */

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
    gate_escape_percent(&body, gate_buf_view(&text), "_");
    gate_buf_printf(&body, "&time=%lld.%03lld", (long long)(window->to_ms / 1000), (long long)(window->to_ms % 1000));
    out->url = query->url;
    out->url.path = gate_str_concat(arena, parts, 2);
    gate_buf_free_part(&body, &text);
    out->sent = gate_buf_keep(&body, arena);
    out->headers = form_headers;
    out->is_of_store = true;
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

/* Add one series to the sum, and to the work of its label value. `by` is NUL-terminated. */
static bool work_query_series_add(struct gate_manifest_run *run, bool *has_label, const json_t *series,
                                  struct gate_str by, struct gate_arena *arena, struct gate_error *err) {
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
    run->by = by.len == 0 ? NULL : GATE_NEW_ARRAY(arena, struct gate_manifest_work, count);
    if (by.len > 0 && run->by == NULL)
        return gate_arena_error(arena, err);
    if (count == 0)
        return gate_error_set(err, GATE_ERR_INPUT,
                              "the query has no series in this window; are its metric and labels right?");
    for (size_t i = 0; i < count; i++)
        if (!work_query_series_add(run, &has_label, json_array_get(list, i), by, arena, err))
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

/* ---- counters of a metrics endpoint ------------------------------------------------------------------------------ */

/* ---- lines of the text format ------------------------------------------------------------------------------------ */

enum { GATE_METRICS_LABELS_MAX = 64 };

struct gate_metrics_label {
    struct gate_str name, value; /* `value` has its escapes resolved */
};

/**
 * A line `name{labels} value`, or `# TYPE name type`. For the latter only `name` and `type` are set; else `type` is
 * empty.
 */
struct gate_metrics_line {
    struct gate_str name, type;
    struct gate_metrics_label labels[GATE_METRICS_LABELS_MAX];
    uint32_t label_count;
    double value; /* may be infinite or NaN */
};

/** Position in a text. Zeroed except `text`. */
struct gate_metrics_text {
    struct gate_str rest;
    uint32_t line; /* number of the last line read, from 1 */
};

enum { NUMBER_BYTES = 64 };

static void skip_blanks(struct gate_str line, size_t *at) {
    while (*at < line.len && (line.ptr[*at] == ' ' || line.ptr[*at] == '\t'))
        ++*at;
}

static bool is_name_char(char c, bool is_first) {
    return gate_is_letter(c) || c == '_' || c == ':' || (!is_first && (gate_is_digit(c) || c == '.'));
}

static struct gate_str take_name(struct gate_str line, size_t *at) {
    size_t from = *at;
    while (*at < line.len && is_name_char(line.ptr[*at], *at == from))
        ++*at;
    return gate_str_slice(line, from, *at);
}

/* Read "..." with the escapes \\, \" and \n. */
static bool take_quoted(struct gate_str *out, struct gate_str line, size_t *at, struct gate_arena *arena) {
    size_t end = *at + 1;
    bool has_escapes = false;
    if (!gate_str_take(line, at, '"'))
        return false;
    for (; end < line.len && line.ptr[end] != '"'; end++)
        if (line.ptr[end] == '\\') {
            has_escapes = true;
            end++;
        }
    if (end >= line.len)
        return false;
    *out = gate_str_slice(line, *at, end);
    *at = end + 1;
    if (!has_escapes)
        return true;
    char *plain = gate_arena_alloc(arena, out->len + 1);
    size_t len = 0;
    if (plain == NULL)
        return false;
    for (size_t i = 0; i < out->len; i++) {
        bool is_escape = out->ptr[i] == '\\';
        i += is_escape;
        plain[len++] = is_escape && out->ptr[i] == 'n' ? '\n' : out->ptr[i];
    }
    *out = (struct gate_str){plain, len};
    return true;
}

/* Read `=`. If `op` is not NULL, also accept `!=`, `=~` and `!~` (see metrics_text_labels). */
static bool take_operator(char *op, struct gate_str line, size_t *at) {
    bool is_not = gate_str_take(line, at, '!');
    bool is_equal = gate_str_take(line, at, '='), is_pattern = gate_str_take(line, at, '~');
    char found = is_not ? (char)(is_pattern ? 'n' : '!') : (char)(is_pattern ? '~' : 0);
    if (!is_equal && !(is_not && is_pattern))
        return false;
    if (is_not && is_equal && is_pattern)
        return false;
    if (op == NULL)
        return found == 0;
    *op = found;
    return true;
}

/**
 * Read labels in braces, such as `{a="b",c!="d"}`, from `*at` on. If `ops` is not NULL, also accept !=, =~ and !~; each
 * operator is stored in `ops` as 0 for =, '!' for !=, '~' for =~ and 'n' for !~.
 */
static bool metrics_text_labels(struct gate_metrics_line *out, char *ops, struct gate_str line, size_t *at,
                                struct gate_arena *arena) {
    if (!gate_str_take(line, at, '{'))
        return true;
    for (bool is_first = true;; is_first = false) {
        skip_blanks(line, at);
        if (gate_str_take(line, at, '}'))
            return true;
        if (!is_first && !gate_str_take(line, at, ','))
            return false;
        skip_blanks(line, at);
        if (!is_first && gate_str_take(line, at, '}')) /* a comma after the last label is allowed */
            return true;
        struct gate_metrics_label label = {{NULL, 0}, {NULL, 0}};
        bool is_quoted = *at < line.len && line.ptr[*at] == '"';
        if (is_quoted ? !take_quoted(&label.name, line, at, arena) : (label.name = take_name(line, at)).len == 0)
            return false;
        skip_blanks(line, at);
        bool is_bare = *at < line.len && (line.ptr[*at] == ',' || line.ptr[*at] == '}');
        if (is_quoted && is_bare && out->name.len == 0) { /* OpenMetrics: {"a.name", label="value"} */
            out->name = label.name;
            continue;
        }
        char *op = ops == NULL || out->label_count >= GATE_METRICS_LABELS_MAX ? NULL : &ops[out->label_count];
        if (out->label_count == GATE_METRICS_LABELS_MAX || !take_operator(op, line, at))
            return false;
        skip_blanks(line, at);
        if (!take_quoted(&label.value, line, at, arena))
            return false;
        out->labels[out->label_count++] = label;
    }
}

/* Read a number as both formats write it: 1, -2.5e3, NaN, +Inf. */
static bool take_number(double *out, struct gate_str line, size_t *at) {
    char text[NUMBER_BYTES];
    size_t from = *at;
    while (*at < line.len && line.ptr[*at] != ' ' && line.ptr[*at] != '\t')
        ++*at;
    size_t len = *at - from;
    if (len == 0 || len >= sizeof text)
        return false;
    memcpy(text, line.ptr + from, len);
    text[len] = '\0';
    bool is_word = strspn(text, "+-InfNatyINFA") == len, is_number = strspn(text, "+-0123456789.eE") == len;
    char *end = text;
    if (is_word || is_number)
        *out = strtod(text, &end);
    return end == text + len;
}

/* Read "# TYPE name counter". Any other comment leaves `type` empty. */
static void read_comment(struct gate_metrics_line *out, struct gate_str line) {
    size_t at = 1;
    skip_blanks(line, &at);
    struct gate_str word = take_name(line, &at);
    if (!gate_str_equal(word, GATE_STR("TYPE")))
        return;
    skip_blanks(line, &at);
    out->name = take_name(line, &at);
    out->type = gate_str_trim(gate_str_slice(line, at, line.len));
}

static bool read_sample(struct gate_metrics_line *out, struct gate_str line, struct gate_arena *arena) {
    size_t at = 0;
    out->name = take_name(line, &at);
    skip_blanks(line, &at);
    if (!metrics_text_labels(out, NULL, line, &at, arena) || out->name.len == 0)
        return false;
    skip_blanks(line, &at);
    if (!take_number(&out->value, line, &at))
        return false;
    double timestamp = 0;
    skip_blanks(line, &at);
    if (at < line.len && line.ptr[at] != '#' && !take_number(&timestamp, line, &at))
        return false;
    skip_blanks(line, &at);
    return at == line.len || line.ptr[at] == '#';
}

/**
 * Read the next sample or TYPE line. Other comments and blank lines are skipped; timestamps and exemplars are dropped.
 *
 * is_end  set if no line is left
 * err     GATE_ERR_FORMAT with the line
 */
static bool metrics_text_next(struct gate_metrics_line *out, bool *is_end, struct gate_metrics_text *text,
                              struct gate_arena *arena, struct gate_error *err) {
    struct gate_str line;
    for (*is_end = false; gate_text_line_next(&text->rest, &line);) {
        text->line++;
        if (line.len == 0)
            continue;
        *out = (struct gate_metrics_line){.label_count = 0};
        if (line.ptr[0] == '#') {
            read_comment(out, line);
            if (out->type.len > 0 && out->name.len > 0)
                return true;
            continue;
        }
        if (read_sample(out, line, arena))
            return true;
        return gate_error_set(err, GATE_ERR_FORMAT,
                              "line %u is not a metric, such as http_requests_total{code=\"200\"} 1027: is this the "
                              "address of metrics for Prometheus?",
                              (unsigned)text->line);
    }
    *is_end = true;
    return true;
}

/* ---- the counter ------------------------------------------------------------------------------------------------- */

static const struct gate_str total_suffix = {"_total", 6};

/* ---- selectors --------------------------------------------------------------------------------------------------- */

static bool matcher_pattern(struct gate_metrics_matcher *matcher, struct gate_arena *arena, struct gate_error *err) {
    struct gate_error why = {0};
    struct gate_regex *pattern = NULL;
    const struct gate_str parts[] = {GATE_STR("^(?:"), matcher->value, GATE_STR(")$")};
    struct gate_str whole = gate_str_concat(arena, parts, 3);
    if (whole.ptr == NULL)
        return gate_arena_error(arena, err);
    if (!gate_regex_compile(&pattern, whole, &why))
        return gate_error_set(err, GATE_ERR_USAGE, "the pattern of '%.*s': %s", GATE_STR_ARG(matcher->label),
                              why.message);
    matcher->pattern = pattern;
    return true;
}

bool gate_metrics_selector_read(struct gate_metrics_selector *out, struct gate_str text, struct gate_arena *arena,
                                struct gate_error *err) {
    struct gate_metrics_line *line = GATE_NEW_ARRAY(arena, struct gate_metrics_line, 1);
    char ops[GATE_METRICS_LABELS_MAX] = {0};
    size_t brace = gate_str_find(text, GATE_STR("{"), 0), at = brace == SIZE_MAX ? text.len : brace;
    *out = (struct gate_metrics_selector){0};
    if (line == NULL)
        return gate_arena_error(arena, err);
    line->name = gate_str_trim(gate_str_slice(text, 0, at));
    if (!metrics_text_labels(line, ops, text, &at, arena) || at != text.len || line->name.len == 0)
        return gate_error_set(err, GATE_ERR_USAGE,
                              "expected a counter such as http_requests_total or "
                              "http_requests_total{code=\"200\",path!=\"/healthz\"}, found '%.*s'",
                              GATE_STR_ARG(text));
    out->name = line->name;
    out->matchers = GATE_NEW_ARRAY(arena, struct gate_metrics_matcher, line->label_count);
    if (out->matchers == NULL)
        return gate_arena_error(arena, err);
    for (uint32_t i = 0; i < line->label_count; i++) {
        struct gate_metrics_matcher *matcher = &out->matchers[out->count++];
        *matcher = (struct gate_metrics_matcher){line->labels[i].name, line->labels[i].value, NULL,
                                                 ops[i] == '!' || ops[i] == 'n'};
        if ((ops[i] == '~' || ops[i] == 'n') && !matcher_pattern(matcher, arena, err)) {
            gate_metrics_selector_free(out);
            return false;
        }
    }
    return true;
}

void gate_metrics_selector_free(struct gate_metrics_selector *selector) {
    for (uint32_t i = 0; i < selector->count; i++)
        gate_regex_free((struct gate_regex *)(uintptr_t)selector->matchers[i].pattern);
    *selector = (struct gate_metrics_selector){0};
}

static struct gate_str label_of(const struct gate_metrics_line *line, struct gate_str name) {
    for (uint32_t i = 0; i < line->label_count; i++)
        if (gate_str_equal(line->labels[i].name, name))
            return line->labels[i].value;
    return GATE_STR(""); /* Prometheus treats a missing label as empty */
}

static bool is_meant(const struct gate_metrics_selector *selector, const struct gate_metrics_line *line) {
    for (uint32_t i = 0; i < selector->count; i++) {
        const struct gate_metrics_matcher *matcher = &selector->matchers[i];
        struct gate_str value = label_of(line, matcher->label);
        bool is_equal = matcher->pattern == NULL ? gate_str_equal(value, matcher->value)
                                                 : gate_regex_match(matcher->pattern, value) == GATE_REGEX_YES;
        if (is_equal == matcher->is_negative)
            return false;
    }
    return true;
}

/* ---- reading the series ------------------------------------------------------------------------------------------ */

/* Hash the labels independently of their order. */
static uint64_t labels_key(const struct gate_metrics_line *line) {
    uint64_t key = 0;
    for (uint32_t i = 0; i < line->label_count; i++) {
        const struct gate_metrics_label *label = &line->labels[i];
        key += gate_hash_mix(gate_hash_bytes(label->name.ptr, label->name.len, 1) ^
                             gate_hash_mix(gate_hash_bytes(label->value.ptr, label->value.len, 2)));
    }
    return key;
}

static bool series_add(struct gate_metrics *out, const struct gate_metrics_line *line, struct gate_str by,
                       struct gate_arena *arena, struct gate_error *err) {
    if (!isfinite(line->value) || line->value < 0)
        return gate_error_set(err, GATE_ERR_INPUT, "'%.*s' is %g, which a counter of work cannot be",
                              GATE_STR_ARG(line->name), line->value);
    struct gate_str part = by.len == 0 ? GATE_STR("") : gate_str_copy(arena, label_of(line, by));
    if (part.ptr == NULL || !GATE_GROW(arena, out->series, out->count, out->capacity))
        return gate_arena_error(arena, err);
    out->series[out->count++] = (struct gate_metrics_series){labels_key(line), part, line->value};
    return true;
}

/* Return whether `name` is `wanted`, or with `with_total`, `wanted` followed by "_total". */
static bool is_family(struct gate_str name, struct gate_str wanted, bool with_total) {
    if (!with_total)
        return gate_str_equal(name, wanted);
    return name.len == wanted.len + total_suffix.len && gate_str_starts(name, wanted) &&
           gate_str_ends(name, total_suffix);
}

static bool type_check(const struct gate_metrics_line *line, struct gate_str wanted, struct gate_error *err) {
    if (!gate_str_equal(line->name, wanted) || gate_str_equal(line->type, GATE_STR("counter")) ||
        gate_str_equal(line->type, GATE_STR("untyped")) || gate_str_equal(line->type, GATE_STR("unknown")))
        return true;
    bool has_count =
        gate_str_equal(line->type, GATE_STR("histogram")) || gate_str_equal(line->type, GATE_STR("summary"));
    return gate_error_set(err, GATE_ERR_INPUT, "'%.*s' is a %.*s; work has to be a counter%s%.*s%s",
                          GATE_STR_ARG(wanted), GATE_STR_ARG(line->type), has_count ? ", such as its '" : "",
                          GATE_STR_ARG(has_count ? wanted : GATE_STR("")), has_count ? "_count'" : "");
}

static bool read_lines(struct gate_metrics *out, bool *is_known, struct gate_str text,
                       const struct gate_metrics_selector *selector, struct gate_str by, bool with_total,
                       struct gate_arena *arena, struct gate_error *err) {
    struct gate_metrics_line *line = GATE_NEW_ARRAY(arena, struct gate_metrics_line, 1);
    struct gate_metrics_text at = {.rest = text};
    bool is_end = false;
    if (line == NULL)
        return gate_arena_error(arena, err);
    for (;;) {
        if (!metrics_text_next(line, &is_end, &at, arena, err))
            return false;
        if (is_end)
            return true;
        if (line->type.len > 0) {
            if (!type_check(line, selector->name, err))
                return false;
            continue;
        }
        if (gate_str_equal(line->name, GATE_STR("process_start_time_seconds")) && isfinite(line->value))
            out->process_start = line->value;
        if (!is_family(line->name, selector->name, with_total))
            continue;
        *is_known = true;
        if (is_meant(selector, line) && !series_add(out, line, by, arena, err))
            return false;
    }
}

bool gate_metrics_read(struct gate_metrics *out, struct gate_str text, const struct gate_metrics_selector *selector,
                       struct gate_str by, struct gate_arena *arena, struct gate_error *err) {
    bool is_known = false;
    for (int with_total = 0; !is_known && with_total < 2; with_total++) {
        *out = (struct gate_metrics){0};
        if (!read_lines(out, &is_known, text, selector, by, with_total == 1, arena, err))
            return false;
    }
    if (text.len == 0)
        return gate_error_set(err, GATE_ERR_INPUT, "the answer is empty");
    /* A missing metric is not an error: a counter with labels appears with its first event. */
    return true;
}

/* ---- growth ------------------------------------------------------------------------------------------------------ */

static int series_compare(const void *left, const void *right) {
    const struct gate_metrics_series *a = left, *b = right;
    return (a->key > b->key) - (a->key < b->key);
}

static struct gate_metrics_series *sorted(const struct gate_metrics *metrics, struct gate_arena *arena) {
    struct gate_metrics_series *items = GATE_NEW_ARRAY(arena, struct gate_metrics_series, metrics->count);
    if (items == NULL)
        return NULL;
    if (metrics->count > 0)
        memcpy(items, metrics->series, metrics->count * sizeof *items);
    qsort(items, metrics->count, sizeof *items, series_compare);
    return items;
}

static void part_add(struct gate_manifest_run *run, struct gate_str by, struct gate_str part, double grown) {
    uint32_t at = 0;
    while (at < run->by_count && !gate_str_equal(run->by[at].value, part))
        at++;
    if (at == run->by_count)
        run->by[run->by_count++] = (struct gate_manifest_work){by, part, 0};
    run->by[at].number += grown;
}

bool gate_metrics_grow(enum gate_metrics_growth *growth, struct gate_manifest_run *run, struct gate_str by,
                       const struct gate_metrics *start, const struct gate_metrics *end, struct gate_arena *arena,
                       struct gate_error *err) {
    struct gate_metrics_series *before = sorted(start, arena), *after = sorted(end, arena);
    run->by = GATE_NEW_ARRAY(arena, struct gate_manifest_work, end->count);
    run->by_count = 0;
    run->work = 0;
    if (before == NULL || after == NULL || run->by == NULL)
        return gate_arena_error(arena, err);
    bool restarted = start->process_start != end->process_start, has_parts = by.len > 0;
    uint32_t b = 0;
    for (uint32_t a = 0; a < end->count; a++) {
        bool is_old = b < start->count && before[b].key == after[a].key;
        double grown = after[a].value - (is_old ? before[b].value : 0);
        /* the process restarted if a series decreased, or if a series of the first reading is missing in the second */
        restarted = restarted || grown < 0 || (!is_old && b < start->count && before[b].key < after[a].key);
        b += is_old;
        run->work += grown;
        has_parts = has_parts && after[a].part.len > 0;
        if (has_parts)
            part_add(run, by, after[a].part, grown);
    }
    restarted = restarted || b < start->count;
    *growth = restarted ? GATE_METRICS_RESTARTED : run->work > 0.0 ? GATE_METRICS_GREW : GATE_METRICS_STUCK;
    if (*growth != GATE_METRICS_GREW || !has_parts)
        run->by_count = 0;
    if (*growth != GATE_METRICS_GREW)
        run->work = 0;
    return true;
}
