/* SPDX-License-Identifier: Apache-2.0 */
/* The Markdown report. */
#include "gate/base/escape.h"
#include "gate/base/figures.h"
#include "gate/base/own_mark.h"
#include "gate/budget/cause.h"
#include "gate/budget/exemplars.h"
#include "gate/report/cause_sentence.h"
#include "gate/report/headline.h"
#include "gate/report/listing.h"
#include "gate/report/report.h"
#include "gate/report/shorten.h"

/* A comment on GitHub is about 830 pixels wide. Names are shortened so that the rest of the line fits. */
enum { NAME_COLUMNS = 90, STEP_COLUMNS = 48, CELL_COLUMNS = 36, TEXT_COLUMNS = 600, MOVERS = 20, TAIL_BYTES = 512 };

/* Maximum number of causes outside of the fold. The others are counted and in the fold. */
enum { CAUSES_IN_SIGHT = 10, PLACE_BYTES = 200 };

struct markdown {
    struct gate_buf *out;
    const struct gate_verdict *verdict;
    const struct gate_report_options *options;
    struct gate_arena *arena;
    struct gate_buf row;    /* row being written; moved to `out` if it fits */
    size_t start;           /* offset of this report in `out` */
    uint32_t left_out;      /* findings and table rows that did not fit */
    struct gate_str advice; /* the last advice written, so that equal advice is not repeated */
};

static const char *markdown_sign(enum gate_outcome outcome) {
    static const char *const signs[] = {
        [GATE_OUTCOME_PROVEN] = "\xE2\x9C\x85",
        [GATE_OUTCOME_PASS] = "\xE2\x9C\x85",
        [GATE_OUTCOME_WARN] = "\xE2\x9A\xA0\xEF\xB8\x8F",
        [GATE_OUTCOME_INCONCLUSIVE] = "\xE2\x9D\x94",
        [GATE_OUTCOME_FAIL] = "\xE2\x9D\x8C",
    };
    return signs[outcome];
}

/* Move the row to the output. If the report would exceed the limit, drop the row, count it, and return false. */
static bool markdown_flush(struct markdown *m) {
    m->out->failed = m->out->failed || m->row.failed;
    size_t used = m->out->len - m->start;
    bool fits = m->options->byte_limit == 0 || used + m->row.len + TAIL_BYTES <= m->options->byte_limit;
    if (fits)
        gate_buf_str(m->out, gate_buf_view(&m->row));
    else
        m->left_out++;
    m->row.len = 0;
    return fits;
}

/* Use <code>, because escapes have no effect between backticks. */
static void markdown_name(struct markdown *m, struct gate_str name, size_t columns) {
    struct gate_str shown = gate_shorten_name(m->arena, name, columns);
    gate_buf_text(&m->row, "<code>");
    gate_escape_markdown(&m->row, shown.ptr == NULL ? GATE_STR("?") : shown);
    gate_buf_text(&m->row, "</code>");
}

/* Append the text as a cell that does not wrap; `text` is emptied. */
static void markdown_cell(struct markdown *m, struct gate_buf *text) {
    gate_buf_char(&m->row, ' ');
    for (size_t i = 0; i < text->len; i++)
        if (text->ptr[i] == ' ')
            gate_buf_text(&m->row, "\xC2\xA0");
        else
            gate_buf_char(&m->row, text->ptr[i]);
    gate_buf_text(&m->row, " |");
    m->row.failed = m->row.failed || text->failed;
    text->len = 0;
}

static void markdown_numbers(struct markdown *m, const struct gate_frame_judgement *judged) {
    const struct gate_evidence *evidence = judged->evidence[GATE_CHARGED];
    struct gate_buf text = {0};
    gate_figures_share(&text, evidence->share[GATE_BASELINE]);
    markdown_cell(m, &text);
    gate_figures_share(&text, evidence->share[GATE_CANARY]);
    markdown_cell(m, &text);
    gate_figures_points(&text, evidence->delta);
    gate_buf_text(&text, gate_frame_state_of(judged, GATE_CHARGED) == GATE_FRAME_SIGNIFICANT ? " &#42;" : "");
    markdown_cell(m, &text);
    if (evidence->is_tested)
        gate_figures_interval(&text, evidence->delta, gate_evidence_ci95(evidence).bounds);
    else
        gate_buf_text(&text, gate_frame_state_name(GATE_FRAME_NOT_TESTED));
    markdown_cell(m, &text);
    gate_figures_points(&text, judged->evidence[GATE_SELF]->delta);
    markdown_cell(m, &text);
    gate_buf_free(&text);
}

