/* SPDX-License-Identifier: Apache-2.0 */
/* Attributes of OTLP, of whatever carries them, as labels. Neighbours: profile/otlp_tables.h, profile/otlp.c. */
#ifndef GATE_PROFILE_OTLP_LABELS_H
#define GATE_PROFILE_OTLP_LABELS_H

#include "gate/profile/limits.h"
#include "gate/profile/otlp_layout.h"
#include "gate/profile/sample.h"

/** Labels of one sample; texts point into the file, or into the arena. */
struct gate_otlp_labels {
    struct gate_label *items; /* limits->labels of them */
    uint32_t count;
    uint32_t limit;
    struct gate_arena *arena; /* of numbers and bytes written out as text */
};

GATE_MUST_CHECK
bool gate_otlp_labels_init(struct gate_otlp_labels *out, const struct gate_limits *limits, struct gate_arena *arena,
                           struct gate_error *err);

/**
 * Add the attribute of a table: texts and booleans as texts, whole numbers with their unit, other numbers as texts,
 * bytes in hexadecimal, each element of a list as a label of its own; what is nested deeper is left out, as is index 0.
 *
 * err   GATE_ERR_FORMAT the index, or an index in it, is not in its table; malformed; GATE_ERR_LIMIT more than
 *       limits->labels
 */
GATE_MUST_CHECK
bool gate_otlp_labels_add(struct gate_otlp_labels *labels, const struct gate_otlp_tables *tables,
                          const struct gate_otlp_layout *layout, uint64_t index, struct gate_error *err);

/** Add an attribute that stands where it belongs, as a resource's do: key, value. Errors as above. */
GATE_MUST_CHECK
bool gate_otlp_labels_pair(struct gate_otlp_labels *labels, const struct gate_otlp_tables *tables,
                           struct gate_wire pair, struct gate_error *err);

/** Add trace_id and span_id of a link, in hexadecimal; nothing of the empty one. Errors as above. */
GATE_MUST_CHECK
bool gate_otlp_labels_link(struct gate_otlp_labels *labels, const struct gate_otlp_tables *tables, uint64_t index,
                           struct gate_error *err);

#endif
