/* SPDX-License-Identifier: Apache-2.0 */
/* Options that define which profiles to load and how: sides, pairs, labels, symbols. */
#ifndef GATE_SESSION_PROFILE_OPTIONS_H
#define GATE_SESSION_PROFILE_OPTIONS_H

#include "gate/compare/work.h"
#include "gate/formats/format.h"
#include "gate/model/profile.h"
#include "gate/session/file_roles.h"
#include "gate/session/session.h"

/* ---- symbols: names for frames without one ----------------------------------------------------------------------- */

/** Options of the command line. All zero: none. */
struct gate_symbol_options {
    struct gate_paths paths; /* --symbols */
    bool asks_servers;       /* --debuginfod */
    const char *cache;       /* --debuginfod-cache, or NULL */
};

/** Return what the options need besides files (base/sandbox.h): the network with --debuginfod. */
unsigned gate_symbol_options_needs(const struct gate_symbol_options *options);

/** Set `out` to `profile` with the names that were found (symbols/symbolise.h). Without symbol options names are
 * only demangled. Allocates from `arena` and from the run's arena. Must not be called while other threads run. */
GATE_MUST_CHECK
bool gate_symbol_options_apply(struct gate_profile *out, const struct gate_profile *profile,
                               struct gate_session *session, struct gate_arena *arena, struct gate_error *err);

/* ---- profiles: which ones, how they are read, limits on them ----------------------------------------------------- */

/** When a profile was captured, from a manifest. */
struct gate_profile_round {
    uint32_t number;  /* equal on both sides: at the same time; 0: not known */
    int64_t start_ms; /* Unix time; 0: not known */
    int64_t took_ms;  /* duration of the request, for events of that time; 0: not known, or a snapshot */
};

/** A pair: `--pair NAME=BASELINE,CANARY`, or one kind of profile in a manifest. */
struct gate_profile_pair {
    struct gate_str label;
    struct gate_paths paths[GATE_SIDES];                 /* from the command line: one path per side */
    const struct gate_profile_round *rounds[GATE_SIDES]; /* of each path; may be NULL */
    struct gate_work work;                               /* of these runs; empty: the work of all runs applies */
    struct gate_str void_types;                          /* as in struct gate_plan_input */
};

/** Pairs in the order given; their names are unique. */
struct gate_profile_pairs {
    struct gate_profile_pair *items;
    uint32_t count;
    size_t capacity;
};

/** Values of `--where KEY=VALUE`. */
struct gate_profile_where {
    struct gate_label_match *items;
    uint32_t count;
    size_t capacity;
};

/** Options of the command line; initialise with gate_profile_options_begin. */
struct gate_profile_options {
    struct gate_paths paths[GATE_SIDES]; /* --baseline, --canary, and arguments assigned by gate_profile_options_deal */
    const struct gate_profile_round *rounds[GATE_SIDES]; /* of each path; may be NULL */
    struct gate_str kind, void_types;                    /* as in struct gate_plan_input, of runs that are no pair */
    struct gate_paths arguments;                         /* words that are not options */
    struct gate_profile_pairs pairs;
    struct gate_profile_where where;
    struct gate_str by; /* --by: a label key; empty: not given */
    uint32_t by_values; /* maximum number of its values; 0: GATE_BY_VALUES */
    struct gate_str sample_type;
    int granularity; /* enum gate_granularity; -1: as the rules have it */
    int exact_names; /* 1 or 0; -1: as the rules have it */
    struct gate_limits limits;
    struct gate_counts_options counts; /* 0: as the rules have it */
    struct gate_symbol_options symbols;
};

/** Set the defaults. */
void gate_profile_options_begin(struct gate_profile_options *options);

/**
 * Add every profile and symbol file to `roles`. Call it before gate_profile_options_deal.
 *
 * argument_role  role of each argument ("a profile"); if NULL, the baseline, then the canary
 */
GATE_MUST_CHECK
bool gate_profile_options_note(const struct gate_profile_options *options, const char *argument_role,
                               struct gate_file_roles *roles, struct gate_arena *arena, struct gate_error *err);

/** Assign the arguments to the sides: BASELINE CANARY. With --baseline and --canary, or with --pair, arguments are an
 * error. err: GATE_ERR_USAGE names the missing side or the unexpected argument. */
GATE_MUST_CHECK
bool gate_profile_options_deal(struct gate_profile_options *options, struct gate_arena *arena, struct gate_error *err);

/** Return the options of a pair: `frames` and `counts` of the rules, overridden by the command line. */
struct gate_pair_options gate_profile_options_pairing(const struct gate_profile_options *options,
                                                      struct gate_frame_options frames,
                                                      struct gate_counts_options counts);

#endif
