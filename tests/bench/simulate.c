/* SPDX-License-Identifier: Apache-2.0 */
/* Sequences of looks at simulated runs, decided by the gate's own code: how often a sequence fails and passes, after
 * how many rounds, and the result of a single look at the end. Usage: simulate [--draws 100000] [--rounds 5] [--rho
 * 0.002] [--growth PP] [--samples 800] [--seed 1]. A profile has 12 frames. A frame's share p varies between runs
 * with variance rho p (1 - p), and its samples are a binomial draw. In the canary, one frame of 15% grows by PP
 * percentage points. The budgets are +5 pp, and +100% for frames of at least 1%. Results: docs/statistics.md,
 * "Looking more than once". */
#include "gate/budget/families.h"
#include "gate/compare/stats.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FRAMES = 12, ROUNDS_MAX = 20, GROWN = 1, BUDGETS = 2 };

static const double shares[FRAMES] = {0.25, 0.15, 0.12, 0.10, 0.09, 0.08, 0.07, 0.05, 0.04, 0.03, 0.015, 0.005};
static const char *const names[FRAMES] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"};

struct simulation {
    double draws, rounds, rho, growth, samples, seed;
    uint64_t random;
    struct gate_looks_now now[ROUNDS_MAX + 1]; /* index: number of looks so far; 0: a single look */
    struct gate_limit limits[BUDGETS];
    struct gate_budget budgets[BUDGETS];
    struct gate_rules rules;
    struct gate_frame frames[FRAMES];
    struct gate_profile profile;
};

struct result {
    double fail, pass, one_fail, one_pass, raw_fail, lost, won, early_lost;
    double fail_round[ROUNDS_MAX + 1], pass_round[ROUNDS_MAX + 1];
};

static double normal(struct simulation *s) {
    return gate_normal_z(((double)(gate_hash_mix(++s->random) >> 11) + 0.5) / 9007199254740992.0);
}

/* Draw one run. Each frame takes its part of the remaining samples, so that the counts add up to all samples. */
static void draw_run(struct simulation *s, int64_t counts[FRAMES], bool grown) {
    double weight[FRAMES], sum = 0.0;
    for (int i = 0; i < FRAMES; i++) {
        double p = shares[i];
        if (grown)
            p = i == GROWN ? p + s->growth / 100.0 : p * (1.0 - s->growth / 100.0 / (1.0 - shares[GROWN]));
        weight[i] = fmax(p + sqrt(s->rho * p * (1.0 - p)) * normal(s), 0.0);
        sum += weight[i];
    }
    double left = s->samples, rest = sum;
    for (int i = 0; i < FRAMES; i++) {
        double p = rest > 0.0 ? fmin(weight[i] / rest, 1.0) : 0.0;
        double k = round(left * p + sqrt(left * p * (1.0 - p)) * normal(s));
        k = i + 1 == FRAMES ? left : fmin(fmax(k, 0.0), left);
        counts[i] = (int64_t)k;
        left -= k;
        rest -= weight[i];
    }
}

