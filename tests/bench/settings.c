/* SPDX-License-Identifier: Apache-2.0 */
/* Parses the command line by a table of options (see settings.h). */
#include "settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool settings_parse(struct settings *out, int argc, char **argv) {
    *out = (struct settings){
        .kind = "cpu", .good = "mix", .type = "", .only = "", .model_runs = 10, .seed = 1, .slow = 1.0};
    const struct {
        const char *name;
        const char **text;
        uint32_t *number;
        bool *flag;
        double *real;
    } options[] = {{"--kind", .text = &out->kind},           {"--type", .text = &out->type},
                   {"--good", .text = &out->good},           {"--only", .text = &out->only},
                   {"--runs", .number = &out->runs},         {"--draws", .number = &out->draws},
                   {"--model", .number = &out->model_runs},  {"--seed", .number = &out->seed},
                   {"--work", .flag = &out->use_work},       {"--advice", .flag = &out->follows_advice},
                   {"--mix", .flag = &out->use_mix},         {"--pairs", .flag = &out->use_pairs},
                   {"--rounds", .flag = &out->tells_rounds}, {"--unpaired", .flag = &out->hides_pairs},
                   {"--slow", .real = &out->slow},           {"--table", .flag = &out->as_table}};
    for (int i = 1; i < argc; i++) {
        size_t at = 0;
        while (at < sizeof options / sizeof *options && strcmp(argv[i], options[at].name) != 0)
            at++;
        if (argv[i][0] != '-')
            *(out->directory == NULL ? &out->directory : &out->rules) = argv[i];
        else if (at == sizeof options / sizeof *options)
            return false;
        else if (options[at].flag != NULL)
            *options[at].flag = true;
        else if (++i == argc)
            return false;
        else if (options[at].text != NULL)
            *options[at].text = argv[i];
        else if (options[at].real != NULL)
            *options[at].real = strtod(argv[i], NULL);
        else
            *options[at].number = (uint32_t)strtoul(argv[i], NULL, 10);
    }
    return out->directory != NULL && out->rules != NULL;
}

void settings_usage(void) {
    (void)fprintf(
        stderr,
        "usage: rates DIRECTORY RULES [--kind cpu] [--type TYPE] [--good mix] [--work] [--mix] "
        "[--pairs] [--rounds] [--unpaired] [--slow F] [--draws N] [--model 10] [--seed 1] [--only VARIANT] [--runs N] "
        "[--advice] [--table]\n");
}
