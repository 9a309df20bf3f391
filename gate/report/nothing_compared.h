/* SPDX-License-Identifier: Apache-2.0 */
/* What is reported where there was nothing to compare a canary with: neither passed nor failed, but first, or without a
 * baseline. Only reports that hold a verdict say so; one of pictures and numbers has nothing to show.
 * Pipeline: cli/no_baseline.c -> report/nothing_compared.h -> report/formats.c, cli/reports.h */
#ifndef GATE_REPORT_NOTHING_COMPARED_H
#define GATE_REPORT_NOTHING_COMPARED_H

#include "gate/base/buf.h"

/** What a CI system makes of it. */
enum gate_nothing_state { GATE_NOTHING_SKIPPED, GATE_NOTHING_ERROR, GATE_NOTHING_FAILURE };

struct gate_nothing_compared {
    const char *word;        /* "first", "no_baseline": the verdict in JSON */
    const char *capitals;    /* "FIRST", "NO BASELINE" */
    struct gate_str message; /* what happened */
    struct gate_str next;    /* what to do; may be empty */
    const char *severity;    /* of the guard baseline_missing: "error", "warn", "off" */
    enum gate_nothing_state state;
};

/** Append one report of it; false: out of memory. */
typedef bool gate_nothing_compared_write(struct gate_buf *out, const struct gate_nothing_compared *nothing);

gate_nothing_compared_write gate_nothing_compared_terminal;
gate_nothing_compared_write gate_nothing_compared_json;
gate_nothing_compared_write gate_nothing_compared_junit;
gate_nothing_compared_write gate_nothing_compared_markdown;

#endif
