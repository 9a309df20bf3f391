/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/compare/script_files.h"

/* More folders at the end of a path than this are not looked at. */
enum { FOLDERS_MOST = 32 };

#define SEVERAL (GATE_NO_INDEX - 1)

/* The name of a file's functions, and where the first of them begins on each side; 0: none does. */
struct spelling {
    uint32_t file;
    int64_t line[GATE_SIDES];
};

bool gate_script_has_name(const struct gate_function *function) {
    return function->file.len != 0 && function->start_line > 0 && function->name.len != 0 &&
           function->name.ptr[0] != '(' && !gate_str_starts(function->system_name, GATE_STR("("));
}

/* Note the paths, each as a file of its own. */
static bool find_paths(struct gate_script_files *out, const struct gate_profile *const *profiles, const int *sides,
                       uint32_t count, struct gate_arena *arena) {
    size_t capacity = 0;
    gate_table_init(&out->paths, arena);
    out->on = NULL;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t f = 0; f < profiles[i]->function_count; f++) {
            const struct gate_str path = profiles[i]->functions[f].file;
            uint32_t known = out->paths.count, at = gate_table_intern(&out->paths, path);
            if (at == GATE_TABLE_NONE || !GATE_GROW(arena, out->on, known, capacity))
                return false;
            if (at == known)
                memset(&out->on[at], 0, sizeof out->on[at]);
            out->on[at][sides[i]] = path;
        }
    out->file_of = GATE_NEW_ARRAY(arena, uint32_t, out->paths.count);
    for (uint32_t i = 0; out->file_of != NULL && i < out->paths.count; i++)
        out->file_of[i] = i;
    return out->file_of != NULL;
}

/* ---- paths in two folders ---------------------------------------------------------------------------------------- */

/* Move `*from` from the beginning of a path, or of a folder in it, to the next one. Return false at the last. */
static bool next_folder(size_t *from, struct gate_str path) {
    for (size_t at = *from; at < path.len; at++)
        if (path.ptr[at] == '/' && at + 1 < path.len) {
            *from = at + 1;
            return true;
        }
    return false;
}

static bool is_only_on(const struct gate_script_files *files, uint32_t path, enum gate_side_name side) {
    return files->on[path][side].len != 0 && files->on[path][1 - side].len == 0;
}

/* The ends of paths that only one side has: which path has each, or SEVERAL. */
struct ends {
    struct gate_table table;
    uint32_t *path;
    size_t capacity;
};

static bool add_ends(struct ends *ends, const struct gate_script_files *files, uint32_t path,
                     struct gate_arena *arena) {
    const struct gate_str text = files->paths.keys[path];
    size_t from = 0;
    for (int folder = 0; folder < FOLDERS_MOST && next_folder(&from, text); folder++) {
        uint32_t known = ends->table.count;
        uint32_t at = gate_table_intern(&ends->table, gate_str_slice(text, from, text.len));
        if (at == GATE_TABLE_NONE || !GATE_GROW(arena, ends->path, known, ends->capacity))
            return false;
        ends->path[at] = at == known ? path : SEVERAL;
    }
    return true;
}

static bool find_ends(struct ends *ends, const struct gate_script_files *files, enum gate_side_name side,
                      struct gate_arena *arena) {
    *ends = (struct ends){.path = NULL};
    gate_table_init(&ends->table, arena);
    for (uint32_t i = 0; i < files->paths.count; i++)
        if (is_only_on(files, i, side) && !add_ends(ends, files, i, arena))
            return false;
    return true;
}

/* Return the path of `ends` that shares the longest end with a path and no other path of `ends` has, or GATE_NO_INDEX.
 */
static uint32_t like(const struct ends *ends, struct gate_str text) {
    size_t from = 0;
    for (int folder = 0; folder < FOLDERS_MOST && next_folder(&from, text); folder++) {
        uint32_t at = gate_table_find(&ends->table, gate_str_slice(text, from, text.len));
        if (at != GATE_TABLE_NONE)
            return ends->path[at] == SEVERAL ? GATE_NO_INDEX : ends->path[at];
    }
    return GATE_NO_INDEX;
}

/* Join paths of two folders that are each the one most like the other. */
static bool join_folders(struct gate_script_files *files, struct gate_arena *arena) {
    struct ends ends[GATE_SIDES];
    for (int side = 0; side < GATE_SIDES; side++)
        if (!find_ends(&ends[side], files, (enum gate_side_name)side, arena))
            return false;
    for (uint32_t i = 0; i < files->paths.count; i++) {
        if (!is_only_on(files, i, GATE_CANARY))
            continue;
        uint32_t other = like(&ends[GATE_BASELINE], files->paths.keys[i]);
        if (other != GATE_NO_INDEX && like(&ends[GATE_CANARY], files->paths.keys[other]) == i)
            files->file_of[i] = other;
    }
    for (uint32_t i = 0; i < files->paths.count; i++) /* only now: `like` reads what is on one side */
        if (files->file_of[i] != i)
            files->on[files->file_of[i]][GATE_CANARY] = files->paths.keys[i];
    return true;
}

/* ---- files that differ ------------------------------------------------------------------------------------------- */

/* Note where the functions with a name begin on each side. */
static bool find_differences(struct gate_script_files *out, const struct gate_profile *const *profiles,
                             const int *sides, uint32_t count, struct gate_arena *arena) {
    struct gate_table names;
    struct spelling *spellings = NULL;
    size_t capacity = 0;
    gate_table_init(&names, arena);
    out->differs = GATE_NEW_ARRAY(arena, bool, out->paths.count);
    for (uint32_t i = 0; out->differs != NULL && i < count; i++)
        for (uint32_t f = 0; f < profiles[i]->function_count; f++) {
            const struct gate_function *function = &profiles[i]->functions[f];
            if (!gate_script_has_name(function))
                continue;
            uint32_t file = gate_script_files_at(out, function->file), known = names.count;
            struct gate_str key = gate_str_format(arena, "%u:%.*s", file, GATE_STR_ARG(function->name));
            uint32_t at = key.ptr == NULL ? GATE_TABLE_NONE : gate_table_intern(&names, key);
            if (at == GATE_TABLE_NONE || !GATE_GROW(arena, spellings, known, capacity))
                return false;
            if (at == known)
                spellings[at] = (struct spelling){.file = file};
            int64_t *line = &spellings[at].line[sides[i]];
            *line = *line == 0 || function->start_line < *line ? function->start_line : *line;
        }
    for (uint32_t i = 0; out->differs != NULL && i < out->paths.count; i++)
        out->differs[i] =
            out->paths.keys[i].len != 0 && (out->on[i][GATE_BASELINE].len == 0 || out->on[i][GATE_CANARY].len == 0);
    for (uint32_t i = 0; spellings != NULL && i < names.count; i++) {
        const int64_t *line = spellings[i].line;
        out->differs[spellings[i].file] |= line[0] != 0 && line[1] != 0 && line[0] != line[1];
    }
    return out->differs != NULL;
}

bool gate_script_files_find(struct gate_script_files *out, const struct gate_profile *const *profiles, const int *sides,
                            uint32_t count, struct gate_arena *arena) {
    return find_paths(out, profiles, sides, count, arena) && join_folders(out, arena) &&
           find_differences(out, profiles, sides, count, arena);
}

uint32_t gate_script_files_at(const struct gate_script_files *files, struct gate_str path) {
    return files->file_of[gate_table_find(&files->paths, path)];
}
