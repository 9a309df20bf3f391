/* SPDX-License-Identifier: Apache-2.0 */
/* Markdown as this project writes it, to man(7) (see manual_rules.h). */
#include "gate/cli/manual_rules.h"

#include "gate/base/embedded.h"
#include "gate/cli/manual.h"

enum { CELLS_MAX = 6 };

/* A row of a table. */
struct cells {
    struct gate_str items[CELLS_MAX];
    size_t count;
};

/* What the lines so far leave open. */
struct manual_markdown {
    struct gate_buf *out;
    struct gate_buf words; /* of the paragraph so far: marks may begin in one line and end in the next */
    bool is_begun;         /* behind a heading `.PP` would be one too many */
    bool is_code;          /* between two fences */
    struct cells headings; /* of the table we are in; none: in no table */
};

/* ---- within a line ----------------------------------------------------------------------------------------------- */

/* Text without marks; what is not ASCII by its code point, since not every roff reads UTF-8. */
static void put_plain(struct gate_buf *out, struct gate_str text) {
    for (size_t at = 0; at < text.len;) {
        uint32_t code_point;
        size_t end = at;
        while (end < text.len && (unsigned char)text.ptr[end] < 0x80)
            end++;
        gate_manual_text(out, gate_str_slice(text, at, end));
        at = end;
        if (at == text.len)
            return;
        size_t len = gate_utf8_decode(text, at, &code_point);
        if (len > 0)
            gate_buf_printf(out, "\\[u%04X]", (unsigned)code_point);
        at += len > 0 ? len : 1;
    }
}

/* What stands between two `mark`s from `at` on, in that font; where it goes on, or `at` if there is no second mark. */
static size_t put_marked(struct gate_buf *out, struct gate_str line, size_t at, const char *mark, char font) {
    size_t begin = at + strlen(mark), end = gate_str_find(line, gate_str_from(mark), begin);
    if (end == SIZE_MAX)
        return at;
    gate_buf_printf(out, "\\f%c", font);
    put_plain(out, gate_str_slice(line, begin, end));
    gate_buf_text(out, "\\fR");
    return end + strlen(mark);
}

/* Where the mark at `at` leads to; `at` itself where it is none. */
static size_t put_mark(struct gate_buf *out, struct gate_str line, size_t at) {
    struct gate_str rest = gate_str_slice(line, at, line.len);
    if (rest.ptr[0] == '`')
        return put_marked(out, line, at, "`", 'B');
    if (gate_str_starts(rest, GATE_STR("**")))
        return put_marked(out, line, at, "**", 'B');
    bool is_star = rest.len > 1 && rest.ptr[0] == '*' && rest.ptr[1] != ' ';
    return is_star ? put_marked(out, line, at, "*", 'I') : at;
}

static void put_words(struct gate_buf *out, struct gate_str line) {
    size_t from = 0;
    for (size_t at = 0; at < line.len;) {
        size_t middle = line.ptr[at] == '[' ? gate_str_find(line, GATE_STR("]("), at) : SIZE_MAX;
        size_t end = middle == SIZE_MAX ? SIZE_MAX : gate_str_find(line, GATE_STR(")"), middle);
        bool is_mark = end != SIZE_MAX || line.ptr[at] == '`' || line.ptr[at] == '*';
        if (!is_mark) {
            at++;
            continue;
        }
        put_plain(out, gate_str_slice(line, from, at));
        if (end != SIZE_MAX) { /* of a link its text, which may be code */
            struct gate_str label = gate_str_slice(line, at + 1, middle);
            if (label.len == 0 || put_mark(out, label, 0) == 0)
                put_plain(out, label);
            from = end + 1;
        } else {
            from = put_mark(out, line, at);
        }
        at = from > at ? from : at + 1;
    }
    put_plain(out, gate_str_slice(line, from, line.len));
}

/* ---- lines ------------------------------------------------------------------------------------------------------- */

static void paragraph_end(struct manual_markdown *page) {
    if (page->words.len == 0)
        return;
    put_words(page->out, gate_buf_view(&page->words));
    gate_buf_char(page->out, '\n');
    page->out->failed |= page->words.failed;
    page->words.len = 0;
}

static void heading(struct manual_markdown *page, struct gate_str text, bool is_section) {
    paragraph_end(page);
    gate_buf_text(page->out, is_section ? ".SH " : ".SS ");
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        char upper = is_section && c >= 'a' && c <= 'z' ? (char)(c - 32) : c;
        put_plain(page->out, (struct gate_str){&upper, 1});
    }
    gate_buf_char(page->out, '\n');
    page->is_begun = true;
}

static void text_line(struct manual_markdown *page, struct gate_str line) {
    bool is_item = gate_str_starts(line, GATE_STR("- "));
    if (is_item)
        paragraph_end(page);
    if (page->words.len == 0) {
        gate_buf_text(page->out, is_item ? ".IP \\(bu 2\n" : page->is_begun ? "" : ".PP\n");
        page->is_begun = false;
    } else {
        gate_buf_char(&page->words, ' ');
    }
    gate_buf_str(&page->words, gate_str_trim(is_item ? gate_str_slice(line, 2, line.len) : line));
}

