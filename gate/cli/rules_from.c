/* SPDX-License-Identifier: Apache-2.0 */
/* Rules of a revision (see rules_from.h). */
#define _XOPEN_SOURCE 700 /* realpath */
#include "gate/cli/rules_from.h"

#include "gate/base/sandbox.h"
#include "gate/cli/input.h"
#include "gate/cli/option_value.h"
#include "gate/cli/paths.h"
#include "gate/store/ancestry.h"
#include "gate/trial/git.h"

#include <stdlib.h>
#include <unistd.h>

enum { EDITS_BYTES = 2000 };

static const struct gate_option rows[] = {
    {"rules-from", 0, "REV",
     "take the rules and noise models of the checkout as revision REV has them, the base of a change say; what the "
     "change edits of them is reported",
     gate_option_value_text, offsetof(struct gate_rules_from, revision), NULL},
    {0},
};
const struct gate_option_group gate_rules_from_options = {.rows = rows};

/* The repository of the folder that we are in: what a hook or a job sets to lead elsewhere does not count. */
static bool ask(struct gate_str *out, const char *const *words, bool is_text, struct gate_arena *arena,
                struct gate_error *err) {
    struct gate_interrupt interrupt;
    struct gate_git git;
    gate_interrupt_hold(&interrupt);
    bool ok = gate_git_begin(&git, NULL, false, NULL, &interrupt, arena, err) &&
              (is_text ? gate_git_run(&git, out, words, err) : gate_git_bytes(&git, out, words, err));
    gate_interrupt_release(&interrupt);
    return ok;
}

unsigned gate_rules_from_needs(const struct gate_rules_from *from) {
    return from->revision == NULL ? 0 : GATE_NEEDS_PROGRAMS;
}

bool gate_rules_from_begin(struct gate_rules_from *from, struct gate_arena *arena, struct gate_error *err) {
    static const char *const top[] = {"rev-parse", "--show-toplevel", NULL};
    static const char *const here[] = {"rev-parse", "--show-prefix", NULL};
    struct gate_error why = {0};
    if (from->revision == NULL || from->commit.ptr != NULL)
        return true;
    if (!gate_ancestry_commit(&from->commit, gate_str_from(from->revision), arena, &why))
        return gate_error_set(err, why.code, "'--rules-from %s': %s", from->revision, why.message);
    if (!ask(&from->top, top, true, arena, &why) || !ask(&from->here, here, true, arena, &why))
        return gate_error_set(err, why.code, "'--rules-from %s' needs a checkout with its files: %s", from->revision,
                              why.message);
    from->top = gate_str_format(arena, "%.*s/", GATE_STR_ARG(from->top));
    return from->top.ptr != NULL || gate_arena_error(arena, err);
}

/* ---- paths ------------------------------------------------------------------------------------------------------- */

/* "a/./b/../c" is "a/c"; what leads out of the top is refused. */
static bool fold(char *out, struct gate_str path) {
    size_t len = 0;
    for (size_t at = 0; at <= path.len;) {
        size_t slash = gate_str_find(path, GATE_STR("/"), at);
        size_t end = slash == SIZE_MAX ? path.len : slash;
        struct gate_str part = gate_str_slice(path, at, end);
        at = end + 1;
        if (part.len == 0 || gate_str_equal(part, GATE_STR(".")))
            continue;
        if (gate_str_equal(part, GATE_STR(".."))) {
            if (len == 0)
                return false;
            while (len > 0 && out[len - 1] != '/')
                len--;
            len -= len > 0;
            continue;
        }
        if (len > 0)
            out[len++] = '/';
        memcpy(out + len, part.ptr, part.len);
        len += part.len;
    }
    out[len] = '\0';
    return len > 0;
}

/* The path in the checkout, from its top, NUL-terminated; NULL: it lies outside. A link is what it is called: what the
 * change makes of it does not lead out. */
