/* SPDX-License-Identifier: Apache-2.0 */
/* budget/hypotheses.h: which frames a budget tests, as a table of budgets. test_families.c tests the correction over
 * all hypotheses. */
#include "tests/unit/hypotheses_fixture.h"

static void assert_near(double found, double expected, double tolerance) {
    if (found == expected)
        return;
    if (!(fabs(found - expected) <= tolerance * fmax(1e-3, fabs(expected))))
        fail_msg("found %.12g, expected %.12g", found, expected);
}

/* 10,000 events per run: "a" grows from 5% to 15%, "b" stays at 10%, "c" is new with 2%, "d" disappears, "e" is rare
 * (0.3% to 0.4%), "f" is absent. */
static void begin(struct counts_fixture *f, uint32_t baseline_runs, uint32_t canary_runs) {
    static const int64_t counts[][2] = {{7970, 7260}, {500, 1500}, {1000, 1000}, {0, 200}, {500, 0}, {30, 40}, {0, 0}};
    counts_begin(f, 7, baseline_runs, canary_runs, 10000);
    for (uint32_t i = 0; i < 7; i++)
        counts_set_all(f, i, counts[i][0], counts[i][1]);
}

struct row {
    const char *name, *budget;
    const char *asked, *unseen; /* first letters of the frames; "*": a group or the total */
    uint32_t matched;
};

static const struct row rows[] = {
    {"every frame that is there", "{name: x, limit: +5pp}", "rabcde", "", 7},
    {"a selected frame, and one that is nowhere", "{name: x, select: '^[af]$', limit: +5pp}", "a", "", 2},
    {"nothing selected", "{name: x, select: nowhere, limit: +5pp}", "", "", 0},
    {"two limits, each asked", "{name: x, select: '^a$', limit: {share_increase: +5pp, share: 30%}}", "aa", "", 1},
    {"two levels are two limits", "{name: x, select: '^a$', limit: {warn: +2pp, error: +5pp}}", "aa", "", 1},
    {"a limit that is off", "{name: x, severity: off, select: '^a$', limit: +5pp}, {name: y, limit: +5pp}", "", "", 1},
    {"min_share: neither side has it", "{name: x, min_share: 1%, limit: +0pp}", "rabcd", "", 7},
    {"min_share: what all its counts would lift over it is unseen", "{name: x, min_share: 0.5%, limit: +0pp}", "rabcd",
     "e", 7},
    {"min_share: what they would not is left out", "{name: x, min_share: 2.5%, limit: +0pp}", "rabd", "", 7},
    {"min_share: to the event", "{name: x, min_share: 2%, limit: +0pp}", "rabcd", "", 7},
    {"ratio: from half a per cent of the canary on", "{name: x, limit: 2x}", "rabc", "de", 7},
    {"ratio: as the budget says", "{name: x, min_share: 0.35%, limit: 2x}", "rabcde", "", 7},
    {"ratio: 0% means all", "{name: x, min_share: 0%, limit: 2x}", "rabcde", "", 7},
    {"ratio: of waiting, min_growth is the minimum", "{name: x, measure: self_cost, min_growth: 10ms, limit: 2x}",
     "rabcde", "", 7},
    {"ratio: whoever names functions means them", "{name: x, select: '^[ae]$', limit: 2x}", "ae", "", 2},
    {"ratio: whoever names files means them", "{name: x, select: {file: x}, limit: 2x}", "", "", 0},
    {"ratio: leaving some out names none", "{name: x, select: {not: '^b$'}, limit: 2x}", "rac", "de", 6},
    {"new frame: only what is new", "{name: x, limit: {new_frame: 1%}}", "c", "rabd", 7},
    {"decrease: a level is not reached by what is not seen", "{name: x, min_share: 1%, limit: -10%}", "rabcd", "", 7},
    {"share: nor is a share", "{name: x, min_share: 1%, limit: {share: 0.1%}}", "rabcd", "", 7},
    {"total", "{name: x, measure: total, limit: +10%}", "*", "", 1},
    {"total, per unit of work", "{name: x, measure: total_cost, limit: +10%}", "*", "", 1},
    {"cost of each frame", "{name: x, measure: self_cost, limit: +10%}", "rabc", "de", 7},
};

static void assert_asked(const struct gate_hypothesis *items, size_t count, const char *expected, const char *what) {
    char found[64] = "";
    for (size_t i = 0; i < count && i < 63; i++) {
        found[i] = items[i].frame == GATE_NO_INDEX ? '*' : items[i].name.ptr[0];
        found[i + 1] = '\0';
    }
    if (strcmp(found, expected) != 0)
        fail_msg("%s: found '%s', expected '%s'", what, found, expected);
}

