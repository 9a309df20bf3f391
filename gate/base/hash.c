/* SPDX-License-Identifier: Apache-2.0 */
#define XXH_INLINE_ALL
#include "gate/base/hash.h"

#include "gate/base/buf.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>

/* ---- hashes of 64 and 128 bits ----------------------------------------------------------------------------------- */

uint64_t gate_hash_bytes(const void *bytes, size_t len, uint64_t key) {
    return XXH3_64bits_withSeed(len == 0 ? "" : bytes, len, key);
}

void gate_hash_wide(uint64_t out[2], const void *bytes, size_t len) {
    XXH128_hash_t hash = XXH3_128bits(len == 0 ? "" : bytes, len);
    out[0] = hash.low64;
    out[1] = hash.high64;
}

uint64_t gate_hash_secret(void) {
    uint64_t secret = 0;
    if (getentropy(&secret, sizeof secret) == 0)
        return secret;
    struct timespec now = {0};
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    secret = gate_hash_mix((uint64_t)now.tv_nsec ^ gate_hash_mix((uint64_t)now.tv_sec));
    return gate_hash_mix(secret ^ gate_hash_mix((uint64_t)getpid()) ^ (uint64_t)(uintptr_t)&now);
}

/* ---- compression function of SHA-256 ----------------------------------------------------------------------------- */

static const uint32_t round_constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t rotate_right(uint32_t x, unsigned n) {
    return (x >> n) | (x << (32 - n));
}

static void block_schedule(uint32_t w[64], const uint8_t block[GATE_SHA256_BLOCK_BYTES]) {
    for (size_t i = 0; i < 16; i++)
        w[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 | (uint32_t)block[4 * i + 2] << 8 |
               (uint32_t)block[4 * i + 3];
    for (size_t i = 16; i < 64; i++) {
        uint32_t s0 = rotate_right(w[i - 15], 7) ^ rotate_right(w[i - 15], 18) ^ (w[i - 15] >> 3);
        uint32_t s1 = rotate_right(w[i - 2], 17) ^ rotate_right(w[i - 2], 19) ^ (w[i - 2] >> 10);
        w[i] = w[i - 16] + s0 + w[i - 7] + s1;
    }
}

/* One round. The working variables stay in place and their names rotate: v[(0 - i) & 7] is a, v[(1 - i) & 7] is b,
 * and so on. FIPS 180-4 moves all of them in each round. */
static inline void block_round(uint32_t v[8], size_t i, uint32_t word) {
    uint32_t a = v[(0 - i) & 7], b = v[(1 - i) & 7], c = v[(2 - i) & 7];
    uint32_t e = v[(4 - i) & 7], f = v[(5 - i) & 7], g = v[(6 - i) & 7];
    uint32_t s1 = rotate_right(e, 6) ^ rotate_right(e, 11) ^ rotate_right(e, 25);
    uint32_t t1 = v[(7 - i) & 7] + s1 + (g ^ (e & (f ^ g))) + word;
    uint32_t s0 = rotate_right(a, 2) ^ rotate_right(a, 13) ^ rotate_right(a, 22);
    v[(3 - i) & 7] += t1;
    v[(7 - i) & 7] = t1 + s0 + ((a & b) | (c & (a | b)));
}

void gate_sha256_block_add_plain(uint32_t state[8], const uint8_t *at, size_t count) {
    for (; count > 0; count--, at += GATE_SHA256_BLOCK_BYTES) {
        uint32_t w[64], v[8];
        block_schedule(w, at);
        memcpy(v, state, sizeof v);
        for (size_t i = 0; i < 64; i += 8)
            for (size_t j = 0; j < 8; j++)
                block_round(v, j, round_constants[i + j] + w[i + j]);
        for (size_t i = 0; i < 8; i++)
            state[i] += v[i];
    }
}

#if defined(__x86_64__)
#include <immintrin.h>

/* Return whether the processor has SHA instructions; every such processor has SSE4.1 too. CPUID traps in a virtual
 * machine, which takes longer than the digest of a short text. The C library has already called it, so use its
 * result. A compiler may have the header of a newer C library than the one that it links. */
#if __has_include(<sys/platform/x86.h>) && defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 33)
#include <sys/platform/x86.h>

static int has_instructions(void) {
    return CPU_FEATURE_PRESENT(SHA);
}
#else
#include <cpuid.h>

/* CPUID leaf 7, EBX bit 29: SHA instructions. */
static int has_instructions(void) {
    unsigned a = 0, b = 0, c = 0, d = 0;
    return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b >> 29 & 1);
}
#endif

