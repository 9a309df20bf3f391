/* SPDX-License-Identifier: Apache-2.0 */
/* The command line of rates.c and sequence.c. */
#ifndef GATE_TESTS_SETTINGS_H
#define GATE_TESTS_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

struct settings {
    const char *directory, *rules, *kind, *good, *type, *only;
    bool use_work, use_mix, use_pairs, follows_advice, as_table;
    bool tells_rounds, hides_pairs; /* run i of both sides forms a pair; pairs are ignored */
    double slow;                    /* factor on the canary's cost per unit of work */
    uint32_t draws;                 /* maximum; 0: all pairs of single runs, DRAWS otherwise */
    uint32_t model_runs, runs;      /* runs: per side, 0: 1, 2, 3 and 5 */
    uint32_t seed;
};

/** Returns false if an option is unknown or a path is missing. Then call settings_usage, which prints the usage. */
bool settings_parse(struct settings *out, int argc, char **argv);
void settings_usage(void);

#endif
