/* SPDX-License-Identifier: Apache-2.0 */
/* The command `trend`: finds costs that grow slowly over many builds. */
#include "gate/base/file.h"
#include "gate/budget/outcome.h"
#include "gate/budget/replaced.h"
#include "gate/budget/trend.h"
#include "gate/cli/command.h"
#include "gate/cli/option_groups.h"
#include "gate/cli/options.h"
#include "gate/report/trend_report.h"
#include "gate/rules/rules_parse.h"
#include "gate/session/debuginfod.h"
#include "gate/session/input.h"
#include "gate/session/load_sides.h"
#include "gate/session/profile_options.h"
#include "gate/session/reports.h"
#include "gate/session/rules_in_force.h"
#include "gate/session/session.h"
#include "gate/session/store_options.h"
#include "gate/store/match.h"
#include "gate/store/store.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

/* Points from oldest to newest; the runs of a point are adjacent in `runs`. */
struct runs {
    struct gate_run_input *runs;
    uint32_t run_count;
    struct gate_series_point *points;
    uint32_t point_count;
    struct gate_str from; /* description of the input: "service shop, default", "heaps/" */
    struct gate_str *notes;
    uint32_t note_count;
    size_t note_capacity;
};

/* Options of `trend`, and the loaded runs. */
struct trend {
    struct gate_profile_options profiles;
    struct gate_store_options where;
    uint32_t last;
    const char *rules_path, *folder;
    const char *paths[GATE_TREND_REPORTS];
    const char *places[GATE_TREND_REPORTS]; /* paths in the folder of --report, or NULL */
    int on_inconclusive;
    bool quiet;
    struct runs runs;
};

#define AT(field) .at = offsetof(struct trend, field)

static const struct gate_option trend_rows[] = {
    {"rules", 'r', "FILE",
     "the budgets of measure 'trend': a file or a preset (default: .pprofgate.yml; without such budgets, the preset "
     "trend)",
     gate_option_value_text, AT(rules_path)},
    {"last", 0, "N", "only the newest N builds", gate_option_value_count32, AT(last)},
    {"on-inconclusive", 0, "WHAT",
     "outcome of an inconclusive run: pass, warn, fail or inconclusive (default: as in the rules)",
     gate_option_value_word, AT(on_inconclusive), gate_on_inconclusive_words},
    {"quiet", 'q', NULL, "only the verdict and what is broken", gate_option_value_flag, AT(quiet)},
    {"report", 0, "DIR", "all of these in a folder: trend.html, trend.json, trend.md, trend-junit.xml",
     gate_option_value_text, AT(folder), .output = GATE_OPTION_FOLDER},
    {0},
};

static const struct gate_option_group trend_group = {.rows = trend_rows};

static bool format_row(struct gate_option *out, size_t index, struct gate_arena *arena) {
    (void)arena;
    *out = (struct gate_option){0};
    if (index < GATE_TREND_REPORTS)
        *out = gate_option_of_file(gate_trend_reports[index].name, gate_trend_reports[index].help,
                                   offsetof(struct trend, paths) + index * sizeof(const char *));
    return true;
}

static const struct gate_option_group format_group = {.row = format_row};

static const struct gate_option_binding options[] = {
    {&trend_group, 0},
    {&format_group, 0},
    {&gate_store_options_place, AT(where)},
    {&gate_store_options_reading, AT(where)},
    {&gate_profile_options_read, AT(profiles)},
    {&gate_symbol_options_group, AT(profiles.symbols)},
    {&gate_profile_options_limits, AT(profiles)},
    {NULL, 0},
};

static const char usage[] = "Usage: pprofgate trend [options] --store DIR --service NAME\n"
                            "       pprofgate trend [options] PROFILE...\n"
                            "       pprofgate trend [options] DIR\n"
                            "\n"
                            "Fits a slope to each function and to the whole, over the builds that were\n"
                            "accepted (or profiles in their order), and decides by the rules' budgets of\n"
                            "measure 'trend': a leak, or cost that creeps up a little with every build. One\n"
                            "step is not a slope: it is named, and 'check' judges it. Of profiles, each is a\n"
                            "point, and so is a folder of runs; a folder alone holds the points.\n"
                            "\n"
                            "Options:\n";

static const char tail[] = "\nExit status: 0 pass, 1 fail: a budget is broken, 2 usage, configuration or\n"
                           "input error, 3 inconclusive. At least 5 builds are needed to decide anything.\n";

