/* SPDX-License-Identifier: Apache-2.0 */
#define _XOPEN_SOURCE 700 /* realpath */
#include "gate/session/ledger.h"

#include "gate/base/file.h"
#include "gate/base/json_io.h"
#include "gate/budget/verdict.h"
#include "gate/report/headline.h"
#include "gate/session/input.h"
#include "gate/session/judge.h"
#include "gate/session/load_sides.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* ---- the ledger as JSON ------------------------------------------------------------------------------------------ */

static const char schema[] = "pprofgate-ledger/1";

/* Possible outcomes of a look. */
static const enum gate_outcome outcomes[] = {GATE_OUTCOME_PASS, GATE_OUTCOME_INCONCLUSIVE, GATE_OUTCOME_FAIL};

enum { OUTCOMES = sizeof outcomes / sizeof *outcomes };

/* ---- write ------------------------------------------------------------------------------------------------------- */

static void ledger_write_runs(struct gate_json *json, const char *key, const struct gate_ledger_runs *runs) {
    gate_json_put_open(json, key, '[');
    for (uint32_t i = 0; i < runs->count; i++) {
        gate_json_open_flat(json, '{');
        gate_json_put_string(json, "path", runs->items[i].path);
        gate_json_put_string(json, "digest", runs->items[i].digest);
        gate_json_put_number(json, "work", runs->items[i].work);
        gate_json_close(json, '}');
    }
    gate_json_close(json, ']');
}

static void ledger_write_look(struct gate_json *json, const struct gate_ledger_look *look) {
    gate_json_open(json, '{');
    gate_json_put_string(json, "time", look->time);
    gate_json_put_text(json, "outcome", gate_outcome_name(look->outcome));
    gate_json_put_string(json, "found", look->found);
    for (int side = 0; side < GATE_SIDES; side++)
        ledger_write_runs(json, gate_side_word((enum gate_side_name)side), &look->runs[side]);
    gate_json_close(json, '}');
}

void gate_ledger_write(struct gate_buf *out, const struct gate_ledger *ledger) {
    struct gate_json json = {.out = out, .indent = 2};
    gate_json_open(&json, '{');
    gate_json_put_text(&json, "schema", schema);
    gate_json_put_string(&json, "rules", ledger->rules);
    gate_json_put_string(&json, "rules_digest", ledger->rules_digest);
    gate_json_put_string(&json, "change", ledger->change);
    gate_json_put_string(&json, "baseline_build", ledger->builds[GATE_BASELINE]);
    gate_json_put_string(&json, "canary_build", ledger->builds[GATE_CANARY]);
    gate_json_put_integer(&json, "planned", ledger->planned);
    gate_json_put_open(&json, "looks", '[');
    for (uint32_t i = 0; i < ledger->count; i++)
        ledger_write_look(&json, &ledger->looks[i]);
    gate_json_close_all(&json, "]}");
    gate_buf_char(out, '\n');
}

/* ---- parse ------------------------------------------------------------------------------------------------------- */

static bool read_run(struct gate_ledger_run *out, const struct gate_json_reader *reader) {
    static const char *const known[] = {"path", "digest", "work", NULL};
    return gate_json_reader_keys(reader, known) &&
           gate_json_reader_text(&out->path, reader, "path", GATE_JSON_READER_FILLED) &&
           gate_json_reader_text(&out->digest, reader, "digest", GATE_JSON_READER_FILLED) &&
           gate_json_reader_number(&out->work, reader, "work", GATE_JSON_READER_MUST);
}

static bool read_runs(struct gate_ledger_runs *out, const struct gate_json_reader *look, const char *key) {
    const json_t *list;
    if (!gate_json_reader_list(&list, look, key, UINT32_MAX / 2, GATE_JSON_READER_MUST))
        return false;
    out->count = (uint32_t)json_array_size(list);
    out->items = GATE_NEW_ARRAY(look->arena, struct gate_ledger_run, out->count);
    if (out->items == NULL)
        return gate_arena_error(look->arena, look->err);
    for (uint32_t i = 0; i < out->count; i++) {
        const struct gate_json_reader item = gate_json_reader_item(look, list, i, look->place);
        if (!read_run(&out->items[i], &item))
            return false;
    }
    return true;
}

