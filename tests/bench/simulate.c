/* SPDX-License-Identifier: Apache-2.0 */
/* Sequences of looks at simulated runs, decided by the gate's own code: how often a sequence fails and passes, after
 * how many rounds, and the result of a single look at the end. Usage: simulate [--draws 100000] [--rounds 5] [--rho
 * 0.002] [--growth PP] [--samples 800] [--seed 1]. A profile has 12 frames. A frame's share p varies between runs
 * with variance rho p (1 - p), and its samples are a binomial draw. In the canary, one frame of 15% grows by PP
 * percentage points. The budgets are +5 pp, and +100% for frames of at least 1%. Results: docs/statistics.md,
 * "Looking more than once". */
#include "simulation.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS_MAX = 20, GROWN = 1 };

static struct gate_looks_now levels[ROUNDS_MAX + 1]; /* index: number of looks so far; 0: a single look */

struct result {
    double fail, pass, one_fail, one_pass, raw_fail, lost, won, early_lost;
    double fail_round[ROUNDS_MAX + 1], pass_round[ROUNDS_MAX + 1];
};

static void follow(struct simulation *s, struct result *out) {
    struct gate_arena arena;
    struct drawn drawn;
    uint32_t rounds = (uint32_t)s->runs, at = rounds;
    enum gate_outcome decided = GATE_OUTCOME_INCONCLUSIVE;
    bool failed = false;
    gate_arena_init(&arena, 0);
    simulation_draw(&drawn, s, &arena);
    for (uint32_t k = 1; k <= rounds; k++) {
        failed = failed || simulation_judge(s, &drawn, k, &levels[0]).worst == GATE_OUTCOME_FAIL;
        if (decided != GATE_OUTCOME_INCONCLUSIVE)
            continue;
        decided = simulation_judge(s, &drawn, k, &levels[k]).worst;
        at = k;
    }
    enum gate_outcome one = simulation_judge(s, &drawn, rounds, &levels[0]).worst;
    gate_arena_free(&arena);
    out->fail += decided == GATE_OUTCOME_FAIL;
    out->pass += decided == GATE_OUTCOME_PASS;
    out->one_fail += one == GATE_OUTCOME_FAIL;
    out->one_pass += one == GATE_OUTCOME_PASS;
    out->raw_fail += failed;
    out->lost += one == GATE_OUTCOME_FAIL && decided != GATE_OUTCOME_FAIL;
    out->early_lost += one == GATE_OUTCOME_FAIL && decided == GATE_OUTCOME_PASS;
    out->won += one != GATE_OUTCOME_FAIL && decided == GATE_OUTCOME_FAIL;
    out->fail_round[at] += decided == GATE_OUTCOME_FAIL;
    out->pass_round[at] += decided == GATE_OUTCOME_PASS;
}

static int quantile(const double *rounds, double total, double part) {
    double seen = 0.0;
    for (int i = 0; i <= ROUNDS_MAX; i++) {
        seen += rounds[i];
        if (total > 0.0 && seen >= part * total)
            return i;
    }
    return 0;
}

static void begin(struct simulation *s) {
    double t[ROUNDS_MAX];
    struct gate_error err = {0};
    simulation_begin(s);
    simulation_add_budget(s, (struct gate_limit){GATE_LIMIT_SHARE_INCREASE, GATE_SEVERITY_ERROR, .value = 0.05}, 0.0,
                          0.0);
    simulation_add_budget(s, (struct gate_limit){GATE_LIMIT_INCREASE, GATE_SEVERITY_ERROR, .value = 2.0}, 0.01, 0.03);
    for (uint32_t k = 0; k <= (uint32_t)s->runs; k++) {
        if (k > 0)
            t[k - 1] = k / s->runs;
        const struct gate_looks looks = {.fractions = t, .count = k};
        if (!gate_looks_begin(&levels[k], &looks, s->rules.alpha_margin, &err)) {
            (void)fprintf(stderr, "simulate: %s\n", err.message);
            exit(1);
        }
    }
}

int main(int argc, char **argv) {
    static struct simulation s = {.runs = 5, .rho = 0.002, .samples = 800, .grown = GROWN};
    double draws = 100000, seed = 1;
    const struct {
        const char *name;
        double *value;
    } options[] = {{"--draws", &draws},     {"--rounds", &s.runs},     {"--rho", &s.rho},
                   {"--growth", &s.growth}, {"--samples", &s.samples}, {"--seed", &seed}};
    for (int i = 1; i < argc; i++) {
        size_t at = 0;
        while (at < sizeof options / sizeof *options && strcmp(argv[i], options[at].name) != 0)
            at++;
        if (at == sizeof options / sizeof *options || ++i == argc) {
            (void)fprintf(stderr, "usage: simulate [--draws N] [--rounds N] [--rho R] [--growth PP] [--samples N] "
                                  "[--seed N]\n");
            return 2;
        }
        *options[at].value = strtod(argv[i], NULL);
    }
    if (!(s.runs >= 1.0) || s.runs > ROUNDS_MAX)
        return 2;
    s.random = gate_hash_mix((uint64_t)seed);
    begin(&s);
    struct result result = {0};
    for (double i = 0; i < draws; i++)
        follow(&s, &result);
    const double n = draws / 100.0;
    (void)printf("| +%g pp | %.0f | %.0f | %g | %.2f %% | %.2f %% | %.2f %% | %d, %d | %.2f %% | %.2f %% | %d, %d | "
                 "%.2f %% |\n",
                 s.growth, s.runs, draws, s.rho, result.fail / n, result.one_fail / n, result.raw_fail / n,
                 quantile(result.fail_round, result.fail, 0.5), quantile(result.fail_round, result.fail, 0.9),
                 result.pass / n, result.one_pass / n, quantile(result.pass_round, result.pass, 0.5),
                 quantile(result.pass_round, result.pass, 0.9), result.early_lost / n);
    return 0;
}
