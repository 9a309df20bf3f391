/* SPDX-License-Identifier: Apache-2.0 */
/* Which reports a command line asks for (see outputs.h). */
#include "gate/cli/reports.h"

#include "gate/cli/progress.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

typedef bool report_write(struct gate_buf *out, const struct gate_verdict *verdict,
                          const struct gate_report_options *options, struct gate_arena *arena, struct gate_error *err);

static const struct {
    report_write *write;
    const char *file; /* its name in --report DIR, or NULL */
} kinds[GATE_REPORTS_KINDS] = {
    [GATE_REPORTS_JSON] = {gate_report_json, "report.json"},
    [GATE_REPORTS_JUNIT] = {gate_report_junit, "junit.xml"},
    [GATE_REPORTS_HTML] = {gate_report_html, "report.html"},
    [GATE_REPORTS_SVG] = {gate_report_svg, "flamegraph.svg"},
    [GATE_REPORTS_MARKDOWN] = {gate_report_markdown, "report.md"},
    [GATE_REPORTS_CODEQUALITY] = {gate_report_codequality, NULL},
    [GATE_REPORTS_OPENMETRICS] = {gate_report_openmetrics, NULL},
    [GATE_REPORTS_FOLDED] = {gate_report_folded, NULL},
    [GATE_REPORTS_SPEEDSCOPE] = {gate_report_speedscope, NULL},
    [GATE_REPORTS_PPROF_DIFF] = {gate_report_pprof_diff, NULL},
};

/* GitHub refuses comments above 65 536 characters; GitLab takes more. */
enum { MARKDOWN_BYTES = 60000 };

void gate_reports_init(struct gate_reports *outputs) {
    *outputs = (struct gate_reports){
        .options = {.frame_limit = 100, .min_share = 0.001, .columns = 80, .byte_limit = MARKDOWN_BYTES}};
}

static bool outputs_frames(uint32_t *out, const char *value, struct gate_error *err) {
    size_t number = 0;
    *out = 0;
    if (strcmp(value, "all") == 0)
        return true;
    if (!gate_option_size(&number, value, "frames", err))
        return false;
    if (number == 0 || number > UINT32_MAX)
        return gate_error_set(err, GATE_ERR_USAGE, "option '--frames': expected a number above zero or 'all', found '%s'",
                              value);
    *out = (uint32_t)number;
    return true;
}

static bool outputs_path(struct gate_reports *outputs, int kind, const char *value, struct gate_error *err) {
    if (outputs->paths[kind] != NULL)
        return gate_error_set(err, GATE_ERR_USAGE, "'%s' and '%s' ask for one report twice", outputs->paths[kind], value);
    outputs->paths[kind] = value;
    return true;
}

bool gate_reports_take(struct gate_reports *outputs, int id, const char *value, struct gate_error *err) {
    static const char *const flavors[] = {"rich", "strict", NULL};
    static const char *const whens[] = {"auto", "always", "never", NULL};
    switch (id) {
    case GATE_REPORTS_FOLDER:
        outputs->folder = value;
        return true;
    case GATE_REPORTS_FLAVOR:
        return gate_option_word(&outputs->junit_flavor, value, "junit-flavor", flavors, err);
    case GATE_REPORTS_ANNOTATIONS:
        return gate_option_word(&outputs->annotations, value, "github-annotations", whens, err);
    case GATE_REPORTS_FRAMES:
        return outputs_frames(&outputs->options.frame_limit, value, err);
    case GATE_REPORTS_MIN_SHARE:
        if (!gate_option_not_negative(&outputs->options.min_share, value, "min-share", err))
            return false;
        outputs->options.min_share /= 100;
        return true;
    case GATE_REPORTS_QUIET:
        outputs->options.quiet = true;
        return true;
    default:
        GATE_ASSERT(id >= GATE_REPORTS_FIRST && id < GATE_REPORTS_FIRST + GATE_REPORTS_KINDS);
        return outputs_path(outputs, id - GATE_REPORTS_FIRST, value, err);
    }
}

static bool outputs_take_stdout(const struct gate_reports *outputs) {
    for (int i = 0; i < GATE_REPORTS_KINDS; i++)
        if (outputs->paths[i] != NULL && strcmp(outputs->paths[i], "-") == 0)
            return true;
    return false;
}

/* Note where one kind of report goes: its own file, and one of the folder. */
static bool outputs_note(const struct gate_reports *outputs, int kind, struct gate_overwrite *places,
                         struct gate_arena *arena, struct gate_error *err) {
    if (!gate_overwrite_write(places, outputs->paths[kind], arena, err))
        return false;
    if (outputs->folder == NULL || kinds[kind].file == NULL)
        return true;
    struct gate_str path = gate_str_format(arena, "%s/%s", outputs->folder, kinds[kind].file);
    if (path.ptr == NULL)
        return gate_arena_error(arena, err);
    if (outputs->paths[kind] != NULL && strcmp(outputs->paths[kind], path.ptr) == 0)
        return true; /* one report asked for twice */
    return gate_overwrite_write(places, path.ptr, arena, err);
}

