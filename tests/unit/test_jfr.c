/* SPDX-License-Identifier: Apache-2.0 */
/* formats/jfr.c: JDK Flight Recorder files made by hand (tests/fuzz/jfr_seeds.py). tests/jfr compares real ones. */
#include "foreign_fixture.h"

#include "gate/budget/plan.h"
#include "gate/compare/allocator.h"
#include "gate/compare/hot_path.h"
#include "gate/compare/misplaced.h"
#include "gate/compare/pair.h"
#include "gate/formats/counted_cpu.h"
#include "gate/model/labels.h"
#include "gate/names/own_code.h"

static struct gate_str seed_read(const char *name, struct gate_arena *arena) {
    char path[512];
    (void)snprintf(path, sizeof path, GATE_FUZZ_SEEDS "/jfr/%s", name);
    return read_fixture(path, arena);
}

static void expect_seed(const char *name, const char *type, const char *wanted) {
    AT_END(gate_arena_free) struct gate_arena arena = {0};
    expect_stacks(seed_read(name, &arena), GATE_FORMAT_JFR, type, wanted);
}

static void refuse_seed(const char *name, enum gate_error_code code, const char *part) {
    AT_END(gate_arena_free) struct gate_arena arena = {0};
    expect_error(seed_read(name, &arena), NULL, code, part);
}

static const char plain_cpu[] = "com/acme/Cart.add<com/acme/Cart.main 20000000\ncom/acme/Cart.main 30000000\n";

TEST(samples_weigh_the_interval_of_their_kind) {
    expect_seed("plain", "", plain_cpu);
    expect_seed("plain", "samples", "com/acme/Cart.add<com/acme/Cart.main 2\ncom/acme/Cart.main 2\n");
}

