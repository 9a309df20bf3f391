/* SPDX-License-Identifier: Apache-2.0 */
/* Presets built into the program. */
#include "gate/rules/preset.h"

#include "gate/base/arena.h"
#include "gate/base/embedded.h"
#include "gate/base/str.h"

const char *const *gate_preset_names(struct gate_arena *arena) {
    const struct gate_str suffix = GATE_STR(".yml");
    uint32_t count = 0;
    for (const struct gate_embedded *file = gate_embedded_files; file->name != NULL; file++)
        count++;
    const char **names = GATE_NEW_ARRAY(arena, const char *, count + 1);
    if (names == NULL)
        return NULL;
    count = 0;
    for (const struct gate_embedded *file = gate_embedded_files; file->name != NULL; file++) {
        struct gate_str name = gate_str_from(file->name);
        if (!gate_str_ends(name, suffix))
            continue;
        struct gate_str copy = gate_str_copy(arena, gate_str_slice(name, 0, name.len - suffix.len));
        if (copy.ptr == NULL)
            return NULL;
        names[count++] = copy.ptr;
    }
    return names;
}

bool gate_preset_find(struct gate_str *text, struct gate_str *source, const char *name, struct gate_arena *arena,
                      struct gate_error *err) {
    struct gate_str file = gate_str_format(arena, "%s.yml", name);
    *source = gate_str_format(arena, "%s (built in)", name);
    if (file.ptr == NULL || source->ptr == NULL)
        return gate_arena_error(arena, err);
    *text = gate_embedded_find(file.ptr);
    return true;
}
