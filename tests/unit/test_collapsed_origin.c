/* SPDX-License-Identifier: Apache-2.0 */
/* The process and thread before a collapsed stack, as py-spy 0.4.3, async-profiler 4.3 and CPython 3.15.2 write it. */
#include "foreign_fixture.h"
#include "gate/formats/collapsed.h"
#include "gate/formats/text_line.h"

/* Expect the labels cut off `text` and the rest of it, written "key=text key=text|rest". */
static void expect_origin(const char *text, const char *wanted) {
    struct gate_str stack = gate_str_from(text);
    AT_END(gate_buf_free) struct gate_buf out = {0};
    struct gate_collapsed_origin origin = gate_collapsed_origin_cut(&stack);
    for (uint32_t i = 0; i < origin.label_count; i++)
        gate_buf_printf(&out, "%s%.*s=%.*s", i == 0 ? "" : " ", GATE_STR_ARG(origin.labels[i].key),
                        GATE_STR_ARG(origin.labels[i].text));
    gate_buf_printf(&out, "|%.*s", GATE_STR_ARG(stack));
    if (!gate_str_equal(gate_buf_view(&out), gate_str_from(wanted)))
        fail_msg("of %s: got %.*s, expected %s", text, GATE_STR_ARG(gate_buf_view(&out)), wanted);
}

TEST(origins_are_cut_off) {
    expect_origin("thread (17816): MainThread;<module> (shop.py:11);work (shop.py:8)",
                  "thread=MainThread|<module> (shop.py:11);work (shop.py:8)");
    expect_origin("thread (18003): worker;0;run (threading.py:1002)", "thread=worker;0|run (threading.py:1002)");
    expect_origin("thread (0x7F34AB);run (threading.py:1002)", "thread=0x7F34AB|run (threading.py:1002)");
    expect_origin("thread (7): idle", "thread=idle|");
    expect_origin("process 12:\"python shop.py\";thread (7): A;f (a.py:1)",
                  "process=python shop.py thread=A|f (a.py:1)");
    expect_origin("process 12:\"python -c 'a;b'\";f (a.py:1)", "process=python -c 'a;b'|f (a.py:1)");
    expect_origin("process 12:\"\"", "process=|");
    expect_origin("[DestroyJavaVM tid=3206];Shop.main;Shop.run", "thread=DestroyJavaVM|Shop.main;Shop.run");
    expect_origin("[pool;1 tid=3206];Shop.main", "thread=pool;1|Shop.main");
    expect_origin("tid:140234;shop.py:main:3", "thread=140234|shop.py:main:3");
}

TEST(frames_are_not_taken_for_an_origin) {
    static const char *const plain[] = {
        "",        "main;run",        "thread (main);run", "thread (7)x;run", "process 12;run", "process x:\"a\";run",
        "[jit];f", "[a tid=x];run",   "[a tid=];run",      "[a tid=7]x;run",  "tid:;run",       "tid:7x;run",
        "[",       "process 1:\"a;b", "thread (;x",        "a;[b tid=7];c"};
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) {
        char wanted[100];
        snprintf(wanted, sizeof wanted, "|%s", plain[i]);
        expect_origin(plain[i], wanted);
    }
}

TEST(cpythons_frames_have_three_parts) {
    struct gate_str function, file;
    int64_t line = 0;
    assert_true(gate_collapsed_origin_frame(&function, &file, &line, GATE_STR("a:b.py:<listcomp>:12")));
    assert_true(gate_str_equal(function, GATE_STR("<listcomp>")) && gate_str_equal(file, GATE_STR("a:b.py")));
    assert_int_equal(line, 12);
    static const char *const others[] = {"<GC>", "<native>", "a:b", ":f:1", "a.py::1", "a.py:f:x", "a.py:f:1x", ""};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_false(gate_collapsed_origin_frame(&function, &file, &line, gate_str_from(others[i])));
    expect_stacks(GATE_STR("tid:7;shop.py:main:3;shop.py:f:9;<GC> 2\ntid:8;shop.py:main:3;shop.py:f:9;<GC> 1\n"),
                  GATE_FORMAT_COLLAPSED, "", "<GC><f (shop.py)<main (shop.py) 3\n");
}

