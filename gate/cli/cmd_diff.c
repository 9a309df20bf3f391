/* SPDX-License-Identifier: Apache-2.0 */
/* The command `diff`: shows what changed between two sides, without rules. */
#include "gate/base/buf.h"
#include "gate/base/escape.h"
#include "gate/base/figures.h"
#include "gate/cli/command.h"
#include "gate/cli/option_groups.h"
#include "gate/cli/options.h"
#include "gate/model/unit.h"
#include "gate/report/cause_sentence.h"
#include "gate/report/listing.h"
#include "gate/report/report.h"
#include "gate/report/shorten.h"
#include "gate/session/judge.h"
#include "gate/session/names_from.h"
#include "gate/session/reports.h"

/* ---- the text ---------------------------------------------------------------------------------------------------- */

enum {
    NAME_COLUMNS = 33, /* width of the name in a file */
    NAME_LEAST = 16,
    NUMBER_COLUMNS = 57, /* width of all measures, after the name */
    LAST_COLUMNS = 13    /* width of the last measure, which a narrow terminal leaves out */
};

/* Width of the name, and number of measures that fit. */
struct diff_width {
    size_t name;
    int measures;
};

static struct diff_width diff_width(size_t columns) {
    if (columns == 0)
        return (struct diff_width){NAME_COLUMNS, GATE_MEASURES};
    if (columns >= NAME_LEAST + NUMBER_COLUMNS)
        return (struct diff_width){columns - NUMBER_COLUMNS, GATE_MEASURES};
    size_t numbers = NUMBER_COLUMNS - LAST_COLUMNS;
    return (struct diff_width){columns < NAME_LEAST + numbers ? NAME_LEAST : columns - numbers, GATE_MEASURES - 1};
}

static void diff_right(struct gate_buf *out, const struct gate_buf *text, size_t columns) {
    size_t used = gate_str_columns(gate_buf_view(text));
    gate_buf_repeat(out, ' ', used < columns ? columns - used : 1);
    gate_buf_str(out, gate_buf_view(text));
}

static void diff_measure(struct gate_buf *out, struct gate_buf *text, const struct gate_evidence *evidence,
                         bool with_shares) {
    for (int side = 0; with_shares && side < GATE_SIDES; side++) {
        text->len = 0;
        gate_figures_share(text, evidence->share[side]);
        diff_right(out, text, 9);
    }
    text->len = 0;
    gate_figures_points(text, evidence->delta);
    diff_right(out, text, 11);
}

static void diff_row(struct gate_buf *out, const struct gate_comparison *comparison, uint32_t frame,
                     struct diff_width width, struct gate_arena *arena) {
    const struct gate_frame_judgement *judged = &comparison->frames[frame];
    struct gate_buf text = {0};
    gate_escape_terminal(&text, comparison->pair.frames[frame].name);
    struct gate_str name = gate_shorten_name(arena, gate_buf_view(&text), width.name);
    if (name.ptr == NULL) { /* no memory */
        out->failed = true;
        gate_buf_free_part(out, &text);
        return;
    }
    gate_buf_str(out, name);
    gate_buf_repeat(out, ' ', width.name - gate_str_columns(name));
    for (int i = 0; i < width.measures; i++) {
        enum gate_measure measure = gate_listing_measures[i];
        bool is_last = i + 1 == width.measures;
        diff_measure(out, &text, judged->evidence[measure], i == 0);
        gate_buf_text(out, judged->is_suspect[measure] ? " *" : is_last ? "" : "  ");
    }
    gate_buf_char(out, '\n');
    gate_buf_free_part(out, &text);
}

static void diff_side(struct gate_buf *out, const char *name, const struct gate_pair *pair, enum gate_side_name side) {
    gate_buf_printf(out, "%s  ", name);
    gate_unit_print(out, pair->sides[side].total, pair->type.unit);
    gate_buf_text(out, " of ");
    gate_escape_terminal(out, pair->type.type);
    gate_buf_text(out, ", ");
    gate_figures_count(out, pair->sides[side].events);
    gate_buf_printf(out, " effective samples, %u run%s\n", (unsigned)pair->sides[side].run_count,
                    pair->sides[side].run_count == 1 ? "" : "s");
}

/*
 * Append the changed frames of the first comparison, without verdict and budgets.
 *
 * err: GATE_ERR_LIMIT `arena` is full; GATE_ERR_MEMORY
 */
