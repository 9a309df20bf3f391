/* SPDX-License-Identifier: Apache-2.0 */
/* Arbitrary bytes as an R8 mapping.txt, and names looked up in it, one of which is the first line of the input. */
#include "fuzz.h"

#include "gate/symbols/class_map.h"

static void look(const struct gate_class_map *map, struct gate_str name, int64_t line, struct gate_arena *arena) {
    const struct gate_class_place place = {name, GATE_STR("SourceFile"), line, true};
    struct gate_symbol_answer found;
    struct gate_error err = {0};
    if (!gate_class_names_find(&found, map, &place, arena, &err))
        return;
    FUZZ_CHECK(found.count <= GATE_SYMBOL_LINES_MAX);
    for (uint32_t i = 0; i < found.count; i++)
        FUZZ_CHECK(found.lines[i].name.len != 0 && found.lines[i].file.ptr != NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len) {
    struct gate_arena arena;
    struct gate_class_map map;
    struct gate_error err = {0};
    struct gate_str text = fuzz_view(bytes, len);
    size_t end = gate_str_find(text, GATE_STR("\n"), 0);
    gate_arena_init(&arena, fuzz_limits.memory_bytes);
    (void)gate_class_map_sniff(text);
    if (gate_class_map_read(&map, gate_str_slice(text, end == SIZE_MAX ? 0 : end + 1, text.len), &arena, &err)) {
        for (int64_t line = 0; line < 8; line++) {
            look(&map, gate_str_slice(text, 0, end), line, &arena);
            look(&map, GATE_STR("a/a.b_[j]"), line, &arena);
        }
    }
    gate_arena_free(&arena);
    return 0;
}
