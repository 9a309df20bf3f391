/* SPDX-License-Identifier: Apache-2.0 */
/* `check --store`: the baseline of a change from a store, and the other accepted runs that tell how much runs vary.
 * Pipeline: store/match.h -> cli/accepted.h -> cli/judge.h, cli/accepted_noise.h, cli/accepted_warnings.h */
#ifndef GATE_CLI_ACCEPTED_H
#define GATE_CLI_ACCEPTED_H

#include "gate/cli/cli.h"
#include "gate/cli/judge_options.h"
#include "gate/cli/profile_options.h"
#include "gate/cli/run_files.h"
#include "gate/cli/store_options.h"
#include "gate/store/match.h"

/** Other accepted runs of one kind of profile, the newest first. */
struct gate_accepted_others {
    struct gate_str kind;
    struct gate_paths files;
};

/** How reports call an accepted profile: SERVICE@REVISION/NAME. */
struct gate_accepted_title {
    const char *path;
    struct gate_str title;
};

/** What the command line says, and what was found. Zeroed: no store. */
struct gate_accepted {
    struct gate_store_options where;
    bool accept_first;

    struct gate_store store; /* open while `holds_store`: nothing of it goes before it was read */
    bool holds_store;
    bool is_first;                /* nothing whatever was accepted of this service and environment */
    bool is_missing;              /* nothing was accepted that has a kind of the change: nothing below is filled */
    struct gate_run_files canary; /* filled in any case */
    struct gate_str *kinds;       /* of the canary's profiles, filled in any case: those that are compared first */
    uint32_t kind_count;          /* that are compared; all of them where nothing is */
    uint32_t missing_count;       /* kinds behind those, which the baseline does not have */
    struct gate_match match;
    uint32_t run_count; /* that are the baseline, of all kinds */
    struct gate_match_change change;
    struct gate_record machine;
    struct gate_str services; /* whose baselines the store has, where it is_first; else empty */
    struct gate_str why_unknown;
    struct gate_str *damages; /* what was left out, each with its path */
    uint32_t damage_count;
    size_t damage_capacity;
    struct gate_accepted_others *others; /* one for each of `kinds` */
    struct gate_accepted_title *titles;
    uint32_t title_count;
    size_t title_capacity;
};

/** Rows that fill a struct gate_accepted: "A baseline from a store:". */
extern const struct gate_option_group gate_accepted_group;

/**
 * Where --store is given, take every profile of the command line for the canary's and name the baseline's in
 * `profiles`, as pairs where the canary has several kinds; those that the baseline lacks are left out, for
 * gate_accepted_warnings_add to say. The work that was accepted with them goes to `judging`, or to the
 * pairs, where the canary's is told too. Nothing is done without --store.
 *
 * err   GATE_ERR_USAGE a baseline or pairs beside it; what gate_run_files_load and gate_store_open say; GATE_ERR_FORMAT
 *       all that could have been compared with is damaged
 *
 * Where a baseline was found, the store stays open for reading until gate_accepted_close. O(bytes of the canary and of
 * the accepted profiles that are used).
 */
GATE_MUST_CHECK
bool gate_accepted_find(struct gate_accepted *accepted, struct gate_profile_options *profiles,
                        struct gate_judge_options *judging, struct gate_cli *cli, struct gate_error *err);

/** Let others write to the store again. Nothing, where none is open. */
void gate_accepted_close(struct gate_accepted *accepted);

/** How reports call the file at `path`: its title, or the path itself where it is not of the store. */
struct gate_str gate_accepted_title(const struct gate_accepted *accepted, struct gate_str path);

#endif
