/* SPDX-License-Identifier: Apache-2.0 */
/* Misspelt names of files (see near_file.h). */
#include "gate/base/near_file.h"

#include "gate/base/str.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

/* Whether what two names do not share at both ends is near as well: of "cpu-001-canary" and "cpu-001-baseline" it is
 * the meaning that differs, however long what they share is. */
static bool is_slip(struct gate_str a, struct gate_str b) {
    enum { SLIP_BYTES = 2, NAME_BYTES = GATE_NEAR_FILE_BYTES };
    char other[NAME_BYTES];
    size_t from = 0, most = a.len < b.len ? a.len : b.len, behind = 0;
    while (from < most && a.ptr[from] == b.ptr[from])
        from++;
    while (behind < most - from && a.ptr[a.len - 1 - behind] == b.ptr[b.len - 1 - behind])
        behind++;
    struct gate_str left = gate_str_slice(a, from, a.len - behind), right = gate_str_slice(b, from, b.len - behind);
    if (left.len <= SLIP_BYTES && right.len <= SLIP_BYTES)
        return true;
    (void)snprintf(other, sizeof other, "%.*s", GATE_STR_ARG(right));
    return gate_str_nearest(left, (const char *const[]){other, NULL}) != NULL;
}

/* Keep the nearer of `out` and `name`; of equally near ones the first by name, whatever the order of the folder is. */
static void keep_nearer(char *out, const char *name, struct gate_str wanted) {
    bool is_before = out[0] == '\0' || strcmp(name, out) < 0;
    const char *words[3] = {is_before ? name : out, out[0] == '\0' ? NULL : is_before ? out : name, NULL};
    const char *nearest = gate_str_nearest(wanted, words);
    if (nearest == name && is_slip(wanted, gate_str_from(name)))
        (void)snprintf(out, GATE_NEAR_FILE_BYTES, "%s", name);
}

bool gate_near_file_find(char out[GATE_NEAR_FILE_BYTES], const char *path) {
    char folder[PATH_MAX];
    struct gate_str whole = gate_str_from(path), wanted = gate_str_basename(whole);
    size_t len = whole.len - wanted.len;
    out[0] = '\0';
    if (wanted.len == 0 || len >= sizeof folder)
        return false;
    (void)snprintf(folder, sizeof folder, "%.*s", (int)len, len == 0 ? "" : path);
    DIR *stream = opendir(len == 0 ? "." : folder);
    for (struct dirent *entry = stream == NULL ? NULL : readdir(stream); entry != NULL; entry = readdir(stream))
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
            strlen(entry->d_name) < GATE_NEAR_FILE_BYTES)
            keep_nearer(out, entry->d_name, wanted);
    if (stream != NULL)
        (void)closedir(stream);
    return out[0] != '\0';
}
