/* SPDX-License-Identifier: Apache-2.0 */
/* The command `merge`: adds profiles up into one. */
#include "gate/base/file.h"
#include "gate/cli/command.h"
#include "gate/cli/option_groups.h"
#include "gate/cli/options.h"
#include "gate/formats/merge.h"
#include "gate/session/merge_inputs.h"
#include "gate/session/reports.h"

/* Options of `merge`. */
struct merge {
    struct gate_merge_inputs inputs;
    int container; /* index into containers; NOT_GIVEN: by the output's name */
    int format;    /* index into format_words; NOT_GIVEN: by the output's name */
};

enum { NOT_GIVEN = -1, PPROF = 0, OTLP = 1 };

#define AT(field) .at = offsetof(struct merge, field)

static const char *const container_words[] = {"gzip", "zstd", "raw", NULL};

static const enum gate_container containers[] = {GATE_CONTAINER_GZIP, GATE_CONTAINER_ZSTD, GATE_CONTAINER_RAW};

static const char *const format_words[] = {"pprof", "otlp", NULL};

static const struct gate_option merge_rows[] = {
    {"output", 'o', "FILE", "file of the merged profile (- is standard output); required", gate_option_value_text,
     AT(inputs.output), .output = GATE_OPTION_FILE},
    {"container", 0, "HOW", "gzip (default; of FILE.otlp raw), zstd or raw", gate_option_value_word, AT(container),
     container_words},
    {"format", 0, "NAME", "pprof (default), or otlp, as for a FILE.otlp or FILE.otlp.gz", gate_option_value_word,
     AT(format), format_words},
    {0},
};

static const struct gate_option_group merge_group = {.rows = merge_rows};

static const struct gate_option_binding options[] = {
    {&merge_group, 0},
    {&gate_symbol_options_group, AT(inputs.profiles.symbols)},
    {&gate_profile_options_limits, AT(inputs.profiles)},
    {&gate_capture_options_stores, AT(inputs.asking)},
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
    gate_merge_inputs_begin(&merge->inputs);
    merge->container = merge->format = NOT_GIVEN;
}

static bool is_otlp(const struct merge *wanted) {
    if (wanted->format != NOT_GIVEN || wanted->inputs.output == NULL)
        return wanted->format == OTLP;
    struct gate_str name = gate_str_from(wanted->inputs.output);
    return gate_str_ends(name, GATE_STR(".otlp")) || gate_str_ends(name, GATE_STR(".otlp.gz"));
}

/* Returns the compression. OTLP is not compressed by default, because collectors read it so. */
static enum gate_container container_of(const struct merge *wanted) {
    if (wanted->container != NOT_GIVEN)
        return containers[wanted->container];
    return gate_str_ends(gate_str_from(wanted->inputs.output), GATE_STR(".otlp")) ? GATE_CONTAINER_RAW
                                                                                  : GATE_CONTAINER_GZIP;
}

static bool profile_add(void *sum, const struct gate_merge_inputs_one *one, struct gate_error *err) {
    return gate_merge_add(sum, one->profile, one->arena, err);
}

static bool merge_warn(const struct gate_merge *sum, struct gate_session *session, struct gate_error *err) {
    return !sum->is_duration_cut ||
           gate_stream_write(session->err,
                             GATE_STR("pprofgate: the durations add up to more than 64 bits can hold; the merged "
                                      "profile's is cut to 292 years\n")) ||
           gate_error_set(err, GATE_ERR_IO, "cannot write to standard error");
}

/* Writes in parts, so that only the sum takes memory. */
static bool merge_write(struct gate_merge *sum, const struct merge *wanted, struct gate_session *session,
                        struct gate_error *err) {
    struct gate_output_parts parts;
    enum gate_container container = container_of(wanted);
    if (!gate_output_parts_begin(&parts, session, wanted->inputs.output, err))
        return false;
    bool ok = is_otlp(wanted) ? gate_merge_pack_otlp(parts.sink, sum, container, err)
                              : gate_merge_pack(parts.sink, sum, container, err);
    return gate_output_parts_end(&parts, ok, err);
}

static bool merge_run(void *wanted, struct gate_session *session, struct gate_error *err) {
    struct merge *merge = wanted;
    struct gate_arena arena;
    struct gate_merge sum;
    if (!gate_merge_inputs_check(&merge->inputs, "merge", is_otlp(merge) ? GATE_OWN_OTLP : GATE_OWN_PPROF, session,
                                 err))
        return false;
    gate_arena_fork(&arena, session->arena);
    gate_merge_begin(&sum, &arena);
    bool ok = gate_merge_inputs_load(&merge->inputs, profile_add, &sum, session, err) &&
              merge_warn(&sum, session, err) && merge_write(&sum, merge, session, err);
    gate_merge_end(&sum);
    gate_arena_free(&arena);
    return ok;
}

static unsigned merge_needs(const void *wanted) {
    return gate_merge_inputs_needs(&((const struct merge *)wanted)->inputs);
}

const struct gate_command gate_command_merge = {
    .name = "merge",
    .summary = "add profiles up into one",
    .usage = usage,
    .examples = examples,
    .writes = true,
    .options = options,
    .size = sizeof(struct merge),
    .arguments = offsetof(struct merge, inputs.profiles.arguments),
    .begin = merge_begin,
    .needs = merge_needs,
    .run = merge_run,
};
