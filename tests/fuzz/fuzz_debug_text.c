/* SPDX-License-Identifier: Apache-2.0 */
/* The pprof decoder accepts everything that the debug_text reader converts. */
#include "fuzz.h"

#include "gate/formats/pprof.h"
#include "gate/formats/reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len) {
    struct gate_arena arena;
    struct gate_error err = {0};
    struct gate_buf out = {0};
    struct gate_profile profile;
    gate_arena_init(&arena, fuzz_limits.memory_bytes);
    if (gate_debug_text_reader.convert(&out, fuzz_view(bytes, len), &fuzz_limits, &arena, &err))
        FUZZ_CHECK(gate_pprof_decode(&profile, gate_buf_view(&out), &fuzz_limits, &arena, &err) ||
                   fuzz_may_refuse(&err));
    else
        FUZZ_CHECK(err.message[0] != '\0');
    gate_buf_free(&out);
    gate_arena_free(&arena);
    return 0;
}
