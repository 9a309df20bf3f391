/* SPDX-License-Identifier: Apache-2.0 */
/* The profiles of a ledger's looks, and those of this run: which are new, which are gone, and all of them together.
 * Pipeline: budget/ledger.h -> cli/ledger_pool.h -> cli/ledger_file.h */
#ifndef GATE_CLI_LEDGER_POOL_H
#define GATE_CLI_LEDGER_POOL_H

#include "gate/budget/ledger.h"
#include "gate/cli/judge.h"

struct gate_ledger_pool {
    struct gate_profile_options *profiles;
    struct gate_judge_options *judging;
    const char *path;                          /* of the ledger */
    struct gate_ledger_runs given[GATE_SIDES]; /* of this run, by path as given, and digest */
    bool *is_new[GATE_SIDES];                  /* of them: in no look so far */
    struct gate_str *builds[GATE_SIDES];       /* ids of the builds that they are of, each once, in order */
    uint32_t build_counts[GATE_SIDES];
    struct gate_str unknown[GATE_SIDES]; /* the first that does not say its build; `.len` 0: all do */
    bool has_new;
    bool is_whole; /* every profile of the looks is where it was, or is given */
};

/** Read what is given: digests and builds. err: of reading a profile. */
GATE_MUST_CHECK
bool gate_ledger_pool_look(struct gate_ledger_pool *pool, struct gate_cli *cli, struct gate_error *err);

/** The ids of a side's builds with blanks between them; empty where none is known. `.ptr` NULL: the arena is full. */
struct gate_str gate_ledger_pool_builds(const struct gate_ledger_pool *pool, enum gate_side_name side,
                                        struct gate_arena *arena);

/** Fill is_new, has_new and is_whole. */
void gate_ledger_pool_match(struct gate_ledger_pool *pool, const struct gate_ledger *ledger,
                            const struct gate_cli *cli);

/**
 * Put the runs of the ledger, with their work, in front of the new ones.
 *
 * err   GATE_ERR_USAGE work by label, in a file, or told in some looks and not in others
 */
GATE_MUST_CHECK
bool gate_ledger_pool_join(struct gate_ledger_pool *pool, const struct gate_ledger *ledger, struct gate_arena *arena,
                           struct gate_error *err);

/** How a ledger at `ledger` names the file `path`: from its own folder. `.ptr` NULL: the arena is full. */
struct gate_str gate_ledger_pool_relative(const char *ledger, struct gate_str path, struct gate_arena *arena);

#endif
