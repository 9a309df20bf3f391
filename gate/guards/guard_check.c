/* SPDX-License-Identifier: Apache-2.0 */
/* How a guard says what it found (see guard_check.h). */
#include "gate/guards/guard_check.h"

#include <stdarg.h>
#include <stdio.h>

const char *gate_guard_check_side(uint32_t side) {
    return side == GATE_BASELINE ? "baseline" : "canary";
}

bool gate_guard_check_warn(struct gate_guard_check *check, enum gate_guard guard, const char *format, ...) {
    char text[900];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    /* A message that was cut may end inside a character of some name. */
    struct gate_str message = gate_str_repair_utf8(check->arena, gate_str_copy(check->arena, gate_str_from(text)));
    if (message.ptr == NULL)
        return gate_arena_error(check->arena, check->err);
    GATE_ASSERT(check->count < GATE_GUARD_NAMES);
    check->items[check->count++] =
        (struct gate_warning){.code = gate_str_from(gate_guard_name(guard)), .message = message};
    return true;
}
