/* SPDX-License-Identifier: Apache-2.0 */
/* Which reports a command line asks for (see reports.h). */
#include "gate/cli/reports.h"

#include "gate/base/folders.h"
#include "gate/base/stream.h"
#include "gate/cli/checkout_find.h"
#include "gate/cli/option_value.h"
#include "gate/cli/output.h"
#include "gate/cli/progress.h"
#include "gate/cli/reports_made.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

/* GitHub refuses comments above 65 536 characters; GitLab takes more. */
enum { MARKDOWN_BYTES = 60000 };
enum { PLACE_BYTES = 4096 }; /* of a path, as Linux has it */

/* ---- options ----------------------------------------------------------------------------------------------------- */

#define AT(field) offsetof(struct gate_reports, field)

static bool read_report_path(const struct gate_option_use *use, struct gate_error *err) {
    const char **path = use->out;
    if (*path != NULL)
        return gate_error_set(err, GATE_ERR_USAGE,
                              "option '--%s' is given twice ('%s' and '%s'); a report goes to one file",
                              use->option->name, *path, use->value);
    *path = use->value;
    return true;
}

bool gate_reports_read_frames(const struct gate_option_use *use, struct gate_error *err) {
    uint32_t *limit = use->out;
    uint64_t number = 0;
    *limit = 0;
    if (strcmp(use->value, "all") == 0)
        return true;
    if (!gate_option_value_whole(&number, use->value))
        return gate_error_set(err, GATE_ERR_USAGE, "option '--%s': expected a number of rows or 'all', found '%s'",
                              use->option->name, use->value);
    if (number < GATE_REPORT_NO_FRAMES) /* more rows than there can be frames are all of them */
        *limit = number == 0 ? GATE_REPORT_NO_FRAMES : (uint32_t)number;
    return true;
}

/* Only the web, so that a page can be trusted with it. */
bool gate_reports_read_source_url(const struct gate_option_use *use, struct gate_error *err) {
    const char **url = use->out;
    bool is_web = strncmp(use->value, "https://", 8) == 0 || strncmp(use->value, "http://", 7) == 0;
    if (!is_web || strstr(use->value, "{path}") == NULL)
        return gate_error_set(err, GATE_ERR_USAGE,
                              "option '--%s': expected an http or https address with {path} in it, and {line} for the "
                              "line, found '%s'",
                              use->option->name, use->value);
    *url = use->value;
    return true;
}

/* "the usual set: report.json, junit.xml, ..." */
static struct gate_str folder_help(struct gate_arena *arena) {
    struct gate_str help = GATE_STR("the usual set");
    const char *between = ": ";
    for (const struct gate_report_format *f = gate_report_formats; f->name != NULL && help.ptr != NULL; f++) {
        if (f->file == NULL)
            continue;
        help = gate_str_format(arena, "%.*s%s%s", GATE_STR_ARG(help), between, f->file);
        between = ", ";
    }
    return help;
}

/* --report, then an option a format. */
static bool file_row(struct gate_option *out, size_t index, struct gate_arena *arena) {
    if (index == 0) {
        *out =
            (struct gate_option){"report", 0, "DIR", folder_help(arena).ptr, gate_option_value_text, AT(folder), NULL};
        return out->help != NULL;
    }
    const struct gate_report_format *format = &gate_report_formats[index - 1];
    *out = (struct gate_option){
        format->name, 0, "FILE", format->help, read_report_path, AT(paths) + (index - 1) * sizeof(const char *), NULL};
    return true;
}
const struct gate_option_group gate_reports_files = {"Reports (FILE may be -, standard output):", NULL, file_row};

static const char *const flavor_words[] = {[GATE_JUNIT_RICH] = "rich", [GATE_JUNIT_STRICT] = "strict", NULL};
static const char *const inconclusive_words[] = {
    [GATE_JUNIT_BY_RULES] = "auto", [GATE_JUNIT_SKIPPED] = "skipped", [GATE_JUNIT_ERROR] = "error", NULL};
static const char *const annotation_words[] = {
    [GATE_ANNOTATIONS_AUTO] = "auto", [GATE_ANNOTATIONS_ALWAYS] = "always", [GATE_ANNOTATIONS_NEVER] = "never", NULL};

/* It goes into a link between < and >: nothing may end that early, or be followed other than by a browser. */
static bool read_report_url(const struct gate_option_use *use, struct gate_error *err) {
    const char **url = use->out;
    bool is_web = strncmp(use->value, "https://", 8) == 0 || strncmp(use->value, "http://", 7) == 0;
    for (const char *c = use->value; is_web && *c != '\0'; c++)
        is_web = (unsigned char)*c > ' ' && (unsigned char)*c < 0x7F && strchr("<>\"\\`", *c) == NULL;
    if (!is_web)
        return gate_error_set(err, GATE_ERR_USAGE,
                              "option '--%s': expected a link that begins with https:// or http://, with no spaces, "
                              "found '%s'",
                              use->option->name, use->value);
    *url = use->value;
    return true;
}