TEST(every_encoding_and_layout_gives_the_same_stacks) {
    static const char *const names[] = {"words", "chars", "latin1", "version_1", "checkpoints"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        expect_seed(names[i], "cpu", plain_cpu);
    expect_seed("texts", "cpu", "größe.\U0001F600€\uFFFDx<größe.main 20000000\ngröße.main 30000000\n");
}

TEST(values_and_metadata_may_be_nested) {
    expect_seed("nested", "cpu", "com/acme/Cart.add<com/acme/Cart.main 10000000\n");
}

TEST(chunks_are_added_up) {
    expect_seed("two_chunks", "cpu", "com/acme/Cart.add<com/acme/Cart.main 40000000\ncom/acme/Cart.main 60000000\n");
}

TEST(every_kind_of_event_has_its_columns) {
    expect_seed("every_kind", "", plain_cpu);
    expect_seed("every_kind", "alloc_samples", "com/acme/Cart.add<com/acme/Cart.main 1\ncom/acme/Cart.main 1\n");
    expect_seed("every_kind", "alloc_space", "com/acme/Cart.add<com/acme/Cart.main 1000\ncom/acme/Cart.main 500\n");
    expect_seed("every_kind", "inuse_space", "com/acme/Cart.add<com/acme/Cart.main 24\ncom/acme/Cart.main 0\n");
    expect_seed("every_kind", "malloc_space", "com/acme/Cart.add<com/acme/Cart.main 0\ncom/acme/Cart.main 64\n");
    expect_seed("every_kind", "contentions", "com/acme/Cart.add<com/acme/Cart.main 2\ncom/acme/Cart.main 0\n");
    expect_seed("every_kind", "delay", "com/acme/Cart.add<com/acme/Cart.main 5000\ncom/acme/Cart.main 0\n");
    expect_seed("ticks", "delay", "com/acme/Cart.add<com/acme/Cart.main 2333333333\n");
}

TEST(cpu_time_samples_replace_execution_samples) {
    expect_seed("cpu_time", "cpu", "com/acme/Cart.add<com/acme/Cart.main 11000000\n");
    expect_seed("cpu_time", "samples", "com/acme/Cart.add<com/acme/Cart.main 1\n");
}

TEST(async_profiler_is_recognised_by_its_states_and_settings) {
    expect_seed("agent", "cpu", "memcpy<com/acme/Cart.add 20000000\n");
    expect_seed("agent", "wall", "memcpy<com/acme/Cart.add 100000000\n");
    expect_seed("agent", "wall_samples", "memcpy<com/acme/Cart.add 5\n");
    expect_seed("agent_old_wall", "", "com/acme/Cart.add<com/acme/Cart.main 10000000\n");
    expect_seed("agent_cycles", "", "com/acme/Cart.add<com/acme/Cart.main 1\n");
    expect_seed("no_interval", "", "com/acme/Cart.add<com/acme/Cart.main 1\n");
}

TEST(settings_of_async_profiler_apply_to_its_later_chunks) {
    expect_seed("agent_chunks", "cpu", "memcpy<com/acme/Cart.add 30000000\n");
    expect_seed("agent_chunks", "wall", "memcpy<com/acme/Cart.add 140000000\n");
    expect_seed("agent_old_wall_chunks", "wall", "com/acme/Cart.add<com/acme/Cart.main 20000000\n");
}

TEST(a_missing_constant_is_a_frame_without_a_name) {
    expect_seed("missing", "samples", "0<com/acme/Cart.main 2\ncom/acme/Cart.main 2\nwait<com/acme/Cart.main 1\n1\n");
    expect_seed("no_stack", "samples", "1\n");
}

static void profile_read(struct gate_profile *out, const char *name, struct gate_arena *arena) {
    if (!gate_profile_load(out, seed_read(name, arena), NULL, arena, &err))
        fail_msg("%s is not read: %s", name, err.message);
}

TEST(header_has_time_duration_and_period) {
    struct gate_profile profile;
    profile_read(&profile, "plain", &arena);
    assert_int_equal(profile.time_ns, 1000000000000000000);
    assert_int_equal(profile.duration_ns, 5000000000);
    assert_int_equal(profile.period, 10000000);
    assert_int_equal(profile.sample_type_count, 2);
    assert_int_equal(gate_own_code_language(&profile), GATE_LANGUAGE_JVM); /* without a name of the JDK */
    profile_read(&profile, "agent_cycles", &arena);
    assert_int_equal(profile.period, 0);
    assert_int_equal(profile.sample_type_count, 1);
}

TEST(settings_of_async_profiler_do_not_apply_to_chunks_of_the_jdk) {
    static const char wanted[] = "memcpy<com/acme/Cart.add 2\ncom/acme/Cart.add<com/acme/Cart.main 1\n";
    struct gate_profile profile;
    expect_seed("agent_then_jdk", "", wanted);
    profile_read(&profile, "agent_then_jdk", &arena);
    assert_int_equal(profile.period, 0);
    assert_int_equal(profile.sample_type_count, 3); /* samples without cpu, and both columns of the wall clock */
}

static bool has_string(const struct gate_profile *profile, const char *wanted) {
    return gate_str_find(profile->bytes, gate_str_from(wanted), 0) != SIZE_MAX;
}

TEST(an_enabled_event_has_columns_without_any_event) {
    expect_seed("no_contention", "", plain_cpu);
    expect_seed("no_contention", "delay", "com/acme/Cart.add<com/acme/Cart.main 0\ncom/acme/Cart.main 0\n");
    struct gate_profile profile;
    profile_read(&profile, "no_contention", &arena);
    assert_int_equal(profile.sample_type_count, 4);
}

TEST(threads_and_states_are_labels) {
    struct gate_profile profile;
    profile_read(&profile, "plain", &arena);
    assert_true(has_string(&profile, "thread") && has_string(&profile, "pool-1-thread-2") &&
                has_string(&profile, "GC"));
    assert_false(has_string(&profile, "state"));
    profile_read(&profile, "agent", &arena);
    assert_true(has_string(&profile, "state") && has_string(&profile, "STATE_SLEEPING"));
    assert_false(has_string(&profile, "[tid=7]")); /* a number that is another one in each run */
}

TEST(events_left_out_are_counted_in_comments) {
    struct gate_profile profile;
    profile_read(&profile, "every_kind", &arena);
    assert_true(has_string(&profile, "1 samples of native methods that wait left out"));
    assert_true(has_string(&profile, "1 parks for other reasons than a lock left out"));
    assert_true(has_string(&profile, "1 samples left out, as jdk.ObjectAllocationInNewTLAB"));
    profile_read(&profile, "cpu_time", &arena);
    assert_true(has_string(&profile, "5 samples left out, as jdk.CPUTimeSample"));
    assert_true(has_string(&profile, "1 samples without a stack left out"));
}

/* The weight of a thread's first sample includes what the thread allocated before the recording. It is cut to the
 * largest later weight in its chunk and the chunks before (1,000 bytes), unless it is less than twice that. A chunk has
 * its events in any order. */
TEST(allocations_before_the_recording_are_cut) {
    struct gate_profile profile;
    static const char *const names[] = {"first_of_threads", "first_of_threads_last"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        expect_seed(names[i], "alloc_space", "com/acme/Cart.add<com/acme/Cart.main 22000\ncom/acme/Cart.main 3800\n");
    profile_read(&profile, "first_of_threads", &arena);
    assert_true(has_string(&profile, "1 samples cut, as they also count what their threads allocated before"));
}

/* The JDK's own samples go by the wall clock; jdk.CPUTimeSample and async-profiler's go by CPU time. */
TEST(only_samples_of_the_jdk_count_preempted_time) {
    static const struct {
        const char *name;
        bool counts;
    } rows[] = {{"plain", true}, {"cpu_time", false}, {"agent", false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct gate_profile profile;
        profile_read(&profile, rows[i].name, &arena);
        if (gate_profile_counts_preempted(&profile, GATE_LANGUAGE_JVM) != rows[i].counts)
            fail_msg("'%s'", rows[i].name);
        assert_false(gate_profile_counts_preempted(&profile, GATE_LANGUAGE_NODE));
    }
}

/* ---- CPU time that the system counted ---------------------------------------------------------------------------- */

/* The system counted 4 s: 1 s of the collector, and 3 s of the program, which has 50 ms in samples. */
TEST(the_system_counts_more_than_the_samples) {
    static const struct {
        const char *name;
        double all, collector, sampled; /* in seconds; 0: not known */
    } rows[] = {{"loaded", 4.0, 1.0, 0.05}, {"loaded_twice", 8.0, 2.0, 0.1},
                {"plain", 0, 0, 0},         {"loaded_collector_unknown", 0, 0, 0},
                {"loaded_agent", 0, 0, 0},  {"loaded_processors_unknown", 0, 0, 0},
                {"loaded_little", 0, 0, 0}, {"loaded_odd", 0, 0, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct gate_profile profile;
        struct gate_counted_cpu counted;
        profile_read(&profile, rows[i].name, &arena);
        bool is_known = gate_counted_cpu_find(&counted, &profile);
        if (is_known != (rows[i].all > 0))
            fail_msg("'%s': %d", rows[i].name, is_known);
        if (!is_known)
            continue;
        assert_float_equal(counted.all_ns / 1e9, rows[i].all, 1e-6);
        assert_float_equal(counted.collector_ns / 1e9, rows[i].collector, 1e-9);
        assert_float_equal(counted.sampled_ns / 1e9, rows[i].sampled, 1e-9);
    }
}

static void expect_counted(const struct gate_profile *profile, const char *type, const char *wanted,
                           struct gate_arena *arena) {
    uint32_t column = 0;
    assert_true(gate_sample_type_find(&column, profile, gate_str_from(type), &err));
    struct gate_str got = stacks_print(profile, column, arena);
    if (!gate_str_equal(got, gate_str_from(wanted)))
        fail_msg("got\n%.*sexpected\n%s", GATE_STR_ARG(got), wanted);
}

TEST(cpu_samples_are_scaled_to_the_cpu_time_of_the_system) {
    struct gate_profile profile, counted;
    struct gate_counted_cpu known;
    profile_read(&profile, "loaded", &arena);
    assert_true(gate_counted_cpu_apply(&counted, &profile, NULL, &arena, &err));
    /* The load is a float: 0.1 of a second's time of four processors is 400,000,006 ns. */
    expect_counted(&counted, "samples",
                   "com/acme/Cart.add<com/acme/Cart.main 2\ncom/acme/Cart.main 2\n" GATE_COLLECTOR_FRAME " 1\n",
                   &arena);
    expect_counted(
        &counted, "cpu",
        "com/acme/Cart.add<com/acme/Cart.main 1200000024\ncom/acme/Cart.main 1800000036\n" GATE_COLLECTOR_FRAME
        " 1000000000\n",
        &arena);
    assert_int_equal(counted.format, GATE_FORMAT_JFR);
    assert_int_equal(counted.duration_ns, profile.duration_ns);
    assert_true(gate_profile_counts_preempted(&profile, GATE_LANGUAGE_JVM));
    assert_false(gate_profile_counts_preempted(&counted, GATE_LANGUAGE_JVM));
    assert_false(gate_counted_cpu_find(&known, &counted)); /* not twice */
}

/* Without a collection of a size that makes a sample there is no frame of it; in a profile that counts no samples, any
 * collection has one. */
TEST(a_collector_of_less_than_half_a_sample_has_no_frame) {
    struct gate_value_type other[] = {{GATE_STR("wall"), GATE_STR("nanoseconds")},
                                      {GATE_STR("cpu"), GATE_STR("nanoseconds")}};
    struct gate_profile profile, counted;
    struct gate_str comment =
        GATE_STR("# ns of cpu counted by the system: 8000000000, of the collector: 800000000, in samples: 50000000");
    profile_read(&profile, "plain", &arena);
    profile.comments = &comment;
    profile.comment_count = 1;
    assert_true(gate_counted_cpu_apply(&counted, &profile, NULL, &arena, &err));
#define COUNTED "com/acme/Cart.add<com/acme/Cart.main 2880000000\ncom/acme/Cart.main 4320000000\n"
    expect_counted(&counted, "cpu", COUNTED, &arena);
    profile.sample_types = other;
    assert_true(gate_counted_cpu_apply(&counted, &profile, NULL, &arena, &err));
    expect_counted(&counted, "cpu", COUNTED GATE_COLLECTOR_FRAME " 800000000\n", &arena);
    expect_counted(&counted, "wall",
                   "com/acme/Cart.add<com/acme/Cart.main 2\ncom/acme/Cart.main 2\n" GATE_COLLECTOR_FRAME " 0\n",
                   &arena);
#undef COUNTED
}

TEST(a_comment_without_its_numbers_counts_nothing) {
    static const char *const comments[] = {
        "# ns of cpu counted by the system: ", "# ns of cpu counted by the system: 8000000000, of the collector: 8",
        "# ns of cpu counted by the system: 8, of the collector: 8, in samples: 5",
        "# ns of cpu counted by the system: 8000000000000000000, of the collector: 8, in samples: 5",
        "# ns of cpu counted by the system: 8000000000, of the collector: 8, in samples: 0"};
    for (size_t i = 0; i < sizeof comments / sizeof *comments; i++) {
        struct gate_profile profile;
        struct gate_counted_cpu counted;
        struct gate_str comment = gate_str_from(comments[i]);
        profile_read(&profile, "plain", &arena);
        profile.comments = &comment;
        profile.comment_count = 1;
        if (gate_counted_cpu_find(&counted, &profile))
            fail_msg("'%s'", comments[i]);
    }
}

/* If only some runs have the system's count, none uses it: with two clocks, equal builds would differ. */
TEST(the_count_of_the_system_is_used_if_every_run_has_it) {
    for (int lacks = 0; lacks < 2; lacks++) {
        struct gate_profile profiles[3];
        struct gate_run_input inputs[3] = {{.path = GATE_STR("a")}, {.path = GATE_STR("b")}, {.path = GATE_STR("c")}};
        const struct gate_run_input *runs[GATE_SIDES] = {&inputs[0], &inputs[2]};
        const uint32_t counts[GATE_SIDES] = {2, 1};
        for (int i = 0; i < 3; i++) {
            profile_read(&profiles[i], lacks == 1 && i == 1 ? "plain" : "loaded", &arena);
            inputs[i].profile = &profiles[i];
        }
        assert_true(gate_plan_count_cpu(runs, counts, GATE_SIDES, NULL, &arena, &err));
        for (int i = 0; i < 3; i++) {
            const struct gate_run_input *run = i < 2 ? &runs[GATE_BASELINE][i] : runs[GATE_CANARY];
            assert_int_equal(gate_profile_is_counted(run->profile), lacks == 0);
            assert_true(gate_str_equal(run->path, inputs[i].path));
            assert_false(gate_profile_is_counted(inputs[i].profile)); /* the caller's runs stay */
        }
    }
}

/* The baseline allocates 20,000 bytes in each of both methods, and its collector uses 0.5 s of 4 s. */
TEST(growth_of_the_collector_names_the_method_that_allocates_more) {
    static const struct {
        const char *canary, *function; /* NULL: none is named */
        int64_t bytes;
    } rows[] = {{"allocating_more", "com/acme/Cart.main", 100000},
                {"allocating_more_in_both", "com/acme/Cart.add", 200000},
                {"allocating_for_less", NULL, 0},
                {"allocating_alike", NULL, 0},
                {"allocating_nothing", NULL, 0}, /* a total of zero cannot be compared, but is not an error here */
                {"loaded", NULL, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct gate_profile profiles[GATE_SIDES];
        struct gate_run_input inputs[GATE_SIDES] = {{.path = GATE_STR("old")}, {.path = GATE_STR("new")}};
        const struct gate_run_input *runs[GATE_SIDES] = {&inputs[0], &inputs[1]};
        const uint32_t counts[GATE_SIDES] = {1, 1};
        const struct gate_pair_options options = {.sample_type = GATE_STR("cpu")};
        struct gate_comparison comparison = {0};
        for (int side = 0; side < GATE_SIDES; side++) {
            profile_read(&profiles[side], side == GATE_BASELINE ? "allocating" : rows[i].canary, &arena);
            inputs[side].profile = &profiles[side];
        }
        assert_true(gate_plan_count_cpu(runs, counts, GATE_SIDES, NULL, &arena, &err));
        assert_true(gate_hot_path_costs(&comparison.pair, &comparison.deltas, runs, counts, &options, &arena, &err));
        assert_true(gate_allocator_find(&comparison, &options, &arena, &err));
        if ((comparison.allocator == NULL) != (rows[i].function == NULL))
            fail_msg("'%s'", rows[i].canary);
        if (comparison.allocator == NULL)
            continue;
        assert_true(gate_str_equal(comparison.allocator->function, gate_str_from(rows[i].function)));
        assert_int_equal(comparison.allocator->bytes[GATE_BASELINE], 20000);
        assert_int_equal(comparison.allocator->bytes[GATE_CANARY], rows[i].bytes);
    }
}

/* A compiled method and what was inlined into it are one location. */
TEST(inlined_methods_are_lines_of_the_compiled_one) {
    struct gate_profile profile;
    expect_seed("inlined", "samples", "com/acme/Cart.add 2\ncom/acme/Cart.main 2\ncom/acme/Cart.add 1\n");
    profile_read(&profile, "inlined", &arena);
    const struct gate_location both = gate_location_at(&profile, 0);
    assert_int_equal(both.line_count, 2);
    assert_int_equal(gate_location_line(&profile, &both, 0).line, 30);
    assert_int_equal(gate_location_line(&profile, &both, 1).line, 9);
}

TEST(recordings_of_the_jdk_misplace_inlined_methods_without_a_flag) {
    static const struct {
        const char *name;
        bool misplaces;
    } rows[] = {{"plain", true}, {"inlined", true}, {"placed", false}, {"cpu_time", true}, {"agent", false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct gate_profile profile;
        profile_read(&profile, rows[i].name, &arena);
        if (has_string(&profile, GATE_COMMENT_MISPLACED) != rows[i].misplaces)
            fail_msg("'%s'", rows[i].name);
    }
}

/* Return the cost in units of 10 ms that may be misplaced of a method in the code of a compiled one, on one side. */
static int64_t misplaced_in(const struct gate_pair *pair, const char *method, const char *compiled, int side) {
    int64_t sum = 0;
    for (uint32_t i = 0; i < pair->misplaced_count; i++) {
        const struct gate_misplaced_cost *item = &pair->misplaced[i];
        if (gate_str_equal(pair->frames[item->frame].name, gate_str_from(method)) &&
            gate_str_equal(pair->frames[item->unit].name, gate_str_from(compiled)))
            sum += item->cost[side] / 10000000;
    }
    return sum;
}

static void pair_read(struct gate_pair *pair, const char *names[GATE_SIDES], const char *type,
                      struct gate_arena *arena) {
    struct gate_profile *profiles = GATE_NEW_ARRAY(arena, struct gate_profile, GATE_SIDES);
    struct gate_run_input inputs[GATE_SIDES] = {{.path = GATE_STR("old")}, {.path = GATE_STR("new")}};
    const struct gate_run_input *const sides[GATE_SIDES] = {&inputs[0], &inputs[1]};
    const uint32_t counts[GATE_SIDES] = {1, 1};
    const struct gate_pair_options options = {.sample_type = gate_str_from(type), .folds = true};
    assert_non_null(profiles);
    for (int side = 0; side < GATE_SIDES; side++) {
        profile_read(&profiles[side], names[side], arena);
        inputs[side].profile = &profiles[side];
    }
    if (!gate_pair_make(pair, sides, counts, &options, arena, &err))
        fail_msg("%s", err.message);
}

TEST(costs_of_compiled_methods_are_found_where_they_may_be_misplaced) {
    static const char add[] = "com/acme/Cart.add", main[] = "com/acme/Cart.main";
    struct gate_pair pair;
    pair_read(&pair, (const char *[]){"plain", "inlined"}, "cpu", &arena);
    assert_int_equal(misplaced_in(&pair, add, add, GATE_BASELINE), 2);
    assert_int_equal(misplaced_in(&pair, add, main, GATE_BASELINE), 0);
    assert_int_equal(misplaced_in(&pair, main, main, GATE_BASELINE), 3);
    assert_int_equal(misplaced_in(&pair, add, main, GATE_CANARY), 2);
    assert_int_equal(misplaced_in(&pair, add, add, GATE_CANARY), 1); /* the stack was cut within the compiled method */
    assert_true(pair.lacks_debug_flag);
    pair_read(&pair, (const char *[]){"placed", "placed"}, "cpu", &arena);
    assert_int_equal(misplaced_in(&pair, add, main, GATE_CANARY), 2);
    assert_false(pair.lacks_debug_flag);
    pair_read(&pair, (const char *[]){"inlined", "placed"}, "cpu", &arena);
    assert_true(pair.lacks_debug_flag);
    pair_read(&pair, (const char *[]){"placed", "inlined"}, "cpu", &arena);
    assert_true(pair.lacks_debug_flag);
    /* Nothing was inlined at a leaf, or it is not recorded. */
    pair_read(&pair, (const char *[]){"plain", "plain"}, "cpu", &arena);
    assert_null(pair.misplaced);
    /* What was allocated is placed at a safepoint. */
    pair_read(&pair, (const char *[]){"every_kind", "every_kind"}, "alloc_space", &arena);
    assert_null(pair.misplaced);
}

TEST(lines_are_kept) {
    struct gate_profile profile;
    int64_t lines[8] = {0};
    profile_read(&profile, "plain", &arena);
    for (uint32_t i = 0; i < profile.location_count && i < 8; i++) {
        const struct gate_location location = gate_location_at(&profile, i);
        assert_int_equal(location.line_count, 1);
        lines[i] = gate_location_line(&profile, &location, 0).line;
    }
    /* The last two are the stack of the native method that waits; a line of -1 is none. */
    assert_int_equal(profile.location_count, 5);
    assert_int_equal(lines[0], 30);
    assert_int_equal(lines[1], 9);
    assert_int_equal(lines[2], 10);
    assert_int_equal(lines[3], 0);
}

TEST(errors_name_the_place) {
    static const struct {
        const char *name;
        enum gate_error_code code;
        const char *part;
    } rows[] = {
        {"bad_version", GATE_ERR_FORMAT, "of version 0.9; versions 1 and 2 are read"},
        {"bad_unfinished", GATE_ERR_FORMAT, "chunk 1 at byte 0 is unfinished: stop the recording first"},
        {"bad_header_cut", GATE_ERR_FORMAT, "truncated in the header of its chunk 2 at byte 2945"},
        {"bad_cut", GATE_ERR_FORMAT, "its chunk 2 at byte 2945 has 2945 bytes, of which 2940 are there"},
        {"bad_size_small", GATE_ERR_FORMAT, "chunk 1 at byte 0 has only 60 bytes"},
        {"bad_second_chunk", GATE_ERR_FORMAT, "expected chunk 2 of the recording at byte 2945"},
        {"bad_metadata_place", GATE_ERR_FORMAT, "the metadata at byte 2945 (chunk 1) ends within a value"},
        {"bad_metadata_type", GATE_ERR_FORMAT, "expected metadata at byte 157 (chunk 1)"},
        {"bad_checkpoint_place", GATE_ERR_FORMAT, "leads from byte 2945 to byte 2945"},
        {"bad_checkpoint_type", GATE_ERR_FORMAT, "expected a checkpoint at byte 459 (chunk 1)"},
        {"bad_chain_itself", GATE_ERR_FORMAT, "the checkpoint at byte 156 (chunk 1)"},
        {"bad_chain_forward", GATE_ERR_FORMAT, "leads from byte 157 to byte 162, which is not before it"},
        {"bad_chain_before", GATE_ERR_FORMAT, "leads from byte 157 to byte -999843"},
        {"bad_event_size_zero", GATE_ERR_FORMAT, "an event at byte 68 (chunk 1) has an impossible size"},
        {"bad_event_size_large", GATE_ERR_FORMAT, "an event at byte 68 (chunk 1) has an impossible size"},
        {"bad_event_short", GATE_ERR_FORMAT, "jdk.ExecutionSample at byte 68 (chunk 1) ends within a value"},
        {"bad_class_twice", GATE_ERR_FORMAT, "the metadata of chunk 1 has two classes of one id"},
        {"bad_class_id", GATE_ERR_FORMAT, "the metadata of chunk 1 has a class without an id"},
        {"bad_no_class", GATE_ERR_FORMAT, "the metadata of chunk 1 has no class"},
        {"bad_class_in_itself", GATE_ERR_FORMAT, "jdk.ExecutionSample at byte 68 (chunk 1) has a class that contains"},
        {"bad_classes_nested", GATE_ERR_FORMAT, "jdk.ExecutionSample at byte 68 (chunk 1) has a class that contains"},
        {"bad_elements_nested", GATE_ERR_FORMAT, "(chunk 1) has a class that contains itself"},
        {"bad_class_unknown", GATE_ERR_FORMAT, "has a value of a class that the metadata does not describe"},
        {"bad_constant_class", GATE_ERR_FORMAT, "constants of a class 999 that its metadata does not describe"},
        {"bad_string_encoding", GATE_ERR_FORMAT,
         "the checkpoint at byte 157 (chunk 1) has a string of unknown encoding"},
        {"bad_string_long", GATE_ERR_FORMAT, "the checkpoint at byte 157 (chunk 1) ends within a value"},
        {"bad_string_negative", GATE_ERR_FORMAT, "ends within a value"},
        {"bad_chars_negative", GATE_ERR_FORMAT, "ends within a value"},
        {"bad_array_negative", GATE_ERR_FORMAT, "ends within a value"},
        {"bad_array_long", GATE_ERR_FORMAT, "ends within a value"},
        {"bad_text_cycle", GATE_ERR_FORMAT, "the constants of chunk 1 refer to each other in a cycle"},
        {"bad_negative", GATE_ERR_FORMAT, "a negative value of 'malloc_space' in chunk 1"},
        {"bad_no_samples", GATE_ERR_FORMAT, "without samples of CPU time, allocations or locks"},
        {"bad_only_waits", GATE_ERR_FORMAT, "without samples of CPU time, allocations or locks"},
        {"bad_sum", GATE_ERR_OVERFLOW, "'alloc_space' add up to more than 64 bits"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        refuse_seed(rows[i].name, rows[i].code, rows[i].part);
}

/* A file that is cut at any byte is refused, or ends between two chunks. */
TEST(every_cut_is_refused) {
    struct gate_str whole = seed_read("two_chunks", &arena);
    struct gate_str first = seed_read("plain", &arena);
    for (size_t len = 4; len < whole.len; len += 3)
        if (len != first.len)
            expect_error(gate_str_slice(whole, 0, len), NULL, GATE_ERR_FORMAT, "");
}

TEST(limits_of_depth_and_steps_are_applied) {
    struct gate_str bytes = seed_read("plain", &arena);
    struct gate_limits few_frames = {.depth = 1}, few_steps = {.steps = 200};
    expect_error(bytes, &few_frames, GATE_ERR_LIMIT, "is 2 frames deep; raise --max-depth");
    expect_error(bytes, &few_steps, GATE_ERR_LIMIT, "raise --max-steps");
}

/* Every limit of memory ends in an error or in the whole profile. */
TEST(every_refused_request_is_an_error) {
    AT_END(gate_arena_free) struct gate_arena held = {0};
    struct gate_str bytes = seed_read("every_kind", &held);
    size_t limit = 1024;
    bool ok = false;
    for (; !ok && limit < 1 << 22; limit += 509) {
        AT_END(gate_arena_free) struct gate_arena arena;
        struct gate_error err = {0};
        struct gate_profile profile;
        gate_arena_init(&arena, limit);
        ok = gate_profile_load(&profile, bytes, NULL, &arena, &err);
        assert_true(ok || err.code == GATE_ERR_LIMIT);
        assert_true(!ok || profile.sample_type_count == 10);
    }
    assert_true(ok);
}

/* The same for what is made of a profile: the system's count, and what makes the collector work. */
TEST(every_refused_request_behind_the_reader_is_an_error) {
    AT_END(gate_arena_free) struct gate_arena held = {0};
    struct gate_profile read[GATE_SIDES];
    size_t limit = 1024;
    bool ok = false;
    profile_read(&read[GATE_BASELINE], "allocating", &held);
    profile_read(&read[GATE_CANARY], "allocating_more", &held);
    for (; !ok && limit < 1 << 22; limit += 509) {
        AT_END(gate_arena_free) struct gate_arena arena;
        struct gate_run_input inputs[GATE_SIDES] = {{.path = GATE_STR("a"), .profile = &read[GATE_BASELINE]},
                                                    {.path = GATE_STR("b"), .profile = &read[GATE_CANARY]}};
        const struct gate_run_input *runs[GATE_SIDES] = {&inputs[0], &inputs[1]};
        const uint32_t counts[GATE_SIDES] = {1, 1};
        const struct gate_pair_options options = {.sample_type = GATE_STR("cpu")};
        struct gate_comparison comparison = {0};
        struct gate_error err = {0};
        gate_arena_init(&arena, limit);
        ok = gate_plan_count_cpu(runs, counts, GATE_SIDES, NULL, &arena, &err) &&
             gate_hot_path_costs(&comparison.pair, &comparison.deltas, runs, counts, &options, &arena, &err) &&
             gate_allocator_find(&comparison, &options, &arena, &err);
        assert_true(ok || err.code == GATE_ERR_LIMIT);
        assert_true(!ok || comparison.allocator != NULL);
    }
    assert_true(ok);
}

/* Compare each section "# COLUMN" of `wanted`, lines "NAME SELF CUMULATIVE", with the recording. */
static void expect_sections(const char *path, struct gate_str wanted, struct gate_arena *arena) {
    uint32_t sections = 0;
    for (size_t at = 0; at < wanted.len; sections++) {
        size_t line = gate_str_find(wanted, GATE_STR("\n"), at) + 1;
        size_t end = gate_str_find(wanted, GATE_STR("\n# "), line);
        end = end == SIZE_MAX ? wanted.len : end + 1;
        struct gate_str column = gate_str_copy(arena, gate_str_slice(wanted, at + 2, line - 1));
        struct gate_str section = gate_str_slice(wanted, line, end);
        struct gate_str got = sums_print(path, column.ptr, arena);
        if (!gate_str_equal(got, section))
            fail_msg("%s, %s: got\n%.*sexpected\n%.*s", path, column.ptr, GATE_STR_ARG(got), GATE_STR_ARG(section));
        at = end;
    }
    assert_true(sections >= 4);
}

TEST(sums_are_those_of_the_jdks_own_reader) {
    static const char *const names[] = {"baseline", "async", "chunks"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[300], wanted[300];
        (void)snprintf(path, sizeof path, GATE_SOURCE_DIR "/fixtures/producers/jfr/%s.jfr.gz", names[i]);
        (void)snprintf(wanted, sizeof wanted, GATE_SOURCE_DIR "/fixtures/producers/jfr/%s.sums.txt", names[i]);
        expect_sections(path, read_fixture(wanted, &arena), &arena);
    }
}

/* `jfr summary` has the same start and length. */
TEST(duration_is_from_the_first_chunk_to_the_last) {
    struct gate_profile profile;
    struct gate_str bytes = read_fixture(GATE_SOURCE_DIR "/fixtures/producers/jfr/chunks.jfr.gz", &arena);
    assert_true(gate_profile_load(&profile, bytes, NULL, &arena, &err));
    assert_int_equal(profile.time_ns, 1795651942199078000);
    assert_int_equal(profile.duration_ns, 8245821000);
    assert_int_equal(profile.period, 50000000);
}
