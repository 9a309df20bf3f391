/* SPDX-License-Identifier: Apache-2.0 */
/* The profiles of a command line (see load_sides.h). */
#include "gate/cli/load_sides.h"

#include "gate/base/parallel.h"
#include "gate/base/sha256.h"
#include "gate/base/table.h"
#include "gate/cli/input.h"
#include "gate/cli/symbol_options.h"
#include "gate/profile/format.h"
#include "gate/profile/own_code.h"
#include "gate/profile/packed_file.h"
#include "gate/profile/source.h"
#include "gate/profile/steps.h"

#include <sys/stat.h>

/* One side's work: its own arena, so that two threads never share one. */
struct side_load {
    struct gate_run_input *runs;
    struct gate_paths paths;
    const struct gate_limits *limits;
    const struct gate_cli *cli; /* only for what it keeps, which nobody changes any more */
    struct gate_str input;      /* standard input, read before the threads start */
    struct gate_steps steps;
    struct gate_arena arena;
    struct gate_error err;
    bool ok;
};

struct gate_str gate_load_sides_digest(struct gate_str bytes, struct gate_arena *arena) {
    return gate_str_format(arena, "%016llx%016llx", (unsigned long long)gate_hash_bytes(bytes.ptr, bytes.len, 1),
                           (unsigned long long)gate_hash_bytes(bytes.ptr, bytes.len, 2));
}

/* What the reports say of the file's bytes. */
static bool side_note_bytes(struct gate_run_input *run, const char *path, struct gate_str bytes,
                            struct side_load *work) {
    run->path = gate_str_from(gate_input_name(path));
    run->digest = gate_load_sides_digest(bytes, &work->arena);
    run->sha256 = gate_sha256_hex(bytes, &work->arena);
    return run->digest.ptr != NULL && run->sha256.ptr != NULL;
}

static void side_note_profile(struct gate_run_input *run, struct gate_profile *profile, size_t file_bytes,
                              struct side_load *work) {
    gate_steps_add(&work->steps, profile, file_bytes);
    if (work->steps.asked <= gate_steps_most(&work->steps, work->limits))
        gate_own_code_note(profile); /* calibrate compares a run a hundred times */
    run->profile = profile;
}

/* Decode `bytes`, the content of `path`. */
static bool side_load_bytes(struct gate_run_input *run, const char *path, struct gate_str bytes, struct side_load *work,
                            struct gate_error *err) {
    struct gate_profile *profile = GATE_NEW_ARRAY(&work->arena, struct gate_profile, 1);
    if (profile == NULL)
        return gate_arena_error(&work->arena, err);
    if (!gate_profile_load(profile, bytes, work->limits, &work->arena, err))
        return false;
    side_note_profile(run, profile, bytes.len, work);
    gate_hash_wide(run->content, profile->bytes.ptr, profile->bytes.len);
    return side_note_bytes(run, path, bytes, work) || gate_arena_error(&work->arena, err);
}

/* A large packed file, inflated over itself. False: nothing came of it, and the file is read as others are. */
static bool side_load_packed(struct gate_run_input *run, const char *path, struct side_load *work) {
    struct gate_packed_file packed;
    struct gate_arena file;
    gate_arena_fork(&file, &work->arena);
    bool ok = gate_packed_file_read(&packed, gate_str_from(path), work->limits, &file);
    size_t file_bytes = ok ? packed.packed.len : 0;
    struct gate_profile *profile = ok ? GATE_NEW_ARRAY(&work->arena, struct gate_profile, 1) : NULL;
    ok = profile != NULL && side_note_bytes(run, path, packed.packed, work) &&
         gate_packed_file_load(profile, &packed, work->limits, &file, &work->arena);
    if (ok && profile->bytes.ptr == (const char *)packed.block)
        gate_arena_absorb(&work->arena, &file);
    gate_arena_free(&file);
    if (ok) {
        side_note_profile(run, profile, file_bytes, work);
        memcpy(run->content, packed.content, sizeof run->content);
    }
    return ok;
}

static bool side_load_file(struct gate_run_input *run, const char *path, struct side_load *work,
                           struct gate_error *err) {
    struct gate_str bytes = work->input;
    const struct gate_cli_kept *kept = gate_input_kept(work->cli, path);
    if (gate_paths_is_stream(path) || kept != NULL)
        return side_load_bytes(run, path, kept == NULL ? bytes : kept->bytes, work, err);
    if (!gate_input_check(path, err))
        return false;
    if (side_load_packed(run, path, work))
        return true;
    struct gate_arena file;
    gate_arena_fork(&file, &work->arena);
    bool ok = gate_source_read(&bytes, gate_str_from(path), work->limits, &file, err) &&
              side_load_bytes(run, path, bytes, work, err);
    /* What was inflated is a copy, and the packed bytes would only sit in memory; a raw profile is the file itself. */
    if (ok && run->profile->container == GATE_CONTAINER_RAW)
        gate_arena_absorb(&work->arena, &file);
    gate_arena_free(&file);
    return ok;
}

