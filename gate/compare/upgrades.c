/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/compare/upgrades.h"

#include "gate/base/table.h"
#include "gate/compare/jvm_upgrades.h"
#include "gate/model/profile.h"
#include "gate/names/own_code.h"

/* A library while the versions are collected. */
struct library {
    struct gate_upgrade found;
    bool has_several; /* a side has two versions of it */
};

struct collection {
    struct gate_table paths;
    struct library *items;
    size_t capacity;
};

/* Set the module and the version of a file of the Go module cache, "github.com/acme/cart@v1.2.3/cart.go". */
static bool split(struct gate_str *path, struct gate_str *version, struct gate_str file) {
    const struct gate_str cache = GATE_STR("/pkg/mod/");
    size_t at = gate_str_find(file, GATE_STR("@v"), 0);
    size_t end = at == SIZE_MAX ? SIZE_MAX : gate_str_find(file, GATE_STR("/"), at);
    if (end == SIZE_MAX)
        return false;
    size_t begin = gate_str_find(file, cache, 0);
    begin = begin == SIZE_MAX || begin > at ? 0 : begin + cache.len;
    *path = gate_str_slice(file, begin, at);
    *version = gate_str_slice(file, at + 1, end);
    return path->len > 0 && !gate_str_equal(*path, GATE_STR("golang.org/toolchain"));
}

/* Add what the functions of a run tell of the versions of one side. */
static bool run_add(struct collection *to, const struct gate_profile *profile, int side, struct gate_arena *arena) {
    for (uint32_t i = 0; i < profile->function_count; i++) {
        struct gate_str path, version;
        if (!split(&path, &version, profile->functions[i].file))
            continue;
        uint32_t known = to->paths.count, index = gate_table_intern(&to->paths, path);
        if (index == GATE_TABLE_NONE || !GATE_GROW(arena, to->items, known, to->capacity))
            return false;
        struct library *library = &to->items[index];
        if (index == known)
            *library = (struct library){.found = {.path = path}};
        struct gate_str *had = &library->found.versions[side];
        library->has_several = library->has_several || (had->len > 0 && !gate_str_equal(*had, version));
        *had = version;
    }
    return true;
}

static bool find_jvm(struct gate_pair *pair, struct gate_arena *arena, struct gate_error *err) {
    struct gate_str *paths = NULL;
    uint32_t count = 0;
    if (!gate_jvm_upgrades_find(&paths, &count, pair, arena, err))
        return false;
    pair->upgrades = GATE_NEW_ARRAY(arena, struct gate_upgrade, count);
    if (pair->upgrades == NULL)
        return gate_arena_error(arena, err);
    for (uint32_t i = 0; i < count; i++)
        pair->upgrades[i] = (struct gate_upgrade){.path = paths[i]};
    pair->upgrade_count = count;
    return true;
}

bool gate_upgrades_find(struct gate_pair *pair, struct gate_arena *arena, struct gate_error *err) {
    struct collection all = {0};
    pair->upgrades = NULL;
    pair->upgrade_count = 0;
    if (pair->language == GATE_LANGUAGE_JVM)
        return find_jvm(pair, arena, err);
    if (pair->language != GATE_LANGUAGE_GO)
        return true;
    gate_table_init(&all.paths, arena);
    for (int side = 0; side < GATE_SIDES; side++)
        for (uint32_t r = 0; r < pair->sides[side].run_count; r++)
            if (!run_add(&all, pair->sides[side].runs[r].input.profile, side, arena))
                return gate_arena_error(arena, err);
    pair->upgrades = GATE_NEW_ARRAY(arena, struct gate_upgrade, all.paths.count);
    if (pair->upgrades == NULL)
        return gate_arena_error(arena, err);
    for (uint32_t i = 0; i < all.paths.count; i++) {
        const struct gate_upgrade *one = &all.items[i].found;
        if (!all.items[i].has_several && one->versions[GATE_BASELINE].len > 0 && one->versions[GATE_CANARY].len > 0 &&
            !gate_str_equal(one->versions[GATE_BASELINE], one->versions[GATE_CANARY]))
            pair->upgrades[pair->upgrade_count++] = *one;
    }
    return true;
}

uint32_t gate_upgrade_of(const struct gate_pair *pair, uint32_t frame) {
    struct gate_str path, version;
    if (pair->upgrade_count == 0)
        return GATE_NO_INDEX;
    bool is_jvm = pair->language == GATE_LANGUAGE_JVM;
    if (is_jvm)
        path = gate_jvm_library_of(pair->frames[frame].name);
    else if (!split(&path, &version, pair->frames[frame].file))
        return GATE_NO_INDEX;
    for (uint32_t i = 0; i < pair->upgrade_count; i++)
        if (is_jvm ? gate_jvm_library_is_same(path, pair->upgrades[i].path)
                   : gate_str_equal(path, pair->upgrades[i].path))
            return i;
    return GATE_NO_INDEX;
}

void gate_upgrade_put(struct gate_buf *out, const struct gate_upgrade *upgrade) {
    for (size_t i = 0; i < upgrade->path.len; i++) {
        char c = upgrade->path.ptr[i], next = i + 1 < upgrade->path.len ? upgrade->path.ptr[i + 1] : '\0';
        bool is_upper = c == '!' && next >= 'a' && next <= 'z';
        gate_buf_char(out, is_upper ? (char)(next - 'a' + 'A') : c);
        i += is_upper;
    }
    if (upgrade->versions[GATE_CANARY].len == 0)
        gate_buf_text(out, " (another version, by its lines)");
    else
        gate_buf_printf(out, " %.*s → %.*s", GATE_STR_ARG(upgrade->versions[GATE_BASELINE]),
                        GATE_STR_ARG(upgrade->versions[GATE_CANARY]));
}
