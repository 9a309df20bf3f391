/* SPDX-License-Identifier: Apache-2.0 */
/* Long names in little room: what tells one function from another stays.
 * Used by every report that has columns; gate/report/assets/report_model.js does the same for the live page. */
#ifndef GATE_REPORT_SHORTEN_H
#define GATE_REPORT_SHORTEN_H

#include "gate/base/str.h"

/**
 * `name` in at most `columns` terminal columns: leading path and package parts go first, behind "…"; where the
 * function's own name does not fit, it loses its end. A closure keeps the function that it is in. Itself when it fits;
 * "(no name)" when it is empty. `.ptr` is NULL when the arena is full. `columns` >= 8.
 */
struct gate_str gate_shorten_name(struct gate_arena *arena, struct gate_str name, size_t columns);

/** At most `columns` terminal columns of the start of `text`, cut between code points. */
struct gate_str gate_shorten_to_start(struct gate_str text, size_t columns);

#endif
