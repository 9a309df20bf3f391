/* SPDX-License-Identifier: Apache-2.0 */
/* Judged call trees, made once a run however many reports draw them: walking all stacks is what a picture costs.
 * Pipeline: compare/tree.h + compare/evidence.h -> report/trees.h -> the reports that draw */
#ifndef GATE_REPORT_TREES_H
#define GATE_REPORT_TREES_H

#include "gate/budget/verdict.h"
#include "gate/compare/tree.h"

/** By caller: root first. By callee: leaves first. By owner: by caller, libraries folded into their callers. */
enum gate_trees_view { GATE_BY_CALLER, GATE_BY_CALLEE, GATE_BY_OWNER, GATE_VIEWS };

/**
 * What has been made so far. Zero-initialise one a run and point the options of every report at it; all of them then
 * have to use arenas that live as long, and the same minimum share.
 */
struct gate_trees {
    struct gate_tree **made; /* [comparison * GATE_VIEWS + view], NULL: not made yet */
};

/**
 * The tree of one comparison, merged and judged; from `trees` when it is there. `trees` may be NULL.
 *
 * err   GATE_ERR_LIMIT the arena is full
 *
 * O(stack slots) the first time, then O(1).
 */
GATE_MUST_CHECK
bool gate_trees_get(const struct gate_tree **out, struct gate_trees *trees, const struct gate_verdict *verdict,
                    uint32_t comparison, enum gate_trees_view view, double min_share, struct gate_arena *arena,
                    struct gate_error *err);

/** Room for all views of every comparison, for gate_trees_fill. `trees` is empty. err: GATE_ERR_LIMIT. */
GATE_MUST_CHECK
bool gate_trees_begin(struct gate_trees *trees, const struct gate_verdict *verdict, struct gate_arena *arena,
                      struct gate_error *err);

/**
 * Make some views of every comparison now, for a run that will draw them anyway: by caller and by owner, or
 * (`inverted`) by callee. Two threads may each make some, in arenas of their own that live as long as `trees`.
 *
 * err   GATE_ERR_LIMIT the arena is full
 */
GATE_MUST_CHECK
bool gate_trees_fill(struct gate_trees *trees, const struct gate_verdict *verdict, bool inverted, double min_share,
                     struct gate_arena *arena, struct gate_error *err);

/** Every stack of a comparison as one tree by caller: nothing pruned, nothing judged. err: GATE_ERR_LIMIT. */
GATE_MUST_CHECK
bool gate_trees_whole(struct gate_tree *out, const struct gate_comparison *comparison, struct gate_arena *arena,
                      struct gate_error *err);

/** Nodes from the root's child down to `node`, into `path`, which has room for the tree's depth; returns how many. */
uint32_t gate_trees_path(const struct gate_tree *tree, uint32_t node, uint32_t *path);

#endif
