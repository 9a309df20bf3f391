/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of the pprof decoder share (see decoder.h). */
#include "gate/profile/decoder.h"

bool gate_decoder_string(struct gate_str *out, const struct gate_decoder *decoder, uint64_t index, const char *what,
                         struct gate_error *err) {
    if (index >= decoder->out->string_count)
        return gate_error_set(err, GATE_ERR_FORMAT, "%s is string %lld, but the string table has only %u", what,
                              (long long)index, decoder->out->string_count);
    *out = decoder->out->strings[index];
    return true;
}

struct gate_decoder_walk gate_decoder_walk_of(const struct gate_decoder *decoder, uint32_t numbers) {
    struct gate_decoder_walk walk = {.decoder = decoder, .numbers = numbers};
    for (int number = 1; number <= GATE_PPROF_DOC_URL; number++)
        walk.left += numbers >> number & 1 ? decoder->counts[number] : 0;
    return walk;
}
