/* SPDX-License-Identifier: Apache-2.0 */
/* Reading the output of Go's test binaries, choosing the number of iterations, and building the command. */

#include "gate/trial/go_bench.h"
#include "tests/unit/unit.h"

TEST(only_names_of_benchmarks_are_listed) {
    struct gate_go_bench_list list;
    const struct gate_str printed = GATE_STR("TestPrice\nBenchmarkPrice\nBenchmarkShip  \nExampleShop\nFuzzShop\n"
                                             "ok  \texample.test/shop\t0.1s\nBenchmark");
    assert_true(gate_go_bench_names(&list, printed, &arena, &err));
    assert_int_equal(list.count, 3);
    assert_true(gate_str_equal(list.items[0].name, GATE_STR("BenchmarkPrice")));
    assert_true(gate_str_equal(list.items[1].name, GATE_STR("BenchmarkShip")));
    assert_true(gate_go_bench_names(&list, GATE_STR(""), &arena, &err));
    assert_int_equal(list.count, 0);
}

TEST(benchmark_results_are_added_up_and_other_lines_ignored) {
    const struct gate_str printed =
        GATE_STR("goos: linux\ncpu: some\nBenchmarkPrice-8   \t     100\t  12000 ns/op\t  16 B/op\t 1 allocs/op\n"
                 "BenchmarkParts/tax-8 \t 100\t 0.5 ns/op\nBenchmarkParts/ship-8 \t 100\t 7.5 ns/op\n"
                 "--- SKIP: BenchmarkSkipped\nBenchmarkOdd prints what it likes\nBenchmarkNothing 0 1 ns/op\nPASS\n");
    struct gate_go_bench_result result = gate_go_bench_read(printed);
    assert_int_equal(result.lines, 3);
    assert_true(result.iterations > 299.9 && result.iterations < 300.1);
    assert_true(result.nanoseconds > 12007.9 && result.nanoseconds < 12008.1);
    assert_int_equal(gate_go_bench_read(GATE_STR("PASS\n")).lines, 0);
    assert_int_equal(gate_go_bench_read(GATE_STR("BenchmarkCut")).lines, 0);
    assert_int_equal(gate_go_bench_read(GATE_STR("BenchmarkOdd inf 1 ns/op\nBenchmarkOdd 5x 1 ns/op\n")).lines, 0);
    assert_int_equal(
        gate_go_bench_read(GATE_STR("BenchmarkLong 1234567890123456789012345678901234567890123 1 ns/op\n")).lines, 0);
    assert_int_equal(
        gate_go_bench_read(GATE_STR("BenchmarkLong 123456789012345678901234567890123456789 1 ns/op\n")).lines, 1);
}

TEST(iterations_fill_the_wanted_time_from_one_to_a_billion) {
    assert_int_equal(gate_go_bench_times(2, 0.001), 2000);
    assert_int_equal(gate_go_bench_times(2, 5), 1); /* one iteration takes longer than the 2 s wanted */
    assert_int_equal(gate_go_bench_times(2, 0), 1000000000);
    assert_int_equal(gate_go_bench_times(2, 1e-12), 1000000000);
}

/* The canary runs as many iterations as the baseline, unless that would take more than three times as long. */
TEST(the_canary_runs_fewer_iterations_only_if_far_slower) {
    assert_int_equal(gate_go_bench_canary_times(2000, 2, 0.001), 2000);
    assert_int_equal(gate_go_bench_canary_times(2000, 2, 0.0001), 2000); /* the canary is faster */
    assert_int_equal(gate_go_bench_canary_times(2000, 2, 0.0029), 2000);
    assert_int_equal(gate_go_bench_canary_times(2000, 2, 0.1), 20);
}

static struct gate_go_bench measured(const char *printed) {
    struct gate_go_bench bench = {.name = GATE_STR("BenchmarkParts"), .times = 42};
    assert_true(gate_go_bench_results(&bench, gate_str_from(printed), &arena, &err));
    return bench;
}

/* Only what both sides have is run: iterations of other sub-benchmarks are other work. */
TEST(only_sub_benchmarks_of_both_sides_are_run) {
    static const struct {
        const char *a, *b, *below;
    } rows[] = {
        {"BenchmarkParts/tax-8 1 5 ns/op\nBenchmarkParts/ship-8 1 5 ns/op\n", "BenchmarkParts/ship-8 1 5 ns/op\n",
         "/^(ship\\-8|ship)$"},
        {"BenchmarkParts/a.b_(c) 1 5 ns/op\n", "BenchmarkParts/a.b_(c) 1 5 ns/op\nBenchmarkParts/n 1 5 ns/op\n",
         "/^(a\\.b_\\(c\\))$"},
        {"BenchmarkParts/a/x-8 1 5 ns/op\nBenchmarkParts/b/y-8 1 5 ns/op\n",
         "BenchmarkParts/a/x-8 1 5 ns/op\nBenchmarkParts/b/y-8 1 5 ns/op\nBenchmarkParts/c/y-8 1 5 ns/op\n",
         "/^(a|b)$/^(x\\-8|x|y\\-8|y)$"},
        {"BenchmarkParts/tax-8 1 5 ns/op\n", "BenchmarkParts/ship-8 1 5 ns/op\n", ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct gate_go_bench a = measured(rows[i].a), b = measured(rows[i].b);
        assert_true(gate_go_bench_narrow(&a, &b, &arena, &err));
        if (!gate_str_equal(a.below, gate_str_from(rows[i].below)) || !gate_str_equal(a.below, b.below))
            fail_msg("expected '%s', found '%.*s'", rows[i].below, GATE_STR_ARG(a.below));
    }
    struct gate_go_bench twice = measured("BenchmarkParts-8 1 5 ns/op\nBenchmarkParts-8 1 5 ns/op\nBenchmarkParts/x\n");
    assert_int_equal(twice.result_count, 1);
    assert_true(gate_go_bench_has(&twice, GATE_STR("BenchmarkParts-8")));
    assert_false(gate_go_bench_has(&twice, GATE_STR("BenchmarkParts/x")));
}

static const char *command_of(const char *name, const char *pattern) {
    struct gate_go_bench bench = {.name = gate_str_from(name), .times = 42};
    assert_true(gate_go_bench_command(&bench, pattern, &arena, &err));
    return bench.command;
}

TEST(a_command_runs_one_benchmark_and_quotes_the_pattern) {
    const char *command = command_of("BenchmarkPrice", ".");
    assert_non_null(strstr(command, "-test.run '^$' -test.bench '^BenchmarkPrice$' -test.benchtime 42x "));
    assert_non_null(strstr(command, "-test.cpuprofile \"$PPROFGATE_PROFILE\""));
    command = command_of("BenchmarkPrice", "Price|Ship/size=10/it's");
    assert_non_null(strstr(command, "-test.bench '^BenchmarkPrice$/size=10/it'\\''s'"));
}
