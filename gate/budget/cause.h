/* SPDX-License-Identifier: Apache-2.0 */
/* Causes: findings grouped by the growth that explains them, with exemplars. */
#ifndef GATE_BUDGET_CAUSE_H
#define GATE_BUDGET_CAUSE_H

#include "gate/base/buf.h"
#include "gate/budget/finding.h"
#include "gate/budget/replaced.h"
#include "gate/compare/comparison.h"
#include "gate/compare/tree.h"

/* Several findings can show the same growth in different frames, measures or budgets. A cause reports it once. */

/** A finding and the result of its budget. */
struct gate_cause_finding {
    const struct gate_budget_result *result;
    const struct gate_finding *finding;
};

enum { GATE_EXEMPLARS_MAX = 3 };

/** A trace or span of a sample with the cause's frame; not escaped. */
struct gate_exemplar {
    struct gate_str trace, span; /* either may be empty */
    int64_t time_ns;             /* since the epoch; 0: unknown */
    int64_t value;               /* value of the sample */
};

/** Of one side, newest first. */
struct gate_exemplars {
    struct gate_exemplar items[GATE_EXEMPLARS_MAX];
    uint32_t count;
};

/**
 * The frame whose growth explains a set of findings, own code where possible.
 *
 * frame     index in the comparison's pair; GATE_NO_INDEX for a group or the total, which only explain themselves
 * findings  worst first; the first determines outcome and reason
 */
struct gate_cause {
    uint32_t comparison;
    uint32_t frame;
    struct gate_str function;
    bool is_own;                  /* false: runtime or library code without own code above it */
    bool has_total;               /* includes growth of the total that no function explains */
    double collector[GATE_SIDES]; /* shares of Go's collector, if it grew and `has_total` is set; else 0 */
    enum gate_outcome outcome;
    enum gate_reason reason;
    struct gate_evidence evidence;    /* charged to `frame`; of the finding if there is no frame or no growth */
    enum gate_budget_measure measure; /* measure of `evidence` */
    double cost_ratio;                /* canary / baseline per unit of work; NAN: unknown, INFINITY: new */
    double explains; /* fraction of all growth per unit of work; above 1 if its callers became cheaper; NAN: unknown */
    double on_cpu;   /* growth of CPU time / growth of wall time, 0 to 1; NAN: unknown */
    double on_cpu_bounds[2]; /* 95% confidence interval of on_cpu */
    uint32_t new_frame;      /* a function of the canary alone that has most of the growth; if `frame` is the sum of all
                                such functions, the largest of them; or GATE_NO_INDEX */
    uint32_t library;        /* native programs: frame of a system library that most of the growth ends in,
                              * called by `frame`; or GATE_NO_INDEX */
    uint32_t callee;         /* if there is such a library: the only own function called by `frame` whose self
                              * cost grew, which may have called the library; or GATE_NO_INDEX */
    uint32_t *path;          /* frames from the entry point to the grown leaf, including `frame` */
    uint32_t path_count;
    struct gate_cause_finding *findings;
    uint32_t finding_count;
    size_t finding_capacity;
    struct gate_exemplars exemplars[GATE_SIDES];
    struct gate_cause *others; /* with --by: the cause in further values of the label or in all samples, if `function`
                                  is the same; their findings are also at the end of `findings` */
    uint32_t other_count;
    size_t other_capacity;
};

struct gate_cause_list {
    struct gate_cause *items;
    uint32_t count;
};

/** Return the function that only the canary has and whose charged cost is highest; GATE_NO_INDEX: none. O(frames). */
uint32_t gate_cause_largest_new(const struct gate_comparison *comparison);

/** Return whether a finding belongs to a cause: it is over a limit, decided or not. */
bool gate_cause_includes(const struct gate_finding *finding);

/** Return whether a finding of the cause belongs to `result` and has this outcome. */
bool gate_cause_is_of(const struct gate_cause *cause, const struct gate_budget_result *result,
                      enum gate_outcome outcome);

/** Return whether the worst finding of the cause is growth of the total that no function explains. The advice is then
 * about settings and machines, not about the cause's function. */
bool gate_cause_is_decided_by_total(const struct gate_cause *cause);

/** Return the evidence on the total if the cause is that the total grew; else NULL. `frame` is then the function that
 * grew most. The finding is on the total itself, or on growth that no own function explains. */
const struct gate_evidence *gate_cause_grown_total(const struct gate_cause *cause);

/** Return whether a finding of a cause is in the cause's comparison. With --by, others can be, too. */
static inline bool gate_cause_has_here(const struct gate_cause *cause, const struct gate_cause_finding *finding) {
    return finding->result->comparison == cause->comparison;
}

/** Return the cause, or the one of its `others` that is in `comparison`; NULL if none is. O(others). */
const struct gate_cause *gate_cause_in(const struct gate_cause *cause, uint32_t comparison);

/** Return whether a cause is growth of share only, not of cost: every finding has GATE_REASON_OTHERS_SHRANK. Such
 * causes come last. */
bool gate_cause_is_share_only(const struct gate_cause *cause);

enum { GATE_CAUSE_STEPS_MAX = 8 };

/**
 * Select the frames of the cause's path that are worth a line: the entry point, the last callers, the cause's frame,
 * and its callees down to the leaf. A frame that calls itself is one step. `out` has room for GATE_CAUSE_STEPS_MAX;
 * GATE_NO_INDEX marks omitted frames. Returns their number.
 */
uint32_t gate_cause_steps(uint32_t *out, const struct gate_cause *cause);

/**
 * Group the findings of all budgets that are broken, or over a limit and undecided.
 *
 * A finding on a frame belongs to the own-code frame that most of its growth is charged to. If that frame's charged
 * cost grew by less than half as much, the finding gets a cause of its own. A finding on a path then belongs instead to
 * a new function that has most of its growth, or to a path within it that has. A finding on the total or a group
 * belongs to the largest cause of its comparison, if there is one. With --by, a function that grew in several values of
 * the label, or also in all samples, is one cause. Failing causes come first, then undecided ones, then
 * warnings; within these own code first, then larger growth.
 *
 * trees  per comparison its call tree at GATE_SECOND_LOOK_MIN_SHARE, or NULL; the array may be NULL
 *
 * O(stack slots + findings * nodes * depth of the tree); no stacks are walked if nothing is broken.
 */
GATE_MUST_CHECK
bool gate_cause_find(struct gate_cause_list *out, const struct gate_tree *const *trees,
                     const struct gate_budget_result *results, uint32_t result_count,
                     const struct gate_comparison *comparisons, uint32_t comparison_count, struct gate_arena *arena,
                     struct gate_error *err);

/**
 * Set `new_frame` of the causes whose functions replaced others. A new function is compared with the one that is gone
 * and has its name by gate_replaced_renames. The others are compared in the order of their costs. Named is the function
 * with the largest excess, if that is most of the cause's growth. O(names^4).
 *
 * replaced  those of all comparisons (gate_replaced_find)
 */
GATE_MUST_CHECK
bool gate_cause_name_new(struct gate_cause_list *causes, const struct gate_replaced_list *replaced,
                         const struct gate_comparison *comparisons, struct gate_arena *arena, struct gate_error *err);

#endif