static void side_load_run(struct side_load *work) {
    work->ok = true;
    for (uint32_t i = 0; work->ok && i < work->paths.count; i++) {
        struct gate_error why = {0};
        const char *path = work->paths.items[i];
        work->ok = side_load_file(&work->runs[i], path, work, &why);
        if (!work->ok)
            (void)gate_error_set(&work->err, why.code, "%s: %s", gate_input_name(path), why.message);
    }
}

static void side_load_some(void *context, size_t from, size_t to) {
    struct side_load *work = context;
    for (size_t side = from; side < to; side++)
        side_load_run(&work[side]);
}

/* What memory the inputs of `paths` may take where no option says it; of what is no file, nobody knows. */
static void side_allow(struct gate_cli *cli, const struct gate_paths *paths, size_t stream_bytes) {
    const size_t most = gate_limits_default().memory_bytes;
    size_t bytes = 0;
    for (uint32_t i = 0; i < paths->count; i++) {
        struct stat status;
        bool is_stream = gate_paths_is_stream(paths->items[i]);
        bool is_file = !is_stream && stat(paths->items[i], &status) == 0 && S_ISREG(status.st_mode);
        const struct gate_cli_kept *kept = gate_input_kept(cli, paths->items[i]);
        size_t size = is_stream      ? stream_bytes
                      : is_file      ? (size_t)status.st_size
                      : kept != NULL ? kept->bytes.len
                                     : most;
        bytes = size > most || bytes > most - size ? most : bytes + size;
    }
    bytes = bytes > most / GATE_LIMITS_MEMORY_RATIO ? most : bytes * GATE_LIMITS_MEMORY_RATIO;
    gate_arena_allow(cli->arena, bytes, GATE_LIMITS_MEMORY_LEAST, most);
}

void gate_load_sides_limit(struct gate_cli *cli, const struct gate_paths *paths, size_t stream_bytes,
                           const struct gate_limits *limits) {
    if (limits->memory_bytes == 0)
        side_allow(cli, paths, stream_bytes);
    else
        gate_arena_cap(cli->arena, limits->memory_bytes);
}

/* Read standard input where a side asks for it, and make room for its runs. */
static bool side_prepare(struct side_load *work, struct gate_cli *cli, const struct gate_paths *paths,
                         const struct gate_limits *limits, struct gate_error *err) {
    struct gate_error why = {0};
    *work = (struct side_load){.limits = limits, .cli = cli};
    if (!gate_paths_expand(&work->paths, paths, cli->arena, err))
        return false;
    work->runs = GATE_NEW_ARRAY(cli->arena, struct gate_run_input, (size_t)work->paths.count + 1);
    if (work->runs == NULL)
        return gate_arena_error(cli->arena, err);
    for (uint32_t i = 0; i < work->paths.count; i++)
        if (gate_paths_is_stream(work->paths.items[i]) &&
            !gate_input_read(&work->input, cli, work->paths.items[i], limits, cli->arena, &why))
            return gate_error_set(err, why.code, "%s: %s", gate_input_name(work->paths.items[i]), why.message);
    gate_load_sides_limit(cli, &work->paths, work->input.len, limits);
    return true;
}

/* Give the side an arena of its own, when all that the run's holds beside it is there. */
static void side_fork(struct side_load *work, const struct gate_arena *arena) {
    gate_arena_fork(&work->arena, arena);
}

/* "read base.pb.gz: pprof, 1234 samples of cpu/nanoseconds, 10.0 s, digest ..." */
static void side_tell(struct gate_cli *cli, const struct gate_run_input *run) {
    const struct gate_profile *profile = run->profile;
    gate_cli_tell(cli, "read %.*s: %s, %llu samples with %u types of value, %.1f s, digest %.*s",
                  GATE_STR_ARG(run->path), gate_format_name(profile->format), (unsigned long long)profile->sample_count,
                  (unsigned)profile->sample_type_count, (double)profile->duration_ns / 1e9, GATE_STR_ARG(run->digest));
}

/* Names for the frames of every run; no thread is at work any more. */
static bool side_name(struct side_load *work, struct gate_cli *cli, struct gate_error *err) {
    for (uint32_t i = 0; i < work->paths.count; i++) {
        struct gate_profile *named = GATE_NEW_ARRAY(cli->arena, struct gate_profile, 1);
        if (named == NULL)
            return gate_arena_error(cli->arena, err);
        if (!gate_symbol_options_apply(named, work->runs[i].profile, cli, cli->arena, err))
            return false;
        if (!named->has_language)
            gate_own_code_note(named);
        work->runs[i].profile = named;
    }
    return true;
}

