/* SPDX-License-Identifier: Apache-2.0 */
/* How often the gate is wrong, on captured profiles: false fails between known-good runs, and detection of planted
 * regressions, beside two naive rules. Usage: rates DIRECTORY RULES [--kind cpu] [--good mix] [--work] [--mix]
 * [--pairs] [--rounds] [--unpaired] [--slow F] [--draws N] [--model 10] [--seed 1] [--only VARIANT] [--runs N]
 * [--advice] [--table]. Compares all ordered pairs of single runs, and 300 draws of several runs, but at most N of
 * either. With --advice, repeats inconclusive comparisons with the number of runs per side that the verdict advises.
 * Results: docs/measured.md. */
#include "bench.h"
#include "tally.h"

#include "gate/budget/verdict.h"

#include <stdio.h>
#include <stdlib.h>

enum { DRAWS = 300 };
/* The confidence intervals of smaller frames are not counted. */
static const double INTERVAL_MIN_SHARE = 0.01;

/* Two naive rules on self shares: more than +2 pp, and more than twice the share (at least 1%). */
static void try_naive(struct tally *tally, const struct gate_comparison *comparison, const char *planted) {
    bool delta = false, ratio = false;
    for (uint32_t i = 0; i < comparison->pair.frame_count; i++) {
        const struct gate_evidence *e = comparison->frames[i].evidence[GATE_SELF];
        if (*planted != '\0' && !gate_str_equal(comparison->pair.frames[i].name, gate_str_from(planted)))
            continue;
        delta = delta || e->delta > 0.02;
        ratio = ratio || (e->share[GATE_CANARY] >= 0.01 && e->share[GATE_CANARY] > 2.0 * e->share[GATE_BASELINE]);
    }
    tally->naive_delta += delta;
    tally->naive_ratio += ratio;
}

/* Count the 95% confidence intervals between good runs that contain 0: of charged cost for own code, else of self
 * cost. */
static void count_intervals(struct tally *tally, const struct gate_comparison *comparison) {
    for (uint32_t i = 0; i < comparison->pair.frame_count; i++) {
        const struct gate_frame *frame = &comparison->pair.frames[i];
        int class = frame->is_runtime ? CLASS_RUNTIME : frame->is_own ? CLASS_OWN : CLASS_LIBRARY;
        const struct gate_evidence *e = comparison->frames[i].evidence[class == CLASS_OWN ? GATE_CHARGED : GATE_SELF];
        if (e->share[GATE_BASELINE] + e->share[GATE_CANARY] < 2.0 * INTERVAL_MIN_SHARE)
            continue;
        struct gate_interval interval = gate_evidence_ci95(e);
        tally->intervals[class]++;
        tally->covered[class] += interval.bounds[0] <= 0.0 && interval.bounds[1] >= 0.0;
    }
}

/* Count the findings of one budget. Returns whether a frame without a planted change failed. */
static bool count_budget(struct tally *tally, uint32_t index, const struct gate_budget_result *result,
                         const char *planted) {
    bool hit = false, innocent = false;
    const char *show = getenv("RATES_SHOW"); /* if set, print false fails; 'u': print undecided findings, too */
    for (uint32_t i = 0; i < result->finding_count; i++) {
        const struct gate_finding *finding = &result->findings[i];
        if (show != NULL && *show == 'u' && finding->outcome == GATE_OUTCOME_INCONCLUSIVE)
            (void)fprintf(stderr, "%.*s\n", GATE_STR_ARG(finding->text));
        if (finding->outcome != GATE_OUTCOME_FAIL)
            continue;
        bool is_planted = gate_str_equal(finding->function, gate_str_from(planted));
        hit = hit || *planted == '\0' || is_planted;
        innocent = innocent || (*planted != '\0' && !is_planted && finding->measure != GATE_CUMULATIVE);
        if (show != NULL && (*planted == '\0' || (innocent && !is_planted && finding->measure != GATE_CUMULATIVE)))
            (void)fprintf(stderr, "%.*s\n", GATE_STR_ARG(finding->text));
    }
    tally->budget_fail[index] += hit;
    tally->budget_innocent[index] += innocent;
    tally->budget_open[index] += result->outcome == GATE_OUTCOME_INCONCLUSIVE;
    return innocent;
}

