/* SPDX-License-Identifier: Apache-2.0 */
/* One comparison: evidence of every frame, suspects, and the order of frames in tables. */
#include "gate/compare/comparison.h"

#include "gate/base/parallel.h"
#include "gate/base/sort.h"
#include "gate/compare/cost.h"
#include "gate/compare/evidence.h"
#include "gate/compare/holm.h"
#include "gate/compare/own_growth.h"

#include <math.h>

static const double SUSPECT_LEVEL = 0.01;

enum { FRAMES_WORTH_A_THREAD = 2048 };

/* Return the frames in order of name, or NULL if the arena is full. */
static const struct gate_name_key *order_by_name(const struct gate_pair *pair, struct gate_arena *scratch) {
    struct gate_name_key *keys = gate_arena_alloc(scratch, ((size_t)pair->frame_count + 1) * sizeof *keys);
    for (uint32_t i = 0; keys != NULL && i < pair->frame_count; i++)
        keys[i] = (struct gate_name_key){.name = pair->frames[i].name, .index = i};
    if (keys != NULL)
        gate_name_keys_sort(keys, pair->frame_count);
    return keys;
}

/* Order frames by |delta|, descending; ties are ordered by name. */
static bool order_by(uint32_t *order, const struct gate_comparison *comparison, enum gate_measure measure,
                     const struct gate_name_key *by_name, struct gate_arena *scratch, struct gate_error *err) {
    uint32_t count = comparison->pair.frame_count;
    double *change = gate_arena_alloc(scratch, ((size_t)count + 1) * sizeof *change);
    if (change == NULL)
        return gate_arena_error(scratch, err);
    for (uint32_t i = 0; i < count; i++)
        change[i] = fabs(comparison->frames[by_name[i].index].evidence[measure]->delta);
    if (!gate_ranking_largest_first(order, change, count, scratch, err))
        return false;
    for (uint32_t i = 0; i < count; i++)
        order[i] = by_name[order[i]].index;
    return true;
}

/* Set is_suspect by Benjamini-Hochberg over the tested frames of one measure. */
static bool mark_suspects(struct gate_comparison *comparison, enum gate_measure measure, struct gate_arena *scratch,
                          struct gate_error *err) {
    uint32_t count = comparison->pair.frame_count, tested = 0;
    double *log_p = gate_arena_alloc(scratch, ((size_t)count + 1) * sizeof *log_p);
    double *adjusted = gate_arena_alloc(scratch, ((size_t)count + 1) * sizeof *adjusted);
    struct gate_ranked *order = gate_arena_alloc(scratch, ((size_t)count + 1) * sizeof *order);
    if (log_p == NULL || adjusted == NULL || order == NULL)
        return gate_arena_error(scratch, err);
    for (uint32_t i = 0; i < count; i++)
        if (comparison->frames[i].evidence[measure]->is_tested)
            log_p[tested++] = gate_evidence_two_sided(comparison->frames[i].evidence[measure]);
    gate_holm_bh_adjust(log_p, adjusted, order, tested, tested);
    uint32_t at = 0;
    double level = log(SUSPECT_LEVEL);
    for (uint32_t i = 0; i < count; i++) {
        struct gate_frame_judgement *frame = &comparison->frames[i];
        bool is_tested = frame->evidence[measure]->is_tested;
        frame->log_p_bh[measure] = is_tested ? adjusted[at++] : 0.0;
        frame->is_suspect[measure] = is_tested && frame->log_p_bh[measure] <= level;
    }
    return true;
}

