/* SPDX-License-Identifier: Apache-2.0 */
/* The files that `--symbols` names, and which of them a mapping means: by build id, or where the profile has none by
 * name. Pipeline: symbols/elf_head.h -> symbols/symbol_files.h -> symbols/symbolise.h */
#ifndef GATE_SYMBOLS_SYMBOL_FILES_H
#define GATE_SYMBOLS_SYMBOL_FILES_H

#include "gate/base/str.h"
#include "gate/symbols/elf_head.h"

enum gate_symbol_kind { GATE_SYMBOLS_ELF, GATE_SYMBOLS_PERF_MAP, GATE_SYMBOLS_SOURCE_MAP, GATE_SYMBOLS_CLASS_MAP };

enum { GATE_SYMBOL_FILES_MAX = 200000, GATE_SYMBOL_FOLDERS_MAX = 16 };

/** One file; the view is NUL-terminated. */
struct gate_symbol_file {
    struct gate_str path;
    enum gate_symbol_kind kind;
    struct gate_elf_head head; /* of an ELF file */
};

/** All of them, in the order of their paths within each call of gate_symbol_files_add. Arena memory. */
struct gate_symbol_files {
    struct gate_symbol_file *items;
    size_t count, capacity;
};

/**
 * Add a file, or what is in a folder and the folders in it: of a folder ELF files, perf-*.map, the JSON
 * files *.map and *mapping.txt alone.
 *
 * err   GATE_ERR_IO it cannot be read; GATE_ERR_INPUT a file of no known kind; GATE_ERR_LIMIT too many files
 *
 * O(files): of each only the head is read.
 */
GATE_MUST_CHECK
bool gate_symbol_files_add(struct gate_symbol_files *files, const char *path, struct gate_arena *arena,
                           struct gate_error *err);

/** What a search found. */
struct gate_symbol_match {
    const struct gate_symbol_file *file; /* NULL: none */
    bool is_ambiguous;                   /* several fit as well, so that none does */
};

/** The ELF file of this build id (lower-case hexadecimal); one with code in it before one of debug information alone.
 */
struct gate_symbol_match gate_symbol_files_by_id(const struct gate_symbol_files *files, struct gate_str build_id);

/** The ELF file of this base name; of several, the one that shares most folders at the end of the path. */
struct gate_symbol_match gate_symbol_files_by_name(const struct gate_symbol_files *files, struct gate_str path);

/** The source map of a script, a path or a URL: its base name and ".map"; of several as above. */
struct gate_symbol_match gate_symbol_files_by_script(const struct gate_symbol_files *files, struct gate_str script);

/**
 * The build id as files have it: lower case, into `out`. False: it is none that a linker writes, such as Go's own.
 */
bool gate_symbol_files_id(char out[2 * GATE_ELF_ID_BYTES + 1], struct gate_str build_id);

#endif
