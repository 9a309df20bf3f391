/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/session/load_sides.h"

#include "gate/base/buf.h"
#include "gate/base/hash.h"
#include "gate/base/parallel.h"
#include "gate/base/str.h"
#include "gate/capture/backend.h"
#include "gate/capture/manifest.h"
#include "gate/capture/paths.h"
#include "gate/compare/pair.h"
#include "gate/formats/format.h"
#include "gate/guards/build_facts.h"
#include "gate/model/effective_samples.h"
#include "gate/model/limits.h"
#include "gate/model/profile.h"
#include "gate/model/shared_tables.h"
#include "gate/model/unit.h"
#include "gate/names/own_code.h"
#include "gate/session/input.h"
#include "gate/session/profile_options.h"
#include "gate/session/session.h"
#include "gate/store/record.h"
#include "gate/symbols/symbolise.h"

#include <sys/stat.h>
#include <sys/utsname.h>

enum { NS_PER_MS = 1000000 };

/* ---- runs from profiles ------------------------------------------------------------------------------------------ */

static struct gate_str type_text(const struct gate_value_type *type, struct gate_arena *arena) {
    return gate_str_format(arena, "%.*s/%.*s", GATE_STR_ARG(type->type), GATE_STR_ARG(type->unit));
}

static struct gate_str types_text(const struct gate_profile *profile, struct gate_arena *arena) {
    struct gate_buf text = {0};
    for (uint32_t i = 0; i < profile->sample_type_count; i++) {
        gate_buf_text(&text, i == 0 ? "" : " ");
        gate_buf_str(&text, profile->sample_types[i].type);
        gate_buf_char(&text, '/');
        gate_buf_str(&text, profile->sample_types[i].unit);
    }
    return gate_buf_keep(&text, arena);
}

/* ---- the part of a run that comes from its profile: kind, types, period, times, language and build --------------- */

/* Fill `out` from `profile`; all other fields are empty or 0. Texts are copied, so that the profile can be freed.
 *
 * err   GATE_ERR_INPUT its default sample type is not among its sample types; GATE_ERR_LIMIT */
static bool describe_run(struct gate_record_run *out, const struct gate_profile *profile, struct gate_arena *arena,
                         struct gate_error *err) {
    struct gate_build_facts facts;
    uint32_t column = 0;
    if (!gate_sample_type_find(&column, profile, GATE_STR(""), err))
        return false;
    gate_build_facts_read(&facts, profile);
    const enum gate_language language = gate_own_code_language(profile);
    const struct gate_value_type *period = &profile->period_type;
    *out = (struct gate_record_run){.kind = gate_str_copy(arena, profile->sample_types[column].type),
                                    .types = types_text(profile, arena),
                                    .language = gate_str_from(gate_own_code_language_name(language)),
                                    .build_id = gate_str_copy(arena, gate_profile_build_id(profile)),
                                    .version = gate_str_copy(arena, facts.version),
                                    .period_type = period->type.len > 0 ? type_text(period, arena) : GATE_STR(""),
                                    .period = profile->period > 0 ? profile->period : 0,
                                    .taken_ns = profile->time_ns > 0 ? profile->time_ns : 0,
                                    .duration_ns = profile->duration_ns > 0 ? profile->duration_ns : 0,
                                    .samples =
                                        profile->sample_count > INT64_MAX ? INT64_MAX : (int64_t)profile->sample_count};
    out->source = out->instance = out->name = out->object = GATE_STR("");
    if (out->kind.ptr == NULL || out->types.ptr == NULL || out->build_id.ptr == NULL || out->version.ptr == NULL ||
        out->period_type.ptr == NULL)
        return gate_arena_error(arena, err);
    return true;
}

/* ---- profiles for a store of baselines --------------------------------------------------------------------------- */

static bool has_side(const struct gate_manifest *manifest, int side) {
    for (uint32_t i = 0; i < manifest->count; i++)
        if ((int)manifest->runs[i].side == side)
            return true;
    return false;
}

