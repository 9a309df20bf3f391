/* SPDX-License-Identifier: Apache-2.0 */
/* Minified scripts of two builds: a short name means another function in each of them. */
#ifndef GATE_COMPARE_MINIFIED_H
#define GATE_COMPARE_MINIFIED_H

#include "gate/base/table.h"
#include "gate/compare/pair_types.h"

/** A script whose short names are not comparable. */
struct gate_minified_script {
    uint32_t names[GATE_SIDES];  /* names of functions that each side has */
    uint32_t shorts[GATE_SIDES]; /* those of one or two letters */
    uint32_t common;             /* short names that both sides have */
    uint32_t moved;       /* number of these names whose functions are at different places of the script on each side */
    struct gate_str name; /* "(minified) plugins/estree.mjs"; empty: its names are compared as they are */
};

/** The scripts of a pair by the last two parts of their paths. Zeroed: none. */
struct gate_minified {
    struct gate_table paths;
    struct gate_minified_script *scripts; /* by index in `paths` */
    uint32_t count;                       /* scripts whose names are not comparable */
};

/** Find the JavaScript files whose short names are not comparable. Such a file was minified, so it has many names of
 * one or two letters. It was built twice, so these names are at different lines and columns on each side. Bundlers put
 * a hash into file names, so a minified file that only one side has is joined with others of that kind. Without lines
 * and columns nothing is found. Also sets pair->minified. O(lines of locations) for JavaScript, else O(runs). */
GATE_MUST_CHECK
bool gate_minified_find(struct gate_minified *out, struct gate_pair *pair, struct gate_arena *arena,
                        struct gate_error *err);

/** Return whether a frame's name is one that gate_minified_name gives. */
bool gate_minified_name_is(struct gate_str name);

/** Return the joined name of a function: that of its script if the function has a short name; else empty. O(path). */
struct gate_str gate_minified_name(const struct gate_minified *minified, const struct gate_function *function);

#endif
