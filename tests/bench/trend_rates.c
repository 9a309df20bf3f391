/* SPDX-License-Identifier: Apache-2.0 */
/* How often a trend is found, with and without a real one: series are drawn from models and decided as by
 * `pprofgate trend`. Prints a table, the same in each run. docs/statistics.md quotes its numbers.
 *
 *   trend_rates [DRAWS]      series per row (default 2000)
 *
 * The level is 100, the standard deviation between builds 5, and the limit +1 per build, which is 1%. */
#include "gate/base/hash.h"
#include "gate/budget/trend.h"
#include "gate/compare/student.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { POINTS_MAX = 30 };
static const double LEVEL = 100.0, NOISE = 5.0, LIMIT = 1.0;

struct model {
    const char *name;
    double serial; /* correlation between neighbouring builds; 1: a random walk with steps of a fifth of the noise */
    double step;   /* size of a step, at a random build that is neither the first nor the last */
    uint32_t steps;
    double slope; /* per build */
    double tail;  /* one build in ten differs by this factor more; 0: none does */
};

static const struct model models[] = {
    {"nothing", 0, 0, 0, 0, 0},
    {"nothing, one build in ten differs 5 times as much", 0, 0, 0, 0, 5},
    {"nothing, serial correlation .3", .3, 0, 0, 0, 0},
    {"nothing, serial correlation .5", .5, 0, 0, 0, 0},
    {"nothing, serial correlation .7", .7, 0, 0, 0, 0},
    {"nothing, random walk", 1, 0, 0, 0, 0},
    {"one step of 20", 0, 20, 1, 0, 0},
    {"one step of 50", 0, 50, 1, 0, 0},
    {"two steps of 30", 0, 30, 2, 0, 0},
    {"slope at the limit, 1", 0, 0, 0, 1, 0},
    {"slope 2", 0, 0, 0, 2, 0},
    {"slope 3", 0, 0, 0, 3, 0},
    {"slope 5", 0, 0, 0, 5, 0},
    {"slope 10", 0, 0, 0, 10, 0},
};

static double uniform(uint64_t *seed) {
    return ((double)(gate_hash_mix(++*seed) >> 11) + 0.5) * 0x1p-53;
}

static double normal(uint64_t *seed) {
    return gate_normal_z(uniform(seed));
}

static void draw(double *y, uint32_t count, const struct model *model, uint64_t *seed) {
    double carried = normal(seed), walk = 0.0, steps[POINTS_MAX] = {0};
    for (uint32_t i = 0; i < model->steps; i++)
        steps[1 + (uint32_t)(uniform(seed) * (count - 2))] += model->step;
    double raised = 0.0;
    for (uint32_t i = 0; i < count; i++) {
        double fresh = normal(seed);
        carried =
            model->serial < 1.0 ? model->serial * carried + sqrt(1 - model->serial * model->serial) * fresh : fresh;
        walk += model->serial < 1.0 ? 0.0 : NOISE / 5 * normal(seed);
        raised += steps[i];
        double wide = model->tail > 0.0 && uniform(seed) < 0.1 ? model->tail : 1.0;
        y[i] = LEVEL + NOISE * wide * carried + walk + raised + model->slope * i;
    }
}

struct tally {
    uint32_t fails, steps, open, held;
};

/* Draw a series and decide it, as one of `family` series of which the others show nothing. */
static void judge(struct tally *tally, const struct model *model, uint32_t count, uint32_t family, uint64_t *seed) {
    struct gate_arena arena;
    struct gate_error err = {0};
    struct gate_trend_case one = {.limit = LIMIT, .unseen = 10.0 / (count - 1), .alpha = 0.01, .family = family};
    double x[POINTS_MAX], y[POINTS_MAX];
    gate_arena_init(&arena, 0);
    for (uint32_t i = 0; i < count; i++)
        x[i] = i;
    draw(y, count, model, seed);
    if (!gate_trend_fit(&one.fit, x, y, count, 0.05, &arena, &err))
        exit(2);
    one.log_p_adjusted = one.fit.log_p + log(family);
    gate_trend_decide(&one);
    tally->fails += one.outcome == GATE_OUTCOME_FAIL;
    tally->steps += one.outcome == GATE_OUTCOME_WARN;
    tally->open += one.outcome == GATE_OUTCOME_INCONCLUSIVE;
    tally->held += one.outcome <= GATE_OUTCOME_PASS;
    gate_arena_free(&arena);
}

int main(int argc, char **argv) {
    static const uint32_t counts[] = {5, 6, 8, 10, 14, 20}, families[] = {1, 20};
    const uint32_t draws = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 2000;
    uint64_t seed = 1;
    printf("%-52s %6s %6s %7s %7s %7s %7s\n", "series", "points", "family", "fails", "step", "open", "held");
    for (size_t m = 0; m < sizeof models / sizeof *models; m++)
        for (size_t f = 0; f < 2; f++)
            for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
                struct tally tally = {0};
                for (uint32_t i = 0; i < draws; i++)
                    judge(&tally, &models[m], counts[c], families[f], &seed);
                printf("%-52s %6u %6u %6.1f%% %6.1f%% %6.1f%% %6.1f%%\n", models[m].name, (unsigned)counts[c],
                       (unsigned)families[f], 100.0 * tally.fails / draws, 100.0 * tally.steps / draws,
                       100.0 * tally.open / draws, 100.0 * tally.held / draws);
            }
    return 0;
}
