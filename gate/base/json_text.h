/* SPDX-License-Identifier: Apache-2.0 */
/* JSON text to jansson's values. Its own reader passes over memory that it does not get: a word then lacks a letter,
 * or its end. Here every value is whole, or there is none.
 * Pipeline: bytes -> base/json_text.h -> base/json_reader.h, profile/json_tree.h, capture/answer.h */
#ifndef GATE_BASE_JSON_TEXT_H
#define GATE_BASE_JSON_TEXT_H

#include "gate/base/str.h"

#include <jansson.h>

/** What a reader does not take for granted; or-ed. */
enum gate_json_text_flag {
    GATE_JSON_TEXT_UNIQUE = 1, /* a key that stands twice in a map is refused; else the last one counts */
    GATE_JSON_TEXT_ZEROS = 2   /* texts, but not keys, may have \u0000 */
};

/** Why there is no document, and where. */
struct gate_json_fault {
    const char *what; /* "expected ':' behind the key"; NULL: out of memory */
    size_t line;      /* from 1 */
    size_t column;    /* in bytes, from 1 */
};

enum { GATE_JSON_TEXT_DEPTH = 2048 };

/**
 * The map or list that all of `text` is (RFC 8259), to be let go with json_decref; NULL with `*fault`: it is malformed,
 * not UTF-8, deeper than GATE_JSON_TEXT_DEPTH, has an integer of more than 64 bits or a number above all doubles, or
 * memory is out.
 *
 * O(len); takes what gate_json_tree_bytes says
 */
GATE_MUST_CHECK
json_t *gate_json_text_read(struct gate_json_fault *fault, struct gate_str text, unsigned flags);

#endif
