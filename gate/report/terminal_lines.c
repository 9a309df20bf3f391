/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of the terminal report (see terminal_lines.h). */
#include "gate/report/terminal_lines.h"

#include "gate/base/escape.h"
#include "gate/base/wrap.h"

void gate_terminal_lines_paint(const struct gate_terminal *t, enum gate_outcome outcome, const char *text) {
    static const char *const codes[] = {
        [GATE_OUTCOME_PROVEN] = "32",       [GATE_OUTCOME_PASS] = "32", [GATE_OUTCOME_WARN] = "33",
        [GATE_OUTCOME_INCONCLUSIVE] = "33", [GATE_OUTCOME_FAIL] = "31",
    };
    if (t->options->colour)
        gate_buf_printf(t->out, "\033[1;%sm%s\033[0m", codes[outcome], text);
    else
        gate_buf_text(t->out, text);
}

void gate_terminal_lines_hang(const struct gate_terminal *t, struct gate_str text, size_t indent, size_t hang) {
    size_t line = t->out->len;
    gate_buf_repeat(t->out, ' ', indent);
    gate_escape_terminal(t->out, text);
    gate_wrap_since(t->out, line, indent + hang, t->options->columns);
    gate_buf_char(t->out, '\n');
}

void gate_terminal_lines_take(const struct gate_terminal *t, struct gate_buf *text, size_t indent) {
    if (text->len > 0)
        gate_terminal_lines_hang(t, gate_buf_view(text), indent, 2);
    t->out->failed = t->out->failed || text->failed;
    gate_buf_free(text);
}
