/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the build id and the executable load segments of an ELF file, and converts addresses of mappings by them. */
#ifndef GATE_SYMBOLS_ELF_HEAD_H
#define GATE_SYMBOLS_ELF_HEAD_H

#include "gate/base/error.h"

#include <stddef.h>
#include <stdint.h>

enum { GATE_ELF_LOADS = 16, GATE_ELF_ID_BYTES = 64 };

/** An executable load segment. Addresses are those in the file, before relocation. */
struct gate_elf_load {
    uint64_t address, offset, file_bytes, memory_bytes;
};

/** Header information of one ELF file. */
struct gate_elf_head {
    char build_id[2 * GATE_ELF_ID_BYTES + 1]; /* lower-case hexadecimal, NUL-terminated; "": none */
    struct gate_elf_load loads[GATE_ELF_LOADS];
    uint32_t load_count;
    bool is_fixed;      /* loaded at the addresses in the file (ET_EXEC) */
    bool has_symbols;   /* has a symbol table that `strip` would remove */
    bool is_cut;        /* truncated: not all section headers, which are written last, are in the file */
    bool is_debug_only; /* made by `objcopy --only-keep-debug`: contains no code */
};

/** Return whether `bytes` start like an ELF file. */
bool gate_elf_head_sniff(const void *bytes, size_t len);

/**
 * Read the headers of the file `descriptor`, at most 64 kB of each table. Returns false if it is not an ELF file of
 * this machine's byte order, or is damaged. O(tables).
 */
GATE_MUST_CHECK bool gate_elf_head_read(struct gate_elf_head *out, int descriptor);

/**
 * Convert `address` of a process to an address in the file. Returns false if the file has no executable code there.
 * O(loads).
 *
 * mapping  start, limit and offset of the process's mapping. If start and offset are 0, or `address` is outside the
 *          mapping, `address` is taken as one in the file already: some agents normalise addresses
 */
GATE_MUST_CHECK bool gate_elf_head_address(uint64_t *out, const struct gate_elf_head *head, uint64_t address,
                                           const uint64_t mapping[3]);

/* ---- addresses of a mapping, as addresses in its binary ---------------------------------------------------------- */

/** What the addresses of a mapping are. */
enum gate_file_basis {
    GATE_FILE_BASIS_MAPPED,   /* addresses of the mapping, or offsets in the file */
    GATE_FILE_BASIS_OWN,      /* addresses in the file, plus GATE_FILE_BASE */
    GATE_FILE_BASIS_EITHER,   /* offsets or addresses in the file: the functions' bounds decide */
    GATE_FILE_BASIS_UNKNOWN,  /* neither fits, or both do equally well: no address is converted */
    GATE_FILE_BASIS_NO_OFFSET /* offsets, but the file has only debug information and lacks the offsets of the binary */
};

/** Counts the addresses of a mapping that are possible under each basis. Zero-initialise. */
struct gate_file_fit {
    uint64_t count;     /* addresses */
    uint64_t as_offset; /* those that are valid as offsets of code in the file */
    uint64_t as_own;    /* those that are valid as addresses of code in the file */
    bool differ;        /* the two conversions of some address differ */
};

#endif
