/* SPDX-License-Identifier: Apache-2.0 */
/* The table of report formats. */
#include "gate/report/report.h"

#include "gate/base/build_id.h"
#include "gate/base/json_io.h"

/* ---- the program that wrote a JSON report ------------------------------------------------------------------------ */

void gate_generator_json(struct gate_json *json) {
    char build[GATE_OWN_BUILD_TEXT];
    gate_own_build_id(build);
    gate_json_put_text(json, "generator", "pprofgate " GATE_VERSION);
    if (build[0] == '\0')
        return;
    gate_json_put_text(json, "generator_build", build);
}

/* ---- the reports that are written to files ----------------------------------------------------------------------- */

const struct gate_report_format *const gate_report_formats[] = {
    &gate_report_json,     &gate_report_junit,       &gate_report_html,       &gate_report_svg,
    &gate_report_markdown, &gate_report_codequality, &gate_report_sarif,      &gate_report_openmetrics,
    &gate_report_folded,   &gate_report_speedscope,  &gate_report_pprof_diff, NULL,
};

_Static_assert(sizeof gate_report_formats / sizeof *gate_report_formats <= GATE_REPORT_FORMATS_MAX + 1,
               "session/reports.h has room for GATE_REPORT_FORMATS_MAX reports");