static void trend_begin(void *wanted) {
    ((struct trend *)wanted)->on_inconclusive = -1;
}

/* ---- points ------------------------------------------------------------------------------------------------------ */

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
    struct trend *trend;
    struct gate_session *session;
    struct gate_arena *arena;
    struct gate_error *err;
    struct stop *stops;
    uint32_t count;
    size_t capacity;
};

/* Appends a note for the report. An error also if `note.ptr` is NULL. */
static bool note_add(struct trend *trend, struct gate_str note, struct gate_arena *arena, struct gate_error *err) {
    struct runs *runs = &trend->runs;
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

/* Return whether `types`, such as "samples/count cpu/nanoseconds", contains `type`. */
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
            if (!note_add(row->trend, gate_str_format(row->arena, "left out: %s", why.message), row->arena, row->err))
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
            return note_add(row->trend,
                            gate_str_format(row->arena,
                                            "not all profiles were taken on a machine like the newest "
                                            "('%s' differs): what they cost may differ for that",
                                            fact),
                            row->arena, row->err);
    return true;
}

static bool read_records(struct row *row, const struct gate_store *store) {
    struct gate_records records = {0};
    const struct gate_store_options *where = &row->trend->where;
    struct gate_str service = gate_store_options_service_name(where), kind = row->trend->profiles.sample_type;
    struct gate_str environment = gate_store_options_environment_name(where);
    if (!gate_records_list(&records, store, service, environment, row->arena, row->err))
        return false;
    for (uint32_t i = 0; i < records.damaged_count; i++)
        if (!note_add(row->trend, gate_str_format(row->arena, "left out: %.*s", GATE_STR_ARG(records.damaged[i])),
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
    row->trend->runs.from =
        gate_str_format(row->arena, "service %.*s, %.*s", GATE_STR_ARG(service), GATE_STR_ARG(environment));
    return (row->trend->runs.from.ptr != NULL || gate_arena_error(row->arena, row->err)) &&
           note_machines(row, &records);
}

/* ---- points from a list ------------------------------------------------------------------------------------------ */

/* Return whether `path` may contain several runs: it is a folder or a summary. */
static bool is_folder(const char *path) {
    struct stat status;
    return gate_input_is_summary(path) || (stat(path, &status) == 0 && S_ISDIR(status.st_mode));
}

static bool list_folder(struct row *row, const char *path, struct stop *stop) {
    const struct gate_paths one = {.items = &path, .count = 1};
    struct gate_paths files;
    if (!gate_input_expand(&files, &one, row->session, &row->trend->profiles.limits, row->err))
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
    const struct gate_paths *paths = &row->trend->profiles.arguments;
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
    row->trend->runs.from =
        gate_str_format(row->arena, paths->count == 1 ? "%s" : "%s and those behind it", paths->items[0]);
    return row->trend->runs.from.ptr != NULL || gate_arena_error(row->arena, row->err);
}

/* ---- the profiles of the points ---------------------------------------------------------------------------------- */

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
    struct runs *out = &row->trend->runs;
    bool is_one_folder = row->trend->where.store == NULL && row->trend->profiles.arguments.count == 1;
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
    struct runs *out = &row->trend->runs;
    if (row->trend->last == 0 || out->point_count <= row->trend->last)
        return;
    uint32_t dropped = out->point_count - row->trend->last;
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
    struct runs *out = &row->trend->runs;
    if (ascend(out->points, out->point_count) || row->trend->where.store == NULL)
        return;
    for (uint32_t i = 0; i < out->point_count; i++)
        out->points[i].time_ns = row->stops[i].accepted_ns;
}

static bool load_profiles(struct row *row) {
    struct runs *out = &row->trend->runs;
    struct gate_paths all = {0};
    struct gate_side_runs side;
    bool is_list = row->trend->where.store == NULL;
    for (uint32_t i = 0; i < row->count; i++)
        for (uint32_t f = 0; f < row->stops[i].paths.count; f++)
            if (!gate_paths_add(&all, row->stops[i].paths.items[f], row->arena, row->err))
                return false;
    if (!gate_load_sides_one(&side, row->session, &all, &row->trend->profiles.limits, is_list, row->err))
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

/*
 * Finds and loads the runs.
 *
 * With a store, each accepted revision is a point, in the order of first acceptance. Damaged records and profiles are
 * left out with a note. With a single folder, each profile is a point, sorted by time if all have one, else by name.
 * With several arguments, each one is a point, in their order; a folder holds the runs of its point.
 */
static bool trend_load(struct trend *trend, struct gate_session *session, struct gate_error *err) {
    struct row row = {.trend = trend, .session = session, .arena = session->arena, .err = err};
    struct gate_store store = {.lock = -1};
    bool is_stored = trend->where.store != NULL;
    if (is_stored && !gate_store_options_open(&store, &trend->where, session->arena, err))
        return false;
    gate_sandboxing_narrow(session, gate_symbol_options_needs(&trend->profiles.symbols));
    bool ok = is_stored ? read_records(&row, &store) : read_list(&row);
    if (ok && is_stored && trend->last > 0 && row.count > trend->last) {
        row.stops += row.count - trend->last;
        row.count = trend->last;
    }
    if (ok && row.count > POINTS_MAX)
        ok = gate_error_set(err, GATE_ERR_LIMIT, "%u points: at most %d are looked at; '--last %d' takes the newest",
                            (unsigned)row.count, POINTS_MAX, POINTS_MAX);
    ok = ok && load_profiles(&row);
    if (is_stored)
        gate_store_close(&store);
    return ok;
}

/* ---- rules ------------------------------------------------------------------------------------------------------- */

/* Loads the rules. If they have no trend budget, uses those of the preset; the rules for frames are kept. */
static bool trend_rules(struct gate_rules *rules, struct trend *trend, struct gate_session *session,
                        struct gate_error *err) {
    struct gate_rules preset = {0};
    if (!gate_rulefile_load(rules, session, trend->rules_path, err))
        return false;
    if (trend->on_inconclusive >= 0)
        rules->on_inconclusive = (enum gate_on_inconclusive)trend->on_inconclusive;
    bool has_own;
    uint32_t others = gate_trend_verdict_set_aside(rules, &has_own);
    if (has_own && others > 0)
        return note_add(trend,
                        gate_str_format(session->arena,
                                        "%u budget%s of other measures %s not looked at: 'pprofgate check' "
                                        "judges %s",
                                        (unsigned)others, others == 1 ? "" : "s", others == 1 ? "is" : "are",
                                        others == 1 ? "it" : "them"),
                        session->arena, err);
    if (has_own)
        return true;
    bool has_own_rules = !rules->is_default;
    struct gate_str source = rules->source;
    bool ok = gate_rules_parse_preset(&preset, "trend", session->arena, err);
    rules->budgets = preset.budgets;
    rules->budget_count = ok ? preset.budget_count : 0;
    if (ok && !has_own_rules) {
        rules->source = preset.source;
        rules->digest = preset.digest;
    }
    /* The preset has no patterns, so it need not be freed. */
    GATE_ASSERT(preset.regex_count == 0);
    return ok &&
           (!has_own_rules || note_add(trend,
                                       gate_str_format(session->arena,
                                                       "%.*s has no budget of measure 'trend': those of the preset "
                                                       "'trend' apply",
                                                       GATE_STR_ARG(source)),
                                       session->arena, err));
}

/* ---- inputs and outputs ------------------------------------------------------------------------------------------ */

static bool trend_check(const struct trend *trend, struct gate_error *err) {
    if (trend->where.store == NULL && (trend->where.service != NULL || trend->where.environment != NULL))
        return gate_error_set(err, GATE_ERR_USAGE, "'--service' is for builds of a store; add --store DIR");
    if (trend->where.store != NULL && trend->profiles.arguments.count > 0)
        return gate_error_set(err, GATE_ERR_USAGE, "unexpected '%s': with '--store' the store has the profiles",
                              trend->profiles.arguments.items[0]);
    if (trend->where.store != NULL)
        return gate_store_options_check(&trend->where, true, err);
    if (trend->profiles.arguments.count == 0)
        return gate_error_set(err, GATE_ERR_USAGE,
                              "there is nothing to look at: expected --store DIR --service NAME, or profiles in their "
                              "order");
    return true;
}

/* Records all inputs and outputs, so that no output overwrites an input. */
static bool trend_note(struct trend *trend, struct gate_file_roles *roles, struct gate_session *session,
                       struct gate_error *err) {
    const char *rules = trend->rules_path == NULL ? GATE_RULEFILE_DEFAULT : trend->rules_path;
    if (!gate_file_roles_read(roles, "the rules", rules, session->arena, err) ||
        !gate_profile_options_note(&trend->profiles, "a profile", roles, session->arena, err) ||
        !gate_file_roles_check(roles, err))
        return false;
    for (int i = 0; trend->folder != NULL && i < GATE_TREND_REPORTS; i++) {
        trend->places[i] = gate_str_format(session->arena, "%s/%s", trend->folder, gate_trend_reports[i].file).ptr;
        if (trend->places[i] == NULL)
            return gate_arena_error(session->arena, err);
    }
    for (int i = 0; i < GATE_TREND_REPORTS; i++)
        if (!gate_file_roles_write(roles, trend->paths[i], gate_trend_reports[i].mark, session, err) ||
            !gate_file_roles_write(roles, trend->places[i], gate_trend_reports[i].mark, session, err))
            return false;
    return gate_file_roles_end(roles);
}

/* After a run without a decision, removes the reports of an earlier run. */
static void trend_remove(const struct trend *trend, const struct gate_file_roles *roles, struct gate_session *session) {
    for (int i = 0; i < GATE_TREND_REPORTS; i++)
        for (int k = 0; k < 2; k++)
            gate_reports_remove_file(k == 0 ? trend->paths[i] : trend->places[i], gate_trend_reports[i].mark, roles,
                                     session);
}

static bool trend_write(const struct trend *trend, const struct gate_trend_verdict *verdict,
                        struct gate_session *session, struct gate_error *err) {
    struct gate_buf made[GATE_TREND_REPORTS] = {{0}}, text = {0}, summary = {0};
    bool ok = trend->folder == NULL || gate_folders_make(trend->folder, err), is_taken = false;
    for (int i = 0; ok && i < GATE_TREND_REPORTS; i++) {
        if (trend->paths[i] == NULL && trend->places[i] == NULL)
            continue;
        is_taken = is_taken || (trend->paths[i] != NULL && gate_paths_is_stream(trend->paths[i]));
        gate_trend_reports[i].write(&made[i], verdict);
        ok = gate_buf_check(&made[i], err);
    }
    FILE *stream = is_taken ? session->err : session->out;
    gate_trend_markdown(&summary, verdict);
    const struct gate_trend_text_options terminal = {.columns = gate_session_columns(stream, 80),
                                                     .quiet = trend->quiet,
                                                     .verbose = session->is_verbose,
                                                     .colour = gate_session_wants_colour(session, stream)};
    gate_trend_text(&text, verdict, &terminal);
    ok = ok && gate_buf_check(&summary, err) && gate_buf_check(&text, err) && gate_arena_check(session->arena, err);
    for (int i = 0; ok && i < GATE_TREND_REPORTS; i++)
        ok = (trend->paths[i] == NULL || gate_output_write(session, trend->paths[i], gate_buf_view(&made[i]), err)) &&
             (trend->places[i] == NULL || gate_output_write(session, trend->places[i], gate_buf_view(&made[i]), err));
    gate_progress_end(session->progress);
    ok = ok && gate_github_summary_append(gate_buf_view(&summary), err);
    if (ok && !gate_stream_write(stream, gate_buf_view(&text)))
        ok = gate_error_set(err, GATE_ERR_IO, "cannot write the verdict to standard output: %s", strerror(errno));
    for (int i = 0; i < GATE_TREND_REPORTS; i++)
        gate_buf_free(&made[i]);
    gate_buf_free(&text);
    gate_buf_free(&summary);
    return ok;
}

/* ---- the command ------------------------------------------------------------------------------------------------- */

/* Adds a note on files that have another path in the newest profiles. */
static bool trend_moved(struct trend *trend, const struct gate_plan *plan, struct gate_arena *arena,
                        struct gate_error *err) {
    for (uint32_t i = 0; i < plan->comparison_count; i++) {
        struct gate_str note = gate_replaced_files(&plan->comparisons[i], "the newest profiles", arena);
        if ((note.ptr == NULL || note.len > 0) && !note_add(trend, note, arena, err))
            return false;
    }
    return true;
}

/* Folds the functions that replaced others, and adds a note on them. */
static bool trend_replaced(struct gate_trend_replaced *out, struct trend *trend, const struct gate_plan *plan,
                           struct gate_arena *arena, struct gate_error *err) {
    const struct runs *runs = &trend->runs;
    if (!gate_trend_replaced_fold(out, plan, runs->points, runs->point_count, arena, err))
        return false;
    struct gate_str note = gate_trend_replaced_sentence(out, plan, runs->points, arena);
    return (note.ptr != NULL && note.len == 0) || note_add(trend, note, arena, err);
}

static bool trend_judge(struct trend *trend, struct gate_rules *rules, struct gate_session *session,
                        struct gate_error *err) {
    struct gate_plan plan;
    struct gate_trend_verdict verdict;
    struct gate_trend_replaced replaced;
    const struct gate_pair_options pairing =
        gate_profile_options_pairing(&trend->profiles, rules->frames, rules->counts);
    const struct gate_plan_options how = {.sample_type = pairing.sample_type,
                                          .where = pairing.where,
                                          .frames = pairing.frames,
                                          .counts = pairing.counts,
                                          .is_series = true};
    const struct gate_run_input *runs = trend->runs.runs;
    if (!gate_plan_count_cpu(&runs, &trend->runs.run_count, 1, &trend->profiles.limits, session->arena, err))
        return false;
    /* A pair needs two sides; all builds are the first one. */
    const struct gate_plan_input input = {.runs = {runs, runs}, .counts = {trend->runs.run_count, 1}};
    const struct gate_str today = gate_rulefile_today(session->arena);
    if (today.ptr == NULL) /* without a date no waiver would be expired */
        return gate_arena_error(session->arena, err);
    const struct gate_trend_verdict_input judged = {.rules = rules,
                                                    .plan = &plan,
                                                    .points = trend->runs.points,
                                                    .point_count = trend->runs.point_count,
                                                    .replaced = &replaced,
                                                    .today = today};
    gate_progress_stage(session->progress, "comparing builds");
    if (!gate_plan_make(&plan, rules, &input, 1, &how, session->arena, err) ||
        !trend_replaced(&replaced, trend, &plan, session->arena, err) ||
        !gate_trend_verdict_reach(&verdict, &judged, session->arena, err) ||
        !trend_moved(trend, &plan, session->arena, err))
        return false;
    verdict.replaced = replaced;
    verdict.from = trend->runs.from;
    verdict.notes = trend->runs.notes;
    verdict.note_count = trend->runs.note_count;
    if (!trend_write(trend, &verdict, session, err))
        return false;
    for (uint32_t i = 0; i < verdict.result_count; i++) {
        session->github_outputs.failed += verdict.results[i].outcome == GATE_OUTCOME_FAIL;
        session->github_outputs.inconclusive += verdict.results[i].outcome == GATE_OUTCOME_INCONCLUSIVE;
        session->github_outputs.warned += verdict.results[i].outcome == GATE_OUTCOME_WARN;
        session->github_outputs.causes += verdict.results[i].failed;
    }
    session->github_outputs.report = trend->folder;
    session->status = gate_exit_code_of(verdict.outcome);
    return true;
}

static bool trend_run(void *wanted, struct gate_session *session, struct gate_error *err) {
    struct trend *trend = wanted;
    struct gate_rules rules = {0};
    struct gate_file_roles roles = {0};
    bool ok = trend_check(trend, err) && trend_note(trend, &roles, session, err) &&
              gate_debuginfod_open(&trend->profiles.symbols, session, err) && trend_load(trend, session, err) &&
              trend_rules(&rules, trend, session, err) && trend_judge(trend, &rules, session, err);
    if (!ok && gate_file_roles_are_certain(&roles, err))
        trend_remove(trend, &roles, session);
    gate_rules_free(&rules);
    return ok;
}

static const struct gate_example examples[] = {
    {"what creeps up over the profiles of eight builds, oldest first", "pprofgate trend leak-*.pb.gz"},
    {"of the accepted builds of a service", "pprofgate trend --store baselines --service shop"},
    {NULL, NULL}};

const struct gate_command gate_command_trend = {
    .name = "trend",
    .summary = "show what grows from one accepted build to the next",
    .usage = usage,
    .tail = tail,
    .examples = examples,
    .writes = true,
    .options = options,
    .decides = true,
    .size = sizeof(struct trend),
    .arguments = offsetof(struct trend, profiles.arguments),
    .begin = trend_begin,
    .run = trend_run,
};
