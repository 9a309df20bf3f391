/* SPDX-License-Identifier: Apache-2.0 */
/* Profiles without names (see unsymbolised.h). */
#include "gate/compare/unsymbolised.h"

/* Shorter ones are words: "add", "face", "0x1". */
enum { MARKED_DIGITS_MIN = 3, BARE_DIGITS_MIN = 8 };

static bool is_hex_digit(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

bool gate_unsymbolised_is_address(struct gate_str name) {
    static const char *const marks[] = {"0x", "0X", "sub_", "fun_", "FUN_"};
    bool is_marked = false;
    bool has_digit = false;
    for (size_t i = 0; i < sizeof marks / sizeof *marks && !is_marked; i++)
        if (gate_str_starts(name, gate_str_from(marks[i]))) {
            name = gate_str_slice(name, strlen(marks[i]), name.len);
            is_marked = true;
        }
    for (size_t i = 0; i < name.len; i++) {
        if (!is_hex_digit(name.ptr[i]))
            return false;
        has_digit = has_digit || (name.ptr[i] >= '0' && name.ptr[i] <= '9');
    }
    return has_digit && name.len >= (is_marked ? MARKED_DIGITS_MIN : BARE_DIGITS_MIN);
}

bool gate_unsymbolised_refuse(const struct gate_pair *pair, struct gate_error *err) {
    if (pair->granularity == GATE_BY_MAPPING || pair->frame_count == 0)
        return true;
    for (uint32_t i = 0; i < pair->frame_count; i++)
        if (pair->frames[i].is_symbolised)
            return true;
    return gate_error_set(err, GATE_ERR_INPUT,
                          "%.*s: no function has a name on either side, so nothing can be told apart: profile binaries "
                          "with symbols, or compare whole binaries with '--granularity mapping'",
                          GATE_STR_ARG(pair->sides[GATE_BASELINE].runs[0].input.path));
}
