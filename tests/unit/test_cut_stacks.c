/* SPDX-License-Identifier: Apache-2.0 */
/* model/incomplete_stacks.h: truncated stacks, complete ones of the depth at which profilers truncate, and roots that
 * were lost. */
#include "gate/model/incomplete_stacks.h"

#include "gate/base/buf.h"
#include "gate/formats/format.h"
#include "gate/names/inspection.h"
#include "tests/unit/profile_fixture.h"

/* Load two short stacks from main, and `deep` stacks of `depth` frames. These begin with `root`, or each with its own
 * frame if `root` is NULL. */
static void load(struct gate_profile *profile, struct gate_arena *arena, unsigned depth, unsigned deep,
                 const char *root) {
    const struct gate_limits limits = gate_limits_default();
    struct gate_buf text = {0};
    gate_arena_init(arena, 0);
    gate_buf_text(&text, "main;serve;parse 300\nmain;serve;encode 300\n");
    for (unsigned s = 0; s < deep; s++) {
        for (unsigned i = 0; i < depth; i++)
            if (i == 0 && root != NULL)
                gate_buf_text(&text, root);
            else
                gate_buf_printf(&text, "%sf%u_%u", i == 0 ? "" : ";", s, i);
        gate_buf_text(&text, " 10\n");
    }
    struct gate_str kept = gate_str_copy(arena, gate_buf_view(&text));
    gate_buf_free(&text);
    if (!gate_profile_load(profile, kept, &limits, arena, &err))
        fail_msg("%s", err.message);
}

TEST(stacks_that_begin_inside_the_program_are_cut) {
    static const struct {
        unsigned depth, deep;
        const char *root;
        uint32_t cut;
    } rows[] = {
        {32, 2, NULL, 2},   {64, 3, NULL, 3},    {127, 2, NULL, 2}, {128, 5, NULL, 5},
        {33, 3, NULL, 0},   {63, 3, NULL, 0},    {64, 1, NULL, 0}, /* a single deep stack is not evidence of cuts */
        {64, 3, "main", 0}, {64, 3, "other", 3}, /* "main" is also the root of a short stack: an entry point, not cut */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        AT_END(gate_arena_free) struct gate_arena arena;
        struct gate_profile profile;
        struct gate_cut_stacks cut;
        struct gate_sample_cursor cursor;
        struct gate_sample sample;
        double value = -1.0;
        load(&profile, &arena, rows[i].depth, rows[i].deep, rows[i].root);
        assert_true(gate_cut_stacks_begin(&cut, &profile, false, &arena, &err));
        gate_sample_begin(&cursor, &profile);
        while (gate_sample_next(&cursor, &sample, &err))
            gate_cut_stacks_add(&cut, sample.stack, (double)sample.values[0]);
        gate_sample_end(&cursor);
        uint32_t limit = 0, count = gate_cut_stacks_count(&cut, &value, &limit);
        if (count != rows[i].cut || value != 10.0 * rows[i].cut || (count > 0 && limit != rows[i].depth))
            fail_msg("row %zu: %u, %g, %u", i, count, value, limit);
    }
}

/* Add a stack that begins in main.leaf: `inlined` locations of two frames, and others of one. */
static void put_deep(struct gate_buf *out, uint64_t inlined, uint64_t plain) {
    struct gate_buf message = {0};
    uint64_t ids[256];
    for (uint64_t i = 0; i < inlined + plain; i++)
        ids[i] = i < inlined ? 3 : 2;
    put_packed(&message, 1, ids, inlined + plain);
    PACKED(&message, 2, 1, 10);
    put_message(out, 2, &message);
}

