/* SPDX-License-Identifier: Apache-2.0 */
/* Packing (see container.h). */
#include "gate/profile/container.h"

#include <libdeflate.h>
#include <stdlib.h>
#include <zstd.h>

enum { GZIP_LEVEL = 6, ZSTD_LEVEL = 3 };

/* Frames that carry no data (RFC 8878, 3.1.2): 50 to 5f, then 2a 4d 18. Some writers begin with one. */
static bool is_skippable(struct gate_str bytes) {
    return bytes.len >= 4 && ((unsigned char)bytes.ptr[0] & 0xF0u) == 0x50 &&
           memcmp(bytes.ptr + 1, "\x2a\x4d\x18", 3) == 0;
}

enum gate_container gate_container_sniff(struct gate_str bytes) {
    if (gate_str_starts(bytes, GATE_STR("\x1f\x8b")))
        return GATE_CONTAINER_GZIP;
    if (gate_str_starts(bytes, GATE_STR("\x28\xb5\x2f\xfd")) || is_skippable(bytes))
        return GATE_CONTAINER_ZSTD;
    return GATE_CONTAINER_RAW;
}

const char *gate_container_name(enum gate_container container) {
    switch (container) {
    case GATE_CONTAINER_GZIP:
        return "gzip";
    case GATE_CONTAINER_ZSTD:
        return "zstd";
    default:
        return "raw";
    }
}

static size_t gzip_compress(void *out, size_t room, struct gate_str bytes) {
    struct libdeflate_compressor *encoder = libdeflate_alloc_compressor(GZIP_LEVEL);
    size_t len = encoder == NULL ? 0 : libdeflate_gzip_compress(encoder, bytes.ptr, bytes.len, out, room);
    libdeflate_free_compressor(encoder);
    return len;
}

static size_t zstd_compress(void *out, size_t room, struct gate_str bytes) {
    ZSTD_CCtx *encoder = ZSTD_createCCtx();
    if (encoder == NULL)
        return 0;
    (void)ZSTD_CCtx_setParameter(encoder, ZSTD_c_compressionLevel, ZSTD_LEVEL);
    (void)ZSTD_CCtx_setParameter(encoder, ZSTD_c_checksumFlag, 1);
    size_t len = ZSTD_compress2(encoder, out, room, bytes.ptr, bytes.len);
    (void)ZSTD_freeCCtx(encoder);
    return ZSTD_isError(len) ? 0 : len;
}

bool gate_container_write(struct gate_buf *out, struct gate_str bytes, enum gate_container container,
                          struct gate_error *err) {
    if (container == GATE_CONTAINER_RAW) {
        gate_buf_str(out, bytes);
        return gate_buf_check(out, err);
    }
    bool gzip = container == GATE_CONTAINER_GZIP;
    size_t room = gzip ? libdeflate_gzip_compress_bound(NULL, bytes.len) : ZSTD_compressBound(bytes.len);
    char *packed = malloc(room);
    size_t len = packed == NULL ? 0 : gzip ? gzip_compress(packed, room, bytes) : zstd_compress(packed, room, bytes);
    if (len != 0)
        gate_buf_bytes(out, packed, len);
    free(packed);
    if (len == 0)
        return gate_error_set(err, GATE_ERR_MEMORY, "out of memory while compressing");
    return gate_buf_check(out, err);
}
