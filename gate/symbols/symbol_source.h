/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the symbol files, perf maps and source maps for the mappings and scripts of a profile. */
#ifndef GATE_SYMBOLS_SYMBOL_SOURCE_H
#define GATE_SYMBOLS_SYMBOL_SOURCE_H

#include "gate/model/profile.h"
#include "gate/symbols/binary_names.h"
#include "gate/symbols/class_map.h"
#include "gate/symbols/elf_head.h"
#include "gate/symbols/perf_map.h"
#include "gate/symbols/source_map.h"

struct gate_symbol_source;

/**
 * Callbacks: `note` reports a message to the user, `fetch` gets files from elsewhere (debuginfod). Both may be NULL.
 */
struct gate_symbol_listener {
    void *context;
    void (*note)(void *context, struct gate_str text);
    /** Add a file with `build_id` to the source if there is one. Returns false and sets `err` if the run must stop. */
    bool (*fetch)(void *context, struct gate_symbol_source *source, const char *build_id, struct gate_error *err);
};

/** A source map that was read. */
struct gate_symbol_script {
    const char *path;
    struct gate_source_map map;
};

/** All symbol files. Use gate_symbol_source_init. */
struct gate_symbol_source {
    struct gate_arena *arena; /* arena of the run */
    struct gate_symbol_listener listener;
    struct gate_symbol_files files;
    struct gate_perf_map map;
    struct gate_symbol_binary *binaries;
    size_t binary_count, binary_capacity;
    const char *class_path; /* path of the file of `classes`; NULL: none was read */
    struct gate_class_map classes;
    struct gate_symbol_script **scripts;
    size_t script_count, script_capacity;
    struct gate_table told;  /* notes that were reported, so that each is reported once */
    struct gate_table asked; /* build ids that `fetch` was called for */
};

/** Initialise a source without files. */
void gate_symbol_source_init(struct gate_symbol_source *source, struct gate_arena *arena);

/** Return whether the source has neither files nor servers, so that only demangling can change a name. */
static inline bool gate_symbol_source_is_empty(const struct gate_symbol_source *source) {
    return source->files.count == 0 && source->map.count == 0 && source->listener.fetch == NULL;
}

/** The symbol file of a mapping. */
struct gate_symbol_mapping {
    const struct gate_symbol_file *file; /* NULL: none. Invalid after files are added */
    size_t binary;                       /* index of `binaries`, if there is a file */
    bool is_by_name;                     /* the profile has no build id of the mapping */
};

/** What the file of a mapping was good for. */
struct gate_symbol_use {
    enum gate_file_basis basis;
    uint64_t asked, named; /* addresses without a name in the profile, and those of them that the file names */
};

/**
 * Find the file of `mapping`: by build id, or by name if the profile has no build id. The listener gets a note if a
 * file has the right name and is not used: it is ambiguous, or has another build id.
 *
 * err   GATE_ERR_LIMIT or GATE_ERR_MEMORY if the arena is full; errors of the listener's `fetch`
 *
 * O(files).
 */
GATE_MUST_CHECK
bool gate_symbol_source_mapping(struct gate_symbol_mapping *out, struct gate_symbol_source *source,
                                const struct gate_mapping *mapping, struct gate_error *err);

/**
 * Tell the listener what came of the file of `mapping`: it was found by its name only and names frames, or it names
 * none, with the reason.
 *
 * err   GATE_ERR_LIMIT or GATE_ERR_MEMORY if the arena is full
 */
GATE_MUST_CHECK
bool gate_symbol_source_used(struct gate_symbol_source *source, const struct gate_mapping *mapping,
                             const struct gate_symbol_mapping *of, const struct gate_symbol_use *use,
                             struct gate_error *err);

/**
 * Find the source map of `script`, a path or a URL, by its name, and read it if it is new. `*out` is NULL if there is
 * none, or if several match. The listener gets a note if several match, and one note that maps are found by name only.
 *
 * err   errors of gate_source_read and gate_source_map_read, with the path; GATE_ERR_LIMIT or GATE_ERR_MEMORY if the
 *       arena is full
 *
 * O(files + maps), plus the bytes of a map that was not read before.
 */
GATE_MUST_CHECK
bool gate_symbol_source_script(const struct gate_source_map **out, struct gate_symbol_source *source,
                               struct gate_str script, struct gate_error *err);

/** Tell the listener that a profile has scripts, such as `script`, and that no source map matches any of them. */
GATE_MUST_CHECK
bool gate_symbol_source_no_script(struct gate_symbol_source *source, struct gate_str script, struct gate_error *err);

#endif
