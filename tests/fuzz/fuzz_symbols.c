/* SPDX-License-Identifier: Apache-2.0 */
/* Symbols that are read without a library: Go's function table, perf maps, answers between processes, and mangled
 * names. The first byte selects one. */
#include "fuzz.h"

#include "gate/symbols/binary_names.h"
#include "gate/symbols/demangle.h"
#include "gate/symbols/perf_map.h"
#include "gate/symbols/symbol_lines.h"

/* libiberty's Rust demangler leaks 16 bytes if the punycode of a name is truncated. That is a bug of libiberty. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) {
    return "leak:print_ident\n";
}

static void go_table(struct gate_str bytes) {
    struct gate_go_table table;
    struct gate_go_place place;
    if (!gate_go_table_open(&table, bytes, 0x1000))
        return;
    for (uint64_t at = 0; at < 64; at++)
        if (gate_go_table_find(&place, &table, table.text + at * 7))
            FUZZ_CHECK(place.name.ptr >= bytes.ptr && place.name.ptr + place.name.len <= bytes.ptr + bytes.len);
}

static void perf_map(struct gate_str bytes, struct gate_arena *arena) {
    struct gate_perf_map map = {0};
    struct gate_error err = {0};
    FUZZ_CHECK(gate_perf_map_read(&map, bytes, arena, &err));
    for (size_t i = 0; i < map.count; i++) {
        FUZZ_CHECK(i == 0 || map.rows[i - 1].start <= map.rows[i].start);
        if (map.count == 1 && map.rows[i].size != 0) /* of several at one address, not all are found */
            FUZZ_CHECK(gate_perf_map_find(&map, map.rows[i].start).len != 0);
    }
}

static void answers(struct gate_str bytes, struct gate_arena *arena) {
    struct gate_symbol_answer out[4];
    struct gate_error err = {0};
    if (gate_symbol_lines_read(out, 4, bytes, arena, &err))
        for (int i = 0; i < 4; i++)
            FUZZ_CHECK(out[i].count <= GATE_SYMBOL_LINES_MAX);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len) {
    struct gate_arena arena = {0};
    struct gate_str rest = len == 0 ? GATE_STR("") : fuzz_view(bytes + 1, len - 1);
    switch (len == 0 ? 0 : bytes[0] & 3) {
    case 0:
        go_table(rest);
        break;
    case 1:
        perf_map(rest, &arena);
        break;
    case 2:
        answers(rest, &arena);
        break;
    default:
        FUZZ_CHECK(gate_demangle(&arena, rest).len <=
                   (rest.len > GATE_DEMANGLE_BYTES ? rest.len : GATE_DEMANGLE_BYTES));
    }
    gate_arena_free(&arena);
    return 0;
}
