/* SPDX-License-Identifier: Apache-2.0 */
/* Marks in the files that pprofgate writes, so that it overwrites only its own files. */
#ifndef GATE_BASE_OWN_MARK_H
#define GATE_BASE_OWN_MARK_H

#include "gate/base/str.h"

#include <stdbool.h>

enum gate_own_mark {
    GATE_OWN_RULES, /* files of `init`: users edit them, so no existing file counts as ours */
    GATE_OWN_JSON,
    GATE_OWN_JUNIT,
    GATE_OWN_HTML,
    GATE_OWN_SVG,
    GATE_OWN_MARKDOWN,
    GATE_OWN_CODEQUALITY,
    GATE_OWN_SARIF,
    GATE_OWN_OPENMETRICS,
    GATE_OWN_FOLDED,
    GATE_OWN_SPEEDSCOPE,
    GATE_OWN_PPROF, /* applies to the bytes after decompression, as for OTLP */
    GATE_OWN_OTLP,
    GATE_OWN_SUMMARY, /* applies to the bytes after decompression, too */
    GATE_OWN_NOISE,
    GATE_OWN_MANUAL,
    GATE_OWN_MARKS
};

/* Bytes that writers add only as a mark. The other formats start with text that serves as a mark. */
#define GATE_OWN_MARK_HTML "<meta name=\"generator\" content=\"pprofgate\">\n"

#define GATE_OWN_MARK_SVG "<!-- pprofgate report -->\n"

/* The second line: a link definition that nothing refers to, so it is not rendered. An HTML comment would be visible
 * where a report is inserted into a pull request comment, because comments are escaped there. */
#define GATE_OWN_MARK_MARKDOWN "[//]: # (pprofgate report)\n"

#define GATE_OWN_MARK_ENGINE "pprofgate" /* value of "engine_name" in issues for GitLab */

/* Value of "$schema" in SARIF reports. */
#define GATE_OWN_MARK_SARIF "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

#define GATE_OWN_MARK_FOLDED "pprofgate 0 0\n" /* a stack without samples, because the format has no comments */

/* A comment of the profile. `go tool pprof` hides comments that start with '#'. */
#define GATE_OWN_MARK_PPROF "# written by pprofgate"

/* The first field of a summary of runs (formats/summary.h). */
#define GATE_OWN_MARK_SUMMARY "pprofgate run summaries"

/** Return the name of the format for messages, with its article: "the HTML report". */
const char *gate_own_mark_name(enum gate_own_mark mark);

/** Each mark is within this many bytes from the start of its file. */
enum { GATE_OWN_MARK_HEAD_BYTES = 32 * 1024 };

/**
 * Return whether a file that starts with `head` has the format of `mark` and was written by pprofgate.
 *
 * head  the first GATE_OWN_MARK_HEAD_BYTES of the file, or all of a shorter file; decompressed for GATE_OWN_PPROF and
 *       GATE_OWN_OTLP
 */
bool gate_own_mark_is_in(enum gate_own_mark mark, struct gate_str head);

#endif
