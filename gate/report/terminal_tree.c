/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/report/terminal_tree.h"

#include "gate/base/buf.h"
#include "gate/base/escape.h"
#include "gate/base/figures.h"
#include "gate/report/flame_graph.h"
#include "gate/report/listing.h"
#include "gate/report/report.h"
#include "gate/report/shorten.h"
#include "gate/report/trees.h"

#include <math.h>

enum {
    BAR_COLUMNS = 16,
    NUMBER_COLUMNS = 16,
    PATH_TAIL = 8,
    PATH_SHORT = 5,
    CALLEES = 3,
    MIN_NAME = 12,
    REST_COLUMNS = 36
};

#define BOTH "\xE2\x96\x88" /* full block */

#define UP "\xE2\x96\xB2"

#define DOWN "\xE2\x96\xBC"

/* Shade of the part of a bar that one side has alone: light and medium. */
static const char *const tree_shade[GATE_SIDES] = {[GATE_BASELINE] = "\xE2\x96\x91", [GATE_CANARY] = "\xE2\x96\x92"};

struct tree_picture {
    struct gate_buf *out;
    const struct gate_comparison *comparison;
    const struct gate_report_options *options;
    struct gate_layout layout;
    struct gate_arena *arena;
    bool is_named;  /* the heading names the comparison, because there are several */
    double largest; /* share of a full bar */
    size_t name_columns;
    bool has_bar[GATE_SIDES];  /* some row has a part that only this side has */
    bool has_step[GATE_SIDES]; /* some row is significant, with more on this side */
};

const struct gate_cause *gate_terminal_tree_cause(const struct gate_verdict *verdict) {
    const struct gate_cause *open = NULL;
    for (uint32_t i = 0; i < verdict->causes.count; i++) {
        const struct gate_cause *cause = &verdict->causes.items[i];
        uint32_t one_sided = verdict->comparisons[cause->comparison].pair.one_sided; /* is in no stack */
        bool is_drawn = cause->path_count > 0 || (cause->frame != GATE_NO_INDEX && cause->frame != one_sided);
        if (!is_drawn || gate_cause_is_share_only(cause))
            continue;
        if (cause->outcome != GATE_OUTCOME_INCONCLUSIVE)
            return cause;
        if (open == NULL && cause->evidence.delta > 0.0)
            open = cause;
    }
    return open;
}

/* Return the first frame with a significant change, for a report without a cause. */
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

/* Return the significant box of `frame` that changed most, in the direction of `sign` unless `sign` is 0; GATE_NO_INDEX
 * if there is none. */
static uint32_t tree_moved_node(const struct gate_layout *layout, uint32_t frame, double sign) {
    uint32_t best = GATE_NO_INDEX;
    for (uint32_t i = 1; i < layout->tree->count; i++) {
        const struct gate_tree_node *node = &layout->tree->nodes[i];
        if (node->frame == frame && node->is_significant && !node->is_self &&
            sign * gate_layout_change(layout, i) >= 0.0 &&
            (best == GATE_NO_INDEX || fabs(gate_layout_change(layout, i)) > fabs(gate_layout_change(layout, best))))
            best = i;
    }
    return best;
}

static void tree_bar(struct tree_picture *p, uint32_t node) {
    double base = gate_layout_share(&p->layout, node, GATE_BASELINE);
    double canary = gate_layout_share(&p->layout, node, GATE_CANARY);
    enum gate_side_name larger = canary > base ? GATE_CANARY : GATE_BASELINE;
    bool coloured = p->options->colour && p->layout.tree->nodes[node].is_significant;
    int common = (int)lround(fmin(base, canary) / p->largest * BAR_COLUMNS);
    int longest = (int)lround(fmax(base, canary) / p->largest * BAR_COLUMNS);
    longest = longest < 1 ? 1 : longest;
    for (int i = 0; i < common; i++)
        gate_buf_text(p->out, BOTH);
    if (coloured && longest > common)
        gate_buf_text(p->out, larger == GATE_CANARY ? "\033[31m" : "\033[34m");
    for (int i = common; i < longest; i++)
        gate_buf_text(p->out, tree_shade[larger]);
    p->has_bar[larger] = p->has_bar[larger] || longest > common;
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
    gate_buf_free_part(p->out, &text);
}

