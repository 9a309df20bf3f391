/* SPDX-License-Identifier: Apache-2.0 */
/* The suggestion for a mistyped path. */

#include "gate/base/file.h"
#include "tests/unit/unit.h"

TEST(a_misspelt_name_is_found) {
    char near[GATE_NEAR_FILE_BYTES];
    assert_true(gate_near_file_find(near, GATE_SOURCE_DIR "/fixtures/go-service/cpu/regresion-2.pb.gz"));
    assert_string_equal(near, "regression-2.pb.gz");
    assert_true(gate_near_file_find(near, GATE_SOURCE_DIR "/LICENCE"));
    assert_string_equal(near, "LICENSE");
}

TEST(the_first_by_name_of_equally_near_files_is_found) {
    char near[GATE_NEAR_FILE_BYTES];
    assert_true(gate_near_file_find(near, GATE_SOURCE_DIR "/fixtures/go-service/cpu/regression-9.pb.gz"));
    assert_string_equal(near, "regression-1.pb.gz");
}

TEST(far_names_and_no_folder_give_none) {
    char near[GATE_NEAR_FILE_BYTES];
    assert_false(gate_near_file_find(near, GATE_SOURCE_DIR "/fixtures/go-service/cpu/zzzzzzzzzzzzzzzzzz"));
    assert_false(gate_near_file_find(near, GATE_SOURCE_DIR "/fixtures/taken/missing/heap-001-canary.pb.gz"));
    assert_false(gate_near_file_find(near, GATE_SOURCE_DIR "/no-such-folder/regression-1.pb.gz"));
    assert_false(gate_near_file_find(near, GATE_SOURCE_DIR "/"));
}
