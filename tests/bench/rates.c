/* SPDX-License-Identifier: Apache-2.0 */
/* How often the gate is wrong: false fails between known-good runs, and detection of planted regressions, on captured
 * profiles, beside two naive rules. Usage: rates DIRECTORY RULES [--kind cpu] [--good mix] [--work] [--draws N]
 * [--model 10] [--seed 1] [--only VARIANT] [--runs N]. Of single runs all ordered pairs are compared, of several runs
 * 300 draws, or at most N of either. What it found is in docs/statistics.md. */
#include "captures.h"

#include "gate/budget/verdict.h"
#include "gate/profile/load.h"
#include "gate/profile/source.h"
#include "gate/rules/rules_parse.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct settings {
    const char *directory, *rules, *kind, *good, *type, *only;
    bool use_work;
    uint32_t draws;            /* at most; 0: all pairs of single runs, else DRAWS */
    uint32_t model_runs, runs; /* runs: of a side, 0: 1, 2, 3 and 5 */
    uint64_t seed;
};

enum { BUDGETS_MAX = 16, RUNS_MAX = 64, CAPTURES_MAX = 512, DRAWS = 300 };

/* What became of the draws of one setting; per budget, and for the run as a whole. */
struct tally {
    uint32_t draws, fail, inconclusive, naive_delta, naive_ratio;
    uint32_t budget_fail[BUDGETS_MAX];     /* a frame failed: any frame without a plant, else the planted one */
    uint32_t budget_innocent[BUDGETS_MAX]; /* a self frame that nobody touched failed beside a plant */
    uint32_t budget_open[BUDGETS_MAX];
};

struct bench {
    struct settings settings;
    struct captures captures;
    struct gate_rules rules;
    uint64_t random;
};

static uint32_t pick(struct bench *bench, uint32_t below) {
    bench->random++;
    return (uint32_t)(gate_hash_mix(bench->random) % below);
}

static void shuffle(struct bench *bench, uint32_t *items, uint32_t count) {
    for (uint32_t i = count; i > 1; i--) {
        uint32_t j = pick(bench, i), kept = items[i - 1];
        items[i - 1] = items[j];
        items[j] = kept;
    }
}

static void inputs_of(const struct bench *bench, struct gate_run_input *out, const uint32_t *which, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        const struct capture *capture = &bench->captures.items[which[i]];
        out[i] = (struct gate_run_input){.path = capture->path, .profile = &capture->profile};
    }
}

static bool compare(struct gate_comparison *out, const struct bench *bench, const uint32_t *one, uint32_t one_count,
                    const uint32_t *two, uint32_t two_count, struct gate_arena *arena, struct gate_error *err) {
    static struct gate_run_input runs[GATE_SIDES][RUNS_MAX];
    const struct gate_run_input *const inputs[GATE_SIDES] = {runs[0], runs[1]};
    const uint32_t counts[GATE_SIDES] = {one_count, two_count};
    struct gate_pair_options options = {.frames = bench->rules.frames, .counts = bench->rules.counts};
    options.sample_type = gate_str_from(bench->settings.type);
    inputs_of(bench, runs[0], one, one_count);
    inputs_of(bench, runs[1], two, two_count);
    *out = (struct gate_comparison){.name = gate_str_from(bench->settings.kind)};
    return gate_pair_make(&out->pair, inputs, counts, &options, arena, err) &&
           gate_delta_fold(&out->deltas, &out->pair, NULL, arena, err);
}

static bool calibrate(struct gate_noise *out, const struct bench *bench, const uint32_t *runs, uint32_t count,
                      struct gate_arena *arena, struct gate_error *err) {
    struct gate_comparison comparison;
    return compare(&comparison, bench, runs, count, runs, 1, arena, err) &&
           gate_noise_estimate(out, &comparison.pair, &comparison.deltas, arena, err);
}

static double work_of(const struct bench *bench, const uint32_t *runs, uint32_t count) {
    double work = 0.0;
    for (uint32_t i = 0; i < count; i++)
        work += bench->captures.items[runs[i]].requests;
    return bench->settings.use_work ? work : 0.0;
}

