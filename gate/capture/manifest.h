/* SPDX-License-Identifier: Apache-2.0 */
/* What profiles of a folder are: side, kind, round, source, time, work. The text of DIR/manifest.json, and nothing of
 * files: see capture/manifest_file.h.
 * Pipeline: capture/, trial/ -> capture/manifest.h -> cli/manifest_dir.h */
#ifndef GATE_CAPTURE_MANIFEST_H
#define GATE_CAPTURE_MANIFEST_H

#include "gate/base/buf.h"
#include "gate/capture/manifest_looks.h"
#include "gate/compare/pair_types.h"

#include <pthread.h>

#define GATE_MANIFEST_SCHEMA "pprofgate-manifest/1"

/** Work of what a label of the samples stands for: requests of endpoint=/search. */
struct gate_manifest_work {
    struct gate_str key, value;
    double number; /* >= 0 */
};

/** One profile that was taken. */
struct gate_manifest_run {
    uint32_t round; /* 1, 2, ...; runs of one round and kind were taken at the same time or in turn: pairs */
    enum gate_side_name side;
    struct gate_str kind;          /* "cpu", "heap", ...; the label of the pair where there are several */
    struct gate_str file;          /* relative to the manifest's folder, inside it */
    struct gate_str source;        /* URL without user, password or secrets of its query; or a command; may be empty */
    struct gate_str instance;      /* replica; may be empty */
    int64_t start_ms, end_ms;      /* Unix time; the end is not before the start */
    double work;                   /* requests, iterations; 0: not known */
    struct gate_manifest_work *by; /* the same by a label's values; may be none */
    uint32_t by_count;
    struct gate_str digest;   /* SHA-256 of the file's bytes, 64 hexadecimal digits */
    struct gate_str revision; /* of the build: build id, git revision; may be empty */
};

/** Where the profiles were taken from, as far as the one who took them knows. Zeroed: nothing is known. */
struct gate_manifest_host {
    uint32_t cpus;
    struct gate_str cpu_model, kernel;
    double load; /* over one minute, when the first run began; negative: not known */
};

/** Begin with gate_manifest_begin, or gate_manifest_read. */
struct gate_manifest {
    struct gate_str schema;
    struct gate_manifest_host host;
    struct gate_manifest_looks looks;
    bool interleaved; /* runs of one round stand in pairs: taken at the same time or in turn */
    struct gate_manifest_run *runs;
    uint32_t count;
    size_t capacity;
    int lock;                 /* of the folder while it is written to (capture/manifest_file.h); -1: none */
    pthread_mutex_t *writing; /* held while a file is on its way to its name; NULL: nobody waits for that */
};

/** No run, no facts. */
void gate_manifest_begin(struct gate_manifest *out);

/**
 * Read a manifest strictly: unknown keys, missing ones, values of another kind, paths that leave the folder, one file
 * twice are errors.
 *
 * out  strings are the arena's
 * err  GATE_ERR_CONFIG names the run and the key; with a line where the text is not JSON
 */
GATE_MUST_CHECK
bool gate_manifest_read(struct gate_manifest *out, struct gate_str text, struct gate_arena *arena,
                        struct gate_error *err);

/** As gate_manifest_read reads it. False: out of memory. */
GATE_MUST_CHECK bool gate_manifest_write(struct gate_buf *out, const struct gate_manifest *manifest);

/**
 * Append a run, whose texts are copied.
 *
 * err   GATE_ERR_CONFIG what gate_manifest_read would refuse
 */
GATE_MUST_CHECK
bool gate_manifest_add(struct gate_manifest *manifest, const struct gate_manifest_run *run, struct gate_arena *arena,
                       struct gate_error *err);

/** The digest of a file's bytes, as `digest` of a run has it. `.ptr` is NULL when the arena is full. */
struct gate_str gate_manifest_digest(struct gate_str bytes, struct gate_arena *arena);

/** The number of the last round; 0: there is no run. */
uint32_t gate_manifest_last_round(const struct gate_manifest *manifest);

#endif