bool gate_comparison_weigh(struct gate_comparison *comparison, const double work[GATE_SIDES], struct gate_arena *arena,
                           struct gate_error *err) {
    memcpy(comparison->work_in_force, work, sizeof comparison->work_in_force);
    bool has_work = work[GATE_BASELINE] > 0.0 && work[GATE_CANARY] > 0.0;
    enum gate_equal given = comparison->equal_given;
    comparison->equal = has_work && given != GATE_EQUAL_SHARE ? GATE_EQUAL_WORK : given;
    comparison->work_is_known = gate_equal_ratio(&comparison->work_ratio, &comparison->pair, comparison->equal, work);
    if (comparison->work_is_known)
        return true;
    comparison->equal = given == GATE_EQUAL_SHARE ? given : GATE_EQUAL_UNKNOWN;
    struct gate_estimated_work estimate;
    if (!gate_own_growth_work_ratio(&estimate, &comparison->pair, &comparison->deltas, arena, err))
        return false;
    comparison->work_ratio = estimate.ratio;
    comparison->work_is_estimated = estimate.is_estimate;
    comparison->work_is_contested = estimate.is_contested;
    return true;
}

/* The frames that one thread judges: half of them, or all. */
struct judging {
    struct gate_comparison *comparison;
    const struct gate_evidence_options *options;
    uint32_t from, to;
    struct gate_arena arena; /* memory of this part's evidence */
    /* Evidence of items without samples, shared by all such frames of a kind: [measure][is_runtime][is_own]. */
    const struct gate_evidence *nothing[GATE_MEASURES][2][2];
    bool ok;
};

/* Return whether two measures of a frame count the same samples. */
static bool is_same(const struct gate_delta_list *deltas, uint32_t frame, int measure, int other) {
    const struct gate_delta *delta = &deltas->items[frame];
    bool same = delta->set_id[measure] == delta->set_id[other] &&
                memcmp(delta->value[measure], delta->value[other], sizeof delta->value[measure]) == 0;
    for (uint32_t r = 0; same && r < deltas->run_count; r++) {
        const struct gate_tally *a = gate_tally_at(deltas, (enum gate_measure)measure, r, frame);
        const struct gate_tally *b = gate_tally_at(deltas, (enum gate_measure)other, r, frame);
        same = a->value == b->value && a->weight_sq == b->weight_sq;
    }
    return same;
}

static bool has_samples(const struct gate_delta_list *deltas, uint32_t frame, int measure) {
    const struct gate_delta *delta = &deltas->items[frame];
    bool has_some = delta->set_id[measure] != 0 || delta->value[measure][GATE_BASELINE] != 0 ||
                    delta->value[measure][GATE_CANARY] != 0;
    for (uint32_t r = 0; !has_some && r < deltas->run_count; r++)
        has_some = gate_tally_at(deltas, (enum gate_measure)measure, r, frame)->weight_sq > 0.0;
    return has_some;
}

/* Return the shared evidence slot of an item without samples; NULL if the item has samples. With a noise model,
 * evidence depends on the frame's name and is not shared. */
static const struct gate_evidence **nothing_of(struct judging *judging, uint32_t frame, int measure) {
    const struct gate_delta_list *deltas = &judging->comparison->deltas;
    const struct gate_frame *of = &judging->comparison->pair.frames[frame];
    if (judging->options->noise != NULL || has_samples(deltas, frame, measure))
        return NULL;
    if (deltas->items[frame].set_id[GATE_SELF] == 0) /* equal samples: evidence.c uses the self measure */
        return &judging->nothing[GATE_SELF][of->is_runtime][of->is_own];
    return measure == GATE_CHARGED ? &judging->nothing[GATE_CHARGED][of->is_runtime][of->is_own] : NULL;
}

/* Judge the counts, or copy the result of an earlier measure with equal counts (a frame without callees). */
static void judge_counts(struct gate_evidence *made, const struct gate_evidence *const *before, int measure) {
    for (int m = 0; m < measure; m++)
        if (gate_evidence_is_alike(made, before[m])) {
            made->z = before[m]->z;
            made->log_p = before[m]->log_p;
            return;
        }
    gate_evidence_judge(made);
}