/* Do four rounds with words w[i] to w[i + 3]. */
__attribute__((target("sha,sse4.1"))) static inline void four_rounds(__m128i *abef, __m128i *cdgh, __m128i words,
                                                                     size_t i) {
    __m128i sum = _mm_add_epi32(words, _mm_loadu_si128((const __m128i *)(const void *)&round_constants[i]));
    *cdgh = _mm_sha256rnds2_epu32(*cdgh, *abef, sum);
    *abef = _mm_sha256rnds2_epu32(*abef, *cdgh, _mm_shuffle_epi32(sum, 0x0E));
}

/* The instructions keep a, b, e, f in one register and c, d, g, h in another, with the first of them in the highest
 * lane. */
__attribute__((target("sha,sse4.1"))) static void add_with_instructions(uint32_t state[8], const uint8_t *at,
                                                                        size_t count) {
    const __m128i big_endian = _mm_set_epi64x(0x0C0D0E0F08090A0B, 0x0405060700010203);
    __m128i abef = _mm_set_epi32((int)state[0], (int)state[1], (int)state[4], (int)state[5]);
    __m128i cdgh = _mm_set_epi32((int)state[2], (int)state[3], (int)state[6], (int)state[7]);
    for (; count > 0; count--, at += GATE_SHA256_BLOCK_BYTES) {
        __m128i w[4], before[2] = {abef, cdgh};
        for (size_t i = 0; i < 4; i++) {
            w[i] = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)(const void *)(at + 16 * i)), big_endian);
            four_rounds(&abef, &cdgh, w[i], 4 * i);
        }
        for (size_t i = 4; i < 16; i++) {
            __m128i *oldest = &w[i & 3], last = w[(i + 3) & 3];
            __m128i seventh = _mm_alignr_epi8(last, w[(i + 2) & 3], 4);
            __m128i sum = _mm_add_epi32(_mm_sha256msg1_epu32(*oldest, w[(i + 1) & 3]), seventh);
            *oldest = _mm_sha256msg2_epu32(sum, last);
            four_rounds(&abef, &cdgh, *oldest, 4 * i);
        }
        abef = _mm_add_epi32(abef, before[0]);
        cdgh = _mm_add_epi32(cdgh, before[1]);
    }
    const int32_t out[8] = {_mm_extract_epi32(abef, 3), _mm_extract_epi32(abef, 2), _mm_extract_epi32(cdgh, 3),
                            _mm_extract_epi32(cdgh, 2), _mm_extract_epi32(abef, 1), _mm_extract_epi32(abef, 0),
                            _mm_extract_epi32(cdgh, 1), _mm_extract_epi32(cdgh, 0)};
    memcpy(state, out, sizeof out);
}

void gate_sha256_block_add(uint32_t state[8], const uint8_t *at, size_t count) {
    if (has_instructions())
        add_with_instructions(state, at, count);
    else
        gate_sha256_block_add_plain(state, at, count);
}
#else
void gate_sha256_block_add(uint32_t state[8], const uint8_t *at, size_t count) {
    gate_sha256_block_add_plain(state, at, count);
}
#endif

/* ---- SHA-256 and Base64 (written from FIPS 180-4) ---------------------------------------------------------------- */

void gate_sha256(uint8_t digest[GATE_SHA256_BYTES], struct gate_str bytes) {
    uint32_t state[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    size_t blocks = bytes.len / GATE_SHA256_BLOCK_BYTES, left = bytes.len % GATE_SHA256_BLOCK_BYTES;
    const uint8_t *at = (const uint8_t *)bytes.ptr;
    gate_sha256_block_add(state, at, blocks);

    /* Padding: the remaining bytes, a one bit, zeros, and the length in bits, in one block or two. */
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
    gate_str_hex(digits, digest, sizeof digest);
    return (struct gate_str){digits, 2 * sizeof digest};
}

bool gate_sha256_is_hex(struct gate_str text) {
    return text.len == 2 * GATE_SHA256_BYTES && gate_str_hex_digits(text) == text.len;
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
