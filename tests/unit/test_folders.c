/* SPDX-License-Identifier: Apache-2.0 */
/* Folders are made together with their parents. */

#include "gate/base/file.h"
#include "tests/unit/unit.h"

#include <limits.h>
#include <sys/stat.h>

static bool is_folder(const char *path) {
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

TEST(folders_above_are_made) {
    assert_true(gate_folders_make("a/b//c/", &err));
    assert_true(is_folder("a/b/c"));
    assert_true(gate_folders_make("a/b/c", &err)); /* it exists already */
    assert_true(gate_folders_make_above("x/y/report.html", &err));
    assert_true(is_folder("x/y"));
    assert_false(is_folder("x/y/report.html"));
    assert_true(gate_folders_make_above("report.html", &err)); /* in the working directory */
    assert_true(gate_folders_make_above("/report.html", &err));
}

TEST(a_file_in_the_way_is_named) {
    FILE *file = fopen("taken", "wb");
    assert_non_null(file);
    assert_int_equal(fclose(file), 0);
    assert_false(gate_folders_make("taken/below", &err));
    assert_string_equal(err.message, "taken: cannot make the folder: a file has this name; name another one");
    assert_false(gate_folders_make_above("taken/report.html", &err));
    assert_int_equal(err.code, GATE_ERR_IO);
}

TEST(the_systems_error_is_in_the_message) {
    char path[PATH_MAX + 8];
    assert_false(gate_folders_make("/proc/nothing/below", &err));
    assert_non_null(strstr(err.message, "/proc/nothing: cannot make the folder: "));
    memset(path, 'a', sizeof path - 1);
    path[sizeof path - 1] = '\0';
    assert_false(gate_folders_make(path, &err));
    assert_string_equal(err.message, "the path of 4103 bytes is too long for a folder");
}

static char folder[] = "/tmp/pprofgate-folders-XXXXXX";

static int enter(void **state) {
    return mkdtemp(folder) != NULL && chdir(folder) == 0 ? 0 : -1;
}

static int leave(void **state) {
    return chdir("/") == 0 && system("rm -rf /tmp/pprofgate-folders-??????") == 0 ? 0 : -1; // NOLINT(cert-env33-c)
}

BEFORE_AND_AFTER_ALL(enter, leave)
