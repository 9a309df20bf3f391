/* SPDX-License-Identifier: Apache-2.0 */
/* Decompression of gzip and zstd under a size limit. */
#define ZLIB_CONST
#include "gate/formats/inflate.h"

#include <libdeflate.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

/* Return true for a zstd frame without data (RFC 8878, 3.1.2): 50 to 5f, then 2a 4d 18. Some writers start with one. */
static bool is_skippable(struct gate_str bytes) {
    return bytes.ptr != NULL && bytes.len >= 4 && ((unsigned char)bytes.ptr[0] & 0xF0u) == 0x50 &&
           memcmp(bytes.ptr + 1, "\x2a\x4d\x18", 3) == 0;
}

/* ---- containers: recognised by their first bytes, and named ------------------------------------------------------ */

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

/* ---- decompression under a limit ------------------------------------------------------------------------------------
 *
 * A whole-buffer decoder is twice as fast as a streaming one but trusts the size field of the stream. It is tried
 * only if that size is plausible; otherwise the data is streamed. */

enum { FIRST_OUTPUT_BYTES = 64 * 1024, GZIP_SMALLEST = 18, DEFLATE_LARGEST_RATIO = 1032, ZSTD_WINDOW_LOG = 25 };

enum { SMALL_BYTES = 4 * 1024 * 1024, HEAD_ROOM_BYTES = 48 * 1024 };

/* The growing result: a separate block of the arena, so that growing moves pages instead of bytes. */
struct growing {
    struct gate_arena *arena;
    uint8_t *ptr;
    size_t len;
    size_t capacity;
    size_t cap;
};

static bool inflate_past_cap(size_t cap, struct gate_error *err) {
    return gate_error_set(err, GATE_ERR_LIMIT,
                          "the profile inflates to more than %zu bytes; raise --max-size if the input is trusted", cap);
}

/* Make room for one byte more than the cap, so that a stream of exactly `cap` bytes can end. */
static bool growing_reserve(struct growing *out, size_t hint, struct gate_error *err) {
    if (out->len < out->capacity)
        return true;
    if (out->len > out->cap)
        return inflate_past_cap(out->cap, err);
    size_t wanted = out->capacity == 0 ? hint : out->capacity * 2;
    if (wanted < FIRST_OUTPUT_BYTES)
        wanted = FIRST_OUTPUT_BYTES;
    if (wanted > out->cap)
        wanted = out->cap == SIZE_MAX ? wanted : out->cap + 1;
    uint8_t *grown = gate_arena_resize(out->arena, out->ptr, out->capacity, wanted);
    if (grown == NULL)
        return gate_arena_error(out->arena, err);
    out->ptr = grown;
    out->capacity = wanted;
    return true;
}

size_t gate_inflate_stated_size(const uint8_t tail[4], size_t packed_len, size_t cap) {
    size_t size = (size_t)tail[0] | (size_t)tail[1] << 8 | (size_t)tail[2] << 16 | (size_t)tail[3] << 24;
    return packed_len < GZIP_SMALLEST || size > cap || size / DEFLATE_LARGEST_RATIO > packed_len ? 0 : size;
}

/* Decompress one member that fills exactly `size` bytes, and verify its checksum and length. */
static bool gzip_into(uint8_t *buffer, size_t size, struct gate_str bytes) {
    struct libdeflate_decompressor *decoder = libdeflate_alloc_decompressor();
    size_t read = 0, written = 0;
    bool ok = decoder != NULL &&
              libdeflate_gzip_decompress_ex(decoder, bytes.ptr, bytes.len, buffer, size, &read, &written) ==
                  LIBDEFLATE_SUCCESS &&
              read == bytes.len && written == size;
    libdeflate_free_decompressor(decoder);
    return ok;
}

