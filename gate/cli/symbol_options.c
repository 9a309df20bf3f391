/* SPDX-License-Identifier: Apache-2.0 */
/* Where names are (see symbol_options.h). */
#include "gate/cli/symbol_options.h"

#include "gate/base/sandbox.h"
#include "gate/cli/option_value.h"
#include "gate/symbols/symbolise.h"

#define AT(field) offsetof(struct gate_symbol_options, field)

static const struct gate_option symbol_rows[] = {
    {"symbols", 0, "PATH",
     "a binary, its debug information or a perf map, for profiles of bare addresses; a script's source map, ProGuard's "
     "or R8's mapping.txt; or a folder of them; may be repeated",
     gate_option_value_path, AT(paths), NULL},
    {"debuginfod", 0, NULL, "ask the servers of DEBUGINFOD_URLS for debug information that is not there",
     gate_option_value_flag, AT(asks_servers), NULL},
    {"debuginfod-cache", 0, "DIR", "where what they send is kept (default: pprofgate/debuginfod of the user's cache)",
     gate_option_value_text, AT(cache), NULL},
    {0},
};
const struct gate_option_group gate_symbol_options_group = {"Names for frames without one:", symbol_rows, NULL};

unsigned gate_symbol_options_needs(const struct gate_symbol_options *options) {
    return options->asks_servers ? GATE_NEEDS_NETWORK : 0;
}

bool gate_symbol_options_apply(struct gate_profile *out, const struct gate_profile *profile, struct gate_cli *cli,
                               struct gate_arena *arena, struct gate_error *err) {
    struct gate_symbol_source none;
    gate_symbol_source_init(&none, cli->arena);
    return gate_symbolise(out, profile, cli->symbols == NULL ? &none : cli->symbols, arena, err);
}
