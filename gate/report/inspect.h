/* SPDX-License-Identifier: Apache-2.0 */
/* What `pprofgate inspect` says of one profile.
 * Pipeline: profile/inspection.h + compare/split.h -> report/inspect.h -> cli/cmd_inspect.c */
#ifndef GATE_REPORT_INSPECT_H
#define GATE_REPORT_INSPECT_H

#include "gate/base/buf.h"
#include "gate/compare/split.h"
#include "gate/profile/inspection.h"

/** Whose code the profile's cost is, as `check` by the same rules would have it. */
struct gate_inspect_own {
    const struct gate_pair *pair; /* the run on both sides; NULL: it cannot be compared, for the reason `why` */
    struct gate_split split;
    struct gate_str why;
    bool rows_are_told;
    uint32_t columns;   /* of the text's lines */
    uint32_t row_limit; /* of each list, as `--frames` told (report.h); else as many as a reader looks at */
};

/** As text for a terminal, some lines that begin with the path. Names are escaped. inspect_text.c */
void gate_inspect_text(struct gate_buf *out, const struct gate_run_input *run, const struct gate_inspection *facts,
                       const struct gate_inspect_own *own);

/** The same as one JSON object, without white space: docs/own-code.md names its keys. inspect_json.c */
void gate_inspect_json(struct gate_buf *out, const struct gate_run_input *run, const struct gate_inspection *facts,
                       const struct gate_inspect_own *own);

/** The part of the text that is about own code. inspect_own.c */
void gate_inspect_own_text(struct gate_buf *out, const struct gate_inspect_own *own);

/** Rows of a list that are to be shown; without --frames at most `most`, and none that are zero. inspect_own.c */
uint32_t gate_inspect_own_rows(const struct gate_inspect_own *own, const struct gate_split_list *list, uint32_t most);

/** The rules by which names of two builds become one frame, in their order. inspect_text.c */
void gate_inspect_name_rules(struct gate_buf *out);

#endif
