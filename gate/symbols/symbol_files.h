/* SPDX-License-Identifier: Apache-2.0 */
/* The files given by --symbols, and which mapping each belongs to. */
#ifndef GATE_SYMBOLS_SYMBOL_FILES_H
#define GATE_SYMBOLS_SYMBOL_FILES_H

#include "gate/base/buf.h"
#include "gate/base/str.h"
#include "gate/symbols/elf_head.h"

/* ---- files and their mappings ------------------------------------------------------------------------------------ */

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

/* ---- looking up addresses: question and answers, and their exchange between two processes ------------------------ */

enum { GATE_SYMBOL_LINES_MAX = 256, GATE_SYMBOL_NAME_BYTES = 16 * 1024 };

/** The addresses to look up. */
struct gate_symbol_question {
    const char *path;                      /* path of the binary */
    const struct gate_symbol_files *files; /* files that may contain its debug information */
    const uint64_t *addresses;             /* addresses in the file, ascending */
    size_t count;
};

/** One call: a function, and the place in it. Unknown numbers are 0, and unknown texts other than `name` are empty. */
struct gate_symbol_line {
    struct gate_str name;        /* demangled */
    struct gate_str system_name; /* linkage name */
    struct gate_str file;
    int64_t line, start_line;
    uint32_t column; /* 0 for binaries */
};

/** The calls at one address, innermost first; empty if no name is known. */
struct gate_symbol_answer {
    const struct gate_symbol_line *lines;
    uint32_t count;
};

/** Append one answer to `out`. Names longer than GATE_SYMBOL_NAME_BYTES are cut. */
void gate_symbol_lines_write(struct gate_buf *out, const struct gate_symbol_line *lines, uint32_t count);

/**
 * Read `count` answers. Text is converted to valid UTF-8. Views point into `bytes` or the arena.
 *
 * err   GATE_ERR_FORMAT if answers are missing; GATE_ERR_LIMIT or GATE_ERR_MEMORY if the arena is full
 */
GATE_MUST_CHECK
bool gate_symbol_lines_read(struct gate_symbol_answer *out, size_t count, struct gate_str bytes,
                            struct gate_arena *arena, struct gate_error *err);

#endif
