/* SPDX-License-Identifier: Apache-2.0 */
/* Runs every case of fixtures/cases again and again, each time with one request refused that no run before it had
 * refused (see places.h), until nothing is left to refuse. A run either ends as it would have, byte for byte, or with
 * status 2, a cause, and no report, or all of them. */
#include "gate/base/buf.h"
#include "gate/cli/run.h"
#include "tests/refusals/places.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ARGS_MAX = 128, PATH_BYTES = 4096, SHOWN_MAX = 20 };

struct refusals_case {
    const char *folder; /* with args; stdin, env, dir, given, after and an empty file `varies`, if any */
    const char *argv[ARGS_MAX];
    int argc;
    char out[64];      /* what {out} means */
    const char *given; /* a folder; what is in it is in {out} before each run; or NULL */
    bool varies;       /* what it writes tells the time, or is a lock: tests/faults looks after these */
};

/* What a run left: its streams, and its files one after another, each behind its name. */
struct refusals_end {
    int status;
    struct gate_buf out, err, files;
    bool is_well; /* says the script `after` of the case, if there is one */
};

struct refusals_tally {
    size_t runs, wrong;
};

static bool read_stream(struct gate_buf *out, FILE *stream) {
    char chunk[65536];
    if (stream == NULL)
        return false;
    rewind(stream);
    for (size_t got; (got = fread(chunk, 1, sizeof chunk, stream)) > 0;)
        gate_buf_bytes(out, chunk, got);
    return fclose(stream) == 0;
}

static void path_join(char *out, const char *folder, const char *name) {
    int len = snprintf(out, PATH_BYTES, "%s/%s", folder, name);
    GATE_ASSERT(len > 0 && len < PATH_BYTES);
}

/* Takes all that is in `folder` out of it. */
static void take_files(struct gate_buf *files, const char *folder) {
    struct dirent **entries = NULL;
    char path[PATH_BYTES];
    int count = scandir(folder, &entries, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        struct stat stat;
        const char *name = entries[i]->d_name;
        path_join(path, folder, name);
        if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0 || lstat(path, &stat) != 0) {
            free(entries[i]);
            continue;
        }
        if (S_ISDIR(stat.st_mode)) {
            take_files(files, path);
            (void)rmdir(path);
        } else {
            gate_buf_printf(files, "\n== %s\n", name);
            (void)read_stream(files, fopen(path, "rb"));
            (void)unlink(path);
        }
        free(entries[i]);
    }
    free(entries);
}

/* `line` with what stands in braces replaced: {out} the case's folder, {url} and {place} what live.py tells. */
static const char *expand(const struct refusals_case *test, struct gate_str line, struct gate_arena *arena) {
    const char *const words[][2] = {
        {"{out}", test->out}, {"{url}", getenv("REFUSALS_URL")}, {"{place}", getenv("REFUSALS_PLACE")}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t mark = gate_str_find(line, gate_str_from(words[i][0]), 0);
        if (mark == SIZE_MAX)
            continue;
        GATE_ASSERT(words[i][1] != NULL);
        struct gate_str parts[] = {gate_str_slice(line, 0, mark), gate_str_from(words[i][1]),
                                   gate_str_slice(line, mark + strlen(words[i][0]), line.len)};
        line = gate_str_concat(arena, parts, 3);
    }
    return gate_str_concat(arena, &line, 1).ptr;
}

/* Arguments, one a line. */
static void read_args(struct refusals_case *test, struct gate_arena *arena) {
    char path[PATH_BYTES];
    struct gate_buf text = {0};
    path_join(path, test->folder, "args");
    GATE_ASSERT(read_stream(&text, fopen(path, "rb")));
    struct gate_str all = gate_str_copy(arena, gate_buf_view(&text));
    gate_buf_free(&text);
    test->argv[test->argc++] = "pprofgate";
    for (size_t at = 0; at < all.len;) {
        size_t end = gate_str_find(all, GATE_STR("\n"), at);
        end = end == SIZE_MAX ? all.len : end;
        GATE_ASSERT(test->argc < ARGS_MAX);
        test->argv[test->argc++] = expand(test, gate_str_slice(all, at, end), arena);
        at = end + 1;
    }
}

static void give(const struct refusals_case *test) {
    char command[2 * PATH_BYTES];
    int len = snprintf(command, sizeof command, "cp -R '%s/.' '%s'", test->given, test->out);
    GATE_ASSERT(len > 0 && len < (int)sizeof command && system(command) == 0);
}

/* The script for sh that looks at what a run left. */
static bool after(const struct refusals_case *test) {
    char path[PATH_BYTES], command[2 * PATH_BYTES];
    path_join(path, test->folder, "after");
    if (access(path, R_OK) != 0)
        return true;
    int len = snprintf(command, sizeof command, "OUT='%s' sh -eu '%s' >&2", test->out, path);
    GATE_ASSERT(len > 0 && len < (int)sizeof command);
    return system(command) == 0;
}

static bool run(struct refusals_end *end, const struct refusals_case *test, bool refuses) {
    char path[PATH_BYTES];
    if (test->given != NULL)
        give(test);
    path_join(path, test->folder, "stdin");
    FILE *in = fopen(access(path, R_OK) == 0 ? path : "/dev/null", "rb"), *out = tmpfile(), *err = tmpfile();
    GATE_ASSERT(in != NULL && out != NULL && err != NULL);
    if (refuses)
        places_begin(fileno(err));
    end->status = gate_run(test->argc, test->argv, in, out, err);
    bool refused = places_end();
    end->is_well = after(test);
    (void)fclose(in);
    (void)read_stream(&end->out, out);
    (void)read_stream(&end->err, err);
    take_files(&end->files, test->out);
    return refused;
}

