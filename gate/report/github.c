/* SPDX-License-Identifier: Apache-2.0 */
/* Outputs, summary and annotations of a GitHub Actions step. */
#include "gate/report/github.h"

#include "gate/base/buf.h"
#include "gate/base/error.h"
#include "gate/base/escape.h"
#include "gate/base/file.h"
#include "gate/budget/outcome.h"
#include "gate/budget/verdict.h"
#include "gate/report/cause_sentence.h"
#include "gate/report/listing.h"
#include "gate/report/report.h"
#include "gate/report/shorten.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

void gate_github_output_count(struct gate_github_output *out, const struct gate_verdict *verdict) {
    for (uint32_t i = 0; i < verdict->budget_count; i++) {
        enum gate_outcome outcome = verdict->budgets[i].outcome;
        out->failed += outcome == GATE_OUTCOME_FAIL;
        out->inconclusive += outcome == GATE_OUTCOME_INCONCLUSIVE;
        out->warned += outcome == GATE_OUTCOME_WARN;
    }
    out->causes = verdict->causes.count;
}

static const char *output_word(const struct gate_github_output *output, int status) {
    switch (status) {
    case GATE_EXIT_PASS:
        return output->word == NULL ? "pass" : output->word;
    case GATE_EXIT_FAIL:
        return "fail";
    case GATE_EXIT_INCONCLUSIVE:
        return "inconclusive";
    default:
        return "error";
    }
}

/* A line break in a name would begin another output. */
static bool is_one_line(const char *text) {
    for (; *text != '\0'; text++)
        if ((unsigned char)*text < ' ' || *text == 0x7F)
            return false;
    return true;
}

static void output_print(struct gate_buf *out, const struct gate_github_output *output, int status) {
    const char *report = output->report != NULL && is_one_line(output->report) ? output->report : "";
    gate_buf_printf(out, "verdict=%s\nexit-code=%d\n", output_word(output, status), status);
    gate_buf_printf(out, "failed=%u\ninconclusive=%u\nwarned=%u\ncauses=%u\n", (unsigned)output->failed,
                    (unsigned)output->inconclusive, (unsigned)output->warned, (unsigned)output->causes);
    gate_buf_printf(out, "report=%s\n", report);
}

/* Append `bytes` to the file. Returns 0 or an errno. */
static int output_write(const char *path, struct gate_str bytes) {
    int descriptor = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    int reason = descriptor < 0 ? errno : 0;
    for (size_t at = 0; reason == 0 && at < bytes.len;) {
        ssize_t wrote = write(descriptor, bytes.ptr + at, bytes.len - at);
        if (wrote >= 0)
            at += (size_t)wrote;
        else if (errno != EINTR)
            reason = errno;
    }
    if (descriptor >= 0 && close(descriptor) != 0 && reason == 0)
        reason = errno;
    return reason;
}

bool gate_github_output_append(const struct gate_github_output *output, int status, struct gate_error *err) {
    static const struct gate_github_output nothing = {0};
    const char *path = getenv("GITHUB_OUTPUT");
    bool is_error = status != GATE_EXIT_PASS && status != GATE_EXIT_FAIL && status != GATE_EXIT_INCONCLUSIVE;
    struct gate_buf text = {0};
    if (path == NULL || path[0] == '\0')
        return true;
    output_print(&text, is_error ? &nothing : output, status);
    bool ok = gate_buf_check(&text, err);
    int reason = ok ? output_write(path, gate_buf_view(&text)) : 0;
    if (reason != 0)
        ok = gate_error_set(err, GATE_ERR_IO, "%s: cannot append the outputs of the step (GITHUB_OUTPUT): %s", path,
                            strerror(reason));
    gate_buf_free(&text);
    return ok;
}

bool gate_github_is_here(void) {
    const char *actions = getenv("GITHUB_ACTIONS");
    return actions != NULL && strcmp(actions, "true") == 0;
}

/* Append, because all steps of a job share the summary file. */
bool gate_github_summary_append(struct gate_str text, struct gate_error *err) {
    const char *path = getenv("GITHUB_STEP_SUMMARY");
    if (!gate_github_is_here() || path == NULL || path[0] == '\0')
        return true;
    FILE *file = fopen(path, "ab");
    if (file == NULL)
        return gate_error_set(err, GATE_ERR_IO, "%s: cannot append the step summary: %s", path, strerror(errno));
    bool ok = gate_stream_write(file, text);
    return (fclose(file) == 0 && ok) || gate_error_set(err, GATE_ERR_IO, "%s: cannot append the step summary", path);
}

/* ---- annotations ------------------------------------------------------------------------------------------------- */

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

/* Append one command. `said` is message and advice, not escaped; `frame` may be NULL. */
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
