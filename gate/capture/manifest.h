/* SPDX-License-Identifier: Apache-2.0 */
/* manifest.json of a folder of captured profiles: its data, its text, and the folder on the disk. */
#ifndef GATE_CAPTURE_MANIFEST_H
#define GATE_CAPTURE_MANIFEST_H

#include "gate/base/buf.h"
#include "gate/base/json_io.h"
#include "gate/capture/retried.h"
#include "gate/compare/cost.h"
#include "gate/compare/pair_types.h"

#include <jansson.h>
#include <pthread.h>

/* ---- looks ------------------------------------------------------------------------------------------------------- */

/* Looks are interim analyses: the runs are judged while more are taken (compare/error_spending.h). The manifest records
 * them, so that a later judgement uses the same significance levels. */

/** The looks so far. Zeroed: none were made or planned. */
struct gate_manifest_looks {
    struct gate_str rules; /* digest of the rules they were judged by */
    enum gate_equal equal; /* value of --equal when the runs were taken; GATE_EQUAL_UNKNOWN: not given */
    uint32_t planned;      /* maximum number of looks */
    uint32_t round;        /* last round that the last look used; 0: no look yet */
    double *fractions;     /* information fraction of each look, increasing; 1: the final look. Has room for `planned`
                              items */
    uint32_t count;
};

/** Append "looks": {...}; nothing if no looks are planned. */
void gate_manifest_looks_write(struct gate_json *json, const struct gate_manifest_looks *looks);

/** Read `value` of the key "looks"; NULL: no looks are planned. err: GATE_ERR_CONFIG. */
GATE_MUST_CHECK
bool gate_manifest_looks_read(struct gate_manifest_looks *out, const json_t *value, struct gate_arena *arena,
                              struct gate_error *err);

/* ---- runs: the text of manifest.json; side, kind, round, source, time and work of each profile ------------------- */

/** Work of the samples with one value of a label, such as the number of requests with endpoint=/search. */
struct gate_manifest_work {
    struct gate_str key, value;
    double number; /* >= 0 */
};

/** One profile. */
struct gate_manifest_run {
    uint32_t round; /* 1, 2, …; runs with the same round and kind were taken at the same time or in turn, and form
                       pairs */
    enum gate_side_name side;
    struct gate_str kind;          /* "cpu", "heap", …; the label of the pair if there are several kinds */
    struct gate_str file;          /* relative to the manifest's folder, inside of it */
    struct gate_str source;        /* URL without user, password and secrets of its query, or a command; may be empty */
    struct gate_str instance;      /* replica; may be empty */
    int64_t start_ms, end_ms;      /* Unix time; the end is not before the start */
    double work;                   /* requests, iterations; 0: not known */
    struct gate_manifest_work *by; /* work per value of a label; may be NULL */
    uint32_t by_count;
    enum gate_retried retried; /* why it was requested again */
    struct gate_str digest;    /* SHA-256 of the file's bytes, 64 hexadecimal digits */
    struct gate_str revision;  /* of the build: build id or git revision; may be empty */
};

/** The machine that took the profiles, as far as known. Zeroed: nothing is known. */
struct gate_manifest_host {
    uint32_t cpus;
    struct gate_str cpu_model, kernel;
    double load; /* 1-minute load average when the first run began; negative: not known */
};

/** Initialise with gate_manifest_begin or gate_manifest_read. */
struct gate_manifest {
    struct gate_manifest_host host;
    struct gate_manifest_looks looks;
    bool interleaved; /* the runs of a round are pairs: taken at the same time or in turn */
    struct gate_manifest_run *runs;
    uint32_t count;
    size_t capacity;
    int lock;                 /* file descriptor of the folder's lock while this process writes to it; -1: none */
    pthread_mutex_t *writing; /* locked while a file is written and renamed; NULL if no other thread waits for it */
};

/** Initialise a manifest without runs and facts. */
void gate_manifest_begin(struct gate_manifest *out);

