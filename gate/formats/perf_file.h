/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of a perf.data file around its records: header, events and features, of files and of pipes. Layout: the
 * description of perf's file format in the sources of Linux (tools/perf/Documentation), and perf_event_open(2). */
#ifndef GATE_FORMATS_PERF_FILE_H
#define GATE_FORMATS_PERF_FILE_H

#include "gate/base/table.h"
#include "gate/model/limits.h"

/** Types of records. */
enum gate_perf_type {
    GATE_PERF_MMAP = 1,
    GATE_PERF_COMM = 3,
    GATE_PERF_FORK = 7,
    GATE_PERF_SAMPLE = 9,
    GATE_PERF_MMAP2 = 10,
    GATE_PERF_CALLCHAIN_DEFERRED = 22,
    GATE_PERF_USER = 64, /* perf's own, without sample id; all before are the kernel's */
    GATE_PERF_ATTR = 64,
    GATE_PERF_TRACING_DATA = 66,
    GATE_PERF_BUILD_ID = 67,
    GATE_PERF_AUXTRACE_INFO = 70,
    GATE_PERF_AUXTRACE = 71,
    GATE_PERF_FEATURE = 80,
    GATE_PERF_COMPRESSED = 81,
    GATE_PERF_COMPRESSED2 = 83
};

/** Bits of the sample type. */
enum {
    GATE_PERF_HAS_IP = 1 << 0,
    GATE_PERF_HAS_TID = 1 << 1,
    GATE_PERF_HAS_TIME = 1 << 2,
    GATE_PERF_HAS_ADDR = 1 << 3,
    GATE_PERF_HAS_READ = 1 << 4,
    GATE_PERF_HAS_CALLCHAIN = 1 << 5,
    GATE_PERF_HAS_ID = 1 << 6,
    GATE_PERF_HAS_CPU = 1 << 7,
    GATE_PERF_HAS_PERIOD = 1 << 8,
    GATE_PERF_HAS_STREAM_ID = 1 << 9,
    GATE_PERF_HAS_USER_STACK = 1 << 13,
    GATE_PERF_HAS_IDENTIFIER = 1 << 16
};

/** Bits of the read format. */
enum {
    GATE_PERF_READ_ENABLED = 1,
    GATE_PERF_READ_RUNNING = 2,
    GATE_PERF_READ_ID = 4,
    GATE_PERF_READ_GROUP = 8,
    GATE_PERF_READ_LOST = 16
};

/** An event that was recorded. */
struct gate_perf_attr {
    struct gate_str name; /* without modifiers */
    uint64_t sample_type, read_format;
    uint64_t period;    /* 0: it is in each sample, or unknown */
    bool has_sample_id; /* records that are no samples end with a sample id */
};

/** A record: its header, and all its bytes. */
struct gate_perf_record {
    uint32_t type, misc;
    struct gate_str bytes;
};

/** An open file. Views point into the bytes of the file. */
struct gate_perf_file {
    struct gate_arena *arena;
    struct gate_str bytes, data; /* `data` are the records */
    bool is_big, is_pipe;
    struct gate_perf_attr *attrs;
    size_t attr_count, attr_capacity;
    struct gate_table ids; /* the 8 bytes of each event id */
    uint32_t *id_attrs;    /* event of each id */
    size_t id_capacity;
    uint32_t described;         /* events that the description has named so far */
    struct gate_table id_files; /* names of files with a build id */
    struct gate_str *build_ids; /* build id of each, hexadecimal */
    size_t build_id_capacity;
};

/** Return a number of `size` bytes (2, 4 or 8) at `at`; 0 beyond the end. */
uint64_t gate_perf_number(const struct gate_perf_file *file, struct gate_str bytes, size_t at, size_t size);

/** Return the text at `at`, up to a NUL or the end. */
struct gate_str gate_perf_text(struct gate_str bytes, size_t at);

/** Return `len` bytes at `at` in hexadecimal. Its `ptr` is NULL if the arena is full. */
struct gate_str gate_perf_build_id(struct gate_arena *arena, struct gate_str bytes, size_t at, size_t len);

/**
 * Read the header, the events and the build ids.
 *
 * err   GATE_ERR_FORMAT: truncated or damaged, or recorded in a way that this reader cannot use, with what to do;
 *       GATE_ERR_LIMIT or GATE_ERR_MEMORY if the arena is full
 *
 * O(bytes).
 */
GATE_MUST_CHECK
bool gate_perf_file_open(struct gate_perf_file *out, struct gate_str bytes, struct gate_arena *arena,
                         struct gate_error *err);

/** Read the record at `*at` and move `*at` behind it. `out->bytes.len` is 0 at the end. err: GATE_ERR_FORMAT. */
GATE_MUST_CHECK
bool gate_perf_record_next(struct gate_perf_record *out, const struct gate_perf_file *file, size_t *at,
                           struct gate_error *err);

/** Return the build id of the file `name`, or an empty text. */
struct gate_str gate_perf_file_build_id(const struct gate_perf_file *file, struct gate_str name);

#endif
