/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-256 and Base64 (see sha256.h). Written from FIPS 180-4. */
#include "gate/base/sha256.h"

#include "gate/base/sha256_block.h"

void gate_sha256(uint8_t digest[GATE_SHA256_BYTES], struct gate_str bytes) {
    uint32_t state[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    size_t blocks = bytes.len / GATE_SHA256_BLOCK_BYTES, left = bytes.len % GATE_SHA256_BLOCK_BYTES;
    const uint8_t *at = (const uint8_t *)bytes.ptr;
    gate_sha256_block_add(state, at, blocks);

    /* The rest, a one bit, zeros, and the length in bits: one block or two. */
    uint8_t tail[128] = {0};
    if (left > 0)
        memcpy(tail, at + blocks * GATE_SHA256_BLOCK_BYTES, left);
    tail[left] = 0x80;
    size_t tail_len = left < 56 ? 64 : 128;
    uint64_t bits = (uint64_t)bytes.len * 8;
    for (size_t i = 0; i < 8; i++)
        tail[tail_len - 1 - i] = (uint8_t)(bits >> (8 * i));
    gate_sha256_block_add(state, tail, tail_len / GATE_SHA256_BLOCK_BYTES);
    for (size_t i = 0; i < GATE_SHA256_BYTES; i++)
        digest[i] = (uint8_t)(state[i / 4] >> (24 - 8 * (i % 4)));
}

struct gate_str gate_sha256_hex(struct gate_str bytes, struct gate_arena *arena) {
    uint8_t digest[GATE_SHA256_BYTES];
    char *digits = gate_arena_alloc(arena, 2 * sizeof digest + 1);
    if (digits == NULL)
        return (struct gate_str){NULL, 0};
    gate_sha256(digest, bytes);
    for (size_t i = 0; i < sizeof digest; i++) {
        digits[2 * i] = "0123456789abcdef"[digest[i] >> 4];
        digits[2 * i + 1] = "0123456789abcdef"[digest[i] & 15];
    }
    digits[2 * sizeof digest] = '\0';
    return (struct gate_str){digits, 2 * sizeof digest};
}

bool gate_sha256_is_hex(struct gate_str text) {
    for (size_t i = 0; i < text.len; i++)
        if (!(text.ptr[i] >= '0' && text.ptr[i] <= '9') && !(text.ptr[i] >= 'a' && text.ptr[i] <= 'f'))
            return false;
    return text.len == 2 * GATE_SHA256_BYTES;
}

void gate_base64(struct gate_buf *out, const uint8_t *bytes, size_t len) {
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < len; i += 3) {
        size_t have = len - i < 3 ? len - i : 3;
        uint32_t group = (uint32_t)bytes[i] << 16;
        group |= have > 1 ? (uint32_t)bytes[i + 1] << 8 : 0;
        group |= have > 2 ? (uint32_t)bytes[i + 2] : 0;
        gate_buf_char(out, letters[group >> 18]);
        gate_buf_char(out, letters[group >> 12 & 63]);
        gate_buf_char(out, have > 1 ? letters[group >> 6 & 63] : '=');
        gate_buf_char(out, have > 2 ? letters[group & 63] : '=');
    }
}
