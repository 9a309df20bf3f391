/* SPDX-License-Identifier: Apache-2.0 */
/* Random choice of the captures that rates.c compares. */
#ifndef GATE_TESTS_DRAWS_H
#define GATE_TESTS_DRAWS_H

#include "captures.h"
#include "settings.h"

enum { RUNS_MAX = 64, CAPTURES_MAX = 512 };

/* The captures that one setting compares: those of a variant as canaries, with good runs as baselines. Without a
 * planted change, both are the same captures. */
struct setting {
    const char *variant, *planted;
    uint32_t good[CAPTURES_MAX], other[CAPTURES_MAX];
    uint32_t good_count, other_count, runs, model_runs;
    bool is_good;
};

struct draws {
    const struct settings *settings;
    const struct captures *captures;
    uint64_t random;
};

void draws_shuffle(struct draws *draws, uint32_t *items, uint32_t count);

/** Return the number of ordered pairs of single runs of a setting. */
uint32_t draws_pairs(const struct setting *s);

/**
 * Make one draw. `s->good` then begins with the runs of the noise model, followed by the baseline's. Returns the
 * canary's runs.
 *
 * draws_any     draw from all captures
 * draws_rounds  draw rounds: runs with the same number in the manifest's column `round`, or neighbours in the session
 *               if there is no such column; either of two good runs may be the canary
 * draws_pair    compare single runs: number `pair` of all ordered pairs
 */
const uint32_t *draws_any(struct draws *draws, struct setting *s);
const uint32_t *draws_rounds(struct draws *draws, struct setting *s);
const uint32_t *draws_pair(struct draws *draws, struct setting *s, uint32_t pair);

#endif
