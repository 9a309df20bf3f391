/* SPDX-License-Identifier: Apache-2.0 */
/* Results of a GitHub Actions step: outputs for later steps, and its part of the job's summary. */
#ifndef GATE_REPORT_GITHUB_H
#define GATE_REPORT_GITHUB_H

#include "gate/base/str.h"

struct gate_verdict;

/** Values of the outputs. Zeroed: nothing was counted. */
struct gate_github_output {
    const char *word;                              /* verdict; NULL: derived from the exit status */
    uint32_t failed, inconclusive, warned, causes; /* numbers of budgets; number of causes */
    const char *report;                            /* folder of --report, once it is written; or NULL */
};

/** Count the budgets of a verdict by outcome, and its causes. */
void gate_github_output_count(struct gate_github_output *out, const struct gate_verdict *verdict);

/**
 * Append verdict (pass, fail, inconclusive, error, or `word`), exit-code, failed, inconclusive, warned, causes and
 * report to the file GITHUB_OUTPUT. Does nothing if that is not set. A report name with control characters is left
 * empty.
 *
 * status  exit status of the command; after an error (2 or 70) all counts are 0
 * err     GATE_ERR_IO
 */
GATE_MUST_CHECK
bool gate_github_output_append(const struct gate_github_output *output, int status, struct gate_error *err);

/** Return whether the program runs in a step of GitHub Actions. */
bool gate_github_is_here(void);

/** In GitHub Actions, append Markdown to the step summary; elsewhere do nothing. err: GATE_ERR_IO. */
GATE_MUST_CHECK bool gate_github_summary_append(struct gate_str text, struct gate_error *err);

#endif
