/* SPDX-License-Identifier: Apache-2.0 */
/* Parser of ProGuard's and R8's mapping.txt. A class is "ORIGINAL -> OBFUSCATED:". Indented lines below it are
 * fields, "TYPE FIELD -> OBFUSCATED", and methods, "1:3:TYPE METHOD(TYPES):10:12 -> OBFUSCATED". Consecutive lines
 * of one range are calls inlined into the last of them. */
#include "gate/symbols/class_map.h"

#include "gate/base/error.h"
#include "gate/base/table.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* State while a file is read. */
struct map_reading {
    struct gate_class_map *out;
    struct gate_arena *arena;
    struct gate_str now;         /* obfuscated name of the current class; empty: none yet */
    uint32_t index;              /* index of the current class */
    struct gate_str last_method; /* obfuscated method of the previous line; empty if the line was not a method */
    int64_t last_range[2];
};

static bool line_next(struct gate_str *text, struct gate_str *line) {
    if (!gate_str_line_next(text, line))
        return false;
    line->len -= gate_str_ends(*line, GATE_STR("\r"));
    return true;
}

/* Split "LEFT -> RIGHT". Return false if the line has another form. */
static bool arrow_split(struct gate_str *left, struct gate_str *right, struct gate_str line) {
    const struct gate_str arrow = GATE_STR(" -> ");
    size_t at = gate_str_find(line, arrow, 0);
    if (at == SIZE_MAX)
        return false;
    *left = gate_str_trim(gate_str_slice(line, 0, at));
    *right = gate_str_trim(gate_str_slice(line, at + arrow.len, line.len));
    return left->len != 0 && right->len != 0;
}

static bool class_split(struct gate_str *name, struct gate_str *now, struct gate_str line) {
    if (line.len == 0 || line.ptr[0] == ' ' || line.ptr[0] == '#' || !arrow_split(name, now, line) ||
        !gate_str_ends(*now, GATE_STR(":")) || now->len < 2)
        return false;
    now->len--;
    return gate_str_find(*name, GATE_STR(" "), 0) == SIZE_MAX && gate_str_find(*now, GATE_STR(" "), 0) == SIZE_MAX;
}

bool gate_class_map_sniff(struct gate_str head) {
    bool has_compiler_line = gate_str_starts(head, GATE_STR("# compiler: "));
    struct gate_str line;
    while (line_next(&head, &line)) {
        struct gate_str name, now;
        if (line.len != 0 && line.ptr[0] != '#')
            return class_split(&name, &now, line) || (has_compiler_line && head.len == 0);
    }
    return has_compiler_line;
}

/* Read digits and the colon after them, and remove both from `text`. */
static bool number_cut(int64_t *value, struct gate_str *text) {
    size_t at = 0;
    *value = 0;
    for (; at < text->len && at < 10 && gate_is_digit(text->ptr[at]); at++)
        *value = *value * 10 + (text->ptr[at] - '0');
    if (at == 0 || at == text->len || text->ptr[at] != ':')
        return false;
    *text = gate_str_slice(*text, at + 1, text->len);
    return true;
}

/* Read the original lines after the parameters, ":10:12" or ":10". */
static void source_range_read(struct gate_class_row *row, struct gate_str text) {
    int64_t *const values[] = {&row->source_first, &row->source_last};
    for (size_t i = 0; i < 2 && text.len > 1 && text.ptr[0] == ':'; i++) {
        size_t at = 1;
        for (*values[i] = 0; at < text.len && at < 11 && gate_is_digit(text.ptr[at]); at++)
            *values[i] = *values[i] * 10 + (text.ptr[at] - '0');
        text = gate_str_slice(text, at, text.len);
    }
    if (row->source_last == 0)
        row->source_last = row->source_first;
}

/* Parse the line of a method. Return false for a field or an unknown line. */
static bool method_split(struct gate_class_row *row, struct gate_str *now, struct gate_str line) {
    struct gate_str left;
    *row = (struct gate_class_row){.class_name = GATE_STR(""), .next = GATE_TABLE_NONE};
    if (!arrow_split(&left, now, line))
        return false;
    if (number_cut(&row->first, &left) && !number_cut(&row->last, &left))
        row->last = row->first;
    size_t open = gate_str_find(left, GATE_STR("("), 0), close = gate_str_find(left, GATE_STR(")"), 0);
    if (open == SIZE_MAX || close == SIZE_MAX || close < open)
        return false;
    source_range_read(row, gate_str_slice(left, close + 1, left.len));
    struct gate_str name = gate_str_slice(left, 0, open);
    size_t start = name.len, dot = SIZE_MAX;
    while (start > 0 && name.ptr[start - 1] != ' ') {
        start--;
        if (dot == SIZE_MAX && name.ptr[start] == '.')
            dot = start;
    }
    row->class_name = dot == SIZE_MAX ? GATE_STR("") : gate_str_slice(name, start, dot);
    row->method = gate_str_slice(name, dot == SIZE_MAX ? start : dot + 1, name.len);
    return row->method.len != 0 && start != 0;
}