static bool read_outcome(enum gate_outcome *out, const struct gate_json_reader *look) {
    struct gate_str word;
    if (!gate_json_reader_text(&word, look, "outcome", GATE_JSON_READER_MUST))
        return false;
    for (int i = 0; i < OUTCOMES; i++) {
        *out = outcomes[i];
        if (gate_str_equal(word, gate_str_from(gate_outcome_name(outcomes[i]))))
            return true;
    }
    return gate_json_reader_refuse(look, "outcome", "pass, fail or inconclusive");
}

static bool read_look(struct gate_ledger_look *out, const struct gate_json_reader *look) {
    static const char *const known[] = {"time", "outcome", "found", "baseline", "canary", NULL};
    return gate_json_reader_keys(look, known) &&
           gate_json_reader_text(&out->time, look, "time", GATE_JSON_READER_MUST) &&
           read_outcome(&out->outcome, look) &&
           gate_json_reader_text(&out->found, look, "found", GATE_JSON_READER_MUST) &&
           read_runs(&out->runs[GATE_BASELINE], look, "baseline") && read_runs(&out->runs[GATE_CANARY], look, "canary");
}

static bool read_looks(struct gate_ledger *out, const struct gate_json_reader *reader) {
    const json_t *list;
    int64_t planned = 0;
    if (!gate_json_reader_integer(&planned, reader, "planned", 1, GATE_SPENDING_LOOKS_MAX, GATE_JSON_READER_MUST) ||
        !gate_json_reader_list(&list, reader, "looks", (size_t)planned, GATE_JSON_READER_MUST))
        return false;
    out->planned = (uint32_t)planned;
    out->looks = GATE_NEW_ARRAY(reader->arena, struct gate_ledger_look, json_array_size(list));
    if (out->looks == NULL)
        return gate_arena_error(reader->arena, reader->err);
    for (; out->count < json_array_size(list); out->count++) {
        char place[32];
        (void)snprintf(place, sizeof place, "looks[%u]", (unsigned)out->count);
        const struct gate_json_reader look = gate_json_reader_item(reader, list, out->count, place);
        if (!read_look(&out->looks[out->count], &look))
            return false;
    }
    return true;
}

static bool read_document(struct gate_ledger *out, const struct gate_json_reader *reader) {
    static const char *const known[] = {"schema",       "rules",   "rules_digest", "change", "baseline_build",
                                        "canary_build", "planned", "looks",        NULL};
    const enum gate_json_reader_need must = GATE_JSON_READER_MUST;
    return gate_json_reader_schema(reader, schema, "look with the pprofgate that wrote it, or begin another ledger") &&
           gate_json_reader_keys(reader, known) && gate_json_reader_text(&out->rules, reader, "rules", must) &&
           gate_json_reader_text(&out->rules_digest, reader, "rules_digest", must) &&
           gate_json_reader_text(&out->change, reader, "change", must) &&
           gate_json_reader_text(&out->builds[GATE_BASELINE], reader, "baseline_build", must) &&
           gate_json_reader_text(&out->builds[GATE_CANARY], reader, "canary_build", must) && read_looks(out, reader);
}

bool gate_ledger_read(struct gate_ledger *out, struct gate_str text, struct gate_arena *arena, struct gate_error *err) {
    *out = (struct gate_ledger){0};
    json_t *root = gate_json_reader_parse(text, "a ledger", GATE_ERR_CONFIG, err);
    if (root == NULL)
        return false;
    const struct gate_json_reader reader = {root, "the ledger", GATE_ERR_CONFIG, arena, err};
    bool ok = read_document(out, &reader);
    json_decref(root);
    return ok;
}

/* ---- looks ------------------------------------------------------------------------------------------------------- */

bool gate_ledger_add(struct gate_ledger *ledger, const struct gate_ledger_look *look, struct gate_arena *arena,
                     struct gate_error *err) {
    struct gate_ledger_look *looks = GATE_NEW_ARRAY(arena, struct gate_ledger_look, (size_t)ledger->count + 1);
    if (looks == NULL)
        return gate_arena_error(arena, err);
    if (ledger->count > 0)
        memcpy(looks, ledger->looks, ledger->count * sizeof *looks);
    looks[ledger->count++] = *look;
    ledger->looks = looks;
    return true;
}

const struct gate_ledger_run *gate_ledger_find(const struct gate_ledger *ledger, struct gate_str digest) {
    for (uint32_t i = 0; i < ledger->count; i++)
        for (int side = 0; side < GATE_SIDES; side++)
            for (uint32_t r = 0; r < ledger->looks[i].runs[side].count; r++)
                if (gate_str_equal(ledger->looks[i].runs[side].items[r].digest, digest))
                    return &ledger->looks[i].runs[side].items[r];
    return NULL;
}

