/* SPDX-License-Identifier: Apache-2.0 */
/* Most of what a page of many functions takes (see row_intervals.h). */
#include "gate/report/row_intervals.h"

#include "gate/base/parallel.h"

/* The other reports are made at the same time: fewer rows are not worth a third thread. */
enum { ROWS_WORTH_A_THREAD = 1000 };

struct rows {
    struct gate_row_intervals *out;
    const struct gate_frame_judgement *frames;
    const uint32_t *rows;
};

static void fill_some(void *context, size_t from, size_t to) {
    const struct rows *all = context;
    for (size_t i = from; i < to; i++) {
        const struct gate_evidence *evidence = all->frames[all->rows[i]].evidence;
        struct gate_interval *of = all->out[i].of;
        for (int m = 0; m < GATE_MEASURES; m++) {
            int same = 0;
            while (same < m && !gate_evidence_is_alike(&evidence[same], &evidence[m]))
                same++;
            of[m] = same < m ? of[same] : gate_evidence_ci95_near(&evidence[m]);
        }
    }
}

void gate_row_intervals_fill(struct gate_row_intervals *out, const struct gate_frame_judgement *frames,
                             const uint32_t *rows, uint32_t count) {
    struct rows all = {out, frames, rows};
    gate_parallel(fill_some, &all, count, ROWS_WORTH_A_THREAD);
}
