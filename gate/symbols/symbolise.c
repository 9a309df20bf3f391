/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/symbols/symbolise.h"

#include "gate/base/error.h"
#include "gate/base/str.h"
#include "gate/base/table.h"
#include "gate/formats/format.h"
#include "gate/model/location.h"
#include "gate/model/profile.h"
#include "gate/model/sample.h"
#include "gate/names/frame_name.h"
#include "gate/symbols/binary_names.h"
#include "gate/symbols/class_map.h"
#include "gate/symbols/demangle.h"
#include "gate/symbols/elf_head.h"
#include "gate/symbols/perf_map.h"
#include "gate/symbols/source_map.h"
#include "gate/symbols/symbol_files.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/types.h>

/* The symbol file of a mapping. */
struct gate_symbol_mapping {
    const struct gate_symbol_file *file; /* NULL: none. Invalid after files are added */
    size_t binary;                       /* index of `binaries`, if there is a file */
    bool is_by_name;                     /* the profile has no build id of the mapping */
};

/* Result of looking up the addresses of a mapping in its file. */
struct gate_symbol_use {
    enum gate_file_basis basis;
    uint64_t unnamed, named; /* number of addresses without a name in the profile; how many of them the file names */
};

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

/* Convert a build id to lower case. Returns false unless it is an even number of hexadecimal digits, from 8 to
 * 2 * GATE_ELF_ID_BYTES. Go's own build id is not. */
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
    gate_table_init(&source->reported, arena);
    gate_table_init(&source->fetched_ids, arena);
}

/* ---- the file of a mapping --------------------------------------------------------------------------------------- */

/* Report `text` to the listener, unless it was reported before. */
static bool note(struct gate_symbol_source *source, struct gate_str text, struct gate_error *err) {
    bool is_new = text.ptr != NULL && gate_table_find(&source->reported, text) == GATE_TABLE_NONE;
    if (text.ptr == NULL || gate_table_intern(&source->reported, text) == GATE_TABLE_NONE)
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
    const char *message = NULL;
    if (found.file == NULL && !found.is_ambiguous)
        return true;
    if (found.file != NULL && has_id && found.file->head.build_id[0] != '\0')
        message = gate_str_format(source->arena,
                                  "'%.*s' does not name the frames of '%.*s': its build id is %s, and the profile's is "
                                  "%.*s; it is another build",
                                  GATE_STR_ARG(found.file->path), GATE_STR_ARG(mapping->file),
                                  found.file->head.build_id, GATE_STR_ARG(mapping->build_id))
                      .ptr;
    else if (found.file != NULL && has_id)
        message = gate_str_format(source->arena,
                                  "'%.*s' does not name the frames of '%.*s': it has no build id, and the profile's is "
                                  "%.*s",
                                  GATE_STR_ARG(found.file->path), GATE_STR_ARG(mapping->file),
                                  GATE_STR_ARG(mapping->build_id))
                      .ptr;
    else if (found.is_ambiguous)
        message = gate_str_format(source->arena,
                                  "the profile has no build id of '%.*s', and several files of --symbols fit its name: "
                                  "none is used; name each profile's own with 'pprofgate merge --symbols'",
                                  GATE_STR_ARG(mapping->file))
                      .ptr;
    if (!has_id)
        *match = found;
    if (!has_id && found.file != NULL)
        return true;
    return message == NULL ? gate_arena_error(source->arena, err) : note(source, gate_str_from(message), err);
}

/* Fetch the file of a build id if it is missing or stripped, at most once. */
static bool fetch(struct gate_symbol_source *source, const char *id, struct gate_error *err) {
    struct symbol_match match = symbol_files_by_id(&source->files, gate_str_from(id));
    if (source->listener.fetch == NULL || (match.file != NULL && match.file->head.has_symbols) ||
        gate_table_find(&source->fetched_ids, gate_str_from(id)) != GATE_TABLE_NONE)
        return true;
    if (gate_table_intern_copy(&source->fetched_ids, gate_str_from(id)) == GATE_TABLE_NONE)
        return gate_arena_error(source->arena, err);
    return source->listener.fetch(source->listener.context, source, id, err);
}

static bool binary_of(size_t *index, struct gate_symbol_source *source, const char *path, struct gate_error *err) {
    for (*index = 0; *index < source->binary_count; ++*index)
        if (strcmp(source->binaries[*index].path, path) == 0)
            return true;
    if (!GATE_GROW(source->arena, source->binaries, source->binary_count, source->binary_capacity))
        return gate_arena_error(source->arena, err);
    symbol_binary_init(&source->binaries[source->binary_count++], path, source->arena);
    return true;
}