/* Try to decompress in one step. On false, zlib reads the stream instead and reports what is wrong with it. */
static bool gzip_whole(struct growing *out, struct gate_str bytes) {
    if (bytes.len < GZIP_SMALLEST)
        return false;
    size_t size = gate_inflate_stated_size((const uint8_t *)bytes.ptr + bytes.len - 4, bytes.len, out->cap);
    uint8_t *buffer = size == 0 ? NULL : gate_arena_resize(out->arena, NULL, 0, size);
    if (buffer == NULL || !gzip_into(buffer, size, bytes)) {
        (void)gate_arena_resize(out->arena, buffer, size, 0);
        return false;
    }
    out->ptr = buffer;
    out->len = out->capacity = size;
    return true;
}

bool gate_inflate_small(struct gate_str *out, struct gate_str bytes, size_t cap, struct gate_arena *arena) {
    struct growing grown = {.arena = arena, .cap = cap == 0 || cap > SMALL_BYTES ? SMALL_BYTES : cap};
    if (gate_container_sniff(bytes) != GATE_CONTAINER_GZIP || !gzip_whole(&grown, bytes))
        return false;
    *out = (struct gate_str){(const char *)grown.ptr, grown.len};
    return true;
}

/* The output may run ahead of the input by this much. Incompressible data is stored with 5 extra bytes per block of
 * 16 KiB or less. The decoder reads and writes some words ahead and copies up to 64 KiB at once. */
size_t gate_inflate_margin(size_t packed_len) {
    return 256 * (size_t)1024 + packed_len / 64;
}

/* The decoder guarantees nothing for overlapping buffers. It is still safe: it never writes outside its output or
 * reads outside its input. The result is verified by the checksum and length at the file's end, which are never
 * overwritten before they are read. */
bool gate_inflate_over(uint8_t *block, size_t size, struct gate_str packed) {
    GATE_ASSERT((const uint8_t *)packed.ptr + packed.len == block + size + gate_inflate_margin(packed.len));
    return gzip_into(block, size, packed);
}

static bool gzip_failed(const z_stream *stream, int code, size_t at, struct gate_error *err) {
    const char *said = stream->msg == NULL ? "" : stream->msg;
    if (strcmp(said, "incorrect data check") == 0)
        return gate_error_set(err, GATE_ERR_FORMAT,
                              "the gzip checksum is wrong at byte %zu: the file was damaged, fetch it again", at);
    if (strcmp(said, "incorrect length check") == 0)
        return gate_error_set(err, GATE_ERR_FORMAT,
                              "the gzip length field is wrong at byte %zu: the file was damaged, fetch it again", at);
    if (code == Z_MEM_ERROR)
        return gate_error_set(err, GATE_ERR_MEMORY, "out of memory while inflating");
    return gate_error_set(err, GATE_ERR_FORMAT, "damaged gzip data at byte %zu%s%s", at, said[0] == '\0' ? "" : ": ",
                          said);
}

/* Decompress until the member ends. zlib counts in 32 bits, so input and output are passed in pieces. */
static bool gzip_member(struct growing *out, z_stream *stream, struct gate_str bytes, size_t *at,
                        struct gate_error *err) {
    const size_t piece = (size_t)1 << 30;
    for (;;) {
        if (!growing_reserve(out, bytes.len * 4, err))
            return false;
        size_t input = bytes.len - *at < piece ? bytes.len - *at : piece;
        size_t room = out->capacity - out->len < piece ? out->capacity - out->len : piece;
        stream->next_in = (const uint8_t *)bytes.ptr + *at;
        stream->avail_in = (uInt)input;
        stream->next_out = out->ptr + out->len;
        stream->avail_out = (uInt)room;
        int code = inflate(stream, Z_NO_FLUSH);
        *at += input - stream->avail_in;
        out->len += room - stream->avail_out;
        if (code == Z_STREAM_END)
            return out->len > out->cap ? inflate_past_cap(out->cap, err) : true;
        if (code != Z_OK && code != Z_BUF_ERROR)
            return gzip_failed(stream, code, *at, err);
        if (*at == bytes.len && stream->avail_out != 0)
            return gate_error_set(
                err, GATE_ERR_FORMAT,
                "the gzip data is truncated: it ends after %zu bytes in mid-stream, fetch the file again", bytes.len);
    }
}

