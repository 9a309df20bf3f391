/* SPDX-License-Identifier: Apache-2.0 */
/* The options of every command: how it speaks, and its help.
 * Pipeline: cli/options.h -> cli/manner.h -> struct gate_cli */
#ifndef GATE_CLI_MANNER_H
#define GATE_CLI_MANNER_H

#include "gate/cli/cli.h"
#include "gate/cli/options.h"

/** "Of every command:" --color, --verbose, --timings, --help; fills a struct gate_cli. */
extern const struct gate_option_group gate_manner_options;

#endif
