/* SPDX-License-Identifier: Apache-2.0 */
/* The profiles of a command line (see sides.h). */
#include "gate/cli/sides.h"

#include "gate/base/parallel.h"
#include "gate/base/table.h"
#include "gate/profile/source.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

/* ---- which files ------------------------------------------------------------------------------------------------- */

static bool path_is_profile(const char *name) {
    static const char *const endings[] = {".md", ".csv", ".yml", ".yaml", ".html", ".svg", ".xml", ".log",
                                          "~",   ".tmp", ".part", NULL};
    struct gate_str text = gate_str_from(name);
    if (name[0] == '.' || gate_str_starts(text, GATE_STR("README")) || gate_str_starts(text, GATE_STR("MANIFEST")))
        return false;
    for (size_t i = 0; endings[i] != NULL; i++)
        if (gate_str_ends(text, gate_str_from(endings[i])))
            return false;
    return true;
}

static int path_compare(const void *left, const void *right) {
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

static bool paths_add(struct gate_paths *paths, size_t *capacity, const char *path, struct gate_arena *arena,
                      struct gate_error *err) {
    struct gate_str copy = gate_str_copy(arena, gate_str_from(path));
    const char **items = gate_arena_grow(arena, (void *)paths->items, paths->count, capacity, sizeof *items);
    if (copy.ptr == NULL || items == NULL)
        return gate_arena_error(arena, err);
    paths->items = items;
    paths->items[paths->count++] = copy.ptr;
    return true;
}

static bool paths_add_directory(struct gate_paths *paths, size_t *capacity, const char *directory,
                                struct gate_arena *arena, struct gate_error *err) {
    DIR *stream = opendir(directory);
    if (stream == NULL)
        return gate_error_set(err, GATE_ERR_IO, "%s: cannot read the directory: %s", directory, strerror(errno));
    uint32_t before = paths->count;
    bool ok = true;
    for (struct dirent *entry = readdir(stream); ok && entry != NULL; entry = readdir(stream)) {
        struct stat status;
        struct gate_str path = gate_str_format(arena, "%s/%s", directory, entry->d_name);
        if (path.ptr == NULL)
            ok = gate_arena_error(arena, err);
        else if (path_is_profile(entry->d_name) && stat(path.ptr, &status) == 0 && S_ISREG(status.st_mode))
            ok = paths_add(paths, capacity, path.ptr, arena, err);
    }
    (void)closedir(stream);
    if (ok && paths->count == before)
        return gate_error_set(err, GATE_ERR_INPUT,
                              "%s: the directory holds no profiles; a side needs at least one, such as cpu.pb.gz",
                              directory);
    if (ok)
        qsort((void *)(paths->items + before), paths->count - before, sizeof *paths->items, path_compare);
    return ok;
}

bool gate_paths_expand(struct gate_paths *out, const struct gate_paths *paths, struct gate_arena *arena,
                       struct gate_error *err) {
    *out = (struct gate_paths){0};
    size_t capacity = 0;
    for (uint32_t i = 0; i < paths->count; i++) {
        struct stat status;
        bool is_directory = strcmp(paths->items[i], "-") != 0 && stat(paths->items[i], &status) == 0 &&
                            S_ISDIR(status.st_mode);
        bool ok = is_directory ? paths_add_directory(out, &capacity, paths->items[i], arena, err)
                               : paths_add(out, &capacity, paths->items[i], arena, err);
        if (!ok)
            return false;
    }
    return true;
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

bool gate_cli_read_input(struct gate_str *bytes, struct gate_cli *cli, const struct gate_limits *limits,
                         struct gate_error *err) {
    struct gate_buf buf = {0};
    char chunk[65536];
    for (size_t got; (got = fread(chunk, 1, sizeof chunk, cli->in)) > 0;) {
        gate_buf_bytes(&buf, chunk, got);
        if (buf.len > limits->compressed_bytes) {
            gate_buf_free(&buf);
            return gate_error_set(err, GATE_ERR_LIMIT,
                                  "standard input is larger than %zu bytes; --max-compressed-size lifts the cap",
                                  limits->compressed_bytes);
        }
    }
    bool ok = gate_buf_check(&buf, err);
    if (ok && ferror(cli->in))
        ok = gate_error_set(err, GATE_ERR_IO, "cannot read standard input: %s", strerror(errno));
    if (ok) {
        *bytes = gate_str_copy(cli->arena, gate_buf_view(&buf));
        ok = bytes->ptr != NULL || gate_arena_error(cli->arena, err);
    }
    gate_buf_free(&buf);
    return ok;
}

/* One side's work: its own arena, so that two threads never share one. */
struct side_load {
    struct gate_run_input *runs;
    const struct gate_paths *paths;
    const struct gate_limits *limits;
    struct gate_str input; /* standard input, read before the threads start */
    struct gate_arena arena;
    struct gate_error err;
    bool ok;
};

/* Decode `bytes`, the content of `path`, and note what the reports say of it. */
static bool side_load_bytes(struct gate_run_input *run, const char *path, struct gate_str bytes, struct side_load *work,
                            struct gate_error *err) {
    struct gate_profile *profile = GATE_NEW_ARRAY(&work->arena, struct gate_profile, 1);
    if (profile == NULL)
        return gate_arena_error(&work->arena, err);
    if (!gate_profile_load(profile, bytes, work->limits, &work->arena, err))
        return false;
    run->path = strcmp(path, "-") == 0 ? GATE_STR("standard input") : gate_str_from(path);
    run->profile = profile;
    run->digest = gate_str_format(&work->arena, "%016llx%016llx",
                                  (unsigned long long)gate_hash_bytes(bytes.ptr, bytes.len, 1),
                                  (unsigned long long)gate_hash_bytes(bytes.ptr, bytes.len, 2));
    run->content[0] = gate_hash_bytes(profile->bytes.ptr, profile->bytes.len, 1);
    run->content[1] = gate_hash_bytes(profile->bytes.ptr, profile->bytes.len, 2);
    return run->digest.ptr != NULL || gate_arena_error(&work->arena, err);
}

static bool side_load_file(struct gate_run_input *run, const char *path, struct side_load *work,
                           struct gate_error *err) {
    struct gate_str bytes = work->input;
    if (strcmp(path, "-") == 0)
        return side_load_bytes(run, path, bytes, work, err);
    struct gate_arena file;
    gate_arena_init(&file, 0);
    bool ok = gate_source_read(&bytes, gate_str_from(path), work->limits, &file, err) &&
              side_load_bytes(run, path, bytes, work, err);
    /* What was inflated is a copy, and the packed bytes would only sit in memory; a raw profile is the file itself. */
    if (ok && run->profile->container == GATE_CONTAINER_RAW)
        gate_arena_absorb(&work->arena, &file);
    gate_arena_free(&file);
    return ok;
}

static void side_load_run(void *context) {
    struct side_load *work = context;
    work->ok = true;
    for (uint32_t i = 0; work->ok && i < work->paths->count; i++) {
        struct gate_error why = {0};
        const char *path = work->paths->items[i];
        work->ok = side_load_file(&work->runs[i], path, work, &why);
        if (!work->ok)
            (void)gate_error_set(&work->err, why.code, "%s: %s", strcmp(path, "-") == 0 ? "standard input" : path,
                                 why.message);
    }
}

static bool is_same_capture(const struct gate_run_input *a, const struct gate_run_input *b) {
    return a->content[0] == b->content[0] && a->content[1] == b->content[1];
}

/* One capture counted twice would look like agreement between runs. */
static bool side_check_distinct(const struct gate_run_input *runs, uint32_t count, struct gate_error *err) {
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = 0; j < i; j++)
            if (is_same_capture(&runs[i], &runs[j]))
                return gate_error_set(err, GATE_ERR_INPUT,
                                      "%.*s: it is the same capture as %.*s; every run of a side has to be a capture of its own",
                                      GATE_STR_ARG(runs[i].path), GATE_STR_ARG(runs[j].path));
    return true;
}

static bool side_holds(const struct gate_run_input *runs, uint32_t count, const struct gate_run_input *run) {
    for (uint32_t i = 0; i < count; i++)
        if (is_same_capture(&runs[i], run))
            return true;
    return false;
}

/* The same captures on both sides, in whatever order, compare nothing; only some of them is a mistake. */
static bool sides_check_overlap(struct gate_sides *sides, struct gate_error *err) {
    const struct gate_run_input *baseline = sides->runs[GATE_BASELINE];
    uint32_t shared = 0;
    struct gate_str first = GATE_STR("");
    for (uint32_t i = 0; i < sides->counts[GATE_CANARY]; i++) {
        if (!side_holds(baseline, sides->counts[GATE_BASELINE], &sides->runs[GATE_CANARY][i]))
            continue;
        first = shared++ == 0 ? sides->runs[GATE_CANARY][i].path : first;
    }
    sides->same = shared == sides->counts[GATE_CANARY] && shared == sides->counts[GATE_BASELINE];
    if (shared == 0 || sides->same)
        return true;
    return gate_error_set(err, GATE_ERR_INPUT, "%.*s: this capture is on both sides, among others; take it out of one",
                          GATE_STR_ARG(first));
}

/* Read standard input where a side asks for it, and make room for its runs. */
static bool side_prepare(struct side_load *work, struct gate_cli *cli, const struct gate_paths *paths,
                         const struct gate_limits *limits, bool *input_taken, struct gate_error *err) {
    *work = (struct side_load){.paths = paths, .limits = limits};
    gate_arena_init(&work->arena, 0);
    work->runs = GATE_NEW_ARRAY(cli->arena, struct gate_run_input, (size_t)paths->count + 1);
    if (work->runs == NULL)
        return gate_arena_error(cli->arena, err);
    for (uint32_t i = 0; i < paths->count; i++) {
        if (strcmp(paths->items[i], "-") != 0)
            continue;
        if (*input_taken)
            return gate_error_set(err, GATE_ERR_USAGE, "'-' stands for standard input and can be given once");
        *input_taken = true;
        if (!gate_cli_read_input(&work->input, cli, limits, err))
            return false;
    }
    return true;
}

bool gate_sides_load(struct gate_sides *out, struct gate_cli *cli, const struct gate_paths paths[GATE_SIDES],
                     const struct gate_limits *limits, struct gate_error *err) {
    struct side_load work[GATE_SIDES];
    struct gate_paths expanded[GATE_SIDES];
    bool input_taken = false;
    *out = (struct gate_sides){0};
    for (int side = 0; side < GATE_SIDES; side++)
        if (!gate_paths_expand(&expanded[side], &paths[side], cli->arena, err) ||
            !side_prepare(&work[side], cli, &expanded[side], limits, &input_taken, err))
            return false;
    gate_parallel_both(side_load_run, &work[GATE_BASELINE], &work[GATE_CANARY]);
    bool ok = true;
    for (int side = GATE_SIDES; side-- > 0;) {
        gate_arena_absorb(cli->arena, &work[side].arena);
        if (!work[side].ok)
            *err = work[side].err; /* the baseline's, when both failed */
        ok = ok && work[side].ok;
        out->runs[side] = work[side].runs;
        out->counts[side] = expanded[side].count;
    }
    for (int side = 0; ok && side < GATE_SIDES; side++)
        ok = side_check_distinct(out->runs[side], out->counts[side], err);
    return ok && sides_check_overlap(out, err);
}

bool gate_sides_load_one(struct gate_run_input **runs, uint32_t *count, struct gate_cli *cli,
                         const struct gate_paths *paths, const struct gate_limits *limits, bool distinct,
                         struct gate_error *err) {
    struct side_load work;
    struct gate_paths expanded;
    bool input_taken = false;
    if (!gate_paths_expand(&expanded, paths, cli->arena, err) ||
        !side_prepare(&work, cli, &expanded, limits, &input_taken, err))
        return false;
    side_load_run(&work);
    gate_arena_absorb(cli->arena, &work.arena);
    *runs = work.runs;
    *count = expanded.count;
    if (work.ok)
        return !distinct || side_check_distinct(work.runs, expanded.count, err);
    *err = work.err;
    return false;
}
