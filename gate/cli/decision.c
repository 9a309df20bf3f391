/* SPDX-License-Identifier: Apache-2.0 */
/* What every command that ends in a verdict takes and does (see decision.h). */
#include "gate/cli/decision.h"

#include "gate/base/escape.h"
#include "gate/cli/exit_code.h"
#include "gate/cli/manifest_dir.h"
#include "gate/cli/option_value.h"

#include <sys/stat.h>

#define AT(field) offsetof(struct gate_decision, field)

static const struct gate_option rules_rows[] = {
    {"rules", 'r', "FILE",
     "the budgets: a file, or a preset such as recommended or strict (default: .pprofgate.yml, else recommended)",
     gate_option_value_text, AT(rules), NULL},
    {0},
};
const struct gate_option_group gate_decision_rules = {.rows = rules_rows};

static const struct gate_option inconclusive_rows[] = {
    {"on-inconclusive", 0, "WHAT",
     "end an inconclusive run as pass, warn, fail or inconclusive (default: as the rules say)", gate_option_value_word,
     AT(on_inconclusive), gate_on_inconclusive_words},
    {0},
};
const struct gate_option_group gate_decision_inconclusive = {.rows = inconclusive_rows};

void gate_decision_begin(struct gate_decision *decision) {
    gate_profile_options_begin(&decision->profiles);
    gate_reports_begin(&decision->reports);
    decision->on_inconclusive = -1;
}

bool gate_decision_note(const struct gate_decision *decision, struct gate_file_roles *roles, struct gate_arena *arena,
                        struct gate_error *err) {
    return gate_file_roles_read(roles, "the rules", decision->rules == NULL ? GATE_RULEFILE_DEFAULT : decision->rules,
                                arena, err) &&
           gate_profile_options_note(&decision->profiles, NULL, roles, arena, err) &&
           gate_judge_options_note(&decision->judging, roles, arena, err);
}

/* `--report BASELINE CANARY` takes the baseline for its folder. */
static bool report_check(const struct gate_decision *decision, struct gate_error *err) {
    const char *folder = decision->reports.folder;
    struct stat found;
    if (folder == NULL || stat(folder, &found) != 0 || S_ISDIR(found.st_mode))
        return true;
    return gate_error_set(err, GATE_ERR_USAGE,
                          "option '--report': '%s' is a file, and the reports want a folder: name one before the "
                          "profiles, such as --report out",
                          folder);
}

bool gate_decision_deal(struct gate_decision *decision, struct gate_cli *cli, struct gate_error *err) {
    return report_check(decision, err) && gate_manifest_dir_expand(&decision->profiles, &decision->judging, cli, err) &&
           gate_profile_options_deal(&decision->profiles, cli->arena, err);
}

bool gate_decision_finish(struct gate_decision *decision, struct gate_file_roles *roles, struct gate_cli *cli,
                          struct gate_error *err) {
    decision->judging.draws_trees = gate_reports_draw_views(&decision->reports) &&
                                    decision->reports.options.min_share >= GATE_COMPARISON_TREE_SHARE;
    decision->judging.walks_stacks = gate_reports_walk_stacks(&decision->reports);
    return gate_judge_options_finish(&decision->judging, cli->arena, err) && gate_file_roles_check(roles, err) &&
           gate_reports_note(&decision->reports, roles, cli, err);
}

/* ---- the command line -------------------------------------------------------------------------------------------- */

static void command_word(struct gate_buf *text, const char *word) {
    gate_buf_char(text, ' ');
    gate_escape_shell(text, gate_str_from(word));
}

/* The row that a word is of, with its value or without. */
static const struct gate_option *row_of(const struct gate_option_group *group, const char *word) {
    for (const struct gate_option *row = group->rows; row->name != NULL; row++) {
        size_t len = strlen(row->name);
        bool is_long = strncmp(word, "--", 2) == 0 && strncmp(word + 2, row->name, len) == 0 &&
                       (word[2 + len] == '\0' || word[2 + len] == '=');
        if (is_long || (row->letter != 0 && word[0] == '-' && word[1] == row->letter))
            return row;
    }
    return NULL;
}