static bool class_add(struct map_reading *reading, struct gate_str name, struct gate_str now) {
    struct gate_class_map *out = reading->out;
    uint32_t known = out->class_keys.count;
    reading->now = now;
    reading->index = gate_table_intern(&out->class_keys, now);
    if (reading->index != known)
        return reading->index != GATE_TABLE_NONE;
    if (!GATE_REGROW(reading->arena, out->classes, known, out->class_capacity))
        return false;
    out->classes[known] = (struct gate_class){name, GATE_STR("")};
    return true;
}

/* Return the index of the row list for this method name; GATE_TABLE_NONE if the arena is full. */
static uint32_t method_head(struct map_reading *reading, struct gate_str now) {
    struct gate_class_map *out = reading->out;
    const struct gate_str parts[] = {reading->now, GATE_STR("\n"), now};
    struct gate_str key = gate_str_concat(reading->arena, parts, 3);
    uint32_t known = out->method_keys.count;
    uint32_t head = key.ptr == NULL ? GATE_TABLE_NONE : gate_table_intern(&out->method_keys, key);
    if (head != known || head == GATE_TABLE_NONE)
        return head;
    if (!GATE_REGROW(reading->arena, out->heads, known, out->head_capacity) ||
        !GATE_REGROW(reading->arena, out->tails, known, out->tail_capacity))
        return GATE_TABLE_NONE;
    out->heads[known] = out->tails[known] = GATE_TABLE_NONE;
    return known;
}

static bool row_add(struct map_reading *reading, struct gate_class_row *row, struct gate_str now) {
    struct gate_class_map *out = reading->out;
    uint32_t head = method_head(reading, now);
    if (head == GATE_TABLE_NONE || !GATE_REGROW(reading->arena, out->rows, out->row_count, out->row_capacity) ||
        out->row_count >= GATE_TABLE_NONE)
        return false;
    row->is_caller = row->first != 0 && gate_str_equal(now, reading->last_method) &&
                     row->first == reading->last_range[0] && row->last == reading->last_range[1];
    out->rows[out->row_count] = *row;
    if (out->tails[head] == GATE_TABLE_NONE)
        out->heads[head] = (uint32_t)out->row_count;
    else
        out->rows[out->tails[head]].next = (uint32_t)out->row_count;
    out->tails[head] = (uint32_t)out->row_count++;
    reading->last_method = now;
    reading->last_range[0] = row->first;
    reading->last_range[1] = row->last;
    return true;
}

/* Read R8's comment with the file name of a class. */
static void comment_read(struct map_reading *reading, struct gate_str line) {
    const struct gate_str key = GATE_STR("\"fileName\":\"");
    size_t at = gate_str_find(line, key, 0);
    if (reading->now.len == 0 || at == SIZE_MAX || gate_str_find(line, GATE_STR("\"sourceFile\""), 0) == SIZE_MAX)
        return;
    struct gate_str file = gate_str_slice(line, at + key.len, line.len);
    reading->out->classes[reading->index].file = gate_str_slice(file, 0, gate_str_find(file, GATE_STR("\""), 0));
}

bool gate_class_map_read(struct gate_class_map *out, struct gate_str text, struct gate_arena *arena,
                         struct gate_error *err) {
    struct map_reading reading = {.out = out, .arena = arena, .now = GATE_STR(""), .last_method = GATE_STR("")};
    *out = (struct gate_class_map){0};
    gate_table_init(&out->class_keys, arena);
    gate_table_init(&out->method_keys, arena);
    struct gate_str line;
    while (line_next(&text, &line)) {
        struct gate_str name, now, plain = gate_str_trim(line);
        struct gate_class_row row;
        bool ok = true;
        if (gate_str_starts(plain, GATE_STR("#"))) {
            comment_read(&reading, plain);
            continue;
        }
        bool is_class = class_split(&name, &now, line);
        bool is_method = !is_class && reading.now.len != 0 && method_split(&row, &now, plain);
        if (!is_method)
            reading.last_method = GATE_STR("");
        if (is_class)
            ok = class_add(&reading, name, now);
        else if (is_method)
            ok = row_add(&reading, &row, now);
        if (!ok)
            return gate_arena_error(arena, err);
    }
    return true;
}

