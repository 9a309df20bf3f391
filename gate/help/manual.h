/* SPDX-License-Identifier: Apache-2.0 */
/* Makes manual pages from the tables of commands and options and from rules/README.md. */
#ifndef GATE_HELP_MANUAL_H
#define GATE_HELP_MANUAL_H

#include "gate/base/buf.h"

/** Append Markdown as man(7): headings, paragraphs, lists, code and tables. A table row becomes a tagged paragraph
 * with its columns by name. Links become their text; comments and HTML elements are left out. Cost: O(text). */
void gate_manual_rules_markdown(struct gate_buf *out, struct gate_str text);

#endif
