/* SPDX-License-Identifier: Apache-2.0 */
/* Captured profiles with known planted changes (see captures.h). */
#include "captures.h"

#include "gate/formats/format.h"

#include <stdio.h>
#include <stdlib.h>

enum { COLUMNS_MAX = 32 };

static uint32_t split(char *line, char *cells[COLUMNS_MAX]) {
    uint32_t count = 0;
    line[strcspn(line, "\r\n")] = '\0';
    for (char *at = line; at != NULL && count < COLUMNS_MAX; count++) {
        cells[count] = at;
        at = strchr(at, ',');
        if (at != NULL)
            *at++ = '\0';
    }
    return count;
}

static const char *cell(char *names[COLUMNS_MAX], char *cells[COLUMNS_MAX], uint32_t count, const char *name) {
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0)
            return cells[i];
    return "";
}

static void read_planted(struct capture *out, const char *text) {
    size_t len = strcspn(text, " ;");
    bool is_frame = len > 0 && len < sizeof out->planted && memchr(text, '.', len) != NULL;
    if (is_frame)
        (void)snprintf(out->planted, sizeof out->planted, "%.*s", (int)len, text);
}

static void read_parts(struct captures *out, struct capture *one, char *names[COLUMNS_MAX], char *cells[COLUMNS_MAX],
                       uint32_t count) {
    static const char prefix[] = "requests/";
    out->part_count = 0;
    for (uint32_t i = 0; i < count && out->part_count < CAPTURE_PARTS_MAX; i++) {
        if (strncmp(names[i], prefix, strlen(prefix)) != 0)
            continue;
        (void)snprintf(out->part_names[out->part_count], sizeof out->part_names[0], "%s",
                       names[i] + strlen(prefix) - 1);
        one->parts[out->part_count++] = strtod(cells[i], NULL);
    }
}

static bool is_there(const char *path) {
    FILE *file = fopen(path, "rb");
    if (file != NULL)
        (void)fclose(file);
    return file != NULL;
}

static bool load(struct capture *out, bool *found, const char *directory, const char *kind, struct gate_arena *arena,
                 struct gate_error *err) {
    const struct gate_limits limits = gate_limits_default();
    struct gate_str flat = gate_str_format(arena, "%s/%s.%s.pb.gz", directory, out->name, kind);
    struct gate_str nested = gate_str_format(arena, "%s/%s/%s.pb.gz", directory, kind, out->name);
    if (flat.ptr == NULL || nested.ptr == NULL)
        return gate_arena_error(arena, err);
    out->path = is_there(flat.ptr) ? flat : nested;
    *found = is_there(out->path.ptr);
    struct gate_str bytes;
    return !*found || (gate_source_read(&bytes, out->path, &limits, arena, err) &&
                       gate_profile_load(&out->profile, bytes, &limits, arena, err));
}

bool captures_load(struct captures *out, const char *directory, const char *kind, struct gate_arena *arena,
                   struct gate_error *err) {
    char header[1024], line[1024], path[1024];
    char *names[COLUMNS_MAX], *cells[COLUMNS_MAX];
    (void)snprintf(path, sizeof path, "%s/MANIFEST.csv", directory);
    FILE *file = fopen(path, "r");
    if (file == NULL || fgets(header, sizeof header, file) == NULL) {
        if (file != NULL)
            (void)fclose(file);
        return gate_error_set(err, GATE_ERR_IO, "'%s' cannot be read: expected a manifest of captures", path);
    }
    uint32_t columns = split(header, names);
    size_t capacity = 0;
    bool ok = true;
    *out = (struct captures){0};
    while (ok && fgets(line, sizeof line, file) != NULL) {
        uint32_t count = split(line, cells);
        struct capture one = {.requests = 0.0};
        bool found = false;
        if (count != columns)
            continue;
        (void)snprintf(one.name, sizeof one.name, "%s", cell(names, cells, count, "name"));
        (void)snprintf(one.variant, sizeof one.variant, "%s", cell(names, cells, count, "variant"));
        read_planted(&one, cell(names, cells, count, "planted"));
        one.requests = strtod(cell(names, cells, count, "requests"), NULL);
        one.round = strtod(cell(names, cells, count, "round"), NULL);
        one.order = strtod(cell(names, cells, count, "order"), NULL);
        read_parts(out, &one, names, cells, count);
        ok = load(&one, &found, directory, kind, arena, err);
        ok = ok && (GATE_GROW(arena, out->items, out->count, capacity) || gate_arena_error(arena, err));
        if (!ok || !found)
            continue;
        out->items[out->count++] = one;
    }
    (void)fclose(file);
    return ok;
}

uint32_t captures_of(const struct captures *captures, const char *variant, uint32_t *out) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < captures->count; i++)
        if (strcmp(captures->items[i].variant, variant) == 0)
            out[count++] = i;
    return count;
}

bool captures_is_first(const struct captures *captures, uint32_t index) {
    for (uint32_t i = 0; i < index; i++)
        if (strcmp(captures->items[i].variant, captures->items[index].variant) == 0)
            return false;
    return true;
}
