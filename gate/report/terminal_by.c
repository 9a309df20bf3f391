/* SPDX-License-Identifier: Apache-2.0 */
/* The values of a label at a terminal (see terminal_by.h). */
#include "gate/report/terminal_by.h"

#include "gate/base/escape.h"
#include "gate/report/by_rows.h"
#include "gate/report/shorten.h"

enum { ROWS_SHOWN = 10, VALUE_COLUMNS = 60 };

static void by_row(const struct gate_terminal *t, const struct gate_by_row *row) {
    struct gate_buf line = {0};
    gate_buf_str(&line, gate_shorten_name(t->arena, row->value->of.match.value, VALUE_COLUMNS));
    gate_buf_printf(&line, "  %s: ", gate_by_rows_word(row));
    gate_by_rows_text(&line, row, t->verdict);
    gate_terminal_lines_take(t, &line, 2);
}

static bool by_one(const struct gate_terminal *t, const struct gate_by *by, struct gate_error *err) {
    struct gate_by_row *rows = GATE_NEW_ARRAY(t->arena, struct gate_by_row, (size_t)by->count + 1);
    struct gate_buf rest = {0};
    if (rows == NULL)
        return gate_arena_error(t->arena, err);
    gate_by_rows_make(rows, by, t->verdict);
    gate_buf_text(t->out, "\nBy ");
    gate_escape_terminal(t->out, by->key);
    if (by->pair.len > 0) {
        gate_buf_text(t->out, " of ");
        gate_escape_terminal(t->out, by->pair);
    }
    gate_buf_text(t->out, ", the worst first\n");
    for (uint32_t i = 0; i < by->count && i < ROWS_SHOWN; i++)
        by_row(t, &rows[i]);
    if (by->count > ROWS_SHOWN)
        gate_buf_printf(t->out, "  %u more values: the HTML and JSON reports list them\n", by->count - ROWS_SHOWN);
    gate_by_rows_rest(&rest, by);
    gate_terminal_lines_take(t, &rest, 2);
    return true;
}

bool gate_terminal_by(const struct gate_terminal *t, struct gate_error *err) {
    for (uint32_t i = 0; i < t->verdict->by.count; i++)
        if (!by_one(t, &t->verdict->by.items[i], err))
            return false;
    return true;
}
