/* SPDX-License-Identifier: Apache-2.0 */
/* Loading a profile from arbitrary bytes, including the detection of the format. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len) {
    struct gate_arena arena;
    struct gate_error err = {0};
    struct gate_profile profile;
    gate_arena_init(&arena, fuzz_limits.memory_bytes);
    bool ok = gate_profile_load(&profile, fuzz_view(bytes, len), &fuzz_limits, &arena, &err);
    FUZZ_CHECK(ok || (err.code != GATE_OK && err.message[0] != '\0'));
    gate_arena_free(&arena);
    return 0;
}
