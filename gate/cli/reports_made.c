/* SPDX-License-Identifier: Apache-2.0 */
/* Reports by several threads (see reports_made.h). */
#include "gate/cli/reports_made.h"

#include "gate/base/folders.h"
#include "gate/base/parallel.h"
#include "gate/cli/checkout_find.h"
#include "gate/cli/progress.h"

#include <errno.h>
#include <unistd.h>

void gate_reports_made_begin(struct gate_reports_made *made, const char *folder, const struct gate_arena *arena) {
    memset(made, 0, sizeof *made);
    made->folder = folder;
    for (size_t i = 0; i < GATE_REPORT_FORMATS_MAX; i++)
        made->bytes[i].pool = arena->pool;
}

/* Trees, a report or the text for people: a thing to do, in an arena of its own. */
struct reports_making {
    struct gate_reports_made *made;
    const struct gate_report_options *options;
    const struct gate_verdict *verdict;
    const struct reports_making *trees; /* what it draws is in these, or NULL */
    size_t tree_count, format;
    bool inverted;  /* which trees */
    bool is_beside; /* the file may be written as well */
    mode_t mode;    /* of it */
    struct gate_arena arena;
    struct gate_error err;
    bool ok;
};

/* By caller and by owner, by callee; modules, the text and all formats. */
enum { TREES = 2, WORKS_MAX = TREES + 2 + GATE_REPORT_FORMATS_MAX };

struct reports_works {
    struct reports_making making[WORKS_MAX];
    struct gate_parallel_item items[WORKS_MAX];
    size_t count;
};

static void make_trees(void *context) {
    struct reports_making *m = context;
    m->ok = gate_trees_fill(m->options->trees, m->verdict, m->inverted, m->options->min_share, &m->arena, &m->err);
}

/* The page and others ask for them in the midst of their work, and would wait for each other. */
static void look_for_modules(void *context) {
    struct reports_making *m = context;
    (void)m->options->checkout->modules(m->options->checkout->search);
    m->ok = true;
}

/* Without its trees there is nothing to say: they say why. */
static bool has_trees(const struct reports_making *m) {
    for (size_t i = 0; i < m->tree_count; i++)
        if (!m->trees[i].ok)
            return false;
    return true;
}

static bool make_bytes(struct reports_making *m) {
    struct gate_buf *bytes = &m->made->bytes[m->format];
    return gate_report_formats[m->format].write(bytes, m->verdict, m->options, &m->arena, &m->err) &&
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

/* A large one is written while it is made, and its bytes need no memory. Where the file does not take them, it is made
 * once more, for whoever says so. */
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
    if (path != NULL && gate_report_formats[m->format].is_large)
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
        m->ok = gate_report_terminal(&m->made->text, m->verdict, m->options, &m->arena, &m->err) &&
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

/* What takes longest first: trees, the page, pictures. The trees that a report draws are the first of the list. */
static void list_works(struct reports_works *works, struct reports_making like, bool has_page,
                       const struct gate_arena *arena) {
    const struct gate_report_format *rows = gate_report_formats;
    struct gate_parallel_item trees = {.task = make_trees};
    struct gate_parallel_item text = {.task = make_text, .after = has_page ? 1 : 0};
    for (int inverted = 0; inverted < TREES && has_page; inverted++)
        add_work(works, trees, &like, arena)->inverted = inverted != 0;
    if (has_page &&
        gate_checkout_is_asked(like.options->checkout, like.verdict->comparisons, like.verdict->comparison_count))
        (void)add_work(works, (struct gate_parallel_item){.task = look_for_modules}, &like, arena);
    for (int draws = GATE_REPORT_DRAWS_MORE; draws >= GATE_REPORT_DRAWS_NOTHING; draws--)
        for (size_t i = 0; rows[i].name != NULL; i++) {
            struct gate_parallel_item item = {.task = make_format, .after = has_page ? (size_t)draws : 0};
            if (rows[i].draws == (enum gate_report_draws)draws && like.made->is_wanted[i])
                add_work(works, item, &like, arena)->format = i;
        }
    (void)add_work(works, text, &like, arena);
}

/* Of what failed, the first in the list says why: whichever was the first in time. */
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
    struct reports_works works = {.count = 0};
    struct reports_making like = {.made = made, .options = options, .verdict = verdict};
    bool has_page = false;
    for (size_t i = 0; gate_report_formats[i].name != NULL; i++)
        has_page = has_page || (gate_report_formats[i].draws == GATE_REPORT_DRAWS_MORE && made->is_wanted[i]);
    gate_progress_stage(cli->progress, "making reports");
    if (has_page && !gate_trees_begin(options->trees, verdict, cli->arena, err))
        return false;
    if (has_page) {
        hold_folder(made);
        like.is_beside = true;
        like.mode = gate_outfile_mode();
    }
    list_works(&works, like, has_page, cli->arena);
    return make_all(&works, has_page, cli->arena, err);
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
