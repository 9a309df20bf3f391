/* SPDX-License-Identifier: Apache-2.0 */
/* The difference of both sides as a pprof profile. */
#include "gate/formats/merge.h"
#include "gate/report/report.h"

static bool pprof_diff_side(struct gate_merge *merge, const struct gate_side *side, int64_t factor,
                            const struct gate_label *label, struct gate_arena *arena, struct gate_error *err) {
    struct gate_arena scratch;
    bool ok = true;
    for (uint32_t i = 0; ok && i < side->run_count; i++) {
        gate_arena_fork(&scratch, arena);
        ok = gate_merge_add_scaled(merge, side->runs[i].input.profile, factor, label, &scratch, err);
        gate_arena_free(&scratch);
    }
    return ok;
}

static bool report_pprof_diff(struct gate_buf *out, const struct gate_verdict *verdict,
                              const struct gate_report_options *options, struct gate_arena *arena,
                              struct gate_error *err) {
    (void)options;
    const struct gate_pair *pair = &verdict->comparisons[0].pair;
    const struct gate_label base = {.key = GATE_STR("pprof::base"), .text = GATE_STR("true")};
    struct gate_merge merge;
    gate_merge_begin(&merge, arena);
    bool ok = pprof_diff_side(&merge, &pair->sides[GATE_CANARY], 1, NULL, arena, err);
    /* `go tool pprof` shows the default sample type, so set it to the one that was compared. */
    const struct gate_run *run = &pair->sides[GATE_CANARY].runs[0];
    merge.builder.header.default_sample_type = run->input.profile->sample_types[run->counts.value_column].type;
    ok = ok && pprof_diff_side(&merge, &pair->sides[GATE_BASELINE], -1, &base, arena, err) &&
         gate_merge_write(out, &merge, GATE_CONTAINER_GZIP, err);
    gate_merge_end(&merge);
    return ok;
}

const struct gate_report_format gate_report_pprof_diff = {
    .name = "pprof-diff",
    .is_rare = true,
    .mark = GATE_OWN_PPROF,
    .help = "a profile that `go tool pprof` opens as a diff",
    .write = report_pprof_diff,
    .walks_stacks = true,
    .is_binary = true,
};
