/* SPDX-License-Identifier: Apache-2.0 */
/* A buffer as a sink (see sink.h). */
#include "gate/base/sink.h"

static bool buf_take(void *context, struct gate_str bytes, struct gate_error *err) {
    struct gate_buf *buf = context;
    gate_buf_str(buf, bytes);
    return gate_buf_check(buf, err);
}

struct gate_sink gate_sink_of_buf(struct gate_buf *buf) {
    return (struct gate_sink){buf_take, buf};
}
