/* SPDX-License-Identifier: Apache-2.0 */
/* `prove`: draws runs with planted growth and decides them. */
#include "gate/budget/prove.h"

#include "gate/base/hash.h"
#include "gate/budget/plan.h"
#include "gate/budget/verdict.h"
#include "gate/compare/evidence.h"
#include "gate/compare/plant.h"

#include <math.h>
#include <stdlib.h>

static const double Z95 = 1.959963984540054;

/* Destination of the results of one verdict: a cell and its frame. */
struct drawn {
    struct gate_prove_cell *cell;
    struct gate_prove_frame *frame; /* or NULL: no growth is planted */
    uint64_t failing, warning;      /* one bit per budget */
    bool is_looked_at;
};

/* ---- one draw ---------------------------------------------------------------------------------------------------- */

static bool draw_side(struct gate_run_input *runs, struct gate_resample *resamples, const struct gate_plant_base *base,
                      const struct gate_plant *plant, enum gate_side_name side, uint64_t seed,
                      const struct gate_prove_options *options, struct gate_arena *arena, struct gate_error *err) {
    for (uint32_t r = 0; r < options->runs; r++) {
        float *factors = GATE_NEW_ARRAY(arena, float, base->record_count);
        if (factors == NULL)
            return gate_arena_error(arena, err);
        uint64_t run_seed = gate_hash_number(2 * (uint64_t)r + (uint64_t)side, seed);
        gate_plant_expect(factors, base, plant, side, run_seed);
        resamples[r] = (struct gate_resample){factors, base->record_count, gate_hash_mix(run_seed)};
        runs[r] = *options->run;
        runs[r].resample = &resamples[r];
        runs[r].work = options->is_work_given ? 1.0 : 0.0;
    }
    return true;
}

static bool draw_inputs(struct gate_plan_input *out, const struct gate_plant_base *base, const struct gate_plant *plant,
                        uint64_t seed, const struct gate_prove_options *options, struct gate_arena *arena,
                        struct gate_error *err) {
    *out = (struct gate_plan_input){.label = GATE_STR("")};
    for (int side = 0; side < GATE_SIDES; side++) {
        struct gate_run_input *runs = GATE_NEW_ARRAY(arena, struct gate_run_input, options->runs);
        struct gate_resample *resamples = GATE_NEW_ARRAY(arena, struct gate_resample, options->runs);
        if (runs == NULL || resamples == NULL)
            return gate_arena_error(arena, err);
        if (!draw_side(runs, resamples, base, plant, (enum gate_side_name)side, seed, options, arena, err))
            return false;
        out->runs[side] = runs;
        out->counts[side] = options->runs;
    }
    return true;
}

static void note_budgets(struct drawn *drawn, const struct gate_verdict *verdict, const struct gate_rules *rules) {
    for (uint32_t i = 0; i < verdict->budget_count; i++) {
        const struct gate_budget_result *result = &verdict->budgets[i];
        size_t at = (size_t)(result->budget - rules->budgets);
        if (at >= GATE_PROVE_BUDGETS_MAX)
            continue;
        drawn->failing |= result->outcome == GATE_OUTCOME_FAIL ? UINT64_C(1) << at : 0;
        for (uint32_t f = 0; drawn->frame != NULL && f < result->finding_count; f++)
            if (result->findings[f].outcome == GATE_OUTCOME_WARN &&
                gate_str_equal(result->findings[f].function, drawn->frame->name))
                drawn->warning |= UINT64_C(1) << at;
    }
}

/* Return whether a budget that can fail has a hypothesis on the planted frame, on a group or on the total. */
static bool can_fail_on(const struct gate_verdict *verdict, uint32_t frame) {
    for (size_t i = 0; i < verdict->hypothesis_count; i++) {
        const struct gate_hypothesis *h = &verdict->hypotheses[i];
        if (h->severity == GATE_SEVERITY_ERROR && (h->frame == frame || h->frame == GATE_NO_INDEX))
            return true;
    }
    return false;
}

