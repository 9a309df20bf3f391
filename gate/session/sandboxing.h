/* SPDX-License-Identifier: Apache-2.0 */
/* Applies the sandbox of a command. */
#ifndef GATE_SESSION_SANDBOXING_H
#define GATE_SESSION_SANDBOXING_H

#include "gate/base/landlock.h"
#include "gate/base/sandbox.h"
#include "gate/session/session.h"

/** Allow `access` (enum gate_landlock_access, or-ed) to `path` in the sandbox. `path` is kept, not copied. err:
 * GATE_ERR_LIMIT, GATE_ERR_MEMORY. */
GATE_MUST_CHECK
bool gate_sandboxing_allow(struct gate_session *session, const char *path, unsigned access, struct gate_error *err);

/**
 * Allow writing the output `path`: reading, creating and replacing files in its folder and below. A device or a pipe is
 * allowed alone. Missing folders are created now, so that the sandbox can name them; gate_sandboxing_end removes the
 * empty ones.
 *
 * err   GATE_ERR_LIMIT, GATE_ERR_MEMORY. What cannot be created is no error here: writing reports it.
 */
GATE_MUST_CHECK bool gate_sandboxing_allow_output(struct gate_session *session, const char *path,
                                                  struct gate_error *err);

/** Likewise for a folder of outputs, which may contain folders. */
GATE_MUST_CHECK bool gate_sandboxing_allow_folder(struct gate_session *session, const char *path,
                                                  struct gate_error *err);

/** Apply the sandbox: deny the process everything except `needs`, an or of enum gate_sandbox_need, and the allowed
 * files. Does nothing if the run is part of another program. Pauses the progress display, which has a thread. With
 * --verbose, prints a line if the kernel refuses a part of the sandbox. */
void gate_sandboxing_narrow(struct gate_session *session, unsigned needs);

/** Remove the folders that gate_sandboxing_allow_output created, if they are empty. */
void gate_sandboxing_end(struct gate_session *session);

/** Return the state of the sandbox as text, for `version`. `.ptr` is NULL if the arena is full. */
struct gate_str gate_sandboxing_sentence(const struct gate_session *session);

#endif
