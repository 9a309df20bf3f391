/* SPDX-License-Identifier: Apache-2.0 */
/* Units of sample values: conversion and display. */
#ifndef GATE_MODEL_UNIT_H
#define GATE_MODEL_UNIT_H

#include "gate/base/buf.h"

/**
 * Return how many `finer` units make one `coarser` unit (ns in ms: 1,000,000). Aliases and plurals are accepted.
 * Returns 1 for equal units, and 0 if they do not convert or `coarser` is the finer one.
 */
int64_t gate_unit_ratio(struct gate_str coarser, struct gate_str finer);

/**
 * Append `value` in a readable unit with at most three significant digits, such as "1.23s" or "45.6MB". A value of
 * an unknown unit is printed as a plain number ("12 345"). `unit` itself is never printed, so no escaping is needed.
 */
void gate_unit_print(struct gate_buf *out, int64_t value, struct gate_str unit);

/** A known unit, for printing many values with one lookup. */
struct gate_unit;

/** Return the unit with this name or alias, or NULL if it is unknown. Static data. */
const struct gate_unit *gate_unit_find(struct gate_str unit);

/** As gate_unit_print. If `unit` is NULL, a plain number is printed. */
void gate_unit_print_known(struct gate_buf *out, int64_t value, const struct gate_unit *unit);

/** Parse a quantity of a rules file ("250ms", "4kB") into `unit`. Returns false if it does not parse or convert. */
GATE_MUST_CHECK bool gate_unit_parse(double *value, struct gate_str text, struct gate_str unit);

#endif