static void note(struct drawn *drawn, const struct gate_verdict *verdict, const struct gate_prove_options *options) {
    struct gate_prove_cell *cell = drawn->cell;
    cell->failed += verdict->outcome == GATE_OUTCOME_FAIL;
    cell->open += verdict->outcome == GATE_OUTCOME_INCONCLUSIVE;
    cell->passed += verdict->outcome < GATE_OUTCOME_INCONCLUSIVE;
    note_budgets(drawn, verdict, options->rules);
    if (drawn->frame == NULL)
        return;
    drawn->is_looked_at = can_fail_on(verdict, drawn->frame->plant.frame);
    cell->named += verdict->outcome == GATE_OUTCOME_FAIL && verdict->causes.count > 0 &&
                   gate_str_equal(verdict->causes.items[0].function, drawn->frame->name);
}

static bool draw_one(struct drawn *drawn, const struct gate_plant_base *base, const struct gate_plant *plant,
                     uint32_t draw, const struct gate_prove_options *options, struct gate_error *err) {
    struct gate_arena arena;
    struct gate_plan_input input;
    struct gate_plan plan;
    struct gate_verdict verdict;
    double work = options->is_work_given ? options->runs : 0.0;
    struct gate_verdict_options how = {
        .work = {work, work}, .today = options->today, .command = GATE_STR("pprofgate prove")};
    gate_arena_fork(&arena, options->arena);
    bool ok = draw_inputs(&input, base, plant, gate_hash_number(draw, options->seed), options, &arena, err) &&
              gate_plan_make(&plan, options->rules, &input, 1, options->plan, &arena, err);
    for (uint32_t i = 0; ok && options->noise != NULL && i < plan.comparison_count; i++)
        if (!plan.comparisons[i].is_filtered &&
            gate_str_equal(plan.comparisons[i].pair.type.type, options->noise->type.type))
            plan.comparisons[i].noise = options->noise;
    how.comparison_of = ok ? plan.budget_comparison : NULL;
    ok = ok && gate_verdict_reach(&verdict, options->rules, plan.comparisons, plan.comparison_count, &how, &arena, err);
    if (ok)
        note(drawn, &verdict, options);
    gate_arena_free(&arena);
    return ok;
}

bool gate_prove_none(struct gate_prove *proof, const struct gate_plant_base *base,
                     const struct gate_prove_options *options, struct gate_error *err) {
    const struct gate_plant nothing = {.frame = GATE_NO_INDEX};
    struct drawn drawn = {.cell = &proof->none};
    proof->none = (struct gate_prove_cell){.growth = 0.0};
    for (uint32_t d = 0; d < options->draws; d++)
        if (!draw_one(&drawn, base, &nothing, d, options, err))
            return false;
    return true;
}

/* ---- one function ------------------------------------------------------------------------------------------------ */

static void count_bits(uint32_t counts[GATE_PROVE_BUDGETS_MAX], uint64_t bits) {
    for (uint32_t i = 0; i < GATE_PROVE_BUDGETS_MAX; i++)
        counts[i] += bits >> i & 1;
}

static bool is_found(const struct gate_prove_cell *cell, double part) {
    double draws = (double)cell->failed + cell->open + cell->passed;
    return draws > 0.0 && cell->failed >= part * draws;
}

bool gate_prove_frame(struct gate_prove_frame *frame, const double *sizes, uint32_t size_count,
                      const struct gate_plant_base *base, const struct gate_prove_options *options,
                      struct gate_error *err) {
    bool has_budgets = false;
    GATE_ASSERT(size_count <= GATE_PROVE_SIZES_MAX);
    frame->cell_count = 0;
    for (uint32_t s = 0; s < size_count; s++) {
        struct gate_plant plant = frame->plant;
        plant.growth = sizes[s];
        if (gate_plant_times(frame->share, sizes[s], plant.is_new) == INFINITY)
            break; /* growth of this size is not possible */
        struct gate_prove_cell *cell = &frame->cells[frame->cell_count++];
        *cell = (struct gate_prove_cell){.growth = sizes[s]};
        if (!has_budgets) {
            memset(frame->caught, 0, sizeof frame->caught);
            memset(frame->warned, 0, sizeof frame->warned);
        }
        for (uint32_t d = 0; d < options->draws; d++) {
            struct drawn drawn = {.cell = cell, .frame = frame};
            if (!draw_one(&drawn, base, &plant, d, options, err))
                return false;
            frame->is_looked_at |= drawn.is_looked_at;
            if (has_budgets)
                continue;
            count_bits(frame->caught, drawn.failing);
            count_bits(frame->warned, drawn.warning);
        }
        has_budgets = has_budgets || is_found(cell, GATE_PROVE_FOUND);
        if (is_found(cell, 1.0))
            break; /* every draw found it, so larger sizes are found, too */
    }
    return true;
}

