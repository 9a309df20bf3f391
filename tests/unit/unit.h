/* SPDX-License-Identifier: Apache-2.0 */
/* cmocka, and the headers of the C library that it needs or that most tests use. A test includes this header, or a
 * fixture that does. */
#ifndef TESTS_UNIT_UNIT_H
#define TESTS_UNIT_UNIT_H

#include "gate/base/arena.h"
#include "gate/base/error.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

/* cmocka gives each test a state, which hardly any test uses. */
#pragma GCC diagnostic ignored "-Wunused-parameter"
/* A function that a test calls may have an `arena` and an `err` of its own. */
#pragma GCC diagnostic ignored "-Wshadow"

/* Call a function with the address of the variable that is declared behind it, when the variable's block ends:
 *
 *     AT_END(gate_arena_free) struct gate_arena arena = {0};
 */
#define AT_END(function) __attribute__((cleanup(function)))

/* A test. unit.c runs those of a program in the order of the file:
 *
 *     TEST(holm_rejects_the_least_first) {
 *         assert_true(...);
 *     }
 *
 * A program whose tests are rows of a table has a main function of its own. */
#define TEST(name)                                                                                                     \
    static void name(void **state);                                                                                    \
    __attribute__((constructor)) static void add_##name(void) {                                                        \
        static struct unit_test test = {.test = cmocka_unit_test(name), .line = __LINE__};                             \
        unit_add(&test);                                                                                               \
    }                                                                                                                  \
    static void name(void **state)

/* Functions that cmocka calls before the first test and after the last one, or NULL. */
#define BEFORE_AND_AFTER_ALL(before, after)                                                                            \
    __attribute__((constructor)) static void add_group(void) {                                                         \
        unit_add_group(before, after);                                                                                 \
    }

/** Each TEST finds both empty. What a test leaves in `arena` is freed behind it. */
extern struct gate_arena arena;
extern struct gate_error err;

struct unit_test {
    struct CMUnitTest test;
    int line;
    struct unit_test *next;
};

void unit_add(struct unit_test *test);
void unit_add_group(CMFixtureFunction before, CMFixtureFunction after);

/* Skip a test that reads GATE_SHARED_DIR, profiles of other programs and reference values, on a machine without it. */
static inline void skip_without_reference_profiles(void) {
    if (access(GATE_SHARED_DIR "/oracle/stats.csv", R_OK) != 0)
        skip();
}

#endif
