/* SPDX-License-Identifier: Apache-2.0 */
/* A call tree of the page's JSON block, as columns of numbers (see page.h). assets/report_model.js reads it. */
#include "gate/report/page.h"

/* Depth-first with depths: parents need no column. */
static void tree_depths(struct gate_json *json, const struct gate_tree *tree) {
    struct gate_json_column column;
    int64_t depth = 0;
    gate_json_column_begin(&column, json, "depth", 0);
    for (uint32_t i = 0; i < tree->count; i++) {
        gate_json_column_add(&column, depth);
        if (tree->nodes[i].first_child != GATE_NO_INDEX) {
            depth++;
            continue;
        }
        uint32_t at = i;
        while (at != 0 && tree->nodes[at].next_sibling == GATE_NO_INDEX) {
            at = tree->nodes[at].parent;
            depth--;
        }
    }
    gate_json_column_end(&column);
}

static void tree_sides(struct gate_json *json, const struct gate_tree *tree, int64_t scale) {
    static const char *const sides[] = {"base", "canary"};
    gate_json_key(json, "pruned");
    gate_json_open(json, '[');
    for (int side = 0; side < GATE_SIDES; side++)
        gate_json_integer(json, tree->pruned[side] / scale);
    gate_json_close(json, ']');
    for (int side = 0; side < GATE_SIDES; side++) {
        struct gate_json_column column;
        gate_json_column_begin(&column, json, sides[side], 0);
        for (uint32_t i = 0; i < tree->count; i++)
            gate_json_column_add(&column, tree->nodes[i].total[side] / scale);
        gate_json_column_end(&column);
    }
}

static bool tree_is_significant(const struct gate_tree_node *node) {
    return node->is_significant;
}

static bool tree_is_self(const struct gate_tree_node *node) {
    return node->is_self;
}

static bool tree_is_marked(const struct gate_tree_node *node) {
    return node->mark != GATE_TREE_UNMARKED;
}

/* Numbers of the nodes that something is true of: mostly few. */
static void tree_nodes(struct gate_json *json, const char *key, const struct gate_tree *tree,
                       bool (*is_in)(const struct gate_tree_node *node)) {
    gate_json_key(json, key);
    gate_json_open(json, '[');
    for (uint32_t i = 0; i < tree->count; i++)
        if (is_in(&tree->nodes[i]))
            gate_json_integer(json, i);
    gate_json_close(json, ']');
}

/* Of the marked ones: enum gate_layout_change_kind. */
static void tree_marks(struct gate_json *json, const struct gate_tree *tree) {
    gate_json_key(json, "marks");
    gate_json_open(json, '[');
    for (uint32_t i = 0; i < tree->count; i++)
        if (tree_is_marked(&tree->nodes[i]))
            gate_json_integer(json, GATE_LAYOUT_UNDECIDED + tree->nodes[i].mark - GATE_TREE_UNDECIDED);
    gate_json_close(json, ']');
}

void gate_page_tree(struct gate_json *json, const struct gate_tree *tree, const uint32_t *rows, int64_t scale) {
    struct gate_json_column column;
    gate_json_open(json, '{');
    gate_json_key(json, "part"); /* what its boxes of own cost are called */
    gate_json_text(json, gate_layout_part_name(tree));
    tree_depths(json, tree);
    gate_json_column_begin(&column, json, "frame", 0);
    for (uint32_t i = 0; i < tree->count; i++)
        gate_json_column_add(&column, i == 0 ? -1 : (int64_t)rows[tree->nodes[i].frame]);
    gate_json_column_end(&column);
    tree_sides(json, tree, scale);
    gate_json_column_begin(&column, json, "z", 2);
    for (uint32_t i = 0; i < tree->count; i++)
        gate_json_column_round(&column, tree->nodes[i].z);
    gate_json_column_end(&column);
    tree_nodes(json, "significant", tree, tree_is_significant);
    tree_nodes(json, "self", tree, tree_is_self);
    tree_nodes(json, "marked", tree, tree_is_marked);
    tree_marks(json, tree);
    gate_json_close(json, '}');
}
