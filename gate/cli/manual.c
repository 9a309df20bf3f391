/* SPDX-License-Identifier: Apache-2.0 */
/* Manual pages (see manual.h). */
#include "gate/cli/manual.h"

/* ---- text -------------------------------------------------------------------------------------------------------- */

void gate_manual_text(struct gate_buf *out, struct gate_str text) {
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
    gate_manual_text(out, gate_str_from(text));
    gate_buf_char(out, '\n');
}

/* The next line of `*text`, which goes on behind it. */
static struct gate_str take_line(struct gate_str *text) {
    size_t end = gate_str_find(*text, GATE_STR("\n"), 0);
    struct gate_str line = gate_str_slice(*text, 0, end == SIZE_MAX ? text->len : end);
    *text = gate_str_slice(*text, end == SIZE_MAX ? text->len : end + 1, text->len);
    return line;
}

/* Paragraphs; a line that is empty stands between two. */
static void manual_paragraphs(struct gate_buf *out, struct gate_str text) {
    bool is_open = true;
    while (text.len > 0) {
        struct gate_str line = take_line(&text);
        if (line.len == 0) {
            is_open = false;
            continue;
        }
        if (gate_str_equal(line, GATE_STR("Options:")) || gate_str_equal(line, GATE_STR("Commands:")))
            continue;
        if (!is_open)
            gate_buf_text(out, ".PP\n");
        is_open = true;
        gate_manual_text(out, line);
        gate_buf_char(out, '\n');
    }
}

/* ---- parts of a page --------------------------------------------------------------------------------------------- */

static void manual_begin(struct gate_buf *out, const char *name, const char *summary) {
    gate_buf_text(out, ".TH ");
    for (const char *c = name; *c != '\0'; c++)
        gate_buf_char(out, *c >= 'a' && *c <= 'z' ? (char)(*c - 32) : *c);
    gate_buf_text(out, " 1 \"\" \"pprofgate " GATE_VERSION "\" \"User Commands\"\n.SH NAME\n");
    gate_manual_text(out, gate_str_from(name));
    gate_buf_text(out, " \\- ");
    manual_line(out, summary);
}

/* "Usage: a\n       b\n\nparagraphs". */
static void manual_usage(struct gate_buf *out, const char *usage) {
    struct gate_str rest = gate_str_from(usage);
    gate_buf_text(out, ".SH SYNOPSIS\n.nf\n");
    for (struct gate_str line = take_line(&rest); line.len > 0; line = take_line(&rest)) {
        gate_manual_text(out, gate_str_slice(line, strlen("Usage: "), line.len));
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
    gate_manual_text(out, gate_str_from(option->name));
    gate_buf_text(out, "\\fR");
    if (option->value_name != NULL) {
        gate_buf_text(out, " \\fI");
        gate_manual_text(out, gate_str_from(option->value_name));
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
        gate_manual_text(out,
                         gate_str_ends(heading, GATE_STR(":")) ? gate_str_slice(heading, 0, heading.len - 1) : heading);
        gate_buf_char(out, '\n');
    }
}

/* What stands behind the options: mostly "Exit status: ...". */
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
        gate_manual_text(out, gate_str_from(at->what));
        gate_buf_text(out, ":\n.PP\n.RS 4\n.EX\n");
        manual_line(out, at->line);
        gate_buf_text(out, ".EE\n.RE\n");
    }
}

const char *gate_manual_name(const struct gate_command *group, const struct gate_command *command,
                             struct gate_arena *arena) {
    return gate_str_format(arena, "pprofgate%s%s%s%s", group == NULL ? "" : "-", group == NULL ? "" : group->name,
                           command == NULL ? "" : "-", command == NULL ? "" : command->name)
        .ptr;
}

/* ---- pages ------------------------------------------------------------------------------------------------------- */

bool gate_manual_command(struct gate_buf *out, const struct gate_command *group, const struct gate_command *command,
                         struct gate_cli *cli, struct gate_error *err) {
    struct gate_options options;
    void *wanted;
    const char *name = gate_manual_name(group, command, cli->arena);
    if (name == NULL)
        return gate_arena_error(cli->arena, err);
    if (!gate_command_options(&options, &wanted, command, cli, err))
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
    const char *name = gate_manual_name(group, command, list->arena);
    if (name == NULL)
        return gate_arena_error(list->arena, err);
    gate_buf_text(list->out, ".TP\n.BR ");
    gate_manual_text(list->out, gate_str_from(name));
    gate_buf_text(list->out, " (1)\n");
    manual_line(list->out, command->summary);
    return true;
}

static void manual_entry(struct gate_buf *out, const char *subject, const char *text) {
    gate_buf_text(out, ".TP\n\\fB");
    gate_manual_text(out, gate_str_from(subject));
    gate_buf_text(out, "\\fR\n");
    manual_line(out, text);
}

static void manual_surroundings(struct gate_buf *out) {
    static const char *const entries[][2] = {
        {"GITHUB_OUTPUT",
         "commands that end in a verdict append verdict, exit-code, failed, inconclusive, warned, causes and report to "
         "this file, for the steps of a job behind them"},
        {"GITHUB_STEP_SUMMARY", "in GitHub Actions, the Markdown report is appended to this file"},
        {"NO_COLOR", "no colour, unless --color=always asks for it"},
        {"CLICOLOR_FORCE", "colour also where no terminal is"},
        {"COLUMNS", "how wide text for a terminal is"},
        {"PPROFGATE_WORK_BASELINE, PPROFGATE_WORK_CANARY", "the work done on each side, where --work does not tell it"},
        {"KUBECONFIG", "the cluster of addresses that begin with k8s://, where --kubeconfig names none"},
        {"SOURCE_DATE_EPOCH", "the time that counts as now, where it is later than now"},
    };
    gate_buf_text(out, ".SH ENVIRONMENT\n");
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++)
        manual_entry(out, entries[i][0], entries[i][1]);
    gate_buf_text(out, ".SH FILES\n");
    manual_entry(out, ".pprofgate.yml", "the rules, where --rules names no others");
}

bool gate_manual_program(struct gate_buf *out, struct gate_cli *cli, struct gate_error *err) {
    static const char *const statuses[][2] = {
        {"0", "pass, with warnings too"},
        {"1", "a failing budget is broken"},
        {"2", "usage, configuration, input or output error: nothing was decided"},
        {"3", "inconclusive: the samples cannot decide"},
        {"70", "a bug in pprofgate"},
    };
    struct manual_list list = {out, cli->arena};
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