/*
 * Find the file of `mapping`: by build id, or by name if the profile has no build id. The listener gets a note if a
 * file has the right name and is not used: it is ambiguous, or has another build id.
 *
 * err   GATE_ERR_LIMIT or GATE_ERR_MEMORY if the arena is full; errors of the listener's `fetch`
 *
 * O(files).
 */
static bool symbol_source_mapping(struct gate_symbol_mapping *out, struct gate_symbol_source *source,
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

/* Return the reason why a file names no frame of a mapping. */
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

/*
 * Report the result for the file of `mapping` to the listener: a note if it names frames and was found by its name
 * only, or the reason if it names none.
 *
 * err   GATE_ERR_LIMIT or GATE_ERR_MEMORY if the arena is full
 */
static bool symbol_source_used(struct gate_symbol_source *source, const struct gate_mapping *mapping,
                               const struct gate_symbol_mapping *of, const struct gate_symbol_use *use,
                               struct gate_error *err) {
    struct gate_str message = GATE_STR("");
    if (use->named == 0)
        message = gate_str_format(source->arena, "'%.*s' names none of the %llu addresses of '%.*s': %s",
                                  GATE_STR_ARG(of->file->path), (unsigned long long)use->unnamed,
                                  GATE_STR_ARG(mapping->file), reason_of(of->file, use->basis));
    else if (of->is_by_name)
        message =
            gate_str_format(source->arena,
                            "the profile has no build id of '%.*s': its frames are named by '%.*s', which has the "
                            "same file name; names are wrong if it is another build",
                            GATE_STR_ARG(mapping->file), GATE_STR_ARG(of->file->path));
    if (message.ptr == NULL)
        return gate_arena_error(source->arena, err);
    const struct gate_symbol_binary *binary = &source->binaries[of->binary];
    if (binary->unused.len != 0 && !note(source,
                                         gate_str_format(source->arena, "'%.*s': %.*s", GATE_STR_ARG(of->file->path),
                                                         GATE_STR_ARG(binary->unused)),
                                         err))
        return false;
    return message.len == 0 || note(source, message, err);
}

/* ---- the source map of a script ---------------------------------------------------------------------------------- */

static bool map_read(struct gate_source_map *map, const char *path, struct gate_arena *arena, struct gate_error *err) {
    const struct gate_limits limits = gate_limits_default();
    struct gate_arena scratch;
    struct gate_str text = GATE_STR("");
    gate_arena_fork(&scratch, arena);
    bool ok = gate_source_read(&text, gate_str_from(path), &limits, &scratch, err) &&
              gate_source_map_read(map, text, arena, err);
    gate_arena_free(&scratch);
    return ok || gate_error_prefix(err, "option '--symbols': '%s'", path);
}

static bool script_of(const struct gate_source_map **out, struct gate_symbol_source *source, const char *path,
                      struct gate_error *err) {
    for (size_t i = 0; i < source->script_count; i++)
        if (strcmp(source->scripts[i]->path, path) == 0) {
            *out = &source->scripts[i]->map;
            return true;
        }
    struct gate_symbol_script *script = GATE_NEW_ARRAY(source->arena, struct gate_symbol_script, 1);
    if (script == NULL || !GATE_GROW(source->arena, source->scripts, source->script_count, source->script_capacity))
        return gate_arena_error(source->arena, err);
    script->path = path;
    if (!map_read(&script->map, path, source->arena, err))
        return false;
    source->scripts[source->script_count++] = script;
    *out = &script->map;
    return true;
}

/*
 * Find the source map of `script`, a path or a URL, by its name, and read it if it is new. `*out` is NULL if there is
 * none, or if several match. The listener gets a note if several match, and one note that maps are found by name only.
 *
 * err   errors of gate_source_read and gate_source_map_read, with the path; GATE_ERR_LIMIT or GATE_ERR_MEMORY if the
 *       arena is full
 *
 * O(files + maps), plus the bytes of a map that was not read before.
 */
static bool symbol_source_script(const struct gate_source_map **out, struct gate_symbol_source *source,
                                 struct gate_str script, struct gate_error *err) {
    const struct symbol_match match = symbol_files_by_script(&source->files, script);
    struct gate_str message = GATE_STR("");
    *out = NULL;
    if (match.is_ambiguous)
        message = gate_str_format(source->arena,
                                  "several source maps of --symbols fit the name of '%.*s': none is used; name each "
                                  "profile's own with 'pprofgate merge --symbols'",
                                  GATE_STR_ARG(script));
    else if (match.file != NULL && source->script_count == 0)
        message = gate_str_format(source->arena,
                                  "scripts are named by source maps of the same file name, such as '%.*s'; names are "
                                  "wrong if it is of another build",
                                  GATE_STR_ARG(match.file->path));
    if (message.ptr == NULL || (message.len != 0 && !note(source, message, err)))
        return message.ptr == NULL ? gate_arena_error(source->arena, err) : false;
    return match.file == NULL || script_of(out, source, match.file->path.ptr, err);
}

/* Report to the listener that a profile has scripts, such as `script`, and that no source map matches any of them. */
static bool symbol_source_no_script(struct gate_symbol_source *source, struct gate_str script, struct gate_error *err) {
    return note(source,
                gate_str_format(source->arena,
                                "no source map of --symbols fits a script of a profile: '%.*s' would have "
                                "'%.*s.map', and is not named",
                                GATE_STR_ARG(script), GATE_STR_ARG(gate_str_basename(script))),
                err);
}

/* ---- addresses of a mapping, as addresses in its binary ---------------------------------------------------------- */

/* Return true if the addresses come from the text of `perf script`, which does not contain where the mapping starts in
 * the file. */
static bool is_without_offset(const struct gate_mapping *mapping) {
    return mapping->start == GATE_FILE_BASE && mapping->offset == 0 &&
           (mapping->limit == GATE_FILE_LIMIT || mapping->limit == GATE_FILE_BASE);
}

static bool is_kernel(const struct gate_mapping *mapping) {
    return mapping->start == GATE_FILE_BASE && gate_str_starts(mapping->file, GATE_STR("[kernel."));
}

static bool own_address(uint64_t *out, const struct gate_elf_head *head, uint64_t address) {
    const uint64_t own[3] = {0, 0, 0};
    return address >= GATE_FILE_BASE && gate_elf_head_address(out, head, address - GATE_FILE_BASE, own);
}

static bool mapped_address(uint64_t *out, const struct gate_elf_head *head, const struct gate_mapping *mapping,
                           uint64_t address) {
    const uint64_t place[3] = {mapping->start, mapping->limit, mapping->offset};
    return gate_elf_head_address(out, head, address, place);
}

void gate_file_fit_add(struct gate_file_fit *fit, const struct gate_elf_head *head, const struct gate_mapping *mapping,
                       uint64_t address) {
    uint64_t as_offset = 0, as_own = 0;
    bool is_offset = mapped_address(&as_offset, head, mapping, address), is_own = own_address(&as_own, head, address);
    fit->count++;
    fit->as_offset += is_offset;
    fit->as_own += is_own;
    fit->differ |= is_offset && is_own && as_offset != as_own;
}

/* `objcopy --only-keep-debug` changes the offsets of the segments and sets their size to 0; eu-strip keeps both. */
static bool has_offsets(const struct gate_elf_head *head) {
    return !head->is_debug_only || (head->load_count != 0 && head->loads[0].file_bytes != 0);
}

enum gate_file_basis gate_file_basis_of(const struct gate_elf_head *head, const struct gate_mapping *mapping,
                                        const struct gate_file_fit *fit) {
    if (!is_without_offset(mapping) || is_kernel(mapping))
        return GATE_FILE_BASIS_MAPPED;
    bool may_be_own = mapping->limit == GATE_FILE_BASE &&
                      head->is_fixed; /* position-independent files are loaded at much higher addresses */
    bool fits_own = may_be_own && fit->as_own == fit->count;
    if (!has_offsets(head))
        return GATE_FILE_BASIS_NO_OFFSET;
    bool fits_offset = fit->as_offset == fit->count;
    if (!may_be_own || (fits_offset && (!fits_own || !fit->differ)))
        return GATE_FILE_BASIS_MAPPED;
    if (fits_offset)
        return GATE_FILE_BASIS_EITHER;
    return fits_own ? GATE_FILE_BASIS_OWN : GATE_FILE_BASIS_UNKNOWN;
}

/* The kernel is relocated as a whole when it starts, so its addresses are relative to its first code. */
static bool kernel_address(uint64_t *out, const struct gate_elf_head *head, uint64_t address) {
    const uint64_t own[3] = {0, 0, 0};
    if (head->load_count == 0)
        return false;
    return gate_elf_head_address(out, head, head->loads[0].address + (address - GATE_FILE_BASE), own);
}

bool gate_file_address(uint64_t *out, const struct gate_elf_head *head, const struct gate_mapping *mapping,
                       enum gate_file_basis basis, uint64_t address) {
    if (basis == GATE_FILE_BASIS_OWN)
        return own_address(out, head, address);
    if (basis != GATE_FILE_BASIS_MAPPED)
        return false;
    if (is_kernel(mapping))
        return kernel_address(out, head, address);
    if (is_without_offset(mapping) && head->is_debug_only) {
        struct gate_elf_head whole = *head; /* eu-strip kept the binary's offsets of its segments (has_offsets) */
        whole.is_debug_only = false;
        return mapped_address(out, &whole, mapping, address);
    }
    return mapped_address(out, head, mapping, address);
}

/* ---- original names for the functions of a profile --------------------------------------------------------------- */

/** Maps that apply to one profile. */
struct gate_renaming {
    struct gate_symbol_source *source;
    struct gate_arena *arena; /* arena of the profile */
    const struct gate_profile *profile;
    const struct gate_source_map **maps; /* source map of each function's file; may be NULL */
    bool has_classes, has_slashes;       /* there is a mapping.txt; class names are written "java/lang/String" */
};

static bool maps_find(struct gate_renaming *out, struct gate_error *err) {
    const struct gate_profile *profile = out->profile;
    struct gate_arena *arena = out->arena;
    struct gate_table files; /* search once per file */
    struct gate_str script = GATE_STR("");
    bool has_map = false;
    gate_table_init(&files, arena);
    out->maps = GATE_NEW_ARRAY(arena, const struct gate_source_map *, profile->function_count);
    const struct gate_source_map **found =
        GATE_NEW_ARRAY(arena, const struct gate_source_map *, profile->function_count);
    if (out->maps == NULL || found == NULL)
        return gate_arena_error(arena, err);
    for (uint32_t i = 0; i < profile->function_count; i++) {
        struct gate_str file = profile->functions[i].file;
        uint32_t known = files.count;
        uint32_t index = file.len == 0 ? GATE_TABLE_NONE : gate_table_intern(&files, file);
        if (file.len == 0)
            continue;
        if (index == GATE_TABLE_NONE)
            return gate_arena_error(arena, err);
        if (index == known && !symbol_source_script(&found[index], out->source, file, err))
            return false;
        out->maps[i] = found[index];
        has_map = has_map || found[index] != NULL;
        if (script.len == 0 && gate_name_is_script(file))
            script = file;
    }
    return has_map || script.len == 0 || symbol_source_no_script(out->source, script, err);
}

/** Find the source maps of the profile's functions and read them. The listener gets one note that maps are found by
 * file name, and one if there are scripts and maps but no map matches. O(functions · files), plus the bytes of maps
 * that were not read before. err: errors of gate_source_read and gate_source_map_read, with the path. */
static bool renaming_begin(struct gate_renaming *out, const struct gate_profile *profile,
                           struct gate_symbol_source *source, struct gate_arena *arena, struct gate_error *err) {
    *out = (struct gate_renaming){
        .source = source, .arena = arena, .profile = profile, .has_classes = source->class_path != NULL};
    for (uint32_t i = 0; out->has_classes && i < profile->function_count && !out->has_slashes; i++)
        out->has_slashes = gate_str_starts(profile->functions[i].name, GATE_STR("java/"));
    for (size_t i = 0; i < source->files.count; i++)
        if (source->files.items[i].kind == GATE_SYMBOLS_SOURCE_MAP)
            return maps_find(out, err);
    return true;
}

/* The calls of a location while they are renamed. */
struct calls {
    const struct gate_renaming *renaming;
    struct gate_symbol_line *items;
    size_t count, capacity;
    bool any; /* at least one was renamed */
};

static bool call_add(struct calls *calls, const struct gate_symbol_line *call, struct gate_error *err) {
    struct gate_arena *arena = calls->renaming->arena;
    return GATE_APPEND(arena, calls->items, calls->count, calls->capacity, err, *call);
}

/* Return whether a line is that of a sample while its column is that of the function's start: V8 has no columns of
 * samples. */
static bool has_lines_of_samples(const struct gate_profile *profile) {
    return profile->format == GATE_FORMAT_CPUPROFILE || profile->format == GATE_FORMAT_TRACE_EVENTS;
}

static bool script_look(struct gate_symbol_line *call, bool *is_found, const struct calls *calls,
                        const struct gate_line *line, struct gate_error *err) {
    const struct gate_renaming *renaming = calls->renaming;
    const struct gate_function *function = &renaming->profile->functions[line->function];
    int64_t start = function->start_line;
    int64_t at = line->line == 0 || has_lines_of_samples(renaming->profile) ? start : line->line;
    /* The reader makes up names such as "find.(anonymous)", which the script does not contain. */
    bool has_name = function->system_name.len == 0 || function->system_name.ptr[0] != '(';
    const struct gate_script_place place = {.name = has_name ? function->name : function->system_name,
                                            .address = function->file,
                                            .line = at,
                                            .column = line->column,
                                            .is_start = at == start};
    *is_found = false;
    if (renaming->maps == NULL || renaming->maps[line->function] == NULL)
        return true;
    if (!gate_script_names_find(call, renaming->maps[line->function], &place, renaming->arena, err))
        return false;
    *is_found = call->name.ptr != NULL;
    return true;
}

static bool class_look(struct gate_symbol_answer *found, const struct calls *calls, const struct gate_line *line,
                       struct gate_error *err) {
    const struct gate_renaming *renaming = calls->renaming;
    const struct gate_function *function = &renaming->profile->functions[line->function];
    const struct gate_class_place place = {function->name, function->file, line->line, renaming->has_slashes};
    *found = (struct gate_symbol_answer){0};
    return !renaming->has_classes ||
           gate_class_names_find(found, &renaming->source->classes, &place, renaming->arena, err);
}

static bool line_add(struct calls *calls, const struct gate_line *line, struct gate_error *err) {
    struct gate_symbol_line call = {.name = GATE_STR(""), .system_name = GATE_STR(""), .file = GATE_STR("")};
    struct gate_symbol_answer classes;
    bool is_script = false;
    if (line->function == GATE_NO_INDEX)
        return call_add(calls, &call, err);
    const struct gate_function *function = &calls->renaming->profile->functions[line->function];
    call = (struct gate_symbol_line){function->name, function->system_name, function->file,
                                     line->line,     function->start_line,  line->column};
    if (!script_look(&call, &is_script, calls, line, err) || !class_look(&classes, calls, line, err))
        return false;
    calls->any = calls->any || is_script || classes.count != 0;
    if (is_script || classes.count == 0)
        return call_add(calls, &call, err);
    for (uint32_t i = 0; i < classes.count; i++)
        if (!call_add(calls, &classes.lines[i], err))
            return false;
    return true;
}

/** Find the original calls of `location`. `out->count` is 0 if it is unchanged. */
static bool renaming_location(struct gate_symbol_answer *out, const struct gate_renaming *renaming,
                              const struct gate_location *location, struct gate_error *err) {
    struct calls calls = {.renaming = renaming};
    *out = (struct gate_symbol_answer){0};
    if (renaming->maps == NULL && !renaming->has_classes)
        return true;
    struct gate_line_walk lines = gate_location_lines(renaming->profile, location);
    for (struct gate_line line; gate_line_next(&lines, &line);)
        if (!line_add(&calls, &line, err))
            return false;
    if (calls.any)
        *out = (struct gate_symbol_answer){calls.items, (uint32_t)calls.count};
    return true;
}

/* ---- profile ----------------------------------------------------------------------------------------------------- */

/* Finds the file of each mapping, looks up all addresses, and builds the profile's tables with the results. */

/* The use of a mapping's file and the number of names found. */
struct mapping_use {
    enum gate_file_basis basis;
    struct gate_file_fit fit;     /* addresses of the locations without names */
    uint64_t named, named_as_own; /* addresses with a name; if the basis is EITHER, as offset and as own address */
};

/* State while one profile is processed. */
struct symbolising {
    struct gate_profile *out;
    struct gate_symbol_source *source;
    struct gate_arena *arena;          /* arena of `out`; results for further profiles use the source's arena */
    struct gate_symbol_mapping *files; /* file of each mapping */
    struct mapping_use *uses;          /* use of each mapping's file */
    struct gate_symbol_answer *found;  /* answer for each location; no lines: it stays unchanged */
    struct gate_renaming renaming;
    struct gate_table functions; /* keys of the added functions */
    struct gate_location_edit edit;
};

/* ---- existing names ---------------------------------------------------------------------------------------------- */

static bool functions_demangle(struct gate_profile *out, struct gate_arena *arena, struct gate_error *err) {
    uint32_t first = 0;
    while (first < out->function_count && !gate_demangle_is_mangled(out->functions[first].name))
        first++;
    if (first == out->function_count)
        return true;
    struct gate_function *functions = GATE_NEW_ARRAY(arena, struct gate_function, out->function_count);
    if (functions == NULL)
        return gate_arena_error(arena, err);
    memcpy(functions, out->functions, out->function_count * sizeof *functions);
    for (uint32_t i = first; i < out->function_count; i++) {
        struct gate_str mangled = functions[i].name;
        functions[i].name = gate_demangle(arena, mangled);
        if (functions[i].name.ptr == NULL)
            return gate_arena_error(arena, err);
        if (functions[i].system_name.len == 0)
            functions[i].system_name = mangled;
    }
    out->functions = functions;
    return true;
}

/* ---- looking up addresses ---------------------------------------------------------------------------------------- */

static bool is_wanted(const struct gate_profile *profile, const struct gate_location *location) {
    return location->address != 0 && !gate_location_name_is_known(profile, location);
}

/* Find the files of mappings that have locations without names. */
static bool mappings_find(struct symbolising *s, struct gate_error *err) {
    const struct gate_profile *profile = s->out;
    bool *is_searched = GATE_NEW_ARRAY(s->arena, bool, profile->mapping_count);
    if (is_searched == NULL)
        return gate_arena_error(s->arena, err);
    for (uint32_t i = 0; i < profile->location_count; i++) {
        struct gate_location location = gate_location_at(profile, i);
        if (location.mapping == GATE_NO_INDEX || is_searched[location.mapping] || !is_wanted(profile, &location))
            continue;
        is_searched[location.mapping] = true;
        if (!symbol_source_mapping(&s->files[location.mapping], s->source, &profile->mappings[location.mapping], err))
            return false;
    }
    return true;
}

/* Return the file of the location's mapping, or NULL. */
static const struct gate_symbol_file *file_of_location(const struct symbolising *s,
                                                       const struct gate_location *location) {
    return location->mapping == GATE_NO_INDEX ? NULL : s->files[location->mapping].file;
}

/* Convert the location's address to one in the file of its mapping. Return false if there is none. */
static bool address_of(uint64_t *address, const struct symbolising *s, const struct gate_location *location,
                       enum gate_file_basis basis) {
    const struct gate_symbol_file *file = file_of_location(s, location);
    return file != NULL &&
           gate_file_address(address, &file->head, &s->out->mappings[location->mapping], basis, location->address);
}

/* Determine what the addresses of each mapping are. */
static void bases_find(struct symbolising *s) {
    const struct gate_profile *profile = s->out;
    for (uint32_t i = 0; i < profile->location_count; i++) {
        struct gate_location location = gate_location_at(profile, i);
        const struct gate_symbol_file *file = file_of_location(s, &location);
        if (file != NULL && is_wanted(profile, &location))
            gate_file_fit_add(&s->uses[location.mapping].fit, &file->head, &profile->mappings[location.mapping],
                              location.address);
    }
    for (uint32_t i = 0; i < profile->mapping_count; i++)
        if (s->files[i].file != NULL)
            s->uses[i].basis = gate_file_basis_of(&s->files[i].file->head, &profile->mappings[i], &s->uses[i].fit);
}

/* Look up all addresses of one binary at once. If the basis is undecided, look up each address as an offset and as an
 * address in the file. */
static bool binary_learn(struct symbolising *s, size_t binary, uint64_t *addresses, struct gate_error *err) {
    static const enum gate_file_basis both[] = {GATE_FILE_BASIS_MAPPED, GATE_FILE_BASIS_OWN};
    size_t count = 0;
    for (uint32_t i = 0; i < s->out->location_count; i++) {
        struct gate_location location = gate_location_at(s->out, i);
        if (file_of_location(s, &location) == NULL || s->files[location.mapping].binary != binary ||
            !is_wanted(s->out, &location))
            continue;
        enum gate_file_basis basis = s->uses[location.mapping].basis;
        for (size_t j = 0; j < 2; j++)
            if (basis == GATE_FILE_BASIS_EITHER || basis == both[j])
                count += address_of(&addresses[count], s, &location, both[j]);
    }
    return gate_symbol_binary_learn(&s->source->binaries[binary], &s->source->files, addresses, count, s->source->arena,
                                    err);
}

static const struct gate_symbol_answer *answer_of(const struct symbolising *s, const struct gate_location *location,
                                                  enum gate_file_basis basis) {
    uint64_t address = 0;
    if (!address_of(&address, s, location, basis))
        return NULL;
    return gate_symbol_binary_find(&s->source->binaries[s->files[location->mapping].binary], address);
}

/* Decide an undecided basis: if only one of the two conversions has every address inside of a function, use it. */
static void bases_decide(struct symbolising *s) {
    for (uint32_t i = 0; i < s->out->location_count; i++) {
        struct gate_location location = gate_location_at(s->out, i);
        if (file_of_location(s, &location) == NULL || !is_wanted(s->out, &location) ||
            s->uses[location.mapping].basis != GATE_FILE_BASIS_EITHER)
            continue;
        struct mapping_use *use = &s->uses[location.mapping];
        use->named += answer_of(s, &location, GATE_FILE_BASIS_MAPPED) != NULL;
        use->named_as_own += answer_of(s, &location, GATE_FILE_BASIS_OWN) != NULL;
    }
    for (uint32_t i = 0; i < s->out->mapping_count; i++) {
        struct mapping_use *use = &s->uses[i];
        if (use->basis != GATE_FILE_BASIS_EITHER)
            continue;
        bool is_offset = use->named == use->fit.count, is_own = use->named_as_own == use->fit.count;
        use->basis = is_offset == is_own ? GATE_FILE_BASIS_UNKNOWN
                     : is_offset         ? GATE_FILE_BASIS_MAPPED
                                         : GATE_FILE_BASIS_OWN;
        use->named = 0;
    }
}

static bool binaries_learn(struct symbolising *s, struct gate_error *err) {
    struct gate_arena scratch;
    gate_arena_fork(&scratch, s->source->arena);
    bases_find(s);
    uint64_t *addresses = GATE_NEW_ARRAY(&scratch, uint64_t, 2 * (size_t)s->out->location_count);
    bool ok = addresses != NULL || gate_arena_error(&scratch, err);
    for (size_t i = 0; ok && i < s->source->binary_count; i++)
        ok = binary_learn(s, i, addresses, err);
    gate_arena_free(&scratch);
    bases_decide(s);
    return ok;
}

static bool code_find(struct symbolising *s, const struct gate_location *location, struct gate_symbol_answer *found,
                      struct gate_error *err) {
    struct gate_str name = gate_perf_map_find(&s->source->map, location->address);
    if (name.len == 0)
        return true;
    struct gate_symbol_line *line = GATE_NEW_ARRAY(s->arena, struct gate_symbol_line, 1);
    if (line == NULL)
        return gate_arena_error(s->arena, err);
    *line = (struct gate_symbol_line){gate_demangle(s->arena, name), name, GATE_STR(""), 0, 0, 0};
    *found = (struct gate_symbol_answer){line, 1};
    return line->name.ptr != NULL || gate_arena_error(s->arena, err);
}

/* Return the number of locations that get new names. Sets `*ok` to false on failure. */
static uint32_t locations_find(struct symbolising *s, bool *ok, struct gate_error *err) {
    uint32_t count = 0;
    for (uint32_t i = 0; *ok && i < s->out->location_count; i++) {
        struct gate_location location = gate_location_at(s->out, i);
        if (!is_wanted(s->out, &location)) {
            *ok = renaming_location(&s->found[i], &s->renaming, &location, err);
            count += s->found[i].count != 0;
            continue;
        }
        const struct gate_symbol_answer *answer = NULL;
        if (file_of_location(s, &location) != NULL)
            answer = answer_of(s, &location, s->uses[location.mapping].basis);
        if (answer != NULL) {
            s->found[i] = *answer;
            s->uses[location.mapping].named++;
        } else {
            *ok = code_find(s, &location, &s->found[i], err);
        }
        count += s->found[i].count != 0;
    }
    return count;
}

/* Report each file whose addresses could not be converted, or that names none of them. */
static bool uses_report(struct symbolising *s, struct gate_error *err) {
    for (uint32_t i = 0; i < s->out->mapping_count; i++) {
        const struct mapping_use *use = &s->uses[i];
        if (s->files[i].file != NULL && use->fit.count != 0 &&
            !symbol_source_used(s->source, &s->out->mappings[i], &s->files[i],
                                &(struct gate_symbol_use){use->basis, use->fit.count, use->named}, err))
            return false;
    }
    return true;
}

/* ---- tables of the profile --------------------------------------------------------------------------------------- */

/* Return the index of the function of `line`, adding it if it is new; GATE_NO_INDEX if the arena is full. */
static uint32_t function_of(struct symbolising *s, const struct gate_symbol_line *line, uint32_t first) {
    struct gate_arena *arena = s->arena;
    struct gate_str start = {(const char *)&line->start_line, sizeof line->start_line};
    const struct gate_str parts[] = {line->name, GATE_STR("\0"), line->system_name, GATE_STR("\0"), line->file, start};
    struct gate_str key = gate_str_concat(arena, parts, sizeof parts / sizeof *parts);
    uint32_t known = s->functions.count;
    uint32_t index = key.ptr == NULL ? GATE_TABLE_NONE : gate_table_intern(&s->functions, key);
    if (index < known || index == GATE_TABLE_NONE)
        return index == GATE_TABLE_NONE ? GATE_NO_INDEX : first + index;
    return gate_location_edit_function(
        &s->edit, &(struct gate_function){line->name, line->system_name, line->file, line->start_line});
}

static bool lines_add(struct symbolising *s, uint32_t location, const struct gate_symbol_answer *found,
                      uint32_t first) {
    gate_location_edit_begin(&s->edit, location);
    for (uint32_t i = 0; i < found->count; i++) {
        struct gate_line line = {function_of(s, &found->lines[i], first), found->lines[i].column, found->lines[i].line};
        if (line.function == GATE_NO_INDEX || !gate_location_edit_line(&s->edit, &line))
            return false;
    }
    return true;
}

/* Give the profile its own tables with the names found. */
static bool tables_fill(struct symbolising *s, struct gate_error *err) {
    const uint32_t first = s->out->function_count;
    if (!gate_location_edit_init(&s->edit, s->out, s->arena))
        return gate_arena_error(s->arena, err);
    gate_table_init(&s->functions, s->arena);
    for (uint32_t i = 0; i < s->out->location_count; i++)
        if (s->found[i].count != 0 && !lines_add(s, i, &s->found[i], first))
            return gate_arena_error(s->arena, err);
    return true;
}

/* Update the maximum number of frames, because inlined calls make stacks deeper. */
static bool depth_measure(struct gate_profile *out, struct gate_error *err) {
    struct gate_sample_cursor cursor;
    struct gate_sample sample;
    struct gate_error why = {0};
    gate_sample_begin(&cursor, out);
    while (gate_sample_next(&cursor, &sample, &why)) {
        uint64_t frames = 0, id = 0;
        for (uint32_t at = 0; gate_stack_next(sample.stack, &at, &id);)
            frames += gate_location_frames(out, gate_location_find(out, id));
        if (frames > out->max_frames)
            out->max_frames = frames > UINT32_MAX / 2 ? UINT32_MAX / 2 : (uint32_t)frames;
    }
    gate_sample_end(&cursor);
    if (why.code != GATE_OK)
        *err = why;
    return why.code == GATE_OK;
}

bool gate_symbolise(struct gate_profile *out, const struct gate_profile *profile, struct gate_symbol_source *source,
                    struct gate_arena *arena, struct gate_error *err) {
    struct symbolising s = {.out = out, .source = source, .arena = arena};
    bool ok = true;
    *out = *profile;
    if (!functions_demangle(out, arena, err))
        return false;
    out->has_language = profile->has_language && out->functions == profile->functions;
    if (gate_symbol_source_is_empty(source))
        return true;
    s.files = GATE_NEW_ARRAY(arena, struct gate_symbol_mapping, out->mapping_count);
    s.uses = GATE_NEW_ARRAY(arena, struct mapping_use, out->mapping_count);
    s.found = GATE_NEW_ARRAY(arena, struct gate_symbol_answer, out->location_count);
    if (s.files == NULL || s.uses == NULL || s.found == NULL)
        return gate_arena_error(arena, err);
    if (!mappings_find(&s, err) || !binaries_learn(&s, err) || !renaming_begin(&s.renaming, out, source, arena, err))
        return false;
    uint32_t found = locations_find(&s, &ok, err);
    if (!ok || !uses_report(&s, err))
        return false;
    if (found == 0)
        return true;
    out->has_language = false; /* determine the language again, from the new names */
    return tables_fill(&s, err) && depth_measure(out, err);
}
