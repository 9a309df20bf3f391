/* SPDX-License-Identifier: Apache-2.0 */
/* The output of `inspect` as text and JSON. */
#ifndef GATE_REPORT_INSPECT_H
#define GATE_REPORT_INSPECT_H

#include "gate/base/buf.h"
#include "gate/compare/delta.h"
#include "gate/names/inspection.h"

enum gate_split_part {
    GATE_SPLIT_OWN,         /* own-code frames, by charged cost */
    GATE_SPLIT_THIRD_PARTY, /* third-party frames that count as own code, by charged cost */
    GATE_SPLIT_REMAINDER,   /* roots of stacks without own code, by charged cost */
    GATE_SPLIT_LIBRARY,     /* frames that are not own code, by self cost */
    GATE_SPLIT_PARTS
};

struct gate_split_row {
    uint32_t frame; /* index in the pair's frames */
    int64_t value;  /* in the pair's unit */
};

/** Frames of one part, largest first, then by name; includes frames with value 0. */
struct gate_split_list {
    struct gate_split_row *rows; /* arena memory */
    uint32_t count;
    int64_t total;
};

/**
 * Own, third-party and remainder add up to all cost with a stack. Library is another view of the same cost. If nothing
 * is own code (pair->has_no_own), own and remainder are empty.
 */
struct gate_split {
    struct gate_split_list parts[GATE_SPLIT_PARTS];
    int64_t unsymbolised; /* self cost of frames without a name */
    bool is_all_own;      /* no stack has a frame of a library */
};

/** The profile's cost by own, third-party and library code, as `check` would divide it by the same rules. */
struct gate_inspect_own {
    const struct gate_pair *pair; /* the run on both sides; NULL: it cannot be compared, for the reason in `why` */
    struct gate_split split;
    struct gate_str why;
    bool has_row_limit;
    uint32_t columns;   /* width of the text */
    uint32_t row_limit; /* rows of each list (--frames, see report.h) if `has_row_limit`, else a default applies */
};

/** Split the cost of `run` by own and foreign code, as `check` does by the same `pairing`. For a profile that cannot be
 * compared, set `why` instead. The caller sets the fields of the layout. err: errors of gate_hot_path_costs but
 * GATE_ERR_INPUT and GATE_ERR_OVERFLOW. */
GATE_MUST_CHECK
bool gate_inspect_own_make(struct gate_inspect_own *out, const struct gate_run_input *run,
                           const struct gate_pair_options *pairing, struct gate_arena *arena, struct gate_error *err);

/** Append the text for a terminal, beginning with the path. Names are escaped. */
void gate_inspect_text(struct gate_buf *out, const struct gate_run_input *run, const struct gate_inspection *facts,
                       const struct gate_inspect_own *own);

/** Append the same as one JSON object without white space; docs/own-code.md lists its keys. */
void gate_inspect_json(struct gate_buf *out, const struct gate_run_input *run, const struct gate_inspection *facts,
                       const struct gate_inspect_own *own);

#endif
