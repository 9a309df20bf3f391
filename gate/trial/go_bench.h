/* SPDX-License-Identifier: Apache-2.0 */
/* Go benchmarks as the load of a trial. */
#ifndef GATE_TRIAL_GO_BENCH_H
#define GATE_TRIAL_GO_BENCH_H

#include "gate/base/str.h"
#include "gate/trial/trial_command.h"

/** One top-level benchmark. */
struct gate_go_bench {
    struct gate_str name;     /* "BenchmarkPrice" */
    double seconds;           /* CPU time of one iteration of every result line; 0: it printed no result */
    uint64_t times;           /* iteration count of a run */
    const char *command;      /* for `sh -c`; writes PPROFGATE_PROFILE */
    struct gate_str *results; /* names of its result lines: the benchmark, or sub-benchmarks such as
                                 "BenchmarkParts/tax-8" */
    uint32_t result_count;
    struct gate_str below; /* text after the name in the pattern of -test.bench; empty: the user's pattern from its
                              first '/' on */
};

/** The benchmarks of a test binary. */
struct gate_go_bench_list {
    struct gate_go_bench *items;
    uint32_t count;
};

/** Read the names that `-test.list` printed. err: GATE_ERR_LIMIT `arena` is full. */
GATE_MUST_CHECK
bool gate_go_bench_names(struct gate_go_bench_list *out, struct gate_str printed, struct gate_arena *arena,
                         struct gate_error *err);

/** Result of a run: the iterations of all result lines added up, and the sum of their ns/op. */
struct gate_go_bench_result {
    double iterations, nanoseconds;
    uint32_t lines;
};

/** Read the result lines that `-test.bench` printed. */
struct gate_go_bench_result gate_go_bench_read(struct gate_str printed);

/** Set the names of the result lines of `bench`, each once. err: GATE_ERR_LIMIT `arena` is full. */
GATE_MUST_CHECK
bool gate_go_bench_results(struct gate_go_bench *bench, struct gate_str printed, struct gate_arena *arena,
                           struct gate_error *err);

/** Return whether `bench` has a result of that name. */
bool gate_go_bench_has(const struct gate_go_bench *bench, struct gate_str result);

/**
 * Set `below` of both to a pattern that selects their common results, such as "/^(tax|tax-8)$" for
 * "BenchmarkParts/tax-8": the "-8" may be the number of processors or part of the name. With several levels of names,
 * it may select other results, too. It is empty if there are no common results. err: GATE_ERR_LIMIT `arena` is full.
 */
GATE_MUST_CHECK
bool gate_go_bench_narrow(struct gate_go_bench *a, struct gate_go_bench *b, struct gate_arena *arena,
                          struct gate_error *err);

/** Return the iteration count for a run of `seconds`, if one iteration takes `one_seconds`: 1 to 1e9. */
uint64_t gate_go_bench_times(double seconds, double one_seconds);

/** Return the canary's count: the baseline's, or fewer if the canary is more than three times slower. */
uint64_t gate_go_bench_canary_times(uint64_t baseline_times, double seconds, double one_seconds);

/**
 * List the benchmarks of the test binary of `side`, which must be entered (gate_worktree_enter). `pattern` is that of
 * `go test -bench`. err: as gate_shell_do.
 */
GATE_MUST_CHECK
bool gate_go_bench_find(struct gate_go_bench_list *out, const struct gate_shell *shell, const char *pattern,
                        const char *directory, enum gate_side_name side, struct gate_error *err);

/** Measure the time of one iteration on `side`, which must be entered, and find its results. err: as gate_shell_do. */
GATE_MUST_CHECK
bool gate_go_bench_measure(struct gate_go_bench *bench, const struct gate_shell *shell, const char *pattern,
                           const char *directory, enum gate_side_name side, struct gate_error *err);

/** Set `bench->command` to the command that runs `bench->times` iterations. err: GATE_ERR_LIMIT `arena` is full. */
GATE_MUST_CHECK
bool gate_go_bench_command(struct gate_go_bench *bench, const char *pattern, struct gate_arena *arena,
                           struct gate_error *err);

#endif
