/* SPDX-License-Identifier: Apache-2.0 */
/* Adds names from symbol files to a profile. */
#include "gate/symbols/symbolise.h"

#include "gate/base/error.h"
#include "gate/base/table.h"
#include "gate/model/location.h"
#include "gate/model/profile.h"
#include "gate/model/sample.h"
#include "gate/names/frame_name.h"
#include "gate/symbols/class_map.h"
#include "gate/symbols/demangle.h"
#include "gate/symbols/elf_head.h"
#include "gate/symbols/source_map.h"
#include "gate/symbols/symbol_files.h"
#include "gate/symbols/symbol_source.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/types.h>

/* ---- addresses of a mapping, as addresses in its binary ---------------------------------------------------------- */

/* Return true if perf's text gave the addresses: where the mapping starts in the file is unknown. */
static bool is_without_offset(const struct gate_mapping *mapping) {
    return mapping->start == GATE_FILE_BASE && mapping->offset == 0 &&
           (mapping->limit == GATE_FILE_LIMIT || mapping->limit == GATE_FILE_BASE);
}

static bool is_kernel(const struct gate_mapping *mapping) {
    return mapping->start == GATE_FILE_BASE && gate_str_starts(mapping->file, GATE_STR("[kernel."));
}

static bool own_address(uint64_t *out, const struct gate_elf_head *head, uint64_t address) {
    const uint64_t own[3] = {0, 0, 0};
    return address >= GATE_FILE_BASE && gate_elf_head_address(out, head, address - GATE_FILE_BASE, own);
}

static bool mapped_address(uint64_t *out, const struct gate_elf_head *head, const struct gate_mapping *mapping,
                           uint64_t address) {
    const uint64_t place[3] = {mapping->start, mapping->limit, mapping->offset};
    return gate_elf_head_address(out, head, address, place);
}

void gate_file_fit_add(struct gate_file_fit *fit, const struct gate_elf_head *head, const struct gate_mapping *mapping,
                       uint64_t address) {
    uint64_t as_offset = 0, as_own = 0;
    bool is_offset = mapped_address(&as_offset, head, mapping, address), is_own = own_address(&as_own, head, address);
    fit->count++;
    fit->as_offset += is_offset;
    fit->as_own += is_own;
    fit->differ |= is_offset && is_own && as_offset != as_own;
}

/* `objcopy --only-keep-debug` changes the offsets of the segments and sets their size to 0; eu-strip keeps both. */
static bool has_offsets(const struct gate_elf_head *head) {
    return !head->is_debug_only || (head->load_count != 0 && head->loads[0].file_bytes != 0);
}

enum gate_file_basis gate_file_basis_of(const struct gate_elf_head *head, const struct gate_mapping *mapping,
                                        const struct gate_file_fit *fit) {
    if (!is_without_offset(mapping) || is_kernel(mapping))
        return GATE_FILE_BASIS_MAPPED;
    bool may_be_own = mapping->limit == GATE_FILE_BASE && head->is_fixed; /* other files are loaded much higher */
    bool fits_own = may_be_own && fit->as_own == fit->count;
    if (!has_offsets(head))
        return GATE_FILE_BASIS_NO_OFFSET;
    bool fits_offset = fit->as_offset == fit->count;
    if (!may_be_own || (fits_offset && (!fits_own || !fit->differ)))
        return GATE_FILE_BASIS_MAPPED;
    if (fits_offset)
        return GATE_FILE_BASIS_EITHER;
    return fits_own ? GATE_FILE_BASIS_OWN : GATE_FILE_BASIS_UNKNOWN;
}

/* The kernel is moved as a whole when it starts: its addresses count from its first code. */
static bool kernel_address(uint64_t *out, const struct gate_elf_head *head, uint64_t address) {
    const uint64_t own[3] = {0, 0, 0};
    if (head->load_count == 0)
        return false;
    return gate_elf_head_address(out, head, head->loads[0].address + (address - GATE_FILE_BASE), own);
}

