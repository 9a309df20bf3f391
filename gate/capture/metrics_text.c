/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of a metrics endpoint (see metrics_text.h). */
#include "gate/capture/metrics_text.h"

#include <math.h>
#include <stdlib.h>

enum { NUMBER_BYTES = 64 };

static void skip_blanks(struct gate_str line, size_t *at) {
    while (*at < line.len && (line.ptr[*at] == ' ' || line.ptr[*at] == '\t'))
        ++*at;
}

static bool is_name_char(char c, bool is_first) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == ':' ||
           (!is_first && ((c >= '0' && c <= '9') || c == '.'));
}

static struct gate_str take_name(struct gate_str line, size_t *at) {
    size_t from = *at;
    while (*at < line.len && is_name_char(line.ptr[*at], *at == from))
        ++*at;
    return gate_str_slice(line, from, *at);
}

static bool take_char(struct gate_str line, size_t *at, char c) {
    bool is_there = *at < line.len && line.ptr[*at] == c;
    *at += is_there;
    return is_there;
}

/* "..." with \\, \" and \n. */
static bool take_quoted(struct gate_str *out, struct gate_str line, size_t *at, struct gate_arena *arena) {
    size_t end = *at + 1;
    bool has_escapes = false;
    if (!take_char(line, at, '"'))
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

/* `=`, or one of the others where they are wanted. */
static bool take_operator(char *op, struct gate_str line, size_t *at) {
    bool is_not = take_char(line, at, '!');
    bool is_equal = take_char(line, at, '='), is_pattern = take_char(line, at, '~');
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

bool gate_metrics_text_labels(struct gate_metrics_line *out, char *ops, struct gate_str line, size_t *at,
                              struct gate_arena *arena) {
    if (!take_char(line, at, '{'))
        return true;
    for (bool is_first = true;; is_first = false) {
        skip_blanks(line, at);
        if (take_char(line, at, '}'))
            return true;
        if (!is_first && !take_char(line, at, ','))
            return false;
        skip_blanks(line, at);
        if (!is_first && take_char(line, at, '}')) /* a comma may stand behind the last one */
            return true;
        struct gate_metrics_label label = {{NULL, 0}, {NULL, 0}};
        bool is_quoted = *at < line.len && line.ptr[*at] == '"';
        if (is_quoted ? !take_quoted(&label.name, line, at, arena) : (label.name = take_name(line, at)).len == 0)
            return false;
        skip_blanks(line, at);
        bool is_bare = *at < line.len && (line.ptr[*at] == ',' || line.ptr[*at] == '}');
        if (is_quoted && is_bare && out->name.len == 0) { /* {"a.name", label="value"} */
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

/* 1, -2.5e3, NaN, +Inf, as both formats write them. */
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

/* "# TYPE name counter"; any other comment leaves the type empty. */
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
    if (!gate_metrics_text_labels(out, NULL, line, &at, arena) || out->name.len == 0)
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

bool gate_metrics_text_next(struct gate_metrics_line *out, bool *is_end, struct gate_metrics_text *text,
                            struct gate_arena *arena, struct gate_error *err) {
    for (*is_end = false; text->at < text->text.len;) {
        size_t end = gate_str_find(text->text, GATE_STR("\n"), text->at);
        struct gate_str line = gate_str_trim(gate_str_slice(text->text, text->at, end));
        text->at = end == SIZE_MAX ? text->text.len : end + 1;
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