const struct gate_class *gate_class_map_class(const struct gate_class_map *map, struct gate_str name) {
    uint32_t index = gate_table_find(&map->class_keys, name);
    return index == GATE_TABLE_NONE ? NULL : &map->classes[index];
}

uint32_t gate_class_map_method(const struct gate_class_map *map, struct gate_str name, struct gate_str method,
                               struct gate_arena *arena) {
    const struct gate_str parts[] = {name, GATE_STR("\n"), method};
    struct gate_str key = gate_str_concat(arena, parts, 3);
    uint32_t head = key.ptr == NULL ? GATE_TABLE_NONE : gate_table_find(&map->method_keys, key);
    return head == GATE_TABLE_NONE ? GATE_TABLE_NONE : map->heads[head];
}

/* ---- frames of the JVM ------------------------------------------------------------------------------------------- */

/* The parts of a frame's name. */
struct frame_name {
    struct gate_str class_name; /* with dots */
    struct gate_str lambda;     /* "$$Lambda…" after the class name; may be empty */
    struct gate_str method;
    struct gate_str tail; /* "_[j]"; may be empty */
    int64_t line;         /* line in the name; 0: none */
    bool has_line;        /* the line is in the name, as ":12" */
    bool has_slashes, has_semicolon;
};

static bool is_name_char(char c) {
    return gate_is_letter(c) || gate_is_digit(c) || c == '_' || c == '$' || c == '<' || c == '>' || c == '-' ||
           (unsigned char)c >= 0x80;
}

/* Return the number after the last colon of `text`. */
static int64_t line_in(struct gate_str text) {
    int64_t line = 0;
    size_t at = gate_str_behind_last(text, ':');
    for (size_t i = at; at > 0 && i < text.len && i - at < 9 && gate_is_digit(text.ptr[i]); i++)
        line = line * 10 + (text.ptr[i] - '0');
    return line;
}

/* Parse what follows the method: ":12", "(B.java:12)", "(int)", "_[j]". Return where it starts. */
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
    while (digits > 0 && gate_is_digit(name.ptr[digits - 1]))
        digits--;
    out->has_line = digits < end && digits > 1 && name.ptr[digits - 1] == ':' && name.ptr[digits - 2] != ':';
    out->line = out->has_line ? line_in(gate_str_slice(name, 0, end)) : 0;
    return out->has_line ? digits - 1 : end;
}

/* Convert "La/b;" and "a/b" to "a.b". */
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

/* Split a name. `*is_name` is false unless it is a class and a method. Return false if the arena is full. */
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

/* Return the class. For the class of a lambda, return the class that contains the lambda. */
static const struct gate_class *class_find(struct frame_name *name, const struct gate_class_map *map) {
    const struct gate_class *found = gate_class_map_class(map, name->class_name);
    size_t at = gate_str_find(name->class_name, GATE_STR("$$Lambda"), 0);
    if (found != NULL || at == SIZE_MAX)
        return found;
    name->lambda = gate_str_slice(name->class_name, at, name->class_name.len);
    name->class_name.len = at;
    return gate_class_map_class(map, name->class_name);
}

/* ---- rows of a method -------------------------------------------------------------------------------------------- */

/* Rows of one frame: `count` rows from `first` on are calls inlined into each other. */
struct frame_rows {
    const struct gate_class_row *first;
    uint32_t count;  /* 0: no row, or several methods are possible */
    bool is_by_line; /* the rows match the frame's line; otherwise only the method's name is certain */
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
        const struct gate_class_row *outer = row + count - 1; /* the frame has the outer method's name */
        is_sure = is_sure && (by_name.count == 0 || (gate_str_equal(by_name.first->method, outer->method) &&
                                                     gate_str_equal(by_name.first->class_name, outer->class_name)));
        by_name = (struct frame_rows){outer, 1, outer->first == 0}; /* without a line range, lines are unchanged */
    }
    return is_sure ? by_name : (struct frame_rows){0};
}

/* ---- original names ---------------------------------------------------------------------------------------------- */

static int64_t source_line(const struct gate_class_row *row, int64_t line) {
    if (row->source_first == 0)
        return line;
    int64_t at = row->source_first + (line - row->first);
    return row->source_last > row->source_first && at <= row->source_last ? at : row->source_first;
}

/* Guess "Cart.java" for com.acme.Cart$Line, as ReTrace does. */
static struct gate_str file_guess(struct gate_str class_name, struct gate_arena *arena) {
    size_t start = gate_str_behind_last(class_name, '.');
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

/* A frame whose class is in the map. */
struct known_frame {
    const struct frame_name *name;
    const struct gate_class *own;
    const struct gate_class_place *place;
    bool is_by_line;
};

/* Make the call of `row`. If `row` is NULL, the method is unknown and keeps its name. */
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