/* Append `text`, escaped, as an item of a cause's list; nothing if it is empty. `text` is emptied. */
static void markdown_point(struct markdown *m, const char *lead, struct gate_buf *text) {
    if (text->len > 0) {
        gate_buf_printf(&m->row, "  - %s", lead);
        gate_escape_markdown(&m->row, gate_shorten_to_start(gate_buf_view(text), TEXT_COLUMNS));
        gate_buf_char(&m->row, '\n');
    }
    m->row.failed = m->row.failed || text->failed;
    text->len = 0;
}

static void markdown_path(struct markdown *m, const struct gate_cause *cause) {
    const struct gate_frame *frames = m->verdict->comparisons[cause->comparison].pair.frames;
    uint32_t steps[GATE_CAUSE_STEPS_MAX];
    uint32_t count = gate_cause_steps(steps, cause);
    for (uint32_t i = 0; count > 1 && i < count; i++) {
        gate_buf_text(&m->row, i == 0 ? "  - " : " \xE2\x86\x92 ");
        if (steps[i] == GATE_NO_INDEX)
            gate_buf_text(&m->row, "\xE2\x80\xA6");
        else
            markdown_name(m, frames[steps[i]].name, STEP_COLUMNS);
    }
    gate_buf_text(&m->row, count > 1 ? "\n" : "");
}

/* Append what to do next, unless the previous cause had the same advice. */
static void markdown_advice(struct markdown *m, const struct gate_cause *cause) {
    struct gate_buf text = {0};
    gate_cause_sentence_advice(&text, cause);
    if (!gate_str_equal(gate_buf_view(&text), m->advice)) {
        m->advice = gate_str_copy(m->arena, gate_buf_view(&text));
        markdown_point(m, "next: ", &text);
    }
    gate_buf_free_part(&m->row, &text);
}

/* Append ", in `shop/cart.go:20`", with a link if the address of sources is known. Appends nothing if the function's
 * file is not in the checkout, or if its path is long. */
static void markdown_place(struct markdown *m, const struct gate_cause *cause) {
    const struct gate_frame *frame = gate_listing_cause_frame(m->verdict, cause);
    const char *pattern = m->options->markdown_source_url;
    struct gate_buf path = {0};
    bool is_placed = frame != NULL && gate_checkout_put(&path, m->options->checkout, frame->file) &&
                     path.len <= PLACE_BYTES && gate_str_find(gate_buf_view(&path), GATE_STR("\n"), 0) == SIZE_MAX;
    if (is_placed) {
        gate_buf_printf(&m->row, ", in %s<code>", pattern != NULL ? "[" : "");
        gate_escape_markdown(&m->row, gate_buf_view(&path));
        if (frame->start_line > 0)
            gate_buf_printf(&m->row, ":%lld", (long long)frame->start_line);
        gate_buf_text(&m->row, "</code>");
    }
    if (is_placed && pattern != NULL) {
        gate_buf_text(&m->row, "](<");
        gate_checkout_address(&m->row, pattern, gate_buf_view(&path), frame->start_line);
        gate_buf_text(&m->row, ">)");
    }
    gate_buf_free_part(&m->row, &path);
}

/* Append the line of a cause: outcome, function, change and place. */
static void markdown_cause_line(struct markdown *m, const struct gate_cause *cause) {
    struct gate_buf text = {0};
    gate_buf_printf(&m->row, "- %s ", markdown_sign(cause->outcome));
    markdown_name(m, cause->function, NAME_COLUMNS);
    gate_buf_text(&m->row, ": ");
    gate_cause_sentence_change(&text, m->verdict, cause);
    gate_escape_markdown(&m->row, gate_buf_view(&text));
    gate_buf_free_part(&m->row, &text);
    markdown_place(m, cause);
    gate_buf_char(&m->row, '\n');
}

