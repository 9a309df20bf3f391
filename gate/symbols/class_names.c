/* SPDX-License-Identifier: Apache-2.0 */
/* Frames of the JVM (see class_names.h). */
#include "gate/symbols/class_names.h"

/* A name in its parts. */
struct frame_name {
    struct gate_str class_name; /* with dots */
    struct gate_str lambda;     /* "$$Lambda…" behind the class, or empty */
    struct gate_str method;
    struct gate_str tail; /* "_[j]", or empty */
    int64_t line;         /* in the name, or 0 */
    bool has_line;        /* as ":12" in front of the tail */
    bool has_slashes, has_semicolon;
};

static bool is_name_char(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$' ||
           c == '<' || c == '>' || c == '-' || (unsigned char)c >= 0x80;
}

/* The digits behind the last colon of `text`. */
static int64_t line_in(struct gate_str text) {
    int64_t line = 0;
    size_t at = text.len;
    while (at > 0 && text.ptr[at - 1] != ':')
        at--;
    for (size_t i = at; at > 0 && i < text.len && i - at < 9 && text.ptr[i] >= '0' && text.ptr[i] <= '9'; i++)
        line = line * 10 + (text.ptr[i] - '0');
    return line;
}

/* What stands behind the method: ":12", "(B.java:12)", "(int)", "_[j]". Where it begins. */
static size_t tail_find(struct frame_name *out, struct gate_str name) {
    size_t end = name.len;
    out->tail = GATE_STR("");
    if (end > 4 && name.ptr[end - 1] == ']' && name.ptr[end - 3] == '[' && name.ptr[end - 4] == '_') {
        out->tail = gate_str_slice(name, end - 4, end);
        end -= 4;
    }
    size_t open = gate_str_find(gate_str_slice(name, 0, end), GATE_STR("("), 0);
    if (open != SIZE_MAX) {
        out->line = line_in(gate_str_slice(name, open, end));
        return open;
    }
    size_t digits = end;
    while (digits > 0 && name.ptr[digits - 1] >= '0' && name.ptr[digits - 1] <= '9')
        digits--;
    out->has_line = digits < end && digits > 1 && name.ptr[digits - 1] == ':' && name.ptr[digits - 2] != ':';
    out->line = out->has_line ? line_in(gate_str_slice(name, 0, end)) : 0;
    return out->has_line ? digits - 1 : end;
}

/* "La/b;" and "a/b" as "a.b". */
static bool class_spell(struct frame_name *out, struct gate_str spelled, struct gate_arena *arena) {
    out->has_semicolon = gate_str_starts(spelled, GATE_STR("L")) && gate_str_ends(spelled, GATE_STR(";"));
    if (out->has_semicolon)
        spelled = gate_str_slice(spelled, 1, spelled.len - 1);
    out->has_slashes = gate_str_find(spelled, GATE_STR("/"), 0) != SIZE_MAX;
    char *text = gate_arena_alloc(arena, spelled.len + 1);
    if (text == NULL)
        return false;
    for (size_t i = 0; i < spelled.len; i++)
        text[i] = spelled.ptr[i] == '/' ? '.' : spelled.ptr[i];
    out->class_name = (struct gate_str){text, spelled.len};
    return true;
}

/* `*is_name` false: no class and method. False: the arena is full. */
static bool name_split(struct frame_name *out, bool *is_name, struct gate_str name, struct gate_arena *arena) {
    *out = (struct frame_name){.lambda = GATE_STR("")};
    size_t end = tail_find(out, name), start = end;
    while (start > 0 && is_name_char(name.ptr[start - 1]))
        start--;
    out->method = gate_str_slice(name, start, end);
    bool is_dotted = start > 1 && name.ptr[start - 1] == '.';
    bool is_double = start > 2 && name.ptr[start - 1] == ':' && name.ptr[start - 2] == ':';
    *is_name = out->method.len != 0 && (is_dotted || is_double);
    return !*is_name || class_spell(out, gate_str_slice(name, 0, start - (is_double ? 2 : 1)), arena);
}

/* The class, or the one that a lambda's stands in. */
static const struct gate_class *class_find(struct frame_name *name, const struct gate_class_map *map) {
    const struct gate_class *found = gate_class_map_class(map, name->class_name);
    size_t at = gate_str_find(name->class_name, GATE_STR("$$Lambda"), 0);
    if (found != NULL || at == SIZE_MAX)
        return found;
    name->lambda = gate_str_slice(name->class_name, at, name->class_name.len);
    name->class_name.len = at;
    return gate_class_map_class(map, name->class_name);
}

/* ---- which rows -------------------------------------------------------------------------------------------------- */

/* The rows of a name that one frame means: `count` from `first` on are calls inlined into each other. */
struct frame_rows {
    const struct gate_class_row *first;
    uint32_t count;  /* 0: none, or not to be told which */
    bool is_by_line; /* else only the method's name is sure */
};

static uint32_t group_count(const struct gate_class_map *map, uint32_t row) {
    uint32_t count = 1;
    while (row + count < map->row_count && map->rows[row + count].is_caller && count < GATE_SYMBOL_LINES_MAX)
        count++;
    return count;
}

