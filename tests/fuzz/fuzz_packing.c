/* SPDX-License-Identifier: Apache-2.0 */
/* Compressing in parts: decompression returns the input, whatever the pieces are and wherever the parts end. The
 * first byte selects the container, the length in parts, and the size of the pieces; the second one the size of a part.
 * Parts are small, so that thousands of executions fit into a second; unit.test_packing has parts of 2 MiB. */
#include "fuzz.h"

#include "gate/formats/deflate.h"
#include "gate/formats/inflate.h"

enum { LENGTHS = 3, PIECES = 4, PARTS_MAX = 8, NOISE_BYTES = 97, PART_BYTES_LEAST = 1, PART_BYTES_STEP = 13 };

/* What the first two bytes of an input select. */
struct settings {
    enum gate_container container;
    size_t parts, part_bytes, piece;
};

/* Repeat the input until `out` exceeds the length of the parts, with noise between the copies. */
static void fill(struct gate_buf *out, struct gate_str bytes, const struct settings *settings) {
    size_t parts = settings->parts, most = bytes.len + parts * settings->part_bytes;
    for (uint32_t turn = 0; out->len < most && bytes.len > 0; turn++) {
        gate_buf_str(out, bytes);
        for (uint32_t i = 0; parts > 0 && i < turn % NOISE_BYTES; i++)
            gate_buf_char(out, (char)(bytes.ptr[i % bytes.len] ^ (i * turn >> 3 & 0xFF)));
    }
}

static void pack(struct gate_buf *out, struct gate_str plain, const struct settings *settings) {
    struct gate_packing packing;
    struct gate_error err = {0};
    gate_packing_begin(&packing, settings->container, gate_sink_of_buf(out));
    packing.part_bytes = settings->part_bytes;
    for (size_t at = 0; at < plain.len; at += settings->piece)
        FUZZ_CHECK(gate_packing_put(&packing, gate_str_slice(plain, at, at + settings->piece), &err));
    FUZZ_CHECK(gate_packing_end(&packing, &err));
    gate_packing_free(&packing);
}

static struct settings settings_of(const uint8_t *bytes) {
    static const enum gate_container containers[] = {GATE_CONTAINER_GZIP, GATE_CONTAINER_ZSTD, GATE_CONTAINER_RAW,
                                                     GATE_CONTAINER_GZIP};
    struct settings settings = {.container = containers[bytes[0] & 3],
                                .parts = (bytes[0] >> 2 & 7) % (LENGTHS + 1),
                                .part_bytes = PART_BYTES_LEAST + bytes[1] * (size_t)PART_BYTES_STEP};
    const size_t pieces[PIECES] = {SIZE_MAX / 2, 10, 701, settings.part_bytes * 2 + 1};
    settings.piece = pieces[bytes[0] >> 5 & (PIECES - 1)];
    return settings;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len) {
    struct gate_buf plain = {0}, packed = {0};
    struct gate_arena arena = {0};
    struct gate_error err = {0};
    struct gate_str back;
    if (len < 3)
        return 0;
    const struct settings settings = settings_of(bytes);
    size_t most = PARTS_MAX * settings.part_bytes; /* each part costs a thread */
    fill(&plain, fuzz_view(bytes + 2, len - 2 < most ? len - 2 : most), &settings);
    pack(&packed, gate_buf_view(&plain), &settings);
    bool is_raw = settings.container == GATE_CONTAINER_RAW;
    bool ok = is_raw || gate_inflate(&back, gate_buf_view(&packed), 0, &arena, &err);
    if (is_raw)
        back = gate_buf_view(&packed);
    FUZZ_CHECK(ok && gate_str_equal(back, gate_buf_view(&plain)));
    gate_arena_free(&arena);
    gate_buf_free(&plain);
    gate_buf_free(&packed);
    return 0;
}
