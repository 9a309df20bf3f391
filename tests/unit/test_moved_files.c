/* SPDX-License-Identifier: Apache-2.0 */
/* compare/moved_files.h: functions of a file that moved keep their names. */
#include "tests/unit/pair_fixture.h"

#include "gate/base/buf.h"

/* Compare two builds of two runs each, and expect the names of the pair's frames, in their order. */
static void assert_names(const char *baseline, const char *canary, bool exact_names, const char *expected) {
    const struct gate_pair_options options = {.frames = {.exact_names = exact_names}};
    AT_END(fixture_end) struct pair_fixture pair = {0};
    for (int run = 0; run < 2; run++) {
        fixture_add(&pair, GATE_BASELINE, baseline);
        fixture_add(&pair, GATE_CANARY, canary);
    }
    fixture_make(&pair, &options);
    AT_END(gate_buf_free) struct gate_buf line = {0};
    for (uint32_t i = 0; i < pair.pair.frame_count; i++) {
        gate_buf_text(&line, i == 0 ? "" : ", ");
        gate_buf_str(&line, pair.pair.frames[i].name);
    }
    if (!gate_str_equal(gate_buf_view(&line), gate_str_from(expected)))
        fail_msg("%.*s", GATE_STR_ARG(gate_buf_view(&line)));
}

TEST(functions_keep_the_file_of_the_canary) {
    const char *file = "main (app.py:9);f (shop/cart.py:4) 10\n",
               *package = "main (app.py:9);f (shop/cart/__init__.py:5) 10\n";
    assert_names(file, package, false, "f (shop/cart/__init__.py), main (app.py)");
    assert_names(package, file, false, "f (shop/cart.py), main (app.py)");
}

TEST(folders_of_releases_do_not_matter) {
    assert_names("main (app.py:9);f (/srv/releases/20261101/cart.py:4) 10\n",
                 "main (app.py:9);f (/srv/releases/20261108/cart/__init__.py:4) 10\n", false,
                 "f (/srv/releases/*/cart/__init__.py), main (app.py)");
}

TEST(a_module_that_a_side_has_in_both_forms_is_two) {
    const char *both = "main (app.py:9);f (cart.py:4) 10\nmain (app.py:9);g (cart/__init__.py:4) 10\n";
    assert_names(both, "main (app.py:9);f (cart/__init__.py:4) 10\n", false,
                 "f (cart.py), main (app.py), g (cart/__init__.py), f (cart/__init__.py)");
    assert_names("main (app.py:9);f (cart.py:4) 10\n", both, false, "f (cart.py), main (app.py), g (cart/__init__.py)");
}

TEST(other_modules_and_exact_names_stay) {
    assert_names("main (app.py:9);f (a/cart.py:4) 10\n", "main (app.py:9);f (b/cart/__init__.py:4) 10\n", false,
                 "f (a/cart.py), main (app.py), f (b/cart/__init__.py)");
    assert_names("main (app.py:9);f (cart.py:4) 10\n", "main (app.py:9);f (cart/__init__.py:4) 10\n", true,
                 "f (cart.py), main (app.py), f (cart/__init__.py)");
    /* not of Python: a file in brackets is part of these names */
    assert_names("main;f (cart.py) 10\n", "main;f (cart/__init__.py) 10\n", false, "f (cart/__init__.py), main");
}

TEST(folders_of_another_name_are_one) {
    assert_names("main (/srv/blue/app.py:9);f (/srv/blue/shop/cart.py:4) 10\n",
                 "main (/srv/green/app.py:9);f (/srv/green/shop/cart.py:4) 10\n", false,
                 "f (/srv/green/shop/cart.py), main (/srv/green/app.py)");
    /* the program moved into a folder */
    assert_names("main (app.py:9);f (shop/cart.py:4) 10\n", "main (src/app.py:9);f (src/shop/cart.py:4) 10\n", false,
                 "f (src/shop/cart.py), main (src/app.py)");
    /* Ruby's names, and a file that stays */
    assert_names("run - /srv/a/app.rb:1;add - /srv/a/cart.rb:2;sort - /usr/list.rb:3 10\n",
                 "run - /srv/b/app.rb:1;add - /srv/b/cart.rb:2;sort - /usr/list.rb:3 10\n", false,
                 "sort - /usr/list.rb, add - /srv/b/cart.rb, run - /srv/b/app.rb");
}

