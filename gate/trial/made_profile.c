/* SPDX-License-Identifier: Apache-2.0 */
/* Profiles that runs write (see made_profile.h). */
#define _XOPEN_SOURCE 700 /* realpath */

#include "gate/trial/made_profile.h"

#include "gate/profile/source.h"

#include <errno.h>
#include <glob.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* What of a path a glob would take for its own. */
static const char *escaped(const char *path, struct gate_arena *arena) {
    size_t len = strlen(path), at = 0;
    char *out = gate_arena_alloc(arena, 2 * len + 1);
    if (out == NULL)
        return NULL;
    for (size_t i = 0; i < len; i++) {
        if (strchr("*?[\\", path[i]) != NULL)
            out[at++] = '\\';
        out[at++] = path[i];
    }
    out[at] = '\0';
    return out;
}

/* What is there: places without links in them. */
struct place_list {
    const char **paths;
    size_t count;
};

/* A link of the checkout may lead anywhere, and what is there is not the run's to make or ours to remove. */
static bool place_add(struct place_list *out, const struct gate_made_profile_place *place, const char *root,
                      const char *match, struct gate_error *err) {
    struct stat status;
    if (lstat(match, &status) != 0 || !S_ISREG(status.st_mode))
        return true;
    char *found = realpath(match, NULL);
    if (found == NULL)
        return errno == ENOENT || gate_error_set(err, GATE_ERR_IO, "%s: cannot be found: %s", match, strerror(errno));
    const char *path = gate_str_copy(place->arena, (struct gate_str){found, strlen(found) + 1}).ptr;
    free(found);
    if (path == NULL)
        return gate_arena_error(place->arena, err);
    size_t len = strlen(root);
    if (strncmp(path, root, len) != 0 || path[len] != '/')
        return gate_error_set(err, GATE_ERR_INPUT,
                              "'try.profile' (%s) leads to %s, which is outside of the checkout: name profiles inside "
                              "of it, through no link that leads out",
                              place->glob == NULL ? "$PPROFGATE_PROFILE" : place->glob, path);
    out->paths[out->count++] = path;
    return true;
}

static bool place_add_all(struct place_list *out, const struct gate_made_profile_place *place, const glob_t *matches,
                          struct gate_error *err) {
    const char *inside = place->glob == NULL ? place->folder : place->checkout;
    char *root = realpath(inside, NULL);
    if (root == NULL)
        return gate_error_set(err, GATE_ERR_IO, "%s: cannot be found: %s", inside, strerror(errno));
    out->paths = GATE_NEW_ARRAY(place->arena, const char *, matches->gl_pathc);
    bool ok = out->paths != NULL || gate_arena_error(place->arena, err);
    for (size_t i = 0; ok && i < matches->gl_pathc; i++)
        ok = place_add(out, place, root, matches->gl_pathv[i], err);
    free(root);
    return ok;
}

/* Regular files alone. */
static bool place_list(struct place_list *out, const struct gate_made_profile_place *place, struct gate_error *err) {
    const char *folder = escaped(place->glob == NULL ? place->folder : place->directory, place->arena);
    const char *pattern =
        folder == NULL ? NULL
                       : gate_str_format(place->arena, "%s/%s", folder, place->glob == NULL ? "*" : place->glob).ptr;
    glob_t matches = {0};
    *out = (struct place_list){0};
    if (pattern == NULL)
        return gate_arena_error(place->arena, err);
    int reason = glob(pattern, GLOB_NOSORT, NULL, &matches);
    bool ok = reason == 0 || reason == GLOB_NOMATCH ||
              gate_error_set(err, GATE_ERR_IO, "%s: cannot be looked through", pattern);
    ok = ok && (matches.gl_pathc == 0 || place_add_all(out, place, &matches, err));
    globfree(&matches);
    return ok;
}

bool gate_made_profile_clear(const struct gate_made_profile_place *place, struct gate_error *err) {
    struct place_list list;
    bool ok = place_list(&list, place, err);
    for (size_t i = 0; ok && i < list.count; i++)
        ok = unlink(list.paths[i]) == 0 || errno == ENOENT || /* two links inside of the checkout led to it */
             gate_error_set(err, GATE_ERR_IO, "%s: an earlier run's profile cannot be removed: %s", list.paths[i],
                            strerror(errno));
    return ok;
}

static bool profile_read(struct gate_str *bytes, const char *path, struct gate_arena *arena, struct gate_error *err) {
    const struct gate_limits limits = gate_limits_default();
    struct gate_error why = {0};
    if (!gate_source_read(bytes, gate_str_from(path), &limits, arena, &why))
        return gate_error_set(err, why.code, "%s: %s", path, why.message);
    return bytes->len != 0 || gate_error_set(err, GATE_ERR_INPUT, "the run left an empty profile");
}

bool gate_made_profile_read(struct gate_str *bytes, const struct gate_made_profile_place *place,
                            struct gate_error *err) {
    struct place_list list;
    bool ok = place_list(&list, place, err);
    size_t count = list.count;
    if (ok && count == 1)
        ok = profile_read(bytes, list.paths[0], place->arena, err);
    else if (ok && count == 0 && place->glob == NULL)
        ok = gate_error_set(err, GATE_ERR_INPUT,
                            "the run left no profile: it has to write one to \"$PPROFGATE_PROFILE\", or 'try.profile' "
                            "to say where it writes it");
    else if (ok && count == 0)
        ok =
            gate_error_set(err, GATE_ERR_INPUT, "the run left no profile that 'try.profile' (%s) matches", place->glob);
    else if (ok)
        ok = gate_error_set(err, GATE_ERR_INPUT,
                            "the run left %zu profiles, such as %s and %s; one run is one profile: 'try.profile' says "
                            "which, or 'pprofgate merge' in 'try.run' adds them up",
                            count, list.paths[0], list.paths[1]);
    return ok;
}
