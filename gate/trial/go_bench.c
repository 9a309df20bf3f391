/* SPDX-License-Identifier: Apache-2.0 */
/* Go benchmarks as the load of a trial: listing, measuring and running them. */
#include "gate/trial/go_bench.h"

#include "gate/base/buf.h"
#include "gate/base/escape.h"
#include "gate/base/process.h"
#include "gate/formats/text_line.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Each top-level benchmark that both sides have is one kind of profile and runs alone, because work of different
 * benchmarks cannot be added up. Its sub-benchmarks share its profile. The iteration count is fixed: it comes from the
 * CPU time on the baseline and is the same in every run. If Go gets a time instead of a count, it tries larger and
 * larger counts. The profile then contains all attempts, but Go prints only the last count, and the others can be half
 * of the profile. A canary that is more than three times slower runs fewer iterations, and its own count is its
 * work. */

/* Long enough to measure the time of one iteration with an error of about 20%. */
#define MEASURE_TIME "100ms"

static const double MEASURE_SECONDS = 0.2;

/* A canary that is slower by more than this factor runs fewer iterations. Its regression is visible at any count. */
static const double SLOWER_MAX = 3;

enum { NUMBER_BYTES = 40 }; /* room for a number as text */

static const double ITERATIONS_MAX = 1e9;

#define RUN_HEAD                                                                                                       \
    "cd \"$(cat \"$PPROFGATE_BUILD/directory\" 2>/dev/null || echo .)\" && exec \"$PPROFGATE_BUILD/bench.test\""

