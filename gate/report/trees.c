/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/report/trees.h"

#include "gate/budget/verdict.h"
#include "gate/compare/tree.h"
#include "gate/compare/tree_judge.h"

#include <math.h>
#include <stdlib.h>

/* ---- self boxes -------------------------------------------------------------------------------------------------- */

/* The new tree, in depth-first order. `place`: new index of an old node. `last`: last child of a new node so far. */
struct self_boxes {
    const struct gate_tree *tree;
    struct gate_tree_node *nodes;
    uint32_t *place, *last;
    uint32_t count;
};

static bool is_enough(const struct gate_tree *tree, const struct gate_tree_node *node, double min_share) {
    const int64_t *self = node->self, *all = tree->nodes[0].total;
    if (memcmp(self, node->total, sizeof node->self) == 0 || node->frame == GATE_NO_INDEX)
        return false;
    for (int side = 0; side < GATE_SIDES; side++)
        if (self[side] > 0 && gate_share(self[side], all[side]) >= min_share)
            return true;
    return false;
}

static uint32_t append(struct self_boxes *b, struct gate_tree_node node, uint32_t parent) {
    uint32_t at = b->count++;
    node.parent = parent;
    node.first_child = node.next_sibling = GATE_NO_INDEX;
    b->nodes[at] = node;
    b->last[at] = GATE_NO_INDEX;
    if (parent == GATE_NO_INDEX)
        return at;
    if (b->last[parent] == GATE_NO_INDEX)
        b->nodes[parent].first_child = at;
    else
        b->nodes[b->last[parent]].next_sibling = at;
    b->last[parent] = at;
    return at;
}

/* Append the self box of `from`, which follows all its callees. */
static void append_self(struct self_boxes *b, uint32_t from, double min_share) {
    const struct gate_tree_node *node = &b->tree->nodes[from];
    if (!is_enough(b->tree, node, min_share))
        return;
    struct gate_tree_node self = {.frame = node->frame, .is_self = true};
    memcpy(self.total, node->self, sizeof self.total);
    (void)append(b, self, b->place[from]);
}

bool gate_self_boxes_add(struct gate_tree *out, const struct gate_tree *tree, double min_share,
                         struct gate_arena *arena, struct gate_error *err) {
    const struct gate_tree_node *nodes = tree->nodes;
    struct self_boxes b = {.tree = tree};
    struct gate_tree made = *tree;
    size_t count = tree->count;
    for (uint32_t i = 0; i < tree->count; i++)
        count += is_enough(tree, &nodes[i], min_share);
    b.nodes = gate_arena_alloc(arena, count * sizeof *b.nodes);
    b.place = gate_arena_alloc(arena, tree->count * sizeof *b.place);
    b.last = gate_arena_alloc(arena, count * sizeof *b.last);
    if (b.nodes == NULL || b.place == NULL || b.last == NULL)
        return gate_arena_error(arena, err);
    for (uint32_t i = 0; i < tree->count; i++) {
        b.place[i] = append(&b, nodes[i], i == 0 ? GATE_NO_INDEX : b.place[nodes[i].parent]);
        for (uint32_t at = i; nodes[i].first_child == GATE_NO_INDEX; at = nodes[at].parent) {
            append_self(&b, at, min_share);
            if (at == 0 || nodes[at].next_sibling != GATE_NO_INDEX)
                break;
        }
    }
    GATE_ASSERT(b.count == count);
    made.depth += 1; /* at most */
    made.nodes = b.nodes;
    made.count = b.count;
    *out = made;
    return true;
}

/* ---- trees without library frames -------------------------------------------------------------------------------- */

/* Parents come before their children in a tree. */

/* State of one fold. Folded nodes are first in the order of their creation, then in depth-first order. */
struct fold {
    const struct gate_tree *tree;
    const struct gate_pair *pair;
    uint8_t *keeps;               /* per node of the tree: it keeps its box */
    uint32_t *to;                 /* per node of the tree: the folded node that contains it */
    struct gate_tree_node *nodes; /* folded nodes in the order of their creation */
    uint32_t count;
    uint32_t *slots; /* hash table of folded nodes by parent and frame; GATE_NO_INDEX: free */
    size_t slot_count;
};

/* A folded node, to be sorted among its siblings. */
struct place {
    uint32_t parent, node;
    struct gate_str name;
};

