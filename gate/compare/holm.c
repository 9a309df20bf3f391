/* SPDX-License-Identifier: Apache-2.0 */
/* Many tests at once: Holm decides, Benjamini-Hochberg orders the suspects (see holm.h). Formulas: docs/statistics.md,
 * "When a budget is broken". */
#include "gate/compare/holm.h"

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

/* Heap sort: qsort has no way to see log_p without a mutable static. Those with the largest p, which are often most of
 * all, need none: they stand last. */
static void sort_indices(const double *log_p, uint32_t *order, uint32_t count) {
    double most = -INFINITY;
    uint32_t less = 0, behind = count;
    for (uint32_t i = 0; i < count; i++)
        most = log_p[i] > most ? log_p[i] : most;
    for (uint32_t i = count; i-- > 0;)
        if (log_p[i] == most)
            order[--behind] = i;
    for (uint32_t i = 0; i < count; i++)
        if (!(log_p[i] == most))
            order[less++] = i;
    for (uint32_t i = less / 2; i-- > 0;)
        sift_down(log_p, order, i, less);
    for (uint32_t end = less; end-- > 1;) {
        uint32_t largest = order[0];
        order[0] = order[end];
        order[end] = largest;
        sift_down(log_p, order, 0, end);
    }
}

/* Below this, exp of a log-probability is no ordinary number any more. */
static const double LOG_SMALLEST = -690.0;

/* What is left of the family at one step: those that can be rejected at the step's p, and the others' chances. */
struct holm_rest {
    uint32_t able, others;
    double chances; /* of the others: the sum of their attainable p values */
};

/* log of the sum of min(p, attainable) over the rest. */
static double holm_sum(const struct holm_rest *rest, double log_p) {
    double able = rest->able;
    if (log_p < LOG_SMALLEST)
        return log_p + log(able + rest->others);
    return log_p + log(able + fmax(rest->chances, 0.0) / exp(log_p));
}

void gate_holm_adjust(const double *log_p, const double *log_attainable, double *adjusted_log_p, uint32_t *scratch,
                      uint32_t count) {
    uint32_t *order = scratch, *by_chance = scratch + count;
    struct holm_rest rest = {.able = count};
    double worst = -INFINITY;
    uint32_t passed = 0; /* of by_chance: what p has left behind */
    sort_indices(log_p, order, count);
    sort_indices(log_attainable, by_chance, count);
    for (uint32_t i = 0; i < count; i++)
        adjusted_log_p[i] = INFINITY; /* not met yet */
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = order[i];
        for (; passed < count && log_attainable[by_chance[passed]] <= log_p[at]; passed++) {
            if (adjusted_log_p[by_chance[passed]] < INFINITY)
                continue;
            rest.able--;
            rest.others++;
            rest.chances += exp(log_attainable[by_chance[passed]]);
        }
        double raised = fmax(holm_sum(&rest, log_p[at]), log_p[at]);
        worst = fmin(fmax(worst, raised), 0.0);
        adjusted_log_p[at] = worst;
        if (log_attainable[at] == log_p[at]) {
            rest.others--;
            rest.chances -= exp(log_attainable[at]);
        } else if (log_attainable[at] > log_p[at]) {
            rest.able--;
        }
        /* What cannot be rejected at its own p is not: it stays among the rest. */
    }
}

double gate_holm_level(const double *log_attainable, uint32_t *scratch, uint32_t count, double alpha) {
    double chances = 0.0;
    sort_indices(log_attainable, scratch, count);
    for (uint32_t i = 0; i < count; i++) {
        double attainable = exp(log_attainable[scratch[i]]);
        double level = (alpha - chances) / (count - i);
        if (level <= attainable)
            return log(level);
        chances += attainable;
    }
    return log(alpha);
}

void gate_holm_bh_adjust(const double *log_p, double *adjusted_log_p, uint32_t *scratch, uint32_t count) {
    sort_indices(log_p, scratch, count);
    double best = 0.0;
    for (uint32_t i = count; i-- > 0;) {
        if (log_p[scratch[i]] >= 0.0) { /* raising it is no less than the best so far */
            adjusted_log_p[scratch[i]] = best;
            continue;
        }
        double raised = log_p[scratch[i]] + log((double)count / (double)(i + 1));
        best = raised < best ? raised : best;
        adjusted_log_p[scratch[i]] = best;
    }
}