/* One line of the picture. */
struct tree_row {
    uint32_t node, level;
    bool is_last; /* of the callees of one node */
};

enum { TREE_ROWS_MOST = PATH_TAIL + 1 + CALLEES };

static struct gate_str tree_name(const struct tree_picture *p, const struct tree_row *row) {
    struct gate_buf name = {0};
    gate_escape_terminal(&name, gate_layout_name(p->layout.tree, &p->comparison->pair, row->node));
    size_t indent = 2 * (size_t)row->level;
    size_t room = p->name_columns < indent + MIN_NAME ? MIN_NAME : p->name_columns - indent;
    struct gate_str shown = gate_str_copy(p->arena, gate_shorten_name(p->arena, gate_buf_view(&name), room));
    gate_buf_free_part(p->out, &name);
    return shown;
}

static void tree_line(struct tree_picture *p, const struct tree_row *row) {
    struct gate_str shown = tree_name(p, row);
    size_t used = 2 * (size_t)row->level + gate_str_columns(shown);
    int step = gate_layout_step(&p->layout, row->node);
    bool is_coloured = p->options->colour && step != 0;
    if (row->level > 0) {
        gate_buf_repeat(p->out, ' ', 2 * (size_t)row->level - 2);
        gate_buf_text(p->out, row->is_last ? "\xE2\x94\x94 " : "\xE2\x94\x9C ");
    }
    gate_buf_text(p->out, !is_coloured ? "" : step > 0 ? "\033[31m" : "\033[34m");
    gate_buf_str(p->out, shown);
    gate_buf_text(p->out, is_coloured ? "\033[0m" : "");
    gate_buf_repeat(p->out, ' ', used < p->name_columns + 1 ? p->name_columns + 1 - used : 1);
    tree_bar(p, row->node);
    tree_numbers(p, row->node);
    gate_buf_text(p->out, step > 0 ? " " UP "\n" : step < 0 ? " " DOWN "\n" : "\n");
    if (step != 0)
        p->has_step[step > 0 ? GATE_CANARY : GATE_BASELINE] = true;
}

/* Add the significant callees of `node` that changed most, largest change first. Returns how many. */
static uint32_t tree_callees(struct tree_row *rows, const struct tree_picture *p, uint32_t node, uint32_t level) {
    const struct gate_tree_node *nodes = p->layout.tree->nodes;
    for (uint32_t n = 0; n < CALLEES; n++) {
        uint32_t best = GATE_NO_INDEX;
        for (uint32_t child = nodes[node].first_child; child != GATE_NO_INDEX; child = nodes[child].next_sibling) {
            bool taken = !nodes[child].is_significant || nodes[child].is_self;
            for (uint32_t i = 0; i < n; i++)
                taken = taken || rows[i].node == child;
            if (!taken && (best == GATE_NO_INDEX ||
                           fabs(gate_layout_change(&p->layout, child)) > fabs(gate_layout_change(&p->layout, best))))
                best = child;
        }
        if (best == GATE_NO_INDEX)
            return n;
        if (n > 0)
            rows[n - 1].is_last = false;
        rows[n] = (struct tree_row){best, level, true};
    }
    return CALLEES;
}

/* Return the side that alone has a node, or -1. */
static int tree_only_side(const struct tree_picture *p, uint32_t node) {
    const int64_t *total = p->layout.tree->nodes[node].total;
    return total[GATE_BASELINE] == 0 ? GATE_CANARY : total[GATE_CANARY] == 0 ? GATE_BASELINE : -1;
}

/* Minimum change of a replaced sibling, as a fraction of the node's change. */
static const double REPLACED_PART = 0.5;

