/* SPDX-License-Identifier: Apache-2.0 */
/* Units of values: which convert into each other, and how people read them. */
#ifndef GATE_PROFILE_UNIT_H
#define GATE_PROFILE_UNIT_H

#include "gate/base/buf.h"

/**
 * The whole number of `finer` in one `coarser` (ns in ms: 1 000 000), aliases and plurals accepted; 1 for equal units;
 * 0 when they do not convert or `coarser` is the finer one.
 */
int64_t gate_unit_ratio(struct gate_str coarser, struct gate_str finer);

/**
 * "1.23s", "45.6MB", "12 345": `value` in a unit a person reads, at most three significant digits after scaling. `unit`
 * itself is never printed, only the names of units known here: nothing in it needs escaping.
 */
void gate_unit_print(struct gate_buf *out, int64_t value, struct gate_str unit);

/** The same where many values have one unit, which is looked up once: gate_unit_find's. */
struct gate_unit;
const struct gate_unit *gate_unit_find(struct gate_str unit); /* NULL: not one that is known here */
void gate_unit_print_known(struct gate_buf *out, int64_t value, const struct gate_unit *unit);

/** A quantity of a rules file, "250ms", "4kB": its value in `unit`. False when it does not parse or convert. */
GATE_MUST_CHECK bool gate_unit_parse(double *value, struct gate_str text, struct gate_str unit);

#endif
