/* SPDX-License-Identifier: Apache-2.0 */
#include "fuzz_reader.h"

#include "gate/formats/perf_script.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len) {
    return fuzz_reader(&gate_perf_script_reader, bytes, len);
}
