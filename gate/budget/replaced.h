/* SPDX-License-Identifier: Apache-2.0 */
/* Own functions that only one side has, by the nearest caller that both sides have. */
#ifndef GATE_BUDGET_REPLACED_H
#define GATE_BUDGET_REPLACED_H

#include "gate/compare/comparison.h"
#include "gate/compare/tree.h"

/* ---- owners of nodes --------------------------------------------------------------------------------------------- */

/** The own functions that the nodes of a call tree belong to. */
struct gate_folded {
    uint32_t *owner;   /* per node: the nearest own function that both sides have, or GATE_NO_INDEX */
    uint32_t *charged; /* per node: the nearest own function, or GATE_NO_INDEX */
};

/** Find the own functions that the nodes of a call tree belong to. If the profile has no own code, every frame counts
 * as own. O(frames + nodes). */
GATE_MUST_CHECK
bool gate_folded_make(struct gate_folded *out, const struct gate_comparison *comparison, const struct gate_tree *tree,
                      struct gate_arena *arena, struct gate_error *err);

/** Return the cost of a node without its children, in the unit of the sample type. O(children). */
double gate_tree_own_cost(const struct gate_tree *tree, uint32_t node, int side);

/* ---- replaced names ---------------------------------------------------------------------------------------------- */

/* Frames are matched by name. A function that was renamed, split or rewritten is gone on one side and new on the
 * other. */

/** A function is listed as gone or new if its cumulative share is at least GATE_REPLACED_MIN_SHARE. At that share, at
 * least GATE_REPLACED_MIN_EVENTS events must be expected on the side that lacks it. Functions with fewer appear and
 * vanish by chance. */
#define GATE_REPLACED_MIN_SHARE 0.005
#define GATE_REPLACED_MIN_EVENTS 20.0

/** Maximum numbers of names, and of callers or changes. Longer lists are useless to a reader. */
enum { GATE_REPLACED_NAMES_MOST = 256, GATE_REPLACED_GROUPS_MOST = 8 };

struct gate_replaced_name {
    uint32_t frame;
    double share; /* charged to it beneath the caller, of the side that has it */
};

/** Functions that are gone, and those that are new, beneath one caller. */
struct gate_replaced {
    uint32_t comparison;              /* index in the verdict */
    uint32_t caller;                  /* nearest own function that both sides have, or GATE_NO_INDEX */
    struct gate_replaced_name *names; /* those that are gone, then those that are new; each list by falling share */
    uint32_t gone_count, new_count;
    double share[GATE_SIDES]; /* cost of the gone functions before and of the new ones after, with their callees */
};

struct gate_replaced_list {
    struct gate_replaced *items; /* arena memory; by falling share of the canary */
    uint32_t count;
};

/** Return whether a significant own frame is on the baseline only and another on the canary only. O(frames). */
bool gate_replaced_is_wanted(const struct gate_comparison *comparison);

/** Append the replaced names of one comparison. Listed are own functions on one side only, with at least 0.5%
 * cumulative cost and 20 expected events on either side. A caller has to have lost one and gained one. O(frames + nodes
 * * listed functions). */
GATE_MUST_CHECK
bool gate_replaced_find(struct gate_replaced_list *list, const struct gate_comparison *comparison, uint32_t index,
                        const struct gate_tree *tree, struct gate_arena *arena, struct gate_error *err);

/** Renames that give functions of both sides the same name. No name is in both lists, and each is in `from` at most
 * once. */
struct gate_renames {
    struct gate_str *from, *to; /* arena memory */
    uint32_t count;
};

/**
 * Find the renames for `frames.rename`. A new function is paired with, in this order,
 *
 * 1. the gone function with the same last part ("Cart.total", "Basket.total"),
 * 2. the gone function of the same rank by lines in its file, if each file has as many gone as new functions,
 * 3. the only gone function with a word in common ("auditCart", "checkCart"), if neither costs over 4 times the other.
 *
 * If one function of a side is left then, the remaining ones of its caller get its name, unless they are of several
 * third-party packages. All others get no rename: ranks by cost do not show which functions belong together, because
 * one that grew has another rank. A function can be in several groups, as it can have several callers; the first
 * decision about its name holds for all. Groups of one gone and one new function come first. Returns false if the arena
 * is full. O(names^4).
 */
GATE_MUST_CHECK
bool gate_replaced_renames(struct gate_renames *out, const struct gate_replaced_list *list,
                           const struct gate_comparison *comparisons, struct gate_arena *arena);

/** Return the name that a name is renamed to, or the name itself. O(renames). */
struct gate_str gate_renamed(const struct gate_renames *renames, struct gate_str name);

/**
 * Return the warning about a group, one sentence, with what to do about it if `has_advice`. `.ptr` NULL: the arena is
 * full.
 */
struct gate_str gate_replaced_sentence(const struct gate_replaced *replaced, const struct gate_comparison *comparison,
                                       bool has_advice, struct gate_arena *arena);

/**
 * Return the warning that lists own functions which only the canary has and which replaced nothing in their caller.
 * Each has a charged share of at least `least`. Empty if there are none. `list` has the replaced names of all
 * comparisons; `index` is that of this comparison. `.ptr` NULL: the arena is full. O(frames * replaced names).
 */
struct gate_str gate_replaced_new_functions(const struct gate_replaced_list *list,
                                            const struct gate_comparison *comparison, uint32_t index, double least,
                                            struct gate_arena *arena);

/**
 * Compute the share of each side that is charged to own functions which only that side has, and whose caller cannot
 * show its growth. That is a caller with over half of the profile, or none that both sides have. O(frames).
 */
void gate_replaced_hidden(double out[GATE_SIDES], const struct gate_comparison *comparison);

/**
 * Return the warning about files that have another path in the canary; their functions are compared as if they had not
 * moved. Empty if no file moved. `canary` is the word for the canary in the warning. `.ptr` NULL: the arena is full.
 * O(length).
 */
struct gate_str gate_replaced_files(const struct gate_comparison *comparison, const char *canary,
                                    struct gate_arena *arena);

/**
 * Return the warning about library or runtime functions that only one side has. Either their version changed, or own
 * code calls other functions. Empty if there are none. `.ptr` NULL: the arena is full. O(frames).
 */
struct gate_str gate_replaced_versions(const struct gate_comparison *comparison, struct gate_arena *arena);

#endif
