/* SPDX-License-Identifier: Apache-2.0 */
/* The commands of a trial: the rules' section `try`, completed by its preset and the command line. */
/* Commands run with `sh -c` in the side's checkout, in the subdirectory that the user is in. Their environment has
 * PPROFGATE_SIDE (baseline, canary), PPROFGATE_ROUND, PPROFGATE_SECONDS (duration of a profile), PPROFGATE_BUILD (a
 * folder for build output), PPROFGATE_OUT (a folder that is empty before each run) and PPROFGATE_PROFILE. The latter is
 * the file in PPROFGATE_OUT that a run writes its profile to, unless `profile` in the rules names another place. */
#ifndef GATE_TRIAL_TRY_PLAN_H
#define GATE_TRIAL_TRY_PLAN_H

#include "gate/base/str.h"
#include "gate/rules/rules.h"

/** Options of the command line that override the section. Zeroed: none. */
struct gate_try_plan_options {
    const char *bench;          /* for the preset go-bench; or NULL */
    double seconds;             /* or 0 */
    uint32_t rounds;            /* or 0 */
    struct gate_str rules_name; /* for messages */
};

/** A complete plan. Texts end in a NUL. */
struct gate_try_plan {
    enum gate_try_preset preset;
    const char *build;        /* NULL: nothing is built */
    const char *run;          /* NULL for go-bench, which has a command per benchmark */
    const char *load;         /* NULL: there is no load, or `run` includes it */
    const char *profile_glob; /* relative to the directory; NULL: the profile is in PPROFGATE_PROFILE, or fetched
                                 from `profile_url` */
    const char *profile_url;  /* NULL: `run` writes the profile to a file */
    const char *ready;        /* URL or HOST:PORT that answers when the server is ready; NULL: there is no server */
    const char *bench;        /* pattern for go-bench */
    const char *suffix;       /* of the file name of a stored profile: ".pb.gz"; empty: that of the file the run
                                 wrote */
    double work;              /* work of one run; 0: not given */
    const struct gate_regex *work_regex;
    double seconds, timeout_seconds;
    uint32_t rounds;
    const char *const *env; /* "NAME=VALUE", NULL-terminated */
};

/**
 * Complete the section with its preset and the options.
 *
 * err   GATE_ERR_CONFIG there is no section `try`; GATE_ERR_USAGE an option that the preset does not take
 */
GATE_MUST_CHECK
bool gate_try_plan_make(struct gate_try_plan *out, const struct gate_try_rules *section,
                        const struct gate_try_plan_options *options, struct gate_arena *arena, struct gate_error *err);

#endif
