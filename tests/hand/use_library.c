/* SPDX-License-Identifier: Apache-2.0 */
/* What a program expects of the installed library: profiles in memory, many threads, clear errors.
 *   use_library BASELINE CANARY RAW      prints the JSON of one comparison; RAW is a profile that is not compressed
 * GLIBC_TUNABLES has to be glibc.malloc.tcache_count=0:glibc.malloc.arena_max=1: what a thread keeps for later counts
 * as not freed, and so does the head of another arena, which malloc makes when threads ask at the same moment. */
#include <pprofgate.h>

#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __linux__
#include <malloc.h>
#endif

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

static void expect_kind(struct pprofgate_result *result, const char *kind) {
    if (strcmp(pprofgate_result_error_kind(result), kind) != 0) {
        (void)fprintf(stderr, "expected the kind '%s', found '%s': %s\n", kind, pprofgate_result_error_kind(result),
                      pprofgate_result_error(result));
        exit(1);
    }
    pprofgate_result_free(result);
}

/* A caller of the first header has fewer fields, and one of a later header more. */
static void expect_requests_of_other_versions(void) {
    struct {
        struct pprofgate_request request;
        const char *later;
    } newer = {.request = {.size = sizeof newer,
                           .baseline = &runs[0],
                           .baseline_count = 1,
                           .canary = &runs[1],
                           .canary_count = 1,
                           .equal = "nothing"}};
    expect_error(pprofgate_compare(&newer.request), "'equal' is 'nothing', expected work, time, run or share");
    newer.later = "set";
    expect_error(pprofgate_compare(&newer.request), "a field that this library does not have");
    newer.request.size = offsetof(struct pprofgate_request, rules_path);
    struct pprofgate_result *result = pprofgate_compare(&newer.request); /* `equal` is not read */
    assert(pprofgate_result_verdict(result) == PPROFGATE_FAIL);
    pprofgate_result_free(result);
    newer.request.size--;
    expect_error(pprofgate_compare(&newer.request), "the request's size is");
}

static void expect_work(void) {
    const double one = 1, zero = 0;
    struct pprofgate_request request = {.size = sizeof request,
                                        .baseline = &runs[0],
                                        .baseline_count = 1,
                                        .canary = &runs[1],
                                        .canary_count = 1,
                                        .baseline_run_work = &one};
    expect_error(pprofgate_compare(&request), "the work of the canary is missing");
    request.canary_run_work = &zero;
    expect_error(pprofgate_compare(&request), "the work of the canary is 0, expected a number above zero");
    request.canary_run_work = &one;
    struct pprofgate_result *result = pprofgate_compare(&request);
    assert(strstr(pprofgate_result_json(result, NULL), "\"is_known\": true") != NULL);
    pprofgate_result_free(result);
    request = (struct pprofgate_request){.size = sizeof request,
                                         .baseline = runs,
                                         .baseline_count = 2,
                                         .canary = runs,
                                         .canary_count = 2,
                                         .baseline_work = 10,
                                         .canary_work = 20}; /* of all runs of a side */
    result = pprofgate_compare(&request);
    assert(strstr(pprofgate_result_json(result, NULL), "\"is_known\": true") != NULL);
    pprofgate_result_free(result);
    request.rules = request.rules_path = "recommended";
    expect_error(pprofgate_compare(&request), "both 'rules' and 'rules_path' are set");
    request.rules = NULL;
    result = pprofgate_compare(&request);
    assert(strstr(pprofgate_result_json(result, NULL), "recommended (built in)") != NULL);
    pprofgate_result_free(result);
    request.rules_path = "-";
    expect_error(pprofgate_compare(&request), "does not read standard input");
    request.rules_path = "/nowhere/rules.yml";
    expect_kind(pprofgate_compare(&request), "file");
}