static int place_compare(const void *left, const void *right) {
    const struct place *a = left, *b = right;
    if (a->parent != b->parent)
        return a->parent < b->parent ? -1 : 1;
    int names = gate_str_compare(a->name, b->name);
    return names != 0 ? names : a->node < b->node ? -1 : a->node > b->node;
}

static bool is_own(const struct fold *fold, uint32_t node) {
    return fold->pair->frames[fold->tree->nodes[node].frame].is_own;
}

/* Set `keeps`. The first pass sets `to` if a node or any node below it is own code. The second pass copies the value of
 * each root to all nodes below it. */
static void find_keepers(struct fold *fold) {
    const struct gate_tree_node *nodes = fold->tree->nodes;
    for (uint32_t i = fold->tree->count; i-- > 1;) {
        fold->to[i] = fold->to[i] || is_own(fold, i);
        fold->to[nodes[i].parent] = fold->to[nodes[i].parent] || fold->to[i];
    }
    for (uint32_t i = 1; i < fold->tree->count; i++) {
        if (nodes[i].parent != 0)
            fold->to[i] = fold->to[nodes[i].parent];
        fold->keeps[i] = !nodes[i].is_self && (nodes[i].parent == 0 || !fold->to[i] || is_own(fold, i));
    }
}

/* Return the folded node of `frame` below `parent`; make it if there is none. */
static uint32_t child_of(struct fold *fold, uint32_t parent, uint32_t frame) {
    size_t mask = fold->slot_count - 1;
    size_t slot = (size_t)gate_hash_mix((uint64_t)parent << 32 | frame) & mask;
    for (; fold->slots[slot] != GATE_NO_INDEX; slot = (slot + 1) & mask)
        if (fold->nodes[fold->slots[slot]].parent == parent && fold->nodes[fold->slots[slot]].frame == frame)
            return fold->slots[slot];
    fold->slots[slot] = fold->count;
    fold->nodes[fold->count] = (struct gate_tree_node){
        .frame = frame, .parent = parent, .first_child = GATE_NO_INDEX, .next_sibling = GATE_NO_INDEX};
    return fold->count++;
}

static void fold_nodes(struct fold *fold) {
    const struct gate_tree_node *nodes = fold->tree->nodes;
    fold->nodes[0] = nodes[0];
    fold->nodes[0].first_child = GATE_NO_INDEX;
    fold->count = 1;
    fold->to[0] = 0;
    for (uint32_t i = 1; i < fold->tree->count; i++) {
        uint32_t into = fold->to[nodes[i].parent];
        if (fold->keeps[i])
            into = child_of(fold, into, nodes[i].frame);
        fold->to[i] = into;
        for (int side = 0; side < GATE_SIDES; side++) {
            fold->nodes[into].self[side] += nodes[i].self[side];
            fold->nodes[into].total[side] += fold->keeps[i] ? nodes[i].total[side] : 0;
        }
    }
}

/* Link each node after its last sibling so far. Return false, without links, if siblings are not sorted by name. They
 * usually are, as in the tree. */
static bool link_as_met(struct fold *fold, uint32_t *last) {
    const struct gate_frame *frames = fold->pair->frames;
    struct gate_tree_node *nodes = fold->nodes;
    bool is_ordered = true;
    last[0] = GATE_NO_INDEX;
    for (uint32_t i = 1; i < fold->count && is_ordered; i++) {
        uint32_t parent = nodes[i].parent, elder = last[parent];
        last[i] = GATE_NO_INDEX;
        last[parent] = i;
        if (elder == GATE_NO_INDEX)
            nodes[parent].first_child = i;
        else
            nodes[elder].next_sibling = i;
        is_ordered = elder == GATE_NO_INDEX ||
                     gate_str_compare(frames[nodes[elder].frame].name, frames[nodes[i].frame].name) <= 0;
    }
    for (uint32_t i = 0; i < fold->count && !is_ordered; i++)
        nodes[i].first_child = nodes[i].next_sibling = GATE_NO_INDEX;
    return is_ordered;
}

