/* SPDX-License-Identifier: Apache-2.0 */
/* Converts addresses of a profile's mapping to addresses in its binary, by the binary's load segments. */
#include "gate/symbols/file_address.h"

/* Return true if perf's text gave the addresses: where the mapping starts in the file is unknown. */
static bool is_without_offset(const struct gate_mapping *mapping) {
    return mapping->start == GATE_FILE_BASE && mapping->offset == 0 &&
           (mapping->limit == GATE_FILE_LIMIT || mapping->limit == GATE_FILE_BASE);
}

static bool is_kernel(const struct gate_mapping *mapping) {
    return mapping->start == GATE_FILE_BASE && gate_str_starts(mapping->file, GATE_STR("[kernel."));
}

static bool own_address(uint64_t *out, const struct gate_elf_head *head, uint64_t address) {
    const uint64_t own[3] = {0, 0, 0};
    return address >= GATE_FILE_BASE && gate_elf_head_address(out, head, address - GATE_FILE_BASE, own);
}

static bool mapped_address(uint64_t *out, const struct gate_elf_head *head, const struct gate_mapping *mapping,
                           uint64_t address) {
    const uint64_t place[3] = {mapping->start, mapping->limit, mapping->offset};
    return gate_elf_head_address(out, head, address, place);
}

void gate_file_fit_add(struct gate_file_fit *fit, const struct gate_elf_head *head, const struct gate_mapping *mapping,
                       uint64_t address) {
    uint64_t as_offset = 0, as_own = 0;
    bool is_offset = mapped_address(&as_offset, head, mapping, address), is_own = own_address(&as_own, head, address);
    fit->count++;
    fit->as_offset += is_offset;
    fit->as_own += is_own;
    fit->differ |= is_offset && is_own && as_offset != as_own;
}

/* `objcopy --only-keep-debug` changes the offsets of the segments and sets their size to 0; eu-strip keeps both. */
static bool has_offsets(const struct gate_elf_head *head) {
    return !head->is_debug_only || (head->load_count != 0 && head->loads[0].file_bytes != 0);
}

enum gate_file_basis gate_file_basis_of(const struct gate_elf_head *head, const struct gate_mapping *mapping,
                                        const struct gate_file_fit *fit) {
    if (!is_without_offset(mapping) || is_kernel(mapping))
        return GATE_FILE_BASIS_MAPPED;
    bool may_be_own = mapping->limit == GATE_FILE_BASE && head->is_fixed; /* other files are loaded much higher */
    bool fits_own = may_be_own && fit->as_own == fit->count;
    if (!has_offsets(head))
        return GATE_FILE_BASIS_NO_OFFSET;
    bool fits_offset = fit->as_offset == fit->count;
    if (!may_be_own || (fits_offset && (!fits_own || !fit->differ)))
        return GATE_FILE_BASIS_MAPPED;
    if (fits_offset)
        return GATE_FILE_BASIS_EITHER;
    return fits_own ? GATE_FILE_BASIS_OWN : GATE_FILE_BASIS_UNKNOWN;
}

/* The kernel is moved as a whole when it starts: its addresses count from its first code. */
static bool kernel_address(uint64_t *out, const struct gate_elf_head *head, uint64_t address) {
    const uint64_t own[3] = {0, 0, 0};
    if (head->load_count == 0)
        return false;
    return gate_elf_head_address(out, head, head->loads[0].address + (address - GATE_FILE_BASE), own);
}

bool gate_file_address(uint64_t *out, const struct gate_elf_head *head, const struct gate_mapping *mapping,
                       enum gate_file_basis basis, uint64_t address) {
    if (basis == GATE_FILE_BASIS_OWN)
        return own_address(out, head, address);
    if (basis != GATE_FILE_BASIS_MAPPED)
        return false;
    if (is_kernel(mapping))
        return kernel_address(out, head, address);
    if (is_without_offset(mapping) && head->is_debug_only) {
        struct gate_elf_head whole = *head; /* its segments have the binary's offsets (gate_file_basis_of) */
        whole.is_debug_only = false;
        return mapped_address(out, &whole, mapping, address);
    }
    return mapped_address(out, head, mapping, address);
}