/* Words that are left out from this one on; 0: it stays. */
static int words_of(const struct gate_decision_without *without, const char *word) {
    for (uint32_t i = 0; without->arguments != NULL && i < without->arguments->count; i++)
        if (without->arguments->items[i] == word)
            return 1;
    for (size_t g = 0; without->groups[g] != NULL; g++) {
        const struct gate_option *row = row_of(without->groups[g], word);
        if (row == NULL)
            continue;
        bool holds_value = word[1] == '-' ? strchr(word, '=') != NULL : word[2] != '\0';
        return row->value_name == NULL || holds_value ? 1 : 2;
    }
    return strcmp(word, "--") == 0 ? 1 : 0;
}

bool gate_decision_command(struct gate_decision *decision, const char *dir, const struct gate_decision_without *without,
                           struct gate_cli *cli, struct gate_error *err) {
    struct gate_buf text = {0};
    gate_buf_text(&text, "pprofgate check");
    if (dir != NULL)
        command_word(&text, dir);
    for (int i = 0; i < cli->argc;) {
        int words = without == NULL ? 0 : words_of(without, cli->argv[i]);
        if (words == 0)
            command_word(&text, cli->argv[i]);
        i += words == 0 ? 1 : words;
    }
    decision->judging.command = gate_str_copy(cli->arena, gate_buf_view(&text));
    bool ok = gate_buf_check(&text, err);
    gate_buf_free(&text);
    return ok && (decision->judging.command.ptr != NULL || gate_arena_error(cli->arena, err));
}

/* ---- rules and reports ------------------------------------------------------------------------------------------- */

bool gate_decision_load_rules(struct gate_rules *out, struct gate_decision *decision, struct gate_cli *cli,
                              struct gate_error *err) {
    if (!gate_rulefile_load_from(out, &decision->from, cli, decision->rules, err))
        return false;
    decision->judging.from = &decision->from;
    if (decision->on_inconclusive >= 0)
        out->on_inconclusive = (enum gate_on_inconclusive)decision->on_inconclusive;
    return true;
}

/* A budget that asks for more runs than are known cannot do what its author thinks it does. */
static void decision_tell_sustain(const struct gate_rules *rules, uint32_t known, struct gate_cli *cli) {
    const struct gate_budget *first = NULL;
    uint32_t count = 0;
    for (uint32_t i = 0; i < rules->budget_count; i++) {
        const struct gate_budget *budget = &rules->budgets[i];
        if (budget->severity != GATE_SEVERITY_ERROR || budget->sustain_n <= known)
            continue;
        first = count++ == 0 ? budget : first;
    }
    if (first == NULL)
        return;
    struct gate_buf text = {0};
    gate_buf_printf(&text, "budget '%.*s'", GATE_STR_ARG(first->name));
    if (count > 1)
        gate_buf_printf(&text, " and %u more", (unsigned)count - 1);
    gate_buf_printf(&text, " %s to fail only when %u of %u runs agree, and %u %s known", count > 1 ? "ask" : "asks",
                    (unsigned)first->sustain_k, (unsigned)first->sustain_n, (unsigned)known, known == 1 ? "is" : "are");
    if (known < first->sustain_k)
        gate_buf_text(&text, ", so it can only warn");
    gate_buf_text(&text, "; --history names earlier canaries");
    gate_cli_note(cli, gate_buf_view(&text));
    gate_buf_free(&text);
}

bool gate_decision_report(const struct gate_decision *decision, const struct gate_rules *rules,
                          const struct gate_verdict *verdict, struct gate_cli *cli, struct gate_error *err) {
    if (!gate_reports_write(&decision->reports, verdict, cli, err))
        return false;
    decision_tell_sustain(rules, decision->judging.history.count + 1, cli);
    cli->status = gate_exit_code_of(verdict->outcome);
    gate_github_output_count(&cli->told, verdict);
    cli->told.report = decision->reports.folder;
    return true;
}