static const struct gate_option detail_rows[] = {
    {"junit-flavor", 0, "HOW", "rich (default), or strict: without what Jenkins' schema refuses",
     gate_option_value_word, AT(junit_flavor), flavor_words},
    {"junit-inconclusive", 0, "HOW",
     "a budget that cannot be decided: skipped or error (default: skipped where on_inconclusive lets it pass, else "
     "error)",
     gate_option_value_word, AT(junit_inconclusive), inconclusive_words},
    {"report-url", 0, "URL",
     "where the report will be read, for the link in the Markdown (default: the run, in GitHub Actions and GitLab CI)",
     read_report_url, AT(url), NULL},
    {"github-annotations", 0, "WHEN", "workflow commands on standard output: auto (in GitHub Actions), always or never",
     gate_option_value_word, AT(annotations), annotation_words},
    {"frames", 0, "N|all", "rows of the frame tables (default 100; 0: none)", gate_reports_read_frames,
     AT(options.frame_limit), NULL},
    {"min-share", 0, "PERCENT", "smallest box of a flame graph (default 0.1; 0: all)", gate_option_value_percent,
     AT(options.min_share), NULL},
    {"source-url", 0, "URL", "where sources are, for links of the HTML page: https://HOST/.../{path}#L{line}",
     gate_reports_read_source_url, AT(options.source_url), NULL},
    {"quiet", 'q', NULL, "only the verdict and the broken budgets", gate_option_value_flag, AT(options.quiet), NULL},
    {0},
};
const struct gate_option_group gate_reports_details = {.rows = detail_rows};

void gate_reports_begin(struct gate_reports *reports) {
    *reports = (struct gate_reports){
        .options = {
            .frame_limit = 100, .min_share = GATE_COMPARISON_TREE_SHARE, .columns = 80, .byte_limit = MARKDOWN_BYTES}};
}

/* ---- where they go ----------------------------------------------------------------------------------------------- */

/* Where one row of gate_report_formats goes. */
struct reports_places {
    const char *own;    /* its option's file, or NULL */
    const char *folder; /* its file in --report DIR, or NULL */
    char room[PLACE_BYTES];
};

/* Takes no memory: reports are also removed because there is none. */
static bool reports_place(struct reports_places *out, const struct gate_reports *reports, size_t format,
                          struct gate_error *err) {
    const char *file = gate_report_formats[format].file;
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
    for (size_t i = 0; gate_report_formats[i].name != NULL; i++)
        if (reports->paths[i] != NULL && gate_paths_is_stream(reports->paths[i]))
            return true;
    return false;
}

bool gate_reports_note(const struct gate_reports *reports, struct gate_file_roles *roles, struct gate_cli *cli,
                       struct gate_error *err) {
    for (size_t i = 0; gate_report_formats[i].name != NULL; i++) {
        struct reports_places places;
        if (!reports_place(&places, reports, i, err))
            return false;
        if ((gate_report_formats[i].is_binary &&
             !gate_output_spare_terminal(cli, reports->paths[i], gate_report_formats[i].name, err)) ||
            !gate_file_roles_write(roles, places.own, cli->arena, err))
            return false;
        if (places.folder == NULL || (places.own != NULL && strcmp(places.own, places.folder) == 0)) /* asked twice */
            continue;
        struct gate_str kept = gate_str_copy(cli->arena, gate_str_from(places.folder)); /* roles name it in messages */
        if (kept.ptr == NULL)
            return gate_arena_error(cli->arena, err);
        if (!gate_file_roles_write(roles, kept.ptr, cli->arena, err))
            return false;
    }
    return true;
}

void gate_reports_remove_file(const char *path, const struct gate_file_roles *roles, struct gate_cli *cli) {
    if (path == NULL || gate_file_roles_is_read(roles, path, cli->arena) || gate_output_remove(path))
        return;
    const char *why = strerror(errno);
    struct gate_str note = gate_str_format(cli->arena, "%s is of an earlier run and cannot be removed: %s", path, why);
    gate_cli_note(cli, note.ptr != NULL ? note : GATE_STR("a report of an earlier run cannot be removed"));
}

