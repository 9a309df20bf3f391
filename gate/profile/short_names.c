/* SPDX-License-Identifier: Apache-2.0 */
/* Short names by script and package (see short_names.h). */
#include "gate/profile/short_names.h"

#include "gate/base/table.h"
#include "gate/profile/leaf_values.h"
#include "gate/profile/location.h"
#include "gate/profile/own_code.h"

#include <stdlib.h>

enum { SHORT_BYTES = 2, SHORT_MIN = 3, CALLED = 0 };

/* One look. */
struct short_look {
    struct gate_short_names *out;
    const struct gate_profile *profile;
    struct gate_arena *arena;
    struct gate_table keys;
    size_t capacity;
    uint32_t *rows; /* of each function; GATE_NO_INDEX: of no script and no package */
    bool is_jvm;
};

/* A function's place and its name's parts. */
struct short_name {
    struct gate_str place, class_name, name; /* without a class it is empty */
};

static bool is_script(struct gate_str file) {
    size_t query = gate_str_find(file, GATE_STR("?"), 0);
    file = gate_str_slice(file, 0, query);
    return gate_str_ends(file, GATE_STR(".js")) || gate_str_ends(file, GATE_STR(".mjs")) ||
           gate_str_ends(file, GATE_STR(".cjs"));
}

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$';
}

/* "a/b.c_[j]": package, class and method. */
static bool jvm_split(struct short_name *out, struct gate_str name) {
    size_t end =
        name.len > 4 && name.ptr[name.len - 1] == ']' && name.ptr[name.len - 4] == '_' ? name.len - 4 : name.len;
    size_t dot = end, start;
    while (dot > 0 && name.ptr[dot - 1] != '.')
        dot--;
    for (start = dot == 0 ? 0 : dot - 1; start > 0; start--)
        if (name.ptr[start - 1] == '.' || name.ptr[start - 1] == '/')
            break;
    if (dot < 2)
        return false;
    out->place = gate_str_slice(name, 0, start == 0 ? 0 : start - 1);
    out->class_name = gate_str_slice(name, start, dot - 1);
    out->name = gate_str_slice(name, dot, end);
    return out->class_name.len != 0 && out->name.len != 0 && is_letter(out->class_name.ptr[0]);
}

static bool name_split(struct short_name *out, const struct gate_function *function, bool is_jvm) {
    *out = (struct short_name){function->file, GATE_STR(""), function->name};
    if (function->name.len == 0)
        return false;
    return is_jvm ? jvm_split(out, function->name) : is_letter(function->name.ptr[0]) && is_script(function->file);
}

static bool is_short(const struct short_name *name) {
    bool is_constructor = gate_str_equal(name->name, GATE_STR("<init>"));
    return name->class_name.len <= SHORT_BYTES && (name->name.len <= SHORT_BYTES || is_constructor);
}

static void functions_mark(struct short_look *look) {
    const struct gate_profile *profile = look->profile;
    for (uint32_t i = 0; i < profile->function_count; i++)
        look->rows[i] = GATE_NO_INDEX;
    for (uint32_t i = 0; i < profile->location_count; i++) { /* names that were given anew leave functions behind */
        struct gate_location location = gate_location_at(profile, i);
        struct gate_line_walk lines = gate_location_lines(profile, &location);
        for (struct gate_line line; gate_line_next(&lines, &line);)
            if (line.function != GATE_NO_INDEX)
                look->rows[line.function] = CALLED;
    }
}

static bool functions_count(struct short_look *look) {
    const struct gate_profile *profile = look->profile;
    functions_mark(look);
    for (uint32_t i = 0; i < profile->function_count; i++) {
        struct short_name name;
        if (look->rows[i] != CALLED)
            continue;
        look->rows[i] = GATE_NO_INDEX;
        if (!name_split(&name, &profile->functions[i], look->is_jvm))
            continue;
        uint32_t known = look->keys.count, row = gate_table_intern(&look->keys, name.place);
        if (row == GATE_TABLE_NONE)
            return false;
        if (row == known) {
            struct gate_short_named *grown =
                gate_arena_grow(look->arena, look->out->items, known, &look->capacity, sizeof *grown);
            if (grown == NULL)
                return false;
            look->out->items = grown;
            grown[known] = (struct gate_short_named){.place = name.place};
            look->out->count = known + 1;
        }
        look->rows[i] = row;
        look->out->items[row].functions++;
        look->out->items[row].short_count += is_short(&name);
    }
    return true;
}

static void leaf_add(void *context, const struct gate_location *leaf, double value) {
    struct short_look *look = context;
    uint32_t function = gate_location_leaf(look->profile, leaf);
    if (function != GATE_NO_INDEX && look->rows[function] != GATE_NO_INDEX)
        look->out->items[look->rows[function]].share += value;
}

static bool values_add(struct short_look *look, uint32_t column, struct gate_error *err) {
    double total = 0;
    bool ok = gate_leaf_values(&total, look->profile, column, leaf_add, look, err);
    for (uint32_t i = 0; i < look->out->count; i++)
        look->out->items[i].share = total > 0 ? look->out->items[i].share / total : 0;
    return ok;
}

static int named_compare(const void *a, const void *b) {
    const struct gate_short_named *left = a, *right = b;
    if (left->share != right->share)
        return left->share > right->share ? -1 : 1;
    return gate_str_compare(left->place, right->place);
}

bool gate_short_names_look(struct gate_short_names *out, const struct gate_profile *profile, uint32_t column,
                           struct gate_arena *arena, struct gate_error *err) {
    struct short_look look = {
        .out = out, .profile = profile, .arena = arena, .is_jvm = gate_own_code_language(profile) == GATE_LANGUAGE_JVM};
    uint32_t kept = 0;
    *out = (struct gate_short_names){0};
    gate_table_init(&look.keys, arena);
    look.rows = GATE_NEW_ARRAY(arena, uint32_t, (size_t)profile->function_count + 1);
    if (look.rows == NULL || !functions_count(&look))
        return gate_arena_error(arena, err);
    if (!values_add(&look, column, err))
        return false;
    for (uint32_t i = 0; i < out->count; i++)
        if (out->items[i].short_count >= SHORT_MIN && out->items[i].short_count >= out->items[i].functions / 2)
            out->items[kept++] = out->items[i];
    out->count = kept;
    if (kept > 1)
        qsort(out->items, kept, sizeof *out->items, named_compare);
    return true;
}
