/* SPDX-License-Identifier: Apache-2.0 */
/* What a place in a bundled or minified script was before: the function, its source and its line.
 * Pipeline: symbols/source_map.h, symbols/source_text.h -> symbols/script_names.h -> symbols/renaming.h */
#ifndef GATE_SYMBOLS_SCRIPT_NAMES_H
#define GATE_SYMBOLS_SCRIPT_NAMES_H

#include "gate/symbols/source_map.h"
#include "gate/symbols/symbol_lines.h"

/** A call in a script. Lines and columns count from 1; 0: not known. */
struct gate_script_place {
    struct gate_str name;    /* of the function, as the script has it; "(anonymous)" and the like: it has none */
    struct gate_str address; /* of the script: a path or a URL */
    int64_t line;
    uint32_t column;
    bool is_start; /* line and column are where the function begins, as V8 says it: at its parameters */
};

/**
 * What `place` was. The name is that of the segment at the function's name; where that has none, what the source's text
 * says at the function's beginning; else it stays. Without a column all of the line has to be of one source line, and
 * the name stays.
 * `out->name.ptr` is NULL where the map knows nothing of it, and for the script itself.
 *
 * err   GATE_ERR_LIMIT the arena is full
 *
 * O(log segments), and at most GATE_SOURCE_COLUMNS_MAX bytes of the source's text.
 */
GATE_MUST_CHECK
bool gate_script_names_find(struct gate_symbol_line *out, const struct gate_source_map *map,
                            const struct gate_script_place *place, struct gate_arena *arena, struct gate_error *err);

#endif
