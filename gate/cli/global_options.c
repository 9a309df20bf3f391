/* SPDX-License-Identifier: Apache-2.0 */
/* Options that every command has, and --force. */
#include "gate/cli/global_options.h"

#include "gate/cli/options.h"
#include "gate/session/session.h"

#define AT(field) offsetof(struct gate_session, field)

static const char *const colour_words[] = {
    [GATE_COLOUR_AUTO] = "auto", [GATE_COLOUR_ALWAYS] = "always", [GATE_COLOUR_NEVER] = "never", NULL};

static const char *const error_words[] = {[GATE_ERRORS_TEXT] = "text", [GATE_ERRORS_JSON] = "json", NULL};

/* Never called: the parser handles --help before it searches the rows (cli/options.h). The row is for the help text. */
static bool read_help(const struct gate_option_use *use, struct gate_error *err) {
    (void)use;
    (void)err;
    return true;
}

static const struct gate_option output_rows[] = {
    {"force", 0, NULL, "overwrite files that pprofgate did not write; an input is never overwritten",
     gate_option_value_flag, AT(is_forced), NULL},
    {0},
};

const struct gate_option_group gate_manner_outputs = {"Files that exist already:", output_rows, NULL, false};

static const struct gate_option manner_rows[] = {
    {"color", 0, "WHEN",
     "auto (default: on a terminal; not with NO_COLOR in the environment, everywhere with CLICOLOR_FORCE), always or "
     "never",
     gate_option_value_word, AT(colour), colour_words},
    {"verbose", 'v', NULL,
     "print the full report, and on standard error which files are read and written, which rules apply and why, and "
     "how long each stage takes",
     gate_option_value_flag, AT(is_verbose), NULL},
    {"error-format", 0, "FORMAT",
     "text (default), or json: one line with the kind of the error (usage, rules, file, profile, limit) and its "
     "message",
     gate_option_value_word, AT(errors), error_words},
    {"timings", 0, NULL, "print on standard error the wall time, CPU time and peak memory of each stage",
     gate_option_value_flag, AT(is_timed), NULL},
    {"help", 'h', NULL, "this text", read_help, 0, NULL},
    {0},
};

const struct gate_option_group gate_global_options = {"Global options:", manner_rows, NULL, false};
