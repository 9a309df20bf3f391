/* SPDX-License-Identifier: Apache-2.0 */
/* Arbitrary bytes as metrics. If the first line begins with '?', it is a selector. Growth between two equal readings
 * is zero. */
#include "fuzz.h"

#include "gate/capture/metrics.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len) {
    struct gate_str text = fuzz_view(bytes, len), wanted = GATE_STR("r_total");
    struct gate_arena arena;
    struct gate_error err = {0};
    struct gate_metrics_selector selector;
    gate_arena_init(&arena, fuzz_limits.memory_bytes);
    if (len > 0 && bytes[0] == '?') {
        size_t end = gate_str_find(text, GATE_STR("\n"), 0);
        wanted = gate_str_slice(text, 1, end);
        text = end == SIZE_MAX ? GATE_STR("") : gate_str_slice(text, end + 1, text.len);
    }
    if (gate_metrics_selector_read(&selector, wanted, &arena, &err)) {
        struct gate_metrics metrics;
        if (gate_metrics_read(&metrics, text, &selector, GATE_STR("e"), &arena, &err)) {
            struct gate_manifest_run run = {0};
            enum gate_metrics_growth growth;
            if (gate_metrics_grow(&growth, &run, GATE_STR("e"), &metrics, &metrics, &arena, &err))
                FUZZ_CHECK(growth == GATE_METRICS_STUCK && run.work == 0 && run.by_count == 0);
        } else {
            FUZZ_CHECK(err.message[0] != '\0');
        }
        gate_metrics_selector_free(&selector);
    } else {
        FUZZ_CHECK(err.message[0] != '\0');
    }
    gate_arena_free(&arena);
    return 0;
}
