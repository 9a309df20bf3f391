/* SPDX-License-Identifier: Apache-2.0 */
/* `prove`: which planted growth the rules find. */
#ifndef GATE_BUDGET_PROVE_H
#define GATE_BUDGET_PROVE_H

#include "gate/budget/plan.h"
#include "gate/budget/verdict.h"
#include "gate/compare/plant.h"

enum { GATE_PROVE_SIZES_MAX = 12, GATE_PROVE_BUDGETS_MAX = 64 };

/** Fraction of the draws that must fail for growth to count as found, and a smaller one that is also reported. */
#define GATE_PROVE_FOUND 0.8

#define GATE_PROVE_HALF 0.5

/** Verdicts on the draws with one size of growth; failed + open + passed is the number of draws. */
struct gate_prove_cell {
    double growth;                 /* share points, as a fraction */
    uint32_t failed, open, passed; /* draws with the outcome fail, inconclusive and pass */
    uint32_t named;                /* failed draws in which the planted function is the first cause */
};

/** One function, at every size. */
struct gate_prove_frame {
    struct gate_str name;
    struct gate_plant plant; /* its growth is not set */
    double share;            /* charged share of the baseline */
    struct gate_prove_cell cells[GATE_PROVE_SIZES_MAX];
    uint32_t cell_count;
    uint32_t caught[GATE_PROVE_BUDGETS_MAX]; /* per budget: failing draws at the smallest size found, else largest */
    uint32_t warned[GATE_PROVE_BUDGETS_MAX]; /* the same for draws in which the budget only warned of this function */
    bool is_looked_at; /* a budget that can fail has a hypothesis on the function, on a group or on the total */
};

struct gate_prove {
    struct gate_prove_frame *frames;
    uint32_t frame_count;
    struct gate_prove_cell none; /* without growth: failures are false */
    const struct gate_rules *rules;
    struct gate_str sample_type;
    uint32_t runs, draws, baseline_runs;
    uint64_t seed;
    enum gate_variation variation;
    double least_share; /* minimum share of the functions that `at_least` applies to */
    double at_least;    /* growth that must be found; 0: no requirement */
    double sd;          /* run-to-run standard deviation of the log of the largest own function's charged cost */
};

struct gate_prove_options {
    const struct gate_rules *rules;
    const struct gate_plan_options *plan;
    const struct gate_run_input *run; /* the run to draw from */
    const struct gate_noise *noise;   /* noise model, or NULL */
    struct gate_str today;
    uint32_t runs, draws; /* per side; per cell */
    uint64_t seed;
    bool is_work_given;             /* the work is given, and equal on both sides */
    const struct gate_arena *arena; /* each draw uses a fork of it */
};

/** Fill `proof->none`. err: as gate_plan_make and gate_verdict_reach. O(draws * cost of a check). */
GATE_MUST_CHECK
bool gate_prove_none(struct gate_prove *proof, const struct gate_plant_base *base,
                     const struct gate_prove_options *options, struct gate_error *err);

/**
 * Fill the cells of a frame whose name, plant and share are set, up to the first size that every draw finds. Errors as
 * gate_prove_none. O(sizes * draws * cost of a check).
 */
GATE_MUST_CHECK
bool gate_prove_frame(struct gate_prove_frame *frame, const double *sizes, uint32_t size_count,
                      const struct gate_plant_base *base, const struct gate_prove_options *options,
                      struct gate_error *err);

/**
 * Choose the functions to try if none is named. They are own code with a charged share of at least `least_share`: the
 * three largest, a middle one, the smallest, and the smallest as if it were new. `out` has room for six. Returns their
 * number; 0 also if the arena is full.
 */
uint32_t gate_prove_choose(struct gate_prove_frame out[6], const struct gate_plant_base *base, double least_share,
                           struct gate_arena *arena);

/** Return all own-code functions with a charged share of at least `least_share`, largest first; NULL: the arena is
 * full. */
struct gate_prove_frame *gate_prove_all(uint32_t *count, const struct gate_plant_base *base, double least_share,
                                        struct gate_arena *arena);

/** Return the smallest size from which on at least `part` of the draws failed, or NULL. */
const struct gate_prove_cell *gate_prove_found(const struct gate_prove_frame *frame, double part);

/** Return the largest size at which at least half of the draws passed, or NULL. */
const struct gate_prove_cell *gate_prove_unseen(const struct gate_prove_frame *frame);

/** Return the budget with the most failing draws, or GATE_NO_INDEX. */
uint32_t gate_prove_budget(const uint32_t counts[GATE_PROVE_BUDGETS_MAX]);

/**
 * Return PASS, INCONCLUSIVE or FAIL for `at_least`. A cell is judged by the Wilson interval of its failed draws. A
 * proof has the worst outcome of its cells of that size.
 */
enum gate_outcome gate_prove_outcome_of(const struct gate_prove_cell *cell);

enum gate_outcome gate_prove_outcome(const struct gate_prove *proof);

#endif
