/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/budget/collector.h"

#include "gate/budget/replaced.h"
#include "gate/compare/tree.h"

/* What a frame is to the collector. */
enum collector_part {
    NOT_COLLECTOR,
    BACKGROUND, /* the collector's own goroutines, and what starts a collection */
    ASSIST,     /* work that an allocation does for the collector */
    ALLOCATION  /* an allocation without that work */
};

static enum collector_part part_of(struct gate_str name) {
    static const struct {
        const char *name;
        enum collector_part part;
    } rows[] = {{"runtime.mallocgc", ALLOCATION},       {"runtime.gcAssistAlloc", ASSIST},
                {"runtime.deductAssistCredit", ASSIST}, {"runtime.deductSweepCredit", ASSIST},
                {"runtime.gcBgMarkWorker", BACKGROUND}, {"runtime.gcStart", BACKGROUND},
                {"runtime.gcMarkDone", BACKGROUND},     {"runtime.gcMarkTermination", BACKGROUND},
                {"runtime.bgsweep", BACKGROUND},        {"runtime.bgscavenge", BACKGROUND}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (gate_str_equal(name, gate_str_from(rows[i].name)))
            return rows[i].part;
    return NOT_COLLECTOR;
}

/* Costs of both sides, of the whole program and of a function. */
struct collector_cost {
    double all[GATE_SIDES];                                  /* of the function */
    double collector[GATE_SIDES];                            /* of the program: the whole collector */
    double assist[2][GATE_SIDES], allocation[2][GATE_SIDES]; /* [0] of the program, [1] of the function */
};

static bool measure_cost(struct collector_cost *out, const struct gate_reading_state *r,
                         const struct gate_hypothesis *h) {
    const struct gate_tree_node *nodes = r->tree->nodes;
    const struct gate_frame *frames = r->comparison->pair.frames;
    uint8_t *parts = GATE_NEW_ARRAY(r->arena, uint8_t, r->tree->count); /* per node, enum collector_part */
    bool *is_about = GATE_NEW_ARRAY(r->arena, bool, r->tree->count);    /* per node: charged to the function */
    if (parts == NULL || is_about == NULL)
        return gate_arena_error(r->arena, r->err);
    for (uint32_t node = 1; node < r->tree->count; node++) { /* parents come first */
        uint32_t parent = nodes[node].parent, frame = nodes[node].frame;
        enum collector_part part = part_of(frames[frame].name);
        parts[node] = part != NOT_COLLECTOR && parts[parent] != BACKGROUND ? (uint8_t)part : parts[parent];
        is_about[node] = frame == h->frame || (is_about[parent] && !gate_frame_is_charged(&frames[frame]));
        for (int side = 0; side < GATE_SIDES; side++) {
            double cost = gate_tree_own_cost(r->tree, node, side);
            out->all[side] += is_about[node] ? cost : 0.0;
            out->collector[side] += parts[node] == ASSIST || parts[node] == BACKGROUND ? cost : 0.0;
            for (int i = 0; i <= (int)is_about[node]; i++) {
                out->assist[i][side] += parts[node] == ASSIST ? cost : 0.0;
                out->allocation[i][side] += parts[node] == ALLOCATION ? cost : 0.0;
            }
        }
    }
    return true;
}

/* Return the cost of the function if each function did as much for the collector as its allocations cost. */
static double fair_cost(const struct collector_cost *cost, int side) {
    double part = cost->allocation[0][side] > 0.0 ? cost->allocation[1][side] / cost->allocation[0][side] : 1.0;
    return cost->all[side] - cost->assist[1][side] + part * cost->assist[0][side];
}

static double growth_of(const double cost[GATE_SIDES], double ratio) {
    return cost[GATE_CANARY] / ratio - cost[GATE_BASELINE];
}

bool gate_reading_judge_collector(struct gate_hypothesis *h, const struct gate_reading_state *r) {
    const struct gate_comparison *c = r->comparison;
    struct collector_cost cost = {0};
    double ratio = 0.0, variance = 0.0, total = (double)c->pair.sides[GATE_BASELINE].total;
    if (c->pair.language != GATE_LANGUAGE_GO || r->tree == NULL || h->frame == GATE_NO_INDEX || h->is_total ||
        h->is_cost || h->is_path || h->measure != GATE_CHARGED || h->severity < GATE_SEVERITY_ERROR ||
        gate_limit_quantity(h->limit->kind) != GATE_QUANTITY_GROWTH)
        return true;
    if (!measure_cost(&cost, r, h) || !gate_reading_ratio_beside(&ratio, &variance, r, cost.all))
        return false;
    double limit = h->limit_value * total, fair[GATE_SIDES], share[GATE_SIDES];
    for (int side = 0; side < GATE_SIDES; side++) {
        fair[side] = fair_cost(&cost, side);
        share[side] = fair[side] / (double)c->pair.sides[side].total;
    }
    if (!(ratio > 0.0) || growth_of(cost.collector, ratio) > limit || growth_of(fair, ratio) > limit ||
        !gate_reading_are_shares_within(h, share[GATE_BASELINE], share[GATE_CANARY]))
        return true;
    const struct gate_reading reading = {.frame = GATE_NO_INDEX, .ratio = c->work_ratio, .equal = c->equal};
    enum gate_outcome outcome = h->outcome == GATE_OUTCOME_FAIL ? GATE_OUTCOME_INCONCLUSIVE : GATE_OUTCOME_WARN;
    return gate_reading_contradict(h, r, outcome, GATE_REASON_COLLECTOR, reading);
}
