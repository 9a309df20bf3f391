/* SPDX-License-Identifier: Apache-2.0 */
/* Shorten long names. */
#ifndef GATE_REPORT_SHORTEN_H
#define GATE_REPORT_SHORTEN_H

#include "gate/base/buf.h"
#include "gate/base/str.h"

/**
 * Return `name` in at most `columns` terminal columns. Parts are left out in this order, with "…" in their place:
 *
 * 1. qualifiers of types in lists of type arguments and parameters, then the lists in these lists
 * 2. leading path and package parts, if a class or package stays before the function
 * 3. arguments at the end of the longest lists: type arguments, then parameters
 * 4. further leading parts
 * 5. the end of the function's own name
 *
 * Example: "json::Reader<json::UTF8<char>, json::Pool>::Parse<0u, json::Stream>" becomes
 * "json::Reader<…>::Parse<0u, …>".
 *
 * The name of a closure keeps its function. A method of Rust keeps its types, without modules, or only the first type.
 * A file in brackets after the name is shortened before the name: it loses its folders, or is left out. Returns `name`
 * itself if it fits, "(no name)" if it is empty, and `.ptr` NULL if `arena` is full. `columns` >= 8.
 */
struct gate_str gate_shorten_name(struct gate_arena *arena, struct gate_str name, size_t columns);

/**
 * Append `text`, a sentence. Names with type arguments that take more than `columns` are shortened to that. Two names
 * that would become equal keep their arguments, without qualifiers if they still differ then. Text in single quotes is
 * not changed, because it is a command or a value to copy. `out` fails if `arena` is full. `columns` >= 8.
 */
void gate_shorten_in_text(struct gate_buf *out, struct gate_arena *arena, struct gate_str text, size_t columns);

/** Return the start of `text` in at most `columns` terminal columns, cut between code points. */
struct gate_str gate_shorten_to_start(struct gate_str text, size_t columns);

#endif
