/* SPDX-License-Identifier: Apache-2.0 */
/* Days and waivers (see waiver.h). */
#include "gate/rules/waiver.h"

#include <stdio.h>

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
    return budget->expires.len != 0 && gate_str_compare(budget->expires, today) < 0;
}

static bool expiry_error(const struct gate_rules *rules, const struct gate_budget *budget, struct gate_error *err) {
    bool own = gate_str_equal(budget->source, rules->source);
    char place[600] = "";
    char reason[700] = "";
    if (!own)
        (void)snprintf(place, sizeof place, "%.*s:%u:%u: ", budget->source.len > 500 ? 500 : (int)budget->source.len,
                       budget->source.ptr, (unsigned)budget->line, (unsigned)budget->column);
    if (budget->reason.len != 0)
        (void)snprintf(reason, sizeof reason, " (%.*s)", budget->reason.len > 600 ? 600 : (int)budget->reason.len,
                       budget->reason.ptr);
    return gate_error_set_at(err, GATE_ERR_CONFIG, own ? budget->line : 0, own ? budget->column : 0,
                             "%sbudget '%.*s' expired on %.*s%s%s%.*s: renew it with a reason, or remove it", place,
                             GATE_STR_ARG(budget->name), GATE_STR_ARG(budget->expires), reason,
                             budget->owner.len == 0 ? "" : ", ask ", GATE_STR_ARG(budget->owner));
}

bool gate_waiver_check(const struct gate_rules *rules, struct gate_str today, struct gate_error *err) {
    for (uint32_t i = 0; i < rules->budget_count; i++)
        if (gate_waiver_is_expired(&rules->budgets[i], today)) /* also one that is off: that is the usual waiver */
            return expiry_error(rules, &rules->budgets[i], err);
    return true;
}
