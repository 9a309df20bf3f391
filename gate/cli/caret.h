/* SPDX-License-Identifier: Apache-2.0 */
/* The source line of an error with a caret under its place.
 * Pipeline: struct gate_error with a place -> cli/caret.h -> standard error */
#ifndef GATE_CLI_CARET_H
#define GATE_CLI_CARET_H

#include "gate/base/buf.h"

/**
 * The source line of a place and a caret under it, as a terminal may show them:
 *
 *      14 |       share_incraese: "+5pp"
 *         |       ^
 *
 * Nothing when `line` is 0 or past the end. Controls are replaced, long lines are cut around the place. O(text).
 */
void gate_caret_print(struct gate_buf *out, struct gate_str text, uint32_t line, uint32_t column);

#endif
