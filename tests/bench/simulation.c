/* SPDX-License-Identifier: Apache-2.0 */
/* Simulated runs of a service, decided by the gate's own code (see simulation.h). */
#include "simulation.h"

#include "gate/compare/student.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { FRAMES = SIMULATION_FRAMES };

static const double shares[FRAMES] = {0.25, 0.15, 0.12, 0.10, 0.09, 0.08, 0.07, 0.05, 0.04, 0.03, 0.015, 0.005};
static const char *const names[FRAMES] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"};

static void stop(const char *message) {
    (void)fprintf(stderr, "simulation: %s\n", message);
    exit(1);
}

static void *room(void *memory) {
    if (memory == NULL)
        stop("not enough memory");
    return memory;
}

static double normal(struct simulation *s) {
    return gate_normal_z(((double)(gate_hash_mix(++s->random) >> 11) + 0.5) / 9007199254740992.0);
}

double simulation_share(const struct simulation *s) {
    return shares[(int)s->grown];
}

/* ---- draws ------------------------------------------------------------------------------------------------------- */

/* What moves a frame's share p in one run, host or side, in units of sqrt(p (1 - p)). */
struct effects {
    double of[FRAMES];
};

/* Draw effects with variance rho. Consumes no random numbers if rho is 0. */
static void draw_effects(struct effects *out, struct simulation *s, double rho) {
    for (int i = 0; i < FRAMES; i++)
        out->of[i] = rho > 0.0 ? sqrt(rho) * normal(s) : 0.0;
}

static void add_effects(struct effects *to, const struct effects *from, double factor) {
    for (int i = 0; i < FRAMES; i++)
        to->of[i] += factor * from->of[i];
}

/* Draw the samples of one run. Each frame takes its part of the remaining samples, so that the counts add up to all. */
static void draw_run(struct simulation *s, int64_t counts[FRAMES], const struct effects *effects, bool is_canary) {
    double weight[FRAMES], sum = 0.0, left = s->samples;
    const int grown = (int)s->grown;
    double others = is_canary ? 1.0 - s->growth / 100.0 / (1.0 - shares[grown]) : 1.0;
    for (int i = 0; i < FRAMES; i++) {
        double p = is_canary && i == grown ? shares[i] + s->growth / 100.0 : shares[i] * others;
        p *= is_canary && i == 0 ? 1.0 - s->cheaper : 1.0;
        weight[i] = fmax(p + effects->of[i] * sqrt(p * (1.0 - p)), 0.0);
        sum += weight[i];
    }
    /* At equal work the canary has more samples if it costs more. */
    if (is_canary && (s->cheaper > 0.0 || s->work > 0.0))
        left *= (1.0 - s->cheaper * shares[0]) / others;
    if (s->spread > 0.0)
        left *= exp(s->spread * normal(s));
    left = fmax(round(left), 1.0);
    for (int i = 0; i < FRAMES; i++) {
        double p = sum > 0.0 ? fmin(weight[i] / sum, 1.0) : 0.0;
        double k = round(left * p + sqrt(left * p * (1.0 - p)) * normal(s));
        k = i + 1 == FRAMES ? left : fmin(fmax(k, 0.0), left);
        counts[i] = (int64_t)k;
        left -= k;
        sum -= weight[i];
    }
}

/* Add up the runs of each host. */
static void merge_hosts(struct drawn *out, uint32_t hosts) {
    for (int side = 0; side < GATE_SIDES; side++)
        for (uint32_t r = hosts; r < out->runs; r++)
            for (int i = 0; i < FRAMES; i++)
                out->counts[side][r % hosts][i] += out->counts[side][r][i];
    out->runs = hosts;
}

void simulation_draw(struct drawn *out, struct simulation *s, struct gate_arena *arena) {
    uint32_t runs = (uint32_t)s->runs, hosts = (uint32_t)fmin(s->hosts, s->runs);
    struct effects *at_host[GATE_SIDES], *in_round = room(GATE_NEW_ARRAY(arena, struct effects, runs));
    out->runs = runs;
    for (uint32_t r = 0; r < runs; r++)
        draw_effects(&in_round[r], s, s->rho * s->paired);
    for (int side = 0; side < GATE_SIDES; side++) {
        at_host[side] = room(GATE_NEW_ARRAY(arena, struct effects, (size_t)hosts + 1));
        for (uint32_t h = 0; h < hosts; h++)
            draw_effects(&at_host[side][h], s, s->host_rho);
    }
    for (int side = 0; side < GATE_SIDES; side++) {
        struct effects of_side;
        draw_effects(&of_side, s, s->side_rho);
        out->counts[side] = room(gate_arena_alloc(arena, (size_t)runs * sizeof *out->counts[side]));
        for (uint32_t r = 0; r < runs; r++) {
            struct effects effects;
            draw_effects(&effects, s, s->rho * (1.0 - s->paired));
            add_effects(&effects, &in_round[r], 1.0);
            add_effects(&effects, &of_side, 1.0);
            if (hosts > 0)
                add_effects(&effects, &at_host[s->same_hosts > 0.0 ? 0 : side][r % hosts], 1.0);
            draw_run(s, out->counts[side][r], &effects, side == GATE_CANARY);
        }
    }
    if (s->merge > 0.0 && hosts > 0)
        merge_hosts(out, hosts);
}

/* ---- decisions --------------------------------------------------------------------------------------------------- */

void simulation_begin(struct simulation *s) {
    s->rules = (struct gate_rules){.source = GATE_STR("simulation"),
                                   .alpha = 0.01,
                                   .alpha_margin = 0.05,
                                   .min_samples = GATE_RULES_MIN_SAMPLES,
                                   .budgets = s->budgets};
    for (int i = 0; i < FRAMES; i++)
        s->frames[i] = (struct gate_frame){.name = gate_str_from(names[i]), .is_symbolised = true, .is_own = true};
    s->profile.duration_ns = INT64_C(10000000000);
}