static bool link_children(struct fold *fold, struct gate_arena *arena) {
    uint32_t *last = gate_arena_alloc(arena, fold->count * sizeof *last);
    if (last == NULL)
        return false;
    if (link_as_met(fold, last))
        return true;
    struct place *places = gate_arena_alloc(arena, fold->count * sizeof *places);
    if (places == NULL)
        return false;
    for (uint32_t i = 1; i < fold->count; i++)
        places[i - 1] = (struct place){fold->nodes[i].parent, i, fold->pair->frames[fold->nodes[i].frame].name};
    qsort(places, fold->count - 1, sizeof *places, place_compare);
    for (uint32_t i = fold->count - 1; i > 0; i--) {
        struct gate_tree_node *parent = &fold->nodes[places[i - 1].parent];
        fold->nodes[places[i - 1].node].next_sibling = parent->first_child;
        parent->first_child = places[i - 1].node;
    }
    return true;
}

/* Number the nodes in depth-first order, and copy them to their places. */
static bool lay_out(struct gate_tree *out, const struct fold *fold, struct gate_arena *arena) {
    uint32_t *place = gate_arena_alloc(arena, fold->count * sizeof *place);
    out->nodes = gate_arena_alloc(arena, fold->count * sizeof *out->nodes);
    if (place == NULL || out->nodes == NULL)
        return false;
    uint32_t depth = 0;
    for (uint32_t at = 0; at != GATE_NO_INDEX;) {
        place[at] = out->count++;
        if (fold->nodes[at].first_child != GATE_NO_INDEX) {
            at = fold->nodes[at].first_child;
            out->depth = ++depth > out->depth ? depth : out->depth;
            continue;
        }
        for (; at != 0 && fold->nodes[at].next_sibling == GATE_NO_INDEX; depth--)
            at = fold->nodes[at].parent;
        at = at == 0 ? GATE_NO_INDEX : fold->nodes[at].next_sibling;
    }
    for (uint32_t i = 0; i < fold->count; i++) {
        struct gate_tree_node node = fold->nodes[i];
        uint32_t *links[] = {&node.parent, &node.first_child, &node.next_sibling};
        for (size_t l = 0; l < sizeof links / sizeof *links; l++)
            if (*links[l] != GATE_NO_INDEX)
                *links[l] = place[*links[l]];
        out->nodes[place[i]] = node;
    }
    return true;
}

bool gate_charged_view_fold(struct gate_tree *out, const struct gate_tree *tree, const struct gate_pair *pair,
                            struct gate_arena *arena, struct gate_error *err) {
    struct fold fold = {.tree = tree, .pair = pair, .slot_count = 2};
    struct gate_tree folded = {.pruned = {tree->pruned[GATE_BASELINE], tree->pruned[GATE_CANARY]}, .is_charged = true};
    while (fold.slot_count < 2 * (size_t)tree->count)
        fold.slot_count *= 2;
    fold.keeps = GATE_NEW_ARRAY(arena, uint8_t, tree->count);
    fold.to = GATE_NEW_ARRAY(arena, uint32_t, tree->count);
    fold.nodes = gate_arena_alloc(
        arena,
        tree->count * sizeof *fold.nodes); /* usually few nodes are used, and the rest of this memory is not touched */
    fold.slots = gate_arena_alloc(arena, fold.slot_count * sizeof *fold.slots);
    if (fold.keeps == NULL || fold.to == NULL || fold.nodes == NULL || fold.slots == NULL)
        return gate_arena_error(arena, err);
    for (size_t i = 0; i < fold.slot_count; i++)
        fold.slots[i] = GATE_NO_INDEX;
    find_keepers(&fold);
    fold_nodes(&fold);
    if (!link_children(&fold, arena) || !lay_out(&folded, &fold, arena))
        return gate_arena_error(arena, err);
    *out = folded;
    return true;
}

/* ---- boxes of causes --------------------------------------------------------------------------------------------- */

/* Return how well the callers of `node` match the cause's path above `at`. Each match adds to the result, less the
 * number of steps that it skips. */
static uint32_t box_fit(const struct gate_tree *tree, uint32_t node, const struct gate_cause *cause, uint32_t at) {
    uint32_t fit = GATE_CHARGE_PATH_MAX;
    for (uint32_t above = tree->nodes[node].parent; above != 0 && at > 0; above = tree->nodes[above].parent) {
        uint32_t step = at;
        while (step > 0 && cause->path[step - 1] != tree->nodes[above].frame)
            step--;
        if (step == 0)
            break;
        fit += GATE_CHARGE_PATH_MAX - (at - step);
        at = step - 1;
    }
    return fit;
}

static double box_change(const struct gate_tree *tree, uint32_t node) {
    const int64_t *total = tree->nodes[node].total, *all = tree->nodes[0].total;
    return fabs(gate_share(total[GATE_CANARY], all[GATE_CANARY]) -
                gate_share(total[GATE_BASELINE], all[GATE_BASELINE]));
}

