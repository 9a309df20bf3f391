/* SPDX-License-Identifier: Apache-2.0 */
/* The main function of each test program that defines its tests with TEST. */
#include "tests/unit/unit.h"

struct gate_arena arena;
struct gate_error err;

static struct unit_test *all;
static size_t count;
static CMFixtureFunction before_all, after_all;

void unit_add(struct unit_test *test) {
    struct unit_test **at = &all;
    while (*at != NULL && (*at)->line < test->line)
        at = &(*at)->next;
    test->next = *at;
    *at = test;
    count++;
}

void unit_add_group(CMFixtureFunction before, CMFixtureFunction after) {
    before_all = before;
    after_all = after;
}

static int clear(void **state) {
    gate_arena_free(&arena);
    gate_arena_init(&arena, 0);
    err = (struct gate_error){0};
    return 0;
}

int main(void) {
    struct CMUnitTest *tests = calloc(count, sizeof *tests);
    if (tests == NULL)
        return 1;
    size_t filled = 0;
    for (const struct unit_test *test = all; test != NULL; test = test->next)
        tests[filled++] = test->test;
    for (size_t i = 0; i < count; i++)
        tests[i].teardown_func = clear;
    int failed = _cmocka_run_group_tests("tests", tests, count, before_all, after_all);
    free(tests);
    return failed != 0 || count == 0;
}
