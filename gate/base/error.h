/* SPDX-License-Identifier: Apache-2.0 */
/* Error codes and messages, with line and column of the user's file, and fatal assertions. */
#ifndef GATE_BASE_ERROR_H
#define GATE_BASE_ERROR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GATE_MUST_CHECK __attribute__((warn_unused_result))

/** Makes an enum one byte large. For enums in records that exist in large numbers. */
#define GATE_ONE_BYTE __attribute__((packed))

#define GATE_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))

/** Kind of error; it determines the exit status. */
enum gate_error_code {
    GATE_OK = 0,
    GATE_ERR_USAGE,    /* error in the command line */
    GATE_ERR_CONFIG,   /* error in the rules file; line and column are set */
    GATE_ERR_IO,       /* a system call failed */
    GATE_ERR_FORMAT,   /* malformed input */
    GATE_ERR_INPUT,    /* well-formed input that cannot be compared */
    GATE_ERR_LIMIT,    /* a limit was reached; the message names the option that raises it */
    GATE_ERR_OVERFLOW, /* a sum does not fit int64_t */
    GATE_ERR_MEMORY    /* the system has no memory left */
};

/** Return the kind of an error in one word, for programs: "usage", "rules", "file", "profile" or "limit"; "" for
 * GATE_OK. Malformed profiles, profiles that cannot be compared and overflows are of one kind, and so are limits and
 * memory. */
const char *gate_error_kind(enum gate_error_code code);

/** An error, owned by the caller. `line` and `column` count from 1; 0 means that they do not apply. */
struct gate_error {
    enum gate_error_code code;
    uint32_t line;
    uint32_t column;
    char message[1024];
};

/**
 * Record an error. Always returns false, so that an error path is `return gate_error_set(...)`.
 *
 * The arguments may quote `err->message`. Bytes that are not printable ASCII or valid UTF-8 are kept: escape the
 * message when showing it.
 */
bool gate_error_set(struct gate_error *err, enum gate_error_code code, const char *format, ...) GATE_PRINTF(3, 4);

/** Like gate_error_set, with `line` and `column` in the user's file. */
bool gate_error_set_at(struct gate_error *err, enum gate_error_code code, uint32_t line, uint32_t column,
                       const char *format, ...) GATE_PRINTF(5, 6);

/** Put what `format` prints and ": " in front of the message, such as the option or the file that it is about. `line`
 * and `column` become 0. Always returns false. */
bool gate_error_prefix(struct gate_error *err, const char *format, ...) GATE_PRINTF(2, 3);

/** Put the name of a file, and the line and the column if the error has them, in front of the message. Always returns
 * false. */
bool gate_error_prefix_file(struct gate_error *err, const char *name);

/**
 * Report a bug in this program: print the failed condition and its place, and exit with status 70. Also active in
 * release builds.
 */
_Noreturn void gate_assert_failed(const char *condition, const char *file, int line);

#define GATE_ASSERT(condition) ((condition) ? (void)0 : gate_assert_failed(#condition, __FILE__, __LINE__))

#endif
