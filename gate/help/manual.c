/* SPDX-License-Identifier: Apache-2.0 */
/* The command `manual`: makes manual pages from the tables of commands and options and from rules/README.md. */
#include "gate/help/manual.h"

#include "gate/base/buf.h"
#include "gate/base/embedded.h"
#include "gate/cli/command.h"
#include "gate/cli/options.h"
#include "gate/session/file_roles.h"
#include "gate/session/reports.h"

/* ---- text -------------------------------------------------------------------------------------------------------- */

/** Append text that roff reads literally, also at the begin of a line. */
static void manual_text(struct gate_buf *out, struct gate_str text) {
    if (text.len > 0 && (text.ptr[0] == '.' || text.ptr[0] == '\''))
        gate_buf_text(out, "\\&");
    for (size_t i = 0; i < text.len; i++) {
        switch (text.ptr[i]) {
        case '\\':
            gate_buf_text(out, "\\e");
            break;
        case '-':
            gate_buf_text(out, "\\-");
            break;
        case '\'':
            gate_buf_text(out, "\\(aq");
            break;
        case '`':
            gate_buf_text(out, "\\(ga");
            break;
        case '^':
            gate_buf_text(out, "\\(ha");
            break;
        case '~':
            gate_buf_text(out, "\\(ti");
            break;
        default:
            gate_buf_char(out, text.ptr[i]);
        }
    }
}

static void manual_line(struct gate_buf *out, const char *text) {
    manual_text(out, gate_str_from(text));
    gate_buf_char(out, '\n');
}

/* Appends paragraphs, which are separated by empty lines. */
static void manual_paragraphs(struct gate_buf *out, struct gate_str text) {
    bool is_open = true;
    struct gate_str line;
    while (gate_str_line_next(&text, &line)) {
        if (line.len == 0) {
            is_open = false;
            continue;
        }
        if (gate_str_equal(line, GATE_STR("Options:")) || gate_str_equal(line, GATE_STR("Commands:")))
            continue;
        if (!is_open)
            gate_buf_text(out, ".PP\n");
        is_open = true;
        manual_text(out, line);
        gate_buf_char(out, '\n');
    }
}

/* ---- parts of a page --------------------------------------------------------------------------------------------- */

static void manual_begin(struct gate_buf *out, const char *name, const char *summary) {
    gate_buf_text(out, ".TH ");
    for (const char *c = name; *c != '\0'; c++)
        gate_buf_char(out, gate_is_lower(*c) ? (char)(*c - 32) : *c);
    gate_buf_text(out, " 1 \"\" \"pprofgate " GATE_VERSION "\" \"User Commands\"\n.SH NAME\n");
    manual_text(out, gate_str_from(name));
    gate_buf_text(out, " \\- ");
    manual_line(out, summary);
}

/* Appends a usage text: "Usage: a\n       b\n\nparagraphs". */
static void manual_usage(struct gate_buf *out, const char *usage) {
    struct gate_str rest = gate_str_from(usage), line;
    gate_buf_text(out, ".SH SYNOPSIS\n.nf\n");
    while (gate_str_line_next(&rest, &line) && line.len > 0) {
        manual_text(out, gate_str_slice(line, strlen("Usage: "), line.len));
        gate_buf_char(out, '\n');
    }
    gate_buf_text(out, ".fi\n.SH DESCRIPTION\n");
    manual_paragraphs(out, rest);
}

static void manual_option(struct gate_buf *out, const struct gate_option *option) {
    gate_buf_text(out, ".TP\n");
    if (option->letter != 0)
        gate_buf_printf(out, "\\fB\\-%c\\fR, ", option->letter);
    gate_buf_text(out, "\\fB\\-\\-");
    manual_text(out, gate_str_from(option->name));
    gate_buf_text(out, "\\fR");
    if (option->value_name != NULL) {
        gate_buf_text(out, " \\fI");
        manual_text(out, gate_str_from(option->value_name));
        gate_buf_text(out, "\\fR");
    }
    gate_buf_char(out, '\n');
    manual_line(out, option->help);
}

static void manual_options(struct gate_buf *out, const struct gate_options *options) {
    const struct gate_option *row;
    gate_buf_text(out, ".SH OPTIONS\n");
    for (size_t i = 0; (row = gate_options_row(options, i)) != NULL; i++) {
        if (row->name != NULL) {
            manual_option(out, row);
            continue;
        }
        struct gate_str heading = gate_str_from(row->help);
        gate_buf_text(out, ".SS ");
        manual_text(out, gate_str_ends(heading, GATE_STR(":")) ? gate_str_slice(heading, 0, heading.len - 1) : heading);
        gate_buf_char(out, '\n');
    }
}