/* Hand what a thread loaded over to the run. */
static bool side_finish(struct gate_side_runs *out, struct gate_cli *cli, struct side_load *work,
                        struct gate_error *err) {
    gate_arena_absorb(cli->arena, &work->arena);
    *out = (struct gate_side_runs){work->runs, work->paths.count};
    if (!work->ok)
        *err = work->err;
    for (uint32_t i = 0; work->ok && i < work->paths.count; i++)
        side_tell(cli, &work->runs[i]);
    cli->steps.asked += work->steps.asked;
    cli->steps.stored_bytes += work->steps.stored_bytes;
    return work->ok && side_name(work, cli, err);
}

uint64_t gate_load_sides_passes(const struct gate_cli *cli, const struct gate_limits *limits) {
    return 2 * (gate_steps_most(&cli->steps, limits) / (cli->steps.asked + 1));
}

bool gate_load_sides_is_same(const struct gate_run_input *a, const struct gate_run_input *b) {
    return a->content[0] == b->content[0] && a->content[1] == b->content[1];
}

bool gate_load_sides_distinct(const struct gate_side_runs *side, struct gate_error *err) {
    for (uint32_t i = 0; i < side->count; i++)
        for (uint32_t j = 0; j < i; j++)
            if (gate_load_sides_is_same(&side->items[i], &side->items[j]))
                return gate_error_set(
                    err, GATE_ERR_INPUT,
                    "%.*s: this is the same capture as %.*s; every run of a side has to be a separate capture",
                    GATE_STR_ARG(side->items[i].path), GATE_STR_ARG(side->items[j].path));
    return true;
}

static bool side_holds(const struct gate_side_runs *side, const struct gate_run_input *run) {
    for (uint32_t i = 0; i < side->count; i++)
        if (gate_load_sides_is_same(&side->items[i], run))
            return true;
    return false;
}

bool gate_load_sides_check(bool *is_same, const struct gate_side_runs sides[GATE_SIDES], struct gate_error *err) {
    const struct gate_side_runs *canary = &sides[GATE_CANARY];
    uint32_t shared = 0;
    struct gate_str first = GATE_STR("");
    for (uint32_t i = 0; i < canary->count; i++) {
        if (!side_holds(&sides[GATE_BASELINE], &canary->items[i]))
            continue;
        first = shared++ == 0 ? canary->items[i].path : first;
    }
    /* The same captures on both sides compare nothing; only some of them is a mistake. */
    *is_same = shared == canary->count && shared == sides[GATE_BASELINE].count;
    if (shared == 0 || *is_same)
        return true;
    return gate_error_set(err, GATE_ERR_INPUT, "%.*s: this capture is given on both sides; remove it from one of them",
                          GATE_STR_ARG(first));
}

bool gate_load_sides(struct gate_side_runs out[GATE_SIDES], bool *is_same, struct gate_cli *cli,
                     const struct gate_paths paths[GATE_SIDES], const struct gate_limits *limits,
                     struct gate_error *err) {
    struct side_load work[GATE_SIDES];
    for (int side = 0; side < GATE_SIDES; side++)
        if (!side_prepare(&work[side], cli, &paths[side], limits, err))
            return false;
    for (int side = 0; side < GATE_SIDES; side++)
        side_fork(&work[side], cli->arena);
    gate_parallel(side_load_some, work, GATE_SIDES, GATE_SIDES);
    bool ok = true;
    for (int side = GATE_SIDES; side-- > 0;) /* the baseline's error, when both failed */
        ok = side_finish(&out[side], cli, &work[side], err) && ok;
    ok = ok && gate_steps_check(&cli->steps, limits, err);
    for (int side = 0; ok && side < GATE_SIDES; side++)
        ok = gate_load_sides_distinct(&out[side], err);
    return ok && gate_load_sides_check(is_same, out, err);
}

bool gate_load_sides_one(struct gate_side_runs *out, struct gate_cli *cli, const struct gate_paths *paths,
                         const struct gate_limits *limits, bool distinct, struct gate_error *err) {
    struct side_load work;
    if (!side_prepare(&work, cli, paths, limits, err))
        return false;
    side_fork(&work, cli->arena);
    side_load_run(&work);
    return side_finish(out, cli, &work, err) && gate_steps_check(&cli->steps, limits, err) &&
           (!distinct || gate_load_sides_distinct(out, err));
}
