/* SPDX-License-Identifier: Apache-2.0 */
/* Go benchmarks as loads. Each top-level benchmark of both sides is one kind of profile, run by itself, since work of
 * unlike benchmarks cannot be added up; all below it share a profile. How often it runs is found out once, by the
 * processor's time on the baseline, and then is the same in every run: with a time given, Go tries out larger and
 * larger counts, all of which are in the profile while only the last is printed, and what is not printed is up to half
 * of it. A canary that would take more than three times as long runs less often; its own count is its work. Pipeline:
 * trial/shell.h -> trial/go_bench.h -> trial/trial.h */
#ifndef GATE_TRIAL_GO_BENCH_H
#define GATE_TRIAL_GO_BENCH_H

#include "gate/base/buf.h"
#include "gate/trial/shell.h"

/** One benchmark. */
struct gate_go_bench {
    struct gate_str name; /* "BenchmarkPrice" */
    double seconds;       /* of the processor, of one iteration of each of its lines; 0: it printed no result */
    uint64_t times;       /* that it runs */
    const char *command;  /* of `sh -c`; writes PPROFGATE_PROFILE */
};

/** Those of a test binary. */
struct gate_go_bench_list {
    struct gate_go_bench *items;
    uint32_t count;
};

/** The names in what `-test.list` prints. */
GATE_MUST_CHECK
bool gate_go_bench_names(struct gate_go_bench_list *out, struct gate_str printed, struct gate_arena *arena,
                         struct gate_error *err);

/** Of what a run prints: iterations of all its lines added up, and nanoseconds that one iteration of each takes. */
struct gate_go_bench_result {
    double iterations, nanoseconds;
    uint32_t lines;
};

/** Read what `-test.bench` prints. */
struct gate_go_bench_result gate_go_bench_read(struct gate_str printed);

/** What a side's binary has. `pattern` is as `go test -bench` takes it. err: what gate_shell_do says. */
GATE_MUST_CHECK
bool gate_go_bench_find(struct gate_go_bench_list *out, const struct gate_shell *shell, const char *pattern,
                        const char *directory, enum gate_side_name side, struct gate_error *err);

/** How long each takes on a side, which has been entered. err: what gate_shell_do says. */
GATE_MUST_CHECK
bool gate_go_bench_measure(struct gate_go_bench_list *list, const struct gate_shell *shell, const char *pattern,
                           const char *directory, enum gate_side_name side, struct gate_error *err);

/** How often one has to run to last `seconds`, and the same of a canary beside it. */
uint64_t gate_go_bench_times(double seconds, double one_seconds);
uint64_t gate_go_bench_canary_times(uint64_t baseline_times, double seconds, double one_seconds);

/** Fill in the command of one that runs `bench->times` times. */
GATE_MUST_CHECK
bool gate_go_bench_command(struct gate_go_bench *bench, const char *pattern, struct gate_arena *arena,
                           struct gate_error *err);

#endif
