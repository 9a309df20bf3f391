/* SPDX-License-Identifier: Apache-2.0 */
/* Runs one end-to-end case in process and compares everything that a user would see.
 *
 * A case is a folder of fixtures/cases:
 *   args           the first line is "# " and what the case shows (checked by about.py); each further line is one
 *                  argument, in which {out} is the path of a new folder for reports
 *   env            optional: one NAME=VALUE a line, set before the run
 *   stdin          standard input, when there is one
 *   expect/output  standard output; "== stderr" and standard error, if there is any; "== exit status N"
 *   expect/        also a file for each report written to {out}
 *
 * The program runs in fixtures/, so that paths in its output are the same everywhere. Pages and pictures are compared
 * without their script and style, which tests/browser tests: else a changed asset would rewrite every expected page.
 * JSON is compared without the line that tells the build, which unit tests and tests/hand compare.
 * A file of expect/ has at most EXPECTED_BYTES_MAX bytes, so that a reviewer reads its changes.
 * GATE_UPDATE=1 writes expect/ anew (refused under CI). On a difference the file that was got stays beside the expected
 * one, as NAME.got. */
#include "gate/base/buf.h"
#include "gate/cli/command.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ARGS_MAX = 128, PATH_BYTES = 4096, EXPECTED_BYTES_MAX = 100000 };

static bool read_file(struct gate_buf *out, const char *path) {
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return false;
    char chunk[65536];
    for (size_t got; (got = fread(chunk, 1, sizeof chunk, file)) > 0;)
        gate_buf_bytes(out, chunk, got);
    return fclose(file) == 0;
}

static bool write_file(const char *path, struct gate_str text) {
    FILE *file = fopen(path, "wb");
    if (file == NULL)
        return false;
    bool ok = fwrite(text.ptr, 1, text.len, file) == text.len;
    return fclose(file) == 0 && ok;
}

static void path_join(char *out, const char *folder, const char *name, const char *ending) {
    int len = snprintf(out, PATH_BYTES, "%s/%s%s", folder, name, ending);
    GATE_ASSERT(len > 0 && len < PATH_BYTES);
}

/* Replace the path of the temporary folder, which differs in each run, by {out}. */
static void out_hidden(struct gate_buf *shown, struct gate_str text, const char *out) {
    size_t from = 0;
    for (size_t at; (at = gate_str_find(text, gate_str_from(out), from)) != SIZE_MAX; from = at + strlen(out)) {
        gate_buf_str(shown, gate_str_slice(text, from, at));
        gate_buf_text(shown, "{out}");
    }
    gate_buf_str(shown, gate_str_slice(text, from, text.len));
}

/* Replace each text between `open` and `close` by "{left out}". */
static void leave_out(struct gate_buf *text, const char *open, const char *close) {
    struct gate_buf kept = {0};
    struct gate_str all = gate_buf_view(text);
    size_t from = 0;
    for (size_t at; (at = gate_str_find(all, gate_str_from(open), from)) != SIZE_MAX;) {
        size_t inside = at + strlen(open);
        size_t end = gate_str_find(all, gate_str_from(close), inside);
        GATE_ASSERT(end != SIZE_MAX);
        gate_buf_str(&kept, gate_str_slice(all, from, inside));
        gate_buf_text(&kept, "{left out}");
        from = end;
    }
    gate_buf_str(&kept, gate_str_slice(all, from, all.len));
    gate_buf_free(text);
    *text = kept;
}

/* The page's data is in a script element too, but in one with a type. */
static void leave_out_assets(struct gate_buf *text) {
    struct gate_str all = gate_buf_view(text);
    if (!gate_str_starts(all, GATE_STR("<!DOCTYPE html>")) && !gate_str_starts(all, GATE_STR("<?xml ")))
        return;
    leave_out(text, "<style>", "</style>");
    leave_out(text, "<script>", "</script>");
    leave_out(text, "'sha256-", "'");
}

