/* SPDX-License-Identifier: Apache-2.0 */
/* Finds and loads the rules: a file, a preset, or the version in a git revision. */
#define _XOPEN_SOURCE 700 /* realpath */
#include "gate/session/rules_in_force.h"

#include "gate/base/embedded.h"
#include "gate/base/git.h"
#include "gate/base/sandbox.h"
#include "gate/capture/paths.h"
#include "gate/rules/rules.h"
#include "gate/rules/rules_diff.h"
#include "gate/rules/rules_parse.h"
#include "gate/session/input.h"
#include "gate/session/session.h"
#include "gate/session/store_options.h"
#include "gate/store/match.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* ---- --rules-from: rules of a git revision ----------------------------------------------------------------------- */

enum { EDITS_BYTES = 2000 };

/* Runs git in the current folder with this process's environment, so GIT_DIR and similar variables apply. Signals
 * are blocked meanwhile. */
static bool run_git(struct gate_str *out, const char *const *words, bool is_text, struct gate_arena *arena,
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

/** Query git for the checkout and the commit, once. Does nothing if no revision is given. A submodule is refused,
 * because a change can choose its repository and its commit, and thus its rules. err: GATE_ERR_INPUT if there is no
 * git, no checkout or no such revision, or in a submodule. */
static bool rules_from_begin(struct gate_rules_from *from, struct gate_arena *arena, struct gate_error *err) {
    static const char *const top[] = {"rev-parse", "--show-toplevel", NULL};
    static const char *const here[] = {"rev-parse", "--show-prefix", NULL};
    static const char *const outer[] = {"rev-parse", "--show-superproject-working-tree", NULL};
    struct gate_str super = GATE_STR("");
    if (from->revision == NULL || from->commit.ptr != NULL)
        return true;
    if (!gate_ancestry_commit(&from->commit, gate_str_from(from->revision), arena, err))
        return gate_error_prefix(err, "'--rules-from %s'", from->revision);
    if (!run_git(&from->top, top, true, arena, err) || !run_git(&from->here, here, true, arena, err) ||
        !run_git(&super, outer, true, arena, err))
        return gate_error_prefix(err, "'--rules-from %s' needs a checkout with its files", from->revision);
    if (super.len > 0)
        return gate_error_set(err, GATE_ERR_INPUT,
                              "'--rules-from %s': this is a submodule of '%.*s', and a change there can point it to "
                              "another repository; run in '%.*s', and name the rules by -r",
                              from->revision, GATE_STR_ARG(super), GATE_STR_ARG(super));
    from->top = gate_str_format(arena, "%.*s/", GATE_STR_ARG(from->top));
    return from->top.ptr != NULL || gate_arena_error(arena, err);
}

/* ---- paths ------------------------------------------------------------------------------------------------------- */

/* Normalises "a/./b/../c" to "a/c". Returns false if the path leaves the top folder. */
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

/* Returns the path relative to the top of the checkout, or NULL if it is outside. A symbolic link counts by its own
 * name, so a change cannot use one to move a file out of the checkout. */
static const char *path_in(const struct gate_rules_from *from, const char *path, struct gate_arena *arena) {
    struct gate_str text = gate_str_from(path);
    struct gate_str whole = {NULL, 0};
    if (from == NULL || from->revision == NULL || gate_paths_is_stream(path))
        return NULL;
    if (path[0] != '/') {
        whole = gate_str_format(arena, "%.*s%s", GATE_STR_ARG(from->here), path);
    } else if (gate_str_starts(text, from->top)) {
        whole = gate_str_slice(text, from->top.len, text.len);
    } else { /* absolute path to the checkout via a symbolic link */
        char *real = realpath(path, NULL);
        struct gate_str where = gate_str_from(real == NULL ? "" : real);
        if (gate_str_starts(where, from->top))
            whole = gate_str_copy(arena, gate_str_slice(where, from->top.len, where.len));
        free(real);
    }
    char *out = whole.ptr == NULL ? NULL : gate_arena_alloc(arena, whole.len + 1);
    return out != NULL && fold(out, whole) ? out : NULL;
}

/** Return whether `path` is read from the revision: there is a revision, and the path is inside the checkout. */
static bool rules_from_has(const struct gate_rules_from *from, const char *path, struct gate_arena *arena) {
    return from != NULL && path_in(from, path, arena) != NULL;
}

static bool object(struct gate_str *out, const struct gate_rules_from *from, const char *in, const char *how,
                   struct gate_arena *arena, struct gate_error *err) {
    GATE_ASSERT(from != NULL);
    struct gate_str name = gate_str_format(arena, "%.*s:%s", GATE_STR_ARG(from->commit), in);
    if (name.ptr == NULL)
        return gate_arena_error(arena, err);
    const char *const words[] = {"cat-file", how, name.ptr, NULL};
    return run_git(out, words, false, arena, err);
}

/* Return whether the default rules file exists, in the revision or in the working tree. */
static bool rules_from_has_default(const struct gate_rules_from *from, struct gate_arena *arena) {
    const char *in = path_in(from, GATE_RULEFILE_DEFAULT, arena);
    struct gate_error why = {0};
    struct gate_str out;
    return in == NULL ? access(GATE_RULEFILE_DEFAULT, F_OK) == 0 : object(&out, from, in, "-e", arena, &why);
}

/* ---- read -------------------------------------------------------------------------------------------------------- */

bool gate_rules_from_read(struct gate_str *bytes, const struct gate_rules_from *from,
                          const struct gate_session *session, const char *path, struct gate_arena *arena,
                          struct gate_error *err) {
    const char *in = path_in(from, path, arena);
    struct gate_error why = {0};
    if (in == NULL)
        return gate_input_read_small(bytes, session, path, arena, err);
    if (object(bytes, from, in, "blob", arena, &why))
        return true;
    return gate_error_set(err, GATE_ERR_INPUT,
                          "revision '%s' has no such file (%s): commit it there, or name one outside of the checkout",
                          from->revision, why.message);
}

/* ---- what the change edits --------------------------------------------------------------------------------------- */

/** Append `text` to the edits, unless it is empty or already there. Returns false if the arena is full. */
static bool rules_from_add(struct gate_rules_from *from, struct gate_str text, struct gate_arena *arena,
                           struct gate_error *err) {
    if (text.len == 0 || from->edits.len > EDITS_BYTES || gate_str_find(from->edits, text, 0) != SIZE_MAX)
        return true;
    from->edits = gate_str_format(arena, "%.*s%s%.*s", GATE_STR_ARG(from->edits), from->edits.len == 0 ? "" : "; ",
                                  GATE_STR_ARG(text));
    return from->edits.ptr != NULL || gate_arena_error(arena, err);
}

bool gate_rules_from_compare(struct gate_rules_from *from, const struct gate_session *session, const char *path,
                             struct gate_str bytes, struct gate_error *err) {
    struct gate_error why = {0};
    struct gate_str now;
    if (!rules_from_has(from, path, session->arena))
        return true;
    bool is_there = gate_input_read_small(&now, session, path, session->arena, &why);
    if (is_there && gate_str_equal(now, bytes))
        return true;
    struct gate_str text =
        gate_str_format(session->arena, "noise model '%s' is %s", path, is_there ? "changed" : "removed");
    if (text.ptr == NULL)
        return gate_arena_error(session->arena, err);
    return rules_from_add(from, text, session->arena, err);
}

bool gate_rules_from_refuse_tracked(const struct gate_rules_from *from, const char *what, const char *path,
                                    struct gate_arena *arena, struct gate_error *err) {
    struct gate_str file = GATE_STR("");
    if (from == NULL || from->revision == NULL || path == NULL || strcmp(path, "-") == 0)
        return true;
    if (!gate_tracked_find(&file, path, arena, err))
        return false;
    if (file.len == 0)
        return true;
    return gate_error_set(
        err, GATE_ERR_INPUT,
        "%s %s: git tracks '%.*s', so that the change can edit it, and --rules-from is given; have the "
        "job write the file, and do not commit it",
        what, path, GATE_STR_ARG(file));
}

struct gate_str gate_rules_from_sentence(const struct gate_rules_from *from, struct gate_arena *arena) {
    if (from == NULL || from->edits.len == 0)
        return GATE_STR("");
    if (from->lacks_rules)
        return gate_str_format(arena,
                               "the change adds a rules file, which '%s' does not have, and the built-in rules were "
                               "used: %.*s",
                               from->revision, GATE_STR_ARG(from->edits));
    return gate_str_format(arena, "the change edits the rules, and those of '%s' were used: %.*s", from->revision,
                           GATE_STR_ARG(from->edits));
}

/* ---- the rules that apply ---------------------------------------------------------------------------------------- */

enum { PRESETS_MAX = 32 };

/* Where rules files are read from. */
struct reading {
    const struct gate_session *session;
    const struct gate_rules_from *from; /* NULL: the working tree */
    struct gate_str folder; /* real path of the first file's folder, with a trailing '/'; .ptr NULL: not known */
};

/* Returns the real path of a file's folder, with a trailing '/'. */
static struct gate_str rulefile_folder(const char *path, struct gate_arena *arena) {
    struct gate_str text = gate_str_from(path);
    struct gate_str folder = gate_str_slice(text, 0, text.len - gate_str_basename(text).len);
    struct gate_str name = gate_str_format(arena, "%s%.*s", folder.len == 0 ? "." : "", GATE_STR_ARG(folder));
    char *real = name.ptr == NULL ? NULL : realpath(name.ptr, NULL);
    struct gate_str out = {NULL, 0};
    if (real != NULL)
        out = gate_str_format(arena, "%s/", strcmp(real, "/") == 0 ? "" : real);
    free(real);
    return out;
}

/* Return whether the real path is inside the folder of the rules, so that a change cannot read other files through a
 * link. */
static bool rulefile_is_beside(const struct reading *reading, const char *path) {
    char *real = realpath(path, NULL);
    bool is_absent = real == NULL && (errno == ENOENT || errno == ENOTDIR); /* reading reports it */
    bool is_beside = is_absent || (real != NULL && reading->folder.ptr != NULL &&
                                   gate_str_starts(gate_str_from(real), reading->folder));
    free(real);
    return is_beside;
}

/* Reads a file for `extends: PATH`. A file named "-" is not standard input. */
static bool rulefile_read(void *context, struct gate_str *bytes, struct gate_str path, struct gate_arena *arena,
                          struct gate_error *err) {
    const struct reading *reading = context;
    const char *prefix = gate_str_equal(path, GATE_STR("-")) ? "./" : "";
    struct gate_str name = gate_str_format(arena, "%s%.*s", prefix, GATE_STR_ARG(path));
    if (name.ptr == NULL)
        return gate_arena_error(arena, err);
    if (!rules_from_has(reading->from, name.ptr, arena) && !rulefile_is_beside(reading, name.ptr))
        return gate_error_set(err, GATE_ERR_CONFIG,
                              "it is a link that leads out of the folder of the rules file, or cannot be followed");
    return gate_rules_from_read(bytes, reading->from, reading->session, name.ptr, arena, err);
}

struct gate_str gate_rulefile_today(struct gate_arena *arena) {
    const time_t now = (time_t)(gate_store_options_now() / 1000);
    struct tm day;
    char text[16] = "";
    if (gmtime_r(&now, &day) == NULL || strftime(text, sizeof text, "%Y-%m-%d", &day) == 0)
        return GATE_STR("");
    return gate_str_copy(arena, gate_str_from(text));
}

/* Return whether `wanted` is a preset. Its name never means a file: otherwise anyone who can add a file to the folder
 * could replace the rules. */
static bool rulefile_is_preset(const char *wanted, struct gate_session *session) {
    struct gate_str file = gate_str_format(session->arena, "%s.yml", wanted);
    return file.ptr != NULL && strchr(wanted, '/') == NULL && gate_embedded_find(file.ptr).ptr != NULL;
}

static bool rulefile_preset(struct gate_rules *out, struct gate_session *session, const char *name,
                            struct gate_error *err) {
    if (access(name, F_OK) == 0) {
        struct gate_str note =
            gate_str_format(session->arena, "'%s' is the preset; the file of that name is './%s'", name, name);
        if (note.ptr == NULL)
            return gate_arena_error(session->arena, err);
        gate_session_note(session, note);
    }
    return gate_rules_parse_preset(out, name, session->arena, err);
}

/* Returns the preset with the most similar name if `wanted` is not a file, or NULL. */
static const char *rulefile_nearest(const char *wanted, struct gate_arena *arena) {
    const char *words[PRESETS_MAX + 1];
    size_t count = 0;
    if (strchr(wanted, '/') != NULL || access(wanted, F_OK) == 0)
        return NULL;
    for (const struct gate_embedded *file = gate_embedded_files; file->name != NULL && count < PRESETS_MAX; file++) {
        struct gate_str name = gate_str_from(file->name);
        if (!gate_str_ends(name, GATE_STR(".yml")))
            continue;
        words[count] = gate_str_copy(arena, gate_str_slice(name, 0, name.len - 4)).ptr;
        if (words[count] == NULL)
            return NULL;
        count++;
    }
    words[count] = NULL;
    return gate_str_nearest(gate_str_from(wanted), words);
}

static bool rulefile_default(struct gate_rules *out, struct gate_session *session, struct gate_error *err) {
    if (!gate_rules_parse_preset(out, "recommended", session->arena, err))
        return false;
    out->is_default = true;
    return true;
}

/* Return whether no rules are given and the default file does not exist. False if that file cannot be read or is a
 * dangling link: reading it then fails, so that no other rules apply. */
static bool rulefile_is_absent(const struct gate_rules_from *from, const char *wanted, struct gate_session *session) {
    struct stat status;
    if (wanted != NULL)
        return false;
    if (rules_from_has(from, GATE_RULEFILE_DEFAULT, session->arena))
        return !rules_from_has_default(from, session->arena);
    return lstat(GATE_RULEFILE_DEFAULT, &status) != 0 && errno == ENOENT;
}

static bool rulefile_load(struct gate_rules *out, const struct gate_rules_from *from, struct gate_session *session,
                          const char *wanted, struct gate_error *err) {
    if (rulefile_is_absent(from, wanted, session)) {
        const char *revision = from == NULL ? NULL : from->revision;
        gate_session_log(session,
                         "rules: a built-in preset by the type of profile, as there is no " GATE_RULEFILE_DEFAULT
                         " %s%s and no --rules",
                         revision == NULL ? "here" : "in ", revision == NULL ? "" : revision);
        return rulefile_default(out, session, err);
    }
    const char *file = wanted == NULL ? GATE_RULEFILE_DEFAULT : wanted;
    bool is_preset = rulefile_is_preset(file, session);
    gate_session_log(session, "rules: %s%s", is_preset ? "the built-in preset " : "",
                     gate_paths_is_stream(file) ? "standard input" : file);
    if (is_preset)
        return rulefile_preset(out, session, file, err);
    bool is_of_revision = rules_from_has(from, file, session->arena);
    const char *nearest = gate_paths_is_stream(file) || is_of_revision ? NULL : rulefile_nearest(file, session->arena);
    if (nearest != NULL)
        return gate_error_set(err, GATE_ERR_USAGE,
                              "no file and no preset is named '%s' (did you mean the preset '%s'?)", file, nearest);
    struct gate_str path = gate_str_from(gate_input_name(file));
    struct gate_str text = {NULL, 0};
    struct reading reading = {
        session, from, rulefile_folder(gate_paths_is_stream(file) ? GATE_RULEFILE_DEFAULT : file, session->arena)};
    const struct gate_rules_reader reader = {.read = rulefile_read, .context = &reading};
    if (gate_rules_from_read(&text, from, session, file, session->arena, err) &&
        gate_rules_parse(out, text, path, &reader, session->arena, err))
        return true;
    session->blamed_path = path;
    session->blamed_text = text;
    return false;
}

/* Return the path of `name` in the folder `above`, which is empty or ends with '/', or an empty text if there is
 * none. */
static struct gate_str found_in(struct gate_str above, const char *name, struct gate_arena *arena) {
    struct stat status;
    struct gate_str path = gate_str_format(arena, "%.*s%s", GATE_STR_ARG(above), name);
    return path.ptr != NULL && stat(path.ptr, &status) == 0 ? path : GATE_STR("");
}

/* Return the path of a rules file that is not read, or an empty text. It has another name, or is in a folder above in
 * the same checkout. */
static struct gate_str rulefile_overlooked(struct gate_arena *arena) {
    static const char *const names[] = {GATE_RULEFILE_DEFAULT, ".pprofgate.yaml", "pprofgate.yml", "pprofgate.yaml"};
    enum { DEPTH_MAX = 16, NAMES = sizeof names / sizeof *names };
    struct gate_str above = GATE_STR(""), found = GATE_STR("");
    for (int depth = 0; depth < DEPTH_MAX; depth++) {
        for (size_t i = 0; i < NAMES && found.len == 0; i++)
            found = found_in(above, names[i], arena);
        if ((depth == 0 && found.len != 0) || found_in(above, ".git", arena).len != 0)
            return found;
        above = gate_str_format(arena, "../%.*s", GATE_STR_ARG(above));
    }
    return GATE_STR("");
}

/* Print a note if the built-in rules apply beside a rules file that is not read. */
static void note_overlooked(const struct gate_rules *rules, struct gate_session *session) {
    struct gate_str path = rules->is_default ? rulefile_overlooked(session->arena) : GATE_STR("");
    struct gate_str text = gate_str_format(session->arena,
                                           "the built-in rules apply: %.*s is not read, only " GATE_RULEFILE_DEFAULT
                                           " in the current folder is; give --rules %.*s",
                                           GATE_STR_ARG(path), GATE_STR_ARG(path));
    if (path.len != 0 && text.ptr != NULL)
        gate_session_note(session, text);
}

bool gate_rulefile_load(struct gate_rules *out, struct gate_session *session, const char *wanted,
                        struct gate_error *err) {
    if (!rulefile_load(out, NULL, session, wanted, err))
        return false;
    note_overlooked(out, session);
    session->steps.patterns = gate_rules_patterns(out);
    return true;
}

/* Adds the differences between the working tree's rules and `rules`, which are those of the revision. */
static bool rulefile_compare(struct gate_rules_from *from, const struct gate_rules *rules, struct gate_session *session,
                             const char *wanted, struct gate_error *err) {
    struct gate_rules now = {0};
    struct gate_error why = {0};
    const char *file = wanted == NULL ? GATE_RULEFILE_DEFAULT : wanted;
    if (rulefile_is_preset(file, session) || !rules_from_has(from, file, session->arena))
        return true;
    bool is_read = rulefile_load(&now, NULL, session, wanted, &why);
    session->blamed_path = session->blamed_text = (struct gate_str){NULL, 0};
    if (!is_read) {
        struct gate_str text = gate_str_format(session->arena, "its '%s' cannot be read (%s)", file, why.message);
        return text.ptr == NULL ? gate_arena_error(session->arena, err)
                                : rules_from_add(from, text, session->arena, err);
    }
    struct gate_str text = gate_rules_diff(rules, &now, session->arena);
    bool is_same = rules->is_default == now.is_default && gate_str_equal(rules->digest, now.digest);
    if (text.ptr != NULL && text.len == 0 && !is_same)
        text = GATE_STR("nothing that decides (comments, layout, texts)");
    gate_rules_free(&now);
    return text.ptr == NULL ? gate_arena_error(session->arena, err) : rules_from_add(from, text, session->arena, err);
}

bool gate_rulefile_load_from(struct gate_rules *out, struct gate_rules_from *from, struct gate_session *session,
                             const char *wanted, struct gate_error *err) {
    from->edits = GATE_STR("");
    if (!rules_from_begin(from, session->arena, err) || !rulefile_load(out, from, session, wanted, err))
        return false;
    session->steps.patterns = gate_rules_patterns(out);
    if (from->revision == NULL)
        note_overlooked(out, session);
    from->lacks_rules = from->revision != NULL && out->is_default;
    return from->revision == NULL || rulefile_compare(from, out, session, wanted, err);
}
