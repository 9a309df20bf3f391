/* SPDX-License-Identifier: Apache-2.0 */
/* Profiles one after the other, each loaded in a thread of its own while the one before it is at work, where that holds
 * little memory. Pipeline: cli/paths.h -> cli/input.h -> cli/load_ahead.h -> cli/cmd_merge.c */
#ifndef GATE_CLI_LOAD_AHEAD_H
#define GATE_CLI_LOAD_AHEAD_H

#include "gate/cli/cli.h"
#include "gate/cli/paths.h"
#include "gate/profile/load.h"

/** One that is loaded, and what its memory is of. */
struct gate_load_ahead_one {
    struct gate_arena arena;
    struct gate_profile profile;
    size_t file_bytes;
    bool is_loaded;
};

/** Two at most: the one at hand, and the one behind it. */
struct gate_load_ahead {
    const struct gate_cli *cli;
    const struct gate_paths *paths;
    const struct gate_limits *limits;
    struct gate_load_ahead_one ones[2];
    uint32_t at;
};

/** Does what there is to do with a profile; not together with `arena`s of the run that are no forks. */
typedef void gate_load_ahead_work(void *context);

/** The first path is next. */
void gate_load_ahead_begin(struct gate_load_ahead *ahead, const struct gate_cli *cli, const struct gate_paths *paths,
                           const struct gate_limits *limits);

/**
 * The next profile, valid until gate_load_ahead_do; false with the path's error, or without one behind the last. Only
 * here an error of a path is told, so it is that of the first that has one.
 */
GATE_MUST_CHECK
bool gate_load_ahead_next(struct gate_load_ahead_one **out, struct gate_load_ahead *ahead, struct gate_error *err);

/** work(context), and at the same time what can be done of the next path; then what gate_load_ahead_next gave is freed.
 */
void gate_load_ahead_do(struct gate_load_ahead *ahead, gate_load_ahead_work *work, void *context);

/** Free what is left. */
void gate_load_ahead_end(struct gate_load_ahead *ahead);

#endif
