/* SPDX-License-Identifier: Apache-2.0 */
/* cmocka, and the headers of the C library that it needs or that most tests use. A test includes this header, or a
 * fixture that does. */
#ifndef TESTS_UNIT_UNIT_H
#define TESTS_UNIT_UNIT_H

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

/* Call a function with the address of the variable that is declared behind it, when the variable's block ends:
 *
 *     AT_END(gate_arena_free) struct gate_arena arena = {0};
 */
#define AT_END(function) __attribute__((cleanup(function)))

/* Skip a test that reads GATE_SHARED_DIR, profiles of other programs and reference values, on a machine without it. */
static inline void skip_without_reference_profiles(void) {
    if (access(GATE_SHARED_DIR "/oracle/stats.csv", R_OK) != 0)
        skip();
}

#endif
