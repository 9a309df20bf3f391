/* SPDX-License-Identifier: Apache-2.0 */
/* Libraries that have another version in the canary. */
#ifndef GATE_COMPARE_UPGRADES_H
#define GATE_COMPARE_UPGRADES_H

#include "gate/base/buf.h"
#include "gate/compare/pair_types.h"

/** A library with one version in all runs of the baseline, and another one in all runs of the canary. */
struct gate_upgrade {
    /* As in files: "github.com/acme/cart"; '!' and a letter for upper case. They differ if the canary has another major
     * version: "github.com/acme/cart/v2". */
    struct gate_str paths[GATE_SIDES];
    struct gate_str versions[GATE_SIDES]; /* "v1.2.3"; empty: not known, as on the JVM */
};

/** Find libraries with another version in the canary, and set `pair->upgrades`. Go's module cache has versions in paths
 * ("github.com/acme/cart@v1.2.3/cart.go"). Two major versions are one library if no side has both. On the JVM, lines of
 * methods are compared (upgrades.c). Other languages, vendored modules and workspaces do not show versions. O(functions
 * * length of a path), and on the JVM O(lines of locations + stacks * frames). */
GATE_MUST_CHECK
bool gate_upgrades_find(struct gate_pair *pair, struct gate_arena *arena, struct gate_error *err);

/**
 * Return the index in `pair->upgrades` of the library that contains a frame, or GATE_NO_INDEX. O(libraries + length).
 */
uint32_t gate_upgrade_of(const struct gate_pair *pair, uint32_t frame);

/** Append "github.com/acme/cart v1.2.3 → v1.3.0", or "org/acme (another version, by its lines)". */
void gate_upgrade_put(struct gate_buf *out, const struct gate_upgrade *upgrade);

#endif
