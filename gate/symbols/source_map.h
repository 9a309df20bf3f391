/* SPDX-License-Identifier: Apache-2.0 */
/* JavaScript source maps (ECMA-426). */
#ifndef GATE_SYMBOLS_SOURCE_MAP_H
#define GATE_SYMBOLS_SOURCE_MAP_H

#include "gate/base/arena.h"
#include "gate/base/error.h"
#include "gate/base/str.h"
#include "gate/symbols/symbol_lines.h"

/* ---- names of functions in JavaScript or TypeScript sources ------------------------------------------------------ */

/* For functions whose names a minifier removed. */

enum { GATE_SOURCE_COLUMNS_MAX = 4096 }; /* columns beyond this are not searched */

/** A source text and the offsets of its lines. Arena memory. */
struct gate_source_text {
    struct gate_str text;
    size_t *lines;
    uint32_t line_count;
};

/** Find the lines of `text`. Returns false if the arena is full. O(len). */
GATE_MUST_CHECK
bool gate_source_text_open(struct gate_source_text *out, struct gate_str text, struct gate_arena *arena);

/**
 * Return the offset of a line and column, or SIZE_MAX if it does not exist or is beyond GATE_SOURCE_COLUMNS_MAX. Both
 * count from 0; columns are UTF-16 units. O(column).
 */
size_t gate_source_text_place(const struct gate_source_text *text, uint32_t line, uint32_t column);

/**
 * Return the name of the function that begins at offset `at`: at "function", "async", the "(" of its parameters, or the
 * first parameter of an arrow function.
 *
 * The name is declared ("function total"), assigned ("const total = ", "this.total = "), a key ("{ total: ") or a
 * method ("total("). Returns an empty view if there is no name or no function there; otherwise a view of `text`.
 *
 * O(bytes examined), at most GATE_SOURCE_COLUMNS_MAX.
 */
struct gate_str gate_source_text_name(struct gate_str text, size_t at);

/* ---- 'mappings' of a source map (ECMA-426, "Source map format") -------------------------------------------------- */

/* Maps each place of a generated script to a place in a source. */

/**
 * A range of the generated script up to the next segment of its line, and its source. Lines and columns count from 0;
 * columns are UTF-16 units.
 */
struct gate_source_segment {
    uint32_t line, column; /* in the generated script */
    uint32_t source;       /* index; GATE_TABLE_NONE: no source, and the fields below are 0 or none */
    uint32_t source_line, source_column;
    uint32_t name; /* index; GATE_TABLE_NONE: no name */
};

/** Segments sorted by line and column. Arena memory. */
struct gate_source_mappings {
    struct gate_source_segment *items;
    size_t count, capacity;
    bool is_unsorted;
};

/** Context of a 'mappings' text: that of a whole map or of one section. */
struct gate_source_part {
    uint32_t first_source, source_count; /* indices in the text are relative to `first_source` and `first_name` */
    uint32_t first_name, name_count;
    uint32_t line, column; /* start of its script within the whole script */
};

/** Append the segments of `text`. O(bytes); 24 bytes of memory per segment. err: GATE_ERR_FORMAT with the offset in the
 * text if a number is malformed, negative or larger than its table. */
GATE_MUST_CHECK
bool gate_source_mappings_read(struct gate_source_mappings *out, struct gate_str text,
                               const struct gate_source_part *part, struct gate_arena *arena, struct gate_error *err);

/** Sort the segments if they are not in order. Call it after the last part. O(n log n) if it sorts. */
void gate_source_mappings_close(struct gate_source_mappings *mappings);

/**
 * Return the segment that contains `line` and `column`: the last one of the line that starts at or before the column.
 * NULL if there is none. O(log n).
 */
const struct gate_source_segment *gate_source_mappings_find(const struct gate_source_mappings *mappings, uint32_t line,
                                                            uint32_t column);

/* ---- source map -------------------------------------------------------------------------------------------------- */

/* A source map (ECMA-426, version 3): JSON in which a bundler or minifier describes the origin of its output. */

/** One source file. */
struct gate_source_file {
    struct gate_str path;         /* path in the map, with its 'sourceRoot' in front */
    struct gate_source_text text; /* contents; empty if the map does not include them */
};

/** A source map. Arena memory. */
struct gate_source_map {
    struct gate_source_mappings mappings;
    struct gate_source_file *sources;
    uint32_t source_count;
    struct gate_str *names;
    uint32_t name_count;
};

/** Return whether a file that starts with `head` may be a source map: a JSON object, possibly after the line ")]}'". */
bool gate_source_map_sniff(struct gate_str head);

/**
 * Parse a map or an index map ('sections', which cannot be nested). Text is converted to valid UTF-8.
 *
 * err   GATE_ERR_FORMAT if it is not JSON, not version 3, or gate_source_mappings_read fails; GATE_ERR_LIMIT if the
 *       arena is full or there are more than GATE_SOURCE_SECTIONS_MAX sections
 *
 * O(bytes).
 */
GATE_MUST_CHECK
bool gate_source_map_read(struct gate_source_map *out, struct gate_str text, struct gate_arena *arena,
                          struct gate_error *err);

/* ---- frames of scripts: the original function, source and line of a place in a bundled or minified script -------- */

/** A call in a script. Lines and columns count from 1; 0: unknown. */
struct gate_script_place {
    struct gate_str name;    /* function name in the script; empty or "(anonymous)" and the like: no name */
    struct gate_str address; /* path or URL of the script */
    int64_t line;
    uint32_t column;
    bool is_start; /* line and column are the start of the function, for V8 the start of its parameters */
};

/**
 * Find the original place of `place`. `out->name.ptr` is NULL if the map has no source for it, and for the script
 * itself.
 *
 * The function's name comes from the map's segment at the name in the script. If that has none, it comes from the
 * source's text at the start of the function; otherwise it stays. If `place` has no column, the whole script line must
 * come from one source line, and the name stays.
 *
 * O(log segments), plus at most GATE_SOURCE_COLUMNS_MAX bytes of the source's text.
 */
GATE_MUST_CHECK
bool gate_script_names_find(struct gate_symbol_line *out, const struct gate_source_map *map,
                            const struct gate_script_place *place, struct gate_arena *arena, struct gate_error *err);

#endif
