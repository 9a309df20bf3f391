/* SPDX-License-Identifier: Apache-2.0 */
/* Clean paths (see file_path.h). */
#include "gate/profile/file_path.h"

static bool holds(struct gate_str text, struct gate_str part) {
    return gate_str_find(text, part, 0) != SIZE_MAX;
}

static bool may_be_unclean(struct gate_str path) {
    return holds(path, GATE_STR("//")) || holds(path, GATE_STR("/.")) || gate_str_starts(path, GATE_STR("./")) ||
           (path.len > 1 && gate_str_ends(path, GATE_STR("/")));
}

/* Behind "webpack://", or 0. */
static size_t scheme_end(struct gate_str path) {
    size_t at = gate_str_find(path, GATE_STR("://"), 0);
    return at == SIZE_MAX || at == 0 || memchr(path.ptr, '/', at) != NULL ? 0 : at + 3;
}

/* A path under construction: `kept` is its length that ".." cannot shorten, a root or leading ".."s. */
struct cleaning {
    char *out;
    size_t len, kept;
    bool is_rooted;
};

static void part_add(struct cleaning *path, struct gate_str part) {
    bool is_up = gate_str_equal(part, GATE_STR(".."));
    if (part.len == 0 || gate_str_equal(part, GATE_STR(".")) || (is_up && path->is_rooted && path->len == path->kept))
        return;
    if (is_up && path->len > path->kept) {
        while (path->len > path->kept && path->out[path->len - 1] != '/')
            path->len--;
        if (path->len > path->kept)
            path->len--; /* the '/' */
        return;
    }
    if (path->len > 0 && path->out[path->len - 1] != '/')
        path->out[path->len++] = '/';
    memcpy(path->out + path->len, part.ptr, part.len);
    path->len += part.len;
    if (is_up)
        path->kept = path->len;
}

struct gate_str gate_file_path_clean(struct gate_arena *arena, struct gate_str path) {
    if (!may_be_unclean(path))
        return path;
    struct cleaning cleaned = {.out = gate_arena_alloc(arena, path.len + 1)};
    size_t scheme = scheme_end(path);
    struct gate_str rest = gate_str_slice(path, scheme, path.len);
    if (cleaned.out == NULL)
        return (struct gate_str){NULL, 0};
    memcpy(cleaned.out, path.ptr, scheme);
    cleaned.out += scheme;
    cleaned.is_rooted = gate_str_starts(rest, GATE_STR("/"));
    if (cleaned.is_rooted)
        cleaned.out[cleaned.len++] = '/';
    cleaned.kept = cleaned.len;
    for (size_t at = 0; at < rest.len;) {
        size_t end = gate_str_find(rest, GATE_STR("/"), at);
        end = end == SIZE_MAX ? rest.len : end;
        part_add(&cleaned, gate_str_slice(rest, at, end));
        at = end + 1;
    }
    if (cleaned.len == 0)
        cleaned.out[cleaned.len++] = '.';
    return (struct gate_str){cleaned.out - scheme, scheme + cleaned.len};
}
