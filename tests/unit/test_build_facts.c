/* SPDX-License-Identifier: Apache-2.0 */
/* guards/build_facts.h: versions and build times in the spellings that services write into profiles. */
#include "gate/formats/format.h"
#include "gate/formats/pprof.h"
#include "gate/guards/build_facts.h"
#include "tests/unit/unit.h"

TEST(times_are_read_in_all_spellings) {
    static const struct {
        const char *text;
        int64_t ns; /* 0: not a time */
    } rows[] = {
        {"1970-01-02", 0}, /* too early: a clock that was never set */
        {"2000-03-01", INT64_C(951868800000000000)},
        {"2024-02-29T12:30:15Z", INT64_C(1709209815000000000)},
        {"2024-02-29 12:30:15", INT64_C(1709209815000000000)},
        {"2024-02-29T12:30:15.987654+02:00", INT64_C(1709202615000000000)},
        {"2024-02-29T12:30:15-0130", INT64_C(1709215215000000000)},
        {"1709209815", INT64_C(1709209815000000000)},
        {"1709209815000", INT64_C(1709209815000000000)},
        {"1709209815000000000", INT64_C(1709209815000000000)},
        {"100000000", INT64_C(100000000000000000)},
        {"099999999", 0},
        {"9223372036854775", INT64_C(9223372036854775000)}, /* the last microsecond that fits */
        {"9223372036854776", 0},
        {"9999999999999999999", 0},
        {"50000000000000000", 0},
        {"2024-13-01", 0},
        {"2024-02-29T12:30", 0},
        {"2024-02-29T12:30:15Z!", 0},
        {"yesterday", 0},
        {"", 0},
        {"12345", 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int64_t ns = 0;
        bool is_time = gate_build_facts_time(&ns, gate_str_from(rows[i].text));
        if (is_time != (rows[i].ns != 0) || (is_time && ns != rows[i].ns))
            fail_msg("%s: %lld", rows[i].text, (long long)ns);
    }
}

TEST(versions_are_ordered_by_their_numbers) {
    static const struct {
        const char *a, *b;
        bool has_order;
        int order;
    } rows[] = {
        {"1.9.0", "1.10.0", true, -1},
        {"v2.0", "1.99.99", true, 1},
        {"1.2", "1.2.0", true, 0},
        {"1.2.3-rc1", "1.2.4", true, -1},
        {"2026.11.20.1", "2026.9.30.7", true, 1},
        {"1.2.3+b1", "1.2.3+b2", true, 0},
        {"9fceb02", "1.2.3", false, 0},
        {"17", "18", false, 0},
        {"1.2.x", "1.2.3", false, 0},
        {"", "1.2", false, 0},
        {"1.9999999999999999", "1.2", false, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int order = 7;
        bool has = gate_build_facts_order(&order, gate_str_from(rows[i].a), gate_str_from(rows[i].b));
        if (has != rows[i].has_order || (has && order != rows[i].order))
            fail_msg("%s, %s: %d", rows[i].a, rows[i].b, order);
    }
}

/* Return the facts of a profile with `count` samples, each with one label, and with `comment` unless it is NULL. */
static struct gate_build_facts facts_of(struct gate_arena *arena, const struct gate_label *labels, uint32_t count,
                                        const char *comment) {
    struct gate_builder builder;
    struct gate_buf bytes = {0};
    struct gate_build_facts facts;
    const struct gate_limits limits = gate_limits_default();
    gate_arena_init(arena, 0);
    struct gate_profile *profile = GATE_NEW_ARRAY(arena, struct gate_profile, 1);
    gate_builder_init(&builder, arena, NULL);
    gate_builder_type(&builder, GATE_STR("samples"), GATE_STR("count"));
    if (comment != NULL)
        gate_builder_comment(&builder, gate_str_from(comment));
    uint64_t location = gate_builder_frame(&builder, GATE_STR("main"), GATE_STR(""), 0);
    for (uint32_t i = 0; i < count || i == 0; i++) {
        const int64_t value = 10;
        const struct gate_builder_sample sample = {&location, 1, &value, count > 0 ? &labels[i] : NULL, count > 0};
        assert_true(gate_builder_sample(&builder, &sample, &err));
    }
    assert_true(gate_builder_write(&bytes, &builder, &err));
    struct gate_str kept = gate_str_copy(arena, gate_buf_view(&bytes));
    assert_true(gate_profile_load(profile, kept, &limits, arena, &err));
    gate_build_facts_read(&facts, profile);
    gate_builder_free(&builder);
    gate_buf_free(&bytes);
    return facts;
}

TEST(build_facts_come_from_labels_and_comments) {
    AT_END(gate_arena_free) struct gate_arena arena;
    const struct gate_label told[] = {{.key = GATE_STR("Service.Version"), .text = GATE_STR("1.4.2")},
                                      {.key = GATE_STR("endpoint"), .text = GATE_STR("/a")},
                                      {.key = GATE_STR("session_id"), .text = GATE_STR("7")},
                                      {.key = GATE_STR("request_started"), .number = 1700000000},
                                      {.key = GATE_STR("build_time"), .number = 1709209815}};
    struct gate_build_facts facts = facts_of(&arena, told, sizeof told / sizeof *told, NULL);
    assert_true(gate_str_equal(facts.version, GATE_STR("1.4.2")));
    assert_int_equal(facts.built_ns, INT64_C(1709209815000000000));
    gate_arena_free(&arena);
    facts = facts_of(&arena, NULL, 0, "vcs.time=2024-02-29T12:30:15Z");
    assert_int_equal(facts.built_ns, INT64_C(1709209815000000000));
    gate_arena_free(&arena);
    facts = facts_of(&arena, NULL, 0, "release: v3.1");
    assert_true(gate_str_equal(facts.version, GATE_STR("v3.1")));
    gate_arena_free(&arena);
    const struct gate_label two[] = {{.key = GATE_STR("version"), .text = GATE_STR("1.1")},
                                     {.key = GATE_STR("version"), .text = GATE_STR("2.0")}};
    facts = facts_of(&arena, two, 2, NULL); /* two versions: they may be of, say, a request's protocol */
    assert_int_equal(facts.version.len, 0);
    gate_arena_free(&arena);
    const struct gate_label times[] = {{.key = GATE_STR("build_time"), .number = 1709209815},
                                       {.key = GATE_STR("build_time"), .number = 1709209816}};
    facts = facts_of(&arena, times, 2, NULL);
    assert_int_equal(facts.built_ns, 0);
}
