/* SPDX-License-Identifier: Apache-2.0 */
/* The files given by --symbols, and which mapping each belongs to. */
#ifndef GATE_SYMBOLS_SYMBOL_FILES_H
#define GATE_SYMBOLS_SYMBOL_FILES_H

#include "gate/base/str.h"
#include "gate/symbols/elf_head.h"

/* A mapping's file is found by build id, or by name if the profile has no build id. */

enum gate_symbol_kind { GATE_SYMBOLS_ELF, GATE_SYMBOLS_PERF_MAP, GATE_SYMBOLS_SOURCE_MAP, GATE_SYMBOLS_CLASS_MAP };

/** One file. `path` is NUL-terminated. */
struct gate_symbol_file {
    struct gate_str path;
    enum gate_symbol_kind kind;
    struct gate_elf_head head; /* only for ELF files */
};

/** All files. Those of one call of gate_symbol_files_add are sorted by path. Arena memory. */
struct gate_symbol_files {
    struct gate_symbol_file *items;
    size_t count, capacity;
};

/**
 * Add a file, or the files in a folder and its subfolders. In a folder, only ELF files, perf-*.map, JSON files named
 * *.map and *mapping.txt are added.
 *
 * err   GATE_ERR_IO if `path` cannot be read; GATE_ERR_INPUT if it is a file of another kind; GATE_ERR_LIMIT if there
 *       are too many files
 *
 * O(files): only the start of each file is read.
 */
GATE_MUST_CHECK
bool gate_symbol_files_add(struct gate_symbol_files *files, const char *path, struct gate_arena *arena,
                           struct gate_error *err);

#endif
