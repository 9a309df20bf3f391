/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of own_code_table.h that one language has, with what tells of most of them at a glance that they do not fit.
 * Pipeline: profile/own_code_look.h -> profile/own_code_rows.h -> profile/own_code.h */
#ifndef GATE_PROFILE_OWN_CODE_ROWS_H
#define GATE_PROFILE_OWN_CODE_ROWS_H

#include "gate/profile/code_kind.h"

/** No language has more rows. */
enum { GATE_OWN_CODE_ROWS_MOST = 160 };

/** A row of the table, with what is looked at first: a letter that a part begins or ends with. */
struct gate_own_code_try {
    uint16_t row;
    uint8_t code;
    uint8_t letter_at; /* which of the parts' letters */
    char letter;
    uint8_t rare_at; /* of a text that may stand anywhere: where its rarest letter is */
};

enum { GATE_OWN_CODE_WORD_BITS = 2048 };

struct gate_own_code_rows {
    enum gate_language language;
    uint32_t count;
    struct gate_own_code_try items[GATE_OWN_CODE_ROWS_MOST];
    uint8_t words[GATE_OWN_CODE_WORD_BITS / 8]; /* a bit for each word of a list: what it begins and ends with */
};

struct gate_own_code_look;

/** Those of `language`. O(rows of the table + their lists of words). */
void gate_own_code_rows_of(struct gate_own_code_rows *out, enum gate_language language);

/** What the first row says that fits. O(rows * length of the parts). */
enum gate_code gate_own_code_rows_code(const struct gate_own_code_rows *rows, const struct gate_own_code_look *look);

#endif