/* Every build has another id. */
static void leave_out_build(struct gate_buf *text) {
    static const char line[] = "\n  \"generator_build\": \"";
    struct gate_str all = gate_buf_view(text);
    size_t at = gate_str_find(all, gate_str_from(line), 0);
    if (at == SIZE_MAX)
        return;
    size_t end = gate_str_find(all, GATE_STR("\n"), at + 1);
    GATE_ASSERT(end != SIZE_MAX);
    struct gate_buf kept = {0};
    gate_buf_str(&kept, gate_str_slice(all, 0, at));
    gate_buf_str(&kept, gate_str_slice(all, end, all.len));
    gate_buf_free(text);
    *text = kept;
}

/* Compare one expected file with what was written, or rewrite it. Returns whether both are equal, or it was
 * rewritten. */
static bool settle_text(const char *expect, const char *name, struct gate_str got, bool update) {
    char path[PATH_BYTES];
    char got_path[PATH_BYTES];
    path_join(path, expect, name, "");
    path_join(got_path, expect, name, ".got");
    (void)unlink(got_path);
    if (got.len > EXPECTED_BYTES_MAX) {
        (void)fprintf(stderr, "%s has %zu bytes, expected at most %d; make it smaller by --frames or --min-share\n",
                      name, got.len, (int)EXPECTED_BYTES_MAX);
        return false;
    }
    if (update)
        return write_file(path, got);
    struct gate_buf wanted = {0};
    bool exists = read_file(&wanted, path);
    bool equal = exists && gate_str_equal(gate_buf_view(&wanted), got);
    if (!equal) {
        (void)fprintf(stderr, "%s %s: see %s\n", name, exists ? "differs" : "is not expected", got_path);
        (void)write_file(got_path, got);
    }
    gate_buf_free(&wanted);
    return equal;
}

static bool settle(const char *expect, const char *name, struct gate_str got, const char *out, bool update) {
    struct gate_buf shown = {0};
    out_hidden(&shown, got, out);
    leave_out_assets(&shown);
    leave_out_build(&shown);
    bool ok = settle_text(expect, name, gate_buf_view(&shown), update);
    gate_buf_free(&shown);
    return ok;
}

/* Compare or rewrite every regular file of `folder`, and remove it. */
static bool settle_reports(const char *folder, const char *expect, bool update) {
    DIR *stream = opendir(folder);
    GATE_ASSERT(stream != NULL);
    bool ok = true;
    for (struct dirent *entry = readdir(stream); entry != NULL; entry = readdir(stream)) {
        char path[PATH_BYTES];
        if (entry->d_name[0] == '.')
            continue;
        path_join(path, folder, entry->d_name, "");
        struct gate_buf got = {0};
        ok = read_file(&got, path) && settle(expect, entry->d_name, gate_buf_view(&got), folder, update) && ok;
        gate_buf_free(&got);
        (void)unlink(path);
    }
    (void)closedir(stream);
    return ok;
}

/* Return whether every expected file was written. With `update`, remove those that were not. Called before the reports
 * are removed. */
static bool all_expected_written(const char *folder, const char *expect, bool update) {
    DIR *stream = opendir(expect);
    bool ok = stream != NULL;
    for (struct dirent *entry = ok ? readdir(stream) : NULL; entry != NULL; entry = readdir(stream)) {
        char path[PATH_BYTES];
        struct stat status;
        if (entry->d_name[0] == '.' || strcmp(entry->d_name, "output") == 0 ||
            gate_str_ends(gate_str_from(entry->d_name), GATE_STR(".got")))
            continue;
        path_join(path, folder, entry->d_name, "");
        if (stat(path, &status) == 0)
            continue;
        if (update) {
            path_join(path, expect, entry->d_name, "");
            (void)unlink(path);
        } else {
            (void)fprintf(stderr, "%s was not written\n", entry->d_name);
            ok = false;
        }
    }
    if (stream != NULL)
        (void)closedir(stream);
    return ok;
}

