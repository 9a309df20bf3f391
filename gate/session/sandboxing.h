/* SPDX-License-Identifier: Apache-2.0 */
/* Applies the sandbox of a command. */
#ifndef GATE_SESSION_SANDBOXING_H
#define GATE_SESSION_SANDBOXING_H

#include "gate/session/session.h"

/** Apply the sandbox: deny the process everything except `needs`, an or of enum gate_sandbox_need, and the allowed
 * files. Does nothing if the run is part of another program. Pauses the progress display, which has a thread. With
 * --verbose, prints a line if the kernel refuses a part of the sandbox. */
void gate_sandboxing_narrow(struct gate_session *session, unsigned needs);

/** Return the state of the sandbox as text, for `version`. `.ptr` is NULL if the arena is full. */
struct gate_str gate_sandboxing_sentence(const struct gate_session *session);

#endif
