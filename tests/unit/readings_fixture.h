/* SPDX-License-Identifier: Apache-2.0 */
/* For tests of budget/readings.h in whole verdicts: judges stacks of two sides, given as text. */
#ifndef GATE_TESTS_READINGS_FIXTURE_H
#define GATE_TESTS_READINGS_FIXTURE_H

#include "tests/unit/pair_fixture.h"

#include "gate/budget/verdict.h"
#include "gate/compare/misplaced.h"
#include "gate/compare/upgrades.h"
#include "gate/rules/rules_parse.h"

#define FAIL GATE_OUTCOME_FAIL
#define WARN GATE_OUTCOME_WARN
#define OPEN GATE_OUTCOME_INCONCLUSIVE
#define PASS GATE_OUTCOME_PASS
#define OVER GATE_REASON_OVER
#define MOMENT GATE_REASON_ONE_MOMENT
#define GO GATE_LANGUAGE_GO
#define NODE GATE_LANGUAGE_NODE
#define JVM GATE_LANGUAGE_JVM
#define PYTHON GATE_LANGUAGE_PYTHON

/* Growth of stacks in one verdict. */
struct stacks_case {
    const char *measure, *limit, *function;
    int runs;
    enum gate_language language;
    enum gate_outcome outcome;
    enum gate_reason reason;
    const char *text[GATE_SIDES];
};

/* How the profiles of a case were taken. */
struct taken {
    int more[GATE_SIDES];    /* additional runs of each side */
    enum gate_format format; /* format that is set in each profile after reading */
    enum gate_equal equal;   /* value of `equal` that the user gave */
    const char *type;        /* sample type of all profiles; NULL: that of the format */
    double work[GATE_SIDES]; /* work of each side; 0: unknown */
    int64_t duration_ns;     /* duration of each run */
    bool at_once;            /* all runs began at the same time */
    bool in_turn;            /* the runs of both sides began one second after another */
    int stretched;           /* factor on the canary's durations; 0: 1 */
    const char *interpreted; /* function of which the JVM interpreted a part; NULL: none */
    int64_t part[GATE_SIDES];
    const char *misplaces;  /* compiled method in which the JVM misplaces what is charged to the functions before
                             * "shop.e"; NULL: none */
    int64_t misplaced_most; /* the most samples of each function that are misplaced; 0: all */
    const char *by_run[GATE_SIDES][3]; /* stacks of each run; NULL: those of the row */
    bool has_next_look;                /* the runs are the first half of those planned */
    const char *beside;                /* limit of another budget on the same measure; NULL: none */
    const char *source;                /* of the rules; NULL: a file of the user */
    const char *library;               /* prefix of names of a library with another version in the canary; NULL: none */
    const char *minified;              /* scripts of two builds; NULL: none */
    const char *nameless;              /* a frame without a function name; NULL: none */
};

/* Set what was interpreted on both sides. */
static inline void interpret(struct pair_fixture *fixture, const struct taken *taken) {
    struct gate_pair *pair = &fixture->pair;
    for (int side = 0; taken->interpreted != NULL && side < GATE_SIDES; side++) {
        pair->interpreted_cost[side] = GATE_NEW_ARRAY(&fixture->arena, int64_t, (size_t)pair->frame_count + 1);
        assert_non_null(pair->interpreted_cost[side]);
        pair->interpreted_cost[side][fixture_frame(fixture, taken->interpreted)] = taken->part[side];
    }
}