bool gate_reports_finish(const struct gate_reports *outputs, struct gate_overwrite *places, struct gate_arena *arena,
                         struct gate_error *err) {
    int wanted = 0;
    for (int i = 0; i < GATE_REPORTS_KINDS; i++)
        wanted += outputs->paths[i] != NULL && strcmp(outputs->paths[i], "-") == 0;
    if (wanted >= 2)
        return gate_error_set(err, GATE_ERR_USAGE, "only one report can go to standard output ('-')");
    for (int i = 0; i < GATE_REPORTS_KINDS; i++)
        if (!outputs_note(outputs, i, places, arena, err))
            return false;
    return true;
}

static bool outputs_folder(const char *folder, struct gate_error *err) {
    struct stat status;
    if (mkdir(folder, 0777) == 0 || (stat(folder, &status) == 0 && S_ISDIR(status.st_mode)))
        return true;
    return gate_error_set(err, GATE_ERR_IO, "%s: cannot make the folder: %s", folder, strerror(errno));
}

static bool is_on_github(void) {
    const char *actions = getenv("GITHUB_ACTIONS");
    return actions != NULL && strcmp(actions, "true") == 0;
}

/* The step summary is one file for all steps of a job: append, never replace. */
static bool outputs_summary(struct gate_str text, struct gate_error *err) {
    const char *path = getenv("GITHUB_STEP_SUMMARY");
    if (!is_on_github() || path == NULL || path[0] == '\0')
        return true;
    FILE *file = fopen(path, "ab");
    if (file == NULL)
        return gate_error_set(err, GATE_ERR_IO, "%s: cannot append the step summary: %s", path, strerror(errno));
    bool ok = fwrite(text.ptr, 1, text.len, file) == text.len;
    ok = fclose(file) == 0 && ok;
    return ok || gate_error_set(err, GATE_ERR_IO, "%s: cannot append the step summary", path);
}

static bool outputs_wanted(const struct gate_reports *outputs, int kind) {
    return outputs->paths[kind] != NULL || (outputs->folder != NULL && kinds[kind].file != NULL) ||
           (kind == GATE_REPORTS_MARKDOWN && is_on_github());
}

static bool outputs_place(const struct gate_reports *outputs, int kind, struct gate_str bytes, struct gate_cli *cli,
                          struct gate_error *err) {
    if (outputs->paths[kind] != NULL && !gate_outfile_write(cli, outputs->paths[kind], bytes, err))
        return false;
    if (kind == GATE_REPORTS_MARKDOWN && !outputs_summary(bytes, err))
        return false;
    if (outputs->folder == NULL || kinds[kind].file == NULL)
        return true;
    struct gate_str path = gate_str_format(cli->arena, "%s/%s", outputs->folder, kinds[kind].file);
    if (path.ptr == NULL)
        return gate_arena_error(cli->arena, err);
    return gate_outfile_write(cli, path.ptr, bytes, err);
}

static bool outputs_reports(const struct gate_reports *outputs, const struct gate_report_options *options,
                            const struct gate_verdict *verdict, struct gate_cli *cli, struct gate_error *err) {
    struct gate_buf made[GATE_REPORTS_KINDS] = {{0}};
    bool ok = outputs->folder == NULL || outputs_folder(outputs->folder, err);
    if (ok && outputs_wanted(outputs, GATE_REPORTS_HTML)) /* it draws both views: make them side by side */
        ok = gate_trees_make(options->trees, verdict, options->min_share, cli->arena, err);
    for (int i = 0; ok && i < GATE_REPORTS_KINDS; i++)
        if (outputs_wanted(outputs, i))
            ok = kinds[i].write(&made[i], verdict, options, cli->arena, err) && gate_buf_check(&made[i], err);
    for (int i = 0; ok && i < GATE_REPORTS_KINDS; i++)
        if (outputs_wanted(outputs, i))
            ok = outputs_place(outputs, i, gate_buf_view(&made[i]), cli, err);
    for (int i = 0; i < GATE_REPORTS_KINDS; i++)
        gate_buf_free(&made[i]);
    return ok;
}

bool gate_reports_write(const struct gate_reports *outputs, const struct gate_verdict *verdict, struct gate_cli *cli,
                        struct gate_error *err) {
    struct gate_report_options options = outputs->options;
    FILE *stream = outputs_take_stdout(outputs) ? cli->err : cli->out;
    struct gate_trees trees = {0};
    struct gate_buf text = {0};
    options.trees = &trees;
    options.junit_flavor = (enum gate_junit_flavor)outputs->junit_flavor;
    options.colour = gate_cli_wants_colour(stream);
    bool annotate = outputs->annotations == GATE_ANNOTATIONS_ALWAYS ||
                    (outputs->annotations == GATE_ANNOTATIONS_AUTO && is_on_github());
    bool ok = outputs_reports(outputs, &options, verdict, cli, err) &&
              gate_report_terminal(&text, verdict, &options, cli->arena, err) &&
              (!annotate || gate_report_github(&text, verdict, &options, cli->arena, err)) && gate_buf_check(&text, err);
    if (cli->progress != NULL)
        gate_progress_end(cli->progress); /* its line must not stand between the verdict's */
    if (ok && !gate_cli_write(stream, gate_buf_view(&text)))
        ok = gate_error_set(err, GATE_ERR_IO, "cannot write the verdict to standard output");
    gate_buf_free(&text);
    return ok;
}
