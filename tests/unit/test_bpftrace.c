/* SPDX-License-Identifier: Apache-2.0 */
/* formats/tracers.c: maps with stacks are samples, other maps and what the program printed are left out. */
#include "foreign_fixture.h"

static const char plain[] =
    "Attaching 1 probe...\n\n\n@[\n    leaf+20\n    0x7fe9\n    main(int)+24\n]: 79\n@[\n    leaf+27\n"
    "    0x7fe9\n    main(int)+19\n]: 3\n@[]: 4\n@h[b]: 842\n@n: 842\n@sizes: \n[1]    3 |@@@|\n";

TEST(stacks_are_samples) {
    expect_stacks(gate_str_from(plain), GATE_FORMAT_BPFTRACE, "samples", "leaf<0x7fe9<main(int) 82\n4\n");
    expect_stacks(GATE_STR("@[\n\t562e leaf+20 (/bin/b)\n\t7f [unknown] (/lib/c)\n]: 9\n"), GATE_FORMAT_BPFTRACE, "",
                  "leaf<0x7f 9\n");
}

TEST(a_key_may_contain_stacks_and_texts) {
    struct gate_profile profile;
    static const char keys[] = "@s[7, b, \n    leaf+20\n]: 9\n@s[\n    schedule+35\n, \n    main+1\n, b]: 1\n";
    static const char name[] = "@s[b, \n    leaf+20\n]: 9\n";
    static const char number[] = "@s[\n    leaf+20\n, 7]: 9\n";
    expect_stacks(gate_str_from(keys), GATE_FORMAT_BPFTRACE, "", "leaf 9\nschedule<main 1\n");
    assert_true(gate_profile_load(&profile, gate_str_from(name), NULL, &arena, &err));
    assert_true(profile.has_labels);
    assert_true(gate_profile_load(&profile, gate_str_from(number), NULL, &arena, &err));
    assert_false(profile.has_labels);
}

TEST(errors_name_the_line) {
    refused("@[\n    f+1\n]: 9\n@b[\n    f+1\n]: 9\n", "line 4: a second map with stacks, '@b' beside '@'");
    refused("@[\n    f+1\n]: 9\n@[\n    f+1\n", "the text ends inside of a key");
    refused("@h[b]: 842\n", "text, not a profile");
    expect_limit(plain, &(struct gate_limits){.depth = 2}, "a stack has more than 2 frames; raise --max-depth");
    expect_limit(plain, &(struct gate_limits){.samples = 1}, "more than 1 samples; raise --max-samples");
    expect_limit(plain, &(struct gate_limits){.steps = 9}, "--max-steps");
    expect_clean_errors_within_memory(gate_str_from(plain));
}
