/* SPDX-License-Identifier: Apache-2.0 */
/* Presets on real captures: a planted regression breaks the budget that is meant for it, in the function where it was
 * planted. An unchanged program breaks no budget. fixtures/FOLDER/README.md states what was planted. */

#include "gate/budget/plan.h"
#include "gate/budget/verdict.h"
#include "gate/formats/format.h"
#include "gate/rules/rules_parse.h"
#include "tests/unit/unit.h"

#define FIXTURES GATE_SOURCE_DIR "/fixtures/"

enum { RUNS = 3 };

struct capture {
    const char *name;
    const char *preset;
    const char *baseline, *canary; /* with %d for the number of the run, or one file */
    uint32_t runs;
    const char *budget, *function; /* the budget that fails, and its function; NULL: nothing may fail */
};

static const struct capture captures[] = {
    {"heap finds the allocation", "heap", "go-service/heap/baseline-%d.pb.gz", "go-service/heap/alloc-%d.pb.gz", 3,
     "no function allocates much more", "main.(*shop).labelled.func*.*"},
    {"heap finds a doubled allocation", "heap", "go-service/heap/baseline-%d.pb.gz", "go-service/heap/alloc-%d.pb.gz",
     3, "no allocation doubles", "main.(*shop).labelled.func*.*"},
    {"heap against itself", "heap", "go-service/heap/baseline-%d.pb.gz", "go-service/heap/baseline-%d.pb.gz", 3, NULL,
     NULL},
    {"contention finds the lock", "contention", "go-service/mutex/baseline-%d.pb.gz", "go-service/mutex/lock-%d.pb.gz",
     3, "no waiting doubles", "main.(*stock).reserve"},
    {"contention against itself", "contention", "go-service/mutex/baseline-%d.pb.gz",
     "go-service/mutex/baseline-%d.pb.gz", 3, NULL, NULL},
    {"recommended finds the leaf", "recommended", "go-service/cpu/baseline-%d.pb.gz",
     "go-service/cpu/regression-%d.pb.gz", 3, "no function takes over", "main.priceRound"},
    {"recommended passes a refactoring", "recommended", "go-service/cpu/baseline-%d.pb.gz",
     "go-service/cpu/benign-%d.pb.gz", 3, NULL, NULL},
    {"recommended passes a speed-up", "recommended", "go-service/cpu/baseline-%d.pb.gz",
     "go-service/cpu/speedup-%d.pb.gz", 3, NULL, NULL},
    {"strict finds the leaf", "strict", "go-service/cpu/baseline-%d.pb.gz", "go-service/cpu/regression-%d.pb.gz", 3,
     "no function takes over", "main.priceRound"},
    {"jvm finds the leaf", "jvm", "producers/async-profiler/baseline.pb", "producers/async-profiler/canary.pb", 1,
     "no function takes over", "Shop.roundPrice"},
    {"jvm against itself", "jvm", "producers/async-profiler/baseline.pb", "producers/async-profiler/baseline.pb", 1,
     NULL, NULL},
    {"node finds the leaf", "node", "producers/node-pprof/baseline.pb.gz", "producers/node-pprof/canary.pb.gz", 1,
     "no function takes over", "roundPrice"},
    {"node finds the leaf of a cpuprofile", "node", "producers/node-cpu-prof/baseline.cpuprofile",
     "producers/node-cpu-prof/canary.cpuprofile", 1, "no function takes over", "roundPrice"},
    {"wall finds the leaf", "wall", "producers/node-pprof/baseline.pb.gz", "producers/node-pprof/canary.pb.gz", 1,
     "no function takes longer", "roundPrice"},
    /* One run of py-spy has too few samples to fail. The regression must make the budget inconclusive, not pass. */
    {"python sees the leaf", "python", "producers/py-spy/baseline.speedscope.json",
     "producers/py-spy/canary.speedscope.json", 1, "no function takes over?", "round_price"},
};

struct gate_run_case {
    struct gate_arena arena;
    struct gate_error err;
    struct gate_rules rules;
    struct gate_profile profiles[GATE_SIDES][RUNS];
    struct gate_run_input inputs[GATE_SIDES][RUNS];
    struct gate_plan plan;
    struct gate_verdict verdict;
};