/* Appends the text after the options, which often begins with "Exit status: ". */
static void manual_tail(struct gate_buf *out, const char *tail) {
    static const struct gate_str status = {"Exit status: ", 13};
    struct gate_str rest = gate_str_from(tail);
    while (gate_str_starts(rest, GATE_STR("\n")))
        rest = gate_str_slice(rest, 1, rest.len);
    bool is_status = gate_str_starts(rest, status);
    gate_buf_text(out, is_status ? ".SH EXIT STATUS\n" : ".SH NOTES\n");
    manual_paragraphs(out, is_status ? gate_str_slice(rest, status.len, rest.len) : rest);
}

static void manual_examples(struct gate_buf *out, const struct gate_example *examples) {
    gate_buf_text(out, ".SH EXAMPLES\n");
    for (const struct gate_example *at = examples; at->line != NULL; at++) {
        gate_buf_text(out, at == examples ? "" : ".PP\n");
        manual_text(out, gate_str_from(at->what));
        gate_buf_text(out, ":\n.PP\n.RS 4\n.EX\n");
        manual_line(out, at->line);
        gate_buf_text(out, ".EE\n.RE\n");
    }
}

/** Return a page's name such as "pprofgate-baseline-accept", or "pprofgate" if `command` is NULL. Allocated from
 * `arena`; NULL if it is full. */
static const char *manual_name(const struct gate_command *group, const struct gate_command *command,
                               struct gate_arena *arena) {
    return gate_str_format(arena, "pprofgate%s%s%s%s", group == NULL ? "" : "-", group == NULL ? "" : group->name,
                           command == NULL ? "" : "-", command == NULL ? "" : command->name)
        .ptr;
}

/* ---- pages ------------------------------------------------------------------------------------------------------- */

/** Append the page of a command, section 1. */
static bool manual_command(struct gate_buf *out, const struct gate_command *group, const struct gate_command *command,
                           struct gate_session *session, struct gate_error *err) {
    struct gate_options options;
    void *wanted;
    const char *name = manual_name(group, command, session->arena);
    if (name == NULL)
        return gate_arena_error(session->arena, err);
    if (!gate_command_options(&options, &wanted, command, session, err))
        return false;
    manual_begin(out, name, command->summary);
    manual_usage(out, command->usage);
    manual_options(out, &options);
    if (command->tail != NULL)
        manual_tail(out, command->tail);
    if (command->examples != NULL)
        manual_examples(out, command->examples);
    gate_buf_text(out, ".SH SEE ALSO\n.BR pprofgate (1)\n");
    return gate_buf_check(out, err);
}

struct manual_list {
    struct gate_buf *out;
    struct gate_arena *arena;
};

static bool manual_list_command(void *context, const struct gate_command *group, const struct gate_command *command,
                                struct gate_error *err) {
    const struct manual_list *list = context;
    const char *name = manual_name(group, command, list->arena);
    if (name == NULL)
        return gate_arena_error(list->arena, err);
    gate_buf_text(list->out, ".TP\n.BR ");
    manual_text(list->out, gate_str_from(name));
    gate_buf_text(list->out, " (1)\n");
    manual_line(list->out, command->summary);
    return true;
}

static void manual_entry(struct gate_buf *out, const char *subject, const char *text) {
    gate_buf_text(out, ".TP\n\\fB");
    manual_text(out, gate_str_from(subject));
    gate_buf_text(out, "\\fR\n");
    manual_line(out, text);
}

static void manual_surroundings(struct gate_buf *out) {
    static const char *const entries[][2] = {
        {"GITHUB_OUTPUT",
         "commands that end in a verdict append verdict, exit-code, failed, inconclusive, warned, causes and report to "
         "this file, for the steps of a job behind them"},
        {"GITHUB_STEP_SUMMARY", "in GitHub Actions, the Markdown report is appended to this file"},
        {"NO_COLOR", "no colour, unless --color=always is given"},
        {"CLICOLOR_FORCE", "colour also where no terminal is"},
        {"COLUMNS", "how wide text for a terminal is"},
        {"PPROFGATE_WORK_BASELINE, PPROFGATE_WORK_CANARY", "the work done on each side, if --work does not give it"},
        {"KUBECONFIG", "the cluster of addresses that begin with k8s://, where --kubeconfig names none"},
        {"SOURCE_DATE_EPOCH", "the time that counts as now, where it is later than now"},
    };
    gate_buf_text(out, ".SH ENVIRONMENT\n");
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++)
        manual_entry(out, entries[i][0], entries[i][1]);
    gate_buf_text(out, ".SH FILES\n");
    manual_entry(out, ".pprofgate.yml", "the rules, where --rules names no others");
}

