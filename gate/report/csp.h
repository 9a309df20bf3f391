/* SPDX-License-Identifier: Apache-2.0 */
/* The Content-Security-Policy of the HTML report (html.c): what the page may load and run. */
#ifndef GATE_REPORT_CSP_H
#define GATE_REPORT_CSP_H

#include "gate/base/buf.h"

/**
 * The policy's directives, as the value of an attribute in double quotes. Nothing is loaded from anywhere; the page's
 * one style and one script are named by their SHA-256 (CSP 3, "hash-source"), so that no function name brings its own.
 *
 * style, script   exactly what stands between the tags
 */
void gate_csp_print(struct gate_buf *out, struct gate_str style, struct gate_str script);

/** The same of texts whose digests are known, 32 bytes each: those that the program carries. */
void gate_csp_print_known(struct gate_buf *out, struct gate_str style, struct gate_str script);

#endif