/* Return the evidence of one measure of a frame; earlier measures are already judged. NULL: the arena is full. */
static const struct gate_evidence *judge_measure(struct judging *judging, uint32_t frame, int measure) {
    const struct gate_comparison *comparison = judging->comparison;
    const struct gate_evidence *const *before = comparison->frames[frame].evidence;
    const struct gate_evidence **nothing = nothing_of(judging, frame, measure);
    if (nothing != NULL && *nothing != NULL)
        return *nothing;
    for (int m = 0; m < measure; m++)
        if (is_same(&comparison->deltas, frame, measure, m))
            return before[m];
    struct gate_evidence *made = gate_arena_alloc(&judging->arena, sizeof *made);
    if (made == NULL)
        return NULL;
    *made = gate_evidence_count(&comparison->pair, &comparison->deltas, frame, (enum gate_measure)measure,
                                comparison->pair.frames[frame].name, judging->options);
    if (gate_evidence_is_judgeable(made))
        judge_counts(made, before, measure);
    if (nothing != NULL)
        *nothing = made;
    return made;
}

static void judge_half(void *context) {
    struct judging *judging = context;
    judging->ok = true;
    for (uint32_t i = judging->from; i < judging->to; i++)
        for (int m = 0; m < GATE_MEASURES; m++) {
            const struct gate_evidence *made = judge_measure(judging, i, m);
            if (made == NULL) {
                judging->ok = false;
                return;
            }
            judging->comparison->frames[i].evidence[m] = made;
        }
}

static bool judge_frames(struct gate_comparison *comparison, const struct gate_evidence_options *options,
                         struct gate_arena *arena, struct gate_error *err) {
    uint32_t count = comparison->pair.frame_count;
    bool is_worth = count >= FRAMES_WORTH_A_THREAD, ok = true;
    uint32_t middle = is_worth ? count / 2 : count;
    struct judging halves[2] = {{.from = 0, .to = middle}, {.from = middle, .to = count}};
    for (int i = 0; i < 2; i++) {
        halves[i].comparison = comparison;
        halves[i].options = options;
        gate_arena_fork(&halves[i].arena, arena);
    }
    gate_parallel_both_if(is_worth, judge_half, &halves[0], &halves[1]);
    for (int i = 0; i < 2; i++) {
        if (ok && !halves[i].ok)
            ok = gate_arena_error(&halves[i].arena, err);
        gate_arena_absorb(arena, &halves[i].arena);
    }
    return ok;
}

/* State of the work on all measures, in two threads. Index `m` of each array belongs to measure `m`. */
struct measuring {
    struct gate_comparison *comparison;
    const struct gate_name_key *by_name;
    struct gate_arena scratch[GATE_MEASURES];
    struct gate_error err[GATE_MEASURES];
    bool ok[GATE_MEASURES];
};

static void measure_frames(void *context, size_t from, size_t to) {
    struct measuring *measuring = context;
    struct gate_comparison *comparison = measuring->comparison;
    for (size_t m = from; m < to; m++) {
        struct gate_arena *scratch = &measuring->scratch[m];
        struct gate_error *err = &measuring->err[m];
        measuring->ok[m] =
            mark_suspects(comparison, (enum gate_measure)m, scratch, err) &&
            order_by(comparison->order[m], comparison, (enum gate_measure)m, measuring->by_name, scratch, err);
    }
}

