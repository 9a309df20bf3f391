/* SPDX-License-Identifier: Apache-2.0 */
/* Reader of OpenTelemetry profiles in JSON, the default format of the collector's file exporter: one message, or
 * several in sequence, usually one per line. */
/* They are converted to protobuf and read by formats/otlp.c. Source of names and encoding: JSON encoding of the OTLP
 * specification, opentelemetry-proto 1.8 to 1.11. */
#ifndef GATE_FORMATS_OTLP_JSON_H
#define GATE_FORMATS_OTLP_JSON_H

#include "gate/base/buf.h"

/**
 * Append each message as protobuf, after its length in four bytes.
 *
 * err   GATE_ERR_FORMAT: malformed JSON, or a value whose type differs from the protocol (names the field);
 *       GATE_ERR_LIMIT
 *
 * O(bytes). The JSON tree takes about 80 bytes per byte of small values.
 */
GATE_MUST_CHECK
bool gate_otlp_json_write(struct gate_buf *out, struct gate_str text, struct gate_arena *scratch,
                          struct gate_error *err);

#endif
