/* SPDX-License-Identifier: Apache-2.0 */
/* base/sort.h: names and numbers are sorted, equal ones by index, and nothing is allocated past an arena's limit. */
#include "gate/base/sort.h"
#include "tests/unit/unit.h"

// clang-format off
// clang-format on

#include <float.h>
#include <math.h>

enum { MANY = 3000, LONGEST = 40 };

static uint32_t draw(uint64_t *seed, uint32_t below) {
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*seed >> 33) % below;
}

/* Few different letters, zero among them, so many names are equal or a prefix of another one. */
static void names_are_sorted(uint32_t letters, size_t begins, uint64_t seed) {
    static char text[MANY][LONGEST];
    static struct gate_name_key keys[MANY];
    static bool seen[MANY];
    for (uint32_t i = 0; i < MANY; i++) {
        size_t len = begins + draw(&seed, (uint32_t)(LONGEST - begins));
        for (size_t at = 0; at < len; at++)
            text[i][at] = at < begins ? 'p' : (char)(draw(&seed, letters) * 200 / letters);
        keys[i] = (struct gate_name_key){.name = {text[i], len}, .index = i};
        seen[i] = false;
    }
    gate_name_keys_sort(keys, MANY);
    for (uint32_t i = 0; i < MANY; i++) {
        assert_true(keys[i].index < MANY && !seen[keys[i].index]);
        seen[keys[i].index] = true;
        assert_ptr_equal(keys[i].name.ptr, text[keys[i].index]);
        int order = i == 0 ? -1 : gate_str_compare(keys[i - 1].name, keys[i].name);
        assert_true(order < 0 || (order == 0 && keys[i - 1].index < keys[i].index));
    }
}

TEST(names_are_sorted_and_equal_ones_by_index) {
    for (uint32_t letters = 1; letters <= 200; letters = letters * 2 + 1)
        for (size_t begins = 0; begins < LONGEST; begins += 13)
            names_are_sorted(letters, begins, letters + begins);
    gate_name_keys_sort(NULL, 0);
}

static void numbers_are_ranked(const double *values, uint32_t count) {
    AT_END(gate_arena_free) struct gate_arena arena = {0};
    uint32_t order[MANY + 1];
    bool seen[MANY + 1] = {false};
    assert_true(gate_ranking_largest_first(order, values, count, &arena, &err));
    for (uint32_t i = 0; i < count; i++) {
        assert_true(order[i] < count && !seen[order[i]]);
        seen[order[i]] = true;
        if (i == 0)
            continue;
        double before = values[order[i - 1]], now = values[order[i]];
        assert_true(before > now || (before == now && order[i - 1] < order[i]));
    }
}

TEST(extreme_doubles_are_ranked) {
    const double values[] = {0.0,     -0.0, INFINITY, DBL_MIN, 5e-324, 1.0, 1.0 + DBL_EPSILON,
                             DBL_MAX, -0.0, 0.0,      1.0,     256.0};
    numbers_are_ranked(values, sizeof values / sizeof *values);
    numbers_are_ranked(values, 1);
    numbers_are_ranked(values, 0);
}

TEST(many_numbers_with_ties_are_ranked) {
    double values[MANY];
    uint64_t seed = 1;
    for (uint32_t i = 0; i < MANY; i++) {
        double number = draw(&seed, 1 << 24) / 1024.0;
        values[i] = i % 3 == 0 ? floor(number / 1000.0) : ldexp(number, (int)draw(&seed, 64) - 32);
    }
    numbers_are_ranked(values, MANY);
}

TEST(ranking_stays_within_the_limit_of_its_arena) {
    const double values[] = {1.0, 3.0, 2.0};
    for (size_t limit = 0;; limit += 64) {
        struct gate_arena arena;
        struct gate_error err = {0};
        uint32_t order[3];
        gate_arena_init(&arena, limit);
        bool ok = gate_ranking_largest_first(order, values, 3, &arena, &err);
        gate_arena_free(&arena);
        if (ok)
            break;
        assert_int_equal(err.code, GATE_ERR_LIMIT);
        assert_true(limit < 100000);
    }
}
