/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers that are equal but for rounding. */
#ifndef TESTS_UNIT_NEAR_H
#define TESTS_UNIT_NEAR_H

#include "tests/unit/unit.h"

#include <math.h>

/* Compare with a tolerance that is relative for numbers above 1 and absolute below. */
#define assert_near(found, expected, tolerance) assert_near_at(found, expected, tolerance, __FILE__, __LINE__)

static inline void assert_near_at(double found, double expected, double tolerance, const char *file, int line) {
    if (found != expected && !(fabs(found - expected) <= tolerance * fmax(1.0, fabs(expected)))) {
        print_error("found %.17g, expected %.17g\n", found, expected);
        _fail(file, line);
    }
}

#endif
