/* SPDX-License-Identifier: Apache-2.0 */
/* Source files of JavaScript that are the same on both sides. */
#ifndef GATE_COMPARE_SCRIPT_FILES_H
#define GATE_COMPARE_SCRIPT_FILES_H

#include "gate/base/table.h"
#include "gate/compare/pair_types.h"

/** The files of the functions of all runs. Valid as long as the arena and the profiles are. */
struct gate_script_files {
    struct gate_table paths;
    uint32_t *file_of;                 /* by path: the file; two paths may be those of one file in two folders */
    struct gate_str (*on)[GATE_SIDES]; /* by file: its path on each side; empty: it is not there */
    bool *differs;                     /* by file: the other side lacks it, or functions begin at other lines there */
};

/** Return whether a function of JavaScript has a name of its own, and begins at a known line. O(1). */
bool gate_script_has_name(const struct gate_function *function);

/**
 * Find which files are the same. A path that only one side has is one of another folder, such as that of a checkout or
 * a release, if the end of it from some folder on, the longer the better, is that of one path which only the other side
 * has.
 *
 * profiles  of `count` runs, each of the side in `sides`
 *
 * O(functions + paths * folders). Returns false if the arena is full.
 */
GATE_MUST_CHECK
bool gate_script_files_find(struct gate_script_files *out, const struct gate_profile *const *profiles, const int *sides,
                            uint32_t count, struct gate_arena *arena);

/** Return the file of a path that some run has. O(1). */
uint32_t gate_script_files_at(const struct gate_script_files *files, struct gate_str path);

#endif
