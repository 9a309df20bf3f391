/* SPDX-License-Identifier: Apache-2.0 */
/* A manifest on the disk (see manifest_file.h). */
#include "gate/capture/manifest_file.h"

#include "gate/base/folders.h"
#include "gate/base/outfile.h"
#include "gate/base/stream.h"
#include "gate/profile/source.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

enum { MANIFEST_BYTES_MAX = 16 * 1024 * 1024, FACT_BYTES = 4096 };

const char *gate_manifest_file_path(const char *dir, struct gate_str name, struct gate_arena *arena) {
    struct gate_str folder = gate_str_from(dir);
    const struct gate_str parts[] = {folder, gate_str_ends(folder, GATE_STR("/")) ? GATE_STR("") : GATE_STR("/"), name};
    return gate_str_concat(arena, parts, 3).ptr;
}

bool gate_manifest_file_is_there(const char *dir, struct gate_arena *arena) {
    struct stat status;
    const char *path = gate_manifest_file_path(dir, GATE_STR(GATE_MANIFEST_FILE), arena);
    return path != NULL && stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

bool gate_manifest_file_read(struct gate_manifest *out, const char *dir, struct gate_arena *arena,
                             struct gate_error *err) {
    struct gate_limits limits = gate_limits_default();
    struct gate_error why = {0};
    struct gate_str text;
    limits.compressed_bytes = MANIFEST_BYTES_MAX;
    const char *path = gate_manifest_file_path(dir, GATE_STR(GATE_MANIFEST_FILE), arena);
    if (path == NULL)
        return gate_arena_error(arena, err);
    if (gate_source_read(&text, gate_str_from(path), &limits, arena, &why) &&
        gate_manifest_read(out, text, arena, &why))
        return true;
    if (why.line > 0)
        return gate_error_set(err, why.code, "%s:%u:%u: %s", path, (unsigned)why.line, (unsigned)why.column,
                              why.message);
    return gate_error_set(err, why.code, "%s: %s", path, why.message);
}

/* ---- a new one --------------------------------------------------------------------------------------------------- */

/* What Linux calls the processor; empty elsewhere. */
static struct gate_str host_cpu_model(struct gate_arena *arena) {
    char text[FACT_BYTES];
    FILE *file = fopen("/proc/cpuinfo", "r");
    size_t len = file == NULL ? 0 : gate_stream_read(text, sizeof text, file);
    if (file != NULL)
        (void)fclose(file);
    const struct gate_str all = {text, len};
    size_t at = gate_str_find(all, GATE_STR("model name"), 0);
    size_t colon = at == SIZE_MAX ? at : gate_str_find(all, GATE_STR(":"), at);
    if (colon == SIZE_MAX)
        return GATE_STR("");
    struct gate_str line = gate_str_slice(all, colon + 1, gate_str_find(all, GATE_STR("\n"), colon));
    struct gate_str model = gate_str_copy(arena, gate_str_trim(line));
    return model.ptr == NULL ? GATE_STR("") : model;
}

static double host_load(void) {
    double load = -1;
    FILE *file = fopen("/proc/loadavg", "r");
    char text[64];
    char *end = text;
    if (file != NULL && fgets(text, sizeof text, file) != NULL)
        load = strtod(text, &end);
    if (file != NULL)
        (void)fclose(file);
    return end == text ? -1 : load;
}

void gate_manifest_file_host(struct gate_manifest_host *out, struct gate_arena *arena) {
    struct utsname name;
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    *out = (struct gate_manifest_host){
        .cpus = cpus > 0 ? (uint32_t)cpus : 0, .cpu_model = host_cpu_model(arena), .load = host_load()};
    if (uname(&name) != 0)
        return;
    struct gate_str kernel = gate_str_format(arena, "%s %s", name.sysname, name.release);
    out->kernel = kernel.ptr == NULL ? GATE_STR("") : kernel;
}

static bool folder_is_empty(const char *dir) {
    DIR *folder = opendir(dir);
    bool is_empty = true;
    const struct dirent *entry;
    while (errno = 0, folder != NULL && is_empty && (entry = readdir(folder)) != NULL)
        is_empty = entry->d_name[0] == '.' || /* hidden files are nobody's profiles */
                   gate_str_starts(gate_str_from(entry->d_name), GATE_STR(GATE_MANIFEST_FILE ".")); /* half a one */
    is_empty = is_empty && errno == 0; /* else what is there is not known */
    if (folder != NULL)
        (void)closedir(folder);
    return is_empty;
}

/* Whoever else writes there would overwrite what this one takes. */
static bool folder_lock(int *lock, const char *dir, struct gate_error *err) {
    *lock = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (*lock < 0)
        return gate_error_set(err, GATE_ERR_IO, "%s: cannot open the folder: %s", dir, strerror(errno));
    while (flock(*lock, LOCK_EX | LOCK_NB) != 0) {
        if (errno == EWOULDBLOCK)
            return gate_error_set(err, GATE_ERR_INPUT,
                                  "%s: another capture, gate or try writes to this folder; wait until it is done, or "
                                  "name another folder",
                                  dir);
        if (errno != EINTR)
            return true; /* such as of a network: there is no lock to be had */
    }
    return true;
}

static bool folder_begin(struct gate_manifest *out, const char *dir, struct gate_arena *arena, struct gate_error *err) {
    if (gate_manifest_file_is_there(dir, arena))
        return gate_manifest_file_read(out, dir, arena, err);
    if (!folder_is_empty(dir))
        return gate_error_set(err, GATE_ERR_INPUT,
                              "%s: the folder has files and no " GATE_MANIFEST_FILE "; name a new or an empty one",
                              dir);
    gate_manifest_begin(out);
    gate_manifest_file_host(&out->host, arena);
    return true;
}

bool gate_manifest_file_begin(struct gate_manifest *out, const char *dir, struct gate_arena *arena,
                              struct gate_error *err) {
    struct stat status;
    int lock = -1;
    gate_manifest_begin(out);
    if (stat(dir, &status) == 0 && !S_ISDIR(status.st_mode))
        return gate_error_set(err, GATE_ERR_IO, "%s: expected a folder, found a file; name another one", dir);
    if (!gate_folders_make(dir, err))
        return false;
    bool ok = folder_lock(&lock, dir, err) && folder_begin(out, dir, arena, err);
    out->lock = lock;
    if (!ok)
        gate_manifest_file_end(out);
    return ok;
}

void gate_manifest_file_end(struct gate_manifest *manifest) {
    if (manifest->lock >= 0)
        (void)close(manifest->lock);
    manifest->lock = -1;
}

/* ---- adding ------------------------------------------------------------------------------------------------------ */

static bool file_write(const struct gate_manifest *manifest, const char *path, struct gate_str bytes,
                       const struct gate_arena *arena, struct gate_error *err) {
    if (manifest->writing != NULL)
        (void)pthread_mutex_lock(manifest->writing);
    bool ok = gate_outfile_keep(path, bytes, arena, err);
    if (manifest->writing != NULL)
        (void)pthread_mutex_unlock(manifest->writing);
    return ok;
}

bool gate_manifest_file_write(const struct gate_manifest *manifest, const char *dir, struct gate_arena *arena,
                              struct gate_error *err) {
    struct gate_buf text = {0};
    const char *path = gate_manifest_file_path(dir, GATE_STR(GATE_MANIFEST_FILE), arena);
    bool ok = (path != NULL || gate_arena_error(arena, err)) &&
              (gate_manifest_write(&text, manifest) || gate_buf_check(&text, err)) &&
              file_write(manifest, path, gate_buf_view(&text), arena, err);
    gate_buf_free(&text);
    return ok;
}

bool gate_manifest_file_take(struct gate_manifest *manifest, const char *dir, const struct gate_manifest_run *run,
                             struct gate_str bytes, struct gate_arena *arena, struct gate_error *err) {
    struct gate_manifest_run taken = *run;
    taken.digest = gate_manifest_digest(bytes, arena);
    const char *path = gate_manifest_file_path(dir, run->file, arena);
    if (taken.digest.ptr == NULL || path == NULL)
        return gate_arena_error(arena, err);
    /* A folder with files and no manifest would not be gone on with. */
    if (manifest->count == 0 && !gate_manifest_file_write(manifest, dir, arena, err))
        return false;
    /* The file first: a manifest that is written later would name one that never came. */
    return file_write(manifest, path, bytes, arena, err) && gate_manifest_add(manifest, &taken, arena, err) &&
           gate_manifest_file_write(manifest, dir, arena, err);
}