static struct frame_rows rows_find(const struct gate_class_map *map, uint32_t head, int64_t line) {
    struct frame_rows by_name = {0};
    bool is_sure = true;
    uint32_t seen = 0;
    for (uint32_t at = head; at != GATE_TABLE_NONE && seen < GATE_CLASS_ROWS_MAX; at = map->rows[at].next, seen++) {
        const struct gate_class_row *row = &map->rows[at];
        if (row->is_caller)
            continue;
        uint32_t count = group_count(map, at);
        if (line != 0 && row->first != 0 && row->first <= line && line <= row->last)
            return (struct frame_rows){row, count, true};
        const struct gate_class_row *outer = row + count - 1; /* what was inlined is not what the frame is called */
        is_sure = is_sure && (by_name.count == 0 || (gate_str_equal(by_name.first->method, outer->method) &&
                                                     gate_str_equal(by_name.first->class_name, outer->class_name)));
        by_name = (struct frame_rows){outer, 1, outer->first == 0}; /* then lines are as they were */
    }
    return is_sure ? by_name : (struct frame_rows){0};
}

/* ---- the frame's own names ----------------------------------------------------------------------------------------
 */

static int64_t source_line(const struct gate_class_row *row, int64_t line) {
    if (row->source_first == 0)
        return line;
    int64_t at = row->source_first + (line - row->first);
    return row->source_last > row->source_first && at <= row->source_last ? at : row->source_first;
}

/* "Cart.java" of com.acme.Cart$Line, as ReTrace guesses it. */
static struct gate_str file_guess(struct gate_str class_name, struct gate_arena *arena) {
    size_t start = class_name.len;
    while (start > 0 && class_name.ptr[start - 1] != '.')
        start--;
    struct gate_str simple = gate_str_slice(class_name, start, class_name.len);
    const struct gate_str parts[] = {gate_str_slice(simple, 0, gate_str_find(simple, GATE_STR("$"), 1)),
                                     GATE_STR(".java")};
    return gate_str_concat(arena, parts, 2);
}

static struct gate_str name_make(const struct frame_name *frame, bool has_slashes, struct gate_str class_name,
                                 const struct gate_symbol_line *call, struct gate_arena *arena) {
    struct gate_str number =
        frame->has_line && call->line != 0 ? gate_str_format(arena, ":%lld", (long long)call->line) : GATE_STR("");
    const struct gate_str parts[] = {frame->has_semicolon ? GATE_STR("L") : GATE_STR(""),
                                     class_name,
                                     frame->lambda,
                                     frame->has_semicolon ? GATE_STR(";::") : GATE_STR("."),
                                     call->name,
                                     number,
                                     frame->tail};
    struct gate_str whole = gate_str_concat(arena, parts, sizeof parts / sizeof *parts);
    if (number.ptr == NULL || whole.ptr == NULL)
        return (struct gate_str){NULL, 0};
    char *text = gate_arena_alloc(arena, whole.len + 1);
    size_t class_end = parts[0].len + class_name.len;
    for (size_t i = 0; text != NULL && i < whole.len; i++)
        text[i] = has_slashes && i < class_end && whole.ptr[i] == '.' ? '/' : whole.ptr[i];
    return (struct gate_str){text, whole.len};
}

/* A frame whose class the map has. */
struct known_frame {
    const struct frame_name *name;
    const struct gate_class *own;
    const struct gate_class_place *place;
    bool is_by_line;
};

/* One call: of `row`, or of no known method where that is NULL. */
static bool call_make(struct gate_symbol_line *out, const struct known_frame *known, const struct gate_class_row *row,
                      struct gate_arena *arena) {
    const struct frame_name *frame = known->name;
    const struct gate_class *own = known->own;
    const struct gate_class_place *place = known->place;
    struct gate_str class_name = row == NULL || row->class_name.len == 0 ? own->name : row->class_name;
    int64_t line = frame->line != 0 ? frame->line : place->line;
    bool is_own = gate_str_equal(class_name, own->name);
    *out = (struct gate_symbol_line){.name = row == NULL ? frame->method : row->method,
                                     .system_name = place->name,
                                     .file = GATE_STR(""),
                                     .line = row != NULL && known->is_by_line ? source_line(row, line) : 0};
    if (is_own && own->file.len != 0)
        out->file = own->file;
    else if (place->file.len != 0)
        out->file = file_guess(class_name, arena);
    bool has_package = gate_str_find(frame->class_name, GATE_STR("."), 0) != SIZE_MAX;
    bool has_slashes = frame->has_slashes || frame->has_semicolon || (!has_package && place->has_slashes);
    out->name = name_make(frame, has_slashes, class_name, out, arena);
    return out->name.ptr != NULL && out->file.ptr != NULL;
}

bool gate_class_names_find(struct gate_symbol_answer *out, const struct gate_class_map *map,
                           const struct gate_class_place *place, struct gate_arena *arena, struct gate_error *err) {
    struct frame_name frame;
    struct frame_rows rows = {0};
    bool is_name = false;
    *out = (struct gate_symbol_answer){0};
    if (!name_split(&frame, &is_name, place->name, arena))
        return gate_arena_error(arena, err);
    const struct gate_class *own = is_name ? class_find(&frame, map) : NULL;
    if (own == NULL)
        return true;
    if (frame.lambda.len == 0)
        rows = rows_find(map, gate_class_map_method(map, frame.class_name, frame.method, arena),
                         frame.line != 0 ? frame.line : place->line);
    uint32_t count = rows.count == 0 ? 1 : rows.count;
    struct gate_symbol_line *calls = GATE_NEW_ARRAY(arena, struct gate_symbol_line, count);
    const struct known_frame known = {&frame, own, place, rows.is_by_line};
    for (uint32_t i = 0; calls != NULL && i < count; i++)
        if (!call_make(&calls[i], &known, rows.count == 0 ? NULL : &rows.first[i], arena))
            return gate_arena_error(arena, err);
    if (calls == NULL)
        return gate_arena_error(arena, err);
    *out = (struct gate_symbol_answer){calls, count};
    return true;
}
