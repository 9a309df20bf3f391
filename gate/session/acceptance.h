/* SPDX-License-Identifier: Apache-2.0 */
/* Acceptance of an intended growth: somebody with the right to do so accepts what one commit breaks. */
#ifndef GATE_SESSION_ACCEPTANCE_H
#define GATE_SESSION_ACCEPTANCE_H

#include "gate/budget/verdict.h"
#include "gate/session/session.h"

/** Options --accepted and --head. */
struct gate_acceptance_options {
    const char *accepted; /* "COMMIT by WHO: REASON", or NULL */
    const char *head;     /* the commit that is judged, or NULL */
};

/**
 * Parse "COMMIT by WHO: REASON". COMMIT has 40 to 64 hexadecimal digits: a shorter prefix can be forged. WHO has no
 * blank and at most 100 bytes, REASON 1 to 500 bytes; both are one line of UTF-8 without control characters.
 *
 * out  refers to `text`
 * err  GATE_ERR_USAGE
 */
GATE_MUST_CHECK
bool gate_acceptance_read(struct gate_acceptance *out, const char *text, struct gate_error *err);

/**
 * Check the options. err: GATE_ERR_USAGE if --accepted cannot be read, or if one of both options is given without the
 * other.
 */
GATE_MUST_CHECK
bool gate_acceptance_check(const struct gate_acceptance_options *options, struct gate_error *err);

/**
 * If --accepted names the commit of --head and `verdict` is a fail, set verdict->accepted and its outcome to pass. Its
 * budgets and causes stay as they are. Not applied, with a note on standard error that says why: to another commit, to
 * an inconclusive verdict, and if a guard of severity error other than those of a higher cost forbids the comparison.
 */
GATE_MUST_CHECK
bool gate_acceptance_apply(struct gate_verdict *verdict, const struct gate_acceptance_options *options,
                           struct gate_session *session, struct gate_error *err);

#endif