static void asks(void **state) {
    const struct row *row = *state;
    AT_END(counts_end) struct counts_fixture f;
    begin(&f, 3, 3);
    f.comparison.pair.type.unit = GATE_STR("nanoseconds");
    hypotheses_rules(&f, row->budget);
    hypotheses_judge(&f, 0, 0);
    struct gate_hypothesis_list list = {0};
    struct gate_budget_scope scope = {.exposure = {.ratio = 1.0}};
    uint32_t matched = hypotheses_collect(&f, &list, 0, &scope);
    assert_int_equal(matched, row->matched);
    assert_asked(list.items, list.count, row->asked, "asked");
    assert_asked(list.unseen, list.unseen_count, row->unseen, "unseen");
    gate_rules_free(&f.rules);
}

/* Fields of a hypothesis: where it comes from, its scale and its severity. */
static void hypotheses_have_their_budget_and_comparison(void **state) {
    AT_END(counts_end) struct counts_fixture f;
    begin(&f, 3, 3);
    f.frames[2].is_runtime = true;
    hypotheses_rules(
        &f, "{name: first, limit: +5pp}, {name: second, severity: warn, measure: cumulative, limit: {share: 10%}}");
    hypotheses_judge(&f, 0, 0);
    struct gate_hypothesis_list list = {0};
    struct gate_budget_scope scope = {.comparison_index = 3, .exposure = {.ratio = 1.0}};
    (void)hypotheses_collect(&f, &list, 1, &scope);
    assert_int_equal(list.count, 6);
    const struct gate_hypothesis *a = hypotheses_of(list.items, list.count, "a"), *b = a + 1;
    assert_int_equal(a->budget, 1);
    assert_int_equal(a->comparison, 3);
    assert_int_equal(a->frame, 1);
    assert_int_equal(a->measure, GATE_CUMULATIVE);
    assert_int_equal(a->severity, GATE_SEVERITY_WARN);
    assert_true(a->limit == &f.rules.budgets[1].limits[0] && a->limit_value == 0.1);
    assert_true(a->set_id == f.comparison.deltas.items[1].set_id[GATE_CUMULATIVE]);
    assert_true(!a->is_cost && !a->is_runtime && b->is_runtime && !a->is_restrained);
    assert_true(b->is_bystander && !a->is_bystander);
    assert_near(a->evidence->share[GATE_CANARY], 0.15, 1e-12);
    assert_true(a->is_tested && a->log_p < -10.0);
    assert_true(a->own == NULL); /* own cost does not apply to a limit on a share */
    gate_rules_free(&f.rules);
}

static void the_milder_severity_counts(void **state) {
    static const struct {
        const char *budget;
        enum gate_severity severity;
    } severities[] = {{"{name: x, select: '^a$', limit: +5pp}", GATE_SEVERITY_ERROR},
                      {"{name: x, severity: warn, select: '^a$', limit: +5pp}", GATE_SEVERITY_WARN},
                      {"{name: x, select: '^a$', limit: {warn: +5pp}}", GATE_SEVERITY_WARN},
                      {"{name: x, severity: warn, select: '^a$', limit: {error: +5pp}}", GATE_SEVERITY_WARN}};
    for (size_t i = 0; i < sizeof severities / sizeof *severities; i++) {
        AT_END(counts_end) struct counts_fixture f;
        begin(&f, 3, 3);
        hypotheses_rules(&f, severities[i].budget);
        hypotheses_judge(&f, 0, 0);
        struct gate_hypothesis_list list = {0};
        struct gate_budget_scope scope = {.exposure = {.ratio = 1.0}};
        (void)hypotheses_collect(&f, &list, 0, &scope);
        assert_int_equal(list.count, 1);
        assert_int_equal(list.items[0].severity, severities[i].severity);
        gate_rules_free(&f.rules);
    }
}

