/* SPDX-License-Identifier: Apache-2.0 */
/* Whose code a profile's cost is, for a terminal (see inspect.h). */
#include "gate/report/inspect.h"

#include "gate/base/escape.h"
#include "gate/base/figures.h"
#include "gate/base/wrap.h"
#include "gate/report/report.h"

enum { TEXT_ROWS = 5, SHARE_COLUMNS = 8 };

uint32_t gate_inspect_own_rows(const struct gate_inspect_own *own, const struct gate_split_list *list, uint32_t most) {
    if (own->rows_are_told)
        return gate_report_rows(own->row_limit, list->count);
    uint32_t count = 0;
    while (count < list->count && count < most && list->rows[count].value != 0)
        count++;
    return count;
}

static int64_t total_of(const struct gate_inspect_own *own) {
    return own->pair->sides[GATE_BASELINE].total;
}

static void own_share(struct gate_buf *out, const struct gate_inspect_own *own, int64_t value) {
    struct gate_figure figure = gate_figures_share_text(gate_share(value, total_of(own)));
    size_t columns = gate_str_columns(gate_str_from(figure.text));
    gate_buf_repeat(out, ' ', columns < SHARE_COLUMNS ? SHARE_COLUMNS - columns : 0);
    gate_buf_text(out, figure.text);
}

static void own_part(struct gate_buf *out, const struct gate_inspect_own *own, enum gate_split_part part,
                     const char *heading) {
    const struct gate_split_list *list = &own->split.parts[part];
    uint32_t rows = gate_inspect_own_rows(own, list, TEXT_ROWS);
    if (list->count == 0)
        return;
    size_t line = out->len;
    gate_buf_text(out, "    ");
    own_share(out, own, list->total);
    gate_buf_printf(out, "  %s%s\n", heading, rows == 0 ? "" : ":");
    gate_wrap_since(out, line, 6 + SHARE_COLUMNS, own->columns);
    for (uint32_t i = 0; i < rows; i++) {
        const struct gate_frame *frame = &own->pair->frames[list->rows[i].frame];
        gate_buf_text(out, "      ");
        own_share(out, own, list->rows[i].value);
        gate_buf_text(out, "  ");
        gate_escape_terminal(out, frame->name);
        if (frame->code == GATE_CODE_THIRD_PARTY && part != GATE_SPLIT_THIRD_PARTY)
            gate_buf_text(out, " (third-party)");
        gate_buf_char(out, '\n');
    }
    uint32_t all = own->rows_are_told ? list->count : gate_inspect_own_rows(own, list, UINT32_MAX);
    if (rows != 0 && rows < all) {
        gate_buf_text(out, "                ... ");
        gate_figures_whole(out, all - rows);
        gate_buf_text(out, " more\n");
    }
}

/* One of the two things that make `charged` say nothing that self cost does not. */
static void own_extreme(struct gate_buf *out, const struct gate_inspect_own *own) {
    const char *text = NULL;
    if (own->pair->has_no_own)
        text = "No frame is recognised as the program's own code: each is charged what it costs itself. Say what is "
               "yours under 'own' in the rules.";
    else if (own->split.is_all_own)
        text = "Every frame is the program's own code, so nothing is charged to callers. Say what is a library's under "
               "'own' in the rules.";
    if (text == NULL)
        return;
    size_t line = out->len;
    gate_buf_printf(out, "    %s\n", text);
    gate_wrap_since(out, line, 4, own->columns);
}

void gate_inspect_own_text(struct gate_buf *out, const struct gate_inspect_own *own) {
    size_t line = out->len;
    if (own->pair == NULL) {
        gate_buf_text(out, "  whose code    cannot be told: ");
        gate_escape_terminal(out, own->why);
        gate_buf_char(out, '\n');
        gate_wrap_since(out, line, 16, own->columns);
        return;
    }
    gate_buf_printf(out, "  whose code    by the rules for %s, of ", gate_own_code_language_name(own->pair->language));
    gate_escape_terminal(out, own->pair->type.type);
    gate_buf_char(out, '\n');
    own_extreme(out, own);
    own_part(out, own, GATE_SPLIT_OWN, "is charged to the program's own code");
    own_part(out, own, GATE_SPLIT_THIRD_PARTY, "is charged to third parties' code, which counts as the program's own");
    own_part(out, own, GATE_SPLIT_REMAINDER, "has neither in its stacks and stays with the root");
    own_part(out, own, GATE_SPLIT_LIBRARY, "is what libraries and the runtime cost themselves");
    gate_buf_text(out, "    ");
    own_share(out, own, own->split.unsymbolised);
    gate_buf_text(out, "  has no function name at the leaf\n");
}
