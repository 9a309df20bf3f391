/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses of a mapping in its binary: offsets by the load segments, and what perf's text leaves open. */
#include "profile_fixture.h"

#include "gate/symbols/elf_head.h"
#include "gate/symbols/symbolise.h"

/* A program at a fixed address: code at 0x201620, from byte 0x620 of the file on, 0x300000 bytes. */
static struct gate_elf_head fixed_head(void) {
    return (struct gate_elf_head){
        .loads = {{0x201620, 0x620, 0x300000, 0x300000}}, .load_count = 1, .is_fixed = true, .has_symbols = true};
}

static struct gate_mapping text_mapping(uint64_t limit) {
    return (struct gate_mapping){
        .start = GATE_FILE_BASE, .limit = limit, .file = GATE_STR("/srv/shop"), .build_id = GATE_STR("")};
}

static enum gate_file_basis basis_of(const struct gate_elf_head *head, const struct gate_mapping *mapping,
                                     uint64_t first, uint64_t second) {
    struct gate_file_fit fit = {0};
    gate_file_fit_add(&fit, head, mapping, first + GATE_FILE_BASE);
    gate_file_fit_add(&fit, head, mapping, second + GATE_FILE_BASE);
    return gate_file_basis_of(head, mapping, &fit);
}

static void expect_address(const struct gate_elf_head *head, const struct gate_mapping *mapping,
                           enum gate_file_basis basis, uint64_t address, uint64_t wanted) {
    uint64_t found = 0;
    assert_true(gate_file_address(&found, head, mapping, basis, address + GATE_FILE_BASE));
    assert_int_equal(found, wanted);
}

TEST(offsets_become_addresses_of_their_segment) {
    struct gate_elf_head head = fixed_head();
    struct gate_mapping mapping = text_mapping(GATE_FILE_LIMIT);
    uint64_t found = 0;
    assert_int_equal(basis_of(&head, &mapping, 0x630, 0x210000), GATE_FILE_BASIS_MAPPED);
    expect_address(&head, &mapping, GATE_FILE_BASIS_MAPPED, 0x630, 0x201630);
    assert_false(gate_file_address(&found, &head, &mapping, GATE_FILE_BASIS_MAPPED, 0x400000 + GATE_FILE_BASE));
}

TEST(addresses_that_fit_only_one_segment_decide_the_basis) {
    struct gate_elf_head head = fixed_head();
    struct gate_mapping mapping = text_mapping(GATE_FILE_BASE);
    uint64_t found = 0;
    assert_int_equal(basis_of(&head, &mapping, 0x630, 0x250000), GATE_FILE_BASIS_MAPPED);
    assert_int_equal(basis_of(&head, &mapping, 0x250000, 0x400000), GATE_FILE_BASIS_OWN);
    assert_int_equal(basis_of(&head, &mapping, 0x250000, 0x250010), GATE_FILE_BASIS_EITHER);
    assert_int_equal(basis_of(&head, &mapping, 0x630, 0x400000), GATE_FILE_BASIS_UNKNOWN);
    expect_address(&head, &mapping, GATE_FILE_BASIS_OWN, 0x400000, 0x400000);
    assert_false(gate_file_address(&found, &head, &mapping, GATE_FILE_BASIS_EITHER, 0x250000 + GATE_FILE_BASE));
    assert_false(gate_file_address(&found, &head, &mapping, GATE_FILE_BASIS_UNKNOWN, 0x630 + GATE_FILE_BASE));
}

TEST(equal_conversions_need_no_decision) {
    struct gate_elf_head head = fixed_head();
    struct gate_mapping mapping = text_mapping(GATE_FILE_BASE);
    head.loads[0].offset = head.loads[0].address;
    assert_int_equal(basis_of(&head, &mapping, 0x201630, 0x201640), GATE_FILE_BASIS_MAPPED);
}

/* A position-independent program is loaded much higher: a low address is an offset. */
TEST(low_addresses_of_movable_programs_are_offsets) {
    struct gate_elf_head head = fixed_head();
    struct gate_mapping mapping = text_mapping(GATE_FILE_BASE);
    head.is_fixed = false;
    assert_int_equal(basis_of(&head, &mapping, 0x250000, 0x250010), GATE_FILE_BASIS_MAPPED);
    expect_address(&head, &mapping, GATE_FILE_BASIS_MAPPED, 0x250000, 0x451000);
}

TEST(debug_information_lacks_the_offsets_unless_it_kept_them) {
    struct gate_elf_head head = fixed_head();
    struct gate_mapping text = text_mapping(GATE_FILE_LIMIT), mapped = text;
    head.is_debug_only = true;
    assert_int_equal(basis_of(&head, &text, 0x630, 0x640), GATE_FILE_BASIS_MAPPED); /* eu-strip -f keeps them */
    expect_address(&head, &text, GATE_FILE_BASIS_MAPPED, 0x630, 0x201630);
    head.loads[0] = (struct gate_elf_load){0x201620, 0x9000, 0, 0x300000}; /* objcopy does not */
    assert_int_equal(basis_of(&head, &text, 0x630, 0x640), GATE_FILE_BASIS_NO_OFFSET);
    mapped.limit = GATE_FILE_BASE + 0x301000; /* perf.data contains the start of the mapping */
    assert_int_equal(basis_of(&head, &mapped, 0x630, 0x640), GATE_FILE_BASIS_MAPPED);
    expect_address(&head, &mapped, GATE_FILE_BASIS_MAPPED, 0x630, 0x201630);
}

TEST(the_kernel_counts_from_its_first_code) {
    struct gate_elf_head head = {
        .loads = {{0xffffffff81000000, 0x200000, 0x1000000, 0x1000000}}, .load_count = 1, .is_fixed = true};
    struct gate_mapping mapping = text_mapping(GATE_FILE_LIMIT);
    uint64_t found = 0;
    mapping.file = GATE_STR("[kernel.kallsyms]");
    assert_int_equal(basis_of(&head, &mapping, 0x10, 0x20), GATE_FILE_BASIS_MAPPED);
    expect_address(&head, &mapping, GATE_FILE_BASIS_MAPPED, 0x10, 0xffffffff81000010);
    assert_false(gate_file_address(&found, &head, &mapping, GATE_FILE_BASIS_MAPPED, 0x1000000 + GATE_FILE_BASE));
    head.load_count = 0;
    assert_false(gate_file_address(&found, &head, &mapping, GATE_FILE_BASIS_MAPPED, 0x10 + GATE_FILE_BASE));
}
