/* SPDX-License-Identifier: Apache-2.0 */
/* Checkouts for `try`: worktrees, snapshots of uncommitted changes. */
#include "gate/trial/worktree.h"

#include "gate/base/file.h"
#include "gate/base/hash.h"
#include "gate/base/process.h"
#include "gate/base/str.h"
#include "gate/compare/pair.h"
#include "gate/formats/format.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- folders and files of the cache ------------------------------------------------------------------------------ */

/* Removing a large tree of packages takes minutes. */
static const double REMOVE_SECONDS = 600;

bool gate_folder_remove(const char *path, struct gate_interrupt *interrupt, struct gate_arena *arena,
                        struct gate_error *err) {
    struct stat status;
    struct gate_child child;
    char *const *environment;
    const char *const words[] = {"rm", "-rf", "--", path, NULL}, *const no_changes[] = {NULL};
    if (lstat(path, &status) != 0)
        return true;
    if (!gate_child_environment(&environment, no_changes, arena, err))
        return false;
    const struct gate_child_options options = {.argv = words, .environment = environment, .out = -1, .log = -1};
    if (!gate_child_start(&child, &options, interrupt, err))
        return false;
    enum gate_child_wait end = gate_child_wait(&child, REMOVE_SECONDS, interrupt);
    gate_child_stop(&child, 1);
    if (end == GATE_CHILD_INTERRUPTED)
        return gate_interrupt_error(interrupt, err);
    return lstat(path, &status) != 0 ||
           gate_error_set(err, GATE_ERR_IO, "%s: cannot be removed; remove it by hand", path);
}

bool gate_folder_absolute(struct gate_str *out, const char *path, struct gate_arena *arena, struct gate_error *err) {
    char here[PATH_MAX];
    if (path[0] != '/' && getcwd(here, sizeof here) == NULL)
        return gate_error_set(err, GATE_ERR_IO, "the working directory has no name: %s", strerror(errno));
    *out = path[0] == '/' ? gate_str_format(arena, "%s", path) : gate_str_format(arena, "%s/%s", here, path);
    return out->ptr != NULL || gate_arena_error(arena, err);
}

bool gate_folder_copy_file(const char *to, const char *from, struct gate_arena *arena, struct gate_error *err) {
    struct gate_limits limits = gate_limits_default();
    struct gate_str bytes;
    limits.compressed_bytes = (size_t)INT_MAX; /* a git index can be large */
    if (!gate_source_read(&bytes, gate_str_from(from), &limits, arena, err))
        return gate_error_prefix(err, "%s", from);
    return gate_outfile_write(to, bytes, arena, err);
}

/* ---- worktrees --------------------------------------------------------------------------------------------------- */

enum { DIGEST_CHARS = 16 };

const char *gate_worktree_path(const struct gate_worktree *worktree, const char *name) {
    return gate_str_format(worktree->arena, "%s/%s", worktree->cache, name).ptr;
}

/* ---- the user's repository --------------------------------------------------------------------------------------- */

static bool user_find(struct gate_worktree *out, struct gate_error *err) {
    struct gate_git here;
    struct gate_error why = {0};
    struct gate_str common;
    if (!gate_git_begin(&here, NULL, false, NULL, out->interrupt, out->arena, err))
        return false;
    if (!GATE_GIT(&here, &out->top, &why, "rev-parse", "--show-toplevel")) {
        if (why.code != GATE_ERR_INPUT)
            return gate_error_set(err, why.code, "%s", why.message);
        return gate_error_set(err, GATE_ERR_INPUT,
                              "a revision is tried from within a git repository's working tree: %s", why.message);
    }
    if (!GATE_GIT(&here, &out->prefix, err, "rev-parse", "--show-prefix") ||
        !GATE_GIT(&here, &common, err, "rev-parse", "--path-format=absolute", "--git-path", "objects") ||
        !gate_git_begin(&out->user, out->top.ptr, false, NULL, out->interrupt, out->arena, err))
        return false;
    out->objects = common;
    while (out->prefix.len > 0 && out->prefix.ptr[out->prefix.len - 1] == '/')
        out->prefix.len--;
    return true;
}

/* ---- the cache --------------------------------------------------------------------------------------------------- */

