/* SPDX-License-Identifier: Apache-2.0 */
/* report/checkout.h: files of profiles as paths of a checkout. */
#include "gate/report/checkout.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static const struct gate_checkout_module known[] = {
    {GATE_STR("example.com/shop"), GATE_STR("services/shop/")},
    {GATE_STR("example.com/shop/tools"), GATE_STR("tools/")},
    {GATE_STR("example.com/shop/tools"), GATE_STR("a/copy/")},
    {GATE_STR("top"), GATE_STR("")},
};

static struct gate_checkout_modules modules(void *asked) {
    ++*(int *)asked;
    return (struct gate_checkout_modules){known, sizeof known / sizeof *known};
}

static bool has(struct gate_str root, struct gate_str path) {
    return gate_str_starts(root, GATE_STR("/home/ci/w")) && gate_str_ends(path, GATE_STR("there.go"));
}

static void assert_put(const struct gate_checkout *checkout, const char *file, const char *expected) {
    struct gate_buf out = {0};
    bool is_placed = gate_checkout_put(&out, checkout, gate_str_from(file));
    if (is_placed != (expected != NULL) ||
        !gate_str_equal(gate_buf_view(&out), gate_str_from(expected == NULL ? "" : expected)))
        fail_msg("%s: %.*s", file, GATE_STR_ARG(gate_buf_view(&out)));
    gate_buf_free(&out);
}

/* Nothing is known of the checkout: relative paths may be its own, others cannot. */
static void without_a_checkout_relative_paths_stand(void **state) {
    (void)state;
    assert_put(NULL, "src/main.rs", "src/main.rs");
    assert_put(NULL, "./src/main.rs", "src/main.rs");
    assert_put(NULL, "node_modules/@vue/a.js", "node_modules/@vue/a.js");
    assert_put(NULL, "/usr/lib/a.c", NULL);
    assert_put(NULL, "../a.c", NULL);
    assert_put(NULL, "example.com/dep@v1.2.3/a.go", NULL);
    assert_put(NULL, "", NULL);
    assert_put(NULL, "node:fs", NULL);
    assert_put(NULL, "webpack://app/a.js", NULL);
    assert_put(NULL, "file:///home/a.js", NULL);
    assert_put(NULL, "src/a:b.c", "src/a:b.c");
}

static void absolute_paths_lose_their_root(void **state) {
    (void)state;
    struct gate_checkout checkout = {
        .roots = {GATE_STR("/home/ci/w"), GATE_STR("/home/ci/w/sub"), GATE_STR("/builds/g")}, .root_count = 3};
    assert_put(&checkout, "/home/ci/w/cmd/a.go", "cmd/a.go");
    assert_put(&checkout, "/home/ci/w/sub/a.go", "a.go"); /* the nearest */
    assert_put(&checkout, "/builds/g/a.go", "a.go");
    assert_put(&checkout, "file:///builds/g/a.js", "a.js");
    assert_put(&checkout, "/home/ci/wide/a.go", NULL); /* a name, not a beginning of one */
    assert_put(&checkout, "/home/ci/w", NULL);
    assert_put(&checkout, "/home/ci/w/../a.go", NULL);
    assert_put(&checkout, "/home/ci/w/.go/pkg/mod/example.com/dep@v0.1.0/a.go", NULL);
    checkout.has = has;
    assert_put(&checkout, "/home/ci/w/cmd/there.go", "cmd/there.go");
    assert_put(&checkout, "/home/ci/w/cmd/made.go", NULL); /* by the build, and gone */
}

static void modules_become_their_folders(void **state) {
    (void)state;
    int asked = 0;
    struct gate_checkout checkout = {
        .roots = {GATE_STR("/home/ci/w")}, .root_count = 1, .modules = modules, .search = &asked, .has = has};
    assert_put(&checkout, "example.com/shop/cmd/a.go", "services/shop/cmd/a.go");
    assert_put(&checkout, "example.com/shop/tools/a.go", "tools/a.go");
    assert_put(&checkout, "example.com/shopping/a.go", NULL);
    assert_put(&checkout, "top/a.go", "a.go");
    assert_put(&checkout, "net/http/server.go", NULL); /* the standard library's */
    assert_put(&checkout, "cmd/there.go", "cmd/there.go");
    assert_put(&checkout, "src/main.rs", "src/main.rs"); /* no Go: not of a module */
}

/* Looking for them walks a part of the disk. */
static void modules_are_asked_for_where_they_matter(void **state) {
    (void)state;
    int asked = 0;
    struct gate_checkout checkout = {
        .roots = {GATE_STR("/home/ci/w")}, .root_count = 1, .modules = modules, .search = &asked, .has = has};
    assert_put(&checkout, "/home/ci/w/there.go", "there.go");
    assert_put(&checkout, "main.rs", "main.rs");
    assert_put(&checkout, "there.go", "there.go");
    assert_put(&checkout, "example.com/dep@v1.2.3/a.go", NULL);
    assert_int_equal(asked, 0);
    assert_false(gate_checkout_may_ask(&checkout, GATE_STR("/home/ci/w/there.go")));
    assert_false(gate_checkout_may_ask(&checkout, GATE_STR("file:///home/ci/w/a/b.js")));
    assert_false(gate_checkout_may_ask(&checkout, GATE_STR("./main.rs")));
    assert_false(gate_checkout_may_ask(&checkout, GATE_STR("example.com/dep@v1.2.3/a.go")));
    assert_false(gate_checkout_may_ask(&checkout, GATE_STR("")));
    assert_false(gate_checkout_may_ask(NULL, GATE_STR("main.go")));
    assert_true(gate_checkout_may_ask(&checkout, GATE_STR("main.go")));
    assert_true(gate_checkout_may_ask(&checkout, GATE_STR("src/main.rs")));
    assert_int_equal(asked, 0);
    assert_put(&checkout, "main.go", NULL);
    assert_int_equal(asked, 1);
    assert_put(&checkout, "src/main.rs", "src/main.rs");
    assert_int_equal(asked, 2);
}

static void own_files_begin_where_the_run_is(void **state) {
    (void)state;
    static const char *const rows[][2] = {{"rules.yml", "services/shop/rules.yml"},
                                          {"./rules.yml", "services/shop/rules.yml"},
                                          {"/home/ci/w/ci/rules.yml", "ci/rules.yml"},
                                          {"/etc/rules.yml", "/etc/rules.yml"},
                                          {"strict (built in)", "strict (built in)"}};
    const struct gate_checkout checkout = {
        .roots = {GATE_STR("/home/ci/w")}, .root_count = 1, .here = GATE_STR("services/shop/")};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct gate_buf out = {0};
        gate_checkout_put_own(&out, &checkout, gate_str_from(rows[i][0]));
        if (!gate_str_equal(gate_buf_view(&out), gate_str_from(rows[i][1])))
            fail_msg("%s: %.*s", rows[i][0], GATE_STR_ARG(gate_buf_view(&out)));
        gate_buf_free(&out);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_checkout_relative_paths_stand),
        cmocka_unit_test(absolute_paths_lose_their_root),
        cmocka_unit_test(modules_become_their_folders),
        cmocka_unit_test(modules_are_asked_for_where_they_matter),
        cmocka_unit_test(own_files_begin_where_the_run_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
