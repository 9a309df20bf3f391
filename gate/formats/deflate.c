/* SPDX-License-Identifier: Apache-2.0 */
#define ZLIB_CONST
#include "gate/formats/deflate.h"

#include "gate/base/parallel.h"

#include <libdeflate.h>
#include <stdlib.h>
#include <zlib.h>
#include <zstd.h>

enum { GZIP_LEVEL = 6, ZSTD_LEVEL = 3 };

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

/* ---- compression in parts -------------------------------------------------------------------------------------------
 *
 * Libdeflate only compresses whole buffers, but is three times as fast as a streaming encoder. Each part is
 * compressed as a separate stream; then its last block is changed to a block that others follow. Two parts are
 * compressed at a time. */

enum { GZIP_HEAD_BYTES = 10, JOINT_BYTES = 5, WINDOW_BYTES = 64 << 10 };

void gate_packing_begin(struct gate_packing *packing, enum gate_container container, struct gate_sink to) {
    *packing = (struct gate_packing){.to = to, .container = container, .part_bytes = GATE_PACKING_PART_BYTES};
}

void gate_packing_free(struct gate_packing *packing) {
    for (int i = 0; i < 2; i++) {
        struct gate_packing_lane *lane = &packing->lanes[i];
        if (packing->container == GATE_CONTAINER_ZSTD)
            (void)ZSTD_freeCCtx(lane->encoder);
        else
            libdeflate_free_compressor(lane->encoder);
        gate_buf_free(&lane->packed);
        lane->encoder = NULL;
    }
    gate_buf_free(&packing->plain);
    gate_buf_free(&packing->waiting);
}

static bool packing_failed(struct gate_error *err) {
    return gate_error_set(err, GATE_ERR_MEMORY, "out of memory while compressing");
}

/* Start and end of the last block of a stream, in bits. */
struct last_block {
    size_t from, to;
};

/* Find the last block with a decoder that stops after each block. */
static bool last_block_find(struct last_block *out, struct gate_str packed, uint8_t *window) {
    z_stream decoder = {.next_in = (const Bytef *)packed.ptr, .avail_in = (uInt)packed.len};
    if (inflateInit2(&decoder, -MAX_WBITS) != Z_OK)
        return false;
    bool is_found = false;
    *out = (struct last_block){0};
    for (int status = Z_OK; status == Z_OK && !is_found;) {
        decoder.next_out = window;
        decoder.avail_out = WINDOW_BYTES;
        status = inflate(&decoder, Z_BLOCK);
        unsigned state = (unsigned)decoder.data_type;
        if (status != Z_OK || (state & 128u) == 0)
            continue;
        size_t at = (size_t)decoder.total_in * 8 - (state & 7u);
        is_found = (state & 64u) != 0;
        if (is_found)
            out->to = at;
        else
            out->from = at;
    }
    (void)inflateEnd(&decoder);
    return is_found;
}

/* Clear the "last block" flag and append an empty stored block, which fills up the last byte. */
static bool stream_open(struct gate_buf *packed) {
    struct last_block last;
    uint8_t *window = malloc(WINDOW_BYTES);
    bool ok = window != NULL && last_block_find(&last, gate_buf_view(packed), window);
    free(window);
    if (!ok)
        return false;
    char *head = packed->ptr + last.from / 8;
    *head = (char)((unsigned char)*head & ~(1u << last.from % 8));
    if (last.to % 8 == 0 ||
        last.to % 8 > 5) /* add a byte if the 3-bit header of the empty block does not fit into the last one */
        gate_buf_char(packed, 0);
    gate_buf_bytes(packed, "\0\0\xff\xff", 4);
    return !packed->failed;
}

static void number_put(struct gate_buf *out, uint32_t number) {
    for (int i = 0; i < 4; i++)
        gate_buf_char(out, (char)(number >> 8 * i & 0xFF));
}

/* Compress a part of a member. If it is not the last one, make it a stream that others can follow. */
static bool gzip_part(struct gate_packing_lane *lane) {
    struct gate_buf *packed = &lane->packed;
    if (lane->encoder == NULL)
        lane->encoder = libdeflate_alloc_compressor(GZIP_LEVEL);
    if (lane->encoder == NULL)
        return false;
    size_t room = libdeflate_deflate_compress_bound(lane->encoder, lane->part.len);
    packed->len = 0;
    if (!gate_buf_reserve(packed, room + JOINT_BYTES))
        return false;
    packed->len = libdeflate_deflate_compress(lane->encoder, lane->part.ptr, lane->part.len, packed->ptr, room);
    return packed->len != 0 && (lane->is_last || stream_open(packed));
}

