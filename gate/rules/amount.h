/* SPDX-License-Identifier: Apache-2.0 */
/* Amounts as people write them: "+5pp", "+10%", "2x", "30%", "250ms", taken apart and read exactly.
 * Pipeline: text of rules/yaml.h -> rules/amount.h -> rules/limit.h, rules/rules_value.h */
#ifndef GATE_RULES_AMOUNT_H
#define GATE_RULES_AMOUNT_H

#include "gate/base/str.h"

struct gate_amount {
    char sign; /* '+', '-', or 0 */
    struct gate_str number;
    struct gate_str unit;
};

/** [+-]?digits[.digits][e[+-]digits] as a double, times 10^shift, rounded once. False when it is anything else. */
GATE_MUST_CHECK bool gate_amount_decimal(double *value, struct gate_str text, int shift);

/** Take `text` apart. False unless its number is (0|[1-9][0-9]{0,11})(\.[0-9]{1,6})?, as the schema says it too. */
GATE_MUST_CHECK bool gate_amount_split(struct gate_amount *out, struct gate_str text);

bool gate_amount_has_unit(const struct gate_amount *amount, const char *unit);

/** One way to read an amount; false when it is not written that way. */
typedef bool gate_amount_fn(double *value, const struct gate_amount *amount);

bool gate_amount_gain(double *value, const struct gate_amount *amount);     /* "+5pp": 0.05, below 1 */
bool gate_amount_points(double *value, const struct gate_amount *amount);   /* "5pp": 0.05, above 0 and below 1 */
bool gate_amount_share(double *value, const struct gate_amount *amount);    /* "30%": 0.3, below 1 */
bool gate_amount_level(double *value, const struct gate_amount *amount);    /* "30%": 0.3, above 0 and below 1 */
bool gate_amount_ratio(double *value, const struct gate_amount *amount);    /* "2x": 2, from 1 on */
bool gate_amount_days(double *value, const struct gate_amount *amount);     /* "30d": 30, above 0 */
bool gate_amount_growth(double *value, const struct gate_amount *amount);   /* "+10%": 1.1; "2x": 2 */
bool gate_amount_loss(double *value, const struct gate_amount *amount);     /* "-10%", "0.9x": 0.9 */
bool gate_amount_absolute(double *value, const struct gate_amount *amount); /* "1kB": 1024 in ns, bytes or a count */
bool gate_amount_more(double *value, const struct gate_amount *amount);     /* "+1kB": 1024 in ns, bytes or a count */

enum gate_amount_dimension {
    GATE_AMOUNT_NOT_ABSOLUTE, /* points, per cent, a ratio */
    GATE_AMOUNT_TIME,
    GATE_AMOUNT_BYTES,
    GATE_AMOUNT_COUNT
};

/** Of the amount that `text` is: only amounts of one dimension can be compared. */
enum gate_amount_dimension gate_amount_dimension_of(struct gate_str text);

#endif
