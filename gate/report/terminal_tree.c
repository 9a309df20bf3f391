/* SPDX-License-Identifier: Apache-2.0 */
/* The flame graph of one change in a terminal (see terminal_tree.h). */
#include "gate/report/terminal_tree.h"

#include "gate/base/escape.h"
#include "gate/base/figures.h"
#include "gate/base/wrap.h"
#include "gate/report/cause_box.h"
#include "gate/report/layout.h"
#include "gate/report/listing.h"
#include "gate/report/shorten.h"

#include <math.h>

enum { BAR_COLUMNS = 16, NUMBER_COLUMNS = 18, PATH_TAIL = 8, CALLEES = 3, MIN_NAME = 12, REST_COLUMNS = 38 };

#define BOTH "\xE2\x96\x88"   /* full block */
#define GREW "\xE2\x96\x92"   /* medium shade */
#define SHRANK "\xE2\x96\x91" /* light shade */

struct tree_picture {
    struct gate_buf *out;
    const struct gate_comparison *comparison;
    const struct gate_report_options *options;
    struct gate_layout layout;
    struct gate_arena *arena;
    double largest; /* share: a full bar */
    size_t name_columns;
};

/* What to draw: the worst cause, broken or warned of. */
static const struct gate_cause *tree_cause(const struct gate_verdict *verdict) {
    for (uint32_t i = 0; i < verdict->causes.count; i++) {
        const struct gate_cause *cause = &verdict->causes.items[i];
        if (cause->outcome != GATE_OUTCOME_INCONCLUSIVE && cause->path_count > 0)
            return cause;
    }
    return NULL;
}

/* Without one, the first frame of whose change the samples are sure. */
static uint32_t tree_mover(const struct gate_verdict *verdict, uint32_t *comparison) {
    for (*comparison = 0; *comparison < verdict->comparison_count; (*comparison)++) {
        const struct gate_comparison *c = &verdict->comparisons[*comparison];
        for (int measure = 0; measure < GATE_MEASURES; measure++)
            for (uint32_t i = 0; i < c->pair.frame_count; i++) {
                enum gate_measure m = gate_listing_measures[measure];
                if (c->frames[c->order[m][i]].is_suspect[m])
                    return c->order[m][i];
            }
    }
    return GATE_NO_INDEX;
}

/* The box of `frame` that changed most; GATE_NO_INDEX when it has none, or none beyond noise. */
static uint32_t tree_moved_node(const struct gate_layout *layout, uint32_t frame) {
    uint32_t best = GATE_NO_INDEX;
    for (uint32_t i = 1; i < layout->tree->count; i++) {
        const struct gate_tree_node *node = &layout->tree->nodes[i];
        if (node->frame == frame && node->is_significant && !node->is_self &&
            (best == GATE_NO_INDEX || fabs(gate_layout_change(layout, i)) > fabs(gate_layout_change(layout, best))))
            best = i;
    }
    return best;
}

static void tree_bar(const struct tree_picture *p, uint32_t node) {
    double base = gate_layout_share(&p->layout, node, GATE_BASELINE);
    double canary = gate_layout_share(&p->layout, node, GATE_CANARY);
    bool coloured = p->options->colour && p->layout.tree->nodes[node].is_significant;
    int common = (int)lround(fmin(base, canary) / p->largest * BAR_COLUMNS);
    int longest = (int)lround(fmax(base, canary) / p->largest * BAR_COLUMNS);
    longest = longest < 1 ? 1 : longest;
    for (int i = 0; i < common; i++)
        gate_buf_text(p->out, BOTH);
    if (coloured && longest > common)
        gate_buf_text(p->out, canary > base ? "\033[31m" : "\033[34m");
    for (int i = common; i < longest; i++)
        gate_buf_text(p->out, canary > base ? GREW : SHRANK);
    if (coloured && longest > common)
        gate_buf_text(p->out, "\033[0m");
    gate_buf_repeat(p->out, ' ', (size_t)(BAR_COLUMNS - longest));
}

static void tree_numbers(const struct tree_picture *p, uint32_t node) {
    struct gate_buf text = {0};
    const double shares[GATE_SIDES] = {gate_layout_share(&p->layout, node, GATE_BASELINE),
                                       gate_layout_share(&p->layout, node, GATE_CANARY)};
    gate_figures_shares(&text, shares);
    size_t columns = gate_str_columns(gate_buf_view(&text));
    gate_buf_repeat(p->out, ' ', columns < NUMBER_COLUMNS ? NUMBER_COLUMNS - columns : 0);
    gate_buf_str(p->out, gate_buf_view(&text));
    p->out->failed = p->out->failed || text.failed;
    gate_buf_free(&text);
}

