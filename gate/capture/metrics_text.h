/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of a metrics endpoint, one at a time: Prometheus' text format 0.0.4 and OpenMetrics 1.0.
 * Pipeline: bytes -> capture/metrics_text.h -> capture/metrics.h */
#ifndef GATE_CAPTURE_METRICS_TEXT_H
#define GATE_CAPTURE_METRICS_TEXT_H

#include "gate/base/str.h"

enum { GATE_METRICS_LABELS_MAX = 64 };

struct gate_metrics_label {
    struct gate_str name, value; /* the value without escapes */
};

/** `name{labels} value`, or `# TYPE name type`: then `type` is not empty and nothing else is set but `name`. */
struct gate_metrics_line {
    struct gate_str name, type;
    struct gate_metrics_label labels[GATE_METRICS_LABELS_MAX];
    uint32_t label_count;
    double value; /* may be infinite or not a number */
};

/** Where a text is read. Zeroed but for the text. */
struct gate_metrics_text {
    struct gate_str text;
    size_t at;
    uint32_t line; /* of what was read last, from 1 */
};

/**
 * The next sample or TYPE; other comments and blank lines are passed over. Timestamps and exemplars are not kept.
 *
 * is_end  nothing is left
 * err     GATE_ERR_FORMAT with the line
 */
GATE_MUST_CHECK
bool gate_metrics_text_next(struct gate_metrics_line *out, bool *is_end, struct gate_metrics_text *text,
                            struct gate_arena *arena, struct gate_error *err);

/**
 * Labels in braces: `{a="b",c!="d"}` from `*at` on. `operators`: also !=, =~ and !~, which go to `ops` as the character
 * behind or before the `=`: 0, '!', '~', and 'n' for !~.
 */
GATE_MUST_CHECK
bool gate_metrics_text_labels(struct gate_metrics_line *out, char *ops, struct gate_str line, size_t *at,
                              struct gate_arena *arena);

#endif
