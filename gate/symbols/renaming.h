/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that have a name which a build tool made up: a minifier's, undone by source maps, or R8's, undone by its
 * mapping.txt. Pipeline: symbols/script_names.h, symbols/class_names.h -> symbols/renaming.h -> symbols/symbolise.h */
#ifndef GATE_SYMBOLS_RENAMING_H
#define GATE_SYMBOLS_RENAMING_H

#include "gate/symbols/symbol_source.h"

/** One profile's. */
struct gate_renaming {
    struct gate_symbol_source *source;
    struct gate_arena *arena; /* of the profile */
    const struct gate_profile *profile;
    const struct gate_source_map **maps; /* of each function's file, or NULL */
    bool has_classes, has_slashes;       /* a mapping.txt; classes are spelled "java/lang/String" */
};

/**
 * Find out which functions are of scripts that have a map, and read those maps. Where a map is found by its file's
 * name, and it always is, the listener is told once; and where there are scripts and maps and no map is of a script.
 *
 * err   what gate_source_read and gate_source_map_read say, with the path; GATE_ERR_LIMIT the arena is full
 *
 * O(functions · files), and the bytes of the maps that were not read before.
 */
GATE_MUST_CHECK
bool gate_renaming_begin(struct gate_renaming *out, const struct gate_profile *profile,
                         struct gate_symbol_source *source, struct gate_arena *arena, struct gate_error *err);

/** The calls of `location` under their own names; none: it stays as it is. Errors: GATE_ERR_LIMIT the arena is full. */
GATE_MUST_CHECK
bool gate_renaming_location(struct gate_symbol_answer *out, const struct gate_renaming *renaming,
                            const struct gate_location *location, struct gate_error *err);

#endif
