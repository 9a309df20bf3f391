/* SPDX-License-Identifier: Apache-2.0 */
/* Strict reading of the JSON that this program writes for itself: what is not there, is of another kind or has a name
 * that nobody knows is an error that says where. Profiles that come as JSON have readers of their own.
 * Pipeline: base/json_writer.h -> a file -> base/json_reader.h -> a manifest, a record, a ledger */
#ifndef GATE_BASE_JSON_READER_H
#define GATE_BASE_JSON_READER_H

#include "gate/base/arena.h"
#include "gate/base/str.h"

#include <jansson.h>

/** A map of a document, and how messages call it. */
struct gate_json_reader {
    json_t *map;
    const char *place; /* "runs[3]" */
    enum gate_error_code code;
    struct gate_arena *arena;
    struct gate_error *err;
};

/** What has to stand at a key. */
enum gate_json_reader_need {
    GATE_JSON_READER_MAY,   /* something or nothing */
    GATE_JSON_READER_MUST,  /* something */
    GATE_JSON_READER_FILLED /* a text that is not empty */
};

/**
 * The document in `text`, to be let go with json_decref; NULL with `code` set: it is not JSON, or names a key twice,
 * where `what` ("a ledger") was expected. Cost: jansson's tree, some hundred bytes a value.
 */
GATE_MUST_CHECK
json_t *gate_json_reader_parse(struct gate_str text, const char *what, enum gate_error_code code,
                               struct gate_error *err);

/** "runs[3]: expected a text in 'kind'". Always false. */
bool gate_json_reader_refuse(const struct gate_json_reader *reader, const char *key, const char *expected);

/** It is a map, and its keys are among `known`, NULL-terminated. */
GATE_MUST_CHECK
bool gate_json_reader_keys(const struct gate_json_reader *reader, const char *const *known);

/** The text of a key, copied into the arena; empty where there is none. */
GATE_MUST_CHECK
bool gate_json_reader_text(struct gate_str *out, const struct gate_json_reader *reader, const char *key,
                           enum gate_json_reader_need need);

/** A whole number from `least` to `most`; without one `*out` stays as it is, where it may. */
GATE_MUST_CHECK
bool gate_json_reader_integer(int64_t *out, const struct gate_json_reader *reader, const char *key, int64_t least,
                              int64_t most, enum gate_json_reader_need need);

/** A number of zero or more; without one `*out` stays as it is, where it may. */
GATE_MUST_CHECK
bool gate_json_reader_number(double *out, const struct gate_json_reader *reader, const char *key,
                             enum gate_json_reader_need need);

/** The list of a key, of at most `most` items; NULL where there is none and there may be none. */
GATE_MUST_CHECK
bool gate_json_reader_list(const json_t **out, const struct gate_json_reader *reader, const char *key, size_t most,
                           enum gate_json_reader_need need);

/** Item `index` of a list, called `place` in messages. */
struct gate_json_reader gate_json_reader_item(const struct gate_json_reader *reader, const json_t *list, size_t index,
                                              const char *place);

/** The text of 'schema' is `schema`; else an error that ends with `advice`, what to do then. */
GATE_MUST_CHECK
bool gate_json_reader_schema(const struct gate_json_reader *reader, const char *schema, const char *advice);

#endif
