/* SPDX-License-Identifier: Apache-2.0 */
/* compare/upgrades.h: libraries that have another version in the canary. */
#include "gate/compare/upgrades.h"
#include "gate/model/location.h"
#include "tests/unit/pair_fixture.h"

/* Make a pair of two runs per side, with one function in each of the files. */
static void make(struct pair_fixture *pair, const char *const files[GATE_SIDES][2], enum gate_language language) {
    fixture_begin(pair);
    for (int side = 0; side < GATE_SIDES; side++)
        for (int run = 0; run < 2; run++) {
            fixture_add(pair, (enum gate_side_name)side, "main.main;main.work 10\n");
            pair->profiles[side][run].functions[0].file = gate_str_from(files[side][run]);
        }
    fixture_make(pair, NULL);
    pair->pair.language = language;
    assert_true(gate_upgrades_find(&pair->pair, &pair->arena, &pair->err));
}

TEST(a_library_with_one_version_on_each_side_is_found) {
    static const char one[] = "/root/go/pkg/mod/github.com/!acme/cart/v2@v2.0.1/sub/cart.go";
    static const char two[] = "github.com/!acme/cart/v2@v2.1.0-rc.1/cart.go"; /* with -trimpath */
    static const struct {
        const char *files[GATE_SIDES][2];
        enum gate_language language;
        const char *text; /* NULL: none */
    } rows[] = {
        {{{one, one}, {two, two}}, GATE_LANGUAGE_GO, "github.com/Acme/cart/v2 v2.0.1 → v2.1.0-rc.1"},
        {{{one, "/srv/main.go"}, {"", two}}, GATE_LANGUAGE_GO, "github.com/Acme/cart/v2 v2.0.1 → v2.1.0-rc.1"},
        {{{one, one}, {one, one}}, GATE_LANGUAGE_GO, NULL},
        {{{one, two}, {two, two}}, GATE_LANGUAGE_GO, NULL},
        {{{one, one}, {one, two}}, GATE_LANGUAGE_GO, NULL},
        {{{one, one}, {"/srv/main.go", ""}}, GATE_LANGUAGE_GO, NULL},
        {{{one, one}, {"github.com/!acme/cart/v2@v2.1.0", ""}}, GATE_LANGUAGE_GO, NULL},
        {{{one, one}, {two, two}}, GATE_LANGUAGE_NODE, NULL},
        {{{"a.org/x@v1.4.0/x.go", ""}, {"a.org/x/v2@v2.0.1/x.go", ""}}, GATE_LANGUAGE_GO, "a.org/x v1.4.0 → v2.0.1"},
        {{{"a.org/x/v2@v2.0.1/x.go", ""}, {"a.org/x@v1.4.0/x.go", ""}}, GATE_LANGUAGE_GO, "a.org/x/v2 v2.0.1 → v1.4.0"},
        {{{"gopkg.in/yaml.v2@v2.4.0/yaml.go", ""}, {"gopkg.in/yaml.v3@v3.0.1/yaml.go", ""}},
         GATE_LANGUAGE_GO,
         "gopkg.in/yaml.v2 v2.4.0 → v3.0.1"},
        {{{"a.org/x@v1.4.0/x.go", ""}, {"a.org/x/v2@v2.0.1/x.go", "a.org/x@v1.4.0/x.go"}}, GATE_LANGUAGE_GO, NULL},
        {{{"a.org/x@v1.4.0/x.go", "a.org/x/v2@v2.0.1/x.go"}, {"a.org/x/v3@v3.0.0/x.go", ""}}, GATE_LANGUAGE_GO, NULL},
        {{{"a.org/x@v1.4.0/x.go", ""}, {"a.org/x/v2@v2.0.1/x.go", "a.org/x/v3@v3.0.0/x.go"}}, GATE_LANGUAGE_GO, NULL},
        {{{"a.org/x@v1.4.0/x.go", ""}, {"a.org/xv2@v2.0.1/x.go", ""}}, GATE_LANGUAGE_GO, NULL},
        {{{"a.org/x@v1.4.0/x.go", ""}, {"a.org/y/v2@v2.0.1/x.go", ""}}, GATE_LANGUAGE_GO, NULL},
        {{{"golang.org/toolchain@v0.0.1-go1.22.1.linux-amd64/src/fmt/print.go", ""},
          {"golang.org/toolchain@v0.0.1-go1.23.0.linux-amd64/src/fmt/print.go", ""}},
         GATE_LANGUAGE_GO,
         NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        AT_END(fixture_end) struct pair_fixture pair;
        AT_END(gate_buf_free) struct gate_buf text = {0};
        make(&pair, rows[i].files, rows[i].language);
        if (pair.pair.upgrade_count > 0)
            gate_upgrade_put(&text, &pair.pair.upgrades[0]);
        if (pair.pair.upgrade_count != (rows[i].text != NULL) ||
            !gate_str_equal(gate_buf_view(&text), gate_str_from(rows[i].text == NULL ? "" : rows[i].text)))
            fail_msg("row %zu: %.*s", i, GATE_STR_ARG(gate_buf_view(&text)));
    }
}

TEST(a_frame_is_of_the_library_that_has_its_file) {
    static const char *const files[GATE_SIDES][2] = {{"a.org/x@v1.0.0/x.go", "b.org/x@v1.0.0/x.go"},
                                                     {"a.org/x@v1.0.1/x.go", "b.org/x@v1.0.2/x.go"}};
    AT_END(fixture_end) struct pair_fixture pair;
    make(&pair, files, GATE_LANGUAGE_GO);
    assert_int_equal(pair.pair.upgrade_count, 2);
    struct gate_frame *frame = &pair.pair.frames[0];
    frame->file = GATE_STR("/home/me/go/pkg/mod/b.org/x@v1.0.2/y/z.go");
    assert_int_equal(gate_upgrade_of(&pair.pair, 0), 1);
    frame->file = GATE_STR("a.org/x@v1.0.0/x.go");
    assert_int_equal(gate_upgrade_of(&pair.pair, 0), 0);
    frame->file = GATE_STR("a.org/xy@v1.0.0/x.go");
    assert_int_equal(gate_upgrade_of(&pair.pair, 0), GATE_NO_INDEX);
    frame->file = GATE_STR("/srv/x.go");
    assert_int_equal(gate_upgrade_of(&pair.pair, 0), GATE_NO_INDEX);
}

TEST(a_library_with_another_major_version_has_the_files_of_both_paths) {
    static const char *const files[GATE_SIDES][2] = {{"a.org/x@v1.4.0/x.go", ""}, {"a.org/x/v2@v2.0.1/x.go", ""}};
    static const struct gate_str wanted[] = {GATE_STR("a.org/x@v1.4.0/x.go"), GATE_STR("a.org/x/v2@v2.0.1/y/z.go")};
    AT_END(fixture_end) struct pair_fixture pair;
    make(&pair, files, GATE_LANGUAGE_GO);
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        pair.pair.frames[0].file = wanted[i];
        assert_int_equal(gate_upgrade_of(&pair.pair, 0), 0);
    }
    pair.pair.frames[0].file = GATE_STR("a.org/x/v3@v3.0.1/x.go");
    assert_int_equal(gate_upgrade_of(&pair.pair, 0), GATE_NO_INDEX);
}

