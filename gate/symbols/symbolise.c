/* SPDX-License-Identifier: Apache-2.0 */
/* Names for a profile (see symbolise.h): which mapping means which file, what is at each address, and the profile's
 * tables with that in them. */
#include "gate/symbols/symbolise.h"

#include "gate/profile/location.h"
#include "gate/profile/location_name.h"
#include "gate/profile/sample.h"
#include "gate/symbols/demangle.h"
#include "gate/symbols/renaming.h"

/* One profile on its way. */
struct symbolising {
    struct gate_profile *out;
    struct gate_symbol_source *source;
    struct gate_arena *arena;          /* of `out`; what is looked up again is in the source's */
    struct gate_symbol_mapping *files; /* of each mapping */
    struct gate_symbol_answer *found;  /* of each location; no lines: it stays as it is */
    struct gate_renaming renaming;
    struct gate_table functions; /* what tells a new function from others */
    size_t function_capacity, line_capacity;
};

/* ---- names that are there ---------------------------------------------------------------------------------------- */

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

/* ---- what is at each address ------------------------------------------------------------------------------------- */

static bool is_wanted(const struct gate_profile *profile, const struct gate_location *location) {
    return location->address != 0 && !gate_location_name_is_known(profile, location);
}

/* The files of mappings in which something is to be named. */
static bool mappings_find(struct symbolising *s, struct gate_error *err) {
    const struct gate_profile *profile = s->out;
    bool *is_asked = GATE_NEW_ARRAY(s->arena, bool, (size_t)profile->mapping_count + 1);
    if (is_asked == NULL)
        return gate_arena_error(s->arena, err);
    for (uint32_t i = 0; i < profile->location_count; i++) {
        struct gate_location location = gate_location_at(profile, i);
        if (location.mapping == GATE_NO_INDEX || is_asked[location.mapping] || !is_wanted(profile, &location))
            continue;
        is_asked[location.mapping] = true;
        if (!gate_symbol_source_mapping(&s->files[location.mapping], s->source, &profile->mappings[location.mapping],
                                        err))
            return false;
    }
    return true;
}

/* The address in the file that the location's mapping means. False: there is none. */
static bool address_of(uint64_t *address, const struct symbolising *s, const struct gate_location *location) {
    if (location->mapping == GATE_NO_INDEX || s->files[location->mapping].file == NULL)
        return false;
    const struct gate_mapping *mapping = &s->out->mappings[location->mapping];
    const uint64_t place[3] = {mapping->start, mapping->limit, mapping->offset};
    return gate_elf_head_address(address, &s->files[location->mapping].file->head, location->address, place);
}

/* Ask one binary for all its addresses at once. */
static bool binary_learn(struct symbolising *s, size_t binary, uint64_t *addresses, struct gate_error *err) {
    size_t count = 0;
    for (uint32_t i = 0; i < s->out->location_count; i++) {
        struct gate_location location = gate_location_at(s->out, i);
        if (is_wanted(s->out, &location) && address_of(&addresses[count], s, &location) &&
            s->files[location.mapping].binary == binary)
            count++;
    }
    return gate_symbol_binary_learn(&s->source->binaries[binary], &s->source->files, addresses, count, s->source->arena,
                                    err);
}

