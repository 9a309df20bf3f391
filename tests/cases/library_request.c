/* SPDX-License-Identifier: Apache-2.0 */
/* One comparison by the library, as library_agrees.py asks for it.
 *   library_request RULES RULES_NAME BASELINE_WORK CANARY_WORK BASELINE... -- CANARY...
 *
 * RULES is a file, or "" for the library's choice. Baselines are read by the library, canaries are given in memory.
 * Prints the JSON, or the error to standard error; the exit status is the verdict. */
#include "include/pprofgate.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS_MAX = 128 };

/* The bytes of a file with a NUL behind them; NULL: it cannot be read. */
static char *file_read(const char *path, size_t *length) {
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return NULL;
    char *bytes = NULL;
    size_t room = 0, got = 1;
    for (*length = 0; got > 0; *length += got) {
        room = *length + (1 << 20);
        bytes = realloc(bytes, room + 1);
        assert(bytes != NULL);
        got = fread(bytes + *length, 1, room - *length, file);
    }
    bytes[*length] = '\0';
    int failed = ferror(file);
    (void)fclose(file);
    if (failed != 0) {
        free(bytes);
        return NULL;
    }
    return bytes;
}

int main(int argc, char **argv) {
    struct pprofgate_run runs[2][RUNS_MAX];
    size_t counts[2] = {0, 0}, length = 0;
    int side = 0;
    assert(argc > 6);
    char *rules = argv[1][0] == '\0' ? NULL : file_read(argv[1], &length);
    assert((rules != NULL) == (argv[1][0] != '\0'));
    for (int i = 5; i < argc; i++) {
        if (strcmp(argv[i], "--") == 0) {
            side = 1;
            continue;
        }
        assert(counts[side] < RUNS_MAX);
        struct pprofgate_run *run = &runs[side][counts[side]++];
        *run = (struct pprofgate_run){.name = argv[i]};
        if (side == 1)
            run->bytes = file_read(argv[i], &run->length);
    }
    const struct pprofgate_request request = {.size = sizeof request,
                                              .baseline = runs[0],
                                              .baseline_count = counts[0],
                                              .canary = runs[1],
                                              .canary_count = counts[1],
                                              .rules = rules,
                                              .rules_name = argv[2],
                                              .baseline_work = strtod(argv[3], NULL),
                                              .canary_work = strtod(argv[4], NULL)};
    struct pprofgate_result *result = pprofgate_compare(&request);
    assert(result != NULL);
    int verdict = (int)pprofgate_result_verdict(result);
    (void)fputs(pprofgate_result_error(result), stderr);
    (void)fputs(pprofgate_result_json(result, NULL), stdout);
    pprofgate_result_free(result);
    for (size_t i = 0; i < counts[1]; i++)
        free((void *)(size_t)runs[1][i].bytes);
    free(rules);
    return fflush(stdout) == 0 ? verdict : 70;
}
