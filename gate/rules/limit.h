/* SPDX-License-Identifier: Apache-2.0 */
/* The limits that a budget can have: one row of facts for each kind, which everybody else asks.
 * Pipeline: rules/amount.h -> rules/limit.h -> rules/rules.h, budget/decide.h, budget/sentence.h, report/ */
#ifndef GATE_RULES_LIMIT_H
#define GATE_RULES_LIMIT_H

#include "gate/base/buf.h"
#include "gate/rules/amount.h"
#include "gate/rules/severity.h"

/** A new one needs a row in limit.c. */
enum gate_limit_kind {
    GATE_LIMIT_SHARE_INCREASE, /* value: points of the total, as a fraction (+5pp: 0.05) */
    GATE_LIMIT_INCREASE,       /* value: ratio canary / baseline (+100%, 2x: 2.0) */
    GATE_LIMIT_SHARE,          /* value: share of the canary alone, as a fraction */
    GATE_LIMIT_ABSOLUTE,       /* text and value with its own unit, of the canary alone, per run or unit of work */
    GATE_LIMIT_NEW_FRAME,      /* value: share that a frame absent from the baseline may have */
    GATE_LIMIT_DECREASE,       /* value: ratio it must stay below (-10%: 0.9): an optimisation that must not be lost */
    GATE_LIMIT_GROWTH,         /* text and value with its own unit: of a trend alone */
    GATE_LIMIT_KINDS
};

/** What a limit bounds. */
enum gate_quantity { GATE_QUANTITY_GROWTH, GATE_QUANTITY_RATIO, GATE_QUANTITY_LEVEL };

struct gate_limit_row {
    const char *key;   /* under `limit:` and in reports */
    const char *wants; /* "a share without a sign, such as '30%'": for messages */
    gate_amount_fn *read;
    enum gate_quantity bounds;
    bool is_of_share;     /* bounds a share of the total: a measure of cost has none */
    bool is_unmistakable; /* its sign and unit are no other kind's: it may be written without its key */
    /* How a report writes it: sign, the value less `base` in hundredths, tail. NULL tail: the text as written. */
    const char *sign, *tail;
    double base;
};

/** One number of a budget. A limit with both warn and error levels is two of these. */
struct gate_limit {
    enum gate_limit_kind kind;
    enum gate_severity severity;
    double value;
    struct gate_str text;   /* as written: "+5pp" */
    struct gate_str source; /* the file that line and column are of */
    uint32_t line, column;
};

extern const struct gate_limit_row gate_limit_rows[GATE_LIMIT_KINDS];

/** The facts about a kind; never NULL. */
const struct gate_limit_row *gate_limit_row(enum gate_limit_kind kind);

const char *gate_limit_kind_name(enum gate_limit_kind kind); /* "share_increase", ... */

/** What it bounds: asked some times of every function. */
static inline enum gate_quantity gate_limit_quantity(enum gate_limit_kind kind) {
    return gate_limit_rows[kind].bounds;
}

/** Append the limit as a sentence names it: "+5 pp", "-10 % that must stay", "250ms". */
void gate_limit_print(struct gate_buf *out, const struct gate_limit *limit);

#endif
