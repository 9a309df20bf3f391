/* SPDX-License-Identifier: Apache-2.0 */
/* The command `init`: writes a first rules file from a baseline. */
#include "gate/base/file.h"
#include "gate/budget/default_rules.h"
#include "gate/cli/command.h"
#include "gate/cli/option_groups.h"
#include "gate/cli/options.h"
#include "gate/compare/hot_path.h"
#include "gate/rules/rules_parse.h"
#include "gate/rules/starter.h"
#include "gate/session/debuginfod.h"
#include "gate/session/load_sides.h"
#include "gate/session/profile_options.h"
#include "gate/session/reports.h"
#include "gate/session/rules_in_force.h"

#include <errno.h>

/* Options of `init`. */
struct init {
    struct gate_profile_options profiles;
    const char *output;
    uint32_t functions; /* 0: not given */
};

#define AT(field) .at = offsetof(struct init, field)

static const struct gate_option init_rows[] = {
    {"output", 'o', "FILE", "file of the rules (default .pprofgate.yml; - is standard output)", gate_option_value_text,
     AT(output), .output = GATE_OPTION_FILE},
    {"functions", 0, "N", "number of hot functions that get their own budget (default 5)", gate_option_value_count32,
     AT(functions)},
    {"sample-type", 0, "NAME",
     "sample type of the rules: a type, type/unit, or its number (default: the profile's own default)",
     gate_option_value_view, AT(profiles.sample_type)},
    {0},
};

static const struct gate_option_group init_group = {.rows = init_rows};

static const struct gate_option_binding options[] = {
    {&init_group, 0},
    {&gate_symbol_options_group, AT(profiles.symbols)},
    {&gate_profile_options_limits, AT(profiles)},
    {NULL, 0},
};

static const char usage[] = "Usage: pprofgate init [options] BASELINE...\n"
                            "\n"
                            "Writes a commented rules file to start from: general budgets, and one for each\n"
                            "of the baseline's hot functions with a limit that such profiles can decide.\n"
                            "\n"
                            "Options:\n";

static const struct gate_example examples[] = {{"write .pprofgate.yml", "pprofgate init baseline.pb.gz"},
                                               {"look at it first", "pprofgate init -o - baseline.pb.gz"},
                                               {NULL, NULL}};

static void init_begin(void *wanted) {
    ((struct init *)wanted)->output = GATE_RULEFILE_DEFAULT;
}

/* Presets for CPU profiles of a language; NULL: recommended. */
static const char *const language_presets[GATE_LANGUAGES] = {
    [GATE_LANGUAGE_JVM] = "jvm", [GATE_LANGUAGE_NODE] = "node", [GATE_LANGUAGE_PYTHON] = "python"};

/* Sets `*out` to the preset for the profile's type, if the profile has every sample type that the preset needs; of
 * other types to the preset for its language; else to NULL, which means recommended. */
static bool init_preset(const char **out, const struct init *init, const struct gate_side_runs *runs,
                        const struct gate_pair *pair, struct gate_arena *arena, struct gate_error *err) {
    const char *name = gate_default_rules_preset(pair->type.type);
    const struct gate_plan_input input = {
        .label = init->profiles.sample_type, .runs = {runs->items, runs->items}, .counts = {runs->count, runs->count}};
    struct gate_rules chosen = {0}, whole = {0};
    bool is_recommended = strcmp(name, "recommended") == 0;
    *out = is_recommended ? language_presets[pair->language] : NULL;
    if (is_recommended)
        return true;
    if (!gate_rules_parse_preset(&chosen, "recommended", arena, err))
        return false;
    bool ok = gate_default_rules_choose(&chosen, &input, 1, GATE_STR(""), arena, err) &&
              gate_rules_parse_preset(&whole, name, arena, err);
    if (ok && chosen.budget_count == whole.budget_count && gate_str_starts(chosen.source, gate_str_from(name)))
        *out = name;
    gate_rules_free(&chosen);
    gate_rules_free(&whole);
    return ok;
}

/* Compares the baseline with itself, and writes limits that such a comparison could decide. */
static bool init_write(struct gate_buf *out, const struct init *init, struct gate_session *session,
                       struct gate_error *err) {
    struct gate_side_runs runs;
    struct gate_pair pair;
    struct gate_delta_list deltas;
    if (!gate_load_sides_one(&runs, session, &init->profiles.arguments, &init->profiles.limits, true, err))
        return false;
    const struct gate_run_input *const sides[GATE_SIDES] = {runs.items, runs.items};
    const uint32_t counts[GATE_SIDES] = {runs.count, runs.count};
    const struct gate_pair_options pairing =
        gate_profile_options_pairing(&init->profiles, (struct gate_frame_options){0}, (struct gate_counts_options){0});
    struct gate_starter_options starter = {.source = runs.items[0].path, .function_limit = init->functions};
    return gate_hot_path_costs(&pair, &deltas, sides, counts, &pairing, session->arena, err) &&
           init_preset(&starter.preset, init, &runs, &pair, session->arena, err) &&
           gate_starter_write(out, &pair, &deltas, &starter, session->arena, err) && gate_buf_check(out, err);
}

static bool init_place(const struct init *init, struct gate_str text, struct gate_session *session,
                       struct gate_error *err) {
    struct gate_str note = gate_str_format(session->arena, "wrote %s; now run: pprofgate check -r %s BASELINE CANARY\n",
                                           init->output, init->output);
    if (note.ptr == NULL)
        return gate_arena_error(session->arena, err);
    if (!gate_output_keep(session, init->output, text, err))
        return false;
    if (gate_paths_is_stream(init->output))
        return true;
    return gate_stream_write(session->out, note) ||
           gate_error_set(err, GATE_ERR_IO, "cannot write to standard output: %s", strerror(errno));
}

static bool init_finish(const struct init *init, struct gate_session *session, struct gate_error *err) {
    struct gate_arena *arena = session->arena;
    struct gate_file_roles roles = {0};
    if (init->profiles.arguments.count == 0)
        return gate_error_set(err, GATE_ERR_USAGE, "expected a BASELINE to start from");
    return gate_profile_options_note(&init->profiles, "a run of the baseline", &roles, arena, err) &&
           gate_file_roles_check(&roles, err) &&
           gate_file_roles_write(&roles, init->output, GATE_OWN_RULES, session, err);
}

static bool init_run(void *wanted, struct gate_session *session, struct gate_error *err) {
    const struct init *init = wanted;
    struct gate_buf out = {0};
    bool ok = init_finish(init, session, err) && gate_debuginfod_open(&init->profiles.symbols, session, err) &&
              init_write(&out, init, session, err) && init_place(init, gate_buf_view(&out), session, err);
    gate_buf_free(&out);
    return ok;
}

const struct gate_command gate_command_init = {
    .name = "init",
    .summary = "write a first rules file from a baseline",
    .usage = usage,
    .examples = examples,
    .writes = true,
    .options = options,
    .size = sizeof(struct init),
    .arguments = offsetof(struct init, profiles.arguments),
    .begin = init_begin,
    .run = init_run,
};
