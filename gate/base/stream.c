/* SPDX-License-Identifier: Apache-2.0 */
/* Open streams (see stream.h). */
#include "gate/base/stream.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

/* Whether what failed is worth another try; where it has to wait it has waited. */
static bool may_go_on(int descriptor, short events, int reason) {
    struct pollfd ready = {.fd = descriptor, .events = events};
    if (reason == EINTR)
        return true;
    return reason == EAGAIN && descriptor >= 0 && (poll(&ready, 1, -1) >= 0 || errno == EINTR);
}

size_t gate_stream_read(void *bytes, size_t len, FILE *file) {
    size_t done = 0;
    while (done < len) {
        done += fread((char *)bytes + done, 1, len - done, file);
        int reason = errno;
        if (done == len || feof(file) || !ferror(file))
            break;
        if (!may_go_on(fileno(file), POLLIN, reason)) {
            errno = reason;
            break;
        }
        clearerr(file);
    }
    return done;
}

size_t gate_stream_read_at(void *bytes, size_t len, int descriptor, uint64_t at) {
    size_t done = 0;
    errno = EOVERFLOW;
    if (at > INT64_MAX - len)
        return 0;
    while (done < len) {
        ssize_t got = pread(descriptor, (char *)bytes + done, len - done, (off_t)(at + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return done;
        if (got == 0)
            break;
        done += (size_t)got;
    }
    errno = 0;
    return done;
}

bool gate_stream_write(FILE *file, struct gate_str text) {
    int descriptor = fileno(file);
    if (descriptor < 0) /* it is in memory */
        return fwrite(text.ptr, 1, text.len, file) == text.len && fflush(file) == 0;
    if (fflush(file) != 0)
        return false;
    for (size_t at = 0; at < text.len;) {
        ssize_t wrote = write(descriptor, text.ptr + at, text.len - at);
        int reason = errno;
        if (wrote >= 0) {
            at += (size_t)wrote;
        } else if (!may_go_on(descriptor, POLLOUT, reason)) {
            errno = reason;
            return false;
        }
    }
    return true;
}
