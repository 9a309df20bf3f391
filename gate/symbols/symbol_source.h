/* SPDX-License-Identifier: Apache-2.0 */
/* Where names come from: files, perf maps, and whoever can get more; and which of them a mapping means.
 * Pipeline: cli/symbol_options.h -> symbols/symbol_source.h -> symbols/symbolise.h */
#ifndef GATE_SYMBOLS_SYMBOL_SOURCE_H
#define GATE_SYMBOLS_SYMBOL_SOURCE_H

#include "gate/profile/profile.h"
#include "gate/symbols/class_map.h"
#include "gate/symbols/perf_map.h"
#include "gate/symbols/source_map.h"
#include "gate/symbols/symbol_binary.h"

struct gate_symbol_source;

/** Who is told what the user should know, and who gets files from elsewhere. Either may be NULL. */
struct gate_symbol_listener {
    void *context;
    void (*note)(void *context, struct gate_str text);
    /** Add a file of `build_id` to the source if there is one. False with `err`: nothing more is to be done. */
    bool (*fetch)(void *context, struct gate_symbol_source *source, const char *build_id, struct gate_error *err);
};

/** A source map that was read. */
struct gate_symbol_script {
    const char *path;
    struct gate_source_map map;
};

/** Zeroed but for the arena: nowhere. */
struct gate_symbol_source {
    struct gate_arena *arena; /* of the run */
    struct gate_symbol_listener listener;
    struct gate_symbol_files files;
    struct gate_perf_map map;
    struct gate_symbol_binary *binaries;
    size_t binary_count, binary_capacity;
    const char *class_path; /* of `classes`; NULL: none was read */
    struct gate_class_map classes;
    struct gate_symbol_script **scripts;
    size_t script_count, script_capacity;
    struct gate_table told;  /* notes, each once */
    struct gate_table asked; /* build ids that were fetched, or could not be */
};

/** Nowhere. */
void gate_symbol_source_init(struct gate_symbol_source *source, struct gate_arena *arena);

/**
 * Names are also in `path`, a file or a folder (symbols/symbol_files.h); perf maps and mapping.txt are
 * read at once.
 *
 * err   what gate_symbol_files_add and gate_source_read say; GATE_ERR_USAGE a binary, and built without libdw;
 *       a second mapping.txt
 */
GATE_MUST_CHECK
bool gate_symbol_source_add(struct gate_symbol_source *source, const char *path, struct gate_error *err);

/** What a mapping means. */
struct gate_symbol_mapping {
    const struct gate_symbol_file *file; /* NULL: none; not kept when files are added */
    size_t binary;                       /* index, where there is a file */
};

/**
 * The file of `mapping`: by build id; where the profile has none by name, and then the listener is told, as of files
 * that are named alike and do not fit.
 *
 * err   GATE_ERR_LIMIT the arena is full; what the listener's fetch says
 *
 * O(files).
 */
GATE_MUST_CHECK
bool gate_symbol_source_mapping(struct gate_symbol_mapping *out, struct gate_symbol_source *source,
                                const struct gate_mapping *mapping, struct gate_error *err);

/**
 * The source map of `script`, a path or a URL, by its name; read the first time. NULL in `*out`: there is none, or
 * several fit, and then the listener is told. That maps are found by their names alone it is told once.
 *
 * err   what gate_source_read and gate_source_map_read say, with the path
 *
 * O(files + maps), and the bytes of a map that was not read before.
 */
GATE_MUST_CHECK
bool gate_symbol_source_script(const struct gate_source_map **out, struct gate_symbol_source *source,
                               struct gate_str script, struct gate_error *err);

/** Tell the listener that a profile has scripts, `script` among them, and that no source map fits any of them. */
GATE_MUST_CHECK
bool gate_symbol_source_no_script(struct gate_symbol_source *source, struct gate_str script, struct gate_error *err);

#endif