TEST(threads_are_labels) {
    struct gate_profile profile;
    assert_true(gate_profile_load(&profile, GATE_STR("[a tid=1];f;g 2\n[b tid=2];f;g 3\n"), NULL, &arena, &err));
    assert_true(profile.has_labels);
    assert_int_equal(profile.sample_count, 2);
    assert_int_equal(profile.function_count, 2);
}

/* In real files the thread becomes a label and no frame. The total is the sum of the lines' counts. */
TEST(real_threads_are_labels) {
    static const char *const files[] = {"py-spy", "async-profiler"};
    for (int i = 0; i < 2; i++) {
        char path[300];
        struct gate_profile profile;
        struct gate_stacks stacks;
        struct gate_counts_model model = {GATE_COUNTS_VALUE, 0, GATE_NO_INDEX, GATE_NO_INDEX, 0, 1, 0, NULL};
        int64_t total = 0, count = 0;
        snprintf(path, sizeof path, GATE_SOURCE_DIR "/fixtures/producers/%s/threads.collapsed", files[i]);
        struct gate_str text = read_fixture(path, &arena), line;
        for (struct gate_str rest = text; gate_text_line_next(&rest, &line); total += count) {
            size_t blank = line.len;
            while (line.ptr[blank - 1] != ' ')
                blank--;
            struct gate_str number = gate_str_slice(line, blank, line.len);
            assert_true(gate_text_number(&number, &count));
        }
        assert_true(gate_profile_load(&profile, text, NULL, &arena, &err));
        assert_true(gate_stacks_collect(&stacks, &profile, &model, NULL, NULL, NULL, &arena, &err));
        assert_true(total > 50 && stacks.total == total);
        assert_true(profile.has_labels);
        for (uint32_t j = 0; j < profile.function_count; j++) {
            assert_int_equal(gate_str_find(profile.functions[j].name, GATE_STR("thread ("), 0), SIZE_MAX);
            assert_int_equal(gate_str_find(profile.functions[j].name, GATE_STR(" tid="), 0), SIZE_MAX);
        }
    }
}

/* The total agrees with CPython's own summary: samples captured, less the error rate in percent. */
TEST(cpythons_samples_match_its_own_summary) {
    static const char *const files[][2] = {{"baseline.collapsed", "baseline.collapsed.summary.txt"},
                                           {"canary.collapsed", "canary.collapsed.summary.txt"},
                                           {"baseline.gecko.json.gz", "baseline.gecko.summary.txt"},
                                           {"canary.gecko.json.gz", "canary.gecko.summary.txt"}};
    for (int i = 0; i < 4; i++) {
        char path[300];
        int taken = 0;
        double failed = 0;
        struct gate_profile profile;
        struct gate_stacks stacks;
        struct gate_counts_model model = {GATE_COUNTS_VALUE, 0, GATE_NO_INDEX, GATE_NO_INDEX, 0, 1, 0, NULL};
        snprintf(path, sizeof path, GATE_SOURCE_DIR "/fixtures/producers/cpython/%s", files[i][1]);
        struct gate_str told = gate_str_copy(&arena, read_fixture(path, &arena));
        assert_int_equal(sscanf(told.ptr, "Captured %d samples in %*f seconds\nError rate: %lf", &taken, &failed), 2);
        snprintf(path, sizeof path, GATE_SOURCE_DIR "/fixtures/producers/cpython/%s", files[i][0]);
        assert_true(gate_profile_load(&profile, read_fixture(path, &arena), NULL, &arena, &err));
        assert_true(gate_stacks_collect(&stacks, &profile, &model, NULL, NULL, NULL, &arena, &err));
        double expected = taken * (1 - failed / 100);
        if (taken < 2000 || (double)stacks.total > expected + 1 || (double)stacks.total < expected - 1)
            fail_msg("%s: %lld samples, expected %.1f", files[i][0], (long long)stacks.total, expected);
        assert_true(profile.has_labels); /* the thread is a label */
    }
}