/* Append the points below a cause's line. */
static void markdown_cause_points(struct markdown *m, const struct gate_cause *cause) {
    struct gate_buf text = {0};
    gate_cause_sentence_cost(&text, m->verdict, cause);
    markdown_point(m, "", &text);
    gate_cause_sentence_clock(&text, m->verdict, cause);
    markdown_point(m, "", &text);
    markdown_path(m, cause);
    gate_exemplars_sentence(&text, cause);
    markdown_point(m, "seen in: ", &text);
    gate_buf_str(&text, gate_cause_sentence_not_own(cause));
    markdown_point(m, "", &text);
    for (size_t o = 0; o < GATE_LISTING_OUTCOMES; o++) {
        gate_cause_sentence_budgets(&text, cause, gate_listing_outcomes[o]);
        const char *verb = gate_cause_sentence_verb(gate_listing_outcomes[o]);
        gate_buf_text(&m->row, text.len > 0 ? "  - " : "");
        gate_buf_text(&m->row, text.len > 0 ? verb : "");
        gate_buf_text(&m->row, text.len > 0 ? " " : "");
        gate_escape_markdown(&m->row, gate_shorten_to_start(gate_buf_view(&text), TEXT_COLUMNS));
        gate_buf_text(&m->row, text.len > 0 ? "\n" : "");
        text.len = 0;
    }
    gate_buf_str(&text, gate_cause_sentence_why(cause));
    markdown_point(m, "", &text);
    gate_cause_sentence_excuses(&text, cause);
    markdown_point(m, "", &text);
    markdown_advice(m, cause);
    gate_buf_free_part(&m->row, &text);
}

/* Append a line for each of the first causes, worst first. */
static void markdown_causes(struct markdown *m) {
    uint32_t count = m->verdict->causes.count - gate_share_only_count(m->verdict);
    for (uint32_t i = 0; i < count && i < CAUSES_IN_SIGHT; i++) {
        markdown_cause_line(m, &m->verdict->causes.items[i]);
        (void)markdown_flush(m);
    }
    if (count > CAUSES_IN_SIGHT)
        gate_buf_printf(m->out, "- %u more cause%s below\n", count - CAUSES_IN_SIGHT,
                        count - CAUSES_IN_SIGHT == 1 ? "" : "s");
}

/* Append each cause with its points as one row, so that it is written completely or not at all. */
static void markdown_causes_in_full(struct markdown *m) {
    if (m->verdict->causes.count > 0)
        gate_buf_printf(m->out, "<sub>%s</sub>\n\n", gate_sentence_charged());
    for (uint32_t i = 0; i < m->verdict->causes.count; i++) {
        const struct gate_cause *cause = &m->verdict->causes.items[i];
        if (i < CAUSES_IN_SIGHT && !gate_cause_is_share_only(cause)) {
            gate_buf_text(&m->row, "- ");
            markdown_name(m, cause->function, NAME_COLUMNS);
            if (m->verdict->comparison_count > 1) {
                gate_buf_text(&m->row, " of ");
                gate_escape_markdown(&m->row, m->verdict->comparisons[cause->comparison].name);
            }
            gate_buf_char(&m->row, '\n');
        } else
            markdown_cause_line(m, cause);
        markdown_cause_points(m, cause);
        (void)markdown_flush(m);
    }
}

static void markdown_sentence(struct markdown *m, const struct gate_finding *finding) {
    gate_buf_printf(&m->row, "- %s ", markdown_sign(finding->outcome));
    gate_escape_markdown(&m->row, gate_shorten_to_start(finding->text, TEXT_COLUMNS));
    if (finding->advice.len > 0) {
        gate_buf_text(&m->row, "; ");
        gate_escape_markdown(&m->row, gate_shorten_to_start(finding->advice, 400));
    }
    gate_buf_char(&m->row, '\n');
    (void)markdown_flush(m);
}

static void markdown_findings(struct markdown *m) {
    for (size_t o = 0; o < GATE_LISTING_OUTCOMES; o++) {
        uint32_t budget = 0;
        uint32_t at = 0;
        const struct gate_finding *finding;
        while ((finding = gate_listing_next(m->verdict, gate_listing_outcomes[o], &budget, &at)) != NULL)
            if (gate_listing_has(&m->verdict->budgets[budget], at - 1))
                markdown_sentence(m, finding);
    }
    uint32_t more = gate_listing_left_out(m->verdict);
    if (more > 0)
        gate_buf_printf(m->out, "- %u more finding%s: the HTML and JSON reports list %s\n", more, more == 1 ? "" : "s",
                        more == 1 ? "it" : "them");
}

