/* SPDX-License-Identifier: Apache-2.0 */
/* What every command is handed: its streams, its words, its arena; and how anything is said on those streams. */
#ifndef GATE_CLI_CLI_H
#define GATE_CLI_CLI_H

#include "gate/base/buf.h"
#include "gate/cli/github_output.h"
#include "gate/profile/steps.h"

#include <stdio.h>

struct gate_progress;
struct gate_symbol_source;

/** Bytes that stand for a file of this name: what was asked of a store (cli/backend_inputs.h). */
struct gate_cli_kept {
    const char *path;
    struct gate_str bytes;
};

/** What the run gave up (cli/sealing.h). */
struct gate_cli_sealing {
    bool is_wanted; /* the process is the run's own and may give up for good what it does not need */
    int state;      /* an enum gate_sandbox */
    unsigned needs; /* what was kept */
    int reason;     /* errno, where the system refused */
};

enum gate_cli_colour { GATE_COLOUR_AUTO, GATE_COLOUR_ALWAYS, GATE_COLOUR_NEVER };

struct gate_cli {
    FILE *in;
    FILE *out;
    FILE *err;
    int argc; /* words behind the command's name */
    const char *const *argv;
    struct gate_arena *arena;         /* of the run */
    const struct gate_cli_kept *kept; /* or NULL */
    uint32_t kept_count;
    struct gate_progress *progress;     /* cli/progress.h; NULL: nobody is told */
    struct gate_symbol_source *symbols; /* names for frames without one (cli/symbol_options.h); NULL: none yet */
    int status;                         /* exit status when nothing went wrong: an enum gate_exit */
    int colour;                         /* --color: an enum gate_cli_colour */
    bool is_verbose;                    /* --verbose */
    bool is_timed;                      /* --timings */
    struct gate_steps steps;            /* of all profiles of the run so far (cli/load_sides.h) */
    struct gate_cli_sealing sealing;
    struct gate_github_output told; /* what a verdict leaves for the steps of a job behind this one */
    struct gate_str blamed_path;    /* the file that an error's line and column are of; empty: the message says it */
    struct gate_str blamed_text;    /* its content, for the line with a caret; NULL: not shown */
};

/** "pprofgate: MESSAGE" on standard error, terminal-safe; what is blamed goes in front, its line with a caret below. */
void gate_cli_fail(struct gate_cli *cli, const struct gate_error *err);

/** "pprofgate: note: TEXT" on standard error, terminal-safe, also of a quiet run. */
void gate_cli_note(struct gate_cli *cli, struct gate_str text);

/** "pprofgate: TEXT" on standard error, terminal-safe, of a run with --verbose; of another nothing. */
void gate_cli_tell(struct gate_cli *cli, const char *format, ...) GATE_PRINTF(2, 3);

/** Write all of `text`; false when the stream fails (closed pipe, full disk). */
GATE_MUST_CHECK bool gate_cli_write(FILE *stream, struct gate_str text);

/** Write what a command shows to standard output. err: GATE_ERR_MEMORY `out` is not whole; GATE_ERR_IO. */
GATE_MUST_CHECK bool gate_cli_print(struct gate_cli *cli, const struct gate_buf *out, struct gate_error *err);

/** Lines longer than that are hard to read, shorter ones hold no table. */
enum { GATE_CLI_COLUMNS_MIN = 64, GATE_CLI_COLUMNS_MAX = 120 };

/** How wide text for `stream` is to be: a terminal's COLUMNS or its window, within those two; of no terminal `other`.
 */
uint32_t gate_cli_columns(FILE *stream, uint32_t other);

/**
 * Whether what goes to `stream` is coloured: as --color says; else as the environment says, not with NO_COLOR, and with
 * CLICOLOR_FORCE; else where it is a terminal and TERM is not dumb.
 */
bool gate_cli_wants_colour(const struct gate_cli *cli, FILE *stream);

#endif
