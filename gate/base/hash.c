/* SPDX-License-Identifier: Apache-2.0 */
/* Hashing (see hash.h). */
#include "gate/base/hash.h"

#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

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
