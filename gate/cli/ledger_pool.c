/* SPDX-License-Identifier: Apache-2.0 */
/* Profiles of several looks (see ledger_pool.h). */
#define _XOPEN_SOURCE 700 /* realpath */
#include "gate/cli/ledger_pool.h"

#include "gate/cli/input.h"
#include "gate/cli/load_sides.h"

#include <errno.h>
#include <stdlib.h>

/* The digest of a file, and its build where `build` asks for it. */
static bool file_look(struct gate_str *digest, struct gate_str *build, const char *path,
                      const struct gate_limits *limits, const struct gate_cli *cli, struct gate_error *err) {
    struct gate_arena scratch;
    struct gate_error why = {0};
    struct gate_str bytes = {"", 0};
    gate_arena_fork(&scratch, cli->arena);
    bool ok = gate_input_read(&bytes, cli, path, limits, &scratch, &why);
    if (ok) {
        *digest = gate_load_sides_digest(bytes, cli->arena);
        ok = digest->ptr != NULL || gate_arena_error(cli->arena, &why);
    }
    struct gate_profile profile;
    if (ok && build != NULL) {
        ok = gate_profile_load(&profile, bytes, limits, &scratch, &why);
        *build =
            ok && profile.mapping_count > 0 ? gate_str_copy(cli->arena, profile.mappings[0].build_id) : GATE_STR("");
        ok = ok && (build->ptr != NULL || gate_arena_error(cli->arena, &why));
    }
    gate_arena_free(&scratch);
    return ok || gate_error_set(err, why.code, "%s: %s", gate_input_name(path), why.message);
}

/* Keep the build of the run at `path`, in the order of ids. There is room for one a run. */
static void add_build(struct gate_ledger_pool *pool, int side, struct gate_str build, const char *path) {
    struct gate_str *builds = pool->builds[side];
    uint32_t at = 0, count = pool->build_counts[side];
    if (build.len == 0) {
        pool->unknown[side] = pool->unknown[side].len > 0 ? pool->unknown[side] : gate_str_from(path);
        return;
    }
    while (at < count && gate_str_compare(builds[at], build) < 0)
        at++;
    if (at < count && gate_str_equal(builds[at], build))
        return;
    memmove(builds + at + 1, builds + at, (count - at) * sizeof *builds);
    builds[at] = build;
    pool->build_counts[side]++;
}

static bool side_look(struct gate_ledger_pool *pool, int side, struct gate_cli *cli, struct gate_error *err) {
    struct gate_paths *paths = &pool->profiles->paths[side], files;
    if (!gate_paths_expand(&files, paths, cli->arena, err))
        return false;
    *paths = files;
    struct gate_ledger_runs *given = &pool->given[side];
    given->items = GATE_NEW_ARRAY(cli->arena, struct gate_ledger_run, (size_t)files.count + 1);
    pool->is_new[side] = GATE_NEW_ARRAY(cli->arena, bool, (size_t)files.count + 1);
    pool->builds[side] = GATE_NEW_ARRAY(cli->arena, struct gate_str, (size_t)files.count + 1);
    if (given->items == NULL || pool->is_new[side] == NULL || pool->builds[side] == NULL)
        return gate_arena_error(cli->arena, err);
    for (; given->count < files.count; given->count++) {
        struct gate_ledger_run *run = &given->items[given->count];
        const char *path = files.items[given->count];
        struct gate_str build;
        run->path = gate_str_from(path);
        if (!file_look(&run->digest, &build, path, &pool->profiles->limits, cli, err))
            return false;
        add_build(pool, side, build, path);
    }
    return true;
}

bool gate_ledger_pool_look(struct gate_ledger_pool *pool, struct gate_cli *cli, struct gate_error *err) {
    return side_look(pool, GATE_BASELINE, cli, err) && side_look(pool, GATE_CANARY, cli, err);
}

struct gate_str gate_ledger_pool_builds(const struct gate_ledger_pool *pool, enum gate_side_name side,
                                        struct gate_arena *arena) {
    struct gate_buf text = {0};
    for (uint32_t i = 0; i < pool->build_counts[side]; i++) {
        gate_buf_text(&text, i == 0 ? "" : " ");
        gate_buf_str(&text, pool->builds[side][i]);
    }
    struct gate_str out = text.failed ? (struct gate_str){NULL, 0} : gate_str_copy(arena, gate_buf_view(&text));
    gate_buf_free(&text);
    return out;
}

