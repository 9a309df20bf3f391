/* SPDX-License-Identifier: Apache-2.0 */
/* Names that build tools made up (see renaming.h). */
#include "gate/symbols/renaming.h"

#include "gate/symbols/script_names.h"

static bool maps_find(struct gate_renaming *out, struct gate_error *err) {
    const struct gate_profile *profile = out->profile;
    struct gate_arena *arena = out->source->arena;
    struct gate_table files; /* one search for each */
    gate_table_init(&files, arena);
    out->maps = GATE_NEW_ARRAY(arena, const struct gate_source_map *, (size_t)profile->function_count + 1);
    const struct gate_source_map **found =
        GATE_NEW_ARRAY(arena, const struct gate_source_map *, (size_t)profile->function_count + 1);
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
        if (index == known && !gate_symbol_source_script(&found[index], out->source, file, err))
            return false;
        out->maps[i] = found[index];
    }
    return true;
}

bool gate_renaming_begin(struct gate_renaming *out, const struct gate_profile *profile,
                         struct gate_symbol_source *source, struct gate_error *err) {
    *out = (struct gate_renaming){.source = source, .profile = profile};
    for (size_t i = 0; i < source->files.count; i++)
        if (source->files.items[i].kind == GATE_SYMBOLS_SOURCE_MAP)
            return maps_find(out, err);
    return true;
}

static bool script_rename(struct gate_symbol_line *call, bool *is_renamed, const struct gate_renaming *renaming,
                          const struct gate_line *line, struct gate_error *err) {
    const struct gate_function *function = &renaming->profile->functions[line->function];
    int64_t start = function->start_line;
    const struct gate_script_place place = {.name = function->name,
                                            .address = function->file,
                                            .line = line->line != 0 ? line->line : start,
                                            .column = line->column,
                                            .is_start = line->line == 0 || line->line == start};
    *is_renamed = false;
    if (renaming->maps == NULL || renaming->maps[line->function] == NULL)
        return true;
    return gate_script_names_find(call, is_renamed, renaming->maps[line->function], &place, renaming->source->arena,
                                  err);
}

bool gate_renaming_location(struct gate_symbol_answer *out, const struct gate_renaming *renaming,
                            const struct gate_location *location, struct gate_error *err) {
    const struct gate_profile *profile = renaming->profile;
    struct gate_arena *arena = renaming->source->arena;
    bool any = false;
    *out = (struct gate_symbol_answer){0};
    if (renaming->maps == NULL || location->line_count == 0)
        return true;
    struct gate_symbol_line *calls = GATE_NEW_ARRAY(arena, struct gate_symbol_line, location->line_count);
    if (calls == NULL)
        return gate_arena_error(arena, err);
    for (uint32_t i = 0; i < location->line_count; i++) {
        const struct gate_line *line = &profile->lines[location->line_first + i];
        bool is_renamed = false;
        calls[i] = (struct gate_symbol_line){.name = GATE_STR(""), .system_name = GATE_STR(""), .file = GATE_STR("")};
        if (line->function == GATE_NO_INDEX)
            continue;
        const struct gate_function *function = &profile->functions[line->function];
        calls[i] = (struct gate_symbol_line){function->name, function->system_name, function->file,
                                             line->line,     function->start_line,  line->column};
        if (!script_rename(&calls[i], &is_renamed, renaming, line, err))
            return false;
        any = any || is_renamed;
    }
    if (any)
        *out = (struct gate_symbol_answer){calls, location->line_count};
    return true;
}
