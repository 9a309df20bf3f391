/* SPDX-License-Identifier: Apache-2.0 */
#include "fuzz_reader.h"

#include "gate/formats/otlp_json.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len) {
    return fuzz_reader(&gate_otlp_json_reader, bytes, len);
}
