/* SPDX-License-Identifier: Apache-2.0 */
/* V8's sampled heap profile, .heapprofile, converted to pprof bytes.
 * Neighbours: profile/format.h, whose table names it; profile/devtools.h, which knows it; profile/builder.h, by which
 * it writes. */
#ifndef GATE_PROFILE_HEAPPROFILE_H
#define GATE_PROFILE_HEAPPROFILE_H

#include "gate/base/buf.h"
#include "gate/profile/limits.h"

/**
 * samples/count and space/bytes: what each call holds of itself ('selfSize', which V8 has scaled up by its interval
 * already), and how many samples of 'samples' that stands for. A file without 'samples', as V8 wrote them before 2018,
 * has space/bytes alone: of how many samples is then not known. See gate_format_convert in profile/format.h.
 */
GATE_MUST_CHECK bool gate_heapprofile_convert(struct gate_buf *out, struct gate_str bytes,
                                              const struct gate_limits *limits, struct gate_arena *scratch,
                                              struct gate_error *err);

#endif
