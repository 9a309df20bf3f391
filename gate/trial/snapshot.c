/* SPDX-License-Identifier: Apache-2.0 */
/* The working tree as a commit (see snapshot.h). */
#include "gate/trial/snapshot.h"

#include "gate/trial/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* Git in the user's working tree with an index and a place for objects that are not the user's. The author is nobody
 * and the date is none: the same tree on the same commit is the same commit, and nothing is built anew. */
static bool snapshot_git(struct gate_git *out, const struct gate_worktree *worktree, struct gate_error *err) {
    struct gate_arena *arena = worktree->arena;
    const char *changes[] = {
        gate_str_format(arena, "GIT_INDEX_FILE=%s/index", worktree->cache).ptr,
        gate_str_format(arena, "GIT_OBJECT_DIRECTORY=%s/repository.git/objects", worktree->cache).ptr,
        gate_str_format(arena, "GIT_ALTERNATE_OBJECT_DIRECTORIES=%s", worktree->objects.ptr).ptr,
        "GIT_AUTHOR_NAME=pprofgate",
        "GIT_AUTHOR_EMAIL=pprofgate@localhost",
        "GIT_AUTHOR_DATE=2000-01-01T00:00:00Z",
        "GIT_COMMITTER_NAME=pprofgate",
        "GIT_COMMITTER_EMAIL=pprofgate@localhost",
        "GIT_COMMITTER_DATE=2000-01-01T00:00:00Z",
        NULL};
    for (size_t i = 0; i < 3; i++)
        if (changes[i] == NULL)
            return gate_arena_error(arena, err);
    return gate_git_begin(out, worktree->top.ptr, false, changes, worktree->interrupt, arena, err);
}

/* As old as the user's: git compares the bytes of files that changed in the second in which the index was written, and
 * by a younger index none did. */
static bool index_copy(const char *to, const char *from, struct gate_arena *arena, struct gate_error *err) {
    struct stat status;
    if (stat(from, &status) != 0)
        return true; /* nothing was added yet */
    const struct timespec second = {.tv_sec = status.st_mtime}, times[2] = {second, second};
    return gate_folder_copy_file(to, from, arena, err) &&
           (utimensat(AT_FDCWD, to, times, 0) == 0 ||
            gate_error_set(err, GATE_ERR_IO, "%s: its time cannot be set: %s", to, strerror(errno)));
}

/* The user's index, so that what is known of unchanged files need not be found out again. Nobody else works in the
 * cache, which is locked: a lock of git's there is that of a try that was killed. */
static bool snapshot_index(const struct gate_worktree *worktree, struct gate_error *err) {
    struct gate_str from;
    const char *to = gate_worktree_path(worktree, "index"), *lock = gate_worktree_path(worktree, "index.lock");
    if (to == NULL || lock == NULL)
        return gate_arena_error(worktree->arena, err);
    if (!GATE_GIT(&worktree->user, &from, err, "rev-parse", "--path-format=absolute", "--git-path", "index"))
        return false;
    (void)unlink(to);
    (void)unlink(lock);
    return index_copy(to, from.ptr, worktree->arena, err);
}

bool gate_snapshot_take(struct gate_snapshot *out, const struct gate_worktree *worktree, struct gate_error *err) {
    struct gate_git git;
    struct gate_str tree, head, head_tree;
    struct gate_error why = {0};
    *out = (struct gate_snapshot){0};
    if (!snapshot_index(worktree, err) || !snapshot_git(&git, worktree, err) ||
        !GATE_GIT(&git, NULL, err, "add", "--all", "--", ".") || !GATE_GIT(&git, &tree, err, "write-tree"))
        return false;
    if (!gate_worktree_resolve(worktree, &head, "HEAD", &why)) {
        if (why.code != GATE_ERR_USAGE)
            return gate_error_set(err, why.code, "%s", why.message);
        out->is_dirty = true; /* nothing was committed yet */
        return GATE_GIT(&git, &out->commit, err, "commit-tree", "-m", "working tree", tree.ptr);
    }
    if (!GATE_GIT(&worktree->user, &head_tree, err, "rev-parse", "HEAD^{tree}"))
        return false;
    out->commit = head;
    out->is_dirty = !gate_str_equal(tree, head_tree);
    return !out->is_dirty ||
           GATE_GIT(&git, &out->commit, err, "commit-tree", "-p", head.ptr, "-m", "working tree", tree.ptr);
}
