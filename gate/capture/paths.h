/* SPDX-License-Identifier: Apache-2.0 */
/* Paths of a command line: files, folders, glob patterns. */
#ifndef GATE_CAPTURE_PATHS_H
#define GATE_CAPTURE_PATHS_H

#include "gate/base/str.h"

/** Files, directories, and "-" for standard input. All zero: none. Allocated from an arena. */
struct gate_paths {
    const char **items;
    uint32_t count;
    size_t capacity;
};

/** Append `path`; the string is not copied. */
GATE_MUST_CHECK
bool gate_paths_add(struct gate_paths *paths, const char *path, struct gate_arena *arena, struct gate_error *err);

/**
 * Expand directories and patterns of `paths` to files, in the order of `paths`. The profiles of a directory are sorted
 * by name, run-2 before run-10.
 *
 * In a directory these are skipped: hidden files; subdirectories; names that are not profiles (.md, .csv, .yml, .yaml,
 * .html, .svg, .xml, .log, README, MANIFEST, manifest.json, report.json); old copies (~); incomplete files (.tmp,
 * .part). A path that does not exist and contains *, ? or [ is a glob pattern; its matches are sorted the same way.
 *
 * err   GATE_ERR_IO if a directory cannot be read; GATE_ERR_INPUT if a directory has no profiles or has a manifest (it
 *       holds both sides), if a pattern matches nothing, or for an address (http://...)
 */
GATE_MUST_CHECK
bool gate_paths_expand(struct gate_paths *out, const struct gate_paths *paths, struct gate_arena *arena,
                       struct gate_error *err);

/** Return whether `path` is an address such as "http://..." or "unix://...", which `capture` and `gate` accept, and no
 * file of that name exists. */
bool gate_paths_is_address(const char *path);

/** Fail with GATE_ERR_INPUT: an address is not a file. The message names the `gate` command for both addresses; an
 * address that may contain a password is not shown. */
bool gate_paths_refuse_addresses(const char *baseline, const char *canary, struct gate_error *err);

/** Return whether `path` is "-", standard input or output. */
bool gate_paths_is_stream(const char *path);

#endif