/* ---- profiles of several looks ----------------------------------------------------------------------------------- */

struct gate_ledger_pool {
    struct gate_profile_options *profiles;
    struct gate_judge_options *judging;
    const char *path;                          /* path of the ledger */
    struct gate_ledger_runs given[GATE_SIDES]; /* the profiles of this run: path as given, and digest */
    bool *is_new[GATE_SIDES];                  /* for each of `given`: no look has it */
    struct gate_str *builds[GATE_SIDES];       /* build ids, sorted and unique */
    uint32_t build_counts[GATE_SIDES];
    struct gate_str unknown[GATE_SIDES]; /* path of the first profile without a build id; `.len` 0: all have one */
    bool has_new;
    bool is_whole; /* every profile of the looks still exists unchanged, or is given */
};

/* Computes the digest of a file, and its build id if `build` is not NULL. */
static bool file_look(struct gate_str *digest, struct gate_str *build, const char *path,
                      const struct gate_limits *limits, const struct gate_session *session, struct gate_error *err) {
    struct gate_arena scratch;
    struct gate_str bytes = {"", 0};
    gate_arena_fork(&scratch, session->arena);
    bool ok = gate_input_read(&bytes, session, path, limits, &scratch, err);
    if (ok) {
        *digest = gate_load_sides_digest(bytes, session->arena);
        ok = digest->ptr != NULL || gate_arena_error(session->arena, err);
    }
    struct gate_profile profile;
    if (ok && build != NULL) {
        ok = gate_profile_load_alone(&profile, bytes, limits, &scratch, err);
        *build = ok ? gate_str_copy(session->arena, gate_profile_build_id(&profile)) : GATE_STR("");
        ok = ok && (build->ptr != NULL || gate_arena_error(session->arena, err));
    }
    gate_arena_free(&scratch);
    return ok || gate_error_prefix(err, "%s", gate_input_name(path));
}

/* Adds the build id of the run at `path` to a sorted array, which has space for one id per run. */
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

static bool side_look(struct gate_ledger_pool *pool, int side, struct gate_session *session, struct gate_error *err) {
    struct gate_paths *paths = &pool->profiles->paths[side], files;
    if (!gate_input_expand(&files, paths, session, &pool->profiles->limits, err))
        return false;
    *paths = files;
    struct gate_ledger_runs *given = &pool->given[side];
    given->items = GATE_NEW_ARRAY(session->arena, struct gate_ledger_run, files.count);
    pool->is_new[side] = GATE_NEW_ARRAY(session->arena, bool, files.count);
    pool->builds[side] = GATE_NEW_ARRAY(session->arena, struct gate_str, files.count);
    if (given->items == NULL || pool->is_new[side] == NULL || pool->builds[side] == NULL)
        return gate_arena_error(session->arena, err);
    for (; given->count < files.count; given->count++) {
        struct gate_ledger_run *run = &given->items[given->count];
        const char *path = files.items[given->count];
        struct gate_str build = {0};
        run->path = gate_str_from(path);
        if (!file_look(&run->digest, &build, path, &pool->profiles->limits, session, err))
            return false;
        add_build(pool, side, build, path);
    }
    return true;
}

/** Read the given profiles: digests and build ids. err: errors of reading a profile. */
static bool ledger_pool_look(struct gate_ledger_pool *pool, struct gate_session *session, struct gate_error *err) {
    return side_look(pool, GATE_BASELINE, session, err) && side_look(pool, GATE_CANARY, session, err);
}

/** Return the build ids of a side, separated by spaces; empty if none is known. `.ptr` is NULL if the arena is full. */
static struct gate_str ledger_pool_builds(const struct gate_ledger_pool *pool, enum gate_side_name side,
                                          struct gate_arena *arena) {
    struct gate_buf text = {0};
    for (uint32_t i = 0; i < pool->build_counts[side]; i++) {
        gate_buf_text(&text, i == 0 ? "" : " ");
        gate_buf_str(&text, pool->builds[side][i]);
    }
    return gate_buf_keep(&text, arena);
}

/* ---- which profiles still exist ---------------------------------------------------------------------------------- */

