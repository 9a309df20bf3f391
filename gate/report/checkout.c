/* SPDX-License-Identifier: Apache-2.0 */
/* Map file names in a profile to files of the checkout. */
#define _DEFAULT_SOURCE /* d_type */
#include "gate/report/checkout.h"

#include "gate/base/buf.h"
#include "gate/base/escape.h"
#include "gate/budget/call_trees.h"
#include "gate/compare/comparison.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- mapping a file name ----------------------------------------------------------------------------------------- */

/* Return whether `file` is in Go's module cache: "example.com/dep@v1.2.3/a.go". An npm scope such as "@vue/" is not. */
static bool is_versioned(struct gate_str file) {
    for (size_t at = 0; (at = gate_str_find(file, GATE_STR("@v"), at)) != SIZE_MAX; at += 2)
        if (at + 2 < file.len && gate_is_digit(file.ptr[at + 2]))
            return true;
    return false;
}

/* Return whether `path` is below `folder`. */
static bool is_below(struct gate_str folder, struct gate_str path) {
    return gate_str_starts(path, folder) && path.len >= folder.len + 2 && path.ptr[folder.len] == '/';
}

struct gate_str gate_checkout_tried(struct gate_str path) {
    const struct gate_str cache = GATE_STR("/pprofgate/try/"), tree = GATE_STR("/tree/");
    size_t at = gate_str_find(path, cache, 0), end = at;
    if (at != SIZE_MAX)
        for (end = at + cache.len; end < path.len && gate_hex_value(path.ptr[end]) >= 0;)
            end++;
    bool is_tree = at != SIZE_MAX && gate_str_starts(gate_str_slice(path, end, path.len), tree);
    return is_tree ? gate_str_slice(path, end + tree.len, path.len) : GATE_STR("");
}

/* Append the path relative to the nearest root, or to the worktree of `try`, whose files are those of the checkout. */
static bool put_absolute(struct gate_buf *out, const struct gate_checkout *checkout, struct gate_str file) {
    struct gate_str best = gate_checkout_tried(file);
    struct gate_str root = best.len > 0 && checkout->root_count > 0 ? checkout->roots[0] : GATE_STR("");
    for (uint32_t i = 0; i < checkout->root_count; i++) {
        size_t from = checkout->roots[i].len + 1;
        if (!is_below(checkout->roots[i], file) || (best.len > 0 && file.len - from >= best.len))
            continue;
        best = gate_str_slice(file, from, file.len);
        root = checkout->roots[i];
    }
    if (best.len == 0 || (checkout->has != NULL && !checkout->has(root, best)))
        return false;
    gate_buf_str(out, best);
    return true;
}

/* Prefer the module with the longer name; of equal names the one nearer to the root. */
static bool is_nearer(const struct gate_checkout_module *a, const struct gate_checkout_module *b) {
    if (a->name.len != b->name.len)
        return a->name.len > b->name.len;
    return a->folder.len != b->folder.len ? a->folder.len < b->folder.len : gate_str_compare(a->folder, b->folder) < 0;
}

static bool put_module(struct gate_buf *out, struct gate_checkout_modules modules, struct gate_str file) {
    const struct gate_checkout_module *best = NULL;
    for (uint32_t i = 0; i < modules.count; i++)
        if (is_below(modules.items[i].name, file) && (best == NULL || is_nearer(&modules.items[i], best)))
            best = &modules.items[i];
    if (best == NULL)
        return false;
    gate_buf_str(out, best->folder);
    gate_buf_str(out, gate_str_slice(file, best->name.len + 1, file.len));
    return true;
}

/* A path without a folder belongs to no module: "main.go" is in the package of the working directory, or in a
 * dependency. */
static bool put_relative(struct gate_buf *out, const struct gate_checkout *checkout, struct gate_str file) {
    bool is_nested = gate_str_find(file, GATE_STR("/"), 0) != SIZE_MAX, is_go = gate_str_ends(file, GATE_STR(".go"));
    bool is_there =
        is_go && checkout->has != NULL && checkout->root_count > 0 && checkout->has(checkout->roots[0], file);
    struct gate_checkout_modules modules = {NULL, 0};
    if (checkout->modules != NULL && (is_nested || (is_go && !is_there)))
        modules = checkout->modules(checkout->search);
    if (is_nested && put_module(out, modules, file))
        return true;
    /* If there are modules, a relative Go path outside of them belongs to the standard library or a dependency. */
    if (modules.count > 0 && is_go && !is_there)
        return false;
    gate_buf_str(out, file);
    return true;
}

/* Return whether `file` is not a path of this file system: "node:fs", "webpack://app/a.js", "C:\\src\\a.cs". */
static bool has_scheme(struct gate_str file) {
    size_t colon = gate_str_find(file, GATE_STR(":"), 0);
    return colon != SIZE_MAX && colon < gate_str_find(file, GATE_STR("/"), 0);
}

/* Return the path if the file may be in the checkout; else empty. */
static struct gate_str path_of(struct gate_str file) {
    if (gate_str_starts(file, GATE_STR("file:///")))
        file = gate_str_slice(file, 7, file.len);
    if (has_scheme(file) || gate_str_find(file, GATE_STR(".."), 0) != SIZE_MAX || is_versioned(file))
        return (struct gate_str){"", 0};
    return gate_str_slice(file, gate_str_starts(file, GATE_STR("./")) ? 2 : 0, file.len);
}

bool gate_checkout_put(struct gate_buf *out, const struct gate_checkout *checkout, struct gate_str file) {
    const struct gate_checkout nowhere = {0};
    struct gate_str path = path_of(file);
    if (path.len == 0)
        return false;
    if (checkout == NULL)
        checkout = &nowhere;
    return path.ptr[0] == '/' ? put_absolute(out, checkout, path) : put_relative(out, checkout, path);
}

