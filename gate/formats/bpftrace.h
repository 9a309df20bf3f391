/* SPDX-License-Identifier: Apache-2.0 */
/* Reader of what bpftrace prints of a map whose keys are stacks. */
#ifndef GATE_FORMATS_BPFTRACE_H
#define GATE_FORMATS_BPFTRACE_H

#include "gate/base/buf.h"
#include "gate/base/str.h"
#include "gate/model/limits.h"

/** Return true if `text` is such a file. */
bool gate_bpftrace_sniff(struct gate_str text);

/**
 * Convert "@[ustack] = count()" and the like to pprof bytes: samples/count, the values of the map. Of two stacks in a
 * key the first is the inner one, so kstack comes before ustack. Text in a key is the label "key". Maps without stacks
 * are left out; two maps with stacks are refused.
 *
 * See gate_format_convert in formats/format.h.
 */
GATE_MUST_CHECK
bool gate_bpftrace_convert(struct gate_buf *out, struct gate_str bytes, const struct gate_limits *limits,
                           struct gate_arena *scratch, struct gate_error *err);

#endif