/** Append the page of the program, section 1: commands, exit statuses, environment, files. */
static bool manual_program(struct gate_buf *out, struct gate_session *session, struct gate_error *err) {
    static const char *const statuses[][2] = {
        {"0", "pass, with warnings too"},
        {"1", "a failing budget is broken"},
        {"2", "usage, configuration, input or output error: nothing was decided"},
        {"3", "inconclusive: the samples cannot decide"},
        {"70", "a bug in pprofgate"},
    };
    struct manual_list list = {out, session->arena};
    manual_begin(out, "pprofgate", "compare a canary profile with a baseline and decide");
    gate_buf_text(out, ".SH SYNOPSIS\n.B pprofgate\n.I command\n[\\fIoptions\\fR] ...\n.SH DESCRIPTION\n");
    manual_line(out, "Compares a canary's profile with the baseline's, judges the difference by the budgets of a rules "
                     "file, and ends with pass, fail or inconclusive.");
    gate_buf_text(out, ".SH COMMANDS\n");
    if (!gate_command_table_walk(manual_list_command, &list, err))
        return false;
    gate_buf_text(out, ".SH EXIT STATUS\n");
    for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++)
        manual_entry(out, statuses[i][0], statuses[i][1]);
    manual_surroundings(out);
    return gate_buf_check(out, err);
}

/* ---- Markdown, as this project uses it, to man(7) ---------------------------------------------------------------- */

enum { CELLS_MAX = 6 };

/* A row of a table. */
struct cells {
    struct gate_str items[CELLS_MAX];
    size_t count;
};

/* State after the lines so far. */
struct manual_markdown {
    struct gate_buf *out;
    struct gate_buf words; /* text of the current paragraph: marks may begin in one line and end in the next */
    bool is_begun;         /* directly after a heading, where .PP is not needed */
    bool is_code;          /* inside a code block */
    struct cells headings; /* headings of the current table; empty: not in a table */
};

/* ---- marks within a line ----------------------------------------------------------------------------------------- */

/* Appends text without marks. Other than ASCII is written as code points, because not every roff reads UTF-8. */
static void put_plain(struct gate_buf *out, struct gate_str text) {
    for (size_t at = 0; at < text.len;) {
        uint32_t code_point;
        size_t end = at;
        while (end < text.len && (unsigned char)text.ptr[end] < 0x80)
            end++;
        manual_text(out, gate_str_slice(text, at, end));
        at = end;
        if (at == text.len)
            return;
        size_t len = gate_utf8_decode(text, at, &code_point);
        if (len > 0)
            gate_buf_printf(out, "\\[u%04X]", (unsigned)code_point);
        at += len > 0 ? len : 1;
    }
}

/* Appends the text between two `mark`s from `at` on in `font`. Returns the position after it, or `at` if there is no
 * second mark. */
static size_t put_marked(struct gate_buf *out, struct gate_str line, size_t at, const char *mark, char font) {
    size_t begin = at + strlen(mark), end = gate_str_find(line, gate_str_from(mark), begin);
    if (end == SIZE_MAX)
        return at;
    gate_buf_printf(out, "\\f%c", font);
    put_plain(out, gate_str_slice(line, begin, end));
    gate_buf_text(out, "\\fR");
    return end + strlen(mark);
}

