/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the program with a ledger, in this process and in a temporary folder. For test_ledger_file.c and
 * test_ledger_file_same.c. */
#ifndef TESTS_UNIT_LEDGER_FIXTURE_H
#define TESTS_UNIT_LEDGER_FIXTURE_H

#include "gate/base/arena.h"
#include "gate/cli/command.h"
#include "gate/session/ledger.h"
#include "tests/unit/unit.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define RULES "rules.yml"

enum { WORDS_MAX = 24, SAID_BYTES = 16384 };

static char said[SAID_BYTES], told[SAID_BYTES]; /* standard error and standard output of the last run */

static inline int run(const char *const *words) {
    const char *argv[WORDS_MAX + 3] = {"pprofgate", "check", "--quiet"};
    int argc = 3;
    for (; words[argc - 3] != NULL; argc++)
        argv[argc] = words[argc - 3];
    FILE *in = tmpfile(), *out = tmpfile(), *err = tmpfile();
    assert_true(in != NULL && out != NULL && err != NULL);
    int status = gate_run(argc, argv, in, out, err);
    rewind(err);
    rewind(out);
    said[fread(said, 1, sizeof said - 1, err)] = '\0';
    told[fread(told, 1, sizeof told - 1, out)] = '\0';
    (void)fclose(in);
    (void)fclose(out);
    (void)fclose(err);
    return status;
}

#define RUN(...) run((const char *const[]){"--rules", RULES, __VA_ARGS__, NULL})

/* These profiles contain no build id, so --change has to name the change. */
#define LEDGER "--ledger", "l.json", "--change", "this"

/* Return whether `text` contains `words`, with line breaks and repeated spaces in `text` read as one space. */
static inline bool holds(const char *text, const char *words) {
    char flat[SAID_BYTES];
    size_t len = 0;
    for (const char *c = text; *c != '\0'; c++) {
        char plain = *c == '\n' ? ' ' : *c;
        if (plain != ' ' || len == 0 || flat[len - 1] != ' ')
            flat[len++] = plain;
    }
    flat[len] = '\0';
    return strstr(flat, words) != NULL;
}

static inline void assert_holds(const char *text, const char *words) {
    if (!holds(text, words))
        fail_msg("expected '%s' in '%s'", words, text);
}

static inline void write_text(const char *path, const char *text) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

/* Write a profile of `total` samples, `part` of them in the function "spend". */
static inline void profile(const char *path, int part, int total) {
    char text[128];
    (void)snprintf(text, sizeof text, "main;spend %d\nmain;rest %d\n", part, total - part);
    write_text(path, text);
}

static inline void read_text(char *out, size_t size, const char *path) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    out[fread(out, 1, size - 1, file)] = '\0';
    (void)fclose(file);
}

static inline void assert_status(int status, int expected) {
    if (status != expected)
        fail_msg("exit status %d, expected %d: %s%s", status, expected, said, told);
}

/* Start a test: remove the ledger and write four profiles of each kind. Against base*, open* are inconclusive, good*
 * pass and bad* fail. */
static inline void begin(void) {
    assert_int_equal(system("rm -rf l.json l.json.lock profiles other r"), 0);
    assert_int_equal(mkdir("profiles", 0777), 0);
    for (int i = 0; i < 4; i++) {
        char path[64];
        (void)snprintf(path, sizeof path, "profiles/base%d.txt", i);
        profile(path, 100 + i, 1000);
        (void)snprintf(path, sizeof path, "profiles/open%d.txt", i);
        profile(path, 166 + i, 1000);
        (void)snprintf(path, sizeof path, "profiles/good%d.txt", i);
        profile(path, 97 + i, 1010);
        (void)snprintf(path, sizeof path, "profiles/bad%d.txt", i);
        profile(path, 300 + i, 1000);
    }
}

/* Create and enter a temporary folder, and write the rules file. Return false if there is no folder. */
static inline bool enter(char *folder) {
    if (mkdtemp(folder) == NULL || chdir(folder) != 0)
        return false;
    write_text(RULES, "version: 1\nequal: run\n"
                      "budgets:\n  - {name: b, measure: self, limit: {share_increase: \"+5pp\"}}\n");
    return true;
}

static inline int leave(const char *folder, int failed) {
    char command[64];
    assert_int_equal(chdir("/tmp"), 0);
    (void)snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command) != 0 ? 1 : failed;
}

#endif
