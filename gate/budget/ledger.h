/* SPDX-License-Identifier: Apache-2.0 */
/* What was looked at of one change, so that looking again is the next look and no new beginning.
 * Pipeline: budget/verdict.h -> budget/ledger.h <-> cli/ledger_file.h. Reasons: docs/statistics.md, "Looking more than
 * once". */
#ifndef GATE_BUDGET_LEDGER_H
#define GATE_BUDGET_LEDGER_H

#include "gate/budget/verdict.h"

/** One profile that was looked at. */
struct gate_ledger_run {
    struct gate_str path;   /* from the ledger's folder, or absolute */
    struct gate_str digest; /* as reports have it (compare/pair_types.h) */
    double work;            /* 0: not told */
};

/** A list of them. */
struct gate_ledger_runs {
    struct gate_ledger_run *items;
    uint32_t count;
};

struct gate_ledger_look {
    struct gate_str time; /* "2026-11-21T20:00:00Z" */
    enum gate_outcome outcome;
    struct gate_str found;                    /* the verdict's headline */
    struct gate_ledger_runs runs[GATE_SIDES]; /* those that were new then */
};

/** Zeroed but for `planned`: nothing was looked at yet. Look i has (i + 1) / planned of the information. */
struct gate_ledger {
    struct gate_str rules;
    struct gate_str rules_digest; /* of all that decides (cli/judge_digest.h): by another, there are other looks */
    struct gate_str change;       /* what the user calls it; may be empty */
    struct gate_str builds[GATE_SIDES]; /* ids of the builds; empty: not known */
    uint32_t planned;
    struct gate_ledger_look *looks;
    uint32_t count;
};

/** Read a ledger; strict. Views into the arena. err: GATE_ERR_CONFIG what is wrong with it. */
GATE_MUST_CHECK
bool gate_ledger_read(struct gate_ledger *out, struct gate_str text, struct gate_arena *arena, struct gate_error *err);

void gate_ledger_write(struct gate_buf *out, const struct gate_ledger *ledger);

/** Add a look at the end. */
GATE_MUST_CHECK
bool gate_ledger_add(struct gate_ledger *ledger, const struct gate_ledger_look *look, struct gate_arena *arena,
                     struct gate_error *err);

/** The run of this digest, of either side; NULL: it was not looked at. */
const struct gate_ledger_run *gate_ledger_find(const struct gate_ledger *ledger, struct gate_str digest);

#endif