/* Return the change of the box below `node` for the step of the cause's path after `own`, because the cause's function
 * can shrink although that step grew. Returns the change of `node` if the path ends there. */
static double box_change_below(const struct gate_tree *tree, uint32_t node, const struct gate_cause *cause,
                               uint32_t own) {
    if (own + 1 >= cause->path_count)
        return box_change(tree, node);
    for (uint32_t child = tree->nodes[node].first_child; child != GATE_NO_INDEX;
         child = tree->nodes[child].next_sibling)
        if (tree->nodes[child].frame == cause->path[own + 1] && !tree->nodes[child].is_self)
            return box_change(tree, child);
    return 0.0;
}

/* Return whether box `a` changed more than box `b`, by box_change_below or, if that is equal, as a whole. */
static bool box_changed_more(const struct gate_tree *tree, uint32_t a, uint32_t b, const struct gate_cause *cause,
                             uint32_t own) {
    double one = box_change_below(tree, a, cause, own), other = box_change_below(tree, b, cause, own);
    return one != other ? one > other : box_change(tree, a) > box_change(tree, b);
}

uint32_t gate_cause_box_find(const struct gate_tree *tree, const struct gate_cause *cause) {
    uint32_t best = GATE_NO_INDEX, best_fit = 0, own = 0;
    for (uint32_t i = 0; i < cause->path_count; i++)
        if (cause->path[i] == cause->frame)
            own = i;
    for (uint32_t i = 1; i < tree->count && cause->frame != GATE_NO_INDEX; i++) {
        if (tree->nodes[i].frame != cause->frame || tree->nodes[i].is_self)
            continue;
        uint32_t fit = box_fit(tree, i, cause, own);
        if (best != GATE_NO_INDEX &&
            (fit < best_fit || (fit == best_fit && !box_changed_more(tree, i, best, cause, own))))
            continue;
        best = i;
        best_fit = fit;
    }
    return best;
}

/** Return whether a cause is growth over a limit, whose box must not be grey. */
static bool cause_box_is_broken(const struct gate_cause *cause) {
    return cause->frame != GATE_NO_INDEX && cause->measure == GATE_MEASURE_CHARGED && cause->evidence.delta > 0.0 &&
           (cause->outcome == GATE_OUTCOME_FAIL ||
            (cause->outcome == GATE_OUTCOME_WARN && cause->reason == GATE_REASON_SEVERITY_WARN));
}

/* Return the node with the self cost of `at`: its self box, or `at` if it has no callees. GATE_NO_INDEX: its self cost
 * is too small for a box. */
static uint32_t self_of(const struct gate_tree *tree, uint32_t at) {
    const struct gate_tree_node *nodes = tree->nodes;
    for (uint32_t child = nodes[at].first_child; child != GATE_NO_INDEX; child = nodes[child].next_sibling)
        if (nodes[child].is_self)
            return child;
    return nodes[at].first_child == GATE_NO_INDEX ? at : GATE_NO_INDEX;
}

uint32_t gate_cause_box_show(const struct gate_tree *tree, const struct gate_cause *cause) {
    uint32_t node = gate_cause_box_find(tree, cause);
    uint32_t self = node == GATE_NO_INDEX ? GATE_NO_INDEX : self_of(tree, node);
    bool is_larger = self != GATE_NO_INDEX && box_change(tree, self) > box_change(tree, node) &&
                     (tree->nodes[self].is_significant || tree->nodes[self].mark > tree->nodes[node].mark);
    return is_larger ? self : node;
}

/* Return whether the cost of a node is part of this measure of its frame. In a tree by callee, only the self costs at
 * the root are. */
static bool is_part_of(const struct gate_tree *tree, uint32_t at, enum gate_measure measure) {
    const struct gate_tree_node *node = &tree->nodes[at];
    if (tree->inverted)
        return measure == GATE_SELF && node->parent == 0;
    if (measure == GATE_CUMULATIVE)
        return !node->is_self;
    return measure == (tree->is_charged ? GATE_CHARGED : GATE_SELF) && self_of(tree, at) == at;
}

