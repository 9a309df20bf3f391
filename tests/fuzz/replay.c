/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a fuzz target on the files of folders. A crash is a failed test. */
#include "fuzz.h"

#include "gate/formats/format.h"

#include <dirent.h>
#include <stdio.h>
#include <sys/stat.h>

static bool is_folder(const char *folder, const char *name) {
    char path[4096];
    struct stat found;
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    return stat(path, &found) == 0 && S_ISDIR(found.st_mode);
}

static bool replay_file(const char *folder, const char *name) {
    char path[4096];
    struct gate_arena arena = {0};
    struct gate_error err = {0};
    struct gate_str bytes;
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    bool ok = gate_source_read(&bytes, gate_str_from(path), NULL, &arena, &err);
    if (ok) {
        /* an exact allocation, so that ASan reports reads past the end */
        char *exact = malloc(bytes.len == 0 ? 1 : bytes.len);
        if (exact != NULL)
            memcpy(exact, bytes.ptr, bytes.len);
        ok = exact != NULL && LLVMFuzzerTestOneInput((const uint8_t *)exact, bytes.len) == 0;
        free(exact);
    } else {
        (void)fprintf(stderr, "%s: %s\n", path, err.message);
    }
    gate_arena_free(&arena);
    return ok;
}

/* Run the target on each file of `name`, and add their number to `*count`. */
static bool replay_folder(size_t *count, const char *name) {
    bool ok = true;
    DIR *folder = opendir(name);
    if (folder == NULL) {
        perror(name);
        return false;
    }
    for (struct dirent *entry = readdir(folder); ok && entry != NULL; entry = readdir(folder)) {
        if (entry->d_name[0] == '.' || is_folder(name, entry->d_name))
            continue;
        ok = replay_file(name, entry->d_name);
        ++*count;
    }
    (void)closedir(folder);
    return ok;
}

int main(int argc, char **argv) {
    size_t count = 0;
    for (int i = 1; i < argc; i++)
        if (!replay_folder(&count, argv[i]))
            return 1;
    (void)printf("%zu inputs\n", count);
    return count == 0;
}
