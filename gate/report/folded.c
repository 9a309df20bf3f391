/* SPDX-License-Identifier: Apache-2.0 */
/* Differential folded stacks. */
#include "gate/base/escape.h"
#include "gate/base/own_mark.h"
#include "gate/report/flame_graph.h"
#include "gate/report/report.h"

#include <inttypes.h>

static void folded_line(struct gate_buf *out, const struct gate_tree *tree, const struct gate_pair *pair,
                        const uint32_t *path, uint32_t depth, const int64_t self[GATE_SIDES]) {
    if (depth == 0)
        gate_buf_text(out, "(no stack)");
    for (uint32_t i = 0; i < depth; i++) {
        struct gate_str name = gate_layout_name(tree, pair, path[i]);
        if (i > 0)
            gate_buf_char(out, ';');
        gate_escape_collapsed(out, name.len == 0 ? GATE_STR("(no name)") : name);
    }
    gate_buf_printf(out, " %" PRId64 " %" PRId64 "\n", self[GATE_BASELINE], self[GATE_CANARY]);
}

static bool report_folded(struct gate_buf *out, const struct gate_verdict *verdict,
                          const struct gate_report_options *options, struct gate_arena *arena, struct gate_error *err) {
    (void)options;
    const struct gate_comparison *comparison = &verdict->comparisons[0];
    struct gate_tree tree;
    if (!gate_trees_whole(&tree, comparison, arena, err))
        return false;
    uint32_t *path = GATE_NEW_ARRAY(arena, uint32_t, tree.depth);
    if (path == NULL)
        return gate_arena_error(arena, err);
    gate_buf_text(out, GATE_OWN_MARK_FOLDED);
    uint32_t depth = 0;
    for (uint32_t node = 0; node < tree.count; node++) {
        const int64_t *self = tree.nodes[node].self;
        depth = gate_trees_path_next(&tree, node, path, depth);
        if (self[GATE_BASELINE] == 0 && self[GATE_CANARY] == 0)
            continue;
        folded_line(out, &tree, &comparison->pair, path, depth, self);
        if (out->failed) /* each line is a whole stack: stop at the limit */
            break;
    }
    return gate_buf_check(out, err);
}

const struct gate_report_format gate_report_folded = {
    .name = "folded",
    .is_rare = true,
    .mark = GATE_OWN_FOLDED,
    .help = "collapsed stacks with a baseline and a canary column",
    .write = report_folded,
    .walks_stacks = true,
};