static bool is_benchmark(struct gate_str word) {
    return gate_str_starts(word, GATE_STR("Benchmark"));
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
    for (struct gate_str rest = printed; gate_text_line_next(&rest, &line);)
        count += is_benchmark(line);
    *out = (struct gate_go_bench_list){.items = GATE_NEW_ARRAY(arena, struct gate_go_bench, count)};
    if (out->items == NULL)
        return gate_arena_error(arena, err);
    for (struct gate_str rest = printed; gate_text_line_next(&rest, &line);) {
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
    for (struct gate_str rest = printed; gate_text_line_next(&rest, &line);) {
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

/* Return the benchmark's name in a result line; empty for other lines. */
static struct gate_str result_name(struct gate_str line) {
    size_t from = 0;
    struct gate_str name = next_word(line, &from);
    return is_benchmark(name) && gate_go_bench_read(line).lines == 1 ? name : GATE_STR("");
}

bool gate_go_bench_has(const struct gate_go_bench *bench, struct gate_str result) {
    for (uint32_t i = 0; i < bench->result_count; i++)
        if (gate_str_equal(bench->results[i], result))
            return true;
    return false;
}

bool gate_go_bench_results(struct gate_go_bench *bench, struct gate_str printed, struct gate_arena *arena,
                           struct gate_error *err) {
    struct gate_str line;
    bench->results = GATE_NEW_ARRAY(arena, struct gate_str, gate_go_bench_read(printed).lines);
    bench->result_count = 0;
    if (bench->results == NULL)
        return gate_arena_error(arena, err);
    for (struct gate_str rest = printed; gate_text_line_next(&rest, &line);) {
        struct gate_str name = result_name(line);
        if (name.len != 0 && !gate_go_bench_has(bench, name))
            bench->results[bench->result_count++] = name;
    }
    return true;
}

/* Return part number `level` of a name that is split at '/', counted from 0. Returns an empty text if there are fewer
 * parts. */
static struct gate_str level_of(struct gate_str name, uint32_t level) {
    size_t from = 0;
    for (uint32_t i = 0; i < level; i++) {
        size_t slash = gate_str_find(name, GATE_STR("/"), from);
        if (slash == SIZE_MAX)
            return GATE_STR("");
        from = slash + 1;
    }
    return gate_str_slice(name, from, gate_str_find(name, GATE_STR("/"), from));
}

/* Return a name without the number of processors at its end, "-8". Go leaves it out if it is 1. */
static struct gate_str without_processors(struct gate_str name) {
    size_t end = name.len;
    while (end > 0 && gate_is_digit(name.ptr[end - 1]))
        end--;
    return end > 0 && end < name.len && name.ptr[end - 1] == '-' ? gate_str_slice(name, 0, end - 1) : name;
}

/* Append a name as a literal for Go's regular expressions: ASCII other than letters, digits and '_' is escaped. */
static void put_literal(struct gate_buf *out, struct gate_str name) {
    for (size_t i = 0; i < name.len; i++) {
        unsigned char c = (unsigned char)name.ptr[i];
        bool is_plain = c >= 0x80 || c == '_' || gate_is_digit(c) || gate_is_letter(c);
        gate_buf_text(out, is_plain ? "" : "\\");
        gate_buf_char(out, (char)c);
    }
}

/* Append "/^(a|b)$" with the parts at `level` of the results that both have. Returns false if no result has that
 * level. */
static bool put_level(struct gate_buf *out, const struct gate_go_bench *a, const struct gate_go_bench *b,
                      uint32_t level) {
    bool is_first = true;
    for (uint32_t i = 0; i < a->result_count; i++) {
        struct gate_str name = level_of(a->results[i], level), bare = without_processors(name);
        if (name.len == 0 || !gate_go_bench_has(b, a->results[i]))
            continue;
        gate_buf_text(out, is_first ? "/^(" : "|");
        put_literal(out, name);
        gate_buf_text(out, bare.len < name.len ? "|" : "");
        put_literal(out, bare.len < name.len ? bare : GATE_STR(""));
        is_first = false;
    }
    gate_buf_text(out, is_first ? "" : ")$");
    return !is_first;
}

bool gate_go_bench_narrow(struct gate_go_bench *a, struct gate_go_bench *b, struct gate_arena *arena,
                          struct gate_error *err) {
    struct gate_buf pattern = {0};
    for (uint32_t level = 1; put_level(&pattern, a, b, level); level++)
        ;
    if (!gate_buf_keep_into(&a->below, &pattern, arena, err))
        return false;
    b->below = a->below;
    return true;
}

/* Quote `text` for the shell. */
static bool quote(struct gate_str *out, struct gate_str text, struct gate_arena *arena, struct gate_error *err) {
    struct gate_buf buf = {0};
    gate_escape_shell(&buf, text);
    return gate_buf_keep_into(out, &buf, arena, err);
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

/* Set `*out` to the shell command that runs one benchmark. It selects the sub-benchmarks by `bench->below` or, if that
 * is empty, by the part of `pattern` from its first '/' on. */
static bool run_words(struct gate_str *out, const struct gate_go_bench *bench, const char *pattern,
                      struct gate_arena *arena, struct gate_error *err) {
    const char *given = strchr(pattern, '/');
    struct gate_str below = bench->below.len != 0 || given == NULL ? bench->below : gate_str_from(given);
    struct gate_str one = gate_str_format(arena, "^%.*s$%.*s", GATE_STR_ARG(bench->name), GATE_STR_ARG(below));
    struct gate_str quoted = {0};
    if (one.ptr == NULL)
        return gate_arena_error(arena, err);
    if (!quote(&quoted, one, arena, err))
        return false;
    *out = gate_str_format(arena, RUN_HEAD " -test.run '^$' -test.bench %.*s", GATE_STR_ARG(quoted));
    return out->ptr != NULL || gate_arena_error(arena, err);
}

static bool measure_run(struct gate_go_bench_result *out, double *cpu_seconds, struct gate_go_bench *bench,
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
    return gate_go_bench_results(bench, printed, shell->arena, err);
}

/* Run the benchmark for a fixed time to find an iteration count. Then run it with that count and measure CPU time,
 * which other load on the machine does not prolong. */
static bool measure_one(struct gate_go_bench *bench, const struct gate_shell *shell,
                        const struct gate_shell_command *where, const char *pattern, struct gate_error *err) {
    struct gate_go_bench_result result = {0};
    double cpu_seconds = 0;
    bench->seconds = 0;
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

bool gate_go_bench_measure(struct gate_go_bench *bench, const struct gate_shell *shell, const char *pattern,
                           const char *directory, enum gate_side_name side, struct gate_error *err) {
    const struct gate_shell_command where = {.name = "first-benchmark", .directory = directory, .side = side};
    return measure_one(bench, shell, &where, pattern, err);
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
