/* SPDX-License-Identifier: Apache-2.0 */
/* Records of accepted baselines: their fields, their JSON text, and the facts that a profile gives. */
#ifndef GATE_STORE_RECORD_H
#define GATE_STORE_RECORD_H

#include "gate/base/buf.h"
#include "gate/base/str.h"
#include "gate/capture/manifest.h"

/* ---- records ----------------------------------------------------------------------------------------------------- */

/* The accepted runs of one revision of a service, their origin, and why they were accepted; store.h has the files. */

enum { GATE_RECORD_NAME_MAX = 100, GATE_RECORD_REVISION_MAX = 200, GATE_RECORD_RUNS_MAX = 1000 };

/** A fact that the user or the program adds, such as "go": "1.26", about the machine, the language or anything else. */
struct gate_record_fact {
    struct gate_str key, value;
};

/** One profile. A field that the profile does not contain is empty, or 0. */
struct gate_record_run {
    struct gate_str object;   /* SHA-256 of the file's bytes, 64 hexadecimal digits; the file's name in the store */
    struct gate_str name;     /* name of the accepted file, without its folder */
    struct gate_str kind;     /* default sample type, such as "cpu"; runs are kept and matched by kind */
    struct gate_str types;    /* all sample types: "samples/count cpu/nanoseconds" */
    struct gate_str language; /* "Go" */
    struct gate_str build_id; /* build id of the program */
    struct gate_str version;  /* version of the build, from the profile's labels */
    struct gate_str source, instance;
    struct gate_str period_type; /* "cpu/nanoseconds" */
    int64_t bytes, period, taken_ns, duration_ns, samples;
    double work;                   /* 0: not known */
    struct gate_manifest_work *by; /* work per value of a label; may be NULL */
    uint32_t by_count;
};

/** Initialise with gate_record_begin or gate_record_read. */
struct gate_record {
    struct gate_str id; /* name of the record's file without ".json"; empty: not stored yet. Not part of the JSON
                           text */
    struct gate_str service, environment;
    struct gate_str revision; /* a git revision, or any text that distinguishes builds */
    int64_t accepted_ms;      /* Unix time */
    struct gate_str verdict;  /* outcome of its check: "pass", "inconclusive", "fail", "first"; empty: no check */
    struct gate_str reason;   /* why it was accepted despite the verdict; may be empty */
    struct gate_str tool;     /* program that wrote it: "pprofgate 0.1.0" */
    struct gate_record_fact *facts;
    uint32_t fact_count;
    size_t fact_capacity;
    struct gate_record_run *runs;
    uint32_t run_count;
    size_t run_capacity;
};

/** Initialise a record with no runs, no facts and empty texts. */
void gate_record_begin(struct gate_record *out);

/** Append a fact, or replace the one with the same key. Texts are not copied. */
GATE_MUST_CHECK
bool gate_record_add_fact(struct gate_record *record, struct gate_str key, struct gate_str value,
                          struct gate_arena *arena, struct gate_error *err);

/** Append a run. Texts are not copied. */
GATE_MUST_CHECK
bool gate_record_add_run(struct gate_record *record, const struct gate_record_run *run, struct gate_arena *arena,
                         struct gate_error *err);

/** Return the value of the fact `key`; `.len` is 0 if there is none. */
struct gate_str gate_record_fact(const struct gate_record *record, const char *key);

/** Return whether some run is of this kind. */
bool gate_record_has_kind(const struct gate_record *record, struct gate_str kind);

/**
 * Read a record strictly: unknown keys, missing keys and values of a wrong type are errors.
 *
 * out  strings are in `arena`
 * err  GATE_ERR_FORMAT names the key; names the line if `text` is not JSON
 */
GATE_MUST_CHECK
bool gate_record_read(struct gate_record *out, struct gate_str text, struct gate_arena *arena, struct gate_error *err);

/** Append the JSON text that gate_record_read reads. Returns false if memory runs out. */
GATE_MUST_CHECK bool gate_record_write(struct gate_buf *out, const struct gate_record *record);

/**
 * Check the name of a service or environment, or a revision: 1 to GATE_RECORD_NAME_MAX (revision:
 * GATE_RECORD_REVISION_MAX) bytes without control characters. A revision has no blanks and does not begin with '-', so
 * that git cannot take it for an option.
 *
 * what  "service", "environment", "revision"
 * err   GATE_ERR_USAGE
 */
GATE_MUST_CHECK bool gate_record_check_name(const char *what, struct gate_str text, struct gate_error *err);

/* ---- facts about a machine --------------------------------------------------------------------------------------- */

/**
 * Add facts about this machine to `record`: cpu_model, cpus, kernel, arch, and, where a cgroup limits them,
 * container_cpus and container_memory. A fact that cannot be read is left out.
 * err  GATE_ERR_LIMIT `arena` is full
 */
GATE_MUST_CHECK
bool gate_machine_add_here(struct gate_record *record, struct gate_arena *arena, struct gate_error *err);

/** Add cpu_model, cpus and kernel of `host`, a manifest's machine, which may differ from this one. err:
 * GATE_ERR_LIMIT. */
GATE_MUST_CHECK
bool gate_machine_add_host(struct gate_record *record, const struct gate_manifest_host *host, struct gate_arena *arena,
                           struct gate_error *err);

/**
 * Return the CPU limit of cgroup's cpu.max: "150000 100000" (µs per period) gives "1.5". `.len` is 0 if there is no
 * limit or `text` has another form.
 */
struct gate_str gate_machine_cpu_limit(struct gate_str text, struct gate_arena *arena);

/** Return the memory limit in bytes of cgroup's memory.max. `.len` is 0 if there is no limit. */
struct gate_str gate_machine_memory_limit(struct gate_str text);

/* ---- the JSON report of a check, whose profiles are accepted ----------------------------------------------------- */

struct gate_checked {
    struct gate_str verdict;  /* "pass", "inconclusive", "fail" */
    struct gate_str accepted; /* "accepted by WHO: REASON" if somebody accepted a fail; else empty */
    struct gate_str *digests; /* digest of each file of the canary, as in the report */
    uint32_t digest_count;
};

/** Read the report in `text`. err: GATE_ERR_FORMAT it is not the JSON report of a check, or it lists no canary run. */
GATE_MUST_CHECK
bool gate_checked_read(struct gate_checked *out, struct gate_str text, struct gate_arena *arena,
                       struct gate_error *err);

/** Return whether the report lists a canary file with these bytes. */
bool gate_checked_has(const struct gate_checked *checked, struct gate_str bytes);

#endif
