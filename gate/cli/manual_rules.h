/* SPDX-License-Identifier: Apache-2.0 */
/* The manual page of rules files, pprofgate-rules(5), made from rules/README.md, which the program carries.
 * Pipeline: rules/README.md -> cli/manual_rules.h -> cmd_manual.c */
#ifndef GATE_CLI_MANUAL_RULES_H
#define GATE_CLI_MANUAL_RULES_H

#include "gate/base/buf.h"

/**
 * Append Markdown as man(7): headings, paragraphs, lists, code and tables, a row of which becomes a tagged paragraph
 * with its columns by name. Links are their text, comments and HTML elements are left out. O(text).
 */
void gate_manual_rules_markdown(struct gate_buf *out, struct gate_str text);

/** The page, section 5. */
GATE_MUST_CHECK bool gate_manual_rules(struct gate_buf *out, struct gate_error *err);

#endif