static void markdown_by_row(struct markdown *m, const struct gate_by_row *row) {
    struct gate_buf text = {0};
    gate_buf_text(&m->row, "| ");
    markdown_name(m, row->value->of.match.value, CELL_COLUMNS);
    gate_buf_printf(&m->row, " | %s | ", gate_by_rows_word(row));
    gate_by_rows_text(&text, row, m->verdict);
    gate_escape_markdown(&m->row, gate_shorten_to_start(gate_buf_view(&text), TEXT_COLUMNS));
    gate_buf_text(&m->row, " |\n");
    gate_buf_free_part(&m->row, &text);
    (void)markdown_flush(m);
}

static bool markdown_by(struct markdown *m, const struct gate_by *by, struct gate_error *err) {
    struct gate_by_row *rows = GATE_NEW_ARRAY(m->arena, struct gate_by_row, by->count);
    if (rows == NULL)
        return gate_arena_error(m->arena, err);
    gate_by_rows_make(rows, by, m->verdict);
    gate_buf_text(&m->row, "\n| ");
    markdown_name(m, by->key, CELL_COLUMNS);
    gate_buf_text(&m->row, " | Budgets | What |\n|---|---|---|\n");
    if (!markdown_flush(m))
        return true;
    for (uint32_t i = 0; i < by->count; i++)
        markdown_by_row(m, &rows[i]);
    gate_buf_char(&m->row, '\n');
    gate_by_rows_rest(&m->row, by); /* has no names to escape */
    gate_buf_char(&m->row, '\n');
    (void)markdown_flush(m);
    return true;
}

static void markdown_mover(struct markdown *m, const struct gate_comparison *comparison, uint32_t frame) {
    gate_buf_text(&m->row, "| ");
    markdown_name(m, comparison->pair.frames[frame].name, CELL_COLUMNS);
    gate_buf_text(&m->row, " |");
    markdown_numbers(m, &comparison->frames[frame]);
    gate_buf_char(&m->row, '\n');
    (void)markdown_flush(m);
}

static bool markdown_movers(struct markdown *m, const struct gate_comparison *comparison, struct gate_error *err) {
    uint32_t limit = gate_report_rows(m->options->frame_limit, MOVERS);
    uint32_t *frames = GATE_NEW_ARRAY(m->arena, uint32_t, comparison->pair.frame_count);
    if (frames == NULL)
        return gate_arena_error(m->arena, err);
    if (limit == 0)
        return true;
    gate_listing_frames(frames, comparison);
    gate_buf_text(&m->row, "\n<details><summary>Top movers, charged ");
    gate_escape_markdown(&m->row, comparison->name);
    gate_buf_printf(&m->row, "</summary>\n\n");
    if (m->verdict->causes.count == 0)
        gate_buf_printf(&m->row, "%s\n\n", gate_sentence_charged());
    gate_buf_text(&m->row, "&#42; significant: not explained by noise (false discovery rate 1%)\n\n"
                           "| Function | Baseline | Canary | Change | 95%\xC2\xA0interval | Self |\n"
                           "|---|--:|--:|--:|:-:|--:|\n");
    if (!markdown_flush(m))
        return true;
    for (uint32_t i = 0; i < comparison->pair.frame_count && i < limit; i++) {
        if (comparison->frames[frames[i]].evidence[GATE_CHARGED]->delta == 0)
            break;
        markdown_mover(m, comparison, frames[i]);
    }
    gate_buf_text(m->out, "\n</details>\n");
    return true;
}

