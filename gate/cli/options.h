/* SPDX-License-Identifier: Apache-2.0 */
/* Parses command lines by tables of options, and reads option values. */
#ifndef GATE_CLI_OPTIONS_H
#define GATE_CLI_OPTIONS_H

#include "gate/base/buf.h"
#include "gate/capture/paths.h"

/* A table has a row per option: the reader of its value, and the offset of the field that it writes. To add an
 * option, add a row, and a reader if its value has a new type. Parser and --help both iterate over the rows. */

struct gate_option;

/** One occurrence of an option on a command line. */
struct gate_option_use {
    const struct gate_option *option;
    const char *value; /* NULL: a flag */
    void *out;         /* where to store the value: `option->at` in the group's struct */
    struct gate_arena *arena;
};

/** Parse the value and store it in `use->out`. err: GATE_ERR_USAGE with the option's name, what was expected and
 * found. */
typedef bool gate_option_reader(const struct gate_option_use *use, struct gate_error *err);

/** Kind of output that an option names. */
enum gate_option_output { GATE_OPTION_NO_OUTPUT, GATE_OPTION_FILE, GATE_OPTION_FOLDER, GATE_OPTION_STORE };

/** One option. A row without a name ends a table. */
struct gate_option {
    const char *name;
    char letter;            /* short option; 0: none */
    const char *value_name; /* NULL: a flag */
    const char *help;
    gate_option_reader *read;
    size_t at;         /* offset in the group's struct of the field that `read` writes */
    const void *words; /* allowed values, NULL-terminated, for gate_option_value_word and completions; or NULL */
    enum gate_option_output output;
};

/** Rows that the help lists together under a heading; a NULL `heading` continues the group before. */
struct gate_option_group {
    const char *heading;
    const struct gate_option *rows; /* if NULL, `row` returns them */
    /** Make row `index` of a group that comes from another table; a NULL name ends it. Returns false if the arena is
     * full. */
    bool (*row)(struct gate_option *out, size_t index, struct gate_arena *arena);
    bool is_rare; /* rarely used: only `help COMMAND --all` and the manual show them */
    /** Set the defaults of the group's struct that are not zero; NULL: all are zero. */
    void (*begin)(void *to);
    /** Return what the values need besides files, an or of enum gate_sandbox_need; NULL: nothing. */
    unsigned (*needs)(const void *options);
};

/** A group of a command, and the offset of the group's struct in the command's struct. */
struct gate_option_binding {
    const struct gate_option_group *group; /* NULL ends a list */
    size_t at;
};

/** All rows of a command, bound to the struct that receives the values. Allocated from an arena. */
struct gate_options {
    struct gate_option_bound *items;
    size_t count;
    size_t capacity;
};

/** Bind all rows of `bindings` to the struct `wanted`. */
GATE_MUST_CHECK
bool gate_options_bind(struct gate_options *out, const struct gate_option_binding *bindings, void *wanted,
                       struct gate_arena *arena, struct gate_error *err);

/**
 * Parse a command line. Words that are not options go to `arguments`. "--" ends the options, and "-" alone is an
 * argument. Accepts "--name value", "--name=value", "-x value" and "-xvalue". If the value name of an option ends in
 * "...", all words after its value, up to the next option, are values too.
 *
 * wants_help  set by --help and -h, which end parsing
 * err         GATE_ERR_USAGE if an option is unknown (suggests the nearest one), or if a value is missing, superfluous
 *             or invalid
 */
GATE_MUST_CHECK
bool gate_options_read(const struct gate_options *options, struct gate_paths *arguments, bool *wants_help, int argc,
                       const char *const *argv, struct gate_arena *arena, struct gate_error *err);

/** Append the rows of `group`, bound to `base`. */
GATE_MUST_CHECK
bool gate_options_add(struct gate_options *options, const struct gate_option_group *group, void *base,
                      struct gate_arena *arena, struct gate_error *err);

/** Return the row of an option that names a file to write. */
struct gate_option gate_option_of_file(const char *name, const char *help, size_t at);

/** Return row `index` in the order of the help, or NULL past the end. A heading is a row with a NULL name and the
 * heading in `help`. */
const struct gate_option *gate_options_row(const struct gate_options *options, size_t index);

/** Append the help of the options, at most 80 columns wide. Returns how many rare ones were left out; with `is_whole`
 * none is. */
size_t gate_options_help(struct gate_buf *out, const struct gate_options *options, bool is_whole);

/** Return the path of the output that row `index` names, and set `*kind`. Returns NULL if the option names no output,
 * or if it was not given. */
const char *gate_options_output(enum gate_option_output *kind, const struct gate_options *options, size_t index);

/* Readers of option values, one per type. The comment of each names the type that `use->out` points to. */

gate_option_reader gate_option_value_flag; /* bool: true */

gate_option_reader gate_option_value_text; /* const char *: the value itself; the last occurrence is used */

gate_option_reader gate_option_value_view; /* struct gate_str: the value itself; the last occurrence is used */

gate_option_reader gate_option_value_path; /* struct gate_paths: appends the value */

/** size_t above zero: bytes, with an optional suffix k, M or G for powers of 1024. */
gate_option_reader gate_option_value_size;

/** uint64_t above zero: a count, with an optional suffix k, M or G for powers of 1000. */
gate_option_reader gate_option_value_count;

gate_option_reader gate_option_value_count32; /* uint32_t: like gate_option_value_count, clamped to UINT32_MAX */

gate_option_reader gate_option_value_positive; /* double: finite, above zero */

gate_option_reader gate_option_value_duration; /* double: s above zero, from "90", "90s", "5m", "1.5h" */

gate_option_reader gate_option_value_percent; /* double: a fraction, from a finite percentage of zero or more */

gate_option_reader gate_option_value_word; /* int: the index in `option->words` */

/** Parse a count as gate_option_value_count does, but accept zero. */
GATE_MUST_CHECK bool gate_option_value_whole(uint64_t *out, const char *text);

/* ---- options that every command has, and --force ----------------------------------------------------------------- */

/** --color, --verbose, --error-format, --timings, --help; fills a struct gate_session. */
extern const struct gate_option_group gate_global_options;

/** --force, for commands with outputs; fills a struct gate_session. */
extern const struct gate_option_group gate_force_options;

#endif
