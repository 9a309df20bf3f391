/* SPDX-License-Identifier: Apache-2.0 */
/* One escaping place per output format. Frame names, paths and messages are untrusted in all of them.
 * Any output may be printed in a CI log, whose runner obeys what looks like a command: "::" at the start of a line,
 * behind white space too, and "##" before a bracket or a word anywhere. Neither comes out of any of these. */
#ifndef GATE_BASE_ESCAPE_H
#define GATE_BASE_ESCAPE_H

#include "gate/base/buf.h"

/** A JSON string with its quotes. Also safe inside <script>: '<', U+2028 and U+2029 are \u escapes (RFC 8259). */
void gate_escape_json(struct gate_buf *out, struct gate_str text);

/** XML 1.0 or HTML text and attribute values: & < > " ' as entities; what XML 1.0 forbids becomes U+FFFD. */
void gate_escape_xml(struct gate_buf *out, struct gate_str text);

/**
 * A terminal or a CI log: C0 and C1 controls, bidirectional overrides and ill-formed bytes become U+FFFD, "::" at the
 * start of `text` or behind white space and "##" anywhere (GitHub's "##[", Azure's "##vso[", TeamCity's "##teamcity[")
 * are broken by a zero-width space, so that no runner reads a command. White space is what .NET's Trim takes, and what
 * has no width. A text is escaped as a whole: of two parts each could be harmless.
 */
void gate_escape_terminal(struct gate_buf *out, struct gate_str text);

/**
 * Inline Markdown (GitHub, GitLab): | ` * _ < > [ ] \ & # ~ escaped, newlines as spaces; '@', "#1" and its kin, "://"
 * and "www." broken by a zero-width space, so that they neither mention, refer nor link. Hashes of commits are not
 * looked for.
 */
void gate_escape_markdown(struct gate_buf *out, struct gate_str text);

/** Data of a GitHub workflow command: % CR LF; with `property` also ':' and ','. Controls as for a terminal. */
void gate_escape_github(struct gate_buf *out, struct gate_str text, bool property);

/** A frame of a collapsed stack: ';', newlines and controls become '_'. */
void gate_escape_collapsed(struct gate_buf *out, struct gate_str text);

/** A label value of OpenMetrics text: backslash, quote and newline escaped, with quotes around. */
void gate_escape_openmetrics(struct gate_buf *out, struct gate_str text);

/** One word of a POSIX shell: as it is where nothing in it means anything there, else in single quotes. */
void gate_escape_shell(struct gate_buf *out, struct gate_str text);

#endif
