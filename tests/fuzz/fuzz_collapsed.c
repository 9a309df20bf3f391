/* SPDX-License-Identifier: Apache-2.0 */
#include "fuzz_reader.h"

#include "gate/formats/collapsed.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len) {
    return fuzz_reader(&gate_collapsed_reader, bytes, len);
}