/* ---- the JVM ----------------------------------------------------------------------------------------------------- */

/* Give each method of a profile a line: 10 times the number of the method, and `more` for those of `folder`. */
static void set_lines(struct gate_profile *profile, const char *folder, int64_t more, struct gate_arena *arena) {
    struct gate_location_edit edit;
    assert_true(gate_location_edit_init(&edit, profile, arena));
    for (uint32_t i = 0; i < profile->location_count; i++) {
        const struct gate_location location = gate_location_at(profile, i);
        struct gate_line line = gate_location_line(profile, &location, 0);
        const struct gate_str name = profile->functions[line.function].name;
        line.line = 10 * (int64_t)(name.ptr[name.len - 1] - 'a' + 1);
        line.line += gate_str_starts(name, gate_str_from(folder)) ? more : 0;
        gate_location_edit_begin(&edit, i);
        assert_true(gate_location_edit_line(&edit, &line));
    }
}

/* Make a pair of two runs per side of `stacks`. The second run of a side has its samples `spread` lines behind those of
 * the first, in methods of `folder`, and the canary has all `moved` lines further down. */
static void make_jvm(struct pair_fixture *pair, const char *stacks, const char *folder, int64_t spread, int64_t moved) {
    fixture_begin(pair);
    for (int side = 0; side < GATE_SIDES; side++)
        for (int run = 0; run < 2; run++) {
            fixture_add(pair, (enum gate_side_name)side, stacks);
            set_lines(&pair->profiles[side][run], folder, run * spread + (side == GATE_CANARY ? moved : 0),
                      &pair->arena);
        }
    fixture_make(pair, NULL);
    assert_int_equal(pair->pair.language, GATE_LANGUAGE_JVM);
}

