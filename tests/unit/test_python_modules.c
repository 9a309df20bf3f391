/* SPDX-License-Identifier: Apache-2.0 */
/* compare/python_modules.h: a module that became a package, or the other way round, keeps its functions' names. */
#include "tests/unit/pair_fixture.h"

#include "gate/base/buf.h"

/* Compare two builds of two runs each, and expect the names of the pair's frames, in their order. */
static void assert_names(const char *baseline, const char *canary, bool exact_names, const char *expected) {
    const struct gate_pair_options options = {.frames = {.exact_names = exact_names}};
    AT_END(fixture_end) struct pair_fixture pair;
    fixture_begin(&pair);
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
                 "f (cart.py:4), main (app.py:9), f (cart/__init__.py:4)");
    /* not of Python: a file in brackets is part of these names */
    assert_names("main;f (cart.py) 10\n", "main;f (cart/__init__.py) 10\n", false, "f (cart/__init__.py), main");
}