static void expect_merge(void) {
    struct pprofgate_merge_request request = {.size = sizeof request, .runs = runs, .count = 2};
    struct pprofgate_result *result = pprofgate_merge(&request);
    size_t length = 0, inspected = 0;
    const char *bytes = pprofgate_result_bytes(result, &length);
    assert(pprofgate_result_verdict(result) == PPROFGATE_PASS && length > 2 && memcmp(bytes, "\x1f\x8b", 2) == 0);
    assert(strcmp(pprofgate_result_json(result, NULL), "") == 0 &&
           strcmp(pprofgate_result_error_kind(result), "") == 0);
    const struct pprofgate_run sum = {.name = "sum", .bytes = bytes, .length = length};
    const struct pprofgate_inspect_request of_sum = {.size = sizeof of_sum, .run = &sum};
    struct pprofgate_result *description = pprofgate_inspect(&of_sum);
    const char *json = pprofgate_result_json(description, &inspected);
    assert(pprofgate_result_verdict(description) == PPROFGATE_PASS && strlen(json) == inspected);
    assert(strstr(json, "\"sum\"") != NULL && strstr(json, "\"sample_types\"") != NULL);
    assert(pprofgate_result_bytes(description, &inspected) != NULL && inspected == 0);
    pprofgate_result_free(description);
    pprofgate_result_free(result);
    request.container = "lz4";
    expect_error(pprofgate_merge(&request), "'container' is 'lz4', expected gzip, zstd or raw");
    request.container = NULL;
    request.format = "svg";
    expect_error(pprofgate_merge(&request), "'format' is 'svg', expected pprof or otlp");
    request.format = NULL;
    request.max_memory = 1000;
    expect_kind(pprofgate_merge(&request), "limit");
    request.count = 0;
    expect_error(pprofgate_merge(&request), "expected a profile to merge");
    expect_error(pprofgate_merge(NULL), "the request is NULL");
    const struct pprofgate_inspect_request none = {.size = sizeof none}, small = {.size = 8};
    expect_error(pprofgate_inspect(&none), "the run is NULL");
    expect_error(pprofgate_inspect(&small), "the request's size is 8");
    const struct pprofgate_run broken = {.name = "broken", .bytes = "\x1f\x8b??", .length = 4};
    const struct pprofgate_inspect_request of_broken = {.size = sizeof of_broken, .run = &broken};
    expect_kind(pprofgate_inspect(&of_broken), "profile");
    assert(strcmp(pprofgate_result_error_kind(NULL), "limit") == 0 && pprofgate_result_bytes(NULL, &length) != NULL);
    assert(length == 0);
}

/* With any memory limit, here from 1 kB in steps of 1 kB and 2 %, a description is whole, or there is an error. */
static void expect_whole_descriptions(void) {
    struct pprofgate_inspect_request request = {.size = sizeof request, .run = &runs[0]};
    struct pprofgate_result *whole = pprofgate_inspect(&request);
    bool is_whole = false;
    for (request.max_memory = 1000; !is_whole; request.max_memory += 1000 + request.max_memory / 50) {
        struct pprofgate_result *result = pprofgate_inspect(&request);
        is_whole = pprofgate_result_verdict(result) == PPROFGATE_PASS;
        if (is_whole)
            assert(strcmp(pprofgate_result_json(result, NULL), pprofgate_result_json(whole, NULL)) == 0);
        else
            assert(strcmp(pprofgate_result_error_kind(result), "limit") == 0);
        pprofgate_result_free(result);
    }
    pprofgate_result_free(whole);
}

static struct pprofgate_result *summarize(const struct pprofgate_run *of, size_t count) {
    const struct pprofgate_summarize_request request = {.size = sizeof request, .runs = of, .count = count};
    struct pprofgate_result *result = pprofgate_summarize(&request);
    assert(pprofgate_result_verdict(result) == PPROFGATE_PASS);
    return result;
}

