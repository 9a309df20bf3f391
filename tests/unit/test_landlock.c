/* SPDX-License-Identifier: Apache-2.0 */
/* base/sandbox: the rights of each rule, by the numbers of the kernel's documentation. What the kernel makes of them
 * is in test_sandbox.c. */
#include "gate/base/sandbox.h"
#include "tests/unit/unit.h"

enum {
    EXECUTE = 1,
    WRITE_FILE = 2,
    READ_FILE = 4,
    READ_DIR = 8,
    REMOVE_DIR = 16,
    REMOVE_FILE = 32,
    MAKE_CHAR = 64,
    MAKE_DIR = 128,
    MAKE_REG = 256,
    MAKE_SOCK = 512,
    MAKE_FIFO = 1024,
    MAKE_BLOCK = 2048,
    MAKE_SYM = 4096,
    TRUNCATE = 16384,
    FIRST = EXECUTE | WRITE_FILE | REMOVE_DIR | REMOVE_FILE | MAKE_CHAR | MAKE_DIR | MAKE_REG | MAKE_SOCK | MAKE_FIFO |
            MAKE_BLOCK | MAKE_SYM
};

TEST(everything_but_listing_is_denied) {
    assert_int_equal(gate_landlock_handled(1, false), FIRST);
    assert_int_equal(gate_landlock_handled(1, true), FIRST | READ_FILE);
    assert_int_equal(gate_landlock_handled(2, true), FIRST | READ_FILE);
    assert_int_equal(gate_landlock_handled(3, false), FIRST | TRUNCATE);
    assert_int_equal(gate_landlock_handled(7, true), FIRST | READ_FILE | TRUNCATE);
}

TEST(a_rule_of_a_folder_has_its_rights) {
    assert_int_equal(gate_landlock_rights(0, true), 0);
    assert_int_equal(gate_landlock_rights(GATE_LANDLOCK_READ, true), READ_FILE);
    assert_int_equal(gate_landlock_rights(GATE_LANDLOCK_WRITE, true), WRITE_FILE | TRUNCATE);
    assert_int_equal(gate_landlock_rights(GATE_LANDLOCK_MAKE, true), MAKE_REG | REMOVE_FILE);
    assert_int_equal(gate_landlock_rights(GATE_LANDLOCK_MAKE_FOLDERS, true), MAKE_DIR);
    assert_int_equal(gate_landlock_rights(GATE_LANDLOCK_DROP_FOLDERS, true), REMOVE_DIR);
    assert_int_equal(gate_landlock_rights(GATE_LANDLOCK_READ | GATE_LANDLOCK_MAKE, true),
                     READ_FILE | MAKE_REG | REMOVE_FILE);
}

TEST(a_rule_of_a_file_has_no_rights_of_folders) {
    assert_int_equal(gate_landlock_rights(GATE_LANDLOCK_READ | GATE_LANDLOCK_MAKE, false), READ_FILE);
    assert_int_equal(gate_landlock_rights(GATE_LANDLOCK_WRITE | GATE_LANDLOCK_MAKE_FOLDERS, false),
                     WRITE_FILE | TRUNCATE);
    assert_int_equal(gate_landlock_rights(GATE_LANDLOCK_DROP_FOLDERS, false), 0);
}

TEST(only_regular_files_can_be_created) {
    const uint64_t most = gate_landlock_rights(~0U, true);
    assert_int_equal(most & (EXECUTE | MAKE_CHAR | MAKE_BLOCK | MAKE_SOCK | MAKE_FIFO | MAKE_SYM), 0);
}
