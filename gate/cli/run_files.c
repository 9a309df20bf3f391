/* SPDX-License-Identifier: Apache-2.0 */
/* Runs for a store (see run_files.h). */
#include "gate/cli/run_files.h"

#include "gate/capture/backend_address.h"
#include "gate/compare/pair.h"
#include "gate/profile/source.h"
#include "gate/store/describe.h"

static bool has_side(const struct gate_manifest *manifest, int side) {
    for (uint32_t i = 0; i < manifest->count; i++)
        if ((int)manifest->runs[i].side == side)
            return true;
    return false;
}

static bool find_told(struct gate_run_files *out, const char *dir, int side, struct gate_arena *arena,
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
    out->items = GATE_NEW_ARRAY(arena, struct gate_run_file, (size_t)manifest->count + 1);
    if (out->items == NULL)
        return gate_arena_error(arena, err);
    for (uint32_t i = 0; i < manifest->count; i++) {
        if ((int)manifest->runs[i].side != side)
            continue;
        const char *path = gate_manifest_file_path(dir, manifest->runs[i].file, arena);
        if (path == NULL)
            return gate_arena_error(arena, err);
        out->items[out->count++] = (struct gate_run_file){.path = path, .told = &manifest->runs[i]};
    }
    return out->count > 0 || gate_error_set(err, GATE_ERR_INPUT, "%s: its manifest has no run of the %s", dir,
                                            gate_side_word((enum gate_side_name)side));
}

static bool find_named(struct gate_run_files *out, const struct gate_paths *paths, const struct gate_cli *cli,
                       struct gate_error *err) {
    struct gate_paths files;
    for (uint32_t i = 0; i < paths->count; i++)
        if (gate_paths_is_stream(paths->items[i]))
            return gate_error_set(err, GATE_ERR_USAGE,
                                  "'-' is standard input and cannot be used with a store; name a file");
    if (!gate_paths_expand(&files, paths, cli->arena, err))
        return false;
    out->items = GATE_NEW_ARRAY(cli->arena, struct gate_run_file, (size_t)files.count + 1);
    if (out->items == NULL)
        return gate_arena_error(cli->arena, err);
    for (uint32_t i = 0; i < files.count; i++)
        out->items[out->count++] =
            (struct gate_run_file){.path = files.items[i], .kept = gate_input_kept(cli, files.items[i])};
    return true;
}

/* What the address of a slice says: of a manifest, that is a run's source. */
static bool tell_versions(struct gate_run_files *out, struct gate_arena *arena, struct gate_error *err) {
    bool is_one = true;
    for (uint32_t i = 0; i < out->count; i++) {
        struct gate_run_file *file = &out->items[i];
        struct gate_str address = file->told != NULL ? file->told->source : gate_str_from(file->path);
        struct gate_backend_address read;
        struct gate_error ignored = {0};
        file->version = GATE_STR("");
        if ((file->told != NULL || file->kept != NULL) && gate_backend_address_read(&read, address, arena, &ignored)) {
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
                         const struct gate_cli *cli, struct gate_error *err) {
    *out = (struct gate_run_files){.version = GATE_STR("")};
    bool is_told = paths->count == 1 && gate_manifest_file_is_there(paths->items[0], cli->arena);
    return (is_told ? find_told(out, paths->items[0], side, cli->arena, err) : find_named(out, paths, cli, err)) &&
           tell_versions(out, cli->arena, err);
}

static bool take_told(struct gate_record_run *run, const struct gate_manifest_run *told, struct gate_arena *arena,
                      struct gate_error *err) {
    run->source = told->source;
    run->instance = told->instance;
    run->work = told->work;
    run->by = GATE_NEW_ARRAY(arena, struct gate_record_work, (size_t)told->by_count + 1);
    if (run->by == NULL)
        return gate_arena_error(arena, err);
    for (uint32_t i = 0; i < told->by_count; i++)
        run->by[run->by_count++] = (struct gate_record_work){told->by[i].key, told->by[i].value, told->by[i].number};
    if (run->build_id.len == 0)
        run->build_id = told->revision;
    return true;
}

static bool load_bytes(struct gate_record_run *run, struct gate_str bytes, const struct gate_run_file *file,
                       const struct gate_limits *limits, struct gate_arena *scratch, struct gate_arena *arena,
                       struct gate_error *err) {
    struct gate_profile profile;
    struct gate_str name = gate_str_basename(gate_str_from(file->path));
    if (!gate_profile_load(&profile, bytes, limits, scratch, err) || !gate_describe_run(run, &profile, arena, err))
        return false;
    run->name = gate_str_repair_utf8(arena, name);
    run->bytes = (int64_t)bytes.len;
    if (run->version.len == 0)
        run->version = file->version;
    if (file->kept != NULL)
        run->source = gate_str_repair_utf8(arena, gate_str_from(file->path));
    return ((run->name.ptr != NULL && run->source.ptr != NULL) || gate_arena_error(arena, err)) &&
           (file->told == NULL || take_told(run, file->told, arena, err));
}

bool gate_run_files_load(struct gate_record_run *run, struct gate_str *bytes, const struct gate_run_file *file,
                         const struct gate_limits *limits, struct gate_arena *scratch, struct gate_arena *arena,
                         struct gate_error *err) {
    struct gate_error why = {0};
    if (file->kept != NULL)
        *bytes = file->kept->bytes;
    else if (!gate_source_read(bytes, gate_str_from(file->path), limits, scratch, &why))
        return gate_error_set(err, why.code, "%s: %s", file->path, why.message);
    if (file->told != NULL) {
        struct gate_str digest = gate_manifest_digest(*bytes, scratch);
        if (digest.ptr == NULL)
            return gate_arena_error(scratch, err);
        if (!gate_str_equal(digest, file->told->digest))
            return gate_error_set(err, GATE_ERR_INPUT,
                                  "%s: it is not the profile that the manifest tells of: its digest differs; take it "
                                  "again",
                                  file->path);
    }
    return load_bytes(run, *bytes, file, limits, scratch, arena, &why) ||
           gate_error_set(err, why.code, "%s: %s", file->path, why.message);
}
