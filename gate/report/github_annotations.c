/* SPDX-License-Identifier: Apache-2.0 */
/* GitHub workflow annotations. */
#include "gate/base/escape.h"
#include "gate/report/cause_sentence.h"
#include "gate/report/listing.h"
#include "gate/report/report.h"
#include "gate/report/shorten.h"

/* GitHub shows 10 annotations of a kind per step and silently drops the rest. */
enum { GITHUB_LIMIT = 10, TITLE_COLUMNS = 80 };

/* State of one report. */
struct github {
    struct gate_buf *out;
    const struct gate_verdict *verdict;
    uint32_t room[2]; /* annotations that may still be written: warnings, errors */
    uint32_t dropped;
    const struct gate_checkout *checkout;
};

static void github_place(const struct github *g, const struct gate_frame *frame) {
    struct gate_buf path = {0};
    if (frame != NULL && gate_checkout_put(&path, g->checkout, frame->file)) {
        gate_buf_text(g->out, ",file=");
        gate_escape_github(g->out, gate_buf_view(&path), true);
        if (frame->start_line > 0)
            gate_buf_printf(g->out, ",line=%lld", (long long)frame->start_line);
    }
    gate_buf_free_part(g->out, &path);
}

/* Append one command. `said` is text and advice, not escaped; `frame` may be NULL. */
static void github_command(struct github *g, enum gate_outcome outcome, struct gate_str title,
                           const struct gate_frame *frame, const struct gate_str said[2]) {
    bool is_error = outcome == GATE_OUTCOME_FAIL && g->verdict->accepted.commit.len == 0;
    uint32_t *room = &g->room[is_error];
    if (*room == 0) {
        g->dropped++;
        return;
    }
    (*room)--;
    gate_buf_printf(g->out, "::%s title=pprofgate%%3A ", is_error ? "error" : "warning");
    gate_escape_github(g->out, gate_shorten_to_start(title, TITLE_COLUMNS), true);
    github_place(g, frame);
    gate_buf_text(g->out, "::");
    gate_escape_github(g->out, said[0], false);
    if (said[1].len > 0) {
        gate_buf_text(g->out, "%0A");
        gate_escape_github(g->out, said[1], false);
    }
    gate_buf_char(g->out, '\n');
}

static void github_cause(struct github *g, const struct gate_cause *cause) {
    struct gate_buf text = {0}, advice = {0};
    gate_cause_sentence_text(&text, g->verdict, cause);
    gate_cause_sentence_advice(&advice, cause);
    const struct gate_str said[] = {gate_buf_view(&text), gate_buf_view(&advice)};
    github_command(g, cause->outcome, cause->findings[0].result->budget->name,
                   gate_listing_cause_frame(g->verdict, cause), said);
    gate_buf_free_part(g->out, &text);
    gate_buf_free_part(g->out, &advice);
}

static void github_findings(struct github *g, enum gate_outcome outcome) {
    uint32_t budget = 0, at = 0;
    const struct gate_finding *finding;
    while ((finding = gate_listing_next(g->verdict, outcome, &budget, &at)) != NULL) {
        const struct gate_budget_result *result = &g->verdict->budgets[budget];
        const struct gate_str said[] = {finding->text, finding->advice};
        if (!gate_listing_has(result, at - 1))
            continue;
        if (gate_listing_is_blind(finding))
            g->dropped++;
        else
            github_command(g, outcome, result->budget->name, gate_listing_frame(g->verdict, result, finding), said);
    }
}

static bool report_github(struct gate_buf *out, const struct gate_verdict *verdict,
                          const struct gate_report_options *options, struct gate_arena *arena, struct gate_error *err) {
    (void)arena;
    struct github g = {
        .out = out, .verdict = verdict, .room = {GITHUB_LIMIT, GITHUB_LIMIT}, .checkout = options->checkout};
    for (size_t o = 0; o < GATE_LISTING_OUTCOMES; o++) {
        for (uint32_t i = 0; i < verdict->causes.count; i++)
            if (verdict->causes.items[i].outcome == gate_listing_outcomes[o] &&
                !gate_cause_is_share_only(&verdict->causes.items[i]))
                github_cause(&g, &verdict->causes.items[i]);
        github_findings(&g, gate_listing_outcomes[o]);
    }
    g.dropped += gate_listing_left_out(verdict);
    if (g.dropped > 0)
        gate_buf_printf(out, "::notice title=pprofgate::%u more finding%s in the reports\n", g.dropped,
                        g.dropped == 1 ? "" : "s");
    return gate_buf_check(out, err);
}

const struct gate_report_format gate_report_github = {
    .name = "github",
    .write = report_github,
};
