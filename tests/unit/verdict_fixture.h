/* SPDX-License-Identifier: Apache-2.0 */
/* A verdict built in memory from a few stacks: input for the tests of every report and for tests/browser.
 * Its statistics are a plain two-proportion z test, because reports show evidence and do not judge it. */
#ifndef TESTS_UNIT_VERDICT_FIXTURE_H
#define TESTS_UNIT_VERDICT_FIXTURE_H

#include "gate/base/error.h"
#include "gate/base/table.h"
#include "gate/budget/verdict.h"
#include "gate/names/own_code.h"

#include <math.h>
#include <stdlib.h>

#define FIXTURE_PERIOD_NS INT64_C(10000000)

/** Zero-initialise with fixture_init; free with fixture_free. */
struct fixture {
    struct gate_arena arena;
    struct gate_table frames;
    struct gate_stack *stacks[GATE_SIDES];
    size_t stack_capacity[GATE_SIDES];
    uint32_t max_depth;
    struct gate_comparison comparison;
    struct gate_rules rules;
    struct gate_verdict verdict;
    struct gate_budget_result results[8];
    struct gate_budget budgets[8];
    struct gate_limit limits[8];
    struct gate_finding findings[8];
    struct gate_warning warnings[4];
    struct gate_profile profiles[GATE_SIDES];
    struct gate_run runs[GATE_SIDES];
};

static inline void fixture_init(struct fixture *f) {
    *f = (struct fixture){0};
    gate_arena_init(&f->arena, 0);
    gate_table_init(&f->frames, &f->arena);
    f->rules = (struct gate_rules){.source = GATE_STR("recommended (built in)"),
                                   .alpha = 0.01,
                                   .alpha_margin = 0.05,
                                   .min_samples = 500,
                                   .severity = GATE_SEVERITY_ERROR};
}

static inline void fixture_free(struct fixture *f) {
    gate_arena_free(&f->arena);
}

/** Declare an empty fixture, and free it with its block. */
#define FIXTURE(f)                                                                                                     \
    AT_END(fixture_free) struct fixture f;                                                                             \
    fixture_init(&f)

static inline void fixture_push(struct fixture *f, int side, struct gate_str ids, int64_t samples) {
    struct gate_stacks *stacks = &f->runs[side].stacks;
    GATE_ASSERT(GATE_GROW(&f->arena, f->stacks[side], stacks->count, f->stack_capacity[side]));
    double period = (double)FIXTURE_PERIOD_NS;
    f->stacks[side][stacks->count++] = (struct gate_stack){.ref = {(const uint8_t *)ids.ptr, (uint32_t)ids.len},
                                                           .value = samples * FIXTURE_PERIOD_NS,
                                                           .weight_sq = (double)samples * period * period};
    stacks->record_count += 1;
    stacks->total += samples * FIXTURE_PERIOD_NS;
    stacks->events += (double)samples;
    stacks->weight_sq += (double)samples * period * period;
}

/** Add one stack: frame names, root first, and its samples on each side. Names are copied. */
static inline void fixture_stack_of(struct fixture *f, const struct gate_str *names, uint32_t count, int64_t baseline,
                                    int64_t canary) {
    uint8_t *ids = gate_arena_alloc(&f->arena, (size_t)count * 5 + 1);
    uint32_t len = 0;
    for (uint32_t i = count; i > 0; i--) {
        uint32_t id = gate_table_intern_copy(&f->frames, names[i - 1]) + 1;
        for (; id >= 0x80; id >>= 7)
            ids[len++] = (uint8_t)(id | 0x80);
        ids[len++] = (uint8_t)id;
    }
    if (count > f->max_depth)
        f->max_depth = count;
    struct gate_str view = {(const char *)ids, len};
    if (baseline > 0)
        fixture_push(f, GATE_BASELINE, view, baseline);
    if (canary > 0)
        fixture_push(f, GATE_CANARY, view, canary);
}

/** Add one stack written as "main;handler;json". */
static inline void fixture_stack(struct fixture *f, const char *stack, int64_t baseline, int64_t canary) {
    struct gate_str names[512];
    uint32_t count = 0;
    struct gate_str rest = gate_str_from(stack);
    while (count < 512) {
        size_t end = gate_str_find(rest, GATE_STR(";"), 0);
        names[count++] = gate_str_slice(rest, 0, end);
        if (end == SIZE_MAX)
            break;
        rest = gate_str_slice(rest, end + 1, rest.len);
    }
    fixture_stack_of(f, names, count, baseline, canary);
}

