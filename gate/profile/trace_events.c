/* SPDX-License-Identifier: Apache-2.0 */
/* Chunks of V8's CPU profiler in a trace, put together (see trace_events.h): what comes out is what a .cpuprofile has.
 */
#include "gate/profile/trace_events.h"

#include "gate/base/table.h"
#include "gate/profile/cpuprofile.h"
#include "gate/profile/json_tree.h"

enum { ITEM_BYTES = 2 * sizeof(void *) }; /* of a list that grows */

/* One profile of the trace; `document` is ours to free. */
struct part {
    json_t *document;
    json_t *nodes, *samples, *deltas; /* of the document */
    double start_us, end_us, lasted_us;
    struct gate_str thread; /* key in `threads` */
};

struct trace {
    struct gate_arena *scratch;
    struct gate_table keys; /* of the parts: process and id */
    struct part *parts;
    size_t part_capacity;
    struct gate_table threads; /* process and thread */
    struct gate_str *names;    /* of them */
    size_t name_capacity;
    size_t reserved_bytes;
};

static struct gate_str text_of(const json_t *object, const char *key) {
    const json_t *value = json_object_get(object, key);
    return json_is_string(value) ? (struct gate_str){json_string_value(value), json_string_length(value)}
                                 : GATE_STR("");
}

static bool is_named(const json_t *event, const char *name) {
    return gate_str_equal(text_of(event, "name"), gate_str_from(name));
}

/* "PID/ID", whatever the id is. */
static struct gate_str key_of(struct gate_arena *arena, const json_t *event, const char *id) {
    const json_t *value = json_object_get(event, id);
    long long pid = json_integer_value(json_object_get(event, "pid"));
    if (json_is_string(value))
        return gate_str_format(arena, "%lld/%.*s", pid, GATE_STR_ARG(text_of(event, id)));
    return gate_str_format(arena, "%lld/%lld", pid, (long long)json_integer_value(value));
}

static bool part_init(struct part *part) {
    *part = (struct part){.document = json_object(), .nodes = json_array(), .samples = json_array()};
    part->deltas = json_array();
    /* These take over their value, also where they fail. */
    bool ok = json_object_set_new(part->document, "nodes", part->nodes) == 0;
    ok = json_object_set_new(part->document, "samples", part->samples) == 0 && ok;
    return json_object_set_new(part->document, "timeDeltas", part->deltas) == 0 && ok;
}

