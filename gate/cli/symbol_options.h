/* SPDX-License-Identifier: Apache-2.0 */
/* The options that say where names are for frames without one. Every command that compares or shows frames takes them.
 * Pipeline: cli/options.h -> cli/symbol_options.h -> cli/names_from.h -> cli/load_sides.h */
#ifndef GATE_CLI_SYMBOL_OPTIONS_H
#define GATE_CLI_SYMBOL_OPTIONS_H

#include "gate/cli/cli.h"
#include "gate/cli/options.h"
#include "gate/profile/profile.h"

/** What a command line says of names. Zeroed: nothing. */
struct gate_symbol_options {
    struct gate_paths paths; /* --symbols */
    bool asks_servers;       /* --debuginfod */
    const char *cache;       /* --debuginfod-cache, or NULL */
};

/** "Names for frames without one:"; fills a struct gate_symbol_options. */
extern const struct gate_option_group gate_symbol_options_group;

/** What they need beside files (base/sandbox.h): the network, where servers are asked. */
unsigned gate_symbol_options_needs(const struct gate_symbol_options *options);

/**
 * `profile` with the names that were found, in `arena` and in that of the run (symbols/symbolise.h); where no option
 * was given names are demangled alone. Not while other threads run.
 */
GATE_MUST_CHECK
bool gate_symbol_options_apply(struct gate_profile *out, const struct gate_profile *profile, struct gate_cli *cli,
                               struct gate_arena *arena, struct gate_error *err);

#endif