static bool find_in_manifest(struct gate_run_files *out, const char *dir, int side, struct gate_arena *arena,
                             struct gate_error *err) {
    struct gate_manifest *manifest = GATE_NEW_ARRAY(arena, struct gate_manifest, 1);
    if (manifest == NULL)
        return gate_arena_error(arena, err);
    if (!gate_manifest_file_read(manifest, dir, arena, err))
        return false;
    out->is_chosen = side < 0 && has_side(manifest, GATE_CANARY) && has_side(manifest, GATE_BASELINE);
    if (side < 0)
        side = has_side(manifest, GATE_CANARY) ? GATE_CANARY : GATE_BASELINE;
    out->manifest = manifest;
    out->items = GATE_NEW_ARRAY(arena, struct gate_run_file, manifest->count);
    if (out->items == NULL)
        return gate_arena_error(arena, err);
    for (uint32_t i = 0; i < manifest->count; i++) {
        if ((int)manifest->runs[i].side != side)
            continue;
        const char *path = gate_path_join(dir, manifest->runs[i].file, arena);
        if (path == NULL)
            return gate_arena_error(arena, err);
        out->items[out->count++] = (struct gate_run_file){.path = path, .entry = &manifest->runs[i]};
    }
    return out->count > 0 || gate_error_set(err, GATE_ERR_INPUT, "%s: its manifest has no run of the %s", dir,
                                            gate_side_word((enum gate_side_name)side));
}

static bool find_named(struct gate_run_files *out, const struct gate_paths *paths, struct gate_session *session,
                       struct gate_error *err) {
    struct gate_paths files;
    for (uint32_t i = 0; i < paths->count; i++)
        if (gate_paths_is_stream(paths->items[i]))
            return gate_error_set(err, GATE_ERR_USAGE,
                                  "'-' is standard input and cannot be used with a store; name a file");
    if (!gate_input_expand(&files, paths, session, NULL, err))
        return false;
    out->items = GATE_NEW_ARRAY(session->arena, struct gate_run_file, files.count);
    if (out->items == NULL)
        return gate_arena_error(session->arena, err);
    for (uint32_t i = 0; i < files.count; i++)
        out->items[out->count++] =
            (struct gate_run_file){.path = files.items[i], .kept = gate_input_kept(session, files.items[i])};
    return true;
}

/* Reads the version from the address of a slice; a manifest has that address as the source of a run. */
static bool set_versions(struct gate_run_files *out, struct gate_arena *arena, struct gate_error *err) {
    bool is_one = true;
    for (uint32_t i = 0; i < out->count; i++) {
        struct gate_run_file *file = &out->items[i];
        struct gate_str address = file->entry != NULL ? file->entry->source : gate_str_from(file->path);
        struct gate_backend_address read;
        struct gate_error ignored = {0};
        file->version = GATE_STR("");
        if ((file->entry != NULL || file->kept != NULL) && gate_backend_address_read(&read, address, arena, &ignored)) {
            out->is_of_stores = true;
            file->version = gate_str_copy(arena, gate_backend_address_version(&read));
        }
        if (file->version.ptr == NULL || ignored.code == GATE_ERR_MEMORY)
            return gate_arena_error(arena, err);
        is_one = is_one && gate_str_equal(file->version, out->items[0].version);
    }
    out->version = is_one && out->count > 0 ? out->items[0].version : GATE_STR("");
    return true;
}

bool gate_run_files_find(struct gate_run_files *out, const struct gate_paths *paths, int side,
                         struct gate_session *session, struct gate_error *err) {
    *out = (struct gate_run_files){.version = GATE_STR("")};
    bool has_manifest = paths->count == 1 && gate_manifest_file_exists(paths->items[0], session->arena);
    return (has_manifest ? find_in_manifest(out, paths->items[0], side, session->arena, err)
                         : find_named(out, paths, session, err)) &&
           set_versions(out, session->arena, err);
}

