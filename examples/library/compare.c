/* SPDX-License-Identifier: Apache-2.0 */
/* A program that uses libpprofgate: compares two files by the rules in a third, or by a preset.
 *   cc compare.c $(pkg-config --cflags --libs pprofgate) -o compare
 *   ./compare baseline.pb.gz canary.pb.gz [rules.yml] */
#include <pprofgate.h>

#include <stdio.h>
#include <stdlib.h>

/* A whole file with a NUL behind it; NULL: it cannot be read. */
static char *read_text(const char *path) {
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    size_t length = 0;
    for (size_t got = 1; file != NULL && got > 0; length += got) {
        char *grown = realloc(text, length + 4097);
        if (grown == NULL)
            break;
        text = grown;
        got = fread(text + length, 1, 4096, file);
        text[length + got] = '\0';
    }
    if (file != NULL)
        (void)fclose(file);
    return text;
}

int main(int argc, char **argv) {
    if (argc < 3) {
        (void)fprintf(stderr, "usage: compare BASELINE CANARY [RULES]\n");
        return PPROFGATE_ERROR;
    }
    char *rules = argc > 3 ? read_text(argv[3]) : NULL;
    if (argc > 3 && rules == NULL) {
        perror(argv[3]);
        return PPROFGATE_ERROR;
    }
    const struct pprofgate_run baseline = {.name = argv[1]}, canary = {.name = argv[2]};
    const struct pprofgate_request request = {.size = sizeof request,
                                              .baseline = &baseline,
                                              .baseline_count = 1,
                                              .canary = &canary,
                                              .canary_count = 1,
                                              .rules = rules,
                                              .rules_name = argc > 3 ? argv[3] : NULL};
    struct pprofgate_result *result = pprofgate_compare(&request);
    free(rules);
    if (result == NULL)
        return PPROFGATE_ERROR;
    enum pprofgate_verdict verdict = pprofgate_result_verdict(result);
    if (verdict == PPROFGATE_ERROR)
        (void)fprintf(stderr, "compare: %s\n", pprofgate_result_error(result));
    else
        (void)printf("%s\n%u of the budgets failed, for %u causes\n", pprofgate_result_text(result, NULL),
                     pprofgate_result_count(result, PPROFGATE_BUDGETS_FAILED),
                     pprofgate_result_count(result, PPROFGATE_CAUSES));
    pprofgate_result_free(result);
    return (int)verdict;
}
