/* SPDX-License-Identifier: Apache-2.0 */
/* What is run to try a revision: a section of rules with its preset's commands filled in.
 *
 * Commands are those of `sh -c`, in the directory that the user is in, below the side's checkout. They find in their
 * environment: PPROFGATE_SIDE (baseline, canary), PPROFGATE_ROUND, PPROFGATE_SECONDS (how long a profile lasts),
 * PPROFGATE_BUILD (a folder for what is built), PPROFGATE_OUT (an empty folder, of one run) and PPROFGATE_PROFILE (the
 * file in it that a run writes its profile to, unless `profile` says where else).
 * Pipeline: rules/try_rules.h -> trial/try_plan.h -> trial/trial.h */
#ifndef GATE_TRIAL_TRY_PLAN_H
#define GATE_TRIAL_TRY_PLAN_H

#include "gate/base/str.h"
#include "gate/rules/try_rules.h"

/** What the command line says on top of the section. Zeroed: nothing. */
struct gate_try_plan_options {
    const char *bench;          /* of the preset go-bench, or NULL */
    double seconds;             /* or 0 */
    uint32_t rounds;            /* or 0 */
    struct gate_str rules_name; /* for messages */
};

/** Texts end in a NUL. */
struct gate_try_plan {
    enum gate_try_preset preset;
    const char *build;        /* NULL: nothing is built */
    const char *run;          /* of go-bench: made for each benchmark */
    const char *load;         /* NULL: none, or it is a part of `run` */
    const char *profile_glob; /* below the directory; NULL: in PPROFGATE_PROFILE or, of a URL, fetched */
    const char *profile_url;  /* NULL: `run` writes it */
    const char *ready;        /* URL or HOST:PORT; NULL: there is no server */
    const char *bench;        /* of go-bench */
    const char *suffix;       /* of a profile's name, as it is kept: ".pb.gz"; empty: as the run names it */
    double work;              /* of one run; 0: not told */
    const struct gate_regex *work_regex;
    double seconds, timeout_seconds;
    uint32_t rounds;
    const char *const *env; /* "NAME=VALUE", NULL-terminated */
};

/**
 * Fill in what the section leaves out.
 *
 * err   GATE_ERR_CONFIG there is no section; GATE_ERR_USAGE an option that its preset does not take
 */
GATE_MUST_CHECK
bool gate_try_plan_make(struct gate_try_plan *out, const struct gate_try_rules *section,
                        const struct gate_try_plan_options *options, struct gate_arena *arena, struct gate_error *err);

#endif
