/* SPDX-License-Identifier: Apache-2.0 */
/* Python modules that became packages between two builds: shop.py and shop/__init__.py are one module. */
#include "gate/compare/python_modules.h"

#include "gate/model/profile.h"
#include "gate/names/stable_names.h"

enum form { IS_FILE, IS_PACKAGE };

static const char *const endings[] = {[IS_FILE] = ".py)", [IS_PACKAGE] = "/__init__.py)"};

/* Split "parse (shop/__init__.py)". Sets where the path begins; returns its path without ending, and its form; empty:
 * the name has no file of Python. */
static struct gate_str module_of(struct gate_str name, size_t *at, enum form *form) {
    struct gate_str ending = gate_str_from(endings[IS_FILE]);
    *at = name.len;
    if (!gate_str_ends(name, ending))
        return GATE_STR("");
    while (*at > 0 && name.ptr[*at - 1] != '(')
        --*at;
    *form = gate_str_ends(name, gate_str_from(endings[IS_PACKAGE])) ? IS_PACKAGE : IS_FILE;
    size_t end = name.len - strlen(endings[*form]);
    return *at > 0 && *at < end ? gate_str_slice(name, *at, end) : GATE_STR("");
}

static bool module_add(struct gate_python_modules *out, struct gate_str name, int side, struct gate_arena *arena,
                       struct gate_arena *scratch) {
    size_t at;
    enum form form;
    struct gate_str stable = gate_name_stable(scratch, name), path = module_of(stable, &at, &form);
    if (stable.ptr == NULL)
        return false;
    if (path.len == 0)
        return true;
    uint32_t known = out->paths.count, index = gate_table_find(&out->paths, path);
    if (index == GATE_TABLE_NONE) {
        path = gate_str_copy(arena, path);
        index = path.ptr == NULL ? GATE_TABLE_NONE : gate_table_intern(&out->paths, path);
        if (index == GATE_TABLE_NONE || !GATE_GROW(arena, out->items, known, out->capacity))
            return false;
        out->items[index] = (struct gate_python_module){0};
    }
    out->items[index].sides[form] |= (uint8_t)(1u << side);
    return true;
}

static bool has_moved(const struct gate_python_module *module) {
    uint8_t file = module->sides[IS_FILE], package = module->sides[IS_PACKAGE];
    return (file == 1u << GATE_BASELINE && package == 1u << GATE_CANARY) ||
           (file == 1u << GATE_CANARY && package == 1u << GATE_BASELINE);
}

bool gate_python_modules_find(struct gate_python_modules *out, const struct gate_pair *pair, struct gate_arena *arena,
                              struct gate_error *err) {
    struct gate_arena scratch;
    bool ok = true;
    *out = (struct gate_python_modules){0};
    gate_table_init(&out->paths, arena);
    gate_arena_fork(&scratch, arena);
    for (int side = 0; ok && side < GATE_SIDES; side++)
        for (uint32_t r = 0; ok && r < pair->sides[side].run_count; r++) {
            const struct gate_profile *profile = pair->sides[side].runs[r].input.profile;
            bool is_python = gate_own_code_language(profile) == GATE_LANGUAGE_PYTHON;
            for (uint32_t i = 0; ok && is_python && i < profile->function_count; i++)
                ok = module_add(out, profile->functions[i].name, side, arena, &scratch);
        }
    gate_arena_free(&scratch);
    for (uint32_t i = 0; ok && i < out->paths.count; i++)
        out->count += has_moved(&out->items[i]);
    return ok || gate_arena_error(arena, err);
}

struct gate_str gate_python_modules_name(const struct gate_python_modules *modules, struct gate_str name,
                                         struct gate_arena *arena) {
    size_t at;
    enum form form;
    if (modules->count == 0)
        return name;
    struct gate_str path = module_of(name, &at, &form);
    uint32_t index = path.len == 0 ? GATE_TABLE_NONE : gate_table_find(&modules->paths, path);
    if (index == GATE_TABLE_NONE || !has_moved(&modules->items[index]))
        return name;
    enum form wanted = modules->items[index].sides[IS_PACKAGE] == 1u << GATE_CANARY ? IS_PACKAGE : IS_FILE;
    if (form == wanted)
        return name;
    return gate_str_format(arena, "%.*s%s", GATE_STR_ARG(gate_str_slice(name, 0, at + path.len)), endings[wanted]);
}
