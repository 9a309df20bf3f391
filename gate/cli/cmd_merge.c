/* SPDX-License-Identifier: Apache-2.0 */
/* The command `merge`: adds profiles up into one. */
#include "gate/cli/command.h"
#include "gate/cli/option_groups.h"
#include "gate/cli/options.h"
#include "gate/formats/merge.h"
#include "gate/formats/source.h"
#include "gate/session/capture_options.h"
#include "gate/session/input.h"
#include "gate/session/load_sides.h"
#include "gate/session/names_from.h"
#include "gate/session/profile_options.h"
#include "gate/session/reports.h"
#include "gate/session/sandboxing.h"

/* Options of `merge`. */
struct merge {
    struct gate_profile_options profiles;
    struct gate_capture_options asking;
    const char *output;
    int container; /* index into containers; UNSAID: by the output's name */
    int format;    /* index into format_words; UNSAID: by the output's name */
};

enum { UNSAID = -1, PPROF = 0, OTLP = 1 };

#define AT(field) offsetof(struct merge, field)

static const char *const container_words[] = {"gzip", "zstd", "raw", NULL};

static const enum gate_container containers[] = {GATE_CONTAINER_GZIP, GATE_CONTAINER_ZSTD, GATE_CONTAINER_RAW};

static const char *const format_words[] = {"pprof", "otlp", NULL};

static const struct gate_option merge_rows[] = {
    {"output", 'o', "FILE", "file of the merged profile (- is standard output); required", gate_option_value_output,
     AT(output), NULL},
    {"container", 0, "HOW", "gzip (default; of FILE.otlp raw), zstd or raw", gate_option_value_word, AT(container),
     container_words},
    {"format", 0, "NAME", "pprof (default), or otlp, as for a FILE.otlp or FILE.otlp.gz", gate_option_value_word,
     AT(format), format_words},
    {0},
};

static const struct gate_option_group merge_group = {.rows = merge_rows};

static const struct gate_option_binding options[] = {
    {&merge_group, 0},
    {&gate_symbol_options_group, AT(profiles.symbols)},
    {&gate_profile_options_limits, AT(profiles)},
    {&gate_capture_options_stores, AT(asking)},
    {NULL, 0},
};

static const char usage[] = "Usage: pprofgate merge -o FILE PROFILE...\n"
                            "\n"
                            "Adds profiles up, stack by stack, into one profile, in pprof's format or as OTLP.\n"
                            "Equal stacks with equal labels become one sample. A PROFILE may be a directory, or\n"
                            "the address of a store such as pyroscope+https://HOST?query={...}&from=-1h.\n"
                            "\n"
                            "Options:\n";

static const struct gate_example examples[] = {
    {"several runs into one profile", "pprofgate merge -o all.pb.gz good-runs/"},
    {"a pprof profile as OTLP, for OpenTelemetry's collector", "pprofgate merge -o all.otlp good-runs/"},
    {NULL, NULL}};

static void merge_begin(void *wanted) {
    struct merge *merge = wanted;
    gate_profile_options_begin(&merge->profiles);
    gate_capture_options_begin(&merge->asking);
    merge->container = merge->format = UNSAID;
}

static bool is_otlp(const struct merge *wanted) {
    struct gate_str name = gate_str_from(wanted->output);
    if (wanted->format != UNSAID)
        return wanted->format == OTLP;
    return gate_str_ends(name, GATE_STR(".otlp")) || gate_str_ends(name, GATE_STR(".otlp.gz"));
}

/* Returns the compression. OTLP is not compressed by default, because collectors read it so. */
static enum gate_container container_of(const struct merge *wanted) {
    if (wanted->container != UNSAID)
        return containers[wanted->container];
    return gate_str_ends(gate_str_from(wanted->output), GATE_STR(".otlp")) ? GATE_CONTAINER_RAW : GATE_CONTAINER_GZIP;
}

/* A profile that is being added. */
struct adding {
    struct gate_merge *sum;
    struct gate_load_ahead_one *one;
    struct gate_profile named;
    struct gate_error err;
    bool ok;
};

static void adding_do(void *context) {
    struct adding *adding = context;
    adding->ok = gate_merge_add(adding->sum, &adding->named, &adding->one->arena, &adding->err);
}

/* Loads, adds and frees one profile. Only the sum stays in memory. */
static bool merge_next(struct gate_merge *sum, struct gate_load_ahead *ahead, struct gate_session *session,
                       struct gate_error *err) {
    struct adding adding = {.sum = sum};
    struct gate_load_ahead_one *one = NULL;
    const char *name = gate_input_name(ahead->paths->items[ahead->at]);
    bool ok = gate_load_ahead_next(&one, ahead, &adding.err);
    adding.one = one;
    if (ok)
        gate_steps_add(&session->steps, &one->profile, one->file_bytes);
    ok = ok && gate_steps_check(&session->steps, ahead->limits, &adding.err) &&
         gate_symbol_options_apply(&adding.named, &one->profile, session, &one->arena, &adding.err);
    if (ok)
        gate_load_ahead_do(ahead, adding_do, &adding);
    return (ok && adding.ok) || gate_error_set(err, adding.err.code, "%s: %s", name, adding.err.message);
}