/* The two rules that people write first, on self shares. */
static void try_naive(struct tally *tally, const struct gate_comparison *comparison, const char *planted) {
    bool delta = false, ratio = false;
    for (uint32_t i = 0; i < comparison->pair.frame_count; i++) {
        const struct gate_evidence *e = &comparison->frames[i].evidence[GATE_SELF];
        if (*planted != '\0' && !gate_str_equal(comparison->pair.frames[i].name, gate_str_from(planted)))
            continue;
        delta = delta || e->delta > 0.02;
        ratio = ratio || (e->share[GATE_CANARY] >= 0.01 && e->share[GATE_CANARY] > 2.0 * e->share[GATE_BASELINE]);
    }
    tally->naive_delta += delta;
    tally->naive_ratio += ratio;
}

static void count_budget(struct tally *tally, uint32_t index, const struct gate_budget_result *result,
                         const char *planted) {
    bool hit = false, innocent = false;
    const char *show = getenv("RATES_SHOW"); /* f: false fails, u: also what is undecided */
    for (uint32_t i = 0; i < result->finding_count; i++) {
        const struct gate_finding *finding = &result->findings[i];
        if (show != NULL && *show == 'u' && finding->outcome == GATE_OUTCOME_INCONCLUSIVE)
            (void)fprintf(stderr, "%.*s\n", GATE_STR_ARG(finding->text));
        if (finding->outcome != GATE_OUTCOME_FAIL)
            continue;
        bool is_planted = gate_str_equal(finding->function, gate_str_from(planted));
        hit = hit || *planted == '\0' || is_planted;
        innocent = innocent || (*planted != '\0' && !is_planted && finding->measure == GATE_SELF);
        if (show != NULL && (*planted == '\0' || (innocent && !is_planted && finding->measure == GATE_SELF)))
            (void)fprintf(stderr, "%.*s\n", GATE_STR_ARG(finding->text));
    }
    tally->budget_fail[index] += hit;
    tally->budget_innocent[index] += innocent;
    tally->budget_open[index] += result->outcome == GATE_OUTCOME_INCONCLUSIVE;
}

/* One draw: `model` runs for the noise model (or none), then both sides, all disjoint. */
static bool draw(struct tally *tally, struct bench *bench, const uint32_t *good, const uint32_t *canary, uint32_t runs,
                 uint32_t model_runs, const char *planted, struct gate_error *err) {
    struct gate_arena arena;
    gate_arena_init(&arena, 0);
    struct gate_comparison comparison;
    struct gate_noise noise;
    struct gate_verdict verdict;
    const uint32_t *baseline = good + model_runs;
    struct gate_verdict_options options = {.work = {work_of(bench, baseline, runs), work_of(bench, canary, runs)}};
    bool ok = compare(&comparison, bench, baseline, runs, canary, runs, &arena, err) &&
              (model_runs == 0 || calibrate(&noise, bench, good, model_runs, &arena, err));
    if (ok) {
        comparison.noise = model_runs == 0 ? NULL : &noise;
        ok = gate_verdict_reach(&verdict, &bench->rules, &comparison, 1, &options, &arena, err);
    }
    if (ok) {
        tally->draws++;
        tally->fail += verdict.outcome == GATE_OUTCOME_FAIL;
        tally->inconclusive += verdict.outcome == GATE_OUTCOME_INCONCLUSIVE;
        for (uint32_t i = 0; i < verdict.budget_count && i < BUDGETS_MAX; i++)
            count_budget(tally, i, &verdict.budgets[i], planted);
        try_naive(tally, &comparison, planted);
    }
    gate_arena_free(&arena);
    return ok;
}

static void put_rate(const char *label, uint32_t hits, uint32_t draws) {
    double low = 0.0, high = 0.0;
    gate_wilson_interval(hits, draws, 1.959963984540054, &low, &high);
    (void)printf("    %-34s %5.1f %%  (%.1f … %.1f)\n", label, 100.0 * hits / draws, 100.0 * low, 100.0 * high);
}

