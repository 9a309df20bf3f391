/* SPDX-License-Identifier: Apache-2.0 */
/* A folder with a manifest as the sides, pairs and work of a command line: what `check DIR` means.
 * Pipeline: capture/manifest_file.h -> cli/manifest_dir.h -> cli/judge.h */
#ifndef GATE_CLI_MANIFEST_DIR_H
#define GATE_CLI_MANIFEST_DIR_H

#include "gate/cli/cli.h"
#include "gate/cli/judge_options.h"
#include "gate/cli/profile_options.h"

/**
 * Fill `profiles` and `judging` from DIR/manifest.json: one kind is the two sides, several are pairs named by their
 * kind. The runs of a side stand in the order of their rounds. A round in which only one side came through is left out,
 * and `judging` gets a sentence for its warning.
 * Work is told where every run of a kind has it, unless `judging` has some already. Of a folder that was looked at
 * while it was taken, `judging` gets the looks, and rounds that came after the last one are left out, unless it has
 * looks already.
 *
 * judging  NULL: nobody asks for work
 * notes    gets a line for whatever else was left out, and of rounds too where nobody judges
 * err      GATE_ERR_INPUT a file that is missing or not the one that was taken, no round with both sides; what
 *          gate_manifest_file_read says
 *
 * Reads every file once, for its digest.
 */
GATE_MUST_CHECK
bool gate_manifest_dir_fill(struct gate_profile_options *profiles, struct gate_judge_options *judging,
                            struct gate_buf *notes, const char *dir, struct gate_arena *arena, struct gate_error *err);

/** Do that where the sole argument is a folder with a manifest, and tell the user what was left out; else nothing. */
GATE_MUST_CHECK
bool gate_manifest_dir_expand(struct gate_profile_options *profiles, struct gate_judge_options *judging,
                              struct gate_cli *cli, struct gate_error *err);

#endif
