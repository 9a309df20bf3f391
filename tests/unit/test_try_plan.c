/* SPDX-License-Identifier: Apache-2.0 */
/* trial/trial_command.h: from the section `try` to commands: what presets fill in, which options override it, and the
 * addresses of servers. */

#include "gate/rules/rules_parse.h"
#include "gate/trial/trial_command.h"
#include "tests/unit/unit.h"

struct gate_arena arena;
static struct gate_rules rules;

static int free_arena(void **state) {
    gate_arena_free(&arena);
    return 0;
}

/* Return the plan of a section. The rules are freed with the next call. */
static struct gate_try_plan plan_of(const char *section, const struct gate_try_plan_options *options) {
    struct gate_error err = {0};
    struct gate_try_plan plan;
    const struct gate_str text = gate_str_format(&arena, "version: 1\nextends: recommended\ntry: {%s}\n", section);
    gate_rules_free(&rules);
    if (!gate_rules_parse(&rules, text, GATE_STR("rules.yml"), NULL, &arena, &err))
        fail_msg("%s: %s", section, err.message);
    if (!gate_try_plan_make(&plan, &rules.trial, options, &arena, &err))
        fail_msg("%s: %s", section, err.message);
    return plan;
}

static const struct gate_try_plan_options none = {.rules_name = {"rules.yml", 9}};

static void test_command(void **state) {
    struct gate_try_plan plan = plan_of("run: ./x, build: make, env: {A: b, C: 5}", &none);
    assert_string_equal(plan.build, "make");
    assert_string_equal(plan.run, "./x");
    assert_null(plan.profile_glob);
    assert_null(plan.profile_url);
    assert_null(plan.ready);
    assert_string_equal(plan.env[0], "A=b");
    assert_string_equal(plan.env[1], "C=5");
    assert_null(plan.env[2]);
    assert_int_equal(plan.rounds, GATE_TRY_ROUNDS);
    assert_true(plan.seconds > 9.9 && plan.timeout_seconds > 599);
    plan = plan_of("run: ./x, profile: 'out/*.pb.gz', rounds: 4, seconds: 2.5, timeout: 7, work: 12", &none);
    assert_string_equal(plan.profile_glob, "out/*.pb.gz");
    assert_int_equal(plan.rounds, 4);
    assert_true(plan.seconds > 2.4 && plan.seconds < 2.6 && plan.timeout_seconds < 7.1 && plan.work > 11.9);
    plan = plan_of("run: ./x, work: 'orders: (\\d+)'", &none);
    assert_true(plan.work_regex != NULL && plan.work == 0.0);
}

static void test_presets(void **state) {
    struct gate_try_plan plan = plan_of("preset: go-bench, package: ./shop", &none);
    assert_string_equal(plan.build, "go test -c -o \"$PPROFGATE_BUILD/bench.test\" ./shop && "
                                    "go list -f '{{.Dir}}' ./shop >\"$PPROFGATE_BUILD/directory\"");
    assert_string_equal(plan.bench, ".");
    assert_string_equal(plan.suffix, ".pb.gz");
    plan = plan_of("preset: node, script: bench.js 10", &none);
    assert_null(plan.build);
    assert_non_null(strstr(plan.run, "--cpu-prof "));
    assert_non_null(strstr(plan.run, " bench.js 10"));
    plan = plan_of("preset: py-spy, script: bench.py, build: pip install .", &none);
    assert_string_equal(plan.build, "pip install .");
    assert_non_null(strstr(plan.run, "set -- bench.py; "));
    assert_non_null(strstr(plan.run, "-- python3 \"$@\""));
    plan = plan_of("preset: go-server, load: hey", &none);
    assert_string_equal(plan.build, "go build -o \"$PPROFGATE_BUILD/server\" .");
    assert_string_equal(plan.profile_url, "http://127.0.0.1:6060/debug/pprof/profile");
    assert_string_equal(plan.ready, "127.0.0.1:6060");
}

static void test_where_servers_are(void **state) {
    static const char *const rows[][2] = {
        {"http://localhost/profile", "localhost:80"},
        {"https://host", "host:443"},
        {"http://user:secret@host:8080/debug/pprof/profile?seconds=5", "host:8080"},
        {"http://[::1]:6060/", "[::1]:6060"},
        {"http://[::1]/", "[::1]:80"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *section = gate_str_format(&arena, "run: ./x, profile: '%s'", rows[i][0]).ptr;
        assert_string_equal(plan_of(section, &none).ready, rows[i][1]);
    }
    assert_string_equal(plan_of("run: ./x, profile: 'http://h/p', ready: 'http://h/ok'", &none).ready, "http://h/ok");
}

static void test_options_win(void **state) {
    const struct gate_try_plan_options told = {.bench = "Price/x", .seconds = 3, .rounds = 7};
    struct gate_try_plan plan = plan_of("preset: go-bench, bench: Ship, seconds: 9, rounds: 2", &told);
    assert_string_equal(plan.bench, "Price/x");
    assert_int_equal(plan.rounds, 7);
    assert_true(plan.seconds > 2.9 && plan.seconds < 3.1);
}

static void test_refused(void **state) {
    const struct gate_try_plan_options told = {.bench = "Price"};
    const struct gate_try_rules section = {.is_given = true, .preset = GATE_TRY_NODE}, missing = {0};
    struct gate_try_plan plan;
    struct gate_error err = {0};
    assert_false(gate_try_plan_make(&plan, &section, &told, &arena, &err));
    assert_int_equal(err.code, GATE_ERR_USAGE);
    assert_false(gate_try_plan_make(&plan, &missing, &none, &arena, &err));
    assert_int_equal(err.code, GATE_ERR_CONFIG);
    assert_non_null(strstr(err.message, "rules.yml has no section 'try'"));
}

/* Every step that does not fit is a clean error. */
static void test_limit_sweep(void **state) {
    struct gate_try_rules section = {.is_given = true,
                                     .preset = GATE_TRY_GO_SERVER,
                                     .load = {"hey", 3},
                                     .profile = {"http://profiles.shop.example/", 29},
                                     .package = {"./shop", 6},
                                     .env = (struct gate_try_variable[]){{{"A", 1}, {"b", 1}}}};
    bool ok = false;
    for (size_t limit = 1; !ok && limit < 1 << 16; limit++) {
        AT_END(gate_arena_free) struct gate_arena small;
        struct gate_try_plan plan;
        struct gate_error err = {0};
        gate_arena_init(&small, limit);
        ok = gate_try_plan_make(&plan, &section, &none, &small, &err);
        assert_int_equal(err.code, ok ? GATE_OK : GATE_ERR_LIMIT);
        assert_true(!ok || (plan.build != NULL && plan.run != NULL && plan.load != NULL && plan.ready != NULL &&
                            (plan.env[0] != NULL) == (section.env_count > 0)));
        if (ok && section.env_count == 0) {
            section.env_count = 1; /* the variables take more memory than the text before them */
            ok = false;
        }
    }
    assert_true(ok);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_command),     cmocka_unit_test(test_presets), cmocka_unit_test(test_where_servers_are),
        cmocka_unit_test(test_options_win), cmocka_unit_test(test_refused), cmocka_unit_test(test_limit_sweep),
    };
    int failed = cmocka_run_group_tests(tests, NULL, free_arena);
    gate_rules_free(&rules);
    return failed;
}
