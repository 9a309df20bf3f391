/* SPDX-License-Identifier: Apache-2.0 */
/* Build two revisions and run them in turn, with commands of the rules or with Go benchmarks. */
#ifndef GATE_TRIAL_TRIAL_H
#define GATE_TRIAL_TRIAL_H

#include "gate/base/buf.h"
#include "gate/base/regex.h"
#include "gate/base/str.h"
#include "gate/capture/manifest.h"
#include "gate/trial/trial_command.h"
#include "gate/trial/worktree.h"

/* ---- the profile that a run wrote -------------------------------------------------------------------------------- */

/** Where to look for the profile. */
struct gate_made_profile_place {
    const char *directory; /* working directory of the run */
    const char *checkout;  /* files that `glob` matches must lie inside of it, links resolved; `directory` or a
                              folder above it */
    const char *glob;      /* relative to `directory`; NULL: look in `folder` only, which holds PPROFGATE_PROFILE */
    const char *folder;    /* empty before the run */
    struct gate_arena *arena;
};

/**
 * Remove files of an earlier run that `glob` matches.
 *
 * err   GATE_ERR_INPUT one of them is outside of the checkout, and none is removed; GATE_ERR_IO
 */
GATE_MUST_CHECK bool gate_made_profile_clear(const struct gate_made_profile_place *place, struct gate_error *err);

/** Read the one profile that is there. err: GATE_ERR_INPUT none, several, or outside of the checkout; GATE_ERR_IO. */
GATE_MUST_CHECK
bool gate_made_profile_read(struct gate_str *bytes, const struct gate_made_profile_place *place,
                            struct gate_error *err);

/* ---- the work of a run, found in its output ---------------------------------------------------------------------- */

/**
 * Set `*out` to the sum of the numbers that the group of each match holds: "requests: 120" twice gives 240.
 *
 * err   GATE_ERR_INPUT nothing matches, a group is not a number of zero or more, or the sum is 0
 */
GATE_MUST_CHECK
bool gate_work_found_add(double *out, const struct gate_regex *regex, struct gate_str printed, struct gate_error *err);

/* ---- trials ------------------------------------------------------------------------------------------------------ */

/* Each round adds one profile per side and kind to a folder with a manifest; sides alternate in going first. */

/** What one round runs on each side. */
struct gate_trial_load {
    struct gate_str kind; /* "cpu"; "profile" if only the command determines it; or the benchmark's name */
    const char *commands[GATE_SIDES];
};

/** Callbacks for progress; each may be NULL. */
struct gate_trial_listener {
    void *context;
    void (*stage)(void *context, const char *text);    /* what is done now; static text */
    void (*note)(void *context, struct gate_str text); /* what the user should know about the result */
};

/** A trial of two revisions. The caller fills it in, then calls gate_trial_begin. */
struct gate_trial {
    const struct gate_try_plan *plan;
    struct gate_worktree *worktree;
    struct gate_str commits[GATE_SIDES];
    const char *dir; /* folder of the profiles and their manifest */
    bool is_forced;  /* the folder may hold other files */
    struct gate_trial_listener listener;
    struct gate_shell shell;
    struct gate_manifest manifest;
    struct gate_trial_load *loads;
    uint32_t load_count;
    /* Side that a GATE_ERR_INPUT or GATE_ERR_FORMAT is about: enum gate_side_name, or -1 for neither. After a round it
     * is the canary, because a later comparison that fails does so on the canary. */
    int failed;
};

/** Set up the shell's settings and the folder's manifest. err: as gate_manifest_file_begin. */
GATE_MUST_CHECK bool gate_trial_begin(struct gate_trial *trial, struct gate_error *err);

/** Release the lock on the folder. May be called after gate_trial_begin failed. */
void gate_trial_end(struct gate_trial *trial);

/**
 * Check out a side and build it.
 *
 * err   GATE_ERR_INPUT the build fails, with its last output; GATE_ERR_IO an interrupt
 */
GATE_MUST_CHECK bool gate_trial_build(struct gate_trial *trial, enum gate_side_name side, struct gate_error *err);

/** Determine what each round runs, after both sides are built. err: GATE_ERR_INPUT the sides have nothing in common. */
GATE_MUST_CHECK bool gate_trial_find_loads(struct gate_trial *trial, struct gate_error *err);

/**
 * Run every load once on both sides, and add the profiles to the folder.
 *
 * round  1, 2, ...
 * err    GATE_ERR_INPUT a command fails or writes no profile; GATE_ERR_IO. Profiles taken before stay in the folder.
 */
GATE_MUST_CHECK bool gate_trial_round(struct gate_trial *trial, uint32_t round, struct gate_error *err);

/** One top-level benchmark. */
struct gate_go_bench {
    struct gate_str name; /* "BenchmarkPrice" */
    double seconds;       /* CPU time of one iteration of every result line; 0: it printed no result */
    uint64_t times;       /* iteration count of a run */
    const char *command;  /* for `sh -c`; writes PPROFGATE_PROFILE */
};

/** The benchmarks of a test binary. */
struct gate_go_bench_list {
    struct gate_go_bench *items;
    uint32_t count;
};

/** Read the names that `-test.list` printed. err: GATE_ERR_LIMIT `arena` is full. */
GATE_MUST_CHECK
bool gate_go_bench_names(struct gate_go_bench_list *out, struct gate_str printed, struct gate_arena *arena,
                         struct gate_error *err);

/** Result of a run: the iterations of all result lines added up, and the sum of their ns/op. */
struct gate_go_bench_result {
    double iterations, nanoseconds;
    uint32_t lines;
};

/** Read the result lines that `-test.bench` printed. */
struct gate_go_bench_result gate_go_bench_read(struct gate_str printed);

/**
 * Return the iteration count for a run of `seconds`, if one iteration takes `one_seconds`: at least 1, at most 1e9. The
 * second is the count of a canary: that of the baseline, or fewer if it is more than three times slower.
 */
uint64_t gate_go_bench_times(double seconds, double one_seconds);

uint64_t gate_go_bench_canary_times(uint64_t baseline_times, double seconds, double one_seconds);

/** Set `bench->command` to the command that runs `bench->times` iterations. err: GATE_ERR_LIMIT `arena` is full. */
GATE_MUST_CHECK
bool gate_go_bench_command(struct gate_go_bench *bench, const char *pattern, struct gate_arena *arena,
                           struct gate_error *err);

#endif