/* One draw: `model_runs` runs for the noise model (or none), then both sides. No run is used twice. */
static bool draw(struct tally *tally, struct bench *bench, const uint32_t *good, const uint32_t *canary, uint32_t runs,
                 uint32_t model_runs, const char *planted, struct gate_error *err) {
    struct gate_arena arena;
    gate_arena_init(&arena, 0);
    struct gate_comparison comparison;
    struct gate_noise noise;
    struct gate_verdict verdict;
    const uint32_t *baseline = good + model_runs;
    struct gate_verdict_options options = {
        .work = {bench_work_of(bench, baseline, runs), bench_work_of(bench, canary, runs) / bench->settings.slow}};
    bool ok = bench_compare(&comparison, bench, baseline, runs, canary, runs, &arena, err) &&
              (model_runs == 0 || bench_calibrate(&noise, bench, good, model_runs, &arena, err));
    if (ok) {
        comparison.noise = model_runs == 0 ? NULL : &noise;
        ok = gate_verdict_reach(&verdict, &bench->rules, &comparison, 1, &options, &arena, err);
    }
    if (ok) {
        tally->draws++;
        tally->fail += verdict.outcome == GATE_OUTCOME_FAIL;
        tally->inconclusive += verdict.outcome == GATE_OUTCOME_INCONCLUSIVE;
        tally->advice = verdict.settle_runs;
        bool innocent = false;
        for (uint32_t i = 0; i < verdict.budget_count; i++) {
            size_t at = (size_t)(verdict.budgets[i].budget - bench->rules.budgets);
            if (at < BUDGETS_MAX)
                innocent |= count_budget(tally, (uint32_t)at, &verdict.budgets[i], planted);
        }
        tally->innocent += innocent;
        try_naive(tally, &comparison, planted);
        if (*planted == '\0')
            count_intervals(tally, &comparison);
    }
    gate_arena_free(&arena);
    return ok;
}

/* Repeat the last draw with the number of runs that it advises: its own runs and unused ones. */
static bool follow(struct tally *tally, struct bench *bench, const struct setting *s, const uint32_t *canary,
                   struct gate_error *err) {
    struct tally then = {0};
    uint32_t runs = (uint32_t)tally->advice, one[CAPTURES_MAX], two[CAPTURES_MAX];
    uint32_t used = s->model_runs + s->runs * (s->is_good ? 2 : 1), more = runs - s->runs;
    tally->advised += runs > 0;
    tally->unadvised += runs == 0;
    if (runs <= s->runs || s->good_count < used + more * (s->is_good ? 2 : 1) || (!s->is_good && s->other_count < runs))
        return true;
    memcpy(one, s->good, (s->model_runs + s->runs) * sizeof *one);
    memcpy(one + s->model_runs + s->runs, s->good + used, more * sizeof *one);
    memcpy(two, canary, s->runs * sizeof *two);
    memcpy(two + s->runs, s->is_good ? s->good + used + more : s->other + s->runs, more * sizeof *two);
    if (!draw(&then, bench, one, two, runs, s->model_runs, s->planted, err))
        return false;
    tally->followed++;
    tally->wanted += runs;
    tally->decided += then.inconclusive == 0;
    return true;
}

