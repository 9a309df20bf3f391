/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/compare/minified.h"

#include "gate/model/location.h"
#include "gate/model/profile.h"
#include "gate/names/frame_name.h"

/* A script is minified if it has at least SHORT_HALF short names and they are half of its names, or at least
 * SHORT_MANY. */
enum { SHORT_HALF = 3, SHORT_MANY = 8 };

/* The bits of both sides. */
enum { BOTH = 1 << GATE_BASELINE | 1 << GATE_CANARY };

/* Functions of a script with one name, or with one name at one place. */
struct entry {
    uint32_t script;
    uint8_t sides;  /* a bit per side that has it */
    bool is_short;  /* for a name: it has one or two letters */
    bool is_at_one; /* for a name: both sides have a function with it at the same place */
};

struct entries {
    struct gate_table keys;
    struct entry *items;
    size_t capacity;
};

struct finding {
    struct gate_minified *out;
    struct entries names, places;
    size_t script_capacity;
    struct gate_arena scratch;
    struct gate_arena *arena;
};

/* Return the last two parts of a path, without a query: "plugins/estree.mjs". */
static struct gate_str script_path(struct gate_str file) {
    file = gate_str_slice(file, 0, gate_str_find(file, GATE_STR("?"), 0));
    size_t at = file.len;
    for (int parts = 0; at > 0; at--)
        if (file.ptr[at - 1] == '/' && ++parts == 2)
            break;
    return gate_str_slice(file, at, file.len);
}

/* Return the entry of a key, which is added if it is new; NULL: the arena is full. */
static struct entry *entry_of(struct entries *entries, struct gate_str key, uint32_t script, struct gate_arena *arena) {
    uint32_t known = entries->keys.count,
             index = key.ptr == NULL ? GATE_TABLE_NONE : gate_table_intern(&entries->keys, key);
    if (index == GATE_TABLE_NONE)
        return NULL;
    if (index == known) {
        if (!GATE_GROW(arena, entries->items, known, entries->capacity))
            return NULL;
        entries->items[known] = (struct entry){.script = script};
    }
    return &entries->items[index];
}

static uint32_t script_of(struct finding *finding, struct gate_str file) {
    struct gate_minified *out = finding->out;
    uint32_t known = out->paths.count, script = gate_table_intern(&out->paths, script_path(file));
    if (script != known)
        return script;
    if (!GATE_GROW(finding->arena, out->scripts, known, finding->script_capacity))
        return GATE_TABLE_NONE;
    out->scripts[known] = (struct gate_minified_script){0};
    return script;
}

/* Add a function whose line and column are known. */
static bool function_add(struct finding *finding, const struct gate_function *function, uint32_t column, int side) {
    uint8_t bit = (uint8_t)(1u << side);
    uint32_t script = script_of(finding, function->file);
    if (script == GATE_TABLE_NONE)
        return false;
    struct gate_str name =
        gate_str_format(&finding->scratch, "%u %.*s", (unsigned)script, GATE_STR_ARG(function->name));
    struct gate_str place = gate_str_format(&finding->scratch, "%.*s %lld:%u", GATE_STR_ARG(name),
                                            (long long)function->start_line, (unsigned)column);
    struct entry *named = entry_of(&finding->names, name, script, &finding->scratch);
    struct entry *placed = entry_of(&finding->places, place, script, &finding->scratch);
    if (named == NULL || placed == NULL)
        return false;
    struct gate_minified_script *of = &finding->out->scripts[script];
    bool is_short = gate_name_is_short(function->name), is_new = (named->sides & bit) == 0;
    named->is_short = is_short;
    of->names[side] += is_new;
    of->shorts[side] += is_new && is_short;
    of->common += is_new && is_short && named->sides != 0;
    named->sides |= bit;
    placed->sides |= bit;
    named->is_at_one = named->is_at_one || placed->sides == BOTH;
    return true;
}

