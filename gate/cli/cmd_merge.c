/* SPDX-License-Identifier: Apache-2.0 */
/* `pprofgate merge`: many profiles into one, loaded one at a time. */
#include "gate/cli/cli.h"
#include "gate/cli/outfile.h"
#include "gate/cli/overwrite.h"
#include "gate/cli/request.h"
#include "gate/cli/sides.h"
#include "gate/profile/merge.h"
#include "gate/profile/source.h"

enum merge_option { MERGE_OUTPUT = GATE_REQUEST_OPTIONS_END, MERGE_CONTAINER };

static const struct gate_option options[] = {
    {MERGE_OUTPUT, "output", 'o', "FILE", "where the merged profile goes (- is standard output); required"},
    {MERGE_CONTAINER, "container", 0, "HOW", "gzip (default), zstd or raw"},
    GATE_REQUEST_LIMIT_OPTIONS,
    {0, NULL, 0, NULL, NULL},
};

static const char usage[] =
    "Usage: pprofgate merge -o FILE PROFILE...\n"
    "\n"
    "Adds profiles up, stack by stack, into one pprof profile. Equal stacks with\n"
    "equal labels become one sample. A PROFILE may be a directory.\n"
    "\n"
    "Options:\n";

/* A command line of merge, parsed. */
struct merge_request {
    struct gate_request request;
    const char *output;
    int container; /* index into container_words */
};

static const char *const container_words[] = {"gzip", "zstd", "raw", NULL};
static const enum gate_container containers[] = {GATE_CONTAINER_GZIP, GATE_CONTAINER_ZSTD, GATE_CONTAINER_RAW};

static bool merge_read(struct gate_str *bytes, const char *path, const struct merge_request *wanted,
                       struct gate_cli *cli, struct gate_arena *arena, struct gate_error *err) {
    if (strcmp(path, "-") == 0)
        return gate_cli_read_input(bytes, cli, &wanted->request.limits, err);
    return gate_source_read(bytes, gate_str_from(path), &wanted->request.limits, arena, err);
}

/* Load, add, forget: what stays is the merged profile. */
static bool merge_one(struct gate_merge *merge, const char *path, const struct merge_request *wanted,
                      struct gate_cli *cli, struct gate_error *err) {
    struct gate_arena arena;
    struct gate_profile profile;
    struct gate_str bytes;
    struct gate_error why = {0};
    gate_arena_init(&arena, 0);
    bool ok = merge_read(&bytes, path, wanted, cli, &arena, &why) &&
              gate_profile_load(&profile, bytes, &wanted->request.limits, &arena, &why) &&
              gate_merge_add(merge, &profile, &arena, &why);
    gate_arena_free(&arena);
    return ok || gate_error_set(err, why.code, "%s: %s", strcmp(path, "-") == 0 ? "standard input" : path, why.message);
}

static bool merge_all(struct gate_buf *out, const struct merge_request *wanted, struct gate_cli *cli,
                      struct gate_error *err) {
    struct gate_paths paths;
    struct gate_arena arena;
    struct gate_merge merge;
    if (!gate_paths_expand(&paths, &wanted->request.arguments, cli->arena, err))
        return false;
    gate_arena_init(&arena, wanted->request.limits.memory_bytes);
    gate_merge_begin(&merge, &arena);
    bool ok = true;
    for (uint32_t i = 0; ok && i < paths.count; i++)
        ok = merge_one(&merge, paths.items[i], wanted, cli, err);
    ok = ok && gate_merge_write(out, &merge, containers[wanted->container], err);
    gate_merge_end(&merge);
    gate_arena_free(&arena);
    return ok;
}

static bool merge_take(void *context, int id, const char *value, struct gate_cli *cli, struct gate_error *err) {
    struct merge_request *wanted = context;
    if (id == MERGE_OUTPUT)
        wanted->output = value;
    else if (id == MERGE_CONTAINER)
        return gate_option_word(&wanted->container, value, "container", container_words, err);
    else
        return gate_request_take(&wanted->request, id, value, cli->arena, err);
    return true;
}

static const struct gate_syntax syntax = {.usage = usage, .options = options, .take = merge_take};

int gate_merge_run(struct gate_cli *cli, int argc, const char *const *argv) {
    struct merge_request wanted = {0};
    struct gate_error err = {0};
    int status = GATE_EXIT_PASS;
    gate_request_init(&wanted.request);
    if (!gate_cli_read(&status, cli, &syntax, &wanted, argc, argv))
        return status;
    struct gate_buf out = {0};
    bool ok = wanted.request.arguments.count > 0 || gate_error_set(&err, GATE_ERR_USAGE, "expected a PROFILE to merge");
    if (ok && wanted.output == NULL)
        ok = gate_error_set(&err, GATE_ERR_USAGE, "where to? give --output FILE (- is standard output)");
    struct gate_overwrite places = {0};
    ok = ok && gate_overwrite_read_request(&places, &wanted.request, cli->arena, &err) &&
         gate_overwrite_write(&places, wanted.output, cli->arena, &err);
    ok = ok && merge_all(&out, &wanted, cli, &err) && gate_outfile_write(cli, wanted.output, gate_buf_view(&out), &err);
    gate_buf_free(&out);
    return ok ? GATE_EXIT_PASS : gate_cli_fail(cli, &err);
}
