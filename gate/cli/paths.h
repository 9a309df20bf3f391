/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of the paths that a command line names, and the profiles that a directory among them stands for.
 * Pipeline: cli/options.h -> cli/paths.h -> cli/load_sides.h */
#ifndef GATE_CLI_PATHS_H
#define GATE_CLI_PATHS_H

#include "gate/base/str.h"

/** Files, directories, and "-" for standard input. Zeroed: none. Arena memory. */
struct gate_paths {
    const char **items;
    uint32_t count;
    size_t capacity;
};

/** Append `path` itself, which is not copied. */
GATE_MUST_CHECK
bool gate_paths_add(struct gate_paths *paths, const char *path, struct gate_arena *arena, struct gate_error *err);

/**
 * The files that `paths` mean, in their order; a directory's profiles by name,
 * run-2 before run-10. In a directory, hidden files,
 * subdirectories and what by its name is plainly not a profile (.md, .csv, .yml, .yaml, .html, .svg, .xml, .log,
 * README, MANIFEST, manifest.json), an old copy (~) or not whole yet (.tmp, .part) are left out.
 *
 * A path that is not there and has *, ? or [ in it is a pattern, as a shell has it: what it matches, in the same order.
 *
 * err   GATE_ERR_IO a directory that cannot be read; GATE_ERR_INPUT one without profiles, or with a manifest, which
 * holds both sides; a pattern that matches nothing; an address (http://...)
 */
GATE_MUST_CHECK
bool gate_paths_expand(struct gate_paths *out, const struct gate_paths *paths, struct gate_arena *arena,
                       struct gate_error *err);

/** Whether `path` is "http://...", "unix://..." or the like, which capture takes, and no file of this name is there. */
bool gate_paths_is_address(const char *path);

/** GATE_ERR_INPUT that says so, with the command that takes both; one with a password in it is not shown. */
bool gate_paths_refuse_addresses(const char *baseline, const char *canary, struct gate_error *err);

/** Whether `path` is "-", standard input or output. */
bool gate_paths_is_stream(const char *path);

#endif
