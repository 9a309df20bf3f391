/* SPDX-License-Identifier: Apache-2.0 */
/* Charging the nodes of a call tree: owners, growth, the owner of a library's growth, and the path of the growth. */
#include "gate/base/buf.h"
#include "gate/compare/tree_judge.h"
#include "sweep.h"
#include "tests/unit/pair_fixture.h"

#include <math.h>

/* Frames that begin with "own" are own code. Each side has 1000 samples. own_text grew mostly in lib_copy, and lib_gc
 * has no own-code caller. */
static const char baseline[] = "own_main;own_text;lib_concat;lib_copy 50\n"
                               "own_main;own_text;lib_concat 20\n"
                               "own_main;own_list;lib_copy 100\n"
                               "own_main;lib_serve;own_item 100\n"
                               "own_main 630\n"
                               "lib_gc;lib_mark 100\n";
static const char canary[] = "own_main;own_text;lib_concat;lib_copy 250\n"
                             "own_main;own_text;lib_concat 30\n"
                             "own_main;own_list;lib_copy 110\n"
                             "own_main;lib_serve;own_item 100\n"
                             "own_main 310\n"
                             "lib_gc;lib_mark 200\n";

struct charged {
    struct pair_fixture f;
    struct gate_tree tree;
    struct gate_charge_tree charge;
};

static void begin(struct charged *c, const char *before, const char *after) {
    const struct gate_tree_options all = {.min_share = 0};
    fixture_begin(&c->f);
    fixture_add(&c->f, GATE_BASELINE, before);
    fixture_add(&c->f, GATE_CANARY, after);
    fixture_make(&c->f, NULL);
    for (uint32_t i = 0; i < c->f.pair.frame_count; i++)
        c->f.pair.frames[i].is_own = gate_str_starts(c->f.pair.frames[i].name, GATE_STR("own"));
    assert_true(gate_delta_fold(&c->f.deltas, &c->f.pair, NULL, &c->f.arena, &c->f.err));
    assert_true(gate_tree_merge(&c->tree, &c->f.pair, &c->f.deltas, &all, &c->f.arena, &c->f.err));
    assert_true(gate_charge_tree_make(&c->charge, &c->tree, &c->f.pair, &c->f.arena, &c->f.err));
}

/* Return the node at `path`, such as "own_main;own_text". */
static uint32_t node_at(const struct charged *c, const char *path) {
    struct gate_str left = gate_str_from(path);
    uint32_t node = 0;
    while (left.len > 0) {
        size_t cut = gate_str_find(left, GATE_STR(";"), 0);
        struct gate_str name = gate_str_slice(left, 0, cut);
        left = cut == SIZE_MAX ? GATE_STR("") : gate_str_slice(left, cut + 1, left.len);
        uint32_t child = c->tree.nodes[node].first_child;
        while (child != GATE_NO_INDEX && !gate_str_equal(c->f.pair.frames[c->tree.nodes[child].frame].name, name))
            child = c->tree.nodes[child].next_sibling;
        assert_int_not_equal(child, GATE_NO_INDEX);
        node = child;
    }
    return node;
}

TEST(nodes_belong_to_the_nearest_own_caller) {
    static const char *const rows[][2] = {
        {"own_main;own_text;lib_concat;lib_copy", "own_main;own_text"},
        {"own_main;own_text", "own_main;own_text"},
        {"own_main;lib_serve", "own_main"},
        {"own_main;lib_serve;own_item", "own_main;lib_serve;own_item"},
        {"lib_gc;lib_mark", "lib_gc"}, /* no own code: charged to the root */
    };
    struct charged c;
    begin(&c, baseline, canary);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(c.charge.owner[node_at(&c, rows[i][0])], node_at(&c, rows[i][1]));
    assert_int_equal(c.charge.owner[0], GATE_NO_INDEX);
    fixture_end(&c.f);
}

/* The growth below an owner's node equals the growth of its frame's charged cost (compare/delta.h). */
TEST(growth_adds_up_to_what_is_charged) {
    struct charged c;
    begin(&c, baseline, canary);
    double sum = 0.0;
    for (uint32_t i = 1; i < c.tree.count; i++) {
        sum += c.charge.growth[i];
        if (c.charge.owner[i] != i)
            continue;
        const int64_t *value = c.f.deltas.items[c.tree.nodes[i].frame].value[GATE_CHARGED];
        double charged = gate_share(value[GATE_CANARY], c.f.pair.sides[GATE_CANARY].total) -
                         gate_share(value[GATE_BASELINE], c.f.pair.sides[GATE_BASELINE].total);
        assert_true(fabs(c.charge.beneath[i] - charged) < 1e-12);
    }
    assert_true(fabs(sum) < 1e-12);
    assert_true(fabs(c.charge.beneath[node_at(&c, "own_main;own_text")] - 0.21) < 1e-12);
    assert_true(fabs(c.charge.growth[node_at(&c, "own_main;own_text;lib_concat")] - 0.01) < 1e-12);
    fixture_end(&c.f);
}

