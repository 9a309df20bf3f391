/* SPDX-License-Identifier: Apache-2.0 */
/* Command lines: rows of options, each with the reader of its value and the place that this goes to.
 * A new option is one row, and a reader (cli/option_value.h) where its value is of a new kind. Parsing and --help both
 * walk the rows.
 * Pipeline: argv -> cli/options.h -> the struct of a command (cli/command.h) */
#ifndef GATE_CLI_OPTIONS_H
#define GATE_CLI_OPTIONS_H

#include "gate/base/buf.h"
#include "gate/cli/paths.h"

struct gate_option;

/** One option as it stands on a command line. */
struct gate_option_use {
    const struct gate_option *option;
    const char *value; /* NULL: a flag */
    void *out;         /* `option->at` in the struct that the group of rows fills */
    struct gate_arena *arena;
};

/** Take the value into `use->out`; GATE_ERR_USAGE with the option's name, what was expected and what was found. */
typedef bool gate_option_reader(const struct gate_option_use *use, struct gate_error *err);

/** A row without a name ends a table. */
struct gate_option {
    const char *name;
    char letter;            /* or 0 */
    const char *value_name; /* NULL: a flag */
    const char *help;
    gate_option_reader *read;
    size_t at;         /* offset of what the reader writes */
    const void *words; /* what the value may be, NULL-terminated, for gate_option_value_word and completions; or NULL */
};

/** Rows that stand together, under a heading or, with a NULL `heading`, right behind those before them. */
struct gate_option_group {
    const char *heading;
    const struct gate_option *rows; /* or NULL: `row` gives them */
    /** Row `index` of a group that is made from another table; name NULL past its end. False: the arena is full. */
    bool (*row)(struct gate_option *out, size_t index, struct gate_arena *arena);
};

/** A group that a command takes, and where in the command's struct the group's own struct lies. */
struct gate_option_binding {
    const struct gate_option_group *group; /* NULL ends a list */
    size_t at;
};

/** Every row of a command, bound to what the command line is read into. Arena memory. */
struct gate_options {
    struct gate_option_bound *items;
    size_t count;
    size_t capacity;
};

/** All rows of `bindings` on `wanted`. err: GATE_ERR_LIMIT, GATE_ERR_MEMORY. */
GATE_MUST_CHECK
bool gate_options_bind(struct gate_options *out, const struct gate_option_binding *bindings, void *wanted,
                       struct gate_arena *arena, struct gate_error *err);

/**
 * Read a command line: what is not an option goes to `arguments`. "--" ends options, "-" alone is an argument,
 * "--name value", "--name=value", "-x value" and "-xvalue" are understood.
 * Words right behind the value of an option whose value name ends in "..." are more values of it.
 *
 * wants_help  true for --help and -h, and then nothing behind them is read
 * err         GATE_ERR_USAGE an unknown option (with the nearest one), a value missing, one too many or refused
 */
GATE_MUST_CHECK
bool gate_options_read(const struct gate_options *options, struct gate_paths *arguments, bool *wants_help, int argc,
                       const char *const *argv, struct gate_arena *arena, struct gate_error *err);

/** More rows, on `base`. err: GATE_ERR_LIMIT, GATE_ERR_MEMORY. */
GATE_MUST_CHECK
bool gate_options_add(struct gate_options *options, const struct gate_option_group *group, void *base,
                      struct gate_arena *arena, struct gate_error *err);

/** Row `index` in the order of the help; a heading is a row with a NULL name, whose `help` it is. Past the end: NULL.
 */
const struct gate_option *gate_options_row(const struct gate_options *options, size_t index);

/** The options as help text, 80 columns. */
void gate_options_help(struct gate_buf *out, const struct gate_options *options);

#endif
