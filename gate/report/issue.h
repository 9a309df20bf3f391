/* SPDX-License-Identifier: Apache-2.0 */
/* Issues for reports that mark lines of code: causes, and findings without a cause, each with its line. */
#ifndef GATE_REPORT_ISSUE_H
#define GATE_REPORT_ISSUE_H

#include "gate/base/buf.h"
#include "gate/budget/verdict.h"
#include "gate/report/checkout.h"

/** A cause, or a finding that belongs to no cause. */
struct gate_issue {
    struct gate_str text;   /* sentence; not escaped; valid during the call of gate_issue_write */
    struct gate_str key[3]; /* identifies the issue across pipelines */
    enum gate_outcome outcome;
    const struct gate_budget *budget; /* the cause's worst budget */
    const struct gate_limit *limit;   /* may be NULL */
    const struct gate_frame *frame;   /* NULL: the issue is about a group or the total */
    const struct gate_cause *cause;   /* NULL: the issue is a finding */
    uint32_t comparison;              /* GATE_NO_INDEX: none */
};

/** Write one issue to `context`. */
typedef void gate_issue_write(void *context, const struct gate_issue *issue);

/**
 * Call `write` for each issue of the verdict: first broken ones, then undecided ones, then warnings; within each group
 * first the causes, worst first. Findings that only warn because there are too few samples are left out, because they
 * show no fault in the code. Returns false if memory ran out.
 */
GATE_MUST_CHECK
bool gate_issues_each(const struct gate_verdict *verdict, gate_issue_write *write, void *context);

/** Append the fingerprint in hex: SHA-256 of the key. It is the same for the same cause in every pipeline. */
void gate_issue_fingerprint(struct gate_buf *out, const struct gate_issue *issue);

/**
 * Append the file of the issue, relative to the top of the checkout, and return its line, at least 1.
 *
 * The first of these that can be in the checkout:
 * - the function of the issue;
 * - on the path of its cause, the nearest caller that is own code, else the nearest such callee;
 * - the line of the limit in the rules file;
 * - if the issue has no function: the own function whose charged cost grew most;
 * - line 1 of ".pprofgate.yml", where a limit would be set in place of the built-in rules.
 *
 * O(frames) if the issue has no function, else O(frames of a path).
 */
int64_t gate_issue_place(struct gate_buf *out, const struct gate_issue *issue, const struct gate_verdict *verdict,
                         const struct gate_checkout *checkout);

#endif
