/* SPDX-License-Identifier: Apache-2.0 */
/* Evidence of every frame and the order of suspects (see comparison.h). */
#include "gate/compare/comparison.h"

#include "gate/base/parallel.h"
#include "gate/compare/holm.h"
#include "gate/compare/own_cost.h"

#include <math.h>
#include <stdlib.h>

static const double SUSPECT_LEVEL = 0.01;

enum { FRAMES_WORTH_A_THREAD = 256 };

struct ranked {
    double change;
    struct gate_str name;
    uint32_t frame;
};

static int ranked_compare(const void *left, const void *right) {
    const struct ranked *a = left, *b = right;
    if (a->change != b->change)
        return a->change > b->change ? -1 : 1;
    int order = gate_str_compare(a->name, b->name);
    return order != 0 ? order : a->frame < b->frame ? -1 : a->frame > b->frame;
}

static bool order_by(struct gate_comparison *comparison, enum gate_measure measure, struct gate_arena *arena,
                     struct gate_error *err) {
    uint32_t count = comparison->pair.frame_count;
    struct ranked *ranked = GATE_NEW_ARRAY(arena, struct ranked, (size_t)count + 1);
    uint32_t *order = GATE_NEW_ARRAY(arena, uint32_t, (size_t)count + 1);
    if (ranked == NULL || order == NULL)
        return gate_arena_error(arena, err);
    for (uint32_t i = 0; i < count; i++)
        ranked[i] =
            (struct ranked){fabs(comparison->frames[i].evidence[measure].delta), comparison->pair.frames[i].name, i};
    qsort(ranked, count, sizeof *ranked, ranked_compare);
    for (uint32_t i = 0; i < count; i++)
        order[i] = ranked[i].frame;
    comparison->order[measure] = order;
    if (measure == GATE_SELF)
        comparison->by_self = order;
    return true;
}

/* Benjamini-Hochberg over the tested frames of one measure. */
static bool mark_suspects(struct gate_comparison *comparison, enum gate_measure measure, struct gate_arena *arena,
                          struct gate_error *err) {
    uint32_t count = comparison->pair.frame_count, tested = 0;
    double *log_p = GATE_NEW_ARRAY(arena, double, (size_t)count + 1);
    double *adjusted = GATE_NEW_ARRAY(arena, double, (size_t)count + 1);
    uint32_t *scratch = GATE_NEW_ARRAY(arena, uint32_t, (size_t)count + 1);
    if (log_p == NULL || adjusted == NULL || scratch == NULL)
        return gate_arena_error(arena, err);
    for (uint32_t i = 0; i < count; i++)
        if (comparison->frames[i].evidence[measure].is_tested)
            log_p[tested++] = comparison->frames[i].evidence[measure].log_p_two_sided;
    gate_holm_bh_adjust(log_p, adjusted, scratch, tested);
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

/* What gate_evidence_judge reads. */
static bool same_counts(const struct gate_evidence *a, const struct gate_evidence *b) {
    return a->counts.k1 == b->counts.k1 && a->counts.n1 == b->counts.n1 && a->counts.k2 == b->counts.k2 &&
           a->counts.n2 == b->counts.n2 && a->phi == b->phi && a->df == b->df && a->dilution == b->dilution &&
           a->is_tested == b->is_tested;
}

struct judging {
    struct gate_comparison *comparison;
    const struct gate_evidence_options *options;
};

/* A frame that calls nothing costs by itself all that it costs: the same numbers again. */
static void judge_measure(struct gate_evidence evidence[GATE_MEASURES], int measure) {
    for (int before = 0; before < measure; before++)
        if (same_counts(&evidence[measure], &evidence[before])) {
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
    for (int measure = 0; measure < GATE_MEASURES; measure++)
        if (!mark_suspects(comparison, (enum gate_measure)measure, arena, err) ||
            !order_by(comparison, (enum gate_measure)measure, arena, err))
            return false;
    return true;
}
