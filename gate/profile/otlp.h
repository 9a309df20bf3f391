/* SPDX-License-Identifier: Apache-2.0 */
/* Reader of OTLP profiles, OpenTelemetry's own: ProfilesData, or the request that carries it, of the development
 * versions of the protocol from 1.4 to 1.11. Pipeline: profile/format.h -> profile/otlp.h (otlp_tables.h,
 * otlp_layout.h, otlp_frames.h, otlp_labels.h) -> profile/pprof.h */
#ifndef GATE_PROFILE_OTLP_H
#define GATE_PROFILE_OTLP_H

#include "gate/base/buf.h"
#include "gate/profile/limits.h"

/** Messages of profiles with resources, with the dictionary first or last; also several, each behind its length in four
 * bytes, as the collector's file exporter writes them. pprof has fields above the second one. O(top-level fields). */
bool gate_otlp_sniff(struct gate_str bytes);

/**
 * Convert to pprof bytes: all profiles of all resources in one, whose sample types are those of its profiles by name
 * and unit, in the order in which they come. The default is what a converter from pprof left in the scope, else the
 * first profile's. Attributes of a sample, of its resource and its link are labels.
 *
 * A sample without values counts once for each of its timestamps, as the protocol says. Where values of another unit
 * have timestamps, and the file has no such column yet, a column counts those: "samples", or "off_samples" of
 * "off_cpu".
 *
 * err   GATE_ERR_FORMAT malformed, an index that is not in its table, values unlike the sample types, the experimental
 *       protocol of 2024; GATE_ERR_LIMIT; GATE_ERR_OVERFLOW
 *
 * O(bytes + stack slots). `limits` is filled (gate_limits_fill).
 */
GATE_MUST_CHECK
bool gate_otlp_convert(struct gate_buf *out, struct gate_str bytes, const struct gate_limits *limits,
                       struct gate_arena *scratch, struct gate_error *err);

#endif
