/* SPDX-License-Identifier: Apache-2.0 */
/* Reports to files (see output.h). */
#include "gate/cli/outfile.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static bool output_failed(const char *path, int reason, struct gate_error *err) {
    return gate_error_set(err, GATE_ERR_IO, "%s: cannot write: %s", path, strerror(reason));
}

/* Write to an open descriptor, flush it to the disk, close it. Returns 0 or an errno. */
static int output_to_descriptor(int descriptor, struct gate_str bytes, bool regular) {
    int reason = 0;
    for (size_t at = 0; at < bytes.len && reason == 0;) {
        ssize_t wrote = write(descriptor, bytes.ptr + at, bytes.len - at);
        if (wrote < 0 && errno == EINTR)
            continue;
        if (wrote < 0)
            reason = errno;
        else
            at += (size_t)wrote;
    }
    if (reason == 0 && regular && fsync(descriptor) != 0 && errno != EINVAL)
        reason = errno;
    if (close(descriptor) != 0 && reason == 0)
        reason = errno;
    return reason;
}

static bool output_replace(const char *path, struct gate_str bytes, struct gate_arena *arena, struct gate_error *err) {
    struct gate_str temporary = gate_str_format(arena, "%s.XXXXXX", path);
    if (temporary.ptr == NULL)
        return gate_arena_error(arena, err);
    char *name = gate_arena_alloc(arena, temporary.len + 1);
    if (name == NULL)
        return gate_arena_error(arena, err);
    memcpy(name, temporary.ptr, temporary.len + 1);
    int descriptor = mkstemp(name);
    if (descriptor < 0)
        return output_failed(path, errno, err);
    /* mkstemp's files are private; a report is for whoever the umask lets read. */
    mode_t mask = umask(0);
    (void)umask(mask);
    (void)fchmod(descriptor, 0666 & ~mask);
    int reason = output_to_descriptor(descriptor, bytes, true);
    if (reason == 0 && rename(name, path) != 0)
        reason = errno;
    if (reason == 0)
        return true;
    (void)unlink(name);
    return output_failed(path, reason, err);
}

static bool output_direct(const char *path, struct gate_str bytes, struct gate_error *err) {
    FILE *stream = fopen(path, "wb");
    if (stream == NULL)
        return output_failed(path, errno, err);
    bool ok = fwrite(bytes.ptr, 1, bytes.len, stream) == bytes.len;
    int reason = errno;
    if (fclose(stream) != 0 && ok) {
        reason = errno;
        ok = false;
    }
    return ok || output_failed(path, reason, err);
}

bool gate_outfile_write(struct gate_cli *cli, const char *path, struct gate_str bytes, struct gate_error *err) {
    if (strcmp(path, "-") == 0)
        return gate_cli_write(cli->out, bytes) || output_failed("standard output", errno, err);
    struct stat status;
    if (stat(path, &status) == 0 && S_ISDIR(status.st_mode))
        return gate_error_set(err, GATE_ERR_IO, "%s: cannot write: it is a directory; name a file in it", path);
    if (stat(path, &status) == 0 && !S_ISREG(status.st_mode))
        return output_direct(path, bytes, err);
    return output_replace(path, bytes, cli->arena, err);
}