static const struct gate_ledger_run *given_of(const struct gate_ledger_pool *pool, struct gate_str digest) {
    for (int side = 0; side < GATE_SIDES; side++)
        for (uint32_t i = 0; i < pool->given[side].count; i++)
            if (gate_str_equal(pool->given[side].items[i].digest, digest))
                return &pool->given[side].items[i];
    return NULL;
}

/* Resolves a path in the ledger, which is relative to the ledger's folder. */
static struct gate_str path_from_here(const char *ledger, struct gate_str path, struct gate_arena *arena) {
    struct gate_str whole = gate_str_from(ledger);
    struct gate_str folder = gate_str_slice(whole, 0, whole.len - gate_str_basename(whole).len);
    if (gate_str_starts(path, GATE_STR("/")))
        folder.len = 0;
    return gate_str_format(arena, "%.*s%.*s", GATE_STR_ARG(folder), GATE_STR_ARG(path));
}

static bool run_exists(const struct gate_ledger_pool *pool, const struct gate_ledger_run *run,
                       const struct gate_session *session) {
    struct gate_error ignored = {0};
    struct gate_str digest = {"", 0}, path;
    if (given_of(pool, run->digest) != NULL)
        return true;
    path = path_from_here(pool->path, run->path, session->arena);
    return path.ptr != NULL && file_look(&digest, NULL, path.ptr, &pool->profiles->limits, session, &ignored) &&
           gate_str_equal(digest, run->digest);
}

/** Set is_new, has_new and is_whole. */
static void ledger_pool_match(struct gate_ledger_pool *pool, const struct gate_ledger *ledger,
                              const struct gate_session *session) {
    pool->has_new = false;
    pool->is_whole = true;
    for (int side = 0; side < GATE_SIDES; side++) {
        for (uint32_t i = 0; i < pool->given[side].count; i++) {
            pool->is_new[side][i] = gate_ledger_find(ledger, pool->given[side].items[i].digest) == NULL;
            pool->has_new = pool->has_new || pool->is_new[side][i];
        }
        for (uint32_t look = 0; look < ledger->count; look++)
            for (uint32_t i = 0; i < ledger->looks[look].runs[side].count; i++)
                pool->is_whole = pool->is_whole && run_exists(pool, &ledger->looks[look].runs[side].items[i], session);
    }
}

/* ---- merge with the runs of earlier looks ------------------------------------------------------------------------ */

/* Returns the total work of a side from the command line, or NULL. */
static const struct gate_work_count *work_of(const struct gate_judge_options *judging, int side) {
    for (uint32_t i = 0; i < judging->work.count; i++)
        if (judging->work.items[i].side == (enum gate_side_name)side && judging->work.items[i].key.len == 0)
            return &judging->work.items[i];
    return NULL;
}

static bool work_check(const struct gate_ledger_pool *pool, const struct gate_work_count *work, int side,
                       struct gate_error *err) {
    const struct gate_judge_options *judging = pool->judging;
    bool is_by_label = judging->work_file != NULL;
    for (uint32_t i = 0; i < judging->work.count; i++)
        is_by_label = is_by_label || judging->work.items[i].key.len > 0;
    if (is_by_label)
        return gate_error_set(err, GATE_ERR_USAGE,
                              "'--ledger' stores the work of a run as one number: give it as '--work canary=N1,N2', "
                              "not by label or in a file");
    if (work != NULL && work->count != pool->given[side].count)
        return gate_error_set(err, GATE_ERR_USAGE,
                              "the work of the %s must be given for each run, since a ledger combines the runs of "
                              "several looks: expected %u numbers, found %u",
                              gate_side_word((enum gate_side_name)side), (unsigned)pool->given[side].count,
                              (unsigned)work->count);
    return true;
}

/* Paths and work of one side: first those of the ledger, then the new ones. */
struct joined {
    struct gate_paths paths;
    double *work;
    bool has_work, lacks_work; /* whether some run has work, and whether some run lacks it */
};

static bool joined_add(struct joined *out, const char *path, double work, struct gate_arena *arena,
                       struct gate_error *err) {
    out->work[out->paths.count] = work;
    out->has_work = out->has_work || work > 0.0;
    out->lacks_work = out->lacks_work || !(work > 0.0);
    return gate_paths_add(&out->paths, path, arena, err);
}

static bool joined_fill(struct joined *out, const struct gate_ledger_pool *pool, const struct gate_ledger *ledger,
                        int side, const struct gate_work_count *work, struct gate_arena *arena,
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
            !joined_add(out, pool->given[side].items[i].path.ptr, work == NULL ? 0.0 : work->runs[i], arena, err))
            return false;
    return true;
}

