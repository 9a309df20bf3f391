/* SPDX-License-Identifier: Apache-2.0 */
/* Gaps (see byte_gap.h). The field's length takes as many bytes as a long one would, so that all heads are of a size.
 */
#include "gate/profile/byte_gap.h"

#include "gate/base/error.h"
#include "gate/base/heap.h"

enum { TAG_GAP = 0x7A };

void gate_byte_gap_make(uint8_t *from, uint8_t *end, uint8_t *unused) {
    size_t left = (size_t)(end - from);
    GATE_ASSERT(left >= GATE_BYTE_GAP_LEAST && unused >= from + GATE_BYTE_GAP_LEAST && unused <= end);
    left -= GATE_BYTE_GAP_LEAST;
    GATE_ASSERT(left >> 35 == 0);
    *from++ = TAG_GAP;
    for (int i = 0; i < GATE_BYTE_GAP_LEAST - 2; i++, left >>= 7)
        *from++ = (uint8_t)(0x80 | (left & 0x7F));
    *from = (uint8_t)left;
    gate_heap_forget(unused, (size_t)(end - unused));
}
