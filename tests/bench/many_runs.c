/* SPDX-License-Identifier: Apache-2.0 */
/* What many runs can see, decided by the gate's own code on simulated runs (simulation.h).
 *
 * Prints one row of a Markdown table: runs per side, samples per run, the growth that the formula of
 * docs/statistics.md calls detectable with 80% power, the smallest growth found with 80% power, how often that growth
 * was found, how often an innocent frame failed beside it, and how often nothing at all had grown and a frame failed.
 * The options are the fields of struct simulation, and:
 *
 * --draws N         comparisons per power (default 400)
 * --formula         print the formula's row only
 * --write FOLDER    write the runs of each draw as collapsed stacks, FOLDER/DRAW-SIDE-RUN.folded, for `pprofgate check`
 * --at PP           print how often growth of PP points fails and passes, and how small its p value was, instead
 *
 * The budget is +LIMIT points of self cost for each of 12 frames. Results: docs/scale.md. */
#include "simulation.h"

#include "gate/compare/evidence.h"
#include "gate/compare/student.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double Z_POWER = 0.8416212335729143;

/* The search ends when the power is within this many standard normal units of 80% (about 0.6%). */
static const double NEAR_POWER = 0.02;

enum { STEPS_MAX = 12 };

struct settings {
    double draws, seed, at;
    bool formula_only;
    const char *folder;
    struct gate_looks_now now;
};

/* Number of draws in which something happened, and the median log p. */
struct counted {
    double found, innocent, failed, passed, log_p;
};

static void write_run(const struct settings *settings, const struct simulation *s, int draw, int side, uint32_t run,
                      const int64_t *counts) {
    char path[4096];
    (void)snprintf(path, sizeof path, "%s/%d-%s-%u.folded", settings->folder, draw,
                   side == GATE_BASELINE ? "baseline" : "canary", run);
    FILE *file = fopen(path, "w");
    if (file == NULL) {
        perror(path);
        exit(1);
    }
    for (int i = 0; i < SIMULATION_FRAMES; i++)
        if (counts[i] > 0)
            (void)fprintf(file, "main;%s %lld\n", s->frames[i].name.ptr, (long long)counts[i]);
    if (fclose(file) != 0)
        exit(1);
}

/* Judge all draws. Every growth is judged on the same random numbers, so power grows smoothly with it. */
static struct counted judge_all(struct simulation *s, const struct settings *settings) {
    struct counted out = {0};
    s->random = gate_hash_mix((uint64_t)settings->seed);
    for (int draw = 0; draw < (int)settings->draws; draw++) {
        struct gate_arena arena;
        struct drawn drawn;
        gate_arena_init(&arena, 0);
        simulation_draw(&drawn, s, &arena);
        for (int side = 0; settings->folder != NULL && side < GATE_SIDES; side++)
            for (uint32_t r = 0; r < drawn.runs; r++)
                write_run(settings, s, draw, side, r, drawn.counts[side][r]);
        struct decided decided = simulation_judge(s, &drawn, drawn.runs, &settings->now);
        out.found += decided.grown_fails;
        out.innocent += decided.other_fails;
        out.failed += decided.worst == GATE_OUTCOME_FAIL;
        out.passed += decided.worst <= GATE_OUTCOME_PASS;
        out.log_p += decided.log_p / settings->draws;
        gate_arena_free(&arena);
    }
    return out;
}

/*
 * Return the growth in points that the formula calls detectable: gate_detectable_growth at the expected counts and
 * dispersion. All frames with enough counts are in one Holm family.
 */
static double formula(const struct simulation *s, const struct settings *settings) {
    double runs = s->merge > 0.0 ? fmin(s->hosts, s->runs) : s->runs, p = simulation_share(s);
    double n = s->samples * s->runs, per_run = n / runs, rho = s->rho + s->host_rho;
    struct gate_evidence e = {.dilution = 1.0, .phi = 1.0, .df = INFINITY};
    if (runs > 1.0) {
        e.phi = 1.0 + per_run * rho;
        e.df = gate_dispersion_prior_df(GATE_DISPERSION_OWN) + 2.0 * runs - 2.0;
    } else {
        n /= 1.0 + n * GATE_ASSUMED_RHO;
    }
    e.counts = (struct gate_counts2){n * p, n, n * p, n};
    e.sample_n[GATE_BASELINE] = e.sample_n[GATE_CANARY] = s->samples * s->runs;
    double level = s->rules.alpha / SIMULATION_FRAMES;
    return 100.0 * gate_detectable_growth(&e, s->limit / 100.0, level, settings->now.margin);
}

/* Return the growth that is found in 80% of the draws: Newton's method on the normal scale, within a bracket. NAN if no
 * growth is. `power` is that of the returned growth. */
