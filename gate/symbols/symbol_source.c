/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the symbol files, perf maps and source maps for the mappings and scripts of a profile. */
#include "gate/symbols/symbol_source.h"

#include "gate/base/str.h"
#include "gate/base/table.h"
#include "gate/formats/format.h"
#include "gate/model/profile.h"
#include "gate/symbols/binary_names.h"
#include "gate/symbols/elf_head.h"
#include "gate/symbols/source_map.h"
#include "gate/symbols/symbol_files.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

/* Initialise a binary without answers. `path` must outlive it. */
static void symbol_binary_init(struct gate_symbol_binary *binary, const char *path, struct gate_arena *arena) {
    *binary = (struct gate_symbol_binary){.path = path, .unused = GATE_STR("")};
    gate_table_init(&binary->addresses, arena);
}

/* Result of a search. */
struct symbol_match {
    const struct gate_symbol_file *file; /* NULL: not found, or ambiguous */
    bool is_ambiguous;                   /* several files match equally well */
};

/* Find the ELF file with this build id (lower-case hexadecimal). A file with code is preferred to one with only debug
 * information. O(files). */
static struct symbol_match symbol_files_by_id(const struct gate_symbol_files *files, struct gate_str build_id) {
    struct symbol_match match = {0};
    for (size_t i = 0; i < files->count; i++) {
        const struct gate_symbol_file *file = &files->items[i];
        if (file->kind != GATE_SYMBOLS_ELF || !gate_str_equal(gate_str_from(file->head.build_id), build_id))
            continue;
        if (match.file == NULL || (match.file->head.is_debug_only && !file->head.is_debug_only))
            match.file = file;
    }
    return match;
}

/* Return the number of equal components at the end of two paths. */
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

/* Find the file of a kind that shares the most components with the path, ignoring `suffix` at the end of the file's
 * own name. */
static struct symbol_match match_name(const struct gate_symbol_files *files, enum gate_symbol_kind kind,
                                      struct gate_str suffix, struct gate_str path) {
    struct symbol_match match = {0};
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
        bool is_better = shared == most && match.file->head.is_debug_only && !file->head.is_debug_only;
        if (shared > most || is_better) /* of one build, prefer the file with the code */
            match.file = file;
        most = shared;
    }
    return (struct symbol_match){match.is_ambiguous ? NULL : match.file, match.is_ambiguous};
}

/* Find the ELF file with the base name of `path`. Of several, prefer the one that shares the most path components at
 * the end. O(files). */
static struct symbol_match symbol_files_by_name(const struct gate_symbol_files *files, struct gate_str path) {
    return match_name(files, GATE_SYMBOLS_ELF, GATE_STR(".debug"), path); /* "shop.debug" belongs to "shop" */
}

/* Find the source map of `script` (a path or URL): its base name followed by ".map". Of several, prefer as
 * symbol_files_by_name does. O(files). */
static struct symbol_match symbol_files_by_script(const struct gate_symbol_files *files, struct gate_str script) {
    size_t query = gate_str_find(script, GATE_STR("?"), 0), fragment = gate_str_find(script, GATE_STR("#"), 0);
    size_t end = query < fragment ? query : fragment;
    return match_name(files, GATE_SYMBOLS_SOURCE_MAP, GATE_STR(".map"), gate_str_slice(script, 0, end));
}

/* Convert a build id to lower case. Returns false if it is not hexadecimal as linkers write it, for example Go's own
 * build id. */
static bool symbol_files_id(char out[2 * GATE_ELF_ID_BYTES + 1], struct gate_str build_id) {
    const size_t least = 8; /* digits; a shorter id is not a hash */
    if (build_id.len < least || build_id.len > (size_t)2 * GATE_ELF_ID_BYTES || build_id.len % 2 != 0)
        return false;
    for (size_t i = 0; i < build_id.len; i++) {
        if (gate_hex_value(build_id.ptr[i]) < 0)
            return false;
        out[i] = gate_lower(build_id.ptr[i]);
    }
    out[build_id.len] = '\0';
    return true;
}

void gate_symbol_source_init(struct gate_symbol_source *source, struct gate_arena *arena) {
    *source = (struct gate_symbol_source){.arena = arena};
    gate_table_init(&source->told, arena);
    gate_table_init(&source->asked, arena);
}

/* ---- the file of a mapping --------------------------------------------------------------------------------------- */

/* Report `text` to the listener, unless it was reported before. */
static bool note(struct gate_symbol_source *source, struct gate_str text, struct gate_error *err) {
    bool is_new = text.ptr != NULL && gate_table_find(&source->told, text) == GATE_TABLE_NONE;
    if (text.ptr == NULL || gate_table_intern(&source->told, text) == GATE_TABLE_NONE)
        return gate_arena_error(source->arena, err);
    if (is_new && source->listener.note != NULL)
        source->listener.note(source->listener.context, text);
    return true;
}

