/* SPDX-License-Identifier: Apache-2.0 */
/* budget/cause.h in whole verdicts: one growth is one cause, however many frames and budgets show it. */
#include "tests/unit/pair_fixture.h"

#include "gate/budget/verdict.h"
#include "gate/report/cause_sentence.h"
#include "gate/rules/rules_parse.h"

#include <math.h>

struct causes {
    struct pair_fixture pair;
    struct gate_comparison comparison;
    struct gate_rules rules;
    struct gate_verdict verdict;
};

#define REST                                                                                                           \
    "main.main;shop.a 2000\nmain.main;shop.b 2000\nmain.main;shop.c 2000\nmain.main;shop.d 2000\nmain.main;shop.e "    \
    "2000\n"

static const char *const everywhere = "{name: self, limit: +5pp}, {name: paths, measure: cumulative, limit: +5pp},"
                                      "{name: charged, measure: charged, limit: +5pp}";

/* Reach a verdict with three runs per side. Frames that begin with "shop." or hold "::" or "/" are own code, those
 * that begin with "kit." that of a third party which counts as own, with "c." functions of the C library. */
static void reach_with(struct causes *c, const struct gate_pair_options *options, enum gate_language language,
                       const char *baseline, const char *canary, const char *budgets) {
    const struct gate_verdict_options none = {0};
    *c = (struct causes){0};
    fixture_begin(&c->pair);
    struct gate_arena *arena = &c->pair.arena;
    for (int run = 0; run < 3; run++) {
        fixture_add(&c->pair, GATE_BASELINE, gate_str_format(arena, REST "%s", baseline).ptr);
        fixture_add(&c->pair, GATE_CANARY, gate_str_format(arena, REST "%s", canary).ptr);
    }
    fixture_make(&c->pair, options);
    for (uint32_t i = 0; i < c->pair.pair.frame_count; i++) {
        struct gate_frame *frame = &c->pair.pair.frames[i];
        bool is_third_party = gate_str_starts(frame->name, GATE_STR("kit."));
        bool is_scoped = gate_str_find(frame->name, GATE_STR("::"), 0) != SIZE_MAX ||
                         gate_str_find(frame->name, GATE_STR("/"), 0) != SIZE_MAX;
        frame->is_own = is_third_party || is_scoped || gate_str_starts(frame->name, GATE_STR("shop."));
        frame->code = is_third_party ? GATE_CODE_THIRD_PARTY : frame->is_own ? GATE_CODE_OWN : GATE_CODE_LIBRARY;
        if (gate_str_starts(frame->name, GATE_STR("c.")))
            frame->mapping = GATE_STR("/usr/lib/libc.so.6");
    }
    c->pair.pair.language = language;
    c->comparison = (struct gate_comparison){.name = GATE_STR("cpu"), .pair = c->pair.pair};
    struct gate_str text = gate_str_format(arena, "version: 1\nbudgets: [%s]\n", budgets);
    if (!gate_delta_fold(&c->comparison.deltas, &c->comparison.pair, NULL, arena, &c->pair.err) ||
        !gate_rules_parse(&c->rules, text, GATE_STR("rules.yml"), NULL, arena, &c->pair.err) ||
        !gate_verdict_reach(&c->verdict, &c->rules, &c->comparison, 1, &none, arena, &c->pair.err))
        fail_msg("%s", c->pair.err.message);
}

static void reach_in(struct causes *c, enum gate_language language, const char *baseline, const char *canary,
                     const char *budgets) {
    reach_with(c, &(struct gate_pair_options){0}, language, baseline, canary, budgets);
}

static void reach(struct causes *c, const char *baseline, const char *canary, const char *budgets) {
    reach_in(c, GATE_LANGUAGE_UNKNOWN, baseline, canary, budgets);
}

static void end(struct causes *c) {
    gate_rules_free(&c->rules);
    fixture_end(&c->pair);
}

