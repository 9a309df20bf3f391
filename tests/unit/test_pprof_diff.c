/* SPDX-License-Identifier: Apache-2.0 */
/* The difference as a pprof profile: its default sample type, and the sums of its samples. */
#include "profile_fixture.h"

#include "gate/report/report.h"

/* Both sides are one profile with the default sample type `preferred`. Write the difference by `compared` and read
 * it. */
static void write_difference(struct gate_profile *out, const char *compared, uint64_t preferred,
                             struct gate_arena *arena) {
    AT_END(gate_buf_free) struct gate_buf bytes = {0};
    AT_END(gate_buf_free) struct gate_buf written = {0};
    struct gate_verdict verdict = {0};
    struct gate_comparison comparison = {0};
    struct gate_profile *profile = GATE_NEW_ARRAY(arena, struct gate_profile, 1);
    assert_non_null(profile);
    put_profile(&bytes);
    put_unpacked(&bytes, 14, preferred);
    struct gate_str kept = gate_str_copy(arena, gate_buf_view(&bytes)); /* an uncompressed profile is read in place */
    assert_true(gate_profile_load(profile, kept, NULL, arena, &err));
    const struct gate_run_input input = {.path = GATE_STR("a"), .profile = profile};
    const struct gate_run_input *const inputs[GATE_SIDES] = {&input, &input};
    const struct gate_pair_options options = {.sample_type = gate_str_from(compared)};
    assert_true(gate_pair_make(&comparison.pair, inputs, (const uint32_t[]){1, 1}, &options, arena, &err));
    verdict.comparisons = &comparison;
    verdict.comparison_count = 1;
    if (!gate_report_pprof_diff.write(&written, &verdict, &(struct gate_report_options){0}, arena, &err))
        fail_msg("%s", err.message);
    expect_load(out, &written, arena);
}

TEST(the_diff_opens_with_the_compared_sample_type) {
    static const struct {
        const char *compared;
        uint64_t preferred;
        const char *opens;
    } rows[] = {{"samples", S_CPU, "samples"},
                {"cpu", S_SAMPLES, "cpu"},
                {"", S_SAMPLES, "samples"},
                {"samples", 0, "samples"},
                {"", 0, "cpu"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct gate_profile profile;
        write_difference(&profile, rows[i].compared, rows[i].preferred, &arena);
        if (!gate_str_equal(profile.default_sample_type, gate_str_from(rows[i].opens)))
            fail_msg("compared '%s': opens '%.*s'", rows[i].compared, GATE_STR_ARG(profile.default_sample_type));
        assert_int_equal(profile.sample_type_count, 2);
        assert_true(profile.is_saved_diff);
    }
}
