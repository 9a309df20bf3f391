/* SPDX-License-Identifier: Apache-2.0 */
/* The HTML report. */
#ifndef GATE_REPORT_HTML_H
#define GATE_REPORT_HTML_H

#include "gate/base/buf.h"

/**
 * Append the Content-Security-Policy of a page without a script, for an attribute in double quotes. The page loads
 * nothing. Its one style is allowed by its SHA-256 (CSP 3, "hash-source"), so that a script in a function's name cannot
 * run.
 *
 * style   exactly the bytes between the tags
 */
void gate_csp_print(struct gate_buf *out, struct gate_str style);

#endif