static inline struct gate_evidence fixture_evidence(const struct fixture *f, const int64_t value[GATE_SIDES]) {
    const struct gate_pair *pair = &f->comparison.pair;
    struct gate_evidence e = {.value = {value[0], value[1]}, .phi = 1, .df = INFINITY};
    double variance = 0;
    for (int side = 0; side < GATE_SIDES; side++) {
        e.share[side] = gate_share(value[side], pair->sides[side].total);
        e.sample_n[side] = pair->sides[side].events;
        variance += e.share[side] * (1 - e.share[side]) / fmax(e.sample_n[side], 1);
    }
    e.delta = e.share[GATE_CANARY] - e.share[GATE_BASELINE];
    double deviation = sqrt(variance);
    e.z = deviation > 0 ? e.delta / deviation : 0;
    e.log_p = log(fmax(0.5 * erfc(e.z / sqrt(2)), 1e-300));
    e.dilution = 1;
    e.counts = (struct gate_counts2){e.share[GATE_BASELINE] * e.sample_n[GATE_BASELINE], e.sample_n[GATE_BASELINE],
                                     e.share[GATE_CANARY] * e.sample_n[GATE_CANARY], e.sample_n[GATE_CANARY]};
    e.is_tested = value[0] + value[1] >= 20 * FIXTURE_PERIOD_NS;
    return e;
}

static inline void fixture_side(struct fixture *f, int side) {
    uint32_t count = f->frames.count;
    struct gate_profile *profile = &f->profiles[side];
    profile->location_count = count;
    profile->duration_ns = INT64_C(30000000000);
    profile->location_index.in_order = count;
    struct gate_run *run = &f->runs[side];
    run->frame_of = GATE_NEW_ARRAY(&f->arena, uint32_t, (size_t)count + 1);
    for (uint32_t i = 0; i < count; i++)
        run->frame_of[i] = i;
    run->input.path = side == GATE_BASELINE ? GATE_STR("base/cpu-01.pb.gz") : GATE_STR("canary/cpu-01.pb.gz");
    run->input.profile = profile;
    run->input.digest = GATE_STR("4f0d6c0b8a77e1f2");
    run->stacks.items = f->stacks[side];
    run->unit_ratio = 1;
    run->total = run->stacks.total;
    run->events = run->stacks.events;
    f->comparison.pair.sides[side] = (struct gate_side){
        .runs = run, .run_count = 1, .total = run->total, .events = run->events, .duration_ns = profile->duration_ns};
}

/** Classify a frame as in Go, except that a name without a dot ("main", "worker3") is own code. */
static inline enum gate_code fixture_code(struct gate_str name) {
    bool is_bare = gate_str_find(name, GATE_STR("."), 0) == SIZE_MAX;
    const struct gate_code_place place = {.function = name};
    return is_bare ? GATE_CODE_OWN : gate_own_code_of(GATE_LANGUAGE_GO, &place);
}

static inline int fixture_mover_compare(const void *a, const void *b) {
    const double *x = a, *y = b;
    return x[0] != y[0] ? (x[0] < y[0] ? 1 : -1) : (x[1] > y[1]) - (x[1] < y[1]);
}

static inline void fixture_order(struct fixture *f, enum gate_measure measure) {
    struct gate_comparison *c = &f->comparison;
    uint32_t count = f->frames.count;
    double(*order)[2] = gate_arena_calloc(&f->arena, count, sizeof *order);
    c->order[measure] = GATE_NEW_ARRAY(&f->arena, uint32_t, count);
    for (uint32_t i = 0; i < count; i++) {
        order[i][0] = fabs(c->frames[i].evidence[measure]->delta);
        order[i][1] = i;
    }
    qsort(order, count, sizeof *order, fixture_mover_compare);
    for (uint32_t i = 0; i < count; i++)
        c->order[measure][i] = (uint32_t)order[i][1];
}

