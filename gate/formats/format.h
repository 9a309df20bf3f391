/* SPDX-License-Identifier: Apache-2.0 */
/* The table of input formats; loads any of them into a profile. */
#ifndef GATE_FORMATS_FORMAT_H
#define GATE_FORMATS_FORMAT_H

#include "gate/base/buf.h"
#include "gate/base/str.h"
#include "gate/model/limits.h"
#include "gate/model/profile.h"

/* ---- reading the bytes of a file or of standard input ------------------------------------------------------------ */

/**
 * Read a whole file, or standard input if `path` is "-". The bytes are allocated from `arena`.
 *
 * err   GATE_ERR_IO: missing, a directory, or unreadable; GATE_ERR_LIMIT: larger than limits->compressed_bytes, or
 *       `arena` is full
 */
GATE_MUST_CHECK
bool gate_source_read(struct gate_str *bytes, struct gate_str path, const struct gate_limits *limits,
                      struct gate_arena *arena, struct gate_error *err);

/* ---- table of formats -----------------------------------------------------------------------------------------------
 *
 * Recognises plain bytes and selects a reader, or an error message for a known but unsupported format. To add a format:
 * a value of enum gate_format (model/profile.h), a reader (formats/reader.h), and its place in format.c. */

/** Return the name of `format`, e.g. "collapsed stacks": static text. */
const char *gate_format_name(enum gate_format format);

/** Return whether the CPU time of `profile` is what the system counted (formats/counted_cpu.h). O(comments). */
bool gate_profile_is_counted(const struct gate_profile *profile);

/**
 * Return whether the sampler of `profile`, of a program in `language`, also counts time in which another program had
 * the processor. V8 takes a sample each time an interval has passed. So do samplers that read a Python process from
 * outside. On a busy machine their totals exceed the CPU time several times over. Merges and summaries of such profiles
 * count it, too, by the comment of gate_profile_note_format. O(comments).
 */
bool gate_profile_counts_preempted(const struct gate_profile *profile, enum gate_language language);

/**
 * Add a comment with the name of the format, if no field of pprof has the same information. Call it before `profile` is
 * written as pprof. The comments are then in `arena`. Errors: GATE_ERR_LIMIT.
 */
GATE_MUST_CHECK
bool gate_profile_note_format(struct gate_profile *profile, struct gate_arena *arena, struct gate_error *err);

/* ---- loading: decompress, recognise the format, decode and check ------------------------------------------------- */

/**
 * Load a profile of any format. Plain pprof is read in place: `bytes` must outlive the profile, and out->bytes.ptr
 * is bytes.ptr. Compressed bytes and other formats are copied: `bytes` may be freed after the call.
 *
 * err   GATE_ERR_FORMAT: not a profile, truncated, wrong checksum, inconsistent references, or a known but
 *       unsupported format (with the command that converts it); GATE_ERR_LIMIT: names the option that raises the
 *       limit. Messages do not contain the input's name, which cli/ adds.
 *
 * All memory is from `arena` or a fork of it, limited by the arena and by limits->memory_bytes. Not counted: the
 * decompressor's window, and the memory for one message or one sample. O(decompressed bytes).
 */
GATE_MUST_CHECK
bool gate_profile_load(struct gate_profile *out, struct gate_str bytes, const struct gate_limits *limits,
                       struct gate_arena *arena, struct gate_error *err);

/** As gate_profile_load, for commands that decode one profile after another and free each, such as `capture`. Limits of
 * memory and of steps that are not given (0) are those of a run that reads this profile alone (model/limits.h). Only
 * one thread may use the pool of `arena`. err: also GATE_ERR_LIMIT if the stacks and names need more steps than the
 * limit. */
GATE_MUST_CHECK
bool gate_profile_load_alone(struct gate_profile *out, struct gate_str bytes, const struct gate_limits *limits,
                             struct gate_arena *arena, struct gate_error *err);

/* ---- large gzip files, decompressed within the block that they are read into ----------------------------------------
 *
 * This saves the memory for the compressed bytes. Failures set no error: read and load the file in the usual way
 * then. */

/** A gzip file within the block that it is decompressed into. */
struct gate_packed_file {
    struct gate_str packed; /* the compressed file, until it is loaded */
    uint8_t *block;         /* memory of the arena passed to gate_packed_file_read; ends with the compressed bytes */
    size_t block_size, size;
};

/**
 * Read a gzip file of at least 1 MiB into a block that can hold its decompressed bytes. Returns false for other
 * files and on failure; then nothing is kept in `arena`. O(compressed bytes).
 */
GATE_MUST_CHECK
bool gate_packed_file_read(struct gate_packed_file *out, struct gate_str path, const struct gate_limits *limits,
                           struct gate_arena *arena);

/**
 * Decompress the file over itself and load it as gate_profile_load does. Tables are allocated from `arena`.
 * `block_arena` is the arena passed to gate_packed_file_read; it must outlive the profile. Returns false on failure;
 * then `block_arena` contains nothing useful. O(decompressed bytes).
 */
GATE_MUST_CHECK
bool gate_packed_file_load(struct gate_profile *out, struct gate_packed_file *file, const struct gate_limits *limits,
                           struct gate_arena *block_arena, struct gate_arena *arena);

struct gate_reader;

/** Convert `bytes`, a file of the format of `reader` (formats/reader.h), to pprof and append the result to `out`.
 * `limits` has no zeros (gate_limits_fill). `scratch` may be emptied afterwards. err: errors of the format's `fill`;
 * GATE_ERR_FORMAT: malformed JSON, with line and column. */
GATE_MUST_CHECK
bool gate_reader_convert(struct gate_buf *out, const struct gate_reader *reader, struct gate_str bytes,
                         const struct gate_limits *limits, struct gate_arena *scratch, struct gate_error *err);

#endif
