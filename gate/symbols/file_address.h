/* SPDX-License-Identifier: Apache-2.0 */
/* Converts addresses of a profile's mapping to addresses in its binary, by the binary's load segments. */
#ifndef GATE_SYMBOLS_FILE_ADDRESS_H
#define GATE_SYMBOLS_FILE_ADDRESS_H

#include "gate/model/profile.h"
#include "gate/symbols/elf_head.h"

/** What the addresses of a mapping are. */
enum gate_file_basis {
    GATE_FILE_BASIS_MAPPED,   /* addresses of the mapping, or offsets in the file */
    GATE_FILE_BASIS_OWN,      /* addresses in the file, plus GATE_FILE_BASE */
    GATE_FILE_BASIS_EITHER,   /* offsets or addresses in the file: function bounds have to decide */
    GATE_FILE_BASIS_UNKNOWN,  /* neither fits, or both do equally well: no address is converted */
    GATE_FILE_BASIS_NO_OFFSET /* offsets, and a file with only debug information, which lacks those of the binary */
};

/** Counts the addresses of a mapping that are possible under each basis. Zero-initialise. */
struct gate_file_fit {
    uint64_t count;     /* addresses */
    uint64_t as_offset; /* those that are offsets of code in the file */
    uint64_t as_own;    /* those that are addresses of code in the file */
    bool differ;        /* the two conversions of some address differ */
};

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

#endif