/* Cells of "| a | `b|c` |": a bar within code is none. */
static struct cells cells_of(struct gate_str line) {
    struct cells row = {.count = 0};
    size_t from = 1;
    bool is_code = false;
    for (size_t at = 1; at < line.len && row.count < CELLS_MAX; at++) {
        is_code ^= line.ptr[at] == '`';
        if (line.ptr[at] != '|' || is_code)
            continue;
        row.items[row.count++] = gate_str_trim(gate_str_slice(line, from, at));
        from = at + 1;
    }
    return row;
}

/* The column that is told in sentences; the others, but for the first, are named. */
static size_t column_of_text(const struct cells *headings) {
    for (size_t i = 1; i < headings->count; i++)
        if (gate_str_starts(headings->items[i], GATE_STR("mean")))
            return i;
    return headings->count - 1;
}

static void row_put(struct manual_markdown *page, const struct cells *row) {
    const char *between = "";
    size_t text = column_of_text(&page->headings);
    for (size_t i = 1; i < row->count && i < page->headings.count; i++) {
        if (i == text || row->items[i].len == 0)
            continue;
        gate_buf_text(page->out, between);
        put_words(page->out, page->headings.items[i]);
        gate_buf_text(page->out, ": ");
        put_words(page->out, row->items[i]);
        between = "; ";
    }
    bool is_told = text > 0 && text < row->count && row->items[text].len > 0;
    if (*between != '\0')
        gate_buf_text(page->out, is_told ? "\n.br\n" : "\n");
    if (is_told) {
        put_words(page->out, row->items[text]);
        gate_buf_char(page->out, '\n');
    }
}

static void table_line(struct manual_markdown *page, struct gate_str line) {
    struct cells row = cells_of(line);
    paragraph_end(page);
    if (row.count == 0 || gate_str_starts(row.items[0], GATE_STR("--")))
        return;
    if (page->headings.count == 0) {
        page->headings = row;
        return;
    }
    page->is_begun = false;
    gate_buf_text(page->out, ".TP\n");
    put_words(page->out, row.items[0]);
    gate_buf_char(page->out, '\n');
    row_put(page, &row);
}

static void fence(struct manual_markdown *page) {
    paragraph_end(page);
    gate_buf_text(page->out, page->is_code ? ".EE\n.RE\n" : page->is_begun ? ".RS 4\n.EX\n" : ".PP\n.RS 4\n.EX\n");
    page->is_code = !page->is_code;
    page->is_begun = false;
}

static void markdown_line(struct manual_markdown *page, struct gate_str line) {
    bool is_row = gate_str_starts(line, GATE_STR("|"));
    if (gate_str_starts(line, GATE_STR("```"))) {
        fence(page);
    } else if (page->is_code) {
        put_plain(page->out, line);
        gate_buf_char(page->out, '\n');
    } else if (is_row) {
        table_line(page, line);
    } else if (gate_str_starts(line, GATE_STR("### "))) {
        heading(page, gate_str_slice(line, 4, line.len), false);
    } else if (gate_str_starts(line, GATE_STR("## "))) {
        heading(page, gate_str_slice(line, 3, line.len), true);
    } else if (line.len == 0) {
        paragraph_end(page);
    } else if (!gate_str_starts(line, GATE_STR("# ")) && !gate_str_starts(line, GATE_STR("<"))) {
        text_line(page, line);
    }
    if (!is_row)
        page->headings.count = 0;
}

void gate_manual_rules_markdown(struct gate_buf *out, struct gate_str text) {
    struct manual_markdown page = {.out = out, .is_begun = true};
    for (size_t at = 0; at < text.len;) {
        size_t end = gate_str_find(text, GATE_STR("\n"), at);
        end = end == SIZE_MAX ? text.len : end;
        markdown_line(&page, gate_str_slice(text, at, end));
        at = end + 1;
    }
    paragraph_end(&page);
    gate_buf_free(&page.words);
}

bool gate_manual_rules(struct gate_buf *out, struct gate_error *err) {
    struct gate_str reference = gate_embedded_find("README.md");
    GATE_ASSERT(reference.ptr != NULL);
    gate_buf_text(out, ".TH PPROFGATE-RULES 5 \"\" \"pprofgate " GATE_VERSION "\" \"File Formats\"\n.SH NAME\n"
                       "pprofgate\\-rules \\- what a canary may cost more than its baseline\n"
                       ".SH SYNOPSIS\n.B .pprofgate.yml\n.SH DESCRIPTION\n");
    gate_manual_rules_markdown(out, reference);
    gate_buf_text(out,
                  ".SH SEE ALSO\n.BR pprofgate (1),\n.BR pprofgate\\-validate (1),\n.BR pprofgate\\-explain (1)\n");
    return gate_buf_check(out, err);
}