static void take_entry(struct gate_record_run *run, const struct gate_manifest_run *entry) {
    run->source = entry->source;
    run->instance = entry->instance;
    run->work = entry->work;
    run->by = entry->by;
    run->by_count = entry->by_count;
    if (run->build_id.len == 0)
        run->build_id = entry->revision;
}

static bool load_bytes(struct gate_record_run *run, struct gate_str bytes, const struct gate_run_file *file,
                       const struct gate_limits *limits, struct gate_arena *scratch, struct gate_arena *arena,
                       struct gate_error *err) {
    struct gate_profile profile;
    struct gate_str name = gate_str_basename(gate_str_from(file->path));
    if (!gate_profile_load_alone(&profile, bytes, limits, scratch, err) || !describe_run(run, &profile, arena, err))
        return false;
    run->name = gate_str_repair_utf8(arena, name);
    run->bytes = (int64_t)bytes.len;
    if (run->version.len == 0)
        run->version = file->version;
    if (file->kept != NULL)
        run->source = gate_str_repair_utf8(arena, gate_str_from(file->path));
    if (run->name.ptr == NULL || run->source.ptr == NULL)
        return gate_arena_error(arena, err);
    if (file->entry != NULL)
        take_entry(run, file->entry);
    return true;
}

bool gate_run_files_load(struct gate_record_run *run, struct gate_str *bytes, const struct gate_run_file *file,
                         const struct gate_limits *limits, struct gate_arena *scratch, struct gate_arena *arena,
                         struct gate_error *err) {
    if (file->kept != NULL ? !gate_input_kept_bytes(bytes, file->kept, scratch, err)
                           : !gate_source_read(bytes, gate_str_from(file->path), limits, scratch, err))
        return gate_error_prefix(err, "%s", file->path);
    struct gate_str digest = gate_sha256_hex(*bytes, arena);
    if (digest.ptr == NULL)
        return gate_arena_error(arena, err);
    if (file->entry != NULL && !gate_str_equal(digest, file->entry->digest))
        return gate_error_set(err, GATE_ERR_INPUT, "%s: its digest differs from the manifest; capture it again",
                              file->path);
    if (!load_bytes(run, *bytes, file, limits, scratch, arena, err))
        return gate_error_prefix(err, "%s", file->path);
    run->object = digest;
    return true;
}

/* ---- the profiles of a command line ------------------------------------------------------------------------------ */

/* Sides with at least SHARED_RUNS_LEAST runs keep them in shared tables, which take less memory. If most stacks of
 * large profiles occur in one run only, sharing takes time and saves nothing. So if a large profile adds a new stack
 * for every NEW_STACKS_MOST-th sample or more often, the large profiles after it keep their bytes. Shared tables
 * contain the functions of all runs. Runs that are compared one by one, as by calibrate, need tables of their own,
 * because a function that the other run lacks is charged to its caller (compare/pair.c). */
enum { SHARED_RUNS_LEAST = 8, LARGE_BYTES = 1 << 20, SHARED_BYTES_MOST = 64 << 20, NEW_STACKS_MOST = 4 };

/* The loading of one side. It has its own arena, because arenas are not shared between threads. */
struct side_load {
    struct gate_run_input *runs;
    struct gate_shared_tables *shared; /* NULL: every run keeps the bytes of its file */
    struct gate_paths paths;
    const struct gate_session_kept *inputs; /* one for each path; NULL: files, and inputs that the session keeps */
    const struct gate_limits *limits;
    const struct gate_session *session; /* only for the slices that it keeps, which do not change any more */
    struct gate_str input;              /* content of standard input, read before the threads start */
    struct gate_steps steps;
    uint64_t input_bytes; /* stored bytes of the inputs, of both sides if two are loaded */
    struct gate_arena arena;
    struct gate_arena one;   /* arena of the current profile, if it may be shared; freed once it is shared */
    struct gate_arena *into; /* `one` or `arena` */
    struct gate_error err;
    bool ok;
    bool is_whole;     /* its runs are always compared together */
    bool large_differ; /* large runs keep the bytes of their files */
};

