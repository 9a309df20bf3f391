/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/names/package_votes.h"

#include "gate/names/frame_name.h"

void gate_package_votes_init(struct gate_package_votes *votes, struct gate_arena *arena) {
    *votes = (struct gate_package_votes){0};
    gate_table_init(&votes->packages, arena);
}

/* Return whether the file of a function is outside the folder of its package. `package` is an import path. */
static bool is_of_other_folder(struct gate_str package, struct gate_str file) {
    struct gate_str name = gate_str_basename(package), base = gate_str_basename(file);
    struct gate_str folder = gate_str_slice(file, 0, file.len - base.len);
    if (folder.len > 0)
        folder = gate_str_basename(gate_str_slice(folder, 0, folder.len - 1));
    return !gate_str_starts(folder, gate_str_slice(name, 0, gate_str_find(name, GATE_STR("%"), 0)));
}

bool gate_package_votes_is_open(const struct gate_function *function, enum gate_code code) {
    if (code != GATE_CODE_OWN)
        return false;
    struct gate_str package = gate_name_package(function->name, GATE_LANGUAGE_GO);
    return !gate_str_equal(package, GATE_STR("main")) && is_of_other_folder(package, function->file);
}

bool gate_package_votes_add(struct gate_package_votes *votes, const struct gate_function *function,
                            enum gate_code code) {
    uint32_t known = votes->packages.count;
    uint32_t at = gate_table_intern(&votes->packages, gate_name_package(function->name, GATE_LANGUAGE_GO));
    if (at == GATE_TABLE_NONE || !GATE_GROW(votes->packages.arena, votes->items, known, votes->capacity))
        return false;
    if (at == known)
        votes->items[at] = (struct gate_package_vote){0};
    votes->items[at].own += code == GATE_CODE_OWN && !gate_package_votes_is_open(function, code);
    votes->items[at].third_party += code == GATE_CODE_THIRD_PARTY;
    return true;
}

bool gate_package_votes_overrule(const struct gate_package_votes *votes, const struct gate_function *function,
                                 enum gate_code code) {
    if (!gate_package_votes_is_open(function, code))
        return false;
    uint32_t at = gate_table_find(&votes->packages, gate_name_package(function->name, GATE_LANGUAGE_GO));
    return at != GATE_TABLE_NONE && votes->items[at].third_party > votes->items[at].own;
}
