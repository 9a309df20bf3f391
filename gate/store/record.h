/* SPDX-License-Identifier: Apache-2.0 */
/* What was accepted: the runs of one revision of a service, with where they come from and why they were taken in. The
 * text of a record, and nothing of files: see store/records.h.
 * Pipeline: cli/cmd_baseline_accept.c -> store/record.h -> store/records.h -> store/match.h */
#ifndef GATE_STORE_RECORD_H
#define GATE_STORE_RECORD_H

#include "gate/base/buf.h"

#define GATE_RECORD_SCHEMA "pprofgate-baseline/1"

enum { GATE_RECORD_NAME_MAX = 100, GATE_RECORD_REVISION_MAX = 200, GATE_RECORD_RUNS_MAX = 1000 };

/** "go" is "1.26": of the machine, the language, whatever who accepts knows. */
struct gate_record_fact {
    struct gate_str key, value;
};

/** Work of what a label of the samples stands for: requests of endpoint=/search. */
struct gate_record_work {
    struct gate_str key, value;
    double number; /* >= 0 */
};

/** One profile. What the profile itself does not tell is empty, or 0. */
struct gate_record_run {
    struct gate_str object;   /* SHA-256 of the file's bytes, 64 hexadecimal digits: its name in the store */
    struct gate_str name;     /* of the file that was accepted, without its folder */
    struct gate_str kind;     /* its default sample type, "cpu": by this, runs are kept and matched */
    struct gate_str types;    /* all of them, "samples/count cpu/nanoseconds" */
    struct gate_str language; /* "Go" */
    struct gate_str build_id; /* of the program */
    struct gate_str version;  /* of the build, as the profile's labels tell it */
    struct gate_str source, instance;
    struct gate_str period_type; /* "cpu/nanoseconds" */
    int64_t bytes, period, taken_ns, duration_ns, samples;
    double work;                 /* 0: not known */
    struct gate_record_work *by; /* the same by a label's values; may be none */
    uint32_t by_count;
};

/** Begin with gate_record_begin, or gate_record_read. */
struct gate_record {
    struct gate_str id; /* its file's name without the ending; empty: not stored yet. It is not in the text */
    struct gate_str service, environment;
    struct gate_str revision; /* a git revision, or whatever tells builds apart */
    int64_t accepted_ms;      /* Unix time */
    struct gate_str verdict;  /* of its check: "pass", "inconclusive", "fail", "first"; empty: it was not checked */
    struct gate_str reason;   /* why it was accepted all the same; may be empty */
    struct gate_str tool;     /* "pprofgate 0.1.0" */
    struct gate_record_fact *facts;
    uint32_t fact_count;
    size_t fact_capacity;
    struct gate_record_run *runs;
    uint32_t run_count;
    size_t run_capacity;
};

/** No run, no facts, empty texts. */
void gate_record_begin(struct gate_record *out);

/** Append a fact; one of the same key is replaced. Texts are not copied. err: the arena is full. */
GATE_MUST_CHECK
bool gate_record_add_fact(struct gate_record *record, struct gate_str key, struct gate_str value,
                          struct gate_arena *arena, struct gate_error *err);

/** Append a run. Texts are not copied. err: the arena is full. */
GATE_MUST_CHECK
bool gate_record_add_run(struct gate_record *record, const struct gate_record_run *run, struct gate_arena *arena,
                         struct gate_error *err);

/** The value of a fact; `.len` 0: it is not known. */
struct gate_str gate_record_fact(const struct gate_record *record, const char *key);

/** Whether some run is of this kind. */
bool gate_record_has_kind(const struct gate_record *record, struct gate_str kind);

/**
 * Read a record strictly: unknown keys, missing ones, values of another kind are errors.
 *
 * out  strings are the arena's
 * err  GATE_ERR_FORMAT names the key, with a line where the text is not JSON
 */
GATE_MUST_CHECK
bool gate_record_read(struct gate_record *out, struct gate_str text, struct gate_arena *arena, struct gate_error *err);

/** As gate_record_read reads it. False: out of memory. */
GATE_MUST_CHECK bool gate_record_write(struct gate_buf *out, const struct gate_record *record);

/**
 * What a service, an environment or a revision has to be: some text without control characters, at most `most` bytes;
 * a revision has no white space and begins with no '-', so that git takes it for nothing else.
 *
 * what  "service", "environment", "revision"
 * err   GATE_ERR_USAGE
 */
GATE_MUST_CHECK bool gate_record_check_name(const char *what, struct gate_str text, struct gate_error *err);

#endif
