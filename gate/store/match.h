/* SPDX-License-Identifier: Apache-2.0 */
/* Choose the accepted revision that a change is compared with, by git ancestry, and warn if it fits badly. */
#ifndef GATE_STORE_MATCH_H
#define GATE_STORE_MATCH_H

#include "gate/base/str.h"
#include "gate/store/store.h"

/* ---- ancestry ---------------------------------------------------------------------------------------------------- */

/* How two revisions are related, as git reports in the checkout around the working directory; read only. */

/** How an earlier revision is related to a later one. */
enum gate_ancestry {
    GATE_ANCESTRY_ANCESTOR,
    GATE_ANCESTRY_SAME,
    GATE_ANCESTRY_UNRELATED, /* on another branch, or a descendant of the later one */
    GATE_ANCESTRY_UNKNOWN    /* a revision is not in this checkout, or there is no checkout or no git */
};

/**
 * Find the commit that `revision` ("HEAD", a tag, an abbreviation) names in this checkout.
 *
 * commit  hexadecimal, in `arena`
 * err     GATE_ERR_INPUT no git, no checkout, or no such commit here, with git's message; GATE_ERR_LIMIT,
 *         GATE_ERR_MEMORY `arena` is full
 */
GATE_MUST_CHECK
bool gate_ancestry_commit(struct gate_str *commit, struct gate_str revision, struct gate_arena *arena,
                          struct gate_error *err);

/* ---- tracked files ----------------------------------------------------------------------------------------------- */

/* If git tracks the files of a store, a change can edit the baseline that it is compared with. */

/**
 * Find a file that git tracks in the folder `path`, in the checkout around the working directory. A tracked link on the
 * way to the folder and a submodule count as well.
 *
 * file  path from the top of the checkout. `.len` is 0 if git tracks nothing there, the folder does not exist or lies
 *       outside of the checkout, or there is no checkout or no git.
 * err   GATE_ERR_INPUT, GATE_ERR_IO git found the checkout and cannot list its files
 */
GATE_MUST_CHECK
bool gate_tracked_find(struct gate_str *file, const char *path, struct gate_arena *arena, struct gate_error *err);

/* ---- matching: the accepted revision to compare with, and accepted runs that show how much runs vary ------------- */

/** The change that is to be compared. */
struct gate_match_change {
    struct gate_str revision;          /* from the command line, else HEAD's commit; `.len` 0: not known */
    struct gate_str commit;            /* the commit that git finds for `revision`; `.len` 0: git does not find one */
    struct gate_str base;              /* commit of --rules-from; `.len` 0: not given */
    const struct gate_record *machine; /* facts of the canary's machine; NULL: not known */
    const struct gate_str *kinds;      /* kinds of profile that the change has */
    uint32_t kind_count;
};

struct gate_match {
    const struct gate_record **records; /* records of one revision, newest first; each has every kind of the change */
    uint32_t count;                     /* 0: no accepted record has all these kinds */
    enum gate_ancestry relation;        /* how that revision is related to the change */
    uint64_t distance;                  /* number of commits from that revision to the change, if it is an ancestor */
    bool is_other_machine;              /* facts of the two machines differ */
};

/**
 * Choose the nearest accepted ancestor of the change. Ancestors from a machine like the canary's have precedence. If no
 * ancestor is known, choose the change's own revision, else the newest record, from a like machine if possible. If
 * `base` is given, skip commits that are neither `base` nor its ancestors: the change could have accepted them.
 *
 * records  of one service and environment, newest first; `out` points into them
 *
 * Runs git up to three times per accepted revision and machine; with `base`, six times.
 */
GATE_MUST_CHECK
bool gate_match_find(struct gate_match *out, const struct gate_records *records, const struct gate_match_change *change,
                     struct gate_arena *arena, struct gate_error *err);

/** Move the kinds that some record has to the front of `kinds`, keep the order otherwise, and return their number. */
uint32_t gate_match_known_kinds(struct gate_str *kinds, uint32_t count, const struct gate_records *records);

/**
 * Find further kinds of profile that were accepted for the revision of `match` on the same kind of machine and are not
 * in `kinds`.
 *
 * out   in `arena`, each kind once
 */
GATE_MUST_CHECK
bool gate_match_other_kinds(struct gate_str **out, uint32_t *out_count, const struct gate_match *match,
                            const struct gate_records *records, const struct gate_str *kinds, uint32_t count,
                            struct gate_arena *arena, struct gate_error *err);

/**
 * Return whether facts of two machines differ: processor model and count, architecture, CPU limit of the container. A
 * fact that one machine lacks counts as equal. If true, `*fact` is the first fact that differs.
 */
bool gate_match_machines_differ(const struct gate_record *a, const struct gate_record *b, const char **fact);

/* ---- fitness: warnings about a baseline from a store, which the rules' guards silence or raise to errors --------- */

/** Input of gate_fitness_judge. */
struct gate_fitness_input {
    const struct gate_match *match; /* has at least one record */
    const struct gate_match_change *change;
    struct gate_str why_unknown; /* reason why git does not find the change's revision; may be empty */
    int64_t now_ms;              /* Unix time */
};

#endif