/* Make all draws of one setting; none if there are too few captures for sets without common runs. */
static bool measure(struct bench *bench, const char *variant, uint32_t runs, uint32_t model_runs,
                    struct gate_error *err) {
    struct setting s = {.variant = variant, .runs = runs, .model_runs = model_runs};
    s.good_count = captures_of(&bench->captures, bench->settings.good, s.good);
    s.other_count = captures_of(&bench->captures, variant, s.other);
    s.is_good = strcmp(variant, bench->settings.good) == 0;
    s.planted = s.other_count > 0 ? bench->captures.items[s.other[0]].planted : "";
    uint32_t needed = model_runs + runs + (s.is_good ? runs : 0);
    if (s.good_count < needed || s.other_count < runs)
        return true;
    uint32_t pairs[CAPTURES_MAX * CAPTURES_MAX], count = runs == 1 ? draws_pairs(&s) : DRAWS;
    for (uint32_t i = 0; runs == 1 && i < count; i++)
        pairs[i] = i;
    if (runs == 1)
        draws_shuffle(&bench->draws, pairs, count);
    if (bench->settings.draws > 0 && (runs > 1 || bench->settings.draws < count))
        count = bench->settings.draws;
    struct tally tally = {0};
    for (uint32_t i = 0; i < count; i++) {
        uint32_t before = tally.inconclusive;
        const uint32_t *canary = bench->settings.use_pairs ? draws_rounds(&bench->draws, &s)
                                 : runs == 1               ? draws_pair(&bench->draws, &s, pairs[i])
                                                           : draws_any(&bench->draws, &s);
        if (!draw(&tally, bench, s.good, canary, runs, model_runs, s.planted, err))
            return false;
        if (bench->settings.follows_advice && tally.inconclusive > before && !follow(&tally, bench, &s, canary, err))
            return false;
    }
    if (bench->settings.as_table) {
        tally_row(&tally, s.variant, s.planted, s.runs, s.model_runs > 0);
        return fflush(stdout) == 0;
    }
    (void)printf("%s against %s%s%s, %u run%s a side, %s: %u %s\n", variant, bench->settings.good,
                 *s.planted != '\0' ? ", planted " : "", s.planted, runs, runs == 1 ? "" : "s",
                 model_runs > 0 ? "noise model" : "no model", tally.draws, runs == 1 ? "pairs" : "draws");
    tally_text(&tally, &bench->rules, *s.planted != '\0');
    (void)fflush(stdout);
    return true;
}

static bool measure_all(struct bench *bench, struct gate_error *err) {
    if (bench->settings.as_table)
        tally_head();
    static const uint32_t runs[] = {1, 2, 3, 5};
    for (uint32_t i = 0; i < bench->captures.count; i++) {
        const char *variant = bench->captures.items[i].variant;
        if (!captures_is_first(&bench->captures, i) ||
            (*bench->settings.only != '\0' && strcmp(variant, bench->settings.only) != 0))
            continue;
        for (size_t r = 0; r < sizeof runs / sizeof *runs; r++)
            for (int with_model = 0; with_model < 2; with_model++)
                if ((bench->settings.runs == 0 || bench->settings.runs == runs[r]) &&
                    !measure(bench, variant, runs[r], with_model ? bench->settings.model_runs : 0, err))
                    return false;
    }
    return true;
}

int main(int argc, char **argv) {
    struct bench bench = {0};
    struct gate_error err = {0};
    struct gate_arena arena;
    if (!settings_parse(&bench.settings, argc, argv)) {
        settings_usage();
        return 2;
    }
    gate_arena_init(&arena, 0);
    bench.draws = (struct draws){&bench.settings, &bench.captures, gate_hash_mix(bench.settings.seed)};
    bool ok = bench_read_rules(&bench.rules, bench.settings.rules, &arena, &err) &&
              captures_load(&bench.captures, bench.settings.directory, bench.settings.kind, &arena, &err) &&
              measure_all(&bench, &err);
    if (!ok)
        (void)fprintf(stderr, "rates: %s\n", err.message);
    gate_rules_free(&bench.rules);
    gate_arena_free(&arena);
    return ok ? 0 : 1;
}