/* Find suspects and the frame order for every measure. */
static bool measure_all(struct gate_comparison *comparison, struct gate_arena *arena, struct gate_error *err) {
    uint32_t count = comparison->pair.frame_count;
    struct measuring measuring = {.comparison = comparison};
    struct gate_arena names;
    bool ok = true;
    for (int m = 0; m < GATE_MEASURES; m++) {
        comparison->order[m] = gate_arena_alloc(arena, ((size_t)count + 1) * sizeof *comparison->order[m]);
        if (comparison->order[m] == NULL)
            return gate_arena_error(arena, err);
    }
    comparison->by_self = comparison->order[GATE_SELF];
    gate_arena_fork(&names, arena);
    measuring.by_name = order_by_name(&comparison->pair, &names);
    if (measuring.by_name == NULL) {
        (void)gate_arena_error(&names, err);
        gate_arena_free(&names);
        return false;
    }
    for (int m = 0; m < GATE_MEASURES; m++)
        gate_arena_fork(&measuring.scratch[m], arena);
    gate_parallel(measure_frames, &measuring, GATE_MEASURES, count < FRAMES_WORTH_A_THREAD ? SIZE_MAX : 0);
    for (int m = GATE_MEASURES - 1; m >= 0; m--) {
        gate_arena_free(&measuring.scratch[m]);
        if (!measuring.ok[m])
            *err = measuring.err[m];
        ok = ok && measuring.ok[m];
    }
    gate_arena_free(&names);
    return ok;
}

bool gate_comparison_judge(struct gate_comparison *comparison, const double work[GATE_SIDES], struct gate_arena *arena,
                           struct gate_error *err) {
    return gate_comparison_weigh(comparison, work, arena, err) && gate_comparison_judge_frames(comparison, arena, err);
}

bool gate_comparison_judge_frames(struct gate_comparison *comparison, struct gate_arena *arena,
                                  struct gate_error *err) {
    const struct gate_pair *pair = &comparison->pair;
    comparison->frames = GATE_NEW_ARRAY(arena, struct gate_frame_judgement, pair->frame_count);
    if (comparison->frames == NULL)
        return gate_arena_error(arena, err);
    struct gate_evidence_options options = {.noise = comparison->noise};
    if (!gate_evidence_prior(&options, pair, &comparison->deltas, arena, err))
        return false;
    return judge_frames(comparison, &options, arena, err) && measure_all(comparison, arena, err);
}

/* ---- clock ------------------------------------------------------------------------------------------------------- */

/* The first word found in the text decides, so "off-cpu" precedes "cpu". */
static const struct {
    const char *word;
    enum gate_clock clock;
} clock_words[] = {{"off-cpu", GATE_CLOCK_WAIT}, {"offcpu", GATE_CLOCK_WAIT}, {"off_cpu", GATE_CLOCK_WAIT},
                   {"delay", GATE_CLOCK_WAIT},   {"wall", GATE_CLOCK_WALL},   {"cpu", GATE_CLOCK_CPU}};

/* Words in a comparison's name that mean waiting, used if the sample type is unspecific. */
static const char *const waiting_pairs[] = {"block", "mutex", "lock"};

static enum gate_clock clock_of(struct gate_str text) {
    for (size_t i = 0; i < sizeof clock_words / sizeof *clock_words; i++)
        if (gate_str_find(text, gate_str_from(clock_words[i].word), 0) != SIZE_MAX)
            return clock_words[i].clock;
    return GATE_CLOCK_OTHER;
}

const char *gate_comparison_no_waits(const struct gate_comparison *comparison) {
    const struct gate_side *sides = comparison->pair.sides;
    bool is_nothing[GATE_SIDES] = {sides[GATE_BASELINE].total == 0, sides[GATE_CANARY].total == 0};
    if (comparison->part != NULL || !gate_pair_has_delays(&comparison->pair))
        return NULL;
    if (is_nothing[GATE_BASELINE] && is_nothing[GATE_CANARY])
        return "no profile has samples: nothing waited, or its profiler is off";
    return is_nothing[GATE_BASELINE] ? "the baseline has no samples: nothing waited there, or its profiler is off"
           : is_nothing[GATE_CANARY] ? "the canary has no samples: nothing waited there, or its profiler is off"
                                     : NULL;
}

