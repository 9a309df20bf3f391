/* SPDX-License-Identifier: Apache-2.0 */
/* Names in order: as qsort has them by gate_str_compare, whatever they begin with. */
#include "gate/base/letter_order.h"

// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

#include <stdlib.h>

enum { MANY = 4000, LONGEST = 40 };

static int plain_compare(const void *left, const void *right) {
    const struct gate_letter_key *a = left, *b = right;
    int order = gate_str_compare(a->name, b->name);
    return order != 0 ? order : a->index < b->index ? -1 : a->index > b->index;
}

static void check(const struct gate_letter_key *keys, size_t count) {
    struct gate_letter_key *sorted = malloc((count + 1) * sizeof *sorted), *plain = malloc((count + 1) * sizeof *plain);
    assert_true(sorted != NULL && plain != NULL);
    memcpy(sorted, keys, count * sizeof *keys);
    memcpy(plain, keys, count * sizeof *keys);
    gate_letter_order_sort(sorted, count);
    qsort(plain, count, sizeof *plain, plain_compare);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(sorted[i].index, plain[i].index);
    free(sorted);
    free(plain);
}

static uint32_t draw(uint64_t *seed, uint32_t below) {
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*seed >> 33) % below;
}

/* Of so few letters, zero among them, that many are the same name, or the beginning of another one. */
static void drawn(size_t count, uint32_t letters, size_t begins, uint64_t seed) {
    static char text[MANY][LONGEST];
    static struct gate_letter_key keys[MANY];
    for (size_t i = 0; i < count; i++) {
        size_t len = begins + draw(&seed, (uint32_t)(LONGEST - begins));
        for (size_t at = 0; at < len; at++)
            text[i][at] = at < begins ? 'p' : (char)(draw(&seed, letters) * 200 / letters);
        keys[i] = (struct gate_letter_key){.name = {text[i], len}, .index = (uint32_t)i};
    }
    check(keys, count);
}

static void drawn_names_stand_as_qsort_has_them(void **state) {
    (void)state;
    for (uint32_t letters = 1; letters <= 200; letters = letters * 2 + 1)
        for (size_t begins = 0; begins < LONGEST; begins += 7)
            drawn(700, letters, begins, letters + begins);
    drawn(MANY, 100, 17, 5);
    drawn(MANY, 2, 0, 6);
    drawn(9, 3, 8, 7);
    drawn(1, 3, 8, 7);
    drawn(0, 3, 8, 7);
}

/* In order already, in reverse, and as parts of three that fool a median: all by few letters. */
static void orders_that_are_hard_to_part(void **state) {
    (void)state;
    static char text[MANY][8];
    static struct gate_letter_key keys[MANY];
    for (int kind = 0; kind < 3; kind++) {
        for (size_t i = 0; i < MANY; i++) {
            size_t organ = i % 2 == 0 ? i : MANY - i, number = kind == 0 ? i : kind == 1 ? MANY - i : organ;
            for (int at = 7; at >= 0; at--, number /= 10)
                text[i][at] = (char)('0' + number % 10);
            keys[i] = (struct gate_letter_key){.name = {text[i], 8}, .index = (uint32_t)i};
        }
        check(keys, MANY);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(drawn_names_stand_as_qsort_has_them),
                                       cmocka_unit_test(orders_that_are_hard_to_part)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