static bool cache_root(struct gate_str *out, const char *given, struct gate_arena *arena, struct gate_error *err) {
    const char *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (given != NULL)
        return gate_folder_absolute(out, given, arena, err);
    if (xdg != NULL && xdg[0] == '/')
        *out = gate_str_format(arena, "%s/pprofgate/try", xdg);
    else if (home != NULL && home[0] == '/')
        *out = gate_str_format(arena, "%s/.cache/pprofgate/try", home);
    else
        return gate_error_set(err, GATE_ERR_USAGE,
                              "neither HOME nor XDG_CACHE_HOME is set: name a folder with --cache");
    return out->ptr != NULL || gate_arena_error(arena, err);
}

static bool cache_lock(struct gate_worktree *out, struct gate_error *err) {
    const char *path = gate_worktree_path(out, "lock");
    if (path == NULL)
        return gate_arena_error(out->arena, err);
    out->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (out->lock < 0)
        return gate_error_set(err, GATE_ERR_IO, "%s: cannot write: %s", path, strerror(errno));
    if (flock(out->lock, LOCK_EX | LOCK_NB) == 0)
        return true;
    return gate_error_set(
        err, GATE_ERR_INPUT,
        "another try of this repository is running; wait for it, or give another folder with --cache");
}

/* The folder is named by the digest of the working tree's path, so that two worktrees of one repository can be tried at
 * the same time. */
static bool cache_make(struct gate_worktree *out, const char *given, struct gate_error *err) {
    struct gate_str root = {0};
    if (!cache_root(&root, given, out->arena, err))
        return false;
    struct gate_str digest = gate_sha256_hex(out->top, out->arena);
    out->cache =
        digest.ptr == NULL ? NULL : gate_str_format(out->arena, "%s/%.*s", root.ptr, (int)DIGEST_CHARS, digest.ptr).ptr;
    if (out->cache == NULL)
        return gate_arena_error(out->arena, err);
    return gate_folders_make(out->cache, err) && cache_lock(out, err);
}

/* ---- the private repository -------------------------------------------------------------------------------------- */

/* Write the path of the user's objects. It is rewritten each time because the repository can move. */
static bool own_borrow(const struct gate_worktree *worktree, struct gate_error *err) {
    const char *path = gate_worktree_path(worktree, "repository.git/objects/info/alternates");
    FILE *file = path == NULL ? NULL : fopen(path, "w");
    bool ok = file != NULL && fprintf(file, "%s\n", worktree->objects.ptr) > 0;
    ok = (file == NULL || fclose(file) == 0) && ok;
    return ok || gate_error_set(err, GATE_ERR_IO, "%s: cannot write: %s", path == NULL ? "alternates" : path,
                                strerror(errno));
}

/* Copy the file `shallow` of a shallow clone, which marks where history ends. Without it git looks for missing
 * commits. */
static bool own_shallow(const struct gate_worktree *worktree, struct gate_error *err) {
    struct gate_str from;
    const char *to = gate_worktree_path(worktree, "repository.git/shallow");
    if (to == NULL)
        return gate_arena_error(worktree->arena, err);
    if (!GATE_GIT(&worktree->user, &from, err, "rev-parse", "--path-format=absolute", "--git-path", "shallow"))
        return false;
    (void)unlink(to);
    return access(from.ptr, F_OK) != 0 || gate_folder_copy_file(to, from.ptr, worktree->arena, err);
}

/* Create the repository under another name and rename it when it is complete. If git is killed, no later try finds an
 * incomplete one. */
static bool own_make(const struct gate_worktree *worktree, const char *repository, const char *format,
                     struct gate_error *err) {
    const char *unfinished = gate_worktree_path(worktree, "repository.unfinished");
    if (unfinished == NULL)
        return gate_arena_error(worktree->arena, err);
    if (!gate_folder_remove(unfinished, worktree->interrupt, worktree->arena, err) ||
        !GATE_GIT(&worktree->own, NULL, err, "init", "--quiet", "--bare", format, unfinished) ||
        !gate_folder_remove(repository, worktree->interrupt, worktree->arena, err))
        return false;
    return rename(unfinished, repository) == 0 ||
           gate_error_set(err, GATE_ERR_IO, "%s: cannot be renamed: %s", unfinished, strerror(errno));
}

