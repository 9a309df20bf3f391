/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/session/trend_runs.h"

#include "gate/budget/trend.h"
#include "gate/session/input.h"
#include "gate/session/load_sides.h"
#include "gate/session/profile_options.h"
#include "gate/session/sandboxing.h"
#include "gate/session/store_options.h"
#include "gate/store/match.h"
#include "gate/store/store.h"

#include <stdlib.h>
#include <sys/stat.h>

enum { POINTS_MAX = 500 };

/* A point before its profiles are loaded. */
struct stop {
    struct gate_str key, title; /* `key` identifies the point; empty: unique */
    struct gate_paths paths;
    double *work;        /* work of each path */
    int64_t accepted_ns; /* 0: not known */
    size_t work_capacity;
};

struct row {
    struct gate_trend_runs *out;
    const struct gate_trend_runs_options *options;
    struct gate_session *session;
    struct gate_arena *arena;
    struct gate_error *err;
    struct stop *stops;
    uint32_t count;
    size_t capacity;
};

bool gate_trend_runs_note(struct gate_trend_runs *runs, struct gate_str note, struct gate_arena *arena,
                          struct gate_error *err) {
    if (note.ptr == NULL || !GATE_GROW(arena, runs->notes, runs->note_count, runs->note_capacity))
        return gate_arena_error(arena, err);
    runs->notes[runs->note_count++] = note;
    return true;
}

static struct stop *add_stop(struct row *row, struct gate_str key, struct gate_str title) {
    for (uint32_t i = 0; i < row->count; i++)
        if (key.len > 0 && gate_str_equal(row->stops[i].key, key))
            return &row->stops[i];
    if (!GATE_GROW(row->arena, row->stops, row->count, row->capacity)) {
        (void)gate_arena_error(row->arena, row->err);
        return NULL;
    }
    row->stops[row->count] = (struct stop){.key = key, .title = title};
    return &row->stops[row->count++];
}

static bool add_run(struct row *row, struct stop *stop, const char *path, double work) {
    for (uint32_t i = 0; i < stop->paths.count; i++)
        if (strcmp(stop->paths.items[i], path) == 0)
            return true; /* a job that runs twice accepts the same capture twice */
    if (!GATE_GROW(row->arena, stop->work, stop->paths.count, stop->work_capacity))
        return gate_arena_error(row->arena, row->err);
    stop->work[stop->paths.count] = work;
    return gate_paths_add(&stop->paths, path, row->arena, row->err);
}

/* ---- points from a store ----------------------------------------------------------------------------------------- */

/* Whether `types`, such as "samples/count cpu/nanoseconds", contains `type`. */
static bool has_type(struct gate_str types, struct gate_str type) {
    for (size_t at = gate_str_find(types, type, 0); at != SIZE_MAX; at = gate_str_find(types, type, at + 1)) {
        size_t end = at + type.len;
        if ((at == 0 || types.ptr[at - 1] == ' ') &&
            (end == types.len || types.ptr[end] == '/' || types.ptr[end] == ' '))
            return true;
    }
    return false;
}

static bool is_wanted(const struct gate_record_run *run, struct gate_str type) {
    return gate_str_equal(run->kind, type) || has_type(run->types, type);
}

/* Finds the only kind of profile in the store, for the case that none is chosen. */
static bool only_kind(struct gate_str *kind, const struct row *row, const struct gate_records *records) {
    *kind = GATE_STR("");
    for (uint32_t i = 0; i < records->count; i++)
        for (uint32_t r = 0; r < records->items[i].run_count; r++) {
            struct gate_str found = records->items[i].runs[r].kind;
            if (kind->len == 0)
                *kind = found;
            if (!gate_str_equal(*kind, found))
                return gate_error_set(
                    row->err, GATE_ERR_USAGE,
                    "several kinds of profile were accepted ('%.*s', '%.*s'): choose one with '--sample-type'",
                    GATE_STR_ARG(*kind), GATE_STR_ARG(found));
        }
    return true;
}

static bool add_record(struct row *row, const struct gate_store *store, const struct gate_record *record,
                       struct gate_str kind) {
    for (uint32_t r = 0; r < record->run_count; r++) {
        const struct gate_record_run *run = &record->runs[r];
        struct gate_error why = {0};
        if (!is_wanted(run, kind))
            continue;
        bool is_intact = gate_objects_check(store, run->object, row->arena, &why);
        if (!is_intact && why.code != GATE_ERR_FORMAT)
            return gate_error_set(row->err, why.code, "%s", why.message);
        if (!is_intact) {
            if (!gate_trend_runs_note(row->out, gate_str_format(row->arena, "left out: %s", why.message), row->arena,
                                      row->err))
                return false;
            continue;
        }
        const char *path = gate_objects_path(store, run->object, row->arena);
        struct stop *stop = add_stop(row, record->revision.len > 0 ? record->revision : record->id,
                                     record->revision.len > 0 ? gate_record_text_revision(record) : record->id);
        if (path == NULL)
            return gate_arena_error(row->arena, row->err);
        if (stop == NULL || !add_run(row, stop, path, run->work))
            return false;
        if (stop->accepted_ns == 0)
            stop->accepted_ns = record->accepted_ms * 1000000;
    }
    return true;
}