/* ---- what is there ----------------------------------------------------------------------------------------------- */

static const struct gate_ledger_run *given_of(const struct gate_ledger_pool *pool, struct gate_str digest) {
    for (int side = 0; side < GATE_SIDES; side++)
        for (uint32_t i = 0; i < pool->given[side].count; i++)
            if (gate_str_equal(pool->given[side].items[i].digest, digest))
                return &pool->given[side].items[i];
    return NULL;
}

/* Where a ledger's path leads from here. */
static struct gate_str path_from_here(const char *ledger, struct gate_str path, struct gate_arena *arena) {
    struct gate_str whole = gate_str_from(ledger);
    struct gate_str folder = gate_str_slice(whole, 0, whole.len - gate_str_basename(whole).len);
    if (gate_str_starts(path, GATE_STR("/")))
        folder.len = 0;
    return gate_str_format(arena, "%.*s%.*s", GATE_STR_ARG(folder), GATE_STR_ARG(path));
}

static bool run_is_there(const struct gate_ledger_pool *pool, const struct gate_ledger_run *run,
                         const struct gate_cli *cli) {
    struct gate_error ignored = {0};
    struct gate_str digest = {"", 0}, path;
    if (given_of(pool, run->digest) != NULL)
        return true;
    path = path_from_here(pool->path, run->path, cli->arena);
    return path.ptr != NULL && file_look(&digest, NULL, path.ptr, &pool->profiles->limits, cli, &ignored) &&
           gate_str_equal(digest, run->digest);
}

void gate_ledger_pool_match(struct gate_ledger_pool *pool, const struct gate_ledger *ledger,
                            const struct gate_cli *cli) {
    pool->has_new = false;
    pool->is_whole = true;
    for (int side = 0; side < GATE_SIDES; side++) {
        for (uint32_t i = 0; i < pool->given[side].count; i++) {
            pool->is_new[side][i] = gate_ledger_find(ledger, pool->given[side].items[i].digest) == NULL;
            pool->has_new = pool->has_new || pool->is_new[side][i];
        }
        for (uint32_t look = 0; look < ledger->count; look++)
            for (uint32_t i = 0; i < ledger->looks[look].runs[side].count; i++)
                pool->is_whole = pool->is_whole && run_is_there(pool, &ledger->looks[look].runs[side].items[i], cli);
    }
}

/* ---- joining ----------------------------------------------------------------------------------------------------- */

/* What the command line tells of a side's work as a whole; NULL: nothing. */
static const struct gate_work_count *work_of(const struct gate_judge_options *judging, int side) {
    for (uint32_t i = 0; i < judging->work.count; i++)
        if (judging->work.items[i].side == (enum gate_side_name)side && judging->work.items[i].key.len == 0)
            return &judging->work.items[i];
    return NULL;
}

static bool work_check(const struct gate_ledger_pool *pool, const struct gate_work_count *told, int side,
                       struct gate_error *err) {
    const struct gate_judge_options *judging = pool->judging;
    bool is_by_label = judging->work_file != NULL;
    for (uint32_t i = 0; i < judging->work.count; i++)
        is_by_label = is_by_label || judging->work.items[i].key.len > 0;
    if (is_by_label)
        return gate_error_set(
            err, GATE_ERR_USAGE,
            "'--ledger' keeps the work of a run as one number: tell it as '--work canary=N1,N2', not by "
            "label or in a file");
    if (told != NULL && told->count != pool->given[side].count)
        return gate_error_set(
            err, GATE_ERR_USAGE,
            "the work of the %s has to be told of each run, since a ledger puts runs of several looks "
            "together: expected %u numbers, found %u",
            gate_side_word((enum gate_side_name)side), (unsigned)pool->given[side].count, (unsigned)told->count);
    return true;
}

/* The paths and the work of one side, the ledger's first. */
struct joined {
    struct gate_paths paths;
    double *work;
    bool has_work, lacks_work; /* of some run */
};

static bool joined_add(struct joined *out, const char *path, double work, struct gate_arena *arena,
                       struct gate_error *err) {
    out->work[out->paths.count] = work;
    out->has_work = out->has_work || work > 0.0;
    out->lacks_work = out->lacks_work || !(work > 0.0);
    return gate_paths_add(&out->paths, path, arena, err);
}

