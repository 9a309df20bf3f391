/* SPDX-License-Identifier: Apache-2.0 */
/* Damaged profiles on the hot path: whether the bytes are read in place or rewritten, the error message or the costs
 * are the same. */
#include "drawn_profile.h"

#include "gate/compare/hot_path.h"

enum { ROUNDS = 4000, BYTES_MOST = 1 << 16 };

/* Result of comparing a profile with itself. */
struct outcome {
    struct gate_arena arena;
    struct gate_profile profile;
    struct gate_pair pair;
    struct gate_delta_list deltas;
    struct gate_tree trees[2];
    struct gate_error err;
    bool is_loaded, is_compared;
};

static void outcome_of(struct outcome *out, const char *bytes, size_t len, bool is_rewritten) {
    const struct gate_limits limits = {.depth = 2000};
    const struct gate_pair_options options = {.frames = {.exact_names = true}};
    const struct gate_run_input input = {.path = GATE_STR("run"), .profile = &out->profile};
    const struct gate_run_input *const inputs[GATE_SIDES] = {&input, &input};
    uint8_t *copy = gate_arena_alloc(&out->arena, len + 1);
    assert_non_null(copy);
    memcpy(copy, bytes, len);
    struct gate_str view = {(const char *)copy, len};
    out->is_loaded = is_rewritten ? gate_profile_load_own(&out->profile, copy, len, &limits, &out->arena, &out->err)
                                  : gate_profile_load(&out->profile, view, &limits, &out->arena, &out->err);
    out->is_compared = out->is_loaded && gate_hot_path_costs(&out->pair, &out->deltas, inputs, (const uint32_t[]){1, 1},
                                                             &options, &out->arena, &out->err);
    for (int i = 0; out->is_compared && i < 2; i++)
        assert_true(gate_hot_path_tree(&out->trees[i], &out->pair, &out->deltas,
                                       &(struct gate_tree_options){.inverted = i != 0}, &out->arena, &out->err));
}

static void expect_same_node(const struct gate_tree_node *a, const struct gate_tree_node *b) {
    assert_true(a->frame == b->frame && a->parent == b->parent && a->next_sibling == b->next_sibling);
    assert_memory_equal(a->self, b->self, sizeof a->self);
    assert_memory_equal(a->total, b->total, sizeof a->total);
}

static void expect_same(const struct outcome *a, const struct outcome *b) {
    assert_int_equal(a->is_loaded, b->is_loaded);
    assert_int_equal(a->is_compared, b->is_compared);
    assert_string_equal(a->err.message, b->err.message);
    if (!a->is_compared)
        return;
    assert_int_equal(a->deltas.count, b->deltas.count);
    for (uint32_t i = 0; i < a->deltas.count; i++) {
        assert_true(gate_str_equal(a->pair.frames[i].name, b->pair.frames[i].name));
        assert_memory_equal(a->deltas.items[i].value, b->deltas.items[i].value, sizeof a->deltas.items[i].value);
    }
    for (int i = 0; i < 2; i++) {
        assert_int_equal(a->trees[i].count, b->trees[i].count);
        for (uint32_t n = 0; n < a->trees[i].count; n++)
            expect_same_node(&a->trees[i].nodes[n], &b->trees[i].nodes[n]);
    }
}

/* Change, overwrite, copy or remove some bytes. Returns the new length. */
static size_t damage(struct drawn_profile *d, char *bytes, size_t len) {
    for (uint64_t times = 1 + drawn_next(d, 3); times > 0 && len > 64; times--) {
        size_t at = drawn_next(d, len), run = 1 + drawn_next(d, 24);
        run = run > len - at ? len - at : run;
        switch (drawn_next(d, 6)) {
        case 0:
            bytes[at] = (char)(bytes[at] ^ (1 << drawn_next(d, 8)));
            break;
        case 1:
            bytes[at] = (char)drawn_next(d, 256);
            break;
        case 2:
            bytes[at] = (char)(bytes[at] + (drawn_once_of(d, 2) ? 1 : -1));
            break;
        case 3: /* 0: ids that refer to nothing; 0xFF: varints without an end */
            memset(bytes + at, drawn_once_of(d, 2) ? 0 : 0xFF, drawn_next(d, run));
            break;
        case 4:
            memmove(bytes + at, bytes + drawn_next(d, len - run + 1), run);
            break;
        default:
            memmove(bytes + at, bytes + at + run, len - at - run);
            len -= run;
        }
    }
    return drawn_once_of(d, 20) ? drawn_next(d, len + 1) : len;
}

static void a_damaged_profile_is_the_same_both_ways(void **state) {
    uint32_t compared = 0, refused = 0;
    (void)state;
    for (uint64_t seed = 0; seed < ROUNDS; seed++) {
        static char bytes[BYTES_MOST];
        struct drawn_profile d = {.state = seed << 20, .types = 2, .samples = 12, .stacks = 6, .depth_most = 40};
        struct outcome usual = {.is_loaded = false}, rewritten = {.is_loaded = false};
        struct gate_buf drawn = {0};
        d.locations = d.functions = drawn_once_of(&d, 2) ? 8 : 200; /* ids of one byte or of two */
        d.inlined = 8;
        d.id_bits = drawn_once_of(&d, 3) ? 20 : 0;
        d.is_usual = drawn_once_of(&d, 2);
        d.drops = drawn_once_of(&d, 4);
        drawn_put(&drawn, &d);
        assert_true(drawn.len <= sizeof bytes);
        memcpy(bytes, drawn.ptr, drawn.len);
        size_t len = damage(&d, bytes, drawn.len);
        outcome_of(&usual, bytes, len, false);
        outcome_of(&rewritten, bytes, len, true);
        expect_same(&usual, &rewritten);
        compared += usual.is_compared;
        refused += !usual.is_loaded;
        gate_buf_free(&drawn);
        gate_arena_free(&usual.arena);
        gate_arena_free(&rewritten.arena);
    }
    assert_true(compared > ROUNDS / 10 && refused > ROUNDS / 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_damaged_profile_is_the_same_both_ways),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
