/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the bytes of an input: a file, standard input, or a slice that a profile store returned. */
#ifndef GATE_SESSION_INPUT_H
#define GATE_SESSION_INPUT_H

#include "gate/capture/paths.h"
#include "gate/session/session.h"

/**
 * Read all bytes of `path`. "-" is `session->in`, which tests can replace.
 *
 * bytes  allocated from `arena`, or bytes kept by `session`
 * err    GATE_ERR_IO; GATE_ERR_LIMIT if there are more than limits->compressed_bytes. Messages do not contain the
 *        input's name.
 */
GATE_MUST_CHECK
bool gate_input_read(struct gate_str *bytes, const struct gate_session *session, const char *path,
                     const struct gate_limits *limits, struct gate_arena *arena, struct gate_error *err);

/** Like gate_input_read, for a small configuration file such as rules or a noise model: at most 1 MiB. */
GATE_MUST_CHECK
bool gate_input_read_small(struct gate_str *bytes, const struct gate_session *session, const char *path,
                           struct gate_arena *arena, struct gate_error *err);

/** Return the input that `session` keeps under the name `path`, or NULL if `path` is a file. O(length). */
const struct gate_session_kept *gate_input_kept(const struct gate_session *session, const char *path);

/** Return whether the name of `path` is that of a summary (formats/summary.h). */
bool gate_input_is_summary(const char *path);

/** Keep an input. Its path and its bytes must outlive the session. */
GATE_MUST_CHECK
bool gate_input_keep(struct gate_session *session, struct gate_session_kept kept, struct gate_error *err);

/** Get the bytes of a kept input. Those of a summary's run are made in `arena`. err: as gate_summary_run_profile. */
GATE_MUST_CHECK
bool gate_input_kept_bytes(struct gate_str *bytes, const struct gate_session_kept *kept, struct gate_arena *arena,
                           struct gate_error *err);

/** Return the size of a kept input that counts for the step limit, in bytes. `bytes` is its content. */
size_t gate_input_kept_size(const struct gate_session_kept *kept, struct gate_str bytes);

/** Return the steps of making the content of a kept input, which is `bytes`. */
uint64_t gate_input_kept_steps(const struct gate_session_kept *kept, struct gate_str bytes);

/** Raise the memory limit of a run for inputs of `bytes` bytes, or set the limit of --max-memory if it is given. */
void gate_input_allow_memory(struct gate_session *session, size_t bytes, const struct gate_limits *limits);

/** Like gate_paths_expand, and replace each file of summaries (formats/summary.h) by its runs, which `session` keeps.
 * The run `cpu.pb.gz` of v1.pgsum has the path v1.pgsum/cpu.pb.gz. err: also errors of gate_summary_read, with the path
 * in front. */
GATE_MUST_CHECK
bool gate_input_expand(struct gate_paths *out, const struct gate_paths *paths, struct gate_session *session,
                       const struct gate_limits *limits, struct gate_error *err);

/**
 * Keep the runs of a summary, whose content is `bytes`. They have paths as with gate_input_expand. Raises the memory
 * limit for all of them.
 *
 * bytes  must outlive the session unless they are compressed
 * file   name of the summary; must outlive the session
 * err    as gate_summary_read
 */
GATE_MUST_CHECK
bool gate_input_keep_summary(struct gate_session_summary *out, const char *file, struct gate_str bytes,
                             struct gate_session *session, const struct gate_limits *limits, struct gate_error *err);

/** Check that `path` is not the address of a profile store that was not queried. err: GATE_ERR_INPUT with the command
 * that downloads the profile first. */
GATE_MUST_CHECK bool gate_input_check(const char *path, struct gate_error *err);

/** Return the name of an input in messages: its path, or "standard input". */
const char *gate_input_name(const char *path);

#endif