/* Appends the marked text at `at`, if there is any. Returns the position after it, or `at`. */
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
        if (end != SIZE_MAX) { /* keep a link's text, which may be code */
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
        char upper = is_section && gate_is_lower(c) ? (char)(c - 32) : c;
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

/* Splits "| a | `b|c` |" into cells. A bar inside code does not separate cells. */
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

/* Returns the column that becomes the paragraph; the other columns, except the first, are listed with their names. */
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
    bool has_text = text > 0 && text < row->count && row->items[text].len > 0;
    if (*between != '\0')
        gate_buf_text(page->out, has_text ? "\n.br\n" : "\n");
    if (has_text) {
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
    struct gate_str line;
    while (gate_str_line_next(&text, &line))
        markdown_line(&page, line);
    paragraph_end(&page);
    gate_buf_free(&page.words);
}

/** Append the page of rules files, section 5. */
static bool manual_rules(struct gate_buf *out, struct gate_error *err) {
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

/* ---- the command ------------------------------------------------------------------------------------------------- */

/* Options of `manual`. */
struct manual {
    struct gate_paths words;
    const char *folder;
};

#define AT(field) .at = offsetof(struct manual, field)

static const struct gate_option rows[] = {
    {"output", 'o', "DIR", "write every page into this folder, pprofgate.1, one a command, and pprofgate-rules.5",
     gate_option_value_text, AT(folder), .output = GATE_OPTION_FOLDER},
    {0},
};

static const struct gate_option_group cmd_manual_group = {.rows = rows};

static const struct gate_option_binding cmd_manual_options[] = {{&cmd_manual_group, 0}, {NULL, 0}};

static const char cmd_manual_usage[] =
    "Usage: pprofgate manual [COMMAND...]\n"
    "       pprofgate manual rules\n"
    "       pprofgate manual -o DIR\n"
    "\n"
    "Writes a manual page for man, from the same tables that --help is made of; rules\n"
    "is the page of rules files, every key of them. Where the program was installed by\n"
    "a package, the pages are there already.\n"
    "\n"
    "Options:\n";

static const struct gate_example cmd_manual_examples[] = {
    {"read a page", "pprofgate manual check | man -l -"},
    {"reference of rules files", "pprofgate manual rules | man -l -"},
    {"install all", "pprofgate manual -o share/man/man1"},
    {NULL, NULL}};

struct manual_walk {
    struct gate_session *session;
    const char *folder;
    bool is_check; /* only check whether the pages may replace existing files */
};

static bool manual_write(struct gate_buf *page, const char *name, int section, const struct manual_walk *walk,
                         struct gate_error *err) {
    struct gate_str path = gate_str_format(walk->session->arena, "%s/%s.%d", walk->folder, name, section);
    if (path.ptr == NULL)
        return gate_arena_error(walk->session->arena, err);
    return walk->is_check ? gate_own_file_check(path.ptr, GATE_OWN_MANUAL, walk->session->is_forced, err)
                          : gate_output_write(walk->session, path.ptr, gate_buf_view(page), err);
}

static bool manual_write_command(void *context, const struct gate_command *parent, const struct gate_command *command,
                                 struct gate_error *err) {
    const struct manual_walk *walk = context;
    struct gate_buf page = {0};
    const char *name = manual_name(parent, command, walk->session->arena);
    bool ok = (name != NULL || gate_arena_error(walk->session->arena, err)) &&
              manual_command(&page, parent, command, walk->session, err) && manual_write(&page, name, 1, walk, err);
    gate_buf_free(&page);
    return ok;
}

static bool manual_write_pages(struct manual_walk *walk, struct gate_error *err) {
    struct gate_buf page = {0};
    bool ok = manual_program(&page, walk->session, err) && manual_write(&page, "pprofgate", 1, walk, err) &&
              gate_command_table_walk(manual_write_command, walk, err);
    page.len = 0;
    ok = ok && manual_rules(&page, err) && manual_write(&page, "pprofgate-rules", 5, walk, err);
    gate_buf_free(&page);
    return ok;
}

/* Writes all pages, or none if one may not be written. */
static bool manual_write_all(const char *folder, struct gate_session *session, struct gate_error *err) {
    struct manual_walk check = {session, folder, true}, walk = {session, folder, false};
    return manual_write_pages(&check, err) && manual_write_pages(&walk, err);
}

/* Finds the command that the words name: "check", "baseline accept". */
static bool manual_find(const struct gate_command **parent, const struct gate_command **command,
                        const struct gate_paths *words, struct gate_error *err) {
    *parent = *command = NULL;
    for (uint32_t i = 0; i < words->count; i++) {
        bool is_leaf = *command != NULL && (*command)->commands == NULL;
        *parent = *command;
        *command = is_leaf ? NULL : gate_command_table_find(*parent, words->items[i]);
        if (*command == NULL)
            return gate_error_set(err, GATE_ERR_USAGE, "unknown command '%s'; pprofgate help lists the commands",
                                  words->items[i]);
    }
    if (*command != NULL && (*command)->commands != NULL)
        return gate_error_set(err, GATE_ERR_USAGE, "'%s' has commands of its own, which have pages; name one of them",
                              (*command)->name);
    return true;
}

static bool manual_run(void *wanted, struct gate_session *session, struct gate_error *err) {
    const struct manual *manual = wanted;
    const struct gate_command *parent = NULL, *command = NULL;
    struct gate_buf page = {0};
    bool is_rules = manual->folder == NULL && manual->words.count == 1 && strcmp(manual->words.items[0], "rules") == 0;
    if (!is_rules && !manual_find(&parent, &command, &manual->words, err))
        return false;
    if (manual->folder != NULL)
        return manual->words.count == 0 ? manual_write_all(manual->folder, session, err)
                                        : gate_error_set(err, GATE_ERR_USAGE, "'--output' takes every page; name none");
    bool ok = is_rules          ? manual_rules(&page, err)
              : command == NULL ? manual_program(&page, session, err)
                                : manual_command(&page, parent, command, session, err);
    ok = ok && gate_session_print(session, &page, err);
    gate_buf_free(&page);
    return ok;
}

const struct gate_command gate_command_manual = {
    .name = "manual",
    .summary = "manual pages for man",
    .usage = cmd_manual_usage,
    .examples = cmd_manual_examples,
    .takes = GATE_TAKES_COMMANDS,
    .writes = true,
    .options = cmd_manual_options,
    .size = sizeof(struct manual),
    .arguments = offsetof(struct manual, words),
    .run = manual_run,
};
