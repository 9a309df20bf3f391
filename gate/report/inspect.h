/* SPDX-License-Identifier: Apache-2.0 */
/* What `pprofgate inspect` says of one profile.
 * Pipeline: profile/inspection.h -> report/inspect.h -> cli/cmd_inspect.c */
#ifndef GATE_REPORT_INSPECT_H
#define GATE_REPORT_INSPECT_H

#include "gate/base/buf.h"
#include "gate/compare/pair.h"
#include "gate/profile/inspection.h"

/** As text for a terminal, some lines that begin with the path. Names are escaped. inspect_text.c */
void gate_inspect_text(struct gate_buf *out, const struct gate_run_input *run, const struct gate_inspection *facts);

/** The same as one JSON object, without white space. inspect_json.c */
void gate_inspect_json(struct gate_buf *out, const struct gate_run_input *run, const struct gate_inspection *facts);

/** The rules by which names of two builds become one frame, in their order. inspect_text.c */
void gate_inspect_name_rules(struct gate_buf *out);

#endif
