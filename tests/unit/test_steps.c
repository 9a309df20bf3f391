/* SPDX-License-Identifier: Apache-2.0 */
/* model/limits.h: each kind of work counts the steps in its row, exactly; or an upper bound of them, if the bound is
 * small. */
#include "gate/formats/format.h"
#include "gate/formats/pprof.h"
#include "gate/model/limits.h"
#include "tests/unit/unit.h"

/* A profile with `samples` different stacks. Each has `depth` times one location, with `lines` calls of one function
 * each. Name and file of the function have that many bytes. */
struct shape {
    uint32_t samples, depth, lines, name_bytes, file_bytes;
};

static void profile_make(struct gate_profile *out, const struct shape *shape, struct gate_arena *arena) {
    static char text[4096];
    struct gate_builder builder;
    struct gate_buf bytes = {0};
    struct gate_builder_line lines[64];
    uint64_t stack[64];
    memset(text, 'f', sizeof text);
    gate_builder_init(&builder, arena, NULL);
    gate_builder_type(&builder, GATE_STR("cpu"), GATE_STR("nanoseconds"));
    const struct gate_function function = {.name = {text, shape->name_bytes}, .file = {text, shape->file_bytes}};
    for (uint32_t i = 0; i < shape->lines; i++)
        lines[i] = (struct gate_builder_line){gate_builder_function(&builder, &function), i + 1, 0};
    uint64_t location = gate_builder_location(&builder, 0, 0, lines, shape->lines);
    for (uint32_t i = 0; i < shape->depth; i++)
        stack[i] = location;
    for (uint32_t i = 0; i < shape->samples; i++) {
        struct gate_label label = {.key = GATE_STR("n"), .number = i + 1, .unit = GATE_STR("")};
        const struct gate_builder_sample sample = {.locations = stack,
                                                   .depth = i == 0 ? shape->depth : 1,
                                                   .labels = &label,
                                                   .label_count = 1,
                                                   .values = (const int64_t[]){1}};
        assert_true(gate_builder_sample(&builder, &sample, &err));
    }
    assert_true(gate_builder_write(&bytes, &builder, &err));
    gate_builder_free(&builder);
    struct gate_str kept = gate_str_copy(arena, gate_buf_view(&bytes));
    gate_buf_free(&bytes);
    assert_true(gate_profile_load(out, kept, NULL, arena, &err));
}

static uint64_t steps(const struct shape *shape, uint64_t roughly) {
    struct gate_arena arena = {0};
    struct gate_profile profile;
    profile_make(&profile, shape, &arena);
    uint64_t found = gate_steps_of(&profile, roughly);
    gate_arena_free(&arena);
    return found;
}

