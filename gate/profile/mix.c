/* SPDX-License-Identifier: Apache-2.0 */
/* What a sample weighs in another mix of traffic (see mix.h). */
#include "gate/profile/mix.h"

bool gate_mix_find(double *factor, const struct gate_mix *mix, const struct gate_sample_cursor *cursor,
                   const struct gate_sample *sample) {
    struct gate_label_walk walk = gate_labels_of(cursor);
    struct gate_label label;
    *factor = 1.0;
    while (sample->label_count > 0 && gate_labels_next(&walk, &label)) {
        if (label.text.ptr == NULL || !gate_str_equal(label.key, mix->key))
            continue;
        for (uint32_t i = 0; i < mix->count; i++)
            if (gate_str_equal(mix->parts[i].value, label.text)) {
                *factor = mix->parts[i].factor;
                return true;
            }
    }
    return false;
}
