/* SPDX-License-Identifier: Apache-2.0 */
/* Which captures are compared with which, by chance: for rates.c. */
#ifndef GATE_TESTS_DRAWS_H
#define GATE_TESTS_DRAWS_H

#include "captures.h"
#include "settings.h"

enum { RUNS_MAX = 64, CAPTURES_MAX = 512 };

/* What one setting compares: canaries of a variant with good runs, which are the same captures where nothing is
 * planted. */
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

/** How many ordered pairs of single runs a setting has. */
uint32_t draws_pairs(const struct setting *s);

/**
 * One draw: the model's runs and then the baseline's are put first in `s->good`; returned are the canary's.
 *
 * draws_any     from every capture
 * draws_rounds  rounds: runs of one number in the manifest's column `round`, or neighbours of the session where it has
 *               none; of each two good runs, either may be the canary
 * draws_pair    single runs, number `pair` of all ordered pairs
 */
const uint32_t *draws_any(struct draws *draws, struct setting *s);
const uint32_t *draws_rounds(struct draws *draws, struct setting *s);
const uint32_t *draws_pair(struct draws *draws, struct setting *s, uint32_t pair);

#endif