TEST(frames_and_names_are_counted) {
    static const struct {
        struct shape shape;
        uint64_t steps;
    } rows[] = {
        {{1, 1, 1, 1, 0}, 8 + 1 + 8},                /* a sample, a frame, a byte of a name */
        {{1, 7, 1, 1, 0}, 8 + 7 + 8},                /* depth */
        {{1, 7, 5, 1, 0}, 8 + 35 + 8},               /* inlined calls */
        {{10, 7, 5, 1, 0}, 80 + 35 + 9 * 5 + 8},     /* samples */
        {{1, 1, 1, 1000, 0}, 8 + 1 + 8000 + 31},     /* a name, and its references */
        {{1, 1, 40, 1000, 0}, 8 + 40 + 8000 + 1250}, /* by every line */
        {{1, 1, 1, 1, 300}, 8 + 1 + 8 + 600},        /* a file */
        {{1, 16, 32, 1, 0}, 8 + 512 + 8 + 1},        /* a deep stack: the names of its lines have 32 bytes */
        {{1, 27, 19, 1, 0}, 8 + 513 + 9 + 8},        /* and one frame more */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(steps(&rows[i].shape, 0), rows[i].steps);
}

/* If the deepest stack times the number of samples is few steps, that bound is used and no stack is walked. The bound
 * is never below the exact number. */
TEST(a_small_upper_bound_of_steps_replaces_counting) {
    const struct shape shape = {10, 10, 40, 1, 0};
    uint64_t names = 8 + 1, exact = 80 + 400 + 9 * 40 + names, most = 10 * (8 + 400);
    assert_int_equal(steps(&shape, 0), exact);
    assert_int_equal(steps(&shape, most - 1), exact);
    assert_int_equal(steps(&shape, most), most + names);
    assert_int_equal(steps(&shape, UINT64_MAX), most + names);
}

/* A location without a line is one frame. An empty profile needs no steps. */
TEST(a_location_without_lines_counts_as_one_frame) {
    assert_int_equal(steps(&(struct shape){1, 9, 0, 0, 0}, 0), 8 + 9);
    assert_int_equal(steps(&(struct shape){0, 0, 1, 0, 0}, 0), 0);
}

TEST(patterns_are_searched_for_in_each_name) {
    struct gate_profile profile;
    struct gate_steps without = {0}, with = {.patterns = 1000};
    profile_make(&profile, &(struct shape){1, 1, 1, 160, 0}, &arena);
    gate_steps_add(&without, &profile, 100);
    gate_steps_add(&with, &profile, 100);
    assert_int_equal(with.needed - without.needed, 1000 * (16 + 10));
    with.patterns = UINT64_MAX;
    gate_steps_add(&with, &profile, 100);
    assert_true(with.needed == UINT64_MAX);
}

TEST(functions_and_locations_of_other_formats_are_charged) {
    struct gate_profile profile;
    profile_make(&profile, &(struct shape){1, 7, 5, 1, 0}, &arena);
    uint64_t of_pprof = gate_steps_of(&profile, 0);
    profile.format = GATE_FORMAT_COLLAPSED;
    assert_int_equal(gate_steps_of(&profile, 0) - of_pprof, 120 + 100);
}

/* Limits of a profile that is loaded alone: the given limits, else those of its size. Memory that the pool holds does
 * not count. */
TEST(a_single_profile_is_refused_over_its_step_or_memory_limit) {
    static const struct {
        struct gate_limits limits;
        const char *refusal; /* NULL: none */
    } rows[] = {{{0}, NULL},
                {{.steps = 466}, NULL},
                {{.steps = 465}, "--max-steps"},
                {{.memory_bytes = 1 << 20}, NULL},
                {{.memory_bytes = 100}, "--max-memory"}};
    static const size_t limits_before[] = {0, (size_t)1 << 31};
    const size_t held = (size_t)GATE_LIMITS_MEMORY_LEAST * 2;
    for (size_t i = 0; i < 2 * sizeof rows / sizeof *rows; i++) {
        struct gate_arena_pool pool = {.limit_bytes = limits_before[i % 2]};
        struct gate_arena arena = {.pool = &pool};
        struct gate_profile profile;
        struct gate_error err = {0};
        const char *refusal = rows[i / 2].refusal;
        assert_true(gate_arena_pool_take(&pool, held));
        bool ok = gate_profile_load_alone(&profile, GATE_STR("a;f 1\n"), &rows[i / 2].limits, &arena, &err);
        if (ok != (refusal == NULL))
            fail_msg("row %zu: %s", i, err.message);
        if (refusal != NULL)
            assert_non_null(strstr(err.message, refusal));
        assert_int_equal(pool.limit_bytes, limits_before[i % 2]);
        gate_arena_free(&arena);
        assert_int_equal(pool.used_bytes, held);
    }
}

TEST(the_memory_of_a_run_follows_the_size_of_its_inputs) {
    const size_t most = gate_limits_default().memory_bytes;
    assert_int_equal(gate_limits_memory_of(0), GATE_LIMITS_MEMORY_LEAST);
    assert_int_equal(gate_limits_memory_of(10000000), 10000000 * (size_t)GATE_LIMITS_MEMORY_RATIO);
    assert_int_equal(gate_limits_memory_of(most / GATE_LIMITS_MEMORY_RATIO + 1), most);
    assert_int_equal(gate_limits_memory_of(SIZE_MAX), most);
}

/* A run may take a number of steps per byte of input, and a minimum for small inputs. --max-steps overrides both. */
TEST(the_step_limit_is_in_proportion_to_the_input) {
    struct gate_limits limits = gate_limits_default();
    struct gate_steps small = {GATE_LIMITS_STEPS_LEAST, 100, 0},
                      large = {UINT64_C(10000000) * GATE_LIMITS_STEPS_RATIO, 10000000, 0};
    assert_true(gate_steps_check(&small, &limits, &err) && gate_steps_check(&large, &limits, &err));
    small.needed++;
    large.needed++;
    assert_false(gate_steps_check(&small, &limits, &err));
    assert_int_equal(err.code, GATE_ERR_LIMIT);
    assert_non_null(strstr(err.message, "--max-steps"));
    assert_false(gate_steps_check(&large, &limits, &err));
    limits.steps = large.needed;
    assert_true(gate_steps_check(&large, &limits, &err));
    assert_int_equal(gate_steps_most(&small, &limits), limits.steps);
    const struct gate_steps huge = {UINT64_MAX, UINT64_MAX, 0};
    limits.steps = 0;
    assert_int_equal(gate_steps_most(&huge, &limits), UINT64_MAX);
}
