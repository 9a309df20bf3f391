/* SPDX-License-Identifier: Apache-2.0 */
/* Errors as values: who failed, where in the user's file, and what to do next. Used by every stage. */
#ifndef GATE_BASE_ERROR_H
#define GATE_BASE_ERROR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GATE_MUST_CHECK __attribute__((warn_unused_result))
/** Of an enum that stands in records of which there are many: a byte. */
#define GATE_ONE_BYTE __attribute__((packed))
#define GATE_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))

/** What kind of thing went wrong; the exit status follows from it. */
enum gate_error_code {
    GATE_OK = 0,
    GATE_ERR_USAGE,    /* the command line */
    GATE_ERR_CONFIG,   /* the rules file; line and column are set */
    GATE_ERR_IO,       /* the operating system refused */
    GATE_ERR_FORMAT,   /* bytes are not what they claim to be */
    GATE_ERR_INPUT,    /* well-formed, but it cannot be compared */
    GATE_ERR_LIMIT,    /* a cap was reached; the message names its option */
    GATE_ERR_OVERFLOW, /* a sum left int64_t */
    GATE_ERR_MEMORY    /* the system has no memory left */
};

/** Caller-owned error. `line` and `column` count from 1; 0 is "does not apply". */
struct gate_error {
    enum gate_error_code code;
    uint32_t line;
    uint32_t column;
    char message[1024];
};

/**
 * Record an error. Always returns false, so that an error path is `return gate_error_set(...)`.
 * Bytes that are not printable ASCII or valid UTF-8 are left as they are: escape when showing.
 */
bool gate_error_set(struct gate_error *err, enum gate_error_code code, const char *format, ...) GATE_PRINTF(3, 4);

/** The same, at a place in the user's file. */
bool gate_error_set_at(struct gate_error *err, enum gate_error_code code, uint32_t line, uint32_t column,
                       const char *format, ...) GATE_PRINTF(5, 6);

/** A programmer's mistake: print the place, exit with status 70. Stays in release builds. */
_Noreturn void gate_assert_failed(const char *condition, const char *file, int line);

#define GATE_ASSERT(condition) ((condition) ? (void)0 : gate_assert_failed(#condition, __FILE__, __LINE__))

#endif