/* Append "cpu: 149s → 152s in 3 runs per side, 14 900 and 15 200 effective samples". */
static void markdown_total(struct markdown *m, const struct gate_comparison *comparison) {
    const struct gate_pair *pair = &comparison->pair;
    const struct gate_side *baseline = &pair->sides[GATE_BASELINE], *canary = &pair->sides[GATE_CANARY];
    bool is_apart = gate_str_ends(gate_buf_view(m->out), GATE_STR("\n\n"));
    if (comparison != m->verdict->comparisons)
        gate_buf_text(&m->row, "<br>\n"); /* all totals form one paragraph */
    else
        gate_buf_text(&m->row, is_apart ? "" : "\n");
    gate_escape_markdown(&m->row, comparison->name);
    gate_buf_text(&m->row, ": ");
    gate_totals_print(&m->row, comparison, m->verdict->rules->work_unit);
    gate_buf_char(&m->row, ';');
    if (baseline->run_count == canary->run_count)
        gate_buf_printf(&m->row, " %u run%s per side, ", baseline->run_count, baseline->run_count == 1 ? "" : "s");
    else
        gate_buf_printf(&m->row, " %u and %u runs, ", baseline->run_count, canary->run_count);
    gate_figures_count(&m->row, baseline->events);
    gate_buf_text(&m->row, " and ");
    gate_figures_count(&m->row, canary->events);
    gate_buf_text(&m->row, " effective samples");
    (void)markdown_flush(m);
}

/* Append the totals that were compared. */
static void markdown_totals(struct markdown *m) {
    for (uint32_t i = 0; i < m->verdict->comparison_count; i++)
        if (m->verdict->comparisons[i].part == NULL)
            markdown_total(m, &m->verdict->comparisons[i]);
    gate_buf_char(m->out, '\n');
}

/* Append the verdict and a link to the full report. */
static void markdown_head(struct markdown *m, const struct gate_headline *headline) {
    const struct gate_str url = m->options->report_url;
    gate_buf_printf(m->out, "## %s pprofgate: %s\n" GATE_OWN_MARK_MARKDOWN "\n", markdown_sign(headline->tone),
                    headline->word);
    gate_headline_flow(m->out, headline, gate_escape_markdown);
    if (url.len > 0)
        gate_buf_printf(m->out, "  \n[%s](<%.*s>)",
                        m->options->report_url_is_run ? "The run and its reports" : "The report", GATE_STR_ARG(url));
    gate_buf_text(m->out, "\n\n");
}

/* Append `text` as a paragraph, with a full stop; nothing if it is empty. `text` is emptied. */
static void markdown_paragraph(struct markdown *m, struct gate_buf *text) {
    if (text->len > 0) {
        gate_buf_char(&m->row, '\n');
        gate_escape_markdown(&m->row, gate_buf_view(text));
        gate_buf_text(&m->row, ".\n");
        (void)markdown_flush(m);
    }
    text->len = 0;
}

/* Append the functions that became cheaper, those with a larger share because of that, and those that may be over a
 * limit because of noise. */
static void markdown_cheaper(struct markdown *m) {
    struct gate_buf text = {0};
    gate_cheaper_print(&text, m->verdict);
    markdown_paragraph(m, &text);
    gate_share_only_print(&text, m->verdict);
    markdown_paragraph(m, &text);
    gate_tolerated_print(&text, m->verdict);
    markdown_paragraph(m, &text);
    gate_buf_free_part(&m->row, &text);
}

/* Append the table of replaced names as code. */
static void markdown_replaced(struct markdown *m) {
    struct gate_buf table = {0};
    if (m->verdict->replaced.count == 0)
        return;
    gate_replaced_table(&table, m->verdict, m->arena);
    gate_replaced_markdown(&m->row, gate_buf_view(&table));
    gate_buf_free_part(&m->row, &table);
    (void)markdown_flush(m);
}

enum warning_place { BEFORE_CAUSES, AFTER_CAUSES, IN_DETAILS };

static enum warning_place place_of(const struct gate_verdict *verdict, const struct gate_warning *warning) {
    if (gate_guard_severity(verdict->rules, warning->guard) == GATE_SEVERITY_ERROR)
        return AFTER_CAUSES;
    return gate_listing_leads(verdict, warning) ? BEFORE_CAUSES : IN_DETAILS;
}

static void markdown_warnings(struct markdown *m, enum warning_place place) {
    for (uint32_t i = 0; i < m->verdict->warning_count; i++) {
        if (place_of(m->verdict, &m->verdict->warnings[i]) != place)
            continue;
        gate_buf_text(&m->row, place == BEFORE_CAUSES ? "> " : "\n> "); /* an empty line precedes the causes */
        gate_escape_markdown(&m->row, gate_shorten_to_start(m->verdict->warnings[i].message, 600));
        gate_buf_text(&m->row, place == BEFORE_CAUSES ? "\n\n" : "\n");
        (void)markdown_flush(m);
    }
}

