/* SPDX-License-Identifier: Apache-2.0 */
/* Layout and colours of diff flame graphs, and totals in words. */
#include "gate/report/flame_layout.h"

#include "gate/base/buf.h"
#include "gate/base/figures.h"
#include "gate/compare/comparison.h"
#include "gate/compare/cost.h"
#include "gate/compare/delta.h"
#include "gate/compare/student.h"
#include "gate/compare/tree.h"
#include "gate/model/unit.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>

/* Append both bounds of a confidence interval of a ratio: "[0.98, 1.29]". */
static void figures_ratio_interval(struct gate_buf *out, const double bounds[2]) {
    gate_buf_printf(out, "[%.2f, %.2f]", bounds[0], bounds[1]);
}

/* ---- boxes ------------------------------------------------------------------------------------------------------- */

double gate_layout_share(const struct gate_layout *layout, uint32_t node, enum gate_side_name side) {
    return gate_share(layout->tree->nodes[node].total[side], layout->total[side]);
}

bool gate_layout_is_absent(const struct gate_layout *layout, uint32_t node, enum gate_side_name side) {
    const struct gate_tree_node *n = &layout->tree->nodes[node];
    return n->total[side] == 0 && n->total[1 - side] != 0;
}

/* Return the change kind for the node's mark; GATE_LAYOUT_CHANGE_KINDS if it has none. */
static enum gate_layout_change_kind layout_marked(const struct gate_tree_node *node) {
    static const enum gate_layout_change_kind kinds[] = {[GATE_TREE_UNMARKED] = GATE_LAYOUT_CHANGE_KINDS,
                                                         [GATE_TREE_UNDECIDED] = GATE_LAYOUT_UNDECIDED,
                                                         [GATE_TREE_WARNED] = GATE_LAYOUT_WARNED,
                                                         [GATE_TREE_BROKEN] = GATE_LAYOUT_BROKEN};
    return kinds[node->mark];
}

enum gate_layout_change_kind gate_layout_classify(const struct gate_layout *layout, uint32_t node) {
    double change = gate_layout_change(layout, node);
    enum gate_layout_change_kind marked = layout_marked(&layout->tree->nodes[node]);
    if (marked != GATE_LAYOUT_CHANGE_KINDS && (change == 0 || !layout->tree->nodes[node].is_significant))
        return marked;
    if (change == 0)
        return GATE_LAYOUT_UNCHANGED;
    if (!layout->tree->nodes[node].is_significant)
        return GATE_LAYOUT_WITHIN_NOISE;
    if (gate_layout_is_absent(layout, node, GATE_BASELINE))
        return GATE_LAYOUT_NEW;
    if (gate_layout_is_absent(layout, node, GATE_CANARY))
        return GATE_LAYOUT_VANISHED;
    return change > 0 ? GATE_LAYOUT_GREW : GATE_LAYOUT_SHRANK;
}

const char *gate_layout_change_name(enum gate_layout_change_kind kind) {
    static const char *const names[GATE_LAYOUT_CHANGE_KINDS] = {
        [GATE_LAYOUT_UNCHANGED] = "unchanged",
        [GATE_LAYOUT_WITHIN_NOISE] = "within noise",
        [GATE_LAYOUT_GREW] = "grew",
        [GATE_LAYOUT_SHRANK] = "shrank",
        [GATE_LAYOUT_NEW] = "new",
        [GATE_LAYOUT_VANISHED] = "vanished",
        [GATE_LAYOUT_UNDECIDED] = "not decided",
        [GATE_LAYOUT_WARNED] = "over a limit that warns",
        [GATE_LAYOUT_BROKEN] = "breaks a budget",
    };
    return names[kind];
}

void gate_layout_describe(struct gate_buf *out, const struct gate_layout *layout, uint32_t node) {
    enum gate_layout_change_kind kind = gate_layout_classify(layout, node);
    enum gate_layout_change_kind marked = layout_marked(&layout->tree->nodes[node]);
    gate_buf_text(out, gate_layout_change_name(kind));
    if (marked != GATE_LAYOUT_CHANGE_KINDS && marked != kind)
        gate_buf_printf(out, ", %s", gate_layout_change_name(marked));
}

