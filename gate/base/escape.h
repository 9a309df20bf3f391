/* SPDX-License-Identifier: Apache-2.0 */
/* Escaping for each output format: JSON, XML, HTML, YAML, Markdown, shell, terminal. */
/* Each output format has exactly one escaping function. Frame names, paths and messages are untrusted in all of
 * them. Any output may be printed in a CI log, and CI runners execute what looks like a command: "::" at the start
 * of a line or after white space, and "##" before a bracket or a word anywhere. No function here writes either of
 * them. */
#ifndef GATE_BASE_ESCAPE_H
#define GATE_BASE_ESCAPE_H

#include "gate/base/buf.h"

/**
 * Append `text` as a JSON string with quotes. Also safe inside <script>: '<', U+2028 and U+2029 become \u escapes (RFC
 * 8259).
 */
void gate_escape_json(struct gate_buf *out, struct gate_str text);

/**
 * Append `text` as XML 1.0 or HTML text or attribute value: & < > " ' become entities. Characters that XML 1.0 forbids
 * become U+FFFD.
 */
void gate_escape_xml(struct gate_buf *out, struct gate_str text);

/**
 * Append `text` for a terminal or a CI log.
 *
 * C0 and C1 controls, bidirectional overrides and ill-formed bytes become U+FFFD. A zero-width space breaks up CI
 * commands: "::" at the start of `text` or after white space, and "##" anywhere (GitHub's "##[", Azure's "##vso[",
 * TeamCity's "##teamcity["). White space is what .NET's Trim removes, and all characters of zero width.
 *
 * Escape a text as a whole: two parts that are harmless alone may form a command together.
 */
void gate_escape_terminal(struct gate_buf *out, struct gate_str text);

/**
 * Append `text` as inline Markdown (GitHub, GitLab). | ` * _ < > [ ] \ & # ~ $ are escaped; newlines become spaces.
 *
 * A zero-width space breaks up '@', references such as "#1", "://" and "www.", so that they neither mention, refer nor
 * link. Commit hashes are not broken up.
 */
void gate_escape_markdown(struct gate_buf *out, struct gate_str text);

/**
 * Append `text` as data of a GitHub workflow command: % CR LF are percent-encoded, with `property` also ':' and ','.
 * Other controls become U+FFFD, as for a terminal.
 */
void gate_escape_github(struct gate_buf *out, struct gate_str text, bool property);

/** Append `text` as a frame of a collapsed stack: ';', newlines and controls become '_'. */
void gate_escape_collapsed(struct gate_buf *out, struct gate_str text);

/** Append `text` as an OpenMetrics label value in quotes: backslash, quote and newline are escaped. */
void gate_escape_openmetrics(struct gate_buf *out, struct gate_str text);

/** Append `text` percent-encoded: all but letters, digits and the characters of `plain`. */
void gate_escape_percent(struct gate_buf *out, struct gate_str text, const char *plain);

/** Append `text` as one word of a POSIX shell: unchanged if no character is special, otherwise in single quotes. */
void gate_escape_shell(struct gate_buf *out, struct gate_str text);

/** Append `text` for a single-quoted scalar of YAML: readable, on one line, without characters that YAML rejects. */
void gate_escape_yaml(struct gate_buf *out, struct gate_str text);

/** Append a single-quoted scalar of YAML: a pattern of PCRE2 that matches only `text`. */
void gate_escape_yaml_pattern(struct gate_buf *out, struct gate_str text);

#endif
