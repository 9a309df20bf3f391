/* SPDX-License-Identifier: Apache-2.0 */
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

/* Return whether a part is not a name by itself: a closure, a number, text in brackets, or a file name's extension. */
static bool is_suffix(struct gate_str part) {
    static const char *const closures[] = {"func", "gowrap", "deferwrap", ""};
    static const char *const endings[] = {"c",  "cc", "cpp",  "h",  "hpp",   "go",  "py", "rb", "rs",    "js", "mjs",
                                          "ts", "kt", "java", "ex", "scala", "php", "cs", "so", "swift", "pl"};
    if (part.len > 0 && strchr("<{", part.ptr[0]) != NULL)
        return true;
    for (size_t i = 0; i < sizeof closures / sizeof *closures; i++)
        if (is_numbered(part, closures[i]))
            return true;
    return gate_str_is_among(part, endings, sizeof endings / sizeof *endings);
}

/* Return the part up to the next separator or blank: "js" of "js (anonymous)". */
static struct gate_str part_of(struct gate_str name) {
    size_t end = 0;
    while (end < name.len && strchr("/.: ", name.ptr[end]) == NULL)
        end++;
    return gate_str_slice(name, 0, end);
}

/* Return the length of "operator()", "operator<<" and similar at `at`, whose brackets are not a list; 0 if there is
 * none. */
static size_t operator_at(struct gate_str name, size_t at) {
    static const char word[] = "operator";
    if (name.ptr[at] != 'o' || (at > 0 && gate_is_word(name.ptr[at - 1])) ||
        !gate_str_starts(gate_str_slice(name, at, name.len), GATE_STR("operator")))
        return 0;
    size_t end = at + strlen(word);
    struct gate_str rest = gate_str_slice(name, end, name.len);
    if (gate_str_starts(rest, GATE_STR("()")) || gate_str_starts(rest, GATE_STR("[]")))
        return strlen(word) + 2;
    while (end < name.len && memchr("<>=-", name.ptr[end], strlen("<>=-")) != NULL)
        end++;
    return end - at;
}

/* Result of shorten_parts. */
struct parts {
    size_t from; /* offset of the first part from which on the name fits, else of the last part */
    bool is_last;
};

/* Find the parts of a qualified name. Separators are '/', '.' and "::" outside of brackets, which enclose type
 * arguments. `left`: columns of the whole name. */
static struct parts shorten_parts(struct gate_str name, size_t left, size_t columns) {
    struct parts found = {.from = 0};
    size_t depth = 0, counted = 0;
    bool is_found = false;
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];
        size_t skipped = operator_at(name, i);
        if (skipped > 0) {
            i += skipped - 1;
            continue;
        }
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
        if (is_found) { /* a part follows, so the one that was found is not the last */
            found.is_last = false;
            break;
        }
        found = (struct parts){.from = from, .is_last = true};
        left -= gate_str_columns(
            gate_str_slice(name, counted, from)); /* subtract instead of counting `rest` anew, which would take time
                                                     quadratic in the number of parts */
        counted = from;
        is_found = left <= columns;
    }
    return found;
}

static bool is_path(char c) {
    return c == ':' || c == '_' || gate_is_digit(c) || gate_is_letter(c);
}

/* ---- lists of type arguments and parameters ---------------------------------------------------------------------- */

enum { LISTS_MOST = 16 };

/* A list that is not in another one: "<int, char>" after a name, or "(long)". */
struct list {
    size_t from, to; /* the text in the brackets */
    size_t keep;     /* number of bytes that are kept before "…"; to - from if all are */
};

/* Return whether a list begins at `at`. Brackets after a separator or a space are a name, as in "(anonymous
 * namespace)". Those in "operator<< <char>" are a list. */
static bool is_list_start(struct gate_str name, size_t at) {
    if (at == 0 || (name.ptr[at] != '<' && name.ptr[at] != '('))
        return false;
    char before = name.ptr[at - 1];
    if (name.ptr[at] == '<' && before == ' ')
        return at > 1 && (name.ptr[at - 2] == '<' || name.ptr[at - 2] == '>');
    const char *ends = name.ptr[at] == '<' ? ")]+-*/%^&|~!=" : ")]+-*%^&|~!=<>"; /* last characters of names and
                                                                                    operators */
    return gate_is_word(before) || memchr(ends, before, strlen(ends)) != NULL;
}

