/* SPDX-License-Identifier: Apache-2.0 */
/* compare/moved_functions.h: functions that live elsewhere in the canary or in later builds, under the same name. */
#include "tests/unit/pair_fixture.h"
#include "tests/unit/sweep.h"

#include "gate/base/buf.h"
#include "gate/compare/moved_functions.h"

/* Compare two builds, and expect the text on what moved: the first function and the number of others. */
static void assert_text(struct pair_fixture *pair, const char *baseline, const char *canary, const char *expected) {
    const struct gate_pair_options options = {.folds = true};
    fixture_add(pair, GATE_BASELINE, baseline);
    fixture_add(pair, GATE_CANARY, canary);
    fixture_make(pair, &options);
    if (!gate_str_equal(pair->pair.moved, gate_str_from(expected)))
        fail_msg("%.*s for %s", GATE_STR_ARG(pair->pair.moved), canary);
}

/* The same; what moved has one name on both sides, so that a second search finds no more. */
static void assert_moved(const char *baseline, const char *canary, const char *expected) {
    AT_END(fixture_end) struct pair_fixture pair = {0};
    struct gate_moved_functions functions;
    assert_text(&pair, baseline, canary, expected);
    assert_true(gate_moved_functions_find(&functions, &pair.pair, &pair.arena, &pair.err));
    assert_int_equal(functions.names.count, 0);
}