void simulation_add_budget(struct simulation *s, struct gate_limit limit, double min_share, double max_mde) {
    uint32_t i = s->rules.budget_count++;
    s->limits[i] = limit;
    s->budgets[i] = (struct gate_budget){.name = GATE_STR("b"),
                                         .severity = GATE_SEVERITY_ERROR,
                                         .measure = GATE_MEASURE_SELF,
                                         .limits = &s->limits[i],
                                         .limit_count = 1,
                                         .min_share = min_share,
                                         .max_mde = max_mde};
}

/* Fill run `r` of a side, and its tallies at row `at`. Self, charged and cumulative costs are the same samples. */
static void fill_run(struct gate_comparison *out, struct simulation *s, const int64_t counts[FRAMES],
                     enum gate_side_name side, uint32_t r) {
    struct gate_side *to = &out->pair.sides[side];
    struct gate_delta_list *deltas = &out->deltas;
    size_t at = (size_t)(side == GATE_BASELINE ? r : to->run_count + r) * FRAMES;
    int64_t total = 0;
    for (int i = 0; i < FRAMES; i++) {
        total += counts[i];
        for (int m = 0; m < GATE_MEASURES; m++) {
            deltas->tallies[m][at + (size_t)i] = (struct gate_tally){counts[i], (double)counts[i]};
            deltas->items[i].value[m][side] += counts[i];
        }
    }
    to->runs[r] = (struct gate_run){.unit_ratio = 1, .total = total, .events = (double)total};
    to->runs[r].input.profile = &s->profile;
    to->runs[r].input.round = s->rounds > 0.0 ? r + 1 : 0;
    to->runs[r].counts.kind = GATE_COUNTS_VALUE;
    to->runs[r].stacks.weight_sq = (double)total;
    to->total += total;
    to->events += (double)total;
    to->duration_ns += s->profile.duration_ns;
}

static void compare(struct gate_comparison *out, struct simulation *s, const struct drawn *drawn, uint32_t count,
                    struct gate_arena *arena) {
    *out = (struct gate_comparison){.name = GATE_STR("cpu"), .work_ratio = 1.0};
    struct gate_pair *pair = &out->pair;
    struct gate_delta_list *deltas = &out->deltas;
    pair->type = (struct gate_value_type){GATE_STR("samples"), GATE_STR("count")};
    pair->frames = s->frames;
    pair->is_interleaved = s->rounds > 0.0;
    pair->frame_count = deltas->count = FRAMES;
    deltas->run_count = 2 * count;
    deltas->items = room(GATE_NEW_ARRAY(arena, struct gate_delta, FRAMES));
    for (int m = 0; m < GATE_MEASURES; m++) {
        deltas->tallies[m] = room(GATE_NEW_ARRAY(arena, struct gate_tally, (size_t)FRAMES * deltas->run_count));
        for (int i = 0; i < FRAMES; i++)
            deltas->items[i].set_id[m] = gate_hash_mix((uint64_t)i + 1);
    }
    for (int side = 0; side < GATE_SIDES; side++) {
        pair->sides[side].runs = room(GATE_NEW_ARRAY(arena, struct gate_run, count));
        pair->sides[side].run_count = count;
        for (uint32_t r = 0; r < count; r++)
            fill_run(out, s, drawn->counts[side][r], (enum gate_side_name)side, r);
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
        .margin_own = gate_own_cost_margin(now->margin, s->work > 0.0),
        .min_samples = s->rules.min_samples,
        .samples = {comparison->pair.sides[0].events, comparison->pair.sides[1].events}};
}

static void count_outcome(struct decided *out, const struct gate_hypothesis *h, uint32_t grown) {
    bool fails = h->outcome == GATE_OUTCOME_FAIL;
    if (h->outcome > out->worst && h->outcome != GATE_OUTCOME_WARN)
        out->worst = h->outcome;
    out->grown_fails = out->grown_fails || (fails && h->frame == grown);
    out->other_fails = out->other_fails || (fails && h->frame != grown);
    if (h->frame == grown) {
        out->delta = h->evidence->delta;
        out->log_p = h->log_p;
    }
}

struct decided simulation_judge(struct simulation *s, const struct drawn *drawn, uint32_t count,
                                const struct gate_looks_now *now) {
    struct gate_arena arena;
    struct gate_error err = {0};
    struct gate_comparison comparison;
    struct gate_hypothesis_list list = {0};
    struct decided out = {.worst = GATE_OUTCOME_PASS};
    const double work[GATE_SIDES] = {s->work, s->work};
    gate_arena_init(&arena, 0);
    compare(&comparison, s, drawn, count, &arena);
    bool ok = gate_comparison_judge(&comparison, work, &arena, &err);
    for (uint32_t b = 0; ok && b < s->rules.budget_count; b++) {
        uint32_t matched = 0;
        const struct gate_budget_scope scope = {
            .rules = &s->rules, .budget = b, .comparison = &comparison, .exposure = {.ratio = 1.0}, .now = *now};
        ok = gate_hypotheses_collect(&list, &matched, &scope, &arena, &err);
    }
    if (!ok || !gate_families_adjust(&list, s->rules.alpha, &now->spending, &arena, &err))
        stop(err.message);
    const struct gate_decision_rules how = rules_of(s, &comparison, now);
    for (size_t i = 0; i < list.count; i++) {
        gate_hypothesis_outcome(&list.items[i], &how);
        count_outcome(&out, &list.items[i], (uint32_t)s->grown);
    }
    gate_arena_free(&arena);
    return out;
}
