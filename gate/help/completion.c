/* SPDX-License-Identifier: Apache-2.0 */
/* The command `completion`: makes completion scripts for bash, zsh and fish. */
#include "gate/cli/command.h"
#include "gate/rules/rules.h"

/* ---- values of options ------------------------------------------------------------------------------------------- */

/** Kind of an option's value, besides a fixed list of words. */
enum gate_completion_value { GATE_VALUE_NONE, GATE_VALUE_ANY, GATE_VALUE_FILE, GATE_VALUE_FOLDER, GATE_VALUE_RULES };

/* Where the lines of each command go. */
struct walk {
    struct gate_buf *out;
    struct gate_session *session;
};

/* Words of an argument that names a shell. */
static const char *const shell_names[] = {"bash", "zsh", "fish", NULL};

/** Append the script for one shell. err: GATE_ERR_MEMORY, GATE_ERR_LIMIT. */
typedef bool gate_completion_write(struct gate_buf *out, struct gate_session *session, struct gate_error *err);

/** Return the kind of an option's value, by its value name: FILE, PATH and DIR are files and folders; --rules also
 * takes presets. */
static enum gate_completion_value completion_value_of(const struct gate_option *option) {
    struct gate_str value = gate_str_from(option->value_name == NULL ? "" : option->value_name);
    if (option->value_name == NULL)
        return GATE_VALUE_NONE;
    if (strcmp(option->name, "rules") == 0)
        return GATE_VALUE_RULES;
    if (gate_str_starts(value, GATE_STR("FILE")) || gate_str_starts(value, GATE_STR("PATH")))
        return GATE_VALUE_FILE;
    return gate_str_starts(value, GATE_STR("DIR")) ? GATE_VALUE_FOLDER : GATE_VALUE_ANY;
}

/** Return the words that the value may be, NULL-terminated: those of the option, or the presets. NULL if any value
 * is possible, or if the arena is full. */
static const char *const *completion_words(const struct gate_option *option, struct gate_arena *arena) {
    if (completion_value_of(option) == GATE_VALUE_RULES)
        return gate_preset_names(arena);
    return option->words;
}

/** Return the first clause of a help text, which is short and cannot end a quoted string. */
static struct gate_str completion_brief(struct gate_str help) {
    static const char *const ends[] = {" (", ": ", "; ", ", such as"};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        size_t at = gate_str_find(help, gate_str_from(ends[i]), 1);
        help = gate_str_slice(help, 0, at == SIZE_MAX ? help.len : at);
    }
    return help;
}

/* ---- bash: one function that handles every command --------------------------------------------------------------- */

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

/* Append "BEFORE'heap recommended'" */
static void quoted_words(struct gate_buf *out, const char *before, const char *const *words) {
    gate_buf_printf(out, "%s'", before);
    for (size_t i = 0; words != NULL && words[i] != NULL; i++)
        gate_buf_printf(out, "%s%s", i == 0 ? "" : " ", words[i]);
    gate_buf_char(out, '\'');
}

/* Appends a line such as "--rules | -r) words='heap recommended' files=files ;;" */
static void bash_value(struct gate_buf *out, const struct gate_option *option, struct gate_arena *arena) {
    gate_buf_printf(out, "            --%s", option->name);
    if (option->letter != 0)
        gate_buf_printf(out, " | -%c", option->letter);
    gate_buf_text(out, ") ");
    quoted_words(out, "words=", completion_words(option, arena));
    gate_buf_printf(out, " files=%s ;;\n", value_files[completion_value_of(option)]);
}

static void bash_arguments(struct gate_buf *out, const struct gate_command *command, struct gate_arena *arena) {
    static const struct gate_option rules = {.name = "rules", .value_name = "FILE"};
    quoted_words(out, "words=",
                 command->takes == GATE_TAKES_RULES    ? completion_words(&rules, arena)
                 : command->takes == GATE_TAKES_SHELLS ? shell_names
                                                       : NULL);
    gate_buf_printf(out, " files=%s\n", takes_files[command->takes]);
}

