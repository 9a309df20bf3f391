/* SPDX-License-Identifier: Apache-2.0 */
/* A folder of profiles with its manifest on the disk: read, begun, and added to one profile at a time, so that what was
 * taken stays whatever comes after.
 * Pipeline: capture/, trial/ -> capture/manifest_file.h -> the disk -> cli/manifest_dir.h */
#ifndef GATE_CAPTURE_MANIFEST_FILE_H
#define GATE_CAPTURE_MANIFEST_FILE_H

#include "gate/capture/manifest.h"

#define GATE_MANIFEST_FILE "manifest.json"

/** DIR/NAME as a path with a NUL behind it; NULL when the arena is full. */
const char *gate_manifest_file_path(const char *dir, struct gate_str name, struct gate_arena *arena);

/** Whether `dir` is a folder with a manifest. */
bool gate_manifest_file_is_there(const char *dir, struct gate_arena *arena);

/** The facts of this machine; what it does not tell is empty, and is so when the arena is full. */
void gate_manifest_file_host(struct gate_manifest_host *out, struct gate_arena *arena);

/** Read DIR/manifest.json. err: what gate_manifest_read says, GATE_ERR_IO; with the path in front. */
GATE_MUST_CHECK
bool gate_manifest_file_read(struct gate_manifest *out, const char *dir, struct gate_arena *arena,
                             struct gate_error *err);

/**
 * The manifest of `dir`, or a new one with the facts of this host where there is none yet; the folder is made, and is
 * this process' alone to write to until gate_manifest_file_end, or its own end. File systems without locks (flock) are
 * gone without.
 *
 * err   GATE_ERR_IO; GATE_ERR_INPUT a folder that holds other files and no manifest, or that another process writes to
 */
GATE_MUST_CHECK
bool gate_manifest_file_begin(struct gate_manifest *out, const char *dir, struct gate_arena *arena,
                              struct gate_error *err);

/** Let others write to the folder; whether gate_manifest_file_begin was well or not. */
void gate_manifest_file_end(struct gate_manifest *manifest);

/**
 * Write the profile's bytes to DIR/run->file, add the run with its digest, and replace the manifest: after this both
 * are on the disk. A folder has its manifest before its first profile. `run->digest` is not read.
 *
 * err   GATE_ERR_IO; what gate_manifest_add says
 */
GATE_MUST_CHECK
bool gate_manifest_file_take(struct gate_manifest *manifest, const char *dir, const struct gate_manifest_run *run,
                             struct gate_str bytes, struct gate_arena *arena, struct gate_error *err);

/** Replace DIR/manifest.json. err: GATE_ERR_IO. */
GATE_MUST_CHECK
bool gate_manifest_file_write(const struct gate_manifest *manifest, const char *dir, struct gate_arena *arena,
                              struct gate_error *err);

#endif
