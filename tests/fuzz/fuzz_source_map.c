/* SPDX-License-Identifier: Apache-2.0 */
/* Arbitrary bytes as a source map, and lookups of places all over a script. */
#include "fuzz.h"

#include "gate/symbols/source_map.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len) {
    static const char *const names[] = {"t", "total", "(anonymous)", ""};
    struct gate_arena arena;
    struct gate_source_map map;
    struct gate_error err = {0};
    gate_arena_init(&arena, fuzz_limits.memory_bytes);
    if (gate_source_map_read(&map, fuzz_view(bytes, len), &arena, &err)) {
        for (size_t i = 1; i < map.mappings.count; i++)
            FUZZ_CHECK(map.mappings.items[i - 1].line <= map.mappings.items[i].line);
        for (uint32_t i = 0; i < 64; i++) {
            const struct gate_script_place place = {.name = gate_str_from(names[i & 3]),
                                                    .address = GATE_STR("file:///srv/dist/shop.js"),
                                                    .line = 1 + (i >> 2 & 3),
                                                    .column = (i >> 4) * 7,
                                                    .is_start = true};
            struct gate_symbol_line line;
            if (gate_script_names_find(&line, &map, &place, &arena, &err) && line.name.ptr != NULL)
                FUZZ_CHECK(line.line > 0 && line.name.ptr != NULL && line.file.ptr != NULL);
        }
    }
    FUZZ_CHECK(err.code == GATE_OK || err.message[0] != '\0');
    gate_arena_free(&arena);
    return 0;
}
