/* SPDX-License-Identifier: Apache-2.0 */
/* One growth, one cause: findings that are the same growth seen from several frames, measures or budgets, told once.
 * Pipeline: budget/finding.h + compare/tree.h -> budget/cause.h -> budget/verdict.h -> report/ */
#ifndef GATE_BUDGET_CAUSE_H
#define GATE_BUDGET_CAUSE_H

#include "gate/budget/finding.h"
#include "gate/compare/comparison.h"
#include "gate/compare/tree.h"

enum { GATE_CAUSE_PATH_MAX = 64 };

/** A finding and the budget that it belongs to. */
struct gate_cause_finding {
    const struct gate_budget_result *result;
    const struct gate_finding *finding;
};

enum { GATE_EXEMPLARS_MAX = 3 };

/** A trace or span that a sample of it was taken in (budget/exemplars.h); not escaped. */
struct gate_exemplar {
    struct gate_str trace, span; /* either may be empty */
    int64_t time_ns;             /* since the epoch; 0: not known */
    int64_t value;               /* of the sample */
};

/** Of one side, newest first. */
struct gate_exemplars {
    struct gate_exemplar items[GATE_EXEMPLARS_MAX];
    uint32_t count;
};

/**
 * The program's own frame whose growth explains a set of findings.
 *
 * frame     of the comparison's pair; GATE_NO_INDEX for a group or the total, which are causes only by themselves
 * findings  worst first; the first decides outcome and reason
 */
struct gate_cause {
    uint32_t comparison;
    uint32_t frame;
    struct gate_str function;
    bool is_own; /* else it is the runtime's or a library's: nothing of one's own stands above it */
    enum gate_outcome outcome;
    enum gate_reason reason;
    struct gate_evidence
        evidence; /* what is charged to it; where nothing grew, or of a group or the total, its finding's */
    enum gate_budget_measure measure; /* that `evidence` is of */
    double cost_ratio;                /* canary / baseline per unit of work; NAN: not known, INFINITY: new */
    double explains;                  /* of all that grew per unit of work, 0 to 1; NAN: not known */
    double on_cpu; /* of what grew in wall time, the part that is CPU time (budget/off_cpu.h), 0 to 1; NAN: not known */
    double on_cpu_bounds[2]; /* its 95 % interval */
    uint32_t *path;          /* frames from the entry point to the grown leaf, `frame` among them */
    uint32_t path_count;
    struct gate_cause_finding *findings;
    uint32_t finding_count;
    size_t finding_capacity;
    struct gate_exemplars exemplars[GATE_SIDES];
};

struct gate_cause_list {
    struct gate_cause *items;
    uint32_t count;
};

/** Whether a finding belongs to a cause: it is over a limit, decided or not. Others speak for themselves. */
bool gate_cause_tells(const struct gate_finding *finding);

/** Whether one of the cause's findings is `result`'s and ended as `outcome`. */
bool gate_cause_is_of(const struct gate_cause *cause, const struct gate_budget_result *result,
                      enum gate_outcome outcome);

enum { GATE_CAUSE_STEPS_MAX = 8 };

/**
 * The steps of a path that are worth a line: the entry point, the last callers, the cause's frame, and what it calls
 * down to the leaf. `out` has room for GATE_CAUSE_STEPS_MAX; GATE_NO_INDEX stands for steps left out. Returns how many.
 */
uint32_t gate_cause_steps(uint32_t *out, const struct gate_cause *cause);

/**
 * Join the findings of all budgets that are broken, or over a limit and undecided.
 *
 * A finding on a frame belongs to the frame of one's own to which most of its growth is charged, where that frame's
 * charge grew by at least half as much; else it is a cause by itself. One on the total or a group belongs to the
 * largest cause of its comparison where there is one. Failing causes stand first, then undecided ones, then warnings;
 * among equals the program's own come before others, and then those with more points.
 *
 * trees  a comparison: its call tree at GATE_SECOND_LOOK_MIN_SHARE, or NULL; NULL: none is known
 * err    GATE_ERR_LIMIT, GATE_ERR_MEMORY
 *
 * Nothing is walked where nothing is broken; else O(stack slots + findings * frames of a path).
 */
GATE_MUST_CHECK
bool gate_cause_find(struct gate_cause_list *out, const struct gate_tree *const *trees,
                     const struct gate_budget_result *results, uint32_t result_count,
                     const struct gate_comparison *comparisons, uint32_t comparison_count, struct gate_arena *arena,
                     struct gate_error *err);

#endif
