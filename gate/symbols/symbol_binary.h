/* SPDX-License-Identifier: Apache-2.0 */
/* What is known of one binary: the calls at each address that a profile asked for, kept for the next profile.
 * Pipeline: symbols/binary_names.h -> symbols/symbol_binary.h -> symbols/symbolise.h */
#ifndef GATE_SYMBOLS_SYMBOL_BINARY_H
#define GATE_SYMBOLS_SYMBOL_BINARY_H

#include "gate/base/table.h"
#include "gate/symbols/symbol_lines.h"

/** One binary. `path` outlives it. */
struct gate_symbol_binary {
    const char *path;
    struct gate_table addresses; /* the eight bytes of each */
    struct gate_symbol_answer *answers;
    size_t answer_capacity;
};

void gate_symbol_binary_init(struct gate_symbol_binary *binary, const char *path, struct gate_arena *arena);

/**
 * Learn what is at `count` addresses, the file's own, in any order, also twice; they are sorted in place. What is known
 * is not asked again.
 *
 * files  where debug information may lie
 * err    GATE_ERR_FORMAT, GATE_ERR_LIMIT, GATE_ERR_IO what symbols/asking.h says, with the path; GATE_ERR_USAGE built
 *        without libdw
 */
GATE_MUST_CHECK
bool gate_symbol_binary_learn(struct gate_symbol_binary *binary, const struct gate_symbol_files *files,
                              uint64_t *addresses, size_t count, struct gate_arena *arena, struct gate_error *err);

/** What was learnt of an address; NULL: it was not asked for, or nothing is known. O(1) expected. */
const struct gate_symbol_answer *gate_symbol_binary_find(const struct gate_symbol_binary *binary, uint64_t address);

#endif
