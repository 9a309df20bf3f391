/* SPDX-License-Identifier: Apache-2.0 */
/* Units of values. Aliases are those of google/pprof (internal/measurement) and the IEC names. */
#include "gate/model/unit.h"

#include "gate/base/buf.h"
#include "gate/base/figures.h"

#include <math.h>

enum unit_family { FAMILY_TIME, FAMILY_BYTES };

/* Ascending within a family. The first alias is printed. Aliases of more than two letters have plurals. Comparison
 * ignores case. */
static const struct gate_unit {
    enum unit_family family;
    int64_t factor; /* in ns or bytes */
    const char *aliases[5];
} units[] = {
    {FAMILY_TIME, 1, {"ns", "nanosecond", "nsec"}},
    {FAMILY_TIME, 1000, {"us", "microsecond", "usec", "\xC2\xB5s", "\xCE\xBCs"}},
    {FAMILY_TIME, 1000000, {"ms", "millisecond", "msec"}},
    {FAMILY_TIME, 1000000000, {"s", "second", "sec"}},
    {FAMILY_TIME, INT64_C(60) * 1000000000, {"min", "minute"}},
    {FAMILY_TIME, INT64_C(3600) * 1000000000, {"h", "hour", "hr"}},
    {FAMILY_TIME, INT64_C(86400) * 1000000000, {"d", "day"}},
    {FAMILY_BYTES, 1, {"B", "byte"}},
    {FAMILY_BYTES, INT64_C(1) << 10, {"kB", "kilobyte", "kbyte", "KiB", "kibibyte"}},
    {FAMILY_BYTES, INT64_C(1) << 20, {"MB", "megabyte", "mbyte", "MiB", "mebibyte"}},
    {FAMILY_BYTES, INT64_C(1) << 30, {"GB", "gigabyte", "gbyte", "GiB", "gibibyte"}},
    {FAMILY_BYTES, INT64_C(1) << 40, {"TB", "terabyte", "tbyte", "TiB", "tebibyte"}},
    {FAMILY_BYTES, INT64_C(1) << 50, {"PB", "petabyte", "pbyte", "PiB", "pebibyte"}},
};

enum { UNIT_COUNT = sizeof units / sizeof *units, UNIT_SECOND = 3, UNIT_HOUR = 5 };

static bool same_word(struct gate_str text, const char *word) {
    return text.len == strlen(word) && gate_str_starts_nocase(text, gate_str_from(word));
}

const struct gate_unit *gate_unit_find(struct gate_str text) {
    text = gate_str_trim(text);
    struct gate_str singular = text;
    if (text.len > 2 && gate_lower(text.ptr[text.len - 1]) == 's')
        singular.len--;
    for (size_t i = 0; i < UNIT_COUNT; i++)
        for (size_t j = 0; j < 5 && units[i].aliases[j] != NULL; j++) {
            /* Only aliases longer than two letters have a plural: "ms" must not be read as the plural of "m". */
            if (same_word(text, units[i].aliases[j]) ||
                (strlen(units[i].aliases[j]) > 2 && same_word(singular, units[i].aliases[j])))
                return &units[i];
        }
    return NULL;
}

int64_t gate_unit_ratio(struct gate_str coarser, struct gate_str finer) {
    const struct gate_unit *a = gate_unit_find(coarser);
    const struct gate_unit *b = gate_unit_find(finer);
    if (a == NULL || b == NULL)
        return gate_str_equal(coarser, finer) ? 1 : 0;
    return a->family == b->family && a->factor >= b->factor ? a->factor / b->factor : 0;
}

/* Print three significant digits without trailing zeros. */
static void significant_print(struct gate_buf *out, double value) {
    int decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
    gate_buf_fixed(out, value, decimals);
    if (decimals == 0 || out->failed)
        return;
    while (out->ptr[out->len - 1] == '0')
        out->len--;
    if (out->ptr[out->len - 1] == '.')
        out->len--;
}

/* From a minute to 100 hours, a time is printed as "1m15s" or "2h5m". */
static const double MINUTE_NS = 60e9, LONG_NS = 360000e9;

void gate_unit_print_known(struct gate_buf *out, int64_t value, const struct gate_unit *unit) {
    uint64_t magnitude = value < 0 ? (uint64_t)0 - (uint64_t)value : (uint64_t)value;
    if (value < 0)
        gate_buf_char(out, '-');
    if (unit == NULL) {
        gate_figures_whole(out, magnitude);
        return;
    }
    double base = (double)magnitude * (double)unit->factor;
    if (unit->family == FAMILY_TIME && base >= MINUTE_NS && base < LONG_NS) {
        gate_figures_seconds(out, round(base / 1e9));
        return;
    }
    const struct gate_unit *to = unit == &units[UNIT_HOUR + 1] && magnitude != 0 ? &units[UNIT_HOUR] : unit;
    double shown = base / (double)to->factor;
    while (magnitude != 0 && to + 1 < units + UNIT_COUNT && to != &units[UNIT_HOUR] && to[1].family == to->family) {
        double coarser = base / (double)to[1].factor;
        /* Use the next unit if rounding would print four digits: 999.6 kB would be 1000 kB. */
        if (coarser < (to->family == FAMILY_TIME && to >= &units[UNIT_SECOND] ? 1 : 0.9995))
            break;
        shown = coarser;
        to++;
    }
    significant_print(out, shown);
    gate_buf_text(out, to->aliases[0]);
}

void gate_unit_print(struct gate_buf *out, int64_t value, struct gate_str unit) {
    gate_unit_print_known(out, value, gate_unit_find(unit));
}

/* Parse digits with at most one decimal point, independent of the locale. No sign, no exponent. `*rest` is set to
 * the text after the number. */
static bool number_parse(double *value, struct gate_str text, struct gate_str *rest) {
    double result = 0, place = 1;
    size_t i = 0, digits = 0;
    bool fraction = false;
    for (; i < text.len; i++) {
        char c = text.ptr[i];
        if (c == '.' && !fraction) {
            fraction = true;
        } else if (gate_is_digit(c)) {
            digits++;
            result = result * 10 + (c - '0');
            place *= fraction ? 10 : 1;
        } else {
            break;
        }
    }
    *value = result / place;
    *rest = gate_str_trim(gate_str_slice(text, i, text.len));
    return digits != 0 && digits <= 30 && isfinite(*value);
}

bool gate_unit_parse(double *value, struct gate_str text, struct gate_str unit) {
    struct gate_str rest = {NULL, 0};
    double number = 0;
    if (!number_parse(&number, gate_str_trim(text), &rest))
        return false;
    const struct gate_unit *from = gate_unit_find(rest);
    const struct gate_unit *to = gate_unit_find(unit);
    if (rest.len == 0 || (from == NULL && gate_str_equal(rest, unit))) {
        *value = number;
        return true;
    }
    if (from == NULL || to == NULL || from->family != to->family)
        return false;
    *value = number * ((double)from->factor / (double)to->factor);
    return true;
}