TEST(growth_of_a_library_belongs_to_its_caller) {
    static const struct {
        const char *frame;
        enum gate_measure measure;
        const char *owner;
    } rows[] = {
        {"lib_copy", GATE_SELF, "own_text"}, /* .20 is charged to it, .01 to own_list */
        {"lib_concat", GATE_CUMULATIVE, "own_text"},
        {"own_text", GATE_CUMULATIVE, "own_text"},
        {"lib_mark", GATE_SELF, "lib_gc"},
        {"own_main", GATE_CUMULATIVE, "own_text"}, /* it grew most below own_main */
        {"own_main", GATE_SELF, "own_main"},       /* it shrank: no other owner */
        {"lib_serve", GATE_CUMULATIVE, "lib_serve"},
    };
    struct charged c;
    begin(&c, baseline, canary);
    for (size_t round = 0; round < 2; round++) /* the first round must leave the scratch clean */
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            uint32_t owner = gate_charge_tree_owner(&c.charge, fixture_frame(&c.f, rows[i].frame), rows[i].measure);
            assert_int_equal(owner, fixture_frame(&c.f, rows[i].owner));
        }
    fixture_end(&c.f);
}

static void assert_path(struct charged *c, const char *frame, const char *expected) {
    uint32_t path[GATE_CHARGE_PATH_MAX];
    AT_END(gate_buf_free) struct gate_buf text = {0};
    uint32_t count = gate_charge_tree_path(path, &c->charge, fixture_frame(&c->f, frame));
    for (uint32_t i = 0; i < count; i++) {
        gate_buf_text(&text, i == 0 ? "" : ";");
        gate_buf_str(&text, c->f.pair.frames[path[i]].name);
    }
    gate_buf_char(&text, '\0');
    assert_string_equal(text.ptr, expected);
}

TEST(paths_lead_from_the_entry_point_to_the_leaf) {
    struct charged c;
    begin(&c, baseline, canary);
    assert_path(&c, "own_text", "own_main;own_text;lib_concat;lib_copy");
    assert_path(&c, "own_item", "own_main;lib_serve;own_item");
    assert_path(&c, "lib_gc", "lib_gc;lib_mark");
    assert_path(&c, "lib_copy", ""); /* nothing is charged to it */
    fixture_end(&c.f);
}

/* Of 80 frames, the path has 64. */
TEST(the_outermost_frames_of_a_long_path_are_left_out) {
    static const struct {
        const char *frame, *first, *last;
    } rows[] = {{"own_69", "own_06", "own_69"}, {"own_79", "own_16", "own_79"}, {"own_29", "own_00", "lib_63"}};
    AT_END(gate_buf_free) struct gate_buf text = {0};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct charged c;
        uint32_t path[GATE_CHARGE_PATH_MAX];
        text.len = 0;
        for (int k = 0; k < 80; k++)
            gate_buf_printf(&text, "%s%s_%02d", k == 0 ? "" : ";", i == 2 && k >= 30 ? "lib" : "own", k);
        gate_buf_text(&text, " 10\n");
        gate_buf_char(&text, '\0');
        begin(&c, "own_00;own_01 10\n", text.ptr);
        uint32_t count = gate_charge_tree_path(path, &c.charge, fixture_frame(&c.f, rows[i].frame));
        assert_int_equal(count, GATE_CHARGE_PATH_MAX);
        assert_int_equal(path[0], fixture_frame(&c.f, rows[i].first));
        assert_int_equal(path[count - 1], fixture_frame(&c.f, rows[i].last));
        fixture_end(&c.f);
    }
}

/* The path starts at the first own-code frame, because library frames above it only run the program. It ends at lib_x,
 * whose self cost is most of the growth. */
TEST(paths_begin_at_own_code_and_end_at_the_grown_leaf) {
    struct charged c;
    begin(&c,
          "lib_start;lib_serve;own_a;own_b;lib_x;lib_y 10\nlib_start;lib_serve;own_a;own_b;lib_x 10\nlib_start 980\n",
          "lib_start;lib_serve;own_a;own_b;lib_x;lib_y 20\nlib_start;lib_serve;own_a;own_b;lib_x 300\nlib_start 680\n");
    assert_path(&c, "own_b", "own_a;own_b;lib_x");
    fixture_end(&c.f);
}

/* If a function has two callers, the path leads through the one where it grew. */
TEST(paths_follow_the_largest_growth) {
    struct charged c;
    begin(&c, "own_a;own_x;lib_q 100\nown_b;own_x;lib_r 100\nown_main 800\n",
          "own_a;own_x;lib_q 100\nown_b;own_x;lib_r 300\nown_main 600\n");
    assert_path(&c, "own_x", "own_b;own_x;lib_r");
    fixture_end(&c.f);
}

TEST(a_full_arena_is_an_error) {
    struct charged c;
    struct gate_charge_tree charge;
    begin(&c, baseline, canary);
    for (struct sweep s = {0}; sweep_next(&s, 16);)
        s.done = gate_charge_tree_make(&charge, &c.tree, &c.f.pair, &s.arena, &s.err);
    fixture_end(&c.f);
}
