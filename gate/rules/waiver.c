/* SPDX-License-Identifier: Apache-2.0 */
/* Dates and expired budgets. */
#include "gate/rules/waiver.h"

#include "gate/rules/rules.h"

static unsigned two_digits(struct gate_str text, size_t at) {
    return (unsigned)(text.ptr[at] - '0') * 10 + (unsigned)(text.ptr[at + 1] - '0');
}

bool gate_waiver_date_is_valid(struct gate_str text) {
    static const unsigned days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    if (text.len != 10 || text.ptr[4] != '-' || text.ptr[7] != '-')
        return false;
    for (size_t i = 0; i < 10; i++)
        if (i != 4 && i != 7 && (text.ptr[i] < '0' || text.ptr[i] > '9'))
            return false;
    unsigned year = two_digits(text, 0) * 100 + two_digits(text, 2);
    unsigned month = two_digits(text, 5);
    unsigned day = two_digits(text, 8);
    if (year < 1970 || month < 1 || month > 12 || day < 1)
        return false;
    bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return day <= days[month - 1] + (month == 2 && leap ? 1 : 0);
}

bool gate_waiver_is_expired(const struct gate_budget *budget, struct gate_str today) {
    return budget->expires.len != 0 && today.len != 0 && gate_str_compare(budget->expires, today) < 0;
}

struct gate_str gate_waiver_sentence(const struct gate_budget *budget, struct gate_arena *arena) {
    bool has_reason = budget->reason.len != 0;
    return gate_str_format(arena, "this waiver expired on %.*s%s%.*s%s", GATE_STR_ARG(budget->expires),
                           has_reason ? " (" : "", GATE_STR_ARG(budget->reason), has_reason ? ")" : "");
}

struct gate_str gate_waiver_advice(const struct gate_budget *budget, struct gate_arena *arena) {
    return gate_str_format(arena, "renew it with a reason, or remove it%s%.*s",
                           budget->owner.len == 0 ? "" : "; owner: ", GATE_STR_ARG(budget->owner));
}
