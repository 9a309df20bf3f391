/* SPDX-License-Identifier: Apache-2.0 */
/* Decides whether a frame is the program's own code, third-party code, a library or the runtime. */
#ifndef GATE_NAMES_OWN_CODE_H
#define GATE_NAMES_OWN_CODE_H

#include "gate/model/profile.h"
#include "gate/names/own_code_table.h"

/* ---- matching a row of own_code_table.h with a frame ----------------------------------------------------------------
 *
 * The parts of the frame that rows test, and the test. Parts are not copied. Private to names/. */

/** The parts of one frame, as slices of its texts. A missing part is empty. */
struct gate_own_code_lookup {
    struct gate_str on[GATE_OWN_CODE_ONS];
    bool is_windows; /* the file contains '\\' */
};

/** Split `place` into parts by the naming rules of `language`. O(length of the texts). */
void gate_own_code_lookup_at(struct gate_own_code_lookup *out, enum gate_language language,
                             const struct gate_code_place *place);

/**
 * Return true if a row's test matches. An empty part matches only LACKS. O(length of the part * length of the text).
 */
bool gate_own_code_lookup_fits(const struct gate_own_code_lookup *look, const struct gate_own_code_test *test);

/* ---- kind of code of a frame: the program's own, third-party, or the language's library and runtime -------------- */

/**
 * Return the language of most functions: by their file endings, else by the form of their names. If no function has
 * a vote, mappings vote. C and C++ win only if no other language has 10% of the votes, as they are the
 * runtime of all others. UNKNOWN if nothing is recognised, and for languages without rows. O(functions).
 */
enum gate_language gate_own_code_language(const struct gate_profile *profile);

/**
 * Return the kind of code of a frame, by the first row of the table (own_code_table.c) that matches. `language` is
 * the profile's. If the frame's file is of another language, that language's rows apply.
 *
 * A frame without a name, or with an address as its name, is own code under two conditions. Its mapping is the
 * program's binary or a shared library outside system folders; and the language is Rust, C, C++, Ruby, PHP or unknown.
 * Else it is a library.
 *
 * O(rows * length of the name). Allocates nothing.
 */
enum gate_code gate_own_code_of(enum gate_language language, const struct gate_code_place *place);

/** Return true for the mapping of a shared library: "libm.so.6", "libm-2.31.so", "shop.so". */
bool gate_is_shared_library(struct gate_str mapping);

/**
 * Return true for the mapping of a shared library of the system that native programs use: "libc.so.6", not "shop.so".
 */
bool gate_is_system_library(struct gate_str mapping);

/**
 * Return true if profilers of the language show every call between functions that are not in C: nothing is inlined.
 */
bool gate_language_is_interpreted(enum gate_language language);

/** Return true if a kind of code counts as own by default. In Go and on the JVM, third-party code does. */
bool gate_own_code_is_own(enum gate_language language, enum gate_code code);

/** Return the name of a language ("Go", "the JVM") or a kind ("own", "third-party", "library"), for reports. */
const char *gate_own_code_language_name(enum gate_language language);

const char *gate_own_code_name(enum gate_code code);

#endif
