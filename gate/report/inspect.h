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

/** Append the text for a terminal, beginning with the path. Names are escaped. */
void gate_inspect_text(struct gate_buf *out, const struct gate_run_input *run, const struct gate_inspection *facts,
                       const struct gate_inspect_own *own);

/** Append the same as one JSON object without white space; docs/own-code.md lists its keys. */
void gate_inspect_json(struct gate_buf *out, const struct gate_run_input *run, const struct gate_inspection *facts,
                       const struct gate_inspect_own *own);

/** Append the rules by which names in two builds become one frame, in their order. */
void gate_inspect_name_rules(struct gate_buf *out);

#endif
