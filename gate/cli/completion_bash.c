/* SPDX-License-Identifier: Apache-2.0 */
/* Completion for bash: one function that knows every command (see completion.h). */
#include "gate/cli/completion.h"

static const char head[] =
    "# bash completion for pprofgate " GATE_VERSION ", made by `pprofgate completion bash`\n"
    "_pprofgate() {\n"
    "    local current=${COMP_WORDS[COMP_CWORD]} previous='' command=${COMP_WORDS[1]} words='' files='' line\n"
    "    COMPREPLY=()\n"
    "    # '=' is a word of its own: --option=value is three.\n"
    "    if [[ $current == = ]]; then\n"
    "        previous=${COMP_WORDS[COMP_CWORD - 1]} current=''\n"
    "    elif [[ ${COMP_WORDS[COMP_CWORD - 1]} == = ]]; then\n"
    "        previous=${COMP_WORDS[COMP_CWORD - 2]}\n"
    "    else\n"
    "        previous=${COMP_WORDS[COMP_CWORD - 1]}\n"
    "    fi\n";

static const char tail[] =
    "    esac\n"
    "    while IFS= read -r line; do\n"
    "        COMPREPLY+=(\"$line\")\n"
    "    done < <(\n"
    "        if [[ -n $words ]]; then compgen -W \"$words\" -- \"$current\"; fi\n"
    "        if [[ $files == files ]]; then compgen -f -- \"$current\"; fi\n"
    "        if [[ $files == folders ]]; then compgen -d -- \"$current\"; fi\n"
    "        if [[ $files == revisions ]]; then\n"
    "            compgen -W \"$(git for-each-ref --format='%(refname:short)' 2>/dev/null) HEAD\" -- \"$current\"\n"
    "        fi\n"
    "    )\n"
    "    # Of names that are there: quoted as they need it, with a slash behind a folder.\n"
    "    if [[ -n $files ]] && type compopt &>/dev/null; then compopt -o filenames 2>/dev/null; fi\n"
    "}\n"
    "complete -F _pprofgate pprofgate\n";

static const char *const value_files[] = {[GATE_VALUE_NONE] = "",
                                          [GATE_VALUE_ANY] = "",
                                          [GATE_VALUE_FILE] = "files",
                                          [GATE_VALUE_FOLDER] = "folders",
                                          [GATE_VALUE_RULES] = "files"};
static const char *const takes_files[] = {
    [GATE_TAKES_FILES] = "files", [GATE_TAKES_RULES] = "files", [GATE_TAKES_REVISIONS] = "revisions",
    [GATE_TAKES_COMMANDS] = "",   [GATE_TAKES_SHELLS] = "",     [GATE_TAKES_NOTHING] = ""};

static void bash_words(struct gate_buf *out, const char *const *words) {
    gate_buf_text(out, "words='");
    for (size_t i = 0; words != NULL && words[i] != NULL; i++)
        gate_buf_printf(out, "%s%s", i == 0 ? "" : " ", words[i]);
    gate_buf_char(out, '\'');
}

/* "--rules | -r) words='heap recommended' files=files ;;" */
static void bash_value(struct gate_buf *out, const struct gate_option *option, struct gate_arena *arena) {
    gate_buf_printf(out, "            --%s", option->name);
    if (option->letter != 0)
        gate_buf_printf(out, " | -%c", option->letter);
    gate_buf_text(out, ") ");
    bash_words(out, gate_completion_words(option, arena));
    gate_buf_printf(out, " files=%s ;;\n", value_files[gate_completion_value_of(option)]);
}

static void bash_arguments(struct gate_buf *out, const struct gate_command *command, struct gate_arena *arena) {
    static const struct gate_option rules = {.name = "rules", .value_name = "FILE"};
    static const char *const shells[] = {"bash", "zsh", "fish", NULL};
    bash_words(out, command->takes == GATE_TAKES_RULES    ? gate_completion_words(&rules, arena)
                    : command->takes == GATE_TAKES_SHELLS ? shells
                                                          : NULL);
    gate_buf_printf(out, " files=%s\n", takes_files[command->takes]);
}

struct bash_walk {
    struct gate_buf *out;
    struct gate_cli *cli;
};

static bool bash_command(void *context, const struct gate_command *group, const struct gate_command *command,
                         struct gate_error *err) {
    const struct bash_walk *walk = context;
    struct gate_buf *out = walk->out;
    struct gate_options options;
    void *wanted;
    const struct gate_option *row;
    if (!gate_command_options(&options, &wanted, command, walk->cli, err))
        return false;
    gate_buf_printf(out, "    '%s%s%s')\n        case $previous in\n", group == NULL ? "" : group->name,
                    group == NULL ? "" : " ", command->name);
    for (size_t i = 0; (row = gate_options_row(&options, i)) != NULL; i++)
        if (row->name != NULL && row->value_name != NULL)
            bash_value(out, row, walk->cli->arena);
    gate_buf_text(out, "            *)\n                if [[ $current == -* ]]; then\n                    words='");
    for (size_t i = 0; (row = gate_options_row(&options, i)) != NULL; i++)
        if (row->name != NULL)
            gate_buf_printf(out, "%s--%s", i == 0 ? "" : " ", row->name);
    gate_buf_text(out, "'\n                else\n                    ");
    bash_arguments(out, command, walk->cli->arena);
    gate_buf_text(out, "                fi\n                ;;\n        esac\n        ;;\n");
    return true;
}

/* The commands of a group, or of the program. */
static void bash_names(struct gate_buf *out, const struct gate_command *group) {
    const char *names[GATE_COMMAND_TABLE_MAX + 1] = {NULL};
    const struct gate_command *const *at = gate_command_table_of(group);
    for (size_t i = 0; i < GATE_COMMAND_TABLE_MAX && at[i] != NULL; i++)
        names[i] = at[i]->name;
    bash_words(out, names);
}

bool gate_completion_bash(struct gate_buf *out, struct gate_cli *cli, struct gate_error *err) {
    struct bash_walk walk = {out, cli};
    gate_buf_text(out, head);
    gate_buf_text(out, "    if ((COMP_CWORD == 1)) || { ((COMP_CWORD == 2)) && [[ $command == help ]]; }; then\n"
                       "        command=''\n"
                       "    fi\n"
                       "    case $command in\n");
    for (const struct gate_command *const *at = gate_command_table; *at != NULL; at++)
        if ((*at)->commands != NULL) {
            gate_buf_printf(out, "    %s) if ((COMP_CWORD > 2)); then command+=\" ${COMP_WORDS[2]}\"; fi ;;\n",
                            (*at)->name);
        }
    gate_buf_text(out, "    esac\n    case $command in\n    '')\n        ");
    bash_names(out, NULL);
    gate_buf_text(out, "\n        words+=' help --help --version'\n        ;;\n");
    for (const struct gate_command *const *at = gate_command_table; *at != NULL; at++)
        if ((*at)->commands != NULL) {
            gate_buf_printf(out, "    %s) ", (*at)->name);
            bash_names(out, *at);
            gate_buf_text(out, " ;;\n");
        }
    if (!gate_command_table_walk(bash_command, &walk, err))
        return false;
    gate_buf_text(out, tail);
    return gate_buf_check(out, err);
}
