/* SPDX-License-Identifier: Apache-2.0 */
/* The hot path against a slow reference. For random profiles, loaded in every way, the cost of each frame, run and tree
 * node equals the result of plain loops over the samples. */
#include "drawn_profile.h"
#include "plain_reference.h"

#include "gate/formats/deflate.h"
#include "gate/formats/format.h"

#include <unistd.h>

enum loading { IN_PLACE, INFLATED, INFLATED_OVER_ITSELF, LOADINGS };

/* Size of a round. */
struct size {
    uint32_t samples, stacks, depth_most, locations, functions, runs_most;
    double min_share; /* pruning limit of the trees */
};

struct hot_path_round {
    struct gate_arena arena;
    struct drawn_profile drawn;
    struct gate_buf raw[GATE_SIDES * 3];
    struct gate_profile profiles[GATE_SIDES * 3];
    struct gate_run_input inputs[GATE_SIDES][3];
    uint32_t counts[GATE_SIDES], run_count, first_loading;
    struct gate_label_match match;
    struct gate_pair_options options;
    struct gate_regex *ignored;
    const struct gate_regex *ignore[1];
    struct gate_pair pair;
    struct gate_delta_list deltas;
    struct plain plain;
    uint32_t inflated_over; /* profiles that were decompressed over themselves */
    bool is_comparable;
};

/* Results of several rounds. */
struct tally {
    uint32_t rounds, comparable, inflated_over;
};

/* ---- drawing and loading ----------------------------------------------------------------------------------------- */

/* Load a gzip file by decompressing it over itself. Returns false if it must be loaded the usual way instead. */
static bool load_file(struct gate_profile *out, const struct gate_buf *packed, struct gate_arena *arena) {
    char path[] = "/tmp/pprofgate-hot-path-XXXXXX";
    int descriptor = mkstemp(path);
    struct gate_packed_file file;
    assert_true(descriptor >= 0 && write(descriptor, packed->ptr, packed->len) == (ssize_t)packed->len);
    assert_int_equal(close(descriptor), 0);
    bool is_read = gate_packed_file_read(&file, gate_str_from(path), NULL, arena);
    assert_int_equal(unlink(path), 0);
    return is_read && gate_packed_file_load(out, &file, NULL, arena, arena);
}

/* Load a profile in the given way. Returns whether it was decompressed over itself. */
static bool load(struct gate_profile *out, const struct gate_buf *raw, enum loading loading, struct gate_arena *arena) {
    struct gate_buf packed = {0};
    bool ok = true;
    if (loading >= INFLATED)
        assert_true(gate_container_write(&packed, gate_buf_view(raw), GATE_CONTAINER_GZIP, &err));
    if (loading == IN_PLACE) { /* exact size, so that sanitizers detect reads past the end */
        uint8_t *copy = gate_arena_alloc(arena, raw->len);
        assert_non_null(copy);
        memcpy(copy, raw->ptr, raw->len);
        ok = gate_profile_load(out, (struct gate_str){(const char *)copy, raw->len}, NULL, arena, &err);
    }
    bool is_loaded = loading == INFLATED_OVER_ITSELF && load_file(out, &packed, arena);
    if (loading >= INFLATED && !is_loaded)
        ok = gate_profile_load(out, gate_buf_view(&packed), NULL, arena, &err);
    gate_buf_free(&packed);
    if (!ok)
        fail_msg("%s", err.message);
    return is_loaded;
}

static void draw_run(struct hot_path_round *round, const struct size *size, enum gate_side_name side, bool is_large) {
    struct drawn_profile *d = &round->drawn;
    uint32_t index = round->run_count++;
    d->samples = is_large ? size->samples : (uint32_t)drawn_next(d, size->samples + 1);
    d->id_bits = drawn_once_of(d, 2) ? 0 : 8 + (unsigned)drawn_next(d, 27);
    d->is_shuffled = drawn_once_of(d, 2);
    d->is_coarse = drawn_once_of(d, is_large ? 2 : 4);
    d->drops = drawn_once_of(d, 4);
    d->is_usual = drawn_once_of(d, 2);
    drawn_put(&round->raw[index], d);
    struct gate_profile *profile = &round->profiles[index];
    enum loading loading =
        (enum loading)(is_large ? (round->first_loading + index) % LOADINGS : drawn_next(d, INFLATED_OVER_ITSELF));
    round->inflated_over += load(profile, &round->raw[index], loading, &round->arena);
    round->inputs[side][round->counts[side]++] = (struct gate_run_input){.path = GATE_STR("run"), .profile = profile};
}

