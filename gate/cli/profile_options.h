/* SPDX-License-Identifier: Apache-2.0 */
/* The options of commands that load profiles: which ones, how they are read, the caps on them.
 * Pipeline: cli/options.h -> cli/profile_options.h -> cli/load_sides.h, cli/judge.h */
#ifndef GATE_CLI_PROFILE_OPTIONS_H
#define GATE_CLI_PROFILE_OPTIONS_H

#include "gate/cli/file_roles.h"
#include "gate/cli/options.h"
#include "gate/cli/symbol_options.h"
#include "gate/compare/work.h"
#include "gate/profile/load.h"

/** `--pair NAME=BASELINE,CANARY`, or what a manifest says of one kind of profile. */
struct gate_profile_pair {
    struct gate_str label;
    struct gate_paths paths[GATE_SIDES]; /* of the command line: one each */
    const uint32_t *rounds[GATE_SIDES];  /* of each path, 0: not known; or NULL */
    struct gate_work work;               /* of these runs alone; none: what is told of all */
    bool is_growth;                      /* of a heap: what was allocated in between alone has a meaning */
};

/** Pairs in the order given; names are unique. */
struct gate_profile_pairs {
    struct gate_profile_pair *items;
    uint32_t count;
    size_t capacity;
};

/** `--where KEY=VALUE`, each. */
struct gate_profile_where {
    struct gate_label_match *items;
    uint32_t count;
    size_t capacity;
};

/** What a command line says of profiles; begin with gate_profile_options_begin. */
struct gate_profile_options {
    struct gate_paths paths[GATE_SIDES]; /* --baseline, --canary, and what gate_profile_options_deal deals out */
    const uint32_t *rounds[GATE_SIDES];  /* of each path, from a manifest; or NULL */
    bool is_growth;                      /* as of a pair */
    struct gate_paths arguments;         /* what is not an option */
    struct gate_profile_pairs pairs;
    struct gate_profile_where where;
    struct gate_str by; /* a label; empty: not asked */
    uint32_t by_values; /* of it at most; 0: GATE_BY_VALUES */
    struct gate_str sample_type;
    int granularity; /* enum gate_granularity, or -1: the rules' */
    int exact_names; /* 1, 0, or -1: the rules' */
    struct gate_limits limits;
    struct gate_counts_options counts; /* 0: the rules' */
    struct gate_symbol_options symbols;
};

/* Groups of rows; each fills a struct gate_profile_options. */
extern const struct gate_option_group gate_profile_options_sides; /* --baseline, --canary */
extern const struct gate_option_group gate_profile_options_pair;
extern const struct gate_option_group gate_profile_options_by;     /* --by, of commands that judge */
extern const struct gate_option_group gate_profile_options_read;   /* "How profiles are read:" */
extern const struct gate_option_group gate_profile_options_counts; /* the part of them that `inspect` takes too */
extern const struct gate_option_group gate_profile_options_limits; /* "Caps on hostile input:" */

void gate_profile_options_begin(struct gate_profile_options *options);

/**
 * Note every profile in `roles`: before gate_profile_options_deal.
 *
 * argument_role  what an argument is ("a profile"); NULL: the baseline, then the canary
 */
GATE_MUST_CHECK
bool gate_profile_options_note(const struct gate_profile_options *options, const char *argument_role,
                               struct gate_file_roles *roles, struct gate_arena *arena, struct gate_error *err);

/**
 * Deal the arguments out as BASELINE CANARY. With --baseline and --canary, or with --pair, none may be left.
 *
 * err   GATE_ERR_USAGE what is missing or too much
 */
GATE_MUST_CHECK
bool gate_profile_options_deal(struct gate_profile_options *options, struct gate_arena *arena, struct gate_error *err);

/** The options of a pair: what the command line says on top of `frames` and `counts`, which are the rules'. */
struct gate_pair_options gate_profile_options_pairing(const struct gate_profile_options *options,
                                                      struct gate_frame_options frames,
                                                      struct gate_counts_options counts);

#endif
