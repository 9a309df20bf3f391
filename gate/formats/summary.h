/* SPDX-License-Identifier: Apache-2.0 */
/* Summaries of runs: many profiles in one small file (docs/summaries.md). */
#ifndef GATE_FORMATS_SUMMARY_H
#define GATE_FORMATS_SUMMARY_H

#include "gate/base/buf.h"
#include "gate/model/limits.h"
#include "gate/model/profile.h"
#include "gate/model/shared_tables.h"

/** How a summary's file name ends. Only such files are read as summaries. */
#define GATE_SUMMARY_ENDING ".pgsum"

/** Field numbers and version of docs/summary.proto. */
enum { GATE_SUMMARY_VERSION = 1 };

enum { GATE_SUMMARIES_MARK = 14, GATE_SUMMARIES_PART = 15 };

enum { GATE_PART_VERSION = 1, GATE_PART_TABLES, GATE_PART_STACK, GATE_PART_LABELS, GATE_PART_RUN };

enum { GATE_RUN_NAME = 1, GATE_RUN_HEADER, GATE_RUN_STACKS, GATE_RUN_LABELS, GATE_RUN_COLUMN };

enum { GATE_COLUMN_UNIT = 1, GATE_COLUMN_COUNTS, GATE_COLUMN_LIKE };

/** For the step limit, each byte of a summary counts this many times, because a run of thousands of samples is a few
 * hundred bytes. */
enum { GATE_SUMMARY_RATIO = 4 };

/* ---- writing ----------------------------------------------------------------------------------------------------- */

/** A run to write. */
struct gate_summary_added {
    struct gate_str name;
    struct gate_profile profile; /* uses the tables of the writer */
};

/** The runs of one program. */
struct gate_summary_writer {
    struct gate_arena arena;
    struct gate_shared_tables tables;
    struct gate_summary_added **runs; /* each has its own memory, because the tables refer to it */
    size_t capacity;
    uint32_t count;
};

/** Start without runs. Its memory comes from a fork of `arena`. Call gate_summary_writer_end at the end. */
void gate_summary_writer_begin(struct gate_summary_writer *writer, const struct gate_arena *arena);

void gate_summary_writer_end(struct gate_summary_writer *writer);

/**
 * Add a run, which may be freed afterwards. Its `name` is the file name that reports show.
 *
 * Returns false without an error if it belongs to another program (gate_shared_tables_add): write it to another part.
 *
 * err   GATE_ERR_LIMIT, GATE_ERR_MEMORY, GATE_ERR_FORMAT
 */
GATE_MUST_CHECK
bool gate_summary_writer_add(struct gate_summary_writer *writer, struct gate_str name,
                             const struct gate_profile *profile, struct gate_error *err);

/** Append all runs to `out`, as one part of a file without compression. Nothing may be added afterwards. err: as above.
 * O(samples log samples). */
GATE_MUST_CHECK
bool gate_summary_writer_put(struct gate_buf *out, struct gate_summary_writer *writer, struct gate_error *err);

/** Runs of any programs, in their order: run i of both sides may be a pair. A part has runs of one program that follow
 * each other. */
struct gate_summary_parts {
    const struct gate_arena *arena;
    struct gate_summary_writer **items;
    size_t capacity;
    uint32_t count;
    struct gate_arena own;
};

/** Start without runs. Its memory comes from forks of `arena`. Call gate_summary_parts_end at the end. */
void gate_summary_parts_begin(struct gate_summary_parts *parts, const struct gate_arena *arena);

void gate_summary_parts_end(struct gate_summary_parts *parts);

/** Add a run. Like gate_summary_writer_add, but a run of another program begins a part. */
GATE_MUST_CHECK
bool gate_summary_parts_add(struct gate_summary_parts *parts, struct gate_str name, const struct gate_profile *profile,
                            struct gate_error *err);

/** Write all runs to `to`, compressed with gzip. Nothing may be added afterwards. err: as gate_summary_writer_put, and
 * errors of the sink. */
GATE_MUST_CHECK
bool gate_summary_parts_pack(struct gate_sink to, struct gate_summary_parts *parts, struct gate_error *err);

/* ---- reading ----------------------------------------------------------------------------------------------------- */

struct gate_summary_part;

/** A run of a summary. */
struct gate_summary_run {
    struct gate_str name;
    const struct gate_summary_part *part;
    struct gate_str header, stacks, labels; /* of docs/summary.proto, in the file's bytes */
    const struct gate_str *columns;
    uint32_t column_count;
    size_t stored_bytes; /* bytes that count for the step limit; see GATE_SUMMARY_RATIO */
};

/** The runs of a file. */
struct gate_summary {
    struct gate_summary_run *runs;
    size_t capacity;
    uint32_t count;
};

/**
 * Read a file of summaries; compressed or not. The runs are checked when they are written out as profiles.
 *
 * bytes  may be freed afterwards if they are compressed
 * err    GATE_ERR_FORMAT: it is no summary, is damaged or of a newer version; GATE_ERR_LIMIT: too large, or the
 * profiles of its runs would take more steps than limits->steps or the default for its size
 *
 * O(bytes).
 */
GATE_MUST_CHECK
bool gate_summary_read(struct gate_summary *out, struct gate_str bytes, const struct gate_limits *limits,
                       struct gate_arena *arena, struct gate_error *err);

/** Return the steps of making and decoding a profile of `made_bytes` bytes, beside those of its samples and names. */
uint64_t gate_summary_run_steps(size_t made_bytes);

/**
 * Make the profile of a run in pprof's format. Locations and functions that its samples do not use are left out.
 *
 * bytes  allocated from `arena`
 * err    GATE_ERR_FORMAT
 *
 * O(stack entries + tables of its part).
 */
GATE_MUST_CHECK
bool gate_summary_run_profile(struct gate_str *bytes, const struct gate_summary_run *run, struct gate_arena *arena,
                              struct gate_error *err);

#endif
