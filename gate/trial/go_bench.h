/* SPDX-License-Identifier: Apache-2.0 */
/* Go benchmarks as the load of a trial. */
/* Each top-level benchmark that both sides have is one kind of profile and runs alone, because work of different
 * benchmarks cannot be added up. Its sub-benchmarks share its profile. The iteration count is fixed: it comes from the
 * CPU time on the baseline and is the same in every run. With a time instead of a count, Go tries larger and larger
 * counts. All of them are in the profile, but Go prints only the last, and the rest can be half of the profile. A
 * canary that would take more than three times as long runs fewer iterations; its own count is its work. */
#ifndef GATE_TRIAL_GO_BENCH_H
#define GATE_TRIAL_GO_BENCH_H

#include "gate/base/buf.h"
#include "gate/trial/shell.h"

/** One top-level benchmark. */
struct gate_go_bench {
    struct gate_str name; /* "BenchmarkPrice" */
    double seconds;       /* CPU time of one iteration of every result line; 0: it printed no result */
    uint64_t times;       /* iteration count of a run */
    const char *command;  /* for `sh -c`; writes PPROFGATE_PROFILE */
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

/** List the benchmarks of a side's test binary. `pattern` is that of `go test -bench`. err: as gate_shell_do. */
GATE_MUST_CHECK
bool gate_go_bench_find(struct gate_go_bench_list *out, const struct gate_shell *shell, const char *pattern,
                        const char *directory, enum gate_side_name side, struct gate_error *err);

/**
 * Measure how long each benchmark takes on `side`, which must be entered (gate_worktree_enter).
 *
 * err   as gate_shell_do
 */
GATE_MUST_CHECK
bool gate_go_bench_measure(struct gate_go_bench_list *list, const struct gate_shell *shell, const char *pattern,
                           const char *directory, enum gate_side_name side, struct gate_error *err);

/**
 * Return the iteration count for a run of `seconds`, if one iteration takes `one_seconds`: at least 1, at most 1e9. The
 * second is the count of a canary: that of the baseline, or fewer if it is more than three times slower.
 */
uint64_t gate_go_bench_times(double seconds, double one_seconds);

uint64_t gate_go_bench_canary_times(uint64_t baseline_times, double seconds, double one_seconds);

/** Set `bench->command` to the command that runs `bench->times` iterations. err: GATE_ERR_LIMIT `arena` is full. */
GATE_MUST_CHECK
bool gate_go_bench_command(struct gate_go_bench *bench, const char *pattern, struct gate_arena *arena,
                           struct gate_error *err);

#endif