/* Go counts inlined frames, and may add those of the outermost location beyond its limit. */
TEST(inlined_frames_count) {
    static const struct {
        uint64_t plain[2]; /* locations of one frame in two stacks, besides four of two frames */
        uint32_t cut, limit;
        bool counts_inlined;
    } rows[] = {{{56, 56}, 2, 64, true},    {{56, 59}, 2, 64, true}, {{56, 70}, 0, 0, true},   {{55, 55}, 0, 0, true},
                {{120, 120}, 2, 128, true}, {{56, 56}, 0, 0, false}, {{28, 28}, 2, 32, false}, {{28, 30}, 0, 0, true}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        AT_END(gate_arena_free) struct gate_arena own = {0};
        AT_END(gate_buf_free) struct gate_buf bytes = {0};
        struct gate_buf location = {0};
        struct gate_profile profile;
        struct gate_cut_stacks cut;
        struct gate_sample_cursor cursor;
        struct gate_sample sample;
        double value = -1.0;
        uint32_t limit = 0;
        put_types(&bytes);
        put_sample(&bytes, 2, 1, 3, 30); /* from main.main */
        put_deep(&bytes, 4, rows[i].plain[0]);
        put_deep(&bytes, 4, rows[i].plain[1]);
        put_tables(&bytes);
        gate_wire_put_number(&location, 1, 3);
        PUT(&location, 4, {1, 2}, {2, 10});
        PUT(&location, 4, {1, 1}, {2, 20});
        put_message(&bytes, 4, &location);
        expect_load(&profile, &bytes, &own);
        assert_true(gate_cut_stacks_begin(&cut, &profile, rows[i].counts_inlined, &own, &err));
        gate_sample_begin(&cursor, &profile);
        while (gate_sample_next(&cursor, &sample, &err))
            gate_cut_stacks_add(&cut, sample.stack, (double)sample.values[1]);
        gate_sample_end(&cursor);
        uint32_t count = gate_cut_stacks_count(&cut, &value, &limit);
        if (count != rows[i].cut || value != 10.0 * rows[i].cut || (count > 0 && limit != rows[i].limit))
            fail_msg("row %zu: %u, %g, %u", i, count, value, limit);
    }
}

static uint64_t oddity(const struct gate_inspection *inspection, const char *code) {
    for (uint32_t i = 0; i < inspection->oddity_count; i++)
        if (strcmp(inspection->oddities[i].code, code) == 0)
            return inspection->oddities[i].count;
    return 0;
}

/* `inspect` reports truncated stacks by the same rule. */
TEST(inspect_reports_cut_stacks) {
    static const char *const roots[] = {NULL, "main"};
    for (size_t i = 0; i < 2; i++) {
        AT_END(gate_arena_free) struct gate_arena arena;
        struct gate_profile profile;
        struct gate_inspection inspection;
        load(&profile, &arena, 64, 3, roots[i]);
        assert_true(gate_profile_inspect(&inspection, &profile, &(struct gate_counts_options){0}, &arena, &err));
        assert_int_equal(oddity(&inspection, "cut-at-64"), i == 0 ? 3 : 0);
        assert_int_equal(oddity(&inspection, "cut-at-128"), 0);
    }
}

/* The root may be a frame for the process, so that its callee is looked at, too, unless that is the leaf. */
TEST(stacks_that_begin_at_an_unknown_frame_are_lost) {
    static const struct {
        const char *stack;
        enum gate_unwinding expected;
    } rows[] = {
        {"main;serve;parse 3\n", GATE_UNWINDING_WHOLE},       {"[unknown];serve;parse 3\n", GATE_UNWINDING_LOST},
        {"<unknown>;serve;parse 3\n", GATE_UNWINDING_LOST},   {"??;parse 3\n", GATE_UNWINDING_LOST},
        {"unknown;parse 3\n", GATE_UNWINDING_LOST},           {"unknown_order;parse 3\n", GATE_UNWINDING_WHOLE},
        {"shop;[unknown];parse 3\n", GATE_UNWINDING_LOST},    {"shop;[unknown] 3\n", GATE_UNWINDING_WHOLE},
        {"shop;serve;[unknown];f 3\n", GATE_UNWINDING_WHOLE}, {"shop;[unknown];serve;f 3\n", GATE_UNWINDING_LOST},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct gate_profile profile;
        struct gate_sample_cursor cursor;
        struct gate_sample sample;
        if (!gate_profile_load(&profile, gate_str_from(rows[i].stack), NULL, &arena, &err))
            fail_msg("%s%s", rows[i].stack, err.message);
        gate_sample_begin(&cursor, &profile);
        assert_true(gate_sample_next(&cursor, &sample, &err));
        if (gate_unwinding_look(&profile, sample.stack) != rows[i].expected)
            fail_msg("%s", rows[i].stack);
        gate_sample_end(&cursor);
    }
}