/* Set what the JVM may have misplaced on both sides. */
static inline void misplace(struct gate_comparison *comparison, const struct pair_fixture *fixture,
                            struct gate_arena *arena, const char *unit, int64_t most) {
    struct gate_pair *pair = &comparison->pair;
    pair->misplaced = GATE_NEW_ARRAY(arena, struct gate_misplaced_cost, pair->frame_count);
    assert_non_null(pair->misplaced);
    for (uint32_t i = 0; i < pair->frame_count; i++) {
        int64_t cost[GATE_SIDES];
        for (int side = 0; side < GATE_SIDES; side++) {
            int64_t charged = comparison->deltas.items[i].value[GATE_CHARGED][side];
            cost[side] = most != 0 && charged > most ? most : charged;
        }
        if (pair->frames[i].is_own && gate_str_compare(pair->frames[i].name, GATE_STR("shop.e")) < 0)
            pair->misplaced[pair->misplaced_count++] =
                (struct gate_misplaced_cost){i, fixture_frame(fixture, unit), {cost[GATE_BASELINE], cost[GATE_CANARY]}};
    }
}

/* Let a library have another version in the canary. */
static inline void upgrade(struct gate_pair *pair, struct gate_arena *arena, const char *library) {
    pair->upgrades = GATE_NEW_ARRAY(arena, struct gate_upgrade, 1);
    assert_non_null(pair->upgrades);
    pair->upgrades[0] =
        (struct gate_upgrade){{GATE_STR("a.org/x"), GATE_STR("a.org/x")}, {GATE_STR("v1.0.0"), GATE_STR("v1.1.0")}};
    pair->upgrade_count = 1;
    for (uint32_t i = 0; i < pair->frame_count; i++)
        if (gate_str_starts(pair->frames[i].name, gate_str_from(library)))
            pair->frames[i].file = GATE_STR("a.org/x@v1.1.0/x.go");
}

/* Judge stacks whose functions of package shop are own code. Returns whether the budget was judged. */
static inline bool judge_taken(enum gate_outcome *outcome, enum gate_reason *reason, const struct stacks_case *row,
                               const struct taken *taken) {
    const struct gate_pair_options options = {.folds = true};
    static const double half[] = {0.5};
    const struct gate_verdict_options given = {
        .work = {taken->work[GATE_BASELINE], taken->work[GATE_CANARY]},
        .looks = {.fractions = half, .count = taken->has_next_look ? 1 : 0, .planned = taken->has_next_look ? 2 : 0}};
    struct pair_fixture pair;
    struct gate_rules rules;
    struct gate_verdict verdict;
    fixture_begin(&pair);
    for (int side = 0; side < GATE_SIDES; side++)
        for (int run = 0; run < row->runs + taken->more[side]; run++) {
            bool has_own = run < 3 && taken->by_run[side][run] != NULL;
            fixture_add(&pair, (enum gate_side_name)side, has_own ? taken->by_run[side][run] : row->text[side]);
            pair.profiles[side][run].format = taken->format;
            bool is_stretched = side == GATE_CANARY && taken->stretched != 0;
            pair.profiles[side][run].time_ns =
                taken->in_turn ? (2 * run + side + 1) * 1000000000LL : (int64_t)taken->at_once;
            pair.profiles[side][run].duration_ns = taken->duration_ns * (is_stretched ? taken->stretched : 1);
        }
    fixture_make(&pair, &options);
    if (taken->type != NULL)
        pair.pair.type.type = gate_str_from(taken->type);
    for (int side = 0; side < GATE_SIDES; side++)
        for (uint32_t run = 0; taken->type != NULL && run < pair.pair.sides[side].run_count; run++)
            if (strcmp(taken->type, "delay") == 0)
                pair.pair.sides[side].runs[run].counts.kind = GATE_COUNTS_DELAY;
    pair.pair.language = row->language;
    pair.pair.minified = taken->minified != NULL ? gate_str_from(taken->minified) : GATE_STR("");
    interpret(&pair, taken);
    for (uint32_t i = 0; i < pair.pair.frame_count; i++)
        pair.pair.frames[i].is_own =
            i == pair.pair.one_sided || gate_str_starts(pair.pair.frames[i].name, GATE_STR("shop."));
    if (taken->nameless != NULL)
        pair.pair.frames[fixture_frame(&pair, taken->nameless)].is_symbolised = false;
    struct gate_comparison comparison = {.name = GATE_STR("cpu"), .pair = pair.pair};
    struct gate_str other = taken->beside != NULL ? gate_str_format(&pair.arena, "{name: a, measure: %s, limit: %s}, ",
                                                                    row->measure, taken->beside)
                                                  : GATE_STR("");
    struct gate_str text =
        gate_str_format(&pair.arena, "version: 1\nbudgets: [%.*s{name: b, measure: %s, limit: %s}]\n",
                        GATE_STR_ARG(other), row->measure, row->limit);
    if (!gate_delta_fold(&comparison.deltas, &comparison.pair, NULL, &pair.arena, &pair.err) ||
        !gate_rules_parse(&rules, text, gate_str_from(taken->source != NULL ? taken->source : "rules.yml"), NULL,
                          &pair.arena, &pair.err))
        fail_msg("%s", pair.err.message);
    if (taken->misplaces != NULL)
        misplace(&comparison, &pair, &pair.arena, taken->misplaces, taken->misplaced_most);
    if (taken->library != NULL)
        upgrade(&comparison.pair, &pair.arena, taken->library);
    rules.equal = taken->equal;
    if (!gate_verdict_reach(&verdict, &rules, &comparison, 1, &given, &pair.arena, &pair.err))
        fail_msg("%s", pair.err.message);
    bool is_judged = verdict.budget_count > 0;
    *outcome = PASS;
    *reason = GATE_REASON_WITHIN;
    for (size_t i = 0; i < verdict.hypothesis_count; i++) {
        const struct gate_hypothesis *h = &verdict.hypotheses[i];
        if (!gate_str_equal(h->name, gate_str_from(row->function)))
            continue;
        *outcome = h->outcome;
        *reason = h->reason;
    }
    gate_rules_free(&rules);
    fixture_end(&pair);
    return is_judged;
}