TEST(two_files_tell_a_folder_or_the_only_one) {
    assert_names("main (app.py:9);f (old/cart.py:4) 10\n", "main (app.py:9);f (new/cart.py:4) 10\n", false,
                 "f (new/cart.py), main (app.py)");
    /* one of two files: an "utils.py" in another folder is another file */
    assert_names("main (app.py:9);f (old/utils.py:4);g (old/cart.py:4) 10\n", "main (app.py:9);f (new/utils.py:4) 10\n",
                 false, "g (old/cart.py), f (old/utils.py), main (app.py), f (new/utils.py)");
    /* two of five files */
    assert_names("main (app.py:9);f (old/a.py:4);f (old/b.py:4);f (old/c.py:4);f (old/d.py:4);f (old/e.py:4) 10\n",
                 "main (app.py:9);f (new/a.py:4);f (new/b.py:4) 10\n", false,
                 "f (old/e.py), f (old/d.py), f (old/c.py), f (old/b.py), f (old/a.py), main (app.py), f (new/b.py), f "
                 "(new/a.py)");
    /* names end alike, but not at a folder */
    assert_names("main (app.py:9);f (a/cart.py:4) 10\n", "main (app.py:9);f (b/mycart.py:4) 10\n", false,
                 "f (a/cart.py), main (app.py), f (b/mycart.py)");
}

/* Half of the functions, of the file with fewer, and one that only these two files have tell a file with another name
 * in its folder. */
