/* SPDX-License-Identifier: Apache-2.0 */
/* Arbitrary bytes as a record of a store, and as the JSON report of a check. Writing a record that was read, and
 * reading that, gives equal bytes. Its names are safe to pass to git and to use as paths. */
#include "fuzz.h"

#include "gate/store/record.h"
#include "gate/store/store.h"

static void check_again(const struct gate_record *record, struct gate_arena *arena) {
    struct gate_buf once = {0}, twice = {0}, shown = {0};
    struct gate_record again;
    struct gate_error err = {0};
    FUZZ_CHECK(gate_record_write(&once, record));
    if (gate_record_read(&again, gate_buf_view(&once), arena, &err)) {
        FUZZ_CHECK(gate_record_write(&twice, &again));
        FUZZ_CHECK(gate_str_equal(gate_buf_view(&once), gate_buf_view(&twice)));
    } else {
        FUZZ_CHECK(err.code == GATE_ERR_LIMIT);
    }
    gate_record_text_show(&shown, record, NULL);
    FUZZ_CHECK(memchr(gate_buf_view(&shown).ptr, 0x1b, shown.len) == NULL);
    gate_buf_free(&once);
    gate_buf_free(&twice);
    gate_buf_free(&shown);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len) {
    struct gate_arena arena;
    struct gate_record record;
    struct gate_checked checked;
    struct gate_error err = {0};
    gate_arena_init(&arena, fuzz_limits.memory_bytes);
    if (gate_record_read(&record, fuzz_view(bytes, len), &arena, &err)) {
        FUZZ_CHECK(record.revision.ptr[0] != '-' && record.run_count > 0);
        for (uint32_t i = 0; i < record.run_count; i++)
            FUZZ_CHECK(record.runs[i].object.len == 64);
        check_again(&record, &arena);
    } else {
        FUZZ_CHECK(err.message[0] != '\0');
    }
    err = (struct gate_error){0};
    if (!gate_checked_read(&checked, fuzz_view(bytes, len), &arena, &err))
        FUZZ_CHECK(err.message[0] != '\0');
    gate_arena_free(&arena);
    return 0;
}