struct gate_str gate_load_sides_digest(struct gate_str bytes, struct gate_arena *arena) {
    return gate_str_format(arena, "%016llx%016llx", (unsigned long long)gate_hash_bytes(bytes.ptr, bytes.len, 1),
                           (unsigned long long)gate_hash_bytes(bytes.ptr, bytes.len, 2));
}

/* Sets the path and the digests of a file, for reports. */
static bool side_note_bytes(struct gate_run_input *run, const char *path, struct gate_str bytes,
                            struct side_load *work) {
    run->path = gate_str_from(gate_input_name(path));
    run->digest = gate_load_sides_digest(bytes, &work->arena);
    run->sha256 = gate_sha256_hex(bytes, &work->arena);
    return run->digest.ptr != NULL && run->sha256.ptr != NULL;
}

/* Store the language of the profile in it, for repeated calls. No other thread may read the profile meanwhile. */
static void note_language(struct gate_profile *profile) {
    profile->language = gate_own_code_language(profile);
    profile->has_language = true;
}

static void side_note_profile(struct gate_run_input *run, struct gate_profile *profile, size_t file_bytes,
                              struct side_load *work) {
    gate_steps_add(&work->steps, profile, file_bytes);
    if (work->steps.needed <= gate_steps_most(&work->steps, work->limits))
        note_language(profile); /* once here, because calibrate compares a run many times */
    gate_hash_wide(run->content, profile->bytes.ptr, profile->bytes.len);
    run->profile = profile;
}

/* Decodes `bytes`, the content of `path`. `kept` is NULL if it is a file. */
static bool side_load_bytes(struct gate_run_input *run, const char *path, struct gate_str bytes,
                            const struct gate_session_kept *kept, struct side_load *work, struct gate_error *err) {
    struct gate_profile *profile = GATE_NEW_ARRAY(work->into, struct gate_profile, 1);
    if (profile == NULL)
        return gate_arena_error(work->into, err);
    if (!gate_profile_load(profile, bytes, work->limits, work->into, err))
        return false;
    work->steps.needed += gate_input_kept_steps(kept, bytes);
    side_note_profile(run, profile, gate_input_kept_size(kept, bytes), work);
    return side_note_bytes(run, path, bytes, work) || gate_arena_error(&work->arena, err);
}

/* Loads a large gzip file by inflating it in place, which saves memory. Returns false if that is not possible; the
 * file is then read the usual way. */
static bool side_load_packed(struct gate_run_input *run, const char *path, struct side_load *work) {
    struct gate_packed_file packed;
    struct gate_arena file;
    gate_arena_fork(&file, work->into);
    bool ok = gate_packed_file_read(&packed, gate_str_from(path), work->limits, &file);
    size_t file_bytes = ok ? packed.packed.len : 0;
    struct gate_profile *profile = ok ? GATE_NEW_ARRAY(work->into, struct gate_profile, 1) : NULL;
    ok = profile != NULL && side_note_bytes(run, path, packed.packed, work) &&
         gate_packed_file_load(profile, &packed, work->limits, &file, work->into);
    if (ok && profile->bytes.ptr == (const char *)packed.block)
        gate_arena_absorb(work->into, &file);
    gate_arena_free(&file);
    if (ok)
        side_note_profile(run, profile, file_bytes, work);
    return ok;
}

/* Return an input of a caller, or NULL if it is a file. */
static const struct gate_session_kept *input_kept(const struct gate_session_kept *input) {
    return input->bytes.ptr == NULL && input->run == NULL ? NULL : input;
}

