/* SPDX-License-Identifier: Apache-2.0 */
/* formats/valgrind.c: columns, frames and mistakes of small files. */
#include "foreign_fixture.h"

#define SITE(stack) "{\"tb\":100,\"tbk\":4,\"gb\":30,\"gbk\":2,\"eb\":10,\"ebk\":1,\"fs\":" stack "}"
#define FILE_OF(head, sites)                                                                                           \
    "{\"dhatFileVersion\":2," head ",\"pps\":[" sites "],\"ftbl\":[\"[root]\",\"0x48: malloc (in /lib/v (deleted))\"," \
    "\"0x49: f(int) (a.c:65)\",\"0x4A: ??? (in /bin/x)\",\"0x4B: ???\",\"main (src/m.rs:3:9)\",\"g\"]}"
#define HEAP "\"mode\":\"heap\",\"bklt\":true"

TEST(each_dhat_mode_has_its_columns) {
    static const char *const columns[][2] = {{"alloc_space", "100"}, {"alloc_objects", "4"}, {"peak_space", "30"},
                                             {"peak_objects", "2"},  {"inuse_space", "10"},  {"inuse_objects", "1"}};
    char wanted[60];
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        snprintf(wanted, sizeof wanted, "malloc<f(int)<main %s\n", columns[i][1]);
        expect_stacks(GATE_STR(FILE_OF(HEAP, SITE("[1,2,5]"))), GATE_FORMAT_DHAT, columns[i][0], wanted);
    }
    expect_stacks(GATE_STR(FILE_OF(HEAP, SITE("[6]"))), GATE_FORMAT_DHAT, "", "g 100\n");
    expect_stacks(GATE_STR(FILE_OF("\"mode\":\"ad-hoc\",\"bklt\":false", SITE("[6]"))), GATE_FORMAT_DHAT, "units",
                  "g 100\n");
    expect_stacks(GATE_STR(FILE_OF("\"mode\":\"copy\",\"bklt\":false", SITE("[6]"))), GATE_FORMAT_DHAT, "alloc_objects",
                  "g 4\n");
}

TEST(dhat_frames_have_file_and_line) {
    struct gate_profile profile;
    assert_true(gate_profile_load(&profile, GATE_STR(FILE_OF(HEAP, SITE("[1,2,3,4,5]"))), NULL, &arena, &err));
    struct gate_location f = gate_location_at(&profile, 1), unnamed = gate_location_at(&profile, 2);
    assert_int_equal(profile.function_count, 3);
    assert_true(gate_str_equal(profile.functions[1].name, GATE_STR("f(int)")));
    assert_true(gate_str_equal(profile.functions[1].file, GATE_STR("a.c")));
    assert_int_equal(gate_location_line(&profile, &f, 0).line, 65);
    assert_true(gate_str_equal(profile.functions[2].file, GATE_STR("src/m.rs")));
    assert_int_equal(unnamed.line_count, 0);
    assert_int_equal(profile.mapping_count, 2);
    assert_true(gate_str_equal(profile.mappings[0].file, GATE_STR("/lib/v (deleted)")));
}

TEST(errors_name_the_place) {
    refused("{\"dhatFileVersion\":3}", "version 3 of DHAT's format");
    refused("{\"dhatFileVersion\":2}", "expected a list in 'pps'");
    refused("{\"dhatFileVersion\":2,\"ftbl\":[3]}", "ftbl[0]: expected a text");
    refused(FILE_OF(HEAP, SITE("[7]")), "pps[0].fs[0] is not in 'ftbl'");
    refused(FILE_OF(HEAP, SITE("[-1]")), "pps[0].fs[0] is not in 'ftbl'");
    refused(FILE_OF(HEAP, SITE("[\"1\"]")), "pps[0].fs[0] is not in 'ftbl'");
    refused(FILE_OF(HEAP, SITE("1")), "pps[0]: expected a list in 'fs'");
    refused(FILE_OF(HEAP, "{\"fs\":[1],\"gbk\":-1}"), "pps[0]: expected a number of 0 or more in 'gbk'");
    expect_limit(FILE_OF(HEAP, SITE("[1,2]")), &(struct gate_limits){.depth = 1}, "pps[0] is 2 frames deep");
    expect_limit(FILE_OF(HEAP, SITE("[1,2]")), &(struct gate_limits){.steps = 9}, "--max-steps");
    expect_clean_errors_within_memory(GATE_STR(FILE_OF(HEAP, SITE("[1,2,3]"))));
}
