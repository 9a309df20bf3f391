/* SPDX-License-Identifier: Apache-2.0 */
/* Shorten long names. */
#include "gate/report/shorten.h"

#include "gate/base/str.h"

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

/* Return whether `text` is `word` followed only by digits and '*', as compilers number closures. */
static bool is_numbered(struct gate_str text, const char *word) {
    struct gate_str start = gate_str_from(word);
    size_t at = start.len;
    if (!gate_str_starts(text, start))
        return false;
    while (at < text.len && (text.ptr[at] == '*' || gate_is_digit(text.ptr[at])))
        at++;
    return at == text.len && at > start.len;
}

/* Return whether a part means nothing alone: a closure, a number, text in brackets, or a file name's extension. */
static bool is_suffix(struct gate_str part) {
    static const char *const closures[] = {"func", "gowrap", "deferwrap", ""};
    static const char *const endings[] = {"c",  "cc", "cpp",  "h",  "hpp",   "go",  "py", "rb", "rs",    "js", "mjs",
                                          "ts", "kt", "java", "ex", "scala", "php", "cs", "so", "swift", "pl"};
    if (part.len > 0 && strchr("<{", part.ptr[0]) != NULL)
        return true;
    for (size_t i = 0; i < sizeof closures / sizeof *closures; i++)
        if (is_numbered(part, closures[i]))
            return true;
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (gate_str_equal(part, gate_str_from(endings[i])))
            return true;
    return false;
}

/* Return the part up to the next separator. */
static struct gate_str part_of(struct gate_str name) {
    size_t end = 0;
    while (end < name.len && strchr("/.:", name.ptr[end]) == NULL)
        end++;
    return gate_str_slice(name, 0, end);
}

/* Return the offset of the first part of a qualified name from which the rest fits into `columns`; if none fits, that
 * of the last part. Separators are '/', '.' and "::" outside of brackets, which hold type arguments. `left`: columns of
 * the whole name. */
static size_t shorten_parts(struct gate_str name, size_t left, size_t columns) {
    int depth = 0;
    size_t last = 0, counted = 0;
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
        i = from - 1;
        if (rest.len == 0 || part_of(rest).len == 0 || is_suffix(part_of(rest)))
            continue;
        last = from;
        left -= gate_str_columns(gate_str_slice(name, counted, from)); /* not the columns of `rest`, which would be
                                                                          quadratic in the number of parts */
        counted = from;
        if (left <= columns)
            break;
    }
    return last;
}

/* Return the offset of " (" in a name with its file, such as Python's "Const.__init__ (/app/nodes.py)", or SIZE_MAX. */
static size_t file_at(struct gate_str name) {
    size_t at = SIZE_MAX;
    if (name.len == 0 || name.ptr[name.len - 1] != ')')
        return SIZE_MAX;
    for (size_t i = 1; i + 2 < name.len; i++)
        if (name.ptr[i] == ' ' && name.ptr[i + 1] == '(' && (name.ptr[i + 2] == '/' || name.ptr[i + 2] == '.'))
            at = i;
    return at != SIZE_MAX && gate_str_find(name, GATE_STR("/"), at) != SIZE_MAX ? at : SIZE_MAX;
}

/* Return a name with its file without the folders, "Const.__init__ (…/nodes.py)", or without the file. `at`: as of
 * file_at. */
static struct gate_str shorten_file(struct gate_arena *arena, struct gate_str name, size_t at, size_t columns) {
    static const char between[] = " (" ELLIPSIS "/";
    struct gate_str function = gate_str_slice(name, 0, at),
                    file = gate_str_basename(gate_str_slice(name, at, name.len));
    if (gate_str_columns(function) + strlen(" (./") + gate_str_columns(file) > columns)
        return gate_shorten_name(arena, function, columns);
    size_t len = function.len + strlen(between) + file.len;
    char *copy = gate_arena_alloc(arena, len + 1);
    if (copy == NULL)
        return (struct gate_str){NULL, 0};
    memcpy(copy, function.ptr, function.len);
    memcpy(copy + function.len, between, strlen(between));
    memcpy(copy + function.len + strlen(between), file.ptr, file.len);
    copy[len] = '\0';
    return (struct gate_str){copy, len};
}

static bool is_path(char c) {
    return c == ':' || c == '_' || gate_is_digit(c) || gate_is_letter(c);
}

/* Return a method of Rust's, "<shop::cart::Price as core::fmt::Display>::fmt", without the modules of its types:
 * "<â¦Price as â¦Display>::fmt". Returns `name` itself if it is another name, and `.ptr` NULL if
 * `arena` is full. */
static struct gate_str shorten_types(struct gate_arena *arena, struct gate_str name) {
    size_t len = 0, depth = 0;
    if (name.ptr[0] != '<')
        return name;
    char *copy = gate_arena_alloc(arena, name.len + 1); /* "â¦" has as many bytes as "a::" */
    if (copy == NULL)
        return (struct gate_str){NULL, 0};
    for (size_t at = 0; at < name.len;) {
        size_t end = at, last = at;
        for (; end < name.len && is_path(name.ptr[end]); end++)
            last = name.ptr[end] == ':' ? end + 1 : last;
        bool is_cut = depth > 0 && last > at + 2 && last < end;
        if (is_cut) {
            memcpy(copy + len, ELLIPSIS, strlen(ELLIPSIS));
            len += strlen(ELLIPSIS);
            at = last;
        }
        end = end == at ? end + 1 : end;
        depth += name.ptr[at] == '<';
        depth -= name.ptr[at] == '>' && depth > 0;
        memcpy(copy + len, name.ptr + at, end - at);
        len += end - at;
        at = end;
    }
    copy[len] = '\0';
    return (struct gate_str){copy, len};
}

struct gate_str gate_shorten_name(struct gate_arena *arena, struct gate_str name, size_t columns) {
    if (name.len == 0)
        return GATE_STR("(no name)");
    if (name.len <= columns) /* a byte takes at most one column */
        return name;
    size_t whole = gate_str_columns(name);
    if (whole <= columns)
        return name;
    name = shorten_types(arena, name);
    if (name.ptr == NULL)
        return name;
    whole = gate_str_columns(name);
    if (whole <= columns)
        return name;
    if (file_at(name) != SIZE_MAX)
        return shorten_file(arena, name, file_at(name), columns);
    size_t from = shorten_parts(name, whole, columns - 1);
    struct gate_str rest = gate_str_slice(name, from, name.len);
    bool fits = from > 0 && gate_str_columns(rest) <= columns - 1;
    if (!fits)
        rest = gate_shorten_to_start(rest, columns - 1);
    size_t len = strlen(ELLIPSIS) + rest.len;
    char *copy = gate_arena_alloc(arena, len + 1);
    if (copy == NULL)
        return (struct gate_str){NULL, 0};
    memcpy(copy + (fits ? 0 : rest.len), ELLIPSIS, strlen(ELLIPSIS));
    memcpy(copy + (fits ? strlen(ELLIPSIS) : 0), rest.ptr, rest.len);
    copy[len] = '\0';
    return (struct gate_str){copy, len};
}