static void assert_cause(const struct causes *c, uint32_t at, const char *function, enum gate_outcome outcome) {
    assert_true(at < c->verdict.causes.count);
    const struct gate_cause *cause = &c->verdict.causes.items[at];
    if (!gate_str_equal(cause->function, gate_str_from(function)))
        fail_msg("found cause '%.*s', expected '%s'", GATE_STR_ARG(cause->function), function);
    assert_int_equal(cause->outcome, outcome);
}

/* Only a function without samples in the baseline is new. A caller of it also has own cost now. */
TEST(a_function_that_ran_before_is_not_called_new) {
    static const struct {
        const char *baseline, *text, *advice;
    } rows[] = {
        {"main.main;shop.page;shop.row 4000\n", "no cost of its own in the baseline",
         "look at what this function does"},
        {"main.main;shop.row 4000\n", "no sample of it in the baseline", "look at why it runs now"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        AT_END(end) struct causes c;
        AT_END(gate_buf_free) struct gate_buf text = {0};
        reach(&c, rows[i].baseline, "main.main;shop.page;shop.row 4000\nmain.main;shop.page 4000\n",
              "{name: charged, measure: charged, limit: +5pp}");
        assert_cause(&c, 0, "shop.page", GATE_OUTCOME_FAIL);
        const struct gate_cause *cause = &c.verdict.causes.items[0];
        gate_cause_sentence_cost(&text, &c.verdict, cause);
        if (gate_str_find(gate_buf_view(&text), gate_str_from(rows[i].text), 0) == SIZE_MAX ||
            !gate_str_starts(cause->findings[0].finding->advice, gate_str_from(rows[i].advice)))
            fail_msg("%.*s; %.*s", GATE_STR_ARG(gate_buf_view(&text)),
                     GATE_STR_ARG(cause->findings[0].finding->advice));
    }
}

/* If a third-party function grew, the cause names its own caller that grew most. */
TEST(a_cause_in_third_party_code_names_its_own_caller) {
    static const struct {
        enum gate_language language;
        const char *callers, *function, *told; /* empty: nothing */
    } rows[] = {
        {GATE_LANGUAGE_GO, "main.main;shop.serve;shop.page;kit.get;kit.unpack", "kit.unpack",
         "; called for shop.page (cumulative "},
        /* Only shop.home calls shop.page; it grew by a little more than shop.page. */
        {GATE_LANGUAGE_GO, "main.main;shop.cart;shop.page 25\nmain.main;shop.home;shop.page;kit.get;kit.unpack",
         "kit.unpack", "; called for shop.page (cumulative "},
        {GATE_LANGUAGE_GO, "main.main;shop.serve;shop.page;kit.get;shop.unpack", "shop.unpack", ""},
        {GATE_LANGUAGE_GO, "main.main;kit.get;kit.unpack", "kit.unpack", ""},
        {GATE_LANGUAGE_RUST, "own::main;own::serve;<own::Page as Show>::show;regex::get;regex::unpack", "regex::unpack",
         "; called for <own::Page as Show>::show (cumulative "},
        {GATE_LANGUAGE_RUST, "own::main;own::serve;own::page;regex::get;own::unpack", "own::unpack", ""},
        {GATE_LANGUAGE_RUST, "own::serve;own::page;regex::get;regex::unpack", "regex::unpack", ""}, /* no main */
        {GATE_LANGUAGE_JVM, "org/own/app/Main.main;org/own/kit/Page.show;org/json/Json.get;org/json/Json.put",
         "org/json/Json.put", "; called for org/own/kit/Page.show (cumulative "},
        {GATE_LANGUAGE_JVM, "org/own/app/Main.main;org/own/kit/Page.show;org/json/Json.get;org/own/Page.put",
         "org/own/Page.put", ""},
        /* A launcher has a main, too, so the program's own package is not known. */
        {GATE_LANGUAGE_JVM, "org/boot/run/Start.main;org/own/app/Main.main;org/json/Json.get;org/json/Json.put",
         "org/json/Json.put", ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        AT_END(end) struct causes c;
        AT_END(gate_buf_free) struct gate_buf text = {0};
        AT_END(gate_arena_free) struct gate_arena texts = {0};
        reach_in(&c, rows[i].language,
                 gate_str_format(&texts, "main.main;shop.serve;shop.list 3000\n%s 300\n", rows[i].callers).ptr,
                 gate_str_format(&texts, "main.main;shop.serve;shop.list 3000\n%s 4000\n", rows[i].callers).ptr,
                 everywhere);
        assert_cause(&c, 0, rows[i].function, GATE_OUTCOME_FAIL);
        gate_cause_sentence_cost(&text, &c.verdict, &c.verdict.causes.items[0]);
        bool is_told = gate_str_find(gate_buf_view(&text), GATE_STR("called for"), 0) != SIZE_MAX;
        if (is_told != (rows[i].told[0] != '\0') ||
            gate_str_find(gate_buf_view(&text), gate_str_from(rows[i].told), 0) == SIZE_MAX)
            fail_msg("row %zu: %.*s", i, GATE_STR_ARG(gate_buf_view(&text)));
    }
}

/* A leaf function of the C library skips its caller in stacks by frame pointers. */
TEST(growth_below_the_c_library_may_lack_its_caller) {
    static const struct {
        enum gate_language language;
        const char *stack, *library; /* NULL: none */
    } rows[] = {
        {GATE_LANGUAGE_NATIVE, "main.main;shop.f;c.memcmp", "c.memcmp"},
        {GATE_LANGUAGE_RUST, "main.main;shop.f;c.memcmp", "c.memcmp"},
        {GATE_LANGUAGE_GO, "main.main;shop.f;c.memcmp", NULL},
        {GATE_LANGUAGE_NATIVE, "main.main;shop.f", NULL},
        {GATE_LANGUAGE_NATIVE, "main.main;shop.f;json.copy;c.memcmp", NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        AT_END(end) struct causes c;
        AT_END(gate_arena_free) struct gate_arena texts = {0};
        reach_in(&c, rows[i].language, gate_str_format(&texts, "%s 300\n", rows[i].stack).ptr,
                 gate_str_format(&texts, "%s 4000\n", rows[i].stack).ptr, everywhere);
        assert_cause(&c, 0, "shop.f", GATE_OUTCOME_FAIL);
        uint32_t expected = rows[i].library == NULL ? GATE_NO_INDEX : fixture_frame(&c.pair, rows[i].library);
        if (c.verdict.causes.items[0].library != expected)
            fail_msg("row %zu: library %u", i, (unsigned)c.verdict.causes.items[0].library);
    }
}

/* Of the functions that shop.f calls, only one whose self cost grew may have called the C library. */
TEST(the_callee_that_grew_is_named_where_a_caller_may_be_missing) {
    static const struct {
        const char *baseline, *canary, *callee; /* NULL: none */
    } rows[] = {
        {"main.main;shop.f;shop.find 300\nmain.main;shop.f;shop.row 300\n",
         "main.main;shop.f;shop.find 900\nmain.main;shop.f;shop.row 300\n", "shop.find"},
        {"main.main;shop.f;shop.find 300\nmain.main;shop.f;shop.row 300\n",
         "main.main;shop.f;shop.find 900\nmain.main;shop.f;shop.row 900\n", NULL},
        {"main.main;shop.f;shop.find;c.malloc 300\n", "main.main;shop.f;shop.find;c.malloc 900\n", NULL},
        {"main.main;shop.f;json.row 300\n", "main.main;shop.f;json.row 900\n", NULL},
        {"main.main;shop.f;json.row;shop.find 300\n", "main.main;shop.f;json.row;shop.find 900\n", NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        AT_END(end) struct causes c;
        AT_END(gate_arena_free) struct gate_arena texts = {0};
        reach_in(&c, GATE_LANGUAGE_NATIVE,
                 gate_str_format(&texts, "main.main;shop.f;c.memcmp 300\n%s", rows[i].baseline).ptr,
                 gate_str_format(&texts, "main.main;shop.f;c.memcmp 4000\n%s", rows[i].canary).ptr,
                 "{name: charged, measure: charged, limit: +5pp}");
        assert_cause(&c, 0, "shop.f", GATE_OUTCOME_FAIL);
        uint32_t expected = rows[i].callee == NULL ? GATE_NO_INDEX : fixture_frame(&c.pair, rows[i].callee);
        if (c.verdict.causes.items[0].callee != expected)
            fail_msg("row %zu: callee %u", i, (unsigned)c.verdict.causes.items[0].callee);
        AT_END(gate_buf_free) struct gate_buf text = {0};
        gate_cause_sentence_cost(&text, &c.verdict, &c.verdict.causes.items[0]);
        const char *advice = rows[i].callee == NULL
                                 ? "ends in libc.so.6, whose caller may be missing from stacks by frame pointers "
                                   "(docs/symbols.md): look at what the function calls, too"
                                 : "look at shop.find first, the only callee whose self cost grew";
        assert_int_not_equal(gate_str_find(gate_buf_view(&text), gate_str_from(advice), 0), SIZE_MAX);
    }
}

/* The cost that a callee lost may be that of its C library calls, which are now charged to its caller. A better
 * recording would decide. */
TEST(cost_that_moved_to_the_c_library_asks_for_callers) {
    static const struct {
        enum gate_language language;
        const char *advice;
    } rows[] = {{GATE_LANGUAGE_NATIVE, "record both sides by perf with --call-graph dwarf"},
                {GATE_LANGUAGE_GO, "check that the work was moved on purpose"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        AT_END(end) struct causes c;
        reach_in(&c, rows[i].language,
                 "main.main;shop.f;c.memcmp 300\nmain.main;shop.f;shop.find 4000\nmain.main;shop.f;shop.row 500\n",
                 "main.main;shop.f;c.memcmp 4000\nmain.main;shop.f;shop.find 600\nmain.main;shop.f;shop.row 500\n",
                 "{name: charged, measure: charged, limit: +5pp}");
        assert_cause(&c, 0, "shop.f", GATE_OUTCOME_WARN);
        const struct gate_finding *finding = c.verdict.causes.items[0].findings[0].finding;
        assert_int_equal(finding->reason, GATE_REASON_SHIFT);
        assert_true(gate_str_starts(finding->advice, gate_str_from(rows[i].advice)));
    }
}

/* A compiler decides whether shop.put is on the stack of the last call that it makes. Then shop.put is charged with the
 * library function that was charged to shop.main. */
TEST(calls_of_the_c_library_may_have_another_caller) {
#define CODE "shop.main;shop.serve;shop.row 30000\nshop.main;shop.serve;shop.list 10000\n"
    static const char before[] = CODE "shop.main;shop.serve;shop.put 40\nshop.main;c.memcmp 4000\n";
    static const struct {
        enum gate_language language;
        const char *baseline, *canary;
        bool is_excused;
    } rows[] = {
        {GATE_LANGUAGE_NATIVE, before, CODE "shop.main;shop.serve;shop.put;c.memcmp 4040\n", true},
        {GATE_LANGUAGE_RUST, before, CODE "shop.main;shop.serve;shop.put;c.memcmp 4040\n", true},
        {GATE_LANGUAGE_GO, before, CODE "shop.main;shop.serve;shop.put;c.memcmp 4040\n", false},
        /* a part of it, and the rest is within the limit or not */
        {GATE_LANGUAGE_NATIVE, before, CODE "shop.main;shop.serve;shop.put;c.memcmp 4400\n", true},
        {GATE_LANGUAGE_NATIVE, before, CODE "shop.main;shop.serve;shop.put;c.memcmp 9000\n", false},
        /* the caller still has it: its share shrinks only because shop.put grew */
        {GATE_LANGUAGE_NATIVE, CODE "shop.main;shop.serve;shop.put 40\nshop.main;c.memcmp 40000\n",
         CODE "shop.main;shop.serve;shop.put;c.memcmp 9000\nshop.main;c.memcmp 40000\n", false},
        /* another function of the library */
        {GATE_LANGUAGE_NATIVE, before, CODE "shop.main;shop.serve;shop.put;c.malloc 4040\n", false},
        /* a function of other stacks */
        {GATE_LANGUAGE_NATIVE, CODE "shop.main;shop.serve;shop.put 40\nshop.worker;c.memcmp 4000\nshop.worker 3000\n",
         CODE "shop.main;shop.serve;shop.put;c.memcmp 4040\nshop.worker 3000\n", false},
        /* the function itself grew */
        {GATE_LANGUAGE_NATIVE, before, CODE "shop.main;shop.serve;shop.put 4040\n", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        AT_END(end) struct causes c;
        reach_in(&c, rows[i].language, rows[i].baseline, rows[i].canary,
                 "{name: charged, measure: charged, limit: +5pp}");
        if (c.verdict.causes.count == 0)
            fail_msg("row %zu: no cause", i);
        const struct gate_finding *finding = c.verdict.causes.items[0].findings[0].finding;
        if ((finding->outcome == GATE_OUTCOME_WARN) != rows[i].is_excused)
            fail_msg("row %zu: outcome %d", i, (int)finding->outcome);
        assert_cause(&c, 0, "shop.put", finding->outcome);
        if (finding->outcome == GATE_OUTCOME_WARN)
            assert_true(
                gate_str_starts(finding->advice, GATE_STR("record both sides by perf with --call-graph dwarf")));
    }
}

TEST(growth_within_the_limit_has_no_cause) {
    AT_END(end) struct causes c;
    reach(&c, "main.main;shop.f 2000\n", "main.main;shop.f 2000\n", everywhere);
    assert_int_equal(c.verdict.causes.count, 0);
}

/* A function and one within it grew: one cause. A function that only begins with the same name is another one. */
TEST(a_closure_shares_the_cause_of_its_function) {
    static const struct {
        const char *outer, *inner;
        uint32_t causes;
    } rows[] = {
        {"shop.find", "shop.find.func*", 1},
        {"shop.find", "shop.find.(anonymous)", 1},
        {"shop.find (a.py)", "shop.find.<locals>.<listcomp> (a.py)", 1},
        {"shop.find (a.py)", "shop.find.<locals>.<listcomp> (b.py)", 2},
        {"shop.find", "shop.find::{{closure}}", 1},
        {"shop.find", "shop.findAll", 2},
        {"shop.find", "shop.find.all", 2},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        AT_END(end) struct causes c;
        AT_END(gate_arena_free) struct gate_arena names = {0};
        struct gate_str canary =
            gate_str_format(&names, "main.main;%s 3000\nmain.main;%s 2500\n", rows[i].outer, rows[i].inner);
        struct gate_str baseline =
            gate_str_format(&names, "main.main;%s 300\nmain.main;%s 250\n", rows[i].outer, rows[i].inner);
        reach(&c, baseline.ptr, canary.ptr, everywhere);
        if (c.verdict.causes.count != rows[i].causes)
            fail_msg("row %zu: %u causes", i, (unsigned)c.verdict.causes.count);
        assert_cause(&c, 0, rows[i].outer, GATE_OUTCOME_FAIL);
    }
}

/* A library grew, and its callers' cumulative costs with it. The only cause is the own-code frame that called it. */
TEST(one_growth_is_one_cause) {
    AT_END(end) struct causes c;
    reach(&c, "main.main;shop.serve;shop.encode;json.Marshal;json.write 1000\n",
          "main.main;shop.serve;shop.encode;json.Marshal;json.write 9000\n", everywhere);
    assert_int_equal(c.verdict.causes.count, 1);
    assert_cause(&c, 0, "shop.encode", GATE_OUTCOME_FAIL);
    const struct gate_cause *cause = &c.verdict.causes.items[0];
    assert_true(cause->is_own && cause->finding_count >= 5);
    assert_true(cause->explains > 0.99 && cause->explains <= 1.0);
    assert_true(fabs(cause->cost_ratio - 9.0) < 1e-9);
    assert_int_equal(cause->evidence.value[GATE_CANARY], 27000);
    static const char *const path[] = {"shop.serve", "shop.encode", "json.Marshal", "json.write"};
    assert_int_equal(cause->path_count, 4);
    for (uint32_t i = 0; i < cause->path_count; i++)
        assert_int_equal(cause->path[i], fixture_frame(&c.pair, path[i]));
    for (uint32_t i = 1; i < cause->finding_count; i++)
        assert_true(cause->findings[i - 1].finding->outcome >= cause->findings[i].finding->outcome);
}

/* Three functions call a new function, and each grew by less than half of the growth of their common path. */
TEST(a_new_function_on_a_path_is_its_cause) {
#define PATH "main.main;shop.route;shop.serve;shop.page"
    static const char before[] = PATH ";shop.x 500\n" PATH ";shop.y 500\n" PATH ";shop.z 500\n";
    static const char new_callee[] =
        PATH ";shop.x 500\n" PATH ";shop.y 500\n" PATH ";shop.z 500\n" PATH ";shop.x;shop.copy 500\n" PATH
             ";shop.y;shop.copy;c.memcpy 500\n" PATH ";shop.z;shop.copy 500\n";
    static const char all[] = PATH ";shop.x 1000\n" PATH ";shop.y 1000\n" PATH ";shop.z 1000\n";
    static const char renamed[] =
        PATH ";shop.x;shop.old 400\n" PATH ";shop.y;shop.old 400\n" PATH ";shop.z;shop.old 400\n";
    /* Callbacks of a library: one was renamed to the other. */
    static const char sorted[] =
        PATH ";shop.x;c.sort;shop.old 400\n" PATH ";shop.y;c.sort;shop.old 400\n" PATH ";shop.z;c.sort;shop.old 400\n";
    static const char renamed_callback[] = PATH
        ";shop.x;c.sort;shop.copy 1000\n" PATH ";shop.y;c.sort;shop.copy 1000\n" PATH ";shop.z;c.sort;shop.copy 1000\n";
    static const struct {
        const char *baseline, *canary, *cause;
    } rows[] = {{before, new_callee, "shop.copy"},
                {before, all, "shop.page"},
                {renamed, new_callee, "shop.page"},
                {sorted, renamed_callback, "shop.page"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        AT_END(end) struct causes c;
        reach_with(&c, &(struct gate_pair_options){.folds = true}, GATE_LANGUAGE_UNKNOWN, rows[i].baseline,
                   rows[i].canary, "{name: paths, measure: cumulative, select: '(route|serve|page)', limit: +5pp}");
        /* The callers of shop.page grew with it, so all three findings have one cause. */
        if (c.verdict.causes.count != 1)
            fail_msg("row %zu: %.*s and %.*s", i, GATE_STR_ARG(c.verdict.causes.items[0].function),
                     GATE_STR_ARG(c.verdict.causes.items[1].function));
        assert_true(gate_str_equal(c.verdict.causes.items[0].function, gate_str_from(rows[i].cause)));
        assert_true(c.verdict.causes.items[0].outcome >= GATE_OUTCOME_INCONCLUSIVE);
        assert_int_equal(c.verdict.causes.items[0].finding_count, 3);
    }
#undef PATH
}

/* Half of the growth of shop.serve is its own. */
TEST(a_path_with_half_of_the_growth_is_a_separate_cause) {
    AT_END(end) struct causes c;
    reach(&c, "main.main;shop.serve 300\nmain.main;shop.serve;shop.page 500\n",
          "main.main;shop.serve 1500\nmain.main;shop.serve;shop.page 1700\n",
          "{name: paths, measure: cumulative, limit: +5pp}");
    assert_int_equal(c.verdict.causes.count, 2);
}

TEST(two_growths_are_two_causes_the_larger_first) {
    AT_END(end) struct causes c;
    reach(&c, "main.main;shop.f;lib.x 1000\nmain.main;shop.g;lib.y 1000\n",
          "main.main;shop.f;lib.x 4000\nmain.main;shop.g;lib.y 6000\n",
          "{name: charged, measure: charged, limit: +5pp}");
    assert_int_equal(c.verdict.causes.count, 2);
    assert_cause(&c, 0, "shop.g", GATE_OUTCOME_FAIL);
    assert_cause(&c, 1, "shop.f", GATE_OUTCOME_FAIL);
    assert_true(fabs(c.verdict.causes.items[0].explains - 5.0 / 8.0) < 1e-9);
}

/* A finding on a group joins the largest cause. If there is no other cause, it is its own cause. */
TEST(growth_of_a_total_or_group_is_explained_by_its_functions) {
    struct causes c;
    reach(&c, "main.main;shop.f 1000\n", "main.main;shop.f 9000\n",
          "{name: each, measure: charged, limit: +5pp}, {name: all, as: group, select: '^shop.f$', limit: +5pp}");
    assert_int_equal(c.verdict.causes.count, 1);
    assert_cause(&c, 0, "shop.f", GATE_OUTCOME_FAIL);
    assert_int_equal(c.verdict.causes.items[0].finding_count, 2);
    end(&c);
    reach(&c, "main.main;shop.f 1000\n", "main.main;shop.f 9000\n",
          "{name: all, as: group, select: '^shop.f$', limit: +5pp}");
    assert_int_equal(c.verdict.causes.count, 1);
    assert_cause(&c, 0, "all", GATE_OUTCOME_FAIL);
    assert_int_equal(c.verdict.causes.items[0].frame, GATE_NO_INDEX);
    assert_true(isnan(c.verdict.causes.items[0].explains) && c.verdict.causes.items[0].path_count == 0);
    end(&c);
}

/* A share that is over a limit on its level did not grow, so the cause is the frame itself. */
TEST(a_share_over_its_level_limit_is_its_own_cause) {
    AT_END(end) struct causes c;
    reach(&c, "main.main;shop.f;lib.x 9000\n", "main.main;shop.f;lib.x 9000\n",
          "{name: x, select: '^lib.x$', limit: {share: 10%}}");
    assert_int_equal(c.verdict.causes.count, 1);
    assert_cause(&c, 0, "lib.x", GATE_OUTCOME_FAIL);
    assert_false(c.verdict.causes.items[0].is_own);
}

/* A cause with a worse outcome comes first, even if it grew less. */
TEST(the_worst_cause_is_first) {
    AT_END(end) struct causes c;
    reach(&c, "main.main;shop.f 1000\nmain.main;shop.g 1000\n", "main.main;shop.f 5000\nmain.main;shop.g 6000\n",
          "{name: f, measure: charged, select: '^shop.f$', limit: +5pp},"
          "{name: g, measure: charged, severity: warn, select: '^shop.g$', limit: +5pp}");
    assert_int_equal(c.verdict.causes.count, 2);
    assert_cause(&c, 0, "shop.f", GATE_OUTCOME_FAIL);
    assert_cause(&c, 1, "shop.g", GATE_OUTCOME_WARN);
}

/* With growing arena limits, reaching the verdict fails cleanly until it succeeds with the same number of causes. */
TEST(any_limit_on_memory_is_a_clean_error) {
    AT_END(end) struct causes c;
    const struct gate_verdict_options none = {0};
    reach(&c, "main.main;shop.f 5000\nmain.main;shop.g 500\nmain.main;shop.old 900\n",
          "main.main;shop.f 500\nmain.main;shop.g 5000\nmain.main;shop.new 900\n", everywhere);
    uint32_t causes = c.verdict.causes.count;
    bool done = false;
    size_t refused = 0;
    for (size_t limit = 1; limit < 1000000 && !done; limit += 48) {
        AT_END(gate_arena_free) struct gate_arena arena;
        struct gate_error err = {0};
        struct gate_comparison comparison = {
            .name = GATE_STR("cpu"), .pair = c.comparison.pair, .deltas = c.comparison.deltas};
        gate_arena_init(&arena, limit);
        done = gate_verdict_reach(&c.verdict, &c.rules, &comparison, 1, &none, &arena, &err);
        refused += !done;
        assert_true(done ? err.code == GATE_OK : err.code == GATE_ERR_LIMIT || err.code == GATE_ERR_MEMORY);
        if (done)
            assert_int_equal(c.verdict.causes.count, causes);
    }
    assert_true(done && refused > 50);
}
