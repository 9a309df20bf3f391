/* SPDX-License-Identifier: Apache-2.0 */
/* Readers of V8's .cpuprofile and .heapprofile files (JSON), and of Chrome traces that contain V8 CPU profiles:
 * DevTools exports and trace events. */
#include "gate/base/search.h"
#include "gate/base/str.h"
#include "gate/base/table.h"
#include "gate/formats/builder.h"
#include "gate/formats/json_tree.h"
#include "gate/formats/reader.h"
#include "gate/model/limits.h"
#include "gate/model/profile.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>

/* Several profiles added up, as a trace has one per process. */
struct cpuprofile_sum {
    struct gate_builder *builder; /* its columns are those of cpuprofile_begin */
    const struct gate_limits *limits;
    bool is_trimmed;    /* calls may be missing, because the beginning of a trace may be overwritten */
    int64_t idle_count; /* idle samples that were left out */
    double waited_us;   /* time that the thread waited for a processor, which was left out */
    int64_t lost_count; /* samples that were left out as their call is missing */
    int64_t cut_count;  /* samples whose stack ends at a call with a missing caller */
};

/* ---- V8's calls as frames ---------------------------------------------------------------------------------------- */

/** Return the 'functionName' of a call, or an empty text. Valid while `call` exists. */
static struct gate_str call_name(const json_t *call) {
    return gate_json_text_of(call, "functionName");
}

/* A function without a name is called after the caller in its own file, at most this many calls away. */
enum { AROUND_MOST = 8, AROUND_NAME_MOST = 128 };

/** Return whether `around` is a function with a name in the file of `call`, which has none. */
static bool call_is_around(const json_t *around, const json_t *call) {
    struct gate_str name = call_name(around), file = gate_json_text_of(call, "url");
    return file.len != 0 && name.len != 0 && name.len <= AROUND_NAME_MOST && name.ptr[0] != '(' &&
           gate_str_equal(gate_json_text_of(around, "url"), file);
}

/**
 * Return where a call's function starts: its id, with the name or '(anonymous)' and the file, and the line and column.
 * The id is 0 if the builder is full.
 *
 * around  the nearest caller for which call_is_around holds, or NULL: a function without a name is then called
 *         "find.(anonymous)", since a file has many of them
 * first   number of the first line and column: 0 in V8's files, 1 in those of v8-profiler and of V8 before 2017
 */
static struct gate_builder_line call_start(struct gate_builder *builder, const json_t *call, const json_t *around,
                                           json_int_t first) {
    struct gate_str name = call_name(call);
    struct gate_str file = gate_json_text_of(call, "url");
    json_int_t line = json_integer_value(json_object_get(call, "lineNumber")); /* below `first`: unknown */
    struct gate_function function = {.name = name.len == 0 ? GATE_STR("(anonymous)") : name, .file = file};
    struct gate_builder_line at = {0, 0, 0};
    function.system_name = function.name;
    if (name.len == 0 && around != NULL) {
        const struct gate_str parts[] = {call_name(around), GATE_STR(".(anonymous)")};
        function.name = gate_str_concat(builder->arena, parts, 2);
        builder->is_full = builder->is_full || function.name.ptr == NULL;
        if (builder->is_full)
            return at;
    }
    json_int_t column = json_integer_value(json_object_get(call, "columnNumber")); /* below `first`: unknown */
    function.start_line = line >= first && line < INT32_MAX && file.len != 0 ? line - first + 1 : 0;
    at.function = gate_builder_function(builder, &function);
    at.line = function.start_line;
    if (function.start_line != 0 && column >= first && column < INT32_MAX)
        at.column = gate_column_of(column - first + 1);
    return at;
}

/** Return the id of a location. 0: the builder is full. */
static uint64_t line_add(struct gate_builder *builder, const struct gate_builder_line *at) {
    return at->function == 0 ? 0 : gate_builder_location(builder, 0, 0, at, 1);
}

/** Return the id of the location where a call's function starts (call_start). 0: the builder is full. */
static uint64_t call_add(struct gate_builder *builder, const json_t *call, const json_t *around, json_int_t first) {
    const struct gate_builder_line at = call_start(builder, call, around, first);
    return line_add(builder, &at);
}

/* ---- .cpuprofile: a tree of calls, one node id per sample, and the microseconds between samples ---------------------
 *
 * V8 before 2017, and v8-profiler until today, nest the calls in 'head', list the time of each sample in 'timestamps'
 * (microseconds), and give startTime and endTime in seconds. */

enum { NS_PER_US = 1000, US_PER_MS = 1000, US_PER_S = 1000000 };

#define MOST_US 4e15 /* times below it and their differences fit in 64 bits as nanoseconds */

struct node {
    const json_t *call; /* the callFrame; in a nested tree the node itself */
    uint32_t parent;    /* index, or GATE_NO_INDEX for a root */
    bool is_cut;        /* its parent is missing */
    bool is_idle;       /* the thread waited for events */
    double lasted_us;   /* its samples, each at most sample_longest; none of idle ones */
    int64_t values[2];  /* number of samples, nanoseconds */
};

/* Samples of a node at one line of a file. If it is not a line of the node's function, it is one of a function that V8
 * inlined there (compare/v8_inlined_lines.h). */
struct tick {
    uint32_t node;
    int32_t line; /* from 1 */
    int64_t count;
};

struct tree {
    struct gate_arena *scratch;
    struct node *nodes;
    uint64_t *ids; /* V8's id + 1, as 0 is not a valid id in gate_id_index */
    uint32_t count;
    json_int_t line_first; /* number of the first line of a file */
    struct gate_id_index index;
    struct tick *ticks; /* by node */
    size_t tick_count, tick_capacity;
    double lasted_us;
    double waited_us; /* the part of that without a processor */
    int64_t idle_count;
    int64_t lost_count;             /* samples whose node is missing */
    int64_t cut_count;              /* samples with a caller that is missing */
    bool is_trimmed;                /* nodes may be missing */
    const struct gate_label *label; /* label of all samples, or NULL */
};