/** Make the pair, the deltas and the judgement. Call it after the last stack. */
static inline void fixture_seal(struct fixture *f) {
    struct gate_comparison *c = &f->comparison;
    uint32_t count = f->frames.count;
    c->name = GATE_STR("cpu");
    c->work_ratio = 1;
    c->pair.type = (struct gate_value_type){GATE_STR("cpu"), GATE_STR("nanoseconds")};
    c->pair.frame_count = count;
    c->pair.frames = GATE_NEW_ARRAY(&f->arena, struct gate_frame, count);
    c->pair.max_frames = f->max_depth;
    c->pair.language = GATE_LANGUAGE_GO;
    for (uint32_t i = 0; i < count; i++) {
        enum gate_code code = fixture_code(f->frames.keys[i]);
        c->pair.frames[i] = (struct gate_frame){.name = f->frames.keys[i],
                                                .file = GATE_STR("src/service.go"),
                                                .start_line = 10 + i,
                                                .code = code,
                                                .is_own = gate_own_code_is_own(GATE_LANGUAGE_GO, code),
                                                .is_symbolised = true};
    }
    fixture_side(f, GATE_BASELINE);
    fixture_side(f, GATE_CANARY);
    struct gate_error err = {0};
    if (!gate_delta_fold(&c->deltas, &c->pair, NULL, &f->arena, &err))
        abort();
    c->frames = GATE_NEW_ARRAY(&f->arena, struct gate_frame_judgement, count);
    for (uint32_t i = 0; i < count; i++) {
        for (int m = 0; m < GATE_MEASURES; m++) {
            struct gate_evidence *evidence = GATE_NEW_ARRAY(&f->arena, struct gate_evidence, 1);
            *evidence = fixture_evidence(f, c->deltas.items[i].value[m]);
            c->frames[i].evidence[m] = evidence;
            c->frames[i].log_p_bh[m] = log(fmax(erfc(fabs(evidence->z) / sqrt(2)), 1e-300));
            c->frames[i].is_suspect[m] = evidence->is_tested && fabs(evidence->z) > 3.3;
        }
    }
    for (int m = 0; m < GATE_MEASURES; m++)
        fixture_order(f, (enum gate_measure)m);
    c->by_self = c->order[GATE_SELF];
    f->verdict = (struct gate_verdict){.outcome = GATE_OUTCOME_PASS,
                                       .rules = &f->rules,
                                       .comparisons = &f->comparison,
                                       .comparison_count = 1,
                                       .budgets = f->results,
                                       .warnings = f->warnings,
                                       .command = GATE_STR("pprofgate check base canary")};
}

/** Add a budget with this outcome and one finding on `function` (NULL: no finding). The verdict takes the worst
 * outcome, but warnings do not count. */
static inline struct gate_finding *fixture_budget(struct fixture *f, const char *name, enum gate_outcome outcome,
                                                  const char *function, enum gate_measure measure) {
    uint32_t i = f->verdict.budget_count++;
    f->limits[i] = (struct gate_limit){
        .kind = GATE_LIMIT_SHARE_INCREASE, .severity = GATE_SEVERITY_ERROR, .value = 0.05, .text = GATE_STR("+5pp")};
    f->budgets[i] =
        (struct gate_budget){.name = gate_str_from(name),
                             .severity = outcome == GATE_OUTCOME_WARN ? GATE_SEVERITY_WARN : GATE_SEVERITY_ERROR,
                             .measure = measure == GATE_SELF      ? GATE_MEASURE_SELF
                                        : measure == GATE_CHARGED ? GATE_MEASURE_CHARGED
                                                                  : GATE_MEASURE_CUMULATIVE,
                             .limits = &f->limits[i],
                             .limit_count = 1};
    f->results[i] = (struct gate_budget_result){.budget = &f->budgets[i],
                                                .outcome = outcome,
                                                .matched = f->comparison.pair.frame_count,
                                                .tested = f->comparison.pair.frame_count,
                                                .detectable = 0.019};
    if (outcome > f->verdict.outcome && outcome != GATE_OUTCOME_WARN)
        f->verdict.outcome = outcome;
    if (function == NULL)
        return NULL;
    uint32_t frame = gate_table_find(&f->frames, gate_str_from(function));
    if (frame == GATE_TABLE_NONE)
        abort();
    struct gate_finding *finding = &f->findings[i];
    *finding = (struct gate_finding){.frame = frame,
                                     .function = f->comparison.pair.frames[frame].name,
                                     .outcome = outcome,
                                     .reason = outcome == GATE_OUTCOME_FAIL   ? GATE_REASON_OVER
                                               : outcome == GATE_OUTCOME_WARN ? GATE_REASON_SEVERITY_WARN
                                                                              : GATE_REASON_UNCONFIRMED,
                                     .limit = &f->limits[i],
                                     .measure = measure,
                                     .evidence = *f->comparison.frames[frame].evidence[measure],
                                     .detectable = 0.019,
                                     .own_cost_ratio = NAN,
                                     .advice = GATE_STR("look at the change that touched this function")};
    finding->log_p_adjusted = finding->evidence.log_p;
    finding->text = gate_str_format(&f->arena, "%s: %s %.1f %% \xE2\x86\x92 %.1f %% of cpu, over the +5 pp of \"%s\"",
                                    function, gate_measure_name(measure), finding->evidence.share[0] * 100,
                                    finding->evidence.share[1] * 100, name);
    f->results[i].findings = finding;
    f->results[i].finding_count = 1;
    return finding;
}

