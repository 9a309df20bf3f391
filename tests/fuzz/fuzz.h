/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by all fuzz targets: libFuzzer's entry point, and limits that keep one execution small. */
#ifndef TESTS_FUZZ_H
#define TESTS_FUZZ_H

#include "gate/formats/format.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

static const struct gate_limits fuzz_limits = {.compressed_bytes = 1 << 20,
                                               .inflated_bytes = 1 << 22,
                                               .samples = 100000,
                                               .depth = 256,
                                               .lines = 64,
                                               .strings = 100000,
                                               .memory_bytes = 1 << 25};

static inline struct gate_str fuzz_view(const uint8_t *bytes, size_t len) {
    return (struct gate_str){len == 0 ? "" : (const char *)bytes, len};
}

/** Return whether the pprof decoder may refuse a converted profile with this error: a limit, or two sample types of one
 * name, which a text may have, too. */
static inline bool fuzz_may_refuse(const struct gate_error *err) {
    return err->code == GATE_ERR_LIMIT || strstr(err->message, "which of them to compare is not clear") != NULL;
}

/** Abort unless `condition` holds. It must hold for every input. */
#define FUZZ_CHECK(condition) ((condition) ? (void)0 : abort())

#endif
