/* SPDX-License-Identifier: Apache-2.0 */
/* Where the checkout is (see checkout_find.h). */
#define _DEFAULT_SOURCE /* d_type */
#include "gate/cli/checkout_find.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/vfs.h>
#endif

enum { DEPTH_MAX = 3, ENTRIES_MAX = 20000, MODULES_MAX = 64, LINE_BYTES = 1024 };

/* The one search of a checkout for go.mod, when it is first asked for. */
struct module_search {
    const char *root;
    struct gate_checkout_module *modules;
    uint32_t count, entries;
    pthread_mutex_t lock;
    struct gate_arena arena; /* its own: several threads may ask */
    dev_t device;            /* of the root */
    bool counts_links;       /* a folder there has as many as folders in it, and two */
    bool is_done, failed;
};

static bool checkout_has(struct gate_str root, struct gate_str path) {
    char name[PATH_MAX];
    struct stat status;
    int len = snprintf(name, sizeof name, "%.*s/%.*s", GATE_STR_ARG(root), GATE_STR_ARG(path));
    return len > 0 && (size_t)len < sizeof name && stat(name, &status) == 0 && S_ISREG(status.st_mode);
}

/* ---- roots ------------------------------------------------------------------------------------------------------- */

static bool is_at_or_below(struct gate_str folder, struct gate_str path) {
    return gate_str_starts(path, folder) && (path.len == folder.len || path.ptr[folder.len] == '/');
}

/* The folder at or above `path` that holds .git; `.len` 0: none. */
static struct gate_str git_top(struct gate_str path) {
    char name[PATH_MAX];
    struct stat status;
    while (path.len > 1) {
        int len = snprintf(name, sizeof name, "%.*s/.git", GATE_STR_ARG(path));
        if (len > 0 && (size_t)len < sizeof name && stat(name, &status) == 0)
            return path;
        while (path.len > 0 && path.ptr[path.len - 1] != '/')
            path.len--;
        path.len -= path.len > 0;
    }
    return (struct gate_str){"", 0};
}

/* The root of the file system would make any path one of the checkout. */
static void add_root(struct gate_checkout *out, struct gate_str root) {
    while (root.len > 1 && root.ptr[root.len - 1] == '/')
        root.len--;
    if (root.len < 2 || root.ptr[0] != '/' || out->root_count == GATE_CHECKOUT_ROOTS)
        return;
    out->roots[out->root_count++] = root;
}

/* CI systems say where they put the checkout. A repository in it (one of several) is nearer; one around it is not it.
 * Where the run is somewhere else altogether, the repository around the run counts. */
static void find_roots(struct gate_checkout *out, struct gate_str here) {
    static const char *const variables[] = {"GITHUB_WORKSPACE", "CI_PROJECT_DIR"};
    struct gate_str top = git_top(here);
    bool is_known = false, is_inside = false;
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *value = getenv(variables[i]);
        struct gate_str told = gate_str_from(value == NULL ? "" : value);
        is_known = is_known || (told.len > 1 && is_at_or_below(told, here));
        is_inside = is_inside || (told.len > 1 && is_at_or_below(told, top));
    }
    if (top.len > 0 && (!is_known || is_inside))
        add_root(out, top);
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *value = getenv(variables[i]);
        if (value != NULL)
            add_root(out, gate_str_from(value));
    }
    if (out->root_count == 0)
        add_root(out, here);
}

/* ---- modules ----------------------------------------------------------------------------------------------------- */

/* "example.com/shop" of a line "module example.com/shop // why". */
static struct gate_str module_name(struct gate_str line) {
    line = gate_str_trim(line);
    if (!gate_str_starts(line, GATE_STR("module ")) && !gate_str_starts(line, GATE_STR("module\t")))
        return (struct gate_str){"", 0};
    line = gate_str_slice(line, 7, gate_str_find(line, GATE_STR("//"), 0));
    line = gate_str_trim(line);
    if (line.len > 2 && (line.ptr[0] == '"' || line.ptr[0] == '`'))
        line = gate_str_slice(line, 1, line.len - 1);
    return line;
}

static FILE *open_in(int directory, const char *path) {
    int descriptor = openat(directory, path, O_RDONLY | O_CLOEXEC);
    FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "r");
    if (file == NULL && descriptor >= 0)
        (void)close(descriptor);
    return file;
}

/* Most folders have none: whether there is one is asked first, which costs half of trying to open it. */
static void add_module(struct module_search *search, int directory, const char *path, struct gate_str folder) {
    char line[LINE_BYTES];
    struct stat status;
    struct gate_str name = {"", 0};
    bool is_there = search->count < MODULES_MAX && fstatat(directory, path, &status, 0) == 0;
    FILE *file = is_there ? open_in(directory, path) : NULL;
    if (file == NULL)
        return;
    while (name.len == 0 && fgets(line, sizeof line, file) != NULL)
        name = module_name(gate_str_from(line));
    (void)fclose(file);
    if (name.len == 0)
        return;
    struct gate_checkout_module *module = &search->modules[search->count++];
    *module = (struct gate_checkout_module){gate_str_copy(&search->arena, name), gate_str_copy(&search->arena, folder)};
    search->failed = search->failed || module->name.ptr == NULL || module->folder.ptr == NULL;
}

static bool is_searched(const char *name) {
    return name[0] != '.' && strcmp(name, "vendor") != 0 && strcmp(name, "node_modules") != 0;
}

/* Links are not followed: they may lead round. The listing tells most kinds; where a file system does not say, it is
 * asked, which for thousands of files takes longer than small profiles do. */