static bool side_load_file(struct gate_run_input *run, uint32_t index, struct side_load *work, struct gate_error *err) {
    struct gate_str bytes = work->input;
    const char *path = work->paths.items[index];
    const struct gate_session_kept *kept =
        work->inputs == NULL ? gate_input_kept(work->session, path) : input_kept(&work->inputs[index]);
    if (kept != NULL && !gate_input_kept_bytes(&bytes, kept, work->into, err))
        return false;
    if (gate_paths_is_stream(path) || kept != NULL)
        return side_load_bytes(run, path, bytes, kept, work, err);
    if (!gate_input_check(path, err))
        return false;
    if (side_load_packed(run, path, work))
        return true;
    struct gate_arena file;
    gate_arena_fork(&file, work->into);
    bool ok = gate_source_read(&bytes, gate_str_from(path), work->limits, &file, err) &&
              side_load_bytes(run, path, bytes, NULL, work, err);
    /* A raw profile points into the file's bytes. An inflated profile is a copy, so the compressed bytes are freed. */
    if (ok && run->profile->container == GATE_CONTAINER_RAW)
        gate_arena_absorb(work->into, &file);
    gate_arena_free(&file);
    return ok;
}

/* Fails if the files loaded so far need more steps than all files of both sides may. */
static bool side_check_steps(const struct side_load *work, struct gate_error *err) {
    struct gate_steps all = work->steps;
    all.stored_bytes = work->input_bytes;
    return gate_steps_check(&all, work->limits, err);
}

/* Moves a loaded run to the side's shared tables, with its demangled names. A run that cannot use them is kept. */
static bool side_share(struct gate_run_input *run, struct side_load *work, struct gate_error *err) {
    struct gate_symbol_source nowhere;
    struct gate_profile named;
    const bool is_large = run->profile->bytes.len > LARGE_BYTES, is_first = work->shared->profile_count == 0;
    const size_t known = work->shared->stack_count;
    if (run->profile->bytes.len > SHARED_BYTES_MOST || (is_large && work->large_differ)) {
        gate_arena_absorb(&work->arena, work->into);
        return true;
    }
    struct gate_profile *shared = GATE_NEW_ARRAY(&work->arena, struct gate_profile, 1);
    if (shared == NULL)
        return gate_arena_error(&work->arena, err);
    gate_symbol_source_init(&nowhere, work->into);
    if (!gate_symbolise(&named, run->profile, &nowhere, work->into, err))
        return false;
    if (!named.has_language)
        note_language(&named);
    if (gate_shared_tables_add(shared, work->shared, &named, err)) {
        run->profile = shared;
        work->large_differ |=
            is_large && !is_first && work->shared->stack_count - known > shared->sample_count / NEW_STACKS_MOST;
    } else if (err->code == GATE_OK)
        gate_arena_absorb(&work->arena, work->into);
    return err->code == GATE_OK;
}

static bool side_load_one(struct side_load *work, uint32_t index, struct gate_error *err) {
    struct gate_run_input *run = &work->runs[index];
    work->into = &work->arena;
    if (work->shared == NULL)
        return side_load_file(run, index, work, err);
    gate_arena_fork(&work->one, &work->arena);
    work->into = &work->one;
    bool ok = side_load_file(run, index, work, err);
    struct gate_error ignored = {0};
    if (ok && side_check_steps(work, &ignored)) /* otherwise the caller stops loading this side with an error */
        ok = side_share(run, work, err);
    gate_arena_free(&work->one);
    return ok;
}

static void side_load_run(struct side_load *work) {
    struct gate_shared_tables shared;
    const struct gate_symbol_source *symbols = work->session->symbols;
    /* Names of binaries are looked up by the addresses of each run, after all threads have ended. */
    bool is_shared = work->is_whole && work->paths.count >= SHARED_RUNS_LEAST &&
                     (symbols == NULL || gate_symbol_source_is_empty(symbols));
    if (is_shared) {
        gate_shared_tables_begin(&shared, &work->arena);
        work->shared = &shared;
    }
    work->ok = true;
    for (uint32_t i = 0; work->ok && i < work->paths.count; i++) {
        work->ok = side_load_one(work, i, &work->err);
        if (!work->ok)
            (void)gate_error_prefix(&work->err, "%s", gate_input_name(work->paths.items[i]));
        work->ok = work->ok && side_check_steps(work, &work->err);
    }
    if (is_shared)
        gate_shared_tables_end(&shared);
    work->shared = NULL;
}

