/* SPDX-License-Identifier: Apache-2.0 */
/* formats/collapsed.c, austin: modes, stacks and mistakes of small files. */
#include "foreign_fixture.h"

#define HEAD(mode) "# austin: 3.6.0\n# interval: 1000\n# mode: " mode "\n\n"
#define STACKS                                                                                                         \
    "P7;T0:7;a.py:<module>:12;a.py:f:3 1500\nP7;T0:7;a.py:<module>:12;a.py:f:3 500\nP7;T0:7 20\nP7;T0:8;:GC: 1\n"      \
    "\n# duration: 9\n"

TEST(each_mode_gives_its_columns) {
    expect_stacks(GATE_STR(HEAD("wall") STACKS), GATE_FORMAT_AUSTIN, "", "f<<module> 2000000\n20000\nGC 1000\n");
    expect_stacks(GATE_STR(HEAD("wall") STACKS), GATE_FORMAT_AUSTIN, "samples", "f<<module> 2\n1\nGC 1\n");
    expect_stacks(GATE_STR(HEAD("cpu") STACKS), GATE_FORMAT_AUSTIN, "cpu", "f<<module> 2000000\n20000\nGC 1000\n");
    static const char full[] = HEAD("full") "P7;T0:7;a.py:f:3 1500,0,-40\nP7;T0:7;a.py:f:3 70,1,8\n";
    expect_stacks(gate_str_from(full), GATE_FORMAT_AUSTIN, "wall", "f 1570000\n");
    expect_stacks(gate_str_from(full), GATE_FORMAT_AUSTIN, "cpu", "f 1500000\n");
}

TEST(errors_name_the_line) {
    refused(HEAD("memory") "P7;T0:7;a.py:f:3 9\n", "a memory profile of austin");
    refused(HEAD("odd"), "line 3: expected the mode wall, cpu or full, found 'odd'");
    refused(HEAD("wall"), "no line holds a stack");
    refused(HEAD("wall") HEAD("cpu"), "line 7: expected one mode");
    refused("# austin: 3.6.0\nP7;T0:7 5\n", "line 2: expected '# mode: …' before the first stack");
    refused(HEAD("wall") "P7;T0:7;f x\n", "line 5: expected 'STACK TIME', found 'x'");
    refused(HEAD("wall") "P7;T0:7;f -1\n", "line 5: expected 'STACK TIME', found '-1'");
    refused(HEAD("full") "P7;T0:7;f 5\n", "line 5: expected 'STACK TIME,IDLE,BYTES', found '5'");
    refused(HEAD("wall") "a;f 5\n", "line 5: expected 'PPROCESS;TTHREAD;STACK TIME'");
    expect_error(GATE_STR(HEAD("wall") "P7;T0:7;f 9223372036854775807\n"), NULL, GATE_ERR_OVERFLOW, "line 5");
    expect_limit(HEAD("wall") STACKS, &(struct gate_limits){.depth = 1}, "a stack has more than 1 frames");
    expect_limit(HEAD("wall") STACKS, &(struct gate_limits){.samples = 1}, "more than 1 samples; raise --max-samples");
    expect_limit(HEAD("wall") STACKS, &(struct gate_limits){.steps = 9}, "--max-steps");
    expect_clean_errors_within_memory(GATE_STR(HEAD("wall") STACKS));
}
