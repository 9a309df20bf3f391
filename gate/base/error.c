/* SPDX-License-Identifier: Apache-2.0 */
/* Errors as values and fatal assertions. */
#include "gate/base/error.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

const char *gate_error_kind(enum gate_error_code code) {
    static const char *const kinds[] = {[GATE_OK] = "",
                                        [GATE_ERR_USAGE] = "usage",
                                        [GATE_ERR_CONFIG] = "rules",
                                        [GATE_ERR_IO] = "file",
                                        [GATE_ERR_FORMAT] = "profile",
                                        [GATE_ERR_INPUT] = "profile",
                                        [GATE_ERR_LIMIT] = "limit",
                                        [GATE_ERR_OVERFLOW] = "profile",
                                        [GATE_ERR_MEMORY] = "limit"};
    GATE_ASSERT((size_t)code < sizeof kinds / sizeof *kinds);
    return kinds[code];
}

static void error_format(struct gate_error *err, enum gate_error_code code, uint32_t line, uint32_t column,
                         const char *format, va_list args) GATE_PRINTF(5, 0);

static void error_format(struct gate_error *err, enum gate_error_code code, uint32_t line, uint32_t column,
                         const char *format, va_list args) {
    /* A temporary copy, because the arguments may quote the message that `err` holds. */
    char message[sizeof err->message];
    (void)vsnprintf(message, sizeof message, format, args);
    err->code = code;
    err->line = line;
    err->column = column;
    (void)snprintf(err->message, sizeof err->message, "%s", message);
}

bool gate_error_set(struct gate_error *err, enum gate_error_code code, const char *format, ...) {
    va_list args;
    va_start(args, format);
    error_format(err, code, 0, 0, format, args);
    va_end(args);
    return false;
}

bool gate_error_set_at(struct gate_error *err, enum gate_error_code code, uint32_t line, uint32_t column,
                       const char *format, ...) {
    va_list args;
    va_start(args, format);
    error_format(err, code, line, column, format, args);
    va_end(args);
    return false;
}

bool gate_error_prefix(struct gate_error *err, const char *format, ...) {
    char place[sizeof err->message];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(place, sizeof place, format, args);
    va_end(args);
    return gate_error_set(err, err->code, "%s: %s", place, err->message);
}

bool gate_error_prefix_file(struct gate_error *err, const char *name) {
    return err->line == 0 ? gate_error_prefix(err, "%s", name)
                          : gate_error_prefix(err, "%s:%u:%u", name, (unsigned)err->line, (unsigned)err->column);
}

void gate_assert_failed(const char *condition, const char *file, int line) {
    (void)fprintf(stderr, "pprofgate: bug: %s:%d: %s does not hold; please report it\n", file, line, condition);
    exit(70);
}
