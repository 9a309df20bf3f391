/* SPDX-License-Identifier: Apache-2.0 */
/* Names that build tools made up (see renaming.h). */
#include "gate/symbols/renaming.h"

#include "gate/profile/location.h"
#include "gate/symbols/class_names.h"
#include "gate/symbols/script_names.h"

/* What bundlers write; Node's own files and native code are none. */
static bool is_script(struct gate_str file) {
    return gate_str_ends(file, GATE_STR(".js")) || gate_str_ends(file, GATE_STR(".mjs")) ||
           gate_str_ends(file, GATE_STR(".cjs"));
}

static bool maps_find(struct gate_renaming *out, struct gate_error *err) {
    const struct gate_profile *profile = out->profile;
    struct gate_arena *arena = out->arena;
    struct gate_table files; /* one search for each */
    struct gate_str script = GATE_STR("");
    bool has_map = false;
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
        has_map = has_map || found[index] != NULL;
        if (script.len == 0 && is_script(file))
            script = file;
    }
    return has_map || script.len == 0 || gate_symbol_source_no_script(out->source, script, err);
}

bool gate_renaming_begin(struct gate_renaming *out, const struct gate_profile *profile,
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

/* The calls of a location on their way. */
struct calls {
    const struct gate_renaming *renaming;
    struct gate_symbol_line *items;
    size_t count, capacity;
    bool any; /* is renamed */
};

static bool call_add(struct calls *calls, const struct gate_symbol_line *call, struct gate_error *err) {
    struct gate_arena *arena = calls->renaming->arena;
    struct gate_symbol_line *grown =
        gate_arena_grow(arena, calls->items, calls->count, &calls->capacity, sizeof *grown);
    if (grown == NULL)
        return gate_arena_error(arena, err);
    calls->items = grown;
    grown[calls->count++] = *call;
    return true;
}

static bool script_look(struct gate_symbol_line *call, bool *is_found, const struct calls *calls,
                        const struct gate_line *line, struct gate_error *err) {
    const struct gate_renaming *renaming = calls->renaming;
    const struct gate_function *function = &renaming->profile->functions[line->function];
    int64_t start = function->start_line;
    const struct gate_script_place place = {.name = function->name,
                                            .address = function->file,
                                            .line = line->line != 0 ? line->line : start,
                                            .column = line->column,
                                            .is_start = line->line == 0 || line->line == start};
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

bool gate_renaming_location(struct gate_symbol_answer *out, const struct gate_renaming *renaming,
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
