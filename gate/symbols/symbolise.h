/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the symbol files, perf maps and source maps of a profile, and adds names from them. */
#ifndef GATE_SYMBOLS_SYMBOLISE_H
#define GATE_SYMBOLS_SYMBOLISE_H

#include "gate/base/error.h"
#include "gate/model/profile.h"
#include "gate/symbols/binary_names.h"
#include "gate/symbols/class_map.h"
#include "gate/symbols/elf_head.h"
#include "gate/symbols/perf_map.h"
#include "gate/symbols/source_map.h"
#include "gate/symbols/symbol_files.h"

#include <stdint.h>

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
    const char *class_path; /* file of `classes`; NULL: none was read */
    struct gate_class_map classes;
    struct gate_symbol_script **scripts;
    size_t script_count, script_capacity;
    struct gate_table reported;    /* notes that were reported; each is reported once */
    struct gate_table fetched_ids; /* build ids that `fetch` was called for */
};

/** Initialise a source without files. */
void gate_symbol_source_init(struct gate_symbol_source *source, struct gate_arena *arena);

/** Return whether the source has neither files nor servers, so that only demangling can change a name. */
static inline bool gate_symbol_source_is_empty(const struct gate_symbol_source *source) {
    return source->files.count == 0 && source->map.count == 0 && source->listener.fetch == NULL;
}

/** Count one address of `mapping`. O(loads). */
void gate_file_fit_add(struct gate_file_fit *fit, const struct gate_elf_head *head, const struct gate_mapping *mapping,
                       uint64_t address);

/** Return the basis of `mapping`, whose addresses are counted in `fit`. */
enum gate_file_basis gate_file_basis_of(const struct gate_elf_head *head, const struct gate_mapping *mapping,
                                        const struct gate_file_fit *fit);

/**
 * Convert `address` to one in the file. Returns false if the file has no code there, or if the basis is EITHER, UNKNOWN
 * or NO_OFFSET. Addresses of the kernel, "[kernel.kallsyms]" with a start of GATE_FILE_BASE, count from the first code
 * of the file. O(loads).
 */
GATE_MUST_CHECK
bool gate_file_address(uint64_t *out, const struct gate_elf_head *head, const struct gate_mapping *mapping,
                       enum gate_file_basis basis, uint64_t address);

/* ---- profile ----------------------------------------------------------------------------------------------------- */

/**
 * Copy `profile` to `out` and add names. A location without a name gets it, with its inlined calls, from its binary or
 * perf map, if known. Source maps and mapping.txt give original names. C++ and Rust names are demangled. Locations of
 * native code that have a name keep it.
 *
 * `out` shares unchanged parts with `profile`, such as the samples. The rest is memory of `arena`; results that the
 * next profile can use are memory of the source's arena.
 *
 * err   GATE_ERR_FORMAT, GATE_ERR_LIMIT, GATE_ERR_IO with the path if a symbol file is damaged or takes too much work
 *
 * Call it while no other thread runs, because it forks (gate_subprocess_do). O(locations + samples), plus the look-up
 * of addresses that are new to `source`.
 */
GATE_MUST_CHECK
bool gate_symbolise(struct gate_profile *out, const struct gate_profile *profile, struct gate_symbol_source *source,
                    struct gate_arena *arena, struct gate_error *err);

#endif
