/* SPDX-License-Identifier: Apache-2.0 */
/* The command `summarize`: puts many runs into one small file. */
#include "gate/capture/paths.h"
#include "gate/cli/command.h"
#include "gate/cli/option_groups.h"
#include "gate/cli/options.h"
#include "gate/formats/summary.h"
#include "gate/session/input.h"
#include "gate/session/merge_inputs.h"
#include "gate/session/reports.h"

#include <sys/stat.h>

#define AT(field) .at = offsetof(struct gate_merge_inputs, field)

static const struct gate_option summarize_rows[] = {
    {"output", 'o', "FILE", "file of the summary, whose name ends in .pgsum (- is standard output); required",
     gate_option_value_text, AT(output), .output = GATE_OPTION_FILE},
    {0},
};

static const struct gate_option_group summarize_group = {.rows = summarize_rows};

static const struct gate_option_binding options[] = {
    {&summarize_group, 0},
    {&gate_symbol_options_group, AT(profiles.symbols)},
    {&gate_profile_options_limits, AT(profiles)},
    {&gate_capture_options_stores, AT(asking)},
    {NULL, 0},
};

static const char usage[] = "Usage: pprofgate summarize -o FILE.pgsum PROFILE...\n"
                            "\n"
                            "Puts runs into one small file. Every command that reads profiles reads it in their\n"
                            "place, with the same verdict. Functions and stacks that runs have in common are\n"
                            "stored once, so a run takes a few per cent of its profile. Summaries can be put\n"
                            "together with cat. A PROFILE may be a directory, a summary, or the address of a store\n"
                            "such as pyroscope+https://HOST?query={...}&from=-1h.\n"
                            "\n"
                            "Options:\n";

static const struct gate_example examples[] = {
    {"the runs of a folder into one file", "pprofgate summarize -o good-runs.pgsum good-runs/"},
    {"compare it with other runs", "pprofgate check --baseline good-runs.pgsum --canary canary.pb.gz"},
    {NULL, NULL}};

static bool profile_add(void *sum, const struct gate_merge_inputs_one *one, struct gate_error *err) {
    struct gate_str name = gate_str_basename(gate_str_from(one->path));
    if (gate_paths_is_stream(one->path))
        name = GATE_STR("standard input");
    return gate_summary_parts_add(sum, name, one->profile, err);
}

static bool parts_write(struct gate_summary_parts *parts, const char *output, struct gate_session *session,
                        struct gate_error *err) {
    struct gate_output_parts to;
    if (!gate_output_parts_begin(&to, session, output, err))
        return false;
    bool ok = gate_summary_parts_pack(to.sink, parts, err);
    return gate_output_parts_end(&to, ok, err);
}

/* Refuses a name by which no command would recognise the file. A device or a pipe has any name. */
static bool name_check(const char *output, struct gate_error *err) {
    struct stat status;
    if (output == NULL || gate_input_is_summary(output) || gate_paths_is_stream(output) ||
        (stat(output, &status) == 0 && !S_ISREG(status.st_mode)))
        return true;
    return gate_error_set(err, GATE_ERR_USAGE,
                          "option '--output': a summary is recognised by its name: name it %s" GATE_SUMMARY_ENDING,
                          output);
}

static bool summarize_run(void *wanted, struct gate_session *session, struct gate_error *err) {
    struct gate_merge_inputs *inputs = wanted;
    struct gate_arena arena;
    struct gate_summary_parts parts;
    if (!gate_merge_inputs_check(inputs, "summarize", GATE_OWN_SUMMARY, session, err) ||
        !name_check(inputs->output, err))
        return false;
    gate_arena_fork(&arena, session->arena);
    gate_summary_parts_begin(&parts, &arena);
    bool ok = gate_merge_inputs_load(inputs, profile_add, &parts, session, err) &&
              parts_write(&parts, inputs->output, session, err);
    gate_summary_parts_end(&parts);
    gate_arena_free(&arena);
    return ok;
}

const struct gate_command gate_command_summarize = {
    .name = "summarize",
    .summary = "put many runs into one small file",
    .usage = usage,
    .examples = examples,
    .writes = true,
    .options = options,
    .size = sizeof(struct gate_merge_inputs),
    .arguments = offsetof(struct gate_merge_inputs, profiles.arguments),
    .begin = gate_merge_inputs_begin,
    .needs = gate_merge_inputs_needs,
    .run = summarize_run,
};
