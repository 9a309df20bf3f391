/* SPDX-License-Identifier: Apache-2.0 */
/* Walking samples in place over unchecked bytes: the walk ends, stays in bounds, and reports why it stopped. */
#include "fuzz.h"

#include "gate/model/sample.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len) {
    struct gate_str strings[2] = {GATE_STR(""), GATE_STR("key")};
    struct gate_profile profile = {.bytes = fuzz_view(bytes, len), .strings = strings, .string_count = 2};
    struct gate_sample_cursor cursor;
    struct gate_sample sample;
    struct gate_error err = {0};
    uint64_t sum = 0;
    gate_sample_begin(&cursor, &profile);
    while (gate_sample_next(&cursor, &sample, &err)) {
        uint64_t id = 0;
        for (uint32_t at = 0; gate_stack_next(sample.stack, &at, &id);)
            sum += id;
        FUZZ_CHECK(sample.value_count <= GATE_VALUES_MAX);
        struct gate_label_walk walk = gate_labels_of(&cursor);
        struct gate_label label;
        uint32_t count = 0;
        for (; gate_labels_next(&walk, &label); count++)
            sum += label.key.len + label.text.len;
        FUZZ_CHECK(count <= sample.label_count);
    }
    FUZZ_CHECK((err.code == GATE_OK) == (cursor.at == len) || err.code != GATE_OK);
    gate_sample_end(&cursor);
    return sum == UINT64_MAX ? -1 : 0;
}
