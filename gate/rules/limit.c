/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/rules/limit.h"

#include "gate/base/buf.h"
#include "gate/base/error.h"
#include "gate/base/str.h"
#include "gate/rules/amount.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>

static bool amount_growth(double *value, const struct gate_amount *amount) {
    if (gate_amount_ratio(value, amount))
        return true;
    if (amount->sign != '+' || !gate_amount_has_unit(amount, "%") || !gate_amount_decimal(value, amount->number, -2))
        return false;
    *value += 1.0;
    return *value < 1001.0;
}

/* ---- severities -------------------------------------------------------------------------------------------------- */

const char *const gate_severity_words[] = {
    [GATE_SEVERITY_OFF] = "off",
    [GATE_SEVERITY_WARN] = "warn",
    [GATE_SEVERITY_ERROR] = "error",
    [GATE_SEVERITY_ERROR + 1] = NULL,
};

const char *gate_severity_name(enum gate_severity severity) {
    return gate_severity_words[severity];
}

/* ---- hints for common mistakes with signs and units ----------------------------------------------------------------
 */

static void tip_share_increase(char out[GATE_LIMIT_TIP_BYTES], const struct gate_amount *amount) {
    int len = (int)amount->number.len;
    const char *number = amount->number.ptr;
    if (gate_amount_has_unit(amount, "%"))
        (void)snprintf(out, GATE_LIMIT_TIP_BYTES,
                       ": '%%' means per cent of the frame's own baseline; write '+%.*spp', or 'increase: +%.*s%%'",
                       len, number, len, number);
    else if (amount->sign == 0 && gate_amount_has_unit(amount, "pp"))
        (void)snprintf(out, GATE_LIMIT_TIP_BYTES, ": write '+%.*spp'", len, number);
}

static void tip_increase(char out[GATE_LIMIT_TIP_BYTES], const struct gate_amount *amount) {
    int len = (int)amount->number.len;
    const char *number = amount->number.ptr;
    if (gate_amount_has_unit(amount, "pp"))
        (void)snprintf(out, GATE_LIMIT_TIP_BYTES, ": 'pp' means points of the total; write 'share_increase: +%.*spp'",
                       len, number);
    else if (amount->sign == 0 && gate_amount_has_unit(amount, "%"))
        (void)snprintf(out, GATE_LIMIT_TIP_BYTES, ": write '+%.*s%%' for growth by that much, or '2x' for a ratio", len,
                       number);
}

static void tip_decrease(char out[GATE_LIMIT_TIP_BYTES], const struct gate_amount *amount) {
    if (amount->sign != '-' && gate_amount_has_unit(amount, "%"))
        (void)snprintf(out, GATE_LIMIT_TIP_BYTES, ": write '-%.*s%%'", GATE_STR_ARG(amount->number));
}

static void tip_share(char out[GATE_LIMIT_TIP_BYTES], const struct gate_amount *amount) {
    double share = 1.0;
    if (!gate_amount_has_unit(amount, "%"))
        return;
    if (amount->sign != 0)
        (void)snprintf(out, GATE_LIMIT_TIP_BYTES, ": write '%.*s%%'; growth belongs to 'increase' or 'share_increase'",
                       GATE_STR_ARG(amount->number));
    else if (gate_amount_decimal(&share, amount->number, 0) && share <= 0.0)
        (void)snprintf(out, GATE_LIMIT_TIP_BYTES, ": no number of samples can prove a share of zero; write '0.1%%'");
}

/* ---- limits (documented in rules/README.md) ---------------------------------------------------------------------- */

/* Growth that no profile shows: of a share, and of a frame's own cost. */
#define SHARE_MOST 0.99
#define RATIO_MOST 100.0

const struct gate_limit_row gate_limit_rows[GATE_LIMIT_KINDS] = {
    [GATE_LIMIT_SHARE_INCREASE] = {.key = "share_increase",
                                   .wants = "points of the total with their sign, such as '+5pp'",
                                   .read = gate_amount_gain,
                                   .tip = tip_share_increase,
                                   .bounds = GATE_QUANTITY_GROWTH,
                                   .bounds_growth = true,
                                   .is_of_trend = true,
                                   .most = SHARE_MOST,
                                   .is_of_share = true,
                                   .is_unmistakable = true,
                                   .sign = "+",
                                   .tail = " pp"},
    [GATE_LIMIT_INCREASE] = {.key = "increase",
                             .wants = "growth with its sign, such as '+10%', or a ratio, such as '2x'",
                             .read = amount_growth,
                             .tip = tip_increase,
                             .bounds = GATE_QUANTITY_RATIO,
                             .bounds_growth = true,
                             .is_of_trend = true,
                             .most = RATIO_MOST,
                             .is_unmistakable = true,
                             .sign = "+",
                             .tail = "%",
                             .base = 1.0},
    /* A level must be above zero, because no number of samples proves a share of exactly zero. */
    [GATE_LIMIT_SHARE] = {.key = "share",
                          .wants = "a share without a sign, such as '30%'",
                          .read = gate_amount_level,
                          .tip = tip_share,
                          .bounds = GATE_QUANTITY_LEVEL,
                          .most = SHARE_MOST,
                          .is_of_share = true,
                          .sign = "",
                          .tail = "% share"},
    [GATE_LIMIT_ABSOLUTE] = {.key = "absolute",
                             .wants = "an amount with its unit, such as '250ms', '4MB' or '1000count'",
                             .read = gate_amount_absolute,
                             .bounds = GATE_QUANTITY_LEVEL,
                             .is_unmistakable = true},
    [GATE_LIMIT_NEW_FRAME] = {.key = "new_frame",
                              .wants = "a share without a sign, such as '2%'",
                              .read = gate_amount_level,
                              .tip = tip_share,
                              .bounds = GATE_QUANTITY_GROWTH,
                              .bounds_growth = true,
                              .most = SHARE_MOST,
                              .is_of_share = true,
                              .sign = "",
                              .tail = "% for a new frame"},
    [GATE_LIMIT_DECREASE] = {.key = "decrease",
                             .wants = "a loss with its sign, such as '-10%', or a ratio, such as '0.9x'",
                             .read = gate_amount_loss,
                             .tip = tip_decrease,
                             .bounds = GATE_QUANTITY_RATIO,
                             .is_unmistakable = true,
                             .sign = "",
                             .tail = "% that must stay",
                             .base = 1.0},
    [GATE_LIMIT_GROWTH] = {.key = "growth",
                           .wants = "an amount with its sign and unit, such as '+5MB' or '+100count'",
                           .read = gate_amount_more,
                           .bounds = GATE_QUANTITY_GROWTH,
                           .bounds_growth = true,
                           .is_of_trend = true,
                           .is_of_trend_only = true,
                           .is_unmistakable = true},
};

const struct gate_limit_row *gate_limit_row(enum gate_limit_kind kind) {
    GATE_ASSERT((unsigned)kind < GATE_LIMIT_KINDS);
    return &gate_limit_rows[kind];
}

const char *gate_limit_kind_name(enum gate_limit_kind kind) {
    return gate_limit_row(kind)->key;
}

void gate_limit_print(struct gate_buf *out, const struct gate_limit *limit) {
    const struct gate_limit_row *row = gate_limit_row(limit->kind);
    if (row->tail == NULL) {
        gate_buf_str(out, limit->text);
        return;
    }
    gate_buf_text(out, row->sign);
    gate_buf_number(out, round(100.0 * (limit->value - row->base) * 1e6) / 1e6);
    gate_buf_text(out, row->tail);
}