static void report(const struct bench *bench, const struct tally *tally, bool planted) {
    char label[128];
    put_rate(planted ? "verdict fails" : "verdict fails (false)", tally->fail, tally->draws);
    put_rate("verdict inconclusive", tally->inconclusive, tally->draws);
    for (uint32_t i = 0; i < bench->rules.budget_count && i < BUDGETS_MAX; i++) {
        const struct gate_budget *budget = &bench->rules.budgets[i];
        (void)snprintf(label, sizeof label, "%.*s: %s", GATE_STR_ARG(budget->name), planted ? "found" : "false fail");
        put_rate(label, tally->budget_fail[i], tally->draws);
        if (planted && tally->budget_innocent[i] > 0) {
            (void)snprintf(label, sizeof label, "%.*s: innocent fails", GATE_STR_ARG(budget->name));
            put_rate(label, tally->budget_innocent[i], tally->draws);
        }
        (void)snprintf(label, sizeof label, "%.*s: undecided", GATE_STR_ARG(budget->name));
        if (tally->budget_open[i] > 0)
            put_rate(label, tally->budget_open[i], tally->draws);
    }
    put_rate("naive: delta > 2 pp", tally->naive_delta, tally->draws);
    put_rate("naive: ratio > 2", tally->naive_ratio, tally->draws);
}

/* What one setting compares: canaries of a variant with good runs, which are the same captures where nothing is
 * planted. */
struct setting {
    const char *variant, *planted;
    uint32_t good[CAPTURES_MAX], other[CAPTURES_MAX];
    uint32_t good_count, other_count, runs, model_runs;
    bool is_good;
};

static void swap(uint32_t *a, uint32_t *b) {
    uint32_t kept = *a;
    *a = *b;
    *b = kept;
}

/* Every capture in random order: the model's runs first, then the baseline's, then those of a good canary. */
static const uint32_t *draw_any(struct bench *bench, struct setting *s) {
    shuffle(bench, s->good, s->good_count);
    shuffle(bench, s->other, s->other_count);
    return s->is_good ? s->good + s->model_runs + s->runs : s->other;
}

static uint32_t pairs_of(const struct setting *s) {
    return s->good_count * (s->is_good ? s->good_count - 1 : s->other_count);
}

/* The same for single runs, where `pair` of all ordered pairs is compared; the model's runs are any others. */
static const uint32_t *draw_pair(struct bench *bench, struct setting *s, uint32_t pair) {
    uint32_t rest = s->is_good ? s->good_count - 1 : s->other_count;
    uint32_t one = pair / rest, two = pair % rest;
    two += s->is_good && two >= one;
    /* Back into the order of the manifest, or a pair's number would mean nothing. */
    s->good_count = captures_of(&bench->captures, bench->settings.good, s->good);
    s->other_count = captures_of(&bench->captures, s->variant, s->other);
    uint32_t last = s->good_count - 1;
    uint32_t canary = s->is_good ? s->good[two] : s->other[two];
    swap(&s->good[one], &s->good[last]);
    for (uint32_t i = 0; s->is_good && i < last; i++)
        if (s->good[i] == canary)
            swap(&s->good[i], &s->good[last - 1]);
    shuffle(bench, s->good, s->is_good ? last - 1 : last);
    swap(&s->good[s->model_runs], &s->good[last]);
    if (s->is_good && s->model_runs + 1 < last)
        swap(&s->good[s->model_runs + 1], &s->good[last - 1]);
    swap(&s->other[0], &s->other[two]);
    return s->is_good ? &s->good[s->model_runs + 1] : s->other;
}

/* All draws of one setting; nothing where there are too few captures for disjoint sets. */
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
    uint32_t pairs[CAPTURES_MAX * CAPTURES_MAX], count = runs == 1 ? pairs_of(&s) : DRAWS;
    for (uint32_t i = 0; runs == 1 && i < count; i++)
        pairs[i] = i;
    if (runs == 1)
        shuffle(bench, pairs, count);
    if (bench->settings.draws > 0 && (runs > 1 || bench->settings.draws < count))
        count = bench->settings.draws;
    struct tally tally = {0};
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t *canary = runs == 1 ? draw_pair(bench, &s, pairs[i]) : draw_any(bench, &s);
        if (!draw(&tally, bench, s.good, canary, runs, model_runs, s.planted, err))
            return false;
    }
    (void)printf("%s against %s%s%s, %u run%s a side, %s: %u %s\n", variant, bench->settings.good,
                 *s.planted != '\0' ? ", planted " : "", s.planted, runs, runs == 1 ? "" : "s",
                 model_runs > 0 ? "noise model" : "no model", tally.draws, runs == 1 ? "pairs" : "draws");
    report(bench, &tally, *s.planted != '\0');
    (void)fflush(stdout);
    return true;
}

