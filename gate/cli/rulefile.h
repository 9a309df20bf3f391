/* SPDX-License-Identifier: Apache-2.0 */
/* Which rules apply, and reading them: --rules, else .pprofgate.yml here, else the recommended preset. */
#ifndef GATE_CLI_RULEFILE_H
#define GATE_CLI_RULEFILE_H

#include "gate/rules/rules.h"
#include "gate/cli/cli.h"

#define GATE_RULEFILE_DEFAULT ".pprofgate.yml"

/**
 * Read and parse the rules. `wanted` is a path, "-" is not allowed, or the name of a preset; NULL: the default.
 * On failure the message, with the file's line and a caret, is written already. Free with gate_rules_free.
 */
GATE_MUST_CHECK bool gate_rulefile_load(struct gate_rules *out, struct gate_cli *cli, const char *wanted);

/** Today as YYYY-MM-DD by the clock (UTC), for waivers; SOURCE_DATE_EPOCH can only move it on, never back. */
struct gate_str gate_rulefile_today(struct gate_arena *arena);

/** The bytes of a small configuration file, capped at 1 MiB. */
GATE_MUST_CHECK
bool gate_rulefile_read(struct gate_str *bytes, struct gate_str path, struct gate_arena *arena, struct gate_error *err);

#endif