/* A hypothesis gets evidence on own cost only if its growth exceeds the limit. The comparison's work ratio is used. */
static void own_cost_of_what_is_over(void **state) {
    static const struct {
        const char *budget;
        double work;
        bool has_own;
    } own[] = {{"{name: x, select: '^a$', limit: +5pp}", 2, true},
               {"{name: x, select: '^a$', limit: 2x}", 2, true},
               {"{name: x, select: '^a$', limit: +10pp}", 2, false},
               {"{name: x, select: '^b$', limit: +0pp}", 2, false}, /* not over the limit but at it */
               {"{name: x, select: '^a$', limit: 4x}", 2, false},
               {"{name: x, select: '^a$', limit: {share: 5%}}", 2, false},
               {"{name: x, measure: self_cost, select: '^a$', limit: +1%}", 2, false},
               {"{name: x, select: '^b$', limit: -10%}", 2, true},
               {"{name: x, select: '^a$', limit: +5pp}", 0, true}};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
        AT_END(counts_end) struct counts_fixture f;
        begin(&f, 3, 3);
        hypotheses_rules(&f, own[i].budget);
        hypotheses_judge(&f, own[i].work > 0.0 ? 1 : 0, own[i].work);
        struct gate_hypothesis_list list = {0};
        struct gate_budget_scope scope = {.exposure = {.ratio = 2.0}};
        (void)hypotheses_collect(&f, &list, 0, &scope);
        const struct gate_hypothesis *h = &list.items[0];
        if ((h->own != NULL) != own[i].has_own)
            fail_msg("%s: own cost is %s", own[i].budget, own[i].has_own ? "missing" : "there");
        if (own[i].has_own && own[i].work > 0.0) /* twice the work, so half the cost */
            assert_near(h->own->share[GATE_CANARY], h->evidence->share[GATE_CANARY] / 2.0, 1e-12);
        gate_rules_free(&f.rules);
    }
}

/* An absolute limit becomes a share of the baseline's cost: per unit of work if the work of both sides is known, else
 * per run. */
static void absolute_limits_become_shares_of_the_baseline(void **state) {
    static const struct {
        double work[2];
        uint32_t runs[2];
        double limit, share;
    } amounts[] = {{{0, 0}, {3, 3}, 500.0 / 10000, 0.15}, /* 500 of the 10,000 per run; 1,500 are 0.15 */
                   {{0, 0}, {2, 3}, 500.0 / 10000, 0.15},
                   {{60, 120}, {3, 3}, 500.0 / 500, 0.075}, /* 500 of the 30,000 / 60 per unit; twice the units */
                   {{60000, 60000}, {3, 3}, 500.0 / 0.5, 0.15},
                   {{0.5, 0.5}, {3, 3}, 500.0 / 60000, 0.15},
                   {{60, 0}, {3, 3}, 500.0 / 10000, 0.15},
                   {{0, 60}, {3, 3}, 500.0 / 10000, 0.15}};
    for (size_t i = 0; i < sizeof amounts / sizeof *amounts; i++) {
        AT_END(counts_end) struct counts_fixture f;
        begin(&f, amounts[i].runs[0], amounts[i].runs[1]);
        hypotheses_rules(&f, "{name: x, select: '^a$', limit: {absolute: 500count}}");
        hypotheses_judge(&f, amounts[i].work[0], amounts[i].work[1]);
        struct gate_hypothesis_list list = {0};
        struct gate_budget_scope scope = {.work = {amounts[i].work[0], amounts[i].work[1]}, .exposure = {.ratio = 7.0}};
        (void)hypotheses_collect(&f, &list, 0, &scope);
        const struct gate_hypothesis *h = &list.items[0];
        assert_near(h->limit_value, amounts[i].limit, 1e-12);
        assert_near(h->evidence->share[GATE_CANARY], amounts[i].share, 1e-12);
        assert_true(h->is_cost && h->evidence->dilution > 1.0);
        gate_rules_free(&f.rules);
    }
}

/* A ratio limit tests frames from 0.5% of the canary on: 50 of 10,000 events, but not 49. */
static void ratio_limits_apply_from_a_minimum_share_on(void **state) {
    for (int64_t canary = 49; canary <= 50; canary++) {
        AT_END(counts_end) struct counts_fixture f;
        begin(&f, 3, 3);
        counts_set_all(&f, 5, 30, canary);
        hypotheses_rules(&f, "{name: x, limit: 2x}");
        hypotheses_judge(&f, 0, 0);
        struct gate_hypothesis_list list = {0};
        struct gate_budget_scope scope = {.exposure = {.ratio = 1.0}};
        (void)hypotheses_collect(&f, &list, 0, &scope);
        assert_int_equal(hypotheses_of(list.items, list.count, "e") != NULL, canary == 50);
        gate_rules_free(&f.rules);
    }
}