static bool own_open(struct gate_worktree *out, struct gate_error *err) {
    struct gate_str format;
    const char *repository = gate_worktree_path(out, "repository.git");
    const char *last = gate_worktree_path(out, "repository.git/objects/info"); /* exists if the repository is
                                                                                  complete */
    if (repository == NULL || last == NULL)
        return gate_arena_error(out->arena, err);
    if (!gate_git_begin(&out->own, out->cache, true, NULL, out->interrupt, out->arena, err) ||
        !GATE_GIT(&out->user, &format, err, "rev-parse", "--show-object-format"))
        return false;
    const char *option = gate_str_format(out->arena, "--object-format=%s", format.ptr).ptr;
    if (option == NULL)
        return gate_arena_error(out->arena, err);
    if (access(last, F_OK) != 0 && !own_make(out, repository, option, err))
        return false;
    return own_borrow(out, err) && own_shallow(out, err) &&
           gate_git_begin(&out->own, repository, true, NULL, out->interrupt, out->arena, err);
}

/* ---- sides ------------------------------------------------------------------------------------------------------- */

/* Move tree/ back to its side. If an earlier try was killed with a side at tree/, it is the side whose own folder is
 * missing. */
static bool sides_park(struct gate_worktree *worktree, struct gate_error *err) {
    const char *tree = gate_worktree_path(worktree, "tree");
    if (tree == NULL)
        return gate_arena_error(worktree->arena, err);
    worktree->entered = -1;
    for (int side = 0; access(tree, F_OK) == 0 && side < GATE_SIDES; side++) {
        const char *parked = gate_worktree_path(worktree, gate_side_word((enum gate_side_name)side));
        if (parked == NULL)
            return gate_arena_error(worktree->arena, err);
        if (access(parked, F_OK) != 0 && rename(tree, parked) != 0)
            return gate_error_set(err, GATE_ERR_IO, "%s: cannot be renamed: %s", tree, strerror(errno));
    }
    return gate_folder_remove(tree, worktree->interrupt, worktree->arena, err);
}

bool gate_worktree_open(struct gate_worktree *out, const char *cache, struct gate_interrupt *interrupt,
                        struct gate_arena *arena, struct gate_error *err) {
    *out = (struct gate_worktree){.interrupt = interrupt, .arena = arena, .lock = -1, .entered = -1};
    return user_find(out, err) && cache_make(out, cache, err) && sides_park(out, err) && own_open(out, err);
}

bool gate_worktree_resolve(const struct gate_worktree *worktree, struct gate_str *commit, const char *revision,
                           struct gate_error *err) {
    struct gate_error why = {0};
    const char *wanted = gate_str_format(worktree->arena, "%s^{commit}", revision).ptr;
    if (wanted == NULL)
        return gate_arena_error(worktree->arena, err);
    if (GATE_GIT(&worktree->user, commit, &why, "rev-parse", "--verify", "--quiet", "--end-of-options", wanted))
        return true;
    if (why.code != GATE_ERR_INPUT)
        return gate_error_set(err, why.code, "%s", why.message);
    return gate_error_set(
        err, GATE_ERR_USAGE,
        "git has no commit '%s'; give a branch, a tag or a commit of this repository, and fetch it first", revision);
}

/* Check out `commit` at `path`, the folder of a side outside of tree/; create the worktree if it is missing. */
static bool side_checkout(const struct gate_worktree *worktree, const char *path, struct gate_str commit,
                          struct gate_error *err) {
    struct gate_git side;
    const char *dot_git = gate_str_format(worktree->arena, "%s/.git", path).ptr;
    if (dot_git == NULL)
        return gate_arena_error(worktree->arena, err);
    if (access(dot_git, F_OK) != 0)
        return gate_folder_remove(path, worktree->interrupt, worktree->arena, err) &&
               GATE_GIT(&worktree->own, NULL, err, "worktree", "prune", "--expire=now") &&
               /* --force twice: replaces a worktree that a killed git began and left locked. */
               GATE_GIT(&worktree->own, NULL, err, "worktree", "add", "--quiet", "--detach", "--force", "--force", path,
                        commit.ptr);
    return gate_git_begin(&side, path, true, NULL, worktree->interrupt, worktree->arena, err) &&
           GATE_GIT(&side, NULL, err, "checkout", "--quiet", "--force", "--detach", commit.ptr) &&
           GATE_GIT(&side, NULL, err, "clean", "-ffdq");
}

/* Remove damaged entries of worktrees in the private repository, because git fails if one is damaged. Always remove the
 * entry of `anew`: its checkout is made again, and a killed git may have left the entry locked. */
