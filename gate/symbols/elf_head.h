/* SPDX-License-Identifier: Apache-2.0 */
/* What the head of an ELF file says: its build id and where its code is loaded. Read here and not by a library, since
 * it is read of every file that `--symbols` names, whoever wrote it. Pipeline: symbols/elf_head.h ->
 * symbols/symbol_files.h -> symbols/symbolise.h */
#ifndef GATE_SYMBOLS_ELF_HEAD_H
#define GATE_SYMBOLS_ELF_HEAD_H

#include "gate/base/error.h"

#include <stddef.h>
#include <stdint.h>

enum { GATE_ELF_LOADS = 16, GATE_ELF_ID_BYTES = 64 };

/** A part of the file that is loaded and executed; addresses are the file's own (before it is moved in memory). */
struct gate_elf_load {
    uint64_t address, offset, file_bytes, memory_bytes;
};

/** The head of one file. */
struct gate_elf_head {
    char build_id[2 * GATE_ELF_ID_BYTES + 1]; /* lower-case hexadecimal, NUL-terminated; "": none */
    struct gate_elf_load loads[GATE_ELF_LOADS];
    uint32_t load_count;
    bool is_fixed;      /* loaded where it says (ET_EXEC) */
    bool has_symbols;   /* a symbol table that `strip` would take away */
    bool is_debug_only; /* `objcopy --only-keep-debug` made it: no code is in it */
};

/** Whether `bytes` begin as an ELF file does. */
bool gate_elf_head_sniff(const void *bytes, size_t len);

/**
 * Read the head of the file behind `descriptor`: at most 64 kB of it for each table, wherever they are said to be.
 * False: it is not an ELF file of this machine's byte order, or is damaged. O(tables).
 */
GATE_MUST_CHECK bool gate_elf_head_read(struct gate_elf_head *out, int descriptor);

/**
 * The file's own address of what was at `address` in a process, where `start`, `limit` and `offset` are of the mapping.
 * A mapping of zeros, or an address outside of it, is taken to be the file's own already, as agents write it that
 * normalise. False: nothing that is executed is there. O(loads).
 */
GATE_MUST_CHECK bool gate_elf_head_address(uint64_t *out, const struct gate_elf_head *head, uint64_t address,
                                           const uint64_t mapping[3]);

#endif
