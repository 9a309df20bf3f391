/* SPDX-License-Identifier: Apache-2.0 */
/* Driving git bisect (see bisect.h). */
#include "gate/trial/bisect.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

static const char *const words[] = {
    [GATE_BISECT_GOOD] = "good", [GATE_BISECT_BAD] = "bad", [GATE_BISECT_SKIP] = "skip"};

/* The hexadecimal digits that `text` begins with. */
static struct gate_str leading_commit(struct gate_str text) {
    size_t len = 0;
    while (len < text.len && strchr("0123456789abcdef", text.ptr[len]) != NULL && text.ptr[len] != '\0')
        len++;
    return gate_str_slice(text, 0, len >= 40 ? len : 0);
}

/* What git said: it is found, it cannot be, or there is one more to try. */
static bool bisect_read(struct gate_bisect *bisect, struct gate_str said, int status, struct gate_error *err) {
    const struct gate_worktree *worktree = bisect->worktree;
    const struct gate_str found = GATE_STR(" is the first bad commit");
    const struct gate_str open = GATE_STR("The first bad commit could be any of:\n");
    size_t at = gate_str_find(said, found, 0), from = at;
    if (at != SIZE_MAX) {
        while (from > 0 && said.ptr[from - 1] != '\n')
            from--;
        bisect->commit = leading_commit(gate_str_slice(said, from, at));
        bisect->is_over = true;
        return bisect->commit.len != 0 || gate_error_set(err, GATE_ERR_INPUT, "git bisect said something unknown");
    }
    at = gate_str_find(said, open, 0);
    if (at != SIZE_MAX) {
        size_t end = gate_str_find(said, GATE_STR("We cannot bisect more!"), at);
        bisect->candidates = gate_str_trim(gate_str_slice(said, at + open.len, end));
        bisect->commit = GATE_STR("");
        bisect->is_over = true;
        return true;
    }
    if (status != 0)
        return gate_error_set(err, GATE_ERR_INPUT, "git cannot bisect further: %.*s",
                              GATE_STR_ARG(gate_str_trim(said)));
    return GATE_GIT(&worktree->own, &bisect->commit, err, "rev-parse", "--verify", "BISECT_HEAD");
}

void gate_bisect_end(struct gate_bisect *bisect) {
    struct gate_error ignored = {0};
    struct gate_str said;
    int status = 0;
    const char *const reset[] = {"bisect", "reset", NULL};
    if (!gate_git_ask(&bisect->worktree->own, &said, &status, reset, &ignored))
        bisect->is_over = true; /* the next one resets it */
}

/* What a git that was killed leaves, and another one waits for in vain: nobody else is at work in our repository. */
static bool locks_remove(const struct gate_worktree *worktree, const char *folder, struct gate_error *err) {
    const char *path = gate_worktree_path(worktree, folder);
    if (path == NULL)
        return gate_arena_error(worktree->arena, err);
    DIR *open = opendir(path);
    for (const struct dirent *entry; open != NULL && (entry = readdir(open)) != NULL;)
        if (gate_str_ends(gate_str_from(entry->d_name), GATE_STR(".lock")))
            (void)unlinkat(dirfd(open), entry->d_name, 0); /* git tells of one that stays */
    if (open != NULL)
        (void)closedir(open);
    return true;
}

bool gate_bisect_begin(struct gate_bisect *out, const struct gate_worktree *worktree, struct gate_str good,
                       struct gate_str bad, struct gate_error *err) {
    const struct gate_git *git = &worktree->own;
    struct gate_str said;
    int status = 0;
    *out = (struct gate_bisect){.worktree = worktree};
    if (!locks_remove(worktree, "repository.git", err) || !locks_remove(worktree, "repository.git/refs/bisect", err))
        return false;
    gate_bisect_end(out); /* of one that was killed */
    out->is_over = false;
    const char *const start[] = {"bisect", "start", "--no-checkout", bad.ptr, good.ptr, NULL};
    /* It wants to know where to return to. */
    return GATE_GIT(git, NULL, err, "update-ref", "--no-deref", "HEAD", bad.ptr) &&
           gate_git_ask(git, &said, &status, start, err) && bisect_read(out, said, status, err);
}

bool gate_bisect_tell(struct gate_bisect *bisect, enum gate_bisect_word word, struct gate_error *err) {
    struct gate_str said;
    int status = 0;
    const char *const tell[] = {"bisect", words[word], bisect->commit.ptr, NULL};
    return gate_git_ask(&bisect->worktree->own, &said, &status, tell, err) && bisect_read(bisect, said, status, err);
}

bool gate_bisect_describe(struct gate_str *out, const struct gate_worktree *worktree, struct gate_str commit,
                          struct gate_error *err) {
    struct gate_str name = gate_str_copy(worktree->arena, commit);
    return name.ptr == NULL ? gate_arena_error(worktree->arena, err)
                            : GATE_GIT(&worktree->own, out, err, "log", "-1", "--no-show-signature",
                                       "--format=%h %s (%an, %ad)", "--date=short", "--abbrev=12", name.ptr);
}
