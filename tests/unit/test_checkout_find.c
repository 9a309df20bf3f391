/* SPDX-License-Identifier: Apache-2.0 */
/* report/checkout.h: finding the checkout and its Go modules, in a temporary folder. */
#include "gate/report/checkout.h"
#include "tests/unit/unit.h"

#include <limits.h>
#include <sys/stat.h>

struct disk {
    struct gate_arena arena;
    struct gate_error err;
    struct gate_checkout found;
    char root[64], before[PATH_MAX];
};

static const char *at(struct disk *disk, const char *path) {
    struct gate_str whole = gate_str_format(&disk->arena, "%s/%s", disk->root, path);
    return whole.ptr;
}

static void folder(struct disk *disk, const char *path) {
    assert_int_equal(mkdir(at(disk, path), 0777), 0);
}

static void file(struct disk *disk, const char *path, const char *text) {
    FILE *stream = fopen(at(disk, path), "w");
    assert_non_null(stream);
    assert_true(fputs(text, stream) >= 0);
    assert_int_equal(fclose(stream), 0);
}

/* Create a repository with a Go module at its root and one in shop/, which is a repository itself. The module in
 * vendor/ must not be found. */
static void begin(struct disk *disk) {
    *disk = (struct disk){.root = "/tmp/checkout.XXXXXX"};
    gate_arena_init(&disk->arena, 0);
    assert_non_null(getcwd(disk->before, sizeof disk->before));
    assert_non_null(mkdtemp(disk->root));
    folder(disk, ".git");
    folder(disk, "shop");
    folder(disk, "shop/cmd");
    folder(disk, "shop/.git");
    folder(disk, "vendor");
    file(disk, "go.mod", "// the top\nmodule \"example.com/top\" // quoted\n\ngo 1.22\n");
    file(disk, "shop/go.mod", "module example.com/shop\n");
    file(disk, "shop/cmd/main.go", "package main\n");
    file(disk, "vendor/go.mod", "module example.com/other\n");
    (void)unsetenv("GITHUB_WORKSPACE");
    (void)unsetenv("CI_PROJECT_DIR");
}

static void find(struct disk *disk, const char *here) {
    assert_int_equal(chdir(at(disk, here)), 0);
    assert_true(gate_checkout_end(&disk->found, &disk->arena, &disk->err));
    assert_true(gate_checkout_find(&disk->found, &disk->arena, &disk->err));
}

static void end(struct disk *disk) {
    static const char *const paths[] = {"shop/cmd/main.go", "shop/go.mod", "vendor/go.mod", "go.mod", "vendor",
                                        "shop/.git",        "shop/cmd",    "shop",          ".git"};
    assert_int_equal(chdir(disk->before), 0);
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        assert_int_equal(remove(at(disk, paths[i])), 0);
    assert_int_equal(rmdir(disk->root), 0);
    assert_true(gate_checkout_end(&disk->found, &disk->arena, &disk->err));
    gate_arena_free(&disk->arena);
}

static void assert_put(struct disk *disk, const char *name, const char *expected) {
    AT_END(gate_buf_free) struct gate_buf out = {0};
    bool is_placed = gate_checkout_put(&out, &disk->found, gate_str_from(name));
    assert_int_equal(is_placed, expected != NULL);
    if (expected != NULL && !gate_str_equal(gate_buf_view(&out), gate_str_from(expected)))
        fail_msg("%s: %.*s", name, GATE_STR_ARG(gate_buf_view(&out)));
}

TEST(the_repository_around_the_run_is_the_checkout) {
    AT_END(end) struct disk disk;
    begin(&disk);
    find(&disk, "");
    assert_true(gate_str_equal(disk.found.here, GATE_STR("")));
    assert_put(&disk, at(&disk, "shop/cmd/main.go"), "shop/cmd/main.go");
    assert_put(&disk, "example.com/shop/cmd/main.go", "shop/cmd/main.go");
    assert_put(&disk, "example.com/top/a.go", "a.go");
    assert_put(&disk, "example.com/other/a.go", NULL);
    assert_put(&disk, "runtime/proc.go", NULL);
    find(&disk, "shop/cmd");
    assert_true(gate_str_equal(disk.found.here, GATE_STR("cmd/")));
    assert_put(&disk, at(&disk, "shop/cmd/main.go"), "cmd/main.go");
    assert_put(&disk, "example.com/shop/cmd/main.go", "cmd/main.go");
}

/* The background task searches for modules only if an own-code frame may be in one. Later look-ups use its result, so
 * they do not see the moved module. */
