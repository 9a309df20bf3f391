/* SPDX-License-Identifier: Apache-2.0 */
/* Which growth rules would find: known growth is planted in synthetic runs of a baseline, and judged as a check would.
 * Pipeline: compare/plant.h -> budget/plan.h, budget/verdict.h -> budget/prove.h -> report/proof.h */
#ifndef GATE_BUDGET_PROVE_H
#define GATE_BUDGET_PROVE_H

#include "gate/budget/plan.h"
#include "gate/budget/verdict.h"
#include "gate/compare/plant.h"

enum { GATE_PROVE_SIZES_MAX = 12, GATE_PROVE_BUDGETS_MAX = 64 };

/** The part of all draws in which growth has to be found to count as found, and the smaller one that is told beside. */
#define GATE_PROVE_FOUND 0.8
#define GATE_PROVE_HALF 0.5

/** Verdicts on draws of one size of growth. Draws are failed, open and passed together. */
struct gate_prove_cell {
    double growth;                 /* in points, as a fraction */
    uint32_t failed, open, passed; /* fail, inconclusive, pass */
    uint32_t named;                /* of the failed: the planted function is the first cause */
};

/** One function, at every size. */
struct gate_prove_frame {
    struct gate_str name;
    struct gate_plant plant; /* without a size */
    double share;            /* of the baseline, charged */
    struct gate_prove_cell cells[GATE_PROVE_SIZES_MAX];
    uint32_t cell_count;
    uint32_t caught[GATE_PROVE_BUDGETS_MAX]; /* by budget of the rules: failing draws of the least size that is found,
                                                or of the largest */
    uint32_t warned[GATE_PROVE_BUDGETS_MAX]; /* likewise: broken for this function, and no more than a warning */
    bool is_looked_at; /* some budget that can fail had a hypothesis on it, or on a group or the total */
};

struct gate_prove {
    struct gate_prove_frame *frames;
    uint32_t frame_count;
    struct gate_prove_cell none; /* no growth: what fails here fails falsely */
    const struct gate_rules *rules;
    struct gate_str sample_type;
    uint32_t runs, draws, baseline_runs;
    uint64_t seed;
    enum gate_variation variation;
    double least_share; /* of the functions that `at_least` is asked of */
    double at_least;    /* growth that has to be found; 0: not asked */
    double sd;          /* of the logarithm of what is charged to the largest own function */
};

struct gate_prove_options {
    const struct gate_rules *rules;
    const struct gate_plan_options *plan;
    const struct gate_run_input *run; /* what is drawn from */
    const struct gate_noise *noise;   /* or NULL */
    struct gate_str today;
    uint32_t runs, draws; /* a side, a cell */
    uint64_t seed;
    bool tells_work;                /* the same on both sides */
    const struct gate_arena *arena; /* each draw forks one of it */
};

/** Fill `none`. err: what gate_plan_make and gate_verdict_reach say. O(draws * cost of a check). */
GATE_MUST_CHECK
bool gate_prove_none(struct gate_prove *proof, const struct gate_plant_base *base,
                     const struct gate_prove_options *options, struct gate_error *err);

/** Fill the cells of a frame, whose name, plant and share are set, up to the size that every draw finds. O(sizes *
 * draws * cost of a check). */
GATE_MUST_CHECK
bool gate_prove_frame(struct gate_prove_frame *frame, const double *sizes, uint32_t size_count,
                      const struct gate_plant_base *base, const struct gate_prove_options *options,
                      struct gate_error *err);

/**
 * The functions to try where none is named: the three largest of the program's own by charged cost, one in the middle
 * of those of at least `least_share`, the smallest of them, and that one as if it were new. `out` has room for six.
 */
uint32_t gate_prove_choose(struct gate_prove_frame out[6], const struct gate_plant_base *base, double least_share,
                           struct gate_arena *arena);

/** All functions of the program's own of at least `least_share`, the largest first; NULL: the arena is full. */
struct gate_prove_frame *gate_prove_all(uint32_t *count, const struct gate_plant_base *base, double least_share,
                                        struct gate_arena *arena);

/** Least size from which on at least `part` of the draws failed, or NULL. */
const struct gate_prove_cell *gate_prove_found(const struct gate_prove_frame *frame, double part);

/** Largest size up to which at least half of the draws passed, or NULL. */
const struct gate_prove_cell *gate_prove_unseen(const struct gate_prove_frame *frame);

/** The budget that failed most draws, or GATE_NO_INDEX. */
uint32_t gate_prove_budget(const uint32_t counts[GATE_PROVE_BUDGETS_MAX]);

/** What `at_least` came to: of one function by the Wilson interval of its draws, of all the worst. PASS, INCONCLUSIVE
 * or FAIL. */
enum gate_outcome gate_prove_outcome_of(const struct gate_prove_cell *cell);
enum gate_outcome gate_prove_outcome(const struct gate_prove *proof);

#endif