/* Return whether the <details> section has any content. */
static bool has_details(const struct gate_verdict *verdict) {
    bool has_warning = false;
    for (uint32_t i = 0; i < verdict->warning_count; i++)
        has_warning = has_warning || place_of(verdict, &verdict->warnings[i]) == IN_DETAILS;
    return has_warning || verdict->causes.count > 0 || verdict->by.count > 0 || verdict->replaced.count > 0;
}

/* Append the <details> section: the causes in full, the values of a label, the warnings, and replaced names. */
static bool markdown_details(struct markdown *m, struct gate_error *err) {
    bool ok = true;
    if (!has_details(m->verdict))
        return true;
    gate_buf_text(&m->row, "\n<details><summary>Details</summary>\n\n");
    if (!markdown_flush(m)) {
        m->left_out += m->verdict->causes.count;
        return true;
    }
    markdown_causes_in_full(m);
    for (uint32_t i = 0; ok && i < m->verdict->by.count; i++)
        ok = markdown_by(m, &m->verdict->by.items[i], err);
    markdown_warnings(m, IN_DETAILS);
    markdown_replaced(m);
    gate_buf_text(m->out, "\n</details>\n");
    return ok;
}

/* Append the rules, the looks and the program. */
static void markdown_foot(struct markdown *m) {
    gate_buf_text(&m->row, "\n<sub>");
    gate_buf_text(&m->row, "rules: ");
    gate_escape_markdown(&m->row, gate_shorten_to_start(m->verdict->rules->source, 200));
    gate_buf_text(&m->row, m->verdict->looks.count > 0 ? "; " : "");
    gate_looks_line(&m->row, &m->verdict->looks);
    gate_buf_text(&m->row, "; pprofgate " GATE_VERSION "</sub>\n");
    (void)markdown_flush(m);
}

static bool report_markdown(struct gate_buf *out, const struct gate_verdict *verdict,
                            const struct gate_report_options *options, struct gate_arena *arena,
                            struct gate_error *err) {
    struct markdown m = {.out = out, .verdict = verdict, .options = options, .arena = arena, .start = out->len};
    struct gate_headline headline;
    if (!gate_headline_make(&headline, verdict, arena, err))
        return false;
    markdown_head(&m, &headline);
    markdown_warnings(&m, BEFORE_CAUSES);
    markdown_causes(&m);
    markdown_findings(&m);
    markdown_totals(&m);
    markdown_cheaper(&m);
    markdown_warnings(&m, AFTER_CAUSES);
    bool ok = markdown_details(&m, err);
    for (uint32_t i = 0; ok && i < verdict->comparison_count; i++)
        ok = verdict->comparisons[i].part != NULL || markdown_movers(&m, &verdict->comparisons[i], err);
    markdown_foot(&m);
    if (m.left_out > 0)
        gate_buf_printf(out,
                        "\n**Cut:** %u rows had no room in %zu bytes; the JSON and HTML reports hold all of them.\n",
                        m.left_out, options->byte_limit);
    gate_buf_free(&m.row);
    return ok && gate_buf_check(out, err);
}

static bool nothing_compared(struct gate_buf *out, const struct gate_nothing_compared *nothing) {
    gate_buf_printf(out, "## pprofgate: %s\n" GATE_OWN_MARK_MARKDOWN "\n", nothing->capitals);
    gate_escape_markdown(out, nothing->message);
    gate_buf_text(out, "\n");
    if (nothing->next.len > 0) {
        gate_buf_text(out, "\nNext: ");
        gate_escape_markdown(out, nothing->next);
        gate_buf_text(out, "\n");
    }
    return !out->failed;
}

const struct gate_report_format gate_report_markdown = {
    .name = "markdown",
    .mark = GATE_OWN_MARKDOWN,
    .file = "report.md",
    .help = "a comment or step summary",
    .write = report_markdown,
    .write_nothing = nothing_compared,
    .marks_lines = true,
    .is_summary = true,
};
