/* SPDX-License-Identifier: Apache-2.0 */
/* What `inspect` reports of how a profile was sampled: threads that wait, and stacks by frame pointers. */
#include "gate/base/arena.h"
#include "gate/names/inspection.h"
#include "profile_fixture.h"

/* Return the number of the oddity `code`; 0 if it is not reported. */
static uint64_t oddity_of(const char *text, enum gate_format format, const char *code) {
    struct gate_arena arena = {0};
    struct gate_buf bytes = {0};
    struct gate_profile profile;
    struct gate_inspection inspection;
    uint64_t count = 0;
    gate_buf_text(&bytes, text);
    expect_load(&profile, &bytes, &arena);
    profile.format = format;
    if (!gate_profile_inspect(&inspection, &profile, &(struct gate_counts_options){0}, &arena, &err))
        fail_msg("%s", err.message);
    for (uint32_t i = 0; i < inspection.oddity_count; i++)
        if (strcmp(inspection.oddities[i].code, code) == 0)
            count = inspection.oddities[i].count;
    gate_arena_free(&arena);
    gate_buf_free(&bytes);
    return count;
}

TEST(waiting_is_reported_in_per_cent_of_the_samples) {
    static const char many[] = "main (shop.py:1);serve (shop.py:2) 30\n"
                               "main (shop.py:1);Condition.wait (/usr/lib/python3.11/threading.py:327) 10\n";
    static const char few[] = "main (shop.py:1);serve (shop.py:2) 90\n"
                              "main (shop.py:1);Condition.wait (/usr/lib/python3.11/threading.py:327) 10\n";
    static const char not_python[] = "main;serve 30\nmain;epoll_wait 10\n";
    assert_int_equal(oddity_of(many, GATE_FORMAT_COLLAPSED, "waiting"), 25);
    assert_int_equal(oddity_of(few, GATE_FORMAT_COLLAPSED, "waiting"), 0);
    assert_int_equal(oddity_of(not_python, GATE_FORMAT_COLLAPSED, "waiting"), 0);
}

/* Of the leaves, 2 of 3 are in a shared library. */
#define RECORDED                                                                                                       \
    "shop 7 1.0: 1 cpu-clock: \n\t1 memset (/usr/lib/libc.so.6)\n\t2 main (/srv/shop)\n\t3 _start (/srv/shop)\n\n"     \
    "shop 7 1.1: 1 cpu-clock: \n\t1 memset (/usr/lib/libc.so.6)\n\t2 main (/srv/shop)\n\t3 _start (/srv/shop)\n\n"     \
    "shop 7 1.2: 1 cpu-clock: \n\t4 price (/srv/shop)\n\t2 main (/srv/shop)\n\t3 _start (/srv/shop)\n\n"

TEST(frame_pointers_are_reported_of_perf_data_alone) {
    assert_int_equal(oddity_of(RECORDED, GATE_FORMAT_PERF_DATA, "frame-pointers"), 67);
    assert_int_equal(oddity_of(RECORDED, GATE_FORMAT_PERF_SCRIPT, "frame-pointers"), 0); /* may be by DWARF */
    static const char flat[] = "shop 7 1.0: 1 cpu-clock: \n\t1 memset (/usr/lib/libc.so.6)\n\n";
    assert_int_equal(oddity_of(flat, GATE_FORMAT_PERF_DATA, "frame-pointers"), 0); /* recorded without stacks */
}
