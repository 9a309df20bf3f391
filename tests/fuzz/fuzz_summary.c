/* SPDX-License-Identifier: Apache-2.0 */
/* Runs of a summary: each is made into a profile or refused, and the pprof decoder accepts or refuses that. A summary
 * made of them is read again. */
#include "fuzz.h"

#include "gate/formats/pprof.h"
#include "gate/formats/summary.h"

static void summarize_again(const struct gate_profile *profile, struct gate_arena *arena) {
    struct gate_summary_writer writer;
    struct gate_summary summary;
    struct gate_buf out = {0};
    struct gate_error err = {0};
    gate_summary_writer_begin(&writer, arena);
    if (gate_summary_writer_add(&writer, GATE_STR("run"), profile, &err) &&
        gate_summary_writer_put(&out, &writer, &err)) {
        FUZZ_CHECK(gate_summary_read(&summary, gate_buf_view(&out), &fuzz_limits, arena, &err) ||
                   fuzz_may_refuse(&err));
        FUZZ_CHECK(err.code != GATE_OK || summary.count == 1);
    } else {
        FUZZ_CHECK(fuzz_may_refuse(&err));
    }
    gate_summary_writer_end(&writer);
    gate_buf_free(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len) {
    struct gate_arena arena;
    struct gate_summary summary;
    struct gate_error err = {0};
    gate_arena_init(&arena, fuzz_limits.memory_bytes);
    bool ok = gate_summary_read(&summary, fuzz_view(bytes, len), &fuzz_limits, &arena, &err);
    FUZZ_CHECK(ok || err.message[0] != '\0');
    for (uint32_t i = 0; ok && i < summary.count && i < 8; i++) {
        struct gate_profile profile;
        struct gate_str made;
        struct gate_error why = {0};
        if (gate_summary_run_profile(&made, &summary.runs[i], &arena, &why) &&
            gate_pprof_decode(&profile, made, &fuzz_limits, &arena, &why))
            summarize_again(&profile, &arena);
        else
            FUZZ_CHECK(why.message[0] != '\0');
    }
    gate_arena_free(&arena);
    return 0;
}
