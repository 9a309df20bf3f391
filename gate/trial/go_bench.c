/* SPDX-License-Identifier: Apache-2.0 */
/* Go benchmarks as the load of a trial. */
#include "gate/trial/go_bench.h"

#include "gate/base/buf.h"
#include "gate/base/escape.h"
#include "gate/trial/shell.h"

#include <math.h>
#include <stdlib.h>

/* Long enough to measure one iteration to about 20%. */
#define MEASURE_TIME "100ms"

static const double MEASURE_SECONDS = 0.2;

/* For a canary that is slower than this, the cost of one iteration shows the regression at any count. */
static const double SLOWER_MAX = 3;

enum { NUMBER_BYTES = 40 };

static const double ITERATIONS_MAX = 1e9;

#define RUN_HEAD                                                                                                       \
    "cd \"$(cat \"$PPROFGATE_BUILD/directory\" 2>/dev/null || echo .)\" && exec \"$PPROFGATE_BUILD/bench.test\""

static bool is_benchmark(struct gate_str word) {
    return gate_str_starts(word, GATE_STR("Benchmark"));
}

/* Set `*line` to the next line from `*at` on. Returns false at the end. */
static bool next_line(struct gate_str text, size_t *at, struct gate_str *line) {
    if (*at >= text.len)
        return false;
    size_t end = gate_str_find(text, GATE_STR("\n"), *at);
    *line = gate_str_trim(gate_str_slice(text, *at, end));
    *at = end == SIZE_MAX ? text.len : end + 1;
    return true;
}

/* Return the next word from `*at` on; empty at the end of the line. */
static struct gate_str next_word(struct gate_str line, size_t *at) {
    while (*at < line.len && (line.ptr[*at] == ' ' || line.ptr[*at] == '\t'))
        (*at)++;
    size_t from = *at;
    while (*at < line.len && line.ptr[*at] != ' ' && line.ptr[*at] != '\t')
        (*at)++;
    return gate_str_slice(line, from, *at);
}

bool gate_go_bench_names(struct gate_go_bench_list *out, struct gate_str printed, struct gate_arena *arena,
                         struct gate_error *err) {
    struct gate_str line;
    uint32_t count = 0;
    for (size_t at = 0; next_line(printed, &at, &line);)
        count += is_benchmark(line);
    *out = (struct gate_go_bench_list){.items = GATE_NEW_ARRAY(arena, struct gate_go_bench, (size_t)count + 1)};
    if (out->items == NULL)
        return gate_arena_error(arena, err);
    for (size_t at = 0; next_line(printed, &at, &line);) {
        size_t from = 0;
        struct gate_str word = next_word(line, &from);
        if (is_benchmark(word))
            out->items[out->count++].name = word;
    }
    return true;
}

static double number_of(struct gate_str word) {
    char text[NUMBER_BYTES];
    char *end = text;
    if (word.len == 0 || word.len >= sizeof text)
        return 0;
    memcpy(text, word.ptr, word.len);
    text[word.len] = '\0';
    double number = strtod(text, &end);
    return *end == '\0' && isfinite(number) ? number : 0;
}

/* A line is "BenchmarkPrice-8     100    12345 ns/op    …". */
struct gate_go_bench_result gate_go_bench_read(struct gate_str printed) {
    struct gate_go_bench_result result = {0};
    struct gate_str line;
    for (size_t at = 0; next_line(printed, &at, &line);) {
        size_t from = 0;
        if (!is_benchmark(next_word(line, &from)))
            continue;
        double iterations = number_of(next_word(line, &from)), nanoseconds = number_of(next_word(line, &from));
        if (iterations <= 0 || !gate_str_equal(next_word(line, &from), GATE_STR("ns/op")))
            continue;
        result.iterations += iterations;
        result.nanoseconds += nanoseconds;
        result.lines++;
    }
    return result;
}

/* Quote `text` for the shell. */
static bool quote(struct gate_str *out, struct gate_str text, struct gate_arena *arena, struct gate_error *err) {
    struct gate_buf buf = {0};
    gate_escape_shell(&buf, text);
    bool ok = gate_buf_check(&buf, err);
    if (ok) {
        *out = gate_str_copy(arena, gate_buf_view(&buf));
        ok = out->ptr != NULL || gate_arena_error(arena, err);
    }
    gate_buf_free(&buf);
    return ok;
}

bool gate_go_bench_find(struct gate_go_bench_list *out, const struct gate_shell *shell, const char *pattern,
                        const char *directory, enum gate_side_name side, struct gate_error *err) {
    struct gate_str whole = gate_str_from(pattern), quoted = {0}, printed = {0};
    struct gate_str top = gate_str_slice(whole, 0, gate_str_find(whole, GATE_STR("/"), 0));
    if (!quote(&quoted, top, shell->arena, err))
        return false;
    struct gate_str text = gate_str_format(shell->arena, RUN_HEAD " -test.list %.*s", GATE_STR_ARG(quoted));
    if (text.ptr == NULL)
        return gate_arena_error(shell->arena, err);
    const struct gate_shell_command command = {
        .name = "list-benchmarks", .text = text.ptr, .directory = directory, .side = side};
    return gate_shell_do(shell, &command, &printed, err) && gate_go_bench_names(out, printed, shell->arena, err);
}

