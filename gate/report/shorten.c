/* SPDX-License-Identifier: Apache-2.0 */
/* Long names in little room (see shorten.h). */
#include "gate/report/shorten.h"

#define ELLIPSIS "\xE2\x80\xA6"

struct gate_str gate_shorten_to_start(struct gate_str text, size_t columns) {
    size_t at = 0;
    size_t used = 0;
    while (at < text.len) {
        uint32_t c = 0;
        size_t step = gate_utf8_decode(text, at, &c);
        if (step == 0)
            step = 1;
        used += gate_str_columns(gate_str_slice(text, at, at + step));
        if (used > columns)
            break;
        at += step;
    }
    return gate_str_slice(text, 0, at);
}

/* The longest end of `text` within `columns`. */
static struct gate_str shorten_to_end(struct gate_str text, size_t columns) {
    size_t all = gate_str_columns(text);
    size_t at = 0;
    while (at < text.len && all > columns) {
        uint32_t c = 0;
        size_t step = gate_utf8_decode(text, at, &c);
        if (step == 0)
            step = 1;
        all -= gate_str_columns(gate_str_slice(text, at, at + step));
        at += step;
    }
    return gate_str_slice(text, at, text.len);
}

/*
 * Offset of the first part of a qualified name that, with all behind it, fits `columns`; 0 when only the last part
 * does, or not even that. Separators are '/', '.' and "::" outside of brackets, where type arguments stand.
 */
static size_t shorten_parts(struct gate_str name, size_t columns) {
    int depth = 0;
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];
        if (c == '(' || c == '<' || c == '[' || c == '{')
            depth++;
        else if (c == ')' || c == '>' || c == ']' || c == '}')
            depth -= depth > 0;
        bool pair = c == ':' && i + 1 < name.len && name.ptr[i + 1] == ':';
        if (depth > 0 || (c != '/' && c != '.' && !pair))
            continue;
        size_t from = i + (pair ? 2 : 1);
        struct gate_str rest = gate_str_slice(name, from, name.len);
        bool qualified = memchr(rest.ptr, '.', rest.len) != NULL || gate_str_find(rest, GATE_STR("::"), 0) != SIZE_MAX;
        if (rest.len > 0 && qualified && gate_str_columns(rest) <= columns)
            return from;
        i = from - 1;
    }
    return 0;
}

struct gate_str gate_shorten_name(struct gate_arena *arena, struct gate_str name, size_t columns) {
    if (name.len == 0)
        return GATE_STR("(no name)");
    if (gate_str_columns(name) <= columns)
        return name;
    size_t from = shorten_parts(name, columns - 1);
    struct gate_str head = {"", 0};
    struct gate_str tail = gate_str_slice(name, from, name.len);
    if (from == 0) {
        /* The end names the function: it keeps two thirds. */
        head = gate_shorten_to_start(name, (columns - 1) / 3);
        tail = shorten_to_end(name, columns - 1 - gate_str_columns(head));
    }
    size_t len = head.len + strlen(ELLIPSIS) + tail.len;
    char *copy = gate_arena_alloc(arena, len + 1);
    if (copy == NULL)
        return (struct gate_str){NULL, 0};
    memcpy(copy, head.ptr, head.len);
    memcpy(copy + head.len, ELLIPSIS, strlen(ELLIPSIS));
    memcpy(copy + head.len + strlen(ELLIPSIS), tail.ptr, tail.len);
    copy[len] = '\0';
    return (struct gate_str){copy, len};
}
