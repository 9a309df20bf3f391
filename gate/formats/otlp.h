/* SPDX-License-Identifier: Apache-2.0 */
/* Reader of OpenTelemetry profiles (OTLP protobuf), several versions of the schema. */
#ifndef GATE_FORMATS_OTLP_H
#define GATE_FORMATS_OTLP_H

#include "gate/base/buf.h"
#include "gate/formats/builder.h"
#include "gate/formats/otlp_tables.h"
#include "gate/model/limits.h"

/**
 * Return true for an OTLP message with resource profiles, with the dictionary first or last. Several messages may
 * follow one another, each after its length in four bytes, as the collector's file exporter writes them. pprof
 * messages are excluded, as they have field numbers above 2. O(top-level fields).
 */
bool gate_otlp_sniff(struct gate_str bytes);

/**
 * Convert OTLP profiles to pprof bytes. All profiles of all resources become one. Its sample types are those of the
 * profiles, by name and unit, in order of appearance. The default type is the one that a converter from pprof
 * recorded in the scope, else the first profile's. Attributes of a sample, its resource and its link become labels.
 *
 * A sample without values counts once per timestamp, as the protocol defines. If values of another unit have
 * timestamps and there is no such column yet, an additional column counts the timestamps: "samples", or
 * "off_samples" for "off_cpu". `limits` has no zeros (gate_limits_fill).
 *
 * err   GATE_ERR_FORMAT: malformed, an index outside its table, values that do not match the sample types, or the
 *       experimental protocol of 2024; GATE_ERR_LIMIT; GATE_ERR_OVERFLOW
 *
 * O(bytes + stack entries).
 */
GATE_MUST_CHECK
bool gate_otlp_convert(struct gate_buf *out, struct gate_str bytes, const struct gate_limits *limits,
                       struct gate_arena *scratch, struct gate_error *err);

#endif