static void side_load_some(void *context, size_t from, size_t to) {
    struct side_load *work = context;
    for (size_t side = from; side < to; side++)
        side_load_run(&work[side]);
}

/* Return the size of an input. A device or pipe counts as the maximum. `kept` is NULL if `path` is a file. */
static size_t input_bytes(const char *path, const struct gate_session_kept *kept) {
    struct stat status;
    if (kept != NULL)
        return gate_input_kept_size(kept, kept->bytes);
    return stat(path, &status) == 0 && S_ISREG(status.st_mode) ? (size_t)status.st_size
                                                               : gate_limits_default().memory_bytes;
}

static size_t bytes_add(size_t bytes, size_t more) {
    const size_t most = gate_limits_default().memory_bytes;
    return more > most || bytes > most - more ? most : bytes + more;
}

/* Return the stored size of `paths`, with or without runs of summaries. */
static size_t paths_bytes(const struct gate_session *session, const struct gate_paths *paths, size_t stream_bytes,
                          bool with_runs) {
    size_t bytes = 0;
    for (uint32_t i = 0; i < paths->count; i++) {
        const char *path = paths->items[i];
        const struct gate_session_kept *kept = gate_input_kept(session, path);
        if (with_runs || kept == NULL || kept->run == NULL)
            bytes = bytes_add(bytes, gate_paths_is_stream(path) ? stream_bytes : input_bytes(path, kept));
    }
    return bytes;
}

/* Like paths_bytes, for inputs of a caller. */
static size_t inputs_bytes(const struct gate_side_inputs *inputs, bool with_runs) {
    size_t bytes = 0;
    for (uint32_t i = 0; i < inputs->count; i++)
        if (with_runs || inputs->items[i].run == NULL)
            bytes = bytes_add(bytes, input_bytes(inputs->items[i].path, input_kept(&inputs->items[i])));
    return bytes;
}

/* Runs of summaries are not counted: their memory was allowed when the summaries were read. */
void gate_load_sides_limit(struct gate_session *session, const struct gate_paths *paths, size_t stream_bytes,
                           const struct gate_limits *limits) {
    gate_input_allow_memory(session, paths_bytes(session, paths, stream_bytes, false), limits);
}

void gate_load_sides_limit_inputs(struct gate_session *session, const struct gate_side_inputs *inputs,
                                  const struct gate_limits *limits) {
    gate_input_allow_memory(session, inputs_bytes(inputs, false), limits);
}

/* Expands the paths of a side, allocates its runs, and reads standard input if it is one of them. */
static bool side_prepare(struct side_load *work, struct gate_session *session, const struct gate_paths *paths,
                         const struct gate_limits *limits, struct gate_error *err) {
    *work = (struct side_load){.limits = limits, .session = session, .steps = {.patterns = session->steps.patterns}};
    if (!gate_input_expand(&work->paths, paths, session, limits, err))
        return false;
    work->runs = GATE_NEW_ARRAY(session->arena, struct gate_run_input, work->paths.count);
    if (work->runs == NULL)
        return gate_arena_error(session->arena, err);
    for (uint32_t i = 0; i < work->paths.count; i++)
        if (gate_paths_is_stream(work->paths.items[i]) &&
            !gate_input_read(&work->input, session, work->paths.items[i], limits, session->arena, err))
            return gate_error_prefix(err, "%s", gate_input_name(work->paths.items[i]));
    gate_load_sides_limit(session, &work->paths, work->input.len, limits);
    work->input_bytes = session->steps.stored_bytes + paths_bytes(session, &work->paths, work->input.len, true);
    return true;
}