static bool gzip_stream(struct growing *out, struct gate_str bytes, struct gate_error *err) {
    z_stream stream = {0};
    size_t at = 0;
    if (inflateInit2(&stream, 15 + 16) != Z_OK)
        return gate_error_set(err, GATE_ERR_MEMORY, "out of memory while inflating");
    bool ok = true;
    do {
        struct gate_str rest = gate_str_slice(bytes, at, bytes.len);
        if (at != 0 && gate_container_sniff(rest) != GATE_CONTAINER_GZIP)
            ok = gate_error_set(err, GATE_ERR_FORMAT,
                                "%zu bytes of trailing garbage after the gzip data, from byte %zu", rest.len, at);
        else
            ok = gzip_member(out, &stream, bytes, &at, err) && inflateReset(&stream) == Z_OK;
    } while (ok && at < bytes.len);
    (void)inflateEnd(&stream);
    return ok;
}

static bool zstd_failed(size_t code, size_t at, struct gate_error *err) {
    const char *said = ZSTD_getErrorName(code);
    if (ZSTD_isError(code) && strstr(said, "checksum") != NULL)
        return gate_error_set(err, GATE_ERR_FORMAT,
                              "the zstd checksum is wrong at byte %zu: the file was damaged, fetch it again", at);
    if (ZSTD_isError(code) && strstr(said, "memory") != NULL)
        return gate_error_set(err, GATE_ERR_LIMIT,
                              "the zstd data needs a window of more than %d MiB: compress it again without --long",
                              1 << (ZSTD_WINDOW_LOG - 20));
    return gate_error_set(err, GATE_ERR_FORMAT, "damaged zstd data at byte %zu: %s", at, said);
}

static bool zstd_frames(struct growing *out, ZSTD_DCtx *decoder, struct gate_str bytes, struct gate_error *err) {
    ZSTD_inBuffer input = {bytes.ptr, bytes.len, 0};
    size_t pending = 0;
    for (;;) {
        if (pending == 0 && input.pos == input.size)
            return out->len > out->cap ? inflate_past_cap(out->cap, err) : true;
        struct gate_str rest = gate_str_slice(bytes, input.pos, bytes.len);
        if (pending == 0 && input.pos != 0 && gate_container_sniff(rest) != GATE_CONTAINER_ZSTD)
            return gate_error_set(err, GATE_ERR_FORMAT,
                                  "%zu bytes of trailing garbage after the zstd data, from byte %zu", rest.len,
                                  input.pos);
        if (!growing_reserve(out, bytes.len * 4, err))
            return false;
        ZSTD_outBuffer output = {out->ptr, out->capacity, out->len};
        size_t before = input.pos;
        pending = ZSTD_decompressStream(decoder, &output, &input);
        bool moved = output.pos != out->len || input.pos != before;
        out->len = output.pos;
        if (ZSTD_isError(pending))
            return zstd_failed(pending, input.pos, err);
        if (pending != 0 && !moved && out->len < out->capacity)
            return gate_error_set(
                err, GATE_ERR_FORMAT,
                "the zstd data is truncated: it ends after %zu bytes in mid-frame, fetch the file again", bytes.len);
    }
}

static bool zstd_stream(struct growing *out, struct gate_str bytes, struct gate_error *err) {
    ZSTD_DCtx *decoder = ZSTD_createDCtx();
    if (decoder == NULL)
        return gate_error_set(err, GATE_ERR_MEMORY, "out of memory while inflating");
    (void)ZSTD_DCtx_setParameter(decoder, ZSTD_d_windowLogMax, ZSTD_WINDOW_LOG);
    bool ok = zstd_frames(out, decoder, bytes, err);
    (void)ZSTD_freeDCtx(decoder);
    return ok;
}

