/* SPDX-License-Identifier: Apache-2.0 */
/* compare/upgrades.h: libraries that have another version in the canary. */
#include "gate/compare/upgrades.h"
#include "tests/unit/pair_fixture.h"

/* Make a pair of two runs per side, with one function in each of the files. */
static void make(struct pair_fixture *pair, const char *const files[GATE_SIDES][2], enum gate_language language) {
    const struct gate_pair_options options = {0};
    fixture_begin(pair);
    for (int side = 0; side < GATE_SIDES; side++)
        for (int run = 0; run < 2; run++) {
            fixture_add(pair, (enum gate_side_name)side, "main.main;main.work 10\n");
            pair->profiles[side][run].functions[0].file = gate_str_from(files[side][run]);
        }
    fixture_make(pair, &options);
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
