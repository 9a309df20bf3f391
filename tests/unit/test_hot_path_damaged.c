/* SPDX-License-Identifier: Apache-2.0 */
/* Damaged profiles on the hot path: they are refused with a message, or their costs add up. */
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

static void outcome_of(struct outcome *out, const char *bytes, size_t len) {
    const struct gate_limits limits = {.depth = 2000};
    const struct gate_pair_options options = {.frames = {.exact_names = true}};
    const struct gate_run_input input = {.path = GATE_STR("run"), .profile = &out->profile};
    const struct gate_run_input *const inputs[GATE_SIDES] = {&input, &input};
    char *copy = gate_arena_alloc(&out->arena, len + 1); /* exact size, so that sanitizers detect reads past the end */
    assert_non_null(copy);
    memcpy(copy, bytes, len);
    out->is_loaded = gate_profile_load(&out->profile, (struct gate_str){copy, len}, &limits, &out->arena, &out->err);
    out->is_compared = out->is_loaded && gate_hot_path_costs(&out->pair, &out->deltas, inputs, (const uint32_t[]){1, 1},
                                                             &options, &out->arena, &out->err);
    for (int i = 0; out->is_compared && i < 2; i++)
        assert_true(gate_tree_merge(&out->trees[i], &out->pair, &out->deltas,
                                    &(struct gate_tree_options){.inverted = i != 0}, &out->arena, &out->err));
}

/* Both sides are one profile: each frame costs the same on both, and the nodes of a tree add up to the total. */
static void expect_sums(const struct outcome *out) {
    const struct gate_side *sides = out->pair.sides;
    assert_true(sides[GATE_BASELINE].total == sides[GATE_CANARY].total);
    for (uint32_t i = 0; i < out->deltas.count; i++) {
        const struct gate_delta *delta = &out->deltas.items[i];
        for (int measure = 0; measure < GATE_MEASURES; measure++)
            assert_true(delta->value[measure][GATE_BASELINE] == delta->value[measure][GATE_CANARY]);
    }
    for (int i = 0; i < 2; i++) {
        const struct gate_tree *tree = &out->trees[i];
        int64_t of_nodes = 0;
        assert_true(tree->nodes[0].total[GATE_BASELINE] == sides[GATE_BASELINE].total);
        for (uint32_t n = 0; n < tree->count; n++)
            of_nodes += tree->nodes[n].self[GATE_BASELINE];
        assert_true(of_nodes == sides[GATE_BASELINE].total);
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

TEST(a_damaged_profile_is_refused_or_adds_up) {
    uint32_t compared = 0, refused = 0;
    for (uint64_t seed = 0; seed < ROUNDS; seed++) {
        static char bytes[BYTES_MOST];
        struct drawn_profile d = {.state = seed << 20, .types = 2, .samples = 12, .stacks = 6, .depth_most = 40};
        struct outcome outcome = {.is_loaded = false};
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
        outcome_of(&outcome, bytes, len);
        if (outcome.is_compared)
            expect_sums(&outcome);
        else
            assert_true(outcome.err.code != GATE_OK && outcome.err.message[0] != '\0');
        compared += outcome.is_compared;
        refused += !outcome.is_loaded;
        gate_buf_free(&drawn);
        gate_arena_free(&outcome.arena);
    }
    assert_true(compared > ROUNDS / 10 && refused > ROUNDS / 10);
}
