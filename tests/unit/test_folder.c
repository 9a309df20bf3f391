/* SPDX-License-Identifier: Apache-2.0 */
/* trial/folder.h: removing folders, absolute paths (also in a deleted working directory), and a failed copy. */

#include "gate/base/file.h"
#include "gate/trial/worktree.h"
#include "tests/unit/unit.h"

#include <fcntl.h>

static struct gate_interrupt interrupt;
static char root[] = "/tmp/gate-folder.XXXXXX";

static int begin(void **state) {
    gate_interrupt_hold(&interrupt);
    return mkdtemp(root) == NULL ? -1 : 0;
}

static int end(void **state) {
    (void)rmdir(root);
    gate_interrupt_release(&interrupt);
    return 0;
}

static const char *make(const char *name) {
    const char *path = gate_str_format(&arena, "%s/%s", root, name).ptr;
    if (!gate_folders_make(path, &err))
        fail_msg("%s", err.message);
    return path;
}

TEST(a_folder_is_removed_with_its_content_and_may_be_missing) {
    (void)make("one/deep");
    const char *path = make("one");
    assert_true(gate_folder_remove(path, &interrupt, &arena, &err));
    assert_int_equal(access(path, F_OK), -1);
    assert_true(gate_folder_remove(path, &interrupt, &arena, &err)); /* a missing folder is not an error */
}

/* A file in /proc, which cannot be removed. */
TEST(a_file_that_cannot_be_removed_is_an_error) {
    if (access("/proc/version", F_OK) != 0)
        skip();
    assert_false(gate_folder_remove("/proc/version", &interrupt, &arena, &err));
    assert_int_equal(err.code, GATE_ERR_IO);
    assert_string_equal(err.message, "/proc/version: cannot be removed; remove it by hand");
}

TEST(an_interrupted_removal_can_be_repeated) {
    const char *path = make("two");
    interrupt.caught = SIGTERM;
    bool ok = gate_folder_remove(path, &interrupt, &arena, &err);
    interrupt.caught = 0;
    if (!ok) /* unless the removal finished first */
        assert_string_equal(err.message, "interrupted (terminated); nothing was decided");
    assert_true(gate_folder_remove(path, &interrupt, &arena, &err));
}

TEST(a_relative_path_needs_a_working_directory_that_exists) {
    struct gate_str path;
    const char *gone = make("gone");
    int here = open(".", O_RDONLY);
    assert_true(gate_folder_absolute(&path, "/a/b", &arena, &err));
    assert_string_equal(path.ptr, "/a/b");
    assert_int_equal(chdir(gone), 0);
    assert_true(gate_folder_absolute(&path, "b", &arena, &err));
    assert_true(gate_str_ends(path, GATE_STR("/gone/b")));
    assert_int_equal(rmdir(gone), 0);
    bool ok = gate_folder_absolute(&path, "b", &arena, &err);
    assert_int_equal(fchdir(here), 0);
    assert_int_equal(close(here), 0);
    assert_false(ok);
    assert_string_equal(err.message, "the working directory has no name: No such file or directory");
}

TEST(a_failed_copy_names_its_source_and_leaves_no_file) {
    const char *to = gate_str_format(&arena, "%s/copy", root).ptr;
    assert_false(gate_folder_copy_file(to, "/nowhere/at/all", &arena, &err));
    assert_non_null(strstr(err.message, "/nowhere/at/all: "));
    assert_int_equal(access(to, F_OK), -1);
}

BEFORE_AND_AFTER_ALL(begin, end)