/* Arguments, one a line, with {out} replaced. The first line is for reviewers. */
static int read_args(const char **argv, struct gate_arena *arena, const char *folder, const char *out) {
    char path[PATH_BYTES];
    struct gate_buf text = {0};
    path_join(path, folder, "args", "");
    GATE_ASSERT(read_file(&text, path));
    struct gate_str all = gate_str_copy(arena, gate_buf_view(&text));
    gate_buf_free(&text);
    int argc = 0;
    argv[argc++] = "pprofgate";
    GATE_ASSERT(gate_str_starts(all, GATE_STR("# ")));
    for (size_t at = gate_str_find(all, GATE_STR("\n"), 0) + 1; at < all.len;) {
        size_t end = gate_str_find(all, GATE_STR("\n"), at);
        end = end == SIZE_MAX ? all.len : end;
        struct gate_str line = gate_str_slice(all, at, end);
        size_t mark = gate_str_find(line, GATE_STR("{out}"), 0);
        struct gate_str parts[] = {gate_str_slice(line, 0, mark), gate_str_from(mark == SIZE_MAX ? "" : out),
                                   mark == SIZE_MAX ? GATE_STR("") : gate_str_slice(line, mark + 5, line.len)};
        GATE_ASSERT(argc < ARGS_MAX);
        argv[argc++] = gate_str_concat(arena, parts, 3).ptr;
        at = end + 1;
    }
    return argc;
}

/* Append what was written to a stream, below `title` if there is any output. */
static void append_stream(struct gate_buf *out, FILE *stream, const char *title) {
    char chunk[65536];
    rewind(stream);
    for (size_t got; (got = fread(chunk, 1, sizeof chunk, stream)) > 0; title = "") {
        gate_buf_text(out, title);
        gate_buf_bytes(out, chunk, got);
    }
    (void)fclose(stream);
    if (out->len > 0 && !gate_str_ends(gate_buf_view(out), GATE_STR("\n")))
        gate_buf_text(out, "\n== no newline\n");
}

static void set_environment(const char *folder) {
    char path[PATH_BYTES];
    char line[PATH_BYTES];
    path_join(path, folder, "env", "");
    FILE *file = fopen(path, "rb");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        char *equals = strchr(line, '=');
        GATE_ASSERT(equals != NULL);
        *equals = '\0';
        GATE_ASSERT(setenv(line, equals + 1, 1) == 0);
    }
    if (file != NULL)
        (void)fclose(file);
}

static bool run_case(const char *folder, const char *out, bool update, struct gate_arena *arena) {
    const char *argv[ARGS_MAX];
    char path[PATH_BYTES];
    char expect[PATH_BYTES];
    int argc = read_args(argv, arena, folder, out);
    set_environment(folder);
    path_join(path, folder, "stdin", "");
    path_join(expect, folder, "expect", "");
    FILE *in = fopen(path, "rb");
    FILE *streams[2] = {tmpfile(), tmpfile()};
    GATE_ASSERT(streams[0] != NULL && streams[1] != NULL);
    int status = gate_run(argc, argv, in == NULL ? stdin : in, streams[0], streams[1]);
    if (in != NULL)
        (void)fclose(in);
    if (update)
        (void)mkdir(expect, 0777);
    bool ok = all_expected_written(out, expect, update);
    struct gate_buf text = {0};
    append_stream(&text, streams[0], "");
    append_stream(&text, streams[1], "== stderr\n");
    gate_buf_printf(&text, "== exit status %d\n", status);
    ok = settle(expect, "output", gate_buf_view(&text), out, update) && ok;
    gate_buf_free(&text);
    return settle_reports(out, expect, update) && ok;
}

int main(int argc, char **argv) {
    GATE_ASSERT(argc == 2);
    const char *wish = getenv("GATE_UPDATE");
    bool update = wish != NULL && strcmp(wish, "1") == 0;
    if (update && getenv("CI") != NULL) {
        (void)fprintf(stderr, "GATE_UPDATE is refused under CI\n");
        return 1;
    }
    char out[] = "/tmp/pprofgate-case-XXXXXX";
    GATE_ASSERT(mkdtemp(out) != NULL);
    struct gate_arena arena;
    gate_arena_init(&arena, 0);
    bool ok = run_case(argv[1], out, update, &arena);
    gate_arena_free(&arena);
    (void)rmdir(out);
    return ok ? 0 : 1;
}
