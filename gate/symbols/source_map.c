/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/symbols/source_map.h"

#include "gate/base/arena.h"
#include "gate/base/error.h"
#include "gate/base/search.h"
#include "gate/base/str.h"
#include "gate/base/table.h"
#include "gate/formats/json_tree.h"
#include "gate/names/frame_name.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

/* ---- names of functions in sources ------------------------------------------------------------------------------- */

/* Not a parser: a function only gets a name that is certain. */

bool gate_source_text_open(struct gate_source_text *out, struct gate_str text, struct gate_arena *arena) {
    size_t count = 1;
    *out = (struct gate_source_text){.text = text};
    for (size_t at = gate_str_find(text, GATE_STR("\n"), 0); at != SIZE_MAX && count < INT32_MAX;
         at = gate_str_find(text, GATE_STR("\n"), at + 1))
        count++;
    out->lines = GATE_NEW_ARRAY(arena, size_t, count);
    if (out->lines == NULL)
        return false;
    for (size_t i = 1; i < count; i++)
        out->lines[i] = gate_str_find(text, GATE_STR("\n"), out->lines[i - 1]) + 1;
    out->line_count = (uint32_t)count;
    return true;
}

size_t gate_source_text_place(const struct gate_source_text *text, uint32_t line, uint32_t column) {
    if (column > GATE_SOURCE_COLUMNS_MAX || line >= text->line_count)
        return SIZE_MAX;
    size_t at = text->lines[line];
    while (column > 0) {
        uint32_t code_point = 0;
        size_t step = gate_utf8_decode(text->text, at, &code_point);
        uint32_t units = code_point > 0xFFFF ? 2 : 1;
        if (step == 0 || code_point == '\n' || units > column)
            return SIZE_MAX;
        at += step;
        column -= units;
    }
    return at;
}

static bool is_word_char(char c) {
    return gate_is_letter(c) || gate_is_digit(c) || c == '_' || c == '$' || c == '#' || (unsigned char)c >= 0x80;
}

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Maximum number of blanks that are skipped. Without it, thousands of frames could each read all blanks of a hostile
 * source. After more blanks, the next character is a blank, so the function gets no name. */
enum { BLANKS_MAX = 1000 };

static size_t blanks_skip(struct gate_str text, size_t at) {
    for (size_t seen = 0; at < text.len && seen < BLANKS_MAX && is_blank(text.ptr[at]); seen++)
        at++;
    return at;
}

/* Return the end of the text before `at`, without blanks. */
static size_t blanks_back(struct gate_str text, size_t at) {
    for (size_t seen = 0; at > 0 && seen < BLANKS_MAX && is_blank(text.ptr[at - 1]); seen++)
        at--;
    return at;
}

static struct gate_str word_at(struct gate_str text, size_t at) {
    size_t end = at;
    while (end < text.len && end - at < GATE_SOURCE_COLUMNS_MAX && is_word_char(text.ptr[end]))
        end++;
    return gate_str_slice(text, at, end);
}

static struct gate_str word_before(struct gate_str text, size_t end) {
    size_t at = end;
    while (at > 0 && end - at < GATE_SOURCE_COLUMNS_MAX && is_word_char(text.ptr[at - 1]))
        at--;
    return gate_str_slice(text, at, end);
}

static bool is_word(struct gate_str word, const char *what) {
    return gate_str_equal(word, gate_str_from(what));
}

