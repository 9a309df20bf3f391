/* SPDX-License-Identifier: Apache-2.0 */
/* Reports by two threads (see reports_made.h). */
#include "gate/cli/reports_made.h"

#include "gate/base/folders.h"
#include "gate/base/parallel.h"
#include "gate/cli/progress.h"

#include <errno.h>
#include <unistd.h>

void gate_reports_made_begin(struct gate_reports_made *made, const char *folder, const struct gate_arena *arena) {
    memset(made, 0, sizeof *made);
    made->folder = folder;
    for (size_t i = 0; i < GATE_REPORT_FORMATS_MAX; i++)
        made->bytes[i].pool = arena->pool;
}

/* Some of the reports that are wanted: a thread's work, in an arena of its own. */
struct reports_making {
    struct gate_reports_made *made;
    const struct gate_report_options *options;
    const struct gate_verdict *verdict;
    bool draws_views; /* those that do; or the others, and the text */
    bool is_beside;   /* files may be written as well */
    mode_t mode;      /* of theirs */
    struct gate_arena arena;
    struct gate_error err;
    bool ok;
};

static void make_some(void *context) {
    struct reports_making *m = context;
    const struct gate_report_format *rows = gate_report_formats;
    m->ok = true;
    for (size_t i = 0; m->ok && rows[i].name != NULL; i++) {
        if (rows[i].draws_views != m->draws_views || !m->made->is_wanted[i])
            continue;
        m->ok = rows[i].write(&m->made->bytes[i], m->verdict, m->options, &m->arena, &m->err) &&
                gate_buf_check(&m->made->bytes[i], &m->err);
        if (m->ok && m->is_beside && m->made->path[i] != NULL)
            gate_outfile_begin(&m->made->ahead[i], m->made->path[i], gate_buf_view(&m->made->bytes[i]), m->mode,
                               &m->arena);
    }
    if (m->ok && !m->draws_views)
        m->ok = gate_report_terminal(&m->made->text, m->verdict, m->options, &m->arena, &m->err);
    m->ok = m->ok && gate_arena_check(&m->arena, &m->err);
}

/* The trees that the page shares with the others are made. */
static bool make_beside(struct gate_reports_made *made, const struct gate_verdict *verdict,
                        const struct gate_report_options *options, bool has_page, struct gate_arena *arena,
                        struct gate_error *err) {
    struct reports_making making[2];
    mode_t mode = has_page ? gate_outfile_mode() : 0;
    bool ok = true;
    for (int half = 0; half < 2; half++) {
        making[half] = (struct reports_making){made, options, verdict, half == 0, has_page, mode, .ok = true};
        gate_arena_fork(&making[half].arena, arena);
    }
    if (has_page)
        gate_parallel_both(make_some, &making[0], &making[1]);
    else
        make_some(&making[1]);
    for (int half = has_page ? 0 : 1; half < 2; half++) {
        if (ok && !making[half].ok)
            *err = making[half].err;
        ok = ok && making[half].ok;
    }
    for (int half = 1; half >= 0; half--)
        gate_arena_absorb(arena, &making[half].arena);
    return ok;
}

/* Whoever cannot be written to says so when it is written to. */
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

bool gate_reports_made_make(struct gate_reports_made *made, const struct gate_verdict *verdict,
                            const struct gate_report_options *options, struct gate_cli *cli, struct gate_error *err) {
    bool draws_views = false;
    for (size_t i = 0; gate_report_formats[i].name != NULL; i++)
        draws_views = draws_views || (gate_report_formats[i].draws_views && made->is_wanted[i]);
    gate_progress_stage(cli->progress, "drawing call trees");
    if (draws_views && !gate_trees_make(options->trees, verdict, options->min_share, cli->arena, err))
        return false;
    gate_progress_stage(cli->progress, "making reports");
    if (draws_views)
        hold_folder(made);
    return make_beside(made, verdict, options, draws_views, cli->arena, err);
}

void gate_reports_made_settle(struct gate_reports_made *made, bool ok) {
    for (size_t i = 0; i < GATE_REPORT_FORMATS_MAX; i++)
        gate_outfile_drop(&made->ahead[i]);
    if (!ok && made->is_new_folder)
        (void)rmdir(made->folder);
    if (made->is_held)
        gate_outfile_release(&made->before);
    made->is_held = false;
}

void gate_reports_made_free(struct gate_reports_made *made) {
    for (size_t i = 0; i < GATE_REPORT_FORMATS_MAX; i++)
        gate_buf_free(&made->bytes[i]);
    gate_buf_free(&made->text);
}
