/* SPDX-License-Identifier: Apache-2.0 */
/* base/file.h: streams that signals interrupt, and streams in non-blocking mode that have to wait. */

#include "gate/base/file.h"
#include "tests/unit/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>

enum { BYTES = 1 << 20 }; /* more than a pipe holds */

/* The other end of a pipe: reads everything from it, or writes everything to it. */
struct other_end {
    int descriptor;
    pthread_t interrupted;
    size_t count;
};

static void on_signal(int number) {
    (void)number;
}

/* Handle signals without SA_RESTART, so that each one interrupts a system call of the thread that gets it. */
static void signals_interrupt(void) {
    struct sigaction action = {.sa_handler = on_signal};
    assert_int_equal(sigaction(SIGUSR2, &action, NULL), 0);
}

static void *read_all(void *context) {
    struct other_end *end = context;
    char piece[4096];
    for (ssize_t got; (got = read(end->descriptor, piece, sizeof piece)) > 0; end->count += (size_t)got)
        (void)pthread_kill(end->interrupted, SIGUSR2);
    return NULL;
}

static void *write_all(void *context) {
    struct other_end *end = context;
    static const char piece[4096];
    for (size_t at = 0; at < BYTES; at += sizeof piece) {
        (void)pthread_kill(end->interrupted, SIGUSR2);
        end->count += (size_t)write(end->descriptor, piece, sizeof piece);
    }
    (void)close(end->descriptor);
    return NULL;
}

static void written_through_a_pipe(int flags) {
    int ends[2];
    pthread_t reader;
    char *text = calloc(1, BYTES);
    assert_non_null(text);
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(fcntl(ends[1], F_SETFL, flags), 0);
    signals_interrupt();
    struct other_end end = {.descriptor = ends[0], .interrupted = pthread_self()};
    FILE *file = fdopen(ends[1], "w");
    assert_non_null(file);
    assert_int_equal(pthread_create(&reader, NULL, read_all, &end), 0);
    assert_true(gate_stream_write(file, (struct gate_str){text, BYTES}));
    assert_int_equal(fclose(file), 0);
    assert_int_equal(pthread_join(reader, NULL), 0);
    assert_int_equal(end.count, BYTES);
    (void)close(ends[0]);
    free(text);
}

TEST(signals_do_not_end_writing) {
    written_through_a_pipe(0);
}

TEST(a_pipe_that_does_not_block_is_waited_for) {
    written_through_a_pipe(O_NONBLOCK);
}

static void read_through_a_pipe(int flags) {
    int ends[2];
    pthread_t writer;
    char *bytes = malloc(BYTES + 1);
    assert_non_null(bytes);
    (void)close(STDIN_FILENO); /* the pipe becomes standard input */
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(ends[0], STDIN_FILENO);
    assert_int_equal(fcntl(ends[0], F_SETFL, flags), 0);
    signals_interrupt();
    struct other_end end = {.descriptor = ends[1], .interrupted = pthread_self()};
    FILE *file = fdopen(ends[0], "r");
    assert_non_null(file);
    assert_int_equal(pthread_create(&writer, NULL, write_all, &end), 0);
    assert_int_equal(gate_stream_read(bytes, BYTES + 1, file), BYTES);
    assert_true(feof(file) && !ferror(file));
    assert_int_equal(pthread_join(writer, NULL), 0);
    assert_int_equal(end.count, BYTES);
    assert_int_equal(fclose(file), 0);
    free(bytes);
}

TEST(signals_do_not_end_reading) {
    read_through_a_pipe(0);
}

TEST(an_empty_pipe_that_does_not_block_is_waited_for) {
    read_through_a_pipe(O_NONBLOCK);
}

TEST(errors_of_reading_and_writing_are_reported) {
    char bytes[8];
    FILE *folder = fopen(".", "r"), *full = fopen("/dev/full", "w");
    assert_non_null(folder);
    assert_int_equal(gate_stream_read(bytes, sizeof bytes, folder), 0);
    assert_int_equal(errno, EISDIR);
    assert_true(ferror(folder));
    (void)fclose(folder);
    if (full == NULL) /* it is Linux' own */
        skip();
    assert_false(gate_stream_write(full, GATE_STR("text")));
    assert_int_equal(errno, ENOSPC);
    (void)fclose(full);
}

TEST(a_place_is_read_to_the_end_of_the_file) {
    char bytes[8];
    FILE *file = tmpfile();
    assert_non_null(file);
    assert_true(gate_stream_write(file, GATE_STR("0123456789")));
    assert_int_equal(gate_stream_read_at(bytes, 4, fileno(file), 3), 4);
    assert_memory_equal(bytes, "3456", 4);
    assert_int_equal(gate_stream_read_at(bytes, sizeof bytes, fileno(file), 8), 2);
    assert_int_equal(errno, 0);
    assert_int_equal(gate_stream_read_at(bytes, 1, fileno(file), UINT64_MAX), 0);
    assert_int_equal(errno, EOVERFLOW);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(gate_stream_read_at(bytes, 1, -1, 0), 0);
    assert_int_equal(errno, EBADF);
}

TEST(buffered_bytes_are_written_first) {
    char *made = NULL;
    size_t len = 0;
    FILE *file = tmpfile(), *memory = open_memstream(&made, &len);
    assert_true(file != NULL && memory != NULL);
    assert_true(fputs("one ", file) >= 0 && fputs("one ", memory) >= 0);
    assert_true(gate_stream_write(file, GATE_STR("two")) && gate_stream_write(memory, GATE_STR("two")));
    char bytes[16];
    rewind(file);
    assert_int_equal(gate_stream_read(bytes, sizeof bytes, file), 7);
    assert_memory_equal(bytes, "one two", 7);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(fclose(memory), 0);
    assert_string_equal(made, "one two");
    free(made);
}