static bool diff_text(struct gate_buf *out, const struct gate_verdict *verdict,
                      const struct gate_report_options *options, struct gate_arena *arena, struct gate_error *err) {
    const struct gate_comparison *comparison = &verdict->comparisons[0];
    uint32_t limit = gate_report_rows(options->frame_limit, UINT32_MAX);
    uint32_t shown = 0;
    const struct diff_width width = diff_width(options->columns);
    diff_side(out, "baseline", &comparison->pair, GATE_BASELINE);
    diff_side(out, "canary  ", &comparison->pair, GATE_CANARY);
    uint32_t *frames = GATE_NEW_ARRAY(arena, uint32_t, comparison->pair.frame_count);
    if (frames == NULL)
        return gate_arena_error(arena, err);
    gate_listing_frames(frames, comparison);
    gate_buf_printf(out, "\n%-*scharged base   canary     change", (int)width.name - 4, "function");
    for (int i = 1; i < width.measures; i++)
        gate_buf_printf(out, "  %11s", gate_measure_name(gate_listing_measures[i]));
    gate_buf_char(out, '\n');
    for (uint32_t i = 0; i < comparison->pair.frame_count && shown < limit; i++) {
        uint32_t frame = frames[i];
        const struct gate_delta *delta = &comparison->deltas.items[frame];
        if (delta->value[GATE_CUMULATIVE][GATE_BASELINE] == 0 && delta->value[GATE_CUMULATIVE][GATE_CANARY] == 0)
            continue;
        diff_row(out, comparison, frame, width, arena);
        shown++;
    }
    size_t line = out->len + 1;
    gate_buf_text(out,
                  "\nShares are of each side's own total; + grew in the canary; * marks what is more than noise (false "
                  "discovery rate 1%).\n");
    gate_buf_text(out, gate_sentence_charged());
    gate_wrap_since(out, line, 0, options->columns == 0 ? GATE_WRAP_COLUMNS : options->columns);
    gate_buf_char(out, '\n');
    return gate_buf_check(out, err);
}

/* ---- the command ------------------------------------------------------------------------------------------------- */

enum { DIFF_FORMATS = 4, TEXT_FRAMES = 30 };

/* The reports of a diff. */
static const struct {
    const struct gate_report_format *report;
    const char *help;
} formats[DIFF_FORMATS] = {
    {&gate_report_diff_json, "every frame's numbers (- is standard output, for each of these)"},
    {&gate_report_html, "a page to look at: what changed most, table, diff flame graph"},
    {&gate_report_pprof_diff, "a pprof profile that `go tool pprof` opens as a diff"},
    {&gate_report_folded, "collapsed stacks with a baseline and a canary column"},
};

/* Options of `diff`. */
struct diff {
    struct gate_profile_options profiles;
    const char *paths[DIFF_FORMATS];
    struct diff_frames {
        bool is_given;
        uint32_t limit; /* frame_limit of report/report.h */
    } frames;
    double min_share;
    const char *source_url;
};

#define AT(field) offsetof(struct diff, field)

static bool format_row(struct gate_option *out, size_t index, struct gate_arena *arena) {
    (void)arena;
    *out = (struct gate_option){0};
    if (index < DIFF_FORMATS)
        *out = (struct gate_option){formats[index].report->name,
                                    0,
                                    "FILE",
                                    formats[index].help,
                                    gate_option_value_output,
                                    AT(paths) + index * sizeof(const char *),
                                    NULL};
    return true;
}

static const struct gate_option_group format_group = {.row = format_row};

static bool read_frames(const struct gate_option_use *use, struct gate_error *err) {
    struct diff_frames *frames = use->out;
    struct gate_option_use limit = *use;
    frames->is_given = true;
    limit.out = &frames->limit;
    return gate_reports_read_frames(&limit, err);
}

static const struct gate_option frames_rows[] = {
    {"frames", 0, "N|all", "rows of the tables (default 30 as text, all as JSON; 0: none)", read_frames, AT(frames),
     NULL},
    {"min-share", 0, "PERCENT", "smallest box of the page's flame graph (default 0.1; 0: all)",
     gate_option_value_percent, AT(min_share), NULL},
    {"source-url", 0, "URL", "where sources are, for links of the page: https://HOST/.../{path}#L{line}",
     gate_reports_read_source_url, AT(source_url), NULL},
    {0},
};

static const struct gate_option_group frames_group = {.rows = frames_rows};

static const struct gate_option_binding options[] = {
    {&gate_profile_options_sides, AT(profiles)},
    {&format_group, 0},
    {&frames_group, 0},
    {&gate_profile_options_read, AT(profiles)},
    {&gate_symbol_options_group, AT(profiles.symbols)},
    {&gate_profile_options_limits, AT(profiles)},
    {NULL, 0},
};

