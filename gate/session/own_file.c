/* SPDX-License-Identifier: Apache-2.0 */
/* Which existing files an output may replace: only files that pprofgate wrote, in the same format. */
#include "gate/session/own_file.h"

#include "gate/base/error.h"
#include "gate/base/file.h"
#include "gate/base/own_mark.h"
#include "gate/formats/container.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PACKED_HEAD_BYTES = 256 };

static bool is_packed(enum gate_own_mark mark) {
    return mark == GATE_OWN_PPROF || mark == GATE_OWN_OTLP || mark == GATE_OWN_SUMMARY;
}

static enum gate_own_file head_look(struct gate_str head, enum gate_own_mark mark) {
    char inflated[PACKED_HEAD_BYTES];
    if (head.len == 0)
        return GATE_OWN_FILE_EMPTY;
    size_t len = is_packed(mark) ? gate_inflate_head(inflated, sizeof inflated, head) : 0;
    if (len > 0)
        head = (struct gate_str){inflated, len};
    return gate_own_mark_is_in(mark, head) ? GATE_OWN_FILE_OWN : GATE_OWN_FILE_OTHER;
}

enum gate_own_file gate_own_file_look(const char *path, enum gate_own_mark mark) {
    char head[GATE_OWN_MARK_HEAD_BYTES];
    struct stat status;
    bool replaces = false;
    if (!gate_outfile_replaces(&replaces, path))
        return GATE_OWN_FILE_UNREADABLE;
    if (!replaces)
        return GATE_OWN_FILE_NONE;
    int descriptor = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (descriptor < 0)
        return errno == ENOENT ? GATE_OWN_FILE_NONE : GATE_OWN_FILE_UNREADABLE;
    size_t len = 0;
    if (fstat(descriptor, &status) == 0) {
        errno = EINVAL; /* for the case that it was replaced meanwhile by something that is not a regular file */
        len = S_ISREG(status.st_mode) ? gate_stream_read_at(head, sizeof head, descriptor, 0) : 0;
    }
    int reason = errno;
    (void)close(descriptor);
    errno = reason;
    return reason != 0 ? GATE_OWN_FILE_UNREADABLE : head_look((struct gate_str){head, len}, mark);
}

bool gate_own_file_check(const char *path, enum gate_own_mark mark, bool is_forced, struct gate_error *err) {
    enum gate_own_file found = is_forced ? GATE_OWN_FILE_NONE : gate_own_file_look(path, mark);
    switch (found) {
    case GATE_OWN_FILE_UNREADABLE:
        return gate_error_set(err, GATE_ERR_IO,
                              "%s exists and cannot be read (%s), so it may not be a report of pprofgate; use --force "
                              "to replace it with %s",
                              path, strerror(errno), gate_own_mark_name(mark));
    case GATE_OWN_FILE_OTHER:
        if (mark == GATE_OWN_RULES) /* pprofgate may have written it, but people edit rules files */
            return gate_error_set(err, GATE_ERR_USAGE,
                                  "%s: already exists; use --force to overwrite it, or --output to write elsewhere",
                                  path);
        return gate_error_set(err, GATE_ERR_USAGE,
                              "%s exists and is not a report of pprofgate; use --force to replace it with %s, or name "
                              "another file",
                              path, gate_own_mark_name(mark));
    default:
        return true;
    }
}