/* Like side_prepare, for inputs of a caller. */
static bool side_prepare_inputs(struct side_load *work, struct gate_session *session,
                                const struct gate_side_inputs *inputs, const struct gate_limits *limits,
                                struct gate_error *err) {
    *work = (struct side_load){
        .inputs = inputs->items, .limits = limits, .session = session, .steps = {.patterns = session->steps.patterns}};
    work->runs = GATE_NEW_ARRAY(session->arena, struct gate_run_input, inputs->count);
    if (work->runs == NULL)
        return gate_arena_error(session->arena, err);
    for (uint32_t i = 0; i < inputs->count; i++)
        if (!gate_paths_add(&work->paths, inputs->items[i].path, session->arena, err))
            return false;
    gate_load_sides_limit_inputs(session, inputs, limits);
    work->input_bytes = session->steps.stored_bytes + inputs_bytes(inputs, true);
    return true;
}

/* Forks the side's arena, after everything else is allocated from the run's arena. */
static void side_fork(struct side_load *work, const struct gate_arena *arena) {
    gate_arena_fork(&work->arena, arena);
}

/* Prints "read base.pb.gz: pprof, 1234 samples with 2 types of value, 10.0 s, digest ..." with --verbose. */
static void log_run(struct gate_session *session, const struct gate_run_input *run) {
    const struct gate_profile *profile = run->profile;
    gate_session_log(session, "read %.*s: %s, %llu samples with %u types of value, %.1f s, digest %.*s",
                     GATE_STR_ARG(run->path), gate_format_name(profile->format),
                     (unsigned long long)profile->sample_count, (unsigned)profile->sample_type_count,
                     (double)profile->duration_ns / 1e9, GATE_STR_ARG(run->digest));
}

/* Adds names to the frames of every run. All threads have ended. */
static bool side_name(struct side_load *work, struct gate_session *session, struct gate_error *err) {
    for (uint32_t i = 0; i < work->paths.count; i++) {
        struct gate_profile *named = GATE_NEW_ARRAY(session->arena, struct gate_profile, 1);
        if (named == NULL)
            return gate_arena_error(session->arena, err);
        if (!gate_symbol_options_apply(named, work->runs[i].profile, session, session->arena, err))
            return false;
        if (!named->has_language)
            note_language(named);
        work->runs[i].unnamed = work->runs[i].profile;
        work->runs[i].profile = named;
    }
    return true;
}

/* Moves the runs and the memory that a thread loaded to the session. */
static bool side_finish(struct gate_side_runs *out, struct gate_session *session, struct side_load *work,
                        struct gate_error *err) {
    gate_arena_absorb(session->arena, &work->arena);
    *out = (struct gate_side_runs){work->runs, work->paths.count};
    if (!work->ok)
        *err = work->err;
    for (uint32_t i = 0; work->ok && i < work->paths.count; i++)
        log_run(session, &work->runs[i]);
    session->steps.needed += work->steps.needed;
    session->steps.stored_bytes += work->steps.stored_bytes;
    return work->ok && side_name(work, session, err);
}

/* Return whether two runs of one program may give equal profiles: allocations and exact counts, without the time of the
 * capture. Samples of time differ from run to run. */
static bool may_repeat(const struct gate_profile *profile) {
    if (profile->time_ns != 0)
        return false;
    for (uint32_t i = 0; i < profile->sample_type_count; i++)
        if (gate_unit_ratio(profile->sample_types[i].unit, GATE_STR("bytes")) != 0)
            return true;
    return gate_counts_are_exact(profile);
}

bool gate_load_sides_is_same(const struct gate_run_input *a, const struct gate_run_input *b) {
    bool is_equal = a->content[0] == b->content[0] && a->content[1] == b->content[1];
    return is_equal && (!may_repeat(a->profile) || gate_str_equal(a->digest, b->digest));
}

