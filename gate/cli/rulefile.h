/* SPDX-License-Identifier: Apache-2.0 */
/* Which rules apply, and reading them: --rules, else .pprofgate.yml here, else the recommended preset. */
#ifndef GATE_CLI_RULEFILE_H
#define GATE_CLI_RULEFILE_H

#include "gate/cli/cli.h"
#include "gate/rules/rules.h"

#define GATE_RULEFILE_DEFAULT ".pprofgate.yml"

/**
 * Read and parse the rules. `wanted` is a path, "-" for standard input, or the name of a preset; NULL: the default.
 * On failure the file is what `cli` blames. Free with gate_rules_free.
 */
GATE_MUST_CHECK
bool gate_rulefile_load(struct gate_rules *out, struct gate_cli *cli, const char *wanted, struct gate_error *err);

/** Today as YYYY-MM-DD by the clock (UTC), for waivers; SOURCE_DATE_EPOCH can only move it on, never back. */
struct gate_str gate_rulefile_today(struct gate_arena *arena);

#endif