static const char *path_in(const struct gate_rules_from *from, const char *path, struct gate_arena *arena) {
    struct gate_str text = gate_str_from(path);
    struct gate_str whole = {NULL, 0};
    if (from == NULL || from->revision == NULL || gate_paths_is_stream(path))
        return NULL;
    if (path[0] != '/') {
        whole = gate_str_format(arena, "%.*s%s", GATE_STR_ARG(from->here), path);
    } else if (gate_str_starts(text, from->top)) {
        whole = gate_str_slice(text, from->top.len, text.len);
    } else { /* the same place by another way */
        char *real = realpath(path, NULL);
        struct gate_str where = gate_str_from(real == NULL ? "" : real);
        if (gate_str_starts(where, from->top))
            whole = gate_str_copy(arena, gate_str_slice(where, from->top.len, where.len));
        free(real);
    }
    char *out = whole.ptr == NULL ? NULL : gate_arena_alloc(arena, whole.len + 1);
    return out != NULL && fold(out, whole) ? out : NULL;
}

bool gate_rules_from_has(const struct gate_rules_from *from, const char *path, struct gate_arena *arena) {
    return path_in(from, path, arena) != NULL;
}

static bool object(struct gate_str *out, const struct gate_rules_from *from, const char *in, const char *how,
                   struct gate_arena *arena, struct gate_error *err) {
    struct gate_str name = gate_str_format(arena, "%.*s:%s", GATE_STR_ARG(from->commit), in);
    if (name.ptr == NULL)
        return gate_arena_error(arena, err);
    const char *const words[] = {"cat-file", how, name.ptr, NULL};
    return ask(out, words, false, arena, err);
}

bool gate_rules_from_is_there(const struct gate_rules_from *from, const char *path, struct gate_arena *arena) {
    const char *in = path_in(from, path, arena);
    struct gate_error why = {0};
    struct gate_str out;
    return in == NULL ? access(path, F_OK) == 0 : object(&out, from, in, "-e", arena, &why);
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

bool gate_rules_from_read(struct gate_str *bytes, const struct gate_rules_from *from, const struct gate_cli *cli,
                          const char *path, struct gate_arena *arena, struct gate_error *err) {
    const char *in = path_in(from, path, arena);
    struct gate_error why = {0};
    if (in == NULL)
        return gate_input_read_small(bytes, cli, path, arena, err);
    if (object(bytes, from, in, "blob", arena, &why))
        return true;
    return gate_error_set(err, GATE_ERR_INPUT,
                          "revision '%s' has no such file (%s): commit it there, or name one outside of the checkout",
                          from->revision, why.message);
}

/* ---- what the change edits --------------------------------------------------------------------------------------- */

bool gate_rules_from_add(struct gate_rules_from *from, struct gate_str text, struct gate_arena *arena,
                         struct gate_error *err) {
    if (text.len == 0 || from->edits.len > EDITS_BYTES || gate_str_find(from->edits, text, 0) != SIZE_MAX)
        return true;
    from->edits = gate_str_format(arena, "%.*s%s%.*s", GATE_STR_ARG(from->edits), from->edits.len == 0 ? "" : "; ",
                                  GATE_STR_ARG(text));
    return from->edits.ptr != NULL || gate_arena_error(arena, err);
}

bool gate_rules_from_compare(struct gate_rules_from *from, const struct gate_cli *cli, const char *what,
                             const char *path, struct gate_str bytes, struct gate_error *err) {
    struct gate_error why = {0};
    struct gate_str now;
    if (!gate_rules_from_has(from, path, cli->arena))
        return true;
    bool is_there = gate_input_read_small(&now, cli, path, cli->arena, &why);
    if (is_there && gate_str_equal(now, bytes))
        return true;
    struct gate_str text = gate_str_format(cli->arena, "%s '%s' is %s", what, path, is_there ? "changed" : "removed");
    if (text.ptr == NULL)
        return gate_arena_error(cli->arena, err);
    return gate_rules_from_add(from, text, cli->arena, err);
}

struct gate_str gate_rules_from_sentence(const struct gate_rules_from *from, struct gate_arena *arena) {
    if (from == NULL || from->edits.len == 0)
        return GATE_STR("");
    return gate_str_format(arena, "the change edits the rules, and those of '%s' were used: %.*s", from->revision,
                           GATE_STR_ARG(from->edits));
}
