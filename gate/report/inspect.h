/* SPDX-License-Identifier: Apache-2.0 */
/* The output of `inspect` as text and JSON. */
#ifndef GATE_REPORT_INSPECT_H
#define GATE_REPORT_INSPECT_H

#include "gate/base/buf.h"
#include "gate/compare/split.h"
#include "gate/names/inspection.h"

/** The profile's cost by own, third-party and library code, as `check` would divide it by the same rules. */
struct gate_inspect_own {
    const struct gate_pair *pair; /* the run on both sides; NULL: it cannot be compared, for the reason in `why` */
    struct gate_split split;
    struct gate_str why;
    bool rows_are_told;
    uint32_t columns;   /* width of the text */
    uint32_t row_limit; /* rows of each list if `rows_are_told` (--frames, see report.h); else a default */
};

/**
 * Split the cost of `run` by own and foreign code, as `check` does by the same `pairing`. For a profile that cannot be
 * compared, set `why` instead. The caller sets the fields of the layout.
 *
 * err   errors of gate_hot_path_costs and gate_split_make but GATE_ERR_INPUT and GATE_ERR_OVERFLOW
 */
GATE_MUST_CHECK
bool gate_inspect_own_make(struct gate_inspect_own *out, const struct gate_run_input *run,
                           const struct gate_pair_options *pairing, struct gate_arena *arena, struct gate_error *err);

/** Append the text for a terminal, beginning with the path. Names are escaped. */
void gate_inspect_text(struct gate_buf *out, const struct gate_run_input *run, const struct gate_inspection *facts,
                       const struct gate_inspect_own *own);

/** Append the same as one JSON object without white space; docs/own-code.md lists its keys. */
void gate_inspect_json(struct gate_buf *out, const struct gate_run_input *run, const struct gate_inspection *facts,
                       const struct gate_inspect_own *own);

/** Append the rules by which names in two builds become one frame, in their order. */
void gate_inspect_name_rules(struct gate_buf *out);

#endif
