/* SPDX-License-Identifier: Apache-2.0 */
/* Parser of ProGuard's and R8's mapping.txt. A class is "ORIGINAL -> OBFUSCATED:". Indented lines below it are
 * fields, "TYPE FIELD -> OBFUSCATED", and methods, "1:3:TYPE METHOD(TYPES):10:12 -> OBFUSCATED". Consecutive lines
 * of one range are calls inlined into the last of them. */
#include "gate/symbols/class_map.h"

#include "gate/base/table.h"

/* State while a file is read. */
struct map_reading {
    struct gate_class_map *out;
    struct gate_arena *arena;
    struct gate_str now;         /* obfuscated name of the current class; empty: none yet */
    uint32_t index;              /* index of the current class */
    struct gate_str last_method; /* obfuscated method of the previous line; empty if that was not a method */
    int64_t last_range[2];
};

static struct gate_str line_next(struct gate_str *text) {
    size_t end = gate_str_find(*text, GATE_STR("\n"), 0);
    struct gate_str line = gate_str_slice(*text, 0, end);
    *text = end == SIZE_MAX ? GATE_STR("") : gate_str_slice(*text, end + 1, text->len);
    if (gate_str_ends(line, GATE_STR("\r")))
        line.len--;
    return line;
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
    bool is_told = gate_str_starts(head, GATE_STR("# compiler: "));
    while (head.len != 0) {
        struct gate_str name, now, line = line_next(&head);
        if (line.len != 0 && line.ptr[0] != '#')
            return class_split(&name, &now, line) || (is_told && head.len == 0);
    }
    return is_told;
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

/* Read ":10:12" or ":10" after the parameters. */
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
    struct gate_class *grown =
        gate_arena_regrow(reading->arena, out->classes, known, &out->class_capacity, sizeof *grown);
    if (grown == NULL)
        return false;
    out->classes = grown;
    grown[known] = (struct gate_class){name, GATE_STR("")};
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
    uint32_t *heads = gate_arena_regrow(reading->arena, out->heads, known, &out->head_capacity, sizeof *heads);
    uint32_t *tails = gate_arena_regrow(reading->arena, out->tails, known, &out->tail_capacity, sizeof *tails);
    out->heads = heads == NULL ? out->heads : heads;
    out->tails = tails == NULL ? out->tails : tails;
    if (heads == NULL || tails == NULL)
        return GATE_TABLE_NONE;
    heads[known] = tails[known] = GATE_TABLE_NONE;
    return known;
}

static bool row_add(struct map_reading *reading, struct gate_class_row *row, struct gate_str now) {
    struct gate_class_map *out = reading->out;
    uint32_t head = method_head(reading, now);
    struct gate_class_row *grown =
        gate_arena_regrow(reading->arena, out->rows, out->row_count, &out->row_capacity, sizeof *grown);
    if (grown != NULL)
        out->rows = grown;
    if (head == GATE_TABLE_NONE || grown == NULL || out->row_count >= GATE_TABLE_NONE)
        return false;
    row->is_caller = row->first != 0 && gate_str_equal(now, reading->last_method) &&
                     row->first == reading->last_range[0] && row->last == reading->last_range[1];
    grown[out->row_count] = *row;
    if (out->tails[head] == GATE_TABLE_NONE)
        out->heads[head] = (uint32_t)out->row_count;
    else
        grown[out->tails[head]].next = (uint32_t)out->row_count;
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
    while (text.len != 0) {
        struct gate_str name, now, line = line_next(&text), plain = gate_str_trim(line);
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
