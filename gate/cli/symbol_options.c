/* SPDX-License-Identifier: Apache-2.0 */
/* Where names are (see symbol_options.h). */
#include "gate/cli/symbol_options.h"

#include "gate/cli/option_value.h"
#include "gate/symbols/symbolise.h"

#define AT(field) offsetof(struct gate_symbol_options, field)

static const struct gate_option symbol_rows[] = {
    {"symbols", 0, "PATH",
     "binaries, their debug information or perf maps, or folders of them, for profiles of bare addresses: matched by "
     "build id; may be repeated",
     gate_option_value_path, AT(paths), NULL},
    {0},
};
const struct gate_option_group gate_symbol_options_group = {"Names for frames without one:", symbol_rows, NULL};

static void tell(void *context, struct gate_str text) {
    gate_cli_note(context, text);
}

bool gate_symbol_options_open(const struct gate_symbol_options *options, struct gate_cli *cli, struct gate_error *err) {
    if (cli->symbols != NULL)
        return true;
    struct gate_symbol_source *source = GATE_NEW_ARRAY(cli->arena, struct gate_symbol_source, 1);
    if (source == NULL)
        return gate_arena_error(cli->arena, err);
    gate_symbol_source_init(source, cli->arena);
    source->listener = (struct gate_symbol_listener){.context = cli, .note = tell};
    for (uint32_t i = 0; i < options->paths.count; i++)
        if (!gate_symbol_source_add(source, options->paths.items[i], err))
            return false;
    cli->symbols = source;
    return true;
}

bool gate_symbol_options_apply(struct gate_profile *out, const struct gate_profile *profile, struct gate_cli *cli,
                               struct gate_error *err) {
    struct gate_symbol_source none;
    gate_symbol_source_init(&none, cli->arena);
    return gate_symbolise(out, profile, cli->symbols == NULL ? &none : cli->symbols, err);
}
