/* SPDX-License-Identifier: Apache-2.0 */
/* Arbitrary bytes as a manifest: writing a manifest that was read, and reading that, gives equal bytes. The files it
 * names are inside the folder. */
#include "fuzz.h"

#include "gate/capture/manifest.h"

static void check_again(const struct gate_manifest *manifest, struct gate_arena *arena) {
    struct gate_buf once = {0}, twice = {0};
    struct gate_manifest again;
    struct gate_error err = {0};
    FUZZ_CHECK(gate_manifest_write(&once, manifest));
    if (gate_manifest_read(&again, gate_buf_view(&once), arena, &err)) {
        FUZZ_CHECK(gate_manifest_write(&twice, &again));
        FUZZ_CHECK(gate_str_equal(gate_buf_view(&once), gate_buf_view(&twice)));
    } else {
        FUZZ_CHECK(err.code == GATE_ERR_LIMIT);
    }
    gate_buf_free(&once);
    gate_buf_free(&twice);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len) {
    struct gate_arena arena;
    struct gate_manifest manifest;
    struct gate_error err = {0};
    gate_arena_init(&arena, fuzz_limits.memory_bytes);
    if (gate_manifest_read(&manifest, fuzz_view(bytes, len), &arena, &err)) {
        for (uint32_t i = 0; i < manifest.count; i++)
            FUZZ_CHECK(manifest.runs[i].file.ptr[0] != '/' && !gate_str_starts(manifest.runs[i].file, GATE_STR("../")));
        check_again(&manifest, &arena);
    } else {
        FUZZ_CHECK(err.message[0] != '\0');
    }
    gate_arena_free(&arena);
    return 0;
}