/* Return the offset of the bracket that closes the one at `at`, or SIZE_MAX. */
static size_t list_end(struct gate_str name, size_t at) {
    size_t depth = 0;
    for (size_t i = at; i < name.len; i++) {
        char c = name.ptr[i];
        size_t skipped = operator_at(name, i);
        i += skipped > 0 ? skipped - 1 : 0;
        if (skipped > 0)
            continue;
        depth += c == '<' || c == '(';
        bool is_arrow = c == '>' && i > 0 && name.ptr[i - 1] == '-';
        depth -= (c == '>' && !is_arrow) || c == ')';
        if (depth == 0)
            return i;
    }
    return SIZE_MAX;
}

static uint32_t lists_find(struct list *out, struct gate_str name) {
    uint32_t count = 0;
    for (size_t i = 0; i < name.len && count < LISTS_MOST; i++) {
        size_t skipped = operator_at(name, i);
        i += skipped > 0 ? skipped - 1 : 0;
        if (skipped > 0 || !is_list_start(name, i))
            continue;
        size_t end = list_end(name, i);
        if (end == SIZE_MAX)
            break;
        out[count++] = (struct list){.from = i + 1, .to = end, .keep = end - i - 1};
        i = end;
    }
    return count;
}

/* Return the offset of the last part of the path "ns::run::" from `at` to `end`. */
static size_t path_last(struct gate_str text, size_t at, size_t end) {
    for (size_t i = end - at > 3 ? end - 3 : at; i > at; i--)
        if (text.ptr[i - 1] == ':')
            return i;
    return at;
}

/* Append `text` without the qualifiers of types, "ns::Price" as "…Price". If `is_shallow`, also leave out the lists in
 * it. */
static void put_arguments(struct gate_buf *out, struct gate_str text, bool is_shallow) {
    bool is_closed = true; /* false once a bracket has no end, so that the end is not searched for again */
    for (size_t at = 0; at < text.len;) {
        size_t end = at, last = at;
        for (; end < text.len && (is_path(text.ptr[end]) || text.ptr[end] == '.'); end++)
            last = text.ptr[end] == ':' || text.ptr[end] == '.' ? end + 1 : last;
        if (last == end && end < text.len && text.ptr[end] == '{') /* a lambda keeps the name of its function */
            last = path_last(text, at, end);
        bool is_cut = last > at + 2 && last < end;
        gate_buf_text(out, is_cut ? ELLIPSIS : "");
        at = is_cut ? last : at;
        size_t close = SIZE_MAX;
        if (end == at && is_shallow && is_closed && is_list_start(text, at)) {
            close = list_end(text, at);
            is_closed = close != SIZE_MAX;
        }
        if (close != SIZE_MAX && close > at + 1) {
            gate_buf_char(out, text.ptr[at]);
            gate_buf_text(out, ELLIPSIS);
            end = close; /* the closing bracket is next */
        } else {
            end = end == at ? end + 1 : end;
            gate_buf_str(out, gate_str_slice(text, at, end));
        }
        at = end;
    }
    while (out->len > 0 && !out->failed && out->ptr[out->len - 1] == ' ')
        out->len--; /* the blank of "less<int> >" is not needed */
}

/* Return the name with shorter arguments in its lists; `.ptr` NULL if `arena` is full. */
static struct gate_str arguments_shortened(struct gate_arena *arena, struct gate_str name, bool is_shallow) {
    struct list lists[LISTS_MOST];
    uint32_t count = lists_find(lists, name);
    struct gate_buf out = {0};
    size_t copied = 0;
    for (uint32_t i = 0; i < count; i++) {
        gate_buf_str(&out, gate_str_slice(name, copied, lists[i].from));
        put_arguments(&out, gate_str_slice(name, lists[i].from, lists[i].to), is_shallow);
        copied = lists[i].to;
    }
    gate_buf_str(&out, gate_str_slice(name, copied, name.len));
    return gate_buf_keep(&out, arena);
}