TEST(a_function_that_moved_has_the_same_caller) {
    static const struct {
        const char *baseline, *canary, *moved;
    } rows[] = {
        /* to a file that both sides have */
        {"main (app.py:9);rate (cart.py:4) 10\nmain (app.py:9);load (cart.py:1);read (bill.py:1) 10\n",
         "main (app.py:9);rate (bill.py:4) 10\nmain (app.py:9);load (cart.py:1);read (bill.py:1) 10\n",
         "rate (cart.py) is rate (bill.py)"},
        /* a function that became a method, another receiver, another class */
        {"main.main;main.price 10\n", "main.main;main.(*Cart).price 10\n", "main.price is main.(*Cart).price"},
        {"main.main;main.(*Old).price 10\n", "main.main;main.(*New).price 10\n",
         "main.(*Old).price is main.(*New).price"},
        {"acme/App.run;acme/Cart.price 10\nacme/App.run;acme/Cart.total 10\n",
         "acme/App.run;acme/Prices.price 10\nacme/App.run;acme/Cart.total 10\n",
         "acme/Cart.price is acme/Prices.price"},
        /* beneath a lambda of the JVM, whose class stays for other lambdas */
        {"acme/App.run;acme/Text.near;java/util/List.map;acme/Text$$Lambda$1.run;acme/Text.lambda$near$0;acme/"
         "Text.step 10\n"
         "acme/App.run;acme/Text.clean;java/util/List.map;acme/Text$$Lambda$2.run;acme/Text.lambda$clean$1 10\n",
         "acme/App.run;acme/Near.near;java/util/List.map;acme/Near$$Lambda$1.run;acme/Near.lambda$near$0;acme/"
         "Near.step 10\n"
         "acme/App.run;acme/Text.clean;java/util/List.map;acme/Text$$Lambda$2.run;acme/Text.lambda$clean$0 10\n",
         "acme/Text.step is acme/Near.step, and 2 more"},
        /* two functions of a name, each with its own caller */
        {"main;a;p.sum 10\nmain;b;q.sum 10\n", "main;a;r.sum 10\nmain;b;s.sum 10\n", "p.sum is r.sum, and 1 more"},
        /* callers that moved themselves */
        {"main.main;main.(*A).a;main.(*A).sum 10\nmain.main;main.(*B).b;main.(*B).sum 10\n",
         "main.main;main.(*C).a;main.(*C).sum 10\nmain.main;main.(*D).b;main.(*D).sum 10\n",
         "main.(*A).sum is main.(*C).sum, and 3 more"},
        /* the same, with a library function between them */
        {"main.main;main.(*A).a;sort.Slice;main.(*A).less 10\nmain.main;main.(*B).b;sort.Slice;main.(*B).less 10\n",
         "main.main;main.(*C).a;sort.Slice;main.(*C).less 10\nmain.main;main.(*D).b;sort.Slice;main.(*D).less 10\n",
         "main.(*A).less is main.(*C).less, and 3 more"},
        /* below a caller with another name: the nearest function that both sides have */
        {"main;p.old;p.sum 10\n", "main;r.fresh;r.sum 10\n", "p.sum is r.sum"},
        /* in the middle of stacks */
        {"main;a;p.sum;leaf 10\nmain;b;x 10\n", "main;a;r.sum;leaf 10\nmain;b;x 10\n", "p.sum is r.sum"},
        /* below library functions alone: the one above is the caller */
        {"runtime.goexit;sort.Slice;main.(*A).less 10\nruntime.goexit;slices.Sort;main.(*B).less 10\n",
         "runtime.goexit;sort.Slice;main.(*C).less 10\nruntime.goexit;slices.Sort;main.(*D).less 10\n",
         "main.(*A).less is main.(*C).less, and 1 more"},
        /* two functions of one name, one after the other: the second one's caller moved */
        {"main;a;p1.sum 10\nmain;b;p3.x;p2.sum 10\n",
         "main;a;r1.sum 10\nmain;b;r3.x;r1.sum 10\nmain;b;r3.x;r2.sum 10\n", "p1.sum is r1.sum, and 2 more"},
        /* an ancestor identifies "sum", which is then the caller that identifies the first "k" */
        {"main;a;p.old;p.sum;p1.k 10\nmain;a;p.odd;p2.k 10\n", "main;a;r.fresh;r.sum;r1.k 10\nmain;a;r.even;r2.k 10\n",
         "p1.k is r1.k, and 2 more"},
        /* callers decide before ancestors, which would match another function */
        {"main.main;main.a;main.(*A).x;main.(*A).sum 10\nmain.main;main.c;main.(*A).x 20\nmain.main;main.b;main.y 5\n",
         "main.main;main.b;main.(*B).x;main.(*B).sum 10\nmain.main;main.c;main.(*B).x 20\nmain.main;main.a;main.sum "
         "9\n",
         "main.(*A).sum is main.(*B).sum, and 1 more"},
        /* half of the cost of each is in a caller in common, which is not the first one */
        {"main;b;p.sum 10\nmain;a;p.sum 10\nmain;c;x 5\n", "main;c;r.sum 10\nmain;a;r.sum 10\nmain;b;x 5\n",
         "p.sum is r.sum"},
        {"main;a;p.sum 10\nmain;b;p.sum 10\nmain;c;x 5\n", "main;c;r.sum 10\nmain;a;r.sum 10\nmain;b;x 5\n",
         "p.sum is r.sum"},
        /* below other names on both sides, the functions that both sides have show which is which */
        {"main;a;p.old;p.sum 10\nmain;b;q.old;q.sum 10\n", "main;a;r.fresh;r.sum 10\nmain;b;s.fresh;s.sum 10\n",
         "p.sum is r.sum, and 1 more"},
        /* below other library functions, where there is no own function; the stack before it is deeper */
        {"main.x;main.a;main.b;main.c 10\nmain.y;main.d 10\nruntime.goexit;sort.Slice;main.(*A).less 10\n",
         "main.y;main.a;main.b;main.c 10\nmain.x;main.d 10\nruntime.goexit;slices.Sort;main.(*B).less 10\n",
         "main.(*A).less is main.(*B).less"},
        /* at the root, where there is no caller */
        {"p.sum 10\nmain;a 10\n", "r.sum 10\nmain;a 10\n", "p.sum is r.sum"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_moved(rows[i].baseline, rows[i].canary, rows[i].moved);
}

TEST(other_functions_of_the_name_are_left_apart) {
    static const struct {
        const char *baseline, *canary;
    } rows[] = {
        /* a cheap caller in common, but the cost is in others: b lost it, and c gained it */
        {"main;a;p.sum 2\nmain;b;p.sum 30\nmain;c;z 5\n", "main;a;r.sum 2\nmain;b;k 5\nmain;c;r.sum 37\n"},
        {"main;a;p.sum 2\nmain;b;x 5\n", "main;a;r.sum 2\nmain;b;x 5\nmain;b;r.sum 30\n"},
        /* less than half of the cost on one side */
        {"main;b;p.sum 11\nmain;a;p.sum 10\nmain;c;x 5\n", "main;c;r.sum 10\nmain;a;r.sum 10\nmain;b;x 5\n"},
        {"main;b;p.sum 10\nmain;a;p.sum 10\nmain;c;x 5\n", "main;c;r.sum 11\nmain;a;r.sum 10\nmain;b;x 5\n"},
        /* another caller */
        {"main;p.sum 10\nmain;b;x 10\n", "main;x 10\nmain;b;r.sum 10\n"},
        {"main;a;p.sum 10\nmain;b;x 10\n", "main;a;y 10\nmain;b;x;r.sum 10\n"},
        /* two functions may be the new one, or one may be two */
        {"main;p.sum 10\nmain;q.sum 10\n", "main;r.sum 10\n"},
        {"main;p.sum 10\n", "main;r.sum 10\nmain;s.sum 10\n"},
        /* both sides have the function */
        {"main;p.sum 10\n", "main;p.sum 10\nmain;r.sum 10\n"},
        /* closures have no name without their function */
        {"main;p.a.func1 10\n", "main;p.b.func1 10\n"},
        {"main;acme::total::{closure#0} 10\n", "main;acme::load::{closure#0} 10\n"},
        {"main;Cart+<Total>d__3.MoveNext() 10\n", "main;Disk+<Load>d__7.MoveNext() 10\n"},
        /* neither operators nor selectors are alike because of their signs */
        {"main;acme::Cart::operator<(int) 10\n", "main;acme::Disk::operator[](int) 10\n"},
        {"main;-[Cart total] 10\n", "main;-[Disk load] 10\n"},
        {"main;p.sum 10\n", "main;p.add 10\n"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_moved(rows[i].baseline, rows[i].canary, "");
}

/* "md_" is the package of functions of C. All of its functions have another prefix in the canary. */
TEST(functions_of_c_move_with_their_prefix) {
    static const struct {
        const char *baseline, *canary, *moved;
    } rows[] = {
        {"main;md_html;md_parse 10\nmain;x 5\n", "main;doc_html;doc_parse 10\nmain;x 5\n",
         "md_parse is doc_parse, and 1 more"},
        {"main;mdHtml;mdParse 10\n", "main;docHtml;docParse 10\n", "mdParse is docParse, and 1 more"},
        {"main;md_html_open;md_html_close 10\n", "main;doc_html_open;doc_html_close 10\n",
         "md_html_close is doc_html_close, and 1 more"},
        /* half of the functions of the side with fewer */
        {"main;md_a;md_b 10\nmain;md_c;md_d 10\n", "main;doc_a;doc_b 10\nmain;doc_e;doc_f 10\n",
         "md_b is doc_b, and 1 more"},
        /* PHP */
        {"/srv/main.php;md_html;md_parse 10\n", "/srv/main.php;doc_html;doc_parse 10\n",
         "md_parse is doc_parse, and 1 more"},
        /* two prefixes, of which one is the beginning of the other */
        {"main;io_a;io_b;io_c 10\nmain;io_md_x;io_md_y 10\n", "main;fs_a;fs_b;fs_c 10\nmain;doc_x;doc_y 10\n",
         "io_c is fs_c, and 4 more"},
        /* their callees and callers, which are others, do not matter */
        {"main;q;md_a;md_b;strlen 10\n", "main;r;doc_b;doc_a;memcpy 10\n", "md_b is doc_b, and 1 more"},
        /* a function with another file or class has a caller that moved */
        {"main;md_a;p.sum 10\nmain;md_b;q.sum 10\n", "main;doc_a;r.sum 10\nmain;doc_b;s.sum 10\n",
         "p.sum is r.sum, and 3 more"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_moved(rows[i].baseline, rows[i].canary, rows[i].moved);
}

TEST(functions_of_c_that_keep_a_prefix_are_left_apart) {
    static const struct {
        const char *baseline, *canary;
    } rows[] = {
        /* one function */
        {"main;md_html 10\nmain;x 5\n", "main;doc_html 10\nmain;x 5\n"},
        /* the prefix is still there, or was there before */
        {"main;md_html;md_parse 10\nmain;md_keep 5\n", "main;doc_html;doc_parse 10\nmain;md_keep 5\n"},
        {"main;md_html;md_parse 10\nmain;doc_keep 5\n", "main;doc_html;doc_parse 10\nmain;doc_keep 5\n"},
        {"main;md_html;md_parse 10\n", "main;doc_html;doc_parse 10\nmain;md_fresh 5\n"},
        {"main;md_html;md_parse 10\nmain;doc_gone 5\n", "main;doc_html;doc_parse 10\n"},
        /* less than half of the functions */
        {"main;md_a;md_b;md_c;md_d;md_e 10\n", "main;doc_a;doc_b;doc_v;doc_w;doc_x 10\n"},
        /* not at the start of a word */
        {"main;mdhtml;mdparse 10\n", "main;dochtml;docparse 10\n"},
        {"main;fopen;fclose 10\n", "main;popen;pclose 10\n"},
        /* no prefix on one side */
        {"main;md_html;md_parse 10\n", "main;html;parse 10\n"},
        /* a capital letter that begins no word */
        {"main;md_A;md_B 10\n", "main;XMLA;XMLB 10\n"},
        /* Ruby, whose packages are modules */
        {"block in main;md_html;md_parse 10\n", "block in main;doc_html;doc_parse 10\n"},
        /* not identifiers */
        {"main;a.md_html();a.md_parse() 10\n", "main;a.doc_html();a.doc_parse() 10\n"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_moved(rows[i].baseline, rows[i].canary, "");
}

/* Functions that are too many to compare stay as they are. */
TEST(five_hundred_functions_of_c_are_compared) {
    for (int count = 500; count <= 501; count++) {
        AT_END(gate_buf_free) struct gate_buf before = {0};
        AT_END(gate_buf_free) struct gate_buf after = {0};
        for (int i = 0; i < count; i++) {
            gate_buf_printf(&before, "main;md_f%d 10\n", i);
            gate_buf_printf(&after, "main;doc_f%d 10\n", i);
        }
        gate_buf_char(&before, '\0');
        gate_buf_char(&after, '\0');
        assert_moved(before.ptr, after.ptr, count == 500 ? "md_f0 is doc_f0, and 499 more" : "");
    }
}

/* Recursion is no caller, and a library function between them does not matter. */
TEST(the_caller_is_the_nearest_own_function) {
    assert_moved("main;a;p.sum;p.sum 10\nmain;b;x 10\n", "main;a;r.sum;r.sum;r.sum 10\nmain;b;x 10\n",
                 "p.sum is r.sum");
    assert_moved("main.main;main.a;sort.Slice;main.(*Old).less 10\nmain.main;main.b;sort.Slice;main.(*Odd).less 10\n",
                 "main.main;main.a;slices.Sort;main.(*New).less 10\nmain.main;main.b;slices.Sort;main.(*Now).less 10\n",
                 "main.(*Old).less is main.(*New).less, and 1 more");
}

TEST(exact_names_and_coarse_frames_are_not_joined) {
    static const struct gate_pair_options options[] = {
        {.folds = true, .frames = {.exact_names = true}},
        {.folds = true, .frames = {.granularity = GATE_BY_PACKAGE}},
        {.folds = false},
    };
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        AT_END(fixture_end) struct pair_fixture pair = {0};
        fixture_add(&pair, GATE_BASELINE, "main.main;main.price 10\n");
        fixture_add(&pair, GATE_CANARY, "main.main;main.(*Cart).price 10\n");
        fixture_make(&pair, &options[i]);
        assert_int_equal(pair.pair.moved.len, 0);
    }
}

/* Costs on both sides of a joined function are those of one function, in all runs. */
TEST(a_joined_function_has_the_costs_of_both_names) {
    const struct gate_pair_options options = {.folds = true};
    AT_END(fixture_end) struct pair_fixture pair = {0};
    for (int run = 0; run < 2; run++) {
        fixture_add(&pair, GATE_BASELINE, "main;a;p.sum 10\nmain;b 5\n");
        fixture_add(&pair, GATE_CANARY, "main;a;r.sum 30\nmain;b 5\n");
    }
    fixture_make(&pair, &options);
    assert_int_equal(pair.pair.frame_count, 4);
    assert_int_equal(fixture_value(&pair, "r.sum", GATE_CHARGED, GATE_BASELINE), 20);
    assert_int_equal(fixture_value(&pair, "r.sum", GATE_CHARGED, GATE_CANARY), 60);
    assert_int_equal(pair.pair.one_sided, GATE_NO_INDEX);
}

/* Put builds into a series. `builds` ends with NULL. */
static void series_make(struct pair_fixture *pair, const char *const *builds) {
    for (uint32_t i = 0; builds[i] != NULL; i++)
        fixture_add(pair, GATE_BASELINE, builds[i]);
    pair->inputs[GATE_CANARY][0] = pair->inputs[GATE_BASELINE][0];
    pair->counts[GATE_CANARY] = 1;
    fixture_make(pair, NULL);
}

TEST(a_function_of_a_series_moved_if_it_begins_where_it_ended) {
    static const struct {
        const char *builds[5], *moved;
    } rows[] = {
        {{"main;p.sum 20\n", "main;p.sum 20\n", "main;r.sum 20\n", "main;r.sum 20\n"}, "p.sum is r.sum"},
        /* twice */
        {{"main;p.sum 40\nmain;x 5\n", "main;q.sum 40\nmain;x 5\n", "main;q.sum 40\n", "main;r.sum 40\n"},
         "p.sum is r.sum, and 1 more"},
        /* with a caller that moved in another build */
        {{"main;a;A.run;A.sum 20\nmain;b;B.run;B.sum 20\n", "main;a;A.run;C.sum 20\nmain;b;B.run;D.sum 20\n",
          "main;a;C.run;C.sum 20\nmain;b;D.run;D.sum 20\n", "main;a;C.run;C.sum 20\nmain;b;D.run;D.sum 20\n"},
         "A.sum is C.sum, and 3 more"},
        /* a build between them lacks both by chance: 12.7 events of 19 are expected */
        {{"main;p.sum 20\nmain;x 10\n", "main;x 19\n", "main;r.sum 20\nmain;x 10\n"}, "p.sum is r.sum"},
        {{"main;p.sum 20\nmain;x 10\n", "main;x 30\n", "main;r.sum 20\nmain;x 10\n"}, ""},
        /* either may be missing by chance: 19 events are expected */
        {{"main;p.sum 19\nmain;x 100\n", "main;p.sum 19\nmain;x 100\n", "main;r.sum 20\nmain;x 99\n"}, ""},
        {{"main;p.sum 20\nmain;x 99\n", "main;r.sum 19\nmain;x 100\n", "main;r.sum 19\nmain;x 100\n"}, ""},
        /* both at once, and another caller */
        {{"main;p.sum 20\n", "main;p.sum 20\nmain;r.sum 20\n", "main;r.sum 20\n"}, ""},
        {{"main;a;p.sum 20\nmain;b 9\n", "main;b;r.sum 20\nmain;a 9\n"}, ""},
        /* one becomes two */
        {{"main;p.sum 40\n", "main;r.sum 20\nmain;s.sum 20\n"}, ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        AT_END(fixture_end) struct pair_fixture pair = {0};
        series_make(&pair, rows[i].builds);
        if (!gate_str_equal(pair.pair.moved, gate_str_from(rows[i].moved)))
            fail_msg("row %zu: %.*s", i, GATE_STR_ARG(pair.pair.moved));
    }
}

TEST(a_function_of_a_series_has_its_newest_name_in_all_builds) {
    AT_END(fixture_end) struct pair_fixture pair = {0};
    series_make(
        &pair, (const char *const[]){"main;p.sum 20\n", "main;q.sum 30\n", "main;q.sum 40\n", "main;r.sum 50\n", NULL});
    assert_int_equal(pair.pair.frame_count, 2);
    for (uint32_t build = 0; build < 4; build++)
        assert_int_equal(gate_tally_at(&pair.deltas, GATE_CHARGED, build, fixture_frame(&pair, "r.sum"))->value,
                         20 + 10 * build);
}

TEST(functions_with_another_prefix_have_the_costs_of_both_names) {
    const struct gate_pair_options options = {.folds = true};
    AT_END(fixture_end) struct pair_fixture pair = {0};
    fixture_add(&pair, GATE_BASELINE, "main;md_a;md_b 20\nmain;md_a 5\n");
    fixture_add(&pair, GATE_CANARY, "main;doc_a;doc_b 60\nmain;doc_a 5\nmain;doc_a;doc_rare 1\n");
    fixture_make(&pair, &options);
    assert_int_equal(fixture_value(&pair, "doc_b", GATE_CHARGED, GATE_BASELINE), 20);
    assert_int_equal(fixture_value(&pair, "doc_b", GATE_CHARGED, GATE_CANARY), 60);
    assert_int_equal(fixture_value(&pair, "doc_a", GATE_CHARGED, GATE_CANARY), 6); /* with doc_rare */
    assert_true(gate_str_equal(pair.pair.frames[fixture_frame(&pair, "doc_b")].old_name, GATE_STR("md_b")));
}

/* Append stacks of `count` functions of a package, all named "f", each with a caller of its own. */
static void namesakes_put(struct gate_buf *out, char package, int count) {
    for (int i = 0; i < count; i++)
        gate_buf_printf(out, "main;c%d;%c%d.f 10\n", i, package, i);
}

/* Functions of one name that are too many to compare on a side stay as they are; the others are found. */
TEST(eight_functions_of_one_name_are_compared) {
    static const struct {
        int before, after;
        const char *moved;
    } rows[] = {
        {8, 8, "p.sum is r.sum, and 8 more"},
        {9, 9, "p.sum is r.sum"},
        {8, 9, "p.sum is r.sum"},
        {9, 8, "p.sum is r.sum"},
        {1, 9, "p.sum is r.sum"},
        {9, 1, "p.sum is r.sum"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        AT_END(gate_buf_free) struct gate_buf before = {0};
        AT_END(gate_buf_free) struct gate_buf after = {0};
        gate_buf_text(&before, "main;p.sum 10\n");
        gate_buf_text(&after, "main;r.sum 10\n");
        namesakes_put(&before, 'p', rows[i].before);
        namesakes_put(&after, 'r', rows[i].after);
        gate_buf_char(&before, '\0');
        gate_buf_char(&after, '\0');
        assert_moved(before.ptr, after.ptr, rows[i].moved);
    }
}

/* Further callers are ignored, so that those in common need half of the cost of all. */
TEST(sixteen_callers_are_compared) {
    for (int callers = 31; callers <= 33; callers++) {
        AT_END(gate_buf_free) struct gate_buf before = {0};
        AT_END(gate_buf_free) struct gate_buf after = {0};
        for (int i = 0; i < callers; i++) {
            gate_buf_printf(&before, "main;c%d;p.sum 10\n", i);
            gate_buf_printf(&after, "main;c%d;r.sum 10\n", i);
        }
        gate_buf_char(&before, '\0');
        gate_buf_char(&after, '\0');
        assert_moved(before.ptr, after.ptr, callers <= 32 ? "p.sum is r.sum" : "");
    }
}

/* Append two chains of calls, each level of which is identified by the level above it. The first lines order the levels
 * from the last one to the first, so that a round finds only one. */
static void chains_put(struct gate_buf *out, enum gate_side_name side, int levels) {
    for (int level = levels; level > 0; level--)
        gate_buf_printf(out, "%c.g%d 1\n%c.g%d 1\n", "pr"[side], level, "qs"[side], level);
    for (int chain = 0; chain < 2; chain++) {
        gate_buf_printf(out, "main;%c", "ab"[chain]);
        for (int level = 1; level <= levels; level++)
            gate_buf_printf(out, ";%c.g%d", chain == 0 ? "pr"[side] : "qs"[side], level);
        gate_buf_text(out, " 100\n");
    }
    gate_buf_char(out, '\0');
}

TEST(callers_that_moved_are_followed_for_32_rounds) {
    for (int levels = 32; levels <= 33; levels++) {
        AT_END(fixture_end) struct pair_fixture pair = {0};
        AT_END(gate_buf_free) struct gate_buf before = {0};
        AT_END(gate_buf_free) struct gate_buf after = {0};
        chains_put(&before, GATE_BASELINE, levels);
        chains_put(&after, GATE_CANARY, levels);
        assert_text(&pair, before.ptr, after.ptr, "p.g32 is r.g32, and 63 more");
    }
}

/* The callers in all runs count: the function is in the baseline's second run, and in the canary's first. */
TEST(a_function_is_in_some_runs) {
    const struct gate_pair_options options = {.folds = true};
    AT_END(fixture_end) struct pair_fixture pair = {0};
    fixture_add(&pair, GATE_BASELINE, "main;a;x 10\n");
    fixture_add(&pair, GATE_BASELINE, "main;a;p.sum 10\n");
    fixture_add(&pair, GATE_CANARY, "main;a;r.sum 10\n");
    fixture_add(&pair, GATE_CANARY, "main;a;x 10\n");
    fixture_make(&pair, &options);
    assert_true(gate_str_equal(pair.pair.moved, GATE_STR("p.sum is r.sum")));
}

/* Exact names are not joined by the pair, so that there is something to find. */
TEST(find_ends_within_any_memory) {
    const struct gate_pair_options options = {.folds = true, .frames = {.exact_names = true}};
    AT_END(fixture_end) struct pair_fixture pair = {0};
    fixture_add(&pair, GATE_BASELINE, "main;a;p.sum 10\nmain;b;q.sum 10\n");
    fixture_add(&pair, GATE_CANARY, "main;a;r.sum 10\nmain;b;s.sum 10\n");
    fixture_make(&pair, &options);
    for (struct sweep s = {0}; sweep_next(&s, 8);) {
        struct gate_moved_functions functions;
        if (!gate_moved_functions_find(&functions, &pair.pair, &s.arena, &s.err))
            continue;
        assert_int_equal(functions.names.count, 2);
        assert_true(gate_str_equal(gate_moved_functions_name(&functions, GATE_STR("q.sum")), GATE_STR("s.sum")));
        assert_true(gate_str_equal(gate_moved_functions_name(&functions, GATE_STR("main")), GATE_STR("main")));
        struct gate_str list = gate_moved_functions_list(&functions, &s.arena);
        s.done = list.ptr != NULL;
        if (!s.done)
            (void)gate_arena_error(&s.arena, &s.err);
    }
}

TEST(find_in_a_series_ends_within_any_memory) {
    const struct gate_pair_options options = {.frames = {.exact_names = true}};
    AT_END(fixture_end) struct pair_fixture pair = {0};
    fixture_add(&pair, GATE_BASELINE, "main;a;p.sum 20\n");
    fixture_add(&pair, GATE_BASELINE, "main;a;r.sum 20\n");
    pair.inputs[GATE_CANARY][0] = pair.inputs[GATE_BASELINE][0];
    pair.counts[GATE_CANARY] = 1;
    fixture_make(&pair, &options);
    for (struct sweep s = {0}; sweep_next(&s, 8);) {
        struct gate_moved_functions functions;
        if (!gate_moved_functions_find(&functions, &pair.pair, &s.arena, &s.err))
            continue;
        assert_int_equal(functions.names.count, 1);
        s.done = true;
    }
}
