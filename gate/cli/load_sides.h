/* SPDX-License-Identifier: Apache-2.0 */
/* The profiles of a command line, read and decoded: one thread a side.
 * Pipeline: arguments -> cli/sides.h -> compare/pair.h */
#ifndef GATE_CLI_SIDES_H
#define GATE_CLI_SIDES_H

#include "gate/cli/cli.h"
#include "gate/compare/pair.h"
#include "gate/profile/load.h"

/** What the command line names: files, "-" (once), directories. */
struct gate_paths {
    const char **items;
    uint32_t count;
};

/** The runs of both sides, in the order named; a directory's files by name. */
struct gate_sides {
    struct gate_run_input *runs[GATE_SIDES];
    uint32_t counts[GATE_SIDES];
    bool same; /* both sides are the same bytes, run by run */
};

/**
 * Expand directories, read and decode every file, one thread a side. In a directory, hidden files, subdirectories and
 * what by its name is plainly no profile (.md, .csv, .yml, .yaml, .html, .svg, .xml, .log, README, MANIFEST), an old
 * copy (~) or not whole yet (.tmp, .part) are left out.
 *
 * err   any error of a file, with its name in front; GATE_ERR_INPUT a directory without profiles, one capture twice on a
 *       side
 */
GATE_MUST_CHECK
bool gate_sides_load(struct gate_sides *out, struct gate_cli *cli, const struct gate_paths paths[GATE_SIDES],
                     const struct gate_limits *limits, struct gate_error *err);

/** One side alone, for commands that compare nothing. `distinct`: one capture twice is an error. */
GATE_MUST_CHECK
bool gate_sides_load_one(struct gate_run_input **runs, uint32_t *count, struct gate_cli *cli,
                         const struct gate_paths *paths, const struct gate_limits *limits, bool distinct,
                         struct gate_error *err);

/** Names of the files that `paths` mean, directories expanded; for commands that load one file at a time. */
GATE_MUST_CHECK
bool gate_paths_expand(struct gate_paths *out, const struct gate_paths *paths, struct gate_arena *arena,
                       struct gate_error *err);

/** All of the command's standard input, capped. */
GATE_MUST_CHECK
bool gate_cli_read_input(struct gate_str *bytes, struct gate_cli *cli, const struct gate_limits *limits,
                         struct gate_error *err);

#endif