/**
 * Read a manifest strictly. Errors are: unknown or missing keys, values of a wrong type, a path that leaves the folder,
 * the same file twice.
 *
 * out  strings are in `arena`
 * err  GATE_ERR_CONFIG names the run and the key; names the line if `text` is not JSON
 */
GATE_MUST_CHECK
bool gate_manifest_read(struct gate_manifest *out, struct gate_str text, struct gate_arena *arena,
                        struct gate_error *err);

/** Return the work of the samples with one value of a label; 0 if the run has none. */
double gate_manifest_work_of(const struct gate_manifest_work *by, uint32_t by_count, struct gate_str key,
                             struct gate_str value);

/** Append "work" and "work_by" of a run: its work, 0 if it is not known, and the work per value of a label. */
void gate_manifest_work_write(struct gate_json *json, double work, const struct gate_manifest_work *by,
                              uint32_t by_count);

/**
 * Read "work_by" of the object of `reader`, if it is there, at most `most` values. err: as gate_manifest_read.
 */
GATE_MUST_CHECK
bool gate_manifest_work_read(struct gate_manifest_work **by, uint32_t *count, const struct gate_json_reader *reader,
                             uint32_t most);

/** Append the JSON text that gate_manifest_read reads. Returns false if memory runs out. */
GATE_MUST_CHECK bool gate_manifest_write(struct gate_buf *out, const struct gate_manifest *manifest);

/** Append a run; its texts are copied. err: GATE_ERR_CONFIG what gate_manifest_read would refuse. */
GATE_MUST_CHECK
bool gate_manifest_add(struct gate_manifest *manifest, const struct gate_manifest_run *run, struct gate_arena *arena,
                       struct gate_error *err);

/** Return the number of the last round; 0 if there is no run. */
uint32_t gate_manifest_last_round(const struct gate_manifest *manifest);

/* ---- the folder: begin it, add one profile at a time, so that profiles taken so far survive a failure ------------ */

#define GATE_MANIFEST_FILE "manifest.json"

/** Return whether `dir` is a folder with a manifest. */
bool gate_manifest_file_exists(const char *dir, struct gate_arena *arena);

/** Set the facts of this machine. A fact is empty if it cannot be read or `arena` is full. */
void gate_manifest_file_host(struct gate_manifest_host *out, struct gate_arena *arena);

/** Read DIR/manifest.json. err: as gate_manifest_read, or GATE_ERR_IO; with the path in front. */
GATE_MUST_CHECK
bool gate_manifest_file_read(struct gate_manifest *out, const char *dir, struct gate_arena *arena,
                             struct gate_error *err);

/**
 * Read the manifest of `dir`. If there is none, create the folder and start a manifest with the facts of this machine.
 * Lock the folder until gate_manifest_file_end or the end of the process. A file system without flock is used without a
 * lock.
 *
 * is_forced  accept a folder that holds other files and no manifest; the files are kept
 * err        GATE_ERR_IO; GATE_ERR_INPUT the folder holds other files and no manifest, or another process writes to it
 */
GATE_MUST_CHECK
bool gate_manifest_file_begin(struct gate_manifest *out, const char *dir, bool is_forced, struct gate_arena *arena,
                              struct gate_error *err);

/** Release the lock. May be called after gate_manifest_file_begin failed. */
void gate_manifest_file_end(struct gate_manifest *manifest);

/** Write the profile to DIR/run->file, add the run with its digest, and replace the manifest; on success both are on
 * the disk. If a file of that name exists, it is kept and another name is used. The manifest is written before the
 * first profile. `run->digest` is ignored. err: GATE_ERR_IO; or as gate_manifest_add. */
GATE_MUST_CHECK
bool gate_manifest_file_take(struct gate_manifest *manifest, const char *dir, const struct gate_manifest_run *run,
                             struct gate_str bytes, struct gate_arena *arena, struct gate_error *err);

/** Replace DIR/manifest.json. err: GATE_ERR_IO. */
GATE_MUST_CHECK
bool gate_manifest_file_write(const struct gate_manifest *manifest, const char *dir, struct gate_arena *arena,
                              struct gate_error *err);

#endif
