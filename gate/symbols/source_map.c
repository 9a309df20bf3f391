/* SPDX-License-Identifier: Apache-2.0 */
/* Source maps (see source_map.h). */
#include "gate/symbols/source_map.h"

#include "gate/profile/json_tree.h"

/* A map on its way. */
struct map_reading {
    struct gate_source_map *out;
    struct gate_arena *arena;
    size_t source_capacity, name_capacity;
};

/* Behind the line that keeps a browser from running the file. */
static struct gate_str json_of(struct gate_str text) {
    text = gate_str_trim(gate_str_starts(text, GATE_STR("\xEF\xBB\xBF")) ? gate_str_slice(text, 3, text.len) : text);
    if (!gate_str_starts(text, GATE_STR(")]}")))
        return text;
    size_t end = gate_str_find(text, GATE_STR("\n"), 0);
    return end == SIZE_MAX ? GATE_STR("") : gate_str_trim(gate_str_slice(text, end, text.len));
}

bool gate_source_map_sniff(struct gate_str head) {
    return gate_str_starts(json_of(head), GATE_STR("{"));
}

static struct gate_str view_of(const json_t *value) {
    return json_is_string(value) ? (struct gate_str){json_string_value(value), json_string_length(value)}
                                 : GATE_STR("");
}

/* A copy that outlives the tree, and is text. */
static struct gate_str copy_of(struct gate_arena *arena, struct gate_str text) {
    struct gate_str whole = gate_str_repair_utf8(arena, text);
    return whole.ptr != NULL && whole.ptr == text.ptr ? gate_str_copy(arena, whole) : whole;
}

static bool source_add(struct map_reading *reading, struct gate_str root, struct gate_str path, struct gate_str text) {
    struct gate_source_map *out = reading->out;
    struct gate_source_file *grown =
        gate_arena_regrow(reading->arena, out->sources, out->source_count, &reading->source_capacity, sizeof *grown);
    struct gate_str slash = root.len != 0 && !gate_str_ends(root, GATE_STR("/")) ? GATE_STR("/") : GATE_STR("");
    const struct gate_str parts[] = {root, slash, path};
    struct gate_str whole = gate_str_concat(reading->arena, parts, 3);
    if (grown == NULL || whole.ptr == NULL)
        return false;
    out->sources = grown;
    struct gate_source_file *file = &grown[out->source_count++];
    *file = (struct gate_source_file){.path = copy_of(reading->arena, whole)};
    text = copy_of(reading->arena, text);
    return file->path.ptr != NULL && text.ptr != NULL && gate_source_text_open(&file->text, text, reading->arena);
}

static bool name_add(struct map_reading *reading, struct gate_str name) {
    struct gate_source_map *out = reading->out;
    struct gate_str *grown =
        gate_arena_regrow(reading->arena, out->names, out->name_count, &reading->name_capacity, sizeof *grown);
    if (grown == NULL)
        return false;
    out->names = grown;
    grown[out->name_count] = copy_of(reading->arena, name);
    return grown[out->name_count++].ptr != NULL;
}

/* One map, whose script begins where `part` says. */
static bool map_read(struct map_reading *reading, const json_t *map, struct gate_source_part *part,
                     struct gate_error *err) {
    const json_t *version = json_object_get(map, "version"), *mappings = json_object_get(map, "mappings");
    const json_t *sources = json_object_get(map, "sources"), *texts = json_object_get(map, "sourcesContent");
    const json_t *names = json_object_get(map, "names");
    struct gate_str root = view_of(json_object_get(map, "sourceRoot"));
    if (!json_is_integer(version) || json_integer_value(version) != 3 || !json_is_string(mappings) ||
        !json_is_array(sources))
        return gate_error_set(err, GATE_ERR_FORMAT,
                              "expected a source map: 'version' 3, a list in 'sources' and a text in 'mappings'");
    bool ok = json_array_size(sources) < INT32_MAX && json_array_size(names) < INT32_MAX;
    part->first_source = reading->out->source_count;
    part->first_name = reading->out->name_count;
    for (size_t i = 0; ok && i < json_array_size(sources); i++)
        ok = source_add(reading, root, view_of(json_array_get(sources, i)), view_of(json_array_get(texts, i)));
    for (size_t i = 0; ok && i < json_array_size(names); i++)
        ok = name_add(reading, view_of(json_array_get(names, i)));
    if (!ok)
        return gate_arena_error(reading->arena, err);
    part->source_count = reading->out->source_count - part->first_source;
    part->name_count = reading->out->name_count - part->first_name;
    return gate_source_mappings_read(&reading->out->mappings, view_of(mappings), part, reading->arena, err);
}

static bool offset_read(uint32_t *out, const json_t *section, const char *key) {
    const json_t *value = json_object_get(json_object_get(section, "offset"), key);
    bool ok = json_is_integer(value) && json_integer_value(value) >= 0 && json_integer_value(value) < INT32_MAX;
    *out = ok ? (uint32_t)json_integer_value(value) : 0;
    return ok;
}

static bool sections_read(struct map_reading *reading, const json_t *sections, struct gate_error *err) {
    if (json_array_size(sections) > GATE_SOURCE_SECTIONS_MAX)
        return gate_error_set(err, GATE_ERR_LIMIT, "%zu sections, but at most %d are read", json_array_size(sections),
                              GATE_SOURCE_SECTIONS_MAX);
    for (size_t i = 0; i < json_array_size(sections); i++) {
        struct gate_source_part part = {0};
        struct gate_error why = {0};
        const json_t *section = json_array_get(sections, i);
        if (!offset_read(&part.line, section, "line") || !offset_read(&part.column, section, "column"))
            return gate_error_set(err, GATE_ERR_FORMAT, "sections[%zu]: expected 'line' and 'column' in 'offset'", i);
        if (!map_read(reading, json_object_get(section, "map"), &part, &why))
            return gate_error_set(err, why.code, "sections[%zu]: %s", i, why.message);
    }
    return true;
}

bool gate_source_map_read(struct gate_source_map *out, struct gate_str text, struct gate_arena *arena,
                          struct gate_error *err) {
    struct map_reading reading = {.out = out, .arena = arena};
    struct gate_source_part part = {0};
    struct gate_json_tree tree;
    *out = (struct gate_source_map){0};
    if (!gate_json_tree_load(&tree, json_of(text), arena, err))
        return false;
    const json_t *sections = json_object_get(tree.root, "sections");
    bool ok =
        json_is_array(sections) ? sections_read(&reading, sections, err) : map_read(&reading, tree.root, &part, err);
    gate_json_tree_free(&tree, arena);
    if (ok)
        gate_source_mappings_close(&out->mappings);
    return ok;
}
