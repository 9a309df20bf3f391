/* SPDX-License-Identifier: Apache-2.0 */
/* The text of `perf script`. Real files have the figures of `perf report` for the same data. Made-up lines test each
 * layout that the option -F produces. */
#include "gate/formats/perf_script.h"
#include "gate/formats/reader.h"
#include "gate/model/effective_samples.h"
#include "self_sums.h"

TEST(samples_are_those_of_perf_report) {
    static const char *const names[][2] = {{"producers/perf/baseline.script.gz", "producers/perf/baseline.report.txt"},
                                           {"producers/perf/canary.script.gz", "producers/perf/canary.report.txt"}};
    for (size_t i = 0; i < 2; i++) {
        expect_text(self_sums(names[i][0], "samples/count", &arena), report_sums(names[i][1], &arena));
    }
}

/* The cpu-clock event at 200 Hz: each sample is one event and 5 ms. */
TEST(the_clock_is_time_and_counts) {
    struct gate_profile profile;
    uint32_t column = 0;
    fixture_load(&profile, "producers/perf/baseline.script.gz", &arena);
    assert_int_equal(profile.format, GATE_FORMAT_PERF_SCRIPT);
    assert_true(gate_sample_type_find(&column, &profile, GATE_STR(""), &err));
    expect_text(profile.sample_types[column].type, GATE_STR("cpu"));
    expect_text(profile.sample_types[column].unit, GATE_STR("nanoseconds"));
    assert_true(profile.period == 5000000 && profile.duration_ns > 5000000000);
    struct gate_counts_model model = gate_counts_choose(&profile, column, NULL);
    assert_int_equal(model.kind, GATE_COUNTS_COLUMN);
}

static const char two_events[] = "# hostname : x\n"
                                 "#\n"
                                 "my app 12/13 [001]  1.000001:          3 page-faults:u: \n"
                                 "\t    10 f(int)+0x1 (/bin/a b (deleted))\n"
                                 "\n"
                                 "my app 12/13 [001]  1.500000:        700 cycles:P: \n"
                                 "\t    10 g+0x1f (/bin/a)\n"
                                 "  a.c:12\n"
                                 "\t    12 inner (inlined)\n"
                                 "\t    20 main+0x2 (/bin/a)\n"
                                 "\n"
                                 "my app 12/13 [001]  1.600000:        800 cycles:P: \n"
                                 "\t    99 [unknown] (/bin/a)\n"
                                 "\n"
                                 "my app 12/13 [001]  2.000001:        900 cycles:P: \n"
                                 "\n";

/* -F event,ip,sym */
TEST(a_header_may_be_an_event_alone) {
    expect_self_sums(GATE_FORMAT_PERF_SCRIPT,
                     "cpu-clock:u: \n\t  15af f(int)\n\t  0 [unknown]\n\ncpu-clock:u: \n\t  1f g\n\t 20 main\n\n"
                     "cpu-clock:u:\n\t  1f g\n",
                     "samples", "f(int) 1\ng 2\n");
}

/* Logs and editors remove the white space that begins a line. "abc" and "c" are names of programs and addresses. */
TEST(frames_need_no_indentation) {
    static const char flat[] = "c 7  1.000001:  250 cpu-clock:\n15af f+0x1 (/bin/c)\n20 main+0x2 (/bin/c)\n\n"
                               "abc 8  1.000002:  250 cpu-clock:\n1f g+0x1 (/bin/c)\n20 main+0x2 (/bin/c)\n"
                               "c 7  1.000003:  250 cpu-clock:\n20 main+0x2 (/bin/c)\n";
    expect_self_sums(GATE_FORMAT_PERF_SCRIPT, flat, "samples", "f 1\ng 1\nmain 1\n");
    expect_self_sums(GATE_FORMAT_PERF_SCRIPT, "cycles:\n15af f\n20 main\n\ncycles:\n1f g\n", "", "f 1\ng 1\n");
}

TEST(each_event_has_its_columns) {
    expect_self_sums(GATE_FORMAT_PERF_SCRIPT, two_events, "", "(none) 900\na 800\nf(int) 0\ng 700\n");
    expect_self_sums(GATE_FORMAT_PERF_SCRIPT, two_events, "cycles_event", "(none) 900\na 800\nf(int) 0\ng 700\n");
    expect_self_sums(GATE_FORMAT_PERF_SCRIPT, two_events, "cycles_sample", "(none) 1\na 1\nf(int) 0\ng 1\n");
    expect_self_sums(GATE_FORMAT_PERF_SCRIPT, two_events, "page-faults_event", "(none) 0\na 0\nf(int) 3\ng 0\n");
}