/* If only one side has `node`, but both have its parent, return the largest sibling that only the other side has:
 * renamed code is in two places of the tree. GATE_NO_INDEX if there is none. */
static uint32_t tree_replaced(const struct tree_picture *p, uint32_t node) {
    const struct gate_tree_node *nodes = p->layout.tree->nodes;
    uint32_t parent = nodes[node].parent, best = GATE_NO_INDEX;
    int side = tree_only_side(p, node);
    if (side < 0 || tree_only_side(p, parent) >= 0)
        return GATE_NO_INDEX;
    double most = REPLACED_PART * fabs(gate_layout_change(&p->layout, node));
    for (uint32_t i = nodes[parent].first_child; i != GATE_NO_INDEX; i = nodes[i].next_sibling)
        if (nodes[i].is_significant && !nodes[i].is_self && tree_only_side(p, i) == 1 - side &&
            fabs(gate_layout_change(&p->layout, i)) >= most) {
            most = fabs(gate_layout_change(&p->layout, i));
            best = i;
        }
    return best;
}

/* Return how many rows the path to `node` has: a few, or more to reach a caller that both sides have. */
static uint32_t tree_rows_of(const struct tree_picture *p, uint32_t node, uint32_t depth) {
    uint32_t most = p->options->verbose ? PATH_TAIL : PATH_SHORT, count = 0;
    for (uint32_t at = node; count < depth && count < PATH_TAIL; at = p->layout.tree->nodes[at].parent) {
        count++;
        if (count >= most && tree_only_side(p, at) < 0)
            break;
    }
    return count;
}

/* Append the last callers on the path to `node`, how many came before them, and its callees. */
static void tree_path(struct tree_picture *p, uint32_t node) {
    const struct gate_tree_node *nodes = p->layout.tree->nodes;
    uint32_t depth = 0, callers, count = 0;
    uint32_t path[PATH_TAIL];
    struct tree_row rows[TREE_ROWS_MOST];
    for (uint32_t at = node; at != 0; at = nodes[at].parent)
        depth++;
    callers = tree_rows_of(p, node, depth);
    for (uint32_t at = node, i = callers; i > 0; at = nodes[at].parent)
        path[--i] = at;
    for (uint32_t i = 0; i < callers; i++) {
        bool is_cut = i == 0 && depth > callers; /* the parent is not drawn */
        uint32_t replaced = is_cut ? GATE_NO_INDEX : tree_replaced(p, path[i]);
        if (replaced != GATE_NO_INDEX)
            rows[count++] = (struct tree_row){replaced, i, false};
        rows[count++] = (struct tree_row){path[i], i, true};
    }
    for (uint32_t i = 0; i < count; i++)
        for (int side = 0; side < GATE_SIDES; side++)
            p->largest = fmax(p->largest, gate_layout_share(&p->layout, rows[i].node, (enum gate_side_name)side));
    count += tree_callees(rows + count, p, node, callers);
    size_t widest = MIN_NAME;
    for (uint32_t i = 0; i < count; i++) {
        size_t used = 2 * (size_t)rows[i].level + gate_str_columns(tree_name(p, &rows[i]));
        widest = used > widest ? used : widest;
    }
    p->name_columns = widest < p->name_columns ? widest : p->name_columns;
    if (depth > callers)
        gate_buf_printf(p->out, "\xE2\x80\xA6 %u more caller%s above\n", depth - callers,
                        depth - callers == 1 ? "" : "s");
    for (uint32_t i = 0; i < count; i++)
        tree_line(p, &rows[i]);
}

/* If the drawn path has less than this part of its function's change, the other paths are mentioned. */
static const double PATH_PART = 0.5;

/* If the path to `node` has less of its function's change, append the function's share along all paths. A recursive
 * function, or one with many callers, may grow along hundreds of paths. */
