/* SPDX-License-Identifier: Apache-2.0 */
/* --rules-from: rules and noise models as a revision of the checkout has them, and what the change edits of them.
 * Pipeline: store/ancestry.h + trial/git.h -> cli/rules_from.h -> cli/rulefile.h, cli/judge.h, cli/judge_digest.h */
#ifndef GATE_CLI_RULES_FROM_H
#define GATE_CLI_RULES_FROM_H

#include "gate/cli/cli.h"
#include "gate/cli/options.h"
#include "gate/rules/rules.h"

/** Zeroed: files are read as they lie. */
struct gate_rules_from {
    const char *revision; /* --rules-from, or NULL */
    struct gate_str top;  /* the checkout's folder, absolute, with a '/' behind it */
    struct gate_str here; /* where we are in it: empty, or with a '/' behind it */
    struct gate_str commit;
    struct gate_str edits; /* what the change edits, "budget 'x': removed; …"; empty: nothing */
};

extern const struct gate_option_group gate_rules_from_options; /* --rules-from; fills a struct gate_rules_from */

/** What it needs beside files (base/sandbox.h): git, where a revision is told. */
unsigned gate_rules_from_needs(const struct gate_rules_from *from);

/**
 * Ask git for the checkout and the commit, once. Nothing to do without a revision.
 *
 * err   GATE_ERR_INPUT no git, no checkout, no such revision
 */
GATE_MUST_CHECK
bool gate_rules_from_begin(struct gate_rules_from *from, struct gate_arena *arena, struct gate_error *err);

/** Whether `path` is read from the revision: one inside the checkout, where there is a revision. */
bool gate_rules_from_has(const struct gate_rules_from *from, const char *path, struct gate_arena *arena);

/** Whether there is a file to read at `path`, in the revision or as it lies. */
bool gate_rules_from_is_there(const struct gate_rules_from *from, const char *path, struct gate_arena *arena);

/**
 * The bytes of a small configuration file. `from` may be NULL.
 *
 * err   what gate_input_read_small says; GATE_ERR_INPUT the revision has no such file
 */
GATE_MUST_CHECK
bool gate_rules_from_read(struct gate_str *bytes, const struct gate_rules_from *from, const struct gate_cli *cli,
                          const char *path, struct gate_arena *arena, struct gate_error *err);

/** Add `text` to the edits; empty: nothing is added. False: the arena is full. */
GATE_MUST_CHECK
bool gate_rules_from_add(struct gate_rules_from *from, struct gate_str text, struct gate_arena *arena,
                         struct gate_error *err);

/** Add that the working tree's file at `path` is not the revision's, which is `bytes`; where it is, nothing. */
GATE_MUST_CHECK
bool gate_rules_from_compare(struct gate_rules_from *from, const struct gate_cli *cli, const char *what,
                             const char *path, struct gate_str bytes, struct gate_error *err);

/** "the change edits the rules, and those of main were used: …"; empty where it does not. `.ptr` NULL: no memory. */
struct gate_str gate_rules_from_sentence(const struct gate_rules_from *from, struct gate_arena *arena);

#endif