int gate_layout_step(const struct gate_layout *layout, uint32_t node) {
    double change = gate_layout_change(layout, node);
    if (!layout->tree->nodes[node].is_significant || change == 0 || layout->max_change <= 0)
        return 0;
    int step = (int)ceil(GATE_LAYOUT_STEPS * sqrt(fabs(change) / layout->max_change) - 1e-9);
    step = step < 1 ? 1 : step > GATE_LAYOUT_STEPS ? GATE_LAYOUT_STEPS : step;
    return change > 0 ? step : -step;
}

const char *gate_layout_part_name(const struct gate_tree *tree) {
    return gate_measure_name(tree->is_charged ? GATE_CHARGED : GATE_SELF);
}

struct gate_str gate_layout_name(const struct gate_tree *tree, const struct gate_pair *pair, uint32_t node) {
    uint32_t frame = tree->nodes[node].frame;
    return frame == GATE_NO_INDEX ? GATE_STR("all") : pair->frames[frame].name;
}

static void layout_measure(struct gate_layout *layout) {
    for (uint32_t node = 0; node < layout->tree->count; node++) {
        double base = gate_layout_share(layout, node, GATE_BASELINE);
        double canary = gate_layout_share(layout, node, GATE_CANARY);
        struct gate_layout_cost cost = {base > canary ? base : canary, canary - base};
        layout->costs[node] = cost;
        if (layout->tree->nodes[node].is_significant)
            layout->max_change = fmax(layout->max_change, fabs(cost.change));
    }
}

bool gate_layout_measure(struct gate_layout *out, const struct gate_tree *tree, struct gate_arena *arena,
                         struct gate_error *err) {
    *out = (struct gate_layout){.tree = tree, .levels = 1};
    for (int side = 0; side < GATE_SIDES; side++)
        out->total[side] = tree->nodes[0].total[side];
    out->costs = gate_arena_alloc(arena, tree->count * sizeof *out->costs);
    if (out->costs == NULL)
        return gate_arena_error(arena, err);
    layout_measure(out);
    return true;
}

/* Append the boxes of the children of box `at`. `boxes` has room for every node. */
static void layout_children(struct gate_layout *layout, uint32_t at, const struct gate_layout_options *options) {
    const struct gate_tree_node *nodes = layout->tree->nodes;
    const struct gate_layout_cost *costs = layout->costs;
    struct gate_box parent = layout->boxes[at];
    double sum = 0;
    for (uint32_t child = nodes[parent.node].first_child; child != GATE_NO_INDEX; child = nodes[child].next_sibling)
        sum += costs[child].weight;
    double whole = fmax(sum, costs[parent.node].weight);
    if (whole <= 0)
        return;
    uint32_t level = parent.level + 1;
    bool too_deep = options->max_levels != 0 && level >= options->max_levels;
    double x = parent.x;
    for (uint32_t child = nodes[parent.node].first_child; child != GATE_NO_INDEX; child = nodes[child].next_sibling) {
        double width = parent.width * costs[child].weight / whole;
        if (too_deep)
            layout->is_cut_deep = true;
        else if (width >= options->min_width && width > 0) {
            layout->boxes[layout->count++] = (struct gate_box){child, level, x, width};
            layout->levels = level + 1 > layout->levels ? level + 1 : layout->levels;
        }
        x += width;
    }
}

bool gate_layout_make(struct gate_layout *out, const struct gate_tree *tree, const struct gate_layout_options *options,
                      struct gate_arena *arena, struct gate_error *err) {
    struct gate_layout layout;
    if (!gate_layout_measure(&layout, tree, arena, err))
        return false;
    layout.boxes = gate_arena_alloc(arena, tree->count * sizeof *layout.boxes);
    if (layout.boxes == NULL)
        return gate_arena_error(arena, err);
    layout.boxes[layout.count++] = (struct gate_box){0, 0, 0, 1};
    for (uint32_t at = 0; at < layout.count; at++)
        layout_children(&layout, at, options);
    layout.left_out = tree->count - layout.count;
    *out = layout;
    return true;
}

/* ---- totals of a comparison -------------------------------------------------------------------------------------- */

bool gate_totals_has_work(const struct gate_comparison *comparison) {
    return comparison->work_ratio > 0 && gate_comparison_shows_work(comparison);
}

