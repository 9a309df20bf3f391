/* SPDX-License-Identifier: Apache-2.0 */
/* Loads the runs of `trend`: the accepted runs of a store, or the profiles of the command line. */
#ifndef GATE_SESSION_TREND_RUNS_H
#define GATE_SESSION_TREND_RUNS_H

#include "gate/budget/trend.h"
#include "gate/session/load_sides.h"
#include "gate/session/profile_options.h"
#include "gate/session/store_options.h"

/** What to load. */
struct gate_trend_runs_options {
    struct gate_store_options where; /* if `store` is NULL, only `paths` are loaded */
    const struct gate_paths *paths;
    struct gate_str sample_type; /* sample type or kind; empty: the only kind in the store */
    uint32_t last;               /* number of newest points to keep; 0: all */
    const struct gate_limits *limits;
    unsigned needs; /* enum gate_sandbox_need, or-ed; everything else is denied once the store is open */
};

/** Points from oldest to newest; the runs of a point are adjacent in `runs`. */
struct gate_trend_runs {
    struct gate_run_input *runs;
    uint32_t run_count;
    struct gate_series_point *points;
    uint32_t point_count;
    struct gate_str from; /* description of the input: "service shop, default", "heaps/" */
    struct gate_str *notes;
    uint32_t note_count;
    size_t note_capacity;
};

/** Append a note for the report. err: the arena is full, also if `note.ptr` is NULL. */
GATE_MUST_CHECK
bool gate_trend_runs_note(struct gate_trend_runs *runs, struct gate_str note, struct gate_arena *arena,
                          struct gate_error *err);

/**
 * Find and load the runs.
 *
 * With a store, each accepted revision is a point, in the order of first acceptance. Damaged records and profiles are
 * left out with a note. With a single folder, each profile is a point, sorted by time if all have one, else by name.
 * With several arguments, each one is a point, in their order; a folder holds the runs of its point.
 *
 * err   GATE_ERR_INPUT if the store has no such run; GATE_ERR_USAGE if there are several kinds and none is chosen;
 *       errors of loading
 */
GATE_MUST_CHECK
bool gate_trend_runs_load(struct gate_trend_runs *out, const struct gate_trend_runs_options *options,
                          struct gate_session *session, struct gate_error *err);

#endif