/** Put the runs of the ledger, with their work, in front of the new ones. err: GATE_ERR_USAGE if work is given by label
 * or in a file, or in some looks only. */
static bool ledger_pool_join(struct gate_ledger_pool *pool, const struct gate_ledger *ledger, struct gate_arena *arena,
                             struct gate_error *err) {
    for (int side = 0; side < GATE_SIDES; side++) {
        const struct gate_work_count *work = work_of(pool->judging, side);
        size_t most = pool->given[side].count;
        for (uint32_t look = 0; look < ledger->count; look++)
            most += ledger->looks[look].runs[side].count;
        struct joined joined = {.work = GATE_NEW_ARRAY(arena, double, most)};
        if (joined.work == NULL)
            return gate_arena_error(arena, err);
        if (!work_check(pool, work, side, err) || !joined_fill(&joined, pool, ledger, side, work, arena, err))
            return false;
        if ((work != NULL || joined.has_work) && joined.lacks_work)
            return gate_error_set(
                err, GATE_ERR_USAGE,
                "the work of the %s was not given in every look at this change: give it for all runs, or for none",
                gate_side_word((enum gate_side_name)side));
        pool->profiles->paths[side] = joined.paths;
        const struct gate_work_count all = {
            .side = (enum gate_side_name)side, .runs = joined.work, .count = joined.paths.count};
        if (joined.has_work && !gate_work_add(&pool->judging->work, &all, arena, err))
            return false;
    }
    return true;
}

/* ---- relative paths ---------------------------------------------------------------------------------------------- */

/* Return the path of `to` relative to the folder `from`, which ends with '/'. Both are absolute and without symbolic
 * links. */
