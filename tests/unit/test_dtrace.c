/* SPDX-License-Identifier: Apache-2.0 */
/* formats/tracers.c: stacks with a count are samples, texts of a key are labels, offsets are left out. */
#include "foreign_fixture.h"

#define F "              " /* frames are indented by 14 */
#define HEAD "CPU     ID                    FUNCTION:NAME\n  0  88888                       :tick-10s \n\n"

static const char plain[] = HEAD F "libc.so.1`read+0xa\n" F "shop`main+0x30\n               12\n\n" F
                                   "libc.so.1`read+0xf\n" F "shop`main+0x30\n                3\n";

TEST(stacks_are_samples) {
    expect_stacks(gate_str_from(plain), GATE_FORMAT_DTRACE, "samples", "read<main 15\n");
    expect_stacks(GATE_STR("\n" F "app`0x80506d8\n" F "0x7fe9\n                2\n\n                7\n"),
                  GATE_FORMAT_DTRACE, "", "0x80506d8<0x7fe9 2\n7\n");
    /* A frame of a language's helper is a leaf, too, and not a key. */
    expect_stacks(GATE_STR("\n" F "com/acme/Cart.add(I)V\n" F "libjvm.so`run+0x1\n                2\n"),
                  GATE_FORMAT_DTRACE, "", "com/acme/Cart.add(I)V<run 2\n");
    /* An indentation of frames of the user's own, and a file of Windows' line ends. */
    expect_stacks(GATE_STR("a`f+0x1\r\na`g\r\n 4\r\n"), GATE_FORMAT_DTRACE, "", "f<g 4\n");
}

TEST(only_the_offset_is_cut_off_names) {
    expect_stacks(GATE_STR("a`operator+(int)+0x3\na`operator+\na`f+0xz\na`g+3\na`-[A b]+0x1f\na`+0x1\n 4\n"),
                  GATE_FORMAT_DTRACE, "", "operator+(int)<operator+<f+0xz<g+3<-[A b]<+0x1 4\n");
}

TEST(modules_are_mappings) {
    struct gate_profile profile;
    assert_true(gate_profile_load(&profile, gate_str_from(plain), NULL, &arena, &err));
    assert_int_equal(profile.mapping_count, 2);
    assert_true(gate_str_equal(profile.mappings[0].file, GATE_STR("libc.so.1")));
    assert_false(profile.has_labels); /* the header is not a key */
}

TEST(a_key_may_contain_stacks_and_texts) {
    struct gate_profile profile;
    static const char keys[] =
        "\n  my shop   \n" F "unix`swtch+0x1\n\n" F "shop`main+0x3\n" F "[ a.py:3 (f) ]\n                9\n";
    static const char pid[] =
        "\n     1234\n" F "shop`f\n                1\n     1235\n" F "shop`g\n                2\n";
    expect_stacks(gate_str_from(keys), GATE_FORMAT_DTRACE, "", "swtch<main<[ a.py:3 (f) ] 9\n");
    expect_stacks(gate_str_from(pid), GATE_FORMAT_DTRACE, "", "f 1\ng 2\n");
    assert_true(gate_profile_load(&profile, gate_str_from(keys), NULL, &arena, &err));
    assert_true(profile.has_labels);
    assert_true(gate_profile_load(&profile, gate_str_from(pid), NULL, &arena, &err));
    assert_false(profile.has_labels);
}

TEST(errors_name_the_line) {
    refused("\n" F "a`f+0x1\n   3\n" F "a`g\n", "the last stack has no count");
    refused("`f\n 3\n", "text, not a profile");
    refused("a b`f\n 3\n", "text, not a profile");
    refused("a`f\nb\n 3\n", "text, not a profile");
    expect_limit(plain, &(struct gate_limits){.depth = 1}, "line 5: a stack has more than 1 frames; raise --max-depth");
    expect_limit(plain, &(struct gate_limits){.samples = 1}, "more than 1 samples; raise --max-samples");
    expect_limit(plain, &(struct gate_limits){.steps = 9}, "--max-steps");
    expect_clean_errors_within_memory(gate_str_from(plain));
}
