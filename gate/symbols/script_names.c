/* SPDX-License-Identifier: Apache-2.0 */
/* Places of scripts (see script_names.h). */
#include "gate/symbols/script_names.h"

#include "gate/base/table.h"
#include "gate/profile/file_path.h"

enum { KEYWORDS_MAX = 16 /* "async function* " */, LINE_SEGMENTS_MAX = 10000 };

static struct gate_str script_name(const struct gate_script_place *place) {
    bool is_none = place->name.len == 0 || place->name.ptr[0] == '(';
    return is_none ? GATE_STR("") : place->name;
}

static const struct gate_source_segment *segment_exact(const struct gate_source_map *map, uint32_t line,
                                                       uint32_t column) {
    const struct gate_source_segment *segment = gate_source_mappings_find(&map->mappings, line, column);
    return segment == NULL || segment->column != column ? NULL : segment;
}

/* UTF-16 units of a name. */
static uint32_t name_units(struct gate_str name) {
    uint32_t units = 0, code_point = 0;
    for (size_t at = 0, step = 0; at < name.len; at += step == 0 ? 1 : step) {
        step = gate_utf8_decode(name, at, &code_point);
        units += step != 0 && code_point > 0xFFFF ? 2 : 1;
    }
    return units;
}

/* The name that the map has for the script's own one, which stands so far in front of the function's beginning as the
 * ways to write it leave: "t(", "t=(", "t: (", "t = (", "t=function(", "t = async function* (". */
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

/* What the source calls it, where its text is there. A segment in front of the place will do at a keyword alone: else
 * it is of something else. */
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

/* A source's path is told from where the script is, unless it is whole. */
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

/* Without a column: a segment of the line, where all of them are of one line of one source. */
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
