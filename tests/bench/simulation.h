/* SPDX-License-Identifier: Apache-2.0 */
/* Simulated runs of a service, decided by the gate's own code. Used by simulate.c (sequences of looks) and many_runs.c
 * (what many runs can see).
 *
 * A profile has 12 frames. The share p of a frame varies between runs with variance rho p (1 - p), and its samples are
 * a binomial draw. In the canary one frame grows; all others lose in proportion. Options add what runs of a fleet have
 * in common: the host, and the side. */
#ifndef GATE_TESTS_SIMULATION_H
#define GATE_TESTS_SIMULATION_H

#include "gate/budget/families.h"

enum { SIMULATION_FRAMES = 12, SIMULATION_BUDGETS = 2 };

/** Options are doubles, so that one table can parse them all. Variances are in units of p (1 - p). */
struct simulation {
    double runs, samples; /* runs per side, samples per run */
    double rho;           /* variance of a frame's share between runs of one host */
    double host_rho;      /* the same between hosts; with `hosts` > 0 */
    double side_rho;      /* variance of a shift that all runs of a side have in common */
    double hosts;         /* hosts per side, over which its runs are distributed; 0: every run has its own */
    double same_hosts;    /* 1: both sides run on the same hosts, which move them alike */
    double merge;         /* 1: the runs of a host are merged into one before they are compared */
    double rounds;        /* 1: run i of both sides is a round */
    double paired;        /* part of the variation between runs that run i of both sides shares */
    double spread;        /* standard deviation of the logarithm of a run's number of samples */
    double cheaper;       /* part of its cost that the largest frame lost in the canary */
    double work;          /* 1: the work of both sides is given, and is equal */
    double growth;        /* percentage points by which the grown frame's share grows */
    double grown;         /* index of that frame */
    double limit;         /* of many_runs.c, in percentage points */
    uint64_t random;

    struct gate_limit limits[SIMULATION_BUDGETS];
    struct gate_budget budgets[SIMULATION_BUDGETS];
    struct gate_rules rules;
    struct gate_frame frames[SIMULATION_FRAMES];
    struct gate_profile profile;
};

/** Runs of both sides. */
struct drawn {
    uint32_t runs;
    int64_t (*counts[GATE_SIDES])[SIMULATION_FRAMES];
};

/** What was decided about one comparison. */
struct decided {
    enum gate_outcome worst; /* of all hypotheses but warnings */
    bool grown_fails;        /* the grown frame fails */
    bool other_fails;        /* another frame fails */
    double delta;            /* measured growth of the grown frame, a fraction */
    double log_p;            /* of "the grown frame did not grow" */
};

double simulation_share(const struct simulation *s);

/** Set rules without budgets, and the frames. */
void simulation_begin(struct simulation *s);

/** Add a budget on the self cost of every frame. */
void simulation_add_budget(struct simulation *s, struct gate_limit limit, double min_share, double max_mde);

/** Draw all runs of both sides; exits if there is no memory. `arena` holds them. */
void simulation_draw(struct drawn *out, struct simulation *s, struct gate_arena *arena);

/** Decide about the first `count` runs of both sides. */
struct decided simulation_judge(struct simulation *s, const struct drawn *drawn, uint32_t count,
                                const struct gate_looks_now *now);

#endif
