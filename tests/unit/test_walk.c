/* SPDX-License-Identifier: Apache-2.0 */
/* compare/walk.h: walking a stack frame by frame, from either end, gives the frames of gate_walk_frames. */
#include "tests/unit/pair_fixture.h"

#include "gate/base/hash.h"
#include "gate/compare/walk.h"

static const char stacks[] = "main;serve;parse;alloc 3\nmain;serve;serve;encode;alloc 4\nmain 2\nmain;idle 5\n"
                             "main;a/x.f;a/x.g;b/y.h 2\nmain;serve;parse 1\nmain;a/x.f;runtime.asyncPreempt 1\n";

/* A few at a time. */
static void check_some(const struct gate_run *run, const struct gate_stack *stack, bool from_leaf,
                       const uint32_t *frames, uint32_t count, uint32_t most) {
    uint32_t scratch[64], some[5], taken = most, at = 0;
    struct gate_walk_rest rest;
    gate_walk_begin(&rest, run, stack, from_leaf, scratch);
    while (taken == most) {
        taken = gate_walk_take_some(&rest, run, from_leaf, at == 0 ? GATE_NO_INDEX : some[most - 1], some, most);
        assert_true(taken <= most && at + taken <= count);
        for (uint32_t i = 0; i < taken; i++, at++)
            assert_int_equal(some[i], frames[from_leaf ? at : count - 1 - at]);
    }
    assert_int_equal(at, count);
}

static void check_stack(const struct gate_run *run, const struct gate_stack *stack) {
    uint32_t frames[64], scratch[64];
    uint32_t count = gate_walk_frames(run, stack, frames);
    for (int from_leaf = 0; from_leaf < 2; from_leaf++) {
        struct gate_walk_rest rest;
        uint32_t last = GATE_NO_INDEX;
        gate_walk_begin(&rest, run, stack, from_leaf, scratch);
        for (uint32_t i = 0; i < count; i++) {
            last = gate_walk_take(&rest, run, from_leaf, last);
            assert_int_equal(last, frames[from_leaf ? i : count - 1 - i]);
        }
        for (int again = 0; again < 2; again++)
            assert_int_equal(gate_walk_take(&rest, run, from_leaf, last), GATE_NO_INDEX);
        for (uint32_t most = 1; most <= 5; most++)
            check_some(run, stack, from_leaf, frames, count, most);
    }
}

static void check_all(const struct gate_run *run) {
    for (uint32_t s = 0; s < run->stacks.count; s++) {
        const struct gate_stack stack = gate_stacks_at(&run->stacks, s);
        check_stack(run, &stack);
    }
}

TEST(a_walk_in_parts_gives_the_frames_of_the_whole_stack) {
    static const enum gate_granularity granularities[] = {GATE_BY_FUNCTION, GATE_BY_PACKAGE};
    for (size_t i = 0; i < 2; i++) {
        struct gate_pair_options options = {.frames.granularity = granularities[i]};
        AT_END(fixture_end) struct pair_fixture f = {0};
        fixture_add(&f, GATE_BASELINE, stacks);
        fixture_add(&f, GATE_CANARY, stacks);
        fixture_make(&f, &options);
        struct gate_run run = f.pair.sides[GATE_BASELINE].runs[0];
        assert_int_equal(run.joins_equal, granularities[i] == GATE_BY_PACKAGE);
        assert_int_equal(run.frame_of_id == NULL, granularities[i] == GATE_BY_PACKAGE);
        check_all(&run);
        run.frame_of_id = NULL; /* slower and no less right */
        check_all(&run);
    }
}

/* ---- locations of any number of frames, skid among them ---------------------------------------------------------- */

enum { DRAWS = 4000, LOCATIONS = 12, LOCATION_FRAMES = 3, FRAMES = 5, DEPTH = 9, LARGEST_ID = 400, STACK_BYTES = 64 };

struct drawn {
    struct gate_profile profile;
    struct gate_run run;
    struct gate_stack stack;
    uint32_t ids[LOCATIONS], dense[LARGEST_ID + 1], frame_of[LOCATIONS + 1], lists[LOCATIONS * (LOCATION_FRAMES + 1)];
    uint8_t prune[LOCATIONS], skid[FRAMES], bytes[STACK_BYTES];
};

static uint32_t draw(uint64_t *seed, uint32_t below) {
    return (uint32_t)(gate_hash_mix((*seed)++) % below);
}

static void draw_locations(struct drawn *d, uint64_t *seed, bool in_order) {
    uint32_t count = 0, least_frames = draw(seed, 2);
    memset(d->dense, 0xFF, sizeof d->dense);
    for (uint32_t i = 0; i < LOCATIONS; i++) {
        d->ids[i] = in_order ? i + 1 : 1 + i * 33 + draw(seed, 33); /* of one byte and of two */
        d->dense[d->ids[i]] = i;
        d->prune[i] = draw(seed, 4) == 0 ? GATE_PRUNE_WHOLE : draw(seed, 6) == 0 ? GATE_PRUNE_BENEATH : GATE_PRUNE_KEEP;
        uint32_t frames = least_frames + draw(seed, LOCATION_FRAMES), *list = &d->lists[count];
        list[0] = frames;
        for (uint32_t f = 1; f <= frames; f++)
            list[f] = draw(seed, FRAMES);
        d->frame_of[i + 1] = frames == 1 ? list[1] : GATE_FRAME_LIST | count;
        count += frames == 1 ? 0 : frames + 1;
    }
    for (uint32_t i = 0; i < FRAMES; i++)
        d->skid[i] = draw(seed, 3) == 0;
}

static void draw_stack(struct drawn *d, uint64_t *seed) {
    uint32_t len = 0;
    for (uint32_t depth = draw(seed, DEPTH); depth > 0; depth--) {
        uint32_t id = d->ids[draw(seed, LOCATIONS)];
        if (id >= 0x80)
            d->bytes[len++] = (uint8_t)(0x80 | (id & 0x7F));
        d->bytes[len++] = (uint8_t)(id >= 0x80 ? id >> 7 : id);
    }
    d->stack.ref = (struct gate_stack_ref){d->bytes, len};
}

TEST(any_locations_have_the_frames_of_the_whole) {
    uint32_t with_table = 0;
    for (uint64_t seed = 0, at = 0; seed < DRAWS; seed++, at = seed << 20) {
        struct drawn d = {.run.joins_equal = draw(&at, 4) == 0};
        bool in_order = draw(&at, 3) == 0;
        draw_locations(&d, &at, in_order);
        draw_stack(&d, &at);
        d.profile.location_index = in_order ? (struct gate_id_index){.in_order = LOCATIONS}
                                            : (struct gate_id_index){.dense = d.dense, .dense_count = LARGEST_ID + 1};
        d.profile.location_count = LOCATIONS;
        d.run.input.profile = &d.profile;
        d.run.frame_of = d.frame_of + 1;
        d.run.frame_lists = d.lists;
        d.run.prune = draw(&at, 3) == 0 ? d.prune : NULL;
        d.run.skid = draw(&at, 4) == 0 ? NULL : d.skid;
        assert_true(gate_walk_prepare(&d.run, &arena, &err));
        with_table += d.run.frame_of_id != NULL;
        check_stack(&d.run, &d.stack);
        d.run.frame_of_id = NULL;
        check_stack(&d.run, &d.stack);
    }
    assert_in_range(with_table, DRAWS / 3, 2 * DRAWS / 3);
}
