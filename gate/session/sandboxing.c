/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/session/sandboxing.h"

#include "gate/base/sandbox.h"
#include "gate/session/session.h"

#include <errno.h>
#include <sys/stat.h>

/* ---- entering ---------------------------------------------------------------------------------------------------- */

/* The state in words. */
static const char *reason_text(int reason) {
    return reason == ENOSYS ? "the kernel has none" : strerror(reason);
}

static void refusal_tell(struct gate_session *session) {
    const struct gate_sandbox_state *state = &session->sandbox.state;
    if (state->calls == GATE_SANDBOX_REFUSED)
        gate_session_tell(session, "this run keeps the network and programs that it does not need: seccomp: %s",
                          strerror(state->calls_reason));
    if (state->files == GATE_SANDBOX_REFUSED)
        gate_session_tell(session, "this run keeps files that it does not need: Landlock: %s",
                          reason_text(state->files_reason));
}

void gate_sandboxing_narrow(struct gate_session *session, unsigned needs) {
    struct gate_session_sandbox *sandbox = &session->sandbox;
    const bool was_tried = sandbox->state.calls != GATE_SANDBOX_OPEN;
    if (!sandbox->is_wanted || (needs & GATE_NEEDS_PROGRAMS) != 0 || sandbox->state.calls == GATE_SANDBOX_REFUSED ||
        (was_tried && sandbox->needs == needs))
        return;
    const struct gate_sandbox_files files = {sandbox->paths, sandbox->path_count, true};
    struct gate_progress *progress = session->progress;
    const char *stage = progress != NULL && progress->is_running ? progress->stage : NULL;
    if (stage != NULL)
        gate_progress_end(progress);
    sandbox->needs = needs;
    gate_sandbox_enter(needs, &files, &sandbox->state);
    if (stage != NULL)
        gate_progress_begin(progress, session->err, stage, GATE_PROGRESS_PATIENCE_MS);
    if (!was_tried)
        refusal_tell(session);
}

/* ---- what `version` prints --------------------------------------------------------------------------------------- */

static const char *calls_text(const struct gate_sandbox_state *state, struct gate_arena *arena) {
    if (state->calls == GATE_SANDBOX_ENTERED)
        return "seccomp (network, programs and other processes)";
    if (state->calls == GATE_SANDBOX_LEFT_OUT)
        return "no seccomp (built without)";
    return gate_str_format(arena, "no seccomp (%s)", reason_text(state->calls_reason)).ptr;
}

static const char *files_text(const struct gate_sandbox_state *state, struct gate_arena *arena) {
    if (state->files == GATE_SANDBOX_ENTERED)
        return gate_str_format(arena, "Landlock version %d (files%s)", state->landlock,
                               state->landlock < GATE_LANDLOCK_SIGNALS ? "" : " and signals")
            .ptr;
    return gate_str_format(arena, "no Landlock (%s)", reason_text(state->files_reason)).ptr;
}

struct gate_str gate_sandboxing_sentence(const struct gate_session *session) {
    const struct gate_sandbox_state *state = &session->sandbox.state;
    if (!session->sandbox.is_wanted)
        return GATE_STR("no, part of another program");
    if (state->calls == GATE_SANDBOX_LEFT_OUT && state->files == GATE_SANDBOX_LEFT_OUT)
        return GATE_STR("no, built with a sanitizer or for another system than Linux");
    const char *calls = calls_text(state, session->arena), *files = files_text(state, session->arena);
    if (calls == NULL || files == NULL)
        return (struct gate_str){0};
    return gate_str_format(session->arena, "%s, %s", calls, files);
}