static const char usage[] = "Usage: pprofgate diff [options] BASELINE CANARY\n"
                            "\n"
                            "Shows what changed between two sides. No rules apply and nothing is decided: the\n"
                            "exit status is 0 unless an input cannot be read or compared.\n"
                            "\n"
                            "Options:\n";

static const struct gate_example examples[] = {
    {"what changed most", "pprofgate diff baseline.pb.gz canary.pb.gz"},
    {"drawn, as one page", "pprofgate diff --html diff.html baseline.pb.gz canary.pb.gz"},
    {"by package", "pprofgate diff --granularity package baseline.pb.gz canary.pb.gz"},
    {NULL, NULL}};

static void diff_begin(void *wanted) {
    struct diff *diff = wanted;
    gate_profile_options_begin(&diff->profiles);
    diff->min_share = 0.001;
}

/* Makes every report, and the text unless a report uses standard output. All are made before the first is written. */
static bool diff_make(struct gate_buf made[DIFF_FORMATS + 1], const struct diff *diff,
                      const struct gate_verdict *verdict, struct gate_session *session, struct gate_error *err) {
    struct gate_trees trees = {0};
    const struct gate_report_options report = {.frame_limit = diff->frames.limit,
                                               .min_share = diff->min_share,
                                               .without_verdict = true,
                                               .source_url = diff->source_url,
                                               .trees = &trees};
    const struct gate_report_options text = {.frame_limit = diff->frames.is_given ? diff->frames.limit : TEXT_FRAMES,
                                             .columns = gate_session_columns(session->out, 0)};
    bool stdout_taken = false;
    for (int i = 0; i < DIFF_FORMATS; i++) {
        if (diff->paths[i] == NULL)
            continue;
        stdout_taken = stdout_taken || gate_paths_is_stream(diff->paths[i]);
        if (!formats[i].report->write(&made[i], verdict, &report, session->arena, err) ||
            !gate_buf_check(&made[i], err))
            return false;
    }
    return stdout_taken || (diff_text(&made[DIFF_FORMATS], verdict, &text, session->arena, err) &&
                            gate_buf_check(&made[DIFF_FORMATS], err));
}

static bool diff_output(const struct diff *diff, const struct gate_verdict *verdict, struct gate_session *session,
                        struct gate_error *err) {
    struct gate_buf made[DIFF_FORMATS + 1] = {{0}};
    bool ok = diff_make(made, diff, verdict, session, err) && gate_arena_check(session->arena, err);
    struct gate_output_file files[DIFF_FORMATS];
    for (int i = 0; i < DIFF_FORMATS; i++)
        files[i] = (struct gate_output_file){diff->paths[i], gate_buf_view(&made[i])};
    ok = ok && gate_output_write_all(session, files, DIFF_FORMATS, err) &&
         (made[DIFF_FORMATS].len == 0 || gate_session_print(session, &made[DIFF_FORMATS], err));
    for (int i = 0; i <= DIFF_FORMATS; i++)
        gate_buf_free(&made[i]);
    return ok;
}

static bool diff_finish(struct diff *diff, struct gate_session *session, struct gate_error *err) {
    struct gate_arena *arena = session->arena;
    struct gate_file_roles roles = {0};
    bool ok = gate_profile_options_note(&diff->profiles, NULL, &roles, arena, err) &&
              gate_profile_options_deal(&diff->profiles, arena, err) && gate_file_roles_check(&roles, err);
    for (int i = 0; ok && i < DIFF_FORMATS; i++)
        ok = (!formats[i].report->is_binary ||
              gate_output_spare_terminal(session, diff->paths[i], formats[i].report->name, err)) &&
             gate_file_roles_write(&roles, diff->paths[i], formats[i].report->mark, session, err);
    return ok;
}

static bool diff_run(void *wanted, struct gate_session *session, struct gate_error *err) {
    struct diff *diff = wanted;
    const struct gate_rules rules = {.source = GATE_STR("none")};
    struct gate_verdict verdict;
    return diff_finish(diff, session, err) && gate_names_from_open(&diff->profiles.symbols, session, err) &&
           gate_judge_diff(&verdict, session, &diff->profiles, &rules, err) &&
           diff_output(diff, &verdict, session, err);
}

static unsigned diff_needs(const void *wanted) {
    return gate_symbol_options_needs(&((const struct diff *)wanted)->profiles.symbols);
}

const struct gate_command gate_command_diff = {
    .name = "diff",
    .summary = "show what changed between two sides, without rules",
    .usage = usage,
    .examples = examples,
    .writes = true,
    .options = options,
    .size = sizeof(struct diff),
    .arguments = AT(profiles.arguments),
    .begin = diff_begin,
    .needs = diff_needs,
    .run = diff_run,
};
