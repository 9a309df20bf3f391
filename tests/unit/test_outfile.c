/* SPDX-License-Identifier: Apache-2.0 */
/* Files are written to a temporary file and then moved to their place. test_cli_files.c and tests/faults test whole
 * runs. */

#include "gate/base/arena.h"
#include "gate/base/file.h"
#include "tests/unit/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/uio.h>

struct room {
    char folder[32];
    char path[64], other[64];
    struct gate_arena arena;
};

static struct room make_room(void) {
    struct room room = {.folder = "/tmp/outfile-XXXXXX"};
    assert_non_null(mkdtemp(room.folder));
    (void)snprintf(room.path, sizeof room.path, "%s/a", room.folder);
    (void)snprintf(room.other, sizeof room.other, "%s/b", room.folder);
    return room;
}

static void leave_room(struct room *room) {
    (void)unlink(room->path);
    (void)unlink(room->other);
    assert_int_equal(rmdir(room->folder), 0); /* fails if a temporary file is left */
    gate_arena_free(&room->arena);
}

static void assert_holds(const char *path, const char *wanted) {
    char text[64] = {0};
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fread(text, 1, sizeof text - 1, file), strlen(wanted));
    (void)fclose(file);
    assert_string_equal(text, wanted);
}

/* Replaces the C library's fsync and counts its calls. */
static int flushes;

int fsync(int descriptor) {
    flushes++;
    return fcntl(descriptor, F_GETFD) < 0 ? -1 : 0;
}

/* Replaces the C library's write. While `disturbed` is not 0, a call is interrupted or writes one byte, in turn. */
static int disturbed;

ssize_t write(int descriptor, const void *bytes, size_t count) {
    const struct iovec all = {(void *)(uintptr_t)bytes, count}, one = {(void *)(uintptr_t)bytes, count > 0};
    if (disturbed == 0)
        return writev(descriptor, &all, 1);
    if (disturbed-- % 2 != 0)
        return writev(descriptor, &one, 1);
    errno = EINTR;
    return -1;
}

TEST(interrupted_and_short_writes_are_continued) {
    struct room room = make_room();
    for (disturbed = 1; disturbed <= 4; disturbed++) {
        int calls = disturbed;
        assert_true(gate_outfile_write(room.path, GATE_STR("report"), &room.arena, &err));
        assert_int_equal(disturbed, 0);
        assert_holds(room.path, "report");
        disturbed = calls;
    }
    disturbed = 0;
    leave_room(&room);
}

TEST(kept_files_are_synced_to_the_disk) {
    struct room room = make_room();
    struct gate_outfile file;
    struct gate_outfile_parts parts;
    flushes = 0;
    assert_true(gate_outfile_write(room.path, GATE_STR("report"), &room.arena, &err));
    gate_outfile_begin(&file, room.other, GATE_STR("report"), 0600, &room.arena);
    assert_true(gate_outfile_place(&file, room.other, &err));
    assert_int_equal(flushes, 0);
    assert_true(gate_outfile_keep(room.path, GATE_STR("kept"), &room.arena, &err));
    assert_int_equal(flushes, 1);
    assert_holds(room.path, "kept");
    assert_true(gate_outfile_parts_begin(&parts, room.other, &room.arena));
    assert_true(gate_outfile_parts_end(&parts, true, &err));
    assert_int_equal(flushes, 2);
    leave_room(&room);
}

TEST(placing_a_file_replaces_the_old_one) {
    struct room room = make_room();
    struct gate_outfile file;
    struct stat status;
    assert_true(gate_outfile_write(room.path, GATE_STR("old"), &room.arena, &err));
    gate_outfile_begin(&file, room.path, GATE_STR("new"), 0640, &room.arena);
    assert_non_null(file.name);
    assert_holds(room.path, "old");
    assert_holds(file.name, "new");
    assert_true(gate_outfile_place(&file, room.path, &err));
    assert_null(file.name);
    assert_holds(room.path, "new");
    assert_true(stat(room.path, &status) == 0 && (status.st_mode & 0777) == 0640);
    leave_room(&room);
}

