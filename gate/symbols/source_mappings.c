/* SPDX-License-Identifier: Apache-2.0 */
/* Segments of source maps (see source_mappings.h): numbers in base 64, five bits a digit, the lowest first, and the
 * lowest bit of all is the sign. Each is the difference to the one before. */
#include "gate/symbols/source_mappings.h"

#include "gate/base/table.h"

#include <stdlib.h>

enum { DIGITS_MAX = 7, FIELDS = 5, COLUMN = 0, SOURCE, SOURCE_LINE, SOURCE_COLUMN, NAME };

/* The text on its way: `values` are the last segment's. */
struct mappings_walk {
    struct gate_str text;
    size_t at;
    const struct gate_source_part *part;
    int64_t values[FIELDS];
    uint32_t line;
};

static int digit_of(char c) {
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (c >= '0' && c <= '9')
        return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

static bool refuse(const struct mappings_walk *walk, const char *what, struct gate_error *err) {
    return gate_error_set(err, GATE_ERR_FORMAT,
                          "'mappings', byte %zu: %s; it is no source map of version 3, or damaged", walk->at, what);
}

static bool number_read(int64_t *value, struct mappings_walk *walk, struct gate_error *err) {
    int64_t sum = 0;
    int digit = 32;
    for (int i = 0; (digit & 32) != 0; i++) {
        digit = walk->at < walk->text.len && i < DIGITS_MAX ? digit_of(walk->text.ptr[walk->at]) : -1;
        if (digit < 0)
            return refuse(walk, "expected a number of at most seven digits in base 64", err);
        sum |= (int64_t)(digit & 31) << 5 * i;
        walk->at++;
    }
    *value = (sum & 1) != 0 ? -(sum >> 1) : sum >> 1;
    return true;
}

static bool is_end(const struct mappings_walk *walk) {
    return walk->at == walk->text.len || walk->text.ptr[walk->at] == ',' || walk->text.ptr[walk->at] == ';';
}

/* One segment of one, four or five numbers. */
static bool segment_read(struct gate_source_segment *out, struct mappings_walk *walk, struct gate_error *err) {
    const struct gate_source_part *part = walk->part;
    const int64_t most[FIELDS] = {INT32_MAX, (int64_t)part->source_count - 1, INT32_MAX, INT32_MAX,
                                  (int64_t)part->name_count - 1};
    int count = 0;
    for (; count < FIELDS && !is_end(walk); count++) {
        int64_t change = 0;
        if (!number_read(&change, walk, err))
            return false;
        walk->values[count] += change;
        if (walk->values[count] < 0 || walk->values[count] > most[count])
            return refuse(walk,
                          count == SOURCE || count == NAME ? "no such entry in 'sources' or 'names'"
                                                           : "a line or column below 0 or above 31 bits",
                          err);
    }
    if (!is_end(walk) || (count != 1 && count < NAME))
        return refuse(walk, "expected a segment of one, four or five numbers", err);
    uint64_t column = (uint64_t)walk->values[COLUMN] + (walk->line == part->line ? part->column : 0);
    *out = (struct gate_source_segment){.line = walk->line,
                                        .column = column > INT32_MAX ? INT32_MAX : (uint32_t)column,
                                        .source = GATE_TABLE_NONE,
                                        .name = GATE_TABLE_NONE};
    if (count == 1)
        return true;
    out->source = part->first_source + (uint32_t)walk->values[SOURCE];
    out->source_line = (uint32_t)walk->values[SOURCE_LINE];
    out->source_column = (uint32_t)walk->values[SOURCE_COLUMN];
    if (count == FIELDS)
        out->name = part->first_name + (uint32_t)walk->values[NAME];
    return true;
}

static int place_compare(const struct gate_source_segment *a, uint32_t line, uint32_t column) {
    if (a->line != line)
        return a->line < line ? -1 : 1;
    return a->column < column ? -1 : a->column > column;
}

static bool segment_keep(struct gate_source_mappings *out, const struct gate_source_segment *segment,
                         struct gate_arena *arena) {
    struct gate_source_segment *grown = gate_arena_regrow(arena, out->items, out->count, &out->capacity, sizeof *grown);
    if (grown == NULL)
        return false;
    out->items = grown;
    if (out->count != 0 && place_compare(&grown[out->count - 1], segment->line, segment->column) > 0)
        out->is_unsorted = true;
    grown[out->count++] = *segment;
    return true;
}

bool gate_source_mappings_read(struct gate_source_mappings *out, struct gate_str text,
                               const struct gate_source_part *part, struct gate_arena *arena, struct gate_error *err) {
    struct mappings_walk walk = {.text = text, .part = part, .line = part->line};
    while (walk.at < text.len) {
        struct gate_source_segment segment = {0};
        char c = text.ptr[walk.at];
        if (c == ';' && walk.line == INT32_MAX)
            return refuse(&walk, "more lines than 31 bits count", err);
        if (c == ';') {
            walk.line++;
            walk.values[COLUMN] = 0;
        }
        if (c == ';' || c == ',') {
            walk.at++;
            continue;
        }
        if (!segment_read(&segment, &walk, err))
            return false;
        if (!segment_keep(out, &segment, arena))
            return gate_arena_error(arena, err);
    }
    return true;
}

/* Equal places by what they mean, so that the order is the same everywhere. */
static int segment_compare(const void *a, const void *b) {
    const struct gate_source_segment *left = a, *right = b;
    const uint32_t pairs[][2] = {{left->line, right->line},
                                 {left->column, right->column},
                                 {left->source, right->source},
                                 {left->source_line, right->source_line},
                                 {left->source_column, right->source_column},
                                 {left->name, right->name}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (pairs[i][0] != pairs[i][1])
            return pairs[i][0] < pairs[i][1] ? -1 : 1;
    return 0;
}

void gate_source_mappings_close(struct gate_source_mappings *mappings) {
    if (mappings->is_unsorted)
        qsort(mappings->items, mappings->count, sizeof *mappings->items, segment_compare);
    mappings->is_unsorted = false;
}

const struct gate_source_segment *gate_source_mappings_find(const struct gate_source_mappings *mappings, uint32_t line,
                                                            uint32_t column) {
    size_t low = 0, high = mappings->count; /* segments before `low` begin at or before the place */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (place_compare(&mappings->items[middle], line, column) <= 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low == 0 || mappings->items[low - 1].line != line ? NULL : &mappings->items[low - 1];
}
