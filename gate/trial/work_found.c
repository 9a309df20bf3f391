/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers in what a run printed (see work_found.h). */
#include "gate/trial/work_found.h"

#include <math.h>
#include <stdlib.h>

enum { NUMBER_BYTES = 40, SHOWN_BYTES = 200 };

/* "1234", "12.5", "1,234": separators of thousands are commas, as Go's and wrk's programs print them. */
static bool found_number(double *out, struct gate_str text) {
    char number[NUMBER_BYTES];
    size_t len = 0;
    for (size_t i = 0; i < text.len && len + 1 < sizeof number; i++)
        if (text.ptr[i] != ',')
            number[len++] = text.ptr[i];
    char *end = number;
    number[len] = '\0';
    bool is_digit = number[0] >= '0' && number[0] <= '9';
    *out = strtod(number, &end);
    return is_digit && *end == '\0' && len + 1 < sizeof number && isfinite(*out);
}

bool gate_work_found_add(double *out, const struct gate_regex *regex, struct gate_str printed, struct gate_error *err) {
    size_t from = 0;
    uint32_t matches = 0;
    struct gate_str group;
    double sum = 0, number = 0;
    enum gate_regex_result found;
    while ((found = gate_regex_next(regex, printed, &from, &group)) == GATE_REGEX_YES) {
        if (!found_number(&number, group))
            return gate_error_set(err, GATE_ERR_INPUT, "'try.work' found '%.*s' where a number should be",
                                  group.len > SHOWN_BYTES ? SHOWN_BYTES : (int)group.len, group.ptr);
        sum += number;
        matches++;
    }
    if (found == GATE_REGEX_TOO_HARD)
        return gate_error_set(err, GATE_ERR_INPUT, "'try.work' is too hard to match, or the run printed no UTF-8");
    if (matches == 0 || sum <= 0) {
        struct gate_str end = gate_str_trim(printed);
        end = gate_str_slice(end, end.len > SHOWN_BYTES ? end.len - SHOWN_BYTES : 0, end.len);
        return gate_error_set(err, GATE_ERR_INPUT, "'try.work' %s in what the run printed, which ends with '%.*s'",
                              matches == 0 ? "matches nothing" : "adds up to nothing", GATE_STR_ARG(end));
    }
    *out = sum;
    return true;
}
