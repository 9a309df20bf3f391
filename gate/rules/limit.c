/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/rules/limit.h"

#include "gate/base/buf.h"
#include "gate/base/error.h"
#include "gate/base/str.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>

/* ---- amounts ----------------------------------------------------------------------------------------------------- */

/* Units, each in terms of the smallest unit of its dimension. */
static const struct {
    const char *name;
    enum gate_amount_dimension dimension;
    double scale;
} units[] = {
    {"ns", GATE_AMOUNT_TIME, 1.0},           {"us", GATE_AMOUNT_TIME, 1e3},
    {"\xC2\xB5s", GATE_AMOUNT_TIME, 1e3}, /* micro sign */
    {"\xCE\xBCs", GATE_AMOUNT_TIME, 1e3}, /* Greek mu */
    {"ms", GATE_AMOUNT_TIME, 1e6},           {"s", GATE_AMOUNT_TIME, 1e9},
    {"min", GATE_AMOUNT_TIME, 60e9},         {"h", GATE_AMOUNT_TIME, 3600e9},
    {"B", GATE_AMOUNT_BYTES, 1.0},           {"kB", GATE_AMOUNT_BYTES, 1024.0},
    {"KB", GATE_AMOUNT_BYTES, 1024.0},       {"KiB", GATE_AMOUNT_BYTES, 1024.0},
    {"MB", GATE_AMOUNT_BYTES, 1048576.0},    {"MiB", GATE_AMOUNT_BYTES, 1048576.0},
    {"GB", GATE_AMOUNT_BYTES, 1073741824.0}, {"GiB", GATE_AMOUNT_BYTES, 1073741824.0},
    {"count", GATE_AMOUNT_COUNT, 1.0},
};

/* Read up to 18 digits as an integer. Digits after the decimal point decrease `*shift`. */
static bool read_digits(struct gate_str text, size_t *at, uint64_t *mantissa, int *shift) {
    unsigned digits = 0;
    bool point = false;
    for (; *at < text.len; (*at)++) {
        char c = text.ptr[*at];
        if (c == '.' && !point) {
            point = true;
            continue;
        }
        if (!gate_is_digit(c))
            break;
        if (++digits > 18)
            return false;
        *mantissa = *mantissa * 10 + (uint64_t)(c - '0');
        *shift -= point;
    }
    return digits > 0;
}

static bool read_exponent(struct gate_str text, size_t at, int *shift) {
    int exponent = 0;
    at++;
    bool negative = at < text.len && text.ptr[at] == '-';
    at += at < text.len && (text.ptr[at] == '-' || text.ptr[at] == '+');
    if (at == text.len || text.len - at > 3)
        return false;
    for (; at < text.len; at++) {
        if (!gate_is_digit(text.ptr[at]))
            return false;
        exponent = exponent * 10 + (text.ptr[at] - '0');
    }
    *shift += negative ? -exponent : exponent;
    return true;
}

bool gate_amount_decimal(double *value, struct gate_str text, int shift) {
    uint64_t mantissa = 0;
    size_t at = text.len > 0 && (text.ptr[0] == '+' || text.ptr[0] == '-');
    bool negative = at == 1 && text.ptr[0] == '-';
    if (!read_digits(text, &at, &mantissa, &shift))
        return false;
    if (at < text.len && (text.ptr[at] == 'e' || text.ptr[at] == 'E')) {
        if (!read_exponent(text, at, &shift))
            return false;
    } else if (at != text.len) {
        return false;
    }
    /* Powers of ten up to 22 are exact doubles, so the result is rounded once and equals the literal, such as 0.05. */
    double power = 1.0;
    double result = (double)mantissa;
    if (shift > 22 || shift < -22)
        return false;
    for (int i = 0; i < (shift < 0 ? -shift : shift); i++)
        power *= 10.0;
    result = shift < 0 ? result / power : result * power;
    *value = negative ? -result : result;
    return true;
}

static bool number_is_plain(struct gate_str number) {
    size_t whole = 0;
    while (whole < number.len && gate_is_digit(number.ptr[whole]))
        whole++;
    if (whole == 0 || whole > 12 || (whole > 1 && number.ptr[0] == '0'))
        return false;
    size_t decimals = number.len - whole;
    return decimals == 0 || (decimals >= 2 && decimals <= 7);
}