/* Check that no capture is twice on a side, which would look like agreement between runs. err: GATE_ERR_INPUT. */
static bool load_sides_distinct(const struct gate_side_runs *side, struct gate_error *err) {
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
    /* If both sides have the same captures, the comparison is empty; if only some are the same, it is a mistake. */
    *is_same = shared == canary->count && shared == sides[GATE_BASELINE].count;
    if (shared == 0 || *is_same)
        return true;
    return gate_error_set(err, GATE_ERR_INPUT, "%.*s: this capture is given on both sides; remove it from one of them",
                          GATE_STR_ARG(first));
}

/* Loads both sides, each in a thread, and checks them. */
static bool sides_load(struct gate_side_runs out[GATE_SIDES], bool *is_same, struct side_load work[GATE_SIDES],
                       struct gate_session *session, struct gate_error *err) {
    const struct gate_limits *limits = work[GATE_BASELINE].limits;
    const uint64_t input_bytes = work[GATE_BASELINE].input_bytes + work[GATE_CANARY].input_bytes;
    for (int side = 0; side < GATE_SIDES; side++) {
        work[side].input_bytes = input_bytes;
        work[side].is_whole = true;
        side_fork(&work[side], session->arena);
    }
    gate_parallel(side_load_some, work, GATE_SIDES, GATE_SIDES);
    bool ok = true;
    for (int side = GATE_SIDES; side-- > 0;) /* backwards, so that the baseline's error remains if both sides failed */
        ok = side_finish(&out[side], session, &work[side], err) && ok;
    ok = ok && gate_steps_check(&session->steps, limits, err);
    for (int side = 0; ok && side < GATE_SIDES; side++)
        ok = load_sides_distinct(&out[side], err);
    return ok && gate_load_sides_check(is_same, out, err);
}

bool gate_load_sides(struct gate_side_runs out[GATE_SIDES], bool *is_same, struct gate_session *session,
                     const struct gate_paths paths[GATE_SIDES], const struct gate_limits *limits,
                     struct gate_error *err) {
    struct side_load work[GATE_SIDES];
    for (int side = 0; side < GATE_SIDES; side++)
        if (!side_prepare(&work[side], session, &paths[side], limits, err))
            return false;
    return sides_load(out, is_same, work, session, err);
}

bool gate_load_sides_inputs(struct gate_side_runs out[GATE_SIDES], bool *is_same, struct gate_session *session,
                            const struct gate_side_inputs inputs[GATE_SIDES], const struct gate_limits *limits,
                            struct gate_error *err) {
    struct side_load work[GATE_SIDES];
    for (int side = 0; side < GATE_SIDES; side++)
        if (!side_prepare_inputs(&work[side], session, &inputs[side], limits, err))
            return false;
    return sides_load(out, is_same, work, session, err);
}

bool gate_load_sides_one(struct gate_side_runs *out, struct gate_session *session, const struct gate_paths *paths,
                         const struct gate_limits *limits, bool distinct, struct gate_error *err) {
    struct side_load work;
    if (!side_prepare(&work, session, paths, limits, err))
        return false;
    side_fork(&work, session->arena);
    side_load_run(&work);
    return side_finish(out, session, &work, err) && gate_steps_check(&session->steps, limits, err) &&
           (!distinct || load_sides_distinct(out, err));
}

/* ---- windows ----------------------------------------------------------------------------------------------------- */

bool gate_load_window(struct gate_run_input *run, int64_t took_ms, struct gate_arena *arena, struct gate_error *err) {
    const int64_t most_ms = INT64_MAX / NS_PER_MS;
    if (run->profile->duration_ns > 0 || took_ms <= 0 || took_ms > most_ms)
        return true;
    struct gate_profile *copy = GATE_NEW_ARRAY(arena, struct gate_profile, 1);
    if (copy == NULL)
        return gate_arena_error(arena, err);
    *copy = *run->profile;
    copy->duration_ns = took_ms * NS_PER_MS;
    if (copy->time_ns <= 0 && run->start_ms <= most_ms)
        copy->time_ns = run->start_ms * NS_PER_MS;
    run->profile = copy;
    return true;
}
