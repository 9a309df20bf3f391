/* SPDX-License-Identifier: Apache-2.0 */
/* `pprofgate completion`: what a shell completes its command lines by. */
#include "gate/cli/completion.h"

/* A command line of completion, parsed. */
struct completion {
    struct gate_paths shells;
};

static const struct {
    const char *name;
    gate_completion_write *write;
} shells[] = {{"bash", gate_completion_bash}, {"zsh", gate_completion_zsh}, {"fish", gate_completion_fish}};

static const struct gate_option_binding options[] = {{NULL, 0}};

static const char usage[] = "Usage: pprofgate completion bash|zsh|fish\n"
                            "\n"
                            "Writes a script by which the shell completes commands, options and their\n"
                            "values. Where the program was installed by a package, it is there already.\n";

static const struct gate_example examples[] = {
    {"bash, for this session; for all, put the line in ~/.bashrc", "source <(pprofgate completion bash)"},
    {"zsh, in a folder of $fpath", "pprofgate completion zsh > _pprofgate"},
    {"fish, in ~/.config/fish/completions", "pprofgate completion fish > pprofgate.fish"},
    {NULL, NULL}};

static bool completion_run(void *wanted, struct gate_cli *cli, struct gate_error *err) {
    const struct gate_paths *words = &((struct completion *)wanted)->shells;
    struct gate_buf out = {0};
    if (words->count != 1)
        return gate_error_set(err, GATE_ERR_USAGE, "expected a shell: bash, zsh or fish; found %u words",
                              (unsigned)words->count);
    for (size_t i = 0; i < sizeof shells / sizeof *shells; i++) {
        if (strcmp(shells[i].name, words->items[0]) != 0)
            continue;
        bool ok = shells[i].write(&out, cli, err) && gate_cli_print(cli, &out, err);
        gate_buf_free(&out);
        return ok;
    }
    return gate_error_set(err, GATE_ERR_USAGE, "expected a shell: bash, zsh or fish; found '%s'", words->items[0]);
}

const struct gate_command gate_command_completion = {
    .name = "completion",
    .summary = "what bash, zsh or fish completes command lines by",
    .usage = usage,
    .examples = examples,
    .takes = GATE_TAKES_SHELLS,
    .options = options,
    .size = sizeof(struct completion),
    .arguments = offsetof(struct completion, shells),
    .run = completion_run,
};