static double smallest_found(struct simulation *s, const struct settings *settings, double guess, double *power) {
    double most = 100.0 * (1.0 - simulation_share(s)) * 0.999, low = 0.0, high = most;
    double slope = (Z_POWER + gate_normal_z(s->rules.alpha / SIMULATION_FRAMES)) / guess;
    s->growth = fmin(guess, most);
    for (int i = 0; i < STEPS_MAX; i++) {
        *power = judge_all(s, settings).found / settings->draws;
        double floor = 0.5 / settings->draws;
        double off = Z_POWER + gate_normal_z(fmin(fmax(*power, floor), 1.0 - floor));
        if (fabs(off) < NEAR_POWER)
            return s->growth;
        if (off > 0.0 && s->growth >= most)
            return NAN;
        *(off > 0.0 ? &low : &high) = s->growth;
        double next = s->growth + off / slope;
        if (next >= most && high >= most)
            s->growth = most;
        else
            s->growth = next > low && next < high ? next : (low + high) / 2.0;
    }
    return s->growth;
}

static void print_points(double points) {
    if (isnan(points))
        (void)printf(" none |");
    else
        (void)printf(" %.*f pp |", points < 0.095 ? 3 : points < 0.95 ? 2 : 1, points);
}

static void print_row(struct simulation *s, const struct settings *settings) {
    double expected = formula(s, settings);
    (void)printf("| %.0f | %.0f |", s->runs, s->samples);
    print_points(expected);
    if (!settings->formula_only) {
        double power = NAN, found = smallest_found(s, settings, expected, &power);
        struct counted grown = judge_all(s, settings);
        s->growth = 0.0;
        struct counted good = judge_all(s, settings);
        print_points(found);
        (void)printf(" %.0f%% | %.1f%% | %.1f%% |", 100.0 * power, 100.0 * grown.innocent / settings->draws,
                     100.0 * good.failed / settings->draws);
    }
    (void)printf("\n");
}

static void print_at(struct simulation *s, const struct settings *settings) {
    s->growth = settings->at;
    struct counted counted = judge_all(s, settings);
    (void)printf("| %.0f | %.0f | %+g pp | %+g pp | 1e%.0f | %.1f%% | %.1f%% |\n", s->runs, s->samples, s->growth,
                 s->limit, counted.log_p / log(10.0), 100.0 * counted.failed / settings->draws,
                 100.0 * counted.passed / settings->draws);
}

static int usage(void) {
    (void)fprintf(
        stderr,
        "usage: many_runs [--runs N] [--samples N] [--rho R] [--hosts N] [--host-rho R] [--side-rho R] "
        "[--same-hosts] [--merge] [--rounds] [--paired PART] [--spread SD] [--cheaper PART] [--work] [--limit PP] "
        "[--grown INDEX] [--draws N] [--seed N] [--at PP] [--formula] [--write FOLDER]\n");
    return 2;
}

static bool parse(struct simulation *s, struct settings *settings, int argc, char **argv) {
    double formula_only = 0.0;
    const struct {
        const char *name;
        double *value;
        bool is_flag;
    } options[] = {{"--runs", &s->runs, false},
                   {"--samples", &s->samples, false},
                   {"--rho", &s->rho, false},
                   {"--hosts", &s->hosts, false},
                   {"--host-rho", &s->host_rho, false},
                   {"--side-rho", &s->side_rho, false},
                   {"--same-hosts", &s->same_hosts, true},
                   {"--merge", &s->merge, true},
                   {"--rounds", &s->rounds, true},
                   {"--paired", &s->paired, false},
                   {"--spread", &s->spread, false},
                   {"--cheaper", &s->cheaper, false},
                   {"--work", &s->work, true},
                   {"--limit", &s->limit, false},
                   {"--grown", &s->grown, false},
                   {"--draws", &settings->draws, false},
                   {"--seed", &settings->seed, false},
                   {"--at", &settings->at, false},
                   {"--formula", &formula_only, true}};
    for (int i = 1; i < argc; i++) {
        size_t at = 0;
        if (strcmp(argv[i], "--write") == 0 && i + 1 < argc) {
            settings->folder = argv[++i];
            continue;
        }
        while (at < sizeof options / sizeof *options && strcmp(argv[i], options[at].name) != 0)
            at++;
        if (at == sizeof options / sizeof *options || (!options[at].is_flag && ++i == argc))
            return false;
        *options[at].value = options[at].is_flag ? 1.0 : strtod(argv[i], NULL);
    }
    settings->formula_only = formula_only > 0.0;
    s->rounds = s->paired > 0.0 ? 1.0 : s->rounds;
    return s->runs >= 1.0 && s->samples >= 1.0 && s->grown >= 0.0 && s->grown < SIMULATION_FRAMES;
}

int main(int argc, char **argv) {
    static struct simulation s = {.runs = 10, .samples = 2000, .rho = 0.001, .grown = 7};
    struct settings settings = {.draws = 400, .seed = 1, .at = NAN};
    struct gate_error err = {0};
    const struct gate_looks looks = {0};
    if (!parse(&s, &settings, argc, argv))
        return usage();
    simulation_begin(&s);
    simulation_add_budget(&s,
                          (struct gate_limit){.kind = GATE_LIMIT_SHARE_INCREASE,
                                              .severity = GATE_SEVERITY_ERROR,
                                              .value = s.limit / 100.0},
                          0.0, 0.0);
    if (!gate_looks_begin(&settings.now, &looks, s.rules.alpha_margin, &err)) {
        (void)fprintf(stderr, "many_runs: %s\n", err.message);
        return 1;
    }
    if (isnan(settings.at))
        print_row(&s, &settings);
    else
        print_at(&s, &settings);
    return 0;
}
