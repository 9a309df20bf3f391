/* SPDX-License-Identifier: Apache-2.0 */
/* What `--symbols` names (see symbol_files.h). */
#include "gate/symbols/symbol_files.h"

#include "gate/base/stream.h"
#include "gate/symbols/class_map.h"
#include "gate/symbols/perf_map.h"
#include "gate/symbols/source_map.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HEAD_BYTES = 512 };

/* One call of gate_symbol_files_add. */
struct symbol_walk {
    struct gate_symbol_files *files;
    struct gate_arena *arena;
    uint32_t seen; /* entries of folders */
};

static int file_compare(const void *a, const void *b) {
    return gate_str_compare(((const struct gate_symbol_file *)a)->path, ((const struct gate_symbol_file *)b)->path);
}

/* What the file is; false: nothing that names functions. */
static bool file_look(struct gate_symbol_file *file, int descriptor) {
    char bytes[HEAD_BYTES];
    struct gate_str head = {bytes, gate_stream_read_at(bytes, sizeof bytes, descriptor, 0)};
    if (gate_elf_head_sniff(head.ptr, head.len)) {
        file->kind = GATE_SYMBOLS_ELF;
        return gate_elf_head_read(&file->head, descriptor);
    }
    if (gate_str_ends(file->path, GATE_STR(".map")) && gate_source_map_sniff(head)) {
        file->kind = GATE_SYMBOLS_SOURCE_MAP;
        return true;
    }
    if (gate_class_map_sniff(head)) {
        file->kind = GATE_SYMBOLS_CLASS_MAP;
        return true;
    }
    file->kind = GATE_SYMBOLS_PERF_MAP;
    return gate_perf_map_sniff(head);
}

static bool file_keep(struct symbol_walk *walk, const struct gate_symbol_file *file, struct gate_error *err) {
    struct gate_symbol_files *files = walk->files;
    struct gate_symbol_file *grown =
        gate_arena_grow(walk->arena, files->items, files->count, &files->capacity, sizeof *grown);
    if (grown == NULL)
        return gate_arena_error(walk->arena, err);
    files->items = grown;
    files->items[files->count++] = *file;
    return true;
}

/* A file, at whose end `wanted` says whether somebody named it or it just lies there. */
static bool file_add(struct symbol_walk *walk, const char *path, bool wanted, struct gate_error *err) {
    struct gate_symbol_file file = {.path = gate_str_copy(walk->arena, gate_str_from(path))};
    if (file.path.ptr == NULL)
        return gate_arena_error(walk->arena, err);
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0 && !wanted)
        return true;
    if (descriptor < 0)
        return gate_error_set(err, GATE_ERR_IO, "option '--symbols': '%s' cannot be opened: %s", path, strerror(errno));
    bool is_known = file_look(&file, descriptor);
    (void)close(descriptor);
    if (is_known && !wanted && file.kind == GATE_SYMBOLS_PERF_MAP)
        is_known = gate_str_starts(gate_str_basename(file.path), GATE_STR("perf-"));
    if (is_known && !wanted && file.kind == GATE_SYMBOLS_CLASS_MAP)
        is_known = gate_str_ends(file.path, GATE_STR("mapping.txt"));
    if (!is_known && wanted)
        return gate_error_set(
            err, GATE_ERR_INPUT,
            "option '--symbols': '%s' names no functions: expected a whole ELF file of this "
            "machine's byte order, a perf map, a source map (*.map), a mapping.txt of ProGuard or R8, or "
            "a folder of them",
            path);
    return !is_known || file_keep(walk, &file, err);
}

static bool folder_add(struct symbol_walk *walk, const char *path, uint32_t depth, struct gate_error *err);

/* What lies in a folder. Links to files are followed, as `.build-id` has them, and links to folders are not. */
static bool entry_add(struct symbol_walk *walk, const char *path, uint32_t depth, struct gate_error *err) {
    struct stat status;
    if (++walk->seen > GATE_SYMBOL_FILES_MAX)
        return gate_error_set(err, GATE_ERR_LIMIT, "option '--symbols': more than %d files; name a smaller folder",
                              GATE_SYMBOL_FILES_MAX);
    if (lstat(path, &status) != 0)
        return true;
    if (S_ISDIR(status.st_mode))
        return depth >= GATE_SYMBOL_FOLDERS_MAX || folder_add(walk, path, depth + 1, err);
    if (S_ISLNK(status.st_mode) && stat(path, &status) != 0)
        return true;
    return !S_ISREG(status.st_mode) || file_add(walk, path, false, err);
}