/* Make a comparison of the first `count` rounds of both sides. */
static void compare(struct gate_comparison *out, struct gate_run runs[GATE_SIDES][ROUNDS_MAX], struct simulation *s,
                    const int64_t drawn[GATE_SIDES][ROUNDS_MAX][FRAMES], uint32_t count, struct gate_arena *arena) {
    *out = (struct gate_comparison){.name = GATE_STR("cpu"), .work_ratio = 1.0};
    struct gate_pair *pair = &out->pair;
    struct gate_delta_list *deltas = &out->deltas;
    pair->type = (struct gate_value_type){GATE_STR("samples"), GATE_STR("count")};
    pair->frames = s->frames;
    pair->frame_count = deltas->count = FRAMES;
    deltas->run_count = 2 * count;
    deltas->items = GATE_NEW_ARRAY(arena, struct gate_delta, FRAMES);
    for (int m = 0; m < GATE_MEASURES; m++)
        deltas->tallies[m] = GATE_NEW_ARRAY(arena, struct gate_tally, (size_t)FRAMES * deltas->run_count);
    for (int i = 0; i < FRAMES; i++)
        for (int m = 0; m < GATE_MEASURES; m++)
            deltas->items[i].set_id[m] = gate_hash_mix((uint64_t)i + 1);
    for (int side = 0; side < GATE_SIDES; side++) {
        struct gate_side *to = &pair->sides[side];
        *to = (struct gate_side){.runs = runs[side], .run_count = count};
        for (uint32_t r = 0; r < count; r++) {
            runs[side][r] = (struct gate_run){.unit_ratio = 1, .total = (int64_t)s->samples, .events = s->samples};
            runs[side][r].input.profile = &s->profile;
            runs[side][r].counts.kind = GATE_COUNTS_VALUE;
            runs[side][r].stacks.weight_sq = s->samples;
            to->total += runs[side][r].total;
            to->events += s->samples;
            to->duration_ns += s->profile.duration_ns;
            for (int i = 0; i < FRAMES; i++)
                for (int m = 0; m < GATE_MEASURES; m++) {
                    int64_t value = drawn[side][r][i];
                    uint32_t at = side == GATE_BASELINE ? r : count + r;
                    deltas->tallies[m][(size_t)at * FRAMES + (size_t)i] = (struct gate_tally){value, (double)value};
                    deltas->items[i].value[m][side] += value;
                }
        }
    }
}

static struct gate_decision_rules rules_of(const struct simulation *s, const struct gate_comparison *comparison,
                                           const struct gate_looks_now *now) {
    return (struct gate_decision_rules){
        .alpha = s->rules.alpha,
        .alpha_margin = s->rules.alpha_margin,
        .margin = now->margin,
        .proof = now->proof,
        .turn = now->turn,
        .margin_own = gate_own_cost_margin(now->margin, false),
        .min_samples = s->rules.min_samples,
        .samples = {comparison->pair.sides[0].events, comparison->pair.sides[1].events}};
}

/* Return the worst outcome of all hypotheses, warnings left out. */
static enum gate_outcome judge(struct simulation *s, const int64_t drawn[GATE_SIDES][ROUNDS_MAX][FRAMES],
                               uint32_t count, const struct gate_looks_now *now) {
    struct gate_arena arena;
    struct gate_error err = {0};
    struct gate_comparison comparison;
    struct gate_run runs[GATE_SIDES][ROUNDS_MAX];
    struct gate_hypothesis_list list = {0};
    const double work[GATE_SIDES] = {0};
    gate_arena_init(&arena, 0);
    compare(&comparison, runs, s, drawn, count, &arena);
    bool ok = gate_comparison_judge(&comparison, work, &arena, &err);
    for (uint32_t b = 0; ok && b < BUDGETS; b++) {
        uint32_t matched = 0;
        const struct gate_budget_scope scope = {
            .rules = &s->rules, .budget = b, .comparison = &comparison, .exposure = {.ratio = 1.0}, .now = *now};
        ok = gate_hypotheses_collect(&list, &matched, &scope, &arena, &err);
    }
    ok = ok && gate_families_adjust(&list, s->rules.alpha, &now->spending, &arena, &err);
    if (!ok) {
        (void)fprintf(stderr, "simulate: %s\n", err.message);
        exit(1);
    }
    const struct gate_decision_rules how = rules_of(s, &comparison, now);
    enum gate_outcome worst = GATE_OUTCOME_PASS;
    for (size_t i = 0; i < list.count; i++) {
        gate_hypothesis_outcome(&list.items[i], &how);
        if (list.items[i].outcome > worst && list.items[i].outcome != GATE_OUTCOME_WARN)
            worst = list.items[i].outcome;
    }
    gate_arena_free(&arena);
    return worst;
}