static bool bash_command(void *context, const struct gate_command *group, const struct gate_command *command,
                         struct gate_error *err) {
    const struct walk *walk = context;
    struct gate_buf *out = walk->out;
    struct gate_options options;
    void *wanted;
    const struct gate_option *row;
    if (!gate_command_options(&options, &wanted, command, walk->session, err))
        return false;
    gate_buf_printf(out, "    '%s%s%s')\n        case $previous in\n", group == NULL ? "" : group->name,
                    group == NULL ? "" : " ", command->name);
    for (size_t i = 0; (row = gate_options_row(&options, i)) != NULL; i++)
        if (row->name != NULL && row->value_name != NULL)
            bash_value(out, row, walk->session->arena);
    gate_buf_text(out, "            *)\n                if [[ $current == -* ]]; then\n                    words='");
    for (size_t i = 0; (row = gate_options_row(&options, i)) != NULL; i++)
        if (row->name != NULL)
            gate_buf_printf(out, "%s--%s", i == 0 ? "" : " ", row->name);
    gate_buf_text(out, "'\n                else\n                    ");
    bash_arguments(out, command, walk->session->arena);
    gate_buf_text(out, "                fi\n                ;;\n        esac\n        ;;\n");
    return true;
}

/* Appends the names of the commands of a group, or of the program. */
static void bash_names(struct gate_buf *out, const struct gate_command *group) {
    const char *names[GATE_COMMAND_TABLE_MAX + 1] = {NULL};
    const struct gate_command *const *at = gate_command_table_of(group);
    for (size_t i = 0; i < GATE_COMMAND_TABLE_MAX && at[i] != NULL; i++)
        names[i] = at[i]->name;
    quoted_words(out, "words=", names);
}

static bool completion_bash(struct gate_buf *out, struct gate_session *session, struct gate_error *err) {
    struct walk walk = {out, session};
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

/* ---- fish: a line for each command and option -------------------------------------------------------------------- */

static void fish_text(struct gate_buf *out, struct gate_str text) {
    gate_buf_char(out, '\'');
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] == '\'' || text.ptr[i] == '\\')
            gate_buf_char(out, '\\');
        gate_buf_char(out, text.ptr[i]);
    }
    gate_buf_char(out, '\'');
}

/* Appends a condition such as "-n '__pprofgate_is baseline accept'" */
static void fish_condition(struct gate_buf *out, const char *group, const char *command) {
    gate_buf_printf(out, "complete -c pprofgate -n '__pprofgate_is%s%s%s%s'", group == NULL ? "" : " ",
                    group == NULL ? "" : group, command == NULL ? "" : " ", command == NULL ? "" : command);
}

static void fish_option(struct gate_buf *out, const struct gate_option *option, struct gate_arena *arena) {
    enum gate_completion_value value = completion_value_of(option);
    const char *const *words = completion_words(option, arena);
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
        quoted_words(out, " -a ", words);
    gate_buf_text(out, " -d ");
    fish_text(out, completion_brief(gate_str_from(option->help)));
    gate_buf_char(out, '\n');
}

static void fish_arguments(struct gate_buf *out, const struct gate_command *group, const struct gate_command *command,
                           struct gate_arena *arena) {
    if (command->takes == GATE_TAKES_FILES)
        return; /* fish completes files by default */
    fish_condition(out, group == NULL ? NULL : group->name, command->name);
    if (command->takes == GATE_TAKES_RULES)
        quoted_words(out, " -a ", gate_preset_names(arena));
    else if (command->takes == GATE_TAKES_REVISIONS)
        gate_buf_text(out, " -f -a 'HEAD (git for-each-ref --format=\"%(refname:short)\" 2>/dev/null)'");
    else {
        gate_buf_text(out, " -f");
        if (command->takes == GATE_TAKES_SHELLS)
            quoted_words(out, " -a ", shell_names);
    }
    gate_buf_char(out, '\n');
}

