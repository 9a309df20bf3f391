/* SPDX-License-Identifier: Apache-2.0 */
/* Which file of a checkout a file of a profile is (see checkout.h). */
#include "gate/report/checkout.h"

/* "example.com/dep@v1.2.3/a.go": a module as Go's cache has it. A scope of npm, "@vue/", is none. */
static bool is_versioned(struct gate_str file) {
    for (size_t at = 0; (at = gate_str_find(file, GATE_STR("@v"), at)) != SIZE_MAX; at += 2)
        if (at + 2 < file.len && file.ptr[at + 2] >= '0' && file.ptr[at + 2] <= '9')
            return true;
    return false;
}

/* What of `path` lies in `folder`; `.len` 0: it does not. */
static struct gate_str below(struct gate_str folder, struct gate_str path) {
    if (!gate_str_starts(path, folder) || path.len < folder.len + 2 || path.ptr[folder.len] != '/')
        return (struct gate_str){"", 0};
    return gate_str_slice(path, folder.len + 1, path.len);
}

/* In the root that is nearest to it. */
static bool put_absolute(struct gate_buf *out, const struct gate_checkout *checkout, struct gate_str file) {
    struct gate_str best = {"", 0}, root = {"", 0};
    for (uint32_t i = 0; i < checkout->root_count; i++) {
        struct gate_str rest = below(checkout->roots[i], file);
        if (rest.len == 0 || (best.len > 0 && rest.len >= best.len))
            continue;
        best = rest;
        root = checkout->roots[i];
    }
    if (best.len == 0 || (checkout->has != NULL && !checkout->has(root, best)))
        return false;
    gate_buf_str(out, best);
    return true;
}

/* Of two modules that a path may be of: the longer name, and of copies the one nearer to the root. */
static bool is_nearer(const struct gate_checkout_module *a, const struct gate_checkout_module *b) {
    if (a->name.len != b->name.len)
        return a->name.len > b->name.len;
    return a->folder.len != b->folder.len ? a->folder.len < b->folder.len : gate_str_compare(a->folder, b->folder) < 0;
}

static bool put_module(struct gate_buf *out, struct gate_checkout_modules modules, struct gate_str file) {
    const struct gate_checkout_module *best = NULL;
    for (uint32_t i = 0; i < modules.count; i++)
        if (below(modules.items[i].name, file).len > 0 && (best == NULL || is_nearer(&modules.items[i], best)))
            best = &modules.items[i];
    if (best == NULL)
        return false;
    gate_buf_str(out, best->folder);
    gate_buf_str(out, below(best->name, file));
    return true;
}

/* A path without a folder is of no module: "main.go" is there, or a dependency's. */
static bool put_relative(struct gate_buf *out, const struct gate_checkout *checkout, struct gate_str file) {
    bool is_nested = gate_str_find(file, GATE_STR("/"), 0) != SIZE_MAX, is_go = gate_str_ends(file, GATE_STR(".go"));
    bool is_there =
        is_go && checkout->has != NULL && checkout->root_count > 0 && checkout->has(checkout->roots[0], file);
    struct gate_checkout_modules modules = {NULL, 0};
    if (checkout->modules != NULL && (is_nested || (is_go && !is_there)))
        modules = checkout->modules(checkout->search);
    if (is_nested && put_module(out, modules, file))
        return true;
    /* Of Go, a relative path that is of none of its modules is the standard library's or a dependency's. */
    if (modules.count > 0 && is_go && !is_there)
        return false;
    gate_buf_str(out, file);
    return true;
}

/* "node:fs", "webpack://app/a.js", "C:\\src\\a.cs": no path of this file system. */
static bool has_scheme(struct gate_str file) {
    size_t colon = gate_str_find(file, GATE_STR(":"), 0);
    return colon != SIZE_MAX && colon < gate_str_find(file, GATE_STR("/"), 0);
}

/* Of a file that may be in the checkout: its path; else empty. */
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

bool gate_checkout_may_ask(const struct gate_checkout *checkout, struct gate_str file) {
    if (checkout == NULL || checkout->modules == NULL || file.len == 0 || file.ptr[0] == '/')
        return false;
    struct gate_str path = path_of(file);
    return path.len > 0 && path.ptr[0] != '/' &&
           (gate_str_find(path, GATE_STR("/"), 0) != SIZE_MAX || gate_str_ends(path, GATE_STR(".go")));
}

void gate_checkout_put_own(struct gate_buf *out, const struct gate_checkout *checkout, struct gate_str file) {
    if (file.len > 0 && file.ptr[0] == '/' && checkout != NULL && put_absolute(out, checkout, file))
        return;
    bool is_file = file.len > 0 && file.ptr[0] != '/' && !gate_str_ends(file, GATE_STR("(built in)"));
    if (is_file && checkout != NULL)
        gate_buf_str(out, checkout->here);
    gate_buf_str(out, gate_str_slice(file, gate_str_starts(file, GATE_STR("./")) ? 2 : 0, file.len));
}
