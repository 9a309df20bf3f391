/* SPDX-License-Identifier: Apache-2.0 */
/* How often `calibrate` finds the odd run: sets of good runs, and the same with one or two runs of a planted variant
 * among them. Usage: odd DIRECTORY [--kind cpu] [--type TYPE] [--good mix] [--odd p10] [--runs 10] [--draws 100]
 * [--seed 1]. If RATES_SHOW is set, prints the good runs that were called odd. Results: docs/measured.md. */
#include "captures.h"

#include "gate/base/hash.h"
#include "gate/compare/odd_run.h"

#include <stdio.h>
#include <stdlib.h>

enum { RUNS_MAX = 64, CAPTURES_MAX = 512 };

struct settings {
    const char *directory, *kind, *type, *good, *odd;
    uint32_t runs, draws;
    uint64_t seed;
};

struct bench {
    struct settings settings;
    struct captures captures;
    uint64_t random;
};

/* Results of the draws with a given number of odd runs. */
struct tally {
    uint32_t draws, split, found, all_found, named, good_lost;
};

static void shuffle(struct bench *bench, uint32_t *items, uint32_t count) {
    for (uint32_t i = count; i > 1; i--) {
        uint32_t j = (uint32_t)(gate_hash_mix(++bench->random) % i), kept = items[i - 1];
        items[i - 1] = items[j];
        items[j] = kept;
    }
}

static void show(const struct gate_pair *pair, const struct gate_odd_run *odd) {
    if (getenv("RATES_SHOW") == NULL)
        return;
    (void)fprintf(stderr, "%.*s: %.*s %.2f %% (others %.2f to %.2f %%)\n",
                  GATE_STR_ARG(pair->sides[0].runs[odd->run].input.path), GATE_STR_ARG(pair->frames[odd->frame].name),
                  100 * odd->share, 100 * odd->low, 100 * odd->high);
}

/* Search one set for odd runs, and count the result. The last `odd_count` runs of `set` are the odd ones. */
static bool draw(struct tally *tally, const struct bench *bench, const uint32_t *set, uint32_t odd_count,
                 struct gate_error *err) {
    struct gate_arena arena;
    struct gate_pair pair;
    struct gate_delta_list deltas;
    struct gate_odd_run_list list;
    struct gate_run_input runs[RUNS_MAX];
    const struct gate_run_input *const inputs[GATE_SIDES] = {runs, runs};
    const uint32_t counts[GATE_SIDES] = {bench->settings.runs, 1};
    const struct gate_pair_options options = {.sample_type = gate_str_from(bench->settings.type)};
    uint32_t found = 0;
    for (uint32_t i = 0; i < bench->settings.runs; i++)
        runs[i] = (struct gate_run_input){.path = bench->captures.items[set[i]].path,
                                          .profile = &bench->captures.items[set[i]].profile};
    gate_arena_init(&arena, 0);
    bool ok = gate_pair_make(&pair, inputs, counts, &options, &arena, err) &&
              gate_delta_fold(&deltas, &pair, NULL, &arena, err) &&
              gate_odd_run_find(&list, &pair, &deltas, &arena, err);
    for (uint32_t i = 0; ok && i < list.count; i++) {
        bool is_good = list.items[i].run < bench->settings.runs - odd_count;
        const struct capture *capture = &bench->captures.items[set[list.items[i].run]];
        found += !is_good;
        tally->good_lost += is_good;
        tally->named +=
            !is_good && gate_str_equal(pair.frames[list.items[i].frame].name, gate_str_from(capture->planted));
        if (is_good || odd_count == 0)
            show(&pair, &list.items[i]);
    }
    tally->draws++;
    tally->split += ok && list.is_split;
    tally->found += found > 0;
    tally->all_found += found == odd_count;
    gate_arena_free(&arena);
    return ok;
}

static bool measure(struct bench *bench, uint32_t odd_count, struct gate_error *err) {
    uint32_t good[CAPTURES_MAX], odd[CAPTURES_MAX], runs = bench->settings.runs;
    uint32_t good_count = captures_of(&bench->captures, bench->settings.good, good);
    uint32_t other_count = captures_of(&bench->captures, bench->settings.odd, odd);
    struct tally tally = {0};
    if (good_count + odd_count < runs || other_count < odd_count)
        return true;
    for (uint32_t i = 0; i < bench->settings.draws; i++) {
        shuffle(bench, good, good_count);
        shuffle(bench, odd, other_count);
        uint32_t set[RUNS_MAX];
        for (uint32_t r = 0; r < runs; r++)
            set[r] = r < runs - odd_count ? good[r] : odd[r - (runs - odd_count)];
        if (!draw(&tally, bench, set, odd_count, err))
            return false;
    }
    (void)printf("%u %s and %u %s: ", runs - odd_count, bench->settings.good, odd_count, bench->settings.odd);
    if (odd_count > 0)
        (void)printf("all odd runs found in %u of %u sets, one in %u, the planted frame named %u times; ",
                     tally.all_found, tally.draws, tally.found, tally.named);
    (void)printf("%u good runs left out of %u sets; %u sets of two kinds\n", tally.good_lost, tally.draws, tally.split);
    return true;
}

static bool parse(struct settings *out, int argc, char **argv) {
    *out =
        (struct settings){.kind = "cpu", .type = "", .good = "mix", .odd = "p10", .runs = 10, .draws = 100, .seed = 1};
    for (int i = 1; i < argc; i++) {
        if (argv[i][0] != '-') {
            out->directory = argv[i];
            continue;
        }
        const char *name = argv[i], *value = i + 1 < argc ? argv[++i] : "";
        if (strcmp(name, "--kind") == 0)
            out->kind = value;
        else if (strcmp(name, "--type") == 0)
            out->type = value;
        else if (strcmp(name, "--good") == 0)
            out->good = value;
        else if (strcmp(name, "--odd") == 0)
            out->odd = value;
        else if (strcmp(name, "--runs") == 0)
            out->runs = (uint32_t)strtoul(value, NULL, 10);
        else if (strcmp(name, "--draws") == 0)
            out->draws = (uint32_t)strtoul(value, NULL, 10);
        else if (strcmp(name, "--seed") == 0)
            out->seed = strtoull(value, NULL, 10);
        else
            return false;
    }
    return out->directory != NULL && out->runs > 2 && out->runs <= RUNS_MAX;
}

int main(int argc, char **argv) {
    struct bench bench = {0};
    struct gate_error err = {0};
    struct gate_arena arena;
    if (!parse(&bench.settings, argc, argv)) {
        (void)fprintf(stderr, "usage: odd DIRECTORY [--kind cpu] [--type TYPE] [--good mix] [--odd p10] [--runs 10] "
                              "[--draws 100] [--seed 1]\n");
        return 2;
    }
    gate_arena_init(&arena, 0);
    bench.random = gate_hash_mix(bench.settings.seed);
    bool ok = captures_load(&bench.captures, bench.settings.directory, bench.settings.kind, &arena, &err);
    for (uint32_t odd = 0; ok && odd <= 2; odd++)
        ok = measure(&bench, odd, &err);
    if (!ok)
        (void)fprintf(stderr, "odd: %s\n", err.message);
    gate_arena_free(&arena);
    return ok ? 0 : 1;
}
