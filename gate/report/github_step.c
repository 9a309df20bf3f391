/* SPDX-License-Identifier: Apache-2.0 */
/* Outputs and summary of a GitHub Actions step. */
#include "gate/report/github_step.h"

#include "gate/base/buf.h"
#include "gate/base/error.h"
#include "gate/base/file.h"
#include "gate/budget/outcome.h"
#include "gate/budget/verdict.h"

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

/* All steps of a job share the summary file, so it is appended to. */
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
