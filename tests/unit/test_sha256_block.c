/* SPDX-License-Identifier: Apache-2.0 */
/* The compression of SHA-256: the block that FIPS 180-4 works through ("abc", padded), and the processor's instructions
 * against the plain rounds on blocks of every kind. */
#include "gate/base/hash.h"
#include "tests/unit/unit.h"

enum { BLOCKS = 9, TRIES = 500 };

static const uint32_t first_state[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                        0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

typedef void block_add(uint32_t state[8], const uint8_t *at, size_t count);

static void abc_is(block_add *add) {
    static const uint32_t wanted[8] = {0xba7816bf, 0x8f01cfea, 0x414140de, 0x5dae2223,
                                       0xb00361a3, 0x96177a9c, 0xb410ff61, 0xf20015ad};
    uint8_t block[GATE_SHA256_BLOCK_BYTES] = {'a', 'b', 'c', 0x80, [63] = 24};
    uint32_t state[8];
    memcpy(state, first_state, sizeof state);
    add(state, block, 1);
    assert_memory_equal(state, wanted, sizeof state);
}

TEST(published_block) {
    abc_is(gate_sha256_block_add);
    abc_is(gate_sha256_block_add_plain);
}

TEST(zero_blocks_change_nothing) {
    uint32_t sum[8];
    memcpy(sum, first_state, sizeof sum);
    gate_sha256_block_add(sum, (const uint8_t *)"", 0);
    assert_memory_equal(sum, first_state, sizeof sum);
}

TEST(processor_instructions_agree_with_plain_rounds) {
    uint8_t bytes[BLOCKS * GATE_SHA256_BLOCK_BYTES + 1];
    for (uint64_t seed = 0; seed < TRIES; seed++) {
        for (size_t i = 0; i < sizeof bytes; i++)
            bytes[i] = (uint8_t)gate_hash_mix(seed << 32 | i);
        uint32_t fast[8], plain[8];
        for (size_t i = 0; i < 8; i++)
            fast[i] = plain[i] = (uint32_t)gate_hash_mix(~seed - i);
        const uint8_t *at = bytes + seed % 2; /* aligned or not */
        gate_sha256_block_add(fast, at, 1 + seed % BLOCKS);
        gate_sha256_block_add_plain(plain, at, 1 + seed % BLOCKS);
        assert_memory_equal(fast, plain, sizeof fast);
    }
}
