/* SPDX-License-Identifier: Apache-2.0 */
/* GitHub's workflow commands, which annotate the code of a pull request (GitLab's: codequality.c). */
#include "gate/report/report.h"

#include "gate/base/escape.h"
#include "gate/report/listing.h"

/* GitHub shows ten of a kind a step and drops the rest without a word. */
enum { GITHUB_LIMIT = 10 };

static void github_command(struct gate_buf *out, const char *level, const struct gate_verdict *verdict,
                           const struct gate_budget_result *result, const struct gate_finding *finding) {
    gate_buf_printf(out, "::%s title=pprofgate%%3A ", level);
    gate_escape_github(out, result->budget->name, true);
    const struct gate_frame *frame = gate_listing_frame(verdict, result, finding);
    if (gate_listing_is_in_checkout(frame)) {
        gate_buf_text(out, ",file=");
        gate_escape_github(out, frame->file, true);
        if (frame->start_line > 0)
            gate_buf_printf(out, ",line=%lld", (long long)frame->start_line);
    }
    gate_buf_text(out, "::");
    gate_escape_github(out, finding->text, false);
    if (finding->advice.len > 0) {
        gate_buf_text(out, "%0A");
        gate_escape_github(out, finding->advice, false);
    }
    gate_buf_char(out, '\n');
}

/* Findings of `outcome` as `level`; `*room` is how many more of this level are shown. Returns how many were not. */
static uint32_t github_findings(struct gate_buf *out, const struct gate_verdict *verdict, enum gate_outcome outcome,
                                const char *level, uint32_t *room) {
    uint32_t dropped = 0;
    uint32_t budget = 0;
    uint32_t at = 0;
    const struct gate_finding *finding;
    while ((finding = gate_listing_next(verdict, outcome, &budget, &at)) != NULL) {
        if (!gate_listing_has(&verdict->budgets[budget], at - 1))
            continue;
        if (*room == 0) {
            dropped++;
            continue;
        }
        (*room)--;
        github_command(out, level, verdict, &verdict->budgets[budget], finding);
    }
    return dropped;
}

bool gate_report_github(struct gate_buf *out, const struct gate_verdict *verdict,
                        const struct gate_report_options *options, struct gate_arena *arena, struct gate_error *err) {
    (void)options;
    (void)arena;
    uint32_t errors = GITHUB_LIMIT;
    uint32_t warnings = GITHUB_LIMIT;
    uint32_t dropped = github_findings(out, verdict, GATE_OUTCOME_FAIL, "error", &errors);
    dropped += github_findings(out, verdict, GATE_OUTCOME_INCONCLUSIVE, "warning", &warnings);
    dropped += github_findings(out, verdict, GATE_OUTCOME_WARN, "warning", &warnings);
    dropped += gate_listing_left_out(verdict);
    if (dropped > 0)
        gate_buf_printf(out, "::notice title=pprofgate::%u more finding%s in the reports\n", dropped,
                        dropped == 1 ? "" : "s");
    return gate_buf_check(out, err);
}
