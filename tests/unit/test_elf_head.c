/* SPDX-License-Identifier: Apache-2.0 */
/* Heads of ELF files: this program's own, cut ones, and where a mapping's addresses are in the file. */
#include "profile_fixture.h"

#include "gate/base/hash.h"
#include "gate/symbols/elf_head.h"

#include <fcntl.h>
#include <unistd.h>

static void this_program_has_code(void **state) {
    (void)state;
    struct gate_elf_head head;
    int descriptor = open("/proc/self/exe", O_RDONLY);
    if (descriptor < 0)
        skip(); /* no Linux */
    assert_true(gate_elf_head_read(&head, descriptor));
    (void)close(descriptor);
    assert_true(head.load_count >= 1 && head.load_count <= GATE_ELF_LOADS);
    assert_true(head.loads[0].memory_bytes > 1000);
    assert_false(head.is_debug_only);
    assert_true(strlen(head.build_id) % 2 == 0 && strspn(head.build_id, "0123456789abcdef") == strlen(head.build_id));
}

/* The first bytes of this program, cut and then damaged: refused or read, and never more parts than there is room. */
static void cut_and_damaged_files_are_survived(void **state) {
    (void)state;
    static char bytes[4096];
    char path[] = "/tmp/gate-elf-XXXXXX";
    int own = open("/proc/self/exe", O_RDONLY), descriptor = mkstemp(path);
    struct gate_elf_head head;
    uint64_t random = 1;
    if (own < 0 || descriptor < 0)
        skip();
    assert_int_equal(read(own, bytes, sizeof bytes), sizeof bytes);
    (void)close(own);
    for (size_t turn = 0; turn < 600; turn++) {
        size_t len = turn < 300 ? turn * 4 : sizeof bytes;
        assert_int_equal(ftruncate(descriptor, 0), 0);
        assert_int_equal(pwrite(descriptor, bytes, len, 0), len);
        for (int i = 0; turn >= 300 && i < 8; i++) {
            random = gate_hash_mix(random);
            char byte = (char)(random >> 32);
            assert_int_equal(pwrite(descriptor, &byte, 1, 4 + (off_t)(random % 800)), 1);
        }
        bool is_read = gate_elf_head_read(&head, descriptor);
        assert_true(len >= 64 || !is_read);
        assert_true(head.load_count <= GATE_ELF_LOADS);
    }
    (void)close(descriptor);
    (void)unlink(path);
}

/* A program linked at 0x1000 whose code lies at 0x400 of the file. */
static const struct gate_elf_head moved = {.loads = {{0x1400, 0x400, 0x800, 0x800}}, .load_count = 1};

static uint64_t address_of(const struct gate_elf_head *head, uint64_t address, uint64_t start, uint64_t limit,
                           uint64_t offset) {
    const uint64_t mapping[3] = {start, limit, offset};
    uint64_t found = 0;
    return gate_elf_head_address(&found, head, address, mapping) ? found : 0;
}

static void addresses_are_the_files_own(void **state) {
    (void)state;
    assert_int_equal(address_of(&moved, 0x7f0000000410, 0x7f0000000000, 0x7f0000001000, 0), 0x1410);
    assert_int_equal(address_of(&moved, 0x7f0000000410, 0x7f0000000400, 0x7f0000001000, 0x400), 0x1410);
    assert_int_equal(address_of(&moved, 0x7f0000000010, 0x7f0000000000, 0x7f0000001000, 0), 0); /* before the code */
    assert_int_equal(address_of(&moved, 0x7f0000000c00, 0x7f0000000000, 0x7f0000001000, 0), 0); /* behind it */
    /* Normalised by the agent: mappings of zeros, or addresses that lie outside. */
    assert_int_equal(address_of(&moved, 0x1410, 0, 0, 0), 0x1410);
    assert_int_equal(address_of(&moved, 0x1410, 0x7f0000000000, 0x7f0000001000, 0x400), 0x1410);
    assert_int_equal(address_of(&moved, 0x410, 0, 0, 0), 0);
}

static void debug_files_have_no_offsets(void **state) {
    (void)state;
    struct gate_elf_head debug = {.loads = {{0x1410, 0x40, 0, 0x800}}, .load_count = 1, .is_debug_only = true};
    /* The part was mapped from the page that it begins in: 0x1000, file offset 0. */
    assert_int_equal(address_of(&debug, 0x7f0000000420, 0x7f0000000000, 0x7f0000001000, 0), 0x1420);
    assert_int_equal(address_of(&debug, 0x7f0000000420, 0x7f0000000000, 0x7f0000001000, 0x3000), 0x1420);
    debug.load_count = 2; /* which of them was mapped is not known */
    assert_int_equal(address_of(&debug, 0x7f0000000420, 0x7f0000000000, 0x7f0000001000, 0), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(this_program_has_code),
        cmocka_unit_test(cut_and_damaged_files_are_survived),
        cmocka_unit_test(addresses_are_the_files_own),
        cmocka_unit_test(debug_files_have_no_offsets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
