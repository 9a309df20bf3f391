/* SPDX-License-Identifier: Apache-2.0 */
#include "fuzz_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len) {
    return fuzz_reader(&gate_stackprof_reader, bytes, len);
}