TEST(a_file_is_written_bit_by_bit) {
    struct room room = make_room();
    struct gate_outfile file;
    gate_outfile_open(&file, room.path, 0640, &room.arena);
    assert_non_null(file.name);
    assert_true(gate_outfile_add(&file, GATE_STR("one, ")));
    assert_true(gate_outfile_add(&file, GATE_STR("")));
    assert_true(gate_outfile_add(&file, GATE_STR("two")));
    assert_true(gate_outfile_close(&file));
    assert_int_not_equal(access(room.path, F_OK), 0);
    assert_true(gate_outfile_place(&file, room.path, &err));
    assert_holds(room.path, "one, two");
    gate_outfile_open(&file, room.path, 0640, &room.arena);
    assert_true(gate_outfile_add(&file, GATE_STR("three")));
    gate_outfile_drop(&file); /* without gate_outfile_close */
    assert_false(gate_outfile_add(&file, GATE_STR("four")));
    assert_false(gate_outfile_close(&file));
    assert_holds(room.path, "one, two");
    leave_room(&room);
}

/* A file that cannot be written completely is removed. With SIGXFSZ ignored, the size limit is reported as an error. */
TEST(a_file_that_is_too_large_is_dropped) {
    struct room room = make_room();
    struct gate_outfile file;
    struct rlimit before;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    const struct rlimit small = {4, before.rlim_max};
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    gate_outfile_open(&file, room.path, 0640, &room.arena);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    bool is_short_taken = gate_outfile_add(&file, GATE_STR("abcd"));
    bool is_long_taken = gate_outfile_add(&file, GATE_STR("e"));
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    (void)signal(SIGXFSZ, handler);
    assert_true(is_short_taken);
    assert_false(is_long_taken);
    assert_null(file.name);
    leave_room(&room);
}

TEST(a_dropped_file_is_removed) {
    struct room room = make_room();
    struct gate_outfile file;
    gate_outfile_begin(&file, room.path, GATE_STR("new"), 0644, &room.arena);
    assert_non_null(file.name);
    gate_outfile_drop(&file);
    gate_outfile_drop(&file);
    assert_int_not_equal(access(room.path, F_OK), 0);
    leave_room(&room);
}

TEST(writing_through_a_link_keeps_the_link) {
    struct room room = make_room();
    struct gate_outfile file;
    struct stat status;
    assert_int_equal(symlink("a", room.other), 0);
    gate_outfile_begin(&file, room.other, GATE_STR("new"), 0644, &room.arena);
    assert_true(gate_outfile_place(&file, room.other, &err));
    assert_holds(room.path, "new");
    assert_true(lstat(room.other, &status) == 0 && S_ISLNK(status.st_mode));
    leave_room(&room);
}

TEST(a_link_to_itself_is_an_error) {
    struct room room = make_room();
    char target[GATE_OUTFILE_PATH_BYTES];
    bool special = false;
    assert_int_equal(symlink("b", room.other), 0);
    assert_false(gate_outfile_target(target, &special, room.other));
    assert_int_equal(errno, ELOOP);
    leave_room(&room);
}

/* gate_outfile_begin refuses other places without an error. gate_outfile_write handles them and reports errors. */
TEST(only_regular_files_can_be_begun) {
    struct room room = make_room();
    char missing[64];
    (void)snprintf(missing, sizeof missing, "%s/missing/a", room.folder);
    const char *const paths[] = {"/dev/null", "/dev/stdout", room.folder, missing};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        struct gate_outfile file;
        gate_outfile_begin(&file, paths[i], GATE_STR("new"), 0644, &room.arena);
        if (file.name != NULL)
            fail_msg("'%s' was begun", paths[i]);
    }
    leave_room(&room);
}

/* Replaces the C library's access, so that no folder can be written to, not even by root. */
static bool is_read_only;

int access(const char *path, int mode) {
    errno = EROFS;
    return is_read_only && (mode & W_OK) != 0 ? -1 : faccessat(AT_FDCWD, path, mode, 0);
}

