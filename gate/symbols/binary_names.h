/* SPDX-License-Identifier: Apache-2.0 */
/* Names for the addresses of one ELF file, from DWARF, symbol tables and Go's function table. Uses libdw. */
#ifndef GATE_SYMBOLS_BINARY_NAMES_H
#define GATE_SYMBOLS_BINARY_NAMES_H

#include "gate/base/buf.h"
#include "gate/base/str.h"
#include "gate/base/table.h"
#include "gate/symbols/symbol_files.h"
#include "gate/symbols/symbol_lines.h"

/* ---- names of one binary ----------------------------------------------------------------------------------------- */

/* Names come from DWARF first, in the file or in a separate file (by build id, .gnu_debuglink or dwz), then from Go's
 * function table, then from the symbol tables, including the compressed one in .gnu_debugdata. A child process reads
 * them with libdw. */

/** Return whether this program was built with libdw. */
bool gate_binary_names_is_built(void);

/* The names of one binary are cached, so that the same addresses are not looked up again for the next profile. */

/** One binary. `path` must outlive it. */
struct gate_symbol_binary {
    const char *path;
    struct gate_table addresses; /* the eight bytes of each address looked up */
    struct gate_symbol_answer *answers;
    size_t answer_capacity;
    struct gate_str unused; /* reason why part of its debug information was not used; may be empty */
};

/**
 * Look up `count` addresses of the file, unless they are known. They may be in any order and repeated; the array is
 * sorted in place.
 *
 * files  files that may contain debug information
 * err    GATE_ERR_FORMAT, GATE_ERR_LIMIT, GATE_ERR_IO, GATE_ERR_MEMORY as from gate_subprocess_do, with the path;
 *        GATE_ERR_LIMIT if the arena is full; GATE_ERR_USAGE if built without libdw
 */
GATE_MUST_CHECK
bool gate_symbol_binary_learn(struct gate_symbol_binary *binary, const struct gate_symbol_files *files,
                              uint64_t *addresses, size_t count, struct gate_arena *arena, struct gate_error *err);

/** Return the calls at an address, or NULL if it was not looked up or nothing is known. O(1) expected. */
const struct gate_symbol_answer *gate_symbol_binary_find(const struct gate_symbol_binary *binary, uint64_t address);

/* ---- a child process with limits, which parses the untrusted binary ---------------------------------------------- */

/** Work of the child process: write the result for `question` to `out`. Returns false and sets `err` on failure. */
typedef bool gate_subprocess_work(struct gate_buf *out, const void *question, struct gate_error *err);

/** Limits of the child process. */
struct gate_subprocess_caps {
    uint32_t cpu_seconds;
    uint32_t wall_seconds; /* timeout; 0: none */
    size_t memory_bytes;   /* in addition to what this process uses */
    size_t answer_bytes;
};

/**
 * Run `work` on `question` in a child process and wait for it. Call it while no other thread runs, because it forks.
 *
 * out   result; malloc'ed, the caller frees it
 * err   the error of `work`; GATE_ERR_LIMIT if a limit was exceeded; GATE_ERR_FORMAT if the child crashed; GATE_ERR_IO
 *       if it could not be started or read from; GATE_ERR_MEMORY
 */
GATE_MUST_CHECK
bool gate_subprocess_do(struct gate_buf *out, gate_subprocess_work *work, const void *question,
                        const struct gate_subprocess_caps *caps, struct gate_error *err);

/* ---- Go's function table (pclntab) ------------------------------------------------------------------------------- */

/** An open table. All parts are views of `bytes`. */
struct gate_go_table {
    struct gate_str bytes;
    struct gate_str names, units, files, values, functions;
    uint64_t text; /* base address of the function entries */
    uint32_t function_count;
    uint8_t pointer_bytes, quantum;
    bool has_start_lines; /* Go 1.20 and later */
    bool is_big_endian;   /* as the binary's machine, such as s390x */
};

/** Function at an address. For inlined calls, the table only gives the function that contains them. */
struct gate_go_place {
    struct gate_str name, file; /* views of the table */
    int64_t line;               /* 0: unknown, or the address is in a function of another file that was inlined */
    int64_t start_line;
};

/**
 * Open the table in `bytes`, the contents of a section. Returns false if there is no table, or if it is of another byte
 * order or an older Go version, or is damaged.
 *
 * text  address of the section .text, used if the table does not contain it
 */
GATE_MUST_CHECK bool gate_go_table_open(struct gate_go_table *out, struct gate_str bytes, uint64_t text);

/**
 * Find the function at `address`. Returns false if it is not in a Go function. O(log functions + size of the function).
 */
GATE_MUST_CHECK bool gate_go_table_find(struct gate_go_place *out, const struct gate_go_table *table, uint64_t address);

#endif