static bool is_folder(int directory, const struct dirent *entry) {
    struct stat status;
#ifdef DT_DIR
    if (entry->d_type != DT_UNKNOWN)
        return entry->d_type == DT_DIR;
#endif
    return fstatat(directory, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(status.st_mode);
}

static bool counts_links(const char *root, dev_t *device) {
#ifdef __linux__
    enum { EXT = 0xEF53, XFS = 0x58465342, TMPFS = 0x01021994 }; /* others may say anything */
    struct statfs system;
    struct stat status;
    if (statfs(root, &system) != 0 || stat(root, &status) != 0)
        return false;
    *device = status.st_dev;
    return system.f_type == EXT || system.f_type == XFS || system.f_type == TMPFS;
#else
    (void)root;
    (void)device;
    return false;
#endif
}

/* Most folders hold files alone, and listing those takes longest. */
static bool may_hold_folders(const struct module_search *search, int directory, const char *name) {
    struct stat status;
    return !search->counts_links || fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) != 0 ||
           status.st_dev != search->device || status.st_nlink != 2;
}

/* `folder`, from the root, is `name` in the open `directory`; and what is below it, as far as `depth`. All are asked
 * for from the folder above: a path from the root of the file system is walked anew for each of hundreds. */
static void find_modules(struct module_search *search, int directory, const char *name, const char *folder, int depth) {
    char path[PATH_MAX];
    if (snprintf(path, sizeof path, "%s/go.mod", name) < (int)sizeof path)
        add_module(search, directory, path, gate_str_from(folder));
    if (depth == 0 || !may_hold_folders(search, directory, name))
        return;
    int descriptor = openat(directory, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *listing = descriptor < 0 ? NULL : fdopendir(descriptor);
    if (listing == NULL && descriptor >= 0)
        (void)close(descriptor);
    if (listing == NULL)
        return;
    const struct dirent *entry;
    while ((entry = readdir(listing)) != NULL && search->entries++ < ENTRIES_MAX)
        if (is_searched(entry->d_name) && is_folder(descriptor, entry) &&
            snprintf(path, sizeof path, "%s%s/", folder, entry->d_name) < (int)sizeof path)
            find_modules(search, descriptor, entry->d_name, path, depth - 1);
    (void)closedir(listing);
}

static struct gate_checkout_modules search_modules(void *context) {
    struct module_search *search = context;
    (void)pthread_mutex_lock(&search->lock);
    if (!search->is_done) {
        search->modules = GATE_NEW_ARRAY(&search->arena, struct gate_checkout_module, MODULES_MAX);
        search->counts_links = counts_links(search->root, &search->device);
        if (search->modules != NULL)
            find_modules(search, AT_FDCWD, search->root, "", DEPTH_MAX);
        search->failed = search->failed || search->modules == NULL;
        search->is_done = true;
    }
    (void)pthread_mutex_unlock(&search->lock);
    return (struct gate_checkout_modules){search->modules, search->failed ? 0 : search->count};
}

bool gate_checkout_find(struct gate_checkout *out, struct gate_arena *arena, struct gate_error *err) {
    char folder[PATH_MAX];
    *out = (struct gate_checkout){.has = checkout_has};
    if (getcwd(folder, sizeof folder) == NULL)
        return true;
    struct gate_str here = gate_str_copy(arena, gate_str_from(folder));
    struct module_search *search = GATE_NEW_ARRAY(arena, struct module_search, 1);
    if (here.ptr == NULL || search == NULL)
        return gate_arena_error(arena, err);
    find_roots(out, here);
    if (out->root_count == 0)
        return true;
    const struct gate_str root = out->roots[0];
    struct gate_str name = gate_str_copy(arena, root);
    bool is_below = here.len > root.len && is_at_or_below(root, here);
    struct gate_str below = gate_str_slice(here, is_below ? root.len + 1 : here.len, here.len);
    out->here = gate_str_format(arena, "%.*s%s", GATE_STR_ARG(below), is_below ? "/" : "");
    if (name.ptr == NULL || out->here.ptr == NULL)
        return gate_arena_error(arena, err);
    search->root = name.ptr;
    gate_arena_fork(&search->arena, arena);
    (void)pthread_mutex_init(&search->lock, NULL);
    out->modules = search_modules;
    out->search = search;
    return true;
}

bool gate_checkout_is_asked(const struct gate_checkout *checkout, const struct gate_comparison *comparisons,
                            uint32_t count) {
    for (uint32_t c = 0; checkout != NULL && c < count; c++) {
        const struct gate_pair *pair = &comparisons[c].pair;
        for (uint32_t i = 0; i < pair->frame_count; i++)
            if (pair->frames[i].is_own && gate_checkout_may_ask(checkout, pair->frames[i].file))
                return true;
    }
    return false;
}

static void look_for_modules(void *context, const struct gate_comparison *comparisons, uint32_t count) {
    const struct gate_checkout *checkout = context;
    if (checkout->modules != NULL && gate_checkout_is_asked(checkout, comparisons, count))
        (void)checkout->modules(checkout->search);
}

struct gate_errand gate_checkout_errand(struct gate_checkout *checkout) {
    return (struct gate_errand){look_for_modules, checkout};
}

bool gate_checkout_end(struct gate_checkout *checkout, struct gate_arena *arena, struct gate_error *err) {
    struct module_search *search = checkout->search;
    if (search == NULL)
        return true;
    bool ok = !search->failed || gate_arena_error(&search->arena, err);
    gate_arena_absorb(arena, &search->arena);
    (void)pthread_mutex_destroy(&search->lock);
    checkout->modules = NULL;
    checkout->search = NULL;
    return ok;
}
