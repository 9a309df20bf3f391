/* SPDX-License-Identifier: Apache-2.0 */
/* V8's .cpuprofile (see cpuprofile.h): a tree of calls, a node id a sample, and the microseconds between samples. */
#include "gate/profile/cpuprofile.h"

#include "gate/profile/builder_write.h"
#include "gate/profile/id_index.h"
#include "gate/profile/json_tree.h"
#include "gate/profile/v8_frame.h"

#include <math.h>

enum { NS_PER_US = 1000 };

struct node {
    const json_t *call; /* the callFrame */
    uint32_t parent;    /* index, GATE_NO_INDEX at a root */
    int64_t values[2];  /* samples, nanoseconds */
};

struct tree {
    struct gate_arena *scratch;
    struct node *nodes;
    uint64_t *ids; /* V8's id + 1, since 0 is none here */
    uint32_t count;
    struct gate_id_index index;
    int64_t idle_count;
    const struct gate_label *label; /* of all its samples, or NULL */
};

static bool node_read(struct tree *tree, const json_t *item, struct gate_error *err) {
    uint32_t i = tree->count;
    const json_t *id = json_object_get(item, "id");
    tree->nodes[i] = (struct node){.call = json_object_get(item, "callFrame"), .parent = GATE_NO_INDEX};
    if (!json_is_integer(id) || json_integer_value(id) < 0 || json_integer_value(id) == INT64_MAX)
        return gate_error_set(err, GATE_ERR_FORMAT, "nodes[%u]: expected a number in 'id'", i);
    if (!json_is_object(tree->nodes[i].call))
        return gate_error_set(err, GATE_ERR_FORMAT, "nodes[%u]: expected an object in 'callFrame'", i);
    tree->ids[i] = (uint64_t)json_integer_value(id) + 1;
    tree->count++;
    return true;
}

static uint32_t node_find(const struct tree *tree, const json_t *id) {
    if (!json_is_integer(id) || json_integer_value(id) < 0)
        return GATE_NO_INDEX;
    return gate_id_index_find(&tree->index, (uint64_t)json_integer_value(id) + 1);
}

static bool children_link(struct tree *tree, const json_t *item, uint32_t parent, struct gate_error *err) {
    const json_t *children = json_object_get(item, "children");
    const json_t *above = json_object_get(item, "parent"); /* newer traces name the parent */
    if (above != NULL) {
        tree->nodes[parent].parent = node_find(tree, above);
        if (tree->nodes[parent].parent == GATE_NO_INDEX)
            return gate_error_set(err, GATE_ERR_FORMAT, "nodes[%u]: its parent is not among the nodes", parent);
    }
    for (size_t i = 0; i < json_array_size(children); i++) {
        uint32_t child = node_find(tree, json_array_get(children, i));
        if (child == GATE_NO_INDEX)
            return gate_error_set(err, GATE_ERR_FORMAT, "nodes[%u]: child %zu is not among the nodes", parent, i);
        if (tree->nodes[child].parent != GATE_NO_INDEX && tree->nodes[child].parent != parent)
            return gate_error_set(err, GATE_ERR_FORMAT, "nodes[%u]: child %zu has another parent already", parent, i);
        tree->nodes[child].parent = parent;
    }
    return true;
}

static bool tree_read(struct tree *tree, const json_t *nodes, struct gate_error *err) {
    size_t count = json_array_size(nodes);
    if (count == 0 || count >= GATE_NO_INDEX)
        return gate_error_set(err, GATE_ERR_FORMAT, "expected a list of calls in 'nodes'");
    tree->nodes = GATE_NEW_ARRAY(tree->scratch, struct node, count);
    tree->ids = GATE_NEW_ARRAY(tree->scratch, uint64_t, count);
    if (tree->nodes == NULL || tree->ids == NULL)
        return gate_arena_error(tree->scratch, err);
    for (size_t i = 0; i < count; i++)
        if (!node_read(tree, json_array_get(nodes, i), err))
            return false;
    uint64_t id = 0;
    enum gate_id_fault fault =
        gate_id_index_build(&tree->index, tree->ids, sizeof *tree->ids, tree->count, tree->scratch, &id);
    if (fault == GATE_ID_MEMORY)
        return gate_arena_error(tree->scratch, err);
    if (fault != GATE_ID_FINE)
        return gate_error_set(err, GATE_ERR_FORMAT, "two nodes have the id %llu", (unsigned long long)(id - 1));
    for (uint32_t i = 0; i < tree->count; i++)
        if (!children_link(tree, json_array_get(nodes, i), i, err))
            return false;
    return true;
}

/* Times in microseconds from the start. V8 may write a sample before an earlier one: it then lasts no time. */
static bool samples_read(struct tree *tree, const json_t *root, struct gate_error *err) {
    const json_t *samples = json_object_get(root, "samples");
    const json_t *deltas = json_object_get(root, "timeDeltas");
    size_t count = json_array_size(samples);
    double end =
        json_number_value(json_object_get(root, "endTime")) - json_number_value(json_object_get(root, "startTime"));
    double now = 0, latest = 0;
    if (!json_is_array(samples) || !json_is_array(deltas) || json_array_size(deltas) != count)
        return gate_error_set(err, GATE_ERR_FORMAT, "expected as many 'timeDeltas' as 'samples', found %zu and %zu",
                              json_array_size(deltas), count);
    now = latest = count == 0 ? 0 : json_number_value(json_array_get(deltas, 0));
    for (size_t i = 0; i < count; i++) {
        uint32_t node = node_find(tree, json_array_get(samples, i));
        double next = i + 1 < count ? now + json_number_value(json_array_get(deltas, i + 1)) : end;
        double lasted = next > latest ? next - latest : 0;
        if (node == GATE_NO_INDEX)
            return gate_error_set(err, GATE_ERR_FORMAT, "samples[%zu] is not among the nodes", i);
        if (!isfinite(next) || !(lasted < 9e12))
            return gate_error_set(err, GATE_ERR_FORMAT, "timeDeltas[%zu] is out of range", i + 1);
        GATE_ASSERT(tree->nodes != NULL); /* it holds this one */
        tree->nodes[node].values[0]++;
        if (__builtin_add_overflow(tree->nodes[node].values[1], llround(lasted * NS_PER_US),
                                   &tree->nodes[node].values[1]))
            return gate_error_set(err, GATE_ERR_OVERFLOW, "the times add up to more than 64 bits can hold");
        now = next;
        latest = next > latest ? next : latest;
    }
    return true;
}

