/* SPDX-License-Identifier: Apache-2.0 */
/* Opens what the command line says of names, and asks debuginfod servers for what is not there.
 * Pipeline: cli/symbol_options.h -> cli/names_from.h (capture/fetch.h) -> symbols/symbol_source.h */
#ifndef GATE_CLI_NAMES_FROM_H
#define GATE_CLI_NAMES_FROM_H

#include "gate/cli/symbol_options.h"

/**
 * Look where `options` say and hand it to all that loads profiles for `cli`; the first call of a run alone. Servers are
 * asked later, for each build id once, and only with --debuginfod: those of DEBUGINFOD_URLS in turn, for debug
 * information, then for the binary. What comes is kept as ID/debuginfo and ID/executable in --debuginfod-cache, else in
 * pprofgate/debuginfod of the user's cache. What does not come is a note.
 *
 * err   what symbols/symbol_source.h says of a path; GATE_ERR_USAGE --debuginfod without a server, without a place to
 *       keep what comes, or in a program without libcurl
 */
GATE_MUST_CHECK
bool gate_names_from_open(const struct gate_symbol_options *options, struct gate_cli *cli, struct gate_error *err);

#endif