static void an_absolute_limit_needs_a_unit_that_converts(void **state) {
    AT_END(counts_end) struct counts_fixture f;
    begin(&f, 1, 1);
    hypotheses_rules(&f, "{name: x, select: '^a$', limit: {absolute: 5MB}}");
    hypotheses_judge(&f, 0, 0);
    struct gate_hypothesis_list list = {0};
    uint32_t matched = 0;
    struct gate_budget_scope scope = {
        .rules = &f.rules, .comparison = &f.comparison, .exposure = {.ratio = 1.0}, .now = {.margin = 0.05}};
    assert_false(gate_hypotheses_collect(&list, &matched, &scope, &f.arena, &f.err));
    assert_int_equal(f.err.code, GATE_ERR_CONFIG);
    assert_int_equal(f.err.line, 2);
    gate_rules_free(&f.rules);
}

/* Costs are divided by the exposure ratio of the scope. */
static void costs_use_the_exposure_of_the_scope(void **state) {
    AT_END(counts_end) struct counts_fixture f;
    begin(&f, 3, 3);
    hypotheses_rules(
        &f, "{name: x, measure: self_cost, select: '^a$', limit: +1%}, {name: t, measure: total_cost, limit: +1%}");
    hypotheses_judge(&f, 1, 4);
    struct gate_hypothesis_list list = {0};
    struct gate_budget_scope scope = {.work = {1, 4}, .exposure = {.ratio = 4.0}};
    (void)hypotheses_collect(&f, &list, 0, &scope);
    (void)hypotheses_collect(&f, &list, 1, &scope);
    assert_near(list.items[0].evidence->share[GATE_CANARY], 0.15 / 4, 1e-12);
    assert_near(list.items[1].evidence->share[GATE_CANARY], 0.25, 1e-12);
    assert_true(list.items[0].is_cost && list.items[1].is_cost);
    assert_true(gate_str_equal(list.items[1].name, GATE_STR("total")) && list.items[1].set_id == 0);
    gate_rules_free(&f.rules);
}

/* ---- wide hypotheses, bystanders and restrained ones ------------------------------------------------------------- */

struct class {
    const char *name, *budget;
    uint32_t runs[GATE_SIDES];
    bool has_noise, is_runtime, is_own, is_delay, has_no_own;
    bool is_wide, is_bystander, is_restrained;
};

#define SELF "{name: x, limit: +5pp}"
#define CUMULATIVE "{name: x, measure: cumulative, limit: +5pp}"
#define CHARGED "{name: x, measure: charged, limit: +5pp}"
#define NAMED "{name: x, select: '^[ab]$', limit: +5pp}"

static const struct class classes[] = {
    {"self", SELF, {1, 1}, .has_noise = false},
    {"self, of one's own", SELF, {1, 1}, .is_own = true},
    {"cumulative", CUMULATIVE, {1, 1}, .is_wide = true},
    {"cumulative, of one's own", CUMULATIVE, {1, 1}, .is_own = true, .is_wide = true},
    {"charged to a library", CHARGED, {1, 1}, .is_wide = true, .is_bystander = true},
    {"charged to one's own", CHARGED, {1, 1}, .is_own = true},
    {"the runtime", SELF, {1, 1}, .is_runtime = true, .is_wide = true, .is_bystander = true},
    {"the runtime, replicated", SELF, {3, 3}, .is_runtime = true, .is_wide = true, .is_bystander = true},
    {"the runtime, alone", SELF, {1, 1}, .is_runtime = true, .has_no_own = true, .is_wide = true},
    {"charged to a library, alone", CHARGED, {1, 1}, .has_no_own = true, .is_wide = true},
    {"the runtime, named", NAMED, {1, 1}, .is_runtime = true, .is_wide = true},
    {"an amount", "{name: x, limit: {absolute: 500count}}", {1, 1}, .is_wide = true},
    {"an amount, replicated", "{name: x, limit: {absolute: 500count}}", {3, 3}, .has_noise = false},
    {"cost", "{name: x, measure: self_cost, limit: +5%}", {1, 1}, .is_wide = true},
    {"cost with a noise model",
     "{name: x, measure: self_cost, limit: +5%}",
     {1, 1},
     .has_noise = true,
     .is_wide = true},
    {"cost, replicated", "{name: x, measure: self_cost, limit: +5%}", {3, 3}, .has_noise = false},
    {"delays of one pair", SELF, {1, 1}, .is_delay = true, .is_restrained = true},
    {"delays of one pair, with a noise model",
     SELF,
     {1, 1},
     .is_delay = true,
     .has_noise = true,
     .is_restrained = true},
    {"delays, two baselines", SELF, {2, 1}, .is_delay = true, .is_restrained = true},
    {"delays, two canaries", SELF, {1, 2}, .is_delay = true, .is_restrained = true},
    {"delays, two a side", SELF, {2, 2}, .is_delay = true},
};

