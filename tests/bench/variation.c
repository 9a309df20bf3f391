/* SPDX-License-Identifier: Apache-2.0 */
/* How much the shares of functions differ between captured runs, and between two sets of captures beyond that: between
 * sessions, hosts or conditions. Usage: variation RULES DIRECTORY/VARIANT[:FIRST-LAST] DIRECTORY/VARIANT[:FIRST-LAST]
 *
 * FIRST and LAST are numbers in the captures' names. For each function of the program's own with a charged share of at
 * least 1%, sampling variance is subtracted from the variance between the runs of a set, and the sum of both from the
 * squared difference of the sets' means. Both are printed in units of p (1 - p), pooled over functions: rho of
 * docs/scale.md. Functions with a planted change are left out. */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double SHARE_LEAST = 0.01;

/* One set of captures: a variant, or a part of it. */
struct set {
    char directory[512], variant[64];
    uint32_t first, last;
};

static bool parse_set(struct set *out, const char *text) {
    const char *slash = strrchr(text, '/');
    *out = (struct set){.first = 0, .last = UINT32_MAX};
    if (slash == NULL || (size_t)(slash - text) >= sizeof out->directory)
        return false;
    (void)snprintf(out->directory, sizeof out->directory, "%.*s", (int)(slash - text), text);
    int fields = sscanf(slash + 1, "%63[^:]:%u-%u", out->variant, &out->first, &out->last);
    return fields == 1 || fields == 3;
}

static uint32_t number_of(const char *name) {
    const char *dash = strrchr(name, '-');
    return dash == NULL ? 0 : (uint32_t)strtoul(dash + 1, NULL, 10);
}

/* Append the captures of a set to those of `bench`, and their indices to `which`. */
static bool add_set(struct bench *bench, uint32_t *which, uint32_t *count, const struct set *set,
                    struct gate_arena *arena, struct gate_error *err) {
    struct captures more;
    if (!captures_load(&more, set->directory, "cpu", arena, err))
        return false;
    struct capture *items = GATE_NEW_ARRAY(arena, struct capture, (size_t)bench->captures.count + more.count);
    if (items == NULL)
        return gate_arena_error(arena, err);
    if (bench->captures.count > 0)
        memcpy(items, bench->captures.items, bench->captures.count * sizeof *items);
    *count = 0;
    for (uint32_t i = 0; i < more.count && *count < RUNS_MAX; i++) {
        uint32_t number = number_of(more.items[i].name);
        if (strcmp(more.items[i].variant, set->variant) != 0 || number < set->first || number > set->last)
            continue;
        which[(*count)++] = bench->captures.count;
        items[bench->captures.count++] = more.items[i];
    }
    bench->captures.items = items;
    return *count >= 2 || gate_error_set(err, GATE_ERR_INPUT, "'%s/%s' has %u captures: expected 2 or more",
                                         set->directory, set->variant, *count);
}

/* Mean of a function's charged share over the runs of a side, and the variance between them with and without that of
 * sampling. */
struct moments {
    double mean, variance, between;
};

static struct moments moments_of(const struct gate_comparison *comparison, uint32_t frame, enum gate_side_name side) {
    const struct gate_side *from = &comparison->pair.sides[side];
    struct moments out = {0};
    double runs = from->run_count, square = 0.0, sampling = 0.0;
    for (uint32_t r = 0; r < from->run_count; r++) {
        const struct gate_tally *tally =
            gate_tally_at(&comparison->deltas, GATE_CHARGED, gate_first_run(&comparison->pair, side) + r, frame);
        double share = (double)tally->value / (double)from->runs[r].total;
        out.mean += share / runs;
        square += share * share / runs;
        sampling += share * (1.0 - share) / from->runs[r].events / runs;
    }
    out.variance = (square - out.mean * out.mean) * runs / (runs - 1.0);
    out.between = out.variance - sampling;
    return out;
}

static bool is_planted(const struct bench *bench, struct gate_str name) {
    for (uint32_t i = 0; i < bench->captures.count; i++)
        if (gate_str_equal(name, gate_str_from(bench->captures.items[i].planted)))
            return true;
    return false;
}

static void print_variation(const struct bench *bench, const struct gate_comparison *comparison) {
    const struct gate_side *sides = comparison->pair.sides;
    double weight = 0.0, runs[GATE_SIDES] = {0}, sets = 0.0, largest = 0.0, samples[GATE_SIDES];
    uint32_t count = 0, worst = 0;
    for (uint32_t i = 0; i < comparison->pair.frame_count; i++) {
        if (!comparison->pair.frames[i].is_own || is_planted(bench, comparison->pair.frames[i].name))
            continue;
        struct moments one = moments_of(comparison, i, GATE_BASELINE), two = moments_of(comparison, i, GATE_CANARY);
        double p = (one.mean + two.mean) / 2.0, off = two.mean - one.mean;
        if (p < SHARE_LEAST)
            continue;
        count++;
        weight += p * (1.0 - p);
        runs[GATE_BASELINE] += one.between;
        runs[GATE_CANARY] += two.between;
        sets += (off * off - one.variance / sides[0].run_count - two.variance / sides[1].run_count) / 2.0;
        if (fabs(off) > fabs(largest)) {
            largest = off;
            worst = i;
        }
    }
    for (int side = 0; side < GATE_SIDES; side++)
        samples[side] = sides[side].events / sides[side].run_count;
    (void)printf("| %u, %u | %.0f, %.0f | %u | %.5f, %.5f | %.5f | %+.1f pp %.*s |\n", sides[0].run_count,
                 sides[1].run_count, samples[0], samples[1], count, fmax(runs[0] / weight, 0.0),
                 fmax(runs[1] / weight, 0.0), fmax(sets / weight, 0.0), 100.0 * largest,
                 GATE_STR_ARG(comparison->pair.frames[worst].name));
}

int main(int argc, char **argv) {
    struct bench bench = {.settings = {.kind = "cpu", .type = ""}};
    struct gate_error err = {0};
    struct gate_arena arena;
    struct gate_comparison comparison;
    struct set sets[GATE_SIDES];
    uint32_t which[GATE_SIDES][RUNS_MAX], counts[GATE_SIDES];
    if (argc != 4 || !parse_set(&sets[0], argv[2]) || !parse_set(&sets[1], argv[3])) {
        (void)fprintf(stderr, "usage: variation RULES DIRECTORY/VARIANT[:FIRST-LAST] DIRECTORY/VARIANT[:FIRST-LAST]\n");
        return 2;
    }
    gate_arena_init(&arena, 0);
    bool ok = bench_read_rules(&bench.rules, argv[1], &arena, &err) &&
              add_set(&bench, which[0], &counts[0], &sets[0], &arena, &err) &&
              add_set(&bench, which[1], &counts[1], &sets[1], &arena, &err) &&
              bench_compare(&comparison, &bench, which[0], counts[0], which[1], counts[1], &arena, &err);
    if (ok)
        print_variation(&bench, &comparison);
    else
        (void)fprintf(stderr, "variation: %s\n", err.message);
    gate_rules_free(&bench.rules);
    gate_arena_free(&arena);
    return ok ? 0 : 1;
}
