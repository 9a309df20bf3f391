/* SPDX-License-Identifier: Apache-2.0 */
/* Deciding after every round, on captured profiles: how often a sequence of looks fails, passes or stays undecided,
 * after how many rounds, and the result of a single look at the end. Usage: sequence DIRECTORY RULES [--runs 5]
 * [--draws 200] [--model N] [--kind cpu] [--good mix] [--work] [--mix] [--only VARIANT] [--seed 1]. A round is one
 * run per side. --model 0 uses no noise model. Results: docs/statistics.md, "Looking more than once". */
#include "bench.h"

#include "gate/compare/evidence.h"

#include <stdio.h>

enum { DRAWS = 200, ROUNDS = 5 };

struct sequence {
    uint32_t draws, fail, pass, open;
    uint32_t one_fail, one_pass; /* a single look at the end */
    uint32_t raw_fail;           /* any look fails at the full significance level */
    uint32_t lost, won;          /* only the single look fails; only the sequence fails */
    uint32_t fail_round[RUNS_MAX + 1], pass_round[RUNS_MAX + 1];
};

static bool judge(enum gate_outcome *out, const struct bench *bench, const uint32_t *one, const uint32_t *two,
                  uint32_t runs, const struct gate_noise *noise, struct gate_looks looks, struct gate_error *err) {
    struct gate_arena arena;
    gate_arena_init(&arena, 0);
    struct gate_comparison comparison;
    struct gate_verdict verdict = {0};
    const struct gate_verdict_options options = {
        .work = {bench_work_of(bench, one, runs), bench_work_of(bench, two, runs)}, .looks = looks};
    bool ok = bench_compare(&comparison, bench, one, runs, two, runs, &arena, err);
    comparison.noise = noise;
    ok = ok && gate_verdict_reach(&verdict, &bench->rules, &comparison, 1, &options, &arena, err);
    *out = verdict.outcome;
    gate_arena_free(&arena);
    return ok;
}

/* Follow one sequence of rounds to its end. Also look at the full significance level after each round. */
static bool follow(struct sequence *out, const struct bench *bench, const uint32_t *one, const uint32_t *two,
                   uint32_t rounds, const struct gate_noise *noise, struct gate_error *err) {
    double fractions[RUNS_MAX];
    enum gate_outcome decided = GATE_OUTCOME_INCONCLUSIVE, now, last = GATE_OUTCOME_INCONCLUSIVE;
    uint32_t at = rounds;
    bool failed = false;
    for (uint32_t k = 1; k <= rounds; k++) {
        fractions[k - 1] = (double)k / rounds;
        if (!judge(&last, bench, one, two, k, noise, (struct gate_looks){0}, err))
            return false;
        failed = failed || last == GATE_OUTCOME_FAIL;
        if (decided != GATE_OUTCOME_INCONCLUSIVE)
            continue;
        if (!judge(&now, bench, one, two, k, noise,
                   (struct gate_looks){.fractions = fractions, .count = k, .planned = rounds}, err))
            return false;
        decided = now;
        at = k;
    }
    out->draws++;
    out->fail += decided == GATE_OUTCOME_FAIL;
    out->pass += decided == GATE_OUTCOME_PASS;
    out->open += decided == GATE_OUTCOME_INCONCLUSIVE;
    out->one_fail += last == GATE_OUTCOME_FAIL;
    out->one_pass += last == GATE_OUTCOME_PASS;
    out->lost += last == GATE_OUTCOME_FAIL && decided != GATE_OUTCOME_FAIL;
    out->won += last != GATE_OUTCOME_FAIL && decided == GATE_OUTCOME_FAIL;
    out->raw_fail += failed;
    out->fail_round[at] += decided == GATE_OUTCOME_FAIL;
    out->pass_round[at] += decided == GATE_OUTCOME_PASS;
    return true;
}

/* Return the round by which the fraction `part` of the decisions was made; 0: there are no decisions. */
static uint32_t quantile(const uint32_t *rounds, uint32_t total, double part) {
    uint32_t seen = 0;
    for (uint32_t i = 0; i <= RUNS_MAX; i++) {
        seen += rounds[i];
        if (total > 0 && seen >= part * total)
            return i;
    }
    return 0;
}

static void put(uint32_t hits, uint32_t draws) {
    double low = 0.0, high = 0.0;
    gate_wilson_interval(hits, draws, 1.959963984540054, &low, &high);
    (void)printf(" %.1f %% (%.1f–%.1f) |", 100.0 * hits / draws, 100.0 * low, 100.0 * high);
}

