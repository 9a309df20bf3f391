/* SPDX-License-Identifier: Apache-2.0 */
/* Which window of time stores are asked for, in how many slices, and for what work.
 * Pipeline: cli/options.h -> cli/backend_windows.h -> cli/capture_options.h, cli/backend_inputs.h */
#ifndef GATE_CLI_BACKEND_WINDOWS_H
#define GATE_CLI_BACKEND_WINDOWS_H

#include "gate/capture/capture_plan.h"
#include "gate/cli/options.h"

/** What a command line says; NULL: nothing. */
struct gate_backend_windows {
    const char *window, *from, *to; /* of both sides, where an address says nothing */
    const char *baseline_ago;       /* how much earlier the baseline's is */
    const char *work_url, *work_query, *work_query_canary;
    uint32_t runs; /* slices, where no address says */
    double settle_seconds;
    /* No options: of who takes slices as they come, how many of what length, and when the first one begins; 0: now. */
    uint32_t coming;
    int64_t coming_ms, begin_ms;
};

/* Rows that fill a struct gate_backend_windows. */
extern const struct gate_option_group gate_backend_windows_options; /* "Profiles from a store:" */
extern const struct gate_option_group gate_backend_windows_work;    /* goes on with it */
extern const struct gate_option_group gate_backend_windows_coming;  /* the same, of slices as they come */

/**
 * Set the windows of the plan's sources, all of which are stores, with its slices and its query of work. What is
 * relative is so to one moment, `now_ms`. Slices as they come begin there, or where they began.
 *
 * err   GATE_ERR_USAGE what is missing, is there twice or is not a window; names the option
 */
GATE_MUST_CHECK
bool gate_backend_windows_fill(struct gate_capture_plan *plan, const struct gate_backend_windows *windows,
                               int64_t now_ms, struct gate_error *err);

/** GATE_ERR_USAGE where something is said that only stores have a use for. */
GATE_MUST_CHECK bool gate_backend_windows_refuse(const struct gate_backend_windows *windows, struct gate_error *err);

#endif
