/* SPDX-License-Identifier: Apache-2.0 */
/* Kinds of limit that a budget can have, one row each, the amounts they are written as, and severities. */
#ifndef GATE_RULES_LIMIT_H
#define GATE_RULES_LIMIT_H

#include "gate/base/buf.h"
#include "gate/base/error.h"
#include "gate/base/str.h"

/* ---- amounts: "+5pp", "+10%", "2x", "250ms" ---------------------------------------------------------------------- */

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

bool gate_amount_absolute(double *value, const struct gate_amount *amount); /* "1kB": 1024; in ns, bytes or a count */

enum gate_amount_dimension {
    GATE_AMOUNT_NOT_ABSOLUTE, /* points, per cent or a ratio */
    GATE_AMOUNT_TIME,
    GATE_AMOUNT_BYTES,
    GATE_AMOUNT_COUNT
};

/** Return the dimension of the amount `text`. Only amounts of the same dimension can be compared. */
enum gate_amount_dimension gate_amount_dimension_of(struct gate_str text);

/* ---- severities -------------------------------------------------------------------------------------------------- */

/* Severity of a budget, of a limit or of a guard, named as in rules files and reports. */

/** Severities, mildest first, so that the smaller value is the milder one. */
enum GATE_ONE_BYTE gate_severity { GATE_SEVERITY_OFF, GATE_SEVERITY_WARN, GATE_SEVERITY_ERROR };

/** "off", "warn", "error": in the order of the enum, NULL-terminated. */
extern const char *const gate_severity_words[];

const char *gate_severity_name(enum gate_severity severity);

/* ---- limits ------------------------------------------------------------------------------------------------------ */

/* One row describes each kind of limit. */

/** Kinds of limit. A new one needs a row in limit.c. */
enum gate_limit_kind {
    GATE_LIMIT_SHARE_INCREASE, /* value: increase in points of the total, as a fraction (+5pp: 0.05) */
    GATE_LIMIT_INCREASE,       /* value: ratio canary / baseline (+100%, 2x: 2.0) */
    GATE_LIMIT_SHARE,          /* value: share of the canary alone, as a fraction */
    GATE_LIMIT_ABSOLUTE,       /* text and value in its own unit: of the canary alone, per run or per unit of work */
    GATE_LIMIT_NEW_FRAME,      /* value: largest share of a frame that the baseline does not have */
    GATE_LIMIT_DECREASE,       /* value: ratio that must not be exceeded (-10%: 0.9), which protects an optimisation */
    GATE_LIMIT_GROWTH,         /* text and value in its own unit: only for measure trend */
    GATE_LIMIT_KINDS
};

/** What a limit bounds: the growth, the ratio canary / baseline, or the level of the canary alone. */
enum gate_quantity { GATE_QUANTITY_GROWTH, GATE_QUANTITY_RATIO, GATE_QUANTITY_LEVEL };

enum { GATE_LIMIT_TIP_BYTES = 160 };

/** Write the next step for an amount that a kind does not accept, or "" if there is none. */
typedef void gate_limit_tip_fn(char out[GATE_LIMIT_TIP_BYTES], const struct gate_amount *amount);

struct gate_limit_row {
    const char *key;   /* key under `limit:` and in reports */
    const char *wants; /* expected form, for messages: "a share without a sign, such as '30%'" */
    gate_amount_fn *read;
    gate_limit_tip_fn *tip; /* NULL: none */
    enum gate_quantity bounds;
    bool bounds_growth;    /* growth breaks it; else a level or a lost optimisation does */
    bool is_of_trend;      /* allowed with measure `trend` */
    bool is_of_trend_only; /* not allowed with any other measure */
    double most;           /* no cost breaks a limit of this value or above; 0: any limit can be broken */
    bool is_of_share;      /* bounds a share of the total, so it does not apply to costs */
    bool is_unmistakable;  /* no other kind has its sign and unit, so its key may be left out */
    /* How reports print it: `sign`, `value - base` in hundredths, `tail`. If `tail` is NULL, the text as written. */
    const char *sign, *tail;
    double base;
};

/** One limit of a budget. A limit with warn and error levels is stored as two of these. */
struct gate_limit {
    enum gate_limit_kind kind;
    enum gate_severity severity;
    double value;
    struct gate_str text;   /* as written: "+5pp" */
    struct gate_str source; /* file of `line` and `column` */
    uint32_t line, column;
};

/** The rows, indexed by kind. */
extern const struct gate_limit_row gate_limit_rows[GATE_LIMIT_KINDS];

/** Return the row of a kind. Never NULL. */
const struct gate_limit_row *gate_limit_row(enum gate_limit_kind kind);

const char *gate_limit_kind_name(enum gate_limit_kind kind); /* "share_increase", ... */

/** Return what a limit bounds. Inline, because it is called several times per function of a profile. */
static inline enum gate_quantity gate_limit_quantity(enum gate_limit_kind kind) {
    return gate_limit_rows[kind].bounds;
}

/** Return whether growth breaks the limit, not a level or a lost optimisation. */
static inline bool gate_limit_bounds_growth(enum gate_limit_kind kind) {
    return gate_limit_rows[kind].bounds_growth;
}

/** Append the limit as in sentences: "+5 pp", "-10% that must stay", "250ms". */
void gate_limit_print(struct gate_buf *out, const struct gate_limit *limit);

#endif
