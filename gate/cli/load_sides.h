/* SPDX-License-Identifier: Apache-2.0 */
/* The profiles of a command line, read and decoded: one thread a side.
 * Pipeline: cli/paths.h -> cli/input.h -> cli/load_sides.h -> compare/pair.h */
#ifndef GATE_CLI_LOAD_SIDES_H
#define GATE_CLI_LOAD_SIDES_H

#include "gate/cli/cli.h"
#include "gate/cli/paths.h"
#include "gate/compare/pair.h"
#include "gate/profile/load.h"

/** The runs of one side, in the order named; a directory's files by name. */
struct gate_side_runs {
    const struct gate_run_input *items;
    uint32_t count;
};

/**
 * Expand directories, read and decode every file, one thread a side. From here on the memory of the run is limited, see
 * gate_load_sides_limit.
 *
 * is_same  both sides are the same captures, in whatever order
 * err      any error of a file, with its name in front; GATE_ERR_INPUT a directory without profiles, one capture twice
 *          on a side or on both; GATE_ERR_LIMIT more memory than --max-memory
 */
GATE_MUST_CHECK
bool gate_load_sides(struct gate_side_runs out[GATE_SIDES], bool *is_same, struct gate_cli *cli,
                     const struct gate_paths paths[GATE_SIDES], const struct gate_limits *limits,
                     struct gate_error *err);

/**
 * Limit the memory of the run: to limits->memory_bytes, or where that is 0 by the size of its inputs, of which `paths`
 * are some more (profile/limits.h).
 *
 * stream_bytes  of standard input, where it is among them; SIZE_MAX: not known
 */
void gate_load_sides_limit(struct gate_cli *cli, const struct gate_paths *paths, size_t stream_bytes,
                           const struct gate_limits *limits);

/** One side alone. `distinct`: one capture twice is an error. */
GATE_MUST_CHECK
bool gate_load_sides_one(struct gate_side_runs *out, struct gate_cli *cli, const struct gate_paths *paths,
                         const struct gate_limits *limits, bool distinct, struct gate_error *err);

/** `is_same` of two sides that are loaded already; GATE_ERR_INPUT when only some captures are on both. */
GATE_MUST_CHECK
bool gate_load_sides_check(bool *is_same, const struct gate_side_runs sides[GATE_SIDES], struct gate_error *err);

/** GATE_ERR_INPUT when one capture is twice on a side: it would look like agreement between runs. */
GATE_MUST_CHECK bool gate_load_sides_distinct(const struct gate_side_runs *side, struct gate_error *err);

/**
 * How often a command may compare all that was loaded, which asks for a number of steps each time (profile/steps.h): a
 * thousand times and more of profiles as profilers write them.
 */
uint64_t gate_load_sides_passes(const struct gate_cli *cli, const struct gate_limits *limits);

/** The digest of a file's bytes, as reports have it. `.ptr` NULL: the arena is full. */
struct gate_str gate_load_sides_digest(struct gate_str bytes, struct gate_arena *arena);

/** Whether two runs are one capture, however they are packed. */
bool gate_load_sides_is_same(const struct gate_run_input *a, const struct gate_run_input *b);

#endif
