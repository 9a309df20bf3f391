/* SPDX-License-Identifier: Apache-2.0 */
/* Options that every command has, and --force. */
#ifndef GATE_CLI_GLOBAL_OPTIONS_H
#define GATE_CLI_GLOBAL_OPTIONS_H

#include "gate/cli/options.h"
#include "gate/session/session.h"

/** --color, --verbose, --error-format, --timings, --help; fills a struct gate_session. */
extern const struct gate_option_group gate_global_options;

/** --force, for commands with outputs; fills a struct gate_session. */
extern const struct gate_option_group gate_manner_outputs;

#endif
