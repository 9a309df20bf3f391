/* SPDX-License-Identifier: Apache-2.0 */
/* Random draws of captures (see draws.h). */
#include "draws.h"

#include "gate/base/hash.h"

static uint32_t pick(struct draws *draws, uint32_t below) {
    draws->random++;
    return (uint32_t)(gate_hash_mix(draws->random) % below);
}

void draws_shuffle(struct draws *draws, uint32_t *items, uint32_t count) {
    for (uint32_t i = count; i > 1; i--) {
        uint32_t j = pick(draws, i), kept = items[i - 1];
        items[i - 1] = items[j];
        items[j] = kept;
    }
}

static void swap(uint32_t *a, uint32_t *b) {
    uint32_t kept = *a;
    *a = *b;
    *b = kept;
}

/* Good captures in random order: the runs of the noise model come first, then the baseline's, then those of a good
 * canary. */
const uint32_t *draws_any(struct draws *draws, struct setting *s) {
    draws_shuffle(draws, s->good, s->good_count);
    draws_shuffle(draws, s->other, s->other_count);
    return s->is_good ? s->good + s->model_runs + s->runs : s->other;
}

/* Sort the good runs by their position in the session and pair neighbours. Either of a pair may be the canary. */
static const uint32_t *draw_neighbours(struct draws *draws, struct setting *s) {
    static uint32_t pairs[CAPTURES_MAX], canary[RUNS_MAX];
    uint32_t count = s->good_count / 2, at = 0;
    s->good_count = captures_of(draws->captures, draws->settings->good, s->good);
    for (uint32_t i = 1; i < s->good_count; i++)
        for (uint32_t j = i;
             j > 0 && draws->captures->items[s->good[j - 1]].order > draws->captures->items[s->good[j]].order; j--)
            swap(&s->good[j - 1], &s->good[j]);
    for (uint32_t i = 0; i < count; i++)
        pairs[i] = i;
    draws_shuffle(draws, pairs, count);
    uint32_t sorted[CAPTURES_MAX];
    memcpy(sorted, s->good, s->good_count * sizeof *sorted);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t flip = pick(draws, 2), one = sorted[2 * pairs[i] + flip], two = sorted[2 * pairs[i] + 1 - flip];
        if (i < s->runs) {
            s->good[s->model_runs + i] = one;
            canary[i] = two;
        } else if (at + 1 < s->model_runs) {
            s->good[at++] = one;
            s->good[at++] = two;
        }
    }
    return canary;
}

uint32_t draws_pairs(const struct setting *s) {
    return s->good_count * (s->is_good ? s->good_count - 1 : s->other_count);
}

/* Single runs: compare number `pair` of all ordered pairs. The runs of the noise model are any other good runs. */
const uint32_t *draws_pair(struct draws *draws, struct setting *s, uint32_t pair) {
    uint32_t rest = s->is_good ? s->good_count - 1 : s->other_count;
    uint32_t one = pair / rest, two = pair % rest;
    two += s->is_good && two >= one;
    /* Restore the order of the manifest, so that pair numbers keep their meaning. */
    s->good_count = captures_of(draws->captures, draws->settings->good, s->good);
    s->other_count = captures_of(draws->captures, s->variant, s->other);
    uint32_t last = s->good_count - 1;
    uint32_t canary = s->is_good ? s->good[two] : s->other[two];
    swap(&s->good[one], &s->good[last]);
    for (uint32_t i = 0; s->is_good && i < last; i++)
        if (s->good[i] == canary)
            swap(&s->good[i], &s->good[last - 1]);
    draws_shuffle(draws, s->good, s->is_good ? last - 1 : last);
    swap(&s->good[s->model_runs], &s->good[last]);
    if (s->is_good && s->model_runs + 1 < last)
        swap(&s->good[s->model_runs + 1], &s->good[last - 1]);
    swap(&s->other[0], &s->other[two]);
    return s->is_good ? &s->good[s->model_runs + 1] : s->other;
}

/* Collect the rounds of a variant: the baseline and the canary of each. */
static uint32_t rounds_of(struct draws *draws, const struct setting *s, uint32_t (*out)[GATE_SIDES]) {
    const struct captures *captures = draws->captures;
    uint32_t canaries[CAPTURES_MAX], count = 0;
    uint32_t canary_count = captures_of(captures, s->variant, canaries);
    for (uint32_t i = 0; i < canary_count; i++)
        for (uint32_t other = 0; other < captures->count; other++) {
            bool is_good = strcmp(captures->items[other].variant, s->variant) == 0;
            if (other == canaries[i] || captures->items[other].round != captures->items[canaries[i]].round ||
                (is_good && other > canaries[i]))
                continue;
            uint32_t flip = is_good ? pick(draws, 2) : 0;
            out[count][GATE_BASELINE] = flip ? canaries[i] : other;
            out[count++][GATE_CANARY] = flip ? other : canaries[i];
        }
    return count;
}

const uint32_t *draws_rounds(struct draws *draws, struct setting *s) {
    static uint32_t rounds[CAPTURES_MAX][GATE_SIDES], order[CAPTURES_MAX], canary[RUNS_MAX];
    if (draws->captures->count == 0 || !(draws->captures->items[0].round > 0.0))
        return draw_neighbours(draws, s);
    uint32_t count = rounds_of(draws, s, rounds), model = 0;
    s->good_count = captures_of(draws->captures, draws->settings->good, s->good);
    draws_shuffle(draws, s->good, s->good_count);
    for (uint32_t i = 0; i < count; i++)
        order[i] = i;
    draws_shuffle(draws, order, count);
    for (uint32_t i = 0; i < count && i < s->runs; i++) {
        s->good[s->model_runs + i] = rounds[order[i]][GATE_BASELINE];
        canary[i] = rounds[order[i]][GATE_CANARY];
    }
    for (uint32_t i = s->runs; s->is_good && i < count && model < s->model_runs; i++)
        s->good[model++] = rounds[order[i]][GATE_BASELINE];
    return canary;
}
