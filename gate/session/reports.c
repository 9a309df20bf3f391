/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/session/reports.h"

#include "gate/base/buf.h"
#include "gate/base/file.h"
#include "gate/base/parallel.h"
#include "gate/budget/call_trees.h"
#include "gate/budget/outcome.h"
#include "gate/budget/verdict.h"
#include "gate/capture/paths.h"
#include "gate/compare/tree.h"
#include "gate/report/checkout.h"
#include "gate/report/github.h"
#include "gate/report/report.h"
#include "gate/rules/guard_rules.h"
#include "gate/session/file_roles.h"
#include "gate/session/manifest_dir.h"
#include "gate/session/session.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Allocate the slots for all views of all comparisons, for trees_fill. `trees` must be empty.
 *
 * err   GATE_ERR_LIMIT */
static bool trees_begin(struct gate_trees *trees, const struct gate_verdict *verdict, struct gate_arena *arena,
                        struct gate_error *err) {
    trees->made = GATE_NEW_ARRAY(arena, struct gate_tree *, (size_t)verdict->comparison_count * GATE_VIEWS);
    return trees->made != NULL || gate_arena_error(arena, err);
}

/* Make views of all comparisons in advance, for a run that will draw them: by caller and by owner, or if `inverted`, by
 * callee. Two threads may each make some, in arenas of their own that live as long as `trees`.
 *
 * err   GATE_ERR_LIMIT `arena` is full */
static bool trees_fill(struct gate_trees *trees, const struct gate_verdict *verdict, bool inverted, double min_share,
                       struct gate_arena *arena, struct gate_error *err) {
    const struct gate_tree *tree;
    for (uint32_t i = 0; i < verdict->comparison_count; i++)
        for (int view = 0; view < GATE_VIEWS; view++)
            if ((view == GATE_BY_CALLEE) == inverted &&
                !gate_trees_get(&tree, trees, verdict, i, (enum gate_trees_view)view, min_share, arena, err))
                return false;
    return true;
}

/* ---- output to a file or to standard output ---------------------------------------------------------------------- */

typedef bool output_way(const char *path, struct gate_str bytes, const struct gate_arena *arena,
                        struct gate_error *err);

static bool output_remove(const char *path);

static bool output_to(struct gate_session *session, const char *path, struct gate_str bytes, output_way *way,
                      struct gate_error *err) {
    if (!gate_paths_is_stream(path)) {
        gate_session_log(session, "writing %s", path);
        return gate_folders_make_above(path, err) && way(path, bytes, session->arena, err);
    }
    gate_progress_end(session->progress);
    if (!gate_arena_check(session->arena, err))
        return false;
    return gate_stream_write(session->out, bytes) ||
           gate_error_set(err, GATE_ERR_IO, "standard output: cannot write: %s", strerror(errno));
}

bool gate_output_write(struct gate_session *session, const char *path, struct gate_str bytes, struct gate_error *err) {
    return output_to(session, path, bytes, gate_outfile_write, err);
}

bool gate_output_keep(struct gate_session *session, const char *path, struct gate_str bytes, struct gate_error *err) {
    return output_to(session, path, bytes, gate_outfile_keep, err);
}

static bool parts_take(void *context, struct gate_str bytes, struct gate_error *err) {
    struct gate_output_parts *parts = context;
    if (parts->is_file)
        return gate_outfile_parts_add(&parts->file, bytes, err);
    gate_buf_str(&parts->held, bytes);
    return gate_buf_check(&parts->held, err);
}

bool gate_output_parts_begin(struct gate_output_parts *parts, struct gate_session *session, const char *path,
                             struct gate_error *err) {
    *parts = (struct gate_output_parts){.session = session, .path = path};
    parts->held.pool = session->arena->pool;
    parts->sink = (struct gate_sink){parts_take, parts};
    if (gate_paths_is_stream(path))
        return true;
    if (!gate_folders_make_above(path, err))
        return false;
    parts->is_file = gate_outfile_parts_begin(&parts->file, path, session->arena);
    if (parts->is_file)
        gate_session_log(session, "writing %s", path);
    return true;
}

bool gate_output_parts_end(struct gate_output_parts *parts, bool is_whole, struct gate_error *err) {
    bool ok = is_whole && gate_arena_check(parts->session->arena, err);
    if (parts->is_file)
        return gate_outfile_parts_end(&parts->file, ok, err);
    ok = ok && gate_output_keep(parts->session, parts->path, gate_buf_view(&parts->held), err);
    gate_buf_free(&parts->held);
    return ok;
}

bool gate_output_write_all(struct gate_session *session, const struct gate_output_file *files, size_t count,
                           struct gate_error *err) {
    size_t written = 0;
    while (written < count &&
           (files[written].path == NULL || gate_output_write(session, files[written].path, files[written].bytes, err)))
        written++;
    for (size_t i = 0; written < count && i < written; i++)
        if (files[i].path != NULL && !output_remove(files[i].path))
            gate_session_log(session, "%s stays, though not all was written", files[i].path);
    return written == count;
}