static void tree_line(const struct tree_picture *p, uint32_t node, uint32_t level) {
    struct gate_buf name = {0};
    gate_escape_terminal(&name, gate_layout_name(p->layout.tree, &p->comparison->pair, node));
    size_t indent = level == 0 ? 0 : 2 * (size_t)level;
    size_t room = p->name_columns < indent + MIN_NAME ? MIN_NAME : p->name_columns - indent;
    struct gate_str shown = gate_shorten_name(p->arena, gate_buf_view(&name), room);
    gate_buf_repeat(p->out, ' ', indent);
    if (level > 0) {
        p->out->len -= p->out->len >= 2 ? 2 : 0;
        gate_buf_text(p->out, "\xE2\x94\x94 ");
    }
    gate_buf_str(p->out, shown);
    size_t used = indent + gate_str_columns(shown);
    gate_buf_repeat(p->out, ' ', used < p->name_columns + 1 ? p->name_columns + 1 - used : 1);
    p->out->failed = p->out->failed || name.failed;
    gate_buf_free(&name);
    tree_bar(p, node);
    tree_numbers(p, node);
    int step = gate_layout_step(&p->layout, node);
    gate_buf_text(p->out, step > 0 ? " \xE2\x96\xB2\n" : step < 0 ? " \xE2\x96\xBC\n" : "\n");
}

/* The significant callees of `node` that moved most, largest first. */
static void tree_callees(const struct tree_picture *p, uint32_t node, uint32_t level) {
    const struct gate_tree_node *nodes = p->layout.tree->nodes;
    uint32_t shown[CALLEES] = {0};
    for (uint32_t n = 0; n < CALLEES; n++) {
        uint32_t best = GATE_NO_INDEX;
        for (uint32_t child = nodes[node].first_child; child != GATE_NO_INDEX; child = nodes[child].next_sibling) {
            bool taken = !nodes[child].is_significant || nodes[child].is_self;
            for (uint32_t i = 0; i < n; i++)
                taken = taken || shown[i] == child;
            if (!taken && (best == GATE_NO_INDEX ||
                           fabs(gate_layout_change(&p->layout, child)) > fabs(gate_layout_change(&p->layout, best))))
                best = child;
        }
        if (best == GATE_NO_INDEX)
            return;
        shown[n] = best;
        tree_line(p, best, level);
    }
}

/* The last callers on the way to `node`; how many came before them is said. */
static void tree_path(struct tree_picture *p, uint32_t node) {
    const struct gate_tree_node *nodes = p->layout.tree->nodes;
    uint32_t path[PATH_TAIL];
    uint32_t depth = 0;
    for (uint32_t at = node; at != 0; at = nodes[at].parent) {
        if (depth < PATH_TAIL)
            path[depth] = at;
        depth++;
    }
    uint32_t count = depth < PATH_TAIL ? depth : PATH_TAIL;
    for (uint32_t i = 0; i < count; i++)
        for (int side = 0; side < GATE_SIDES; side++)
            p->largest = fmax(p->largest, gate_layout_share(&p->layout, path[i], (enum gate_side_name)side));
    if (depth > count)
        gate_buf_printf(p->out, "\xE2\x80\xA6 %u more caller%s above\n", depth - count, depth - count == 1 ? "" : "s");
    for (uint32_t i = 0; i < count; i++)
        tree_line(p, path[count - 1 - i], i);
    tree_callees(p, node, count);
}

bool gate_terminal_tree(struct gate_buf *out, const struct gate_verdict *verdict,
                        const struct gate_report_options *options, struct gate_arena *arena, struct gate_error *err) {
    const struct gate_cause *cause = tree_cause(verdict);
    uint32_t index = cause == NULL ? 0 : cause->comparison;
    uint32_t frame = cause == NULL ? tree_mover(verdict, &index) : cause->frame;
    if (frame == GATE_NO_INDEX)
        return true;
    struct tree_picture p = {
        .out = out, .comparison = &verdict->comparisons[index], .options = options, .arena = arena};
    size_t columns = options->columns == 0 ? GATE_WRAP_COLUMNS : options->columns;
    p.name_columns = columns < REST_COLUMNS + MIN_NAME ? MIN_NAME : columns - REST_COLUMNS;
    const struct gate_tree *tree;
    if (!gate_trees_get(&tree, options->trees, verdict, index, GATE_BY_CALLER, options->min_share, arena, err) ||
        !gate_layout_measure(&p.layout, tree, arena, err))
        return false;
    uint32_t node = cause == NULL ? tree_moved_node(&p.layout, frame) : gate_cause_box_find(tree, cause);
    if (node == GATE_NO_INDEX)
        return true;
    bool grew = gate_layout_change(&p.layout, node) > 0;
    gate_buf_printf(out, "\nWhere it %s, cumulative (%s both, %s %s only)\n",
                    gate_layout_change_name(grew ? GATE_LAYOUT_GREW : GATE_LAYOUT_SHRANK), BOTH, grew ? GREW : SHRANK,
                    gate_side_word(grew ? GATE_CANARY : GATE_BASELINE));
    tree_path(&p, node);
    return gate_buf_check(out, err);
}
