/* SPDX-License-Identifier: Apache-2.0 */
/* Parses amounts of rules files: "+5pp", "+10%", "2x", "250ms". */
#ifndef GATE_RULES_AMOUNT_H
#define GATE_RULES_AMOUNT_H

#include "gate/base/str.h"

struct gate_amount {
    char sign; /* '+', '-', or 0 */
    struct gate_str number;
    struct gate_str unit;
};

/**
 * Parse [+-]?digits[.digits][e[+-]digits] as a double, times 10^shift, rounded once. Returns false for any other text.
 */
GATE_MUST_CHECK bool gate_amount_decimal(double *value, struct gate_str text, int shift);

/**
 * Split `text` into sign, number and unit. Returns false unless the number is (0|[1-9][0-9]{0,11})(\.[0-9]{1,6})?, as
 * in rules/schema.json.
 */
GATE_MUST_CHECK bool gate_amount_split(struct gate_amount *out, struct gate_str text);

/** Return whether the amount is written with `unit`, such as "pp". */
bool gate_amount_has_unit(const struct gate_amount *amount, const char *unit);

/**
 * Read an amount of one form. Returns false if it has another form. The functions below give an example, its value, and
 * the accepted range.
 */
typedef bool gate_amount_fn(double *value, const struct gate_amount *amount);

bool gate_amount_gain(double *value, const struct gate_amount *amount); /* "+5pp": 0.05, below 1 */

bool gate_amount_points(double *value, const struct gate_amount *amount); /* "5pp": 0.05, above 0 and below 1 */

bool gate_amount_share(double *value, const struct gate_amount *amount); /* "30%": 0.3, below 1 */

bool gate_amount_level(double *value, const struct gate_amount *amount); /* "30%": 0.3, above 0 and below 1 */

bool gate_amount_ratio(double *value, const struct gate_amount *amount); /* "2x": 2, from 1 on */

bool gate_amount_days(double *value, const struct gate_amount *amount); /* "30d": 30, above 0 */

bool gate_amount_loss(double *value, const struct gate_amount *amount); /* "-10%", "0.9x": 0.9 */

bool gate_amount_absolute(double *value, const struct gate_amount *amount); /* "1kB": 1024; in ns, bytes or a count */

bool gate_amount_more(double *value, const struct gate_amount *amount); /* "+1kB": 1024; in ns, bytes or a count */

enum gate_amount_dimension {
    GATE_AMOUNT_NOT_ABSOLUTE, /* points, per cent or a ratio */
    GATE_AMOUNT_TIME,
    GATE_AMOUNT_BYTES,
    GATE_AMOUNT_COUNT
};

/** Return the dimension of the amount `text`. Only amounts of the same dimension can be compared. */
enum gate_amount_dimension gate_amount_dimension_of(struct gate_str text);

#endif
