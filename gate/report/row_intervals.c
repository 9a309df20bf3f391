/* SPDX-License-Identifier: Apache-2.0 */
/* 95% confidence intervals for the rows of a table of frames. They take most of the time of a page with many
 * functions. */
#include "gate/report/row_intervals.h"

#include "gate/base/parallel.h"
#include "gate/compare/comparison.h"

/* Other reports are made at the same time, so a further thread is not worth it for fewer rows. */
enum { ROWS_WORTH_A_THREAD = 1000 };

struct rows {
    struct gate_row_intervals *out;
    const struct gate_frame_judgement *frames;
    const uint32_t *rows;
    gate_row_interval *find;
};

/* Slots of the cache. Most functions have few samples, and many of them have equal counts. */
enum { ROWS_KNOWN = 512 };

/* A slot: the last evidence with this hash, and its interval. */
struct known {
    const struct gate_evidence *evidence;
    const struct gate_interval *interval;
};

static struct known *known_slot(struct known *known, const struct gate_evidence *evidence) {
    uint64_t bits[2];
    memcpy(&bits[0], &evidence->counts.k1, sizeof bits[0]);
    memcpy(&bits[1], &evidence->counts.k2, sizeof bits[1]);
    uint64_t key = bits[0] * UINT64_C(0x9E3779B97F4A7C15) + bits[1] * UINT64_C(0xC2B2AE3D27D4EB4F);
    return &known[(key >> 32) % ROWS_KNOWN];
}

static void fill_some(void *context, size_t from, size_t to) {
    const struct rows *all = context;
    struct known known[ROWS_KNOWN] = {{0}};
    for (size_t i = from; i < to; i++) {
        const struct gate_evidence *const *evidence = all->frames[all->rows[i]].evidence;
        struct gate_interval *of = all->out[i].of;
        for (int m = 0; m < GATE_MEASURES; m++) {
            struct known *slot = known_slot(known, evidence[m]);
            bool is_known = slot->evidence != NULL && gate_evidence_is_alike(slot->evidence, evidence[m]);
            of[m] = is_known ? *slot->interval : all->find(evidence[m]);
            *slot = (struct known){evidence[m], &of[m]};
        }
    }
}

void gate_row_intervals_fill(struct gate_row_intervals *out, const struct gate_frame_judgement *frames,
                             const uint32_t *rows, uint32_t count, gate_row_interval *find) {
    struct rows all = {out, frames, rows, find};
    gate_parallel(fill_some, &all, count, ROWS_WORTH_A_THREAD);
}