double gate_totals_error(const struct gate_comparison *comparison) {
    const struct gate_exposure as_it_is = {.ratio = 1};
    struct gate_evidence total = gate_cost_evidence_of(&comparison->pair, NULL, 0, GATE_SELF, &as_it_is);
    if (!total.is_tested || !(total.counts.k1 > 0) || !(total.counts.k2 > 0))
        return NAN;
    return sqrt(total.phi * (1 / total.counts.k1 + 1 / total.counts.k2)) * gate_student_t(0.025, total.df) /
           gate_student_t(0.025, INFINITY);
}

/* Append the totals; of a run on average if the sides have different numbers of runs. */
static void totals_values(struct gate_buf *out, const struct gate_pair *pair) {
    bool is_mean = pair->sides[GATE_BASELINE].run_count != pair->sides[GATE_CANARY].run_count;
    gate_buf_text(out, is_mean ? "total of a run " : "total ");
    for (int side = 0; side < GATE_SIDES; side++) {
        gate_buf_text(out, side == GATE_BASELINE ? "" : " \xE2\x86\x92 ");
        gate_unit_print(out, pair->sides[side].total / (is_mean ? pair->sides[side].run_count : 1), pair->type.unit);
    }
}

/* Both sides were measured for the same time if their durations differ by less than this part. */
static const double SAME_TIME = 0.01;

/* Append "in the same 1m30s" if both sides were measured for the same time, else "per second". */
static void totals_second(struct gate_buf *out, const struct gate_pair *pair) {
    double base = (double)pair->sides[GATE_BASELINE].duration_ns / 1e9;
    double canary = (double)pair->sides[GATE_CANARY].duration_ns / 1e9;
    if (!(base >= 1) || fabs(canary - base) > SAME_TIME * base) {
        gate_buf_text(out, gate_equal_per(GATE_EQUAL_TIME));
        return;
    }
    gate_buf_text(out, "in the same ");
    gate_figures_seconds(out, round(base));
}

/* Append "; canary used 1.13x in the same 1m30s (90% CI [1.05, 1.21])"; without "canary used" if it is not the first
 * reading. Returns false if the total cannot be compared so. */
static bool totals_reading(struct gate_buf *out, const struct gate_comparison *comparison, enum gate_equal equal,
                           bool is_first) {
    struct gate_total_cost cost;
    if (!gate_total_cost_measure(&cost, &comparison->pair, equal, comparison->work_in_force))
        return false;
    gate_buf_text(out, is_first ? "; canary used " : "; ");
    gate_figures_times(out, cost.ratio);
    gate_buf_char(out, ' ');
    if (equal == GATE_EQUAL_TIME)
        totals_second(out, &comparison->pair);
    else
        gate_buf_text(out, gate_equal_per(equal));
    gate_buf_text(out, " (90% CI ");
    figures_ratio_interval(out, cost.ratio_bounds);
    gate_buf_char(out, ')');
    return true;
}

/* Append "; without a function name: 4.1% → 3.8%", if there is any such cost. */
static void totals_unnamed(struct gate_buf *out, const struct gate_comparison *comparison) {
    double share[GATE_SIDES];
    gate_delta_unnamed(share, &comparison->pair, &comparison->deltas);
    if (!(share[GATE_BASELINE] > 0) && !(share[GATE_CANARY] > 0))
        return;
    gate_buf_text(out, "; without a function name: ");
    gate_figures_shares(out, share);
}

void gate_totals_print(struct gate_buf *out, const struct gate_comparison *comparison) {
    const struct gate_pair *pair = &comparison->pair;
    totals_values(out, pair);
    bool is_fact = gate_equal_is_of_cost(comparison->equal) && totals_reading(out, comparison, comparison->equal, true);
    if (!(is_fact && comparison->equal == GATE_EQUAL_TIME) &&
        !totals_reading(out, comparison, GATE_EQUAL_TIME, !is_fact) &&
        !(is_fact && comparison->equal == GATE_EQUAL_RUN))
        (void)totals_reading(out, comparison, GATE_EQUAL_RUN, !is_fact);
    if (!is_fact && gate_totals_has_work(comparison)) {
        gate_buf_text(out, "; ");
        gate_figures_times(out, (double)pair->sides[GATE_CANARY].total / (double)pair->sides[GATE_BASELINE].total /
                                    comparison->work_ratio);
        gate_buf_text(out, " per unit of work (estimated)");
    }
    totals_unnamed(out, comparison);
}
