/* SPDX-License-Identifier: Apache-2.0 */
/* Which rules apply, and reading them: --rules, else .pprofgate.yml here, else the recommended preset. */
#ifndef GATE_CLI_RULEFILE_H
#define GATE_CLI_RULEFILE_H

#include "gate/cli/cli.h"
#include "gate/cli/rules_from.h"
#include "gate/rules/rules.h"

#define GATE_RULEFILE_DEFAULT ".pprofgate.yml"

/**
 * Read and parse the rules. `wanted` is the name of a preset, also where a file has it too ("./NAME" is the file),
 * "-" for standard input, or a path; NULL: the default.
 * On failure the file is what `cli` blames. Free with gate_rules_free.
 */
GATE_MUST_CHECK
bool gate_rulefile_load(struct gate_rules *out, struct gate_cli *cli, const char *wanted, struct gate_error *err);

/**
 * The same where --rules-from may name a revision: then that of the checkout is read as the revision has it, as is what
 * it extends there, and what the working tree's says otherwise is added to from->edits. Where the revision has no
 * .pprofgate.yml, and nobody named another, that is the recommended preset, whatever the working tree has.
 */
GATE_MUST_CHECK
bool gate_rulefile_load_from(struct gate_rules *out, struct gate_rules_from *from, struct gate_cli *cli,
                             const char *wanted, struct gate_error *err);

/** Today as YYYY-MM-DD by the clock (UTC), for waivers; SOURCE_DATE_EPOCH can only move it on, never back. */
struct gate_str gate_rulefile_today(struct gate_arena *arena);

#endif
