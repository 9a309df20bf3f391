/* SPDX-License-Identifier: Apache-2.0 */
/* Evidence of every frame and the order of suspects (see comparison.h). */
#include "gate/compare/comparison.h"

#include "gate/base/parallel.h"
#include "gate/base/ranking.h"
#include "gate/compare/holm.h"
#include "gate/compare/own_cost.h"

#include <math.h>
#include <stdlib.h>

static const double SUSPECT_LEVEL = 0.01;

enum { FRAMES_WORTH_A_THREAD = 2048 };

struct named {
    struct gate_str name;
    uint32_t frame;
};

static int named_compare(const void *left, const void *right) {
    const struct named *a = left, *b = right;
    int order = gate_str_compare(a->name, b->name);
    return order != 0 ? order : a->frame < b->frame ? -1 : a->frame > b->frame;
}

/* The frames by name; NULL: no memory. */
static const struct named *order_by_name(const struct gate_pair *pair, struct gate_arena *scratch) {
    struct named *named = GATE_NEW_ARRAY(scratch, struct named, (size_t)pair->frame_count + 1);
    for (uint32_t i = 0; named != NULL && i < pair->frame_count; i++)
        named[i] = (struct named){pair->frames[i].name, i};
    if (named != NULL)
        qsort(named, pair->frame_count, sizeof *named, named_compare);
    return named;
}

/* Frames of equal change stand by name. */
static bool order_by(uint32_t *order, const struct gate_comparison *comparison, enum gate_measure measure,
                     const struct named *by_name, struct gate_arena *scratch, struct gate_error *err) {
    uint32_t count = comparison->pair.frame_count;
    double *change = GATE_NEW_ARRAY(scratch, double, (size_t)count + 1);
    if (change == NULL)
        return gate_arena_error(scratch, err);
    for (uint32_t i = 0; i < count; i++)
        change[i] = fabs(comparison->frames[by_name[i].frame].evidence[measure].delta);
    if (!gate_ranking_largest_first(order, change, count, scratch, err))
        return false;
    for (uint32_t i = 0; i < count; i++)
        order[i] = by_name[order[i]].frame;
    return true;
}

/* Benjamini-Hochberg over the tested frames of one measure. */
static bool mark_suspects(struct gate_comparison *comparison, enum gate_measure measure, struct gate_arena *scratch,
                          struct gate_error *err) {
    uint32_t count = comparison->pair.frame_count, tested = 0;
    double *log_p = GATE_NEW_ARRAY(scratch, double, (size_t)count + 1);
    double *adjusted = GATE_NEW_ARRAY(scratch, double, (size_t)count + 1);
    uint32_t *indices = GATE_NEW_ARRAY(scratch, uint32_t, (size_t)count + 1);
    if (log_p == NULL || adjusted == NULL || indices == NULL)
        return gate_arena_error(scratch, err);
    for (uint32_t i = 0; i < count; i++)
        if (comparison->frames[i].evidence[measure].is_tested)
            log_p[tested++] = comparison->frames[i].evidence[measure].log_p_two_sided;
    gate_holm_bh_adjust(log_p, adjusted, indices, tested);
    uint32_t at = 0;
    for (uint32_t i = 0; i < count; i++) {
        struct gate_frame_judgement *frame = &comparison->frames[i];
        bool is_tested = frame->evidence[measure].is_tested;
        frame->log_p_bh[measure] = is_tested ? adjusted[at++] : 0.0;
        frame->is_suspect[measure] = is_tested && frame->log_p_bh[measure] <= log(SUSPECT_LEVEL);
    }
    return true;
}

static bool find_work_ratio(struct gate_comparison *comparison, const double work[GATE_SIDES], struct gate_arena *arena,
                            struct gate_error *err) {
    comparison->work_is_known = work[GATE_BASELINE] > 0.0 && work[GATE_CANARY] > 0.0;
    if (!comparison->work_is_known)
        return gate_own_cost_work_ratio(&comparison->work_ratio, &comparison->work_is_estimated, &comparison->pair,
                                        &comparison->deltas, arena, err);
    comparison->work_ratio = work[GATE_CANARY] / work[GATE_BASELINE];
    return true;
}

struct judging {
    struct gate_comparison *comparison;
    const struct gate_evidence_options *options;
};

/* A frame that calls nothing costs by itself all that it costs: the same numbers again. */
static void judge_measure(struct gate_evidence evidence[GATE_MEASURES], int measure) {
    for (int before = 0; before < measure; before++)
        if (gate_evidence_is_alike(&evidence[measure], &evidence[before])) {
            evidence[measure].z = evidence[before].z;
            evidence[measure].log_p = evidence[before].log_p;
            evidence[measure].log_p_two_sided = evidence[before].log_p_two_sided;
            return;
        }
    gate_evidence_judge(&evidence[measure]);
}

static void judge_frames(void *context, size_t from, size_t to) {
    const struct judging *judging = context;
    struct gate_comparison *comparison = judging->comparison;
    const struct gate_pair *pair = &comparison->pair;
    for (size_t i = from; i < to; i++) {
        struct gate_evidence *evidence = comparison->frames[i].evidence;
        evidence[GATE_SELF] =
            gate_evidence_of(pair, &comparison->deltas, (uint32_t)i, GATE_SELF, pair->frames[i].name, judging->options);
        for (int m = GATE_SELF + 1; m < GATE_MEASURES; m++) {
            evidence[m] = gate_evidence_count(pair, &comparison->deltas, (uint32_t)i, (enum gate_measure)m,
                                              pair->frames[i].name, judging->options);
            if (gate_evidence_is_judgeable(&evidence[m]))
                judge_measure(evidence, m);
        }
    }
}

/* What is worked out for each measure, of which two are at work at a time; a row is one measure's alone. */
struct measuring {
    struct gate_comparison *comparison;
    const struct named *by_name;
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

/* Suspects and the order of frames, of every measure. */
static bool measure_all(struct gate_comparison *comparison, struct gate_arena *arena, struct gate_error *err) {
    uint32_t count = comparison->pair.frame_count;
    struct measuring measuring = {.comparison = comparison};
    struct gate_arena names;
    bool ok = true;
    for (int m = 0; m < GATE_MEASURES; m++) {
        comparison->order[m] = GATE_NEW_ARRAY(arena, uint32_t, (size_t)count + 1);
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
    const struct gate_pair *pair = &comparison->pair;
    if (!find_work_ratio(comparison, work, arena, err))
        return false;
    comparison->frames = GATE_NEW_ARRAY(arena, struct gate_frame_judgement, (size_t)pair->frame_count + 1);
    if (comparison->frames == NULL)
        return gate_arena_error(arena, err);
    struct gate_evidence_options options = {.noise = comparison->noise};
    if (!gate_evidence_prior(&options, pair, &comparison->deltas, arena, err))
        return false;
    struct judging judging = {comparison, &options};
    gate_parallel(judge_frames, &judging, pair->frame_count, FRAMES_WORTH_A_THREAD);
    return measure_all(comparison, arena, err);
}
