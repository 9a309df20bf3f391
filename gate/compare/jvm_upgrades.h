/* SPDX-License-Identifier: Apache-2.0 */
/* Libraries on the JVM that have another version in the canary, by the lines of their methods. */
#ifndef GATE_COMPARE_JVM_UPGRADES_H
#define GATE_COMPARE_JVM_UPGRADES_H

#include "gate/compare/pair_types.h"

/**
 * Find the libraries whose source changed. A flight recording has no versions, but it has lines of methods, and an edit
 * moves those behind it.
 *
 * A library is all code below the first two folders of a package: "org/dom4j" has "org/dom4j/io/XMLWriter.write". A
 * method moved if both sides have lines of it, four or more together, and none of them on both. The library has another
 * version if at least three of its methods moved, and a tenth of those with as many lines. In two recordings of one
 * version, next to no method did.
 *
 * The program itself changes, too, and is judged function by function. It is what no other own code calls, on half of
 * the stacks that have it or more; what calls it is not a library either, such as the handlers of a framework.
 *
 * paths  "org/dom4j", from `arena`
 *
 * O(lines of locations + stacks * frames).
 */
GATE_MUST_CHECK
bool gate_jvm_upgrades_find(struct gate_str **paths, uint32_t *count, const struct gate_pair *pair,
                            struct gate_arena *arena, struct gate_error *err);

/**
 * Return the first two folders of a method's package, or an empty text. Classes of lambdas have dots instead of slashes
 * in flight recordings: "com.acme" of "com.acme.Cart$$Lambda$*.apply". O(length).
 */
struct gate_str gate_jvm_library_of(struct gate_str method);

/** Return whether two such paths are equal, with dots or with slashes. O(length). */
bool gate_jvm_library_is_same(struct gate_str a, struct gate_str b);

#endif
