/* SPDX-License-Identifier: Apache-2.0 */
/* `merge` of many files, which loads the next file while it adds one: peak memory, which error is reported, and that
 * nothing is written after an error. */
#include "gate/cli/command.h"
#include "gate/formats/deflate.h"
#include "generated_fixture.h"
#include "tests/unit/unit.h"

#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define MEMORY_IS_MEASURABLE 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define MEMORY_IS_MEASURABLE 0
#endif
#endif
#ifndef MEMORY_IS_MEASURABLE
#define MEMORY_IS_MEASURABLE 1
#endif

enum { FILES_MAX = 300, PATH_BYTES = 64, SPARE_MIB = 12, FAILED = 99 };

struct room {
    char folder[32], out[PATH_BYTES];
    uint32_t files;
};

static const char *file_path(const struct room *room, uint32_t index) {
    static char path[PATH_BYTES];
    (void)snprintf(path, sizeof path, "%s/in/%03u.pb.gz", room->folder, (unsigned)index);
    return path;
}

static void write_bytes(const char *path, struct gate_str bytes) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes.ptr, 1, bytes.len, file), bytes.len);
    assert_int_equal(fclose(file), 0);
}

static struct room make_room(uint32_t files, uint32_t samples) {
    struct room room = {.folder = "/tmp/merge-XXXXXX", .files = files};
    char inputs[PATH_BYTES];
    assert_non_null(mkdtemp(room.folder));
    (void)snprintf(room.out, sizeof room.out, "%s/out.pb", room.folder);
    (void)snprintf(inputs, sizeof inputs, "%s/in", room.folder);
    assert_int_equal(mkdir(inputs, 0700), 0);
    for (uint32_t i = 0; i < files; i++) {
        AT_END(gate_buf_free) struct gate_buf plain = {0}, packed = {0};
        generated_put(&plain, &(struct generated){.samples = samples, .locations = 2000, .seed = i});
        assert_true(gate_container_write(&packed, gate_buf_view(&plain), GATE_CONTAINER_GZIP, &err));
        assert_true(packed.len > 16 << 10); /* smaller ones are not loaded ahead */
        write_bytes(file_path(&room, i), gate_buf_view(&packed));
    }
    return room;
}

static void leave_room(struct room *room) {
    char inputs[PATH_BYTES];
    (void)snprintf(inputs, sizeof inputs, "%s/in", room->folder);
    for (uint32_t i = 0; i < room->files; i++)
        (void)unlink(file_path(room, i));
    (void)unlink(room->out);
    assert_int_equal(rmdir(inputs), 0);
    assert_int_equal(rmdir(room->folder), 0); /* fails if another file is left */
}

static char said[1024];

/* Merge the files of the folder. Sets `said` to standard error. */
static int run_merge(const struct room *room) {
    char inputs[PATH_BYTES];
    (void)snprintf(inputs, sizeof inputs, "%s/in", room->folder);
    const char *const argv[] = {"pprofgate", "merge", "--container", "raw", "-o", room->out, inputs};
    FILE *out = tmpfile(), *err = tmpfile();
    assert_true(out != NULL && err != NULL);
    int status = gate_run(sizeof argv / sizeof *argv, argv, stdin, out, err);
    rewind(err);
    said[fread(said, 1, sizeof said - 1, err)] = '\0';
    (void)fclose(out);
    (void)fclose(err);
    return status;
}

/* Runs in a child process to measure its peak memory: at most the merged file plus SPARE_MIB. */
TEST(many_files_take_less_than_their_sum) {
    struct room room = make_room(FILES_MAX, 800);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct rusage used;
        struct stat merged;
        if (run_merge(&room) != 0 || getrusage(RUSAGE_SELF, &used) != 0 || stat(room.out, &merged) != 0)
            _exit(FAILED);
        long most = (long)(merged.st_size >> 10) + 1024L * SPARE_MIB;
        (void)fprintf(stderr, "%ld KiB merged, peak of the run: %ld KiB\n", (long)(merged.st_size >> 10),
                      used.ru_maxrss);
        _exit(used.ru_maxrss <= most || !MEMORY_IS_MEASURABLE ? 0 : FAILED);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    leave_room(&room);
}

/* With several damaged files, the error names the first, even if a later one was already loaded. */
TEST(the_first_damaged_file_is_named) {
    struct room room = make_room(6, 800);
    for (uint32_t first = 0; first < 5; first++) {
        uint32_t damaged = 4 - first;
        write_bytes(file_path(&room, damaged), GATE_STR("no profile, and no gzip file either\n"));
        assert_int_not_equal(run_merge(&room), 0);
        assert_non_null(strstr(said, file_path(&room, damaged)));
        assert_int_equal(access(room.out, F_OK), -1);
    }
    leave_room(&room);
}

TEST(a_damaged_file_that_is_loaded_ahead_is_named) {
    struct room room = make_room(3, 800);
    AT_END(gate_buf_free) struct gate_buf cut = {0};
    FILE *file = fopen(file_path(&room, 1), "rb");
    assert_non_null(file);
    assert_true(gate_buf_reserve(&cut, 20 << 10));
    cut.len = fread(cut.ptr, 1, 20 << 10, file);
    (void)fclose(file);
    write_bytes(file_path(&room, 1), gate_buf_view(&cut));
    assert_int_not_equal(run_merge(&room), 0);
    assert_non_null(strstr(said, file_path(&room, 1)));
    assert_int_equal(access(room.out, F_OK), -1);
    leave_room(&room);
}