TEST(places_that_cannot_be_written_are_found_ahead) {
    struct room room = make_room();
    char missing[64], below[72];
    (void)snprintf(missing, sizeof missing, "%s/missing/a", room.folder);
    (void)snprintf(below, sizeof below, "%s/b/c", room.path);
    assert_true(gate_outfile_write(room.path, GATE_STR("a file"), &room.arena, &err));
    const struct {
        const char *path;
        bool is_read_only;
        const char *message; /* NULL: it can be written */
    } rows[] = {
        {room.other, false, NULL},
        {room.path, false, NULL},
        {missing, false, NULL},
        {"report", false, NULL},
        {"/dev/null", true, NULL},
        {"/dev/stdout", true, NULL},
        {room.folder, false, "it is a directory"},
        {below, false, "a file has this name"},
        {missing, true, "Read-only file system"},
        {"/report", true, "Read-only file system"},
        {"report", true, "Read-only file system"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        is_read_only = rows[i].is_read_only;
        bool is_possible = gate_outfile_check(rows[i].path, &err);
        is_read_only = false;
        assert_int_equal(is_possible, rows[i].message == NULL);
        if (rows[i].message != NULL)
            assert_non_null(strstr(err.message, rows[i].message));
    }
    leave_room(&room);
}

TEST(a_path_that_cannot_be_replaced_is_an_error) {
    struct room room = make_room();
    struct gate_outfile file;
    gate_outfile_begin(&file, room.path, GATE_STR("new"), 0644, &room.arena);
    assert_non_null(file.name);
    assert_int_equal(mkdir(room.path, 0700), 0);
    assert_false(gate_outfile_place(&file, "the report", &err));
    assert_int_equal(err.code, GATE_ERR_IO);
    assert_non_null(strstr(err.message, "the report: cannot write: "));
    assert_int_equal(rmdir(room.path), 0);
    leave_room(&room);
}

TEST(signals_that_end_the_program_are_delayed) {
    sigset_t before, pending;
    gate_outfile_hold(&before);
    assert_int_equal(raise(SIGTERM), 0);
    assert_int_equal(sigpending(&pending), 0);
    assert_int_equal(sigismember(&pending, SIGTERM), 1);
    (void)signal(SIGTERM, SIG_IGN); /* discards the pending signal */
    gate_outfile_release(&before);
    (void)signal(SIGTERM, SIG_DFL);
}

TEST(the_mode_of_a_file_follows_the_umask) {
    mode_t before = umask(027);
    assert_int_equal(gate_outfile_mode(), 0640);
    assert_int_equal(umask(before), 027);
}

TEST(a_file_of_parts_appears_only_when_complete) {
    struct room room = make_room();
    struct gate_outfile_parts parts;
    assert_true(gate_outfile_write(room.path, GATE_STR("old"), &room.arena, &err));
    for (int whole = 0; whole < 2; whole++) {
        assert_true(gate_outfile_parts_begin(&parts, room.path, &room.arena));
        assert_true(gate_outfile_parts_add(&parts, GATE_STR("one "), &err));
        assert_holds(room.path, "old");
        assert_true(gate_outfile_parts_add(&parts, GATE_STR("two"), &err));
        assert_int_equal(gate_outfile_parts_end(&parts, whole != 0, &err), whole);
        assert_holds(room.path, whole ? "one two" : "old");
    }
    assert_int_equal(err.code, GATE_OK);
    assert_false(gate_outfile_parts_begin(&parts, room.folder, &room.arena));
    assert_false(gate_outfile_parts_begin(&parts, "/dev/null", &room.arena));
    leave_room(&room);
}

static volatile sig_atomic_t heard;

static void hear(int signal) {
    heard = signal;
}

TEST(a_signal_is_delayed_by_at_most_one_part) {
    struct room room = make_room();
    struct gate_outfile_parts parts;
    void (*before)(int) = signal(SIGTERM, hear);
    assert_true(gate_outfile_parts_begin(&parts, room.path, &room.arena));
    assert_true(gate_outfile_parts_add(&parts, GATE_STR("one"), &err));
    assert_int_equal(raise(SIGTERM), 0);
    assert_int_equal(heard, 0);
    assert_false(gate_outfile_parts_add(&parts, GATE_STR("two"), &err));
    assert_int_equal(err.code, GATE_ERR_IO);
    assert_false(gate_outfile_parts_end(&parts, false, &err));
    assert_int_equal(heard, SIGTERM);
    assert_int_equal(access(room.path, F_OK), -1);
    (void)signal(SIGTERM, before);
    leave_room(&room);
}
