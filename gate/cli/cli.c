/* SPDX-License-Identifier: Apache-2.0 */
/* What every command says, and where (see cli.h). */
#include "gate/cli/cli.h"

#include "gate/base/escape.h"
#include "gate/base/stream.h"
#include "gate/base/wrap.h"
#include "gate/cli/caret.h"
#include "gate/cli/progress.h"

#include <stdarg.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { SAID_BYTES = 4096 };

static void cli_say(struct gate_cli *cli, struct gate_buf *out) {
    gate_progress_end(cli->progress);
    /* Half a message, or none, would be an end without a cause. */
    bool written = out->failed ? gate_cli_write(cli->err, GATE_STR("pprofgate: out of memory\n"))
                               : gate_cli_write(cli->err, gate_buf_view(out));
    gate_buf_free(out);
    (void)written; /* nowhere is left to say so */
}

void gate_cli_fail(struct gate_cli *cli, const struct gate_error *err) {
    struct gate_buf out = {0};
    gate_buf_text(&out, "pprofgate: ");
    if (cli->blamed_path.len != 0) {
        gate_escape_terminal(&out, cli->blamed_path);
        if (err->line != 0)
            gate_buf_printf(&out, ":%u:%u", (unsigned)err->line, (unsigned)err->column);
        gate_buf_text(&out, ": ");
    }
    gate_escape_terminal(&out, gate_str_from(err->message));
    gate_buf_char(&out, '\n');
    if (cli->blamed_path.len != 0 && cli->blamed_text.ptr != NULL)
        gate_caret_print(&out, cli->blamed_text, err->line, err->column);
    cli_say(cli, &out);
}

void gate_cli_note(struct gate_cli *cli, struct gate_str text) {
    struct gate_buf out = {0};
    gate_buf_text(&out, "pprofgate: note: ");
    gate_escape_terminal(&out, text);
    gate_buf_char(&out, '\n');
    cli_say(cli, &out);
}

void gate_cli_tell(struct gate_cli *cli, const char *format, ...) {
    char said[SAID_BYTES];
    va_list args;
    if (!cli->is_verbose)
        return;
    va_start(args, format);
    (void)vsnprintf(said, sizeof said, format, args);
    va_end(args);
    struct gate_buf out = {0};
    gate_buf_text(&out, "pprofgate: ");
    gate_escape_terminal(&out, gate_str_from(said));
    gate_buf_char(&out, '\n');
    cli_say(cli, &out);
}

bool gate_cli_write(FILE *stream, struct gate_str text) {
    return gate_stream_write(stream, text);
}

bool gate_cli_print(struct gate_cli *cli, const struct gate_buf *out, struct gate_error *err) {
    gate_progress_end(cli->progress);
    return gate_buf_check(out, err) && gate_arena_check(cli->arena, err) &&
           (gate_cli_write(cli->out, gate_buf_view(out)) ||
            gate_error_set(err, GATE_ERR_IO, "cannot write to standard output"));
}

static uint32_t cli_columns_of(unsigned long columns) {
    return columns < GATE_CLI_COLUMNS_MIN   ? GATE_CLI_COLUMNS_MIN
           : columns > GATE_CLI_COLUMNS_MAX ? GATE_CLI_COLUMNS_MAX
                                            : (uint32_t)columns;
}

uint32_t gate_cli_columns(FILE *stream, uint32_t other) {
    const char *told = getenv("COLUMNS");
    int descriptor = fileno(stream);
    char *end = NULL;
    struct winsize size = {0};
    if (descriptor < 0 || !isatty(descriptor))
        return other;
    unsigned long columns = told == NULL ? 0 : strtoul(told, &end, 10);
    if (columns > 0 && *end == '\0')
        return cli_columns_of(columns);
    if (ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        return cli_columns_of(size.ws_col);
    return GATE_WRAP_COLUMNS;
}

/* Whether the environment says this word, as anything but "" and `off`. */
static bool cli_is_said(const char *name, const char *off) {
    const char *value = getenv(name);
    return value != NULL && value[0] != '\0' && strcmp(value, off) != 0;
}

bool gate_cli_wants_colour(const struct gate_cli *cli, FILE *stream) {
    const char *terminal = getenv("TERM");
    int descriptor = fileno(stream);
    if (cli->colour != GATE_COLOUR_AUTO)
        return cli->colour == GATE_COLOUR_ALWAYS;
    if (cli_is_said("NO_COLOR", "")) /* whatever it is: https://no-color.org */
        return false;
    return cli_is_said("CLICOLOR_FORCE", "0") ||
           (descriptor >= 0 && isatty(descriptor) && terminal != NULL && strcmp(terminal, "dumb") != 0);
}
