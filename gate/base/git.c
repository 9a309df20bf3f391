/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/base/git.h"

#include "gate/base/process.h"

#include <sys/wait.h>

enum { WORDS_MAX = 40, SAID_BYTES = 600, NOT_FOUND = 127 };

/* Time limit. Git may take long on a large tree, but it never waits for input. */
static const double GIT_SECONDS = 3600;

const char *const gate_git_variables[] = {
    "GIT_DIR",        "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR", "GIT_NAMESPACE", "GIT_PREFIX",     "GIT_QUARANTINE_PATH",  NULL};

static const char *const quiet_words[] = {"git",
                                          "-c",
                                          "core.hooksPath=/dev/null",
                                          "-c",
                                          "core.fsmonitor=false",
                                          "-c",
                                          "core.untrackedCache=false",
                                          "-c",
                                          "core.splitIndex=false",
                                          "-c",
                                          "gc.auto=0",
                                          "-c",
                                          "maintenance.auto=false",
                                          "-c",
                                          "advice.addEmbeddedRepo=false",
                                          "-c",
                                          "core.safecrlf=false"};

bool gate_git_begin(struct gate_git *out, const char *directory, bool is_apart, const char *const *changes,
                    struct gate_interrupt *interrupt, struct gate_arena *arena, struct gate_error *err) {
    const char *all[WORDS_MAX] = {"LC_ALL=C", "GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0", "GIT_PAGER=cat"};
    size_t count = 4;
    for (size_t i = 0; is_apart && gate_git_variables[i] != NULL; i++)
        all[count++] = gate_git_variables[i];
    for (size_t i = 0; changes != NULL && changes[i] != NULL && count + 1 < WORDS_MAX; i++)
        all[count++] = changes[i];
    const char **kept = GATE_NEW_ARRAY(arena, const char *, WORDS_MAX);
    if (kept == NULL)
        return gate_arena_error(arena, err);
    memcpy(kept, all, sizeof all);
    *out = (struct gate_git){.directory = directory, .interrupt = interrupt, .arena = arena};
    return gate_child_environment(&out->environment, kept, arena, err);
}

/* Run git to its end, with both output streams in open files. */
static bool git_child(struct gate_child *child, const struct gate_git *git, const char *const *words, int out, int log,
                      struct gate_error *err) {
    const char *argv[WORDS_MAX + 1] = {NULL};
    size_t count = sizeof quiet_words / sizeof *quiet_words;
    memcpy(argv, quiet_words, sizeof quiet_words);
    for (size_t i = 0; words[i] != NULL; i++) {
        GATE_ASSERT(count < WORDS_MAX);
        argv[count++] = words[i];
    }
    const struct gate_child_options options = {
        .argv = argv, .directory = git->directory, .environment = git->environment, .out = out, .log = log};
    if (!gate_child_start(child, &options, git->interrupt, err))
        return false;
    enum gate_child_wait end = gate_child_wait(child, GIT_SECONDS, git->interrupt);
    gate_child_stop(child, 2);
    if (end == GATE_CHILD_INTERRUPTED)
        return gate_interrupt_error(git->interrupt, err);
    if (end == GATE_CHILD_LATE)
        return gate_error_set(err, GATE_ERR_IO, "'git %s' did not end within an hour", words[0]);
    if (WIFEXITED(child->status) && WEXITSTATUS(child->status) == NOT_FOUND)
        return gate_error_set(err, GATE_ERR_IO,
                              "'git' is not there, and a revision cannot be tried without: install it");
    return true;
}

/* Run git and read both output streams back. */
static bool git_said(struct gate_child *child, const struct gate_git *git, struct gate_str *out, struct gate_str *said,
                     const char *const *words, struct gate_error *err) {
    struct gate_child_output files[2] = {{.descriptor = -1}, {.descriptor = -1}};
    bool ok = gate_child_output_open(&files[0], NULL, git->arena, err) &&
              gate_child_output_open(&files[1], NULL, git->arena, err) &&
              git_child(child, git, words, files[0].descriptor, files[1].descriptor, err) &&
              gate_child_output_read(&files[0], out, git->arena, err) &&
              gate_child_output_read(&files[1], said, git->arena, err);
    gate_child_output_close(&files[0]);
    gate_child_output_close(&files[1]);
    return ok;
}

bool gate_git_bytes(const struct gate_git *git, struct gate_str *out, const char *const *words,
                    struct gate_error *err) {
    struct gate_child child;
    struct gate_str said;
    if (!git_said(&child, git, out, &said, words, err))
        return false;
    if (!gate_child_is_well(&child)) {
        said = gate_str_trim(said);
        said = gate_str_slice(said, said.len > SAID_BYTES ? said.len - SAID_BYTES : 0, said.len);
        struct gate_str end = gate_child_end(&child, git->arena);
        return gate_error_set(err, GATE_ERR_INPUT, "'git %s' %.*s%s%.*s", words[0], GATE_STR_ARG(end),
                              said.len == 0 ? "" : ": ", GATE_STR_ARG(said));
    }
    return true;
}

bool gate_git_run(const struct gate_git *git, struct gate_str *out, const char *const *words, struct gate_error *err) {
    struct gate_str text;
    if (!gate_git_bytes(git, &text, words, err))
        return false;
    while (text.len > 0 && text.ptr[text.len - 1] == '\n')
        text.len--;
    if (out == NULL)
        return true;
    *out = gate_str_copy(git->arena, text);
    return out->ptr != NULL || gate_arena_error(git->arena, err);
}

bool gate_git_query(const struct gate_git *git, struct gate_str *out, int *status, const char *const *words,
                    struct gate_error *err) {
    struct gate_child child;
    struct gate_str both[2];
    if (!git_said(&child, git, &both[0], &both[1], words, err))
        return false;
    *status = WIFEXITED(child.status) ? WEXITSTATUS(child.status) : 128;
    *out = gate_str_concat(git->arena, both, *status == 0 ? 1 : 2);
    return out->ptr != NULL || gate_arena_error(git->arena, err);
}