/* Return how many bytes of a list stay if at least `excess` columns must go. Whole arguments at its start stay. */
static size_t list_kept(struct gate_str arguments, size_t excess) {
    size_t kept = 0, depth = 0, left = gate_str_columns(arguments);
    for (size_t i = 0, counted = 0; i + 1 < arguments.len; i++) {
        char c = arguments.ptr[i];
        depth += c == '<' || c == '(';
        depth -= (c == '>' || c == ')') && depth > 0;
        if (c != ',' || depth > 0)
            continue;
        size_t end = i + 1 + (arguments.ptr[i + 1] == ' ');
        left -= gate_str_columns(gate_str_slice(arguments, counted, end));
        counted = end;
        if (left < excess + 1) /* "…" takes one column */
            break;
        kept = end;
    }
    return kept;
}

/* Cut the arguments of the longest lists that begin with `bracket` until `*excess` columns are removed. */
static void lists_cut(struct list *lists, uint32_t count, struct gate_str name, char bracket, size_t *excess) {
    while (*excess > 0) {
        struct list *longest = NULL;
        for (uint32_t i = 0; i < count; i++) {
            bool is_whole = lists[i].keep == lists[i].to - lists[i].from && name.ptr[lists[i].from - 1] == bracket;
            if (is_whole && lists[i].keep > 1 && (longest == NULL || lists[i].keep > longest->keep))
                longest = &lists[i];
        }
        if (longest == NULL)
            return;
        struct gate_str arguments = gate_str_slice(name, longest->from, longest->to);
        longest->keep = list_kept(arguments, *excess);
        size_t gone = gate_str_columns(gate_str_slice(arguments, longest->keep, arguments.len));
        *excess -= gone - (gone > 0) < *excess ? gone - (gone > 0) : *excess;
    }
}

/* Return the name in at most `columns` by leaving out arguments of its lists, first of types, then parameters. If that
 * is not enough, the name is longer. `.ptr` is NULL if `arena` is full. */
static struct gate_str lists_shortened(struct gate_arena *arena, struct gate_str name, size_t columns) {
    struct list lists[LISTS_MOST];
    uint32_t count = lists_find(lists, name);
    size_t whole = gate_str_columns(name), excess = whole > columns ? whole - columns : 0, copied = 0;
    struct gate_buf out = {0};
    lists_cut(lists, count, name, '<', &excess);
    lists_cut(lists, count, name, '(', &excess);
    for (uint32_t i = 0; i < count; i++) {
        if (lists[i].keep == lists[i].to - lists[i].from)
            continue;
        gate_buf_str(&out, gate_str_slice(name, copied, lists[i].from + lists[i].keep));
        gate_buf_text(&out, ELLIPSIS);
        copied = lists[i].to;
    }
    gate_buf_str(&out, gate_str_slice(name, copied, name.len));
    return gate_buf_keep(&out, arena);
}

/* ---- names with a file, and methods of Rust ---------------------------------------------------------------------- */

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

/* Return a name with its file without folders, "Const.__init__ (…/nodes.py)", or without the file. `at` comes from
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

/* Return a method of Rust's, "<shop::cart::Price as core::fmt::Display>::fmt", without the modules of its types:
 * "<…Price as …Display>::fmt". Returns `name` itself if it has another form. `.ptr` is NULL if `arena` is full. */