/* Return whether a word before "(" cannot be the name of a function. */
static bool is_reserved(struct gate_str word) {
    static const char *const words[] = {"async", "await",  "case", "catch", "delete", "do",     "else",   "extends",
                                        "for",   "if",     "in",   "new",   "of",     "return", "super",  "switch",
                                        "throw", "typeof", "void", "while", "with",   "yield",  "import", "default"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (is_word(word, words[i]))
            return true;
    return false;
}

static struct gate_str name_or_none(struct gate_str word) {
    return word.len == 0 || is_reserved(word) || gate_is_digit(word.ptr[0]) ? GATE_STR("") : word;
}

/* Return the name before `end` in "total = " or "total: Type = ", or the key in "{ total: ". */
static struct gate_str assigned_before(struct gate_str text, size_t end) {
    end = blanks_back(text, end);
    char last = end == 0 ? '\0' : text.ptr[end - 1];
    if (last != '=' && last != ':')
        return GATE_STR("");
    struct gate_str word = word_before(text, blanks_back(text, end - 1)); /* empty before "==", "<=" and others */
    if (word.len == 0)
        return GATE_STR("");
    size_t front = blanks_back(text, (size_t)(word.ptr - text.ptr));
    char sign = front == 0 ? '\0' : text.ptr[front - 1];
    if (last == ':') /* otherwise it may be the ":" of "a ? b : c" */
        return sign == '{' || sign == ',' ? name_or_none(word) : GATE_STR("");
    if (sign == ':') /* the word is a type */
        word = word_before(text, blanks_back(text, front - 1));
    return name_or_none(word);
}

/* Return the name for a function expression or arrow function at `at`, possibly with "async" before it. */
static struct gate_str expression_name(struct gate_str text, size_t at) {
    struct gate_str before = word_before(text, blanks_back(text, at));
    if (is_word(before, "async"))
        at = (size_t)(before.ptr - text.ptr);
    return assigned_before(text, at);
}

/* Return the name for a function whose parameters begin at the "(" at `at`. */
static struct gate_str parameters_name(struct gate_str text, size_t at) {
    size_t end = blanks_back(text, at);
    struct gate_str word = word_before(text, end);
    if (word.len == 0 && end > 0 && text.ptr[end - 1] == '*') { /* function* (…) */
        end = blanks_back(text, end - 1);
        word = word_before(text, end);
    }
    size_t start = end - word.len;
    if (is_word(word, "function"))
        return expression_name(text, start);
    if (word.len == 0 || is_word(word, "async"))
        return expression_name(text, at);
    return name_or_none(word);
}

/* Return the name for "function", which starts at `start` and ends at `at`. */
static struct gate_str declared_name(struct gate_str text, size_t start, size_t at) {
    at = blanks_skip(text, at);
    if (at < text.len && text.ptr[at] == '*')
        at = blanks_skip(text, at + 1);
    struct gate_str name = name_or_none(word_at(text, at));
    return name.len != 0 ? name : expression_name(text, start);
}

struct gate_str gate_source_text_name(struct gate_str text, size_t at) {
    if (at >= text.len)
        return GATE_STR("");
    size_t start = at;
    if (text.ptr[at] == '(')
        return parameters_name(text, at);
    struct gate_str word = word_at(text, at);
    if (is_word(word, "async")) {
        at = blanks_skip(text, at + word.len);
        word = word_at(text, at);
    }
    if (is_word(word, "function"))
        return declared_name(text, start, at + word.len);
    if (word.len == 0)
        return start == at ? GATE_STR("") : expression_name(text, start); /* async (…) */
    /* The first parameter of an arrow function: "item => ", or inside of "(item) => ". */
    size_t end = blanks_skip(text, at + word.len), front = blanks_back(text, at);
    if (gate_str_starts(gate_str_slice(text, end, text.len), GATE_STR("=>")))
        return expression_name(text, start);
    if (front > 0 && text.ptr[front - 1] == '(' && end < text.len && strchr("),:=", text.ptr[end]) != NULL)
        return expression_name(text, front - 1);
    return GATE_STR("");
}

/* ---- 'mappings' of a source map ---------------------------------------------------------------------------------- */

/* Numbers are in base 64 with five bits per digit, lowest digit first; the lowest bit is the sign. Each number is
 * the difference from the previous one. */

enum { DIGITS_MAX = 7, FIELDS = 5, COLUMN = 0, SOURCE, SOURCE_LINE, SOURCE_COLUMN, NAME };

/* State while a text is read. `values` are those of the last segment. */
struct mappings_walk {
    struct gate_str text;
    size_t at;
    const struct gate_source_part *part;
    int64_t values[FIELDS];
    uint32_t line;
};

static int digit_of(char c) {
    if (gate_is_upper(c))
        return c - 'A';
    if (gate_is_lower(c))
        return c - 'a' + 26;
    if (gate_is_digit(c))
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

/* Read one segment of one, four or five numbers. */
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
    if (!GATE_REGROW(arena, out->items, out->count, out->capacity))
        return false;
    if (out->count != 0 && place_compare(&out->items[out->count - 1], segment->line, segment->column) > 0)
        out->is_unsorted = true;
    out->items[out->count++] = *segment;
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

/* Compare all fields, so that the order of equal places is the same on all systems. */
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
    size_t at = 0;
    GATE_SEARCH(at, mappings->count, place_compare(&mappings->items[at], line, column) <= 0);
    return at == 0 || mappings->items[at - 1].line != line ? NULL : &mappings->items[at - 1];
}

/* ---- source map -------------------------------------------------------------------------------------------------- */

enum { GATE_SOURCE_SECTIONS_MAX = 10000 };

/* State while a map is read. */
struct map_reading {
    struct gate_source_map *out;
    struct gate_arena *arena;
    size_t source_capacity, name_capacity;
};

/* Return the JSON text, without the line ")]}'" that prevents browsers from running the file. */
static struct gate_str json_of(struct gate_str text) {
    text = gate_str_trim(gate_str_starts(text, GATE_STR("\xEF\xBB\xBF")) ? gate_str_slice(text, 3, text.len) : text);
    if (!gate_str_starts(text, GATE_STR(")]}")))
        return text;
    size_t end = gate_str_find(text, GATE_STR("\n"), 0);
    return end == SIZE_MAX ? GATE_STR("") : gate_str_trim(gate_str_slice(text, end, text.len));
}

bool gate_source_map_sniff(struct gate_str head) {
    return gate_str_starts(json_of(head), GATE_STR("{"));
}

/* Return a copy that outlives the JSON tree and is valid UTF-8. */
static struct gate_str copy_of(struct gate_arena *arena, struct gate_str text) {
    struct gate_str whole = gate_str_repair_utf8(arena, text);
    return whole.ptr != NULL && whole.ptr == text.ptr ? gate_str_copy(arena, whole) : whole;
}

static bool source_add(struct map_reading *reading, struct gate_str root, struct gate_str path, struct gate_str text) {
    struct gate_source_map *out = reading->out;
    struct gate_str slash = root.len != 0 && !gate_str_ends(root, GATE_STR("/")) ? GATE_STR("/") : GATE_STR("");
    const struct gate_str parts[] = {root, slash, path};
    struct gate_str whole = gate_str_concat(reading->arena, parts, 3);
    if (whole.ptr == NULL || !GATE_REGROW(reading->arena, out->sources, out->source_count, reading->source_capacity))
        return false;
    struct gate_source_file *file = &out->sources[out->source_count++];
    *file = (struct gate_source_file){.path = copy_of(reading->arena, whole)};
    text = copy_of(reading->arena, text);
    return file->path.ptr != NULL && text.ptr != NULL && gate_source_text_open(&file->text, text, reading->arena);
}

static bool name_add(struct map_reading *reading, struct gate_str name) {
    struct gate_source_map *out = reading->out;
    if (!GATE_REGROW(reading->arena, out->names, out->name_count, reading->name_capacity))
        return false;
    out->names[out->name_count] = copy_of(reading->arena, name);
    return out->names[out->name_count++].ptr != NULL;
}

/* Read one map, whose script starts at the line and column of `part`. */
static bool map_read(struct map_reading *reading, const json_t *map, struct gate_source_part *part,
                     struct gate_error *err) {
    const json_t *version = json_object_get(map, "version"), *mappings = json_object_get(map, "mappings");
    const json_t *sources = json_object_get(map, "sources"), *texts = json_object_get(map, "sourcesContent");
    const json_t *names = json_object_get(map, "names");
    struct gate_str root = gate_json_text_of(map, "sourceRoot");
    if (!json_is_integer(version) || json_integer_value(version) != 3 || !json_is_string(mappings) ||
        !json_is_array(sources))
        return gate_error_set(err, GATE_ERR_FORMAT,
                              "expected a source map: 'version' 3, a list in 'sources' and a text in 'mappings'");
    bool ok = json_array_size(sources) < INT32_MAX && json_array_size(names) < INT32_MAX;
    part->first_source = reading->out->source_count;
    part->first_name = reading->out->name_count;
    for (size_t i = 0; ok && i < json_array_size(sources); i++)
        ok = source_add(reading, root, gate_json_tree_text(json_array_get(sources, i)),
                        gate_json_tree_text(json_array_get(texts, i)));
    for (size_t i = 0; ok && i < json_array_size(names); i++)
        ok = name_add(reading, gate_json_tree_text(json_array_get(names, i)));
    if (!ok)
        return gate_arena_error(reading->arena, err);
    part->source_count = reading->out->source_count - part->first_source;
    part->name_count = reading->out->name_count - part->first_name;
    return gate_source_mappings_read(&reading->out->mappings, gate_json_tree_text(mappings), part, reading->arena, err);
}

static bool offset_read(uint32_t *out, const json_t *section, const char *key) {
    const json_t *value = json_object_get(json_object_get(section, "offset"), key);
    bool ok = json_is_integer(value) && json_integer_value(value) >= 0 && json_integer_value(value) < INT32_MAX;
    *out = ok ? (uint32_t)json_integer_value(value) : 0;
    return ok;
}

static bool sections_read(struct map_reading *reading, const json_t *sections, struct gate_error *err) {
    if (json_array_size(sections) > GATE_SOURCE_SECTIONS_MAX)
        return gate_error_set(err, GATE_ERR_LIMIT, "%zu sections, but at most %d are read", json_array_size(sections),
                              GATE_SOURCE_SECTIONS_MAX);
    for (size_t i = 0; i < json_array_size(sections); i++) {
        struct gate_source_part part = {0};
        const json_t *section = json_array_get(sections, i);
        if (!offset_read(&part.line, section, "line") || !offset_read(&part.column, section, "column"))
            return gate_error_set(err, GATE_ERR_FORMAT, "sections[%zu]: expected 'line' and 'column' in 'offset'", i);
        if (!map_read(reading, json_object_get(section, "map"), &part, err))
            return gate_error_prefix(err, "sections[%zu]", i);
    }
    return true;
}

bool gate_source_map_read(struct gate_source_map *out, struct gate_str text, struct gate_arena *arena,
                          struct gate_error *err) {
    struct map_reading reading = {.out = out, .arena = arena};
    struct gate_source_part part = {0};
    struct gate_json_tree tree;
    *out = (struct gate_source_map){0};
    if (!gate_json_tree_load(&tree, json_of(text), arena, err))
        return false;
    const json_t *sections = json_object_get(tree.root, "sections");
    bool ok =
        json_is_array(sections) ? sections_read(&reading, sections, err) : map_read(&reading, tree.root, &part, err);
    gate_json_tree_free(&tree, arena);
    if (ok)
        gate_source_mappings_close(&out->mappings);
    return ok;
}

/* ---- frames of scripts ------------------------------------------------------------------------------------------- */

enum { KEYWORDS_MAX = 16 /* length of "async function* " */, LINE_SEGMENTS_MAX = 10000 };

static struct gate_str script_name(const struct gate_script_place *place) {
    bool is_none = place->name.len == 0 || place->name.ptr[0] == '(';
    return is_none ? GATE_STR("") : place->name;
}

static const struct gate_source_segment *segment_exact(const struct gate_source_map *map, uint32_t line,
                                                       uint32_t column) {
    const struct gate_source_segment *segment = gate_source_mappings_find(&map->mappings, line, column);
    return segment == NULL || segment->column != column ? NULL : segment;
}

/* Return the length of a name in UTF-16 units. */
static uint32_t name_units(struct gate_str name) {
    uint32_t units = 0, code_point = 0;
    for (size_t at = 0, step = 0; at < name.len; at += step == 0 ? 1 : step) {
        step = gate_utf8_decode(name, at, &code_point);
        units += step != 0 && code_point > 0xFFFF ? 2 : 1;
    }
    return units;
}

/* Return the map's name for the function's name in the script. The name ends `gaps` columns before the start of the
 * function, depending on how it is written: "t(", "t=(", "t: (", "t = (", "t=function(", "t = async function* (". */
static struct gate_str named_by_segment(const struct gate_source_map *map, const struct gate_script_place *place) {
    static const uint32_t gaps[] = {0, 1, 2, 3, 9, 10, 11, 12, 13, 15, 16, 17, 18, 19, 6, 7, 8};
    uint32_t line = (uint32_t)place->line - 1, column = place->column - 1;
    uint32_t units = name_units(script_name(place));
    for (size_t i = 0; units != 0 && i < sizeof gaps / sizeof *gaps; i++) {
        if (units + gaps[i] > column)
            continue;
        const struct gate_source_segment *segment = segment_exact(map, line, column - units - gaps[i]);
        if (segment != NULL)
            return segment->name == GATE_TABLE_NONE ? GATE_STR("") : map->names[segment->name];
    }
    return GATE_STR("");
}

/* Return the function's name in the source's text, if the map includes it. A segment that starts before the place is
 * only used if it starts at a keyword of a function; otherwise it belongs to other code. */
static struct gate_str named_by_text(const struct gate_source_map *map, const struct gate_source_segment *segment,
                                     uint32_t column) {
    const struct gate_source_text *source = &map->sources[segment->source].text;
    struct gate_str text = source->text;
    size_t at = gate_source_text_place(source, segment->source_line, segment->source_column);
    if (at == SIZE_MAX || column - segment->column > KEYWORDS_MAX)
        return GATE_STR("");
    struct gate_str rest = gate_str_slice(text, at, text.len);
    bool is_keyword = gate_str_starts(rest, GATE_STR("function")) || gate_str_starts(rest, GATE_STR("async "));
    return segment->column == column || is_keyword ? gate_source_text_name(text, at) : GATE_STR("");
}

static bool has_scheme(struct gate_str path) {
    size_t end = gate_str_find(path, GATE_STR(":"), 0);
    return end != SIZE_MAX && end > 1 && gate_str_find(gate_str_slice(path, 0, end), GATE_STR("/"), 0) == SIZE_MAX;
}

/* Set `*out` to the path of a source. A relative path is relative to the script. */
static bool file_find(struct gate_str *out, struct gate_str path, struct gate_str script, struct gate_arena *arena,
                      struct gate_error *err) {
    struct gate_str folder = gate_str_slice(script, 0, script.len - gate_str_basename(script).len);
    const struct gate_str parts[] = {folder, path};
    *out = path;
    if (path.len != 0 && path.ptr[0] != '/' && !has_scheme(path)) {
        *out = gate_str_concat(arena, parts, 2);
        *out = out->ptr == NULL ? *out : gate_file_path_clean(arena, *out);
    }
    return out->ptr != NULL || gate_arena_error(arena, err);
}

/* Find a segment of a line for a place without a column. Returns NULL unless all segments of the line have one source
 * line. */
static const struct gate_source_segment *line_find(const struct gate_source_map *map, uint32_t line) {
    const struct gate_source_segment *last = gate_source_mappings_find(&map->mappings, line, INT32_MAX);
    const struct gate_source_segment *at = last;
    for (size_t i = 0; at != NULL && at->line == line; i++, at--) {
        if (at->source != last->source || at->source_line != last->source_line || i == LINE_SEGMENTS_MAX)
            return NULL;
        if (at == map->mappings.items)
            break;
    }
    return last;
}

bool gate_script_names_find(struct gate_symbol_line *out, const struct gate_source_map *map,
                            const struct gate_script_place *place, struct gate_arena *arena, struct gate_error *err) {
    const struct gate_source_segment *segment = NULL;
    struct gate_str name = GATE_STR("");
    bool is_script = place->line == 1 && place->column == 1 && script_name(place).len == 0;
    *out = (struct gate_symbol_line){0};
    if (place->line < 1 || place->line > INT32_MAX || is_script)
        return true;
    if (place->column != 0)
        segment = gate_source_mappings_find(&map->mappings, (uint32_t)place->line - 1, place->column - 1);
    else
        segment = line_find(map, (uint32_t)place->line - 1);
    if (segment == NULL || segment->source == GATE_TABLE_NONE)
        return true;
    if (place->column != 0 && place->is_start)
        name = named_by_segment(map, place);
    if (place->column != 0 && place->is_start && name.len == 0)
        name = named_by_text(map, segment, place->column - 1);
    *out = (struct gate_symbol_line){.name = name.len == 0 ? place->name : name,
                                     .system_name = place->name,
                                     .line = (int64_t)segment->source_line + 1};
    out->start_line = place->is_start ? out->line : 0;
    return file_find(&out->file, map->sources[segment->source].path, place->address, arena, err);
}
