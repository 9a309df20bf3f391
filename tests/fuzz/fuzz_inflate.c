/* SPDX-License-Identifier: Apache-2.0 */
/* Containers: never more than the cap, and a result or a message. */
#include "fuzz.h"

#include "gate/profile/inflate.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len) {
    static const size_t caps[] = {1 << 16, 100};
    for (size_t i = 0; i < 2; i++) {
        struct gate_arena arena = {0};
        struct gate_error err = {0};
        struct gate_str plain;
        if (gate_inflate(&plain, fuzz_view(bytes, len), caps[i], &arena, &err))
            FUZZ_CHECK(plain.len <= caps[i]);
        else
            FUZZ_CHECK(err.message[0] != '\0');
        gate_arena_free(&arena);
    }
    return 0;
}
