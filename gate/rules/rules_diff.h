/* SPDX-License-Identifier: Apache-2.0 */
/* Digest of a set of rules, and the differences between two sets. */
#ifndef GATE_RULES_RULES_DIFF_H
#define GATE_RULES_RULES_DIFF_H

#include "gate/base/hash.h"
#include "gate/rules/rules.h"

/* ---- digest ------------------------------------------------------------------------------------------------------ */

/* The digest is computed over the files as written, so it covers every key. Changing a comment changes it too. */

/** Digest of a sequence of texts. Zeroed: no text yet. It depends on their order and boundaries. */
struct gate_rules_digest {
    uint8_t sofar[2 * GATE_SHA256_BYTES]; /* digest of the texts so far, and room for the digest of the next text */
};

/** Add a text. O(len). */
void gate_rules_digest_add(struct gate_rules_digest *digest, struct gate_str text);

/** Return the digest in hex. `.ptr` is NULL if the arena is full. */
struct gate_str gate_rules_digest_text(const struct gate_rules_digest *digest, struct gate_arena *arena);

/**
 * Return the SHA-256 digest of the rules in hex: of the file, every file that it extends, and their presets.
 *
 * If no rules were given, the digest covers all presets, because the profiles determine which one applies. It is thus
 * the same before and after gate_default_rules_choose. Options that override rules are not included; see
 * session/judge.h. `.ptr` is NULL if the arena is full.
 */
struct gate_str gate_rules_digest(const struct gate_rules *rules, struct gate_arena *arena);

/* ---- differences ------------------------------------------------------------------------------------------------- */

/* For the review of a change to a rules file. */

/**
 * Describe the differences between two sets of rules: "budget 'no function doubles': error → warn, limit increase +100%
 * → 5x; guard 'unseen': error → off".
 *
 * The text lists removed and new budgets, changed severities, limits, expiry dates and other keys, guards, defaults and
 * changed sections. It contains at most 12 items (GATE_RULES_DIFF_MAX), then the number of further ones.
 *
 * before, after  parsed rules, before budgets are spread over pairs
 *
 * Returns arena memory; empty if nothing relevant differs. `.ptr` is NULL if the arena is full. O(budgets²).
 */
struct gate_str gate_rules_diff(const struct gate_rules *before, const struct gate_rules *after,
                                struct gate_arena *arena);

#endif
