/* SPDX-License-Identifier: Apache-2.0 */
/* Decompression: the result never exceeds the cap, and a failure has a message. */
#include "fuzz.h"

#include "gate/formats/inflate.h"

/* If decompressing a file over itself succeeds, the result equals that of usual decompression. */
static void inflate_over(const uint8_t *bytes, size_t len, size_t cap) {
    struct gate_arena arena = {0};
    struct gate_error err = {0};
    struct gate_str plain;
    size_t size = len < 4 ? 0 : gate_inflate_stated_size(bytes + len - 4, len, cap);
    size_t room = size + gate_inflate_margin(len);
    uint8_t *block = size == 0 || size < len ? NULL : gate_arena_alloc(&arena, room);
    if (block != NULL) {
        memcpy(block + room - len, bytes, len);
        if (gate_inflate_over(block, size, fuzz_view(block + room - len, len))) {
            FUZZ_CHECK(gate_inflate(&plain, fuzz_view(bytes, len), cap, &arena, &err));
            FUZZ_CHECK(plain.len == size && memcmp(plain.ptr, block, size) == 0);
        }
    }
    gate_arena_free(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len) {
    static const size_t caps[] = {1 << 16, 100};
    for (size_t i = 0; i < 2; i++) {
        struct gate_arena arena = {0};
        struct gate_error err = {0};
        struct gate_str plain;
        char head[512];
        size_t head_len = gate_inflate_head(head, sizeof head, fuzz_view(bytes, len));
        FUZZ_CHECK(head_len <= sizeof head);
        if (gate_inflate(&plain, fuzz_view(bytes, len), caps[i], &arena, &err))
            FUZZ_CHECK(plain.len <= caps[i] &&
                       memcmp(plain.ptr, head, plain.len < head_len ? plain.len : head_len) == 0);
        else
            FUZZ_CHECK(err.message[0] != '\0');
        gate_arena_free(&arena);
    }
    inflate_over(bytes, len, caps[0]);
    return 0;
}