/* Return whether a mapping's name is that of a file, not of the kernel, anonymous memory or nothing. */
static bool is_file_name(struct gate_str file) {
    return file.len != 0 && file.ptr[0] != '[' && !gate_str_starts(file, GATE_STR("//anon")) &&
           !gate_str_starts(file, GATE_STR("anon_inode:"));
}

static bool match_by_name(struct symbol_match *match, struct gate_symbol_source *source,
                          const struct gate_mapping *mapping, bool has_id, struct gate_error *err) {
    struct symbol_match found = symbol_files_by_name(&source->files, mapping->file);
    const char *told = NULL;
    if (found.file == NULL && !found.is_ambiguous)
        return true;
    if (found.file != NULL && has_id && found.file->head.build_id[0] != '\0')
        told = gate_str_format(source->arena,
                               "'%.*s' does not name the frames of '%.*s': its build id is %s, and the profile's is "
                               "%.*s; it is another build",
                               GATE_STR_ARG(found.file->path), GATE_STR_ARG(mapping->file), found.file->head.build_id,
                               GATE_STR_ARG(mapping->build_id))
                   .ptr;
    else if (found.file != NULL && has_id)
        told = gate_str_format(source->arena,
                               "'%.*s' does not name the frames of '%.*s': it has no build id, and the profile's is "
                               "%.*s",
                               GATE_STR_ARG(found.file->path), GATE_STR_ARG(mapping->file),
                               GATE_STR_ARG(mapping->build_id))
                   .ptr;
    else if (found.is_ambiguous)
        told = gate_str_format(source->arena,
                               "the profile has no build id of '%.*s', and several files of --symbols fit its name: "
                               "none is used; name each profile's own with 'pprofgate merge --symbols'",
                               GATE_STR_ARG(mapping->file))
                   .ptr;
    if (!has_id)
        *match = found;
    if (!has_id && found.file != NULL)
        return true;
    return told == NULL ? gate_arena_error(source->arena, err) : note(source, gate_str_from(told), err);
}

/* Fetch the file of a build id if it is missing or stripped, at most once. */
static bool fetch(struct gate_symbol_source *source, const char *id, struct gate_error *err) {
    struct symbol_match match = symbol_files_by_id(&source->files, gate_str_from(id));
    if (source->listener.fetch == NULL || (match.file != NULL && match.file->head.has_symbols) ||
        gate_table_find(&source->asked, gate_str_from(id)) != GATE_TABLE_NONE)
        return true;
    if (gate_table_intern_copy(&source->asked, gate_str_from(id)) == GATE_TABLE_NONE)
        return gate_arena_error(source->arena, err);
    return source->listener.fetch(source->listener.context, source, id, err);
}

static bool binary_of(size_t *index, struct gate_symbol_source *source, const char *path, struct gate_error *err) {
    for (*index = 0; *index < source->binary_count; ++*index)
        if (strcmp(source->binaries[*index].path, path) == 0)
            return true;
    struct gate_symbol_binary *grown =
        gate_arena_grow(source->arena, source->binaries, source->binary_count, &source->binary_capacity, sizeof *grown);
    if (grown == NULL)
        return gate_arena_error(source->arena, err);
    source->binaries = grown;
    symbol_binary_init(&grown[source->binary_count++], path, source->arena);
    return true;
}

bool gate_symbol_source_mapping(struct gate_symbol_mapping *out, struct gate_symbol_source *source,
                                const struct gate_mapping *mapping, struct gate_error *err) {
    char id[2 * GATE_ELF_ID_BYTES + 1];
    struct symbol_match match = {0};
    bool has_id = symbol_files_id(id, mapping->build_id);
    *out = (struct gate_symbol_mapping){0};
    if (has_id && !fetch(source, id, err))
        return false;
    if (has_id)
        match = symbol_files_by_id(&source->files, gate_str_from(id));
    if (match.file == NULL && is_file_name(mapping->file) && !match_by_name(&match, source, mapping, has_id, err))
        return false;
    out->file = match.file;
    out->is_by_name = match.file != NULL && !has_id;
    return match.file == NULL || binary_of(&out->binary, source, match.file->path.ptr, err);
}

/* Return why a file names no frame of a mapping. */
static const char *reason_of(const struct gate_symbol_file *file, enum gate_file_basis basis) {
    switch (basis) {
    case GATE_FILE_BASIS_UNKNOWN:
    case GATE_FILE_BASIS_EITHER:
        return "perf's text does not tell whether they are offsets in the file or addresses of the process; give the "
               "perf.data file instead of the text";
    case GATE_FILE_BASIS_NO_OFFSET:
        return "they are offsets in the binary, and this file has only its debug information; add the binary to "
               "--symbols";
    case GATE_FILE_BASIS_MAPPED:
    case GATE_FILE_BASIS_OWN:
        break;
    }
    return file->head.has_symbols ? "none is in a function of this file; of a text of perf, give the perf.data file "
                                    "instead, which has the offsets"
                                  : "it has no symbol table; add its debug information to --symbols";
}