/* Record samples at a line. Impossible line numbers are ignored. */
static bool tick_add(struct tree *tree, uint32_t node, json_int_t line, json_int_t count, struct gate_error *err) {
    if (line <= 0 || line >= INT32_MAX || count <= 0)
        return true;
    if (!GATE_REGROW(tree->scratch, tree->ticks, tree->tick_count, tree->tick_capacity))
        return gate_arena_error(tree->scratch, err);
    tree->ticks[tree->tick_count++] = (struct tick){node, (int32_t)line, count};
    return true;
}

static bool ticks_read(struct tree *tree, uint32_t node, const json_t *ticks, struct gate_error *err) {
    for (size_t i = 0; i < json_array_size(ticks); i++) {
        const json_t *tick = json_array_get(ticks, i);
        if (!tick_add(tree, node, json_integer_value(json_object_get(tick, "line")),
                      json_integer_value(json_object_get(tick, "ticks")), err))
            return false;
    }
    return true;
}

static bool node_read(struct tree *tree, const json_t *item, const json_t *call, struct gate_error *err) {
    uint32_t i = tree->count;
    const json_t *id = json_object_get(item, "id");
    tree->nodes[i] = (struct node){.call = call, .parent = GATE_NO_INDEX};
    if (!json_is_integer(id) || json_integer_value(id) < 0 || json_integer_value(id) == INT64_MAX)
        return gate_error_set(err, GATE_ERR_FORMAT, "nodes[%u]: expected a number in 'id'", i);
    if (!json_is_object(call))
        return gate_error_set(err, GATE_ERR_FORMAT, "nodes[%u]: expected an object in 'callFrame'", i);
    tree->nodes[i].is_idle = gate_str_equal(call_name(call), GATE_STR("(idle)"));
    tree->ids[i] = (uint64_t)json_integer_value(id) + 1;
    tree->count++;
    return ticks_read(tree, i, json_object_get(item, "positionTicks"), err);
}

static uint32_t node_find(const struct tree *tree, const json_t *id) {
    if (!json_is_integer(id) || json_integer_value(id) < 0)
        return GATE_NO_INDEX;
    return gate_id_index_find(&tree->index, (uint64_t)json_integer_value(id) + 1);
}