/* Each request reads the runs of a summary. */
static void expect_summaries(void) {
    struct pprofgate_result *results[2];
    struct pprofgate_run sides[2] = {{.name = "good.pgsum"}, {.name = "grown.pgsum"}};
    for (int i = 0; i < 2; i++) {
        results[i] = summarize(&runs[i], 1);
        sides[i].bytes = pprofgate_result_bytes(results[i], &sides[i].length);
        assert(memcmp(sides[i].bytes, "\x1f\x8b", 2) == 0 && sides[i].length < runs[i].length);
    }
    struct pprofgate_request request = {
        .size = sizeof request, .baseline = &sides[0], .baseline_count = 1, .canary = &sides[1], .canary_count = 1};
    struct pprofgate_result *result = pprofgate_compare(&request), *plain = compare(NULL, 0);
    assert(pprofgate_result_verdict(result) == PPROFGATE_FAIL);
    for (int i = PPROFGATE_BUDGETS_FAILED; i <= PPROFGATE_CAUSES; i++)
        assert(pprofgate_result_count(result, i) == pprofgate_result_count(plain, i));
    assert(strstr(pprofgate_result_json(result, NULL), "\"grown.pgsum/") != NULL);
    pprofgate_result_free(plain);
    pprofgate_result_free(result);
    const double work = 1;
    request.baseline_run_work = request.canary_run_work = &work;
    expect_error(pprofgate_compare(&request), "the baseline has a summary and the work of each run");

    struct pprofgate_result *both = summarize(sides, 2); /* a summary of summaries */
    struct pprofgate_run two = {.name = "both.pgsum"};
    two.bytes = pprofgate_result_bytes(both, &two.length);
    const struct pprofgate_inspect_request of_two = {.size = sizeof of_two, .run = &two};
    struct pprofgate_result *description = pprofgate_inspect(&of_two);
    const char *json = pprofgate_result_json(description, NULL);
    assert(json[0] == '[' && json[strlen(json) - 1] == ']' && strstr(json, "both.pgsum/") != NULL);
    pprofgate_result_free(description);
    const struct pprofgate_merge_request sum = {.size = sizeof sum, .runs = &two, .count = 1};
    result = pprofgate_merge(&sum);
    assert(pprofgate_result_verdict(result) == PPROFGATE_PASS);
    pprofgate_result_free(result);
    pprofgate_result_free(both);
    for (int i = 0; i < 2; i++)
        pprofgate_result_free(results[i]);
}

static void expect_summaries_are_checked(void) {
    struct pprofgate_summarize_request request = {.size = sizeof request, .runs = runs, .count = 2};
    request.max_memory = 1000;
    expect_kind(pprofgate_summarize(&request), "limit");
    request.count = 0;
    expect_error(pprofgate_summarize(&request), "expected a profile to summarize");
    expect_error(pprofgate_summarize(NULL), "the request is NULL");
    struct pprofgate_run kept = runs[1];
    runs[1].name = "profile.pgsum";
    expect_error(compare(NULL, 0), "profile.pgsum: it is no summary of runs");
    runs[1] = (struct pprofgate_run){.name = "/nowhere/canary.pgsum"};
    expect_error(compare(NULL, 0), "/nowhere/canary.pgsum: cannot be opened");
    runs[1] = kept;
}

static void expect_errors(void) {
    const struct pprofgate_request none = {.size = sizeof none}, small = {.size = 1};
    expect_error(pprofgate_compare(&none), "a side has no run");
    expect_error(pprofgate_compare(&small), "the request's size is 1");
    expect_kind(pprofgate_compare(&none), "usage");
    expect_kind(compare("version: 1\nbudgetz: []\n", 0), "rules");
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

/* Replace some bytes of a profile: each comparison still ends with a verdict and a whole report, or with an error. */
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

/* Return the number of bytes that malloc gave out and that were not freed, or 0 if the C library does not count
 * them. */
static size_t bytes_held(void) {
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 33)
    struct mallinfo2 counts = mallinfo2();
    return counts.uordblks + counts.hblkhd;
#else
    return 0;
#endif
}

static void expect_answers(void) {
    expect_errors();
    expect_requests_of_other_versions();
    expect_work();
    expect_merge();
    expect_whole_descriptions();
    expect_summaries();
    expect_summaries_are_checked();
}

/* What is allocated only once, such as the stacks of threads, exists after the first comparison. */
static void expect_answers_leave_nothing(void) {
    enum { ONE_BLOCK = 1000 };
    expect_answers();
    size_t before = bytes_held();
    expect_answers();
    if (bytes_held() >= before + ONE_BLOCK) {
        (void)fprintf(stderr, "%zu bytes were not freed\n", bytes_held() - before);
        exit(1);
    }
}

int main(int argc, char **argv) {
    pthread_t threads[THREADS];
    struct pprofgate_result *results[THREADS];
    assert(argc == 4 && strlen(pprofgate_version()) > 0);
    for (int i = 0; i < 2; i++) {
        struct file file = file_read(argv[i + 1]);
        runs[i] = (struct pprofgate_run){.name = argv[i + 1], .bytes = file.bytes, .length = file.length};
    }
    expect_answers_leave_nothing();
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