bool gate_file_address(uint64_t *out, const struct gate_elf_head *head, const struct gate_mapping *mapping,
                       enum gate_file_basis basis, uint64_t address) {
    if (basis == GATE_FILE_BASIS_OWN)
        return own_address(out, head, address);
    if (basis != GATE_FILE_BASIS_MAPPED)
        return false;
    if (is_kernel(mapping))
        return kernel_address(out, head, address);
    if (is_without_offset(mapping) && head->is_debug_only) {
        struct gate_elf_head whole = *head; /* its segments have the binary's offsets (gate_file_basis_of) */
        whole.is_debug_only = false;
        return mapped_address(out, &whole, mapping, address);
    }
    return mapped_address(out, head, mapping, address);
}

/* ---- frames of the JVM ------------------------------------------------------------------------------------------- */

/* The parts of a frame's name. */
struct frame_name {
    struct gate_str class_name; /* with dots */
    struct gate_str lambda;     /* "$$Lambda…" after the class name; may be empty */
    struct gate_str method;
    struct gate_str tail; /* "_[j]"; may be empty */
    int64_t line;         /* line in the name; 0: none */
    bool has_line;        /* the line is written as ":12" before the tail */
    bool has_slashes, has_semicolon;
};

static bool is_name_char(char c) {
    return gate_is_letter(c) || gate_is_digit(c) || c == '_' || c == '$' || c == '<' || c == '>' || c == '-' ||
           (unsigned char)c >= 0x80;
}