void gate_reports_remove(const struct gate_reports *reports, const struct gate_file_roles *roles,
                         struct gate_cli *cli) {
    for (size_t i = 0; gate_report_formats[i].name != NULL; i++) {
        struct reports_places places;
        struct gate_error too_long = {0};
        if (!reports_place(&places, reports, i, &too_long))
            return;
        gate_reports_remove_file(places.own, roles, cli);
        gate_reports_remove_file(places.folder, roles, cli);
    }
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

static bool is_on_github(void) {
    const char *actions = getenv("GITHUB_ACTIONS");
    return actions != NULL && strcmp(actions, "true") == 0;
}

/* The step summary is one file for all steps of a job: append, never replace. */
bool gate_reports_append_summary(struct gate_str text, struct gate_error *err) {
    const char *path = getenv("GITHUB_STEP_SUMMARY");
    if (!is_on_github() || path == NULL || path[0] == '\0')
        return true;
    FILE *file = fopen(path, "ab");
    if (file == NULL)
        return gate_error_set(err, GATE_ERR_IO, "%s: cannot append the step summary: %s", path, strerror(errno));
    bool ok = gate_stream_write(file, text);
    return (fclose(file) == 0 && ok) || gate_error_set(err, GATE_ERR_IO, "%s: cannot append the step summary", path);
}

static bool is_wanted(const struct gate_reports *reports, size_t format) {
    const struct gate_report_format *row = &gate_report_formats[format];
    return reports->paths[format] != NULL || (reports->folder != NULL && row->file != NULL) ||
           (row->is_summary && is_on_github());
}

bool gate_reports_draw_views(const struct gate_reports *reports) {
    for (size_t i = 0; gate_report_formats[i].name != NULL; i++)
        if (gate_report_formats[i].draws == GATE_REPORT_DRAWS_MORE && is_wanted(reports, i))
            return true;
    return false;
}

bool gate_reports_walk_stacks(const struct gate_reports *reports) {
    for (size_t i = 0; gate_report_formats[i].name != NULL; i++)
        if (gate_report_formats[i].walks_stacks && is_wanted(reports, i))
            return true;
    return false;
}

static bool write_one(const struct gate_reports *reports, size_t format, struct gate_str bytes, struct gate_cli *cli,
                      struct gate_error *err) {
    struct reports_places places;
    if (!reports_place(&places, reports, format, err))
        return false;
    return (places.own == NULL || gate_output_write(cli, places.own, bytes, err)) &&
           (!gate_report_formats[format].is_summary || gate_reports_append_summary(bytes, err)) &&
           (places.folder == NULL || gate_output_write(cli, places.folder, bytes, err));
}

static bool does_annotate(const struct gate_reports *reports) {
    return reports->annotations == GATE_ANNOTATIONS_ALWAYS ||
           (reports->annotations == GATE_ANNOTATIONS_AUTO && is_on_github());
}

/* The checkout is looked for where a report wants it: that walks a part of it. */
static bool wants_checkout(const struct gate_reports *reports) {
    bool is_needed = does_annotate(reports) || reports->options.source_url != NULL;
    for (size_t i = 0; gate_report_formats[i].name != NULL; i++)
        is_needed = is_needed || (gate_report_formats[i].marks_lines && is_wanted(reports, i));
    return is_needed;
}

bool gate_reports_look_ahead(struct gate_reports *reports, struct gate_errand *errand, struct gate_cli *cli,
                             struct gate_error *err) {
    if (!gate_reports_draw_views(reports) || !wants_checkout(reports))
        return true;
    reports->checkout = GATE_NEW_ARRAY(cli->arena, struct gate_checkout, 1);
    if (reports->checkout == NULL)
        return gate_arena_error(cli->arena, err);
    *errand = gate_checkout_errand(reports->checkout);
    return gate_checkout_find(reports->checkout, cli->arena, err);
}

void gate_reports_look_end(struct gate_reports *reports, struct gate_arena *arena) {
    struct gate_error unsaid = {0};
    if (reports->checkout == NULL || gate_checkout_end(reports->checkout, arena, &unsaid))
        reports->checkout = NULL;
}

/* What is to be made, and what of it has one place, which may be written to ahead of the others. */
static bool reports_ask(struct gate_reports_made *made, const struct gate_reports *reports, struct gate_arena *arena,
                        struct gate_error *err) {
    for (size_t i = 0; gate_report_formats[i].name != NULL; i++) {
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
                       struct gate_cli *cli, struct gate_error *err) {
    struct gate_str bytes = gate_buf_view(&made->bytes[format]);
    if (made->ahead[format].name == NULL)
        return write_one(reports, format, bytes, cli, err);
    gate_cli_tell(cli, "writing %s", made->path[format]);
    return gate_outfile_place(&made->ahead[format], made->path[format], err) &&
           (!gate_report_formats[format].is_summary || gate_reports_append_summary(bytes, err));
}

static bool write_all(struct gate_reports_made *made, const struct gate_reports *reports, struct gate_cli *cli,
                      struct gate_error *err) {
    bool ok = reports->folder == NULL || gate_folders_make(reports->folder, err);
    for (size_t i = 0; ok && gate_report_formats[i].name != NULL; i++)
        if (made->is_wanted[i])
            ok = write_made(made, reports, i, cli, err);
    return ok;
}

/* The page of this pipeline's run, which leads to what it kept; empty: not known. Its parts are words of the CI
 * system's own, and what else may stand there is left alone. */
static struct gate_str run_url(struct gate_arena *arena) {
    const char *server = getenv("GITHUB_SERVER_URL"), *repository = getenv("GITHUB_REPOSITORY");
    const char *run = getenv("GITHUB_RUN_ID"), *job = getenv("CI_JOB_URL"), *gitlab = getenv("GITLAB_CI");
    struct gate_str url = {"", 0};
    if (is_on_github() && server != NULL && repository != NULL && run != NULL)
        url = gate_str_format(arena, "%s/%s/actions/runs/%s", server, repository, run);
    else if (gitlab != NULL && strcmp(gitlab, "true") == 0 && job != NULL)
        url = gate_str_format(arena, "%s/artifacts/browse", job);
    struct gate_error err = {0};
    const char *checked = NULL;
    const struct gate_option option = {.name = "report-url"};
    const struct gate_option_use use = {.option = &option, .value = url.ptr, .out = &checked};
    return url.ptr != NULL && read_report_url(&use, &err) ? url : (struct gate_str){"", 0};
}

bool gate_reports_write(const struct gate_reports *reports, const struct gate_verdict *verdict, struct gate_cli *cli,
                        struct gate_error *err) {
    struct gate_report_options options = reports->options;
    FILE *stream = takes_stdout(reports) ? cli->err : cli->out;
    struct gate_checkout own = {.search = NULL}, *checkout = reports->checkout != NULL ? reports->checkout : &own;
    struct gate_trees trees = {0};
    struct gate_reports_made made;
    options.trees = &trees;
    options.junit_flavor = (enum gate_junit_flavor)reports->junit_flavor;
    options.junit_inconclusive = (enum gate_junit_inconclusive)reports->junit_inconclusive;
    options.report_url_is_run = reports->url == NULL;
    options.report_url = reports->url == NULL ? run_url(cli->arena) : gate_str_from(reports->url);
    options.colour = gate_cli_wants_colour(cli, stream);
    options.columns = gate_cli_columns(stream, options.columns);
    options.checkout = wants_checkout(reports) ? checkout : NULL;
    gate_reports_made_begin(&made, reports->folder, cli->arena);
    bool ok = reports_ask(&made, reports, cli->arena, err) &&
              (options.checkout != &own || gate_checkout_find(&own, cli->arena, err)) &&
              gate_reports_made_make(&made, verdict, &options, cli, err) &&
              (!does_annotate(reports) || gate_report_github(&made.text, verdict, &options, cli->arena, err));
    struct gate_error later = {0};
    ok = gate_checkout_end(checkout, cli->arena, ok ? err : &later) && ok && gate_buf_check(&made.text, err) &&
         gate_arena_check(cli->arena, err) && write_all(&made, reports, cli, err);
    gate_progress_end(cli->progress); /* its line must not stand between the verdict's */
    gate_reports_made_settle(&made, ok);
    if (ok && !gate_cli_write(stream, gate_buf_view(&made.text)))
        ok = gate_error_set(err, GATE_ERR_IO, "cannot write the verdict to standard output");
    gate_reports_made_free(&made);
    return ok;
}

bool gate_reports_write_nothing(const struct gate_reports *reports, const struct gate_nothing_compared *nothing,
                                struct gate_cli *cli, struct gate_error *err) {
    const struct gate_report_format *rows = gate_report_formats;
    FILE *stream = takes_stdout(reports) ? cli->err : cli->out;
    bool ok = reports->folder == NULL || gate_folders_make(reports->folder, err);
    struct gate_buf text = {0};
    for (size_t i = 0; ok && rows[i].name != NULL; i++) {
        struct gate_buf made = {0};
        if (rows[i].write_nothing == NULL || !is_wanted(reports, i))
            continue;
        ok = (rows[i].write_nothing(&made, nothing) || gate_buf_check(&made, err)) &&
             write_one(reports, i, gate_buf_view(&made), cli, err);
        gate_buf_free(&made);
    }
    ok = ok && (gate_nothing_compared_terminal(&text, nothing) || gate_buf_check(&text, err));
    gate_progress_end(cli->progress);
    if (ok && !gate_cli_write(stream, gate_buf_view(&text)))
        ok = gate_error_set(err, GATE_ERR_IO, "cannot write to standard output");
    gate_buf_free(&text);
    return ok;
}