static inline bool judge_stacks(enum gate_outcome *outcome, enum gate_reason *reason, const struct stacks_case *row) {
    const struct taken taken = {.format = GATE_FORMAT_COLLAPSED};
    return judge_taken(outcome, reason, row, &taken);
}

static inline void assert_taken(const struct stacks_case *row, const struct taken *taken, size_t i) {
    enum gate_outcome outcome;
    enum gate_reason reason;
    if (!judge_taken(&outcome, &reason, row, taken) || outcome != row->outcome || reason != row->reason)
        fail_msg("row %zu: outcome %d, reason %s", i, (int)outcome, gate_reason_name(reason));
}

static inline void assert_cases(const struct stacks_case *rows, size_t count) {
    const struct taken taken = {.format = GATE_FORMAT_COLLAPSED};
    for (size_t i = 0; i < count; i++)
        assert_taken(&rows[i], &taken, i);
}

/* A row of a table whose rows differ in what is known of the profiles, three runs per side. */
struct taken_row {
    const char *baseline, *canary, *measure, *limit, *function, *type;
    double work; /* work of the canary; the baseline's is 1 */
    int64_t duration_ns;
    enum gate_equal equal;
    enum gate_outcome outcome;
    enum gate_reason reason;
};

static inline void assert_taken_row(const struct taken_row *row, bool at_once, size_t i) {
    const struct stacks_case stacks = {row->measure, row->limit,   row->function, 3,
                                       GO,           row->outcome, row->reason,   .text = {row->baseline, row->canary}};
    bool has_work = row->equal == GATE_EQUAL_WORK;
    const struct taken taken = {.format = GATE_FORMAT_PPROF,
                                .equal = row->equal,
                                .type = row->type,
                                .work = {has_work ? 1.0 : 0.0, has_work ? row->work : 0.0},
                                .duration_ns = row->duration_ns,
                                .at_once = at_once};
    assert_taken(&stacks, &taken, i);
}

static inline void assert_taken_rows(const struct taken_row *rows, size_t count) {
    for (size_t i = 0; i < count; i++)
        assert_taken_row(&rows[i], false, i);
}

#endif
