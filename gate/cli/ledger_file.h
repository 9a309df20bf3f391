/* SPDX-License-Identifier: Apache-2.0 */
/* The ledger of a change as a file: which look this run is, on which profiles, and what it found.
 * Pipeline: budget/ledger.h -> cli/ledger_file.h -> cli/judge.h -> cli/decision.h, cli/ledger_file.h */
#ifndef GATE_CLI_LEDGER_FILE_H
#define GATE_CLI_LEDGER_FILE_H

#include "gate/budget/ledger.h"
#include "gate/cli/judge.h"

/** What a command line says of it. Zeroed: no ledger. */
struct gate_ledger_options {
    const char *path;   /* --ledger, or NULL */
    const char *change; /* --change, or NULL: by the builds */
    uint32_t looks;     /* --looks, or 0 */
};

/** Rows that fill a struct gate_ledger_options. */
extern const struct gate_option_group gate_ledger_file_options;

/** A ledger in use. Zeroed: none. */
struct gate_ledger_file {
    const char *path; /* NULL: none */
    struct gate_ledger ledger;
    double fractions[GATE_SPENDING_LOOKS_MAX];
    bool is_next;        /* this run is a look of its own */
    bool is_closed;      /* the verdict of the last look is this run's */
    struct gate_str why; /* then: why */
    int lock;            /* an open file, or -1 */
};

/**
 * Open the ledger: say which look this is in `judging`, and put the profiles and the work of the looks before in front
 * of those given. Where those are gone, an inconclusive look before leaves what it did not spend, and any other stands.
 * A canary of another build, or another --change, begins a new ledger, and that is noted.
 *
 * err   GATE_ERR_USAGE beside --pair, --history, standard input or the looks of a manifest, another --looks than the
 *       ledger's, work that cannot be put together, or where neither --change nor one build id, which all runs of the
 *       canary have, says what the change is; GATE_ERR_CONFIG a ledger that cannot be read; GATE_ERR_INPUT one
 *       of other rules or of another baseline; GATE_ERR_IO, also where another process is using it
 */
GATE_MUST_CHECK
bool gate_ledger_file_open(struct gate_ledger_file *out, const struct gate_ledger_options *options,
                           const struct gate_rules *rules, struct gate_profile_options *profiles,
                           struct gate_judge_options *judging, struct gate_cli *cli, struct gate_error *err);

/** Let an earlier look stand, where it does. err: the arena is full. */
GATE_MUST_CHECK
bool gate_ledger_file_apply(const struct gate_ledger_file *file, struct gate_verdict *verdict, struct gate_arena *arena,
                            struct gate_error *err);

/** Write the look down, before any report is written: a look that somebody may have seen is one. err: GATE_ERR_IO */
GATE_MUST_CHECK
bool gate_ledger_file_save(struct gate_ledger_file *file, const struct gate_verdict *verdict, struct gate_arena *arena,
                           struct gate_error *err);

void gate_ledger_file_close(struct gate_ledger_file *file);

#endif
