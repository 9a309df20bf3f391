/* SPDX-License-Identifier: Apache-2.0 */
/* The values of a label in the HTML report (see page.h). */
#include "gate/report/page.h"

#include "gate/base/escape.h"
#include "gate/base/figures.h"
#include "gate/report/by_rows.h"

static void by_share(const struct gate_page *page, double share) {
    gate_buf_text(page->out, "<td class=\"number\">");
    gate_figures_share(page->out, share);
    gate_buf_text(page->out, "</td>");
}

static void by_row(const struct gate_page *page, const struct gate_by_row *row) {
    struct gate_buf *out = page->out;
    bool is_compared = row->comparison != GATE_NO_INDEX;
    gate_buf_text(out, "<tr");
    if (is_compared)
        gate_buf_printf(out, " data-comparison=\"%u\"", row->comparison);
    gate_buf_text(out, "><th scope=\"row\" class=\"name\"><bdi>");
    gate_escape_xml(out, row->value->of.match.value);
    gate_buf_printf(out, "</bdi></th><td><span class=\"badge %s\">%s</span></td>",
                    is_compared ? gate_outcome_name(row->outcome) : "warn", gate_by_rows_word(row));
    by_share(page, row->value->of.share[GATE_BASELINE]);
    by_share(page, row->value->of.share[GATE_CANARY]);
    gate_buf_text(out, "<td>");
    struct gate_buf text = {0};
    gate_by_rows_text(&text, row, page->verdict);
    gate_escape_xml(out, gate_buf_view(&text));
    out->failed = out->failed || text.failed;
    gate_buf_free(&text);
    gate_buf_text(out, "</td></tr>\n");
}

static bool by_one(const struct gate_page *page, const struct gate_by *by, struct gate_error *err) {
    struct gate_buf *out = page->out, rest = {0};
    struct gate_by_row *rows = GATE_NEW_ARRAY(page->arena, struct gate_by_row, (size_t)by->count + 1);
    if (rows == NULL)
        return gate_arena_error(page->arena, err);
    gate_by_rows_make(rows, by, page->verdict);
    gate_buf_text(out, "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-labelledby=\"by-title\"><table>"
                       "<caption><code>");
    gate_escape_xml(out, by->key);
    gate_buf_text(out, "</code> ");
    gate_escape_xml(out, by->pair);
    gate_buf_text(out, "</caption><thead><tr><th scope=\"col\">Value</th><th scope=\"col\">Budgets</th>"
                       "<th scope=\"col\">Baseline</th><th scope=\"col\">Canary</th><th scope=\"col\">What</th>"
                       "</tr></thead><tbody>\n");
    for (uint32_t i = 0; i < by->count; i++)
        by_row(page, &rows[i]);
    gate_buf_text(out, "</tbody></table></div>\n<p class=\"hint\">");
    gate_by_rows_rest(&rest, by);
    gate_escape_xml(out, gate_buf_view(&rest));
    out->failed = out->failed || rest.failed;
    gate_buf_free(&rest);
    gate_buf_text(out, "</p>\n");
    return true;
}

bool gate_page_by(const struct gate_page *page, struct gate_error *err) {
    if (page->verdict->by.count == 0)
        return true;
    gate_buf_text(page->out, "<section id=\"by\" aria-labelledby=\"by-title\">\n"
                             "<h2 id=\"by-title\">By label, the worst first</h2>\n");
    for (uint32_t i = 0; i < page->verdict->by.count; i++)
        if (!by_one(page, &page->verdict->by.items[i], err))
            return false;
    gate_buf_text(page->out, "</section>\n");
    return true;
}
