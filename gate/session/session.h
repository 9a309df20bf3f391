/* SPDX-License-Identifier: Apache-2.0 */
/* One run of the program: streams, colour (NO_COLOR), arena, limits, sandbox, symbols, progress, messages. */
#ifndef GATE_SESSION_SESSION_H
#define GATE_SESSION_SESSION_H

#include "gate/base/buf.h"
#include "gate/base/sandbox.h"
#include "gate/base/table.h"
#include "gate/model/limits.h"
#include "gate/report/github.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>

/* ---- progress: a line on the terminal, shown by commands that run longer than half a second (cli/command.c) ------ */

/** Progress display, with a thread of its own while it runs. */
struct gate_progress {
    FILE *stream;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    const char *stage; /* static text, or `text`; NULL: ended */
    char text[96];
    bool is_running;
    bool is_log;                 /* print a line per stage when it ends, with its duration */
    bool is_timed;               /* print every stage, with CPU time and memory */
    double since_s, cpu_since_s; /* CLOCK_MONOTONIC, CLOCK_PROCESS_CPUTIME_ID */
};

/** Delay before the first progress line, in ms. */
enum { GATE_PROGRESS_PATIENCE_MS = 500 };

/** Start showing `stage` on `stream`, after that delay. Shows nothing, and starts no thread, if `stream` is not a
 * terminal or TERM is dumb. */
void gate_progress_begin(struct gate_progress *progress, FILE *stream, const char *stage);

/** Print a line per stage with its duration, on any kind of `stream`. Stages below 5 ms are left out, unless
 * `is_timed`: then each stage is printed with CPU time and the peak resident set size so far. A NULL stage ends the
 * log. */
void gate_progress_log(struct gate_progress *progress, FILE *stream, const char *stage, bool is_timed);

/** Set the current stage. `progress` may be NULL or ended. */
void gate_progress_stage(struct gate_progress *progress, const char *stage);

/** Stop, and erase the progress line. `progress` may be NULL or ended. A log continues. */
void gate_progress_end(struct gate_progress *progress);

/* ---- source line of an error, with a caret ----------------------------------------------------------------------- */

/**
 * Append the source line of an error and a caret below its column, escaped for a terminal:
 *
 *      14 |       share_incraese: "+5pp"
 *         |       ^
 *
 * Appends nothing if `line` is 0 or past the end. Replaces control characters, and cuts long lines around the column.
 * Cost: O(text).
 */
void gate_caret_print(struct gate_buf *out, struct gate_str text, uint32_t line, uint32_t column);

/* ---- the session: what every command gets, and how it prints messages -------------------------------------------- */

struct gate_progress;

struct gate_symbol_source;

struct gate_summary_run;

/** An input that is not a file: a slice of a profile store (session/capture_options.h), or a run of a summary. */
struct gate_session_kept {
    const char *path;
    struct gate_str bytes;              /* unless `run` is set */
    const struct gate_summary_run *run; /* NULL: not of a summary */
};

/** A file of summaries whose runs are kept. */
struct gate_session_summary {
    const char *path;
    uint32_t first, count; /* its runs among those kept */
};

/** The sandbox of a run (gate_sandboxing_narrow). */
struct gate_session_sandbox {
    bool is_wanted; /* the process runs only this command, so it may drop privileges for good */
    unsigned needs; /* files and operations that are still allowed */
    struct gate_sandbox_state state;
    struct gate_sandbox_path *paths; /* files that stay allowed */
    size_t path_count;
    size_t path_capacity;
    const char **made; /* folders for outputs that were created ahead, parents first */
    size_t made_count;
    size_t made_capacity;
};

enum gate_session_colour { GATE_COLOUR_AUTO, GATE_COLOUR_ALWAYS, GATE_COLOUR_NEVER };

enum gate_session_errors { GATE_ERRORS_TEXT, GATE_ERRORS_JSON };