static void draw_options(struct hot_path_round *round, bool is_large) {
    struct drawn_profile *d = &round->drawn;
    struct gate_pair_options *options = &round->options;
    const struct gate_str types[DRAWN_KINDS] = {GATE_STR("samples"), GATE_STR("cpu"), GATE_STR("space"),
                                                GATE_STR("delay")};
    static const enum gate_granularity granularities[] = {GATE_BY_FUNCTION, GATE_BY_FUNCTION, GATE_BY_FILE,
                                                          GATE_BY_LINE};
    options->sample_type = drawn_once_of(d, 4) ? GATE_STR("") : types[is_large ? 1 : drawn_next(d, d->types)];
    options->frames.granularity = granularities[drawn_next(d, is_large ? 3 : 4)];
    options->frames.exact_names = drawn_once_of(d, 2);
    round->match = (struct gate_label_match){GATE_STR("label0"), GATE_STR("label2")};
    if (drawn_once_of(d, 6))
        options->where = (struct gate_label_filter){&round->match, 1};
    options->is_part = drawn_once_of(d, 2);
    assert_true(gate_regex_compile(&round->ignored, GATE_STR("^" PLAIN_IGNORED "$"), &err));
    round->ignore[0] = round->ignored;
    options->frames.ignore = round->ignore;
    options->frames.ignore_count = drawn_once_of(d, 3);
}

static void draw(struct hot_path_round *round, const struct size *size, uint64_t seed) {
    struct drawn_profile *d = &round->drawn;
    bool is_large = size->samples > 4096;
    round->first_loading = (uint32_t)seed;
    *d = (struct drawn_profile){.state = seed << 32, .stacks = size->stacks, .locations = size->locations};
    d->depth_most = size->depth_most;
    d->functions = size->functions;
    d->types = is_large ? 2 : 1 + (uint32_t)drawn_next(d, DRAWN_KINDS);
    d->inlined = drawn_once_of(d, 3) ? 1000 : 8;
    d->negative = drawn_once_of(d, 12) ? 60 : 0;
    draw_options(round, is_large);
    for (int side = 0; side < GATE_SIDES; side++)
        for (uint64_t runs = 1 + drawn_next(d, size->runs_most); runs > 0; runs--)
            draw_run(round, size, (enum gate_side_name)side, is_large);
}

/* ---- hot path and plain loops ------------------------------------------------------------------------------------ */

static void go_the_hot_path(struct hot_path_round *round) {
    const struct gate_run_input *const inputs[GATE_SIDES] = {round->inputs[0], round->inputs[1]};
    struct gate_error err = {0};
    round->is_comparable =
        gate_hot_path_costs(&round->pair, &round->deltas, inputs, round->counts, &round->options, &round->arena, &err);
    assert_int_equal(err.code, round->is_comparable ? GATE_OK : GATE_ERR_INPUT);
}

/* Compute the same by plain loops. How a run's events are counted, and in which unit, is taken from the hot path. */
static void go_the_plain_way(struct hot_path_round *round) {
    struct plain *p = &round->plain;
    uint32_t index = 0;
    p->options = &round->options;
    for (int side = 0; side < GATE_SIDES; side++)
        for (uint32_t r = 0; r < round->counts[side]; r++) {
            const struct gate_run *run = &round->pair.sides[side].runs[r];
            struct gate_str unit = run->input.profile->sample_types[run->counts.value_column].unit;
            bool is_time = gate_str_equal(unit, GATE_STR("microseconds"));
            plain_add(p, (enum gate_side_name)side, gate_buf_view(&round->raw[index++]), &run->counts,
                      is_time && gate_str_equal(round->pair.type.unit, GATE_STR("nanoseconds")) ? 1000 : 1);
        }
}

static uint32_t name_of(struct hot_path_round *round, uint32_t frame) {
    char text[200];
    uint32_t known = round->plain.name_count;
    if (frame == GATE_NO_INDEX)
        return GATE_NO_INDEX;
    (void)snprintf(text, sizeof text, "%.*s", GATE_STR_ARG(round->pair.frames[frame].name));
    uint32_t name = plain_name(&round->plain, text);
    assert_true(name < known);
    return name;
}

