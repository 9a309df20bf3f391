/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by rates.c and sequence.c: captures, rules, draws, and comparing what was drawn. */
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

/** Compare the captures `one` (baseline) with the captures `two` (canary), as the settings require. */
GATE_MUST_CHECK
bool bench_compare(struct gate_comparison *out, const struct bench *bench, const uint32_t *one, uint32_t one_count,
                   const uint32_t *two, uint32_t two_count, struct gate_arena *arena, struct gate_error *err);

/** Estimate a noise model from the captures `runs`. */
GATE_MUST_CHECK
bool bench_calibrate(struct gate_noise *out, const struct bench *bench, const uint32_t *runs, uint32_t count,
                     struct gate_arena *arena, struct gate_error *err);

/** Return the total work of the captures `runs`; 0 if the settings do not use the work. */
double bench_work_of(const struct bench *bench, const uint32_t *runs, uint32_t count);

GATE_MUST_CHECK
bool bench_read_rules(struct gate_rules *out, const char *path, struct gate_arena *arena, struct gate_error *err);

#endif