/* The profile that the event belongs to, a new one when it is the first of it; NULL: no room, and `err` says so. */
static struct part *part_of(struct trace *trace, const json_t *event, struct gate_error *err) {
    struct gate_str key = key_of(trace->scratch, event, "id");
    uint32_t known = trace->keys.count;
    uint32_t index = key.ptr == NULL ? GATE_TABLE_NONE : gate_table_intern(&trace->keys, key);
    if (index == GATE_TABLE_NONE) {
        (void)gate_arena_error(trace->scratch, err);
        return NULL;
    }
    if (index < known)
        return &trace->parts[index];
    struct part *grown = gate_arena_grow(trace->scratch, trace->parts, known, &trace->part_capacity, sizeof *grown);
    if (grown == NULL) {
        trace->keys.count = known; /* it has no part, and is not looked for again */
        (void)gate_arena_error(trace->scratch, err);
        return NULL;
    }
    trace->parts = grown;
    if (part_init(&grown[index]))
        return &grown[index];
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

static bool chunk_add(struct trace *trace, const json_t *event, struct gate_error *err) {
    const json_t *args = json_object_get(json_object_get(event, "args"), "data");
    const json_t *profile = json_object_get(args, "cpuProfile");
    json_t *deltas = json_object_get(args, "timeDeltas");
    struct part *part = part_of(trace, event, err);
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
           list_extend(trace, part->deltas, deltas, err);
}

/* Its first event says when it began, and on which thread. */
static bool start_note(struct trace *trace, const json_t *event, struct gate_error *err) {
    const json_t *start = json_object_get(json_object_get(json_object_get(event, "args"), "data"), "startTime");
    struct part *part = part_of(trace, event, err);
    if (part == NULL)
        return false;
    part->start_us = json_number_value(start);
    part->thread = key_of(trace->scratch, event, "tid");
    return part->thread.ptr != NULL || gate_arena_error(trace->scratch, err);
}

static bool thread_note(struct trace *trace, const json_t *event, struct gate_error *err) {
    struct gate_str key = key_of(trace->scratch, event, "tid");
    uint32_t known = trace->threads.count;
    uint32_t index = key.ptr == NULL ? GATE_TABLE_NONE : gate_table_intern(&trace->threads, key);
    if (index == GATE_TABLE_NONE)
        return gate_arena_error(trace->scratch, err);
    if (index < known)
        return true;
    struct gate_str *grown = gate_arena_grow(trace->scratch, trace->names, known, &trace->name_capacity, sizeof *grown);
    if (grown == NULL)
        return gate_arena_error(trace->scratch, err);
    trace->names = grown;
    grown[index] = text_of(json_object_get(event, "args"), "name");
    return true;
}

static bool events_read(struct trace *trace, const json_t *events, struct gate_error *err) {
    for (size_t i = 0; i < json_array_size(events); i++) {
        const json_t *event = json_array_get(events, i);
        bool ok = true;
        if (is_named(event, "ProfileChunk"))
            ok = chunk_add(trace, event, err);
        else if (is_named(event, "Profile"))
            ok = start_note(trace, event, err);
        else if (is_named(event, "thread_name"))
            ok = thread_note(trace, event, err);
        if (!ok)
            return false;
    }
    return true;
}

static bool part_add(struct gate_cpuprofile_sum *sum, const struct trace *trace, struct part *part,
                     struct gate_error *err) {
    struct gate_label label = {.key = GATE_STR("thread"), .text = GATE_STR("")};
    uint32_t thread = gate_table_find(&trace->threads, part->thread);
    double end = part->end_us > part->start_us ? part->end_us : part->start_us + part->lasted_us;
    if (json_array_size(part->samples) == 0)
        return true; /* it began, and the trace ended */
    if (thread != GATE_TABLE_NONE)
        label.text = trace->names[thread];
    if (json_object_set_new(part->document, "startTime", json_real(part->start_us)) != 0 ||
        json_object_set_new(part->document, "endTime", json_real(end)) != 0)
        return gate_error_set(err, GATE_ERR_FORMAT, "a profile of the trace ends at no time");
    return gate_cpuprofile_add(sum, part->document, label.text.len == 0 ? NULL : &label, err);
}

static bool parts_add(struct gate_buf *out, const struct trace *trace, const struct gate_limits *limits,
                      struct gate_error *err) {
    struct gate_builder builder;
    struct gate_cpuprofile_sum sum = {.builder = &builder, .limits = limits};
    size_t samples = 0;
    for (uint32_t i = 0; i < trace->keys.count; i++)
        samples += json_array_size(trace->parts[i].samples);
    if (samples == 0)
        return gate_error_set(
            err, GATE_ERR_FORMAT,
            "a trace of events without a CPU profile: record it with the category "
            "'disabled-by-default-v8.cpu_profiler', or take a .cpuprofile ('node --cpu-prof SCRIPT')");
    gate_cpuprofile_begin(&builder, trace->scratch);
    bool ok = true;
    for (uint32_t i = 0; ok && i < trace->keys.count; i++)
        ok = part_add(&sum, trace, &trace->parts[i], err);
    ok = ok && gate_cpuprofile_end(out, &sum, err);
    gate_builder_free(&builder);
    return ok;
}

bool gate_trace_events_convert(struct gate_buf *out, struct gate_str bytes, const struct gate_limits *limits,
                               struct gate_arena *scratch, struct gate_error *err) {
    struct trace trace = {.scratch = scratch};
    struct gate_json_tree tree;
    if (!gate_json_tree_load(&tree, bytes, scratch, err))
        return false;
    const json_t *events = json_is_array(tree.root) ? tree.root : json_object_get(tree.root, "traceEvents");
    gate_table_init(&trace.keys, scratch);
    gate_table_init(&trace.threads, scratch);
    bool ok = events_read(&trace, events, err) && parts_add(out, &trace, limits, err);
    for (uint32_t i = 0; i < trace.keys.count; i++)
        json_decref(trace.parts[i].document);
    gate_arena_release(scratch, trace.reserved_bytes);
    gate_json_tree_free(&tree, scratch);
    return ok;
}
