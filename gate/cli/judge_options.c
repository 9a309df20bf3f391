/* SPDX-License-Identifier: Apache-2.0 */
/* The options of commands that judge (see judge_options.h). */
#include "gate/cli/judge_options.h"

#include "gate/cli/option_value.h"
#include "gate/cli/work_option.h"

#include <stdlib.h>

#define AT(field) offsetof(struct gate_judge_options, field)

static const struct gate_option work_rows[] = {
    {"work", 0, "SIDE=N",
     "work done while a side was captured (requests, iterations), such as baseline=39752; canary=N1,N2 tells it of "
     "each "
     "run, and canary:endpoint=/search:N of what a label of the samples stands for; once for each side (default: "
     "$PPROFGATE_WORK_BASELINE and $PPROFGATE_WORK_CANARY)",
     gate_work_option_side, AT(work), NULL},
    {"work-baseline", 0, "N", "the same as --work baseline=N", gate_work_option_baseline, AT(work), NULL},
    {"work-canary", 0, "N", "the same as --work canary=N", gate_work_option_canary, AT(work), NULL},
    {"work-file", 0, "FILE", "the same as YAML or JSON: {baseline: {endpoint: {/search: 1200}}, canary: ...}",
     gate_option_value_text, AT(work_file), NULL},
    {0},
};
const struct gate_option_group gate_judge_options_work = {.rows = work_rows};

static const struct gate_option noise_rows[] = {
    {"noise", 0, "FILE", "how much runs of one build differ, from `pprofgate calibrate`; one file per sample type",
     gate_option_value_path, AT(noise), NULL},
    {0},
};
const struct gate_option_group gate_judge_options_noise = {.rows = noise_rows};

static const struct gate_option history_rows[] = {
    {"history", 0, "PATH",
     "an earlier canary of this change, or a folder of them by name, oldest first: for budgets that `sustain`",
     gate_option_value_path, AT(history), NULL},
    {0},
};
const struct gate_option_group gate_judge_options_history = {.rows = history_rows};

bool gate_judge_options_note(const struct gate_judge_options *options, struct gate_file_roles *roles,
                             struct gate_arena *arena, struct gate_error *err) {
    return (options->work_file == NULL || gate_file_roles_read(roles, "the work", options->work_file, arena, err)) &&
           gate_file_roles_read_all(roles, "a noise model", &options->noise, arena, err) &&
           gate_file_roles_read_all(roles, "an earlier canary (--history)", &options->history, arena, err);
}

static const char *const work_variables[GATE_SIDES] = {"PPROFGATE_WORK_BASELINE", "PPROFGATE_WORK_CANARY"};

/* Numbers that an earlier CI step left in the environment; an empty variable is unset, as CI systems make them. */
static bool judge_options_environment(struct gate_judge_options *options, struct gate_arena *arena,
                                      struct gate_error *err) {
    for (int side = 0; side < GATE_SIDES; side++) {
        const char *value = getenv(work_variables[side]);
        if (value != NULL && value[0] != '\0' &&
            !gate_work_option_text(&options->work, (enum gate_side_name)side, work_variables[side], value, arena, err))
            return false;
    }
    return true;
}

static bool judge_options_work(struct gate_judge_options *options, struct gate_arena *arena, struct gate_error *err) {
    bool told = options->work.count > 0;
    if (!told && !judge_options_environment(options, arena, err))
        return false;
    if (options->work_file != NULL)
        return true; /* it may tell the rest */
    bool has_baseline = gate_work_total(&options->work, GATE_BASELINE) > 0;
    if (has_baseline == (gate_work_total(&options->work, GATE_CANARY) > 0))
        return true;
    int missing = has_baseline ? GATE_CANARY : GATE_BASELINE;
    const char *word = gate_side_word((enum gate_side_name)missing);
    if (!told)
        return gate_error_set(err, GATE_ERR_USAGE, "the work of the %s is missing: set %s beside %s, or neither", word,
                              work_variables[missing], work_variables[1 - missing]);
    return gate_error_set(err, GATE_ERR_USAGE,
                          "the work of the %s is missing: give both '--work baseline=N' and '--work canary=N'", word);
}

bool gate_judge_options_finish(struct gate_judge_options *options, struct gate_arena *arena, struct gate_error *err) {
    struct gate_paths files;
    if (!judge_options_work(options, arena, err) || !gate_paths_expand(&files, &options->history, arena, err))
        return false;
    options->history = files;
    return true;
}