static void check_class(const struct class *row, int delay_side, uint32_t delay_run) {
    AT_END(counts_end) struct counts_fixture f;
    begin(&f, row->runs[0], row->runs[1]);
    struct gate_noise_frame frame = {.name = GATE_STR("a"), .sigma = {0.001, 0.001}};
    struct gate_noise noise = {.run_count = 10, .frames = &frame, .frame_count = 1, .rho = {0.001, 0.001}};
    assert_true(gate_noise_index(&noise, &f.arena, &f.err));
    f.comparison.noise = row->has_noise ? &noise : NULL;
    f.frames[1].is_runtime = row->is_runtime;
    f.frames[1].is_own = row->is_own;
    f.comparison.pair.has_no_own = row->has_no_own;
    f.comparison.deltas.items[1].set_id[GATE_CUMULATIVE] ^= 1; /* as if it called others and is charged for some */
    f.comparison.deltas.items[1].set_id[GATE_CHARGED] = 7;
    if (row->is_delay)
        f.runs[delay_side][delay_run].counts.kind = GATE_COUNTS_DELAY;
    hypotheses_rules(&f, row->budget);
    hypotheses_judge(&f, 1, 1);
    struct gate_hypothesis_list list = {0};
    struct gate_budget_scope scope = {.work = {1, 1}, .exposure = {.ratio = 1.0}};
    (void)hypotheses_collect(&f, &list, 0, &scope);
    const struct gate_hypothesis *h = hypotheses_of(list.items, list.count, "a");
    assert_int_equal(h->evidence->is_wide, row->is_wide);
    assert_int_equal(h->is_bystander, row->is_bystander);
    assert_int_equal(h->is_restrained, row->is_restrained);
    gate_rules_free(&f.rules);
}

/* A single run of delays, on either side, is enough to restrain a hypothesis. */
static void is_of_its_class(void **state) {
    const struct class *row = *state;
    check_class(row, GATE_BASELINE, 0);
    check_class(row, GATE_CANARY, row->runs[GATE_CANARY] - 1);
}

static void a_total_is_not_a_bystander_and_is_wide(void **state) {
    AT_END(counts_end) struct counts_fixture f;
    begin(&f, 1, 1);
    hypotheses_rules(&f, "{name: x, measure: total, limit: +5%}");
    hypotheses_judge(&f, 1, 1);
    struct gate_hypothesis_list list = {0};
    struct gate_budget_scope scope = {.work = {1, 1}, .exposure = {.ratio = 1.0}};
    (void)hypotheses_collect(&f, &list, 0, &scope);
    assert_true(list.items[0].evidence->is_wide && !list.items[0].is_bystander && !list.items[0].is_runtime);
    gate_rules_free(&f.rules);
}

enum { ROWS = sizeof rows / sizeof *rows, CLASSES = sizeof classes / sizeof *classes };

int main(void) {
    static struct CMUnitTest tests[ROWS + CLASSES + 8] = {
        cmocka_unit_test(hypotheses_have_their_budget_and_comparison),
        cmocka_unit_test(the_milder_severity_counts),
        cmocka_unit_test(own_cost_of_what_is_over),
        cmocka_unit_test(absolute_limits_become_shares_of_the_baseline),
        cmocka_unit_test(ratio_limits_apply_from_a_minimum_share_on),
        cmocka_unit_test(an_absolute_limit_needs_a_unit_that_converts),
        cmocka_unit_test(costs_use_the_exposure_of_the_scope),
        cmocka_unit_test(a_total_is_not_a_bystander_and_is_wide),
    };
    size_t at = 8;
    for (size_t i = 0; i < ROWS; i++) {
        union {
            const struct row *row;
            void *state;
        } row = {&rows[i]}; /* cmocka's state is not const */
        tests[at++] = (struct CMUnitTest){rows[i].name, asks, NULL, NULL, row.state};
    }
    for (size_t i = 0; i < CLASSES; i++) {
        union {
            const struct class *row;
            void *state;
        } row = {&classes[i]};
        tests[at++] = (struct CMUnitTest){classes[i].name, is_of_its_class, NULL, NULL, row.state};
    }
    return _cmocka_run_group_tests("hypotheses", tests, at, NULL, NULL);
}