TEST(a_background_task_searches_the_modules) {
    struct disk disk;
    struct gate_frame frames[] = {{.is_own = true, .file = GATE_STR("/usr/src/a.c")},
                                  {.is_own = false, .file = GATE_STR("example.com/shop/cmd/main.go")}};
    struct gate_comparison comparison = {.pair = {.frames = frames, .frame_count = 2}};
    for (int asked = 0; asked < 2; asked++) {
        begin(&disk);
        find(&disk, "");
        frames[1].is_own = asked != 0;
        assert_int_equal(gate_checkout_is_needed(&disk.found, &comparison, 1), asked);
        assert_false(gate_checkout_is_needed(NULL, &comparison, 1));
        struct gate_background_task task = gate_checkout_task(&disk.found);
        task.run(task.context, &comparison, 1);
        file(&disk, "shop/go.mod", "module example.com/moved\n");
        assert_put(&disk, "example.com/shop/cmd/main.go", asked ? "shop/cmd/main.go" : NULL);
        assert_put(&disk, "example.com/moved/cmd/main.go", asked ? NULL : "shop/cmd/main.go");
        end(&disk);
    }
}

/* The workspace that the CI system names is the checkout, unless a repository inside it is nearer. */
TEST(the_workspace_is_the_checkout) {
    AT_END(end) struct disk disk;
    begin(&disk);
    assert_int_equal(rmdir(at(&disk, "shop/.git")), 0);
    (void)setenv("CI_PROJECT_DIR", at(&disk, "shop"), 1);
    find(&disk, "shop/cmd");
    assert_put(&disk, at(&disk, "shop/cmd/main.go"), "cmd/main.go");
    assert_true(gate_str_equal(disk.found.here, GATE_STR("cmd/")));
    (void)setenv("CI_PROJECT_DIR", "/", 1); /* ignored: every path would be in it */
    find(&disk, "shop/cmd");
    assert_put(&disk, "/bin/sh", NULL);
    (void)setenv("CI_PROJECT_DIR", "/builds/elsewhere", 1); /* ignored: it does not contain the working directory */
    find(&disk, "shop/cmd");
    assert_put(&disk, "example.com/shop/cmd/main.go", "shop/cmd/main.go");
    folder(&disk, "shop/.git");
    (void)unsetenv("CI_PROJECT_DIR");
    (void)setenv("GITHUB_WORKSPACE", disk.root, 1);
    find(&disk, "shop");
    assert_put(&disk, at(&disk, "shop/cmd/main.go"), "cmd/main.go");
    (void)unsetenv("GITHUB_WORKSPACE");
}

TEST(modules_are_searched_three_folders_down) {
    AT_END(end) struct disk disk;
    begin(&disk);
    folder(&disk, "shop/cmd/a");
    folder(&disk, "shop/cmd/a/b");
    file(&disk, "shop/cmd/a/go.mod", "module example.com/third\n");
    file(&disk, "shop/cmd/a/b/go.mod", "module example.com/fourth\n");
    find(&disk, "");
    assert_put(&disk, "example.com/third/a.go", "shop/cmd/a/a.go");
    assert_put(&disk, "example.com/fourth/a.go", NULL);
    static const char *const paths[] = {"shop/cmd/a/b/go.mod", "shop/cmd/a/go.mod", "shop/cmd/a/b", "shop/cmd/a"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        assert_int_equal(remove(at(&disk, paths[i])), 0);
}

TEST(at_most_64_modules_are_found) {
    AT_END(end) struct disk disk;
    begin(&disk); /* two modules */
    for (int made = 61; made <= 63; made++) {
        char name[32];
        for (int i = made == 61 ? 0 : made - 1; i < made; i++) {
            (void)snprintf(name, sizeof name, "m%d", i);
            folder(&disk, name);
            (void)snprintf(name, sizeof name, "m%d/go.mod", i);
            file(&disk, name, "module example.com/more\n");
        }
        find(&disk, "");
        assert_int_equal(disk.found.modules(disk.found.search).count, made < 62 ? made + 2 : 64);
    }
    for (int i = 0; i < 63; i++) {
        char name[32];
        (void)snprintf(name, sizeof name, "m%d/go.mod", i);
        assert_int_equal(remove(at(&disk, name)), 0);
        (void)snprintf(name, sizeof name, "m%d", i);
        assert_int_equal(remove(at(&disk, name)), 0);
    }
}

/* With growing arena limits, gate_checkout_find or gate_checkout_end fails cleanly until the file is found. */
TEST(a_search_that_runs_out_of_memory_fails) {
    AT_END(end) struct disk disk;
    begin(&disk);
    assert_int_equal(chdir(disk.root), 0);
    bool is_found = false;
    for (size_t limit = 1; !is_found; limit += 64) {
        AT_END(gate_arena_free) struct gate_arena arena;
        struct gate_checkout found = {.search = NULL};
        struct gate_error err = {0};
        AT_END(gate_buf_free) struct gate_buf out = {0};
        gate_arena_init(&arena, limit);
        is_found = gate_checkout_find(&found, &arena, &err) &&
                   gate_checkout_put(&out, &found, GATE_STR("example.com/shop/a.go"));
        is_found = gate_checkout_end(&found, &arena, &err) && is_found;
        assert_int_equal(is_found, err.code == GATE_OK);
        if (is_found)
            assert_true(gate_str_equal(gate_buf_view(&out), GATE_STR("shop/a.go")));
    }
}
