/* SPDX-License-Identifier: Apache-2.0 */
/* Applies the sandbox of a command. */
#include "gate/session/sandboxing.h"

#include "gate/base/file.h"
#include "gate/base/sandbox.h"
#include "gate/session/paths.h"
#include "gate/session/session.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- files that stay allowed ------------------------------------------------------------------------------------- */

bool gate_sandboxing_allow(struct gate_session *session, const char *path, unsigned access, struct gate_error *err) {
    struct gate_session_sandbox *sandbox = &session->sandbox;
    struct gate_sandbox_path *paths =
        gate_arena_grow(session->arena, sandbox->paths, sandbox->path_count, &sandbox->path_capacity, sizeof *paths);
    if (paths == NULL || path == NULL)
        return gate_arena_error(session->arena, err);
    paths[sandbox->path_count++] = (struct gate_sandbox_path){path, access};
    sandbox->paths = paths;
    return true;
}

/* Return the folder of the file `path`. `.ptr` is NULL if the arena is full. */
static struct gate_str folder_of(const char *path, struct gate_arena *arena) {
    const char *slash = strrchr(path, '/');
    if (slash == NULL)
        return GATE_STR(".");
    return slash == path ? GATE_STR("/") : gate_str_format(arena, "%.*s", (int)(slash - path), path);
}

/* Create one missing folder ahead, and allow its removal. */
static bool make_one(struct gate_session *session, const char *path, struct gate_error *err) {
    struct gate_session_sandbox *sandbox = &session->sandbox;
    const struct gate_str above = folder_of(path, session->arena);
    const char **made = gate_arena_grow(session->arena, (void *)sandbox->made, sandbox->made_count,
                                        &sandbox->made_capacity, sizeof *made);
    if (made == NULL)
        return gate_arena_error(session->arena, err);
    sandbox->made = made;
    if (!gate_sandboxing_allow(session, above.ptr, GATE_LANDLOCK_DROP_FOLDERS, err))
        return false;
    if (mkdir(path, 0777) == 0)
        made[sandbox->made_count++] = path;
    return true;
}

/* Create the missing part of the folder `path` ahead. */
static bool make_folders(struct gate_session *session, const char *path, struct gate_error *err) {
    struct stat status;
    for (size_t i = 1; path[0] != '\0' && path[i - 1] != '\0'; i++) {
        if (path[i] != '/' && path[i] != '\0')
            continue;
        const struct gate_str part = gate_str_format(session->arena, "%.*s", (int)i, path);
        if (part.ptr == NULL)
            return gate_arena_error(session->arena, err);
        if (stat(part.ptr, &status) == 0)
            continue;
        if (errno != ENOENT)
            return true;
        if (!make_one(session, part.ptr, err))
            return false;
    }
    return true;
}

bool gate_sandboxing_allow_output(struct gate_session *session, const char *path, struct gate_error *err) {
    char target[GATE_OUTFILE_PATH_BYTES];
    bool is_special = false;
    struct stat status;
    if (path[0] == '\0' || gate_paths_is_stream(path) || !gate_outfile_target(target, &is_special, path))
        return true;
    const struct gate_str kept = gate_str_format(session->arena, "%s", target);
    if (kept.ptr == NULL)
        return gate_arena_error(session->arena, err);
    if (is_special || (stat(kept.ptr, &status) == 0 && !S_ISREG(status.st_mode) && !S_ISFIFO(status.st_mode)))
        return gate_sandboxing_allow(session, path, GATE_LANDLOCK_READ | GATE_LANDLOCK_WRITE, err);
    const struct gate_str folder = folder_of(kept.ptr, session->arena);
    if (folder.ptr == NULL)
        return gate_arena_error(session->arena, err);
    return make_folders(session, folder.ptr, err) && /* mkstemp opens for reading, too */
           gate_sandboxing_allow(session, folder.ptr, GATE_LANDLOCK_READ | GATE_LANDLOCK_WRITE | GATE_LANDLOCK_MAKE,
                                 err);
}

bool gate_sandboxing_allow_folder(struct gate_session *session, const char *path, struct gate_error *err) {
    if (path[0] == '\0' || gate_paths_is_stream(path))
        return true;
    return make_folders(session, path, err) &&
           gate_sandboxing_allow(session, path,
                                 GATE_LANDLOCK_READ | GATE_LANDLOCK_WRITE | GATE_LANDLOCK_MAKE |
                                     GATE_LANDLOCK_MAKE_FOLDERS | GATE_LANDLOCK_DROP_FOLDERS,
                                 err);
}

void gate_sandboxing_end(struct gate_session *session) {
    struct gate_session_sandbox *sandbox = &session->sandbox;
    while (sandbox->made_count > 0)
        (void)rmdir(sandbox->made[--sandbox->made_count]);
}

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
