/* SPDX-License-Identifier: Apache-2.0 */
/* Small files that inflate to far more than --max-size. They are refused at the cap, and peak memory stays near it. */
#include "gate/cli/command.h"
#include "gate/formats/deflate.h"
#include "tests/unit/unit.h"

#include <sys/resource.h>
#include <sys/wait.h>

enum { CAP_MIB = 64, SPARE_MIB = 32, BOMB_MIB = 256, RUN_REFUSED = 40, RUN_OTHER = 41 };

#if defined(__SANITIZE_ADDRESS__)
#define MEMORY_IS_MEASURABLE 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define MEMORY_IS_MEASURABLE 0
#endif
#endif
#ifndef MEMORY_IS_MEASURABLE
#define MEMORY_IS_MEASURABLE 1
#endif

/* The first inflated bytes of a bomb. */
enum bomb_head { BOMB_OF_ZEROS, BOMB_OF_A_STRING }; /* not a profile; a string of a profile, all zeros */

static void write_bomb(const char *path, enum gate_container container, enum bomb_head head, bool size_lies) {
    struct gate_buf bomb = {0};
    size_t size = (size_t)BOMB_MIB << 20;
    char *zeros = calloc(size, 1);
    assert_non_null(zeros);
    if (head == BOMB_OF_A_STRING)
        memcpy(zeros, "\x32\xff\xff\xff\x3f", 5); /* field 6, a string of 128 MiB - 1 byte */
    assert_true(gate_container_write(&bomb, (struct gate_str){zeros, size}, container, &err));
    /* The last four bytes of a gzip file are the size of its last member only, here 1000 bytes. */
    if (size_lies)
        assert_true(gate_container_write(&bomb, (struct gate_str){zeros, 1000}, container, &err));
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bomb.ptr, 1, bomb.len, file), bomb.len);
    assert_int_equal(fclose(file), 0);
    gate_buf_free(&bomb);
    free(zeros);
}

/* Runs in a child process, so that its peak memory can be measured. The parent has already freed the bomb. */
static int run_check(const char *path, const char *reason) {
    /* The cap applies to each profile, and both sides are inflated at the same time. So the other profile is small. */
    static const char sound[] = GATE_SOURCE_DIR "/fixtures/go-service/cpu/baseline-1.pb.gz";
    const char *const argv[] = {"pprofgate", "check", "--max-size", "64M", sound, path};
    char said[1024] = "";
    FILE *out = tmpfile(), *err = tmpfile();
    if (out == NULL || err == NULL)
        return RUN_OTHER;
    int status = gate_run(sizeof argv / sizeof *argv, argv, stdin, out, err);
    rewind(err);
    size_t len = fread(said, 1, sizeof said - 1, err);
    said[len] = '\0';
    (void)fprintf(stderr, "%s", said);
    bool is_refused = status == GATE_EXIT_ERROR && strstr(said, reason) != NULL;
    return is_refused ? RUN_REFUSED : RUN_OTHER;
}

static void check_refused(enum gate_container container, enum bomb_head head, bool size_lies) {
    long most_mib = SPARE_MIB + (head == BOMB_OF_ZEROS ? 0 : CAP_MIB);
    char path[] = "/tmp/pprofgate-bomb-XXXXXX";
    int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    (void)close(descriptor);
    write_bomb(path, container, head, size_lies);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        int result = run_check(path, head == BOMB_OF_ZEROS ? "malformed protobuf at byte 0" : "--max-size");
        struct rusage used;
        if (getrusage(RUSAGE_SELF, &used) != 0)
            _exit(RUN_OTHER);
        (void)fprintf(stderr, "peak of the run: %ld KiB\n", used.ru_maxrss);
        bool fits = used.ru_maxrss <= 1024L * most_mib;
        _exit(fits || !MEMORY_IS_MEASURABLE ? result : RUN_OTHER);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    (void)unlink(path);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), RUN_REFUSED);
}

TEST(gzip_is_refused_at_the_cap) {
    check_refused(GATE_CONTAINER_GZIP, BOMB_OF_A_STRING, false);
}

TEST(gzip_with_a_lying_size_is_refused_at_the_cap) {
    check_refused(GATE_CONTAINER_GZIP, BOMB_OF_A_STRING, true);
}

TEST(zstd_is_refused_at_the_cap) {
    check_refused(GATE_CONTAINER_ZSTD, BOMB_OF_A_STRING, false);
}

TEST(input_that_is_not_a_profile_is_refused_at_its_beginning) {
    check_refused(GATE_CONTAINER_GZIP, BOMB_OF_ZEROS, false);
    check_refused(GATE_CONTAINER_ZSTD, BOMB_OF_ZEROS, false);
}
