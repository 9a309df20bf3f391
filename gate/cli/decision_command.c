/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the command line that repeats a decision, for reports. */
#include "gate/cli/decision_command.h"

#include "gate/base/escape.h"
#include "gate/budget/outcome.h"
#include "gate/cli/options.h"
#include "gate/session/judge.h"
#include "gate/session/manifest_dir.h"
#include "gate/session/reports.h"
#include "gate/session/rules_in_force.h"

static void command_word(struct gate_buf *text, const char *word) {
    gate_buf_char(text, ' ');
    gate_escape_shell(text, gate_str_from(word));
}

/* Returns the option that `word` is, with or without its value. */
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

/* Returns how many words to leave out, from `word` on; 0: keep it. */
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
                           struct gate_session *session, struct gate_error *err) {
    struct gate_buf text = {0};
    gate_buf_text(&text, "pprofgate check");
    if (dir != NULL)
        command_word(&text, dir);
    for (int i = 0; i < session->argc;) {
        int words = without == NULL ? 0 : words_of(without, session->argv[i]);
        if (words == 0)
            command_word(&text, session->argv[i]);
        i += words == 0 ? 1 : words;
    }
    decision->judging.command = gate_str_copy(session->arena, gate_buf_view(&text));
    bool ok = gate_buf_check(&text, err);
    gate_buf_free(&text);
    return ok && (decision->judging.command.ptr != NULL || gate_arena_error(session->arena, err));
}