static void load(struct gate_run_case *c, int side, uint32_t run, const char *pattern) {
    const struct gate_limits limits = gate_limits_default();
    struct gate_str bytes = {NULL, 0};
    struct gate_str path = gate_str_from(pattern);
    size_t number = gate_str_find(path, GATE_STR("%d"), 0);
    if (number == SIZE_MAX)
        path = gate_str_format(&c->arena, FIXTURES "%s", pattern);
    else
        path = gate_str_format(&c->arena, FIXTURES "%.*s%u%s", (int)number, pattern, (unsigned)run + 1,
                               pattern + number + 2);
    if (!gate_source_read(&bytes, path, &limits, &c->arena, &c->err) ||
        !gate_profile_load(&c->profiles[side][run], bytes, &limits, &c->arena, &c->err))
        fail_msg("%.*s: %s", GATE_STR_ARG(path), c->err.message);
    c->inputs[side][run] = (struct gate_run_input){.path = path, .profile = &c->profiles[side][run]};
}

static void decide(struct gate_run_case *c, const struct capture *capture) {
    for (uint32_t run = 0; run < capture->runs; run++) {
        load(c, GATE_BASELINE, run, capture->baseline);
        load(c, GATE_CANARY, run, capture->canary);
    }
    const struct gate_plan_input input = {.runs = {c->inputs[0], c->inputs[1]},
                                          .counts = {capture->runs, capture->runs}};
    if (!gate_rules_parse_preset(&c->rules, capture->preset, &c->arena, &c->err))
        fail_msg("%s", c->err.message);
    const struct gate_plan_options options = {.frames = c->rules.frames, .counts = c->rules.counts};
    bool ok = gate_plan_make(&c->plan, &c->rules, &input, 1, &options, &c->arena, &c->err);
    const struct gate_verdict_options with = {.comparison_of = c->plan.budget_comparison};
    ok = ok && gate_verdict_reach(&c->verdict, &c->rules, c->plan.comparisons, c->plan.comparison_count, &with,
                                  &c->arena, &c->err);
    if (!ok)
        fail_msg("%s", c->err.message);
}

/* A budget name that ends in '?' also accepts an inconclusive finding. */
static void expect_finding(const struct gate_verdict *verdict, const struct capture *capture) {
    size_t len = strlen(capture->budget);
    bool open = capture->budget[len - 1] == '?';
    enum gate_outcome least = open ? GATE_OUTCOME_INCONCLUSIVE : GATE_OUTCOME_FAIL;
    struct gate_str budget = {capture->budget, len - open};
    for (uint32_t i = 0; i < verdict->budget_count; i++) {
        const struct gate_budget_result *result = &verdict->budgets[i];
        for (uint32_t f = 0; f < result->finding_count; f++)
            if (gate_str_equal(result->budget->name, budget) && result->findings[f].outcome >= least &&
                gate_str_equal(result->findings[f].function, gate_str_from(capture->function)))
                return;
    }
    fail_msg("%s: '%s' is not broken by %s", capture->name, capture->budget, capture->function);
}

static void test_capture(void **state) {
    const struct capture *capture = **(const struct capture ***)state;
    struct gate_run_case *c = test_calloc(1, sizeof *c);
    decide(c, capture);
    if (capture->budget != NULL)
        expect_finding(&c->verdict, capture);
    else if (c->verdict.outcome == GATE_OUTCOME_FAIL)
        fail_msg("%s: the verdict is fail", capture->name);
    gate_rules_free(&c->rules);
    gate_arena_free(&c->arena);
    test_free(c);
}

int main(void) {
    enum { COUNT = sizeof captures / sizeof *captures };
    static const struct capture *states[COUNT];
    struct CMUnitTest tests[COUNT];
    for (int i = 0; i < COUNT; i++) {
        states[i] = &captures[i];
        tests[i] =
            (struct CMUnitTest){.name = captures[i].name, .test_func = test_capture, .initial_state = &states[i]};
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
