/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/symbols/symbol_files.h"

#include "gate/base/file.h"
#include "gate/base/str.h"
#include "gate/symbols/class_map.h"
#include "gate/symbols/elf_head.h"
#include "gate/symbols/perf_map.h"
#include "gate/symbols/source_map.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { GATE_SYMBOL_FILES_MAX = 200000, GATE_SYMBOL_FOLDERS_MAX = 16 };

enum { HEAD_BYTES = 512 };

/* State of one call of gate_symbol_files_add. */
struct symbol_walk {
    struct gate_symbol_files *files;
    struct gate_arena *arena;
    uint32_t seen; /* number of folder entries seen */
};

static int file_compare(const void *a, const void *b) {
    return gate_str_compare(((const struct gate_symbol_file *)a)->path, ((const struct gate_symbol_file *)b)->path);
}

/* Determine the kind of the file. Return false if it has no names of functions. */
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
    return GATE_APPEND(walk->arena, files->items, files->count, files->capacity, err, *file);
}

/* Add a file. If `wanted`, the user named it, so errors are reported. Otherwise it was found in a folder and may be
 * skipped. */
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

/* Add an entry of a folder. Links to files are followed, as in `.build-id`; links to folders are not. */
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
    if (files->count - first > 1) /* the order of a folder depends on the system */
        qsort(files->items + first, files->count - first, sizeof *files->items, file_compare);
    return true;
}
