/* SPDX-License-Identifier: Apache-2.0 */
/* The row of builds that `pprofgate trend` looks at: from a store, or profiles in the order of a command line.
 * Pipeline: store/records.h, cli/paths.h -> cli/trend_runs.h -> cli/cmd_trend.c */
#ifndef GATE_CLI_TREND_RUNS_H
#define GATE_CLI_TREND_RUNS_H

#include "gate/cli/load_sides.h"
#include "gate/cli/profile_options.h"
#include "gate/cli/store_options.h"
#include "gate/compare/series.h"

/** What is asked for. */
struct gate_trend_runs_options {
    struct gate_store_options where; /* `store` NULL: `paths` alone */
    const struct gate_paths *paths;
    struct gate_str sample_type; /* empty: of a store the only kind there is */
    uint32_t last;               /* the newest points; 0: all */
    const struct gate_limits *limits;
};

/** Points oldest first, their runs one after the other. */
struct gate_trend_runs {
    struct gate_run_input *runs;
    uint32_t run_count;
    struct gate_series_point *points;
    uint32_t point_count;
    struct gate_str from; /* "service shop, default", "heaps/" */
    struct gate_str *notes;
    uint32_t note_count;
    size_t note_capacity;
};

/** Append something that is to be said. err: the arena is full, also where `.ptr` of the note is NULL. */
GATE_MUST_CHECK
bool gate_trend_runs_note(struct gate_trend_runs *runs, struct gate_str note, struct gate_arena *arena,
                          struct gate_error *err);

/**
 * Find and load them.
 *
 * Of a store, each accepted revision is a point, in the order in which they were first accepted; what is damaged is
 * left out with a note. Of a list, a single folder's profiles are the points, by their times where all tell one, else
 * by name; of several arguments each is a point, in their order, and a folder among them holds its runs.
 *
 * err   what loading says; GATE_ERR_INPUT nothing was accepted; GATE_ERR_USAGE several kinds, and none was chosen
 */
GATE_MUST_CHECK
bool gate_trend_runs_load(struct gate_trend_runs *out, const struct gate_trend_runs_options *options,
                          struct gate_cli *cli, struct gate_error *err);

#endif