static bool note_machines(struct row *row, const struct gate_records *records) {
    const char *fact = NULL;
    for (uint32_t i = 1; i < records->count; i++)
        if (gate_match_machines_differ(&records->items[0], &records->items[i], &fact))
            return gate_trend_runs_note(row->out,
                                        gate_str_format(row->arena,
                                                        "not all profiles were taken on a machine like the newest "
                                                        "('%s' differs): what they cost may differ for that",
                                                        fact),
                                        row->arena, row->err);
    return true;
}

static bool read_records(struct row *row, const struct gate_store *store) {
    struct gate_records records = {0};
    const struct gate_store_options *where = &row->options->where;
    struct gate_str service = gate_store_options_service_name(where), kind = row->options->sample_type;
    struct gate_str environment = gate_store_options_environment_name(where);
    if (!gate_records_list(&records, store, service, environment, row->arena, row->err))
        return false;
    for (uint32_t i = 0; i < records.damaged_count; i++)
        if (!gate_trend_runs_note(row->out,
                                  gate_str_format(row->arena, "left out: %.*s", GATE_STR_ARG(records.damaged[i])),
                                  row->arena, row->err))
            return false;
    if (kind.len == 0 && !only_kind(&kind, row, &records))
        return false;
    for (uint32_t i = records.count; i-- > 0;) /* records are sorted from newest to oldest */
        if (!add_record(row, store, &records.items[i], kind))
            return false;
    if (row->count == 0)
        return gate_error_set(row->err, GATE_ERR_INPUT,
                              "%s: nothing was accepted of service '%.*s' in '%.*s'%s%.*s; 'pprofgate baseline list' "
                              "shows what was",
                              where->store, GATE_STR_ARG(service), GATE_STR_ARG(environment),
                              kind.len > 0 ? " that has " : "", GATE_STR_ARG(kind));
    row->out->from =
        gate_str_format(row->arena, "service %.*s, %.*s", GATE_STR_ARG(service), GATE_STR_ARG(environment));
    return (row->out->from.ptr != NULL || gate_arena_error(row->arena, row->err)) && note_machines(row, &records);
}

/* ---- points from a list ------------------------------------------------------------------------------------------ */

/* Whether `path` may hold several runs: a folder, or a summary. */
static bool is_folder(const char *path) {
    struct stat status;
    return gate_input_is_summary(path) || (stat(path, &status) == 0 && S_ISDIR(status.st_mode));
}

static bool list_folder(struct row *row, const char *path, struct stop *stop) {
    const struct gate_paths one = {.items = &path, .count = 1};
    struct gate_paths files;
    if (!gate_input_expand(&files, &one, row->session, row->options->limits, row->err))
        return false;
    for (uint32_t i = 0; i < files.count; i++) {
        struct stop *at = stop;
        if (at == NULL)
            at = add_stop(row, GATE_STR(""), gate_str_basename(gate_str_from(files.items[i])));
        if (at == NULL || !add_run(row, at, files.items[i], 0.0))
            return false;
    }
    return true;
}

static bool read_list(struct row *row) {
    const struct gate_paths *paths = row->options->paths;
    if (paths->count == 1 && is_folder(paths->items[0])) {
        if (!list_folder(row, paths->items[0], NULL))
            return false;
    } else {
        for (uint32_t i = 0; i < paths->count; i++) {
            struct gate_str name = gate_str_from(paths->items[i]);
            while (name.len > 1 && name.ptr[name.len - 1] == '/')
                name.len--;
            struct stop *stop = add_stop(row, GATE_STR(""), gate_str_basename(name));
            if (stop == NULL || !(is_folder(paths->items[i]) ? list_folder(row, paths->items[i], stop)
                                                             : add_run(row, stop, paths->items[i], 0.0)))
                return false;
        }
    }
    row->out->from = gate_str_format(row->arena, paths->count == 1 ? "%s" : "%s and those behind it", paths->items[0]);
    return row->out->from.ptr != NULL || gate_arena_error(row->arena, row->err);
}

/* ---- load -------------------------------------------------------------------------------------------------------- */

/* Returns the mean capture time of a point's runs; 0 if one of them has no time. */
static int64_t taken_ns(const struct gate_run_input *runs, uint32_t count) {
    int64_t sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (runs[i].profile->time_ns <= 0)
            return 0;
        sum += runs[i].profile->time_ns / (int64_t)count;
    }
    return sum;
}

static bool ascend(const struct gate_series_point *points, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        if (points[i].time_ns <= 0 || (i > 0 && points[i].time_ns <= points[i - 1].time_ns))
            return false;
    return true;
}