enum gate_clock gate_comparison_clock(const struct gate_comparison *comparison) {
    static const char *const vague[] = {"samples", "sample", "time", "events"};
    struct gate_str type = comparison->pair.type.type;
    enum gate_clock clock = clock_of(type);
    if (clock != GATE_CLOCK_OTHER || !gate_str_is_among(type, vague, sizeof vague / sizeof *vague))
        return clock;
    struct gate_str name = gate_str_slice(comparison->name, 0, gate_str_find(comparison->name, GATE_STR("{"), 0));
    clock = clock_of(name);
    for (size_t i = 0; clock == GATE_CLOCK_OTHER && i < sizeof waiting_pairs / sizeof *waiting_pairs; i++)
        if (gate_str_find(name, gate_str_from(waiting_pairs[i]), 0) != SIZE_MAX)
            clock = GATE_CLOCK_WAIT;
    return clock;
}

/* ---- growth ------------------------------------------------------------------------------------------------------ */

/* Set `cost` to the charged cost of a frame on both sides, the canary's divided by the work ratio. */
static void charged_of(double cost[GATE_SIDES], const struct gate_comparison *comparison, uint32_t frame) {
    const int64_t *value = comparison->deltas.items[frame].value[GATE_CHARGED];
    cost[GATE_BASELINE] = (double)value[GATE_BASELINE];
    cost[GATE_CANARY] = (double)value[GATE_CANARY] / comparison->work_ratio;
}

double gate_comparison_growth(const struct gate_comparison *comparison, uint32_t frame) {
    double cost[GATE_SIDES];
    charged_of(cost, comparison, frame);
    return cost[GATE_CANARY] - cost[GATE_BASELINE];
}

/* Least part of the total's growth for a function to explain it. */
static const double TOTAL_PART = 0.25;

/* A function with at least this part of the total's growth explains it, however the rest changed. */
static const double TOTAL_MOST = 0.5;

/* Return whether a function grew by at least twice as much as it would have at the rate of all other functions. On a
 * slower machine all functions grow alike, and the largest of them is not the cause. */
static bool grew_more_than_others(const double cost[GATE_SIDES], const double total[GATE_SIDES]) {
    double rest[GATE_SIDES] = {total[GATE_BASELINE] - cost[GATE_BASELINE], total[GATE_CANARY] - cost[GATE_CANARY]};
    double alike = rest[GATE_BASELINE] > 0.0 ? fmax(rest[GATE_CANARY] / rest[GATE_BASELINE], 1.0) : 1.0;
    return cost[GATE_CANARY] - cost[GATE_BASELINE] * alike >= 0.5 * (cost[GATE_CANARY] - cost[GATE_BASELINE]);
}

uint32_t gate_comparison_most_grown(const struct gate_comparison *comparison) {
    const struct gate_pair *pair = &comparison->pair;
    const struct gate_side *sides = pair->sides;
    const double total[GATE_SIDES] = {(double)sides[GATE_BASELINE].total,
                                      (double)sides[GATE_CANARY].total / comparison->work_ratio};
    double growth_of_total = total[GATE_CANARY] - total[GATE_BASELINE];
    double most = fmax(TOTAL_PART * growth_of_total, 0.0);
    uint32_t best = GATE_NO_INDEX;
    enum gate_clock clock = gate_comparison_clock(comparison);
    if (clock == GATE_CLOCK_WALL || clock == GATE_CLOCK_WAIT)
        return GATE_NO_INDEX;
    for (uint32_t i = 0; i < pair->frame_count; i++) {
        double cost[GATE_SIDES];
        charged_of(cost, comparison, i);
        double growth = cost[GATE_CANARY] - cost[GATE_BASELINE];
        if (!gate_frame_is_charged(&pair->frames[i]) || growth <= most)
            continue;
        if (growth < TOTAL_MOST * growth_of_total && !grew_more_than_others(cost, total))
            continue;
        most = growth;
        best = i;
    }
    return best;
}

bool gate_comparison_shows_work(const struct gate_comparison *comparison) {
    bool is_held = gate_sample_type_is_level(comparison->pair.type.type);
    return comparison->work_is_known || (comparison->work_is_estimated && !comparison->work_is_contested && !is_held);
}
