/* SPDX-License-Identifier: Apache-2.0 */
/* compare/moved_files.h: functions of a file that moved keep their names. */
#include "tests/unit/pair_fixture.h"
#include "tests/unit/sweep.h"

#include "gate/base/buf.h"
#include "gate/compare/moved_files.h"

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

TEST(two_files_or_the_only_one_identify_a_moved_folder) {
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
TEST(a_renamed_file_is_recognised_by_its_functions) {
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
TEST(files_with_other_functions_are_not_joined) {
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
TEST(a_file_of_the_canary_is_joined_with_one_file_only) {
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

/* Classes of the JVM, and modules of Rust and C++, with another name in the same package. */
TEST(a_renamed_class_is_recognised_by_two_of_its_functions) {
    static const struct {
        const char *before, *after, *names;
    } rows[] = {
        {"acme/Main.run;acme/Cart.price;acme/Cart.add 10\n", "acme/Main.run;acme/Basket.price;acme/Basket.add 10\n",
         "acme/Basket.add, acme/Basket.price, acme/Main.run"},
        {"wrap::fill;wrap::indentation::dedent 10\nwrap::fill;wrap::indentation::indent 10\n",
         "wrap::fill;wrap::margins::dedent 10\nwrap::fill;wrap::margins::indent 10\n",
         "wrap::margins::dedent, wrap::fill, wrap::margins::indent"},
        /* the package has another name, too */
        {"acme/shop/Main.run;acme/shop/List.add;acme/shop/Cart.price;acme/shop/Cart.sum 10\n",
         "acme/store/Main.run;acme/store/List.add;acme/store/Basket.price;acme/store/Basket.sum 10\n",
         "acme/store/Basket.sum, acme/store/Basket.price, acme/store/List.add, acme/store/Main.run"},
        /* one function is not enough, and all classes have constructors and may have lambdas */
        {"acme/Main.run;acme/Cart.price 10\n", "acme/Main.run;acme/Basket.price 10\n",
         "acme/Cart.price, acme/Main.run, acme/Basket.price"},
        {"acme/Main.run;acme/Cart.<init>;acme/Cart.lambda$0 10\n",
         "acme/Main.run;acme/Basket.<init>;acme/Basket.lambda$0 10\n",
         "acme/Cart.lambda$*, acme/Cart.<init>, acme/Main.run, acme/Basket.lambda$*, acme/Basket.<init>"},
        /* another class has functions of these names, two classes may be the new one, or the package is another one */
        {"acme/Main.price;acme/Main.add;acme/Cart.price;acme/Cart.add 10\n",
         "acme/Main.price;acme/Main.add;acme/Basket.price;acme/Basket.add 10\n",
         "acme/Cart.add, acme/Cart.price, acme/Main.add, acme/Main.price, acme/Basket.add, acme/Basket.price"},
        {"acme/Main.run;acme/Cart.price;acme/Cart.add 10\n",
         "acme/Main.run;acme/A.price;acme/A.add;acme/B.price;acme/B.add 10\n",
         "acme/Cart.add, acme/Cart.price, acme/Main.run, acme/B.add, acme/B.price, acme/A.add, acme/A.price"},
        {"acme/Main.run;acme/Cart.price;acme/Cart.add 10\n", "acme/Main.run;other/Basket.price;other/Basket.add 10\n",
         "acme/Cart.add, acme/Cart.price, acme/Main.run, other/Basket.add, other/Basket.price"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_names(rows[i].before, rows[i].after, false, rows[i].names);
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

TEST(the_pair_lists_moved_files) {
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

/* Frames of what moved keep their name in the baseline, after the rules of frames.rename; the others have none. */
TEST(moved_functions_keep_their_old_name) {
    struct gate_regex *match = NULL;
    struct gate_error err = {0};
    assert_true(gate_regex_compile(&match, GATE_STR("old"), &err));
    const struct gate_rename rename = {.match = match, .to = GATE_STR("new")};
    const struct gate_pair_options options = {.folds = true, .frames = {.renames = &rename, .rename_count = 1}};
    static const struct {
        const char *name, *old;
    } rows[] = {{"shop/list.Sum", "shop/cart.Sum"},
                {"shop/list.new", "shop/cart.new"},
                {"main.(*B).less", "main.(*A).less"},
                {"main.main", ""}};
    AT_END(fixture_end) struct pair_fixture pair = {0};
    fixture_add(&pair, GATE_BASELINE, "main.main;shop/cart.Sum;shop/cart.old 10\nmain.main;main.(*A).less 10\n");
    fixture_add(&pair, GATE_CANARY, "main.main;shop/list.Sum;shop/list.old 10\nmain.main;main.(*B).less 10\n");
    fixture_make(&pair, &options);
    assert_int_equal(pair.pair.frame_count, 4);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_true(
            gate_str_equal(pair.pair.frames[fixture_frame(&pair, rows[i].name)].old_name, gate_str_from(rows[i].old)));
    gate_regex_free(match);
}

/* A rule of frames.rename may have the name of either side: the baseline's is not replaced by the canary's before. */
TEST(rules_rename_a_moved_function_by_either_name) {
    static const char *const patterns[] = {"^shop/cart[.]old$", "^shop/list[.]old$"};
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        struct gate_regex *match = NULL;
        struct gate_error err = {0};
        assert_true(gate_regex_compile(&match, gate_str_from(patterns[i]), &err));
        const struct gate_rename rename = {.match = match, .to = GATE_STR("shop/list.fresh")};
        const struct gate_pair_options options = {.frames = {.renames = &rename, .rename_count = 1}};
        AT_END(fixture_end) struct pair_fixture pair = {0};
        fixture_add(&pair, GATE_BASELINE, "main.main;shop/cart.Sum;shop/cart.add 30\nmain.main;shop/cart.old 10\n");
        fixture_add(&pair, GATE_CANARY, "main.main;shop/list.Sum;shop/list.add 30\nmain.main;shop/list.fresh 10\n");
        fixture_make(&pair, &options);
        if (pair.pair.frame_count != 4)
            fail_msg("%zu: %u frames, %.*s", i, pair.pair.frame_count, GATE_STR_ARG(pair.pair.moved));
        gate_regex_free(match);
    }
}

/* A package of Go that one side has and one that the other has are one if their functions are, by number and by
 * cost. */
TEST(packages_of_go_with_another_name_are_one) {
#define RUN "runtime.main;main.main;main.serve"
    static const struct {
        const char *before, *after, *list;
    } rows[] = {
        {RUN ";shop/cart.Total 10\n" RUN ";shop/cart.(*Cart).add;shop/cart.Total 10\n",
         RUN ";shop/basket.Total 10\n" RUN ";shop/basket.(*Cart).add;shop/basket.Total 10\n",
         "shop/cart is shop/basket"},
        /* in any folder, with type arguments, closures and a major version */
        {RUN ";example.com/shop/v2/cart.Total[...];example.com/shop/v2/cart.(*Set[go.shape.int]).add.func1 10\n" RUN
             ";example.com/shop/v2/cart.(*Set[go.shape.int]).add 10\n",
         RUN ";example.org/a/b/list.Total[...];example.org/a/b/list.(*Set[go.shape.string]).add.func2 10\n" RUN
             ";example.org/a/b/list.(*Set[go.shape.string]).add 10\n",
         "example.com/shop/cart is example.org/a/b/list"},
        /* a module, with its root */
        {RUN ";example.com/shop.Serve;example.com/shop/cart.New 10\n" RUN ";example.com/shop/page.New 10\n",
         RUN ";example.org/store.Serve;example.org/store/cart.New 10\n" RUN ";example.org/store/page.New 10\n",
         "example.com/shop/cart is example.org/store/cart, and 2 more"},
        /* two packages, distinguished by their functions */
        {RUN ";shop/cart.Total 10\n" RUN ";shop/page.Draw 10\n",
         RUN ";shop/view.Draw 10\n" RUN ";shop/basket.Total 10\n", "shop/cart is shop/basket, and 1 more"},
        /* a name that only looks like that of a closure */
        {RUN ";shop/cart.functions;shop/cart.add 10\n", RUN ";store/list.functions;store/list.add 10\n",
         "shop/cart is store/list"},
        /* one function that counts in another folder, or one of three */
        {RUN ";shop/cart.Total;shop/cart.Total.func1 10\n", RUN ";store/list.Total;store/list.Total.func1 10\n", ""},
        {RUN ";shop/cart.Total;shop/cart.add;shop/cart.load 10\n",
         RUN ";shop/list.Total;shop/list.save;shop/list.put 10\n", ""},
        /* most functions, but not most of the cost, on a side */
        {RUN ";shop/cart.Total 10\n" RUN ";shop/cart.add 10\n" RUN ";shop/cart.load 10\n",
         RUN ";shop/list.Total 10\n" RUN ";shop/list.add 10\n" RUN ";shop/list.save 90\n", ""},
        {RUN ";shop/cart.Total 10\n" RUN ";shop/cart.add 10\n" RUN ";shop/cart.load 90\n",
         RUN ";shop/list.Total 10\n" RUN ";shop/list.add 10\n" RUN ";shop/list.save 10\n", ""},
        /* a name that other packages have, and those that all have */
        {RUN ";shop/cart.New;errors.New 10\n", RUN ";shop/list.New;errors.New 10\n", ""},
        {RUN ";shop/cart.init;shop/cart.init.0;shop/cart.glob..func1 10\n",
         RUN ";shop/list.init;shop/list.init.0;shop/list.glob..func1 10\n", ""},
        /* split in two, and two that became one */
        {RUN ";shop/cart.Total 10\n" RUN ";shop/cart.add 10\n", RUN ";shop/basket.Total 10\n" RUN ";shop/sum.add 10\n",
         ""},
        {RUN ";shop/basket.Total 10\n" RUN ";shop/sum.add 10\n", RUN ";shop/cart.Total 10\n" RUN ";shop/cart.add 10\n",
         ""},
        /* both sides have one of them */
        {RUN ";shop/cart.Total;shop/cart.add;shop/list.put 10\n", RUN ";shop/list.Total;shop/list.add 10\n", ""},
        {RUN ";shop/cart.Total;shop/cart.add 10\n", RUN ";shop/list.Total;shop/list.add;shop/cart.put 10\n", ""},
        /* the main package stays, and so do those of the standard library */
        {"runtime.main;main.main;main.total;main.add 10\n", "runtime.main;shop.main;shop.total;shop.add 10\n", ""},
        {RUN ";sort.Slice;sort.less 10\n", RUN ";slices.Slice;slices.less 10\n", ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        AT_END(fixture_end) struct pair_fixture pair;
        struct gate_str list = moved_of(&pair, rows[i].before, rows[i].after);
        if (!gate_str_equal(list, gate_str_from(rows[i].list)))
            fail_msg("row %zu: %.*s", i, GATE_STR_ARG(list));
    }
#undef RUN
}

TEST(functions_of_go_have_the_package_of_the_canary) {
    const char *before = "main.main;shop/cart.Sum 10\nmain.main;shop/cart.Sum;shop/cart.(*Cart).add.func1 10\n",
               *after = "main.main;shop/list.Sum 10\nmain.main;shop/list.Sum;shop/list.(*Cart).add.func3 10\n";
    assert_names(before, after, false, "shop/list.Sum, main.main, shop/list.(*Cart).add.func*");
    assert_names(before, after, true,
                 "shop/cart.Sum, main.main, shop/cart.(*Cart).add.func1, shop/list.Sum, shop/list.(*Cart).add.func3");
}

/* Return the files that moved if all functions whose names end with `end` are of the module cache on such sides. */
static struct gate_str moved_beside(struct pair_fixture *pair, const char *end, const bool is_cached[GATE_SIDES]) {
    fixture_begin(pair);
    fixture_add(pair, GATE_BASELINE, "main.main;shop/cart.Sum.Max.func1;shop/cart.Sum;shop/cart.add 10\n");
    fixture_add(pair, GATE_CANARY, "main.main;shop/list.Sum.Max.func1;shop/list.Sum;shop/list.add 10\n");
    for (int side = 0; side < GATE_SIDES; side++) {
        struct gate_profile *profile = &pair->profiles[side][0];
        for (uint32_t f = 0; f < profile->function_count; f++)
            if (gate_str_ends(profile->functions[f].name, gate_str_from(end)))
                profile->functions[f].file =
                    is_cached[side] ? GATE_STR("/go/pkg/mod/lib@v1.2.3/a.go") : GATE_STR("/src/shop/a.go");
    }
    fixture_make(pair, NULL);
    return pair->pair.moved;
}

/* A module of the module cache has another version, unless it is the program's own on the other side. A closure that
 * was inlined has the file of another package. */
TEST(third_party_packages_of_go_keep_their_names) {
    static const char *const joined = "shop/cart is shop/list";
    static const struct {
        const char *end;
        bool is_cached[GATE_SIDES];
        bool is_joined;
    } rows[] = {
        {".add", {false, false}, true}, {".add", {true, true}, false},  {".add", {true, false}, false},
        {".add", {false, true}, false}, {".func1", {true, true}, true}, {".func1", {true, false}, true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        AT_END(fixture_end) struct pair_fixture pair;
        struct gate_str moved = moved_beside(&pair, rows[i].end, rows[i].is_cached);
        if (!gate_str_equal(moved, gate_str_from(rows[i].is_joined ? joined : "")))
            fail_msg("row %zu: %.*s", i, GATE_STR_ARG(moved));
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
               *both = "main (/srv/green/app.py:9);f (/srv/green/cart.py:4);g (/srv/blue/cart.py:2) 10\n",
               *cart = "main.main;shop/cart.Sum;shop/cart.add 10\n",
               *list = "main.main;shop/list.Sum;shop/list.add 10\n";
    const char *const alternating[] = {blue, green, blue, green}, *const early[] = {blue, green, green},
                      *const back[] = {green, blue}, *const together[] = {blue, both, green},
                      *const of_go[] = {cart, list, cart, list};
    static const char *const of_green = "f (/srv/green/cart.py), main (/srv/green/app.py)";
    const struct {
        const char *const *runs;
        uint32_t count;
        const char *names;
    } rows[] = {
        {alternating, 4, of_green},
        {early, 3, of_green},
        {back, 2, "f (/srv/blue/cart.py), main (/srv/blue/app.py)"},
        {of_go, 4, "shop/list.add, shop/list.Sum, main.main"},
        /* a run has both cart files, so they are two files; the remaining file alone is not evidence of a moved
         * folder */
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

/* Files of Python and packages of Java that moved. */
TEST(find_ends_within_any_memory) {
    static const char *const builds[][GATE_SIDES] = {
        {"main (app.py:9);f (shop/cart.py:4) 10\n", "main (app.py:9);f (shop/cart/__init__.py:5) 10\n"},
        {"acme/App.run;acme/old/Cart.price 10\nacme/App.run;acme/old/Cart.total 10\n",
         "acme/App.run;acme/fresh/Cart.price 10\nacme/App.run;acme/fresh/Cart.total 10\n"},
    };
    for (size_t i = 0; i < sizeof builds / sizeof *builds; i++) {
        const struct gate_pair_options options = {.frames = {.exact_names = true}};
        AT_END(fixture_end) struct pair_fixture pair = {0};
        for (int side = 0; side < GATE_SIDES; side++)
            fixture_add(&pair, (enum gate_side_name)side, builds[i][side]);
        fixture_make(&pair, &options); /* exact names: nothing is joined yet */
        for (struct sweep s = {0}; sweep_next(&s, 8);) {
            struct gate_moved_files files;
            s.done = gate_moved_files_find(&files, &pair.pair, &s.arena, &s.err);
            assert_true(!s.done || files.count > 0);
        }
    }
}
