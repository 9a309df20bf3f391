/* SPDX-License-Identifier: Apache-2.0 */
/* Multiple tests: Holm's correction for decisions, Benjamini-Hochberg for the order of suspects. Formulas:
 * docs/statistics.md, "When a budget is broken". */
#include "gate/compare/holm.h"

#include <math.h>

/* Smaller p first; ties by index, so that the order is total. */
static bool precedes(const double *log_p, uint32_t a, uint32_t b) {
    return log_p[a] < log_p[b] || (a < b && log_p[a] == log_p[b]);
}

/* Up to this many are sorted by insertion. */
enum { FEW = 12 };

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

static void heap_sort(const double *log_p, uint32_t *order, uint32_t count) {
    for (uint32_t i = count / 2; i-- > 0;)
        sift_down(log_p, order, i, count);
    for (uint32_t end = count; end-- > 1;) {
        uint32_t largest = order[0];
        order[0] = order[end];
        order[end] = largest;
        sift_down(log_p, order, 0, end);
    }
}

static void insertion_sort(const double *log_p, uint32_t *order, uint32_t count) {
    for (uint32_t i = 1; i < count; i++) {
        uint32_t moved = order[i], at = i;
        for (; at > 0 && precedes(log_p, moved, order[at - 1]); at--)
            order[at] = order[at - 1];
        order[at] = moved;
    }
}

static uint32_t median(const double *log_p, uint32_t a, uint32_t b, uint32_t c) {
    if (precedes(log_p, b, a)) {
        uint32_t kept = a;
        a = b;
        b = kept;
    }
    if (precedes(log_p, b, c))
        return b;
    return precedes(log_p, a, c) ? c : a;
}

/* Partition as Hoare does. Returns the size of the first part, at least 1 and less than `count`. */
static uint32_t parted(const double *log_p, uint32_t *order, uint32_t count) {
    uint32_t pivot = median(log_p, order[0], order[(count - 1) / 2], order[count - 1]);
    for (uint32_t low = 0, high = count - 1;; low++, high--) {
        while (precedes(log_p, order[low], pivot))
            low++;
        while (precedes(log_p, pivot, order[high]))
            high--;
        if (low >= high)
            return high + 1;
        uint32_t kept = order[low];
        order[low] = order[high];
        order[high] = kept;
    }
}

/* Quicksort, because qsort could see log_p only through a mutable static. Falls back to heap sort if it recurses
 * deeply. */
static void quick_sort(const double *log_p, uint32_t *order, uint32_t count, uint32_t depth) {
    for (; count > FEW; depth--) {
        if (depth == 0) {
            heap_sort(log_p, order, count);
            return;
        }
        uint32_t first = parted(log_p, order, count);
        quick_sort(log_p, order, first, depth - 1);
        order += first;
        count -= first;
    }
    insertion_sort(log_p, order, count);
}

/* Sort indices by p. Most hypotheses of a family have p = 1; they go to the end in their order. */
static void sort_indices(const double *log_p, uint32_t *order, uint32_t count) {
    uint32_t some = 0, depth = 2;
    for (uint32_t i = 0; i < count; i++)
        some += log_p[i] < 0.0;
    for (uint32_t i = 0, at = 0, rest = some; i < count; i++)
        order[log_p[i] < 0.0 ? at++ : rest++] = i;
    for (uint32_t left = some; left > 0; left /= 2)
        depth += 2;
    quick_sort(log_p, order, some, depth);
}

/* Below this, exp of a log-probability is denormal or 0. */
static const double LOG_SMALLEST = -690.0;

/* The rest of the family at one step: hypotheses that can be rejected at the step's p, and the others. */
struct holm_rest {
    uint32_t able, others;
    double chances; /* sum of the attainable p values of the others */
};

/* Return the log of the sum of min(p, attainable) over the rest. */
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
    uint32_t passed = 0; /* how many of by_chance are at most p */
    sort_indices(log_p, order, count);
    sort_indices(log_attainable, by_chance, count);
    for (uint32_t i = 0; i < count; i++)
        adjusted_log_p[i] = INFINITY; /* not processed yet */
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
        /* A hypothesis that cannot be rejected at its own p stays in the rest. */
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

void gate_holm_bh_adjust(const double *log_p, double *adjusted_log_p, uint32_t *scratch, uint32_t count,
                         uint32_t family) {
    sort_indices(log_p, scratch, count);
    double best = 0.0;
    for (uint32_t i = count; i-- > 0;) {
        double own = log_p[scratch[i]], raised = own < 0.0 ? own + log((double)family / (double)(i + 1)) : 0.0;
        best = raised < best ? raised : best;
        adjusted_log_p[scratch[i]] = best;
    }
}
