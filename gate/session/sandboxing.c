/* SPDX-License-Identifier: Apache-2.0 */
/* Applies the sandbox of a command. */
#include "gate/session/sandboxing.h"

#include "gate/base/sandbox.h"
#include "gate/session/session.h"

void gate_sandboxing_narrow(struct gate_session *session, unsigned needs) {
    struct gate_session_sandbox *sandbox = &session->sandbox;
    bool is_done = sandbox->state == GATE_SANDBOX_SEALED && sandbox->needs == needs;
    if (!sandbox->is_wanted || is_done || sandbox->state == GATE_SANDBOX_REFUSED)
        return;
    sandbox->needs = needs;
    sandbox->state = gate_sandbox_enter(needs, &sandbox->reason);
    if (sandbox->state == GATE_SANDBOX_REFUSED)
        gate_session_tell(session, "this run keeps the network and programs that it does not need: seccomp: %s",
                          strerror(sandbox->reason));
}

struct gate_str gate_sandboxing_sentence(const struct gate_session *session) {
    switch (session->sandbox.state) {
    case GATE_SANDBOX_SEALED:
        return GATE_STR("yes (seccomp): what a run does not need of network and programs is denied to it");
    case GATE_SANDBOX_REFUSED:
        return gate_str_format(session->arena, "no, the system refuses it (seccomp: %s)",
                               strerror(session->sandbox.reason));
    case GATE_SANDBOX_UNBUILT:
        return GATE_STR("no, built with a sanitizer or for a system without seccomp");
    default:
        return GATE_STR("no, run inside of another program");
    }
}
