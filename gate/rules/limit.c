/* SPDX-License-Identifier: Apache-2.0 */
/* The table of limits (see limit.h). What each allows is documented in rules/README.md. */
#include "gate/rules/limit.h"

#include <math.h>

const struct gate_limit_row gate_limit_rows[GATE_LIMIT_KINDS] = {
    [GATE_LIMIT_SHARE_INCREASE] = {.key = "share_increase",
                                   .wants = "points of the total with their sign, such as '+5pp'",
                                   .read = gate_amount_gain,
                                   .bounds = GATE_QUANTITY_GROWTH,
                                   .is_of_share = true,
                                   .is_unmistakable = true,
                                   .sign = "+",
                                   .tail = " pp"},
    [GATE_LIMIT_INCREASE] = {.key = "increase",
                             .wants = "growth with its sign, such as '+10%', or a ratio, such as '2x'",
                             .read = gate_amount_growth,
                             .bounds = GATE_QUANTITY_RATIO,
                             .is_unmistakable = true,
                             .sign = "+",
                             .tail = " %",
                             .base = 1.0},
    /* No number of samples shows that something is exactly nothing: a level has to be above it. */
    [GATE_LIMIT_SHARE] = {.key = "share",
                          .wants = "a share without a sign, such as '30%'",
                          .read = gate_amount_level,
                          .bounds = GATE_QUANTITY_LEVEL,
                          .is_of_share = true,
                          .sign = "",
                          .tail = " % share"},
    [GATE_LIMIT_ABSOLUTE] = {.key = "absolute",
                             .wants = "an amount with its unit, such as '250ms', '4MB' or '1000count'",
                             .read = gate_amount_absolute,
                             .bounds = GATE_QUANTITY_LEVEL,
                             .is_unmistakable = true},
    [GATE_LIMIT_NEW_FRAME] = {.key = "new_frame",
                              .wants = "a share without a sign, such as '2%'",
                              .read = gate_amount_level,
                              .bounds = GATE_QUANTITY_GROWTH,
                              .is_of_share = true,
                              .sign = "",
                              .tail = " % for a new frame"},
    [GATE_LIMIT_DECREASE] = {.key = "decrease",
                             .wants = "a loss with its sign, such as '-10%', or a ratio, such as '0.9x'",
                             .read = gate_amount_loss,
                             .bounds = GATE_QUANTITY_RATIO,
                             .is_unmistakable = true,
                             .sign = "",
                             .tail = " % that must stay",
                             .base = 1.0},
    [GATE_LIMIT_GROWTH] = {.key = "growth",
                           .wants = "an amount with its sign and unit, such as '+5MB' or '+100count'",
                           .read = gate_amount_more,
                           .bounds = GATE_QUANTITY_GROWTH,
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
