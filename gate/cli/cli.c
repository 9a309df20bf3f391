/* SPDX-License-Identifier: Apache-2.0 */
/* What every command says, and where (see cli.h). */
#include "gate/cli/cli.h"

#include "gate/base/escape.h"
#include "gate/cli/caret.h"

#include <stdlib.h>
#include <unistd.h>

static void cli_say(struct gate_cli *cli, struct gate_buf *out) {
    bool written = gate_cli_write(cli->err, gate_buf_view(out));
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

bool gate_cli_write(FILE *stream, struct gate_str text) {
    return fwrite(text.ptr, 1, text.len, stream) == text.len && fflush(stream) == 0;
}

bool gate_cli_print(struct gate_cli *cli, const struct gate_buf *out, struct gate_error *err) {
    return gate_buf_check(out, err) && (gate_cli_write(cli->out, gate_buf_view(out)) ||
                                        gate_error_set(err, GATE_ERR_IO, "cannot write to standard output"));
}

bool gate_cli_wants_colour(FILE *stream) {
    const char *no_colour = getenv("NO_COLOR");
    const char *terminal = getenv("TERM");
    int descriptor = fileno(stream);
    return descriptor >= 0 && isatty(descriptor) && (no_colour == NULL || no_colour[0] == '\0') && terminal != NULL &&
           strcmp(terminal, "dumb") != 0;
}