static void end_free(struct refusals_end *end) {
    gate_buf_free(&end->out);
    gate_buf_free(&end->err);
    gate_buf_free(&end->files);
}

static bool is_same(const struct gate_buf *a, const struct gate_buf *b) {
    return gate_str_equal(gate_buf_view(a), gate_buf_view(b));
}

/* What cannot be read of a store is told where it is asked for, and passed over where there is more. */
static bool tells_damage(const struct refusals_end *end) {
    return gate_str_find(gate_buf_view(&end->out), GATE_STR("damaged"), 0) != SIZE_MAX;
}

/* NULL: as it may. */
static const char *complaint(const struct refusals_end *expected, const struct refusals_end *end, bool varies) {
    if (!end->is_well)
        return "what it left is not well";
    if (varies && end->status == expected->status)
        return NULL;
    if (places_may_differ && tells_damage(end))
        return NULL;
    if (end->status == expected->status && is_same(&end->files, &expected->files) &&
        is_same(&end->out, &expected->out) && is_same(&end->err, &expected->err))
        return NULL;
    if (end->status != GATE_EXIT_ERROR)
        return places_may_differ && end->status == expected->status ? NULL : "another end, and no error";
    if (end->files.len > 0 && !varies && !is_same(&end->files, &expected->files))
        return "an error, and not all files are as they should be";
    if (end->err.len > 0 || (places_may_differ && expected->status == GATE_EXIT_ERROR)) /* to say it is refused, too */
        return NULL;
    return "an error without a cause";
}

static void show(const struct refusals_case *test, const char *what, const struct refusals_end *end) {
    (void)printf("%s: %s: status %d, after:", test->folder, what, end->status);
    for (int i = 1; i < test->argc; i++)
        (void)printf(" %s", test->argv[i]);
    (void)printf("\n%.*s\n", (int)(end->err.len > 600 ? 600 : end->err.len), gate_buf_view(&end->err).ptr);
    struct gate_str files = gate_buf_view(&end->files);
    for (size_t at = 0; (at = gate_str_find(files, GATE_STR("\n== "), at)) != SIZE_MAX; at++)
        (void)printf("  left: %.*s\n", 40, files.ptr + at + 1);
    places_show();
}

static void sweep(const struct refusals_case *test, struct refusals_tally *tally) {
    struct refusals_end expected = {0};
    (void)run(&expected, test, false);
    if (getenv("REFUSALS_VERBOSE") != NULL)
        show(test, "without a refusal", &expected);
    for (bool refused = true; refused;) {
        struct refusals_end end = {0};
        refused = run(&end, test, true);
        const char *wrong = complaint(&expected, &end, test->varies);
        tally->runs++;
        if (wrong != NULL && ++tally->wrong <= SHOWN_MAX)
            show(test, wrong, &end);
        end_free(&end);
    }
    end_free(&expected);
}

/* Sets the variables of a case's `env`, or takes them away again. */
static void set_environment(const struct refusals_case *test, bool is_on, struct gate_arena *arena) {
    char path[PATH_BYTES], line[PATH_BYTES];
    path_join(path, test->folder, "env");
    FILE *file = fopen(path, "rb");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        char *equals = strchr(line, '=');
        GATE_ASSERT(equals != NULL);
        *equals = '\0';
        const char *value = expand(test, gate_str_from(equals + 1), arena);
        GATE_ASSERT((is_on ? setenv(line, value, 1) : unsetenv(line)) == 0);
    }
    if (file != NULL)
        (void)fclose(file);
}

/* The line of a case's file `name`; NULL: there is no such file. */
static const char *line_of(const struct refusals_case *test, const char *name, struct gate_arena *arena) {
    char path[PATH_BYTES];
    struct gate_buf text = {0};
    path_join(path, test->folder, name);
    if (access(path, R_OK) != 0)
        return NULL;
    GATE_ASSERT(read_stream(&text, fopen(path, "rb")));
    struct gate_str line = gate_buf_view(&text);
    const char *out = expand(test, gate_str_slice(line, 0, line.len - 1), arena);
    gate_buf_free(&text);
    return out;
}

static void sweep_case(const char *folder, struct refusals_tally *tally) {
    struct gate_arena arena = {0};
    struct refusals_case test = {.folder = folder, .out = "/tmp/pprofgate-refusals-XXXXXX"};
    GATE_ASSERT(mkdtemp(test.out) != NULL);
    char path[PATH_BYTES];
    read_args(&test, &arena);
    path_join(path, folder, "varies");
    test.varies = access(path, R_OK) == 0;
    int here = open(".", O_RDONLY | O_CLOEXEC);
    set_environment(&test, true, &arena);
    const char *folder_of_run = line_of(&test, "dir", &arena);
    GATE_ASSERT(folder_of_run == NULL || chdir(folder_of_run) == 0);
    test.given = line_of(&test, "given", &arena);
    sweep(&test, tally);
    set_environment(&test, false, &arena);
    GATE_ASSERT(here >= 0 && fchdir(here) == 0 && close(here) == 0);
    (void)rmdir(test.out);
    gate_arena_free(&arena);
}

/* refusals CASES...: folders */
int main(int argc, char **argv) {
    struct refusals_tally tally = {0};
    for (int i = 1; i < argc; i++) {
        size_t before = tally.runs;
        sweep_case(argv[i], &tally);
        if (getenv("REFUSALS_VERBOSE") != NULL)
            (void)fprintf(stderr, "%s: %zu\n", argv[i], tally.runs - before);
    }
    (void)printf("%zu runs, %zu places refused, %zu ended as none may\n", tally.runs, places_count(), tally.wrong);
    return tally.wrong > 0 || places_count() == 0;
}