/* Memory for zlib's inflate state, so that a file can be recognised when the system has no memory left. */
struct head_room {
    size_t used;
    _Alignas(max_align_t) char bytes[HEAD_ROOM_BYTES];
};

static voidpf head_alloc(voidpf context, uInt count, uInt size) {
    struct head_room *room = context;
    size_t len = ((size_t)count * size + _Alignof(max_align_t) - 1) / _Alignof(max_align_t) * _Alignof(max_align_t);
    if (len > sizeof room->bytes - room->used)
        return malloc(len);
    room->used += len;
    return room->bytes + room->used - len;
}

static void head_free(voidpf context, voidpf block) {
    struct head_room *room = context;
    if ((char *)block < room->bytes || (char *)block >= room->bytes + sizeof room->bytes)
        free(block);
}

static size_t gzip_head(char *out, size_t room, struct gate_str bytes) {
    struct head_room memory = {.used = 0};
    z_stream stream = {.next_in = (const uint8_t *)bytes.ptr,
                       .avail_in = (uInt)(bytes.len < UINT32_MAX ? bytes.len : UINT32_MAX),
                       .next_out = (uint8_t *)out,
                       .avail_out = (uInt)room,
                       .zalloc = head_alloc,
                       .zfree = head_free,
                       .opaque = &memory};
    if (inflateInit2(&stream, 15 + 16) != Z_OK)
        return 0;
    (void)inflate(&stream, Z_SYNC_FLUSH);
    (void)inflateEnd(&stream);
    return room - stream.avail_out;
}

static size_t zstd_head(char *out, size_t room, struct gate_str bytes) {
    ZSTD_DCtx *decoder = ZSTD_createDCtx();
    ZSTD_inBuffer input = {bytes.ptr, bytes.len, 0};
    ZSTD_outBuffer output = {out, room, 0};
    size_t before = 1;
    if (decoder == NULL)
        return 0;
    (void)ZSTD_DCtx_setParameter(decoder, ZSTD_d_windowLogMax, ZSTD_WINDOW_LOG);
    for (size_t left = 1; left != 0 && !ZSTD_isError(left) && output.pos < room && before != input.pos + output.pos;) {
        before = input.pos + output.pos;
        left = ZSTD_decompressStream(decoder, &output, &input);
    }
    (void)ZSTD_freeDCtx(decoder);
    return output.pos;
}

size_t gate_inflate_head(char *out, size_t room, struct gate_str bytes) {
    switch (gate_container_sniff(bytes)) {
    case GATE_CONTAINER_GZIP:
        return gzip_head(out, room, bytes);
    case GATE_CONTAINER_ZSTD:
        return zstd_head(out, room, bytes);
    default:
        return 0;
    }
}

bool gate_inflate(struct gate_str *out, struct gate_str bytes, size_t cap, struct gate_arena *arena,
                  struct gate_error *err) {
    struct growing grown = {.arena = arena, .cap = cap == 0 ? SIZE_MAX : cap};
    enum gate_container container = gate_container_sniff(bytes);
    if (container == GATE_CONTAINER_RAW) {
        *out = bytes;
        return bytes.len <= grown.cap || inflate_past_cap(cap, err);
    }
    bool ok = container == GATE_CONTAINER_ZSTD ? zstd_stream(&grown, bytes, err)
                                               : gzip_whole(&grown, bytes) || gzip_stream(&grown, bytes, err);
    /* Free everything on an error; otherwise return unused capacity to the arena. */
    void *fitted = gate_arena_resize(arena, grown.ptr, grown.capacity, ok ? grown.len : 0);
    if (!ok)
        return false;
    *out = (struct gate_str){grown.len == 0 ? "" : fitted == NULL ? (const char *)grown.ptr : fitted, grown.len};
    return true;
}