static bool is_terminal(const struct gate_session *session, const char *path) {
    struct stat status;
    if (gate_paths_is_stream(path)) {
        int descriptor = fileno(session->out);
        return descriptor >= 0 && isatty(descriptor);
    }
    if (stat(path, &status) != 0 || !S_ISCHR(status.st_mode))
        return false;
    int descriptor = open(path, O_WRONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    bool is_one = descriptor >= 0 && isatty(descriptor);
    if (descriptor >= 0)
        (void)close(descriptor);
    return is_one;
}

bool gate_output_spare_terminal(const struct gate_session *session, const char *path, const char *option,
                                struct gate_error *err) {
    if (path == NULL || !is_terminal(session, path))
        return true;
    return gate_error_set(err, GATE_ERR_USAGE,
                          "option '--%s': it is binary, and '%s' is a terminal; name a file, or redirect it", option,
                          gate_paths_is_stream(path) ? "standard output" : path);
}

/*
 * Remove the file that gate_outfile_write would replace: a regular file, or the target of a link to one. Returns false
 * if it still exists or may exist. Allocates nothing.
 */
static bool remove_file(const char *path) {
    char target[GATE_OUTFILE_PATH_BYTES];
    bool special = false;
    struct stat status;
    if (!gate_outfile_target(target, &special, path))
        return errno == ENOTDIR; /* a parent is not a folder, so nothing is there */
    if (special)
        return true;
    if (stat(target, &status) != 0)
        return errno == ENOENT || errno == ENOTDIR; /* nothing to remove */
    return !S_ISREG(status.st_mode) || unlink(target) == 0;
}

/** Remove the file that gate_output_write would replace; does nothing for "-". Returns false if the file may still
 * exist. */
static bool output_remove(const char *path) {
    return gate_paths_is_stream(path) || remove_file(path);
}

/* ---- make reports, with several threads -------------------------------------------------------------------------- */

/** The reports of a run, indexed by the rows of gate_report_formats. Initialise with reports_made_begin; the
 * caller sets `is_wanted` and `path`. */
struct gate_reports_made {
    bool is_wanted[GATE_REPORT_FORMATS_MAX];
    const char *path[GATE_REPORT_FORMATS_MAX]; /* the only file it goes to, or NULL */
    struct gate_buf bytes[GATE_REPORT_FORMATS_MAX];
    struct gate_outfile ahead[GATE_REPORT_FORMATS_MAX]; /* temporary file next to `path`, if it could be written */
    struct gate_buf text;                               /* the text report */
    const char *folder;                                 /* --report, or NULL */
    bool is_new_folder;                                 /* created by this run */
    bool is_held;                                       /* signals are blocked */
    sigset_t before;
};

/** Initialise `made`. `folder` is created before the reports are made, if possible. */
static void reports_made_begin(struct gate_reports_made *made, const char *folder, const struct gate_arena *arena) {
    memset(made, 0, sizeof *made);
    made->folder = folder;
    for (size_t i = 0; i < GATE_REPORT_FORMATS_MAX; i++)
        made->bytes[i].pool = arena->pool;
}

/* A task with its own arena: make call trees, a report or the text for people. */
struct reports_making {
    struct gate_reports_made *made;
    const struct gate_report_options *options;
    const struct gate_verdict *verdict;
    const struct reports_making *trees; /* tasks that make the trees this one draws, or NULL */
    size_t tree_count, format;
    bool inverted;  /* kind of trees: by callee */
    bool is_beside; /* the file may be written while other reports are made */
    mode_t mode;    /* mode of the file */
    struct gate_arena arena;
    struct gate_error err;
    bool ok;
};

/* Two kinds of trees (by caller and owner, by callee), the search for modules, the text, and all formats. */
enum { TREES = 2, WORKS_MAX = TREES + 2 + GATE_REPORT_FORMATS_MAX };

struct reports_works {
    struct reports_making making[WORKS_MAX];
    struct gate_parallel_item items[WORKS_MAX];
    size_t count;
};

static void make_trees(void *context) {
    struct reports_making *m = context;
    m->ok = trees_fill(m->options->trees, m->verdict, m->inverted, m->options->min_share, &m->arena, &m->err);
}

/* Find the Go modules in a task of its own, so that reports do not wait for the search. */
static void look_for_modules(void *context) {
    struct reports_making *m = context;
    (void)m->options->checkout->modules(m->options->checkout->search);
    m->ok = true;
}

/* Return whether the trees that a report draws were made. If not, the report is not made, and the trees' error is
 * reported. */
static bool has_trees(const struct reports_making *m) {
    for (size_t i = 0; i < m->tree_count; i++)
        if (!m->trees[i].ok)
            return false;
    return true;
}

static bool make_bytes(struct reports_making *m) {
    struct gate_buf *bytes = &m->made->bytes[m->format];
    return gate_report_formats[m->format]->write(bytes, m->verdict, m->options, &m->arena, &m->err) &&
           gate_buf_check(bytes, &m->err) && gate_arena_check(&m->arena, &m->err);
}

static bool take_bytes(void *taker, struct gate_str written) {
    return gate_outfile_add(taker, written);
}

static void forget_bytes(struct reports_making *m) {
    struct gate_buf *bytes = &m->made->bytes[m->format];
    struct gate_arena_pool *pool = bytes->pool;
    gate_buf_free(bytes);
    bytes->pool = pool;
}

/* Make a large report. It is streamed to its temporary file meanwhile, so that it needs no memory. If the file cannot
 * be written, the report is made again in memory, and the later write reports the error. */
static void make_drained(struct reports_making *m) {
    struct gate_outfile *file = &m->made->ahead[m->format];
    struct gate_buf *bytes = &m->made->bytes[m->format];
    bytes->drain = take_bytes;
    bytes->taker = file;
    m->ok = make_bytes(m);
    bool is_written = m->ok && take_bytes(file, gate_buf_view(bytes)) && gate_outfile_close(file);
    bool is_made_again = !is_written && file->name == NULL;
    if (is_written || is_made_again)
        forget_bytes(m);
    if (is_made_again)
        m->ok = make_bytes(m);
}

static void make_format(void *context) {
    struct reports_making *m = context;
    const char *path = m->is_beside ? m->made->path[m->format] : NULL;
    struct gate_outfile *file = &m->made->ahead[m->format];
    if (!has_trees(m))
        return;
    if (path != NULL && gate_report_formats[m->format]->is_large)
        gate_outfile_open(file, path, m->mode, &m->arena);
    if (file->name != NULL) {
        make_drained(m);
        return;
    }
    m->ok = make_bytes(m);
    if (m->ok && path != NULL)
        gate_outfile_begin(file, path, gate_buf_view(&m->made->bytes[m->format]), m->mode, &m->arena);
}

static void make_text(void *context) {
    struct reports_making *m = context;
    if (has_trees(m))
        m->ok = gate_report_terminal.write(&m->made->text, m->verdict, m->options, &m->arena, &m->err) &&
                gate_arena_check(&m->arena, &m->err);
}

static struct reports_making *add_work(struct reports_works *works, struct gate_parallel_item item,
                                       const struct reports_making *like, const struct gate_arena *arena) {
    struct reports_making *m = &works->making[works->count];
    GATE_ASSERT(works->count < WORKS_MAX);
    *m = *like;
    m->trees = works->making;
    m->tree_count = item.after;
    item.context = m;
    works->items[works->count++] = item;
    gate_arena_fork(&m->arena, arena);
    return m;
}

/* List the tasks, longest first: trees, the page, pictures. The trees that a report needs are the first tasks of the
 * list. */
static void list_works(struct reports_works *works, struct reports_making like, bool has_page,
                       const struct gate_arena *arena) {
    const struct gate_report_format *const *rows = gate_report_formats;
    struct gate_parallel_item trees = {.task = make_trees};
    struct gate_parallel_item text = {.task = make_text, .after = has_page ? 1 : 0};
    for (int inverted = 0; inverted < TREES && has_page; inverted++)
        add_work(works, trees, &like, arena)->inverted = inverted != 0;
    if (has_page &&
        gate_checkout_is_needed(like.options->checkout, like.verdict->comparisons, like.verdict->comparison_count))
        (void)add_work(works, (struct gate_parallel_item){.task = look_for_modules}, &like, arena);
    for (int draws = GATE_REPORT_DRAWS_MORE; draws >= GATE_REPORT_DRAWS_NOTHING; draws--)
        for (size_t i = 0; rows[i] != NULL; i++) {
            struct gate_parallel_item item = {.task = make_format, .after = has_page ? (size_t)draws : 0};
            if (rows[i]->draws == (enum gate_report_draws)draws && like.made->is_wanted[i])
                add_work(works, item, &like, arena)->format = i;
        }
    (void)add_work(works, text, &like, arena);
}

/* If several tasks failed, the first one in the list gives the error, whichever failed first in time. */
static bool make_all(struct reports_works *works, bool is_parallel, struct gate_arena *arena, struct gate_error *err) {
    const struct reports_making *failed = NULL;
    gate_parallel_list(works->items, works->count, is_parallel);
    for (size_t i = works->count; i-- > 0;) {
        if (!works->making[i].ok)
            failed = &works->making[i];
        gate_arena_absorb(arena, &works->making[i].arena);
    }
    if (failed != NULL)
        *err = failed->err;
    return failed == NULL;
}

/* Blocks signals and creates the folder. Errors are ignored: writing to the folder reports them. */
static void hold_folder(struct gate_reports_made *made) {
    struct gate_error ignored = {0};
    gate_outfile_hold(&made->before);
    made->is_held = true;
    if (made->folder == NULL)
        return;
    made->is_new_folder = access(made->folder, F_OK) != 0 && errno == ENOENT;
    if (!gate_folders_make(made->folder, &ignored))
        made->is_new_folder = false;
}

/** Make every wanted report, and the text for people. If there is a page, call trees and reports are made in parallel,
 * and each report is written to a temporary file next to its place. Signals are then blocked until reports_made_settle.
 * err: GATE_ERR_MEMORY, GATE_ERR_LIMIT. A file that cannot be written is no error here; its `ahead` stays empty. */
static bool reports_made_make(struct gate_reports_made *made, const struct gate_verdict *verdict,
                              const struct gate_report_options *options, struct gate_session *session,
                              struct gate_error *err) {
    struct reports_works works = {.count = 0};
    struct reports_making like = {.made = made, .options = options, .verdict = verdict};
    bool has_page = false;
    for (size_t i = 0; gate_report_formats[i] != NULL; i++)
        has_page = has_page || (gate_report_formats[i]->draws == GATE_REPORT_DRAWS_MORE && made->is_wanted[i]);
    gate_progress_stage(session->progress, "making reports");
    if (has_page && !trees_begin(options->trees, verdict, session->arena, err))
        return false;
    if (has_page) {
        hold_folder(made);
        like.is_beside = true;
        like.mode = gate_outfile_mode();
    }
    list_works(&works, like, has_page, session->arena);
    return make_all(&works, has_page, session->arena, err);
}

/** Remove remaining temporary files; if the run failed (`!ok`), also a new folder that is empty. Unblock signals. */
static void reports_made_settle(struct gate_reports_made *made, bool ok) {
    for (size_t i = 0; i < GATE_REPORT_FORMATS_MAX; i++)
        gate_outfile_drop(&made->ahead[i]);
    if (!ok && made->is_new_folder)
        (void)rmdir(made->folder);
    if (made->is_held)
        gate_outfile_release(&made->before);
    made->is_held = false;
}

static void reports_made_free(struct gate_reports_made *made) {
    for (size_t i = 0; i < GATE_REPORT_FORMATS_MAX; i++)
        gate_buf_free(&made->bytes[i]);
    gate_buf_free(&made->text);
}

/* ---- the reports of a command line ------------------------------------------------------------------------------- */

enum { PLACE_BYTES = 4096 }; /* PATH_MAX on Linux */

/* ---- places of reports ------------------------------------------------------------------------------------------- */

/* Where one row of gate_report_formats is written. */
struct reports_places {
    const char *own;    /* file of its option, or NULL */
    const char *folder; /* file in --report DIR, or NULL */
    char room[PLACE_BYTES];
};

/* Find where a report is written. Allocates no memory, because reports are also removed after memory ran out. */
static bool reports_place(struct reports_places *out, const struct gate_reports *reports, size_t format,
                          struct gate_error *err) {
    const char *file = gate_report_formats[format]->file;
    out->own = reports->paths[format];
    out->folder = NULL;
    if (reports->folder == NULL || file == NULL)
        return true;
    int len = snprintf(out->room, sizeof out->room, "%s/%s", reports->folder, file);
    if (len < 0 || (size_t)len >= sizeof out->room)
        return gate_error_set(err, GATE_ERR_IO, "%.100s...: cannot write: %s", reports->folder, strerror(ENAMETOOLONG));
    out->folder = out->room;
    return true;
}

static bool takes_stdout(const struct gate_reports *reports) {
    for (size_t i = 0; gate_report_formats[i] != NULL; i++)
        if (reports->paths[i] != NULL && gate_paths_is_stream(reports->paths[i]))
            return true;
    return false;
}

/* Check that --report does not name a file, as in `--report BASELINE CANARY`. err: GATE_ERR_USAGE. */
static bool reports_folder_check(const struct gate_reports *reports, struct gate_error *err) {
    const char *folder = reports->folder;
    struct stat found;
    if (folder == NULL || stat(folder, &found) != 0 || S_ISDIR(found.st_mode))
        return true;
    return gate_error_set(err, GATE_ERR_USAGE,
                          "option '--report': '%s' is a file, and the reports want a folder: name one before the "
                          "profiles, such as --report out",
                          folder);
}

bool gate_reports_note(const struct gate_reports *reports, struct gate_file_roles *roles, struct gate_session *session,
                       struct gate_error *err) {
    if (!reports_folder_check(reports, err))
        return false;
    for (size_t i = 0; gate_report_formats[i] != NULL; i++) {
        struct reports_places places;
        if (!reports_place(&places, reports, i, err))
            return false;
        if ((gate_report_formats[i]->is_binary &&
             !gate_output_spare_terminal(session, reports->paths[i], gate_report_formats[i]->name, err)) ||
            !gate_file_roles_write(roles, places.own, gate_report_formats[i]->mark, session, err))
            return false;
        if (places.folder == NULL || (places.own != NULL && strcmp(places.own, places.folder) == 0)) /* given twice */
            continue;
        struct gate_str kept =
            gate_str_copy(session->arena, gate_str_from(places.folder)); /* `roles` keeps the path for messages */
        if (kept.ptr == NULL)
            return gate_arena_error(session->arena, err);
        if (!gate_file_roles_write(roles, kept.ptr, gate_report_formats[i]->mark, session, err))
            return false;
    }
    return gate_file_roles_end(roles);
}

void gate_reports_remove_file(const char *path, enum gate_own_mark mark, const struct gate_file_roles *roles,
                              struct gate_session *session) {
    if (path == NULL || gate_paths_is_stream(path) || gate_file_roles_is_read(roles, path, session->arena))
        return;
    enum gate_own_file found = gate_own_file_look(path, mark);
    if (found == GATE_OWN_FILE_OTHER)
        gate_session_log(session, "%s stays: it is not a report of pprofgate", path);
    if (found != GATE_OWN_FILE_UNREADABLE && (found != GATE_OWN_FILE_OWN || output_remove(path)))
        return;
    const char *why = strerror(errno);
    struct gate_str note =
        gate_str_format(session->arena, "%s may be a report of an earlier run and cannot be removed: %s", path, why);
    gate_session_note(session, note.ptr != NULL ? note : GATE_STR("a report of an earlier run cannot be removed"));
}

void gate_reports_remove(const struct gate_reports *reports, const struct gate_file_roles *roles,
                         struct gate_session *session) {
    for (size_t i = 0; gate_report_formats[i] != NULL; i++) {
        struct reports_places places;
        struct gate_error too_long = {0};
        if (!reports_place(&places, reports, i, &too_long))
            return;
        gate_reports_remove_file(places.own, gate_report_formats[i]->mark, roles, session);
        gate_reports_remove_file(places.folder, gate_report_formats[i]->mark, roles, session);
    }
}

void gate_reports_remove_failed(const struct gate_reports *reports, const struct gate_file_roles *roles,
                                struct gate_session *session, const struct gate_error *err) {
    if (gate_file_roles_are_certain(roles, err)) {
        gate_reports_remove(reports, roles, session);
        return;
    }
    for (size_t i = 0; !roles->is_refused && gate_report_formats[i] != NULL; i++) {
        const char *path = reports->paths[i];
        if (path == NULL || gate_paths_is_stream(path) ||
            gate_own_file_look(path, gate_report_formats[i]->mark) != GATE_OWN_FILE_OTHER)
            continue;
        struct gate_str note = gate_str_format(
            session->arena,
            "'--%s' takes %s as its output; the file exists, is not a report of pprofgate, and was kept",
            gate_report_formats[i]->name, path);
        if (note.ptr != NULL)
            gate_session_note(session, note);
    }
}

/* ---- write reports ----------------------------------------------------------------------------------------------- */

bool gate_reports_is_link(const char *text) {
    bool is_web = strncmp(text, "https://", 8) == 0 || strncmp(text, "http://", 7) == 0;
    for (const char *c = text; is_web && *c != '\0'; c++)
        is_web = (unsigned char)*c > ' ' && (unsigned char)*c < 0x7F && strchr("<>\"\\`", *c) == NULL;
    return is_web;
}

static bool is_wanted(const struct gate_reports *reports, size_t format) {
    const struct gate_report_format *row = gate_report_formats[format];
    return reports->paths[format] != NULL || (reports->folder != NULL && row->file != NULL) ||
           (row->is_summary && gate_github_is_here());
}

/* Return whether a wanted report shows every view of the call trees. */
static bool reports_draw_views(const struct gate_reports *reports) {
    for (size_t i = 0; gate_report_formats[i] != NULL; i++)
        if (gate_report_formats[i]->draws == GATE_REPORT_DRAWS_MORE && is_wanted(reports, i))
            return true;
    return false;
}

/* Return whether a wanted report walks the stacks, even if there are call trees. */
static bool reports_walk_stacks(const struct gate_reports *reports) {
    for (size_t i = 0; gate_report_formats[i] != NULL; i++)
        if (gate_report_formats[i]->walks_stacks && is_wanted(reports, i))
            return true;
    return false;
}

static bool write_one(const struct gate_reports *reports, size_t format, struct gate_str bytes,
                      struct gate_session *session, struct gate_error *err) {
    struct reports_places places;
    if (!reports_place(&places, reports, format, err))
        return false;
    return (places.own == NULL || gate_output_write(session, places.own, bytes, err)) &&
           (!gate_report_formats[format]->is_summary || gate_github_summary_append(bytes, err)) &&
           (places.folder == NULL || gate_output_write(session, places.folder, bytes, err));
}

static bool does_annotate(const struct gate_reports *reports) {
    return reports->annotations == GATE_ANNOTATIONS_ALWAYS ||
           (reports->annotations == GATE_ANNOTATIONS_AUTO && gate_github_is_here());
}

/* Return whether a report needs the checkout. Only then it is searched, because that reads a part of it. */
static bool needs_checkout(const struct gate_reports *reports) {
    bool is_needed = does_annotate(reports) || reports->options.source_url != NULL;
    for (size_t i = 0; gate_report_formats[i] != NULL; i++)
        is_needed = is_needed || (gate_report_formats[i]->marks_lines && is_wanted(reports, i));
    return is_needed;
}

bool gate_reports_look_ahead(struct gate_reports *reports, struct gate_background_task *task,
                             struct gate_session *session, struct gate_error *err) {
    if (!reports_draw_views(reports) || !needs_checkout(reports))
        return true;
    reports->checkout = GATE_NEW_ARRAY(session->arena, struct gate_checkout, 1);
    if (reports->checkout == NULL)
        return gate_arena_error(session->arena, err);
    *task = gate_checkout_task(reports->checkout);
    return gate_checkout_find(reports->checkout, session->arena, err);
}

/* Selects the reports to make, and for those with exactly one file that file, which may be written ahead. */
static bool reports_select(struct gate_reports_made *made, const struct gate_reports *reports, struct gate_arena *arena,
                           struct gate_error *err) {
    for (size_t i = 0; gate_report_formats[i] != NULL; i++) {
        struct reports_places places;
        made->is_wanted[i] = is_wanted(reports, i);
        if (!made->is_wanted[i])
            continue;
        if (!reports_place(&places, reports, i, err))
            return false;
        if ((places.own == NULL) == (places.folder == NULL) || (places.own != NULL && gate_paths_is_stream(places.own)))
            continue;
        const char *path = places.own != NULL ? places.own : places.folder;
        made->path[i] = gate_str_copy(arena, gate_str_from(path)).ptr;
        if (made->path[i] == NULL)
            return gate_arena_error(arena, err);
    }
    return true;
}

static bool write_made(struct gate_reports_made *made, const struct gate_reports *reports, size_t format,
                       struct gate_session *session, struct gate_error *err) {
    struct gate_str bytes = gate_buf_view(&made->bytes[format]);
    if (made->ahead[format].name == NULL)
        return write_one(reports, format, bytes, session, err);
    gate_session_log(session, "writing %s", made->path[format]);
    return gate_outfile_place(&made->ahead[format], made->path[format], err) &&
           (!gate_report_formats[format]->is_summary || gate_github_summary_append(bytes, err));
}

static bool write_all(struct gate_reports_made *made, const struct gate_reports *reports, struct gate_session *session,
                      struct gate_error *err) {
    bool ok = reports->folder == NULL || gate_folders_make(reports->folder, err);
    for (size_t i = 0; ok && gate_report_formats[i] != NULL; i++)
        if (made->is_wanted[i])
            ok = write_made(made, reports, i, session, err);
    return ok;
}

/* Return the URL of this CI run or of its artifacts; empty if unknown. It is made from variables that the CI system
 * sets, and is discarded if it is not a valid link. */
static struct gate_str run_url(struct gate_arena *arena) {
    const char *server = getenv("GITHUB_SERVER_URL"), *repository = getenv("GITHUB_REPOSITORY");
    const char *run = getenv("GITHUB_RUN_ID"), *job = getenv("CI_JOB_URL"), *gitlab = getenv("GITLAB_CI");
    struct gate_str url = {"", 0};
    if (gate_github_is_here() && server != NULL && repository != NULL && run != NULL)
        url = gate_str_format(arena, "%s/%s/actions/runs/%s", server, repository, run);
    else if (gitlab != NULL && strcmp(gitlab, "true") == 0 && job != NULL)
        url = gate_str_format(arena, "%s/artifacts/browse", job);
    return url.ptr != NULL && gate_reports_is_link(url.ptr) ? url : (struct gate_str){"", 0};
}

/* Return the address of the sources of this CI run's commit, with {path} and {line}; NULL if unknown. */
static const char *ci_source_url(struct gate_arena *arena) {
    const char *server = getenv("GITHUB_SERVER_URL"), *repository = getenv("GITHUB_REPOSITORY");
    const char *commit = getenv("GITHUB_SHA"), *project = getenv("CI_PROJECT_URL"), *gitlab = getenv("GITLAB_CI");
    if (gate_github_is_here() && server != NULL && repository != NULL && commit != NULL)
        return gate_str_format(arena, "%s/%s/blob/%s/{path}#L{line}", server, repository, commit).ptr;
    commit = getenv("CI_COMMIT_SHA");
    if (gitlab != NULL && strcmp(gitlab, "true") == 0 && project != NULL && commit != NULL)
        return gate_str_format(arena, "%s/-/blob/%s/{path}#L{line}", project, commit).ptr;
    return NULL;
}

/* Make and write every report, then the text for people: to standard output, or to standard error if a report uses
 * standard output. In GitHub Actions, also append the Markdown to $GITHUB_STEP_SUMMARY.
 *
 * err   GATE_ERR_IO; no incomplete file is left */
static bool reports_write(const struct gate_reports *reports, const struct gate_verdict *verdict,
                          struct gate_session *session, struct gate_error *err) {
    struct gate_report_options options = reports->options;
    FILE *stream = takes_stdout(reports) ? session->err : session->out;
    struct gate_checkout own = {.search = NULL}, *checkout = reports->checkout != NULL ? reports->checkout : &own;
    struct gate_trees trees = {0};
    struct gate_reports_made made;
    options.trees = &trees;
    options.junit_flavor = (enum gate_junit_flavor)reports->junit_flavor;
    options.junit_inconclusive = (enum gate_junit_inconclusive)reports->junit_inconclusive;
    options.report_url_is_run = reports->url == NULL;
    options.report_url = reports->url == NULL ? run_url(session->arena) : gate_str_from(reports->url);
    options.markdown_source_url = options.source_url != NULL ? options.source_url : ci_source_url(session->arena);
    if (options.markdown_source_url != NULL && !gate_reports_is_link(options.markdown_source_url))
        options.markdown_source_url = NULL;
    options.colour = gate_session_wants_colour(session, stream);
    options.columns = gate_session_columns(stream, options.columns);
    options.verbose = session->is_verbose;
    options.checkout = needs_checkout(reports) ? checkout : NULL;
    reports_made_begin(&made, reports->folder, session->arena);
    bool ok = reports_select(&made, reports, session->arena, err) &&
              (options.checkout != &own || gate_checkout_find(&own, session->arena, err)) &&
              reports_made_make(&made, verdict, &options, session, err) &&
              (!does_annotate(reports) || gate_report_github.write(&made.text, verdict, &options, session->arena, err));
    struct gate_error later = {0};
    ok = gate_checkout_end(checkout, session->arena, ok ? err : &later) && ok && gate_buf_check(&made.text, err) &&
         gate_arena_check(session->arena, err) && write_all(&made, reports, session, err);
    gate_progress_end(session->progress); /* its line must not mix with the verdict's */
    reports_made_settle(&made, ok);
    if (ok && !gate_stream_write(stream, gate_buf_view(&made.text)))
        ok = gate_error_set(err, GATE_ERR_IO, "cannot write the verdict to standard output: %s", strerror(errno));
    reports_made_free(&made);
    return ok;
}

bool gate_reports_write_nothing(const struct gate_reports *reports, const struct gate_nothing_compared *nothing,
                                struct gate_session *session, struct gate_error *err) {
    const struct gate_report_format *const *rows = gate_report_formats;
    FILE *stream = takes_stdout(reports) ? session->err : session->out;
    bool ok = reports->folder == NULL || gate_folders_make(reports->folder, err);
    struct gate_buf text = {0};
    for (size_t i = 0; ok && rows[i] != NULL; i++) {
        struct gate_buf made = {0};
        if (rows[i]->write_nothing == NULL || !is_wanted(reports, i))
            continue;
        ok = (rows[i]->write_nothing(&made, nothing) || gate_buf_check(&made, err)) &&
             write_one(reports, i, gate_buf_view(&made), session, err);
        gate_buf_free(&made);
    }
    ok = ok && (gate_report_terminal.write_nothing(&text, nothing) || gate_buf_check(&text, err));
    gate_progress_end(session->progress);
    if (ok && !gate_stream_write(stream, gate_buf_view(&text)))
        ok = gate_error_set(err, GATE_ERR_IO, "cannot write to standard output: %s", strerror(errno));
    gate_buf_free(&text);
    return ok;
}

/* ---- acceptance of an intended growth ------------------------------------------------------------------------------
 *
 * A person with that right accepts that one commit breaks budgets. */

enum { COMMIT_LEAST = 40, COMMIT_MOST = 64, WHO_MOST = 100, REASON_MOST = 500 };

static bool is_commit(struct gate_str text) {
    return text.len >= COMMIT_LEAST && text.len <= COMMIT_MOST && gate_str_hex_digits(text) == text.len;
}

static bool is_line(struct gate_str text, size_t most) {
    if (text.len == 0 || text.len > most)
        return false;
    for (size_t i = 0; i < text.len; i++)
        if ((unsigned char)text.ptr[i] < ' ' || text.ptr[i] == 0x7f)
            return false;
    return true;
}

/*
 * Parse "COMMIT by WHO: REASON". COMMIT has 40 to 64 hexadecimal digits: a shorter prefix can be forged. WHO has no
 * blank and at most 100 bytes, REASON 1 to 500 bytes; both are one line of UTF-8 without control characters.
 *
 * out  refers to `text`
 * err  GATE_ERR_USAGE
 */
static bool acceptance_read(struct gate_acceptance *out, const char *text, struct gate_error *err) {
    const struct gate_str all = gate_str_from(text), by = GATE_STR(" by "), colon = GATE_STR(": ");
    size_t commit_end = gate_str_find(all, by, 0);
    size_t who_end = commit_end == SIZE_MAX ? SIZE_MAX : gate_str_find(all, colon, commit_end + by.len);
    if (who_end != SIZE_MAX) {
        *out = (struct gate_acceptance){.commit = gate_str_slice(all, 0, commit_end),
                                        .by = gate_str_slice(all, commit_end + by.len, who_end),
                                        .reason = gate_str_trim(gate_str_slice(all, who_end + colon.len, all.len))};
        if (is_commit(out->commit) && is_line(out->by, WHO_MOST) &&
            gate_str_find(out->by, GATE_STR(" "), 0) == SIZE_MAX && is_line(out->reason, REASON_MOST))
            return true;
    }
    return gate_error_set(err, GATE_ERR_USAGE,
                          "option '--accepted': expected 'COMMIT by WHO: REASON' with all digits of the commit, a name "
                          "without blanks and a reason of at most %d bytes on one line",
                          (int)REASON_MOST);
}

bool gate_acceptance_check(const struct gate_acceptance_options *options, struct gate_error *err) {
    struct gate_acceptance acceptance = {0};
    if (options->accepted == NULL)
        return options->head == NULL ||
               gate_error_set(err, GATE_ERR_USAGE, "option '--head' is only used with '--accepted'");
    if (!acceptance_read(&acceptance, options->accepted, err))
        return false;
    if (options->head == NULL || !is_commit(gate_str_from(options->head)))
        return gate_error_set(
            err, GATE_ERR_USAGE,
            "option '--accepted' needs '--head COMMIT', the commit that is judged, with all its digits");
    return true;
}

/* Return the first raised guard that forbids the comparison; NULL if there is none. Guards of a higher cost do not
 * count, because that cost is accepted. */
static const struct gate_warning *forbidding(const struct gate_verdict *verdict) {
    for (uint32_t i = 0; i < verdict->warning_count; i++) {
        enum gate_guard guard = verdict->warnings[i].guard;
        if (gate_guard_severity(verdict->rules, guard) == GATE_SEVERITY_ERROR && guard != GATE_GUARD_COST_PER_SECOND &&
            guard != GATE_GUARD_ESTIMATED_COST)
            return &verdict->warnings[i];
    }
    return NULL;
}

static bool not_applied(struct gate_str why, struct gate_session *session, struct gate_error *err) {
    const struct gate_str parts[] = {GATE_STR("the acceptance is not applied: "), why};
    struct gate_str text = gate_str_concat(session->arena, parts, 2);
    if (text.ptr == NULL)
        return gate_arena_error(session->arena, err);
    gate_session_note(session, text);
    return true;
}

/*
 * If --accepted names the commit of --head and `verdict` is a fail, set verdict->accepted and its outcome to pass. Its
 * budgets and causes stay as they are. Otherwise prints a note with the reason: another commit, an inconclusive
 * verdict, or a guard that forbids the comparison (forbidding).
 */
static bool acceptance_apply(struct gate_verdict *verdict, const struct gate_acceptance_options *options,
                             struct gate_session *session, struct gate_error *err) {
    struct gate_acceptance acceptance = {0};
    if (options->accepted == NULL)
        return true;
    if (!acceptance_read(&acceptance, options->accepted, err))
        return false;
    if (!gate_str_equal(acceptance.commit, gate_str_from(options->head)))
        return not_applied(GATE_STR("it is for another commit than --head; accept this one again"), session, err);
    if (verdict->outcome == GATE_OUTCOME_INCONCLUSIVE)
        return not_applied(GATE_STR("only a fail can be accepted, and this verdict is inconclusive"), session, err);
    if (verdict->outcome != GATE_OUTCOME_FAIL)
        return true;
    const struct gate_warning *guard = forbidding(verdict);
    if (guard != NULL)
        return not_applied(
            gate_str_format(session->arena, "the sides are not comparable (%s)", gate_guard_name(guard->guard)),
            session, err);
    verdict->accepted = acceptance;
    verdict->outcome = GATE_OUTCOME_PASS;
    return true;
}

bool gate_decision_note(const struct gate_decision *decision, struct gate_file_roles *roles, struct gate_arena *arena,
                        struct gate_error *err) {
    return gate_file_roles_read(roles, "the rules", decision->rules == NULL ? GATE_RULEFILE_DEFAULT : decision->rules,
                                arena, err) &&
           gate_profile_options_note(&decision->profiles, NULL, roles, arena, err) &&
           gate_judge_options_note(&decision->judging, roles, arena, err);
}

bool gate_decision_deal(struct gate_decision *decision, struct gate_session *session, struct gate_error *err) {
    return reports_folder_check(&decision->reports, err) &&
           gate_manifest_dir_expand(&decision->profiles, &decision->judging, session, err) &&
           gate_profile_options_deal(&decision->profiles, session->arena, err);
}

bool gate_decision_finish(struct gate_decision *decision, struct gate_file_roles *roles, struct gate_session *session,
                          struct gate_error *err) {
    decision->judging.draws_trees =
        reports_draw_views(&decision->reports) && decision->reports.options.min_share >= GATE_COMPARISON_TREE_SHARE;
    decision->judging.walks_stacks = reports_walk_stacks(&decision->reports);
    return gate_judge_options_finish(&decision->judging, session->arena, err) && gate_file_roles_check(roles, err) &&
           gate_reports_note(&decision->reports, roles, session, err);
}

/* ---- rules and reports ------------------------------------------------------------------------------------------- */

/* With --rules-from, refuse files that affect the decision and that the change can edit. */
static bool decision_refuse_tracked(const struct gate_decision *decision, struct gate_arena *arena,
                                    struct gate_error *err) {
    const struct gate_rules_from *from = &decision->from;
    const struct gate_symbol_options *symbols = &decision->profiles.symbols;
    const struct gate_paths *history = &decision->judging.history;
    if (!gate_rules_from_refuse_tracked(from, "--work-file", decision->judging.work_file, arena, err))
        return false;
    for (uint32_t i = 0; i < history->count; i++)
        if (!gate_rules_from_refuse_tracked(from, "--history", history->items[i], arena, err))
            return false;
    for (uint32_t i = 0; i < symbols->paths.count; i++)
        if (!gate_rules_from_refuse_tracked(from, "--symbols", symbols->paths.items[i], arena, err))
            return false;
    return !symbols->asks_servers || symbols->cache == NULL ||
           gate_rules_from_refuse_tracked(from, "--debuginfod-cache", symbols->cache, arena, err);
}

bool gate_decision_load_rules(struct gate_rules *out, struct gate_decision *decision, struct gate_session *session,
                              struct gate_error *err) {
    if (!gate_rulefile_load_from(out, &decision->from, session, decision->rules, err))
        return false;
    decision->judging.from = &decision->from;
    if (!decision_refuse_tracked(decision, session->arena, err))
        return false;
    if (decision->on_inconclusive >= 0)
        out->on_inconclusive = (enum gate_on_inconclusive)decision->on_inconclusive;
    return true;
}

/* Notes budgets that need more runs than there are: they cannot fail, which their author may not expect. */
static void note_sustain(const struct gate_rules *rules, uint32_t known, struct gate_session *session) {
    const struct gate_budget *first = NULL;
    uint32_t count = 0;
    for (uint32_t i = 0; i < rules->budget_count; i++) {
        const struct gate_budget *budget = &rules->budgets[i];
        if (budget->severity != GATE_SEVERITY_ERROR || budget->sustain_n <= known)
            continue;
        first = count++ == 0 ? budget : first;
    }
    if (first == NULL)
        return;
    struct gate_buf text = {0};
    gate_buf_printf(&text, "budget '%.*s'", GATE_STR_ARG(first->name));
    if (count > 1)
        gate_buf_printf(&text, " and %u more", (unsigned)count - 1);
    gate_buf_printf(&text, " %s to fail only when %u of %u runs agree, and %u %s known", count > 1 ? "ask" : "asks",
                    (unsigned)first->sustain_k, (unsigned)first->sustain_n, (unsigned)known, known == 1 ? "is" : "are");
    if (known < first->sustain_k)
        gate_buf_text(&text, ", so it can only warn");
    gate_buf_text(&text, "; --history names earlier canaries");
    gate_session_note(session, gate_buf_view(&text));
    gate_buf_free(&text);
}

bool gate_decision_note_edits(const struct gate_decision *decision, struct gate_session *session,
                              struct gate_error *err) {
    struct gate_str sentence = gate_rules_from_sentence(&decision->from, session->arena);
    if (sentence.ptr == NULL)
        return gate_arena_error(session->arena, err);
    if (sentence.len > 0)
        gate_session_note(session, sentence);
    return true;
}

bool gate_decision_report(const struct gate_decision *decision, const struct gate_rules *rules,
                          const struct gate_verdict *verdict, struct gate_session *session, struct gate_error *err) {
    struct gate_verdict accepted = *verdict;
    if (!acceptance_apply(&accepted, &decision->acceptance, session, err) ||
        !reports_write(&decision->reports, &accepted, session, err))
        return false;
    if (decision->reports.options.quiet && !gate_decision_note_edits(decision, session, err))
        return false;
    note_sustain(rules, decision->judging.history.count + 1, session);
    session->status = gate_exit_code_of(accepted.outcome);
    gate_github_output_count(&session->github_outputs, &accepted);
    session->github_outputs.report = decision->reports.folder;
    return true;
}
