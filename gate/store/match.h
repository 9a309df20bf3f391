/* SPDX-License-Identifier: Apache-2.0 */
/* Which of the accepted revisions a change is compared with, and which other accepted runs tell how much runs vary.
 * Pipeline: store/records.h + store/ancestry.h -> store/match.h -> cli/accepted.h */
#ifndef GATE_STORE_MATCH_H
#define GATE_STORE_MATCH_H

#include "gate/store/ancestry.h"
#include "gate/store/records.h"

/** The change: what is to be compared. */
struct gate_match_change {
    struct gate_str revision;          /* as told, or HEAD's commit; `.len` 0: not known */
    struct gate_str commit;            /* of git; `.len` 0: git does not know it */
    const struct gate_record *machine; /* whose facts are those of the canary's machine; NULL: not known */
    const struct gate_str *kinds;      /* of its profiles */
    uint32_t kind_count;
};

struct gate_match {
    const struct gate_record **records; /* of one revision, newest first, all with every kind of the change */
    uint32_t count;                     /* 0: nothing was accepted that has them */
    enum gate_ancestry relation;        /* of that revision to the change */
    uint64_t distance;                  /* commits between them, of an ancestor */
    bool is_other_machine;              /* facts of the machines differ */
};

/**
 * The nearest ancestor of the change; of those that were taken on a machine like the canary's where there are any.
 * Where no ancestor is known: the change's own revision, else what was accepted last.
 *
 * records  of one service and environment, newest first; the match points into them
 * err      GATE_ERR_LIMIT the arena is full
 *
 * Asks git twice for each revision.
 */
GATE_MUST_CHECK
bool gate_match_find(struct gate_match *out, const struct gate_records *records, const struct gate_match_change *change,
                     struct gate_arena *arena, struct gate_error *err);

/** Move the kinds that some record has to the front, each part in its order. How many those are. */
uint32_t gate_match_known_kinds(struct gate_str *kinds, uint32_t count, const struct gate_records *records);

/** Whether the facts of two machines differ: model and number of processors, architecture, the container's limit. What
 * one of them does not tell does not differ. `*fact` is the first that does. */
bool gate_match_machines_differ(const struct gate_record *a, const struct gate_record *b, const char **fact);

#endif
