/* SPDX-License-Identifier: Apache-2.0 */
/* base/parallel.h: every item once, however many there are and whatever is worth a thread. */
#include "gate/base/parallel.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

enum { ITEMS_MAX = 1000 };

static void count(void *context, size_t from, size_t to) {
    unsigned char *seen = context;
    for (size_t i = from; i < to; i++)
        seen[i]++;
}

static void every_item_is_done_once(void **state) {
    (void)state;
    static const size_t counts[] = {0, 1, 2, 3, 7, 128, 129, 999}, worths[] = {0, 1, 2, 128, 2000};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        for (size_t k = 0; k < sizeof worths / sizeof *worths; k++) {
            unsigned char seen[ITEMS_MAX] = {0};
            gate_parallel(count, seen, counts[i], worths[k]);
            for (size_t at = 0; at < ITEMS_MAX; at++)
                assert_int_equal(seen[at], at < counts[i]);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_item_is_done_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