/* Set `*out` to the shell command that runs one benchmark, and the sub-benchmarks that `pattern` selects behind its
 * '/'. */
static bool run_words(struct gate_str *out, const struct gate_go_bench *bench, const char *pattern,
                      struct gate_arena *arena, struct gate_error *err) {
    const char *below = strchr(pattern, '/');
    struct gate_str one = gate_str_format(arena, "^%.*s$%s", GATE_STR_ARG(bench->name), below == NULL ? "" : below);
    struct gate_str quoted = {0};
    if (one.ptr == NULL)
        return gate_arena_error(arena, err);
    if (!quote(&quoted, one, arena, err))
        return false;
    *out = gate_str_format(arena, RUN_HEAD " -test.run '^$' -test.bench %.*s", GATE_STR_ARG(quoted));
    return out->ptr != NULL || gate_arena_error(arena, err);
}

static bool measure_run(struct gate_go_bench_result *out, double *cpu_seconds, const struct gate_go_bench *bench,
                        const struct gate_shell *shell, const struct gate_shell_command *where, const char *pattern,
                        const char *benchtime, struct gate_error *err) {
    struct gate_str words = {0}, printed = {0};
    if (!run_words(&words, bench, pattern, shell->arena, err))
        return false;
    struct gate_str text = gate_str_format(shell->arena, "%.*s -test.benchtime %s", GATE_STR_ARG(words), benchtime);
    if (text.ptr == NULL)
        return gate_arena_error(shell->arena, err);
    struct gate_shell_command command = *where;
    command.text = text.ptr;
    double before = gate_child_cpu_seconds();
    if (!gate_shell_do(shell, &command, &printed, err))
        return false;
    *cpu_seconds = gate_child_cpu_seconds() - before;
    *out = gate_go_bench_read(printed);
    return true;
}

/* Run the benchmark for a fixed time to learn an iteration count. Then run that count and take the CPU time: other load
 * on the host prolongs wall time, but not CPU time. */
static bool measure_one(struct gate_go_bench *bench, const struct gate_shell *shell,
                        const struct gate_shell_command *where, const char *pattern, struct gate_error *err) {
    struct gate_go_bench_result result = {0};
    double cpu_seconds = 0;
    if (!measure_run(&result, &cpu_seconds, bench, shell, where, pattern, MEASURE_TIME, err))
        return false;
    if (result.lines == 0)
        return true;
    uint64_t times = gate_go_bench_times(MEASURE_SECONDS, result.nanoseconds / 1e9);
    struct gate_str benchtime = gate_str_format(shell->arena, "%llux", (unsigned long long)times);
    if (benchtime.ptr == NULL)
        return gate_arena_error(shell->arena, err);
    if (!measure_run(&result, &cpu_seconds, bench, shell, where, pattern, benchtime.ptr, err))
        return false;
    bench->seconds = cpu_seconds / (double)times;
    return true;
}

bool gate_go_bench_measure(struct gate_go_bench_list *list, const struct gate_shell *shell, const char *pattern,
                           const char *directory, enum gate_side_name side, struct gate_error *err) {
    const struct gate_shell_command where = {.name = "first-benchmark", .directory = directory, .side = side};
    for (uint32_t i = 0; i < list->count; i++)
        if (!measure_one(&list->items[i], shell, &where, pattern, err))
            return false;
    return true;
}

uint64_t gate_go_bench_times(double seconds, double one_seconds) {
    double times = one_seconds > 0 ? ceil(seconds / one_seconds) : ITERATIONS_MAX;
    return times < 1 ? 1 : times > ITERATIONS_MAX ? (uint64_t)ITERATIONS_MAX : (uint64_t)times;
}

uint64_t gate_go_bench_canary_times(uint64_t baseline_times, double seconds, double one_seconds) {
    uint64_t own = gate_go_bench_times(seconds, one_seconds);
    return (double)baseline_times > SLOWER_MAX * (double)own ? own : baseline_times;
}

bool gate_go_bench_command(struct gate_go_bench *bench, const char *pattern, struct gate_arena *arena,
                           struct gate_error *err) {
    struct gate_str words = {0};
    if (!run_words(&words, bench, pattern, arena, err))
        return false;
    bench->command = gate_str_format(arena, "%.*s -test.benchtime %llux -test.cpuprofile \"$PPROFGATE_PROFILE\"",
                                     GATE_STR_ARG(words), (unsigned long long)bench->times)
                         .ptr;
    return bench->command != NULL || gate_arena_error(arena, err);
}
