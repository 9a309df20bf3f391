/* SPDX-License-Identifier: Apache-2.0 */
/* formats/valgrind.c: the tree of the peak is stacks, callers below the threshold are cut, and exact counts are
 * exact. */
#include "foreign_fixture.h"
#include "gate/model/effective_samples.h"

#define SNAPSHOT(number, tree)                                                                                         \
    "#-----------\nsnapshot=" number "\n#-----------\ntime=9\nmem_heap_B=60\nmem_heap_extra_B=8\n"                     \
    "mem_stacks_B=0\nheap_tree=" tree "\n"
#define HEAD(options) "desc: " options "\ncmd: ./shop 9\ntime_unit: i\n" SNAPSHOT("0", "empty")
#define ROOT(children) "n" children ": 60 (heap allocation functions) malloc/new/new[], --alloc-fns, etc.\n"
#define TREE                                                                                                           \
    ROOT("2")                                                                                                          \
    " n2: 50 0x109180: text_new (shop.c:9)\n"                                                                          \
    "  n1: 40 0x10928F: keep(int) (shop.c:23)\n"                                                                       \
    "   n0: 40 0x1092DD: main (shop.c:29)\n"                                                                           \
    "  n1: 10 0x1091E9: ??? (in /usr/bin/shop)\n"                                                                      \
    "   n0: 10 0x48A9249: (below main) (libc_start_call_main.h:58)\n"                                                  \
    " n0: 10 in 3 places, all below massif's threshold (1.00%)\n"
#define WHOLE                                                                                                          \
    ROOT("1")                                                                                                          \
    " n1: 60 0x109180: text_new (shop.c:9)\n"                                                                          \
    "  n0: 60 0x1092DD: main (shop.c:29)\n"
#define EXACT "--threshold=0 --peak-inaccuracy=0.0 --massif-out-file=m.out"

TEST(the_tree_of_the_peak_gives_the_stacks) {
    static const char stacks[] = "text_new<keep(int)<main 40\ntext_new<0x1091e9<(below main) 10\n10\n";
    expect_stacks(
        GATE_STR(HEAD("(none)") SNAPSHOT("1", "detailed") WHOLE SNAPSHOT("2", "peak") TREE SNAPSHOT("3", "empty")),
        GATE_FORMAT_MASSIF, "peak_space", stacks);
}

TEST(bytes_without_callers_end_at_their_frame) {
    expect_stacks(GATE_STR(HEAD("(none)") SNAPSHOT("1", "peak") ROOT(
                      "1") " n2: 50 0x1: f (a.c:9)\n"
                           "  n0: 20 0x2: g (a.c:7)\n  n0: 5 in 1 place, below massif's threshold (1.00%)\n"),
                  GATE_FORMAT_MASSIF, "", "f<g 20\nf 30\n10\n");
    expect_stacks(GATE_STR(HEAD("") SNAPSHOT("1", "peak") "n0: 60 (heap allocation functions)\n"), GATE_FORMAT_MASSIF,
                  "", "60\n");
}

static void expect_counts(const char *text, enum gate_counts_kind kind, const char *comment) {
    AT_END(gate_arena_free) struct gate_arena arena = {0};
    struct gate_profile profile;
    assert_true(gate_profile_load(&profile, gate_str_from(text), NULL, &arena, &err));
    assert_int_equal(gate_counts_choose(&profile, 0, NULL).kind, kind);
    assert_int_equal(profile.comment_count, comment != NULL);
    if (comment != NULL)
        assert_true(gate_str_equal(profile.comments[0], gate_str_from(comment)));
}

TEST(counts_are_exact_without_thresholds) {
    static const char cut[] = "10 bytes lack their outer callers, which are below massif's threshold";
    expect_counts(HEAD(EXACT) SNAPSHOT("1", "peak") WHOLE, GATE_COUNTS_EXACT, NULL);
    expect_counts(HEAD(EXACT) SNAPSHOT("1", "peak") TREE, GATE_COUNTS_UNKNOWN, cut);
    expect_counts(HEAD("--threshold=0") SNAPSHOT("1", "peak") WHOLE, GATE_COUNTS_UNKNOWN, NULL);
    expect_counts(HEAD("--peak-inaccuracy=0") SNAPSHOT("1", "peak") WHOLE, GATE_COUNTS_UNKNOWN, NULL);
    expect_counts(HEAD("--threshold=0.1 --peak-inaccuracy=0") SNAPSHOT("1", "peak") WHOLE, GATE_COUNTS_UNKNOWN, NULL);
    expect_counts(HEAD("--threshold=. --peak-inaccuracy=0") SNAPSHOT("1", "peak") WHOLE, GATE_COUNTS_UNKNOWN, NULL);
    expect_counts(HEAD("--threshold= --peak-inaccuracy=0") SNAPSHOT("1", "peak") WHOLE, GATE_COUNTS_UNKNOWN, NULL);
}

TEST(errors_name_the_line) {
    static const char good[] = HEAD("") SNAPSHOT("1", "peak") TREE;
    refused(HEAD(""), "no snapshot is marked as the peak ('heap_tree=peak')");
    refused(HEAD("") SNAPSHOT("1", "peak") WHOLE SNAPSHOT("2", "peak") WHOLE,
            "line 30: a second snapshot is marked as the peak");
    refused(HEAD("") SNAPSHOT("1", "peak") ROOT("2") " n0: 9 f\n", "line 22: expected 'nCALLERS: BYTES FRAME'");
    refused(HEAD("") SNAPSHOT("1", "peak") ROOT("1") " n-1: 9 f\n", "line 21: expected 'nCALLERS: BYTES FRAME'");
    refused(HEAD("") SNAPSHOT("1", "peak") ROOT("1") " n0: -9 f\n", "line 21: expected 'nCALLERS: BYTES FRAME'");
    refused(HEAD("") SNAPSHOT("1", "peak") ROOT("2") " n0: 60 f\n n0: 1 g\n",
            "line 22: the callers have more bytes than what they called");
    refused(HEAD("") SNAPSHOT("1", "peak") ROOT("2") " n0: 60 in 1 place\n n0: 1 in 1 place\n",
            "line 22: the callers have more bytes than what they called");
    refused(HEAD("") SNAPSHOT("1", "peak") ROOT("1") " n1: 60 in 2 places\n  n0: 60 f\n",
            "line 21: callers of a group of places");
    refused("desc: (none)\ncmd: ./shop\n", "text, not a profile");
    expect_limit(good, &(struct gate_limits){.depth = 2}, "line 23: a stack has more than 2 frames; raise --max-depth");
    expect_limit(good, &(struct gate_limits){.samples = 1}, "more than 1 samples; raise --max-samples");
    expect_limit(good, &(struct gate_limits){.steps = 9}, "--max-steps");
    expect_clean_errors_within_memory(gate_str_from(good));
}