/** Join the findings of all budgets into causes. Call it after the last budget, and again after changing a finding. */
static inline void fixture_causes(struct fixture *f) {
    struct gate_error err = {0};
    if (!gate_cause_find(&f->verdict.causes, NULL, f->verdict.budgets, f->verdict.budget_count, f->verdict.comparisons,
                         f->verdict.comparison_count, &f->arena, &err))
        abort();
}

static inline void fixture_warning(struct fixture *f, enum gate_guard guard, const char *message) {
    f->warnings[f->verdict.warning_count++] = (struct gate_warning){.guard = guard, .message = gate_str_from(message)};
}

/** A service in which encoding grew, caching vanished and tracing appeared. It has one cause, which breaks one budget
 * and warns in two. */
static inline void fixture_service(struct fixture *f) {
    fixture_init(f);
    fixture_stack(f,
                  "runtime.main;net/http.(*conn).serve;github.com/acme/shop/api.(*Server).Orders;encoding/json.Marshal",
                  82, 206);
    fixture_stack(f,
                  "runtime.main;net/http.(*conn).serve;github.com/acme/shop/api.(*Server).Orders;encoding/json.Marshal;"
                  "reflect.Value.Field",
                  60, 130);
    fixture_stack(
        f, "runtime.main;net/http.(*conn).serve;github.com/acme/shop/api.(*Server).Search;regexp.(*Regexp).Match", 400,
        390);
    fixture_stack(f, "runtime.main;net/http.(*conn).serve;github.com/acme/shop/api.(*Server).Search;sort.Slice", 300,
                  310);
    fixture_stack(f,
                  "runtime.main;net/http.(*conn).serve;github.com/acme/shop/api.(*Server).Orders;"
                  "github.com/acme/shop/internal/cache.(*LRU).Get",
                  160, 0);
    fixture_stack(f,
                  "runtime.main;net/http.(*conn).serve;github.com/acme/shop/api.(*Server).Orders;"
                  "github.com/acme/shop/internal/trace.Start",
                  0, 140);
    fixture_stack(f, "runtime.main;net/http.(*conn).serve;compress/gzip.(*Writer).Write", 500, 480);
    fixture_stack(f, "runtime.gcBgMarkWorker;runtime.scanobject", 210, 230);
    fixture_stack(f, "runtime.mcall;runtime.schedule;runtime.findRunnable", 120, 118);
    fixture_seal(f);
    fixture_budget(f, "no function takes over", GATE_OUTCOME_FAIL, "github.com/acme/shop/api.(*Server).Orders",
                   GATE_CHARGED);
    fixture_budget(f, "encoding stays cheap", GATE_OUTCOME_WARN, "encoding/json.Marshal", GATE_SELF);
    fixture_budget(f, "cumulative growth", GATE_OUTCOME_WARN, "github.com/acme/shop/api.(*Server).Orders",
                   GATE_CUMULATIVE);
    fixture_budget(f, "nothing doubles", GATE_OUTCOME_PASS, NULL, GATE_SELF);
    fixture_warning(f, GATE_GUARD_ONE_PAIR, "one run on each side: run-to-run variation is assumed, not measured");
    fixture_causes(f);
}

/** Declare a fixture that fixture_service makes, and free it with its block. */
#define SERVICE(f)                                                                                                     \
    AT_END(fixture_free) struct fixture f;                                                                             \
    fixture_service(&f)

#endif
