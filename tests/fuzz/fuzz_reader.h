/* SPDX-License-Identifier: Apache-2.0 */
/* One execution of a target that fuzzes a reader: the pprof decoder accepts everything that the reader converts. */
#ifndef TESTS_FUZZ_READER_H
#define TESTS_FUZZ_READER_H

#include "fuzz.h"

#include "gate/formats/format.h"
#include "gate/formats/pprof.h"
#include "gate/formats/reader.h"

static inline int fuzz_reader(const struct gate_reader *reader, const uint8_t *bytes, size_t len) {
    struct gate_arena arena;
    struct gate_error err = {0};
    struct gate_buf out = {0};
    struct gate_profile profile;
    gate_arena_init(&arena, fuzz_limits.memory_bytes);
    if (gate_reader_convert(&out, reader, fuzz_view(bytes, len), &fuzz_limits, &arena, &err))
        FUZZ_CHECK(gate_pprof_decode(&profile, gate_buf_view(&out), &fuzz_limits, &arena, &err) ||
                   fuzz_may_refuse(&err));
    else
        FUZZ_CHECK(err.message[0] != '\0');
    gate_buf_free(&out);
    gate_arena_free(&arena);
    return 0;
}

/* The target of one reader. */
#define FUZZ_READER(reader)                                                                                            \
    int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len) {                                                     \
        return fuzz_reader(&(reader), bytes, len);                                                                     \
    }

#endif