/** One run: its streams, its command line, its arena, its state. */
struct gate_session {
    FILE *in;
    FILE *out;
    FILE *err; /* messages; NULL: none are printed */
    int argc;  /* words after the command's name */
    const char *const *argv;
    struct gate_arena *arena;       /* arena of the run */
    struct gate_session_kept *kept; /* inputs that are not files (session/input.h) */
    struct gate_table kept_names;   /* their paths, in the same order */
    size_t kept_capacity;
    struct gate_session_summary *summaries;
    uint32_t summary_count;
    size_t summary_capacity;
    struct gate_progress *progress;     /* NULL: no progress display */
    struct gate_symbol_source *symbols; /* names for frames without one (session/profile_options.h); NULL: none yet */
    int status;                         /* exit status if there is no error: enum gate_exit */
    int colour;                         /* --color: enum gate_session_colour */
    int errors;                         /* --error-format: enum gate_session_errors */
    bool is_forced;                     /* --force: outputs may replace any file but an input */
    bool is_verbose;                    /* --verbose */
    bool is_timed;                      /* --timings */
    bool is_help_whole;                 /* help COMMAND --all: shows rarely used options, too */
    struct gate_steps steps;            /* steps of all profiles of the run so far (session/load_sides.h) */
    struct gate_session_sandbox sandbox;
    struct gate_github_output github_outputs; /* outputs of the verdict for later steps of a GitHub job */
    struct gate_str blamed_path;              /* file of an error's line and column; empty: the message names it */
    struct gate_str blamed_text;              /* content of that file, for the line with a caret; NULL: not shown */
};

/** Print "pprofgate: MESSAGE" on standard error, escaped for a terminal. If `blamed_path` is set, the file comes
 * first and the source line with a caret follows. With GATE_ERRORS_JSON, print one line of JSON instead:
 * {"error":{"kind":"rules","message":"rules.yml:2:1: …"}}; `kind` is gate_error_kind. */
void gate_session_fail(struct gate_session *session, const struct gate_error *err);

/** Print "pprofgate: note: TEXT" on standard error, escaped for a terminal, also with --quiet. */
void gate_session_note(struct gate_session *session, struct gate_str text);

/** Print "pprofgate: TEXT" on standard error, escaped for a terminal, also with --quiet. */
void gate_session_hint(struct gate_session *session, const char *format, ...) GATE_PRINTF(2, 3);

/** With --verbose, print "pprofgate: TEXT" on standard error, escaped for a terminal. */
void gate_session_log(struct gate_session *session, const char *format, ...) GATE_PRINTF(2, 3);

/** Write the output of a command to standard output. err: GATE_ERR_MEMORY if `out` is incomplete; GATE_ERR_IO. */
GATE_MUST_CHECK bool gate_session_print(struct gate_session *session, const struct gate_buf *out,
                                        struct gate_error *err);

/** Return the width for text on `stream`: for a terminal, COLUMNS or the window's width, clamped to 64 to 120
 * columns; else `other`. */
uint32_t gate_session_columns(FILE *stream, uint32_t other);

/** Return whether output on `stream` is coloured. --color decides; else NO_COLOR (no) and CLICOLOR_FORCE (yes) in
 * the environment; else colours are used on a terminal, unless TERM is dumb. */
bool gate_session_wants_colour(const struct gate_session *session, FILE *stream);

/* ---- the sandbox ------------------------------------------------------------------------------------------------- */

/** Apply the sandbox: deny the process everything except `needs`, an or of enum gate_sandbox_need, and the allowed
 * files. Does nothing if the run is part of another program. Pauses the progress display, which has a thread. With
 * --verbose, prints a line if the kernel refuses a part of the sandbox. */
void gate_sandboxing_narrow(struct gate_session *session, unsigned needs);

/** Return the state of the sandbox as text, for `version`. `.ptr` is NULL if the arena is full. */
struct gate_str gate_sandboxing_sentence(const struct gate_session *session);

#endif
