/* SPDX-License-Identifier: Apache-2.0 */
/* The options that say where names are for frames without one. Every command that compares or shows frames takes them.
 * Pipeline: cli/options.h -> cli/symbol_options.h -> cli/load_sides.h (symbols/symbolise.h) */
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

/**
 * Look where `options` say and hand it to all that loads profiles for `cli`; the first call of a run alone.
 *
 * err   what symbols/symbol_source.h says of a path; GATE_ERR_USAGE --debuginfod without a server, or without libcurl
 */
GATE_MUST_CHECK
bool gate_symbol_options_open(const struct gate_symbol_options *options, struct gate_cli *cli, struct gate_error *err);

/**
 * `profile` with the names that were found, in the arena of the run (symbols/symbolise.h); where no option was given
 * names are demangled alone. Not while other threads run.
 */
GATE_MUST_CHECK
bool gate_symbol_options_apply(struct gate_profile *out, const struct gate_profile *profile, struct gate_cli *cli,
                               struct gate_error *err);

#endif
