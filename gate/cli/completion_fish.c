/* SPDX-License-Identifier: Apache-2.0 */
/* Completion for fish: a line for each command and option (see completion.h). */
#include "gate/cli/completion.h"

#include "gate/rules/preset.h"

static void fish_text(struct gate_buf *out, struct gate_str text) {
    gate_buf_char(out, '\'');
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] == '\'' || text.ptr[i] == '\\')
            gate_buf_char(out, '\\');
        gate_buf_char(out, text.ptr[i]);
    }
    gate_buf_char(out, '\'');
}

static void fish_words(struct gate_buf *out, const char *const *words) {
    gate_buf_text(out, " -a '");
    for (size_t i = 0; words != NULL && words[i] != NULL; i++)
        gate_buf_printf(out, "%s%s", i == 0 ? "" : " ", words[i]);
    gate_buf_char(out, '\'');
}

/* "-n '__pprofgate_is baseline accept'" */
static void fish_condition(struct gate_buf *out, const char *group, const char *command) {
    gate_buf_printf(out, "complete -c pprofgate -n '__pprofgate_is%s%s%s%s'", group == NULL ? "" : " ",
                    group == NULL ? "" : group, command == NULL ? "" : " ", command == NULL ? "" : command);
}

static void fish_option(struct gate_buf *out, const struct gate_option *option, struct gate_arena *arena) {
    enum gate_completion_value value = gate_completion_value_of(option);
    const char *const *words = gate_completion_words(option, arena);
    gate_buf_printf(out, " -l %s", option->name);
    if (option->letter != 0)
        gate_buf_printf(out, " -s %c", option->letter);
    if (value == GATE_VALUE_FOLDER)
        gate_buf_text(out, " -x -a '(__fish_complete_directories)'");
    else if (value == GATE_VALUE_FILE || value == GATE_VALUE_RULES)
        gate_buf_text(out, " -r -F");
    else if (value == GATE_VALUE_ANY)
        gate_buf_text(out, " -x");
    if (words != NULL)
        fish_words(out, words);
    gate_buf_text(out, " -d ");
    fish_text(out, gate_completion_brief(gate_str_from(option->help)));
    gate_buf_char(out, '\n');
}

struct fish_walk {
    struct gate_buf *out;
    struct gate_cli *cli;
};

static void fish_arguments(struct gate_buf *out, const struct gate_command *group, const struct gate_command *command,
                           struct gate_arena *arena) {
    static const char *const shells[] = {"bash", "zsh", "fish", NULL};
    if (command->takes == GATE_TAKES_FILES)
        return; /* fish completes files where nothing else is said */
    fish_condition(out, group == NULL ? NULL : group->name, command->name);
    if (command->takes == GATE_TAKES_RULES)
        fish_words(out, gate_preset_names(arena));
    else if (command->takes == GATE_TAKES_REVISIONS)
        gate_buf_text(out, " -f -a 'HEAD (git for-each-ref --format=\"%(refname:short)\" 2>/dev/null)'");
    else {
        gate_buf_text(out, " -f");
        if (command->takes == GATE_TAKES_SHELLS)
            fish_words(out, shells);
    }
    gate_buf_char(out, '\n');
}

static bool fish_command(void *context, const struct gate_command *group, const struct gate_command *command,
                         struct gate_error *err) {
    const struct fish_walk *walk = context;
    struct gate_options options;
    void *wanted;
    const struct gate_option *row;
    if (!gate_command_options(&options, &wanted, command, walk->cli, err))
        return false;
    for (size_t i = 0; (row = gate_options_row(&options, i)) != NULL; i++) {
        if (row->name == NULL)
            continue;
        fish_condition(walk->out, group == NULL ? NULL : group->name, command->name);
        fish_option(walk->out, row, walk->cli->arena);
    }
    fish_arguments(walk->out, group, command, walk->cli->arena);
    return true;
}

static void fish_names(struct gate_buf *out, const struct gate_command *group) {
    for (const struct gate_command *const *at = gate_command_table_of(group); *at != NULL; at++) {
        gate_buf_text(out, "complete -c pprofgate -f -n '__pprofgate_at");
        gate_buf_printf(out, "%s%s' -a %s -d ", group == NULL ? "" : " ", group == NULL ? "" : group->name,
                        (*at)->name);
        fish_text(out, gate_str_from((*at)->summary));
        gate_buf_char(out, '\n');
        if ((*at)->commands != NULL)
            fish_names(out, *at);
    }
}

bool gate_completion_fish(struct gate_buf *out, struct gate_cli *cli, struct gate_error *err) {
    struct fish_walk walk = {out, cli};
    gate_buf_text(out, "# fish completion for pprofgate " GATE_VERSION ", made by `pprofgate completion fish`\n"
                       "# Whether the words behind the program's name begin with these.\n"
                       "function __pprofgate_is\n"
                       "    set -l words (commandline -opc)\n"
                       "    set -e words[1]\n"
                       "    for word in $argv\n"
                       "        test (count $words) -gt 0; and test \"$words[1]\" = \"$word\"; or return 1\n"
                       "        set -e words[1]\n"
                       "    end\n"
                       "end\n"
                       "# Whether they are these, and the next one is being written.\n"
                       "function __pprofgate_at\n"
                       "    __pprofgate_is $argv; and test (count (commandline -opc)) -eq (math (count $argv) + 1)\n"
                       "end\n");
    fish_names(out, NULL);
    gate_buf_text(out, "complete -c pprofgate -f -n '__pprofgate_at' -a help -d 'what a command takes'\n");
    for (const struct gate_command *const *at = gate_command_table; *at != NULL; at++)
        gate_buf_printf(out, "complete -c pprofgate -f -n '__pprofgate_at help' -a %s\n", (*at)->name);
    return gate_command_table_walk(fish_command, &walk, err) && gate_buf_check(out, err);
}