static bool joined_fill(struct joined *out, const struct gate_ledger_pool *pool, const struct gate_ledger *ledger,
                        int side, const struct gate_work_count *told, struct gate_arena *arena,
                        struct gate_error *err) {
    for (uint32_t look = 0; look < ledger->count; look++)
        for (uint32_t i = 0; i < ledger->looks[look].runs[side].count; i++) {
            const struct gate_ledger_run *run = &ledger->looks[look].runs[side].items[i];
            const struct gate_ledger_run *given = given_of(pool, run->digest);
            struct gate_str path = given != NULL ? given->path : path_from_here(pool->path, run->path, arena);
            if (path.ptr == NULL)
                return gate_arena_error(arena, err);
            if (!joined_add(out, path.ptr, run->work, arena, err))
                return false;
        }
    for (uint32_t i = 0; i < pool->given[side].count; i++)
        if (pool->is_new[side][i] &&
            !joined_add(out, pool->given[side].items[i].path.ptr, told == NULL ? 0.0 : told->runs[i], arena, err))
            return false;
    return true;
}

bool gate_ledger_pool_join(struct gate_ledger_pool *pool, const struct gate_ledger *ledger, struct gate_arena *arena,
                           struct gate_error *err) {
    for (int side = 0; side < GATE_SIDES; side++) {
        const struct gate_work_count *told = work_of(pool->judging, side);
        size_t most = pool->given[side].count;
        for (uint32_t look = 0; look < ledger->count; look++)
            most += ledger->looks[look].runs[side].count;
        struct joined joined = {.work = GATE_NEW_ARRAY(arena, double, most + 1)};
        if (joined.work == NULL)
            return gate_arena_error(arena, err);
        if (!work_check(pool, told, side, err) || !joined_fill(&joined, pool, ledger, side, told, arena, err))
            return false;
        if ((told != NULL || joined.has_work) && joined.lacks_work)
            return gate_error_set(err, GATE_ERR_USAGE,
                                  "the work of the %s was not told in every look at this change: tell it of all runs, "
                                  "or of none",
                                  gate_side_word((enum gate_side_name)side));
        pool->profiles->paths[side] = joined.paths;
        const struct gate_work_count all = {
            .side = (enum gate_side_name)side, .runs = joined.work, .count = joined.paths.count};
        if (joined.has_work && !gate_work_add(&pool->judging->work, &all, arena, err))
            return false;
    }
    return true;
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

/* `from`, a folder, and `to` are absolute, without links. */
static struct gate_str relative(struct gate_str from, struct gate_str to, struct gate_arena *arena) {
    size_t same = 0;
    for (size_t i = 0; i < from.len && i < to.len && from.ptr[i] == to.ptr[i]; i++)
        same = from.ptr[i] == '/' ? i + 1 : same;
    struct gate_buf up = {0};
    for (size_t i = same; i < from.len; i++)
        gate_buf_text(&up, from.ptr[i] == '/' ? "../" : "");
    gate_buf_str(&up, gate_str_slice(to, same, to.len));
    struct gate_str text = up.failed ? (struct gate_str){NULL, 0} : gate_str_copy(arena, gate_buf_view(&up));
    gate_buf_free(&up);
    return text;
}

struct gate_str gate_ledger_pool_relative(const char *ledger, struct gate_str path, struct gate_arena *arena) {
    struct gate_str whole = gate_str_from(ledger);
    struct gate_str folder = gate_str_slice(whole, 0, whole.len - gate_str_basename(whole).len);
    struct gate_str near = gate_str_format(arena, "%.*s.", GATE_STR_ARG(folder));
    struct gate_str file = gate_str_copy(arena, path);
    if (near.ptr == NULL || file.ptr == NULL)
        return (struct gate_str){0};
    errno = 0;
    char *from = realpath(near.ptr, NULL), *to = from == NULL ? NULL : realpath(file.ptr, NULL);
    struct gate_str found = file;
    if (to == NULL && errno == ENOMEM)
        found = (struct gate_str){0};
    else if (from != NULL && to != NULL) {
        struct gate_str start = gate_str_format(arena, "%s/", from);
        found = start.ptr == NULL ? start : relative(start, gate_str_from(to), arena);
    }
    free(from);
    free(to);
    return found;
}