static struct gate_str relative(struct gate_str from, struct gate_str to, struct gate_arena *arena) {
    size_t same = 0;
    for (size_t i = 0; i < from.len && i < to.len && from.ptr[i] == to.ptr[i]; i++)
        same = from.ptr[i] == '/' ? i + 1 : same;
    struct gate_buf up = {0};
    for (size_t i = same; i < from.len; i++)
        gate_buf_text(&up, from.ptr[i] == '/' ? "../" : "");
    gate_buf_str(&up, gate_str_slice(to, same, to.len));
    return gate_buf_keep(&up, arena);
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

/* ---- use a ledger ------------------------------------------------------------------------------------------------ */

/* Default of --looks: the first look and one more. */
enum { LOOKS_PLANNED = 2 };

/* ---- open -------------------------------------------------------------------------------------------------------- */

static bool file_usage(const struct gate_ledger_options *options, const struct gate_profile_options *profiles,
                       const struct gate_judge_options *judging, struct gate_error *err) {
    if (options->looks > GATE_SPENDING_LOOKS_MAX)
        return gate_error_set(err, GATE_ERR_USAGE, "'--looks' takes at most %u, found %u", GATE_SPENDING_LOOKS_MAX,
                              (unsigned)options->looks);
    if (profiles->pairs.count != 0)
        return gate_error_set(err, GATE_ERR_USAGE,
                              "'--ledger' cannot be combined with '--pair'; give each kind a ledger of its own");
    if (judging->history.count != 0)
        return gate_error_set(err, GATE_ERR_USAGE,
                              "'--ledger' cannot be combined with '--history': a ledger judges all runs of a change "
                              "together, a history each by itself");
    if (judging->looks.count != 0)
        return gate_error_set(err, GATE_ERR_USAGE,
                              "'--ledger' cannot be combined with a folder whose manifest counts its looks; give its "
                              "profiles by '--baseline' and '--canary'");
    for (int side = 0; side < GATE_SIDES; side++)
        for (uint32_t i = 0; i < profiles->paths[side].count; i++)
            if (gate_paths_is_stream(profiles->paths[side].items[i]))
                return gate_error_set(err, GATE_ERR_USAGE,
                                      "'--ledger' wants profiles in files, since the next look reads them again");
    return true;
}

/* An open ledger. All zero: none. */
struct ledger_file {
    const char *path; /* NULL: no ledger */
    struct gate_ledger ledger;
    double fractions[GATE_SPENDING_LOOKS_MAX];
    bool is_next;        /* this run is a new look */
    bool is_closed;      /* this run has the verdict of the last look */
    struct gate_str why; /* if `is_closed`: the reason */
    int lock;            /* open, locked file; -1: none */
};

/* Locks the ledger, so that one run uses it at a time. The kernel releases the lock when the process ends. */
static bool file_lock(struct ledger_file *file, struct gate_arena *arena, struct gate_error *err) {
    struct gate_str name = gate_str_format(arena, "%s.lock", file->path);
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    if (name.ptr == NULL)
        return gate_arena_error(arena, err);
    file->lock = open(name.ptr, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (file->lock < 0)
        return gate_error_set(err, GATE_ERR_IO, "%s: %s", name.ptr, strerror(errno));
    if (fcntl(file->lock, F_SETLK, &whole) == 0)
        return true;
    if (errno == EACCES || errno == EAGAIN)
        return gate_error_set(err, GATE_ERR_IO, "%s: another run is using this ledger; wait until it has ended",
                              file->path);
    return gate_error_set(err, GATE_ERR_IO, "%s: %s", name.ptr, strerror(errno));
}

static bool file_read(struct ledger_file *file, const struct gate_session *session, struct gate_error *err) {
    struct gate_str text;
    if (access(file->path, F_OK) != 0 && errno == ENOENT)
        return true;
    if (gate_input_read_small(&text, session, file->path, session->arena, err) &&
        gate_ledger_read(&file->ledger, text, session->arena, err))
        return true;
    return gate_error_prefix(err, "%s", file->path);
}

/* Return whether two names are known and differ. */
static bool differ(struct gate_str a, struct gate_str b) {
    return a.len > 0 && b.len > 0 && !gate_str_equal(a, b);
}

/* Checks that the change can be identified: by --change, or by one build id that all runs of the canary share. */
static bool file_name(const struct gate_ledger_pool *pool, const struct gate_ledger *now, struct gate_error *err) {
    struct gate_str file = pool->unknown[GATE_CANARY];
    if (now->change.len > 0)
        return true;
    if (file.len > 0)
        return gate_error_set(err, GATE_ERR_USAGE,
                              "'--ledger' needs the name of the change, and %.*s has no build id; give it with "
                              "'--change NAME', such as its revision",
                              GATE_STR_ARG(file));
    if (pool->build_counts[GATE_CANARY] > 1)
        return gate_error_set(err, GATE_ERR_USAGE,
                              "'--ledger' needs the name of the change, and the canary's profiles are of %u builds "
                              "(%.*s); give it with '--change NAME', such as its revision",
                              (unsigned)pool->build_counts[GATE_CANARY], GATE_STR_ARG(now->builds[GATE_CANARY]));
    return true;
}

/* Sets `*is_other` if the ledger belongs to another change than this run. Fails if neither names nor build ids identify
 * it. */
static bool file_compare(bool *is_other, const struct ledger_file *file, const struct gate_ledger *now,
                         struct gate_error *err) {
    const struct gate_ledger *old = &file->ledger;
    struct gate_str before = old->builds[GATE_CANARY], build = now->builds[GATE_CANARY];
    *is_other = false;
    if (old->planned == 0)
        return true;
    bool are_named = now->change.len > 0 && old->change.len > 0;
    *is_other = are_named ? !gate_str_equal(now->change, old->change) : differ(build, before);
    if (are_named || (build.len > 0 && before.len > 0))
        return true;
    if (old->change.len > 0)
        return gate_error_set(err, GATE_ERR_USAGE,
                              "%s: this ledger is of the change '%.*s', but this run has no --change; give it again",
                              file->path, GATE_STR_ARG(old->change));
    return gate_error_set(
        err, GATE_ERR_USAGE,
        "%s: this ledger identifies its change by a build id, and this run has none; use another ledger", file->path);
}

/* Checks that the ledger has the rules and the baseline of this run. For another canary it starts anew. */
static bool file_match(struct ledger_file *file, const struct gate_ledger_options *options, struct gate_ledger *now,
                       struct gate_session *session, struct gate_error *err) {
    struct gate_ledger *old = &file->ledger;
    bool is_other = false;
    now->planned = options->looks > 0 ? options->looks : old->planned > 0 ? old->planned : LOOKS_PLANNED;
    if (old->planned > 0 && !gate_str_equal(old->rules_digest, now->rules_digest))
        return gate_error_set(err, GATE_ERR_INPUT,
                              "%s: this ledger is of other rules or options (%.*s), and this run has %.*s; judge by "
                              "the same rules, noise models and options, or name another ledger",
                              file->path, GATE_STR_ARG(old->rules), GATE_STR_ARG(now->rules));
    if (!file_compare(&is_other, file, now, err))
        return false;
    if (old->planned > 0 && !is_other && differ(now->builds[GATE_BASELINE], old->builds[GATE_BASELINE]))
        return gate_error_set(err, GATE_ERR_INPUT,
                              "%s: this ledger is of the baseline build %.*s, and this run has %.*s; compare with the "
                              "same baseline, or name another ledger",
                              file->path, GATE_STR_ARG(old->builds[GATE_BASELINE]),
                              GATE_STR_ARG(now->builds[GATE_BASELINE]));
    if (old->planned > 0 && !is_other && now->planned != old->planned)
        return gate_error_set(
            err, GATE_ERR_USAGE,
            "%s: this ledger has a plan of at most %u looks, but '--looks' is %u; the plan cannot change", file->path,
            (unsigned)old->planned, (unsigned)now->planned);
    if (is_other)
        gate_session_note(session, gate_str_format(session->arena,
                                                   "%s: the canary is another one than it was, so a new ledger begins",
                                                   file->path));
    if (old->planned == 0 || is_other)
        *old = *now;
    return true;
}

static bool file_builds(struct gate_ledger *now, const struct gate_ledger_pool *pool, struct gate_arena *arena,
                        struct gate_error *err) {
    for (int side = 0; side < GATE_SIDES; side++) {
        now->builds[side] = ledger_pool_builds(pool, (enum gate_side_name)side, arena);
        if (now->builds[side].ptr == NULL)
            return gate_arena_error(arena, err);
    }
    return file_name(pool, now, err);
}

/* ---- which look this is ------------------------------------------------------------------------------------------ */

static void file_close_with(struct ledger_file *file, const char *why) {
    file->is_closed = true;
    file->why = gate_str_from(why);
}

/* Decides whether this run is a new look, and sets the information fractions of all looks. */
static void file_place(struct ledger_file *file, struct gate_looks *looks, bool has_new, bool is_whole) {
    struct gate_ledger *ledger = &file->ledger;
    enum gate_outcome last = ledger->count > 0 ? ledger->looks[ledger->count - 1].outcome : GATE_OUTCOME_INCONCLUSIVE;
    if (has_new && ledger->count == ledger->planned)
        file_close_with(file, "there are no more looks at this change");
    else if (!is_whole && (!has_new || last != GATE_OUTCOME_INCONCLUSIVE))
        file_close_with(file, "the profiles of the looks so far are gone or have changed");
    else
        file->is_next = has_new;
    uint32_t count = ledger->count + file->is_next;
    for (uint32_t i = 0; i < count; i++)
        file->fractions[i] = (double)(i + 1) / ledger->planned;
    *looks = (struct gate_looks){.fractions = file->fractions,
                                 .count = count,
                                 .planned = ledger->planned,
                                 .is_alone = file->is_next && !is_whole && ledger->count > 0};
}

/* Open and lock the ledger, and set looks, profiles and work: see gate_ledger_judge. */
static bool ledger_open(struct ledger_file *out, const struct gate_ledger_options *options,
                        const struct gate_rules *rules, struct gate_profile_options *profiles,
                        struct gate_judge_options *judging, struct gate_session *session, struct gate_error *err) {
    *out = (struct ledger_file){.path = options->path, .lock = -1};
    if (options->path == NULL) {
        if (options->looks == 0 && options->change == NULL)
            return true;
        return gate_error_set(err, GATE_ERR_USAGE, "'%s' is about a ledger: name it with '--ledger FILE'",
                              options->looks > 0 ? "--looks" : "--change");
    }
    struct gate_ledger now = {.rules = rules->source,
                              .change = gate_str_from(options->change == NULL ? "" : options->change)};
    struct gate_ledger_pool pool = {.profiles = profiles, .judging = judging, .path = options->path};
    if (!file_usage(options, profiles, judging, err) ||
        !gate_judge_digest(&now.rules_digest, rules, profiles, judging, session, err) ||
        !file_lock(out, session->arena, err) || !file_read(out, session, err) ||
        !ledger_pool_look(&pool, session, err) || !file_builds(&now, &pool, session->arena, err) ||
        !file_match(out, options, &now, session, err))
        return false;
    ledger_pool_match(&pool, &out->ledger, session);
    file_place(out, &judging->looks, pool.has_new, pool.is_whole);
    bool joins = !out->is_closed && pool.is_whole;
    return !joins || ledger_pool_join(&pool, &out->ledger, session->arena, err);
}

/* Replace the verdict by that of the last look, if this run is not a new look. err: the arena is full. */
static bool ledger_apply(const struct ledger_file *file, struct gate_verdict *verdict, struct gate_arena *arena,
                         struct gate_error *err) {
    if (file->path == NULL || file->is_next || file->ledger.count == 0)
        return true;
    const struct gate_ledger_look *last = &file->ledger.looks[file->ledger.count - 1];
    if (!file->is_closed && verdict->outcome == last->outcome)
        return true;
    struct gate_str why = file->is_closed ? file->why : GATE_STR("it was of the same profiles");
    verdict->outcome = last->outcome;
    verdict->looks.stands =
        gate_str_format(arena,
                        "look %u of %u at this change ended with %s (%.*s), which is final: %.*s; a new canary or a "
                        "new ledger starts over",
                        (unsigned)file->ledger.count, (unsigned)file->ledger.planned, gate_outcome_name(last->outcome),
                        GATE_STR_ARG(last->found), GATE_STR_ARG(why));
    return verdict->looks.stands.ptr != NULL || gate_arena_error(arena, err);
}

/* ---- save the look ----------------------------------------------------------------------------------------------- */

static struct gate_str time_now(struct gate_arena *arena) {
    time_t now = time(NULL);
    struct tm day;
    char text[32] = "";
    if (gmtime_r(&now, &day) == NULL || strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &day) == 0)
        return GATE_STR("");
    return gate_str_copy(arena, gate_str_from(text));
}

/* Returns the runs that no earlier look has. */
static bool new_runs(struct gate_ledger_runs *out, const struct ledger_file *file, const struct gate_side *side,
                     struct gate_arena *arena, struct gate_error *err) {
    *out = (struct gate_ledger_runs){GATE_NEW_ARRAY(arena, struct gate_ledger_run, side->run_count), 0};
    if (out->items == NULL)
        return gate_arena_error(arena, err);
    for (uint32_t i = 0; i < side->run_count; i++) {
        const struct gate_run_input *run = &side->runs[i].input;
        if (gate_ledger_find(&file->ledger, run->digest) != NULL)
            continue;
        struct gate_str path = gate_ledger_pool_relative(file->path, run->path, arena);
        if (path.ptr == NULL)
            return gate_arena_error(arena, err);
        out->items[out->count++] = (struct gate_ledger_run){path, run->digest, run->work};
    }
    return true;
}

/* Append the look to the file. err: GATE_ERR_IO */
static bool ledger_save(struct ledger_file *file, const struct gate_verdict *verdict, struct gate_arena *arena,
                        struct gate_error *err) {
    struct gate_headline headline;
    struct gate_ledger_look look = {.outcome = verdict->outcome};
    struct gate_buf text = {0};
    if (file->path == NULL || !file->is_next)
        return true;
    look.time = time_now(arena);
    if (!gate_headline_make(&headline, verdict, arena, err))
        return false;
    look.found = headline.text;
    for (int side = 0; side < GATE_SIDES; side++)
        if (!new_runs(&look.runs[side], file, &verdict->comparisons[0].pair.sides[side], arena, err))
            return false;
    if (!gate_ledger_add(&file->ledger, &look, arena, err))
        return false;
    gate_ledger_write(&text, &file->ledger);
    bool ok = gate_buf_check(&text, err) && gate_outfile_keep(file->path, gate_buf_view(&text), arena, err);
    gate_buf_free(&text);
    return ok;
}

/* Release the lock. `file` may have no ledger, or be closed already. */
static void ledger_close(struct ledger_file *file) {
    if (file->path != NULL && file->lock >= 0)
        (void)close(file->lock);
    file->lock = -1;
}

bool gate_ledger_judge(struct gate_verdict *out, const struct gate_ledger_options *options, struct gate_rules *rules,
                       struct gate_profile_options *profiles, struct gate_judge_options *judging,
                       struct gate_session *session, struct gate_error *err) {
    struct ledger_file file;
    bool ok = ledger_open(&file, options, rules, profiles, judging, session, err) &&
              gate_judge_reach(out, session, profiles, rules, judging, err) &&
              ledger_apply(&file, out, session->arena, err) && ledger_save(&file, out, session->arena, err);
    ledger_close(&file);
    return ok;
}
