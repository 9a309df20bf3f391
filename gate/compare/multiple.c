/* SPDX-License-Identifier: Apache-2.0 */
/* Many tests at once: Holm decides, Benjamini-Hochberg orders the suspects (see stats.h). */
#include "gate/compare/stats.h"

#include <math.h>

/* Smaller p first; equal ones by index, so that the order is total. */
static bool precedes(const double *log_p, uint32_t a, uint32_t b) {
    return log_p[a] < log_p[b] || (a < b && log_p[a] == log_p[b]);
}

static void sift_down(const double *log_p, uint32_t *heap, uint32_t root, uint32_t count) {
    for (;;) {
        uint32_t child = 2 * root + 1;
        if (child >= count)
            return;
        if (child + 1 < count && precedes(log_p, heap[child], heap[child + 1]))
            child++;
        if (!precedes(log_p, heap[root], heap[child]))
            return;
        uint32_t kept = heap[root];
        heap[root] = heap[child];
        heap[child] = kept;
        root = child;
    }
}

/* Heap sort: qsort has no way to see log_p without a mutable static. */
static void sort_indices(const double *log_p, uint32_t *order, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        order[i] = i;
    for (uint32_t i = count / 2; i-- > 0;)
        sift_down(log_p, order, i, count);
    for (uint32_t end = count; end-- > 1;) {
        uint32_t largest = order[0];
        order[0] = order[end];
        order[end] = largest;
        sift_down(log_p, order, 0, end);
    }
}

void gate_holm_adjust(const double *log_p, double *adjusted_log_p, uint32_t *scratch, uint32_t count) {
    sort_indices(log_p, scratch, count);
    double worst = -INFINITY;
    for (uint32_t i = 0; i < count; i++) {
        double raised = log_p[scratch[i]] + log((double)(count - i));
        worst = raised > worst ? raised : worst;
        adjusted_log_p[scratch[i]] = worst < 0.0 ? worst : 0.0;
    }
}

void gate_bh_adjust(const double *log_p, double *adjusted_log_p, uint32_t *scratch, uint32_t count) {
    sort_indices(log_p, scratch, count);
    double best = 0.0;
    for (uint32_t i = count; i-- > 0;) {
        double raised = log_p[scratch[i]] + log((double)count / (double)(i + 1));
        best = raised < best ? raised : best;
        adjusted_log_p[scratch[i]] = best;
    }
}