static bool children_link(struct tree *tree, const json_t *item, uint32_t parent, struct gate_error *err) {
    const json_t *children = json_object_get(item, "children");
    const json_t *above = json_object_get(item, "parent"); /* newer traces list the parent instead of the children */
    if (above != NULL) {
        tree->nodes[parent].parent = node_find(tree, above);
        tree->nodes[parent].is_cut = tree->nodes[parent].parent == GATE_NO_INDEX;
        if (tree->nodes[parent].is_cut && !tree->is_trimmed)
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

static bool ids_index(struct tree *tree, struct gate_error *err) {
    uint64_t id = 0;
    enum gate_id_fault fault =
        gate_id_index_build(&tree->index, tree->ids, sizeof *tree->ids, tree->count, tree->scratch, &id);
    if (fault == GATE_ID_MEMORY)
        return gate_arena_error(tree->scratch, err);
    return fault == GATE_ID_FINE ||
           gate_error_set(err, GATE_ERR_FORMAT, "two nodes have the id %llu", (unsigned long long)(id - 1));
}

static bool tree_read(struct tree *tree, const json_t *nodes, struct gate_error *err) {
    size_t count = json_array_size(nodes);
    if (count == 0 || count >= GATE_NO_INDEX)
        return gate_error_set(err, GATE_ERR_FORMAT, "expected a list of calls in 'nodes'");
    tree->nodes = GATE_NEW_ARRAY(tree->scratch, struct node, count);
    tree->ids = GATE_NEW_ARRAY(tree->scratch, uint64_t, count);
    if (tree->nodes == NULL || tree->ids == NULL)
        return gate_arena_error(tree->scratch, err);
    for (size_t i = 0; i < count; i++) {
        const json_t *item = json_array_get(nodes, i);
        if (!node_read(tree, item, json_object_get(item, "callFrame"), err))
            return false;
    }
    if (!ids_index(tree, err))
        return false;
    for (uint32_t i = 0; i < tree->count; i++)
        if (!children_link(tree, json_array_get(nodes, i), i, err))
            return false;
    return true;
}

/* Read the calls that are nested in `head`, level by level. Nodes are numbered in this order. */
static bool head_read(struct tree *tree, const json_t *head, struct gate_error *err) {
    size_t node_room = 0, id_room = 0;
    const json_t *item = head;
    for (uint32_t parent = GATE_NO_INDEX, child = 0;;) {
        if (!GATE_GROW(tree->scratch, tree->nodes, tree->count, node_room) ||
            !GATE_GROW(tree->scratch, tree->ids, tree->count, id_room))
            return gate_arena_error(tree->scratch, err);
        if (tree->count == GATE_NO_INDEX - 1)
            return gate_error_set(err, GATE_ERR_LIMIT, "too many calls");
        if (!node_read(tree, item, item, err))
            return false;
        tree->nodes[tree->count - 1].parent = parent;
        if (parent == GATE_NO_INDEX)
            parent = 0;
        while (parent < tree->count &&
               child == json_array_size(json_object_get(tree->nodes[parent].call, "children"))) {
            parent++;
            child = 0;
        }
        if (parent == tree->count)
            break;
        item = json_array_get(json_object_get(tree->nodes[parent].call, "children"), child++);
    }
    return ids_index(tree, err);
}

/* A sample: microseconds from the start. */
struct moment {
    double at_us;
    uint32_t node;  /* index, or GATE_NO_INDEX if the node is missing */
    uint32_t index; /* place in the file */
};

static double lasted_us(const json_t *root) {
    return json_number_value(json_object_get(root, "endTime")) - json_number_value(json_object_get(root, "startTime"));
}

/* Return the end of the profile, from the start, as samples are. v8-profiler rounds times of a nested tree to seconds,
 * so its last sample lasts until its own time. */
static double end_us(const json_t *root, double last_us) {
    const json_t *end = json_object_get(root, "endTime"), *times = json_object_get(root, "timestamps");
    if (times == NULL)
        return lasted_us(root);
    double at_us = json_number_value(end) * US_PER_S - json_number_value(json_array_get(times, 0));
    return json_is_real(end) && at_us > last_us ? at_us : last_us;
}

static int moment_order(const void *a, const void *b) {
    const struct moment *left = a, *right = b;
    if (left->at_us != right->at_us)
        return left->at_us < right->at_us ? -1 : 1;
    return (left->index > right->index) - (left->index < right->index);
}

/* Read the time and node of each sample, in order of time. V8 may write samples out of order, and DevTools sorts them
 * (CPUProfileDataModel). `*out` has one entry more than there are samples: the end of the profile. */
static bool moments_read(struct moment **out, struct tree *tree, const json_t *root, struct gate_error *err) {
    const json_t *samples = json_object_get(root, "samples");
    bool has_times = json_object_get(root, "timestamps") != NULL;
    const char *key = has_times ? "timestamps" : "timeDeltas";
    const json_t *times = json_object_get(root, key);
    double first = has_times ? json_number_value(json_array_get(times, 0)) : 0, now = 0;
    size_t count = json_array_size(samples);
    bool is_sorted = true;
    if (!json_is_array(samples) || !json_is_array(times) || json_array_size(times) != count || count >= GATE_NO_INDEX)
        return gate_error_set(err, GATE_ERR_FORMAT, "expected as many '%s' as 'samples', found %zu and %zu", key,
                              json_array_size(times), count);
    struct moment *moments = gate_arena_alloc(tree->scratch, (count + 1) * sizeof *moments);
    if (moments == NULL)
        return gate_arena_error(tree->scratch, err);
    for (size_t i = 0; i < count; i++) {
        double time = json_number_value(json_array_get(times, i));
        double at_us = has_times ? time - first : now + time;
        moments[i] = (struct moment){at_us, node_find(tree, json_array_get(samples, i)), (uint32_t)i};
        if (moments[i].node == GATE_NO_INDEX && !tree->is_trimmed)
            return gate_error_set(err, GATE_ERR_FORMAT, "samples[%zu] is not among the nodes", i);
        if (!(fabs(at_us) < MOST_US))
            return gate_error_set(err, GATE_ERR_FORMAT, "%s[%zu] is out of range", key, i);
        is_sorted &= at_us >= now || i == 0;
        now = at_us;
    }
    if (!is_sorted)
        qsort(moments, count, sizeof *moments, moment_order);
    moments[count] = (struct moment){.at_us = end_us(root, count == 0 ? 0 : moments[count - 1].at_us)};
    tree->lasted_us = moments[count].at_us;
    *out = moments;
    return fabs(moments[count].at_us) < MOST_US || gate_error_set(err, GATE_ERR_FORMAT, "'endTime' is out of range");
}

static int duration_order(const void *a, const void *b) {
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

/* Minimum number of samples for estimating the sampling interval, and the approximate maximum that is used. */
enum { INTERVAL_LEAST = 100, INTERVAL_MOST = 4096 };

/* Maximum duration of a sample in sampling intervals. V8 interrupts a thread only while it has a processor: at 1 ms and
 * on a machine where the wall time was 1 to 5 times the CPU time, the durations cut so were 1.04 times the CPU time (sd
 * 0.15); on an idle one, 0.98 times (sd 0.03). */
static const double LASTED_MOST = 1.5;

/* Set `*longest` to the maximum duration of a sample in microseconds. The sampling interval is estimated by the lower
 * quartile of the durations. If there are too few samples, `*longest` is HUGE_VAL. */
static bool sample_longest(double *longest, const struct tree *tree, const struct moment *moments, size_t count,
                           struct gate_error *err) {
    size_t step = count / INTERVAL_MOST + 1, found = 0;
    double *lasted = GATE_NEW_ARRAY(tree->scratch, double, count / step + 1);
    if (lasted == NULL)
        return gate_arena_error(tree->scratch, err);
    for (size_t i = 0; i < count; i += step)
        if (moments[i].node != GATE_NO_INDEX && !tree->nodes[moments[i].node].is_idle)
            lasted[found++] = moments[i + 1].at_us - moments[i].at_us;
    qsort(lasted, found, sizeof *lasted, duration_order);
    double interval = found < INTERVAL_LEAST ? 0.0 : lasted[found / 4];
    *longest = interval > 0.0 ? LASTED_MOST * interval : HUGE_VAL;
    return true;
}

static int tick_order(const void *a, const void *b) {
    const struct tick *left = a, *right = b;
    if (left->node != right->node)
        return left->node < right->node ? -1 : 1;
    return (left->line > right->line) - (left->line < right->line);
}

/* Sort ticks of single samples by node, and add up those of a line. */
static void ticks_sort(struct tree *tree) {
    size_t kept = 0;
    if (tree->tick_count != 0)
        qsort(tree->ticks, tree->tick_count, sizeof *tree->ticks, tick_order);
    for (size_t i = 0; i < tree->tick_count; i++) {
        struct tick *last = kept == 0 ? NULL : &tree->ticks[kept - 1];
        if (last != NULL && tick_order(last, &tree->ticks[i]) == 0)
            last->count += tree->ticks[i].count;
        else
            tree->ticks[kept++] = tree->ticks[i];
    }
    tree->tick_count = kept;
}

/* Add up samples and their durations. A sample lasts until the next one, the last one until the end. If that is longer
 * than sample_longest, the thread waited for a processor; that time is left out, as are idle samples. `lines` are those
 * of the samples, or NULL: the file has them by node, if at all. */
static bool samples_read(struct tree *tree, const json_t *root, const int32_t *lines, struct gate_error *err) {
    struct moment *moments = NULL;
    size_t count = json_array_size(json_object_get(root, "samples"));
    double longest = HUGE_VAL;
    if (!moments_read(&moments, tree, root, err))
        return false;
    GATE_ASSERT(moments != NULL && (tree->nodes != NULL || count == 0)); /* read before */
    if (!sample_longest(&longest, tree, moments, count, err))
        return false;
    for (size_t i = 0; i < count; i++) {
        double lasted = fmax(moments[i + 1].at_us - moments[i].at_us, 0.0);
        if (moments[i].node == GATE_NO_INDEX) {
            tree->lost_count++;
            continue;
        }
        GATE_ASSERT(tree->nodes != NULL); /* holds because node_find found the node */
        struct node *node = &tree->nodes[moments[i].node];
        node->values[0]++;
        if (node->is_idle)
            continue;
        if (lines != NULL && !tick_add(tree, moments[i].node, lines[moments[i].index], 1, err))
            return false;
        node->lasted_us += fmin(lasted, longest);
        tree->waited_us += fmax(lasted - longest, 0.0);
    }
    if (lines != NULL)
        ticks_sort(tree);
    for (uint32_t i = 0; i < tree->count; i++)
        tree->nodes[i].values[1] = llround(tree->nodes[i].lasted_us * NS_PER_US);
    return true;
}

/* Return the call that a node without a name is called after, or NULL. */
static const json_t *node_around(const struct tree *tree, uint32_t at) {
    const json_t *call = tree->nodes[at].call;
    if (call_name(call).len != 0)
        return NULL;
    for (int i = 0; i < AROUND_MOST && tree->nodes[at].parent != GATE_NO_INDEX; i++) {
        at = tree->nodes[at].parent;
        if (call_is_around(tree->nodes[at].call, call))
            return tree->nodes[at].call;
    }
    return NULL;
}

/* Add the samples of a node, which has `stack`: those of a line at this line, and others where its function starts.
 * `tick`: index of its first tick, or where that would be. */
static bool lines_add(struct gate_builder *builder, const struct tree *tree, uint32_t i, size_t tick,
                      const struct gate_builder_sample *sample, uint64_t *stack, struct gate_error *err) {
    const struct node *node = &tree->nodes[i];
    bool has_ticks = sample->depth != 0 && tick < tree->tick_count && tree->ticks[tick].node == i;
    if (!has_ticks)
        return gate_builder_sample(builder, sample, err);
    struct gate_builder_line at = call_start(builder, node->call, node_around(tree, i), tree->line_first);
    struct gate_builder_sample of_line = *sample;
    const uint64_t start = stack[0];
    const int64_t start_line = at.line;
    int64_t left[2] = {node->values[0], node->values[1]};
    for (; tick < tree->tick_count && tree->ticks[tick].node == i && left[0] > 0 && start_line != 0; tick++) {
        int64_t count = tree->ticks[tick].count < left[0] ? tree->ticks[tick].count : left[0];
        int64_t part = llround((double)node->values[1] * ((double)count / (double)node->values[0]));
        part = count == left[0] || part > left[1] ? left[1] : part;
        at.line = tree->ticks[tick].line;
        if (at.line == start_line)
            continue;
        stack[0] = line_add(builder, &at);
        of_line.values = (const int64_t[]){count, part};
        left[0] -= count;
        left[1] -= part;
        if (!gate_builder_sample(builder, &of_line, err))
            return false;
    }
    stack[0] = start;
    of_line.values = left;
    return left[0] == 0 || gate_builder_sample(builder, &of_line, err);
}

static bool nodes_add(struct gate_builder *builder, struct tree *tree, const struct gate_limits *limits,
                      struct gate_error *err) {
    uint64_t *stack = gate_arena_alloc(tree->scratch, ((size_t)limits->depth + 1) * sizeof *stack);
    uint64_t *locations = GATE_NEW_ARRAY(tree->scratch, uint64_t, tree->count);
    size_t tick = 0;
    if (stack == NULL || locations == NULL)
        return gate_arena_error(tree->scratch, err);
    for (uint32_t i = 0; i < tree->count; i++) {
        struct gate_builder_sample sample = {.locations = stack,
                                             .values = tree->nodes[i].values,
                                             .labels = tree->label,
                                             .label_count = tree->label != NULL};
        if (tree->nodes[i].values[0] == 0)
            continue;
        if (tree->nodes[i].is_idle) {
            tree->idle_count += tree->nodes[i].values[0];
            continue;
        }
        for (uint32_t at = i; at != GATE_NO_INDEX; at = tree->nodes[at].parent) {
            if (tree->nodes[at].parent == GATE_NO_INDEX &&
                gate_str_equal(call_name(tree->nodes[at].call), GATE_STR("(root)")))
                break;
            if (sample.depth == limits->depth)
                return gate_error_set(err, GATE_ERR_LIMIT,
                                      "nodes[%u] is more than %u calls deep, or its own ancestor; raise --max-depth", i,
                                      limits->depth);
            if (locations[at] == 0)
                locations[at] = call_add(builder, tree->nodes[at].call, node_around(tree, at), tree->line_first);
            stack[sample.depth++] = locations[at];
            tree->cut_count += tree->nodes[at].is_cut ? sample.values[0] : 0;
        }
        while (tick < tree->tick_count && tree->ticks[tick].node < i)
            tick++;
        if (!lines_add(builder, tree, i, tick, &sample, stack, err))
            return false;
    }
    return true;
}

static void cpuprofile_begin(struct gate_builder *builder) {
    gate_builder_type(builder, GATE_STR("samples"), GATE_STR("count"));
    gate_builder_type(builder, GATE_STR("cpu"), GATE_STR("nanoseconds"));
}

/*
 * Add the profile `root`, an object with 'nodes', 'samples', 'timeDeltas', 'startTime' and 'endTime'. Each sample
 * gets `label`; NULL: none. `lines`: of the samples, or NULL. Errors and cost: as cpuprofile_fill.
 */
static bool cpuprofile_add(struct cpuprofile_sum *sum, const json_t *root, const int32_t *lines,
                           const struct gate_label *label, struct gate_error *err) {
    struct gate_arena *scratch = sum->builder->arena;
    struct tree tree = {.scratch = scratch, .label = label, .is_trimmed = sum->is_trimmed};
    const json_t *head = json_object_get(root, "head");
    tree.line_first = head != NULL || json_object_get(root, "typeId") != NULL; /* v8-profiler writes a typeId */
    if (!(head != NULL ? head_read(&tree, head, err) : tree_read(&tree, json_object_get(root, "nodes"), err)) ||
        !samples_read(&tree, root, lines, err) || !nodes_add(sum->builder, &tree, sum->limits, err))
        return false;
    sum->idle_count += tree.idle_count;
    sum->waited_us += tree.waited_us;
    sum->lost_count += tree.lost_count;
    sum->cut_count += tree.cut_count;
    double lasted = tree.lasted_us;
    int64_t duration_ns = lasted > 0 && lasted < 9e12 ? llround(lasted * NS_PER_US) : 0;
    if (duration_ns > sum->builder->header.duration_ns)
        sum->builder->header.duration_ns = duration_ns;
    return true;
}

static bool count_comment(struct gate_builder *builder, int64_t count, const char *what, struct gate_error *err) {
    if (count == 0)
        return true;
    struct gate_str comment = gate_str_format(builder->arena, "%lld %s", (long long)count, what);
    if (comment.ptr == NULL)
        return gate_arena_error(builder->arena, err);
    gate_builder_comment(builder, comment);
    return true;
}

static bool cpuprofile_end(const struct cpuprofile_sum *sum, struct gate_error *err) {
    return count_comment(sum->builder, sum->idle_count, "idle samples left out", err) &&
           count_comment(sum->builder, (int64_t)(sum->waited_us / US_PER_MS), "ms without a processor left out", err) &&
           count_comment(sum->builder, sum->lost_count, "samples of calls that the file does not contain left out",
                         err) &&
           count_comment(sum->builder, sum->cut_count,
                         "samples lack their outer callers, which the file does not contain", err);
}

/*
 * Convert a .cpuprofile to pprof: samples/count and cpu/nanoseconds. Samples are sorted by time. Each lasts
 * until the next one, but at most one and a half sampling intervals (the lower quartile): in the rest the thread waited
 * for a processor. That time and samples of (idle) are left out, and comments give their numbers. (program) and
 * (garbage collector) are frames. See gate_format_fill_json in formats/reader.h.
 */
static bool cpuprofile_fill(struct gate_builder *builder, json_t *root, const struct gate_limits *limits,
                            struct gate_error *err) {
    struct cpuprofile_sum sum = {.builder = builder, .limits = limits};
    cpuprofile_begin(builder);
    return cpuprofile_add(&sum, root, NULL, NULL, err) && cpuprofile_end(&sum, err);
}

/* ---- .heapprofile: a tree of calls with the bytes in use that each allocated, and the samples behind them -------- */

/* A node on the path from the root, with its children that are not visited yet. */
struct step {
    const json_t *children;
    size_t next;
};

struct walk {
    struct gate_builder *builder;
    struct gate_arena *scratch;
    int64_t *sampled; /* node id of each sample, sorted */
    size_t sample_count;
    size_t matched; /* samples whose node was visited */
    bool has_samples;
    struct step *path;
    const json_t **calls; /* of the path */
    uint64_t *locations;  /* locations of the path, innermost call first, filled from the end */
    uint32_t depth, depth_max;
};

static int id_order(const void *a, const void *b) {
    int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;
    return (left > right) - (left < right);
}

/* Count the samples with node ids below `id`; with `with_it`, also those equal to `id`. */
static size_t samples_below(const struct walk *walk, int64_t id, bool with_it) {
    size_t at = 0;
    GATE_SEARCH(at, walk->sample_count, walk->sampled[at] < id || (with_it && walk->sampled[at] == id));
    return at;
}

static bool heapprofile_samples_read(struct walk *walk, const json_t *samples, struct gate_error *err) {
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

/* Add the bytes and samples of the node itself. */
static bool size_add(struct walk *walk, const json_t *node, struct gate_error *err) {
    const json_t *id = json_object_get(node, "id");
    double size = json_number_value(json_object_get(node, "selfSize"));
    bool has_id = json_is_integer(id) || (id == NULL && !walk->has_samples); /* V8 before 2018 wrote no samples */
    if (!has_id || !json_is_number(json_object_get(node, "selfSize")))
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
    return (count == 0 && values[1] == 0) || gate_builder_sample(walk->builder, &sample, err);
}

/* Enter `node`. Level 0 is the head, V8's "(root)", which is not a frame. */
static bool node_enter(struct walk *walk, const json_t *node, uint32_t level, struct gate_error *err) {
    const json_t *call = json_object_get(node, "callFrame");
    if (!json_is_object(call))
        return gate_error_set(err, GATE_ERR_FORMAT, "a call at depth %u: expected an object in 'callFrame'",
                              walk->depth);
    if (level > walk->depth_max)
        return gate_limits_too_deep(walk->depth_max, err);
    if (level != 0) {
        walk->depth = level;
        const json_t *around = NULL;
        for (uint32_t i = 1; i <= AROUND_MOST && i < level && around == NULL && call_name(call).len == 0; i++)
            around = call_is_around(walk->calls[level - i], call) ? walk->calls[level - i] : NULL;
        walk->locations[walk->depth_max - level] = call_add(walk->builder, call, around, 0);
    }
    walk->calls[level] = call;
    walk->path[level] = (struct step){json_object_get(node, "children"), 0};
    return size_add(walk, node, err);
}

/* Walk the tree depth first, without recursion, as JSON may be nested deeply. V8 removes calls from the tree but
 * still lists their samples, so a sample may have no node. */
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

/*
 * Convert a .heapprofile to pprof: samples/count and space/bytes. The bytes are the 'selfSize' of each call,
 * which V8 already scaled up by its sampling interval. The counts are the number of entries in 'samples'. Files
 * without 'samples', which V8 wrote before 2018, have only space/bytes; their number of samples is unknown. See
 * gate_format_fill_json in formats/reader.h.
 */
static bool heapprofile_fill(struct gate_builder *builder, json_t *root, const struct gate_limits *limits,
                             struct gate_error *err) {
    struct gate_arena *scratch = builder->arena;
    struct walk walk = {
        .builder = builder, .scratch = scratch, .locations = builder->stack, .depth_max = limits->depth};
    walk.path = gate_arena_alloc(scratch, ((size_t)limits->depth + 1) * sizeof *walk.path);
    walk.calls = gate_arena_alloc(scratch, ((size_t)limits->depth + 1) * sizeof *walk.calls);
    if (walk.path == NULL || walk.calls == NULL)
        return gate_arena_error(scratch, err);
    if (!heapprofile_samples_read(&walk, json_object_get(root, "samples"), err))
        return false;
    if (walk.has_samples)
        gate_builder_type(builder, GATE_STR("samples"), GATE_STR("count"));
    gate_builder_type(builder, GATE_STR("space"), GATE_STR("bytes"));
    return tree_add(&walk, json_object_get(root, "head"), err);
}

/* ---- recognition of JSON files of V8, Chrome and others -------------------------------------------------------------
 *
 * The text is not parsed, so a truncated file is still recognised, and its reader reports where it is broken. */

static bool is_object(struct gate_str text) {
    return gate_str_starts(text, GATE_STR("{"));
}

/* Return true for a trace of Chrome's Performance panel: 'traceEvents', or a bare list of events. O(bytes). */
static bool is_trace(struct gate_str text) {
    if (is_object(text))
        return gate_str_holds(text, GATE_STR("\"traceEvents\"")) &&
               gate_json_text_has_key(text, GATE_STR("traceEvents"));
    size_t first = gate_str_find(text, GATE_STR("{"), 0);
    if (!gate_str_starts(text, GATE_STR("[")) || first == SIZE_MAX)
        return false;
    struct gate_str event = gate_str_slice(text, first, text.len);
    return gate_json_text_has_key(event, GATE_STR("ph")) && gate_json_text_has_key(event, GATE_STR("pid"));
}

/* Return true for a sampled heap profile of V8 (.heapprofile). O(bytes). */
static bool is_heapprofile(struct gate_str text) {
    return is_object(text) && gate_str_holds(text, GATE_STR("\"selfSize\"")) &&
           gate_json_text_has_key(text, GATE_STR("head"));
}

/* Return true for a heap snapshot or timeline of V8 (.heapsnapshot): the live objects. O(bytes). */
static bool is_heapsnapshot(struct gate_str text) {
    return is_object(text) && gate_str_holds(text, GATE_STR("\"snapshot\"")) &&
           gate_json_text_has_key(text, GATE_STR("snapshot")) && gate_json_text_has_key(text, GATE_STR("nodes"));
}

/* Return true for a V8 CPU profile of any version: 'nodes' with call frames, or 'head' with calls that have a
 * 'hitCount'. O(bytes). */
static bool is_cpuprofile(struct gate_str text) {
    if (!is_object(text) || is_heapsnapshot(text) || is_trace(text))
        return false;
    return (gate_str_holds(text, GATE_STR("\"callFrame\"")) && gate_json_text_has_key(text, GATE_STR("nodes"))) ||
           (gate_str_holds(text, GATE_STR("\"hitCount\"")) && gate_json_text_has_key(text, GATE_STR("head")));
}

/* ---- trace events: chunks of V8's CPU profiler are joined into documents with the form of a .cpuprofile ---------- */

enum { ITEM_BYTES = 2 * sizeof(void *) }; /* memory per item of a growing list */

/* One profile of the trace. `document` is owned. */
struct part {
    json_t *document;
    json_t *nodes, *samples, *deltas; /* borrowed from `document` */
    int32_t *lines;                   /* line of each sample; 0: unknown */
    size_t line_count, line_capacity;
    double start_us, end_us, lasted_us;
    struct gate_str thread; /* key in `threads` */
};

struct trace {
    struct gate_arena *scratch;
    struct gate_table keys; /* keys of `parts`: process and id */
    struct part *parts;
    size_t part_capacity;
    struct gate_table threads; /* keys of `names`: process and thread */
    struct gate_str *names;    /* thread names */
    size_t name_capacity;
    size_t reserved_bytes;
};

static bool is_event_named(const json_t *event, const char *name) {
    return gate_str_equal(gate_json_text_of(event, "name"), gate_str_from(name));
}

/* Return "PID/ID" for an id of any type. */
static struct gate_str key_of(struct gate_arena *arena, const json_t *event, const char *id) {
    const json_t *value = json_object_get(event, id);
    long long pid = json_integer_value(json_object_get(event, "pid"));
    if (json_is_string(value))
        return gate_str_format(arena, "%lld/%.*s", pid, GATE_STR_ARG(gate_json_text_of(event, id)));
    return gate_str_format(arena, "%lld/%lld", pid, (long long)json_integer_value(value));
}

static bool part_init(struct part *part) {
    *part = (struct part){.document = json_object(), .nodes = json_array(), .samples = json_array()};
    part->deltas = json_array();
    /* json_object_set_new takes ownership of the value, even if it fails. */
    bool ok = json_object_set_new(part->document, "nodes", part->nodes) == 0;
    ok = json_object_set_new(part->document, "samples", part->samples) == 0 && ok;
    return json_object_set_new(part->document, "timeDeltas", part->deltas) == 0 && ok;
}

/* Return the profile with `key`, added if it is new. Returns NULL and sets `err` if memory is exhausted. */
static struct part *part_of(struct trace *trace, struct gate_str key, struct gate_error *err) {
    uint32_t known = trace->keys.count;
    uint32_t index = key.ptr == NULL ? GATE_TABLE_NONE : gate_table_intern(&trace->keys, key);
    if (index == GATE_TABLE_NONE) {
        (void)gate_arena_error(trace->scratch, err);
        return NULL;
    }
    if (index < known)
        return &trace->parts[index];
    if (!GATE_GROW(trace->scratch, trace->parts, known, trace->part_capacity)) {
        trace->keys.count = known; /* remove the key again, because it has no value */
        (void)gate_arena_error(trace->scratch, err);
        return NULL;
    }
    if (part_init(&trace->parts[index]))
        return &trace->parts[index];
    (void)gate_error_set(err, GATE_ERR_MEMORY, "out of memory");
    return NULL;
}

static bool list_extend(struct trace *trace, json_t *list, json_t *more, struct gate_error *err) {
    size_t bytes = json_array_size(more) * ITEM_BYTES;
    if (bytes == 0)
        return true;
    if (!gate_arena_reserve(trace->scratch, bytes))
        return gate_arena_error(trace->scratch, err);
    trace->reserved_bytes += bytes;
    return json_array_extend(list, more) == 0 || gate_error_set(err, GATE_ERR_MEMORY, "out of memory");
}

/* Record the lines of the samples that a chunk added. V8 leaves out the list if it knows no line in the chunk. */
static bool lines_note(struct trace *trace, struct part *part, const json_t *lines, struct gate_error *err) {
    for (size_t i = 0; part->line_count < json_array_size(part->samples); i++) {
        json_int_t line = json_integer_value(json_array_get(lines, i));
        if (!GATE_REGROW(trace->scratch, part->lines, part->line_count, part->line_capacity))
            return gate_arena_error(trace->scratch, err);
        part->lines[part->line_count++] = line > 0 && line < INT32_MAX ? (int32_t)line : 0;
    }
    return true;
}

static bool chunk_add(struct trace *trace, const json_t *event, struct gate_error *err) {
    const json_t *args = json_object_get(json_object_get(event, "args"), "data");
    const json_t *profile = json_object_get(args, "cpuProfile");
    json_t *deltas = json_object_get(args, "timeDeltas");
    struct part *part = part_of(trace, key_of(trace->scratch, event, "id"), err);
    if (part == NULL)
        return false;
    if (deltas == NULL)
        deltas = json_object_get(profile, "timeDeltas");
    for (size_t i = 0; i < json_array_size(deltas); i++)
        part->lasted_us += json_number_value(json_array_get(deltas, i));
    const json_t *end = json_object_get(args, "endTime");
    part->end_us = json_is_number(end) ? json_number_value(end) : part->end_us;
    return list_extend(trace, part->nodes, json_object_get(profile, "nodes"), err) &&
           list_extend(trace, part->samples, json_object_get(profile, "samples"), err) &&
           list_extend(trace, part->deltas, deltas, err) &&
           lines_note(trace, part, json_object_get(args, "lines"), err);
}

/* Record the start time and the thread from a profile's first event. */
static bool start_note(struct trace *trace, const json_t *event, struct gate_error *err) {
    const json_t *start = json_object_get(json_object_get(json_object_get(event, "args"), "data"), "startTime");
    struct part *part = part_of(trace, key_of(trace->scratch, event, "id"), err);
    if (part == NULL)
        return false;
    part->start_us = json_number_value(start);
    part->thread = key_of(trace->scratch, event, "tid");
    return part->thread.ptr != NULL || gate_arena_error(trace->scratch, err);
}

/* Add the profile of a CpuProfile event, which DevTools of Chrome 65 and 66 wrote: one per thread, as a whole. */
static bool whole_add(struct trace *trace, const json_t *event, struct gate_error *err) {
    const json_t *args = json_object_get(json_object_get(event, "args"), "data");
    const json_t *profile = json_object_get(args, "cpuProfile");
    struct gate_str key = gate_str_format(trace->scratch, "whole/%u", trace->keys.count);
    struct part *part = part_of(trace, key, err);
    if (part == NULL)
        return false;
    part->start_us = json_number_value(json_object_get(profile, "startTime"));
    part->end_us = json_number_value(json_object_get(profile, "endTime"));
    part->thread = key_of(trace->scratch, event, "tid");
    if (part->thread.ptr == NULL)
        return gate_arena_error(trace->scratch, err);
    return list_extend(trace, part->nodes, json_object_get(profile, "nodes"), err) &&
           list_extend(trace, part->samples, json_object_get(profile, "samples"), err) &&
           list_extend(trace, part->deltas, json_object_get(profile, "timeDeltas"), err);
}

static bool thread_note(struct trace *trace, const json_t *event, struct gate_error *err) {
    struct gate_str key = key_of(trace->scratch, event, "tid");
    uint32_t known = trace->threads.count;
    uint32_t index = key.ptr == NULL ? GATE_TABLE_NONE : gate_table_intern(&trace->threads, key);
    if (index == GATE_TABLE_NONE)
        return gate_arena_error(trace->scratch, err);
    if (index < known)
        return true;
    if (!GATE_GROW(trace->scratch, trace->names, known, trace->name_capacity))
        return gate_arena_error(trace->scratch, err);
    trace->names[index] = gate_json_text_of(json_object_get(event, "args"), "name");
    return true;
}

static bool events_read(struct trace *trace, const json_t *events, struct gate_error *err) {
    for (size_t i = 0; i < json_array_size(events); i++) {
        const json_t *event = json_array_get(events, i);
        bool ok = true;
        if (is_event_named(event, "ProfileChunk"))
            ok = chunk_add(trace, event, err);
        else if (is_event_named(event, "Profile"))
            ok = start_note(trace, event, err);
        else if (is_event_named(event, "CpuProfile"))
            ok = whole_add(trace, event, err);
        else if (is_event_named(event, "thread_name"))
            ok = thread_note(trace, event, err);
        if (!ok)
            return false;
    }
    return true;
}

static bool part_add(struct cpuprofile_sum *sum, const struct trace *trace, struct part *part, struct gate_error *err) {
    struct gate_label label = {.key = GATE_STR("thread"), .text = GATE_STR("")};
    uint32_t thread = gate_table_find(&trace->threads, part->thread);
    double end = part->end_us > part->start_us ? part->end_us : part->start_us + part->lasted_us;
    if (json_array_size(part->samples) == 0)
        return true; /* the trace ended before the first sample */
    if (json_array_size(part->nodes) == 0) {
        sum->lost_count += (int64_t)json_array_size(part->samples);
        return true;
    }
    if (thread != GATE_TABLE_NONE)
        label.text = trace->names[thread];
    if (json_object_set_new(part->document, "startTime", json_real(part->start_us)) != 0 ||
        json_object_set_new(part->document, "endTime", json_real(end)) != 0)
        return gate_error_set(err, GATE_ERR_FORMAT, "a profile of the trace ends at no time");
    const int32_t *lines = part->line_count == json_array_size(part->samples) ? part->lines : NULL;
    return cpuprofile_add(sum, part->document, lines, label.text.len == 0 ? NULL : &label, err);
}

/* Message for a trace without a V8 profile. */
static const char *refusal_of(const json_t *root) {
    const json_t *events = json_is_array(root) ? root : json_object_get(root, "traceEvents");
    if (json_object_get(root, "viztracer_metadata") != NULL)
        return "a trace of VizTracer, which has every call and no samples: record with 'py-spy record --format raw -o "
               "FILE.collapsed -- python SCRIPT'";
    if (gate_str_equal(gate_json_text_of(json_array_get(events, 0), "cat"), GATE_STR("py-spy")))
        return "a trace of py-spy, which does not have its samples: record with 'py-spy record --format raw -o "
               "FILE.collapsed -- python SCRIPT'";
    return "a trace of events without a CPU profile: record it with the category "
           "'disabled-by-default-v8.cpu_profiler', or take a .cpuprofile ('node --cpu-prof SCRIPT')";
}

static bool parts_add(struct gate_builder *builder, const struct trace *trace, const json_t *root,
                      const struct gate_limits *limits, struct gate_error *err) {
    struct cpuprofile_sum sum = {.builder = builder, .limits = limits, .is_trimmed = true};
    size_t samples = 0;
    for (uint32_t i = 0; i < trace->keys.count; i++)
        samples += json_array_size(trace->parts[i].nodes) == 0 ? 0 : json_array_size(trace->parts[i].samples);
    if (samples == 0)
        return gate_error_set(err, GATE_ERR_FORMAT, "%s", refusal_of(root));
    cpuprofile_begin(builder);
    for (uint32_t i = 0; i < trace->keys.count; i++)
        if (!part_add(&sum, trace, &trace->parts[i], err))
            return false;
    return cpuprofile_end(&sum, err);
}

/*
 * Convert a trace (is_trace) to pprof. All processes become one profile; the thread's name is
 * the label "thread". Columns and idle time: as cpuprofile_fill. `limits` has no zeros (gate_limits_fill).
 *
 * err   GATE_ERR_FORMAT: malformed JSON; no profile in the trace (the message describes how to record one); a
 *       missing part of a profile's tree. GATE_ERR_LIMIT; GATE_ERR_OVERFLOW
 *
 * O(bytes + nodes * depth).
 */
static bool trace_events_fill(struct gate_builder *builder, json_t *root, const struct gate_limits *limits,
                              struct gate_error *err) {
    struct trace trace = {.scratch = builder->arena};
    const json_t *events = json_is_array(root) ? root : json_object_get(root, "traceEvents");
    gate_table_init(&trace.keys, builder->arena);
    gate_table_init(&trace.threads, builder->arena);
    bool ok = events_read(&trace, events, err) && parts_add(builder, &trace, root, limits, err);
    for (uint32_t i = 0; i < trace.keys.count; i++)
        json_decref(trace.parts[i].document);
    gate_arena_release(builder->arena, trace.reserved_bytes);
    return ok;
}

const struct gate_reader gate_trace_events_reader = {
    .name = "Chrome trace",
    .is_text = true,
    .sniff = is_trace,
    .format = GATE_FORMAT_TRACE_EVENTS,
    .preempted_languages = 1u << GATE_LANGUAGE_NODE,
    .fill_json = trace_events_fill,
};

/* The live objects of a program: not a profile. */
const struct gate_reader gate_heapsnapshot_reader = {
    .is_text = true,
    .sniff = is_heapsnapshot,
    .refusal = "a V8 heap snapshot: it has the objects that there are, not the code that allocated them; record a "
               ".heapprofile ('node --heap-prof SCRIPT')",
};

const struct gate_reader gate_heapprofile_reader = {
    .name = "V8 .heapprofile",
    .is_text = true,
    .sniff = is_heapprofile,
    .format = GATE_FORMAT_HEAPPROFILE,
    .fill_json = heapprofile_fill,
};

const struct gate_reader gate_cpuprofile_reader = {
    .name = "V8 .cpuprofile",
    .is_text = true,
    .sniff = is_cpuprofile,
    .format = GATE_FORMAT_CPUPROFILE,
    .preempted_languages = 1u << GATE_LANGUAGE_NODE,
    .fill_json = cpuprofile_fill,
};
