/* SPDX-License-Identifier: Apache-2.0 */
/* Compressing in parts: decompression returns the input, whatever the pieces are and wherever the parts end. The
 * first byte selects the container, the length in parts, and the size of the pieces. */
#include "fuzz.h"

#include "gate/formats/container.h"
#include "gate/formats/pprof_write.h"

enum { LENGTHS = 3, PIECES = 4, NOISE_BYTES = 997 };

/* Repeat the input until `out` exceeds the length of `parts` parts (2 MiB each), with noise between the copies. */
static void fill(struct gate_buf *out, struct gate_str bytes, size_t parts) {
    size_t most = bytes.len + parts * GATE_PACKING_PART_BYTES;
    for (uint32_t turn = 0; out->len < most && bytes.len > 0; turn++) {
        gate_buf_str(out, bytes);
        for (uint32_t i = 0; parts > 0 && i < turn % NOISE_BYTES; i++)
            gate_buf_char(out, (char)(bytes.ptr[i % bytes.len] ^ (i * turn >> 3 & 0xFF)));
    }
}

static void pack(struct gate_buf *out, struct gate_str plain, enum gate_container container, size_t piece) {
    struct gate_packing packing;
    struct gate_error err = {0};
    gate_packing_begin(&packing, container, gate_sink_of_buf(out));
    for (size_t at = 0; at < plain.len; at += piece)
        FUZZ_CHECK(gate_packing_put(&packing, gate_str_slice(plain, at, at + piece), &err));
    FUZZ_CHECK(gate_packing_end(&packing, &err));
    gate_packing_free(&packing);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len) {
    static const enum gate_container containers[] = {GATE_CONTAINER_GZIP, GATE_CONTAINER_ZSTD, GATE_CONTAINER_RAW,
                                                     GATE_CONTAINER_GZIP};
    static const size_t pieces[PIECES] = {SIZE_MAX / 2, 1000, 70001, (size_t)GATE_PACKING_PART_BYTES * 2 + 1};
    struct gate_buf plain = {0}, packed = {0};
    struct gate_arena arena = {0};
    struct gate_error err = {0};
    struct gate_str back;
    if (len < 2)
        return 0;
    enum gate_container container = containers[bytes[0] & 3];
    fill(&plain, fuzz_view(bytes + 1, len - 1), (bytes[0] >> 2 & 7) % (LENGTHS + 1));
    pack(&packed, gate_buf_view(&plain), container, pieces[bytes[0] >> 5 & (PIECES - 1)]);
    bool ok = container == GATE_CONTAINER_RAW || gate_inflate(&back, gate_buf_view(&packed), 0, &arena, &err);
    if (container == GATE_CONTAINER_RAW)
        back = gate_buf_view(&packed);
    FUZZ_CHECK(ok && gate_str_equal(back, gate_buf_view(&plain)));
    gate_arena_free(&arena);
    gate_buf_free(&plain);
    gate_buf_free(&packed);
    return 0;
}