bool gate_amount_split(struct gate_amount *out, struct gate_str text) {
    size_t at = 0;
    *out = (struct gate_amount){0};
    if (text.len > 0 && (text.ptr[0] == '+' || text.ptr[0] == '-'))
        out->sign = text.ptr[at++];
    size_t from = at;
    while (at < text.len && gate_is_digit(text.ptr[at]))
        at++;
    if (at < text.len && text.ptr[at] == '.') {
        at++;
        while (at < text.len && gate_is_digit(text.ptr[at]))
            at++;
    }
    out->number = gate_str_slice(text, from, at);
    at += at < text.len && text.ptr[at] == ' ';
    out->unit = gate_str_slice(text, at, text.len);
    return number_is_plain(out->number);
}

bool gate_amount_has_unit(const struct gate_amount *amount, const char *unit) {
    return gate_str_equal(amount->unit, gate_str_from(unit));
}

/* Read number / 100, which must be in [0, 1). */
static bool read_fraction(double *value, const struct gate_amount *amount) {
    return gate_amount_decimal(value, amount->number, -2) && *value < 1.0;
}

bool gate_amount_gain(double *value, const struct gate_amount *amount) {
    return amount->sign == '+' && gate_amount_has_unit(amount, "pp") && read_fraction(value, amount);
}

bool gate_amount_points(double *value, const struct gate_amount *amount) {
    return amount->sign == 0 && gate_amount_has_unit(amount, "pp") && read_fraction(value, amount) && *value > 0.0;
}

bool gate_amount_share(double *value, const struct gate_amount *amount) {
    return amount->sign == 0 && gate_amount_has_unit(amount, "%") && read_fraction(value, amount);
}

bool gate_amount_level(double *value, const struct gate_amount *amount) {
    return gate_amount_share(value, amount) && *value > 0.0;
}

bool gate_amount_ratio(double *value, const struct gate_amount *amount) {
    return amount->sign == 0 && gate_amount_has_unit(amount, "x") && gate_amount_decimal(value, amount->number, 0) &&
           *value >= 1.0 && *value < 1000.0;
}

bool gate_amount_days(double *value, const struct gate_amount *amount) {
    return amount->sign == 0 && gate_amount_has_unit(amount, "d") && gate_amount_decimal(value, amount->number, 0) &&
           *value > 0.0 && *value < 10000.0;
}

/* Read "-10%" or "0.9x" as 0.9. */
static bool amount_loss(double *value, const struct gate_amount *amount) {
    if (amount->sign == 0 && gate_amount_has_unit(amount, "x"))
        return gate_amount_decimal(value, amount->number, 0) && *value > 0.0 && *value <= 1.0;
    if (amount->sign != '-' || !gate_amount_has_unit(amount, "%") || !read_fraction(value, amount))
        return false;
    *value = 1.0 - *value;
    return true;
}

static bool read_quantity(double *value, const struct gate_amount *amount) {
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (gate_amount_has_unit(amount, units[i].name)) {
            if (!gate_amount_decimal(value, amount->number, 0))
                return false;
            *value *= units[i].scale;
            return *value > 0.0;
        }
    return false;
}

bool gate_amount_absolute(double *value, const struct gate_amount *amount) {
    return amount->sign == 0 && read_quantity(value, amount);
}

/* Read "+1kB" as 1024, in ns, bytes or a count. */
static bool amount_more(double *value, const struct gate_amount *amount) {
    return amount->sign == '+' && read_quantity(value, amount);
}

enum gate_amount_dimension gate_amount_dimension_of(struct gate_str text) {
    struct gate_amount amount;
    if (!gate_amount_split(&amount, text))
        return GATE_AMOUNT_NOT_ABSOLUTE;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (gate_amount_has_unit(&amount, units[i].name))
            return units[i].dimension;
    return GATE_AMOUNT_NOT_ABSOLUTE;
}

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

/* ---- hints for common mistakes with signs and units -------------------------------------------------------------- */

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

/* Growth that no profile can show: of a share, and of a ratio. */
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
                             .read = amount_loss,
                             .tip = tip_decrease,
                             .bounds = GATE_QUANTITY_RATIO,
                             .is_unmistakable = true,
                             .sign = "",
                             .tail = "% that must stay",
                             .base = 1.0},
    [GATE_LIMIT_GROWTH] = {.key = "growth",
                           .wants = "an amount with its sign and unit, such as '+5MB' or '+100count'",
                           .read = amount_more,
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