static void expect_library(const char *stacks, const char *folder, int64_t spread, int64_t moved, const char *wanted) {
    AT_END(fixture_end) struct pair_fixture pair;
    AT_END(gate_buf_free) struct gate_buf text = {0};
    make_jvm(&pair, stacks, folder, spread, moved);
    for (uint32_t i = 0; i < pair.pair.upgrade_count; i++)
        gate_upgrade_put(&text, &pair.pair.upgrades[i]);
    if (!gate_str_equal(gate_buf_view(&text), gate_str_from(wanted)))
        fail_msg("got '%.*s', expected '%s'", GATE_STR_ARG(gate_buf_view(&text)), wanted);
}

#define LIBRARY                                                                                                        \
    "java/lang/Thread.run;shop/Shop.a;org/acme/x/Cart.a 5\n"                                                           \
    "java/lang/Thread.run;shop/Shop.b;org/acme/x/Cart.a;org/acme/y/Line.b 5\n"                                         \
    "java/lang/Thread.run;shop/Shop.c;org/acme/x/Cart.a;org/acme/y/Line.c;java/util/Map.a 5\n"

TEST(a_library_of_the_jvm_whose_lines_moved_is_another_version) {
    expect_library(LIBRARY, "org/", 1, 5, "org/acme (another version, by its lines)");
    expect_library(LIBRARY, "org/acme/x", 1, 5, ""); /* one method of three */
    expect_library(LIBRARY, "org/acme/y", 1, 5, ""); /* two */
    expect_library(LIBRARY, "org/", 0, 5, "");       /* one moved line per method and side may be chance */
    expect_library(LIBRARY, "org/", 1, 0, "");       /* the same lines */
    expect_library(LIBRARY, "org/", 1, 1, "");       /* one line of two is the same */
    expect_library(LIBRARY, "shop/", 1, 5, "");      /* the program */
    expect_library(LIBRARY "shop/Shop.d;org/acme/x/Cart.a;shop/Shop.e 1\n", "org/", 1, 5,
                   ""); /* it calls the program */
}

/* A stack that was cut off begins in the library. */
TEST(a_library_may_be_outermost_on_a_few_stacks) {
    expect_library(LIBRARY "org/acme/x/Cart.a;org/acme/y/Line.b 14\n", "org/", 1, 5,
                   "org/acme (another version, by its lines)");
    expect_library(LIBRARY "org/acme/x/Cart.a;org/acme/y/Line.b 16\n", "org/", 1, 5, "");
}

TEST(frames_of_a_library_of_the_jvm_are_found_by_their_package) {
    AT_END(fixture_end) struct pair_fixture pair;
    make_jvm(&pair, LIBRARY, "org/", 1, 5);
    assert_int_equal(gate_upgrade_of(&pair.pair, fixture_frame(&pair, "org/acme/y/Line.c")), 0);
    assert_int_equal(gate_upgrade_of(&pair.pair, fixture_frame(&pair, "shop/Shop.a")), GATE_NO_INDEX);
    assert_int_equal(gate_upgrade_of(&pair.pair, fixture_frame(&pair, "java/util/Map.a")), GATE_NO_INDEX);
    static const struct {
        const char *name;
        uint32_t library;
    } rows[] = {
        {"org.acme.x.Cart$$Lambda$*.apply", 0}, /* as the JVM spells classes of lambdas */
        {"org/acme/x/Cart$$Lambda$*.apply", 0},
        {"org.acmes.x.Cart$$Lambda$*.apply", GATE_NO_INDEX},
        {"org-acme.x.Cart$$Lambda$*.apply", GATE_NO_INDEX},
        {"shop.Shop$$Lambda$*.apply", GATE_NO_INDEX},
        {"org.acme.x.Cart.apply", GATE_NO_INDEX},
        {"$$Lambda$*.apply", GATE_NO_INDEX},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        pair.pair.frames[0].name = gate_str_from(rows[i].name);
        if (gate_upgrade_of(&pair.pair, 0) != rows[i].library)
            fail_msg("%s", rows[i].name);
    }
}

/* Methods of lambda classes belong to the library of the enclosing class. */
TEST(classes_of_lambdas_count_to_their_library) {
    expect_library("java/lang/Thread.run;shop/Shop.a;org/acme/x/Cart.a 5\n"
                   "java/lang/Thread.run;shop/Shop.b;org.acme.x.Cart$$Lambda$*.b;org/acme/y/Line.b 5\n"
                   "java/lang/Thread.run;shop/Shop.c;org.acme.x.Cart$$Lambda$*.b 5\n",
                   "org", 1, 5, "org/acme (another version, by its lines)");
}
