/* SPDX-License-Identifier: Apache-2.0 */
/* Files of profilers and other tools that are not read: what each looks like, and what to do instead. */
#ifndef GATE_FORMATS_REFUSED_FILES_H
#define GATE_FORMATS_REFUSED_FILES_H

#include "gate/base/str.h"

/**
 * Return what a binary file is and the command that makes a profile of it, or NULL if its first bytes are not known.
 * No supported format begins with these bytes. O(rows).
 */
const char *gate_refused_binary(struct gate_str bytes);

/**
 * The same for text and JSON that no reader recognised. `text` has no byte order mark and no white space before it.
 * O(first 4 KiB).
 */
const char *gate_refused_text(struct gate_str text);

#endif
