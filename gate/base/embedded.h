/* SPDX-License-Identifier: Apache-2.0 */
/* Files that the program carries: presets of rules/ and their reference, and the page assets of gate/report/assets/. */
#ifndef GATE_BASE_EMBEDDED_H
#define GATE_BASE_EMBEDDED_H

#include "gate/base/str.h"

struct gate_embedded {
    const char *name; /* base name; NULL ends the table */
    struct gate_str bytes;
};

/* Written by gate/embed.cmake into the build tree. */
extern const struct gate_embedded gate_embedded_files[];

/**
 * The bytes of the embedded file `name`. "page-style" and "page-script" are those of the HTML report, each of several
 * files, and with ".sha256" behind it, its digest (32 bytes). `.ptr` is NULL when there is none.
 */
struct gate_str gate_embedded_find(const char *name);

#endif