/* Return the number after the last colon of `text`. */
static int64_t line_in(struct gate_str text) {
    int64_t line = 0;
    size_t at = text.len;
    while (at > 0 && text.ptr[at - 1] != ':')
        at--;
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

/* Split a name. `*is_name` is false if it is not a class and a method. Return false if the arena is full. */
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

/* Return the class, or for a lambda's class the class that contains it. */
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

/* Return the map's name for the function's name in the script. That name ends `gaps` columns before the start of the
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
 * used only if it starts at a keyword of a function; otherwise it belongs to something else. */
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

/* Find a segment of a line for a place without a column. Returns NULL unless all segments of the line are from one
 * source line. */
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

/* ---- original names for the functions of a profile --------------------------------------------------------------- */

/** Maps that apply to one profile. */
struct gate_renaming {
    struct gate_symbol_source *source;
    struct gate_arena *arena; /* arena of the profile */
    const struct gate_profile *profile;
    const struct gate_source_map **maps; /* source map of each function's file; may be NULL */
    bool has_classes, has_slashes;       /* there is a mapping.txt; class names are written "java/lang/String" */
};

/* Return whether a file may be a bundled script; Node's own modules and native code are not. */
static bool is_script(struct gate_str file) {
    return gate_str_ends(file, GATE_STR(".js")) || gate_str_ends(file, GATE_STR(".mjs")) ||
           gate_str_ends(file, GATE_STR(".cjs"));
}

static bool maps_find(struct gate_renaming *out, struct gate_error *err) {
    const struct gate_profile *profile = out->profile;
    struct gate_arena *arena = out->arena;
    struct gate_table files; /* search once per file */
    struct gate_str script = GATE_STR("");
    bool has_map = false;
    gate_table_init(&files, arena);
    out->maps = GATE_NEW_ARRAY(arena, const struct gate_source_map *, (size_t)profile->function_count + 1);
    const struct gate_source_map **found =
        GATE_NEW_ARRAY(arena, const struct gate_source_map *, (size_t)profile->function_count + 1);
    if (out->maps == NULL || found == NULL)
        return gate_arena_error(arena, err);
    for (uint32_t i = 0; i < profile->function_count; i++) {
        struct gate_str file = profile->functions[i].file;
        uint32_t known = files.count;
        uint32_t index = file.len == 0 ? GATE_TABLE_NONE : gate_table_intern(&files, file);
        if (file.len == 0)
            continue;
        if (index == GATE_TABLE_NONE)
            return gate_arena_error(arena, err);
        if (index == known && !gate_symbol_source_script(&found[index], out->source, file, err))
            return false;
        out->maps[i] = found[index];
        has_map = has_map || found[index] != NULL;
        if (script.len == 0 && is_script(file))
            script = file;
    }
    return has_map || script.len == 0 || gate_symbol_source_no_script(out->source, script, err);
}

/**
 * Find the source maps of the profile's functions and read them. The listener gets one note that maps are found by file
 * name, and one if there are scripts and maps but no map matches.
 *
 * err   errors of gate_source_read and gate_source_map_read, with the path; GATE_ERR_LIMIT or GATE_ERR_MEMORY if the
 *       arena is full
 *
 * O(functions · files), plus the bytes of maps that were not read before.
 */
static bool renaming_begin(struct gate_renaming *out, const struct gate_profile *profile,
                           struct gate_symbol_source *source, struct gate_arena *arena, struct gate_error *err) {
    *out = (struct gate_renaming){
        .source = source, .arena = arena, .profile = profile, .has_classes = source->class_path != NULL};
    for (uint32_t i = 0; out->has_classes && i < profile->function_count && !out->has_slashes; i++)
        out->has_slashes = gate_str_starts(profile->functions[i].name, GATE_STR("java/"));
    for (size_t i = 0; i < source->files.count; i++)
        if (source->files.items[i].kind == GATE_SYMBOLS_SOURCE_MAP)
            return maps_find(out, err);
    return true;
}

/* The calls of a location while they are renamed. */
struct calls {
    const struct gate_renaming *renaming;
    struct gate_symbol_line *items;
    size_t count, capacity;
    bool any; /* at least one was renamed */
};

static bool call_add(struct calls *calls, const struct gate_symbol_line *call, struct gate_error *err) {
    struct gate_arena *arena = calls->renaming->arena;
    struct gate_symbol_line *grown =
        gate_arena_grow(arena, calls->items, calls->count, &calls->capacity, sizeof *grown);
    if (grown == NULL)
        return gate_arena_error(arena, err);
    calls->items = grown;
    grown[calls->count++] = *call;
    return true;
}

static bool script_look(struct gate_symbol_line *call, bool *is_found, const struct calls *calls,
                        const struct gate_line *line, struct gate_error *err) {
    const struct gate_renaming *renaming = calls->renaming;
    const struct gate_function *function = &renaming->profile->functions[line->function];
    int64_t start = function->start_line;
    /* "find.(anonymous)" is made up by the reader and has no name in the script. */
    bool has_name = function->system_name.len == 0 || function->system_name.ptr[0] != '(';
    const struct gate_script_place place = {.name = has_name ? function->name : function->system_name,
                                            .address = function->file,
                                            .line = line->line != 0 ? line->line : start,
                                            .column = line->column,
                                            .is_start = line->line == 0 || line->line == start};
    *is_found = false;
    if (renaming->maps == NULL || renaming->maps[line->function] == NULL)
        return true;
    if (!gate_script_names_find(call, renaming->maps[line->function], &place, renaming->arena, err))
        return false;
    *is_found = call->name.ptr != NULL;
    return true;
}

static bool class_look(struct gate_symbol_answer *found, const struct calls *calls, const struct gate_line *line,
                       struct gate_error *err) {
    const struct gate_renaming *renaming = calls->renaming;
    const struct gate_function *function = &renaming->profile->functions[line->function];
    const struct gate_class_place place = {function->name, function->file, line->line, renaming->has_slashes};
    *found = (struct gate_symbol_answer){0};
    return !renaming->has_classes ||
           gate_class_names_find(found, &renaming->source->classes, &place, renaming->arena, err);
}

static bool line_add(struct calls *calls, const struct gate_line *line, struct gate_error *err) {
    struct gate_symbol_line call = {.name = GATE_STR(""), .system_name = GATE_STR(""), .file = GATE_STR("")};
    struct gate_symbol_answer classes;
    bool is_script = false;
    if (line->function == GATE_NO_INDEX)
        return call_add(calls, &call, err);
    const struct gate_function *function = &calls->renaming->profile->functions[line->function];
    call = (struct gate_symbol_line){function->name, function->system_name, function->file,
                                     line->line,     function->start_line,  line->column};
    if (!script_look(&call, &is_script, calls, line, err) || !class_look(&classes, calls, line, err))
        return false;
    calls->any = calls->any || is_script || classes.count != 0;
    if (is_script || classes.count == 0)
        return call_add(calls, &call, err);
    for (uint32_t i = 0; i < classes.count; i++)
        if (!call_add(calls, &classes.lines[i], err))
            return false;
    return true;
}

/**
 * Find the original calls of `location`. `out->count` is 0 if it is unchanged. err: GATE_ERR_LIMIT or GATE_ERR_MEMORY
 * if the arena is full.
 */
static bool renaming_location(struct gate_symbol_answer *out, const struct gate_renaming *renaming,
                              const struct gate_location *location, struct gate_error *err) {
    struct calls calls = {.renaming = renaming};
    *out = (struct gate_symbol_answer){0};
    if (renaming->maps == NULL && !renaming->has_classes)
        return true;
    struct gate_line_walk lines = gate_location_lines(renaming->profile, location);
    for (struct gate_line line; gate_line_next(&lines, &line);)
        if (!line_add(&calls, &line, err))
            return false;
    if (calls.any)
        *out = (struct gate_symbol_answer){calls.items, (uint32_t)calls.count};
    return true;
}

/* ---- profile ----------------------------------------------------------------------------------------------------- */

/* Finds the file of each mapping, looks up all addresses, and builds the profile's tables with the results. */

/* How the file of a mapping is used, and what comes of it. */
struct mapping_use {
    enum gate_file_basis basis;
    struct gate_file_fit fit;     /* of the locations without names */
    uint64_t named, named_as_own; /* addresses with a name; if the basis is EITHER, as offset and as own address */
};

/* State while one profile is processed. */
struct symbolising {
    struct gate_profile *out;
    struct gate_symbol_source *source;
    struct gate_arena *arena;          /* arena of `out`; results for further profiles use the source's arena */
    struct gate_symbol_mapping *files; /* file of each mapping */
    struct mapping_use *uses;          /* use of each mapping's file */
    struct gate_symbol_answer *found;  /* answer for each location; no lines: it stays unchanged */
    struct gate_renaming renaming;
    struct gate_table functions; /* keys of the added functions */
    size_t function_capacity, line_capacity;
};

/* ---- existing names ---------------------------------------------------------------------------------------------- */

static bool functions_demangle(struct gate_profile *out, struct gate_arena *arena, struct gate_error *err) {
    uint32_t first = 0;
    while (first < out->function_count && !gate_demangle_is_mangled(out->functions[first].name))
        first++;
    if (first == out->function_count)
        return true;
    struct gate_function *functions = GATE_NEW_ARRAY(arena, struct gate_function, out->function_count);
    if (functions == NULL)
        return gate_arena_error(arena, err);
    memcpy(functions, out->functions, out->function_count * sizeof *functions);
    for (uint32_t i = first; i < out->function_count; i++) {
        struct gate_str mangled = functions[i].name;
        functions[i].name = gate_demangle(arena, mangled);
        if (functions[i].name.ptr == NULL)
            return gate_arena_error(arena, err);
        if (functions[i].system_name.len == 0)
            functions[i].system_name = mangled;
    }
    out->functions = functions;
    return true;
}

/* ---- looking up addresses ---------------------------------------------------------------------------------------- */

static bool is_wanted(const struct gate_profile *profile, const struct gate_location *location) {
    return location->address != 0 && !gate_location_name_is_known(profile, location);
}

/* Find the files of mappings that have locations without names. */
static bool mappings_find(struct symbolising *s, struct gate_error *err) {
    const struct gate_profile *profile = s->out;
    bool *is_asked = GATE_NEW_ARRAY(s->arena, bool, (size_t)profile->mapping_count + 1);
    if (is_asked == NULL)
        return gate_arena_error(s->arena, err);
    for (uint32_t i = 0; i < profile->location_count; i++) {
        struct gate_location location = gate_location_at(profile, i);
        if (location.mapping == GATE_NO_INDEX || is_asked[location.mapping] || !is_wanted(profile, &location))
            continue;
        is_asked[location.mapping] = true;
        if (!gate_symbol_source_mapping(&s->files[location.mapping], s->source, &profile->mappings[location.mapping],
                                        err))
            return false;
    }
    return true;
}

/* Return the file of the location's mapping, or NULL. */
static const struct gate_symbol_file *file_of_location(const struct symbolising *s,
                                                       const struct gate_location *location) {
    return location->mapping == GATE_NO_INDEX ? NULL : s->files[location->mapping].file;
}

/* Convert the location's address to one in the file of its mapping. Return false if there is none. */
static bool address_of(uint64_t *address, const struct symbolising *s, const struct gate_location *location,
                       enum gate_file_basis basis) {
    const struct gate_symbol_file *file = file_of_location(s, location);
    return file != NULL &&
           gate_file_address(address, &file->head, &s->out->mappings[location->mapping], basis, location->address);
}

/* Determine what the addresses of each mapping are. */
static void bases_find(struct symbolising *s) {
    const struct gate_profile *profile = s->out;
    for (uint32_t i = 0; i < profile->location_count; i++) {
        struct gate_location location = gate_location_at(profile, i);
        const struct gate_symbol_file *file = file_of_location(s, &location);
        if (file != NULL && is_wanted(profile, &location))
            gate_file_fit_add(&s->uses[location.mapping].fit, &file->head, &profile->mappings[location.mapping],
                              location.address);
    }
    for (uint32_t i = 0; i < profile->mapping_count; i++)
        if (s->files[i].file != NULL)
            s->uses[i].basis = gate_file_basis_of(&s->files[i].file->head, &profile->mappings[i], &s->uses[i].fit);
}

/* Look up all addresses of one binary at once, those of an undecided basis in both readings. */
static bool binary_learn(struct symbolising *s, size_t binary, uint64_t *addresses, struct gate_error *err) {
    static const enum gate_file_basis both[] = {GATE_FILE_BASIS_MAPPED, GATE_FILE_BASIS_OWN};
    size_t count = 0;
    for (uint32_t i = 0; i < s->out->location_count; i++) {
        struct gate_location location = gate_location_at(s->out, i);
        if (file_of_location(s, &location) == NULL || s->files[location.mapping].binary != binary ||
            !is_wanted(s->out, &location))
            continue;
        enum gate_file_basis basis = s->uses[location.mapping].basis;
        for (size_t j = 0; j < 2; j++)
            if (basis == GATE_FILE_BASIS_EITHER || basis == both[j])
                count += address_of(&addresses[count], s, &location, both[j]);
    }
    return gate_symbol_binary_learn(&s->source->binaries[binary], &s->source->files, addresses, count, s->source->arena,
                                    err);
}

static const struct gate_symbol_answer *answer_of(const struct symbolising *s, const struct gate_location *location,
                                                  enum gate_file_basis basis) {
    uint64_t address = 0;
    if (!address_of(&address, s, location, basis))
        return NULL;
    return gate_symbol_binary_find(&s->source->binaries[s->files[location->mapping].binary], address);
}

/* Decide what is undecided by the bounds of functions: one reading has each address in a function, the other not. */
static void bases_decide(struct symbolising *s) {
    for (uint32_t i = 0; i < s->out->location_count; i++) {
        struct gate_location location = gate_location_at(s->out, i);
        if (file_of_location(s, &location) == NULL || !is_wanted(s->out, &location) ||
            s->uses[location.mapping].basis != GATE_FILE_BASIS_EITHER)
            continue;
        struct mapping_use *use = &s->uses[location.mapping];
        use->named += answer_of(s, &location, GATE_FILE_BASIS_MAPPED) != NULL;
        use->named_as_own += answer_of(s, &location, GATE_FILE_BASIS_OWN) != NULL;
    }
    for (uint32_t i = 0; i < s->out->mapping_count; i++) {
        struct mapping_use *use = &s->uses[i];
        if (use->basis != GATE_FILE_BASIS_EITHER)
            continue;
        bool is_offset = use->named == use->fit.count, is_own = use->named_as_own == use->fit.count;
        use->basis = is_offset == is_own ? GATE_FILE_BASIS_UNKNOWN
                     : is_offset         ? GATE_FILE_BASIS_MAPPED
                                         : GATE_FILE_BASIS_OWN;
        use->named = 0;
    }
}

static bool binaries_learn(struct symbolising *s, struct gate_error *err) {
    struct gate_arena scratch;
    gate_arena_fork(&scratch, s->source->arena);
    bases_find(s);
    uint64_t *addresses = GATE_NEW_ARRAY(&scratch, uint64_t, 2 * (size_t)s->out->location_count + 1);
    bool ok = addresses != NULL || gate_arena_error(&scratch, err);
    for (size_t i = 0; ok && i < s->source->binary_count; i++)
        ok = binary_learn(s, i, addresses, err);
    gate_arena_free(&scratch);
    bases_decide(s);
    return ok;
}

static bool code_find(struct symbolising *s, const struct gate_location *location, struct gate_symbol_answer *found,
                      struct gate_error *err) {
    struct gate_str name = gate_perf_map_find(&s->source->map, location->address);
    if (name.len == 0)
        return true;
    struct gate_symbol_line *line = GATE_NEW_ARRAY(s->arena, struct gate_symbol_line, 1);
    if (line == NULL)
        return gate_arena_error(s->arena, err);
    *line = (struct gate_symbol_line){gate_demangle(s->arena, name), name, GATE_STR(""), 0, 0, 0};
    *found = (struct gate_symbol_answer){line, 1};
    return line->name.ptr != NULL || gate_arena_error(s->arena, err);
}

/* Return the number of locations that get new names. Sets `*ok` to false on failure. */
static uint32_t locations_find(struct symbolising *s, bool *ok, struct gate_error *err) {
    uint32_t count = 0;
    for (uint32_t i = 0; *ok && i < s->out->location_count; i++) {
        struct gate_location location = gate_location_at(s->out, i);
        if (!is_wanted(s->out, &location)) {
            *ok = renaming_location(&s->found[i], &s->renaming, &location, err);
            count += s->found[i].count != 0;
            continue;
        }
        const struct gate_symbol_answer *answer = NULL;
        if (file_of_location(s, &location) != NULL)
            answer = answer_of(s, &location, s->uses[location.mapping].basis);
        if (answer != NULL) {
            s->found[i] = *answer;
            s->uses[location.mapping].named++;
        } else {
            *ok = code_find(s, &location, &s->found[i], err);
        }
        count += s->found[i].count != 0;
    }
    return count;
}

/* Report each file whose addresses could not be converted, or that names none of them. */
static bool uses_report(struct symbolising *s, struct gate_error *err) {
    for (uint32_t i = 0; i < s->out->mapping_count; i++) {
        const struct mapping_use *use = &s->uses[i];
        if (s->files[i].file != NULL && use->fit.count != 0 &&
            !gate_symbol_source_used(s->source, &s->out->mappings[i], &s->files[i],
                                     &(struct gate_symbol_use){use->basis, use->fit.count, use->named}, err))
            return false;
    }
    return true;
}

/* ---- tables of the profile --------------------------------------------------------------------------------------- */

/* Return the index of the function of `line`, adding it if it is new; GATE_NO_INDEX if the arena is full. */
static uint32_t function_of(struct symbolising *s, const struct gate_symbol_line *line, uint32_t first) {
    struct gate_arena *arena = s->arena;
    struct gate_profile *out = s->out;
    struct gate_str start = {(const char *)&line->start_line, sizeof line->start_line};
    const struct gate_str parts[] = {line->name, GATE_STR("\0"), line->system_name, GATE_STR("\0"), line->file, start};
    struct gate_str key = gate_str_concat(arena, parts, sizeof parts / sizeof *parts);
    uint32_t known = s->functions.count;
    uint32_t index = key.ptr == NULL ? GATE_TABLE_NONE : gate_table_intern(&s->functions, key);
    if (index < known || index == GATE_TABLE_NONE)
        return index == GATE_TABLE_NONE ? GATE_NO_INDEX : first + index;
    struct gate_function *grown =
        gate_arena_grow(arena, out->functions, out->function_count, &s->function_capacity, sizeof *grown);
    if (grown == NULL)
        return GATE_NO_INDEX;
    out->functions = grown;
    grown[out->function_count++] = (struct gate_function){line->name, line->system_name, line->file, line->start_line};
    return first + index;
}

static bool lines_add(struct symbolising *s, struct gate_location *location, const struct gate_symbol_answer *found,
                      uint32_t first) {
    struct gate_profile *out = s->out;
    location->line_first = out->line_count;
    location->line_count = found->count;
    location->lines_in = GATE_LINES_KEPT;
    out->most_lines = found->count > out->most_lines ? found->count : out->most_lines;
    for (uint32_t i = 0; i < found->count; i++) {
        struct gate_line *grown =
            gate_arena_grow(s->arena, out->lines, out->line_count, &s->line_capacity, sizeof *grown);
        uint32_t function = function_of(s, &found->lines[i], first);
        if (grown == NULL || function == GATE_NO_INDEX || out->line_count == GATE_NO_INDEX - 1)
            return false;
        out->lines = grown;
        grown[out->line_count++] = (struct gate_line){function, found->lines[i].column, found->lines[i].line};
    }
    return true;
}

/* Give the profile its own tables with the names found. gate_arena_grow copies a table when its capacity is reached,
 * so the tables of the input stay unchanged. */
static bool tables_fill(struct symbolising *s, struct gate_error *err) {
    struct gate_profile *out = s->out;
    struct gate_arena *arena = s->arena;
    struct gate_location *locations = GATE_NEW_ARRAY(arena, struct gate_location, (size_t)out->location_count + 1);
    if (locations == NULL)
        return gate_arena_error(arena, err);
    for (uint32_t i = 0; i < out->location_count; i++)
        locations[i] = gate_location_at(out, i);
    out->locations = locations;
    out->location_places = NULL;
    s->function_capacity = out->function_count;
    s->line_capacity = out->line_count;
    gate_table_init(&s->functions, arena);
    uint32_t first = out->function_count;
    for (uint32_t i = 0; i < out->location_count; i++)
        if (s->found[i].count != 0 && !lines_add(s, &locations[i], &s->found[i], first))
            return gate_arena_error(arena, err);
    return true;
}

/* Update the maximum number of frames, because inlined calls make stacks deeper. */
static bool depth_measure(struct gate_profile *out, struct gate_error *err) {
    struct gate_sample_cursor cursor;
    struct gate_sample sample;
    struct gate_error why = {0};
    gate_sample_begin(&cursor, out);
    while (gate_sample_next(&cursor, &sample, &why)) {
        uint64_t frames = 0, id = 0;
        for (uint32_t at = 0; gate_stack_next(sample.stack, &at, &id);)
            frames += gate_location_frames(out, gate_location_find(out, id));
        if (frames > out->max_frames)
            out->max_frames = frames > UINT32_MAX / 2 ? UINT32_MAX / 2 : (uint32_t)frames;
    }
    gate_sample_end(&cursor);
    if (why.code != GATE_OK)
        *err = why;
    return why.code == GATE_OK;
}

bool gate_symbolise(struct gate_profile *out, const struct gate_profile *profile, struct gate_symbol_source *source,
                    struct gate_arena *arena, struct gate_error *err) {
    struct symbolising s = {.out = out, .source = source, .arena = arena};
    bool ok = true;
    *out = *profile;
    if (!functions_demangle(out, arena, err))
        return false;
    out->has_language = profile->has_language && out->functions == profile->functions;
    if (gate_symbol_source_is_empty(source))
        return true;
    s.files = GATE_NEW_ARRAY(arena, struct gate_symbol_mapping, (size_t)out->mapping_count + 1);
    s.uses = GATE_NEW_ARRAY(arena, struct mapping_use, (size_t)out->mapping_count + 1);
    s.found = GATE_NEW_ARRAY(arena, struct gate_symbol_answer, (size_t)out->location_count + 1);
    if (s.files == NULL || s.uses == NULL || s.found == NULL)
        return gate_arena_error(arena, err);
    if (!mappings_find(&s, err) || !binaries_learn(&s, err) || !renaming_begin(&s.renaming, out, source, arena, err))
        return false;
    uint32_t found = locations_find(&s, &ok, err);
    if (!ok || !uses_report(&s, err))
        return false;
    if (found == 0)
        return true;
    out->has_language = false; /* determine the language again, from the new names */
    return tables_fill(&s, err) && depth_measure(out, err);
}