static bool zstd_part(struct gate_packing_lane *lane) {
    if (lane->encoder == NULL) {
        lane->encoder = ZSTD_createCCtx();
        (void)ZSTD_CCtx_setParameter(lane->encoder, ZSTD_c_compressionLevel, ZSTD_LEVEL);
        (void)ZSTD_CCtx_setParameter(lane->encoder, ZSTD_c_checksumFlag, 1);
    }
    struct gate_buf *packed = &lane->packed;
    packed->len = 0;
    ZSTD_inBuffer in = {lane->part.ptr, lane->part.len, 0};
    for (size_t left = 1; lane->encoder != NULL && (left != 0 || in.pos < in.size);) {
        if (!gate_buf_reserve(packed, ZSTD_CStreamOutSize()))
            return false;
        ZSTD_outBuffer out = {packed->ptr + packed->len, ZSTD_CStreamOutSize(), 0};
        left = ZSTD_compressStream2(lane->encoder, &out, &in, lane->is_last ? ZSTD_e_end : ZSTD_e_flush);
        if (ZSTD_isError(left))
            return false;
        packed->len += out.pos;
    }
    return lane->encoder != NULL;
}

static void gzip_lane(void *context) {
    struct gate_packing_lane *lane = context;
    lane->ok = gzip_part(lane);
}

/* gzip header without name and time, for an unknown system, as libdeflate writes it. */
static const char gzip_head[GZIP_HEAD_BYTES] = {'\x1f', '\x8b', 8, 0, 0, 0, 0, 0, 0, '\xff'};

static bool gzip_take(struct gate_packing *packing, struct gate_packing_lane *lane, struct gate_error *err) {
    if (!lane->ok)
        return packing_failed(err);
    packing->checksum = libdeflate_crc32(packing->checksum, lane->part.ptr, lane->part.len);
    packing->plain_len += lane->part.len;
    if (lane->is_last) {
        number_put(&lane->packed, packing->checksum);
        number_put(&lane->packed, (uint32_t)(packing->plain_len & UINT32_MAX));
    }
    return lane->packed.failed ? packing_failed(err)
                               : packing->to.take(packing->to.context, gate_buf_view(&lane->packed), err);
}

/* Compress the waiting part, if there is one, and the current one. */
static bool gzip_pack(struct gate_packing *packing, bool is_last, struct gate_error *err) {
    struct gate_packing_lane *lanes = packing->lanes;
    bool is_pair = packing->waiting.len != 0;
    lanes[0].part = gate_buf_view(is_pair ? &packing->waiting : &packing->plain);
    lanes[0].is_last = is_last && !is_pair;
    lanes[1].part = gate_buf_view(&packing->plain);
    lanes[1].is_last = is_last;
    if (is_pair)
        gate_parallel_both(gzip_lane, &lanes[0], &lanes[1]);
    else
        gzip_lane(&lanes[0]);
    bool ok =
        packing->is_begun || packing->to.take(packing->to.context, (struct gate_str){gzip_head, sizeof gzip_head}, err);
    packing->is_begun = true;
    ok = ok && gzip_take(packing, &lanes[0], err) && (!is_pair || gzip_take(packing, &lanes[1], err));
    packing->waiting.len = packing->plain.len = 0;
    return ok;
}

static bool other_pack(struct gate_packing *packing, bool is_last, struct gate_error *err) {
    struct gate_packing_lane *lane = &packing->lanes[0];
    lane->part = gate_buf_view(&packing->plain);
    lane->is_last = is_last;
    packing->plain.len = 0;
    packing->is_begun = true;
    if (packing->container == GATE_CONTAINER_RAW)
        return packing->to.take(packing->to.context, lane->part, err);
    return zstd_part(lane) ? packing->to.take(packing->to.context, gate_buf_view(&lane->packed), err)
                           : packing_failed(err);
}

bool gate_packing_flush(struct gate_packing *packing, struct gate_error *err) {
    if (!gate_buf_check(&packing->plain, err))
        return false;
    if (packing->plain.len < packing->part_bytes)
        return true;
    if (packing->container != GATE_CONTAINER_GZIP)
        return other_pack(packing, false, err);
    if (packing->waiting.len != 0)
        return gzip_pack(packing, false, err);
    struct gate_buf part = packing->plain;
    packing->plain = packing->waiting;
    packing->waiting = part;
    return true;
}

bool gate_packing_put(struct gate_packing *packing, struct gate_str bytes, struct gate_error *err) {
    while (bytes.len != 0) {
        size_t len = bytes.len < packing->part_bytes ? bytes.len : packing->part_bytes;
        gate_buf_bytes(&packing->plain, bytes.ptr, len);
        if (!gate_packing_flush(packing, err))
            return false;
        bytes.ptr += len;
        bytes.len -= len;
    }
    return true;
}

/* If everything is in one part, compress it as a whole. */
bool gate_packing_end(struct gate_packing *packing, struct gate_error *err) {
    struct gate_buf *packed = &packing->lanes[0].packed;
    if (!gate_buf_check(&packing->plain, err))
        return false;
    if (packing->container == GATE_CONTAINER_GZIP && (packing->is_begun || packing->waiting.len != 0))
        return gzip_pack(packing, true, err);
    if (packing->is_begun || packing->container == GATE_CONTAINER_RAW)
        return other_pack(packing, true, err);
    packed->len = 0;
    return gate_container_write(packed, gate_buf_view(&packing->plain), packing->container, err) &&
           packing->to.take(packing->to.context, gate_buf_view(packed), err);
}
