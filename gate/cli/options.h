/* SPDX-License-Identifier: Apache-2.0 */
/* Command lines: tables of options, walked in order, with help made from the same tables. */
#ifndef GATE_CLI_OPTIONS_H
#define GATE_CLI_OPTIONS_H

#include "gate/base/buf.h"

/** One option. `value_name` NULL: a flag. A NULL `name` ends a table; a `name` of "" starts a group headed `help`. */
struct gate_option {
    int id; /* > 0, the caller's */
    const char *name;
    char letter; /* or 0 */
    const char *value_name;
    const char *help;
};

enum { GATE_OPTION_END = 0, GATE_OPTION_ARGUMENT = -1, GATE_OPTION_ERROR = -2, GATE_OPTION_HELP = -3 };

/** A walk over `argv`; "--" ends options, "-" alone is an argument, "--name=value" and "-xvalue" are understood. */
struct gate_option_walk {
    const struct gate_option *options;
    const char *const *argv;
    int argc;
    int at;
    bool only_arguments;
    const char *value; /* of the option or argument just returned */
};

/**
 * The next option's id, GATE_OPTION_ARGUMENT, GATE_OPTION_HELP for --help and -h, GATE_OPTION_END, or
 * GATE_OPTION_ERROR with `err` set (GATE_ERR_USAGE with the nearest option).
 */
int gate_option_next(struct gate_option_walk *walk, struct gate_error *err);

/** The options as help text, 80 columns. */
void gate_option_help(struct gate_buf *out, const struct gate_option *options);

/** Whole numbers with an optional k, M or G (powers of 1024 for sizes). */
GATE_MUST_CHECK bool gate_option_size(size_t *out, const char *value, const char *option, struct gate_error *err);
/** A finite number above zero. */
GATE_MUST_CHECK bool gate_option_positive(double *out, const char *value, const char *option, struct gate_error *err);
/** A finite number, zero or above. */
GATE_MUST_CHECK bool gate_option_not_negative(double *out, const char *value, const char *option, struct gate_error *err);
/** The index in `words` (NULL-terminated) of `value`. */
GATE_MUST_CHECK bool gate_option_word(int *out, const char *value, const char *option, const char *const *words,
                                      struct gate_error *err);

#endif
