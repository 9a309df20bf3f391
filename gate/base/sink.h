/* SPDX-License-Identifier: Apache-2.0 */
/* Where bytes go a part at a time, so that nobody holds all of them: a buffer, or a file on its way
 * (base/outfile.h). Used by profile/packing.h, filled by cli/output.h. */
#ifndef GATE_BASE_SINK_H
#define GATE_BASE_SINK_H

#include "gate/base/buf.h"

/** Takes `bytes`, which are the caller's again behind it. err: what is wrong with what it writes to. */
typedef bool gate_sink_take(void *context, struct gate_str bytes, struct gate_error *err);

struct gate_sink {
    gate_sink_take *take;
    void *context;
};

/** All of it in `buf`, which outlives the sink. */
struct gate_sink gate_sink_of_buf(struct gate_buf *buf);

#endif
