/* SPDX-License-Identifier: Apache-2.0 */
/* Loads the profiles of both sides, and the profiles that go into a store. */
#ifndef GATE_SESSION_LOAD_SIDES_H
#define GATE_SESSION_LOAD_SIDES_H

#include "gate/capture/manifest.h"
#include "gate/capture/paths.h"
#include "gate/session/input.h"
#include "gate/session/session.h"
#include "gate/store/record.h"

/* ---- profiles for a store of baselines: files, folders, slices of a profile store, or a folder with a manifest --- */

/** One profile. */
struct gate_run_file {
    const char *path;
    const struct gate_manifest_run *entry; /* its entry in the manifest; NULL: there is no manifest */
    const struct gate_session_kept *kept;  /* slice of a profile store; NULL: a file */
    struct gate_str version;               /* version in the labels of the store's query; else empty */
};

/** The profiles that a command line names. */
struct gate_run_files {
    struct gate_run_file *items;
    uint32_t count;
    const struct gate_manifest *manifest; /* or NULL */
    bool is_chosen;                       /* the manifest has both sides, and the caller did not choose one */
    bool is_of_stores;                    /* some came from a profile store, so the machine is not known */
    struct gate_str version;              /* the version, if all files have the same one; else empty */
};

/**
 * Find the files of `paths`, and the slices that `session` keeps. If `paths` is one folder with a manifest, finds the
 * runs of one side of it.
 *
 * side  enum gate_side_name; -1: the canary, or the baseline if the manifest has no canary
 * err   GATE_ERR_INPUT if the manifest has no run of that side; GATE_ERR_USAGE for standard input, which cannot be read
 *       twice; errors of gate_paths_expand and gate_manifest_file_read
 */
GATE_MUST_CHECK
bool gate_run_files_find(struct gate_run_files *out, const struct gate_paths *paths, int side,
                         struct gate_session *session, struct gate_error *err);

/**
 * Read one file and describe it (store/record.h), with the work, source and instance of the manifest.
 *
 * bytes  allocated from `scratch`
 * run    allocated from `arena`
 * err    GATE_ERR_INPUT if the digest differs from the manifest's; errors of loading, with the path in front
 */
GATE_MUST_CHECK
bool gate_run_files_load(struct gate_record_run *run, struct gate_str *bytes, const struct gate_run_file *file,
                         const struct gate_limits *limits, struct gate_arena *scratch, struct gate_arena *arena,
                         struct gate_error *err);

/* ---- the profiles of a command line: read and decoded by one thread per side ------------------------------------- */

/** Runs of one side, in the order of the command line; files of a directory are sorted by name. */
struct gate_side_runs {
    const struct gate_run_input *items;
    uint32_t count;
};

/**
 * Expand directories, then read and decode every file, with one thread per side. Sets the memory limit of the run
 * (gate_load_sides_limit).
 *
 * is_same  both sides consist of the same captures, in any order
 * err      GATE_ERR_INPUT if a directory has no profiles, or if a capture is given twice; GATE_ERR_LIMIT if more memory
 *          than --max-memory is needed; errors of a file, with its name in front
 */
GATE_MUST_CHECK
bool gate_load_sides(struct gate_side_runs out[GATE_SIDES], bool *is_same, struct gate_session *session,
                     const struct gate_paths paths[GATE_SIDES], const struct gate_limits *limits,
                     struct gate_error *err);

/** Inputs of one side that the caller found. Those without bytes and without a run are files. */
struct gate_side_inputs {
    const struct gate_session_kept *items;
    uint32_t count;
};

/** Like gate_load_sides, for inputs of a caller. Their paths are names in reports and need not be unique. */
GATE_MUST_CHECK
bool gate_load_sides_inputs(struct gate_side_runs out[GATE_SIDES], bool *is_same, struct gate_session *session,
                            const struct gate_side_inputs inputs[GATE_SIDES], const struct gate_limits *limits,
                            struct gate_error *err);

/**
 * Limit the memory of the run to limits->memory_bytes. If that is 0, the limit grows with the size of the inputs, to
 * which `paths` are added (model/limits.h).
 *
 * stream_bytes  size of standard input, if it is one of `paths`; SIZE_MAX: unknown
 */
void gate_load_sides_limit(struct gate_session *session, const struct gate_paths *paths, size_t stream_bytes,
                           const struct gate_limits *limits);

/** Like gate_load_sides_limit, for inputs of a caller. */
void gate_load_sides_limit_inputs(struct gate_session *session, const struct gate_side_inputs *inputs,
                                  const struct gate_limits *limits);

/** Load one side. If `distinct`, a capture that is given twice is an error. */
GATE_MUST_CHECK
bool gate_load_sides_one(struct gate_side_runs *out, struct gate_session *session, const struct gate_paths *paths,
                         const struct gate_limits *limits, bool distinct, struct gate_error *err);

/** Set `is_same` for two loaded sides. err: GATE_ERR_INPUT if only some captures are on both sides. */
GATE_MUST_CHECK
bool gate_load_sides_check(bool *is_same, const struct gate_side_runs sides[GATE_SIDES], struct gate_error *err);

/** Return the digest of a file's bytes, as in reports. `.ptr` is NULL if the arena is full. */
struct gate_str gate_load_sides_digest(struct gate_str bytes, struct gate_arena *arena);

/**
 * Return whether two runs are the same capture, regardless of compression. Exact counts and allocations, such as those
 * of callgrind and memray, are the same capture only if their files are equal: two runs of one program count the same.
 */
bool gate_load_sides_is_same(const struct gate_run_input *a, const struct gate_run_input *b);

/** Give a loaded profile without a duration, such as py-spy's text, the `took_ms` that its request took, and without a
 * time `run->start_ms`. Does nothing if `took_ms` is 0. The profile is replaced by a copy. err: the arena is full. */
GATE_MUST_CHECK
bool gate_load_window(struct gate_run_input *run, int64_t took_ms, struct gate_arena *arena, struct gate_error *err);

#endif
