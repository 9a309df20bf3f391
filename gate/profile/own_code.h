/* SPDX-License-Identifier: Apache-2.0 */
/* Whose code a frame is: the program's own, somebody else's library, or the language's own library and runtime.
 * Pipeline: profile/profile.h -> profile/own_code.h -> compare/frames.h, which charges libraries to their callers. */
#ifndef GATE_PROFILE_OWN_CODE_H
#define GATE_PROFILE_OWN_CODE_H

#include "gate/profile/own_code_rows.h"
#include "gate/profile/profile.h"

/**
 * The language that most functions speak for: by their files' endings, else by the shapes of their names, and by the
 * mappings where no function tells. C and C++ win only where hardly any other language speaks, since they are inside
 * all others as their runtime. UNKNOWN where nothing tells, and for languages without rows. O(functions).
 */
enum gate_language gate_own_code_language(const struct gate_profile *profile);

/** Keep that with the profile, for those who ask again and again. Not while others read it. O(functions). */
void gate_own_code_note(struct gate_profile *profile);

/**
 * Whose code a frame is, by the first row of the table (own_code_table.c) that has its language and fits it. `language`
 * is the profile's; a frame whose file is of another one is judged by that one's rows. A frame without a name (or with
 * an address for one) is own where Rust, C, C++ or an unknown language is compiled into the mapping: the program's
 * binary, or a shared library outside of the system's folders. Else it is a library's.
 *
 * O(rows * length of the name). Allocates nothing.
 */
enum gate_code gate_own_code_of(enum gate_language language, const struct gate_code_place *place);

/** gate_own_code_of by the rows of the profile's language (own_code_rows.h), for many frames. */
enum gate_code gate_own_code_by(const struct gate_own_code_rows *rows, const struct gate_code_place *place);

/** Whether a kind of code counts as the program's own where nobody told: third parties do in Go and on the JVM. */
bool gate_own_code_is_own(enum gate_language language, enum gate_code code);

/** "Go", "the JVM", ... and "own", "third-party", "library", for reports. */
const char *gate_own_code_language_name(enum gate_language language);
const char *gate_own_code_name(enum gate_code code);

#endif