bool gate_symbol_source_used(struct gate_symbol_source *source, const struct gate_mapping *mapping,
                             const struct gate_symbol_mapping *of, const struct gate_symbol_use *use,
                             struct gate_error *err) {
    struct gate_str told = GATE_STR("");
    if (use->named == 0)
        told = gate_str_format(source->arena, "'%.*s' names none of the %llu addresses of '%.*s': %s",
                               GATE_STR_ARG(of->file->path), (unsigned long long)use->asked,
                               GATE_STR_ARG(mapping->file), reason_of(of->file, use->basis));
    else if (of->is_by_name)
        told = gate_str_format(source->arena,
                               "the profile has no build id of '%.*s': its frames are named by '%.*s', which has the "
                               "same file name; names are wrong if it is another build",
                               GATE_STR_ARG(mapping->file), GATE_STR_ARG(of->file->path));
    if (told.ptr == NULL)
        return gate_arena_error(source->arena, err);
    const struct gate_symbol_binary *binary = &source->binaries[of->binary];
    if (binary->unused.len != 0 && !note(source,
                                         gate_str_format(source->arena, "'%.*s': %.*s", GATE_STR_ARG(of->file->path),
                                                         GATE_STR_ARG(binary->unused)),
                                         err))
        return false;
    return told.len == 0 || note(source, told, err);
}

/* ---- the source map of a script ---------------------------------------------------------------------------------- */

static bool map_read(struct gate_source_map *map, const char *path, struct gate_arena *arena, struct gate_error *err) {
    const struct gate_limits limits = gate_limits_default();
    struct gate_arena scratch;
    struct gate_str text = GATE_STR("");
    struct gate_error why = {0};
    gate_arena_fork(&scratch, arena);
    bool ok = gate_source_read(&text, gate_str_from(path), &limits, &scratch, &why) &&
              gate_source_map_read(map, text, arena, &why);
    gate_arena_free(&scratch);
    return ok || gate_error_set(err, why.code, "option '--symbols': '%s': %s", path, why.message);
}

static bool script_of(const struct gate_source_map **out, struct gate_symbol_source *source, const char *path,
                      struct gate_error *err) {
    for (size_t i = 0; i < source->script_count; i++)
        if (strcmp(source->scripts[i]->path, path) == 0) {
            *out = &source->scripts[i]->map;
            return true;
        }
    struct gate_symbol_script **grown =
        gate_arena_grow(source->arena, source->scripts, source->script_count, &source->script_capacity, sizeof *grown);
    struct gate_symbol_script *script = GATE_NEW_ARRAY(source->arena, struct gate_symbol_script, 1);
    if (grown == NULL || script == NULL)
        return gate_arena_error(source->arena, err);
    script->path = path;
    if (!map_read(&script->map, path, source->arena, err))
        return false;
    source->scripts = grown;
    grown[source->script_count++] = script;
    *out = &script->map;
    return true;
}

bool gate_symbol_source_script(const struct gate_source_map **out, struct gate_symbol_source *source,
                               struct gate_str script, struct gate_error *err) {
    const struct symbol_match match = symbol_files_by_script(&source->files, script);
    struct gate_str told = GATE_STR("");
    *out = NULL;
    if (match.is_ambiguous)
        told = gate_str_format(source->arena,
                               "several source maps of --symbols fit the name of '%.*s': none is used; name each "
                               "profile's own with 'pprofgate merge --symbols'",
                               GATE_STR_ARG(script));
    else if (match.file != NULL && source->script_count == 0)
        told = gate_str_format(source->arena,
                               "scripts are named by source maps of the same file name, such as '%.*s'; names are "
                               "wrong if it is of another build",
                               GATE_STR_ARG(match.file->path));
    if (told.ptr == NULL || (told.len != 0 && !note(source, told, err)))
        return told.ptr == NULL ? gate_arena_error(source->arena, err) : false;
    return match.file == NULL || script_of(out, source, match.file->path.ptr, err);
}

bool gate_symbol_source_no_script(struct gate_symbol_source *source, struct gate_str script, struct gate_error *err) {
    return note(source,
                gate_str_format(source->arena,
                                "no source map of --symbols fits a script of a profile: '%.*s' would have "
                                "'%.*s.map', and is not named",
                                GATE_STR_ARG(script), GATE_STR_ARG(gate_str_basename(script))),
                err);
}
