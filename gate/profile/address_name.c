/* SPDX-License-Identifier: Apache-2.0 */
/* Which names are addresses (see address_name.h). */
#include "gate/profile/address_name.h"

/* What stands in front of an address, and how many digits have to follow. No identifier begins with "0x"; what
 * disassemblers write is a word, and may be one in a function's name: "sub_add". */
static const struct address_mark {
    const char *text;
    size_t digits;
    bool needs_decimal; /* one of 0 to 9 among them */
} marks[] = {
    {"0x", 1, false},  {"0X", 1, false},  {"sub_", 4, true}, {"fun_", 4, true},
    {"FUN_", 4, true}, {"fcn.", 4, true}, {"", 8, true},
};

static bool is_decimal(char c) {
    return c >= '0' && c <= '9';
}

static bool is_hexadecimal(char c) {
    return is_decimal(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static bool fits(const struct address_mark *mark, struct gate_str name) {
    size_t first = strlen(mark->text);
    bool has_decimal = false;
    if (!gate_str_starts(name, gate_str_from(mark->text)) || name.len < first + mark->digits)
        return false;
    for (size_t i = first; i < name.len; i++) {
        if (!is_hexadecimal(name.ptr[i]))
            return false;
        has_decimal = has_decimal || is_decimal(name.ptr[i]);
    }
    return has_decimal || !mark->needs_decimal;
}

/* Of most names the first two letters tell that no mark stands in front of them. */
static bool may_fit(struct gate_str name) {
    if (name.len < 3)
        return false;
    char first = name.ptr[0], second = name.ptr[1];
    if ((first == '0' && (second == 'x' || second == 'X')) || (first == 'F' && second == 'U'))
        return true;
    if ((first == 's' || first == 'f') && second == 'u')
        return true;
    return is_hexadecimal(first) && is_hexadecimal(second); /* "fcn." too */
}

bool gate_address_name_is(struct gate_str name) {
    if (!may_fit(name))
        return false;
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (fits(&marks[i], name))
            return true;
    return false;
}