static bool is_named(const struct node *node, const char *name) {
    return gate_str_equal(gate_v8_frame_name(node->call), gate_str_from(name));
}

static bool nodes_add(struct gate_builder *builder, struct tree *tree, const struct gate_limits *limits,
                      struct gate_error *err) {
    uint64_t *stack = gate_arena_alloc(tree->scratch, ((size_t)limits->depth + 1) * sizeof *stack);
    uint64_t *locations = GATE_NEW_ARRAY(tree->scratch, uint64_t, tree->count);
    if (stack == NULL || locations == NULL)
        return gate_arena_error(tree->scratch, err);
    for (uint32_t i = 0; i < tree->count; i++) {
        struct gate_builder_sample sample = {.locations = stack,
                                             .values = tree->nodes[i].values,
                                             .labels = tree->label,
                                             .label_count = tree->label != NULL};
        if (tree->nodes[i].values[0] == 0)
            continue;
        if (is_named(&tree->nodes[i], "(idle)")) {
            tree->idle_count += tree->nodes[i].values[0];
            continue;
        }
        for (uint32_t at = i; at != GATE_NO_INDEX; at = tree->nodes[at].parent) {
            if (tree->nodes[at].parent == GATE_NO_INDEX && is_named(&tree->nodes[at], "(root)"))
                break;
            if (sample.depth == limits->depth)
                return gate_error_set(err, GATE_ERR_LIMIT,
                                      "nodes[%u] is more than %u calls deep, or its own ancestor; raise --max-depth", i,
                                      limits->depth);
            if (locations[at] == 0)
                locations[at] = gate_v8_frame_add(builder, tree->nodes[at].call);
            stack[sample.depth++] = locations[at];
        }
        if (!gate_builder_sample(builder, &sample, err))
            return false;
    }
    return true;
}

static double lasted_us(const json_t *root) {
    return json_number_value(json_object_get(root, "endTime")) - json_number_value(json_object_get(root, "startTime"));
}

void gate_cpuprofile_begin(struct gate_builder *builder, struct gate_arena *scratch) {
    gate_builder_init(builder, scratch);
    gate_builder_type(builder, GATE_STR("samples"), GATE_STR("count"));
    gate_builder_type(builder, GATE_STR("cpu"), GATE_STR("nanoseconds"));
}

bool gate_cpuprofile_add(struct gate_cpuprofile_sum *sum, const json_t *root, const struct gate_label *label,
                         struct gate_error *err) {
    struct gate_arena *scratch = sum->builder->arena;
    struct tree tree = {.scratch = scratch, .label = label};
    double lasted = lasted_us(root);
    int64_t duration_ns = lasted > 0 && lasted < 9e12 ? llround(lasted * NS_PER_US) : 0;
    if (!tree_read(&tree, json_object_get(root, "nodes"), err) || !samples_read(&tree, root, err) ||
        !nodes_add(sum->builder, &tree, sum->limits, err))
        return false;
    sum->idle_count = gate_profile_add_saturated(sum->idle_count, tree.idle_count);
    if (duration_ns > sum->builder->header.duration_ns)
        sum->builder->header.duration_ns = duration_ns;
    return true;
}

bool gate_cpuprofile_end(struct gate_buf *out, struct gate_cpuprofile_sum *sum, struct gate_error *err) {
    struct gate_arena *scratch = sum->builder->arena;
    if (sum->idle_count != 0) {
        struct gate_str comment = gate_str_format(scratch, "%lld idle samples left out", (long long)sum->idle_count);
        if (comment.ptr == NULL)
            return gate_arena_error(scratch, err);
        gate_builder_comment(sum->builder, comment);
    }
    return gate_builder_write(out, sum->builder, err);
}

static bool document_convert(struct gate_buf *out, const json_t *root, const struct gate_limits *limits,
                             struct gate_arena *scratch, struct gate_error *err) {
    struct gate_builder builder;
    struct gate_cpuprofile_sum sum = {.builder = &builder, .limits = limits};
    if (json_object_get(root, "head") != NULL)
        return gate_error_set(err, GATE_ERR_FORMAT,
                              "a .cpuprofile from before 2017 ('head'): record it again with --cpu-prof");
    gate_cpuprofile_begin(&builder, scratch);
    bool ok = gate_cpuprofile_add(&sum, root, NULL, err) && gate_cpuprofile_end(out, &sum, err);
    gate_builder_free(&builder);
    return ok;
}

bool gate_cpuprofile_convert(struct gate_buf *out, struct gate_str bytes, const struct gate_limits *limits,
                             struct gate_arena *scratch, struct gate_error *err) {
    struct gate_json_tree tree;
    if (!gate_json_tree_load(&tree, bytes, scratch, err))
        return false;
    bool ok = document_convert(out, tree.root, limits, scratch, err);
    gate_json_tree_free(&tree, scratch);
    return ok;
}
