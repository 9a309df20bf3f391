/* SPDX-License-Identifier: Apache-2.0 */
/* V8's .heapprofile (see heapprofile.h): a tree of calls with the bytes that each holds, and the samples behind them.
 */
#include "gate/profile/heapprofile.h"

#include "gate/profile/builder_write.h"
#include "gate/profile/json_tree.h"
#include "gate/profile/v8_frame.h"

#include <math.h>
#include <stdlib.h>

/* A call on the path from the root: its children that are still to be visited. */
struct step {
    const json_t *children;
    size_t next;
};

struct walk {
    struct gate_builder builder;
    struct gate_arena *scratch;
    int64_t *sampled; /* the node of each sample, sorted */
    size_t sample_count;
    size_t matched; /* samples whose node was met */
    bool has_samples;
    struct step *path;
    uint64_t *locations; /* of the path, the innermost call first, filled from the end */
    uint32_t depth, depth_max;
};

static int id_order(const void *a, const void *b) {
    int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;
    return (left > right) - (left < right);
}

/* How many samples are of nodes below `id`, or of it, too. */
static size_t samples_below(const struct walk *walk, int64_t id, bool with_it) {
    size_t low = 0, high = walk->sample_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (walk->sampled[middle] < id || (with_it && walk->sampled[middle] == id))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool samples_read(struct walk *walk, const json_t *samples, struct gate_error *err) {
    walk->has_samples = json_is_array(samples);
    walk->sample_count = json_array_size(samples);
    walk->sampled = GATE_NEW_ARRAY(walk->scratch, int64_t, walk->sample_count);
    if (walk->sampled == NULL)
        return gate_arena_error(walk->scratch, err);
    for (size_t i = 0; i < walk->sample_count; i++) {
        const json_t *id = json_object_get(json_array_get(samples, i), "nodeId");
        if (!json_is_integer(id))
            return gate_error_set(err, GATE_ERR_FORMAT, "samples[%zu]: expected a number in 'nodeId'", i);
        walk->sampled[i] = json_integer_value(id);
    }
    if (walk->sample_count != 0)
        qsort(walk->sampled, walk->sample_count, sizeof *walk->sampled, id_order);
    return true;
}

/* What the call holds of itself. */
static bool size_add(struct walk *walk, const json_t *node, struct gate_error *err) {
    const json_t *id = json_object_get(node, "id");
    double size = json_number_value(json_object_get(node, "selfSize"));
    if (!json_is_integer(id) || !json_is_number(json_object_get(node, "selfSize")))
        return gate_error_set(err, GATE_ERR_FORMAT, "a call at depth %u: expected numbers in 'id' and 'selfSize'",
                              walk->depth);
    if (!(size >= 0) || size >= 9e18)
        return gate_error_set(err, GATE_ERR_FORMAT, "node %lld: a 'selfSize' of %g is out of range",
                              (long long)json_integer_value(id), size);
    int64_t number = json_integer_value(id);
    size_t count = samples_below(walk, number, true) - samples_below(walk, number, false);
    int64_t values[2] = {(int64_t)count, llround(size)};
    struct gate_builder_sample sample = {.locations = walk->locations + walk->depth_max - walk->depth,
                                         .depth = walk->depth,
                                         .values = walk->has_samples ? values : values + 1};
    walk->matched += count;
    return (count == 0 && values[1] == 0) || gate_builder_sample(&walk->builder, &sample, err);
}

/* Go into `node`, which is the head where the path is empty; the head, V8's "(root)", is no frame. */
static bool node_enter(struct walk *walk, const json_t *node, uint32_t level, struct gate_error *err) {
    const json_t *call = json_object_get(node, "callFrame");
    if (!json_is_object(call))
        return gate_error_set(err, GATE_ERR_FORMAT, "a call at depth %u: expected an object in 'callFrame'",
                              walk->depth);
    if (level > walk->depth_max)
        return gate_error_set(err, GATE_ERR_LIMIT, "a stack has more than %u frames; raise --max-depth",
                              walk->depth_max);
    if (level != 0) {
        walk->depth = level;
        walk->locations[walk->depth_max - level] = gate_v8_frame_add(&walk->builder, call);
    }
    walk->path[level] = (struct step){json_object_get(node, "children"), 0};
    return size_add(walk, node, err);
}

/* Depth first, without recursion: a file may be as deep as JSON allows. V8 drops calls from the tree whose samples it
 * still lists, so a sample may be of none. */
static bool tree_add(struct walk *walk, const json_t *head, struct gate_error *err) {
    uint32_t level = 0;
    if (!node_enter(walk, head, level, err))
        return false;
    for (;;) {
        struct step *step = &walk->path[level];
        if (step->next < json_array_size(step->children)) {
            if (!node_enter(walk, json_array_get(step->children, step->next++), ++level, err))
                return false;
            continue;
        }
        if (level == 0)
            break;
        walk->depth = --level;
    }
    return walk->matched <= walk->sample_count ||
           gate_error_set(err, GATE_ERR_FORMAT, "%zu samples are of two nodes with one id",
                          walk->matched - walk->sample_count);
}

static bool document_add(struct walk *walk, const json_t *root, struct gate_error *err) {
    walk->path = gate_arena_alloc(walk->scratch, ((size_t)walk->depth_max + 1) * sizeof *walk->path);
    walk->locations = gate_arena_alloc(walk->scratch, ((size_t)walk->depth_max + 1) * sizeof *walk->locations);
    if (walk->path == NULL || walk->locations == NULL)
        return gate_arena_error(walk->scratch, err);
    if (!samples_read(walk, json_object_get(root, "samples"), err))
        return false;
    if (walk->has_samples)
        gate_builder_type(&walk->builder, GATE_STR("samples"), GATE_STR("count"));
    gate_builder_type(&walk->builder, GATE_STR("space"), GATE_STR("bytes"));
    return tree_add(walk, json_object_get(root, "head"), err);
}

bool gate_heapprofile_convert(struct gate_buf *out, struct gate_str bytes, const struct gate_limits *limits,
                              struct gate_arena *scratch, struct gate_error *err) {
    struct walk walk = {.scratch = scratch, .depth_max = limits->depth};
    struct gate_json_tree tree;
    if (!gate_json_tree_load(&tree, bytes, scratch, err))
        return false;
    gate_builder_init(&walk.builder, scratch);
    bool ok = document_add(&walk, tree.root, err) && gate_builder_write(out, &walk.builder, err);
    gate_builder_free(&walk.builder);
    gate_json_tree_free(&tree, scratch);
    return ok;
}
