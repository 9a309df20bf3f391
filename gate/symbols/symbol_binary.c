/* SPDX-License-Identifier: Apache-2.0 */
/* One binary and what was learnt of it (see symbol_binary.h). */
#include "gate/symbols/symbol_binary.h"

#include "gate/symbols/binary_names.h"

#include <stdlib.h>

/* Of one binary and one profile: what libdw takes for the largest browsers is a tenth of it. */
static const struct gate_asking_caps asking_caps = {
    .cpu_seconds = 300, .wall_seconds = 900, .memory_bytes = (size_t)8 << 30, .answer_bytes = (size_t)1 << 30};

static struct gate_str address_key(const uint64_t *address) {
    return (struct gate_str){(const char *)address, sizeof *address};
}

void gate_symbol_binary_init(struct gate_symbol_binary *binary, const char *path, struct gate_arena *arena) {
    *binary = (struct gate_symbol_binary){.path = path};
    gate_table_init(&binary->addresses, arena);
}

static int number_compare(const void *a, const void *b) {
    const uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return left < right ? -1 : left > right;
}

/* Room for the answers to `count` addresses behind those that are known. */
static bool answers_reserve(struct gate_symbol_binary *binary, const uint64_t *addresses, size_t count,
                            struct gate_arena *arena) {
    for (size_t i = 0; i < count; i++) {
        uint32_t known = binary->addresses.count;
        struct gate_symbol_answer *grown =
            gate_arena_regrow(arena, binary->answers, known, &binary->answer_capacity, sizeof *grown);
        if (grown == NULL)
            return false;
        binary->answers = grown;
        binary->answers[known] = (struct gate_symbol_answer){0};
        if (gate_table_intern_copy(&binary->addresses, address_key(&addresses[i])) == GATE_TABLE_NONE)
            return false;
    }
    return true;
}

static bool binary_ask(struct gate_symbol_binary *binary, const struct gate_symbol_question *question,
                       struct gate_arena *arena, struct gate_error *err) {
    struct gate_buf bytes = {0};
    struct gate_error why = {0};
    size_t known = binary->addresses.count;
    if (!answers_reserve(binary, question->addresses, question->count, arena))
        return gate_arena_error(arena, err);
    bool ok = gate_asking_do(&bytes, gate_binary_names_write, question, &asking_caps, &why);
    if (ok && !gate_arena_adopt(arena, bytes.ptr, bytes.len))
        ok = gate_arena_error(arena, &why);
    if (!ok)
        gate_buf_free(&bytes);
    if (!ok || !gate_symbol_lines_read(binary->answers + known, question->count, gate_buf_view(&bytes), arena, &why))
        return gate_error_set(err, why.code, "%s: %s", binary->path, why.message);
    return true;
}

bool gate_symbol_binary_learn(struct gate_symbol_binary *binary, const struct gate_symbol_files *files,
                              uint64_t *addresses, size_t count, struct gate_arena *arena, struct gate_error *err) {
    size_t kept = 0;
    if (count > 1)
        qsort(addresses, count, sizeof *addresses, number_compare);
    for (size_t i = 0; i < count; i++)
        if ((kept == 0 || addresses[kept - 1] != addresses[i]) &&
            gate_table_find(&binary->addresses, address_key(&addresses[i])) == GATE_TABLE_NONE)
            addresses[kept++] = addresses[i];
    const struct gate_symbol_question question = {binary->path, files, addresses, kept};
    return kept == 0 || binary_ask(binary, &question, arena, err);
}

const struct gate_symbol_answer *gate_symbol_binary_find(const struct gate_symbol_binary *binary, uint64_t address) {
    uint32_t index = gate_table_find(&binary->addresses, address_key(&address));
    return index == GATE_TABLE_NONE || binary->answers[index].count == 0 ? NULL : &binary->answers[index];
}
