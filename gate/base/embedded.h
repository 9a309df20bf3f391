/* SPDX-License-Identifier: Apache-2.0 */
/* Files compiled into the program: presets, the rules reference, page assets. */
#ifndef GATE_BASE_EMBEDDED_H
#define GATE_BASE_EMBEDDED_H

#include "gate/base/str.h"

struct gate_embedded {
    const char *name; /* base name of the file; NULL ends the table */
    struct gate_str bytes;
};

/* gate/embed.cmake generates the definition in the build tree. */
extern const struct gate_embedded gate_embedded_files[];

/**
 * Return the bytes of the embedded file `name`, or a view with `.ptr` NULL if there is none. O(files).
 *
 * "page-style" and "page-script" are the style and the script of the HTML report, each joined from several files. With
 * ".sha256" appended, the name gives the digest of that text (32 bytes).
 */
struct gate_str gate_embedded_find(const char *name);

#endif
