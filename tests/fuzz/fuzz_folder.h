/* SPDX-License-Identifier: Apache-2.0 */
/* A temporary folder for a target that runs whole commands. The parts of an input are files in it. */
#ifndef TESTS_FUZZ_FOLDER_H
#define TESTS_FUZZ_FOLDER_H

#include "tests/fuzz/fuzz.h"

#include <dirent.h>
#include <stdio.h>
#include <unistd.h>

enum { FUZZ_PATH_MAX = 128 };

static char fuzz_path[64]; /* path of the folder; empty: not made yet */

/* Remove all files in a folder and its subfolders. */
static inline void fuzz_folder_empty(const char *name) {
    DIR *listing = opendir(name);
    char below[FUZZ_PATH_MAX + 256];
    if (listing == NULL)
        return;
    for (struct dirent *entry = readdir(listing); entry != NULL; entry = readdir(listing)) {
        if (entry->d_name[0] == '.')
            continue;
        int length = snprintf(below, sizeof below, "%s/%s", name, entry->d_name);
        if (length > 0 && (size_t)length < sizeof below && unlink(below) != 0)
            fuzz_folder_empty(below);
    }
    (void)closedir(listing);
}

static inline void fuzz_folder_remove(void) {
    fuzz_folder_empty(fuzz_path);
    char report[FUZZ_PATH_MAX];
    (void)snprintf(report, sizeof report, "%s/report", fuzz_path);
    (void)rmdir(report);
    (void)rmdir(fuzz_path);
}

/* Make the folder at the first call, and return its path. It is in memory if possible, because thousands of
 * executions per minute write to it. */
static inline const char *fuzz_folder(void) {
    if (fuzz_path[0] == '\0') {
        (void)snprintf(fuzz_path, sizeof fuzz_path, "%s/pprofgate-fuzz-XXXXXX",
                       access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
        FUZZ_CHECK(mkdtemp(fuzz_path) != NULL && atexit(fuzz_folder_remove) == 0);
        FUZZ_CHECK(unsetenv("PPROFGATE_WORK_BASELINE") == 0 && unsetenv("PPROFGATE_WORK_CANARY") == 0);
        FUZZ_CHECK(unsetenv("GITHUB_ACTIONS") == 0 && unsetenv("GITHUB_OUTPUT") == 0 &&
                   unsetenv("GITHUB_STEP_SUMMARY") == 0 && unsetenv("GITLAB_CI") == 0);
    }
    return fuzz_path;
}

/* The empty standard input of all runs. */
static inline FILE *fuzz_input(void) {
    static FILE *input = NULL;
    if (input == NULL)
        input = fopen("/dev/null", "rb");
    FUZZ_CHECK(input != NULL);
    return input;
}

static inline const char *fuzz_in_folder(char out[FUZZ_PATH_MAX], const char *name) {
    (void)snprintf(out, FUZZ_PATH_MAX, "%s/%s", fuzz_folder(), name);
    return out;
}

static inline void fuzz_write_part(const char *name, struct gate_str bytes) {
    char file_path[FUZZ_PATH_MAX];
    FILE *file = fopen(fuzz_in_folder(file_path, name), "wb");
    FUZZ_CHECK(file != NULL && fwrite(bytes.ptr, 1, bytes.len, file) == bytes.len);
    FUZZ_CHECK(fclose(file) == 0);
}

/* Write the parts of `rest`, separated by "\n%%\n", to files with these names. Return the number of parts. */
static inline size_t fuzz_write_parts(struct gate_str rest, const char *const *names, size_t most) {
    size_t count = 0;
    for (size_t at = 0; at != SIZE_MAX && count < most; count++) {
        at = gate_str_find(rest, GATE_STR("\n%%\n"), 0);
        fuzz_write_part(names[count], gate_str_slice(rest, 0, at));
        rest = at == SIZE_MAX ? GATE_STR("") : gate_str_slice(rest, at + 4, rest.len);
    }
    return count;
}

#endif
