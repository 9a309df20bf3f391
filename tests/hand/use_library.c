/* SPDX-License-Identifier: Apache-2.0 */
/* What a program expects of the installed library: profiles in memory, many threads, clear errors.
 *   use_library BASELINE CANARY RAW      prints the JSON of one comparison; RAW is a profile that is not compressed */
#include <pprofgate.h>

#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 4, BYTES_MAX = 1 << 20 };

struct file {
    char *bytes;
    size_t length;
};

static struct file file_read(const char *path) {
    struct file file = {malloc(BYTES_MAX), 0};
    FILE *stream = fopen(path, "rb");
    assert(file.bytes != NULL && stream != NULL);
    file.length = fread(file.bytes, 1, BYTES_MAX, stream);
    assert(fclose(stream) == 0 && file.length > 0 && file.length < BYTES_MAX);
    return file;
}

static struct pprofgate_run runs[2];

static struct pprofgate_result *compare(const char *rules, size_t max_memory) {
    const struct pprofgate_request request = {.size = sizeof request,
                                              .baseline = &runs[0],
                                              .baseline_count = 1,
                                              .canary = &runs[1],
                                              .canary_count = 1,
                                              .rules = rules,
                                              .max_memory = max_memory};
    struct pprofgate_result *result = pprofgate_compare(&request);
    assert(result != NULL);
    return result;
}

static void *compare_in_thread(void *context) {
    (void)context;
    return compare(NULL, 0);
}

static void expect_error(struct pprofgate_result *result, const char *part) {
    size_t length = 1;
    assert(pprofgate_result_verdict(result) == PPROFGATE_ERROR);
    if (strstr(pprofgate_result_error(result), part) == NULL) {
        (void)fprintf(stderr, "expected '%s' in '%s'\n", part, pprofgate_result_error(result));
        exit(1);
    }
    assert(strcmp(pprofgate_result_json(result, &length), "") == 0 && length == 0);
    assert(pprofgate_result_count(result, PPROFGATE_CAUSES) == 0);
    pprofgate_result_free(result);
}

static void expect_errors(void) {
    const struct pprofgate_request none = {.size = sizeof none}, small = {.size = 1};
    expect_error(pprofgate_compare(&none), "a side has no run");
    expect_error(pprofgate_compare(&small), "the request's size is 1");
    expect_error(compare("version: 1\nbudgetz: []\n", 0), "rules:2:1: unknown key 'budgetz'");
    expect_error(compare("version: 1\nextends: other.yml\n", 0), "rules:2:");
    expect_error(compare(NULL, 1000), "memory");
    struct pprofgate_run kept = runs[1];
    runs[1] = (struct pprofgate_run){.name = "/nowhere/canary.pb.gz"};
    expect_error(compare(NULL, 0), "/nowhere/canary.pb.gz: cannot be opened");
    runs[1] = (struct pprofgate_run){.name = "broken", .bytes = "\x1f\x8b??", .length = 4};
    expect_error(compare(NULL, 0), "broken: ");
    runs[1] = (struct pprofgate_run){.name = "a\nb\x1b[2J", .bytes = "\x1f\x8b??", .length = 4};
    expect_error(compare(NULL, 0), "a?b?[2J: ");
    runs[1] = (struct pprofgate_run){.name = "-"};
    expect_error(compare(NULL, 0), "does not read standard input");
    runs[1] = (struct pprofgate_run){.bytes = kept.bytes, .length = kept.length};
    expect_error(compare(NULL, 0), "a run has no name");
    runs[1] = kept;
    const struct pprofgate_request unset = {.size = sizeof unset, .baseline_count = 1, .canary_count = 1};
    expect_error(pprofgate_compare(&unset), "the runs of a side are NULL");
    expect_error(pprofgate_compare(NULL), "the request is NULL");
    assert(pprofgate_result_verdict(NULL) == PPROFGATE_ERROR && strcmp(pprofgate_result_json(NULL, NULL), "") == 0);
    assert(pprofgate_result_error(NULL)[0] != '\0' && pprofgate_result_count(NULL, PPROFGATE_CAUSES) == 0);
}

/* Bytes of a profile, some of them replaced: each comparison ends with a verdict and a whole report, or an error. */
static void expect_ends_on_damage(struct file file) {
    struct pprofgate_run kept = runs[1];
    unsigned long long random = 20261124;
    for (int i = 0; i < 300; i++) {
        char *bytes = malloc(file.length);
        assert(bytes != NULL);
        memcpy(bytes, file.bytes, file.length);
        for (int at = 0; at < 1 + i % 20; at++) {
            random = random * 6364136223846793005ULL + 1442695040888963407ULL;
            bytes[(random >> 33) % file.length] = (char)(random >> 25);
        }
        runs[1] = (struct pprofgate_run){.name = "damaged", .bytes = bytes, .length = file.length};
        struct pprofgate_result *result = compare(NULL, 0);
        bool is_error = pprofgate_result_verdict(result) == PPROFGATE_ERROR;
        assert(is_error == (pprofgate_result_error(result)[0] != '\0'));
        assert(is_error == (pprofgate_result_json(result, NULL)[0] == '\0'));
        pprofgate_result_free(result);
        free(bytes);
    }
    runs[1] = kept;
    free(file.bytes);
}

int main(int argc, char **argv) {
    pthread_t threads[THREADS];
    struct pprofgate_result *results[THREADS];
    assert(argc == 4 && strlen(pprofgate_version()) > 0);
    for (int i = 0; i < 2; i++) {
        struct file file = file_read(argv[i + 1]);
        runs[i] = (struct pprofgate_run){.name = argv[i + 1], .bytes = file.bytes, .length = file.length};
    }
    expect_errors();
    expect_ends_on_damage(file_read(argv[3]));
    for (int i = 0; i < THREADS; i++)
        assert(pthread_create(&threads[i], NULL, compare_in_thread, NULL) == 0);
    for (int i = 0; i < THREADS; i++)
        assert(pthread_join(threads[i], (void **)&results[i]) == 0);
    for (int i = 0; i < THREADS; i++) {
        size_t length = 0;
        const char *json = pprofgate_result_json(results[i], &length);
        assert(pprofgate_result_verdict(results[i]) == PPROFGATE_FAIL && length == strlen(json) && length > 0);
        assert(strcmp(json, pprofgate_result_json(results[0], NULL)) == 0);
        assert(pprofgate_result_count(results[i], PPROFGATE_BUDGETS_FAILED) > 0);
        assert(strcmp(pprofgate_result_error(results[i]), "") == 0);
    }
    assert(puts(pprofgate_result_json(results[0], NULL)) >= 0);
    for (int i = 0; i < THREADS; i++)
        pprofgate_result_free(results[i]);
    pprofgate_result_free(NULL);
    for (int i = 0; i < 2; i++)
        free((void *)(size_t)runs[i].bytes);
    return 0;
}
