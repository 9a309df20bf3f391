/* SPDX-License-Identifier: Apache-2.0 */
/* The outputs of a step of GitHub Actions: one line a value, appended to the file that GITHUB_OUTPUT names. Nothing in
 * it comes from a profile.
 * Pipeline: budget/verdict.h -> cli/github_output.h, by cli/command.c -> the steps behind this one */
#ifndef GATE_CLI_GITHUB_OUTPUT_H
#define GATE_CLI_GITHUB_OUTPUT_H

#include "gate/base/error.h"

struct gate_verdict;

/** What a command leaves in `struct gate_cli` for the steps behind it. Zeroed: nothing was counted. */
struct gate_github_output {
    const char *word;                              /* the verdict's word; NULL: by the exit status */
    uint32_t failed, inconclusive, warned, causes; /* budgets; causes */
    const char *report;                            /* the folder of --report, once it is written; or NULL */
};

/** Count the budgets of a verdict, and its causes. */
void gate_github_output_count(struct gate_github_output *out, const struct gate_verdict *verdict);

/**
 * Append verdict (pass, fail, inconclusive, error, or `word`), exit-code, failed, inconclusive, warned, causes and
 * report, in one write. Without GITHUB_OUTPUT nothing is done. A report whose name a line cannot hold is left empty.
 *
 * status  how the command will end; of an error (2 or 70) nothing counts
 * err     GATE_ERR_IO
 */
GATE_MUST_CHECK
bool gate_github_output_append(const struct gate_github_output *output, int status, struct gate_error *err);

#endif