static bool merge_warn(const struct gate_merge *sum, struct gate_session *session, struct gate_error *err) {
    return !sum->is_duration_cut ||
           gate_session_write(session->err,
                              GATE_STR("pprofgate: the durations add up to more than 64 bits can hold; the merged "
                                       "profile's is cut to 292 years\n")) ||
           gate_error_set(err, GATE_ERR_IO, "cannot write to standard error");
}

/* Writes in parts, so that only the sum takes memory. */
static bool merge_write(struct gate_merge *sum, const struct merge *wanted, struct gate_session *session,
                        struct gate_error *err) {
    struct gate_output_parts parts;
    enum gate_container container = container_of(wanted);
    if (!gate_output_parts_begin(&parts, session, wanted->output, err))
        return false;
    bool ok = is_otlp(wanted) ? gate_merge_pack_otlp(parts.sink, sum, container, err)
                              : gate_merge_pack(parts.sink, sum, container, err);
    return gate_output_parts_end(&parts, ok, err);
}

static bool merge_all(const struct merge *wanted, struct gate_session *session, struct gate_error *err) {
    struct gate_paths paths;
    struct gate_arena arena;
    struct gate_merge sum;
    struct gate_load_ahead ahead;
    if (!gate_input_expand(&paths, &wanted->profiles.arguments, session, &wanted->profiles.limits, err))
        return false;
    gate_load_sides_limit(session, &paths, SIZE_MAX, &wanted->profiles.limits);
    gate_arena_fork(&arena, session->arena);
    gate_merge_begin(&sum, &arena);
    bool ok = true;
    gate_load_ahead_begin(&ahead, session, &paths, &wanted->profiles.limits);
    for (uint32_t i = 0; ok && i < paths.count; i++)
        ok = merge_next(&sum, &ahead, session, err);
    gate_load_ahead_end(&ahead);
    ok = ok && merge_warn(&sum, session, err) && merge_write(&sum, wanted, session, err);
    gate_merge_end(&sum);
    gate_arena_free(&arena);
    return ok;
}

static bool merge_finish(const struct merge *wanted, struct gate_session *session, struct gate_error *err) {
    struct gate_arena *arena = session->arena;
    struct gate_file_roles roles = {0};
    if (wanted->profiles.arguments.count == 0)
        return gate_error_set(err, GATE_ERR_USAGE, "expected a PROFILE to merge");
    if (wanted->output == NULL)
        return gate_error_set(err, GATE_ERR_USAGE,
                              "no output is named; add --output FILE, or --output - for standard output");
    return gate_output_spare_terminal(session, wanted->output, "output", err) &&
           gate_profile_options_note(&wanted->profiles, "a profile", &roles, arena, err) &&
           gate_capture_options_note(&wanted->asking, &roles, arena, err) && gate_file_roles_check(&roles, err) &&
           gate_file_roles_write(&roles, wanted->output, is_otlp(wanted) ? GATE_OWN_OTLP : GATE_OWN_PPROF, session,
                                 err);
}

/* Narrows the sandbox: profile stores are not queried any more. */
static bool merge_narrow(const struct merge *merge, struct gate_session *session) {
    gate_sandboxing_narrow(session, gate_symbol_options_needs(&merge->profiles.symbols));
    return true;
}

static bool merge_run(void *wanted, struct gate_session *session, struct gate_error *err) {
    struct merge *merge = wanted;
    return merge_finish(merge, session, err) && gate_names_from_open(&merge->profiles.symbols, session, err) &&
           gate_backend_inputs_take(&merge->profiles.arguments, 1, &merge->asking, session, err) &&
           merge_narrow(merge, session) && merge_all(merge, session, err);
}

static unsigned merge_needs(const void *wanted) {
    const struct merge *merge = wanted;
    return gate_backend_inputs_needs(&merge->profiles.arguments, 1) |
           gate_symbol_options_needs(&merge->profiles.symbols);
}

const struct gate_command gate_command_merge = {
    .name = "merge",
    .summary = "add profiles up into one",
    .usage = usage,
    .examples = examples,
    .writes = true,
    .options = options,
    .size = sizeof(struct merge),
    .arguments = AT(profiles.arguments),
    .begin = merge_begin,
    .needs = merge_needs,
    .run = merge_run,
};
