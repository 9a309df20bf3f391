/* SPDX-License-Identifier: Apache-2.0 */
/* Parses amounts of rules files. */
#include "gate/rules/amount.h"

#include "gate/base/str.h"

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

bool gate_amount_loss(double *value, const struct gate_amount *amount) {
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

bool gate_amount_more(double *value, const struct gate_amount *amount) {
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
