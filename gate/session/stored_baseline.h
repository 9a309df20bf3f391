/* SPDX-License-Identifier: Apache-2.0 */
/* `check --store`: takes the baseline from a store of accepted runs, makes a noise model from other accepted runs, and
 * warns about a baseline that is old, unrelated or of another machine. */
#ifndef GATE_SESSION_STORED_BASELINE_H
#define GATE_SESSION_STORED_BASELINE_H

#include "gate/base/str.h"
#include "gate/compare/comparison.h"
#include "gate/guards/guard_check.h"
#include "gate/session/judge_options.h"
#include "gate/session/load_sides.h"
#include "gate/session/profile_options.h"
#include "gate/session/session.h"
#include "gate/session/store_options.h"
#include "gate/store/match.h"
#include "gate/store/store.h"

/** Append a warning for each of the guards baseline_age, baseline_ancestor and baseline_machine that the baseline
 * fails. Guards that are off add nothing. */
GATE_MUST_CHECK
bool gate_fitness_judge(struct gate_warning_list *out, const struct gate_fitness_input *input,
                        const struct gate_rules *rules, struct gate_arena *arena, struct gate_error *err);

/**
 * Return how the matched revision is related to the change: "4 commits before this change", "of this very revision", …
 */
struct gate_str gate_fitness_place(const struct gate_match *match, struct gate_arena *arena);

/** Other accepted runs of one kind of profile, newest first. */
struct gate_stored_baseline_others {
    struct gate_str kind;
    struct gate_paths files;
};

/** Title of an accepted profile in reports: SERVICE@REVISION/NAME. */
struct gate_stored_baseline_title {
    const char *path;
    struct gate_str title;
};

/** Options of the command line, and the baseline that was found. All zero if no store is given. */
struct gate_stored_baseline {
    struct gate_store_options where;
    bool accept_first;
    const char *rules_from; /* --rules-from: only records of it and its ancestors count; NULL: not given */

    struct gate_store store; /* locked for reading while `holds_store`, so that no other process removes its files */
    bool holds_store;
    bool is_first;                /* the store has no accepted run of this service and environment */
    bool is_missing;              /* no accepted run has a kind of the canary; the fields below are not filled */
    struct gate_run_files canary; /* always filled */
    struct gate_str *kinds;       /* kinds of the canary's profiles, always filled; the compared kinds come first */
    uint32_t kind_count;          /* number of compared kinds; if nothing is compared, all kinds */
    uint32_t missing_count;       /* number of kinds after the first kind_count, which the baseline does not have */
    struct gate_str *lacking;     /* kinds that were accepted with the baseline and that the canary does not have */
    uint32_t lacking_count;
    struct gate_match match;
    uint32_t run_count; /* runs of the baseline, of all kinds */
    struct gate_match_change change;
    struct gate_record machine;
    struct gate_str services; /* services that have a baseline in the store, as text; filled if `is_first` */
    struct gate_str why_unknown;
    struct gate_str *damages; /* a message with a path for each damaged record or profile that was left out */
    uint32_t damage_count;
    size_t damage_capacity;
    struct gate_stored_baseline_others *others; /* one per item of `kinds` */
    struct gate_stored_baseline_title *titles;
    uint32_t title_count;
    size_t title_capacity;
};

/**
 * Find the baseline of a canary in the store. Does nothing without --store.
 *
 * All profiles of the command line become the canary's. The baseline's paths are added to `profiles`; if the canary has
 * several kinds of profile, each kind becomes a pair. Kinds that the baseline lacks are left out, and
 * gate_stored_baseline_warnings_add reports them. The work that was accepted with the baseline is added to `judging` or
 * to the pairs, if the canary's work is known too.
 *
 * err   GATE_ERR_USAGE if a baseline or --pair is given too; GATE_ERR_FORMAT if every comparable accepted run is
 *       damaged; errors of gate_run_files_load and gate_store_open
 *
 * If a baseline is found, the store stays open for reading until gate_stored_baseline_close. Cost: O(bytes of the
 * canary and of the accepted profiles that are used).
 */
GATE_MUST_CHECK
bool gate_stored_baseline_find(struct gate_stored_baseline *accepted, struct gate_profile_options *profiles,
                               struct gate_judge_options *judging, struct gate_session *session,
                               struct gate_error *err);

/** Close the store, so that other processes can write to it. Does nothing if no store is open. */
void gate_stored_baseline_close(struct gate_stored_baseline *accepted);

/** Return the title of the file at `path` for reports, or `path` itself if the file is not in the store. */
struct gate_str gate_stored_baseline_title(const struct gate_stored_baseline *accepted, struct gate_str path);

/* ---- noise model from accepted runs ------------------------------------------------------------------------------ */

/**
 * Give a noise model to each unfiltered comparison that has none. This needs at least five other accepted runs of its
 * kind from a machine like the baseline's. The compared runs are not used: the comparison measures their variation
 * itself.
 *
 * Outlier runs are left out, as `calibrate` does. No model is made if the runs form two groups, or if the model would
 * cover too little of the profile.
 *
 * note_session  session that prints notes; if NULL, no notes are printed
 * err           errors of loading and comparing profiles
 *
 * Cost: O(bytes of those runs) per comparison.
 */
GATE_MUST_CHECK
bool gate_stored_baseline_noise_apply(struct gate_comparison *comparisons, uint32_t count,
                                      const struct gate_stored_baseline *accepted,
                                      const struct gate_pair_options *pairing, const struct gate_limits *limits,
                                      struct gate_session *note_session, struct gate_arena *arena,
                                      struct gate_error *err);

/* ---- warnings about a baseline from a store ---------------------------------------------------------------------- */

/** Set `out` to the warnings about the baseline: age, place, machine, damage, missing kinds. Their severity comes from
 * the guards of `rules`. Prints a note that describes the baseline. err: `session->arena` is full. */
GATE_MUST_CHECK
bool gate_stored_baseline_warnings_add(struct gate_warning_list *out, const struct gate_stored_baseline *accepted,
                                       const struct gate_rules *rules, struct gate_session *session,
                                       struct gate_error *err);

#endif
