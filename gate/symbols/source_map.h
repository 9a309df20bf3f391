/* SPDX-License-Identifier: Apache-2.0 */
/* A source map: what a bundler or minifier wrote of where its output comes from, in JSON (ECMA-426, version 3).
 * Pipeline: symbols/source_mappings.h -> symbols/source_map.h -> symbols/script_names.h */
#ifndef GATE_SYMBOLS_SOURCE_MAP_H
#define GATE_SYMBOLS_SOURCE_MAP_H

#include "gate/symbols/source_mappings.h"
#include "gate/symbols/source_text.h"

enum { GATE_SOURCE_SECTIONS_MAX = 10000 };

/** One source. */
struct gate_source_file {
    struct gate_str path;         /* as the map has it, behind its 'sourceRoot' */
    struct gate_source_text text; /* its contents; empty: the map has none */
};

/** All of it is arena memory. */
struct gate_source_map {
    struct gate_source_mappings mappings;
    struct gate_source_file *sources;
    uint32_t source_count;
    struct gate_str *names;
    uint32_t name_count;
};

/** Whether a file that begins like `head` may be one: a JSON object, also behind the line ")]}'". */
bool gate_source_map_sniff(struct gate_str head);

/**
 * Read a map, or an index of maps ('sections', which hold no sections). Text is made valid UTF-8.
 *
 * err   GATE_ERR_FORMAT not JSON, not version 3, or what gate_source_mappings_read says; GATE_ERR_LIMIT the arena is
 *       full, or more than GATE_SOURCE_SECTIONS_MAX sections
 *
 * O(bytes).
 */
GATE_MUST_CHECK
bool gate_source_map_read(struct gate_source_map *out, struct gate_str text, struct gate_arena *arena,
                          struct gate_error *err);

#endif