static bool binaries_learn(struct symbolising *s, struct gate_error *err) {
    struct gate_arena scratch;
    gate_arena_fork(&scratch, s->source->arena);
    uint64_t *addresses = GATE_NEW_ARRAY(&scratch, uint64_t, (size_t)s->out->location_count + 1);
    bool ok = addresses != NULL || gate_arena_error(&scratch, err);
    for (size_t i = 0; ok && i < s->source->binary_count; i++)
        ok = binary_learn(s, i, addresses, err);
    gate_arena_free(&scratch);
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

/* Returns how many locations get a name; in `*ok` whether there was room. */
static uint32_t locations_find(struct symbolising *s, bool *ok, struct gate_error *err) {
    uint32_t count = 0;
    for (uint32_t i = 0; *ok && i < s->out->location_count; i++) {
        struct gate_location location = gate_location_at(s->out, i);
        uint64_t address = 0;
        if (!is_wanted(s->out, &location)) {
            *ok = gate_renaming_location(&s->found[i], &s->renaming, &location, err);
            count += s->found[i].count != 0;
            continue;
        }
        const struct gate_symbol_answer *answer = NULL;
        if (address_of(&address, s, &location))
            answer = gate_symbol_binary_find(&s->source->binaries[s->files[location.mapping].binary], address);
        if (answer != NULL)
            s->found[i] = *answer;
        else
            *ok = code_find(s, &location, &s->found[i], err);
        count += s->found[i].count != 0;
    }
    return count;
}

/* ---- the profile's tables ---------------------------------------------------------------------------------------- */

/* Index of the function of `line`; GATE_NO_INDEX: the arena is full. */
static uint32_t function_of(struct symbolising *s, const struct gate_symbol_line *line, uint32_t first) {
    struct gate_arena *arena = s->arena;
    struct gate_profile *out = s->out;
    struct gate_str start = {(const char *)&line->start_line, sizeof line->start_line};
    const struct gate_str parts[] = {line->name, GATE_STR("\0"), line->system_name, GATE_STR("\0"), line->file, start};
    struct gate_str key = gate_str_concat(arena, parts, sizeof parts / sizeof *parts);
    uint32_t known = s->functions.count;
    uint32_t index = key.ptr == NULL ? GATE_TABLE_NONE : gate_table_intern(&s->functions, key);
    if (index < known || index == GATE_TABLE_NONE)
        return index == GATE_TABLE_NONE ? GATE_NO_INDEX : first + index;
    struct gate_function *grown =
        gate_arena_grow(arena, out->functions, out->function_count, &s->function_capacity, sizeof *grown);
    if (grown == NULL)
        return GATE_NO_INDEX;
    out->functions = grown;
    grown[out->function_count++] = (struct gate_function){line->name, line->system_name, line->file, line->start_line};
    return first + index;
}

static bool lines_add(struct symbolising *s, struct gate_location *location, const struct gate_symbol_answer *found,
                      uint32_t first) {
    struct gate_profile *out = s->out;
    location->line_first = out->line_count;
    location->line_count = found->count;
    location->lines_in = GATE_LINES_KEPT;
    out->most_lines = found->count > out->most_lines ? found->count : out->most_lines;
    for (uint32_t i = 0; i < found->count; i++) {
        struct gate_line *grown =
            gate_arena_grow(s->arena, out->lines, out->line_count, &s->line_capacity, sizeof *grown);
        uint32_t function = function_of(s, &found->lines[i], first);
        if (grown == NULL || function == GATE_NO_INDEX || out->line_count == GATE_NO_INDEX - 1)
            return false;
        out->lines = grown;
        grown[out->line_count++] = (struct gate_line){function, found->lines[i].column, found->lines[i].line};
    }
    return true;
}

/* Tables of their own for the profile, with what was found. gate_arena_grow copies where its capacity is met. */
static bool tables_fill(struct symbolising *s, struct gate_error *err) {
    struct gate_profile *out = s->out;
    struct gate_arena *arena = s->arena;
    struct gate_location *locations = GATE_NEW_ARRAY(arena, struct gate_location, (size_t)out->location_count + 1);
    if (locations == NULL)
        return gate_arena_error(arena, err);
    for (uint32_t i = 0; i < out->location_count; i++)
        locations[i] = gate_location_at(out, i);
    out->locations = locations;
    out->location_places = NULL;
    s->function_capacity = out->function_count;
    s->line_capacity = out->line_count;
    gate_table_init(&s->functions, arena);
    uint32_t first = out->function_count;
    for (uint32_t i = 0; i < out->location_count; i++)
        if (s->found[i].count != 0 && !lines_add(s, &locations[i], &s->found[i], first))
            return gate_arena_error(arena, err);
    return true;
}

/* Inlined calls make stacks deeper. */
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
    if (source->files.count == 0 && source->map.count == 0 && source->listener.fetch == NULL)
        return true;
    s.files = GATE_NEW_ARRAY(arena, struct gate_symbol_mapping, (size_t)out->mapping_count + 1);
    s.found = GATE_NEW_ARRAY(arena, struct gate_symbol_answer, (size_t)out->location_count + 1);
    if (s.files == NULL || s.found == NULL)
        return gate_arena_error(arena, err);
    if (!mappings_find(&s, err) || !binaries_learn(&s, err) ||
        !gate_renaming_begin(&s.renaming, out, source, arena, err))
        return false;
    if (locations_find(&s, &ok, err) == 0 || !ok)
        return ok;
    out->has_language = false; /* there are names now that tell */
    return tables_fill(&s, err) && depth_measure(out, err);
}
