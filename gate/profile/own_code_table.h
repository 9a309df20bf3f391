/* SPDX-License-Identifier: Apache-2.0 */
/* The table behind own_code.h: one row a rule, one row a vote for a language. Data, no code.
 * Private to gate/profile/own_code*.c: own_code_look.h says how a row is tried on a frame. */
#ifndef GATE_PROFILE_OWN_CODE_TABLE_H
#define GATE_PROFILE_OWN_CODE_TABLE_H

#include "gate/profile/code_kind.h"

/** What of a frame a row looks at. */
enum gate_own_code_on {
    GATE_OWN_CODE_ON_SPELLED, /* the function as the profile spells it */
    GATE_OWN_CODE_ON_NAME,    /* without type arguments, parameters, return type, endings */
    GATE_OWN_CODE_ON_ROOT,    /* the first element: of an import path, package, crate path, relative file */
    GATE_OWN_CODE_ON_FILE,    /* as the profile gives it, else as a Python or V8 name carries it; '\' is '/' */
    GATE_OWN_CODE_ON_MAPPING,
    GATE_OWN_CODE_ON_OTHER,    /* the mapping, unless it is the program's binary */
    GATE_OWN_CODE_ON_STEM,     /* OTHER without folder and version: "libc" of /lib64/libc-2.31.so */
    GATE_OWN_CODE_ON_NAMELESS, /* the mapping of a frame that has no name */
    GATE_OWN_CODE_ONS
};

enum gate_own_code_how {
    GATE_OWN_CODE_HOW_IS,
    GATE_OWN_CODE_HOW_STARTS,
    GATE_OWN_CODE_HOW_ENDS,
    GATE_OWN_CODE_HOW_CONTAINS,
    GATE_OWN_CODE_HOW_LACKS,
    GATE_OWN_CODE_HOW_IN,      /* one of the words of the text */
    GATE_OWN_CODE_HOW_PRESENT, /* not empty; no text */
    GATE_OWN_CODE_HOW_RUNTIME  /* gate_name_is_runtime; no text */
};

struct gate_own_code_test {
    enum gate_own_code_on on;
    enum gate_own_code_how how;
    uint16_t len;     /* of the text */
    const char *text; /* for IN: words, a space before and behind each */
};

/** The first row that has the frame's language and fits it says whose code it is; a language's last row fits all. */
struct gate_own_code_row {
    uint32_t languages; /* bits: 1 << enum gate_language */
    struct gate_own_code_test test;
    enum gate_code code;
};

/** The first row that fits a function is its vote; GATE_LANGUAGE_UNKNOWN is a vote for a language without rows. */
struct gate_own_code_vote {
    enum gate_language language;
    struct gate_own_code_test test;
};

extern const struct gate_own_code_row gate_own_code_table_rows[];
extern const size_t gate_own_code_table_row_count;

/** Rows on files come first, rows on names next, rows on mappings last. */
extern const struct gate_own_code_vote gate_own_code_table_votes[];
extern const size_t gate_own_code_table_vote_count;

#endif
