/* SPDX-License-Identifier: Apache-2.0 */
/* What git says of revisions (see ancestry.h). */
#include "gate/store/ancestry.h"

#include "gate/trial/git.h"

#include <stdlib.h>

enum { STATUS_UNRELATED = 1 };

/* Where we are: hooks set GIT_DIR for the repository that they are of, which is the one that is meant. */
static bool ask(struct gate_str *said, int *status, const char *const *words, struct gate_arena *arena,
                struct gate_error *err) {
    struct gate_interrupt interrupt;
    struct gate_git git;
    gate_interrupt_hold(&interrupt);
    bool ok =
        gate_git_begin(&git, NULL, false, NULL, &interrupt, arena, err) && gate_git_ask(&git, said, status, words, err);
    gate_interrupt_release(&interrupt);
    if (ok)
        *said = gate_str_trim(*said);
    return ok;
}

static bool is_commit(struct gate_str text) {
    for (size_t i = 0; i < text.len; i++)
        if (text.ptr[i] == '\0' || strchr("0123456789abcdef", text.ptr[i]) == NULL)
            return false;
    return text.len == 40 || text.len == 64;
}

bool gate_ancestry_commit(struct gate_str *commit, struct gate_str revision, struct gate_arena *arena,
                          struct gate_error *err) {
    int status = 0;
    struct gate_error why = {0};
    struct gate_str said;
    struct gate_str name = gate_str_format(arena, "%.*s^{commit}", GATE_STR_ARG(revision));
    if (name.ptr == NULL)
        return gate_arena_error(arena, err);
    const char *const words[] = {"rev-parse", "--verify", "--end-of-options", name.ptr, NULL};
    if (!ask(&said, &status, words, arena, &why))
        return gate_error_set(err, GATE_ERR_INPUT, "git cannot be asked (%s)", why.message);
    if (status != 0 || !is_commit(said)) {
        struct gate_str line = gate_str_slice(said, 0, gate_str_find(said, GATE_STR("\n"), 0));
        return gate_error_set(err, GATE_ERR_INPUT, "git does not know '%.*s' here (%.*s)", GATE_STR_ARG(revision),
                              GATE_STR_ARG(line));
    }
    *commit = gate_str_copy(arena, said);
    return commit->ptr != NULL || gate_arena_error(arena, err);
}

static bool count_between(uint64_t *distance, const char *range, struct gate_arena *arena) {
    int status = 0;
    struct gate_error why = {0};
    struct gate_str said;
    const char *const words[] = {"rev-list", "--count", range, NULL};
    if (!ask(&said, &status, words, arena, &why) || status != 0)
        return false;
    struct gate_str text = gate_str_copy(arena, said);
    char *end = NULL;
    *distance = text.ptr == NULL ? 0 : strtoull(text.ptr, &end, 10);
    return end != NULL && end != text.ptr && *end == '\0';
}

enum gate_ancestry gate_ancestry_between(uint64_t *distance, struct gate_str earlier, struct gate_str later,
                                         struct gate_arena *arena) {
    int status = 0;
    struct gate_error why = {0};
    struct gate_str said;
    *distance = 0;
    if (gate_str_equal(earlier, later))
        return GATE_ANCESTRY_SAME;
    struct gate_str from = gate_str_copy(arena, earlier), to = gate_str_copy(arena, later);
    struct gate_str range = gate_str_format(arena, "%.*s..%.*s", GATE_STR_ARG(earlier), GATE_STR_ARG(later));
    if (from.ptr == NULL || to.ptr == NULL || range.ptr == NULL)
        return GATE_ANCESTRY_UNKNOWN;
    const char *const words[] = {"merge-base", "--is-ancestor", from.ptr, to.ptr, NULL};
    if (!ask(&said, &status, words, arena, &why))
        return GATE_ANCESTRY_UNKNOWN;
    if (status == STATUS_UNRELATED)
        return GATE_ANCESTRY_UNRELATED;
    return status == 0 && count_between(distance, range.ptr, arena) ? GATE_ANCESTRY_ANCESTOR : GATE_ANCESTRY_UNKNOWN;
}