/* ---- choice of functions ----------------------------------------------------------------------------------------- */

static int by_share(const void *left, const void *right) {
    const struct gate_prove_frame *a = left, *b = right;
    if (a->share != b->share)
        return a->share > b->share ? -1 : 1;
    return gate_str_compare(a->name, b->name);
}

struct gate_prove_frame *gate_prove_all(uint32_t *count, const struct gate_plant_base *base, double least_share,
                                        struct gate_arena *arena) {
    const struct gate_pair *pair = base->pair;
    uint32_t wanted = 0, at = 0;
    for (uint32_t i = 0; i < pair->frame_count; i++)
        wanted += pair->frames[i].is_own && gate_plant_share(base, i) >= least_share;
    struct gate_prove_frame *frames = GATE_NEW_ARRAY(arena, struct gate_prove_frame, wanted);
    for (uint32_t i = 0; frames != NULL && i < pair->frame_count; i++)
        if (pair->frames[i].is_own && gate_plant_share(base, i) >= least_share)
            frames[at++] = (struct gate_prove_frame){
                .name = pair->frames[i].name, .plant = {.frame = i}, .share = gate_plant_share(base, i)};
    if (frames != NULL)
        qsort(frames, at, sizeof *frames, by_share);
    *count = at;
    return frames;
}

uint32_t gate_prove_choose(struct gate_prove_frame out[6], const struct gate_plant_base *base, double least_share,
                           struct gate_arena *arena) {
    uint32_t all = 0, count = 0;
    const struct gate_prove_frame *frames = gate_prove_all(&all, base, least_share, arena);
    if (frames == NULL || all == 0)
        return 0;
    for (; count < 3 && count < all; count++)
        out[count] = frames[count];
    uint32_t middle = (all + 2) / 2, last = all - 1;
    if (middle > 2 && middle < last)
        out[count++] = frames[middle];
    if (last > 2)
        out[count++] = frames[last];
    out[count] = frames[last];
    out[count++].plant.is_new = true;
    return count;
}

/* ---- results ----------------------------------------------------------------------------------------------------- */

const struct gate_prove_cell *gate_prove_found(const struct gate_prove_frame *frame, double part) {
    const struct gate_prove_cell *least = NULL;
    for (uint32_t i = frame->cell_count; i > 0 && is_found(&frame->cells[i - 1], part); i--)
        least = &frame->cells[i - 1];
    return least;
}

const struct gate_prove_cell *gate_prove_unseen(const struct gate_prove_frame *frame) {
    const struct gate_prove_cell *most = NULL;
    for (uint32_t i = 0; i < frame->cell_count; i++) {
        const struct gate_prove_cell *cell = &frame->cells[i];
        if (cell->passed >= GATE_PROVE_HALF * ((double)cell->failed + cell->open + cell->passed))
            most = cell;
    }
    return most;
}

uint32_t gate_prove_budget(const uint32_t counts[GATE_PROVE_BUDGETS_MAX]) {
    uint32_t best = GATE_NO_INDEX;
    for (uint32_t i = 0; i < GATE_PROVE_BUDGETS_MAX; i++)
        if (counts[i] > 0 && (best == GATE_NO_INDEX || counts[i] > counts[best]))
            best = i;
    return best;
}

enum gate_outcome gate_prove_outcome_of(const struct gate_prove_cell *cell) {
    double low = 0.0, high = 1.0;
    gate_wilson_interval(cell->failed, (double)cell->failed + cell->open + cell->passed, Z95, &low, &high);
    if (low >= GATE_PROVE_FOUND)
        return GATE_OUTCOME_PASS;
    return high < GATE_PROVE_FOUND ? GATE_OUTCOME_FAIL : GATE_OUTCOME_INCONCLUSIVE;
}

enum gate_outcome gate_prove_outcome(const struct gate_prove *proof) {
    enum gate_outcome worst = GATE_OUTCOME_PASS;
    for (uint32_t i = 0; i < proof->frame_count && proof->at_least > 0.0; i++) {
        const struct gate_prove_frame *frame = &proof->frames[i];
        for (uint32_t c = 0; c < frame->cell_count; c++) {
            enum gate_outcome outcome = gate_prove_outcome_of(&frame->cells[c]);
            if (frame->cells[c].growth == proof->at_least && outcome > worst)
                worst = outcome;
        }
    }
    return worst;
}
