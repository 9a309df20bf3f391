/* SPDX-License-Identifier: Apache-2.0 */
/* Commands other than `check` on arbitrary files. A second command must accept what the first one wrote: merged
 * profiles, the rules of `init`, the noise model of `calibrate`. The first byte of the input selects the command. If
 * the second byte is odd, the command is repeated with one arena request refused; it must end with the same status or
 * an error. The input's bytes select the request; a replay of the corpus refuses each one. The files follow, separated
 * by "\n%%\n". Corpus: tests/fuzz/corpus/commands. */
#include "gate/base/hash.h"
#include "gate/budget/outcome.h"
#include "gate/cli/command.h"
#include "tests/fuzz/fuzz_folder.h"
#include "tests/fuzz/refused.h"

#include <limits.h>

enum { FILES = 4, WORDS_MAX = 24, REFUSED_MAX = 2000 };

static const char *const names[FILES] = {"a", "b", "c", "d"};

/* A word of one letter is a file of the input. `then` is the command that reads "out"; empty: none. */
struct fuzz_command {
    const char *words[WORDS_MAX];
    const char *then[WORDS_MAX];
};

static const struct fuzz_command commands[] = {
    {{"inspect", "a"}, {NULL}},
    {{"inspect", "--json", "a", "b"}, {NULL}},
    {{"inspect", "--rules", "a", "--frames", "all", "b"}, {NULL}},
    {{"merge", "-o", "out", "a", "b"}, {"inspect", "out"}},
    {{"merge", "--format", "otlp", "-o", "out", "a", "b"}, {"inspect", "out"}},
    {{"merge", "--container", "zstd", "-o", "out", "a"}, {"inspect", "out"}},
    {{"init", "-o", "out", "a", "b"}, {"validate", "out"}},
    {{"calibrate", "-o", "out", "a", "b", "c"}, {"check", "--noise", "out", "a", "b"}},
    {{"check", "--noise", "a", "b", "c"}, {NULL}},
    {{"check", "--work-file", "a", "b", "c"}, {NULL}},
    {{"check", "--rules", "a", "--report", "report", "b", "c"}, {NULL}},
    {{"validate", "a"}, {NULL}},
    {{"explain", "a", "b", "c"}, {NULL}},
    {{"prove", "--draws", "2", "--rules", "a", "b", "c"}, {NULL}},
    {{"trend", "--rules", "a", "b", "c", "d"}, {NULL}},
    {{"diff", "--where", "key=main.main", "--granularity", "package", "a", "b"}, {NULL}},
    {{"diff", "--where", "bytes=4096", "--json", "out", "a", "b"}, {NULL}},
    {{"check", "--by", "key", "--names", "exact", "a", "b"}, {NULL}},
    {{"diff", "--sample-type", "inuse_samples/count", "a", "b"}, {NULL}},
    {{"diff", "--sample-type", "-1", "--period", "1000", "a", "b"}, {NULL}},
    {{"diff", "--sample-type", "cpo", "a", "b"}, {NULL}},
    {{"diff", "--sample-type", "+1", "--granularity", "file", "a", "b"}, {NULL}},
    {{"diff", "--granularity", "line", "--names", "exact", "--frames", "all", "a", "b"}, {NULL}},
    {{"prove", "--draws", "2", "a", "b", "c"}, {NULL}},
};

struct fuzz_told {
    char *out, *err;
    size_t out_len, err_len;
};

/* Run the command `words`. "a" to "d", "out" and "report" are paths in the folder. Returns the exit status. */
static int run(const char *const *words, struct fuzz_told *told) {
    char paths[WORDS_MAX][FUZZ_PATH_MAX];
    const char *argv[WORDS_MAX + 6] = {"pprofgate", words[0], "--max-memory", "64M", "--max-size", "4M"};
    int argc = 6;
    for (int i = 1; i < WORDS_MAX && words[i] != NULL; i++) {
        bool is_file = words[i][1] == '\0' || strcmp(words[i], "out") == 0 || strcmp(words[i], "report") == 0;
        is_file = is_file && (words[i][0] < '0' || words[i][0] > '9');
        argv[argc++] = is_file ? fuzz_in_folder(paths[i], words[i]) : words[i];
    }
    /* `validate` reads no profiles, so it has no --max-memory and --max-size. */
    if (strcmp(words[0], "validate") == 0)
        argv[2] = argv[6], argc = 3;
    FILE *in = fuzz_input(), *out = open_memstream(&told->out, &told->out_len);
    FILE *err = open_memstream(&told->err, &told->err_len);
    FUZZ_CHECK(in != NULL && out != NULL && err != NULL);
    int status = gate_run(argc, argv, in, out, err);
    FUZZ_CHECK(fclose(out) == 0 && fclose(err) == 0);
    FUZZ_CHECK(status >= GATE_EXIT_PASS && status <= GATE_EXIT_INCONCLUSIVE);
    FUZZ_CHECK(status != GATE_EXIT_ERROR || told->err_len > 0 || told->out_len > 0);
    return status;
}

static void forget(struct fuzz_told *told) {
    free(told->out);
    free(told->err);
    *told = (struct fuzz_told){0};
}

static void run_refused(const struct fuzz_command *command, unsigned long n, int expected) {
    struct fuzz_told told = {0};
    char out[FUZZ_PATH_MAX];
    (void)unlink(fuzz_in_folder(out, "out"));
    fuzz_refuse(n);
    int status = run(command->words, &told);
    fuzz_refuse(0);
    forget(&told);
    FUZZ_CHECK(status == expected || status == GATE_EXIT_ERROR);
}

/* Repeat the command, which made `requests`. Fuzzing refuses one of them: all would take a second per input. */
static void run_some_refused(const struct fuzz_command *command, unsigned long requests, struct gate_str input,
                             int expected) {
    if (requests > REFUSED_MAX)
        requests = REFUSED_MAX;
#ifdef FUZZ_REPLAY
    (void)input;
    for (unsigned long n = 1; n <= requests; n++)
        run_refused(command, n, expected);
#else
    if (requests != 0)
        run_refused(command, 1 + gate_hash_bytes(input.ptr, input.len, 0) % requests, expected);
#endif
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len) {
    if (len < 2 || len > 65536)
        return 0;
    const struct fuzz_command *command = &commands[bytes[0] % (sizeof commands / sizeof *commands)];
    struct fuzz_told told = {0};
    fuzz_folder_empty(fuzz_folder());
    (void)fuzz_write_parts((struct gate_str){(const char *)bytes + 2, len - 2}, names, FILES);
    fuzz_refuse(ULONG_MAX);
    int status = run(command->words, &told);
    unsigned long requests = fuzz_refuse(0);
    forget(&told);
    if (status != GATE_EXIT_ERROR && command->then[0] != NULL) {
        FUZZ_CHECK(run(command->then, &told) != GATE_EXIT_ERROR);
        forget(&told);
    }
    if (bytes[1] % 2 == 1)
        run_some_refused(command, requests, fuzz_view(bytes, len), status);
    return 0;
}