TEST(a_file_of_another_name_has_the_same_functions) {
    static const struct {
        const char *before, *after, *names;
    } rows[] = {
        {"run (shop/app.py:9);rate (shop/rates.py:4) 10\n", "run (shop/app.py:9);rate (shop/tariffs.py:4) 10\n",
         "rate (shop/tariffs.py), run (shop/app.py)"},
        {"run (app.py:9);rate (rates.py:4);load (rates.py:2) 10\n",
         "run (app.py:9);rate (new.py:4);save (new.py:2) 10\n",
         "load (new.py), rate (new.py), run (app.py), save (new.py)"},
        {"run (app.py:9);rate (rates.py:4);load (rates.py:2);put (rates.py:7) 10\n",
         "run (app.py:9);rate (new.py:4);save (new.py:2);add (new.py:5) 10\n",
         "put (rates.py), load (rates.py), rate (rates.py), run (app.py), add (new.py), save (new.py), rate (new.py)"},
        /* another file has a function of this name, it names nothing, or the ending differs */
        {"run (app.py:9);run (rates.py:4) 10\n", "run (app.py:9);run (new.py:4) 10\n",
         "run (rates.py), run (app.py), run (new.py)"},
        {"run (app.py:9);<module> (rates.py:4) 10\n", "run (app.py:9);<module> (new.py:4) 10\n",
         "<module> (rates.py), run (app.py), <module> (new.py)"},
        {"run (app.py:9);rate (rates.py:4) 10\n", "run (app.py:9);rate (new.pyx:4) 10\n",
         "rate (rates.py), run (app.py), rate (new.pyx)"},
        /* two files may be the new one, or one may be two */
        {"run (app.py:9);rate (rates.py:4);load (rates.py:2) 10\n", "run (app.py:9);rate (a.py:4);load (b.py:2) 10\n",
         "load (rates.py), rate (rates.py), run (app.py), load (b.py), rate (a.py)"},
        {"run (app.py:9);rate (a.py:4);load (b.py:2) 10\n", "run (app.py:9);rate (rates.py:4);load (rates.py:2) 10\n",
         "load (b.py), rate (a.py), run (app.py), load (rates.py), rate (rates.py)"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_names(rows[i].before, rows[i].after, false, rows[i].names);
}

/* Traffic moved from one part of a program to another: all parts have files of these names, with other functions. */
TEST(other_functions_tell_another_part) {
    assert_names("main (app.py:9);list (orders/views.py:4);load (orders/models.py:4) 10\n",
                 "main (app.py:9);login (users/views.py:4);check (users/models.py:4) 10\n", false,
                 "load (orders/models.py), list (orders/views.py), main (app.py), check (users/models.py), login "
                 "(users/views.py)");
    /* one of two is enough: the other one may have no sample */
    assert_names("main (app.py:9);list (orders/views.py:4);load (orders/models.py:4) 10\n",
                 "main (app.py:9);list (sales/views.py:4);fetch (sales/models.py:4) 10\n", false,
                 "load (sales/models.py), list (sales/views.py), main (app.py), fetch (sales/models.py)");
}

/* Both folders have a file that the canary has once. */
TEST(a_file_of_the_canary_is_taken_once) {
    assert_names("f (a/x.py:1);f (a/y.py:1);f (a/z.py:1);f (b/x.py:1);f (b/y.py:1) 10\n",
                 "f (c/x.py:1);f (c/y.py:1);f (c/z.py:1) 10\n", false,
                 "f (b/y.py), f (b/x.py), f (c/z.py), f (c/y.py), f (c/x.py)");
}

TEST(packages_of_another_name_are_one) {
    assert_names("com/acme/shop/Main.run;com/acme/shop/cart/Cart.price 10\n",
                 "io/newco/Main.run;io/newco/cart/Cart.price 10\n", false,
                 "io/newco/cart/Cart.price, io/newco/Main.run");
    /* one class of several may be another one of this name */
    assert_names("com/acme/Main.run;com/acme/Cart.price 10\n",
                 "com/acme/Main.run;io/newco/Cart.price;io/newco/List.add 10\n", false,
                 "com/acme/Cart.price, com/acme/Main.run, io/newco/List.add, io/newco/Cart.price");
    assert_names("com/acme/Main.run;com/acme/Cart.price 10\n", "io/newco/Main.run;io/newco/Cart.price 10\n", true,
                 "com/acme/Cart.price, com/acme/Main.run, io/newco/Cart.price, io/newco/Main.run");
}

TEST(namespaces_of_another_name_are_one) {
    assert_names("main;shop::Cart::price;shop::round;std::sort<shop::Item const*> 10\nmain;shop::List::add 10\n",
                 "main;a::b::Cart::price;a::b::round;std::sort<a::b::Item const*> 10\nmain;a::b::List::add 10\n", false,
                 "std::sort<a::b::Item const*>, a::b::round, a::b::Cart::price, main, a::b::List::add");
    /* a part of the namespace stays, so that an argument may be of either */
    assert_names("main;shop::Cart::price;std::sort<shop::Item*> 10\nmain;shop::List::add;shop::Item::get 10\n",
                 "main;a::Cart::price;std::sort<shop::Item*> 10\nmain;a::List::add;shop::Item::get 10\n", false,
                 "std::sort<shop::Item*>, a::Cart::price, main, shop::Item::get, a::List::add");
}

static struct gate_str moved_of(struct pair_fixture *pair, const char *baseline, const char *canary) {
    fixture_begin(pair);
    fixture_add(pair, GATE_BASELINE, baseline);
    fixture_add(pair, GATE_CANARY, canary);
    fixture_make(pair, NULL);
    return pair->pair.moved;
}

TEST(the_pair_lists_them) {
    static const struct {
        const char *baseline, *canary, *list;
    } rows[] = {
        {"main (app.py:9);f (cart.py:4) 10\n", "main (app.py:9);f (cart.py:4) 10\n", ""},
        {"main (app.py:9);f (cart.py:4) 10\n", "main (app.py:9);f (cart/__init__.py:4) 10\n",
         "cart.py is cart/__init__.py"},
        {"main (a/app.py:9);f (a/cart.py:4);g (a/list.py:4) 10\n",
         "main (b/app.py:9);f (b/cart.py:4);g (b/list.py:4) 10\n", "a/list.py is b/list.py, and 2 more"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        AT_END(fixture_end) struct pair_fixture pair;
        struct gate_str list = moved_of(&pair, rows[i].baseline, rows[i].canary);
        if (!gate_str_equal(list, gate_str_from(rows[i].list)))
            fail_msg("row %zu: %.*s", i, GATE_STR_ARG(list));
    }
}

/* Return the names of a series of runs, whose first one is the canary, too, as `trend` and `calibrate` make it. */
static struct gate_str names_of_series(struct pair_fixture *pair, const char *const *runs, uint32_t count) {
    struct gate_buf line = {0};
    fixture_begin(pair);
    for (uint32_t run = 0; run < count; run++)
        fixture_add(pair, GATE_BASELINE, runs[run]);
    pair->inputs[GATE_CANARY][pair->counts[GATE_CANARY]++] = pair->inputs[GATE_BASELINE][0];
    fixture_make(pair, NULL);
    for (uint32_t i = 0; i < pair->pair.frame_count; i++) {
        gate_buf_text(&line, i == 0 ? "" : ", ");
        gate_buf_str(&line, pair->pair.frames[i].name);
    }
    return gate_buf_keep(&line, &pair->arena);
}

TEST(a_series_has_the_names_of_its_last_run) {
    const char *blue = "main (/srv/blue/app.py:9);f (/srv/blue/cart.py:4) 10\n",
               *green = "main (/srv/green/app.py:9);f (/srv/green/cart.py:4) 10\n",
               *both = "main (/srv/green/app.py:9);f (/srv/green/cart.py:4);g (/srv/blue/cart.py:2) 10\n";
    const char *const alternating[] = {blue, green, blue, green}, *const early[] = {blue, green, green},
                      *const back[] = {green, blue}, *const together[] = {blue, both, green};
    static const char *const of_green = "f (/srv/green/cart.py), main (/srv/green/app.py)";
    const struct {
        const char *const *runs;
        uint32_t count;
        const char *names;
    } rows[] = {
        {alternating, 4, of_green},
        {early, 3, of_green},
        {back, 2, "f (/srv/blue/cart.py), main (/srv/blue/app.py)"},
        /* a run has both carts, which are two; the one file that is left is no evidence by itself */
        {together, 3,
         "f (/srv/blue/cart.py), main (/srv/blue/app.py), g (/srv/blue/cart.py), f (/srv/green/cart.py), main "
         "(/srv/green/app.py)"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        AT_END(fixture_end) struct pair_fixture pair;
        struct gate_str names = names_of_series(&pair, rows[i].runs, rows[i].count);
        if (!gate_str_equal(names, gate_str_from(rows[i].names)))
            fail_msg("row %zu: %.*s", i, GATE_STR_ARG(names));
    }
}

/* More runs than fit into one word of a file's set of runs. */
TEST(a_long_series_has_the_names_of_its_last_run) {
    const struct gate_pair_options options = {0};
    enum { RUNS = 130 };
    struct gate_run_input runs[RUNS];
    AT_END(fixture_end) struct pair_fixture pair = {0};
    fixture_add(&pair, GATE_BASELINE, "main (/srv/blue/app.py:9);f (/srv/blue/cart.py:4) 10\n");
    fixture_add(&pair, GATE_BASELINE, "main (/srv/green/app.py:9);f (/srv/green/cart.py:4) 10\n");
    for (int run = 0; run < RUNS; run++)
        runs[run] = pair.inputs[GATE_BASELINE][run >= 63 && run <= 65 ? 0 : 1];
    const struct gate_run_input *const sides[GATE_SIDES] = {runs, runs};
    const uint32_t counts[GATE_SIDES] = {RUNS, 1};
    assert_true(gate_pair_make(&pair.pair, sides, counts, &options, &pair.arena, &pair.err));
    assert_int_equal(pair.pair.frame_count, 2);
}

/* Return a profile of V8: the module FOLDER/main.js calls a function without a name of FOLDER/routes.js, and `last`. */
static const char *v8_profile(char (*out)[1024], const char *folder, const char *last) {
    static const char frame[] = "\"callFrame\":{\"functionName\":\"%s\",\"scriptId\":\"1\",\"url\":\"file://%s%s\","
                                "\"lineNumber\":%d,\"columnNumber\":0}";
    AT_END(gate_buf_free) struct gate_buf text = {0};
    gate_buf_text(&text, "{\"nodes\":[{\"id\":1,\"hitCount\":0,\"children\":[2],");
    gate_buf_printf(&text, frame, "", folder, "/main.js", 0);
    gate_buf_text(&text, "},{\"id\":2,\"hitCount\":5,\"children\":[3],");
    gate_buf_printf(&text, frame, "", folder, "/routes.js", 3);
    gate_buf_text(&text, "},{\"id\":3,\"hitCount\":5,");
    gate_buf_printf(&text, frame, last, folder, "/routes.js", 9);
    gate_buf_text(&text, "}],\"startTime\":0,\"endTime\":100,\"samples\":[2,3],\"timeDeltas\":[50,50]}");
    (void)snprintf(*out, sizeof *out, "%.*s", (int)text.len, (const char *)text.ptr);
    return *out;
}

TEST(functions_without_a_name_are_those_of_the_folder_that_moved) {
    static const struct {
        const char *before, *after, *names;
    } rows[] = {
        {"/srv/blue", "/srv/green", "routes.js (anonymous), green/main.js (anonymous), pack"},
        {"/srv/releases/20261101", "/srv/releases/20261108", "routes.js (anonymous), */main.js (anonymous), pack"},
        {"/srv", "/srv", "routes.js (anonymous), srv/main.js (anonymous), pack"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char before[1024], after[1024];
        assert_names(v8_profile(&before, rows[i].before, "pack"), v8_profile(&after, rows[i].after, "pack"), false,
                     rows[i].names);
    }
}
