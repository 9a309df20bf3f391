/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that have another file, package, class, receiver or prefix in the canary, but the same name. In a series of
 * builds, those that have another file, package, class or receiver in later builds. */
#ifndef GATE_COMPARE_MOVED_FUNCTIONS_H
#define GATE_COMPARE_MOVED_FUNCTIONS_H

#include "gate/base/table.h"
#include "gate/compare/pair_types.h"

/** The functions of a pair that moved. Zeroed: none. */
struct gate_moved_functions {
    struct gate_table names; /* in the baseline or older builds: "Cart.price (shop/cart.py)" */
    struct gate_str *now;    /* by index in `names`, in the canary or newest build: "Basket.price (shop/prices.py)" */
};

/**
 * Find own functions that moved: from a file or module to another one, from a class or receiver to another one, or with
 * their class when it got another name. Files that moved as a whole are found before (compare/moved_files.h).
 *
 * A function that only the baseline has is one that only the canary has if these hold:
 *
 * - The last part of their names (gate_name_last_part) is the same: "price" of "shop.(*Cart).price",
 *   "acme::Cart::price" and "Cart.price (shop/cart.py)".
 * - Both have callers in common, with at least half of the cost of each. Callers are the nearest own functions above
 *   them, which may have moved themselves, but no class of lambdas (shop/Cart$$Lambda$*.run). If that finds no match,
 *   callers are the nearest own functions of both sides. There, the costs of both are added up anyway (struct
 *   gate_frame, is_folded), so that a wrong match hides no growth.
 * - No other function meets these conditions.
 *
 * In a series of builds (gate_pair_is_series), a function that ends in one build may be one that begins in the next
 * one. It has ended, or not begun yet, if builds lack it in which 20 of its events would be expected. Builds with fewer
 * than 20 expected events of either may be between them. A function may move several times.
 *
 * C has no packages: a library puts "md_" or "md" before the names of its functions ("md_parse", "mdParse"). If the
 * library changes this to "doc_", its functions are the same under the new prefix, in a pair of C, Rust, PHP or an
 * unknown language (not in a series of builds):
 *
 * - No function of the canary has the old prefix, and none of the baseline the new one.
 * - At least two functions have the same name behind both prefixes, and at least half of those of the side with fewer.
 *
 * pair   with frames and stacks, folded
 * out    names are views of the pair's frames
 * err    GATE_ERR_LIMIT the arena is full
 *
 * O(frames), and O(samples * depth) if two functions have the same name. There also O(n^2) of functions that only one
 * side has. Limits on the work are in moved_functions.c.
 */
GATE_MUST_CHECK
bool gate_moved_functions_find(struct gate_moved_functions *out, const struct gate_pair *pair, struct gate_arena *arena,
                               struct gate_error *err);

/** Return the name that a function has in the canary or newest build; `name` itself if it has not moved. O(length). */
struct gate_str gate_moved_functions_name(const struct gate_moved_functions *functions, struct gate_str name);

/** Return "Cart.price (shop/cart.py) is Basket.price (shop/prices.py), and 2 more", of at least one function. `.ptr` is
 * NULL if the arena is full. O(length). */
struct gate_str gate_moved_functions_list(const struct gate_moved_functions *functions, struct gate_arena *arena);

#endif
