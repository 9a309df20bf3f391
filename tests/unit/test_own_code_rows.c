/* SPDX-License-Identifier: Apache-2.0 */
/* names/own_code.h: the parts of a frame that rows of the table test, and the tests. */
#include "gate/names/own_code.h"
#include "tests/unit/unit.h"

TEST(a_word_for_an_unknown_file_is_not_a_file) {
    static const char *const files[] = {"Unknown", "unknown", "<unknown>", "[unknown]", "??", "nothing", "x.c"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        const struct gate_code_place place = {GATE_STR("run"), gate_str_from(files[i]), GATE_STR(""), true};
        struct gate_own_code_lookup look;
        gate_own_code_lookup_at(&look, GATE_LANGUAGE_NATIVE, &place);
        assert_int_equal(look.on[GATE_OWN_CODE_ON_FILE].len, strcmp(files[i], "x.c") == 0 ? 3 : 0);
    }
}

/* Also at its very end, and not the beginning of a text. */
TEST(a_windows_path_contains_a_text_with_either_slash) {
    static const struct gate_own_code_test has = {GATE_OWN_CODE_ON_FILE, GATE_OWN_CODE_HOW_CONTAINS, 8, "/vendor/"},
                                           lacks = {GATE_OWN_CODE_ON_FILE, GATE_OWN_CODE_HOW_LACKS, 8, "/vendor/"};
    struct gate_own_code_lookup look = {.is_windows = true};
    look.on[GATE_OWN_CODE_ON_FILE] = GATE_STR("C:\\shop\\vendor\\");
    assert_true(gate_own_code_lookup_fits(&look, &has) && !gate_own_code_lookup_fits(&look, &lacks));
    look.on[GATE_OWN_CODE_ON_FILE] = GATE_STR("C:\\shop\\vendor");
    assert_true(!gate_own_code_lookup_fits(&look, &has) && gate_own_code_lookup_fits(&look, &lacks));
}