static int by_time(const void *left, const void *right) {
    const struct gate_series_point *a = left, *b = right;
    return a->time_ns != b->time_ns ? (a->time_ns > b->time_ns ? 1 : -1)
                                    : (a->first > b->first) - (a->first < b->first);
}

/* Sorts the profiles of a folder by time. The runs of a point stay adjacent. */
static bool sort_points(struct row *row) {
    struct gate_trend_runs *out = row->out;
    bool is_one_folder = row->options->where.store == NULL && row->options->paths->count == 1;
    for (uint32_t i = 0; i < out->point_count; i++)
        if (!is_one_folder || out->points[i].time_ns <= 0)
            return true;
    qsort(out->points, out->point_count, sizeof *out->points, by_time);
    struct gate_run_input *runs = GATE_NEW_ARRAY(row->arena, struct gate_run_input, out->run_count);
    if (runs == NULL)
        return gate_arena_error(row->arena, row->err);
    for (uint32_t i = 0, at = 0; i < out->point_count; i++) {
        memcpy(&runs[at], &out->runs[out->points[i].first], out->points[i].count * sizeof *runs);
        out->points[i].first = at;
        at += out->points[i].count;
    }
    out->runs = runs;
    return true;
}

/* Keeps the newest points. For a folder this works only after sorting. */
static void keep_last(const struct row *row) {
    struct gate_trend_runs *out = row->out;
    if (row->options->last == 0 || out->point_count <= row->options->last)
        return;
    uint32_t dropped = out->point_count - row->options->last;
    uint32_t first = out->points[dropped].first;
    out->points += dropped;
    out->point_count -= dropped;
    out->runs += first;
    out->run_count -= first;
    for (uint32_t i = 0; i < out->point_count; i++)
        out->points[i].first -= first;
}

/* With a store, uses the time of acceptance if capture times are missing or not in the order of acceptance. */
static void settle_times(const struct row *row) {
    struct gate_trend_runs *out = row->out;
    if (ascend(out->points, out->point_count) || row->options->where.store == NULL)
        return;
    for (uint32_t i = 0; i < out->point_count; i++)
        out->points[i].time_ns = row->stops[i].accepted_ns;
}

static bool load(struct row *row) {
    struct gate_trend_runs *out = row->out;
    struct gate_paths all = {0};
    struct gate_side_runs side;
    bool is_list = row->options->where.store == NULL;
    for (uint32_t i = 0; i < row->count; i++)
        for (uint32_t f = 0; f < row->stops[i].paths.count; f++)
            if (!gate_paths_add(&all, row->stops[i].paths.items[f], row->arena, row->err))
                return false;
    if (!gate_load_sides_one(&side, row->session, &all, row->options->limits, is_list, row->err))
        return false;
    GATE_ASSERT(side.count == all.count);
    out->points = GATE_NEW_ARRAY(row->arena, struct gate_series_point, row->count);
    out->runs = GATE_NEW_ARRAY(row->arena, struct gate_run_input, side.count);
    if (out->points == NULL || out->runs == NULL)
        return gate_arena_error(row->arena, row->err);
    memcpy(out->runs, side.items, side.count * sizeof *out->runs);
    out->point_count = row->count;
    out->run_count = side.count;
    for (uint32_t i = 0, at = 0; i < row->count; i++) {
        const struct stop *stop = &row->stops[i];
        for (uint32_t f = 0; f < stop->paths.count; f++) {
            out->runs[at + f].work = stop->work[f];
            out->runs[at + f].title = stop->title;
        }
        out->points[i] = (struct gate_series_point){.title = stop->title,
                                                    .first = at,
                                                    .count = stop->paths.count,
                                                    .time_ns = taken_ns(&out->runs[at], stop->paths.count)};
        at += stop->paths.count;
    }
    settle_times(row);
    if (!sort_points(row))
        return false;
    keep_last(row);
    return true;
}

bool gate_trend_runs_load(struct gate_trend_runs *out, const struct gate_trend_runs_options *options,
                          struct gate_session *session, struct gate_error *err) {
    struct row row = {.out = out, .options = options, .session = session, .arena = session->arena, .err = err};
    struct gate_store store = {.lock = -1};
    *out = (struct gate_trend_runs){0};
    bool is_stored = options->where.store != NULL;
    if (is_stored && !gate_store_options_open(&store, &options->where, session->arena, err))
        return false;
    gate_sandboxing_narrow(session, options->needs);
    bool ok = is_stored ? read_records(&row, &store) : read_list(&row);
    if (ok && is_stored && options->last > 0 && row.count > options->last) {
        row.stops += row.count - options->last;
        row.count = options->last;
    }
    if (ok && row.count > POINTS_MAX)
        ok = gate_error_set(err, GATE_ERR_LIMIT, "%u points: at most %d are looked at; '--last %d' takes the newest",
                            (unsigned)row.count, POINTS_MAX, POINTS_MAX);
    ok = ok && load(&row);
    if (is_stored)
        gate_store_close(&store);
    return ok;
}