/* Return for each frame the box that changed most, of those that are part of `measure`; GATE_NO_INDEX: none. */
static uint32_t *find_boxes(const struct gate_tree *tree, uint32_t frame_count, enum gate_measure measure,
                            struct gate_arena *arena) {
    uint32_t *best = GATE_NEW_ARRAY(arena, uint32_t, frame_count);
    for (uint32_t i = 0; best != NULL && i < frame_count; i++)
        best[i] = GATE_NO_INDEX;
    for (uint32_t i = 1; best != NULL && i < tree->count; i++) {
        uint32_t *box = &best[tree->nodes[i].frame];
        if (is_part_of(tree, i, measure) && (*box == GATE_NO_INDEX || box_change(tree, i) > box_change(tree, *box)))
            *box = i;
    }
    return best;
}

static enum gate_tree_mark mark_of(enum gate_outcome outcome, enum gate_reason reason) {
    return outcome == GATE_OUTCOME_FAIL           ? GATE_TREE_BROKEN
           : outcome == GATE_OUTCOME_INCONCLUSIVE ? GATE_TREE_UNDECIDED
           : reason == GATE_REASON_SEVERITY_WARN  ? GATE_TREE_WARNED
                                                  : GATE_TREE_UNMARKED;
}

/* Return whether a node's share grew, as measured. */
static bool has_grown(const struct gate_tree *tree, const struct gate_tree_node *node) {
    return gate_share(node->total[GATE_CANARY], tree->nodes[0].total[GATE_CANARY]) >
           gate_share(node->total[GATE_BASELINE], tree->nodes[0].total[GATE_BASELINE]);
}

/* Mark a node. If a budget decided on growth, the node counts as significant: its own test only has the samples of one
 * code path. */
static void mark_node(struct gate_tree *tree, uint32_t at, enum gate_tree_mark mark, bool is_growth) {
    if (at == GATE_NO_INDEX)
        return;
    struct gate_tree_node *node = &tree->nodes[at];
    node->mark = mark > node->mark ? (uint8_t)mark : node->mark;
    if (is_growth && mark >= GATE_TREE_WARNED && has_grown(tree, node))
        node->is_significant = true;
}

/* Boxes of the frames of a tree by measure, computed when first needed. */
struct boxes {
    uint32_t frame_count;
    uint32_t *of[GATE_MEASURES]; /* NULL: not needed so far */
    struct gate_arena *arena;
};

static bool mark_findings(struct gate_tree *tree, const struct gate_budget_result *result, struct boxes *boxes) {
    for (uint32_t i = 0; i < result->finding_count; i++) {
        const struct gate_finding *finding = &result->findings[i];
        enum gate_tree_mark mark = mark_of(finding->outcome, finding->reason);
        if (finding->frame == GATE_NO_INDEX || mark == GATE_TREE_UNMARKED || !gate_cause_includes(finding))
            continue;
        uint32_t **of = &boxes->of[finding->measure];
        if (*of == NULL)
            *of = find_boxes(tree, boxes->frame_count, finding->measure, boxes->arena);
        if (*of == NULL)
            return false;
        mark_node(tree, (*of)[finding->frame], mark, finding->evidence.delta > 0.0);
    }
    return true;
}

/** Mark the nodes of findings over a limit and of causes; a self budget marks the self box. Nodes that are known to
 * have grown become significant. The tree must be judged. O(nodes * causes + findings). */
static bool cause_box_mark(struct gate_tree *tree, const struct gate_verdict *verdict, uint32_t comparison,
                           struct gate_arena *arena, struct gate_error *err) {
    struct boxes boxes = {.frame_count = verdict->comparisons[comparison].pair.frame_count, .arena = arena};
    for (uint32_t b = 0; b < verdict->budget_count; b++)
        if (verdict->budgets[b].comparison == comparison && !mark_findings(tree, &verdict->budgets[b], &boxes))
            return gate_arena_error(arena, err);
    for (uint32_t i = 0; i < verdict->causes.count && !tree->inverted; i++) {
        const struct gate_cause *cause = gate_cause_in(&verdict->causes.items[i], comparison);
        if (cause != NULL)
            mark_node(tree, gate_cause_box_find(tree, cause), mark_of(cause->outcome, cause->reason),
                      cause_box_is_broken(cause));
    }
    return true;
}

/* ---- trees of a run ---------------------------------------------------------------------------------------------- */

static bool trees_judged(struct gate_tree *tree, const struct gate_verdict *verdict, uint32_t index,
                         struct gate_arena *arena, struct gate_error *err) {
    return gate_tree_judge(tree, &verdict->comparisons[index], arena, err) &&
           cause_box_mark(tree, verdict, index, arena, err);
}

