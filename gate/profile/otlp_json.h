/* SPDX-License-Identifier: Apache-2.0 */
/* Reader of OTLP profiles as JSON, as the collector's file exporter writes them where nothing else is said: a message,
 * or several one behind the other, which is one a line. They are written as protobuf and read as that (profile/otlp.h).
 * Names and mapping: the OTLP specification's JSON encoding, opentelemetry-proto 1.8 to 1.11.
 * Pipeline: profile/format.h -> profile/otlp_json.h -> profile/otlp.h */
#ifndef GATE_PROFILE_OTLP_JSON_H
#define GATE_PROFILE_OTLP_JSON_H

#include "gate/base/buf.h"
#include "gate/profile/limits.h"

/** JSON with profiles of resources: the name stands at the beginning, or behind a dictionary. O(bytes). */
bool gate_otlp_json_sniff(struct gate_str text);

/**
 * Append the protobuf of each message, behind its length in four bytes.
 *
 * err   GATE_ERR_FORMAT malformed JSON, or a value of another kind than the protocol has it, with its name;
 *       GATE_ERR_LIMIT
 *
 * O(bytes); the tree takes some eighty times the bytes of a small value.
 */
GATE_MUST_CHECK
bool gate_otlp_json_write(struct gate_buf *out, struct gate_str text, struct gate_arena *scratch,
                          struct gate_error *err);

/** As gate_otlp_convert. */
GATE_MUST_CHECK
bool gate_otlp_json_convert(struct gate_buf *out, struct gate_str text, const struct gate_limits *limits,
                            struct gate_arena *scratch, struct gate_error *err);

#endif