static void tree_other_paths(const struct tree_picture *p, uint32_t node) {
    uint32_t frame = p->layout.tree->nodes[node].frame;
    const struct gate_comparison *comparison = p->comparison;
    double share[GATE_SIDES];
    for (int side = 0; side < GATE_SIDES; side++)
        share[side] = gate_share(comparison->deltas.items[frame].value[GATE_CUMULATIVE][side],
                                 comparison->pair.sides[side].total);
    if (fabs(gate_layout_change(&p->layout, node)) >= PATH_PART * fabs(share[GATE_CANARY] - share[GATE_BASELINE]))
        return;
    gate_buf_printf(
        p->out, "\xE2\x80\xA6 one of several paths to this function; along all of them %s \xE2\x86\x92 %s\n",
        gate_figures_share_text(share[GATE_BASELINE]).text, gate_figures_share_text(share[GATE_CANARY]).text);
}

/* Append the heading of the picture: whether the cause `grew`, and a legend with all marks of the rows. A cause can
 * grow while the cumulative share of its frame falls. */
static void tree_title(struct gate_buf *out, const struct tree_picture *p, bool grew) {
    gate_buf_char(out, '\n');
    size_t line = out->len;
    gate_buf_printf(out, "Where it %s", gate_layout_change_name(grew ? GATE_LAYOUT_GREW : GATE_LAYOUT_SHRANK));
    if (p->is_named) {
        gate_buf_text(out, " in ");
        gate_escape_terminal(out, p->comparison->name);
    }
    gate_buf_printf(out, ", cumulative share (%s both sides", BOTH);
    for (int i = 0; i < GATE_SIDES; i++) {
        enum gate_side_name side = (i == 0) == grew ? GATE_CANARY : GATE_BASELINE;
        if (i == 0 || p->has_bar[side])
            gate_buf_printf(out, ", %s %s only", tree_shade[side], gate_side_word(side));
    }
    gate_buf_printf(out, ", %s", grew ? UP : DOWN);
    if (p->has_step[grew ? GATE_BASELINE : GATE_CANARY])
        gate_buf_text(out, grew ? DOWN : UP);
    gate_buf_text(out, " significant)");
    gate_wrap_since(out, line, 2, p->options->columns);
    gate_buf_char(out, '\n');
}

bool gate_terminal_tree(struct gate_buf *out, const struct gate_verdict *verdict,
                        const struct gate_report_options *options, struct gate_arena *arena, struct gate_error *err) {
    const struct gate_cause *cause = gate_terminal_tree_cause(verdict);
    uint32_t index = cause == NULL ? 0 : cause->comparison;
    uint32_t frame = cause == NULL ? tree_mover(verdict, &index) : cause->frame;
    if (frame == GATE_NO_INDEX)
        return true;
    struct tree_picture p = {.out = out,
                             .comparison = &verdict->comparisons[index],
                             .is_named = verdict->comparison_count > 1,
                             .options = options,
                             .arena = arena};
    size_t columns = options->columns == 0 ? GATE_WRAP_COLUMNS : options->columns;
    p.name_columns = columns < REST_COLUMNS + MIN_NAME ? MIN_NAME : columns - REST_COLUMNS;
    const struct gate_tree *tree;
    if (!gate_trees_get(&tree, options->trees, verdict, index, GATE_BY_CALLER, options->min_share, arena, err) ||
        !gate_layout_measure(&p.layout, tree, arena, err))
        return false;
    /* A library function, to which no cost is charged, has no path. Use its box that changed most. */
    uint32_t node = cause == NULL            ? tree_moved_node(&p.layout, frame, 0.0)
                    : cause->path_count == 0 ? tree_moved_node(&p.layout, frame, cause->evidence.delta)
                                             : gate_cause_box_find(tree, cause);
    if (node == GATE_NO_INDEX)
        return true;
    struct gate_buf rows = {0};
    p.out = &rows;
    tree_path(&p, node);
    tree_other_paths(&p, node);
    tree_title(out, &p, cause != NULL ? cause->evidence.delta > 0.0 : gate_layout_change(&p.layout, node) > 0);
    gate_buf_str(out, gate_buf_view(&rows));
    gate_buf_free_part(out, &rows);
    return gate_buf_check(out, err);
}
