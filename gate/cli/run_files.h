/* SPDX-License-Identifier: Apache-2.0 */
/* The runs of one side that a command line names for a store: files, folders of them, what was asked of a store of
 * profiles, or a folder with a manifest, which tells more of each.
 * Pipeline: cli/paths.h + capture/manifest_file.h -> cli/run_files.h -> cli/accepting.h, cli/accepted.h */
#ifndef GATE_CLI_RUN_FILES_H
#define GATE_CLI_RUN_FILES_H

#include "gate/capture/manifest_file.h"
#include "gate/cli/input.h"
#include "gate/cli/paths.h"
#include "gate/store/record.h"

/** One profile that is named. */
struct gate_run_file {
    const char *path;
    const struct gate_manifest_run *told; /* of the manifest; NULL: there is none */
    const struct gate_cli_kept *kept;     /* what was asked of a store of profiles; NULL: it is a file */
    struct gate_str version;              /* as the labels say that the store was asked for; else empty */
};

struct gate_run_files {
    struct gate_run_file *items;
    uint32_t count;
    const struct gate_manifest *manifest; /* or NULL */
    bool is_chosen;                       /* it has both sides, and nobody said which one is meant */
    bool is_of_stores;                    /* some were asked of a store, and so taken on other machines */
    struct gate_str version;              /* of all of them, where all say the same; else empty */
};

/**
 * The files that `paths` mean, and what is kept in `cli` under such a name. A sole folder with a manifest means the
 * runs of one side of it.
 *
 * side  an enum gate_side_name, or -1: the canary, and the baseline where there is no canary
 * err   what gate_paths_expand and gate_manifest_file_read say; GATE_ERR_INPUT a manifest without such runs;
 *       GATE_ERR_USAGE standard input, which cannot be read twice
 */
GATE_MUST_CHECK
bool gate_run_files_find(struct gate_run_files *out, const struct gate_paths *paths, int side,
                         const struct gate_cli *cli, struct gate_error *err);

/**
 * Read one file and describe it (store/describe.h), with the manifest's work, source and instance.
 *
 * bytes    in `scratch`
 * run      in `arena`; `object` is empty
 * err      what loading says, with the path in front; GATE_ERR_INPUT its digest is not the manifest's
 */
GATE_MUST_CHECK
bool gate_run_files_load(struct gate_record_run *run, struct gate_str *bytes, const struct gate_run_file *file,
                         const struct gate_limits *limits, struct gate_arena *scratch, struct gate_arena *arena,
                         struct gate_error *err);

#endif
