/* SPDX-License-Identifier: Apache-2.0 */
/* A call tree without library frames: what they cost shows in the caller of one's own that it is charged to.
 * Pipeline: compare/tree.h -> report/charged_view.h -> report/trees.h */
#ifndef GATE_REPORT_CHARGED_VIEW_H
#define GATE_REPORT_CHARGED_VIEW_H

#include "gate/compare/tree.h"

/**
 * Fold `tree`, which is by caller, into the frames of the program's own: a frame that is not goes into the nearest one
 * above it, or into its stack's root. Beneath a root without any own code all frames stay. A node's self is then what
 * is charged to it there. Nodes are not judged.
 *
 * err   GATE_ERR_LIMIT the arena is full
 *
 * O(nodes log nodes).
 */
GATE_MUST_CHECK
bool gate_charged_view_fold(struct gate_tree *out, const struct gate_tree *tree, const struct gate_pair *pair,
                            struct gate_arena *arena, struct gate_error *err);

#endif
