/* SPDX-License-Identifier: Apache-2.0 */
/* Files inflated over themselves (see packed_file.h). */
#include "gate/profile/packed_file.h"

#include "gate/base/hash.h"
#include "gate/base/stream.h"
#include "gate/profile/container.h"
#include "gate/profile/inflate.h"
#include "gate/profile/load.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILE_WORTH_BYTES = 1024 * 1024, TAIL_BYTES = 4 };

/* What the file at `descriptor` says that it inflates to; 0: it is not one to inflate over itself. */
static size_t size_told(int descriptor, size_t len, const struct gate_limits *limits) {
    uint8_t tail[TAIL_BYTES];
    char head[2];
    if (len < FILE_WORTH_BYTES || len > limits->compressed_bytes ||
        gate_stream_read_at(head, sizeof head, descriptor, 0) != sizeof head ||
        gate_container_sniff((struct gate_str){head, sizeof head}) != GATE_CONTAINER_GZIP ||
        gate_stream_read_at(tail, sizeof tail, descriptor, len - sizeof tail) != sizeof tail)
        return 0;
    size_t size = gate_inflate_told(tail, len, limits->inflated_bytes);
    return size < len ? 0 : size; /* of several members the last one's alone */
}

/* The file has to end where it did. */
static bool bytes_read(char *to, size_t len, int descriptor) {
    char more;
    return gate_stream_read_at(to, len, descriptor, 0) == len &&
           gate_stream_read_at(&more, sizeof more, descriptor, len) == 0;
}

static bool file_read(struct gate_packed_file *out, int descriptor, const struct gate_limits *limits,
                      struct gate_arena *arena) {
    struct stat status;
    if (fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size <= 0)
        return false;
    size_t len = (size_t)status.st_size, size = size_told(descriptor, len, limits);
    size_t block_size = size + gate_inflate_margin(len);
    uint8_t *block = size == 0 ? NULL : gate_arena_resize(arena, NULL, 0, block_size);
    if (block == NULL)
        return false;
    char *packed = (char *)block + block_size - len;
    *out = (struct gate_packed_file){.packed = {packed, len}, .block = block, .block_size = block_size, .size = size};
    if (bytes_read(packed, len, descriptor))
        return true;
    (void)gate_arena_resize(arena, block, block_size, 0);
    return false;
}

bool gate_packed_file_read(struct gate_packed_file *out, struct gate_str path, const struct gate_limits *limits,
                           struct gate_arena *arena) {
    struct gate_limits caps = gate_limits_fill(limits);
    char name[4096];
    if (path.len == 0 || path.len >= sizeof name || memchr(path.ptr, '\0', path.len) != NULL)
        return false;
    memcpy(name, path.ptr, path.len);
    name[path.len] = '\0';
    /* Nothing is waited for: a pipe without a writer is for those who can say so. */
    int descriptor = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0)
        return false;
    bool ok = file_read(out, descriptor, &caps, arena);
    (void)close(descriptor);
    return ok;
}

bool gate_packed_file_load(struct gate_profile *out, struct gate_packed_file *file, const struct gate_limits *limits,
                           struct gate_arena *block_arena, struct gate_arena *arena) {
    struct gate_error ignored = {0};
    if (!gate_profile_check_head(file->packed, arena, &ignored) ||
        !gate_inflate_over(file->block, file->size, file->packed))
        return false;
    uint8_t *fitted = gate_arena_resize(block_arena, file->block, file->block_size, file->size);
    file->block = fitted == NULL ? file->block : fitted;
    struct gate_str plain = {(const char *)file->block, file->size};
    file->packed = GATE_STR("");
    /* What is packed twice is no profile, and not to be taken for one that is packed once. */
    if (gate_container_sniff(plain) != GATE_CONTAINER_RAW)
        return false;
    gate_hash_wide(file->content, plain.ptr, plain.len);
    if (!gate_profile_load_own(out, file->block, file->size, limits, arena, &ignored))
        return false;
    if (out->bytes.ptr != plain.ptr) /* it was another format */
        gate_hash_wide(file->content, out->bytes.ptr, out->bytes.len);
    out->container = GATE_CONTAINER_GZIP;
    return true;
}