static bool fish_command(void *context, const struct gate_command *group, const struct gate_command *command,
                         struct gate_error *err) {
    const struct walk *walk = context;
    struct gate_options options;
    void *wanted;
    const struct gate_option *row;
    if (!gate_command_options(&options, &wanted, command, walk->session, err))
        return false;
    for (size_t i = 0; (row = gate_options_row(&options, i)) != NULL; i++) {
        if (row->name == NULL)
            continue;
        fish_condition(walk->out, group == NULL ? NULL : group->name, command->name);
        fish_option(walk->out, row, walk->session->arena);
    }
    fish_arguments(walk->out, group, command, walk->session->arena);
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

static bool completion_fish(struct gate_buf *out, struct gate_session *session, struct gate_error *err) {
    struct walk walk = {out, session};
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

/* ---- zsh: arguments of _arguments for each command --------------------------------------------------------------- */

/* Escapes text for a quoted argument of _arguments, where brackets end a description and colons end a field. */
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

/* Appends ":FILE:_files" or ":WHEN:(auto always never)" */
static void zsh_value(struct gate_buf *out, const struct gate_option *option, struct gate_arena *arena) {
    enum gate_completion_value value = completion_value_of(option);
    const char *const *words = completion_words(option, arena);
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

/* Appends "'(-r --rules)'{-r+,--rules=}'[the budgets]:FILE:_files'" */
static void zsh_option(struct gate_buf *out, const struct gate_option *option, struct gate_arena *arena) {
    const char *equals = option->value_name == NULL ? "" : "=", *plus = option->value_name == NULL ? "" : "+";
    gate_buf_text(out, "            ");
    if (option->letter != 0)
        gate_buf_printf(out, "'(-%c --%s)'{-%c%s,--%s%s}'", option->letter, option->name, option->letter, plus,
                        option->name, equals);
    else
        gate_buf_printf(out, "'%s--%s%s", equals[0] != '\0' ? "*" : "", option->name, equals);
    gate_buf_char(out, '[');
    zsh_text(out, completion_brief(gate_str_from(option->help)));
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

static bool zsh_command(void *context, const struct gate_command *group, const struct gate_command *command,
                        struct gate_error *err) {
    const struct walk *walk = context;
    struct gate_options options;
    void *wanted;
    const struct gate_option *row;
    if (!gate_command_options(&options, &wanted, command, walk->session, err))
        return false;
    gate_buf_printf(walk->out, "    '%s%s%s')\n        _arguments -s -S : \\\n", group == NULL ? "" : group->name,
                    group == NULL ? "" : " ", command->name);
    for (size_t i = 0; (row = gate_options_row(&options, i)) != NULL; i++)
        if (row->name != NULL)
            zsh_option(walk->out, row, walk->session->arena);
    zsh_arguments(walk->out, command, walk->session->arena);
    gate_buf_text(walk->out, "        ;;\n");
    return true;
}

/* Appends "names=('check:compare ...' ...)" */
static void zsh_names(struct gate_buf *out, const struct gate_command *group) {
    gate_buf_text(out, "names=(");
    for (const struct gate_command *const *at = gate_command_table_of(group); *at != NULL; at++) {
        gate_buf_printf(out, "\n            '%s:", (*at)->name);
        zsh_text(out, gate_str_from((*at)->summary));
        gate_buf_char(out, '\'');
    }
    gate_buf_text(out, group == NULL ? "\n            'help:what a command takes')\n" : ")\n");
}

static bool completion_zsh(struct gate_buf *out, struct gate_session *session, struct gate_error *err) {
    struct walk walk = {out, session};
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

/* ---- the command ------------------------------------------------------------------------------------------------- */

/* Options of `completion`. */
struct completion {
    struct gate_paths shells;
};

static const struct {
    const char *name;
    gate_completion_write *write;
} shells[] = {{"bash", completion_bash}, {"zsh", completion_zsh}, {"fish", completion_fish}};

static const struct gate_option_binding cmd_completion_options[] = {{NULL, 0}};

static const char usage[] = "Usage: pprofgate completion bash|zsh|fish\n"
                            "\n"
                            "Writes a script by which the shell completes commands, options and their\n"
                            "values. Where the program was installed by a package, it is there already.\n";

static const struct gate_example examples[] = {
    {"bash, for this session; for all, put the line in ~/.bashrc", "source <(pprofgate completion bash)"},
    {"zsh, in a folder of $fpath", "pprofgate completion zsh > _pprofgate"},
    {"fish, in ~/.config/fish/completions", "pprofgate completion fish > pprofgate.fish"},
    {NULL, NULL}};

static bool completion_run(void *wanted, struct gate_session *session, struct gate_error *err) {
    const struct gate_paths *words = &((struct completion *)wanted)->shells;
    struct gate_buf out = {0};
    if (words->count != 1)
        return gate_error_set(err, GATE_ERR_USAGE, "expected a shell: bash, zsh or fish; found %u words",
                              (unsigned)words->count);
    for (size_t i = 0; i < sizeof shells / sizeof *shells; i++) {
        if (strcmp(shells[i].name, words->items[0]) != 0)
            continue;
        bool ok = shells[i].write(&out, session, err) && gate_session_print(session, &out, err);
        gate_buf_free(&out);
        return ok;
    }
    return gate_error_set(err, GATE_ERR_USAGE, "expected a shell: bash, zsh or fish; found '%s'", words->items[0]);
}

const struct gate_command gate_command_completion = {
    .name = "completion",
    .summary = "print a shell completion script for bash, zsh or fish",
    .usage = usage,
    .examples = examples,
    .takes = GATE_TAKES_SHELLS,
    .options = cmd_completion_options,
    .size = sizeof(struct completion),
    .arguments = offsetof(struct completion, shells),
    .run = completion_run,
};