static void expect_near(double a, double b) {
    double difference = a > b ? a - b : b - a, size = a > b ? a : b;
    assert_true(difference <= size * 1e-9);
}

/* ---- comparison of both results ---------------------------------------------------------------------------------- */

static void expect_same_totals(const struct hot_path_round *round) {
    uint32_t index = 0;
    for (int side = 0; side < GATE_SIDES; side++) {
        double events = 0.0;
        assert_int_equal(round->pair.sides[side].total, round->plain.totals[side]);
        for (uint32_t r = 0; r < round->counts[side]; r++, index++) {
            const struct gate_run *run = &round->pair.sides[side].runs[r];
            const struct plain_run *plain = round->plain.runs[index];
            assert_int_equal(run->total, plain->total);
            assert_int_equal(run->stacks.record_count, plain->count);
            expect_near(run->events, plain_events(plain));
            events += plain_events(plain);
        }
        expect_near(round->pair.sides[side].events, events);
    }
}

static void expect_same_frame(const struct hot_path_round *round, uint32_t frame, uint32_t name) {
    for (int measure = 0; measure < GATE_MEASURES; measure++) {
        int64_t sides[GATE_SIDES] = {0};
        for (uint32_t r = 0; r < round->run_count; r++) {
            const struct plain_sums *sums = &round->plain.runs[r]->sums[name];
            const struct gate_tally *tally = gate_tally_at(&round->deltas, (enum gate_measure)measure, r, frame);
            assert_int_equal(tally->value, sums->value[measure]);
            expect_near(tally->weight_sq, sums->weight_sq[measure]);
            sides[round->plain.runs[r]->side] += sums->value[measure];
        }
        assert_memory_equal(round->deltas.items[frame].value[measure], sides, sizeof sides);
    }
}

/* Each name that a sample contains is exactly one frame. */
static void expect_same_costs(struct hot_path_round *round) {
    bool is_frame[PLAIN_NAMES_MOST] = {false};
    assert_int_equal(round->deltas.count, round->pair.frame_count);
    assert_int_equal(round->deltas.run_count, round->run_count);
    for (uint32_t i = 0; i < round->pair.frame_count; i++) {
        uint32_t name = name_of(round, i);
        assert_false(is_frame[name]);
        is_frame[name] = true;
        expect_same_frame(round, i, name);
    }
    for (uint32_t name = 0; name < round->plain.name_count; name++)
        for (uint32_t r = 0; r < round->run_count; r++)
            assert_true(is_frame[name] || round->plain.runs[r]->sums[name].samples[GATE_CUMULATIVE] == 0);
}

/* The set_id of self cost and of cumulative cost are equal if and only if the frame is the leaf of all samples that
 * contain it. A set_id of 0 means that there are no samples. */
static void expect_same_sets(struct hot_path_round *round) {
    for (uint32_t i = 0; i < round->pair.frame_count; i++) {
        const struct gate_delta *delta = &round->deltas.items[i];
        uint32_t samples[GATE_MEASURES] = {0}, name = name_of(round, i);
        for (uint32_t r = 0; r < round->run_count; r++)
            for (int measure = 0; measure < GATE_MEASURES; measure++)
                samples[measure] += round->plain.runs[r]->sums[name].samples[measure];
        assert_int_equal(delta->set_id[GATE_SELF] == delta->set_id[GATE_CUMULATIVE],
                         samples[GATE_SELF] == samples[GATE_CUMULATIVE]);
        for (int measure = 0; measure < GATE_MEASURES; measure++)
            assert_int_equal(delta->set_id[measure] == 0, samples[measure] == 0);
    }
}

static uint32_t child_after(const struct plain_tree *plain, uint32_t node, uint32_t from) {
    for (uint32_t i = from; i < plain->count && plain->nodes[i].depth > plain->nodes[node].depth; i++)
        if (plain->nodes[i].parent == node)
            return i;
    return GATE_NO_INDEX;
}

static uint32_t sibling_after(const struct plain_tree *plain, uint32_t node) {
    for (uint32_t i = node + 1; i < plain->count && plain->nodes[i].depth >= plain->nodes[node].depth; i++)
        if (plain->nodes[i].depth == plain->nodes[node].depth)
            return i;
    return GATE_NO_INDEX;
}

