/* SPDX-License-Identifier: Apache-2.0 */
/* The command line of rates.c. */
#ifndef GATE_TESTS_SETTINGS_H
#define GATE_TESTS_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

struct settings {
    const char *directory, *rules, *kind, *good, *type, *only;
    bool use_work, use_mix, use_pairs, follows_advice, as_table;
    bool tells_rounds, hides_pairs; /* run i of both sides is told to be a pair; pairs are not looked at */
    double slow;                    /* every unit of the canary's work costs so many times as much */
    uint32_t draws;                 /* at most; 0: all pairs of single runs, else DRAWS */
    uint32_t model_runs, runs;      /* runs: of a side, 0: 1, 2, 3 and 5 */
    uint32_t seed;
};

/** False where the command line is not understood; then settings_usage says what is. */
bool settings_parse(struct settings *out, int argc, char **argv);
void settings_usage(void);

#endif
