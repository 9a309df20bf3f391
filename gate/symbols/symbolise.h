/* SPDX-License-Identifier: Apache-2.0 */
/* Adds names from symbol files to a profile. */
#ifndef GATE_SYMBOLS_SYMBOLISE_H
#define GATE_SYMBOLS_SYMBOLISE_H

#include "gate/base/error.h"
#include "gate/model/profile.h"
#include "gate/symbols/class_map.h"
#include "gate/symbols/source_map.h"
#include "gate/symbols/symbol_files.h"
#include "gate/symbols/symbol_source.h"

#include <stdint.h>

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

/* ---- frames of the JVM: the original names of classes and methods that ProGuard or R8 renamed -------------------- */

/** A frame of the JVM. Its name may be "a.b.c", "a/b.c" or "La/b;::c", followed by ":12", "(B.java:12)" or "_[j]". */
struct gate_class_place {
    struct gate_str name;
    struct gate_str file; /* may be empty */
    int64_t line;         /* 0: unknown, unless the name contains a line */
    bool has_slashes;     /* the profile writes class names with slashes; for classes without a package */
};

/**
 * Find the original calls of a frame, innermost first. There are several if calls were inlined at the frame's line.
 * Without a known line, only the method is found. If several methods are possible, only the class gets its original
 * name. `out->count` is 0 if the map does not contain the class.
 *
 * "_[j]" after the name is kept, ":12" becomes the original line, and parameters or "(B.java:12)" are removed.
 *
 * err   GATE_ERR_LIMIT or GATE_ERR_MEMORY if the arena is full
 *
 * O(rows of the name in that class), at most GATE_CLASS_ROWS_MAX.
 */
GATE_MUST_CHECK
bool gate_class_names_find(struct gate_symbol_answer *out, const struct gate_class_map *map,
                           const struct gate_class_place *place, struct gate_arena *arena, struct gate_error *err);

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
 * err   GATE_ERR_LIMIT or GATE_ERR_MEMORY if the arena is full
 *
 * O(log segments), plus at most GATE_SOURCE_COLUMNS_MAX bytes of the source's text.
 */
GATE_MUST_CHECK
bool gate_script_names_find(struct gate_symbol_line *out, const struct gate_source_map *map,
                            const struct gate_script_place *place, struct gate_arena *arena, struct gate_error *err);

/* ---- profile ----------------------------------------------------------------------------------------------------- */

/**
 * Copy `profile` to `out` and add names: a name for each location without one whose binary or perf map is known, with
 * its inlined calls; original names from source maps and mapping.txt; demangled C++ and Rust names. Locations of native
 * code that have a name keep it.
 *
 * `out` shares unchanged parts with `profile`, such as the samples. The rest is memory of `arena`; results that the
 * next profile can use are memory of the source's arena.
 *
 * err   GATE_ERR_FORMAT, GATE_ERR_LIMIT, GATE_ERR_IO with the path if a symbol file is damaged or takes too much work;
 *       GATE_ERR_LIMIT or GATE_ERR_MEMORY if the arena is full
 *
 * Call it while no other thread runs, because it forks (gate_subprocess_do). O(locations + samples), plus the look-up
 * of addresses that are new to `source`.
 */
GATE_MUST_CHECK
bool gate_symbolise(struct gate_profile *out, const struct gate_profile *profile, struct gate_symbol_source *source,
                    struct gate_arena *arena, struct gate_error *err);

#endif
