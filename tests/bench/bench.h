/* SPDX-License-Identifier: Apache-2.0 */
/* What rates.c and sequence.c have in common: captures, rules, draws, and comparing what was drawn. */
#ifndef GATE_TESTS_BENCH_H
#define GATE_TESTS_BENCH_H

#include "draws.h"

#include "gate/budget/verdict.h"

struct bench {
    struct settings settings;
    struct captures captures;
    struct gate_rules rules;
    struct draws draws;
};

/** A comparison of the captures `one` with the captures `two`, as the settings ask for it. */
GATE_MUST_CHECK
bool bench_compare(struct gate_comparison *out, const struct bench *bench, const uint32_t *one, uint32_t one_count,
                   const uint32_t *two, uint32_t two_count, struct gate_arena *arena, struct gate_error *err);

/** A noise model of `runs`. */
GATE_MUST_CHECK
bool bench_calibrate(struct gate_noise *out, const struct bench *bench, const uint32_t *runs, uint32_t count,
                     struct gate_arena *arena, struct gate_error *err);

/** The work of `runs` together; 0 where the settings do not tell it. */
double bench_work_of(const struct bench *bench, const uint32_t *runs, uint32_t count);

GATE_MUST_CHECK
bool bench_read_rules(struct gate_rules *out, const char *path, struct gate_arena *arena, struct gate_error *err);

#endif
