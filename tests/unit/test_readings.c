/* SPDX-License-Identifier: Apache-2.0 */
/* budget/readings.h in whole verdicts: another function became cheaper, paths, inlining, libraries, and threads. */
#include "tests/unit/readings_fixture.h"

/* The functions of a row's columns. "lib.wait" is a library's and is charged to main.main. */
static const char *const functions[] = {"shop.board", "shop.answer", "shop.reply", "shop.find", "lib.wait"};

enum { FUNCTIONS = sizeof functions / sizeof *functions };

static const char *text_of(const int samples[FUNCTIONS], int times) {
    struct gate_str text = GATE_STR("");
    for (int i = 0; i < FUNCTIONS; i++)
        text = gate_str_format(&arena, "%.*smain.main;%s %d\n", GATE_STR_ARG(text), functions[i], samples[i] * times);
    return text.ptr;
}

TEST(growth_is_undecided_if_another_function_may_be_cheaper) {
    static const struct {
        int baseline[FUNCTIONS], canary[FUNCTIONS];
        int times;
        const char *limit, *function;
        enum gate_outcome outcome;
    } rows[] = {
        /* shop.board nearly vanished. Measured by the other functions, shop.find costs 2.5 times as much. With so few
         * samples it is not certain that it costs more than twice, or that main.main, which is charged with lib.wait,
         * is over +5 pp. */
        {{87, 6, 7, 2, 14}, {1, 7, 3, 5, 24}, 1, "+100%", "shop.find", OPEN},
        {{87, 6, 7, 2, 14}, {1, 7, 3, 5, 24}, 1, "+5pp", "main.main", OPEN},
        /* 28 times the samples make it certain at 5%, 24 times do not. */
        {{87, 6, 7, 2, 14}, {1, 7, 3, 5, 24}, 24, "+100%", "shop.find", OPEN},
        {{87, 6, 7, 2, 14}, {1, 7, 3, 5, 24}, 28, "+100%", "shop.find", FAIL},
        /* The explanation that shop.board became cheaper fits worse than the one that shop.find grew: by 3.6 in
         * chi-square, and by 5.1. */
        {{60, 4, 7, 10, 10}, {60, 16, 8, 60, 10}, 1, "+100%", "shop.find", OPEN},
        {{60, 4, 7, 10, 10}, {60, 15, 8, 60, 10}, 1, "+100%", "shop.find", FAIL},
        /* All functions but shop.board grew by one factor. */
        {{87, 6, 6, 6, 6}, {1, 12, 12, 12, 12}, 4, "+100%", "shop.find", OPEN},
        /* Only shop.find grew, so a cheaper other function explains nothing. */
        {{40, 40, 40, 10, 10}, {40, 40, 40, 60, 10}, 4, "+100%", "shop.find", FAIL},
        {{40, 40, 40, 10, 10}, {38, 40, 40, 34, 10}, 4, "+5pp", "shop.find", FAIL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const bool is_open = rows[i].outcome == OPEN;
        const struct stacks_case row = {
            "charged",
            rows[i].limit,
            rows[i].function,
            3,
            GO,
            rows[i].outcome,
            is_open ? GATE_REASON_OTHERS_CHEAPER : OVER,
            .text = {text_of(rows[i].baseline, rows[i].times), text_of(rows[i].canary, rows[i].times)}};
        const struct taken taken = {.format = GATE_FORMAT_COLLAPSED};
        assert_taken(&row, &taken, i);
    }
}

/* Beneath shop.read three functions each grow by 4 points: within +5 pp, but not together. */
#define OTHERS "shop.serve;shop.a 1000\nshop.serve;shop.b 800\nshop.serve;shop.c 800\nshop.serve;shop.d 800\n"
#define READ(x, y, z)                                                                                                  \
    "shop.serve;shop.read;shop.x " #x "\nshop.serve;shop.read;shop.y " #y "\nshop.serve;shop.read;shop.z " #z "\n"

static const char before[] = OTHERS READ(200, 200, 200);

TEST(growth_spread_over_a_path_fails) {
    static const struct stacks_case rows[] = {
        {"path", "+5pp", "shop.read", 3, GO, FAIL, OVER, .text = {before, OTHERS READ(420, 420, 420)}},
        /* One function has most of the growth, but is within the limit, so that no other budget finds it. */
        {"path", "+5pp", "shop.read", 3, GO, FAIL, OVER, .text = {before, OTHERS READ(440, 330, 330)}},
        /* One function has all of the growth: the budgets on functions judge it. */
        {"path", "+5pp", "shop.read", 3, GO, PASS, GATE_REASON_ONE_FUNCTION,
         .text = {before, OTHERS READ(860, 200, 200)}},
        /* Calls that bypassed shop.read in the baseline go through it in the canary. */
        {"path", "+5pp", "shop.read", 3, GO, PASS, GATE_REASON_OTHER_WAY,
         .text = {OTHERS "shop.serve;shop.read;shop.x 200\nshop.serve;shop.x 220\nshop.serve;shop.read;shop.y "
                         "200\nshop.serve;shop.y 220\nshop.serve;shop.read;shop.z 200\nshop.serve;shop.z 220\n",
                  OTHERS READ(420, 420, 420)}},
        /* Tail calls hid shop.read in the baseline, and shop.serve was charged with a part of it. */
        {"path", "+5pp", "shop.read", 3, GO, PASS, GATE_REASON_OTHER_WAY,
         .text = {OTHERS "shop.serve;shop.read;shop.x 6\nshop.serve;shop.x 200\nshop.serve;shop.y 200\nshop.serve;"
                         "shop.z 200\nshop.serve 420\n",
                  OTHERS "shop.serve;shop.read;shop.x 346\nshop.serve;shop.read;shop.y 340\nshop.serve;shop.read;"
                         "shop.z 340\n"}},
        /* Another function than its callers became cheaper by as much. */
        {"path", "+5pp", "shop.read", 3, GO, FAIL, OVER,
         .text = {OTHERS "shop.serve;shop.read;shop.x 6\nshop.serve;shop.x 200\nshop.serve;shop.y 200\nshop.serve;"
                         "shop.z 200\nshop.serve;shop.e 480\n",
                  OTHERS "shop.serve;shop.read;shop.x 346\nshop.serve;shop.read;shop.y 340\nshop.serve;shop.read;"
                         "shop.z 340\nshop.serve;shop.e 60\n"}},
        /* All functions but shop.a grew by one factor, so shop.a, which is outside of the path, may only have become
         * cheaper. */
        {"path", "+5pp", "shop.read", 3, GO, WARN, GATE_REASON_OTHERS_CHEAPER,
         .text = {"shop.serve;shop.a 1000\n" READ(200, 200, 200), "shop.serve;shop.a 100\n" READ(400, 400, 400)}},
    };
    assert_cases(rows, sizeof rows / sizeof *rows);
}

/* In the baseline a compiler inlined the functions of the path into its three callers. Not in Go, where inlined
 * functions are on the stacks. */
TEST(functions_of_a_path_may_have_been_inlined_into_its_callers) {
#define IN(caller, own, each)                                                                                          \
    "shop.serve;shop." caller " " own "\nshop.serve;shop." caller ";shop.read;shop.x " each                            \
    "\nshop.serve;shop." caller ";shop.read;shop.y " each "\nshop.serve;shop." caller ";shop.read;shop.z " each "\n"
#define IN_ALL(own, each) OTHERS IN("one", own, each) IN("two", own, each) IN("three", own, each)
    static const char inlined[] = IN_ALL("150", "67"), apart[] = IN_ALL("10", "114");
    static const struct stacks_case rows[] = {
        {"path", "+5pp", "shop.read", 3, GATE_LANGUAGE_NATIVE, OPEN, GATE_REASON_SHIFT, .text = {inlined, apart}},
        {"path", "+5pp", "shop.read", 3, GATE_LANGUAGE_RUST, OPEN, GATE_REASON_SHIFT, .text = {inlined, apart}},
        {"path", "+5pp", "shop.read", 3, GO, FAIL, OVER, .text = {inlined, apart}},
        /* the rest is over the limit */
        {"path", "+5pp", "shop.read", 3, GATE_LANGUAGE_NATIVE, FAIL, OVER, .text = {inlined, IN_ALL("10", "170")}},
        /* the callers still have their cost, and their shares shrank only because the path grew */
        {"path", "+5pp", "shop.read", 3, GATE_LANGUAGE_NATIVE, FAIL, OVER, .text = {inlined, IN_ALL("150", "110")}},
    };
    assert_cases(rows, sizeof rows / sizeof *rows);
#undef IN
#undef IN_ALL
}

/* In a program that costs 1.2 times as much per run, shop.x has most of the path's growth by cost, and more than the
 * limit. Its share grew by only 4.7 points, so no budget on functions finds it. */
TEST(a_path_is_judged_where_the_share_of_its_function_is_within_the_limit) {
    static const struct stacks_case stacks = {
        "path",
        "+5pp",
        "shop.read",
        3,
        GO,
        FAIL,
        OVER,
        .text = {before, "shop.serve;shop.a 1098\nshop.serve;shop.b 879\nshop.serve;shop.c 879\n"
                         "shop.serve;shop.d 879\n" READ(466, 300, 300)}};
    static const struct taken taken = {.format = GATE_FORMAT_PPROF, .equal = GATE_EQUAL_RUN, .type = "cpu"};
    assert_taken(&stacks, &taken, 0);
}

/* Of the functions that the work is estimated from, most are the four beneath shop.read, which all grew 2.8 times. */
TEST(a_path_does_not_excuse_itself) {
#define FOUR(each) "shop.serve;shop.read;shop.w " #each "\n" READ(each, each, each)
#define AND(b, c) "shop.serve;shop.a 1000\nshop.serve;shop.b " #b "\nshop.serve;shop.c " #c "\n"
#define SHOW "shop.serve;shop.show;shop.a 1000\nshop.serve;shop.show;shop.b 90\nshop.serve;shop.show;shop.c 90\n"
#define TWO "shop.serve;shop.a 1000\nshop.serve;shop.b 180\n"
    static const struct stacks_case rows[] = {
        {"path", "+5pp", "shop.read", 3, GO, FAIL, OVER, .text = {AND(90, 90) FOUR(200), AND(90, 90) FOUR(560)}},
        /* The other three functions are another path. It may have become cheaper instead. */
        {"path", "+5pp", "shop.read", 3, GO, OPEN, GATE_REASON_OTHERS_CHEAPER,
         .text = {SHOW FOUR(200), SHOW FOUR(560)}},
        /* Two functions outside of the path are too few to estimate the work. */
        {"path", "+5pp", "shop.read", 3, GO, WARN, GATE_REASON_OTHERS_SHRANK, .text = {TWO FOUR(200), TWO FOUR(560)}},
        /* Two functions outside of the path grew by the same factor, so shop.a became cheaper. */
        {"path", "+5pp", "shop.read", 3, GO, WARN, GATE_REASON_OTHERS_SHRANK,
         .text = {AND(90, 90) FOUR(200), AND(252, 252) FOUR(560)}},
    };
#undef FOUR
#undef AND
#undef SHOW
#undef TWO
    assert_cases(rows, sizeof rows / sizeof *rows);
}

/* Most of the growth of shop.read is in shop.x, which is over the limit itself: not significantly in the first row,
 * significantly in the second. */
TEST(a_path_is_judged_where_its_function_needs_more_runs) {
    static const char *const after[] = {OTHERS READ(455, 230, 230), OTHERS READ(665, 230, 230)};
    static const char both[] = "charged, limit: +5pp}, {name: p, measure: path";
    const struct stacks_case rows[] = {
        {both, "+5pp", "shop.read", 3, GO, FAIL, OVER, .text = {before, after[0]}},
        {both, "+5pp", "shop.read", 3, GO, PASS, GATE_REASON_ONE_FUNCTION, .text = {before, after[1]}},
        {both, "+5pp", "shop.read", 3, NODE, PASS, GATE_REASON_ONE_FUNCTION, .text = {before, after[0]}},
    };
    assert_cases(rows, sizeof rows / sizeof *rows);
}

/* The path grew by 8 points in each run, 6 of them in shop.x. The share of shop.x differs much from run to run, so it
 * needs more runs, or it passes as possible noise if max_mde is large. The path's own share does not differ. */
TEST(a_path_is_undecided_if_its_one_function_varies_too_much) {
    static const char others[] = OTHERS;
    static const int parts[GATE_SIDES][3] = {{500, 800, 200}, {850, 1150, 550}}, whole[GATE_SIDES] = {1000, 1500};
    struct taken taken = {.format = GATE_FORMAT_COLLAPSED};
    for (int side = 0; side < GATE_SIDES; side++)
        for (int run = 0; run < 3; run++)
            taken.by_run[side][run] =
                gate_str_format(&arena, "%sshop.serve;shop.read;shop.x %d\nshop.serve;shop.read;shop.y %d\n", others,
                                parts[side][run], whole[side] - parts[side][run])
                    .ptr;
    static const struct stacks_case rows[] = {
        {"charged, limit: +5pp}, {name: p, measure: path", "+5pp", "shop.read", 3, GO, FAIL, OVER,
         .text = {others, others}},
        {"charged, limit: +5pp, max_mde: 50pp}, {name: p, measure: path", "+5pp", "shop.read", 3, GO, OPEN,
         GATE_REASON_ONE_FUNCTION, .text = {others, others}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_taken(&rows[i], &taken, i);
}

#define SERVED "shop.serve;shop.a 3000\n"

/* The minified names of a file are one function. In the canary it also has the cost of functions that had names in the
 * baseline. */
TEST(minified_library_code_may_be_what_is_gone) {
    static const char callerless[] = "self, select: {no_own_caller: true}";
    static const char gone[] = SERVED "lib.run;lib.print 1500\nlib.go;(minified) lib/a.js 1500\n";
    static const char joined[] = SERVED "lib.go;(minified) lib/a.js 3000\n";
    static const char more[] = SERVED "lib.go;(minified) lib/a.js 5000\n";
    static const char two[] = SERVED "lib.go;(minified) lib/a.js 3000\nlib.go;(minified) lib/b.js 3000\n";
    static const char none[] = SERVED "lib.go;(minified) lib/a.js 1500\n";
    const struct stacks_case rows[] = {
        {callerless, "+5pp", "(minified) lib/a.js", 3, NODE, WARN, GATE_REASON_REPLACED, .text = {gone, joined}},
        {callerless, "+5pp", "(minified) lib/a.js", 3, NODE, FAIL, OVER, .text = {gone, more}},
        {callerless, "+5pp", "(minified) lib/a.js", 3, NODE, FAIL, OVER, .text = {gone, two}},
        {callerless, "+5pp", "(minified) lib/a.js", 3, NODE, FAIL, OVER, .text = {none, joined}},
    };
    assert_cases(rows, sizeof rows / sizeof *rows);
}
#undef SERVED

/* lib.fresh is new code of a library, and the program's functions that call it are charged with it. */
TEST(library_growth_is_judged_in_the_own_callers) {
    static const char callerless[] = "self, select: {no_own_caller: true}";
    static const char one[] = "shop.serve;shop.rest 7000\nshop.serve;shop.a 750\nshop.serve;shop.b 750\n"
                              "shop.serve;shop.c 750\nshop.serve;shop.d 750\nshop.serve;shop.a;lib.fresh 1\n";
    static const char spread[] =
        "shop.serve;shop.rest 7000\nshop.serve;shop.a;lib.fresh 1750\nshop.serve;shop.b;lib.fresh 1750\n"
        "shop.serve;shop.c;lib.fresh 1750\nshop.serve;shop.d;lib.fresh 1750\n";
    const struct stacks_case rows[] = {
        /* Each of the four callers grows by 5 points, which is within the limit; together they grow by 20. */
        {callerless, "+5pp", "lib.fresh", 3, GO, FAIL, GATE_REASON_OWN_CALLERS, .text = {one, spread}},
        {callerless, "+5pp", "lib.fresh", 2, GO, OPEN, GATE_REASON_OWN_CALLERS, .text = {one, spread}},
        /* The callers grow by 5.4 points together, which is not significantly over 5. */
        {callerless, "+5pp", "lib.fresh", 3, GO, OPEN, GATE_REASON_OWN_CALLERS,
         .text = {one, "shop.serve;shop.rest 7000\nshop.serve;shop.a;lib.fresh 960\nshop.serve;shop.b;lib.fresh 960\n"
                       "shop.serve;shop.c;lib.fresh 960\nshop.serve;shop.d;lib.fresh 960\n"}},
        /* The callers grow by 4 points together. */
        {callerless, "+5pp", "lib.fresh", 3, GO, PASS, GATE_REASON_OWN_CALLERS,
         .text = {one, "shop.serve;shop.rest 7000\nshop.serve;shop.a;lib.fresh 900\nshop.serve;shop.b;lib.fresh 900\n"
                       "shop.serve;shop.c;lib.fresh 900\nshop.serve;shop.d;lib.fresh 900\n"}},
        /* The own caller shop.a has two callers, but its growth counts once. */
        {callerless, "+5pp", "lib.fresh", 3, GO, PASS, GATE_REASON_OWN_CALLERS,
         .text = {"shop.serve;shop.rest 7000\nshop.serve;shop.a 1500\nshop.show;shop.a "
                  "1500\nshop.show;shop.a;lib.fresh 1\n",
                  "shop.serve;shop.rest 7000\nshop.serve;shop.a;lib.fresh 1800\nshop.show;shop.a;lib.fresh 1800\n"}},
        /* Three callers grow by 9 points together, and the fourth becomes cheaper by as much. */
        {callerless, "+5pp", "lib.fresh", 3, GO, OPEN, GATE_REASON_OWN_CALLERS,
         .text = {"shop.serve;shop.rest 7000\nshop.serve;shop.a 750\nshop.serve;shop.b 750\nshop.serve;shop.c 750\n"
                  "shop.serve;shop.d 2000\nshop.serve;shop.d;lib.fresh 1\n",
                  "shop.serve;shop.rest 7000\nshop.serve;shop.a;lib.fresh 1080\nshop.serve;shop.b;lib.fresh 1080\n"
                  "shop.serve;shop.c;lib.fresh 1080\nshop.serve;shop.d;lib.fresh 1010\n"}},
        /* No own function calls lib.fresh. */
        {callerless, "+5pp", "lib.fresh", 3, GO, FAIL, OVER,
         .text = {one,
                  "shop.serve;shop.rest 7000\nshop.serve;shop.a 750\nshop.serve;shop.b 750\nshop.serve;shop.c 750\n"
                  "shop.serve;shop.d 750\nlib.start;lib.fresh 4000\n"}},
    };
    assert_cases(rows, sizeof rows / sizeof *rows);
}

TEST(paths_are_judged_from_three_runs_on) {
    enum gate_outcome outcome;
    enum gate_reason reason;
    struct stacks_case row = {"path", "+5pp", "shop.read", 2, GO, 0, 0, .text = {before, before}};
    assert_false(judge_stacks(&outcome, &reason, &row));
    row.runs = 3;
    assert_true(judge_stacks(&outcome, &reason, &row));
}

/* Return stacks in which shop.path has `path` samples with all that it calls, and two stacks cut at 32 frames with
 * `cut` samples each that end in `leaf`. */
static const char *cut_stacks(int path, int cut, const char *leaf) {
    struct gate_str text = gate_str_format(&arena, "shop.serve;shop.path;shop.a %d\nshop.serve;shop.rest 8000\n", path);
    for (int root = 0; root < 2; root++) {
        text = gate_str_format(&arena, "%.*slib.cut%d", GATE_STR_ARG(text), root);
        for (int depth = leaf[5] == 'p' ? 3 : 2; depth < 32; depth++)
            text = gate_str_format(&arena, "%.*s;lib.f", GATE_STR_ARG(text));
        text = gate_str_format(&arena, "%.*s;%s %d\n", GATE_STR_ARG(text), leaf, cut);
    }
    return text.ptr;
}

/* The path grew by 9 points. Cut stacks without it are a tenth of the baseline, or a hundredth. In the last row all cut
 * stacks contain it. */
TEST(a_path_may_be_in_the_part_of_stacks_that_was_cut) {
    static const char deep[] = "shop.deep", path[] = "shop.path;shop.a";
    const struct stacks_case rows[] = {
        {"cumulative", "+5pp", "shop.path", 3, GO, OPEN, GATE_REASON_CUT_STACKS,
         .text = {cut_stacks(1000, 500, deep), cut_stacks(2000, 500, deep)}},
        {"cumulative", "+5pp", "shop.path", 3, GO, FAIL, OVER,
         .text = {cut_stacks(1000, 50, deep), cut_stacks(2000, 50, deep)}},
        {"cumulative", "+5pp", "shop.path", 3, GO, FAIL, OVER,
         .text = {cut_stacks(1000, 500, path), cut_stacks(2000, 500, path)}},
    };
    static const struct taken taken = {.format = GATE_FORMAT_PPROF, .equal = GATE_EQUAL_RUN, .type = "cpu"};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_taken(&rows[i], &taken, i);
}

/* V8 inlined shop.note into shop.pay in the run of the baseline, and not in the run of the canary. */
TEST(one_run_does_not_show_inlining) {
    static const char inlined[] =
        "shop.serve;shop.pay 3000\nshop.serve;shop.pay;shop.note 20\nshop.serve;shop.find 4000\n"
        "shop.serve;shop.stock 1000\n";
    static const char apart[] =
        "shop.serve;shop.pay 2950\nshop.serve;shop.pay;shop.note 600\nshop.serve;shop.find 4000\n"
        "shop.serve;shop.stock 1000\n";
    static const char called[] = "shop.serve;shop.pay 20\nshop.serve;shop.pay;shop.note 20\nshop.find 4000\n"
                                 "shop.stock 1000\nshop.board 3000\n";
    static const char slower[] = "shop.serve;shop.pay 20\nshop.serve;shop.pay;shop.note 600\nshop.find 4000\n"
                                 "shop.stock 1000\nshop.board 3000\n";
    /* These functions cost the same on both sides, which shows that the work is equal. */
#define ELSEWHERE "shop.find 4000\nshop.stock 1000\nshop.board 3000\n"
    static const char far_in[] = "shop.pay 2000\nshop.pay;shop.row;shop.cell;shop.note 20\n" ELSEWHERE;
    static const char far_out[] = "shop.pay 1100\nshop.pay;shop.row;shop.cell;shop.note 920\n" ELSEWHERE;
    static const char dearer[] = "shop.pay 2000\nshop.pay;shop.row;shop.cell;shop.note 920\n" ELSEWHERE;
    static const char beside[] = "shop.pay 100\nshop.pay;shop.sum 2000\nshop.pay;shop.note 20\n" ELSEWHERE;
    static const char swapped[] = "shop.pay 200\nshop.pay;shop.sum 1300\nshop.pay;shop.note 920\n" ELSEWHERE;
    static const char above[] = "shop.pay 100\nshop.pay;shop.sum 2000\nshop.pay;shop.row;shop.note 20\n" ELSEWHERE;
    static const char saved[] = "shop.pay 200\nshop.pay;shop.sum 1300\nshop.pay;shop.row;shop.note 920\n" ELSEWHERE;
    static const char pay[] = "shop.pay 800\nshop.pay;shop.note 100\n" ELSEWHERE;
    static const char trebled[] = "shop.pay 2400\nshop.pay;shop.note 800\n" ELSEWHERE;
    /* shop.note runs after an await, so its caller is not on the stack. */
    static const char awaited_in[] = "shop.run;shop.pay 2000\nshop.note 20\n" ELSEWHERE;
    static const char awaited_out[] = "shop.run;shop.pay 800\nshop.note 1020\n" ELSEWHERE;
    static const char awaited_dearer[] = "shop.run;shop.pay 1100\nshop.note 1020\n" ELSEWHERE;
    static const char awaited_callee[] = "shop.run;shop.pay 800\nshop.note 220\nshop.note;lib.hash 800\n" ELSEWHERE;
#define BELOW "shop.loop;shop.find 4000\nshop.loop;shop.stock 4000\n"
    static const char loop[] = "shop.loop 100\nshop.loop;shop.handle 1400\n" BELOW;
    static const char loop_with_handle[] = "shop.loop 1450\nshop.loop;shop.handle 50\n" BELOW;
    static const char dear_loop[] = "shop.loop 1450\nshop.loop;shop.handle 1400\n" BELOW;
    static const struct stacks_case rows[] = {
        /* Limit in points: a caller, or a function that has the same caller, lost as much as shop.note gained. */
        {"charged", "+5pp", "shop.note", 1, NODE, WARN, GATE_REASON_INLINED_TOGETHER, .text = {far_in, far_out}},
        {"charged", "+5pp", "shop.note", 1, NODE, FAIL, OVER, .text = {far_in, dearer}},
        {"charged", "+5pp", "shop.note", 1, NODE, OPEN, GATE_REASON_INLINED, .text = {beside, swapped}},
        /* A function called beside its caller is too far away. */
        {"charged", "+5pp", "shop.note", 1, NODE, FAIL, OVER, .text = {above, saved}},
        /* shop.loop calls all other functions, so none of them can be used to estimate the work. One of them lost most
         * of its cost. */
        {"charged", "+5pp", "shop.loop", 1, NODE, WARN, GATE_REASON_INLINED_TOGETHER, .text = {loop, loop_with_handle}},
        {"charged", "+5pp", "shop.loop", 1, NODE, FAIL, OVER, .text = {loop, dear_loop}},
        /* The baseline has almost none of shop.note, and some other function lost most of its cost. */
        {"charged", "+5pp", "shop.note", 1, NODE, OPEN, GATE_REASON_INLINED, .text = {awaited_in, awaited_out}},
        {"charged", "+5pp", "shop.note", 1, NODE, FAIL, OVER, .text = {awaited_in, awaited_dearer}},
        {"charged", "+5pp", "shop.note", 1, NODE, FAIL, OVER, .text = {awaited_in, awaited_callee}},
        /* Limit on a ratio: its caller had as much cost as it gained, but grew by more than the limit, too. */
        {"charged", "+100%", "shop.note", 1, NODE, FAIL, OVER, .text = {pay, trebled}},
        {"charged", "+100%", "shop.note", 1, NODE, OPEN, GATE_REASON_INLINED, .text = {inlined, apart}},
        {"charged", "+100%", "shop.note", 1, GO, FAIL, OVER, .text = {inlined, apart}},
        /* Three runs show whether inlining differs from run to run. */
        {"charged", "+100%", "shop.note", 3, NODE, FAIL, OVER, .text = {inlined, apart}},
        /* Its callers never had as much cost as it gained. */
        {"charged", "+100%", "shop.note", 1, NODE, FAIL, OVER, .text = {called, slower}},
    };
    assert_cases(rows, sizeof rows / sizeof *rows);
#undef ELSEWHERE
#undef BELOW
}

/* shop.note has 2.5% in one run and 8.7% in the other, which is undecided. The cost that its caller lost explains most
 * of this growth. */
TEST(undecided_growth_of_one_run_counts_as_inlined) {
#define ELSEWHERE "shop.find 240\nshop.stock 100\nshop.board 124\n"
    static const char partly[] = "shop.pay 121\nshop.pay;shop.note 15\n" ELSEWHERE;
    static const char little[] = "shop.pay 84\nshop.pay;shop.note 52\n" ELSEWHERE;
    static const char dearer[] = "shop.pay 120\nshop.pay;shop.note 52\n" ELSEWHERE;
    static const char more[] = "shop.pay 116\nshop.pay;shop.note 20\n" ELSEWHERE;
    static const enum gate_reason together = GATE_REASON_INLINED_TOGETHER, open = GATE_REASON_UNCONFIRMED;
    static const struct stacks_case rows[] = {
        {"charged", "+5pp", "shop.note", 1, NODE, WARN, together, .text = {partly, little}},
        {"charged", "+5pp", "shop.note", 1, NODE, OPEN, open, .text = {partly, dearer}},
        /* Neither run has less than 30% of the other run's cost, so it was inlined in none. */
        {"charged", "+5pp", "shop.note", 1, NODE, OPEN, open, .text = {more, little}},
        /* The JVM's recordings have frames for inlined functions. With three runs, variation between runs shows. */
        {"charged", "+5pp", "shop.note", 1, JVM, OPEN, open, .text = {partly, little}},
        {"charged", "+5pp", "shop.note", 3, NODE, OPEN, GATE_REASON_SLOWED, .text = {partly, little}},
    };
    assert_cases(rows, sizeof rows / sizeof *rows);
#undef ELSEWHERE
}

/* The canary's machine was busy, so all functions cost more per run. The other functions show by how much. */
TEST(a_busy_machine_hides_no_inlining) {
    static const char in[] = "shop.pay 2000\nshop.pay;shop.note 20\nshop.find 1000\nshop.stock 1000\nshop.board "
                             "1000\nshop.sum 2000\nshop.pack 3000\n";
    static const char out[] = "shop.pay 1500\nshop.pay;shop.note 1600\nshop.find 1500\nshop.stock 1500\nshop.board "
                              "1500\nshop.sum 3000\nshop.pack 4500\n";
    static const struct stacks_case row = {"charged", "+5pp", "shop.note",         1,
                                           NODE,      OPEN,   GATE_REASON_INLINED, .text = {in, out}};
    static const struct taken whole = {.format = GATE_FORMAT_PPROF, .equal = GATE_EQUAL_RUN, .type = "cpu"};
    assert_taken(&row, &whole, 0);
}

/* shop.page gained 400 of 6,000 samples (6.7 points). Its callee lost 200 of them; together they grew by 3.3 points.
 * The closure gained 560. Its caller lost 250 of them; together they grew by 5.2 points, which is not significantly
 * over 5. */
TEST(growth_that_was_partly_a_neighbours_is_undecided) {
    static const char in[] = "shop.page 300\nshop.page;shop.row 600\nshop.find 2500\nshop.sum 2600\n";
    static const char out[] = "shop.page 700\nshop.page;shop.row 400\nshop.find 2500\nshop.sum 2600\n";
    static const char kept[] = "shop.page 700\nshop.page;shop.row 590\nshop.find 2500\nshop.sum 2600\n";
    static const char beside[] = "shop.page 700\nshop.page;shop.row 600\nshop.find 2300\nshop.sum 2600\n";
    static const char much[] = "shop.page 1400\nshop.page;shop.row 200\nshop.find 2500\nshop.sum 2600\n";
    static const char around[] = "shop.page 700\nshop.page;shop.each 100\nshop.page;shop.each;shop.page.func1 200\n"
                                 "shop.find 2500\nshop.sum 2500\n";
    static const char within[] = "shop.page 450\nshop.page;shop.each 100\nshop.page;shop.each;shop.page.func1 760\n"
                                 "shop.find 2500\nshop.sum 2500\n";
    static const char far[] = "shop.page 450\nshop.page;shop.each 100\nshop.page;shop.each;shop.page.func1 1400\n"
                              "shop.find 2500\nshop.sum 2500\n";
    static const char closure[] = "shop.page.func*";
    static const struct stacks_case rows[] = {
        {"charged", "+5pp", "shop.page", 3, GO, OPEN, GATE_REASON_SHIFT, .text = {in, out}},
        {"charged", "+100%", "shop.page", 3, GO, OPEN, GATE_REASON_SHIFT, .text = {in, out}},
        {"charged", "+5pp", "shop.page", 3, GO, FAIL, OVER, .text = {in, kept}},
        {"charged", "+5pp", "shop.page", 3, GO, FAIL, OVER, .text = {in, beside}},
        /* It is over the limit even without the cost that the callee lost. */
        {"charged", "+5pp", "shop.page", 3, GO, FAIL, OVER, .text = {in, much}},
        {"charged", "+5pp", closure, 3, GO, OPEN, GATE_REASON_SHIFT, .text = {around, within}},
        {"charged", "+5pp", closure, 3, GO, FAIL, OVER, .text = {around, far}},
    };
    /* One run of Node per side, whose callee lost a third of the growth. */
    static const char called[] = "shop.page 100\nshop.page;shop.row 900\nshop.find 2500\nshop.sum 2600\n";
    static const char moved[] = "shop.page 1100\nshop.page;shop.row 500\nshop.find 2500\nshop.sum 2600\n";
    static const char added[] = "shop.page 1100\nshop.page;shop.row 900\nshop.find 2500\nshop.sum 2600\n";
    static const struct stacks_case of_node[] = {
        {"charged", "+5pp", "shop.page", 1, NODE, OPEN, GATE_REASON_SHIFT, .text = {called, moved}},
        {"charged", "+5pp", "shop.page", 1, NODE, FAIL, OVER, .text = {called, added}},
    };
    static const struct taken taken = {.format = GATE_FORMAT_PPROF, .equal = GATE_EQUAL_RUN, .type = "cpu"};
    static const struct taken by_node = {.format = GATE_FORMAT_CPUPROFILE, .equal = GATE_EQUAL_RUN, .type = "cpu"};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_taken(&rows[i], &taken, i);
    for (size_t i = 0; i < sizeof of_node / sizeof *of_node; i++)
        assert_taken(&of_node[i], &by_node, i);
}

#define UNCHANGED "shop.serve;shop.a 1500\nshop.serve;shop.c 1500\nshop.serve;shop.d 1500\n"

/* shop.b grew from 1000 to 2000 of about 6000 samples. In some of them, the JVM interpreted it. */
TEST(growth_of_interpreted_code_is_undecided) {
    static const char usual[] = UNCHANGED "shop.serve;shop.b 1000\n";
    static const char grown[] = UNCHANGED "shop.serve;shop.b 2000\n";
    static const char much[] = UNCHANGED "shop.serve;shop.b 8000\n";
    static const struct {
        const char *measure, *function;
        int64_t part[GATE_SIDES];
        double work; /* of both sides; 0: unknown */
        enum gate_outcome outcome;
    } rows[] = {
        {"charged", "shop.b", {0, 0}, 0, FAIL},
        {"charged", "shop.b", {0, 950}, 0, OPEN},
        {"charged", "shop.b", {0, 200}, 0, FAIL},   /* the compiled part grew as well */
        {"charged", "shop.b", {900, 900}, 0, FAIL}, /* both sides interpreted as much, and the compiled part grew */
        {"charged", "shop.b", {0, 950}, 1, OPEN},
        {"total_cost", "total", {0, 0}, 1, FAIL},
        {"total_cost", "total", {0, 6950}, 1, OPEN},
        {"total_cost", "total", {0, 12500}, 1, FAIL}, /* without compiled code there is nothing to compare */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const bool is_total = strcmp(rows[i].measure, "charged") != 0;
        const struct stacks_case row = {rows[i].measure,
                                        is_total ? "+10%" : "+5pp",
                                        rows[i].function,
                                        1,
                                        JVM,
                                        rows[i].outcome,
                                        rows[i].outcome == FAIL ? OVER : GATE_REASON_INTERPRETED,
                                        .text = {usual, is_total ? much : grown}};
        const struct taken taken = {.format = GATE_FORMAT_JFR,
                                    .interpreted = "shop.b",
                                    .part = {rows[i].part[GATE_BASELINE], rows[i].part[GATE_CANARY]},
                                    .equal = rows[i].work > 0 ? GATE_EQUAL_WORK : GATE_EQUAL_UNKNOWN,
                                    .work = {rows[i].work, rows[i].work}};
        assert_taken(&row, &taken, i);
    }
}

/* In the canary all code runs beneath shop.run, which called only a fifth of it in the baseline. It is not certain that
 * the whole costs more, unless it costs twice as much. If nothing is given, twice the cost may mean twice the work. */
TEST(a_path_reached_another_way_has_to_grow_for_sure) {
    static const char apart[] = "shop.start;shop.a 400\nshop.start;shop.b 400\nshop.run;shop.a 100\nshop.run;shop.b "
                                "100\nshop.wait 100\n";
    static const char slightly[] = "shop.run;shop.a 660\nshop.run;shop.b 660\nshop.wait 110\n";
    static const char by_a_fifth[] = "shop.run;shop.a 700\nshop.run;shop.b 700\nshop.wait 110\n"; /* at 5% */
    static const char perhaps[] = "shop.run;shop.a 565\nshop.run;shop.b 565\nshop.wait 110\n";
    static const char surely[] = "shop.run;shop.a 1000\nshop.run;shop.b 1000\nshop.wait 110\n";
    static const char moved[] = "shop.run;shop.a 500\nshop.run;shop.b 500\nshop.wait 100\n";
    static const char fallen[] = "shop.run;shop.a 300\nshop.run;shop.b 300\nshop.wait 50\n";
    static const enum gate_equal run = GATE_EQUAL_RUN, unknown = GATE_EQUAL_UNKNOWN;
    static const struct taken_row rows[] = {
        {apart, perhaps, "path", "+5pp", "shop.run", "cpu", 1, 0, run, PASS, GATE_REASON_OTHER_WAY},
        {apart, surely, "path", "+5pp", "shop.run", "cpu", 1, 0, run, FAIL, OVER},
        {apart, surely, "path", "+5pp", "shop.run", "cpu", 1, 0, unknown, OPEN, GATE_REASON_OTHER_WAY},
        {apart, by_a_fifth, "path", "+5pp", "shop.run", "cpu", 1, 0, unknown, OPEN, GATE_REASON_OTHER_WAY},
        {apart, slightly, "path", "+5pp", "shop.run", "cpu", 1, 0, unknown, PASS, GATE_REASON_OTHER_WAY},
        {apart, moved, "path", "+5pp", "shop.run", "cpu", 1, 0, unknown, PASS, GATE_REASON_OTHER_WAY},
        /* All waiting fell, so no reading that waiting moved makes this undecided. */
        {apart, fallen, "path", "+5pp", "shop.run", "delay", 1, 0, run, PASS, GATE_REASON_OTHER_WAY},
    };
    assert_taken_rows(rows, sizeof rows / sizeof *rows);
}

/* shop.fresh replaced shop.old: it has the cost that shop.old had. */
TEST(a_replaced_name_warns_unless_the_total_grew_by_a_fifth) {
    static const char old[] = "main.main;shop.a 700\nmain.main;shop.old 300\nmain.main;shop.fresh 3\n";
    static const char slightly[] = "main.main;shop.a 805\nmain.main;shop.old 3\nmain.main;shop.fresh 345\n";
    static const char surely[] = "main.main;shop.a 875\nmain.main;shop.old 3\nmain.main;shop.fresh 375\n";
    static const enum gate_equal unknown = GATE_EQUAL_UNKNOWN;
    static const struct taken_row rows[] = {
        {old, slightly, "charged", "+5pp", "shop.fresh", "cpu", 1, 0, unknown, WARN, GATE_REASON_REPLACED},
        {old, surely, "charged", "+5pp", "shop.fresh", "cpu", 1, 0, unknown, OPEN, GATE_REASON_REPLACED},
        /* A limit on a ratio applies to all new names together, relative to all names that are gone. */
        {old, slightly, "charged", "+100%", "shop.fresh", "cpu", 1, 0, unknown, WARN, GATE_REASON_REPLACED},
        {old, "main.main;shop.a 302\nmain.main;shop.old 3\nmain.main;shop.fresh 695\n", "charged", "+100%",
         "shop.fresh", "cpu", 1, 0, unknown, FAIL, OVER},
    };
    assert_taken_rows(rows, sizeof rows / sizeof *rows);
}

/* The JVM compiled shop.a to shop.d into shop.handle. Three runs do not help, because it did so in all of them. */
TEST(samples_that_the_jvm_misplaces_have_to_grow_as_a_whole) {
    static const char one[] = "shop.handle;shop.a 100\nshop.handle;shop.b 300\nshop.handle;shop.c 200\nshop.e 400\n";
    static const char moved[] = "shop.handle;shop.a 300\nshop.handle;shop.b 100\nshop.handle;shop.c 200\nshop.e 400\n";
    static const char partly[] = "shop.handle;shop.a 300\nshop.handle;shop.b 180\nshop.handle;shop.c 200\nshop.e 400\n";
    static const char grown[] = "shop.handle;shop.a 300\nshop.handle;shop.b 300\nshop.handle;shop.c 200\nshop.e 400\n";
    static const char beside[] = "shop.handle;shop.a 100\nshop.handle;shop.b 100\nshop.handle;shop.c 200\nshop.e 600\n";
    static const char few[] = "shop.handle;shop.a 10\nshop.handle;shop.b 30\nshop.handle;shop.c 20\nshop.e 40\n";
    static const char few_moved[] = "shop.handle;shop.a 20\nshop.handle;shop.b 20\nshop.handle;shop.c 20\nshop.e 40\n";
    static const char alone[] = "shop.handle;shop.a 100\nshop.handle;shop.b 300\nshop.handle;shop.c 200\nshop.e 2\n";
    static const char all[] = "shop.handle;shop.a 400\nshop.handle;shop.b 300\nshop.handle;shop.c 200\nshop.e 2\n";
    static const enum gate_reason misplaced = GATE_REASON_MISPLACED;
    static const enum gate_equal unknown = GATE_EQUAL_UNKNOWN, run = GATE_EQUAL_RUN;
    static const struct {
        const char *limit, *function;
        enum gate_outcome outcome;
        enum gate_reason reason;
        const char *unit;
        enum gate_equal equal;
        int64_t most;
        const char *text[GATE_SIDES];
    } rows[] = {
        /* Without known or estimated work it is undecided. If the work is equal, all of the compiled code is within the
         * limit. */
        {"+5pp", "shop.a", OPEN, misplaced, "shop.handle", unknown, 0, .text = {one, moved}},
        {"+5pp", "shop.a", WARN, misplaced, "shop.handle", run, 0, .text = {one, moved}},
        {"+100%", "shop.a", WARN, misplaced, "shop.handle", run, 0, .text = {one, moved}},
        /* All of the compiled code grew by 8 points. */
        {"+5pp", "shop.a", OPEN, misplaced, "shop.handle", run, 0, .text = {one, partly}},
        {"+5pp", "shop.a", FAIL, OVER, NULL, run, 0, .text = {one, moved}},
        {"+5pp", "shop.a", FAIL, OVER, "shop.handle", unknown, 0, .text = {one, grown}},
        {"+5pp", "shop.a", FAIL, OVER, "shop.handle", run, 0, .text = {one, grown}},
        /* shop.e is not part of the compiled code. */
        {"+5pp", "shop.e", FAIL, OVER, "shop.handle", run, 0, .text = {one, beside}},
        /* No other function can be used to estimate the work. */
        {"+5pp", "shop.a", OPEN, misplaced, "shop.handle", unknown, 0, .text = {alone, all}},
        {"+5pp", "shop.a", FAIL, OVER, "shop.handle", run, 0, .text = {alone, all}},
        /* One of its 10 additional samples is at a leaf of the compiled code, the others are not. */
        {"+5pp", "shop.a", WARN, misplaced, "shop.handle", run, 0, .text = {few, few_moved}},
        {"+5pp", "shop.a", FAIL, OVER, "shop.handle", run, 11, .text = {few, few_moved}},
        /* Even if it is compiled alone, it may be inlined into another method in one build only. */
        {"+5pp", "shop.a", WARN, misplaced, "shop.a", run, 0, .text = {one, moved}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct stacks_case stacks = {
            "charged", rows[i].limit,   rows[i].function, 3,
            JVM,       rows[i].outcome, rows[i].reason,   .text = {rows[i].text[0], rows[i].text[1]}};
        const struct taken taken = {.format = GATE_FORMAT_JFR,
                                    .equal = rows[i].equal,
                                    .misplaces = rows[i].unit,
                                    .misplaced_most = rows[i].most};
        assert_taken(&stacks, &taken, i);
    }
}

/* shop.x.a and shop.x.b have no common caller within three levels. */
#define LIBRARY_A "shop.handle;shop.x.Do;shop.x.p;shop.x.q;shop.x.r;shop.x.a "
#define LIBRARY_B "shop.handle;shop.x.Do;shop.x.s;shop.x.t;shop.x.u;shop.x.b "
#define THROUGH(function) "shop.handle;" function ";"
#define EQUALS "shop.e 300\nshop.f 300\nshop.g 300\n"

/* The library shop.x was rewritten: shop.x.b has most of the cost that shop.x.a had. */
TEST(a_library_with_another_version_is_judged_as_a_whole) {
    static const char one[] = LIBRARY_A "300\n" LIBRARY_B "100\n" EQUALS;
    static const char moved[] = LIBRARY_A "60\n" LIBRARY_B "340\n" EQUALS;
    static const char grown[] = LIBRARY_A "260\n" LIBRARY_B "380\n" EQUALS;
    static const char partly[] = LIBRARY_A "150\n" LIBRARY_B "360\n" EQUALS;
    /* another caller of the library pays less */
    static const char two[] = LIBRARY_B "100\nshop.list;shop.x.a 300\n" EQUALS;
    static const char other[] = LIBRARY_B "400\nshop.list;shop.x.a 1\n" EQUALS;
    static const char one_of_two[] = LIBRARY_A "300\n" LIBRARY_B "100\nshop.list;shop.x.c 300\nshop.e 900\n";
    static const char another[] = LIBRARY_A "120\n" LIBRARY_B "355\nshop.list;shop.x.c 400\nshop.e 900\n";
    /* Some stacks lack the callers of the library. */
    static const char cut[] = LIBRARY_B "100\nshop.x.c 300\n" EQUALS;
    static const char whole[] = LIBRARY_B "340\nshop.x.c 60\n" EQUALS;
    static const enum gate_reason upgraded = GATE_REASON_UPGRADED;
    static const enum gate_equal unknown = GATE_EQUAL_UNKNOWN, run = GATE_EQUAL_RUN;
    static const struct {
        const char *limit, *function, *library;
        enum gate_equal equal;
        enum gate_outcome outcome;
        enum gate_reason reason;
        const char *text[GATE_SIDES];
    } rows[] = {
        {"+5pp", "shop.x.b", "shop.x", unknown, WARN, upgraded, .text = {one, moved}},
        {"+5pp", "shop.x.b", "shop.x", run, WARN, upgraded, .text = {one, moved}},
        {"+100%", "shop.x.b", "shop.x", run, WARN, upgraded, .text = {one, moved}},
        {"+5pp", "shop.x.b", "shop.x", unknown, FAIL, OVER, .text = {one, grown}},
        {"+5pp", "shop.x.b", "shop.x", run, FAIL, OVER, .text = {one, grown}},
        {"+100%", "shop.x.b", "shop.x", run, FAIL, OVER, .text = {one, grown}},
        /* The function gained 20 points, and the library as a whole 8. */
        {"+5pp", "shop.x.b", "shop.x", run, OPEN, upgraded, .text = {one, partly}},
        {"+100%", "shop.x.b", "shop.x", run, OPEN, upgraded, .text = {one, partly}},
        {"+5pp", "shop.x.b", "shop.x", run, FAIL, OVER, .text = {two, other}},
        {"+5pp", "shop.x.b", "shop.x", run, WARN, upgraded, .text = {cut, whole}},
        /* It is called through other functions: the language's libraries, or new functions of the program. */
        {"+5pp", "shop.x.b", "shop.x", run, WARN, upgraded,
         .text = {THROUGH("lib.sort") "shop.x.a 300\n" LIBRARY_B "100\n" EQUALS,
                  THROUGH("lib.list") "shop.x.a 60\n" LIBRARY_B "340\n" EQUALS}},
        {"+5pp", "shop.x.b", "shop.x", run, WARN, upgraded,
         .text = {one, THROUGH("shop.new") "shop.x.a 60\n" LIBRARY_B "340\n" EQUALS}},
        /* Functions that the library calls are part of it, except for own functions that it calls back. */
        {"+5pp", "shop.x.b", "shop.x", run, WARN, upgraded,
         .text = {one, LIBRARY_A "60\n" LIBRARY_B "100\n" THROUGH("shop.x.b") "lib.copy 240\n" EQUALS}},
        {"+5pp", "shop.x.b", "shop.x", run, WARN, upgraded,
         .text = {LIBRARY_A "300\n" LIBRARY_B
                            "100\n" THROUGH("shop.x.Do") "shop.back 100\nshop.e;lib.copy 100\n" EQUALS,
                  LIBRARY_A "60\n" LIBRARY_B
                            "340\n" THROUGH("shop.x.Do") "shop.back 400\nshop.e;lib.copy 400\n" EQUALS}},
        {"+5pp", "shop.x.b", "shop.x", run, WARN, upgraded,
         .text = {LIBRARY_B "100\nlib.start;shop.x.c 300\n" EQUALS, LIBRARY_B "340\nlib.start;shop.x.c 60\n" EQUALS}},
        /* The work is estimated from own functions other than the one that grew, and not from all code outside of the
         * library. */
        {"+5pp", "shop.x.b", "shop.x", unknown, FAIL, OVER,
         .text = {LIBRARY_A "300\n" LIBRARY_B "100\nshop.h 300\n" EQUALS,
                  LIBRARY_A "260\n" LIBRARY_B "380\nshop.h 900\n" EQUALS}},
        /* Four functions are too few to estimate the work. The code outside of the library did not grow. Two functions
         * call the library. Beneath the first one, it gained 4.7 points, or 5.8 with one standard deviation more. */
        {"+5pp", "shop.x.b", "shop.x", unknown, OPEN, upgraded, .text = {one_of_two, another}},
        /* The function gained 230 samples, and the library 30, or 47 with one standard deviation more. */
        {"+100%", "shop.x.b", "shop.x", run, WARN, upgraded, .text = {one, LIBRARY_A "100\n" LIBRARY_B "330\n" EQUALS}},
        /* With one standard deviation more, the library gained 24% of its baseline cost, or 20% of its canary cost. */
        {"+22%", "shop.x.b", "shop.x", run, OPEN, upgraded,
         .text = {LIBRARY_A "380\n" LIBRARY_B "20\n" EQUALS, LIBRARY_A "20\n" LIBRARY_B "460\n" EQUALS}},
        /* shop.e is not in the library. */
        {"+5pp", "shop.e", "shop.x", run, FAIL, OVER,
         .text = {moved, "shop.handle;shop.x.Do 400\nshop.e 600\nshop.f 300\nshop.g 300\n"}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct stacks_case stacks = {
            "charged", rows[i].limit,   rows[i].function, 3,
            GO,        rows[i].outcome, rows[i].reason,   .text = {rows[i].text[0], rows[i].text[1]}};
        const struct taken taken = {.format = GATE_FORMAT_PPROF, .equal = rows[i].equal, .library = rows[i].library};
        assert_taken(&stacks, &taken, i);
    }
}

/* A worker is always busy: because shop.m costs more, less of the other work gets done. The growth of shop.m and that
 * of the functions beneath it agree on an estimate of the work. */
TEST(a_function_is_not_used_to_estimate_its_own_work) {
#define M(name, counts) "shop.m;shop." name " " counts "\n"
#define BUSY(m, beneath, others)                                                                                       \
    "shop.m " m "\n" M("m1", beneath) M("m2", beneath) M("m3", beneath) M("m4", beneath)                               \
        M("m5", beneath) "shop.a " others "\nshop.b " others "\nshop.c " others "\nshop.d " others "\nshop.e " others  \
                         "\n"
    static const char busy[] = BUSY("115", "60", "98"), slow[] = BUSY("147", "77", "43");
    static const struct stacks_case rows[] = {
        {"charged", "+5pp", "shop.m", 1, GO, OPEN, GATE_REASON_OWN_COST_OPEN, .text = {busy, slow}},
    };
    assert_cases(rows, sizeof rows / sizeof *rows);
}

#define HANDLE(own, price, rest)                                                                                       \
    "shop.handle;shop.own " own "\nshop.handle;shop.own;shop.price " price "\n" rest                                   \
    "\nshop.e 250\nshop.f 250\nshop.g 250\nshop.h 250\n"

#define GROWN(price, rest) "shop.handle;shop.own 870\nshop.handle;shop.own;shop.price " price "\nshop.x " rest "\n"

/* V8 inlines shop.price into shop.own in some runs. */
TEST(functions_that_are_inlined_in_some_runs_are_judged_together) {
    static const char in[] = HANDLE("1500", "5", "shop.x 10"), out[] = HANDLE("500", "1000", "shop.x 10");
    static const char slow_in[] = HANDLE("3500", "5", "shop.x 10"), slow_out[] = HANDLE("500", "2000", "shop.x 10");
    static const char partly[] = HANDLE("900", "1000", "shop.x 10");
    static const char alone[] = "shop.own 770\nshop.own;shop.price 8\nlib.start 222\n";
    static const char dear[] = "shop.own 330\nshop.own;shop.price 510\nlib.start 160\n";
    static const char called[] = HANDLE("500", "1000", "shop.handle;shop.own;shop.price;shop.y 400");
    /* shop.x is not inlined: it has 40% of its canary cost in the baseline. shop.own grew by its own cost. */
    static const char some_x[] = HANDLE("1500", "5", "shop.x 400"), more_x[] = HANDLE("1500", "5", "shop.x 1000");
    static const char small[] = GROWN("30", "60"), small_2[] = GROWN("30", "100"), small_3[] = GROWN("30", "140");
    static const char large[] = GROWN("900", "60"), large_2[] = GROWN("900", "100"), large_3[] = GROWN("900", "140");
    static const char eighth[] = HANDLE("1500", "25", "shop.x 10"), grown[] = HANDLE("1380", "190", "shop.x 10");
    static const char own[] = HANDLE("500", "1000", "shop.x 400"), more_own[] = HANDLE("1100", "1000", "shop.x 400");
    static const enum gate_reason together = GATE_REASON_INLINED_TOGETHER;
    static const enum gate_reason shift = GATE_REASON_SHIFT;
    static const enum gate_equal unknown = GATE_EQUAL_UNKNOWN, run = GATE_EQUAL_RUN;
    static const struct {
        const char *limit, *function;
        enum gate_language language;
        enum gate_equal equal;
        enum gate_outcome outcome;
        enum gate_reason reason;
        const char *measure, *by_run[GATE_SIDES][3];
    } rows[] = {
        /* All runs of one side inline shop.price. */
        {"+5pp", "shop.price", NODE, run, WARN, together, "charged", .by_run = {{in, in, in}, {out, out, out}}},
        {"+5pp", "shop.price", NODE, unknown, WARN, together, "charged", .by_run = {{in, in, in}, {out, out, out}}},
        {"+100%", "shop.price", NODE, run, WARN, together, "charged", .by_run = {{in, in, in}, {out, out, out}}},
        {"+5pp", "shop.price", JVM, run, WARN, together, "charged", .by_run = {{in, in, in}, {out, out, out}}},
        {"+5pp", "shop.price", GO, run, OPEN, shift, "charged", .by_run = {{in, in, in}, {out, out, out}}},
        {"+5pp", "shop.own", NODE, run, WARN, together, "charged", .by_run = {{out, out, out}, {in, in, in}}},
        {"+5pp", "shop.price", NODE, run, WARN, together, "charged", .by_run = {{in, in, in}, {out, in, out}}},
        /* It costs more, and is no longer inlined. It is undecided because its caller lost cost, but not excused. */
        {"+5pp", "shop.price", NODE, run, OPEN, shift, "charged",
         .by_run = {{in, in, in}, {slow_out, slow_out, slow_out}}},
        {"+100%", "shop.price", NODE, run, OPEN, shift, "charged",
         .by_run = {{in, in, in}, {slow_out, slow_out, slow_out}}},
        {"+5pp", "shop.price", NODE, unknown, OPEN, shift, "charged",
         .by_run = {{in, in, in}, {slow_out, slow_out, slow_out}}},
        {"+5pp", "shop.own", NODE, run, FAIL, OVER, "charged",
         .by_run = {{out, out, out}, {slow_in, slow_in, slow_in}}},
        /* Both functions together gained 400 samples of 1,500. */
        {"+5pp", "shop.price", NODE, run, OPEN, shift, "charged", .by_run = {{in, in, in}, {partly, partly, partly}}},
        /* It grew 30 times, but every run has some of its cost. */
        {"+5pp", "shop.price", NODE, unknown, FAIL, OVER, "charged",
         .by_run = {{small, small_2, small_3}, {large, large_2, large_3}}},
        /* A run with an eighth of another run's share did not inline it. */
        {"+5pp", "shop.price", NODE, run, OPEN, shift, "charged",
         .by_run = {{eighth, eighth, eighth}, {grown, grown, grown}}},
        /* Neither this function nor one that it calls is inlined in only some runs. */
        {"+5pp", "shop.x", NODE, run, FAIL, OVER, "charged",
         .by_run = {{some_x, some_x, some_x}, {more_x, more_x, more_x}}},
        {"+5pp", "shop.own", NODE, run, FAIL, OVER, "charged",
         .by_run = {{own, own, own}, {more_own, more_own, more_own}}},
        /* All other functions are its callers, so the work cannot be estimated. No side has runs of both kinds. */
        {"+5pp", "shop.price", NODE, unknown, FAIL, OVER, "charged",
         .by_run = {{alone, alone, alone}, {dear, dear, dear}}},
        /* The same for a path that begins with shop.price. */
        {"+5pp", "shop.price", NODE, run, WARN, together, "path", .by_run = {{in, in, in}, {out, out, out}}},
        {"+5pp", "shop.price", NODE, run, OPEN, shift, "path",
         .by_run = {{in, in, in}, {slow_out, slow_out, slow_out}}},
        {"+5pp", "shop.price", NODE, run, OPEN, shift, "path", .by_run = {{in, in, in}, {called, called, called}}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct stacks_case stacks = {rows[i].measure,  rows[i].limit,   rows[i].function, 3,
                                           rows[i].language, rows[i].outcome, rows[i].reason,   .text = {in, in}};
        struct taken taken = {.format = GATE_FORMAT_PPROF, .equal = rows[i].equal};
        memcpy(taken.by_run, rows[i].by_run, sizeof taken.by_run);
        assert_taken(&stacks, &taken, i);
    }
}

#define REST "shop.main;shop.log 1\nlib.thread;shop.find 400\nlib.thread;shop.board 400\n"

/* The canary's machine was busy, so py-spy counts twice the time of each function, and one function became cheaper. So
 * the others grew by one factor. One or two runs that were not taken in turn do not show the cost. */
#define OF_FIVE(a, b, c, d, f)                                                                                         \
    "shop.main;shop.a " a "\nshop.main;shop.b " b "\nshop.main;shop.c " c "\nshop.main;shop.d " d                      \
    "\nshop.main;shop.f " f "\n"

TEST(known_work_does_not_show_the_cost_of_few_runs_on_a_busy_machine) {
    static const char usual[] = OF_FIVE("3000", "3010", "2990", "17000", "4000");
    static const char busy[] = OF_FIVE("6100", "5900", "6030", "3000", "8200");
    static const struct stacks_case rows[] = {
        {"charged", "+5pp", "shop.f", 1, PYTHON, OPEN, GATE_REASON_SLOWER_MACHINE, .text = {usual, busy}},
        {"charged", "+5pp", "shop.f", 2, PYTHON, OPEN, GATE_REASON_SLOWER_MACHINE, .text = {usual, busy}},
        {"charged", "+5pp", "shop.f", 3, PYTHON, FAIL, OVER, .text = {usual, busy}},
        {"charged", "+5pp", "shop.f", 1, GO, FAIL, OVER, .text = {usual, busy}},
    };
    static const struct taken whole = {.format = GATE_FORMAT_COLLAPSED, .equal = GATE_EQUAL_RUN};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_taken(&rows[i], &whole, i);
}

/* The canary did twice the work at the same cost per unit, except that one function became cheaper. The runtime's own
 * function grew per unit of work. A slower machine does not explain that, because the other functions cost the same. */
TEST(functions_that_cost_the_same_per_unit_of_work_show_no_slower_machine) {
    static const char one[] = OF_FIVE("3000", "3010", "2990", "17000", "4000") "runtime.mcall 20\n";
    static const char two[] = OF_FIVE("5980", "6000", "6030", "25000", "8010") "runtime.mcall 9000\n";
    static const char busy[] = OF_FIVE("8980", "9000", "9030", "36000", "12010") "runtime.mcall 9000\n";
    static const struct taken taken = {.format = GATE_FORMAT_COLLAPSED, .equal = GATE_EQUAL_WORK, .work = {1.0, 2.0}};
    static const struct stacks_case rows[] = {
        {"charged", "+5pp", "runtime.mcall", 2, PYTHON, FAIL, OVER, .text = {one, two}},
        {"charged", "+5pp", "runtime.mcall", 2, PYTHON, OPEN, GATE_REASON_SLOWER_MACHINE, .text = {one, busy}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_taken(&rows[i], &taken, i);
}

TEST(one_run_of_python_does_not_show_the_observed_part_of_a_thread) {
    static const char usual[] = "shop.main;lib.accept 200\nlib.thread;shop.find 400\nlib.thread;shop.board 400\n";
    static const char unseen[] = "shop.main;lib.accept 8\n" REST;
    static const char hardly[] = "shop.main;lib.accept 9\n" REST;
    static const char without[] = "lib.thread;shop.find 400\nlib.thread;shop.board 400\n";
    static const char more[] = "shop.main;lib.accept 600\nlib.thread;shop.find 200\nlib.thread;shop.board 200\n";
    static const char mixed[] =
        "shop.main;lib.accept 600\nshop.main;shop.log 100\nlib.thread;shop.find 200\nlib.thread;shop.board 200\n";
    static const char slightly[] = "shop.main;lib.accept 200\nlib.thread;shop.find 530\nlib.thread;shop.board 270\n";
    static const char slower[] = "shop.main;lib.accept 200\nlib.thread;shop.find 800\nlib.thread;shop.board 400\n";
    static const enum gate_reason seen = GATE_REASON_THREADS;
    static const struct stacks_case rows[] = {
        {"charged", "+5pp", "shop.main", 1, PYTHON, OPEN, seen, .text = {usual, more}},
        {"charged", "+100%", "shop.main", 1, PYTHON, OPEN, seen, .text = {usual, more}},
        {"charged", "+5pp", "shop.main", 3, PYTHON, FAIL, OVER, .text = {usual, more}},
        {"charged", "+5pp", "shop.main", 1, GO, FAIL, OVER, .text = {usual, more}},
        /* Nothing is known of a thread with fewer than 10 samples in the baseline. With more samples, the functions
         * that ran in it are known. */
        {"charged", "+0.01pp", "shop.log", 1, PYTHON, OPEN, seen, .text = {unseen, mixed}},
        {"charged", "+0.01pp", "shop.log", 1, PYTHON, FAIL, OVER, .text = {hardly, mixed}},
        {"charged", "+5pp", "(own code of one side only)", 1, PYTHON, OPEN, seen, .text = {without, more}},
        /* shop.find is a larger part of its thread, too. */
        {"charged", "+5pp", "shop.find", 1, PYTHON, FAIL, OVER, .text = {usual, slower}},
        /* On a busy machine py-spy gets its samples in clumps: a fail with one run must hold at twice the variation. */
        {"charged", "+5pp", "shop.find", 1, PYTHON, OPEN, GATE_REASON_PREEMPTED, .text = {usual, slightly}},
        {"charged", "+5pp", "shop.find", 1, GO, FAIL, OVER, .text = {usual, slightly}},
        {"charged", "+5pp", "shop.find", 3, PYTHON, FAIL, OVER, .text = {usual, slightly}},
    };
    static const struct taken whole = {.format = GATE_FORMAT_COLLAPSED, .equal = GATE_EQUAL_RUN};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_taken(&rows[i], &whole, i);
}

/* shop.a gained 800 samples. The minified functions lost 450, so it may have been one of them, or nothing. */
TEST(growth_is_undecided_if_minified_functions_lost_half_of_it) {
#define BESIDE "shop.serve;shop.b 1500\nshop.serve;shop.c 1500\nshop.serve;shop.d 1500\n"
    static const char before[] = BESIDE "shop.serve;shop.a 100\n(minified) dist/shop.js 500\n";
    static const char lost[] = BESIDE "shop.serve;shop.a 900\n(minified) dist/shop.js 50\n";
    static const char kept[] = BESIDE "shop.serve;shop.a 900\n(minified) dist/shop.js 500\n";
#undef BESIDE
    static const struct stacks_case rows[] = {
        {"charged", "+5pp", "shop.a", 3, NODE, OPEN, GATE_REASON_MINIFIED, .text = {before, lost}},
        {"charged", "+5pp", "shop.a", 3, NODE, FAIL, OVER, .text = {before, kept}},
    };
    static const struct taken taken = {.format = GATE_FORMAT_COLLAPSED, .minified = "dist/shop.js"};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_taken(&rows[i], &taken, i);
}

/* The canary's binary has no symbols: shop.old and its callee have no names there, and the profile more samples of
 * them. It fails if new code with a name is over the limit by itself, if the baseline lost no code, or if the code
 * without names has own callers, to which it is charged. */
TEST(new_code_without_names_is_undecided_if_the_baseline_lost_code) {
#define BESIDE "shop.serve;shop.b 1500\nshop.serve;shop.c 1500\nshop.serve;shop.d 1500\nshop.serve;shop.e 1500\n"
    static const char before[] = BESIDE "shop.old;shop.sort 800\nshop.old;shop.sum 700\n";
    static const char stripped[] = BESIDE "shop.binary 3000\n";
    static const char both[] = BESIDE "shop.binary 1500\nshop.audit 4000\n";
    static const char alone[] = BESIDE;
    static const char partly[] = BESIDE "shop.binary 500\nshop.old;shop.sort 800\nshop.old;shop.sum 700\n";
    static const char more[] = BESIDE "shop.binary 2000\n", most[] = BESIDE "shop.binary 4000\n";
    static const char beneath[] = BESIDE "shop.serve;shop.binary 3000\nshop.audit 4000\n";
    static const char replaced[] = BESIDE "shop.binary 2000\nshop.new 1400\n";
#undef BESIDE
    static const struct stacks_case rows[] = {
        {"charged", "+5pp", "(own code of one side only)", 3, GO, OPEN, GATE_REASON_NAMELESS,
         .text = {before, stripped}},
        {"charged", "+5pp", "(own code of one side only)", 3, GO, FAIL, OVER, .text = {before, both}},
        {"charged", "+5pp", "(own code of one side only)", 3, GO, FAIL, OVER, .text = {alone, stripped}},
        {"charged", "+5pp", "(own code of one side only)", 3, GO, FAIL, OVER, .text = {before, beneath}},
        /* Some functions have no name on either side. */
        {"charged", "+5pp", "shop.binary", 3, GO, OPEN, GATE_REASON_NAMELESS, .text = {partly, more}},
        {"charged", "+5pp", "shop.binary", 3, GO, FAIL, OVER, .text = {partly, most}},
        {"charged", "+5pp", "shop.binary", 3, GO, FAIL, OVER, .text = {partly, replaced}},
    };
    static const struct taken taken = {.format = GATE_FORMAT_COLLAPSED, .nameless = "shop.binary"};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_taken(&rows[i], &taken, i);
}

/* f costs three times as much, and its caller less, because g became cheaper by more. */
TEST(a_ratio_beside_a_larger_saving_is_excused_within_a_limit_in_points) {
#define STACKS(f, g)                                                                                                   \
    "shop.main;shop.e;shop.f " f "\nshop.main;shop.e;shop.g " g "\nshop.main;shop.h 1400\nshop.main;shop.i 1300\n"     \
    "shop.main;shop.j 1300\n"
    static const struct {
        const char *canary, *beside;
        enum gate_outcome outcome;
        enum gate_reason reason;
        bool is_of_user; /* the rules are a file of the user, and no preset */
    } rows[] = {
        {STACKS("240", "100"), "{share_increase: +5pp}", OPEN, GATE_REASON_SHIFT, false},
        {STACKS("165", "100"), "{share_increase: +5pp}", WARN, GATE_REASON_SHIFT, false}, /* not confirmed */
        /* A limit on a ratio that the user wrote holds whatever other budgets allow. */
        {STACKS("240", "100"), "{share_increase: +50pp}", FAIL, OVER, true},
        {STACKS("165", "100"), "{share_increase: +50pp}", OPEN, GATE_REASON_UNCONFIRMED, true},
        /* Its growth is within the limit in points as measured, over it, or there is no such limit. */
        {STACKS("240", "100"), "{share_increase: +4pp}", OPEN, GATE_REASON_SHIFT, false},
        {STACKS("165", "100"), "{share_increase: +2.2pp}", OPEN, GATE_REASON_UNCONFIRMED, false},
        {STACKS("240", "100"), "{share_increase: +2pp}", FAIL, OVER, false},
        {STACKS("240", "100"), "{increase: +90%}", FAIL, OVER, false},
        {STACKS("240", "100"), "{share_increase: {warn: +5pp}}", FAIL, OVER, false},
        {STACKS("240", "400"), "{share_increase: +5pp}", FAIL, OVER, false}, /* the caller fell by less than f gained */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct stacks_case row = {
            "charged", "{increase: +100%}", "shop.f",       3,
            GO,        rows[i].outcome,     rows[i].reason, .text = {STACKS("80", "500"), rows[i].canary}};
        const struct taken taken = {.format = GATE_FORMAT_PPROF,
                                    .type = "cpu",
                                    .work = {1.0, 1.0},
                                    .beside = rows[i].beside,
                                    .source = rows[i].is_of_user ? NULL : "recommended (built in)"};
        assert_taken(&row, &taken, i);
    }
#undef STACKS
}