static bool is_first(const struct captures *captures, uint32_t index) {
    for (uint32_t i = 0; i < index; i++)
        if (strcmp(captures->items[i].variant, captures->items[index].variant) == 0)
            return false;
    return true;
}

static bool measure_all(struct bench *bench, struct gate_error *err) {
    static const uint32_t runs[] = {1, 2, 3, 5};
    for (uint32_t i = 0; i < bench->captures.count; i++) {
        const char *variant = bench->captures.items[i].variant;
        if (!is_first(&bench->captures, i) ||
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

static bool read_rules(struct gate_rules *out, const char *path, struct gate_arena *arena, struct gate_error *err) {
    const struct gate_limits limits = gate_limits_default();
    const struct gate_rules_reader reader = {0};
    struct gate_str bytes;
    return gate_source_read(&bytes, gate_str_from(path), &limits, arena, err) &&
           gate_rules_parse(out, bytes, gate_str_from(path), &reader, arena, err);
}

static bool parse(struct settings *out, int argc, char **argv) {
    *out = (struct settings){.kind = "cpu", .good = "mix", .type = "", .only = "", .model_runs = 10, .seed = 1};
    for (int i = 1; i < argc; i++) {
        const char *next = i + 1 < argc ? argv[i + 1] : "";
        if (strcmp(argv[i], "--work") == 0) {
            out->use_work = true;
            continue;
        }
        if (argv[i][0] != '-') {
            *(out->directory == NULL ? &out->directory : &out->rules) = argv[i];
            continue;
        }
        i++;
        if (strcmp(argv[i - 1], "--kind") == 0)
            out->kind = next;
        else if (strcmp(argv[i - 1], "--type") == 0)
            out->type = next;
        else if (strcmp(argv[i - 1], "--good") == 0)
            out->good = next;
        else if (strcmp(argv[i - 1], "--only") == 0)
            out->only = next;
        else if (strcmp(argv[i - 1], "--runs") == 0)
            out->runs = (uint32_t)strtoul(next, NULL, 10);
        else if (strcmp(argv[i - 1], "--draws") == 0)
            out->draws = (uint32_t)strtoul(next, NULL, 10);
        else if (strcmp(argv[i - 1], "--model") == 0)
            out->model_runs = (uint32_t)strtoul(next, NULL, 10);
        else if (strcmp(argv[i - 1], "--seed") == 0)
            out->seed = strtoull(next, NULL, 10);
        else
            return false;
    }
    return out->directory != NULL && out->rules != NULL;
}

int main(int argc, char **argv) {
    struct bench bench = {0};
    struct gate_error err = {0};
    struct gate_arena arena;
    if (!parse(&bench.settings, argc, argv)) {
        (void)fprintf(stderr, "usage: rates DIRECTORY RULES [--kind cpu] [--type TYPE] [--good mix] [--work] "
                              "[--draws N] [--model 10] [--seed 1] [--only VARIANT] [--runs N]\n");
        return 2;
    }
    gate_arena_init(&arena, 0);
    bench.random = gate_hash_mix(bench.settings.seed);
    bool ok = read_rules(&bench.rules, bench.settings.rules, &arena, &err) &&
              captures_load(&bench.captures, bench.settings.directory, bench.settings.kind, &arena, &err) &&
              measure_all(&bench, &err);
    if (!ok)
        (void)fprintf(stderr, "rates: %s\n", err.message);
    gate_rules_free(&bench.rules);
    gate_arena_free(&arena);
    return ok ? 0 : 1;
}