/* Make a plain tree. If the comparison has one from the decision, use it if its minimum share is the same, or prune it
 * if it is smaller. */
static bool trees_bare(struct gate_tree *out, const struct gate_comparison *comparison,
                       const struct gate_tree_options *options, struct gate_arena *arena, struct gate_error *err) {
    const struct gate_pair *pair = &comparison->pair;
    const struct gate_tree *known = options->inverted ? comparison->callees : comparison->tree;
    if (known != NULL && options->min_share == GATE_COMPARISON_TREE_SHARE) {
        *out = *known;
        return true;
    }
    if (known != NULL && options->min_share > GATE_COMPARISON_TREE_SHARE)
        return gate_tree_prune(out, known, pair, options->min_share, arena, err);
    return gate_tree_merge(out, pair, &comparison->deltas, options, arena, err);
}

/* Make the tree without self boxes, not judged. For a tree by owner, fold `by_caller`, which is NULL for others. */
static bool trees_shaped(struct gate_tree *out, const struct gate_tree *by_caller,
                         const struct gate_comparison *comparison, const struct gate_tree_options *options,
                         struct gate_arena *arena, struct gate_error *err) {
    return by_caller != NULL ? gate_charged_view_fold(out, by_caller, &comparison->pair, arena, err)
                             : trees_bare(out, comparison, options, arena, err);
}

/* Make the tree with self boxes, not judged. A tree by callee needs none, because its self costs are at the root. For
 * others, the memory of the tree without self boxes is freed. */
static bool trees_merged(struct gate_tree *tree, const struct gate_tree *by_caller,
                         const struct gate_comparison *comparison, const struct gate_tree_options *options,
                         struct gate_arena *arena, struct gate_error *err) {
    struct gate_arena scratch;
    struct gate_tree bare = {0};
    if (options->inverted)
        return trees_shaped(tree, by_caller, comparison, options, arena, err);
    gate_arena_fork(&scratch, arena);
    bool ok = trees_shaped(&bare, by_caller, comparison, options, &scratch, err) &&
              gate_self_boxes_add(tree, &bare, options->min_share, arena, err);
    gate_arena_free(&scratch);
    return ok;
}

bool gate_trees_get(const struct gate_tree **out, struct gate_trees *trees, const struct gate_verdict *verdict,
                    uint32_t comparison, enum gate_trees_view view, double min_share, struct gate_arena *arena,
                    struct gate_error *err) {
    GATE_ASSERT(comparison < verdict->comparison_count);
    struct gate_trees alone = {0};
    const struct gate_tree *by_caller = NULL;
    const struct gate_tree_options options = {.min_share = min_share, .inverted = view == GATE_BY_CALLEE};
    if (trees == NULL)
        trees = &alone;
    if (trees->made == NULL)
        trees->made = GATE_NEW_ARRAY(arena, struct gate_tree *, (size_t)verdict->comparison_count * GATE_VIEWS);
    if (trees->made == NULL)
        return gate_arena_error(arena, err);
    struct gate_tree **slot = &trees->made[(size_t)comparison * GATE_VIEWS + view];
    if (*slot == NULL) {
        struct gate_tree *tree = GATE_NEW_ARRAY(arena, struct gate_tree, 1);
        if (tree == NULL)
            return gate_arena_error(arena, err);
        if (view == GATE_BY_OWNER &&
            !gate_trees_get(&by_caller, trees, verdict, comparison, GATE_BY_CALLER, min_share, arena, err))
            return false;
        if (!trees_merged(tree, by_caller, &verdict->comparisons[comparison], &options, arena, err) ||
            !trees_judged(tree, verdict, comparison, arena, err))
            return false;
        *slot = tree;
    }
    *out = *slot;
    return true;
}

bool gate_trees_whole(struct gate_tree *out, const struct gate_comparison *comparison, struct gate_arena *arena,
                      struct gate_error *err) {
    struct gate_tree_options options = {.min_share = 0};
    return gate_tree_merge(out, &comparison->pair, &comparison->deltas, &options, arena, err);
}

uint32_t gate_trees_path_next(const struct gate_tree *tree, uint32_t node, uint32_t *path, uint32_t depth) {
    if (node == 0)
        return 0;
    while (depth > 0 && path[depth - 1] != tree->nodes[node].parent)
        depth--;
    path[depth] = node;
    return depth + 1;
}