static bool profile_add(struct finding *finding, const struct gate_profile *profile, int side) {
    for (uint32_t i = 0; i < profile->location_count; i++) {
        struct gate_location location = gate_location_at(profile, i);
        struct gate_line_walk lines = gate_location_lines(profile, &location);
        for (struct gate_line line; gate_line_next(&lines, &line);) {
            if (line.function == GATE_NO_INDEX)
                continue;
            const struct gate_function *function = &profile->functions[line.function];
            bool is_placed = function->start_line != 0 && function->name.len != 0;
            if (is_placed && gate_name_is_script(function->file) && !function_add(finding, function, line.column, side))
                return false;
        }
    }
    return true;
}

static bool is_minified(const struct gate_minified_script *script) {
    for (int side = 0; side < GATE_SIDES; side++)
        if (script->shorts[side] >= SHORT_MANY ||
            (script->shorts[side] >= SHORT_HALF && script->shorts[side] >= script->names[side] / 2))
            return true;
    return false;
}

/* Name the scripts of two builds. */
static bool scripts_name(struct finding *finding) {
    struct gate_minified *out = finding->out;
    for (uint32_t i = 0; i < finding->names.keys.count; i++) {
        const struct entry *named = &finding->names.items[i];
        out->scripts[named->script].moved += named->sides == BOTH && named->is_short && !named->is_at_one;
    }
    for (uint32_t i = 0; i < out->paths.count; i++) {
        struct gate_minified_script *script = &out->scripts[i];
        bool is_of_one_side = script->names[GATE_BASELINE] == 0 || script->names[GATE_CANARY] == 0;
        if (!is_minified(script) || script->moved < (script->common + 1) / 2)
            continue;
        script->name = is_of_one_side
                           ? GATE_STR("(minified code)")
                           : gate_str_format(finding->arena, "(minified) %.*s", GATE_STR_ARG(out->paths.keys[i]));
        if (script->name.ptr == NULL)
            return false;
        out->count++;
    }
    return true;
}

/* Return "plugins/estree.mjs and 2 more"; empty: there are none; `.ptr` is NULL: the arena is full. O(scripts). */
static struct gate_str scripts_list(const struct gate_minified *minified, struct gate_arena *arena) {
    uint32_t first = 0;
    if (minified->count == 0)
        return GATE_STR("");
    while (minified->scripts[first].name.len == 0)
        first++;
    struct gate_str path = minified->paths.keys[first];
    return minified->count == 1
               ? gate_str_copy(arena, path)
               : gate_str_format(arena, "%.*s and %u more", GATE_STR_ARG(path), (unsigned)minified->count - 1);
}

bool gate_minified_find(struct gate_minified *out, struct gate_pair *pair, struct gate_arena *arena,
                        struct gate_error *err) {
    struct finding finding = {.out = out, .arena = arena};
    bool ok = true;
    *out = (struct gate_minified){0};
    gate_table_init(&out->paths, arena);
    gate_arena_fork(&finding.scratch, arena);
    gate_table_init(&finding.names.keys, &finding.scratch);
    gate_table_init(&finding.places.keys, &finding.scratch);
    for (int side = 0; ok && side < GATE_SIDES; side++)
        for (uint32_t r = 0; ok && r < pair->sides[side].run_count; r++) {
            const struct gate_profile *profile = pair->sides[side].runs[r].input.profile;
            ok = gate_own_code_language(profile) != GATE_LANGUAGE_NODE || profile_add(&finding, profile, side);
        }
    ok = (ok && scripts_name(&finding)) || gate_arena_error(finding.scratch.is_refused ? &finding.scratch : arena, err);
    gate_arena_free(&finding.scratch);
    if (ok)
        pair->minified = scripts_list(out, arena);
    return ok && (pair->minified.ptr != NULL || gate_arena_error(arena, err));
}

bool gate_minified_name_is(struct gate_str name) {
    return gate_str_starts(name, GATE_STR("(minified"));
}

struct gate_str gate_minified_name(const struct gate_minified *minified, const struct gate_function *function) {
    if (minified->count == 0 || !gate_name_is_script(function->file) || !gate_name_is_short(function->name))
        return GATE_STR("");
    uint32_t script = gate_table_find(&minified->paths, script_path(function->file));
    return script == GATE_TABLE_NONE ? GATE_STR("") : minified->scripts[script].name;
}