/* Without stacks, a line is a whole sample. A tracepoint has no period, and its own text after its name. */
TEST(lines_may_be_whole_samples) {
    expect_self_sums(
        GATE_FORMAT_PERF_SCRIPT,
        "            dd 13768  2100.095570:    5000000 cpu-clock:      7f8b3e452f52 isalnum+0x12 (/usr/lib/c.so)\n"
        "            dd 13768  2100.100570:    5000000 cpu-clock:            403140 work+0x200 (/tmp/shop)\n",
        "samples/count", "isalnum 1\nwork 1\n");
    expect_self_sums(GATE_FORMAT_PERF_SCRIPT,
                     "dd 1 [000]  5.000000: sched:sched_switch: prev_comm=dd ==> next_comm=x\n"
                     "\tffffffff821facd8 __schedule+0x618 ([kernel.kallsyms])\n"
                     "\n"
                     "dd 1 [000]  6.000000: sched:sched_switch: prev_comm=dd ==> next_comm=x\n"
                     "\tffffffff821facd8 __schedule+0x618 ([kernel.kallsyms])\n",
                     "sched:sched_switch_sample/count", "__schedule 2\n");
}

TEST(a_line_is_split_into_its_fields) {
    struct gate_perf_head head;
    struct gate_perf_frame frame;
    assert_true(gate_perf_head_read(&head, GATE_STR("Web Content 12/13 [001] 77.000000001:  5 cpu_core/cycles/Pu:")));
    expect_text(head.comm, GATE_STR("Web Content"));
    expect_text(head.event, GATE_STR("cpu_core/cycles/Pu"));
    assert_true(head.time_ns == 77000000001 && head.period == 5);
    assert_true(gate_perf_head_read(&head, GATE_STR("sh 12 cycles:u:")));
    expect_text(head.event, GATE_STR("cycles"));
    assert_true(head.time_ns == -1 && head.period == 0);
    assert_false(gate_perf_head_read(&head, GATE_STR("")));
    assert_false(gate_perf_head_read(&head, GATE_STR("only words here")));
    assert_true(gate_perf_frame_read(&frame, GATE_STR("\t  2398 std::sort<a (*)(int)>(a)+0x2a8 (/tmp/shop)")));
    expect_text(frame.name, GATE_STR("std::sort<a (*)(int)>(a)"));
    expect_text(frame.file, GATE_STR("/tmp/shop"));
    assert_true(frame.address == 0x2398);
    assert_true(gate_perf_frame_read(&frame, GATE_STR(" 10 operator new(unsigned long)")));
    expect_text(frame.name, GATE_STR("operator new(unsigned long)"));
    assert_int_equal(frame.file.len, 0);
    assert_true(gate_perf_frame_read(&frame, GATE_STR(" 10 [unknown] ([unknown])")));
    assert_true(frame.name.len == 0 && frame.file.len == 0);
    assert_false(gate_perf_frame_read(&frame, GATE_STR("  shop.cpp:12 (x)")));
}

TEST(errors_name_their_line_or_limit) {
    static const char cut[] = "sh 1  1.000000:  5 cycles: \n"
                              "\t 10 f+0x1 (/bin/a)\n"
                              "\n"
                              "and then a message of a program\n";
    const struct gate_limits rows[] = {{.samples = 1}, {.depth = 1}};
    expect_error(gate_str_from(cut), NULL, GATE_ERR_FORMAT,
                 "line 4: expected 'NAME PID TIME: PERIOD EVENT:', found 'and");
    expect_error(gate_str_from(two_events), &rows[0], GATE_ERR_LIMIT, "--max-samples");
    expect_error(gate_str_from(two_events), &rows[1], GATE_ERR_LIMIT, "--max-depth");
    assert_false(gate_perf_script_reader.sniff(GATE_STR("main;run;leaf 3\nmain;run 1\n")));
    assert_false(gate_perf_script_reader.sniff(GATE_STR("10:01:02.123: started\n  at main\n")));
}

TEST(every_memory_limit_is_a_clean_error) {
    expect_clean_errors_within_memory(gate_str_from(two_events));
}