static void expect_same_tree(struct hot_path_round *round, const struct gate_tree_options *options) {
    struct gate_tree tree;
    struct plain_tree plain;
    uint32_t depth = 0;
    int64_t hidden[GATE_SIDES];
    assert_true(gate_tree_merge(&tree, &round->pair, &round->deltas, options, &round->arena, &err));
    plain_tree_make(&plain, &round->plain, options, tree.count + 1);
    assert_int_equal(tree.count, plain.count);
    memcpy(hidden, plain.nodes[0].total, sizeof hidden);
    for (uint32_t i = 0; i < tree.count; i++) {
        const struct gate_tree_node *node = &tree.nodes[i];
        assert_int_equal(name_of(round, node->frame), plain.nodes[i].name);
        assert_int_equal(i == 0 ? GATE_NO_INDEX : node->parent, plain.nodes[i].parent);
        assert_int_equal(node->first_child, child_after(&plain, i, i + 1));
        assert_int_equal(node->next_sibling, i == 0 ? GATE_NO_INDEX : sibling_after(&plain, i));
        assert_memory_equal(node->total, plain.nodes[i].total, sizeof node->total);
        assert_memory_equal(node->self, plain.nodes[i].self, sizeof node->self);
        for (int side = 0; side < GATE_SIDES; side++)
            hidden[side] -= node->self[side];
        depth = plain.nodes[i].depth > depth ? plain.nodes[i].depth : depth;
    }
    assert_int_equal(tree.depth, depth);
    assert_memory_equal(tree.pruned, hidden, sizeof hidden);
    free(plain.nodes);
}

/* ---- rounds ------------------------------------------------------------------------------------------------------ */

static void round_end(struct hot_path_round *round) {
    for (uint32_t i = 0; i < round->run_count; i++)
        gate_buf_free(&round->raw[i]);
    gate_regex_free(round->ignored);
    gate_arena_free(&round->plain.arena);
    gate_arena_free(&round->arena);
    free(round);
}

static void round_check(struct tally *tally, const struct size *size, uint64_t seed) {
    struct hot_path_round *round = calloc(1, sizeof *round);
    assert_non_null(round);
    draw(round, size, seed);
    go_the_hot_path(round);
    go_the_plain_way(round);
    assert_int_equal(round->is_comparable, plain_is_comparable(&round->plain));
    if (round->is_comparable) {
        for (uint32_t i = 0; i < round->pair.frame_count; i++)
            round->plain.is_own[name_of(round, i)] = round->pair.frames[i].is_own;
        plain_sum(&round->plain);
        expect_same_totals(round);
        expect_same_costs(round);
        expect_same_sets(round);
        for (int inverted = 0; inverted < 2; inverted++)
            expect_same_tree(round,
                             &(struct gate_tree_options){.min_share = size->min_share, .inverted = inverted != 0});
    }
    tally->rounds++;
    tally->comparable += round->is_comparable;
    tally->inflated_over += round->inflated_over;
    round_end(round);
}

static struct tally rounds_check(const struct size *size, uint64_t from, uint64_t count) {
    struct tally tally = {0};
    for (uint64_t seed = from; seed < from + count; seed++)
        round_check(&tally, size, seed);
    assert_true(tally.comparable * 2 > tally.rounds);
    return tally;
}

TEST(costs_of_small_profiles_match_plain_loops) {
    struct tally tally = rounds_check(&(struct size){60, 40, 12, 30, 20, 3, 0.0}, 0, 150);
    assert_true(tally.comparable < tally.rounds); /* profiles that cannot be compared are refused by both */
    (void)rounds_check(&(struct size){400, 150, 40, 200, 90, 2, 0.002}, 1000, 20);
}

/* Large enough for one thread per side, for looking up a part of the samples first, and for decompression of files over
 * themselves. */
TEST(costs_of_large_profiles_match_plain_loops) {
    struct tally tally = rounds_check(&(struct size){26000, 14000, 60, 5000, 3000, 2, 0.001}, 2000, 4);
    assert_true(tally.inflated_over > 0);
}

/* Enough stacks for the call tree to be walked by one thread per side. */
TEST(costs_of_many_stacks_match_plain_loops) {
    (void)rounds_check(&(struct size){90000, UINT32_MAX, 10, 3000, 500, 1, 0.001}, 3000, 1);
}