static struct gate_str shorten_types(struct gate_arena *arena, struct gate_str name) {
    size_t len = 0, depth = 0;
    if (name.ptr[0] != '<')
        return name;
    char *copy = gate_arena_alloc(arena, name.len + 1); /* "…" has as many bytes as "a::" */
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

static struct gate_str without_prefix(struct gate_str text, struct gate_str prefix) {
    return gate_str_starts(text, prefix) ? gate_str_slice(text, prefix.len, text.len) : text;
}

/* Return a method of a trait without the trait, "…Price::fmt" of "<…Price as …Display>::fmt", because methods of one
 * trait differ in the type. Returns `name` itself if it has another form. `.ptr` is NULL if `arena` is full. */
static struct gate_str without_trait(struct gate_arena *arena, struct gate_str name) {
    const struct gate_str as = GATE_STR(" as "), mark = GATE_STR(ELLIPSIS);
    size_t type_end = 0, depth = 0, at = 0;
    for (; at < name.len && (at == 0 || depth > 0); at++) {
        depth += name.ptr[at] == '<';
        depth -= name.ptr[at] == '>' && depth > 0;
        if (depth == 1 && type_end == 0 && gate_str_starts(gate_str_slice(name, at, name.len), as))
            type_end = at;
    }
    if (name.ptr[0] != '<' || type_end == 0 || !gate_str_starts(gate_str_slice(name, at, name.len), GATE_STR("::")))
        return name;
    struct gate_str type = gate_str_slice(name, 1, type_end);
    type = without_prefix(without_prefix(type, GATE_STR("&")), GATE_STR("mut "));
    type = without_prefix(type, mark);
    return gate_str_concat(arena, (const struct gate_str[]){mark, type, gate_str_slice(name, at, name.len)}, 3);
}

/* Return `rest` with "…" before it if `is_begun`, and after it if `is_cut`. `.ptr` is NULL if `arena` is full. */
static struct gate_str marked(struct gate_arena *arena, struct gate_str rest, bool is_begun, bool is_cut) {
    const struct gate_str mark = GATE_STR(ELLIPSIS), none = GATE_STR("");
    return gate_str_concat(arena, (const struct gate_str[]){is_begun ? mark : none, rest, is_cut ? mark : none}, 3);
}

/* Return the name without leading parts. If its last part does not fit, cut the end of that, too. */
static struct gate_str parts_shortened(struct gate_arena *arena, struct gate_str name, size_t columns) {
    struct parts parts = shorten_parts(name, gate_str_columns(name), columns - 1);
    struct gate_str rest = gate_str_slice(name, parts.from, name.len);
    bool is_begun = parts.from > 0, is_cut = !is_begun || gate_str_columns(rest) > columns - 1;
    if (is_cut)
        rest = gate_shorten_to_start(rest, columns - 1 - is_begun);
    return marked(arena, rest, is_begun, is_cut);
}

/* Return a name with shorter lists. It is longer than `columns` if its last part does not fit, and `name` itself if it
 * has no list. `.ptr` is NULL if `arena` is full. */
static struct gate_str shorten_lists(struct gate_arena *arena, struct gate_str name, size_t columns) {
    struct list first[LISTS_MOST];
    if (lists_find(first, name) == 0)
        return name;
    struct gate_str shorter = name;
    for (int is_shallow = 0; is_shallow < 2; is_shallow++) {
        shorter = arguments_shortened(arena, name, is_shallow != 0);
        size_t whole = shorter.ptr == NULL ? 0 : gate_str_columns(shorter);
        if (whole <= columns)
            return shorter;
        /* if the class can stay, remove namespaces before arguments, because overloads differ in their arguments */
        struct parts parts = shorten_parts(shorter, whole, columns - 1);
        struct gate_str rest = gate_str_slice(shorter, parts.from, shorter.len);
        if (parts.from > 0 && !parts.is_last && gate_str_columns(rest) <= columns - 1)
            return marked(arena, rest, true, false);
    }
    return lists_shortened(arena, shorter, columns);
}

struct gate_str gate_shorten_name(struct gate_arena *arena, struct gate_str name, size_t columns) {
    if (name.len == 0)
        return GATE_STR("(no name)");
    if (name.len <= columns || gate_str_columns(name) <= columns) /* a byte takes at most one column */
        return name;
    name = shorten_types(arena, name);
    if (name.ptr == NULL || gate_str_columns(name) <= columns)
        return name;
    if (file_at(name) != SIZE_MAX)
        return shorten_file(arena, name, file_at(name), columns);
    struct gate_str method = without_trait(arena, name);
    name = method.ptr == NULL ? method : shorten_lists(arena, name, columns);
    if (name.ptr == NULL || gate_str_columns(name) <= columns)
        return name;
    if (gate_str_columns(method) <= columns)
        return method;
    return parts_shortened(arena, name, columns);
}

/* ---- names in sentences ------------------------------------------------------------------------------------------ */

/* A word of a sentence. A name is one word together with its lists, which contain spaces, or with the types of a
 * trait's method, "<Price as Display>::fmt". */
struct word {
    size_t to;
    bool has_types; /* type arguments */
};

/* Return the word at `at`. Sets `*is_closed` to false if a bracket has no end, so that none is searched for again. */
static struct word word_at(struct gate_str text, size_t at, bool *is_closed) {
    struct word word = {.to = at};
    if (text.ptr[at] == '\'') {
        size_t end = gate_str_find(text, GATE_STR("'"), at + 1);
        word.to = end == SIZE_MAX ? at : end;
    }
    while (word.to < text.len && text.ptr[word.to] != ' ' && text.ptr[word.to] != '\n') {
        bool is_list = *is_closed && (word.to > at ? is_list_start(text, word.to) : text.ptr[at] == '<');
        size_t end = is_list ? list_end(text, word.to) : SIZE_MAX, skipped = operator_at(text, word.to);
        *is_closed &= !is_list || end != SIZE_MAX;
        word.has_types |= end != SIZE_MAX && text.ptr[word.to] == '<';
        word.to = end != SIZE_MAX ? end + 1 : word.to + (skipped > 0 ? skipped : 1);
    }
    return word;
}

/* At most this many long names of a text stay distinct from each other. Further ones are shortened one by one. */
enum { NAMES_MOST = 8 };

struct long_names {
    struct gate_str name[NAMES_MOST], shown[NAMES_MOST];
    uint32_t count;
    size_t columns;
};

/* Return the name of a word, without the punctuation after it. */
static struct gate_str name_of(struct gate_str text, size_t at, struct word word) {
    size_t end = word.to;
    while (end > at && memchr(":,;.)", text.ptr[end - 1], strlen(":,;.)")) != NULL)
        end--;
    return gate_str_slice(text, at, end);
}

static bool is_too_long(const struct long_names *names, struct word word, struct gate_str name) {
    return word.has_types && gate_str_columns(name) > names->columns;
}

/* Return the index of a name, or `count` if it is not in the list. */
static uint32_t index_of(const struct long_names *names, struct gate_str name) {
    uint32_t i = 0;
    while (i < names->count && !gate_str_equal(names->name[i], name))
        i++;
    return i;
}

static void find_long_names(struct long_names *names, struct gate_arena *arena, struct gate_str text) {
    bool is_closed = true;
    for (size_t at = 0; at < text.len && names->count < NAMES_MOST;) {
        if (text.ptr[at] == ' ' || text.ptr[at] == '\n') {
            at++;
            continue;
        }
        struct word word = word_at(text, at, &is_closed);
        struct gate_str name = name_of(text, at, word);
        if (is_too_long(names, word, name) && index_of(names, name) == names->count) {
            names->name[names->count] = name;
            names->shown[names->count++] = gate_shorten_name(arena, name, names->columns);
        }
        at = word.to;
    }
}

static bool is_equal_to_another(const struct long_names *names, uint32_t index) {
    for (uint32_t i = 0; i < names->count; i++)
        if (i != index && names->shown[i].ptr != NULL && gate_str_equal(names->shown[i], names->shown[index]))
            return true;
    return false;
}

/* If names became equal, give them all their arguments back, without qualifiers. If they are still equal, print them in
 * full. */
static void make_distinct(struct long_names *names, struct gate_arena *arena) {
    for (int is_full = 0; is_full < 2; is_full++) {
        bool is_equal[NAMES_MOST];
        for (uint32_t i = 0; i < names->count; i++)
            is_equal[i] = is_equal_to_another(names, i);
        for (uint32_t i = 0; i < names->count; i++)
            if (is_equal[i])
                names->shown[i] = is_full ? names->name[i] : arguments_shortened(arena, names->name[i], false);
    }
}

void gate_shorten_in_text(struct gate_buf *out, struct gate_arena *arena, struct gate_str text, size_t columns) {
    bool is_closed = true;
    struct long_names names = {.columns = columns};
    find_long_names(&names, arena, text);
    make_distinct(&names, arena);
    for (size_t at = 0; at < text.len;) {
        if (text.ptr[at] == ' ' || text.ptr[at] == '\n') {
            gate_buf_char(out, text.ptr[at++]);
            continue;
        }
        struct word word = word_at(text, at, &is_closed);
        struct gate_str name = name_of(text, at, word), shown = name;
        uint32_t found = is_too_long(&names, word, name) ? index_of(&names, name) : NAMES_MOST;
        if (found < names.count)
            shown = names.shown[found];
        else if (is_too_long(&names, word, name))
            shown = gate_shorten_name(arena, name, columns);
        if (shown.ptr == NULL)
            out->failed = true;
        else
            gate_buf_str(out, shown);
        gate_buf_str(out, gate_str_slice(text, at + name.len, word.to));
        at = word.to;
    }
}
