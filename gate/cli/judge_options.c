/* SPDX-License-Identifier: Apache-2.0 */
/* The options of commands that judge (see judge_options.h). */
#include "gate/cli/judge_options.h"

#include "gate/cli/option_value.h"

#include <stdlib.h>

static bool read_work(const struct gate_option_use *use, struct gate_error *err) {
    static const char *const sides[GATE_SIDES] = {"baseline=", "canary="};
    double *work = use->out;
    for (int side = 0; side < GATE_SIDES; side++) {
        struct gate_option_use one = *use;
        if (!gate_str_starts(gate_str_from(use->value), gate_str_from(sides[side])))
            continue;
        one.value = use->value + strlen(sides[side]);
        one.out = &work[side];
        return gate_option_value_positive(&one, err);
    }
    return gate_error_set(err, GATE_ERR_USAGE, "option '--work': expected baseline=N or canary=N, found '%s'",
                          use->value);
}

#define AT(field) offsetof(struct gate_judge_options, field)

static const struct gate_option judge_rows[] = {
    {"work", 0, "SIDE=N",
     "work done while a side was captured (requests, iterations), such as baseline=39752; once for each side (default: "
     "$PPROFGATE_WORK_BASELINE and $PPROFGATE_WORK_CANARY)",
     read_work, AT(work), NULL},
    {"work-baseline", 0, "N", "the same as --work baseline=N", gate_option_value_positive, AT(work[GATE_BASELINE]),
     NULL},
    {"work-canary", 0, "N", "the same as --work canary=N", gate_option_value_positive, AT(work[GATE_CANARY]), NULL},
    {"noise", 0, "FILE", "how much runs of one build differ, from `pprofgate calibrate`; one file per sample type",
     gate_option_value_path, AT(noise), NULL},
    {"history", 0, "PATH",
     "an earlier canary of this change, or a folder of them by name, oldest first: for budgets that `sustain`",
     gate_option_value_path, AT(history), NULL},
    {0},
};
const struct gate_option_group gate_judge_options_group = {.rows = judge_rows};

bool gate_judge_options_note(const struct gate_judge_options *options, struct gate_file_roles *roles,
                             struct gate_arena *arena, struct gate_error *err) {
    return gate_file_roles_read_all(roles, "a noise model", &options->noise, arena, err) &&
           gate_file_roles_read_all(roles, "an earlier canary (--history)", &options->history, arena, err);
}

static const char *const work_variables[GATE_SIDES] = {"PPROFGATE_WORK_BASELINE", "PPROFGATE_WORK_CANARY"};

/* Numbers that an earlier CI step left in the environment; an empty variable is unset, as CI systems make them. */
static bool judge_options_environment(struct gate_judge_options *options, struct gate_error *err) {
    for (int side = 0; side < GATE_SIDES; side++) {
        const char *value = getenv(work_variables[side]);
        double number = 0;
        if (value == NULL || value[0] == '\0')
            continue;
        if (!gate_option_value_number(&number, value) || number <= 0)
            return gate_error_set(err, GATE_ERR_USAGE, "%s: expected a number above zero, found '%s'",
                                  work_variables[side], value);
        options->work[side] = number;
    }
    return true;
}

static bool judge_options_work(struct gate_judge_options *options, struct gate_error *err) {
    bool told = options->work[GATE_BASELINE] > 0 || options->work[GATE_CANARY] > 0;
    if (!told && !judge_options_environment(options, err))
        return false;
    if ((options->work[GATE_BASELINE] > 0) == (options->work[GATE_CANARY] > 0))
        return true;
    int missing = options->work[GATE_BASELINE] > 0 ? GATE_CANARY : GATE_BASELINE;
    static const char *const sides[GATE_SIDES] = {"baseline", "canary"};
    if (!told)
        return gate_error_set(err, GATE_ERR_USAGE, "the work of the %s is missing: set %s beside %s, or neither",
                              sides[missing], work_variables[missing], work_variables[1 - missing]);
    return gate_error_set(err, GATE_ERR_USAGE,
                          "the work of the %s is missing: give both '--work baseline=N' and '--work canary=N'",
                          sides[missing]);
}

bool gate_judge_options_finish(struct gate_judge_options *options, struct gate_arena *arena, struct gate_error *err) {
    struct gate_paths files;
    if (!judge_options_work(options, err) || !gate_paths_expand(&files, &options->history, arena, err))
        return false;
    options->history = files;
    return true;
}