static bool folder_add(struct symbol_walk *walk, const char *path, uint32_t depth, struct gate_error *err) {
    DIR *folder = opendir(path);
    bool ok = true;
    if (folder == NULL)
        return depth != 0 ||
               gate_error_set(err, GATE_ERR_IO, "option '--symbols': '%s' cannot be read: %s", path, strerror(errno));
    for (const struct dirent *entry = readdir(folder); ok && entry != NULL; entry = readdir(folder)) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        const char *name = gate_str_format(walk->arena, "%s/%s", path, entry->d_name).ptr;
        ok = name == NULL ? gate_arena_error(walk->arena, err) : entry_add(walk, name, depth, err);
    }
    (void)closedir(folder);
    return ok;
}

bool gate_symbol_files_add(struct gate_symbol_files *files, const char *path, struct gate_arena *arena,
                           struct gate_error *err) {
    struct symbol_walk walk = {.files = files, .arena = arena};
    size_t first = files->count;
    struct stat status;
    bool is_folder = stat(path, &status) == 0 && S_ISDIR(status.st_mode);
    if (!(is_folder ? folder_add(&walk, path, 0, err) : file_add(&walk, path, true, err)))
        return false;
    if (files->count - first > 1) /* a folder's order is the system's */
        qsort(files->items + first, files->count - first, sizeof *files->items, file_compare);
    return true;
}

struct gate_symbol_match gate_symbol_files_by_id(const struct gate_symbol_files *files, struct gate_str build_id) {
    struct gate_symbol_match match = {0};
    for (size_t i = 0; i < files->count; i++) {
        const struct gate_symbol_file *file = &files->items[i];
        if (file->kind != GATE_SYMBOLS_ELF || !gate_str_equal(gate_str_from(file->head.build_id), build_id))
            continue;
        if (match.file == NULL || (match.file->head.is_debug_only && !file->head.is_debug_only))
            match.file = file;
    }
    return match;
}

/* How many names at the end of two paths are equal. */
static uint32_t names_shared(struct gate_str a, struct gate_str b) {
    uint32_t shared = 0;
    for (;;) {
        struct gate_str left = gate_str_basename(a), right = gate_str_basename(b);
        if (!gate_str_equal(left, right) || left.len == 0)
            return shared;
        shared++;
        if (left.len == a.len || right.len == b.len)
            return shared;
        a = gate_str_slice(a, 0, a.len - left.len - 1);
        b = gate_str_slice(b, 0, b.len - right.len - 1);
    }
}

static bool is_same_code(const struct gate_elf_head *a, const struct gate_elf_head *b) {
    return a->build_id[0] != '\0' && strcmp(a->build_id, b->build_id) == 0;
}

/* The one file of a kind that shares most names with the path; `suffix` at the end of its own name does not count. */
static struct gate_symbol_match match_name(const struct gate_symbol_files *files, enum gate_symbol_kind kind,
                                           struct gate_str suffix, struct gate_str path) {
    struct gate_symbol_match match = {0};
    uint32_t most = 0;
    for (size_t i = 0; i < files->count; i++) {
        const struct gate_symbol_file *file = &files->items[i];
        struct gate_str own = file->path;
        if (gate_str_ends(own, suffix))
            own.len -= suffix.len;
        uint32_t shared = file->kind != kind ? 0 : names_shared(own, path);
        if (shared == 0 || shared < most)
            continue;
        bool is_tie = shared == most && !is_same_code(&match.file->head, &file->head);
        match.is_ambiguous = is_tie || (match.is_ambiguous && shared == most);
        if (shared > most)
            match.file = file;
        most = shared;
    }
    return (struct gate_symbol_match){match.is_ambiguous ? NULL : match.file, match.is_ambiguous};
}

struct gate_symbol_match gate_symbol_files_by_name(const struct gate_symbol_files *files, struct gate_str path) {
    return match_name(files, GATE_SYMBOLS_ELF, GATE_STR(".debug"), path); /* "shop.debug" is of "shop" */
}

struct gate_symbol_match gate_symbol_files_by_script(const struct gate_symbol_files *files, struct gate_str script) {
    size_t query = gate_str_find(script, GATE_STR("?"), 0), fragment = gate_str_find(script, GATE_STR("#"), 0);
    size_t end = query < fragment ? query : fragment;
    return match_name(files, GATE_SYMBOLS_SOURCE_MAP, GATE_STR(".map"), gate_str_slice(script, 0, end));
}

bool gate_symbol_files_id(char out[2 * GATE_ELF_ID_BYTES + 1], struct gate_str build_id) {
    const size_t least = 8; /* digits: shorter ones are no hash */
    if (build_id.len < least || build_id.len > (size_t)2 * GATE_ELF_ID_BYTES || build_id.len % 2 != 0)
        return false;
    for (size_t i = 0; i < build_id.len; i++) {
        char c = build_id.ptr[i];
        out[i] = (char)(c >= 'A' && c <= 'F' ? c - 'A' + 'a' : c);
        if (!((out[i] >= '0' && out[i] <= '9') || (out[i] >= 'a' && out[i] <= 'f')))
            return false;
    }
    out[build_id.len] = '\0';
    return true;
}