static bool entries_repair(const struct gate_worktree *worktree, enum gate_side_name anew, struct gate_error *err) {
    for (int side = 0; side < GATE_SIDES; side++) {
        const char *word = gate_side_word((enum gate_side_name)side);
        const char *notes =
            gate_str_format(worktree->arena, "%s/repository.git/worktrees/%s", worktree->cache, word).ptr;
        const char *common = gate_str_format(worktree->arena, "%s/commondir", notes == NULL ? "" : notes).ptr;
        struct stat status;
        if (notes == NULL || common == NULL)
            return gate_arena_error(worktree->arena, err);
        if ((side == (int)anew || stat(common, &status) != 0 || status.st_size == 0) &&
            !gate_folder_remove(notes, worktree->interrupt, worktree->arena, err))
            return false;
    }
    return true;
}

bool gate_worktree_checkout(struct gate_worktree *worktree, enum gate_side_name side, struct gate_str commit,
                            struct gate_error *err) {
    const char *path = gate_worktree_path(worktree, gate_side_word(side));
    struct gate_error why = {0};
    if (path == NULL)
        return gate_arena_error(worktree->arena, err);
    if (!sides_park(worktree, err))
        return false;
    if (side_checkout(worktree, path, commit, &why))
        return true;
    if (why.code != GATE_ERR_INPUT)
        return gate_error_set(err, why.code, "%s", why.message);
    /* The cache may be damaged: a try was killed, or borrowed objects were garbage-collected. Make the checkout anew,
     * once. */
    return gate_folder_remove(path, worktree->interrupt, worktree->arena, err) && entries_repair(worktree, side, err) &&
           side_checkout(worktree, path, commit, err);
}

bool gate_worktree_enter(struct gate_worktree *worktree, enum gate_side_name side, const char **directory,
                         struct gate_error *err) {
    const char *tree = gate_worktree_path(worktree, "tree");
    const char *parked = gate_worktree_path(worktree, gate_side_word(side));
    struct stat status;
    if (tree == NULL || parked == NULL)
        return gate_arena_error(worktree->arena, err);
    if (worktree->entered != (int)side) {
        if (!sides_park(worktree, err))
            return false;
        if (rename(parked, tree) != 0)
            return gate_error_set(err, GATE_ERR_IO, "%s: cannot be renamed: %s", parked, strerror(errno));
        worktree->entered = (int)side;
    }
    *directory = worktree->prefix.len == 0
                     ? tree
                     : gate_str_format(worktree->arena, "%s/%.*s", tree, GATE_STR_ARG(worktree->prefix)).ptr;
    if (*directory == NULL)
        return gate_arena_error(worktree->arena, err);
    if (stat(*directory, &status) != 0 || !S_ISDIR(status.st_mode))
        return gate_error_set(err, GATE_ERR_INPUT, "the %s has no directory '%.*s', which the commands would run in",
                              gate_side_word(side), GATE_STR_ARG(worktree->prefix));
    return true;
}

void gate_worktree_close(struct gate_worktree *worktree) {
    struct gate_error ignored = {0};
    if (worktree->lock < 0)
        return;
    if (!sides_park(worktree, &ignored))
        worktree->entered = -1; /* the next `try` moves the side back */
    (void)close(worktree->lock);
    worktree->lock = -1;
}

/* ---- snapshots --------------------------------------------------------------------------------------------------- */

/* Set up git in the user's working tree with another index and another object folder. Author and date are fixed, so
 * that the same tree on the same commit gives the same commit and builds are reused. */
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

/* Copy the index and its time. Git compares the bytes of files that changed in the same second as the index. With a
 * newer index it would miss such changes. */
static bool index_copy(const char *to, const char *from, struct gate_arena *arena, struct gate_error *err) {
    struct stat status;
    if (stat(from, &status) != 0)
        return true; /* no file was added yet */
    const struct timespec second = {.tv_sec = status.st_mtime}, times[2] = {second, second};
    return gate_folder_copy_file(to, from, arena, err) &&
           (utimensat(AT_FDCWD, to, times, 0) == 0 ||
            gate_error_set(err, GATE_ERR_IO, "%s: its time cannot be set: %s", to, strerror(errno)));
}

/* Start from the user's index, so that git need not read unchanged files again. The cache is locked, so an index.lock
 * there was left by a killed try. */
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
