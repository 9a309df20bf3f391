/* SPDX-License-Identifier: Apache-2.0 */
/* The command `summarize`: puts many runs into one small file. */
#include "gate/cli/command.h"
#include "gate/cli/option_groups.h"
#include "gate/cli/options.h"
#include "gate/formats/summary.h"
#include "gate/session/capture_options.h"
#include "gate/session/input.h"
#include "gate/session/load_sides.h"
#include "gate/session/names_from.h"
#include "gate/session/profile_options.h"
#include "gate/session/reports.h"
#include "gate/session/sandboxing.h"

/* Options of `summarize`. */
struct summarize {
    struct gate_profile_options profiles;
    struct gate_capture_options asking;
    const char *output;
};

#define AT(field) offsetof(struct summarize, field)

static const struct gate_option summarize_rows[] = {
    {"output", 'o', "FILE", "file of the summary, whose name ends in .pgsum (- is standard output); required",
     gate_option_value_output, AT(output), NULL},
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
    {"compare it with other runs", "pprofgate check --baseline good-runs.pgsum --canary canary/"},
    {NULL, NULL}};

static void summarize_begin(void *wanted) {
    struct summarize *summarize = wanted;
    gate_profile_options_begin(&summarize->profiles);
    gate_capture_options_begin(&summarize->asking);
}

/* A run that is being added. */
struct adding {
    struct gate_summary_parts *parts;
    struct gate_str name;
    struct gate_profile named;
    struct gate_error err;
    bool ok;
};

static void adding_do(void *context) {
    struct adding *adding = context;
    adding->ok = gate_summary_parts_add(adding->parts, adding->name, &adding->named, &adding->err);
}

/* Load and add the next profile, then free it. */
static bool summarize_next(struct gate_summary_parts *parts, struct gate_load_ahead *ahead,
                           struct gate_session *session, struct gate_error *err) {
    const char *path = ahead->paths->items[ahead->at];
    struct gate_str name = gate_str_basename(gate_str_from(path));
    struct adding adding = {.parts = parts, .name = gate_paths_is_stream(path) ? GATE_STR("standard input") : name};
    struct gate_load_ahead_one *one = NULL;
    bool ok = gate_load_ahead_next(&one, ahead, &adding.err);
    if (ok)
        gate_steps_add(&session->steps, &one->profile, one->file_bytes);
    ok = ok && gate_steps_check(&session->steps, ahead->limits, &adding.err) &&
         gate_symbol_options_apply(&adding.named, &one->profile, session, &one->arena, &adding.err);
    if (ok)
        gate_load_ahead_do(ahead, adding_do, &adding);
    return (ok && adding.ok) ||
           gate_error_set(err, adding.err.code, "%s: %s", gate_input_name(path), adding.err.message);
}

static bool parts_write(struct gate_summary_parts *parts, const char *output, struct gate_session *session,
                        struct gate_error *err) {
    struct gate_output_parts to;
    if (!gate_output_parts_begin(&to, session, output, err))
        return false;
    bool ok = gate_summary_parts_pack(to.sink, parts, err);
    return gate_output_parts_end(&to, ok, err);
}

static bool summarize_all(const struct summarize *wanted, struct gate_session *session, struct gate_error *err) {
    struct gate_paths paths;
    struct gate_load_ahead ahead;
    struct gate_arena arena;
    struct gate_summary_parts parts;
    if (!gate_input_expand(&paths, &wanted->profiles.arguments, session, &wanted->profiles.limits, err))
        return false;
    gate_load_sides_limit(session, &paths, SIZE_MAX, &wanted->profiles.limits);
    gate_arena_fork(&arena, session->arena);
    gate_summary_parts_begin(&parts, &arena);
    bool ok = true;
    gate_load_ahead_begin(&ahead, session, &paths, &wanted->profiles.limits);
    for (uint32_t i = 0; ok && i < paths.count; i++)
        ok = summarize_next(&parts, &ahead, session, err);
    gate_load_ahead_end(&ahead);
    ok = ok && parts_write(&parts, wanted->output, session, err);
    gate_summary_parts_end(&parts);
    gate_arena_free(&arena);
    return ok;
}

static bool summarize_finish(const struct summarize *wanted, struct gate_session *session, struct gate_error *err) {
    struct gate_arena *arena = session->arena;
    struct gate_file_roles roles = {0};
    if (wanted->profiles.arguments.count == 0)
        return gate_error_set(err, GATE_ERR_USAGE, "expected a PROFILE to summarize");
    if (wanted->output == NULL)
        return gate_error_set(err, GATE_ERR_USAGE,
                              "no output is named; add --output FILE" GATE_SUMMARY_ENDING
                              ", or --output - for standard output");
    if (!gate_paths_is_stream(wanted->output) &&
        !gate_str_ends(gate_str_from(wanted->output), GATE_STR(GATE_SUMMARY_ENDING)))
        return gate_error_set(err, GATE_ERR_USAGE,
                              "'%s': the name of a summary ends in " GATE_SUMMARY_ENDING
                              ", by which it is recognised; name it %s" GATE_SUMMARY_ENDING,
                              wanted->output, wanted->output);
    return gate_output_spare_terminal(session, wanted->output, "output", err) &&
           gate_profile_options_note(&wanted->profiles, "a profile", &roles, arena, err) &&
           gate_capture_options_note(&wanted->asking, &roles, arena, err) && gate_file_roles_check(&roles, err) &&
           gate_file_roles_write(&roles, wanted->output, GATE_OWN_SUMMARY, session, err);
}

/* Narrows the sandbox: profile stores are not queried any more. */
static bool summarize_narrow(const struct summarize *summarize, struct gate_session *session) {
    gate_sandboxing_narrow(session, gate_symbol_options_needs(&summarize->profiles.symbols));
    return true;
}

static bool summarize_run(void *wanted, struct gate_session *session, struct gate_error *err) {
    struct summarize *summarize = wanted;
    return summarize_finish(summarize, session, err) &&
           gate_names_from_open(&summarize->profiles.symbols, session, err) &&
           gate_backend_inputs_take(&summarize->profiles.arguments, 1, &summarize->asking, session, err) &&
           summarize_narrow(summarize, session) && summarize_all(summarize, session, err);
}

static unsigned summarize_needs(const void *wanted) {
    const struct summarize *summarize = wanted;
    return gate_backend_inputs_needs(&summarize->profiles.arguments, 1) |
           gate_symbol_options_needs(&summarize->profiles.symbols);
}

const struct gate_command gate_command_summarize = {
    .name = "summarize",
    .summary = "put many runs into one small file",
    .usage = usage,
    .examples = examples,
    .writes = true,
    .options = options,
    .size = sizeof(struct summarize),
    .arguments = AT(profiles.arguments),
    .begin = summarize_begin,
    .needs = summarize_needs,
    .run = summarize_run,
};
