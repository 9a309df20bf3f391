/* SPDX-License-Identifier: Apache-2.0 */
/* A name for rules by all that they say: equal bytes, equal name. It is of the files as they are written, so that no
 * key can be forgotten here, and a comment makes other rules too.
 * Pipeline: rules/rules_parse.h -> rules/rules_digest.h -> budget/ledger.h, cli/judge_digest.h */
#ifndef GATE_RULES_RULES_DIGEST_H
#define GATE_RULES_RULES_DIGEST_H

#include "gate/base/sha256.h"
#include "gate/rules/rules.h"

/** Texts, digested one after the other. Zeroed: none yet. The order counts, and where one ends and the next begins. */
struct gate_rules_digest {
    uint8_t sofar[2 * GATE_SHA256_BYTES]; /* the digest of those before; room for that of the next */
};

/** Add a text. O(len). */
void gate_rules_digest_add(struct gate_rules_digest *digest, struct gate_str text);

/** The digest as hex; `.ptr` NULL: the arena is full. */
struct gate_str gate_rules_digest_text(const struct gate_rules_digest *digest, struct gate_arena *arena);

/**
 * SHA-256, as hex, of the text that these rules are: of the file, of every file that it extends, and of presets as this
 * program carries them. Where nobody named rules it is of all presets, since the profiles choose among them: it is the
 * same before and after gate_default_rules_choose. `.ptr` NULL: the arena is full.
 *
 * What options say over the rules is not in it; that is cli/judge_digest.h.
 */
struct gate_str gate_rules_digest(const struct gate_rules *rules, struct gate_arena *arena);

#endif
