/* SPDX-License-Identifier: Apache-2.0 */
/* A name for rules (see rules_digest.h). */
#include "gate/rules/rules_digest.h"

#include "gate/base/embedded.h"

#include <stdio.h>

void gate_rules_digest_add(struct gate_rules_digest *digest, struct gate_str text) {
    const struct gate_str both = {(const char *)digest->sofar, sizeof digest->sofar};
    uint8_t whole[GATE_SHA256_BYTES];
    gate_sha256(digest->sofar + GATE_SHA256_BYTES, text);
    gate_sha256(whole, both);
    memcpy(digest->sofar, whole, sizeof whole);
}

struct gate_str gate_rules_digest_text(const struct gate_rules_digest *digest, struct gate_arena *arena) {
    char hex[2 * GATE_SHA256_BYTES + 1];
    for (int i = 0; i < GATE_SHA256_BYTES; i++)
        (void)snprintf(&hex[2 * i], 3, "%02x", digest->sofar[i]);
    return gate_str_copy(arena, gate_str_from(hex));
}

/* Of all presets, in the order of the alphabet. */
static struct gate_str presets_digest(struct gate_arena *arena) {
    struct gate_rules_digest digest = {{0}};
    for (const struct gate_embedded *file = gate_embedded_files; file->name != NULL; file++) {
        struct gate_str name = gate_str_from(file->name);
        if (!gate_str_ends(name, GATE_STR(".yml")))
            continue;
        gate_rules_digest_add(&digest, name);
        gate_rules_digest_add(&digest, file->bytes);
    }
    return gate_rules_digest_text(&digest, arena);
}

struct gate_str gate_rules_digest(const struct gate_rules *rules, struct gate_arena *arena) {
    return rules->is_default ? presets_digest(arena) : gate_str_copy(arena, rules->digest);
}
