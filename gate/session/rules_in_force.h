/* SPDX-License-Identifier: Apache-2.0 */
/* Finds and loads the rules: a file, a preset, or the version in a git revision. */
#ifndef GATE_SESSION_RULES_IN_FORCE_H
#define GATE_SESSION_RULES_IN_FORCE_H

#include "gate/rules/rules.h"
#include "gate/session/session.h"

/* ---- --rules-from: rules and noise models of a git revision, and how the change edits them ----------------------- */

/** All zero: files are read from the working tree. */
struct gate_rules_from {
    const char *revision; /* --rules-from, or NULL */
    struct gate_str top;  /* top folder of the checkout, absolute, with a trailing '/' */
    struct gate_str here; /* current folder relative to `top`: empty, or with a trailing '/' */
    struct gate_str commit;
    struct gate_str edits; /* edits of the rules by the change: "budget 'x': removed; …"; empty: none */
    bool lacks_rules;      /* the revision has no rules file and none was given, so the built-in rules apply */
};

/**
 * Return what the sandbox has to allow for --rules-from (base/sandbox.h): programs, for git, if a revision is given.
 */
unsigned gate_rules_from_needs(const struct gate_rules_from *from);

/** Read a small configuration file from the revision, or from the working tree if `from` is NULL or the file is not in
 * the checkout. err: GATE_ERR_INPUT if the revision has no such file; errors of gate_input_read_small. */
GATE_MUST_CHECK
bool gate_rules_from_read(struct gate_str *bytes, const struct gate_rules_from *from,
                          const struct gate_session *session, const char *path, struct gate_arena *arena,
                          struct gate_error *err);

/**
 * Add an edit to `from` if the noise model at `path` in the working tree differs from `bytes`, its content in the
 * revision.
 */
GATE_MUST_CHECK
bool gate_rules_from_compare(struct gate_rules_from *from, const struct gate_session *session, const char *path,
                             struct gate_str bytes, struct gate_error *err);

/**
 * Refuse a file or folder that affects the decision if git tracks it, because the change can edit it. Does nothing
 * without --rules-from, or if `path` is NULL.
 *
 * what  the option, such as "--work-file"
 * err   GATE_ERR_INPUT names the file; errors of gate_tracked_find
 */
GATE_MUST_CHECK
bool gate_rules_from_refuse_tracked(const struct gate_rules_from *from, const char *what, const char *path,
                                    struct gate_arena *arena, struct gate_error *err);

/** Return the sentence "the change edits the rules, and those of 'main' were used: …", or a sentence that the change
 * adds the first rules file and the built-in rules were used. Empty if the change edits nothing; `.ptr` is NULL if the
 * arena is full. */
struct gate_str gate_rules_from_sentence(const struct gate_rules_from *from, struct gate_arena *arena);

/* ---- the rules: --rules, else .pprofgate.yml in the current folder, else the recommended preset ------------------ */

#define GATE_RULEFILE_DEFAULT ".pprofgate.yml"

/**
 * Read and parse the rules.
 *
 * wanted  name of a preset (it wins over a file of that name, which is "./NAME"), "-" for standard input, or a path;
 *         NULL: the default
 * err     on failure `session->blamed_path` is the file
 *
 * Free `out` with gate_rules_free.
 */
GATE_MUST_CHECK
bool gate_rulefile_load(struct gate_rules *out, struct gate_session *session, const char *wanted,
                        struct gate_error *err);

/** Like gate_rulefile_load, with --rules-from: a rules file in the checkout, and the files that it extends, are read
 * from the revision. Differences to the working tree are added to from->edits. If the revision has no .pprofgate.yml
 * and no rules are given, uses the recommended preset, even if the working tree has a rules file. */
GATE_MUST_CHECK
bool gate_rulefile_load_from(struct gate_rules *out, struct gate_rules_from *from, struct gate_session *session,
                             const char *wanted, struct gate_error *err);

/** Return the current date (UTC) as YYYY-MM-DD, for waivers: that of gate_store_options_now. */
struct gate_str gate_rulefile_today(struct gate_arena *arena);

#endif