static void follow(struct simulation *s, struct result *out) {
    int64_t drawn[GATE_SIDES][ROUNDS_MAX][FRAMES];
    uint32_t rounds = (uint32_t)s->rounds, at = rounds;
    enum gate_outcome decided = GATE_OUTCOME_INCONCLUSIVE;
    bool failed = false;
    for (int side = 0; side < GATE_SIDES; side++)
        for (uint32_t r = 0; r < rounds; r++)
            draw_run(s, drawn[side][r], side == GATE_CANARY);
    for (uint32_t k = 1; k <= rounds; k++) {
        failed = failed || judge(s, drawn, k, &s->now[0]) == GATE_OUTCOME_FAIL;
        if (decided != GATE_OUTCOME_INCONCLUSIVE)
            continue;
        decided = judge(s, drawn, k, &s->now[k]);
        at = k;
    }
    enum gate_outcome one = judge(s, drawn, rounds, &s->now[0]);
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
    s->rules = (struct gate_rules){.source = GATE_STR("simulate"),
                                   .alpha = 0.01,
                                   .alpha_margin = 0.05,
                                   .min_samples = GATE_RULES_MIN_SAMPLES,
                                   .budgets = s->budgets,
                                   .budget_count = BUDGETS};
    s->limits[0] =
        (struct gate_limit){.kind = GATE_LIMIT_SHARE_INCREASE, .severity = GATE_SEVERITY_ERROR, .value = 0.05};
    s->limits[1] = (struct gate_limit){.kind = GATE_LIMIT_INCREASE, .severity = GATE_SEVERITY_ERROR, .value = 2.0};
    for (int i = 0; i < BUDGETS; i++)
        s->budgets[i] = (struct gate_budget){.name = GATE_STR("b"),
                                             .severity = GATE_SEVERITY_ERROR,
                                             .measure = GATE_MEASURE_SELF,
                                             .limits = &s->limits[i],
                                             .limit_count = 1,
                                             .min_share = i == 1 ? 0.01 : 0.0,
                                             .max_mde = i == 1 ? 0.03 : 0.0};
    for (int i = 0; i < FRAMES; i++)
        s->frames[i] = (struct gate_frame){.name = gate_str_from(names[i]), .is_symbolised = true, .is_own = true};
    s->profile.duration_ns = INT64_C(10000000000);
    for (uint32_t k = 0; k <= (uint32_t)s->rounds; k++) {
        if (k > 0)
            t[k - 1] = k / s->rounds;
        const struct gate_looks looks = {.fractions = t, .count = k};
        if (!gate_looks_begin(&s->now[k], &looks, s->rules.alpha_margin, &err)) {
            (void)fprintf(stderr, "simulate: %s\n", err.message);
            exit(1);
        }
    }
}

int main(int argc, char **argv) {
    static struct simulation s = {.draws = 100000, .rounds = 5, .rho = 0.002, .samples = 800, .seed = 1};
    const struct {
        const char *name;
        double *value;
    } options[] = {{"--draws", &s.draws},   {"--rounds", &s.rounds},   {"--rho", &s.rho},
                   {"--growth", &s.growth}, {"--samples", &s.samples}, {"--seed", &s.seed}};
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
    if (!(s.rounds >= 1.0) || s.rounds > ROUNDS_MAX)
        return 2;
    s.random = gate_hash_mix((uint64_t)s.seed);
    begin(&s);
    struct result result = {0};
    for (double i = 0; i < s.draws; i++)
        follow(&s, &result);
    const double n = s.draws / 100.0;
    (void)printf("| +%g pp | %.0f | %.0f | %g | %.2f %% | %.2f %% | %.2f %% | %d, %d | %.2f %% | %.2f %% | %d, %d | "
                 "%.2f %% |\n",
                 s.growth, s.rounds, s.draws, s.rho, result.fail / n, result.one_fail / n, result.raw_fail / n,
                 quantile(result.fail_round, result.fail, 0.5), quantile(result.fail_round, result.fail, 0.9),
                 result.pass / n, result.one_pass / n, quantile(result.pass_round, result.pass, 0.5),
                 quantile(result.pass_round, result.pass, 0.9), result.early_lost / n);
    return 0;
}
