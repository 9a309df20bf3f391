/* SPDX-License-Identifier: Apache-2.0 */
/* Run each case again and again. Each run has one request refused that no run before it had refused (see places.h),
 * until nothing is left to refuse. A run must end as without the refusal, byte for byte, or with status 2, a cause, and
 * either no report or all of them. */
#include "gate/base/buf.h"
#include "gate/cli/command.h"
#include "gate/report/report.h"
#include "tests/refusals/places.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ARGS_MAX = 128, PATH_BYTES = 4096, SHOWN_MAX = 20 };

struct refusals_case {
    const char *folder; /* contains args; optionally stdin, env, dir, given, after, and the empty files `varies` and
                           `partial` */
    const char *argv[ARGS_MAX];
    int argc;
    char out[64];      /* value of {out} */
    const char *given; /* folder that is copied to {out} before each run; or NULL */
    bool varies;       /* its output contains the time, or is a lock; tests/faults checks such output */
    bool is_partial;   /* an error leaves what was done before it */
};

/* What a run left: its streams, and its files one after another, each after its name. */
struct refusals_end {
    int status;
    struct gate_buf out, err, files;
    bool is_well; /* result of the case's script `after`, if there is one */
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

/* Append the files of `folder` and its subfolders to `files` and delete them. */
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

/* Return `line` with the first of each variable replaced: {out} is the case's folder; live.py sets {url} and
 * {place}. */
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

/* Read the arguments, one per line. */
static void read_args(struct refusals_case *test, struct gate_arena *arena) {
    char path[PATH_BYTES];
    struct gate_buf text = {0};
    path_join(path, test->folder, "args");
    GATE_ASSERT(read_stream(&text, fopen(path, "rb")));
    struct gate_str all = gate_str_copy(arena, gate_buf_view(&text));
    gate_buf_free(&text);
    test->argv[test->argc++] = "pprofgate";
    bool has_sentence = gate_str_starts(all, GATE_STR("# ")); /* those of fixtures/cases */
    for (size_t at = has_sentence ? gate_str_find(all, GATE_STR("\n"), 0) + 1 : 0; at < all.len;) {
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

/* Run the case's script `after`, which checks what the run left. Returns whether it succeeded. */
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

/* Return whether both runs left files of the same names. The contents may differ, since a report may state what it
 * lacks. */
static bool has_same_names(const struct gate_buf *a, const struct gate_buf *b) {
    const struct gate_str mark = GATE_STR("\n== "), left = gate_buf_view(a), right = gate_buf_view(b);
    size_t at = gate_str_find(left, mark, 0), other = gate_str_find(right, mark, 0);
    while (at != SIZE_MAX && other != SIZE_MAX) {
        size_t end = gate_str_find(left, GATE_STR("\n"), at + 1),
               until = gate_str_find(right, GATE_STR("\n"), other + 1);
        if (!gate_str_equal(gate_str_slice(left, at, end), gate_str_slice(right, other, until)))
            return false;
        at = gate_str_find(left, mark, at + 1);
        other = gate_str_find(right, mark, other + 1);
    }
    return at == other;
}

/* Return whether the output reports damage. What cannot be read of a store is reported, or left out if there is other
 * data. */
static bool tells_damage(const struct refusals_end *end) {
    return gate_str_find(gate_buf_view(&end->out), GATE_STR("damaged"), 0) != SIZE_MAX;
}

/* Return whether the request was made while this report was written. */
static bool passed_report(const struct gate_report_format *report) {
    const void *start;
    memcpy(&start, &report->write, sizeof start);
    return places_passed_through(start);
}

/* Return whether the request was made below a function that leaves out what it has no memory for. That is allowed
 * because gate_arena_check ends the run before anything is written. It does not check limits, so a limit shortens a
 * text. */
static bool leaves_out(void) {
    static const char *const functions[] = {"gate_report_", "gate_demangle", "gate_code_index_find", "gate_waiver_",
                                            "gate_preset_names"};
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (places_passed(functions[i]))
            return true;
    for (size_t i = 0; gate_report_formats[i] != NULL; i++)
        if (passed_report(gate_report_formats[i]))
            return true;
    return passed_report(&gate_report_terminal) || passed_report(&gate_report_github) ||
           passed_report(&gate_report_diff_json);
}

/* Return whether results lack a part because the request for a buffer was refused. No reader could see that, unless the
 * run ended with an error that names it. A note on standard error may be missing. */
static bool has_cut_results(const struct refusals_end *expected, const struct refusals_end *end) {
    bool is_said = end->status == GATE_EXIT_ERROR &&
                   gate_str_find(gate_buf_view(&end->err), GATE_STR("out of memory"), 0) != SIZE_MAX;
    return places_passed("gate_buf_reserve") && !is_said &&
           !(is_same(&end->files, &expected->files) && is_same(&end->out, &expected->out));
}

/* Return why the run must not end like this, or NULL if it may. */
static const char *complaint(const struct refusals_end *expected, const struct refusals_end *end,
                             const struct refusals_case *test) {
    if (!end->is_well)
        return "what it left is not well";
    if (test->varies && end->status == expected->status)
        return NULL;
    if (places_may_differ && tells_damage(end))
        return NULL;
    if (end->status == expected->status && is_same(&end->files, &expected->files) &&
        is_same(&end->out, &expected->out) && is_same(&end->err, &expected->err))
        return NULL;
    if (end->status == expected->status && has_cut_results(expected, end))
        return "results lack a part, and no error";
    if (places_may_differ && end->status == expected->status)
        return has_same_names(&end->files, &expected->files) || !is_same(&end->err, &expected->err)
                   ? NULL
                   : "other files, and nothing says why";
    if (end->status != GATE_EXIT_ERROR)
        return end->status == expected->status && leaves_out() ? NULL : "another end, and no error";
    if (end->files.len > 0 && !test->varies && !test->is_partial && !is_same(&end->files, &expected->files))
        return "an error, and not all files are as they should be";
    /* If the run fails in any case, the refused request may be one that its message needs. */
    if (end->err.len > 0 || (places_may_differ && expected->status == GATE_EXIT_ERROR))
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
        const char *wrong = complaint(&expected, &end, test);
        tally->runs++;
        if (wrong != NULL && ++tally->wrong <= SHOWN_MAX)
            show(test, wrong, &end);
        end_free(&end);
    }
    end_free(&expected);
}

/* Set the variables of a case's file `env`, or unset them. */
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

/* Return the line of a case's file `name`, or NULL if there is no such file. */
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
    path_join(path, folder, "partial");
    test.is_partial = access(path, R_OK) == 0;
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

/* usage: refusals CASES..., each a folder */
int main(int argc, char **argv) {
    struct refusals_tally tally = {0};
    for (int i = 1; i < argc; i++) {
        size_t before = tally.runs;
        sweep_case(argv[i], &tally);
        if (getenv("REFUSALS_VERBOSE") != NULL)
            (void)fprintf(stderr, "%s: %zu\n", argv[i], tally.runs - before);
    }
    (void)printf("%zu runs, %zu places refused, %zu ended as none may\n", tally.runs, places_count(), tally.wrong);
    return tally.wrong > 0 || (places_count() == 0 && getenv("REFUSALS_WITHIN") == NULL);
}