bool gate_checkout_may_contain(const struct gate_checkout *checkout, struct gate_str file) {
    if (checkout == NULL || checkout->modules == NULL || file.len == 0 || file.ptr[0] == '/')
        return false;
    struct gate_str path = path_of(file);
    return path.len > 0 && path.ptr[0] != '/' &&
           (gate_str_find(path, GATE_STR("/"), 0) != SIZE_MAX || gate_str_ends(path, GATE_STR(".go")));
}

bool gate_checkout_put_own(struct gate_buf *out, const struct gate_checkout *checkout, struct gate_str file) {
    if (file.len > 0 && file.ptr[0] == '/')
        return checkout != NULL && put_absolute(out, checkout, file);
    if (file.len == 0 || gate_str_ends(file, GATE_STR("(built in)")))
        return false;
    if (checkout != NULL)
        gate_buf_str(out, checkout->here);
    gate_buf_str(out, gate_str_slice(file, gate_str_starts(file, GATE_STR("./")) ? 2 : 0, file.len));
    return true;
}

void gate_checkout_address(struct gate_buf *out, const char *pattern, struct gate_str path, int64_t line) {
    const struct gate_str for_path = GATE_STR("{path}"), for_line = GATE_STR("{line}");
    struct gate_str rest = gate_str_from(pattern);
    for (size_t i = 0; i < rest.len; i++) {
        struct gate_str here = gate_str_slice(rest, i, rest.len);
        bool is_path = gate_str_starts(here, for_path);
        if (is_path)
            gate_escape_percent(out, path, "-_.~/");
        else if (gate_str_starts(here, for_line))
            gate_buf_printf(out, "%lld", (long long)(line > 0 ? line : 1));
        else {
            gate_buf_char(out, rest.ptr[i]);
            continue;
        }
        i += is_path ? for_path.len - 1 : for_line.len - 1;
    }
}

/* ---- finding the checkout ---------------------------------------------------------------------------------------- */

#ifdef __linux__
#include <sys/vfs.h>
#endif

enum { DEPTH_MAX = 3, ENTRIES_MAX = 20000, MODULES_MAX = 64, LINE_BYTES = 1024 };

/* The search of a checkout for go.mod files. It runs once, when first needed. */
struct module_search {
    const char *root;
    struct gate_checkout_module *modules;
    uint32_t count, entries;
    pthread_mutex_t lock;
    struct gate_arena arena; /* not shared, because several threads may search */
    dev_t device;            /* device of the root */
    bool counts_links;       /* the link count of a folder is 2 plus the number of its subfolders */
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

/* Return the folder at or above `path` that contains .git; `.len` is 0 if there is none. */
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

/* Add a root, but not "/": every absolute path would be in that checkout. */
static void add_root(struct gate_checkout *out, struct gate_str root) {
    while (root.len > 1 && root.ptr[root.len - 1] == '/')
        root.len--;
    if (root.len < 2 || root.ptr[0] != '/' || out->root_count == GATE_CHECKOUT_ROOTS)
        return;
    out->roots[out->root_count++] = root;
}

/* CI systems name the checkout in variables. A repository inside of that folder is the better root; a repository around
 * it is not the checkout. If the run is outside of these folders, the repository around the run is the root. */
static void find_roots(struct gate_checkout *out, struct gate_str here) {
    static const char *const variables[] = {"GITHUB_WORKSPACE", "CI_PROJECT_DIR"};
    struct gate_str top = git_top(here);
    bool is_known = false, is_inside = false;
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *value = getenv(variables[i]);
        struct gate_str folder = gate_str_from(value == NULL ? "" : value);
        is_known = is_known || (folder.len > 1 && is_at_or_below(folder, here));
        is_inside = is_inside || (folder.len > 1 && is_at_or_below(folder, top));
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

/* Return "example.com/shop" from a line "module example.com/shop // why". */
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

/* Add the module of a go.mod. Most folders have none, and fstatat takes half as long as a failed open. */
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

/* Links are not followed, because they may form cycles. d_type has the kind on most file systems. On others, fstatat is
 * needed, which for thousands of files takes longer than comparing small profiles. */
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
    enum { EXT = 0xEF53, XFS = 0x58465342, TMPFS = 0x01021994 }; /* other file systems may count links differently */
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

/* Return false if a folder has no subfolders. That is true for most, and listing their files would take most of the
 * time. */
static bool may_hold_folders(const struct module_search *search, int directory, const char *name) {
    struct stat status;
    return !search->counts_links || fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) != 0 ||
           status.st_dev != search->device || status.st_nlink != 2;
}

/* Add the module in the folder `name` of the open `directory`, and those up to `depth` levels below. `folder` is its
 * path from the root. Files are opened relative to the parent folder: the kernel would resolve a long path anew for
 * each of hundreds. */
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

bool gate_checkout_is_needed(const struct gate_checkout *checkout, const struct gate_comparison *comparisons,
                             uint32_t count) {
    for (uint32_t c = 0; checkout != NULL && c < count; c++) {
        const struct gate_pair *pair = &comparisons[c].pair;
        for (uint32_t i = 0; i < pair->frame_count; i++)
            if (pair->frames[i].is_own && gate_checkout_may_contain(checkout, pair->frames[i].file))
                return true;
    }
    return false;
}

static void look_for_modules(void *context, const struct gate_comparison *comparisons, uint32_t count) {
    const struct gate_checkout *checkout = context;
    if (checkout->modules != NULL && gate_checkout_is_needed(checkout, comparisons, count))
        (void)checkout->modules(checkout->search);
}

struct gate_background_task gate_checkout_task(struct gate_checkout *checkout) {
    return (struct gate_background_task){look_for_modules, checkout};
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
