/* SPDX-License-Identifier: Apache-2.0 */
/* Completion for zsh: a list for _arguments for each command (see completion.h). */
#include "gate/cli/completion.h"

#include "gate/rules/preset.h"

/* In a string between ' and ' of _arguments: brackets end a description, colons a field. */
static void zsh_text(struct gate_buf *out, struct gate_str text) {
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        if (c == '\'')
            gate_buf_text(out, "'\\''");
        else if (c == '[' || c == ']' || c == ':' || c == '\\')
            gate_buf_printf(out, "\\%c", c);
        else
            gate_buf_char(out, c);
    }
}

/* ":FILE:_files", ":WHEN:(auto always never)" */
static void zsh_value(struct gate_buf *out, const struct gate_option *option, struct gate_arena *arena) {
    enum gate_completion_value value = gate_completion_value_of(option);
    const char *const *words = gate_completion_words(option, arena);
    if (value == GATE_VALUE_NONE)
        return;
    gate_buf_char(out, ':');
    zsh_text(out, gate_str_from(option->value_name));
    gate_buf_text(out, value == GATE_VALUE_RULES ? ":{_values preset" : words != NULL ? ":(" : ":");
    for (size_t i = 0; words != NULL && words[i] != NULL; i++)
        gate_buf_printf(out, " %s", words[i]);
    if (value == GATE_VALUE_RULES)
        gate_buf_text(out, "; _files}");
    else if (words != NULL)
        gate_buf_char(out, ')');
    else if (value != GATE_VALUE_ANY)
        gate_buf_text(out, value == GATE_VALUE_FOLDER ? "_files -/" : "_files");
}

/* '(-r --rules)'{-r+,--rules=}'[the budgets]:FILE:_files' */
static void zsh_option(struct gate_buf *out, const struct gate_option *option, struct gate_arena *arena) {
    const char *equals = option->value_name == NULL ? "" : "=", *plus = option->value_name == NULL ? "" : "+";
    gate_buf_text(out, "            ");
    if (option->letter != 0)
        gate_buf_printf(out, "'(-%c --%s)'{-%c%s,--%s%s}'", option->letter, option->name, option->letter, plus,
                        option->name, equals);
    else
        gate_buf_printf(out, "'%s--%s%s", equals[0] != '\0' ? "*" : "", option->name, equals);
    gate_buf_char(out, '[');
    zsh_text(out, gate_completion_brief(gate_str_from(option->help)));
    gate_buf_char(out, ']');
    zsh_value(out, option, arena);
    gate_buf_text(out, "' \\\n");
}

static void zsh_arguments(struct gate_buf *out, const struct gate_command *command, struct gate_arena *arena) {
    const char *const *presets = gate_preset_names(arena);
    gate_buf_text(out, "            ");
    switch (command->takes) {
    case GATE_TAKES_FILES:
        gate_buf_text(out, "'*:file:_files'");
        break;
    case GATE_TAKES_RULES:
        gate_buf_text(out, "'1:rules:{_values preset");
        for (size_t i = 0; presets != NULL && presets[i] != NULL; i++)
            gate_buf_printf(out, " %s", presets[i]);
        gate_buf_text(out, "; _files}' '*:file:_files'");
        break;
    case GATE_TAKES_REVISIONS:
        gate_buf_text(out, "'*:revision:{compadd HEAD $(git for-each-ref --format=\"%(refname:short)\" 2>/dev/null)}'");
        break;
    case GATE_TAKES_SHELLS:
        gate_buf_text(out, "'1:shell:(bash zsh fish)'");
        break;
    case GATE_TAKES_COMMANDS:
    case GATE_TAKES_NOTHING:
        gate_buf_text(out, "'*: :'");
        break;
    }
    gate_buf_char(out, '\n');
}

struct zsh_walk {
    struct gate_buf *out;
    struct gate_cli *cli;
};

static bool zsh_command(void *context, const struct gate_command *group, const struct gate_command *command,
                        struct gate_error *err) {
    const struct zsh_walk *walk = context;
    struct gate_options options;
    void *wanted;
    const struct gate_option *row;
    if (!gate_command_options(&options, &wanted, command, walk->cli, err))
        return false;
    gate_buf_printf(walk->out, "    '%s%s%s')\n        _arguments -s -S : \\\n", group == NULL ? "" : group->name,
                    group == NULL ? "" : " ", command->name);
    for (size_t i = 0; (row = gate_options_row(&options, i)) != NULL; i++)
        if (row->name != NULL)
            zsh_option(walk->out, row, walk->cli->arena);
    zsh_arguments(walk->out, command, walk->cli->arena);
    gate_buf_text(walk->out, "        ;;\n");
    return true;
}

/* names=('check:compare ...' ...) */
static void zsh_names(struct gate_buf *out, const struct gate_command *group) {
    gate_buf_text(out, "names=(");
    for (const struct gate_command *const *at = gate_command_table_of(group); *at != NULL; at++) {
        gate_buf_printf(out, "\n            '%s:", (*at)->name);
        zsh_text(out, gate_str_from((*at)->summary));
        gate_buf_char(out, '\'');
    }
    gate_buf_text(out, group == NULL ? "\n            'help:what a command takes')\n" : ")\n");
}

bool gate_completion_zsh(struct gate_buf *out, struct gate_cli *cli, struct gate_error *err) {
    struct zsh_walk walk = {out, cli};
    gate_buf_text(out, "#compdef pprofgate\n"
                       "# zsh completion for pprofgate " GATE_VERSION ", made by `pprofgate completion zsh`\n"
                       "_pprofgate() {\n"
                       "    local -a names\n"
                       "    local command=$words[2]\n"
                       "    if (( CURRENT == 2 )) || { (( CURRENT == 3 )) && [[ $command == help ]] }; then\n        ");
    zsh_names(out, NULL);
    gate_buf_text(out, "        _describe -t commands command names\n        return\n    fi\n");
    for (const struct gate_command *const *at = gate_command_table; *at != NULL; at++) {
        if ((*at)->commands == NULL)
            continue;
        gate_buf_printf(out, "    if [[ $command == %s ]]; then\n        if (( CURRENT == 3 )); then\n            ",
                        (*at)->name);
        zsh_names(out, *at);
        gate_buf_text(out, "            _describe -t commands command names\n            return\n        fi\n"
                           "        command+=\" $words[3]\"\n        shift words\n        (( CURRENT-- ))\n    fi\n");
    }
    gate_buf_text(out, "    shift words\n    (( CURRENT-- ))\n    case $command in\n");
    if (!gate_command_table_walk(zsh_command, &walk, err))
        return false;
    gate_buf_text(
        out, "    esac\n}\n"
             "if [[ $funcstack[1] == _pprofgate ]]; then _pprofgate \"$@\"; else compdef _pprofgate pprofgate; fi\n");
    return gate_buf_check(out, err);
}