static void put_row(const struct sequence *s, const char *variant, const char *planted, bool has_model) {
    (void)printf("| %s%s%s | %s | %u |", variant, *planted != '\0' ? ", " : "", planted, has_model ? "yes" : "no",
                 s->draws);
    put(s->fail, s->draws);
    put(s->one_fail, s->draws);
    put(s->raw_fail, s->draws);
    (void)printf(" %u, %u |", quantile(s->fail_round, s->fail, 0.5), quantile(s->fail_round, s->fail, 0.9));
    put(s->pass, s->draws);
    put(s->one_pass, s->draws);
    (void)printf(" %u, %u | %u, %u |\n", quantile(s->pass_round, s->pass, 0.5), quantile(s->pass_round, s->pass, 0.9),
                 s->lost, s->won);
    (void)fflush(stdout);
}

static bool measure(struct bench *bench, const char *variant, uint32_t rounds, uint32_t model_runs,
                    struct gate_error *err) {
    struct setting s = {.variant = variant, .runs = rounds, .model_runs = model_runs};
    s.good_count = captures_of(&bench->captures, bench->settings.good, s.good);
    s.other_count = captures_of(&bench->captures, variant, s.other);
    s.is_good = strcmp(variant, bench->settings.good) == 0;
    if (s.good_count < model_runs + rounds * (s.is_good ? 2 : 1) || s.other_count < rounds)
        return true;
    s.planted = bench->captures.items[s.other[0]].planted;
    struct sequence sequence = {0};
    uint32_t draws = bench->settings.draws > 0 ? bench->settings.draws : DRAWS;
    for (uint32_t i = 0; i < draws; i++) {
        struct gate_arena arena;
        struct gate_noise noise;
        gate_arena_init(&arena, 0);
        const uint32_t *two =
            bench->settings.use_pairs ? draws_rounds(&bench->draws, &s) : draws_any(&bench->draws, &s);
        bool ok = (model_runs == 0 || bench_calibrate(&noise, bench, s.good, model_runs, &arena, err)) &&
                  follow(&sequence, bench, s.good + model_runs, two, rounds, model_runs > 0 ? &noise : NULL, err);
        gate_arena_free(&arena);
        if (!ok)
            return false;
    }
    put_row(&sequence, variant, s.planted, model_runs > 0);
    return true;
}

static bool measure_all(struct bench *bench, struct gate_error *err) {
    uint32_t rounds = bench->settings.runs > 0 ? bench->settings.runs : ROUNDS;
    (void)printf(
        "| canary | model | sequences | fails | one look fails | unspent fails | rounds to fail: half, 9 of 10 | "
        "passes | one look passes | rounds to pass | fails lost, won |\n"
        "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n");
    for (uint32_t i = 0; i < bench->captures.count; i++) {
        const char *variant = bench->captures.items[i].variant;
        if (!captures_is_first(&bench->captures, i) ||
            (*bench->settings.only != '\0' && strcmp(variant, bench->settings.only) != 0))
            continue;
        if (!measure(bench, variant, rounds, 0, err) ||
            (bench->settings.model_runs > 0 && !measure(bench, variant, rounds, bench->settings.model_runs, err)))
            return false;
    }
    return true;
}

int main(int argc, char **argv) {
    struct bench bench = {0};
    struct gate_error err = {0};
    struct gate_arena arena;
    if (!settings_parse(&bench.settings, argc, argv) || bench.settings.runs > RUNS_MAX) {
        (void)fprintf(stderr, "usage: sequence DIRECTORY RULES [--runs 5] [--draws 200] [--model 0] [--kind cpu] "
                              "[--good mix] [--work] [--mix] [--only VARIANT] [--seed 1]\n");
        return 2;
    }
    gate_arena_init(&arena, 0);
    bench.draws = (struct draws){&bench.settings, &bench.captures, gate_hash_mix(bench.settings.seed)};
    bool ok = bench_read_rules(&bench.rules, bench.settings.rules, &arena, &err) &&
              captures_load(&bench.captures, bench.settings.directory, bench.settings.kind, &arena, &err) &&
              measure_all(&bench, &err);
    if (!ok)
        (void)fprintf(stderr, "sequence: %s\n", err.message);
    gate_rules_free(&bench.rules);
    gate_arena_free(&arena);
    return ok ? 0 : 1;
}
